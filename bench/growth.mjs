// What an answer costs as a door grows: in its tools, in what it holds in memory, in the blog that it searches.
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bundleCore, bundleDoor } from "../scripts/bundle.mjs";
import { growBlog, randomOf } from "../scripts/grown-blog.mjs";
import { startIsolates } from "../scripts/isolates.mjs";
import { makeTable } from "./figures.mjs";

/**
 * `of`: what grows; `cost`: microseconds of an answer inside workerd; `held`: in
 * memory, of as many that were read.
 * @typedef {{ of: string, size: number, cost: number, held?: number }} Point
 */

const TOOL_COUNTS = [1, 10, 100, 1_000];
/** The memory of a source holds 500 addresses and drops the oldest: more are asked for than it may hold. */
const ADDRESSES = [1, 50, 500, 5_000];
/** Copies of the made-up blog: from some 150 passages to some 4,000. */
const COPIES = [1, 7, 28];
/** Those in the made-up blog's own words: what a search costs depends on the question as much as on the blog. */
const QUESTIONS = readFileSync("test/fixtures/blog-questions.tsv", "utf8")
  .split("\n")
  .map((line) => line.split("\t"))
  .flatMap(([question, lang, , kind]) => (lang === "fr" && kind === "literal" ? question : []));

/**
 * Microseconds of one call, out of many: the clock of workerd ticks once a millisecond. Of the batches, the least
 * disturbed one.
 */
const TIMED = `
console.log = () => {};
async function timed(work, count) {
  for (let round = 0; round < count; round++) await work();
  let least = Infinity;
  for (let batch = 0; batch < 7; batch++) {
    const start = performance.now();
    for (let round = 0; round < count; round++) await work();
    least = Math.min(least, (1000 * (performance.now() - start)) / count);
  }
  return least;
}
`;

/** @param {number} count */
const manyTools = (count) => `
const SERVER: Server = { name: "echo", title: "Écho", version: "1.0.0", instructions: "Une porte pour le banc d'essai." };
const one: Tool = {
  title: "Écho",
  description: "Redit un texte. Pour « répète ».",
  inputSchema: { type: "object", properties: { texte: { type: "string" } }, required: ["texte"], additionalProperties: false },
  run: async ({ texte }) => \`Tu dis : \${texte}\`,
};
const TOOLS: Tools = Object.fromEntries(Array.from({ length: ${count} }, (_, index) => [\`echo_\${index}\`, one]));
`;

const ASKED = `${TIMED}
const headers = { "content-type": "application/json" };
const ctx = { waitUntil() {}, passThroughOnException() {}, props: {} };
const ask = async (method, params) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const answer = await serve(new Request("http://localhost/mcp", { method: "POST", headers, body }), {}, ctx);
  const text = await answer.text();
  if (!text.includes('"result"')) throw new Error(text);
};
export default {
  async fetch() {
    const name = Object.keys(TOOLS).at(-1);
    return Response.json({
      "tools (tools/list)": await timed(() => ask("tools/list", {}), 300),
      "tools (tools/call)": await timed(() => ask("tools/call", { name, arguments: { texte: "bonjour" } }), 300),
    });
  },
};`;

/** An address that is held is read again, after so many others were. */
const REMEMBERED = `${TIMED}
export default {
  async fetch(request) {
    const { size } = await request.json();
    const fetch = async () => Response.json({ games: [] });
    const deps = { fetch, now: Date.now, env: {}, waitUntil() {} };
    const ask = (index) => read(\`http://source.test/\${index}\`, deps, () => 1e9, 1000, (body) => body);
    for (let index = 0; index < size; index++) await ask(index);
    const held = CACHE.size;
    let turn = 0;
    const cost = await timed(() => ask(size - 1 - (turn++ % held)), 30000);
    return Response.json({ held, cost });
  },
};`;

const SEARCHED = `${TIMED}
const files = new Map();
export default {
  async fetch(request) {
    const name = request.headers.get("x-file");
    if (name !== null) return files.set(name, await request.arrayBuffer()), Response.json(files.size);
    const { questions } = await request.json();
    const open = (url) => ({ status: 200, headers: new Headers(), arrayBuffer: async () => files.get(new URL(url).pathname.slice(1)) });
    const deps = { fetch, now: Date.now, env: { ASSETS: { fetch: async (url) => open(url) } }, waitUntil() {} };
    let turn = 0;
    const search = () => TOOLS.articles_chercher.run({ question: questions[turn++ % questions.length] }, deps);
    const texts = [];
    for (const _ of questions) texts.push((await search())[0].text);
    return Response.json({ texts, cost: await timed(search, 2 * questions.length) });
  },
};`;

/**
 * @param {string} folder for what is built
 * @returns {Promise<Point[]>}
 */
export async function measureGrowth(folder) {
  /** @type {Point[]} */
  const points = [];
  for (const size of TOOL_COUNTS) {
    const costs = await ask(await bundleCore(manyTools(size), ASKED), [{ body: "{}" }]);
    for (const [of, cost] of Object.entries(costs)) points.push({ of, size, cost });
  }
  const door = await bundleDoor("hockey", REMEMBERED);
  for (const size of ADDRESSES) {
    const { held, cost } = await ask(door, [{ body: JSON.stringify({ size }) }]);
    points.push({ of: "addresses read", size, cost, held });
  }
  const articles = await bundleDoor("articles", SEARCHED);
  for (const copies of COPIES) {
    const out = mkdtempSync(join(folder, "grown-"));
    const { languages } = await growBlog(out, copies, randomOf(copies));
    const files = readdirSync(out).map((file) => ({
      headers: { "x-file": file },
      body: readFileSync(join(out, file)),
    }));
    const { texts, cost } = await ask(articles, [...files, { body: JSON.stringify({ questions: QUESTIONS }) }]);
    const found = texts.filter((/** @type {string} */ text) => text.includes("Dans « ")).length;
    if (found < texts.length / 2) throw new Error(`articles_chercher on ${copies} copies: ${found} answers`);
    points.push({ of: "passages searched", size: languages.fr.chunks, cost });
  }
  return points;
}

/**
 * The last answer of a fresh isolate.
 * @param {string} code
 * @param {{ body: string | Uint8Array, headers?: Record<string, string> }[]} requests
 */
async function ask(code, requests) {
  const miniflare = startIsolates(["grown"], code);
  try {
    const worker = await miniflare.getWorker("grown");
    let said;
    for (const { body, headers = {} } of requests) {
      said = await (await worker.fetch("http://bench/", { method: "POST", headers, body })).json();
    }
    return /** @type {any} */ (said);
  } finally {
    await miniflare.dispose();
  }
}

/** @param {Point[]} points */
export function makeGrowth(points) {
  const rows = points.map(({ of, size, cost, held }) => [
    held === undefined ? of : `${of}, ${held} held`,
    String(size),
    cost.toFixed(cost < 10 ? 2 : 0),
  ]);
  return makeTable(["", "how many", "µs an answer"], rows);
}
