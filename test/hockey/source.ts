// A fake api-web.nhle.com for the tests: only `fetch` is replaced, and the clock is the door's own CLOCK.
import { expect, vi } from "vitest";
import door from "#door";
import { faultsOf } from "../voice.ts";

/** JSON to answer, a ready Response maker, or nothing: the path is then a 404 in HTML, as the real source's. */
export type Route = object | ((url: URL, init?: RequestInit) => Response | Promise<Response>);

export interface Answer {
  text: string;
  isError: boolean;
}

const sources = new Map<string, (url: URL, init?: RequestInit) => Response | Promise<Response>>();
let made = 0;

/** A source of its own origin: the door caches by address, so two tests never share an answer. */
export class Source {
  readonly origin = `http://nhl-${++made}.test`;
  /** Paths asked for, in order. */
  calls: string[] = [];
  /** Work that the door left under waitUntil. */
  pending: Promise<unknown>[] = [];

  constructor(public routes: Record<string, Route>) {
    sources.set(this.origin, (url, init) => {
      this.calls.push(url.pathname);
      const route = this.routes[url.pathname];
      if (route === undefined) return html("<!DOCTYPE html><title>404</title>", 404);
      return typeof route === "function" ? route(url, init) : Response.json(route);
    });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = new URL(String(input));
      const answer = sources.get(url.origin);
      if (answer === undefined) throw new TypeError(`no such host: ${url.origin}`);
      return answer(url, init);
    });
  }

  /** Asks match_lnh at an instant, and lints what it says. */
  async ask(at: string, equipe?: unknown, env: Record<string, unknown> = {}): Promise<Answer> {
    return this.call("match_lnh", at, { equipe }, env);
  }

  /** Calls a tool at an instant, and lints what it says: at most `sentences` of them. */
  async call(tool: string, at: string, args: object = {}, env: object = {}, sentences = 4): Promise<Answer> {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const response = await door.fetch(
      request,
      { NHL_API: this.origin, NHL_SEARCH_API: this.origin, CLOCK: at, DEFAULT_TEAM: "MTL", ...env },
      { waitUntil: (work) => this.pending.push(work), passThroughOnException() {}, props: {} },
    );
    expect(response.status).toBe(200);
    const { result } = await response.json<{ result: { content: { text: string }[]; isError?: boolean } }>();
    const [{ text }] = result.content;
    expect({ text, faults: faultsOf(text, sentences) }).toEqual({ text, faults: [] });
    return { text, isError: result.isError === true };
  }

  /** What is said, for the tests that expect an answer. */
  async say(at: string, equipe?: unknown, env: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.ask(at, equipe, env);
    expect({ text, isError }).toEqual({ text, isError: false });
    return text;
  }
}

export function html(body: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { "content-type": "text/html", ...headers } });
}
