// A blog's index for the tests, served as the static assets are, and an embedding endpoint that answers what a test says.
import { expect, inject } from "vitest";
import { type Answer, notFound, type Route, Sources } from "../source.ts";

export const EMBED = "/v1/embeddings";
export const NOW = "2026-11-29T15:00:00Z";

type Files = Record<string, Uint8Array>;

/** The files of the made-up blog's index, fresh: a test may change them. */
export function blogFiles(): Files {
  return Object.fromEntries(
    Object.entries(inject("blog")).map(([name, text]) => [
      name,
      Uint8Array.from(atob(text), (character) => character.charCodeAt(0)),
    ]),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a header that a test bends as it likes
export type Header = Record<string, any>;

export function readHeader(files: Files): Header {
  return JSON.parse(new TextDecoder().decode(files["index.json"]));
}

/** The same files under a header that was changed. */
export function withHeader(files: Files, change: (header: Header) => void): Files {
  const header = readHeader(files);
  change(header);
  return { ...files, "index.json": new TextEncoder().encode(JSON.stringify(header)) };
}

/** The vector of an article's chunk, as the index has it, at length 1. */
export function vectorOf(files: Files, slug: string, part = 0, lang = "fr"): number[] {
  const header = readHeader(files);
  const { first } = header.articles.find((article: Header) => article.slug === slug && article.lang === lang);
  const bytes = files[header.languages[lang].vectors].slice().buffer;
  const [, chunks, dim, width] = new Uint32Array(bytes, 0, 4);
  const values = new Int8Array(bytes, 16 + 4 * (dim + chunks + chunks * width) + (first + part) * dim, dim);
  const norm = Math.hypot(...values);
  return [...values].map((value) => value / norm);
}

/** A unit vector whose cosine with another one is this. */
export function turned(vector: number[], cosine: number): number[] {
  const other = vector.map((_, at) => (at % 2 === 0 ? 1 : -1) * (1 + (at % 7)));
  const along = other.reduce((sum, value, at) => sum + value * vector[at], 0);
  const across = other.map((value, at) => value - along * vector[at]);
  const length = Math.hypot(...across);
  return vector.map((value, at) => value * cosine + (across[at] / length) * Math.sqrt(1 - cosine ** 2));
}

/** What an endpoint of OpenAI's shape answers for one text. */
export function embedding(vector: unknown[], model = "bge-m3"): object {
  return { object: "list", data: [{ object: "embedding", index: 0, embedding: vector }], model, usage: {} };
}

/**
 * `files`: what the assets hold, at the time of each question. `routes`: what the embedding endpoint answers, by path;
 * without any, the door searches by words. `calls`: what it was asked; `opened`: the files that were read, in order.
 */
export class Blog extends Sources {
  readonly origin: string;
  readonly opened: string[] = [];
  readonly assets = {
    fetch: async (url: string) => {
      const name = new URL(url).pathname.slice(1);
      this.opened.push(name);
      const file = this.files[name];
      return file === undefined ? new Response("not found", { status: 404 }) : new Response(file);
    },
  };

  constructor(
    public files: Files = blogFiles(),
    public routes: Record<string, Route> = {},
  ) {
    super();
    this.origin = this.host(
      "embed",
      () => this.routes,
      notFound,
      (url) => url.pathname,
    );
  }

  /** Calls a tool and lints what it says: at most `sentences` of them, for what a quotation leaves. */
  async call(tool: string, args: object, env: object = {}, sentences = 7): Promise<Answer> {
    const embed = Object.keys(this.routes).length > 0 ? { EMBED_URL: `${this.origin}${EMBED}` } : {};
    return this.callTool(tool, args, { ASSETS: this.assets, CLOCK: NOW, ...embed, ...env }, sentences);
  }

  /** What is said, for the tests that expect an answer. */
  async say(tool: string, args: object, env: object = {}, sentences = 7): Promise<string> {
    const { text, isError } = await this.call(tool, args, env, sentences);
    expect({ text, isError }).toEqual({ text, isError: false });
    return text;
  }

  /** What is said, for the tests that expect a refusal. */
  async refuse(tool: string, args: object, env: object = {}): Promise<string> {
    const { text, isError } = await this.call(tool, args, env, 4);
    expect({ text, isError }).toEqual({ text, isError: true });
    return text;
  }
}
