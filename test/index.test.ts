import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { BuildError } from "../scripts/blog.mjs";
import { bundleDoor } from "../scripts/bundle.mjs";
import { calibrate } from "../scripts/calibrate.mjs";
import { UsageError } from "../scripts/command.mjs";
import { buildIndex } from "../scripts/index.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** Components of the made-up vectors. */
const DIM = 64;

type Request = Parameters<typeof buildIndex>[0];
type Header = Awaited<ReturnType<typeof buildIndex>>;
type Text = { paragraphs: string[][]; chunks: [number, number, string][] };
type Files = Record<string, string>;

const temporary = mkdtempSync(join(tmpdir(), "index-test-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

function makeFolder(name = "blog"): string {
  const folder = join(mkdtempSync(join(temporary, "t-")), name);
  mkdirSync(folder);
  return folder;
}

function makeBlog(files: Files, name?: string): string {
  const folder = makeFolder(name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const article = (body: string, front = "title: Un titre") => `---\n${front}\n---\n\n${body}\n`;

/** Builds in the test's own process, into a new folder unless told. */
async function build(options: Request) {
  const out = options.out ?? join(makeFolder(), "assets");
  const said: string[] = [];
  const warned: string[] = [];
  const voice = { say: (line: string) => said.push(line), warn: (line: string) => warned.push(line) };
  const header = await buildIndex({ voice, ...options, out });
  return { out, header, said, warned };
}

async function buildBlog(files: Files, options: Request = {}) {
  const from = makeBlog(files);
  return { from, ...(await build({ from, ...options })) };
}

/** The one line that a build fails with; nothing is written. */
async function failureOf(options: Request, kind: typeof BuildError | typeof UsageError = BuildError): Promise<string> {
  const out = options.out ?? join(makeFolder(), "assets");
  const before = existsSync(out) ? snapshotOf(dirname(out)) : null;
  const error = await build({ ...options, out }).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(kind);
  expect(error.message).not.toContain("\n");
  if (before === null) expect(existsSync(out)).toBe(false);
  else expect(snapshotOf(dirname(out))).toEqual(before);
  return error.message;
}

function snapshotOf(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), "base64")]));
}

function textOf(out: string, header: Header, slug: string, lang?: string): Text {
  const found = header.articles.find((one) => one.slug === slug && (lang === undefined || one.lang === lang));
  return JSON.parse(readFileSync(join(out, String(found?.text)), "utf8"));
}

/** What is said of the only article, paragraph by paragraph. */
async function speechOf(body: string, file = "un.md"): Promise<string[][]> {
  const { out, header } = await buildBlog({ [file]: article(body) });
  return textOf(out, header, "un").paragraphs;
}

/** Reads a `.words` file as the contract describes it. */
function readWords(out: string, { languages }: Header, lang = "fr") {
  const bytes = readFileSync(join(out, languages[lang].words));
  expect(bytes.toString("latin1", 0, 4)).toBe("WDR1");
  const [chunks, terms, count, total, size, average, zero] = [1, 2, 3, 4, 5, 6, 7].map((i) =>
    bytes.readUInt32LE(4 * i),
  );
  expect(zero).toBe(0);
  let place = 32;
  const take = (length: number, width: 1 | 2 | 4) => {
    const numbers = Array.from({ length }, (_, i) => bytes.readUIntLE(place + width * i, width));
    place += width === 2 ? 4 * Math.ceil(length / 2) : width * length;
    return numbers;
  };
  const formEnds = take(count, 4);
  const postingEnds = take(terms, 4);
  const formTerms = take(count, 2);
  const chunkOf = take(total, 2);
  const lengths = take(chunks, 2);
  const weights = take(total, 1);
  expect(bytes.length).toBe(place + size);
  const raw = formEnds.map((end, i) => bytes.subarray(place + (formEnds[i - 1] ?? 0), place + end));
  const forms = raw.map((form) => form.toString("utf8"));
  const postings = postingEnds.map((end, term) =>
    Array.from({ length: end - (postingEnds[term - 1] ?? 0) }, (_, i) => {
      const at = (postingEnds[term - 1] ?? 0) + i;
      return [chunkOf[at], weights[at]];
    }),
  );
  const termOf = (form: string) => (forms.includes(form) ? formTerms[forms.indexOf(form)] : null);
  /** Chunk and weight, for each chunk that has the word. */
  const find = (form: string) => {
    const term = termOf(form);
    return term === null ? null : postings[term];
  };
  return { chunks, terms, forms, raw, postings, lengths, average, termOf, find };
}

/** Reads a `.vectors` file as the contract describes it. */
function readVectors(out: string, { languages }: Header, lang = "fr") {
  const bytes = readFileSync(join(out, String(languages[lang].vectors)));
  expect(bytes.toString("latin1", 0, 4)).toBe("VEC1");
  const [chunks, dim, width] = [4, 8, 12].map((place) => bytes.readUInt32LE(place));
  expect(width).toBe(Math.ceil(dim / 32));
  let place = 16;
  const next = (width: number) => {
    place += width;
    return place - width;
  };
  const floats = (length: number) => Array.from({ length }, () => bytes.readFloatLE(next(4)));
  const mean = floats(dim);
  const scales = floats(chunks);
  const signs = Array.from({ length: chunks * width }, () => bytes.readUInt32LE(next(4)));
  expect(bytes.length).toBe(place + chunks * dim);
  const vectors = scales.map((_, i) => [...new Int8Array(bytes.subarray(place + i * dim, place + (i + 1) * dim))]);
  const bit = (chunk: number, j: number) => (signs[chunk * width + (j >> 5)] >>> (j % 32)) & 1;
  return { chunks, dim, mean, scales, vectors, bit };
}

// ── A made-up server of vectors, in four protocols ───────────────────────────

/** A text's words, each at a place of its own: texts that share words are near. */
function vectorOf(text: string): number[] {
  const vector = Array<number>(DIM).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["rien"]) {
    const hash = createHash("sha256").update(word).digest();
    vector[hash[0] % DIM] += hash[1] > 127 ? 1 : -1;
    vector[hash[2] % DIM] += 0.5;
  }
  return vector;
}

type Json = Record<string, unknown>;
interface Fault {
  status?: number;
  text?: string;
  /** Changes the answer; `inputs` are the texts asked. */
  change?(answer: never, inputs: string[]): unknown;
  /** After so many requests, it goes away. */
  times?: number;
  /** It spares so many requests first. */
  spared?: number;
  /** It spares the requests of at most so many texts. */
  most?: number;
  headers?: Record<string, string>;
}

let fault: Fault = {};
let asked: { path: string; body: Json; token: string | undefined }[] = [];
const textsAsked = () => asked.flatMap(({ body }) => (body.input ?? body.inputs ?? body.text) as string[]);
const passagesAsked = () => textsAsked().filter((text) => text.includes("\n\n"));

const ANSWERS: Record<string, (vectors: number[][], body: Json) => unknown> = {
  "/ollama": (embeddings, { model }) => ({ model, embeddings, total_duration: 1 }),
  "/openai": (vectors, { model }) => ({
    object: "list",
    model,
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse(),
  }),
  "/tei": (vectors) => vectors,
  "/workers-ai": (data) => ({ shape: [data.length, DIM], data, pooling: "cls" }),
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const path = String(request.url);
    const body = JSON.parse(Buffer.concat(parts).toString() || "{}");
    asked.push({ path, body, token: request.headers.authorization });
    const inputs: string[] = body.input ?? body.inputs ?? body.text ?? [];
    const isSpared = (fault.spared ?? 0) > 0 || inputs.length <= (fault.most ?? -1);
    const current = isSpared ? {} : fault;
    if (fault.spared) fault.spared--;
    else if (fault.times !== undefined && --fault.times <= 0) fault = {};
    const answer = (ANSWERS[path] ?? (() => ({})))(inputs.map(vectorOf), body);
    response.writeHead(current.status ?? 200, {
      "content-type": "application/json",
      location: "/elsewhere",
      ...current.headers,
    });
    response.end(current.text ?? JSON.stringify(current.change ? current.change(answer as never, inputs) : answer));
  });
});
let home: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  home = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
afterEach(() => {
  fault = {};
  asked = [];
});

const TWO: Files = {
  "fr/onduleurs.md": article(
    "Mes onduleurs tiennent onze minutes.\n\n## La pile\n\nJ'ai changé la pile en mars.",
    "title: Des onduleurs\ndate: 2026-03-12\ndescription: Le courant qui manque\ntags: [courant]",
  ),
  "en/bees.md": article("The bees sleep all winter long.", "title: The bees\ndate: 2026-01-02"),
};
const embedding = (path = "/openai"): Request => ({
  embed: home + path,
  protocol: path.slice(1),
  model: "bge-m3",
});

// ── A folder ─────────────────────────────────────────────────────────────────

describe("a folder of Markdown", () => {
  it("is read with the folders in it, less dot folders, node_modules and its own README", async () => {
    const { header } = await buildBlog({
      "un.md": article("Un."),
      "sous/deux.mdx": article("Deux."),
      "sous/README.md": article("Trois."),
      "README.md": "# Lisez-moi\n\nNon.",
      ".git/non.md": article("Non."),
      "sous/.caché.md": article("Non."),
      "node_modules/x/non.md": article("Non."),
      "image.png": "non",
    });
    expect(header.articles.map(({ slug }) => slug)).toEqual(["README", "deux", "un"]);
  });

  it.each([
    ["mon-article.md", "", "mon-article", "fr"],
    ["mon-article.en.md", "", "mon-article", "en"],
    ["v1.2.md", "", "v1.2", "fr"],
    ["mon-article/index.md", "", "mon-article", "fr"],
    ["en/mon-article/index.mdx", "", "mon-article", "en"],
    ["mon-article/index.en.md", "", "mon-article", "en"],
    ["mon-article/en/index.md", "", "mon-article", "en"],
    ["es/a.md", "", "a", "es"],
    ["en/a.fr.md", "", "a", "fr"],
    ["en/a.md", "lang: fr-CA", "a", "fr"],
    ["a.md", "slug: autre\nlang: de", "autre", "de"],
  ])("gives %s with « %s » the slug %s and the language %s", async (path, front, slug, lang) => {
    const { header } = await buildBlog({ [path]: article("Ceci et cela.", `title: Titre\n${front}`) });
    expect(header.articles).toMatchObject([{ slug, lang }]);
    expect(Object.keys(header.languages)).toEqual([lang]);
  });

  it("knows French from English by their small words, and takes the rest for French", async () => {
    const { header } = await buildBlog({
      "a.md": article("The cat is on the table with a dog and an owl."),
      "b.md": article("Le chat est sur la table avec un chien et les poules."),
      "c.md": article("Zigbee, Proxmox."),
    });
    expect(Object.fromEntries(header.articles.map(({ slug, lang }) => [slug, lang]))).toEqual({
      a: "en",
      b: "fr",
      c: "fr",
    });
  });

  it("takes the title of the front matter, else of the first heading, which is then not said twice", async () => {
    const { out, header } = await buildBlog({
      "a.md": article("# Autre\n\nTexte.", "title: Le « vrai » `titre`"),
      "b.md": "# Le titre *ici*\n\nTexte.\n",
    });
    expect(header.articles.map(({ title }) => title)).toEqual(["Le “vrai” titre", "Le titre ici"]);
    expect(textOf(out, header, "a").paragraphs[0]).toEqual(["heading", "Autre"]);
    expect(textOf(out, header, "b").paragraphs).toEqual([["text", "Texte."]]);
  });

  it.each([
    ["date: 2026-03-12", "2026-03-12"],
    ["pubDate: 2026-03-12\ndate: 2020-01-01", "2026-03-12"],
    ['pubDate: "2026-03-12T23:30:00-05:00"', "2026-03-12"],
    ["date: 2026-03-12T00:30:00Z", "2026-03-12"],
    ["date: 2026-3-2", "2026-03-02"],
    ["date: 2001-12-14 21:59:43.10 -5", "2001-12-14"],
    ["pubDate:\ndate: 2024-02-29", "2024-02-29"],
    ["date: 2022/07/08", "2022-07-08"],
    ["pubDate: Jul 08 2022", "2022-07-08"],
    ["pubDate: 'July 8, 2022'", "2022-07-08"],
    ["date: 8 Sept. 2022", "2022-09-08"],
    ["date: Fri, 08 Jul 2022 23:30:00 -0500", "2022-07-08"],
    ["tags: []", null],
  ])("reads the day of « %s » as it is written", async (front, date) => {
    const { header } = await buildBlog({ "a.md": article("Texte.", `title: T\n${front}`) });
    expect(header.articles[0].date).toBe(date);
  });

  it("keeps description, tags and an absolute address", async () => {
    const { header } = await buildBlog({
      "a.md": article(
        "T.",
        "title: A\ndescription: >\n  Deux\n  lignes **grasses**\ntags: [un, 2, un]\nurl: https://a.example/x",
      ),
      "b.md": article("T.", "title: B\ntags: un, deux , \nurl: /relatif"),
      "c.md": article("T.", "title: C\nurl: javascript:alert(1)"),
    });
    expect(header.articles.map(({ description, tags, url }) => ({ description, tags, url }))).toEqual([
      { description: "Deux lignes grasses", tags: ["un", "2"], url: "https://a.example/x" },
      { description: "", tags: ["un", "deux"], url: null },
      { description: "", tags: [], url: null },
    ]);
  });

  it.each([
    ["draft: true", false],
    ['draft: "true"', false],
    ["draft: yes", false],
    ["draft: On", false],
    ["draft: False", true],
    ["draft: no", true],
    ["draft:", true],
    ["draft: {toString: 1}", true],
  ])("reads « %s », leaves a draft out and says it in one line", async (front, isKept) => {
    const { header, said } = await buildBlog({
      "a.md": article("T."),
      "b.md": article("T.", `title: B\n${front}`),
    });
    expect(header.articles.map(({ slug }) => slug)).toEqual(isKept ? ["a", "b"] : ["a"]);
    expect(said.filter((line) => line.includes("draft"))).toEqual(isKept ? [] : [expect.stringContaining("b.md")]);
  });

  it("leaves out an article of a day to come, and says it in one line", async () => {
    const files = {
      "a.md": article("T.", "title: A\ndate: 2026-03-12"),
      "b.md": article("T.", "title: B\ndate: 2026-03-13T01:00:00Z"),
    };
    const { header, said } = await buildBlog(files, { today: "2026-03-12" });
    expect(header.articles.map(({ slug }) => slug)).toEqual(["a"]);
    expect(said[0]).toMatch(/b\.md: left out, its date is 2026-03-13$/);
    expect((await buildBlog(files, { today: "2026-03-13" })).header.articles).toHaveLength(2);
    const today = new Date().toISOString().slice(0, 10);
    const real = await buildBlog({
      "a.md": article("T.", `title: A\ndate: ${today}`),
      "b.md": article("T.", "title: B\ndate: 9999-01-01"),
    });
    expect(real.header.articles.map(({ slug }) => slug)).toEqual(["a"]);
  });

  it.each([
    ["a file without text", article("<!-- rien -->"), "no text"],
    ["an empty file", "", "empty"],
    ["a file of blank lines", " \n\n", "empty"],
  ])("leaves out %s, with a warning", async (_, content, why) => {
    const { header, warned } = await buildBlog({ "a.md": article("T."), "b.md": content });
    expect(header.articles).toHaveLength(1);
    expect(warned).toEqual([expect.stringMatching(new RegExp(`b\\.md: left out, .*${why}`))]);
  });

  it("reads a folder that is linked, once, and comes back from a loop with a line", async () => {
    const [from, other] = [makeBlog({ "a.md": article("T.") }), makeBlog({ "b.md": article("T.") })];
    symlinkSync(other, join(from, "lié"));
    symlinkSync(other, join(from, "relié"));
    symlinkSync(from, join(other, "retour"));
    symlinkSync("moi.md", join(from, "moi.md"));
    symlinkSync("nulle-part.md", join(from, "parti.md"));
    const { header, warned } = await build({ from });
    expect(header.articles.map(({ slug }) => slug)).toEqual(["a", "b"]);
    expect(warned).toEqual([
      expect.stringMatching(/lié.retour: left out, it leads to a folder that was already read$/),
      expect.stringMatching(/moi\.md: left out, it can't be read \(ELOOP\)$/),
      expect.stringMatching(/parti\.md: left out, it can't be read \(ENOENT\)$/),
      expect.stringMatching(/relié: left out, it leads to a folder/),
    ]);
  });

  it("refuses one whose folders are nested deeper than the system reads, naming it", async () => {
    const deep = () => join(...Array.from({ length: 12 }, () => "d".repeat(200)));
    const [from, other] = [makeBlog({ "a.md": article("T.") }), makeFolder()];
    for (const folder of [from, other]) mkdirSync(join(folder, deep()), { recursive: true });
    const moved = join(from, deep(), "x");
    renameSync(other, moved);
    try {
      expect(await failureOf({ from })).toMatch(/: it can't be read \(ENAMETOOLONG\)$/);
    } finally {
      // At this depth, nothing removes it.
      renameSync(moved, other);
    }
  });

  it.each([
    [undefined, "", null],
    [undefined, "url: https://a.example/x", "https://a.example/x"],
    [undefined, "url: /relatif", null],
    ["https://a.example/blog", "", "https://a.example/blog/mon-article"],
    ["https://a.example/blog/", "slug: /2026/été/", "https://a.example/blog/2026/%C3%A9t%C3%A9"],
    ["https://a.example/{lang}/{slug}/", "", "https://a.example/en/mon-article/"],
    ["https://a.example/{lang}", "", "https://a.example/en/mon-article"],
    ["https://a.example/?p={slug}", "", "https://a.example/?p=mon-article"],
    ["https://a.example/blog", "url: /relatif", "https://a.example/relatif"],
    ["https://a.example/blog", "url: relatif/", "https://a.example/blog/relatif/"],
    ["https://a.example/{lang}/{slug}", "url: relatif", "https://a.example/relatif"],
    ["https://a.example/blog", "url: https://b.example/x", "https://b.example/x"],
    ["https://a.example/blog", "url: javascript:alert(1)", null],
  ])("with --url %s and « %s » has the link %s", async (url, front, link) => {
    const { header, said } = await buildBlog({ "en/mon-article.md": article("T.", `title: A\n${front}`) }, { url });
    expect(header.articles[0].url).toBe(link);
    expect(said.filter((line) => line.startsWith("no article has a link"))).toHaveLength(link === null ? 1 : 0);
  });

  it("keeps the newest of two files with one slug in one language, and says which", async () => {
    const { out, header, said } = await buildBlog({
      "2024/a.md": article("Vieux.", "title: A\ndate: 2024-01-01"),
      "2025/a.md": article("Neuf.", "title: A\ndate: 2025-01-01"),
      "2026/a.md": article("Sans date."),
      "en/a.md": article("New.", "title: A\ndate: 2023-01-01"),
    });
    expect(header.articles.map(({ lang, date }) => [lang, date])).toEqual([
      ["en", "2023-01-01"],
      ["fr", "2025-01-01"],
    ]);
    expect(textOf(out, header, "a", "fr").paragraphs).toEqual([["text", "Neuf."]]);
    expect(said.filter((line) => line.includes("same slug"))).toEqual([
      expect.stringMatching(/2024.a\.md: left out, .*2025.a\.md/),
      expect.stringMatching(/2026.a\.md: left out, .*2025.a\.md/),
    ]);
  });

  it("is listed by language, newest first, those without a date last, then by slug", async () => {
    const { header } = await buildBlog({
      "b.md": article("T. T.", "title: B\ndate: 2024-01-01"),
      "a.md": article("T.", "title: A\ndate: 2024-01-01"),
      "z.md": article("T.", "title: Z\ndate: 2025-01-01"),
      "n.md": article("T."),
      "x.en.md": article("T."),
    });
    expect(header.articles.map(({ lang, slug, first }) => `${lang} ${slug} ${first}`)).toEqual([
      "en x 0",
      "fr z 0",
      "fr a 1",
      "fr b 2",
      "fr n 3",
    ]);
  });

  it.each([
    ["YAML that isn't", "title: [", "a.md:2: bad front matter"],
    ["a key said twice", "title: A\ndate: 2024-01-01\ntitle: B", "a.md:4: bad front matter"],
    ["a list instead of names", "- title", "a.md:1: bad front matter"],
    ["a day that doesn't exist", "title: A\ndate: 2026-02-30", "a.md: bad front matter: date"],
    ["a date in words", "title: A\npubDate: 12 mars 2026", "a.md: bad front matter: pubDate"],
    ["a year alone", "title: A\ndate: 2026", "a.md: bad front matter: date"],
    ["a year of antiquity", "title: A\ndate: 0099-03-12", 'a.md: bad front matter: date "0099-03-12"'],
    ["a month that isn't one", "title: A\ndate: Jux 08 2022", "a.md: bad front matter: date"],
    ["a day that its month hasn't", "title: A\ndate: Feb 30 2022", "a.md: bad front matter: date"],
    ["a date that can't be said", "title: A\npubDate: {toString: 1}", 'a.md: bad front matter: "pubDate"'],
    ["a title that isn't a text", "title: {a: 1}", 'a.md: bad front matter: "title"'],
    ["a description that isn't a text", "title: A\ndescription: [x]", 'a.md: bad front matter: "description"'],
    ["tags that aren't texts", "title: A\ntags: [{a: 1}]", 'a.md: bad front matter: "tags"'],
    ["a language that isn't one", "title: A\nlang: français", "a.md: bad front matter: lang"],
    ["no title at all", "date: 2026-01-01", "a.md: no title"],
  ])("refuses %s, naming the file, and writes nothing", async (_, front, message) => {
    expect(await failureOf({ from: makeBlog({ "a.md": article("Texte.", front), "b.md": article("T.") }) })).toContain(
      message,
    );
  });

  it.each([
    ["front matter that isn't closed", "---\ntitle: A\n\nTexte.\n", "a.md:1: the front matter has no closing"],
    ["TOML", '+++\ntitle = "A"\n+++\n\nTexte.\n', "a.md:1: the front matter is TOML"],
    ["no heading and no front matter", "Texte.\n", "a.md: no title"],
    ["front matter after a blank line", `\n${article("Texte.")}`, "a.md:2: the front matter must open the file"],
    ["front matter after spaces", "  ---\n  title: A\n  ---\n\n# A\n\nT.\n", "a.md:1: the front matter must open"],
    ["quotes inside quotes, by thousands", `# A\n\n${">".repeat(20_000)} T.\n`, "a.md: its blocks are nested too deep"],
  ])("refuses %s", async (_, content, message) => {
    expect(await failureOf({ from: makeBlog({ "a.md": content }) })).toContain(message);
  });

  it("refuses a folder without Markdown, or with drafts only, naming it", async () => {
    const [empty, drafts] = [makeBlog({ "a.txt": "x" }), makeBlog({ "a.md": article("T.", "title: A\ndraft: true") })];
    expect(await failureOf({ from: empty })).toContain(`${empty}: no .md`);
    expect(await failureOf({ from: drafts })).toContain(`${drafts}: no article`);
  });

  it("refuses a file that isn't UTF-8, and reads one with a byte order mark and Windows lines", async () => {
    const folder = makeBlog({});
    writeFileSync(join(folder, "a.md"), Buffer.from("# \xc9t\xe9\n\nTexte.\n", "latin1"));
    expect(await failureOf({ from: folder })).toContain("a.md: it isn't UTF-8");
    const { header } = await buildBlog({ "a.md": `\ufeff${article("Un.\n\nDeux.").replaceAll("\n", "\r\n")}` });
    expect(header.articles[0].title).toBe("Un titre");
  });

  it("is « le blogue », the documents apart, unless --name says another name, which a rebuild keeps", async () => {
    const from = makeBlog({ "a.md": article("T.") }, "articles");
    const { out, header: first } = await build({ from });
    expect(first).toMatchObject({ name: "le blogue", source: from });
    expect((await build({ from, out, name: "Le labo" })).header.name).toBe("Le labo");
    expect((await build({ from: `${from}/`, out })).header.name).toBe("Le labo");
    expect((await build({ from: makeBlog({ "a.md": article("T.") }), out })).header.name).toBe("le blogue");
    const { header } = await build({});
    expect(header).toMatchObject({
      name: "la documentation des portes",
      source: "shared-docs",
      format: 1,
      model: null,
      dim: 0,
    });
    expect(header).toMatchObject({ queryPrefix: "", passagePrefix: "", floor: null, sure: null, gap: null });
    expect(new Date(header.generated).toISOString()).toBe(header.generated);
  });
});

// ── What is said ─────────────────────────────────────────────────────────────

describe("the paragraphs", () => {
  it("keep no Markdown, HTML, emoji or footnote, and keep the words around", async () => {
    const said = await speechOf(
      [
        'Du **gras**, de l\'*italique*, du ~~barré~~ et un [lien](https://a.example/x "titre").[^1] Et **ça **aussi.',
        "## Un titre {#ancre}",
        "Voir https://exemple.org/page?x=1, ou <https://www.exemple.org>. 🎉 C'est fini ✅ 👩‍💻🇨🇦✔ !",
        "Une ![image](x.png) ici.\\\nDeux « mots\u00a0» ici&nbsp;:",
        "<details><summary>En bref</summary>Du <b>HTML</b><br>là</details>",
        "<!-- caché --><script>alert(1)</script>",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "> [!NOTE]\n> Une citation.",
        "- un\n- deux\n  - trois\n\n1. quatre",
        "```sh\nls\n```",
        "***",
        "[^1]: La note.",
      ].join("\n\n"),
    );
    expect(said).toEqual([
      ["text", "Du gras, de l'italique, du barré et un lien.", "Et ça aussi."],
      ["heading", "Un titre"],
      ["text", "Voir exemple.org, ou exemple.org.", "C'est fini !"],
      ["text", "Une ici.", "Deux “mots” ici :"],
      ["text", "En bref."],
      ["text", "Du HTML là."],
      ["table"],
      ["text", "Une citation."],
      ["text", "un.", "deux.", "trois."],
      ["text", "quatre."],
      ["code"],
      ["text", "La note."],
    ]);
  });

  it.each([
    ["<p>L&rsquo;&eacute;t&eacute; &mdash; l&agrave;&hellip;</p>", "L’été — là…"],
    ["<p>&laquo;&nbsp;Oui&nbsp;&raquo; &#xE9; &#233; &#XE9;</p>", "“Oui” é é é."],
    ["<p>Un &constructor; et &toString; ici.</p>", "Un &constructor; et &toString; ici."],
    ["<p>Bon&#55357;&#56832;&#0;&#9999999; jour.</p>", "Bon jour."],
    ["Un &constructor; l&agrave;.", "Un &constructor; là."],
  ])("read the entities of « %s »", async (body, said) => {
    expect(await speechOf(body)).toEqual([["text", said]]);
  });

  it("of a title lose its entities and its tags, not what only looks like one", async () => {
    const { header } = await buildBlog({
      "a.md": article(
        "T.",
        'title: "L&rsquo;<em class=x>&eacute;t&eacute;</em><br/>ici"\ndescription: a &lt;b&gt; c &amp; d',
      ),
      "b.md": article("T.", 'title: "Si a<b et b>c, Vec<T>"'),
    });
    expect(header.articles.map(({ title, description }) => [title, description])).toEqual([
      ["L’été ici", "a <b> c & d"],
      ["Si a<b et b>c, Vec<T>", ""],
    ]);
  });

  it.each(["un.md", "un.mdx"])("leave out the formulas that stand alone, in %s", async (file) => {
    const body = [
      "Avant.",
      "$$\n\\frac{-b \\pm 1}{2a}\n$$",
      "$$ x^2 $$",
      "> $$\n> y\n> $$\n> Cité.",
      "Entre `$$` et 5 $$ de plus.",
      "```sh\n$$\necho $$\n$$\n```",
      "$$ et ce qui ne se ferme pas.",
    ].join("\n\n");
    expect(await speechOf(body, file)).toEqual([
      ["text", "Avant."],
      ["text", "Cité."],
      ["text", "Entre $$ et 5 $$ de plus."],
      ["code"],
      ["text", "$$ et ce qui ne se ferme pas."],
    ]);
  });

  it("keep the letters of inline code, of names and of figures", async () => {
    const [[, ...said]] = await speechOf(
      "Le service `rclone_mount` sur ext4 parle à 192.168.1.0/24 en C#. Aussi rclone_mount, `git add . && Git`, snake_case_name et 2 * 3 * 4.",
    );
    expect(said).toEqual([
      "Le service rclone_mount sur ext4 parle à 192.168.1.0/24 en C#.",
      "Aussi rclone_mount, git add . && Git, snake_case_name et 2 * 3 * 4.",
    ]);
  });

  it("are in composed Unicode, with ordinary spaces", async () => {
    const said = await speechOf("E\u0301te\u0301\u00a0: dix\u202f000\u200b pas\u00ad.");
    expect(said).toEqual([["text", "Été : dix 000 pas."]]);
  });

  it.each([
    ["M. Tremblay et J. K. Rowling, p. ex. ici. Fin.", 2],
    ["Mme. Roy a vu le Dr. House. Puis rien.", 2],
    ["Il coûte 3.5 Go, soit no. 5 et p. 12. Oui.", 2],
    ["Voir config.yaml et README.MD. Puis .NET et v1.2. Ok.", 3],
    ["Quoi ? dit-il. Oui ! “Non !” dit-elle. Bon… d'accord.", 4],
    ["It was Mr. Smith vs. Mrs. Jones, e.g. here, i.e. there. Done.", 2],
    ["Le Raspberry Pi 4. Ensuite, le 5.", 2],
    ["Le séchoir tire 1800 W. Il réchauffe la pièce de 2 °C. Bon.", 3],
  ])("cut « %s » in %i sentences", async (text, count) => {
    const [[, ...said]] = await speechOf(text);
    expect(said).toHaveLength(count);
    expect(said.join(" ")).toBe(text);
  });
});

describe("MDX", () => {
  const SOURCE = [
    'import AsciiCast from "../AsciiCast.astro";\nexport const x = { a: 1 };',
    "# Un sous-titre",
    '<AsciiCast src="x" options={{ a: [1, 2] }} />',
    '<ConversationExcerpt auteur="Luc">\n\nLe **texte** reste.\n\n- une liste\n\n</ConversationExcerpt>',
    "Il y en a {props.nombre} <Badge>neuf</Badge> ici. {/* caché */}",
    "```js\nimport os from 'os';\n<Composant/>\n```",
  ].join("\n\n");

  it("loses its imports, expressions and components, whose text stays", async () => {
    expect(await speechOf(SOURCE, "un.mdx")).toEqual([
      ["heading", "Un sous-titre"],
      ["text", "Le texte reste."],
      ["text", "une liste."],
      ["text", "Il y en a neuf ici."],
      ["code"],
    ]);
  });

  it("that doesn't parse keeps its front matter as it is", async () => {
    const { header } = await buildBlog({ "un.mdx": article("<non\n\nTexte.", 'title: "Le {titre} <Gras>"') });
    expect(header.articles[0].title).toBe("Le {titre} <Gras>");
  });

  it("that doesn't parse is read as Markdown, with a warning that names file and line, and loses the same", async () => {
    const { out, header, warned } = await buildBlog({ "un.mdx": article(`${SOURCE}\n\nSi a < 5, {alors rien ne va.`) });
    expect(warned).toEqual([expect.stringMatching(/un\.mdx:\d+: not valid MDX/)]);
    const { paragraphs } = textOf(out, header, "un");
    expect(paragraphs.slice(0, 5)).toEqual(await speechOf(SOURCE, "un.mdx"));
    expect(paragraphs.at(-1)).toEqual(["text", "Si a < 5, {alors rien ne va."]);
    expect(JSON.stringify(paragraphs)).not.toMatch(/import|AsciiCast|Conversation|export|caché|props/);
  });
});

// ── Chunks ───────────────────────────────────────────────────────────────────

/** A paragraph of about so many characters, in sentences of fifty. */
function prose(size: number, word = "mot"): string {
  const sentence = `Le ${word} numéro `;
  const count = Math.max(1, Math.round(size / 50));
  return Array.from(
    { length: count },
    (_, i) => `${sentence}${i} ${"a".repeat(48 - sentence.length - `${i}`.length - 2)}.`,
  ).join(" ");
}

async function chunksOf(body: string) {
  const { out, header } = await buildBlog({ "un.md": article(body) });
  const { paragraphs, chunks } = textOf(out, header, "un");
  const said = (from: number, to: number) => paragraphs.slice(from, to);
  return { out, header, paragraphs, chunks: chunks.map(([from, to]) => said(from, to)), ranges: chunks };
}

describe("the chunks", () => {
  it("hold about 1,200 characters, and carry over a last short paragraph", async () => {
    const { chunks, ranges } = await chunksOf([prose(800, "un"), prose(300, "deux"), prose(700, "trois")].join("\n\n"));
    expect(ranges.map(([from, to]) => [from, to])).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(chunks[1][0]).toEqual(chunks[0][1]);
  });

  it("carry over neither a long paragraph, nor code, nor a heading", async () => {
    const long = await chunksOf([prose(700), prose(450), prose(700)].join("\n\n"));
    expect(long.ranges.map(([from, to]) => [from, to])).toEqual([
      [0, 2],
      [2, 3],
    ]);
    const code = await chunksOf([prose(900), "```sh\nls -l\n```", prose(700)].join("\n\n"));
    expect(code.ranges.map(([from, to]) => [from, to])).toEqual([
      [0, 2],
      [2, 3],
    ]);
    const heading = await chunksOf([prose(1000), "## Titre", prose(700)].join("\n\n"));
    expect(heading.ranges.map(([from, to]) => [from, to])).toEqual([
      [0, 1],
      [1, 3],
    ]);
  });

  it("keep headings with what follows them, and a last one with what comes before", async () => {
    const { ranges } = await chunksOf([prose(1100), "## Un", "### Deux", prose(600), "## Fin"].join("\n\n"));
    expect(ranges.map(([from, to]) => [from, to])).toEqual([
      [0, 1],
      [1, 5],
    ]);
  });

  it("keep code whole, however long", async () => {
    const code = Array.from({ length: 200 }, (_, i) => `commande numero ${i}`).join("\n\n");
    const { out, header, ranges, paragraphs } = await chunksOf(
      [prose(500), `\`\`\`sh\n${code}\n\`\`\``, prose(500)].join("\n\n"),
    );
    expect(paragraphs.map(([kind]) => kind)).toEqual(["text", "code", "text"]);
    expect(ranges.map(([from, to]) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    expect(readWords(out, header).find("199")).toEqual([[1, 2]]);
  });

  it("split a text over the ceiling between its sentences, and leave one under it whole", async () => {
    const { paragraphs, chunks } = await chunksOf(["## Titre", prose(5000, "long"), prose(2300, "moyen")].join("\n\n"));
    const sizes = chunks.map((parts) => parts.map(([, ...said]) => said.join(" ")).join("\n\n").length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2600);
    expect(paragraphs.flatMap(([, ...said]) => said).join(" ")).toBe(
      `Titre ${prose(5000, "long")} ${prose(2300, "moyen")}`,
    );
    for (const [kind, ...said] of paragraphs)
      if (kind === "text") for (const one of said) expect(one).toMatch(/^Le .*\.$/);
    expect(paragraphs.filter(([, one]) => one?.includes("moyen"))).toHaveLength(1);
    expect(paragraphs.filter(([, one]) => one?.includes("long")).length).toBeGreaterThan(2);
  });

  it("never cut a sentence, be it longer than the ceiling", async () => {
    const sentence = `Ceci est ${"très ".repeat(800)}long.`;
    const { paragraphs } = await chunksOf(`${sentence} Puis rien.`);
    expect(paragraphs.flatMap(([, ...said]) => said)).toEqual([sentence, "Puis rien."]);
  });

  it("have the hash of what is embedded: the prefix, the title, the text", async () => {
    const { from, out, header } = await buildBlog({
      "a.md": article("Un.\n\n```sh\nls\n```\n\n- deux", "title: Titre"),
    });
    const hash = (prefix: string) =>
      createHash("sha256").update(`${prefix}Titre\n\nUn.\n\nls\n\ndeux.`).digest("hex").slice(0, 16);
    expect(textOf(out, header, "a").chunks).toEqual([[0, 3, hash("")]]);
    const prefixed = await build({ from, ...embedding(), passagePrefix: "passage: " });
    expect(textOf(prefixed.out, prefixed.header, "a").chunks[0][2]).toBe(hash("passage: "));
    expect(passagesAsked()).toEqual(["passage: Titre\n\nUn.\n\nls\n\ndeux."]);
  });
});

// ── The words ────────────────────────────────────────────────────────────────

describe("the words", () => {
  it("are sorted by their bytes, unique, and find their chunks in order", async () => {
    const { out, header } = await build({ from: `${ROOT}shared-docs` });
    const words = readWords(out, header);
    expect(words.chunks).toBe(header.languages.fr.chunks);
    expect(words.raw).toEqual(words.raw.toSorted(Buffer.compare));
    expect(new Set(words.forms).size).toBe(words.forms.length);
    for (const posting of words.postings) {
      const chunks = posting.map(([chunk]) => chunk);
      expect(chunks).toEqual([...new Set(chunks)].toSorted((one, other) => one - other));
      expect(posting.length).toBeGreaterThan(0);
    }
    const sum = words.lengths.reduce((total, length) => total + length, 0);
    expect(words.average).toBe(Math.round((100 * sum) / words.chunks));
  });

  it("count once in the text, twice in the title, one and a half in the description and the tags, up to 255", async () => {
    const front = "title: Onduleur\ndescription: Batterie\ntags: [courant]";
    const { out, header } = await buildBlog({ "a.md": article(`Onduleur, batterie, ${"panne ".repeat(200)}.`, front) });
    const { find, lengths } = readWords(out, header);
    expect(find("onduleur")).toEqual([[0, 2 * (1 + 2)]]);
    expect(find("batterie")).toEqual([[0, 2 * (1 + 1.5)]]);
    expect(find("courant")).toEqual([[0, 3]]);
    expect(find("panne")).toEqual([[0, 255]]);
    expect(lengths).toEqual([Math.round(3 + 2.5 + 1.5 + 200)]);
  });

  it("of the title count in each chunk of the article", async () => {
    const { out, header } = await buildBlog({ "a.md": article(`${prose(1100)}\n\n${prose(1100)}`, "title: Zigbee") });
    expect(readWords(out, header).find("zigbee")).toEqual([
      [0, 4],
      [1, 4],
    ]);
  });

  it("are found without their accents, with either apostrophe, and œ as oe", async () => {
    const { out, header } = await buildBlog({
      "a.md": article("Le réveil de l'œuf."),
      "b.md": article("RÉVEIL de l’oeuf."),
    });
    const { find } = readWords(out, header);
    for (const word of ["reveil", "oeuf"])
      expect(find(word)).toEqual([
        [0, 2],
        [1, 2],
      ]);
  });

  it("are stemmed with their accents, each form leading to its stem", async () => {
    const { out, header } = await buildBlog({
      "a.md": article("Les sauvegardes répétées. Sauvegarder, sauvegarde."),
      "b.en.md": article("Running runs."),
    });
    const french = readWords(out, header);
    expect(french.find("sauvegardes")).toEqual([[0, 6]]);
    for (const form of ["sauvegarder", "sauvegarde", "sauvegard"])
      expect(french.termOf(form)).toBe(french.termOf("sauvegardes"));
    const english = readWords(out, header, "en");
    expect(english.find("running")).toEqual([[0, 4]]);
    expect(english.termOf("runs")).toBe(english.termOf("run"));
  });

  it("that accents alone tell apart share the stem of the more frequent one", async () => {
    // Snowball takes « sauvegardées » for a participle, and « sauvegardees » for a noun.
    const often = async (word: string, other: string) => {
      const { out, header } = await buildBlog({ "a.md": article(`${`${word}. `.repeat(3)} ${other}.`) });
      const { find, forms } = readWords(out, header);
      expect(find("sauvegardees")).toEqual([[0, 8]]);
      return forms.filter((form) => form.startsWith("sauv"));
    };
    expect(await often("sauvegardées", "sauvegardees")).toEqual(["sauvegard", "sauvegardees"]);
    expect(await often("sauvegardees", "sauvegardées")).toEqual(["sauvegarde", "sauvegardees"]);
  });

  it("win over the stem of another one, of the same letters", async () => {
    const { out, header } = await buildBlog({ "a.md": article("Sauvegardees. Sauvegarde. Sauvegarde.") });
    const { find, termOf } = readWords(out, header);
    expect(find("sauvegarde")).toEqual([[0, 4]]);
    expect(find("sauvegardees")).toEqual([[0, 2]]);
    expect(termOf("sauvegarde")).toBe(termOf("sauvegard"));
  });

  it("of one language are 65,535 at most, which a blog over it is told", async () => {
    const words = Array.from({ length: 65_600 }, (_, i) => `x${i.toString(36)}q`);
    const from = makeBlog({ "a.de.md": article(words.join(" ")) });
    expect(await failureOf({ from })).toMatch(/: 656\d\d stems in de, 65535 at most$/);
  });

  it("leave out the small words of French and English, and in another language nothing, unstemmed", async () => {
    const { out, header } = await buildBlog({
      "a.fr.md": article("Le chat et la table."),
      "b.en.md": article("The cat and the table."),
      "c.de.md": article("Der Hund und die Katzen, le chat."),
    });
    expect(readWords(out, header).find("le")).toBeNull();
    expect(readWords(out, header, "en").find("the")).toBeNull();
    const german = readWords(out, header, "de");
    for (const word of ["der", "und", "le", "katzen"]) expect(german.find(word)).not.toBeNull();
    expect(german.find("katz")).toBeNull();
  });
});

// ── A published file ─────────────────────────────────────────────────────────

const vector64 = (seed: number, dim = DIM) =>
  Buffer.from(Int8Array.from({ length: dim }, (_, j) => ((seed * 31 + j * 17) % 57) - 28)).toString("base64");

type Chunk = Record<string, unknown>;
const published = (chunks: Chunk[], more: Json = {}) =>
  JSON.stringify({ model: "bge-m3", dim: DIM, generated: "2026-10-04T12:00:00.000Z", chunks, ...more });
const chunk = (i: number, text: string, more: Chunk = {}): Chunk => ({
  h: i.toString(16).padStart(16, "0"),
  slug: "a",
  lang: "fr",
  title: "Titre",
  url: "/blog/a/",
  date: "2026-03-12",
  i,
  text,
  v: vector64(i + 1),
  ...more,
});

function makePublished(content: string, name = "bob-vectors.json"): string {
  return join(makeBlog({ [name]: content }), name);
}
const buildPublished = (chunks: Chunk[], options: Request = {}) =>
  build({ from: makePublished(published(chunks)), ...options });

describe("a published file", () => {
  it("becomes articles, each chunk with its own vector, model and thresholds its own", async () => {
    const { out, header } = await buildPublished([
      chunk(1, "Deux."),
      chunk(0, "Un."),
      chunk(0, "One.", { lang: "en" }),
    ]);
    expect(header).toMatchObject({
      model: "bge-m3",
      dim: DIM,
      generated: "2026-10-04T12:00:00.000Z",
      name: "le blogue",
    });
    expect(header).toMatchObject({ floor: 0.45, sure: 0.52, gap: 0.06 });
    expect(header.articles.map(({ lang, slug, chunks }) => [lang, slug, chunks])).toEqual([
      ["en", "a", 1],
      ["fr", "a", 2],
    ]);
    expect(textOf(out, header, "a", "fr")).toEqual({
      paragraphs: [
        ["text", "Un."],
        ["text", "Deux."],
      ],
      chunks: [
        [0, 1, "0000000000000000"],
        [1, 2, "0000000000000001"],
      ],
    });
    const { vectors } = readVectors(out, header);
    expect(vectors).toEqual([1, 2].map((seed) => [...new Int8Array(Buffer.from(vector64(seed), "base64"))]));
  });

  it("stores a carried-over paragraph once, covered by both chunks", async () => {
    const { out, header } = await buildPublished([chunk(0, "Un.\n\nLe joint."), chunk(1, "Le joint.\n\nDeux.")]);
    const { paragraphs, chunks } = textOf(out, header, "a");
    expect(paragraphs.map(([, said]) => said)).toEqual(["Un.", "Le joint.", "Deux."]);
    expect(chunks.map(([from, to]) => [from, to])).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  it("gets its fences back whole, when half of one was carried over", async () => {
    const { out, header } = await buildPublished([
      chunk(0, "Un.\n\n```bash\nls\n\ncd /\n```"),
      chunk(1, "cd /\n```\n\nDeux."),
      chunk(2, "Trois.\n\n```bash\npwd"),
      chunk(3, "exit\n```\n\nQuatre."),
    ]);
    const { paragraphs, chunks } = textOf(out, header, "a");
    expect(paragraphs).toEqual([
      ["text", "Un."],
      ["code"],
      ["text", "Deux."],
      ["text", "Trois."],
      ["code"],
      ["text", "Quatre."],
    ]);
    expect(chunks.map(([from, to]) => [from, to])).toEqual([
      [0, 2],
      [1, 3],
      [3, 5],
      [4, 6],
    ]);
    expect(readWords(out, header).find("pwd")).toEqual([
      [2, 2],
      [3, 2],
    ]);
  });

  it("isn't swallowed by a fence that nothing closes, or opens", async () => {
    const opened = await buildPublished([chunk(0, "Un.\n\n```bash\nls"), chunk(1, "Deux.\n\nTrois.")]);
    expect(textOf(opened.out, opened.header, "a").paragraphs).toEqual([
      ["text", "Un."],
      ["code"],
      ["text", "Deux."],
      ["text", "Trois."],
    ]);
    const closed = await buildPublished([chunk(0, "Un."), chunk(1, "ls\n```\n\nDeux."), chunk(2, "Trois.")]);
    expect(textOf(closed.out, closed.header, "a").paragraphs).toEqual([
      ["text", "Un."],
      ["code"],
      ["text", "Deux."],
      ["text", "Trois."],
    ]);
  });

  it.each([
    ["inside a word", 0],
    ["after a space", 1],
  ])("joins a sentence that was cut %s at 2,600 characters", async (_, shift) => {
    const text = prose(5000, "test");
    let cut = 2600;
    while (/\s/.test(text[cut - 1]) !== (shift === 1) || /[\s.]/.test(text[cut])) cut++;
    const whole = `${"x".repeat(0)}${text}`;
    const { out, header } = await buildPublished([chunk(0, whole.slice(0, cut)), chunk(1, whole.slice(cut))]);
    const { paragraphs, chunks } = textOf(out, header, "a");
    expect(paragraphs.flatMap(([, ...said]) => said).join(" ")).toBe(text);
    expect(chunks.map(([from, to]) => [from, to])).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it("keeps the newest of two crawls of one article, and all of another's", async () => {
    const { out, header } = await buildPublished([
      chunk(0, "Vieux.", { date: "2026-01-01", title: "Vieux titre" }),
      chunk(1, "Vieille suite.", { date: "2026-01-01" }),
      chunk(0, "Neuf.", { date: "2026-03-12" }),
      chunk(0, "Autre.", { slug: "b", date: "2025-01-01" }),
    ]);
    expect(header.articles).toMatchObject([
      { slug: "a", title: "Titre", date: "2026-03-12", chunks: 1 },
      { slug: "b", chunks: 1 },
    ]);
    expect(textOf(out, header, "a").paragraphs).toEqual([["text", "Neuf."]]);
  });

  it("loses signatures, chunks without a word, imports and components, and the backslashes of titles", async () => {
    const { out, header } = await buildPublished([
      chunk(
        0,
        'import AsciiCast from "../x.astro";\n\n<AsciiCast\n  src={`a > b`}\n/>\n\nUn <Note type="x">mot</Note>.',
        {
          title: 'Le \\"vrai\\" titre',
        },
      ),
      chunk(1, "— Bob"),
      chunk(2, "![image](x.png)\n\n<Diagramme />"),
      chunk(3, "<ConversationExcerpt>\n\nDeux.\n\n</ConversationExcerpt>"),
    ]);
    expect(header.articles).toMatchObject([{ title: 'Le "vrai" titre', chunks: 2 }]);
    expect(textOf(out, header, "a").paragraphs).toEqual([
      ["text", "Un mot."],
      ["text", "Deux."],
    ]);
  });

  it("keeps a chunk whose vector can't be read by its words, and answers for the others", async () => {
    const broken = ["%%%%", undefined, "", 5, Buffer.alloc(DIM).toString("base64")];
    const chunks = broken.map((v, i) => chunk(i, `Mot${i}.`, { v }));
    const { out, header, warned } = await buildPublished([...chunks, chunk(9, "Bon.")]);
    const { scales, vectors } = readVectors(out, header);
    expect(scales.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(scales[5]).toBeGreaterThan(0);
    expect(vectors[0].every((component) => component === 0)).toBe(true);
    expect(readWords(out, header).find("mot0")).toEqual([[0, 2]]);
    expect(warned).toHaveLength(5);
    expect(warned[0]).toMatch(/bob-vectors\.json: a \(fr\), chunk 0: its vector can't be read/);
  });

  it("leaves out a chunk without slug, language or text, with a warning", async () => {
    const { header, warned } = await buildPublished([
      chunk(0, "Un."),
      chunk(1, "x", { slug: undefined }),
      null as never,
      chunk(2, "x", { lang: 5 }),
    ]);
    expect(header.articles).toMatchObject([{ chunks: 1 }]);
    expect(warned).toHaveLength(3);
  });

  it("resolves relative addresses against where it was fetched from, and has none from a file", async () => {
    const chunks = [
      chunk(0, "Un."),
      chunk(0, "B.", { slug: "b", url: "https://autre.example/b" }),
      chunk(0, "C.", { slug: "c", url: "mailto:x@y.example" }),
    ];
    const urls = (header: Header) => Object.fromEntries(header.articles.map(({ slug, url }) => [slug, url]));
    expect(urls((await buildPublished(chunks)).header)).toEqual({ a: null, b: "https://autre.example/b", c: null });
    fault = { text: published(chunks) };
    const { header } = await build({ from: `${home}/data/bob-vectors.json` });
    expect(urls(header)).toEqual({ a: `${home}/blog/a/`, b: "https://autre.example/b", c: null });
    expect(header).toMatchObject({ name: new URL(home).host, source: `${home}/data/bob-vectors.json` });
  });

  it("resolves relative addresses against --url", async () => {
    const { header } = await buildPublished([chunk(0, "Un.")], { url: "https://labo.example/fr" });
    expect(header.articles[0].url).toBe("https://labo.example/blog/a/");
  });

  it("is named after its file when that is a host", async () => {
    expect((await build({ from: makePublished(published([chunk(0, "Un.")]), "labo.example.json") })).header.name).toBe(
      "labo.example",
    );
  });

  it("takes --query-prefix, and --model when it is the file's", async () => {
    const { header } = await buildPublished([chunk(0, "Un.")], { queryPrefix: "query: ", model: "BAAI/bge-m3:latest" });
    expect(header).toMatchObject({ queryPrefix: "query: ", passagePrefix: "", model: "bge-m3" });
    const from = makePublished(published([chunk(0, "Un.")]));
    expect(await failureOf({ from, model: "e5" })).toBe(`${from}: its vectors are of bge-m3, not e5`);
  });

  it("of another model has no thresholds", async () => {
    const { header } = await build({ from: makePublished(published([chunk(0, "Un.")], { model: "e5-small" })) });
    expect(header).toMatchObject({ model: "e5-small", floor: null, sure: null, gap: null });
  });

  it.each([
    [
      "a vector of the wrong length",
      published([chunk(0, "Un."), chunk(1, "Deux.", { v: vector64(1, DIM - 1) })]),
      /a \(fr\), chunk 1: its vector has 63 values instead of 64/,
    ],
    ["a dimension of zero", published([], { dim: 0 }), /"dim"/],
    ["a dimension in letters", published([], { dim: "64" }), /"dim"/],
    ["a dimension that isn't whole", published([], { dim: 1.5 }), /"dim"/],
    ["no model", published([], { model: undefined }), /"model"/],
    ["no chunks", JSON.stringify({ model: "bge-m3", dim: 4 }), /no "chunks" array/],
    ["chunks that aren't an array", published({} as never), /no "chunks" array/],
    ["a list", "[]", /no "chunks" array/],
    ["no chunk that says anything", published([chunk(0, "— Bob")]), /no article/],
    ["quotes inside quotes, by thousands", published([chunk(0, `${">".repeat(20_000)} T.`)]), /nested too deep/],
    ["something that isn't JSON", "<html></html>", /not JSON/],
  ])("with %s is refused, by its name", async (_, content, message) => {
    const from = makePublished(content);
    const said = await failureOf({ from });
    expect(said).toMatch(message);
    expect(said.startsWith(`${from}: `)).toBe(true);
  });

  it("that an address doesn't give is refused with its status, without its body", async () => {
    fault = { status: 404, text: "<html>secret</html>" };
    expect(await failureOf({ from: `${home}/x.json` })).toBe(`${home}/x.json: it answered 404`);
    fault = { text: "<html>secret</html>" };
    expect(await failureOf({ from: `${home}/x.json` })).toBe(`${home}/x.json: not JSON`);
  });
});

// ── Vectors ──────────────────────────────────────────────────────────────────

describe("--embed", () => {
  it.each(["/ollama", "/openai", "/tei", "/workers-ai"])(
    "gets from %s vectors whose cosines are right within 1 %",
    async (path) => {
      const { from, out, header } = await buildBlog(TWO, embedding(path));
      expect(header).toMatchObject({ model: "bge-m3", dim: DIM });
      const { scales, vectors, mean, bit, chunks } = readVectors(out, header);
      expect(chunks).toBe(1);
      const unit = (vector: number[]) => vector.map((component) => component / Math.hypot(...vector));
      const query = unit(vectorOf("la pile des onduleurs"));
      const passage = passagesAsked().find((text) => text.includes("onduleurs")) as string;
      const exact = unit(vectorOf(passage)).reduce((sum, component, j) => sum + component * query[j], 0);
      const stored = scales[0] * vectors[0].reduce((sum, component, j) => sum + component * query[j], 0);
      expect(Math.abs(stored - exact)).toBeLessThan(0.01);
      expect(exact).toBeGreaterThan(0.3);
      expect(Math.max(...vectors[0].map(Math.abs))).toBe(127);
      expect(scales[0]).toBeCloseTo(1 / Math.hypot(...vectors[0]), 6);
      for (let j = 0; j < DIM; j++) expect(bit(0, j)).toBe(vectors[0][j] * scales[0] > mean[j] ? 1 : 0);
      expect(from).toBeTruthy();
    },
  );

  it("says to each protocol what it needs, in batches of 16", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [`a${i}.md`, article(`Texte ${i}.`, `title: T${i}`)]),
    );
    const from = makeBlog(files);
    const bodies: Record<string, Json> = {
      "/ollama": { model: "bge-m3", input: expect.any(Array), truncate: true },
      "/openai": { model: "bge-m3", input: expect.any(Array), encoding_format: "float" },
      "/tei": { inputs: expect.any(Array), normalize: true, truncate: true },
      "/workers-ai": { text: expect.any(Array), truncate_inputs: true },
    };
    for (const [path, body] of Object.entries(bodies)) {
      asked = [];
      await build({ from, ...embedding(path) });
      for (const one of asked) expect(one.body).toEqual(body);
      const sizes = asked.map((one) => (Object.values(one.body).find(Array.isArray) as unknown[]).length);
      expect(sizes.slice(0, 2)).toEqual([16, 4]);
      expect(Math.max(...sizes)).toBe(16);
    }
  });

  it("speaks openai by default, sends the token, reads base64 and an answer inside « result »", async () => {
    const from = makeBlog(TWO);
    const plain = await build({ from, ...embedding() });
    fault = {
      change: ({ data, ...rest }: { data: { embedding: number[]; index: number }[] }) => ({
        ...rest,
        data: data.map(({ index, embedding: values }) => ({
          index,
          embedding: Buffer.from(Float32Array.from(values).buffer).toString("base64"),
        })),
      }),
    };
    const coded = await build({ from, embed: `${home}/openai`, model: "bge-m3", token: "abc" });
    expect(asked.at(-1)).toMatchObject({ path: "/openai", token: "Bearer abc" });
    expect(coded.header.languages).toEqual(plain.header.languages);
    fault = { change: (answer) => ({ success: true, errors: [], result: answer }) };
    const wrapped = await build({ from, ...embedding("/workers-ai") });
    expect(wrapped.header.languages).toEqual(plain.header.languages);
  });

  it("puts the prefixes before passages and questions, and keeps them for the door", async () => {
    const { header } = await buildBlog(TWO, { ...embedding(), queryPrefix: "query: ", passagePrefix: "passage: " });
    expect(header).toMatchObject({ queryPrefix: "query: ", passagePrefix: "passage: " });
    const passages = passagesAsked();
    expect(passages).toHaveLength(2);
    for (const text of textsAsked())
      expect(text.startsWith(passages.includes(text) ? "passage: " : "query: ")).toBe(true);
    expect(textsAsked()).toEqual(expect.arrayContaining(["query: Le courant qui manque", "query: The bees"]));
  });

  it("doesn't embed again a chunk that hasn't changed", async () => {
    const { from, out, said, header } = await buildBlog(TWO, embedding());
    expect(said).toContainEqual(expect.stringMatching(/^bge-m3: 2 chunk\(s\) embedded, 0 reused/));
    asked = [];
    const again = await build({ from, out, ...embedding() });
    expect(passagesAsked()).toEqual([]);
    expect(again.said).toContainEqual(expect.stringMatching(/0 chunk\(s\) embedded, 2 reused/));
    expect({ ...again.header, generated: "" }).toEqual({ ...header, generated: "" });

    writeFileSync(join(from, "en/bees.md"), article("The bees woke up.", "title: The bees\ndate: 2026-01-02"));
    asked = [];
    const changed = await build({ from, out, ...embedding("/ollama"), model: "BAAI/bge-m3:latest" });
    expect(passagesAsked()).toEqual(["The bees\n\nThe bees woke up."]);
    expect(changed.said).toContainEqual(expect.stringMatching(/1 chunk\(s\) embedded, 1 reused/));
    expect(readVectors(out, changed.header).vectors).toEqual(readVectors(out, again.header).vectors);

    asked = [];
    await build({ from, out, ...embedding(), passagePrefix: "passage: " });
    expect(passagesAsked()).toHaveLength(2);
  });

  it("refuses to mix two models, and lets words alone replace vectors", async () => {
    const { from, out } = await buildBlog(TWO, embedding());
    const said = await failureOf({ from, out, ...embedding(), model: "e5-small" });
    expect(said).toBe(
      `${join(out, "index.json")} holds vectors of bge-m3, not e5-small: choose another --out, or delete it to embed everything again`,
    );
    const words = await build({ from, out });
    expect(words.header).toMatchObject({ model: null, dim: 0, floor: null });
    expect(readdirSync(out).some((name) => name.endsWith(".vectors"))).toBe(false);
    await build({ from, out, ...embedding(), model: "e5-small" });
  });

  it.each([
    ["not JSON", (out: string) => writeFileSync(join(out, "index.json"), "{")],
    ["of an older format", (out: string) => writeFileSync(join(out, "index.json"), '{"format":0}')],
    [
      "without its files",
      (out: string) => rmSync(join(out, readdirSync(out).find((name) => name.endsWith(".vectors")) as string)),
    ],
    [
      "damaged",
      (out: string) => {
        const file = join(out, readdirSync(out).find((name) => name.endsWith(".vectors")) as string);
        const bytes = readFileSync(file);
        bytes[bytes.length - 1] ^= 1;
        writeFileSync(file, bytes);
      },
    ],
  ])("ignores an index that is %s, with a warning", async (_, spoil) => {
    const { from, out } = await buildBlog({ "a.md": article("Un.") }, embedding());
    spoil(out);
    const { warned, said } = await build({ from, out, ...embedding() });
    expect(warned).toEqual([expect.stringMatching(/index\.json: .*ignored/)]);
    expect(said).toContainEqual(expect.stringMatching(/1 chunk\(s\) embedded, 0 reused/));
  });

  it.each(["bge-m3", "BAAI/bge-m3", "bge-m3:latest", "bge-m3-q4", "/models/bge-m3-Q8_0.gguf", "BGE-M3-f16"])(
    "takes a server that calls bge-m3 %s",
    async (model) => {
      fault = { change: (answer: Json) => ({ ...answer, model }) };
      expect((await buildBlog(TWO, embedding())).header.model).toBe("bge-m3");
    },
  );

  it.each([
    [
      "another model",
      "/openai",
      { change: (answer: Json) => ({ ...answer, model: "nomic-embed-text" }) },
      /its model is nomic-embed-text, not bge-m3/,
    ],
    [
      "a model that only begins the same",
      "/ollama",
      { change: (answer: Json) => ({ ...answer, model: "bge-m3-large" }) },
      /its model is bge-m3-large/,
    ],
    [
      "another pooling",
      "/workers-ai",
      { change: (answer: Json) => ({ ...answer, pooling: "mean" }) },
      /its pooling is mean/,
    ],
    [
      "a failure that says 200",
      "/workers-ai",
      { change: () => ({ success: false, result: null, errors: [] }) },
      /200 without vectors/,
    ],
    [
      "a vector that is shorter",
      "/tei",
      { change: ([first, ...rest]: number[][]) => [first, ...rest.map((one) => one.slice(1))] },
      /a vector of 63 values instead of 64/,
    ],
    [
      "a number that isn't finite",
      "/tei",
      { text: `[[${"1,".repeat(63)}NaN],[${"1,".repeat(63)}1]]` },
      /isn't a finite number/,
    ],
    [
      "an infinite number",
      "/tei",
      { text: `[[${"1,".repeat(63)}1e999],[${"1,".repeat(63)}1]]` },
      /isn't a finite number/,
    ],
    [
      "a null",
      "/ollama",
      {
        change: ({ embeddings: [first] }: { embeddings: number[][] }) => ({
          embeddings: [first, [...first.slice(1), null]],
        }),
      },
      /isn't a finite number/,
    ],
    [
      "a vector of zeros",
      "/tei",
      { change: (vectors: number[][]) => vectors.map(() => Array(DIM).fill(0)) },
      /without a length/,
    ],
    ["a vector less", "/tei", { change: (vectors: number[][]) => vectors.slice(1) }, /1 vectors for 2 texts/],
    ["no vectors", "/ollama", { change: () => ({ error: "secret" }) }, /200 without vectors/],
    ["a page", "/openai", { text: "<html>secret</html>" }, /something that isn't JSON/],
    ["a refusal", "/openai", { status: 401, text: "secret" }, /answered 401/],
    ["a redirection", "/openai", { status: 302, text: "secret" }, /answered 302/],
    ["an error of its own", "/ollama", { status: 500, text: "secret" }, /answered 500/],
    [
      "one vector for all",
      "/tei",
      { change: (vectors: number[][]) => vectors.map(() => vectorOf("rien")) },
      /: the same vector for .*bees\.md \(chunk 0\) and for .*onduleurs\.md \(chunk 0\)$/,
    ],
    [
      "a wait that is too long",
      "/openai",
      { status: 429, headers: { "retry-after": "31" } },
      /answered 429 and asks to wait 31 seconds/,
    ],
    ["an article that is too large", "/openai", { status: 413 }, /answered 413, for .*bees\.md \(chunk 0\)$/],
  ] as [string, string, Fault, RegExp][])(
    "refuses %s, naming address and article, and writes nothing",
    async (_, path, what, message) => {
      const from = makeBlog(TWO);
      fault = what;
      const said = await failureOf({ from, ...embedding(path) });
      expect(said).toMatch(message);
      expect(said.startsWith(`${home}${path}: `)).toBe(true);
      expect(said).toMatch(/bees\.md|onduleurs\.md/);
      expect(said).not.toContain("secret");
    },
  );

  it("asks once more after a failure of the server or the network, not after a refusal", async () => {
    fault = { status: 503, times: 1 };
    await buildBlog(TWO, embedding());
    fault = { status: 429 };
    asked = [];
    await failureOf({ from: makeBlog(TWO), ...embedding() });
    expect(asked).toHaveLength(1);
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const said = await failureOf({ from: makeBlog(TWO), embed: `http://127.0.0.1:${port}/v1`, model: "x" });
    expect(said).toMatch(/can't be reached \(ECONNREFUSED\)/);
  });

  it.each([
    [429, "0"],
    [503, "0"],
    [429, new Date(0).toUTCString()],
  ])("waits as %i says with « Retry-After: %s », twice, then gives up", async (status, after) => {
    fault = { status, headers: { "retry-after": after }, times: 2 };
    await buildBlog(TWO, embedding());
    fault = { status, headers: { "retry-after": after } };
    asked = [];
    expect(await failureOf({ from: makeBlog(TWO), ...embedding() })).toMatch(`answered ${status}, for`);
    expect(asked).toHaveLength(3);
  });

  const MANY = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`a${i}.md`, article(`Texte ${i}.`, `title: T${i}`)]),
  );

  it("sends fewer texts at a time to a server that finds them too many", async () => {
    fault = { status: 413, most: 5 };
    const { header, said } = await buildBlog(MANY, embedding());
    expect(header.languages.fr.chunks).toBe(40);
    expect(said).toContainEqual(expect.stringMatching(/40 chunk\(s\) embedded/));
    const sizes = asked.map(({ body }) => (body.input as string[]).length);
    expect(sizes.slice(0, 4)).toEqual([16, 8, 4, 4]);
  });

  it("keeps what was embedded before a failure, for the next build", async () => {
    const out = join(makeFolder(), "assets");
    const from = makeBlog(MANY);
    fault = { status: 401, spared: 2 };
    const error = await build({ from, out, ...embedding() }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BuildError);
    expect(error.message).toMatch(/answered 401, .*; 32 chunk\(s\) already embedded are kept for the next build$/);
    expect(readdirSync(dirname(out))).toEqual([".assets-embedded.json"]);

    [fault, asked] = [{}, []];
    const { said, header } = await build({ from, out, ...embedding() });
    expect(passagesAsked()).toHaveLength(8);
    expect(said).toContainEqual(expect.stringMatching(/8 chunk\(s\) embedded, 32 reused/));
    expect(readdirSync(dirname(out))).toEqual(["assets"]);
    const whole = await build({ from, ...embedding() });
    expect(header.languages).toEqual(whole.header.languages);
  });

  it("keeps what was embedded before a Ctrl-C too, and ends by it", async () => {
    const out = join(makeFolder(), "assets");
    const from = makeBlog(MANY);
    fault = { status: 503, headers: { "retry-after": "30" }, spared: 2 };
    const args = ["--from", from, "--out", out, "--embed", `${home}/openai`, "--model", "bge-m3"];
    const child = spawn(process.execPath, [`${ROOT}scripts/index.mjs`, ...args], { cwd: ROOT });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      complaint += text;
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await vi.waitFor(() => expect(asked).toHaveLength(3), 30_000);
    child.kill("SIGINT");
    expect(await ended).toBe(130);
    expect(complaint).toBe("stopped; 32 chunk(s) already embedded are kept for the next build\n");
    [fault, asked] = [{}, []];
    await build({ from, out, ...embedding() });
    expect(passagesAsked()).toHaveLength(8);
  });

  it.each([
    ["of this model", "bge-m3", DIM, DIM, 1],
    ["another model's", "e5", DIM, DIM, 2],
    ["cut short", "bge-m3", DIM, DIM - 1, 2],
  ])("takes what was kept when it is whole and of its model: %s", async (_, model, dim, length, count) => {
    const { from, out, header } = await buildBlog(TWO);
    const [, , hash] = textOf(out, header, "bees").chunks[0];
    const kept = join(dirname(out), `.${basename(out)}-embedded.json`);
    writeFileSync(kept, JSON.stringify({ model, dim, vectors: { [hash]: vector64(1, length) } }));
    const { warned } = await build({ from, out, ...embedding() });
    expect(warned).toEqual(length < dim ? [`${kept}: it can't be read, ignored`] : []);
    expect(existsSync(kept)).toBe(false);
    expect(passagesAsked()).toHaveLength(count);
  });

  it("leaves the old index as it was when it fails", async () => {
    const { from, out } = await buildBlog(TWO, embedding());
    writeFileSync(join(from, "fr/neuf.md"), article("Neuf."));
    fault = { status: 400 };
    await failureOf({ from, out, ...embedding() });
  });

  it("refuses vectors whose length isn't the index's", async () => {
    const { from, out } = await buildBlog(TWO, embedding());
    writeFileSync(join(from, "fr/neuf.md"), article("Neuf."));
    fault = { change: (vectors: number[][]) => vectors.map((vector) => vector.slice(1)) };
    expect(await failureOf({ from, out, ...embedding("/tei") })).toMatch(/63 values instead of 64/);
  });

  it("sets what near means by what is off topic and by what the articles say of themselves", async () => {
    const { header } = await build({ from: `${ROOT}shared-docs`, ...embedding() });
    const { floor, sure, gap } = header as { floor: number; sure: number; gap: number };
    expect(floor).toBeGreaterThan(-1);
    expect(sure).toBeGreaterThanOrEqual(floor);
    expect(gap).toBeGreaterThanOrEqual(0.01);
    const at = (angle: number) => Float64Array.of(Math.cos(angle), Math.sin(angle));
    const stored = [{ bytes: Int8Array.of(127, 0), scale: 1 / 127 }];
    const far = [1.2, 1.3, 1.1, 1.4].map(at);
    const near = [at(0.1), at(0.2), at(0.3)];
    const found = calibrate(far, near, stored);
    expect(found.floor).toBeCloseTo((Math.cos(1.2) + Math.cos(1.3)) / 2, 3);
    expect(found.sure).toBeCloseTo(Math.cos(1.1), 3);
    expect(found.gap).toBeCloseTo(0.3 * (Math.cos(0.2) - (Math.cos(1.2) + Math.cos(1.3)) / 2), 3);
    expect(calibrate(near, far, stored).gap).toBe(0.01);
  });
});

// ── Files ────────────────────────────────────────────────────────────────────

describe("the files", () => {
  it("are named after what they hold, and only they are replaced", async () => {
    const { from, out, header } = await buildBlog(TWO, embedding());
    const named = [
      ...Object.values(header.languages).flatMap(({ words, vectors }) => [words, String(vectors)]),
      ...header.articles.map(({ text }) => text),
    ];
    expect(readdirSync(out).toSorted()).toEqual([...named, "index.json"].toSorted());
    for (const name of named) {
      const hash = createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex")
        .slice(0, 12);
      expect(name).toContain(hash);
    }
    expect(JSON.parse(readFileSync(join(out, "index.json"), "utf8"))).toEqual(header);

    const foreign = ["notes.txt", "abc.json", "fr.words", "index.json.bak", "0123456789ab.json.txt"];
    for (const name of foreign) writeFileSync(join(out, name), "à moi");
    rmSync(join(from, "en"), { recursive: true });
    const { header: next } = await build({ from, out, ...embedding() });
    const kept = [String(next.languages.fr.words), String(next.languages.fr.vectors), next.articles[0].text];
    expect(readdirSync(out).toSorted()).toEqual([...foreign, ...kept, "index.json"].toSorted());
    expect(readdirSync(dirname(out))).toEqual([basename(out)]);
  });

  it("stay as they were when one can't be written", async () => {
    const { from, out } = await buildBlog(TWO);
    writeFileSync(join(from, "fr/neuf.md"), article("Neuf."));
    rmSync(join(out, "index.json"));
    mkdirSync(join(out, "index.json", "obstacle"), { recursive: true });
    expect(await failureOf({ from, out })).toContain(`${out}: it can't be written`);
  });

  it("that were damaged are written again", async () => {
    const { from, out, header } = await buildBlog(TWO);
    const whole = snapshotOf(out);
    for (const name of [header.languages.fr.words, header.articles[0].text]) writeFileSync(join(out, name), "");
    await build({ from, out });
    expect({ ...snapshotOf(out), "index.json": "" }).toEqual({ ...whole, "index.json": "" });
  });

  it("of a build that was killed are swept an hour later, and no others", async () => {
    const { from, out } = await buildBlog(TWO);
    const [left, recent, notes] = [".assets-AbC123", ".assets-dEf456", ".assets-notes-1"];
    for (const name of [left, recent, notes]) mkdirSync(join(dirname(out), name, "x"), { recursive: true });
    const before = Date.now() / 1000 - 3700;
    for (const name of [left, notes]) utimesSync(join(dirname(out), name), before, before);
    await build({ from, out });
    expect(readdirSync(dirname(out))).toEqual([notes, recent, "assets"].toSorted());
  });

  it("are counted at the end: articles by language, size, place", async () => {
    const { out, said } = await buildBlog(TWO);
    expect(said).toEqual([
      "en: 1 article(s), 1 chunk(s)",
      "fr: 1 article(s), 1 chunk(s)",
      "no vectors: the door will search by words only",
      "no article has a link: --url gives the blog's address",
      expect.stringMatching(/^\d+ KiB in /),
    ]);
    expect(said.at(-1)).toContain(out);
  });
});

describe("--vectorize", () => {
  const read = (file: string) => {
    const text = readFileSync(file, "utf8");
    expect(text.endsWith("\n")).toBe(true);
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  it("writes a line for each vector, of length 1, with its language as namespace", async () => {
    const file = join(makeFolder(), "vectors.ndjson");
    const { out, header } = await buildBlog(TWO, { ...embedding(), vectorize: file });
    const lines = read(file);
    expect(lines.map(({ namespace, metadata }) => [namespace, metadata])).toEqual([
      ["en", { lang: "en", slug: "bees" }],
      ["fr", { lang: "fr", slug: "onduleurs" }],
    ]);
    const [, , hash] = textOf(out, header, "onduleurs").chunks[0];
    const id = createHash("sha256").update("fr/onduleurs").digest("hex").slice(0, 12);
    expect(lines[1].id).toBe(`${id}-0-${hash.slice(0, 8)}`);
    expect(Object.keys(lines[1])).toEqual(["id", "values", "namespace", "metadata"]);
    const { vectors, scales } = readVectors(out, header);
    for (const [j, value] of lines[1].values.entries()) expect(value).toBeCloseTo(vectors[0][j] * scales[0], 5);
    expect(Math.hypot(...lines[1].values)).toBeCloseTo(1, 4);

    const alone = join(makeFolder(), "alone.ndjson");
    const { code, stderr, stdout } = await run(["--vectorize", alone, "--out", out]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`2 vectors in ${alone}\n`);
    expect(readFileSync(alone, "utf8")).toBe(readFileSync(file, "utf8"));
  });

  it("leaves out the chunks without a vector", async () => {
    const file = join(makeFolder(), "vectors.ndjson");
    await buildPublished([chunk(0, "Un."), chunk(1, "Deux.", { v: "%" })], { vectorize: file });
    expect(read(file)).toHaveLength(1);
  });

  it("is the way out when a language's vectors pass 25 MiB", async () => {
    const dim = 1 << 19;
    const chunks = Array.from({ length: 51 }, (_, i) => chunk(i, `Mot${i}.`, { v: i === 0 ? vector64(1, dim) : "%" }));
    const from = makePublished(published(chunks, { dim }));
    expect(await failureOf({ from })).toMatch(/vectors in fr take .* 25 MiB at most: add --vectorize/);
    const file = join(makeFolder(), "vectors.ndjson");
    const { out, header } = await build({ from, vectorize: file });
    expect(header).toMatchObject({ model: "bge-m3", dim, languages: { fr: { chunks: 51, vectors: null } } });
    expect(readdirSync(out).some((name) => name.endsWith(".vectors"))).toBe(false);
    expect(read(file)).toMatchObject([{ namespace: "fr", metadata: { slug: "a" } }]);
  });

  it("has nothing to write from words alone", async () => {
    const file = join(makeFolder(), "vectors.ndjson");
    const { out } = await buildBlog(TWO);
    const { code, stderr } = await run(["--vectorize", file, "--out", out]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^.*index\.json: no vectors there.*\n$/);
    expect(await failureOf({ from: makeBlog(TWO), vectorize: file }, UsageError)).toContain("--vectorize");
    expect(existsSync(file)).toBe(false);
    const damaged = await buildBlog(TWO, embedding());
    rmSync(join(damaged.out, damaged.header.articles[0].text));
    const alone = await run(["--vectorize", file, "--out", damaged.out]);
    expect(alone).toMatchObject({ code: 1, stdout: "" });
    expect(alone.stderr).toMatch(/^.*index\.json: its files can't be read.*\n$/);
  });
});

// ── The command ──────────────────────────────────────────────────────────────

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(args: string[], { cwd = ROOT, node = [] as string[], env = {} } = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, encoding: "utf8", timeout: 50_000, env: { ...process.env, ...env } } as const;
    execFile(process.execPath, [...node, `${ROOT}scripts/index.mjs`, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

describe("npm run index", () => {
  it("shows its help", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const option of "from embed protocol model query-prefix passage-prefix name url vectorize out".split(" ")) {
      expect(stdout).toContain(`--${option} `);
    }
  });

  it("is an npm script that keeps its exit code and its one line", async () => {
    const ended = await new Promise<Ended>((resolve) => {
      execFile("npm", ["run", "-s", "index", "--", "--from", "nowhere"], { cwd: ROOT }, (error, stdout, stderr) => {
        resolve({ code: Number(error?.code ?? 0), stdout, stderr });
      });
    });
    expect(ended).toEqual({ code: 2, stdout: "", stderr: "--from nowhere: there is no such folder or file\n" });
  });

  it.each([
    ["an unknown option", ["--form", "x"], "--form"],
    ["a word too many", ["blog"], "blog"],
    ["a folder that isn't there", ["--from", "nowhere/at/all"], "nowhere/at/all"],
    ["an empty name", ["--name", ""], "--name"],
    ["a server that isn't an address", ["--embed", "localhost:1", "--model", "x"], "--embed localhost:1"],
    ["a password in the address", ["--embed", "http://me:secret@localhost/", "--model", "x"], "EMBED_TOKEN"],
    ["a server without a model", ["--embed", "http://localhost/"], "--model"],
    [
      "an unknown protocol",
      ["--embed", "http://localhost/", "--model", "x", "--protocol", "grpc"],
      "ollama, openai, tei, workers-ai",
    ],
    [
      "a protocol named like a prototype",
      ["--embed", "http://localhost/", "--model", "x", "--protocol", "toString"],
      "toString",
    ],
    ["a protocol without a server", ["--protocol", "tei"], "--protocol"],
    ["a model without a server", ["--model", "x"], "--model"],
    ["a prefix without a server", ["--query-prefix", "q"], "--query-prefix"],
    ["another prefix without a server", ["--passage-prefix", "p"], "--passage-prefix"],
    [
      "a server for an address that carries vectors",
      ["--from", "https://a.example/x.json", "--embed", "http://localhost/", "--model", "x"],
      "own vectors",
    ],
    ["an --out that is a file", ["--out", "package.json"], "--out package.json"],
    ["an --out inside a file", ["--out", "package.json/assets"], "is a file"],
    ["a --vectorize that is a folder", ["--vectorize", "scripts"], "--vectorize scripts"],
    ["a --vectorize of words alone", ["--vectorize", "x", "--name", "y"], "without --embed"],
    ["an empty --out", ["--vectorize", "x", "--out", ""], "--out"],
    ["a --from that no system reads", ["--from", "x".repeat(300)], "(ENAMETOOLONG)"],
    ["a --vectorize that no system reads", ["--vectorize", "x".repeat(300)], "(ENAMETOOLONG)"],
    ["a user that can't be decoded", ["--from", "http://%zz:secret@127.0.0.1/x.json"], "http://127.0.0.1/x.json"],
    ["an --out where no folder can be made", ["--out", "/proc/x"], "--out /proc/x"],
    ["a --url that isn't an address", ["--url", "a.example"], "--url a.example"],
    ["a --url of another kind", ["--url", "ftp://a.example/"], "http address"],
    ["a --url with something else in braces", ["--url", "https://a.example/{titre}"], "{slug} and {lang}"],
    ["a --vectorize in no folder", ["--vectorize", "nowhere/x"], "--vectorize nowhere/x"],
  ])("refuses %s in one line, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
    expect(stderr).not.toContain("secret");
  });

  it("refuses a server for a published file, with exit code 2", async () => {
    const { code, stderr } = await run([
      "--from",
      makePublished(published([chunk(0, "Un.")])),
      "--embed",
      home,
      "--model",
      "bge-m3",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("own vectors");
  });

  it("fails in one line, with exit code 1, when a file is bad", async () => {
    const from = makeBlog({ "a.md": article("T.", "date: 2026-02-30\ntitle: A") });
    const { code, stdout, stderr } = await run(["--from", from, "--out", join(from, "out")]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^.*a\.md: bad front matter: date.*\n$/);
    expect(readdirSync(from)).toEqual(["a.md"]);
  });

  it("sends EMBED_TOKEN, and says where it is every tenth of the way", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`a${i}.md`, article(`Texte ${i}.`, `title: T${i}`)]),
    );
    const args = [
      "--from",
      makeBlog(files),
      "--out",
      join(makeFolder(), "o"),
      "--embed",
      `${home}/openai`,
      "--model",
      "bge-m3",
    ];
    const { code, stdout, stderr } = await run(args, { env: { EMBED_TOKEN: "abc" } });
    expect(code).toBe(0);
    expect(asked.every(({ token }) => token === "Bearer abc")).toBe(true);
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(-4)).toEqual([
      "fr: 40 article(s), 40 chunk(s)",
      expect.stringMatching(/^bge-m3: 40 chunk\(s\) embedded, 0 reused/),
      "no article has a link: --url gives the blog's address",
      expect.stringMatching(/^\d+ KiB in /),
    ]);
    const steps = lines.slice(0, -4);
    for (const line of steps) expect(line).toMatch(/^embedding: \d+0 %, \d+ of 96$/);
    expect(steps.at(-1)).toBe("embedding: 100 %, 96 of 96");
    expect(new Set(steps).size).toBe(steps.length);
    expect(steps.length).toBeLessThanOrEqual(10);
  });

  it("draws a progress bar on a terminal", async () => {
    const args = [
      "--from",
      makeBlog(TWO),
      "--out",
      join(makeFolder(), "o"),
      "--embed",
      `${home}/openai`,
      "--model",
      "bge-m3",
    ];
    const terminal = "data:text/javascript,process.stderr.isTTY=true;process.stderr.columns=120;";
    const { code, stderr } = await run(args, { node: ["--import", terminal] });
    expect(code).toBe(0);
    expect(stderr).toContain("embedding [");
    expect(stderr).toContain("20 of 20");
  });

  it("does nothing by itself when it is only imported", async () => {
    const script = `await import(${JSON.stringify(`${ROOT}scripts/index.mjs`)})`;
    const ended = await new Promise((resolve) => {
      execFile(process.execPath, ["--input-type=module", "-e", script], { cwd: temporary }, (error, stdout, stderr) =>
        resolve({ error, stdout, stderr }),
      );
    });
    expect(ended).toEqual({ error: null, stdout: "", stderr: "" });
  });
});

describe("the invented blog", () => {
  const from = `${ROOT}test/fixtures/blog`;
  it.runIf(existsSync(from))("is read whole, and nothing of Markdown or MDX is left to be said", async () => {
    const { out, header, warned } = await build({ from });
    expect(warned).toEqual([]);
    expect(Object.keys(header.languages)).toEqual(["en", "fr"]);
    for (const { slug, lang, chunks } of header.articles) {
      const { paragraphs, chunks: ranges } = textOf(out, header, slug, lang);
      expect(ranges).toHaveLength(chunks);
      for (const [, ...said] of paragraphs) {
        for (const sentence of said) {
          expect(sentence, slug).not.toMatch(
            /\*\*|^#|^[-|>]|`|<\/?[A-Za-z]|\]\(|https?:|^import |[«»\u00a0\u202f]|\p{Emoji_Presentation}/u,
          );
        }
      }
    }
  });

  it.runIf(existsSync(from))(
    "says the same once it is cut by a publisher that knows nothing of fences, and put back together",
    async () => {
      const folder = await build({ from });
      const paths = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((path) => /\.mdx?$/.test(path));
      const chunks = paths.flatMap((path) => {
        const source = readFileSync(join(from, path), "utf8").replaceAll("\r\n", "\n");
        const body = source.replace(/^---\n[\s\S]*?\n---\n/, "").trim();
        const texts: string[] = [];
        let current: string[] = [];
        for (const paragraph of body.split(/\n\s*\n/)) {
          if (current.length > 0 && current.join("\n\n").length + paragraph.length > 1200) {
            texts.push(current.join("\n\n"));
            current = current.filter((one, index) => index === current.length - 1 && one.length < 400);
          }
          current.push(paragraph);
        }
        texts.push(current.join("\n\n"));
        return texts.map((text, i) =>
          chunk(i, text, { slug: basename(path).replace(/\.mdx?$/, ""), lang: dirname(path) }),
        );
      });
      const again = await buildPublished(chunks);
      expect(again.header.articles).toHaveLength(folder.header.articles.length);
      for (const { slug, lang } of folder.header.articles) {
        const [one, other] = [folder, again].map(({ out, header }) => textOf(out, header, slug, lang));
        const said = ({ paragraphs }: Text) =>
          paragraphs.flatMap(([kind, ...rest]) => (rest.length > 0 ? rest : [kind]));
        expect(said(other), slug).toEqual(said(one));
      }
    },
  );
});

describe("the documents", () => {
  it("answer how to connect Home Assistant with how it is done, not with the question", async () => {
    const { out } = await build({});
    const code = await bundleDoor("articles", "export { TOOLS };");
    const { TOOLS } = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
    const ASSETS = { fetch: async (url: string) => new Response(readFileSync(out + new URL(url).pathname)) };
    const deps = { fetch, now: Date.now, env: { ASSETS }, waitUntil() {} };
    const [{ text }] = await TOOLS.articles_chercher.run({ question: "comment brancher Home Assistant ?" }, deps);
    expect(text).toMatch(/ : « Pour brancher une porte à Home Assistant, va dans ses paramètres/);
    expect(text).not.toContain("arguments");
  });
});

describe("ensureIndex, before a start", () => {
  const SCRIPT = `const { ensureIndex } = await import(${JSON.stringify(`${ROOT}scripts/index.mjs`)});console.log(await ensureIndex());`;
  /** A small house of its own, with documents to change. */
  function makeHouse(): string {
    const house = makeBlog({ "shared-docs/a.md": article("Un.") });
    mkdirSync(join(house, "workers/articles"), { recursive: true });
    cpSync(`${ROOT}workers/articles/index.ts`, join(house, "workers/articles/index.ts"));
    symlinkSync(`${ROOT}node_modules`, join(house, "node_modules"));
    return house;
  }
  const ensure = (cwd: string) =>
    new Promise<string>((resolve, reject) => {
      execFile(process.execPath, ["--input-type=module", "-e", SCRIPT], { cwd, encoding: "utf8" }, (error, stdout) =>
        error === null ? resolve(stdout.trim()) : reject(error),
      );
    });
  const read = (house: string): Header =>
    JSON.parse(readFileSync(join(house, "workers/articles/assets/index.json"), "utf8"));

  it("builds the documents when there is no index, and again only when they changed", async () => {
    const house = makeHouse();
    expect(await ensure(house)).toBe("true");
    const first = read(house);
    expect(first).toMatchObject({ source: "shared-docs", name: "la documentation des portes", model: null });
    expect(await ensure(house)).toBe("false");
    expect(read(house)).toEqual(first);
    writeFileSync(join(house, "shared-docs/b.md"), article("Deux.", "title: Deux"));
    expect(await ensure(house)).toBe("true");
    expect(read(house).articles).toHaveLength(2);
    const words = join(house, "workers/articles/assets", read(house).languages.fr.words);
    for (const spoil of [() => rmSync(words), () => writeFileSync(words, "WDR1")]) {
      spoil();
      expect(await ensure(house)).toBe("true");
      expect(statSync(words).size).toBeGreaterThan(4);
    }
  });

  it.each([
    ["another blog's", { source: "ailleurs" }],
    ["made with vectors", { model: "bge-m3" }],
    ["not one it can read", { format: 0 }],
  ])("leaves alone an index that is %s", async (_, change) => {
    const house = makeHouse();
    await ensure(house);
    const file = join(house, "workers/articles/assets/index.json");
    writeFileSync(file, JSON.stringify({ ...read(house), ...change }));
    writeFileSync(join(house, "shared-docs/b.md"), article("Deux.", "title: Deux"));
    const before = readFileSync(file, "utf8");
    expect(await ensure(house)).toBe("false");
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});
