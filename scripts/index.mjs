// npm run index: the files that the articles door searches, from a folder of Markdown or from what a blog publishes.
import { existsSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { stemmer as stemEnglish } from "@orama/stemmers/english";
import { stemmer as stemFrench } from "@orama/stemmers/french";
import {
  ASSET_LIMIT,
  dropKept,
  HEADER,
  holdsAll,
  idOf,
  readHeader,
  readKept,
  readOld,
  readStored,
  writeIndex,
  writeKept,
  writeLines,
} from "./assets.mjs";
import { BuildError, codeOf, readFolder, readPublished, readText, rootOf } from "./blog.mjs";
import { bundleDoor } from "./bundle.mjs";
import { calibrate, OFF_TOPIC } from "./calibrate.mjs";
import { command, isStarted, UsageError } from "./command.mjs";
import { embed, request, sayUrl } from "./embedder.mjs";
import { textOf } from "./markdown.mjs";
import { hashOf, LIMIT, packVectors, packWords, quantize, withScale } from "./pack.mjs";
import { startBar } from "./progress.mjs";

/**
 * What a build is asked: as the options of the command. `token`: for the embedding server; `today`: YYYY-MM-DD, the last
 * day that is published; `voice`: where lines go.
 * @typedef {{ from?: string, embed?: string, protocol?: string, model?: string, queryPrefix?: string,
 *   passagePrefix?: string, name?: string, url?: string, vectorize?: string, out?: string, token?: string,
 *   today?: string, voice?: Voice }} Request
 *
 * A chunk about to be stored: what is embedded (`passage`), its hash, its vector if it has one, its id in Vectorize.
 * @typedef {{ article: Article, text: string, passage: string, hash: string, vector: Quantized | null, id: string }} Ready
 *
 * All of an index, in memory: its files by name, and its chunks with their vectors.
 * @typedef {{ header: Header, files: Map<string, Uint8Array | string>, stored: Stored[], embedded: number,
 *   reused: number }} Built
 *
 * @typedef {import("./assets.mjs").Header} Header
 * @typedef {import("./assets.mjs").Entry} Entry
 * @typedef {import("./assets.mjs").Text} Text
 * @typedef {import("./assets.mjs").Old} Old
 * @typedef {import("./assets.mjs").Stored} Stored
 * @typedef {import("./blog.mjs").Article} Article
 * @typedef {import("./blog.mjs").Blog} Blog
 * @typedef {import("./blog.mjs").Voice} Voice
 * @typedef {import("./calibrate.mjs").Thresholds} Thresholds
 * @typedef {import("./embedder.mjs").Server} Server
 * @typedef {import("./pack.mjs").Quantized} Quantized
 */

const OUT = "workers/articles/assets";
const DOCUMENTS = "shared-docs";
const DOCUMENTS_NAME = "la documentation des portes";
const ANY_NAME = "le blogue";
/** From UTC to where a day begins first: what is dated today is published, wherever the blog is. */
const FIRST_ZONE_MS = 14 * 60 * 60 * 1000;
/** On 46 questions to the blog that publishes bge-m3: nothing legitimate was under the floor. */
const PUBLISHED_BGE = { floor: 0.45, sure: 0.52, gap: 0.06 };
const NO_THRESHOLDS = { floor: null, sure: null, gap: null };

const HELP = `npm run index -- [--from DIR|FILE|URL] [--embed URL --model NAME [--protocol P]] [--out DIR] ...

Builds the files that the articles door searches, from a folder of Markdown and MDX, or from a file that a blog publishes
with its vectors (bob-vectors.json). Without vectors, the door searches by words only.

  --from DIR|FILE|URL    a folder, or a published file (default ${DOCUMENTS})
  --name BLOG            the blog's name, to be said (default: the one it has in --out, the host of the address, or
                         "${ANY_NAME}")
  --url BASE             the blog's address: the link of an article is BASE and its slug, BASE with {slug} and {lang}
                         replaced, or the article's own \`url\`, resolved against BASE
  --out DIR              where the files go (default ${OUT})
  --embed URL            embeds the chunks of a folder with this server; an unchanged chunk is not embedded again.
                         EMBED_TOKEN in the environment is sent to it as a bearer token
  --protocol P           how it is spoken to: ollama, openai, tei, workers-ai (default openai)
  --model NAME           the model it must be running, or that a published file must have
  --query-prefix S       what the model needs before a question, for example "query: "
  --passage-prefix S     the same before a passage
  --vectorize FILE       writes the vectors for \`wrangler vectorize insert\` too; alone, those of the index in --out

A failure leaves the old files as they were. Exit code 1 when something can't be read or embedded, with a line that names
it; 2 when an argument is wrong.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = Object.fromEntries(
  "from embed protocol model query-prefix passage-prefix name url vectorize out"
    .split(" ")
    .map((name) => [name, { type: /** @type {const} */ ("string") }]),
);

/** @type {Voice} */
const ALOUD = { say: (line) => console.log(line), warn: (line) => console.error(line) };

/**
 * Builds an index and writes it, all of it or nothing.
 * @param {Request} asked
 * @returns {Promise<Header>} what was written
 * @throws {UsageError} when an option is wrong
 * @throws {BuildError} when something can't be read, embedded or written: one line that names it
 */
export async function buildIndex(asked) {
  const { out = OUT, vectorize, voice = ALOUD } = asked;
  const door = await loadDoor();
  const source = checkRequest(asked, door);
  const built = await prepare(asked, source, door, voice);
  if (vectorize !== undefined && !built.stored.some(hasVector)) {
    throw new BuildError(`${asked.from ?? DOCUMENTS}: no vector in it for ${vectorize}`);
  }
  const more = vectorize === undefined ? null : { file: vectorize, lines: linesOf(built.stored) };
  writeIndex(out, built.header, built.files, more);
  if (asked.embed !== undefined) dropKept(out);
  report(built, out, vectorize, voice);
  return built.header;
}

/**
 * Builds the index of the default documents where a start needs it: when there is none, or when it is theirs, without
 * vectors, and they changed. Any other index is left alone.
 * @returns {Promise<boolean>} whether it was built
 * @throws {BuildError} one line that names what can't be read or written
 */
export async function ensureIndex() {
  const voice = { ...ALOUD, say() {} };
  const header = readHeader(OUT, voice);
  const isTheirs = header?.source === DOCUMENTS && header.model === null;
  if (existsSync(join(OUT, HEADER)) && !isTheirs) return false;
  if (!existsSync(DOCUMENTS)) throw new BuildError(`${DOCUMENTS}: there is no such folder`);
  const built = await prepare({ name: header?.name }, { kind: "folder", from: DOCUMENTS }, await loadDoor(), voice);
  if (header !== null && holdsAll(OUT, built.files) && printOf(built.header) === printOf(header)) return false;
  writeIndex(OUT, built.header, built.files, null);
  return true;
}

/**
 * The header less its date. Its file names are hashes of what they hold.
 * @param {Header} header
 */
function printOf(header) {
  return hashOf(JSON.stringify({ ...header, generated: "" }), 64);
}

/**
 * Refuses what can't be before anything is read or embedded.
 * @param {Request} asked
 * @param {Door} door
 * @returns {{ kind: "folder" | "file" | "url", from: string }}
 */
function checkRequest(asked, door) {
  const { from = DOCUMENTS, out = OUT, protocol, model, queryPrefix, passagePrefix, name, url, vectorize } = asked;
  for (const [option, value] of Object.entries({ from, out, name, url, vectorize, model })) {
    if (value?.trim() === "") throw new UsageError(`--${option}: it is empty`);
  }
  const kind = kindOf(from);
  if (url !== undefined) checkUrl(url);
  if (asked.embed !== undefined) {
    const { protocol: scheme, username } = URL.canParse(asked.embed) ? new URL(asked.embed) : { protocol: "" };
    if (!/^https?:$/.test(scheme)) throw new UsageError(`--embed ${asked.embed}: an http address is needed`);
    if (username) throw new UsageError("--embed: put what identifies you in EMBED_TOKEN, not in the address");
    if (kind !== "folder") throw new UsageError(`--embed: ${sayFrom(from)} carries its own vectors`);
    if (model === undefined) throw new UsageError("--embed needs --model, the name of the model that it runs");
    if (protocol !== undefined && !Object.hasOwn(door.PROTOCOLS, protocol)) {
      throw new UsageError(`--protocol ${protocol}: choose one of ${Object.keys(door.PROTOCOLS).join(", ")}`);
    }
    if (/[^\x21-\x7e]/.test(asked.token ?? "")) throw new UsageError("EMBED_TOKEN: a header can't carry it");
  } else {
    const alone = { protocol, "passage-prefix": passagePrefix, ...(kind === "folder" ? { model } : {}) };
    const [option] = Object.entries(alone).find(([, value]) => value !== undefined) ?? [];
    if (option !== undefined) throw new UsageError(`--${option} goes with --embed`);
    if (kind === "folder" && queryPrefix !== undefined) throw new UsageError("--query-prefix goes with --embed");
    if (kind === "folder" && vectorize !== undefined) {
      throw new UsageError(`--vectorize: ${from} has no vectors without --embed`);
    }
  }
  checkOut(out);
  if (vectorize !== undefined) checkFile(vectorize);
  return { kind, from };
}

/** @param {string} from */
function kindOf(from) {
  if (/^https?:\/\//i.test(from)) {
    if (!URL.canParse(from)) throw new UsageError(`--from ${from}: not an address`);
    const { username, password } = new URL(from);
    try {
      decodeURIComponent(username + password);
    } catch {
      throw new UsageError(`--from ${sayFrom(from)}: a "%" of its user or password must be written %25`);
    }
    return "url";
  }
  const stats = statsOf(from, "--from");
  if (stats === undefined) throw new UsageError(`--from ${from}: there is no such folder or file`);
  return stats.isDirectory() ? "folder" : "file";
}

/**
 * @param {string} path
 * @param {string} option
 */
function statsOf(path, option) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(`${option} ${path}: it can't be read (${codeOf(error)})`);
  }
}

/** @param {string} url */
function checkUrl(url) {
  const plain = url.replaceAll("{slug}", "a").replaceAll("{lang}", "fr");
  if (/[{}]/.test(plain)) throw new UsageError(`--url ${url}: between braces, only {slug} and {lang} are known`);
  if (!URL.canParse(plain) || !URL.canParse(rootOf(url)) || !/^https?:$/.test(new URL(plain).protocol)) {
    throw new UsageError(`--url ${url}: an http address is needed`);
  }
}

/**
 * What --from said, without the secrets of an address.
 * @param {string} from
 */
function sayFrom(from) {
  if (!/^https?:\/\//i.test(from)) return from;
  const url = new URL(from);
  [url.username, url.password] = ["", ""];
  return url.href;
}

/** @param {string} out */
function checkOut(out) {
  let place = resolve(out);
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const where = place === resolve(out) ? out : place;
  if (!statSync(place).isDirectory()) throw new UsageError(`--out ${out}: ${where} is a file, a folder is needed`);
  try {
    // The staging folder is made beside it. Only making one tells: of /proc, the rights say that it can be written.
    for (const folder of new Set([place, existsSync(resolve(out)) ? dirname(place) : place])) {
      rmdirSync(mkdtempSync(join(folder, ".index-")));
    }
  } catch {
    throw new UsageError(`--out ${out}: ${where} can't be written`);
  }
}

/** @param {string} file */
function checkFile(file) {
  if (!existsSync(dirname(resolve(file)))) throw new UsageError(`--vectorize ${file}: its folder isn't there`);
  if (statsOf(file, "--vectorize")?.isDirectory()) throw new UsageError(`--vectorize ${file}: it's a folder`);
}

/**
 * Makes an index in memory.
 * @param {Request} asked
 * @param {{ kind: "folder" | "file" | "url", from: string }} source
 * @param {Door} door
 * @param {Voice} voice
 * @returns {Promise<Built>}
 */
async function prepare(asked, { kind, from }, door, voice) {
  const { out = OUT, queryPrefix = "", passagePrefix = "", url = null, vectorize } = asked;
  const around = {
    detect: (/** @type {string} */ text) => detectLanguage(text, door),
    // A machine whose clock is late still starts with all of the documents.
    today: isDocuments(from) ? null : (asked.today ?? new Date(Date.now() + FIRST_ZONE_MS).toISOString().slice(0, 10)),
    url,
  };
  const blog = kind === "folder" ? readFolder(from, around, voice) : await readSent(kind, from, url, voice);
  if (blog.model !== null && asked.model !== undefined && !door.isSameModel(asked.model, blog.model)) {
    throw new BuildError(`${sayFrom(from)}: its vectors are of ${blog.model}, not ${asked.model}`);
  }
  const articles = blog.articles.toSorted(byLanguageAndDate);
  const chunks = articles.flatMap((article) => readyChunks(article, passagePrefix));
  const model = asked.embed === undefined ? blog.model : String(asked.model);
  const before = readHeader(out, voice);
  const old = model === null ? null : readOld(out, before, voice);
  if (old?.model && model !== null && !door.isSameModel(old.model, model)) {
    const said = `${join(out, HEADER)} holds vectors of ${old.model}, not ${model}`;
    throw new BuildError(`${said}: choose another --out, or delete it to embed everything again`);
  }
  let [dim, embedded, thresholds] = [blog.dim, 0, /** @type {Thresholds} */ (NO_THRESHOLDS)];
  if (asked.embed !== undefined) {
    /** @type {Server} */
    const server = {
      url: asked.embed,
      protocol: asked.protocol ?? "openai",
      model: String(model),
      token: asked.token || null,
    };
    const result = await embedChunks(server, chunks, articles, old, out, queryPrefix, door, voice);
    [dim, embedded, thresholds] = [result.dim, result.embedded, result.thresholds];
  } else if (blog.model !== null && door.isSameModel(blog.model, "bge-m3")) thresholds = PUBLISHED_BGE;

  /** @type {Header} */
  const header = {
    format: 1,
    name: asked.name?.trim() ?? (isSameSource(before, from) ? before.name : nameOf(kind, from)),
    source: sayFrom(from),
    generated: blog.generated ?? new Date().toISOString(),
    model,
    dim: model === null ? 0 : dim,
    queryPrefix: model === null ? "" : queryPrefix,
    passagePrefix: model === null ? "" : passagePrefix,
    ...thresholds,
    languages: {},
    articles: [],
  };
  /** @type {Built["files"]} */
  const files = new Map();
  for (const [lang, group] of Map.groupBy(chunks, ({ article }) => article.lang)) {
    header.languages[lang] = packLanguage(lang, group, header, door, files, vectorize !== undefined, voice);
  }
  header.articles = entriesOf(articles, chunks, files);
  const stored = chunks.map(({ id, hash, vector, article: { lang, slug } }) => ({ id, hash, vector, lang, slug }));
  return { header, files, stored, embedded, reused: asked.embed === undefined ? 0 : chunks.length - embedded };
}

/**
 * What the door knows of words and of embedding servers: the index is made of the same.
 * @returns {Promise<import("./embedder.mjs").Protocols
 *   & { wordsOf(text: string): string[], fold(text: string): string, STOP_WORDS: Record<string, Set<string>> }>}
 */
async function loadDoor() {
  const code = await bundleDoor(
    "articles",
    "export { faultOf, fold, isSameModel, parseEmbeddings, parseVector, PROTOCOLS, STOP_WORDS, wordsOf };",
  );
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/** @typedef {Awaited<ReturnType<typeof loadDoor>>} Door */

/**
 * @param {string} text
 * @param {Door} door
 */
function detectLanguage(text, { wordsOf, fold, STOP_WORDS }) {
  const words = wordsOf(text).map(fold);
  const [french, english] = ["fr", "en"].map((lang) => words.filter((word) => STOP_WORDS[lang]?.has(word)).length);
  return english > french ? "en" : "fr";
}

/**
 * @param {string} lang
 * @param {Door} door
 * @returns {import("./pack.mjs").Language}
 */
function languageOf(lang, { wordsOf, fold, STOP_WORDS }) {
  /** @type {Record<string, (word: string) => string>} */
  const stemmers = { fr: stemFrench, en: stemEnglish };
  const stem = stemmers[lang] ?? ((word) => word);
  const stops = Object.hasOwn(stemmers, lang) ? STOP_WORDS[lang] : undefined;
  return {
    words: (text) => wordsOf(text).filter((word) => !stops?.has(fold(word))),
    form: fold,
    stem: (word) => fold(stem(word)),
  };
}

/**
 * @param {"file" | "url"} kind
 * @param {string} from
 * @param {string | null} blog its address
 * @param {Voice} voice
 * @returns {Promise<Blog>}
 */
async function readSent(kind, from, blog, voice) {
  const root = blog === null ? null : rootOf(blog);
  if (kind === "file") return readPublished(readText(from), from, root, voice);
  const { username, password } = new URL(from);
  const authorization = `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`;
  const { text, url } = await request(sayFrom(from), { headers: username === "" ? {} : { authorization } }).catch(
    (error) => {
      throw error instanceof BuildError ? new BuildError(`${sayUrl(from)}: ${error.message}`) : error;
    },
  );
  return readPublished(text, sayUrl(from), root ?? url, voice);
}

/** @param {string} from */
function isDocuments(from) {
  return resolve(from) === resolve(DOCUMENTS);
}

/**
 * @param {Header | null} before
 * @param {string} from
 * @returns {before is Header}
 */
function isSameSource(before, from) {
  return typeof before?.name === "string" && resolve(String(before.source)) === resolve(sayFrom(from));
}

/**
 * @param {"folder" | "file" | "url"} kind
 * @param {string} from
 */
function nameOf(kind, from) {
  if (kind === "url") return new URL(from).host;
  if (kind === "folder") return isDocuments(from) ? DOCUMENTS_NAME : ANY_NAME;
  const name = basename(from).replace(/\.json$/i, "");
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}$/i.test(name) ? name : ANY_NAME;
}

/**
 * By language, then newest first, those without a date last, then by slug.
 * @param {Article} one
 * @param {Article} other
 */
function byLanguageAndDate(one, other) {
  const keys = (/** @type {Article} */ { lang, date, slug }) => [lang, date ?? "", slug];
  const [[lang, date, slug], [otherLang, otherDate, otherSlug]] = [keys(one), keys(other)];
  if (lang !== otherLang) return lang < otherLang ? -1 : 1;
  if (date !== otherDate) return date > otherDate ? -1 : 1;
  return slug < otherSlug ? -1 : 1;
}

/**
 * @param {Article} article
 * @param {string} passagePrefix
 * @returns {Ready[]}
 */
function readyChunks(article, passagePrefix) {
  const { lang, slug, title, paragraphs, chunks } = article;
  return chunks.map(({ from, to, hash, vector }, index) => {
    const texts = paragraphs.slice(from, to).map(textOf);
    const text = texts.filter((part) => part !== "").join("\n\n");
    const passage = `${passagePrefix}${title}\n\n${text}`;
    const print = hash ?? hashOf(passage, 16);
    const id = idOf(lang, slug, index, print);
    return { article, text, passage, hash: print, vector: vector === null ? null : withScale(vector), id };
  });
}

/**
 * Gives every chunk its vector: one that is there when what is embedded hasn't changed, or a new one. Stopped half-way,
 * it leaves the new ones beside the index.
 * @param {Server} server
 * @param {Ready[]} chunks
 * @param {Article[]} articles
 * @param {Old | null} old
 * @param {string} out
 * @param {string} queryPrefix
 * @param {Door} door
 * @param {Voice} voice
 */
async function embedChunks(server, chunks, articles, old, out, queryPrefix, door, voice) {
  const kept = readKept(out, voice);
  const isOfUse = kept?.model === server.model && (old === null || old.dim === 0 || old.dim === kept.dim);
  /** @type {Map<string, Quantized>} */
  const vectors = new Map([...(old?.vectors ?? []), ...(isOfUse ? kept.vectors : [])]);
  const missing = chunks.filter(({ hash }) => !vectors.has(hash));
  const wanted = [...new Map(missing.map((chunk) => [chunk.hash, chunk])).values()];
  const passages = wanted.map(({ passage, article, id }) => ({
    text: passage,
    name: `${article.file} (chunk ${id.split("-")[1]})`,
  }));
  const topics = articles.map(({ description, title, file }) => ({
    text: queryPrefix + (description || title),
    name: `the ${description ? "description" : "title"} of ${file}`,
  }));
  const others = OFF_TOPIC.map((question) => ({ text: queryPrefix + question, name: `the question "${question}"` }));
  const dimOf = () => chunks.flatMap(({ hash }) => vectors.get(hash)?.bytes.length ?? []).at(0) ?? 0;
  const bar = startBar("embedding", passages.length + topics.length + others.length, voice.say);
  let done = 0;
  /** How many vectors the next build will find. One alone may be what the server answers to anything. */
  const keep = () => {
    const saved = new Map(isOfUse ? kept.vectors : []);
    for (const { hash } of wanted.slice(0, done)) saved.set(hash, /** @type {Quantized} */ (vectors.get(hash)));
    return done > 1 && writeKept(out, { model: server.model, dim: dimOf(), vectors: saved }) ? done : 0;
  };
  const stop = () => {
    bar.stop();
    voice.warn(`stopped${sayKept(keep())}`);
    process.exit(130);
  };
  process.once("SIGINT", stop);
  try {
    await embed(server, passages, dimOf(), door, (found) => {
      for (const vector of found) vectors.set(wanted[done++].hash, quantize(vector));
      bar.advance(found.length);
    });
    const dim = dimOf();
    for (const chunk of chunks) chunk.vector = vectors.get(chunk.hash) ?? null;
    const questions = await embed(server, [...others, ...topics], dim, door, (found) => bar.advance(found.length));
    const stored = chunks.flatMap(({ vector }) => vector ?? []);
    const thresholds = calibrate(questions.slice(0, others.length), questions.slice(others.length), stored);
    return { dim, embedded: missing.length, thresholds };
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    throw new BuildError(error.message + sayKept(keep()));
  } finally {
    process.off("SIGINT", stop);
    bar.stop();
  }
}

/** @param {number} count */
function sayKept(count) {
  return count === 0 ? "" : `; ${count} chunk(s) already embedded are kept for the next build`;
}

/**
 * @param {string} lang
 * @param {Ready[]} chunks
 * @param {Header} header
 * @param {Door} door
 * @param {Built["files"]} files added to
 * @param {boolean} elsewhere whether the vectors go to Vectorize too
 * @param {Voice} voice
 */
function packLanguage(lang, chunks, { model, dim, source }, door, files, elsewhere, voice) {
  if (chunks.length > LIMIT) throw new BuildError(`${source}: ${chunks.length} chunks in ${lang}, ${LIMIT} at most`);
  const searched = chunks.map(({ text, article: { title, description, tags } }) => ({
    text,
    title,
    description,
    tags,
  }));
  const { bytes: words, terms } = packWords(searched, languageOf(lang, door));
  if (words === null) throw new BuildError(`${source}: ${terms} stems in ${lang}, ${LIMIT} at most`);
  const add = (/** @type {Uint8Array} */ bytes, /** @type {string} */ kind) => {
    const name = `${lang}-${hashOf(bytes, 12)}.${kind}`;
    files.set(name, bytes);
    return name;
  };
  const entry = { chunks: chunks.length, words: add(words, "words"), vectors: /** @type {string | null} */ (null) };
  if (model === null) return entry;
  const none = { bytes: new Int8Array(dim), scale: 0 };
  const vectors = packVectors(
    chunks.map(({ vector }) => vector ?? none),
    dim,
  );
  if (vectors.length <= ASSET_LIMIT) entry.vectors = add(vectors, "vectors");
  else {
    const said = `${source}: its vectors in ${lang} take ${sayMebibytes(vectors.length)}, a file holds 25 MiB at most`;
    if (!elsewhere) throw new BuildError(`${said}: add --vectorize FILE, and load them in Vectorize`);
    voice.say(`${said}: they are for Vectorize only`);
  }
  return entry;
}

/**
 * @param {Article[]} articles
 * @param {Ready[]} chunks in the order of the articles
 * @param {Built["files"]} files added to
 * @returns {Entry[]}
 */
function entriesOf(articles, chunks, files) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const groups = Map.groupBy(chunks, ({ article }) => article);
  return articles.map((article) => {
    const { slug, lang, title, date, url, description, tags, paragraphs, chunks: cut } = article;
    const hashes = (groups.get(article) ?? []).map(({ hash }) => hash);
    /** @type {Text} */
    const text = {
      paragraphs: paragraphs.map(({ kind, sentences }) => [kind, ...sentences]),
      chunks: cut.map(({ from, to }, index) => [from, to, hashes[index]]),
    };
    const content = JSON.stringify(text);
    const name = `${hashOf(content, 12)}.json`;
    files.set(name, content);
    const first = counts.get(lang) ?? 0;
    counts.set(lang, first + cut.length);
    return {
      key: hashOf(`${lang}/${slug}`, 12),
      slug,
      lang,
      title,
      date,
      url,
      description,
      tags,
      first,
      chunks: cut.length,
      text: name,
    };
  });
}

/** @param {Stored} chunk */
function hasVector({ vector }) {
  return vector !== null;
}

/**
 * The lines of NDJSON that `wrangler vectorize insert` takes.
 * @param {Stored[]} chunks
 */
function* linesOf(chunks) {
  for (const { id, vector, lang, slug } of chunks) {
    if (vector === null) continue;
    const values = Array.from(vector.bytes, (byte) => Number((byte * vector.scale).toFixed(6)));
    yield JSON.stringify({ id, values, namespace: lang, metadata: { lang, slug } });
  }
}

/**
 * Writes for Vectorize the vectors of the index that is there, without building anything.
 * @param {string} out
 * @param {string} file
 * @param {Voice} voice
 */
function exportVectors(out, file, voice) {
  checkFile(file);
  const header = readHeader(out, voice);
  /** @type {Stored[]} */
  let chunks = [];
  try {
    if (header?.model) chunks = readStored(out, header);
  } catch {
    throw new BuildError(`${join(out, HEADER)}: its files can't be read: build it again`);
  }
  if (!chunks.some(hasVector)) {
    throw new BuildError(
      `${join(out, HEADER)}: no vectors there: build it with --embed, or --from a file that has them`,
    );
  }
  writeLines(file, linesOf(chunks));
  voice.say(`${chunks.filter(hasVector).length} vectors in ${file}`);
}

/**
 * @param {Built} built
 * @param {string} out
 * @param {string | undefined} vectorize
 * @param {Voice} voice
 */
function report({ header, files, stored, embedded, reused }, out, vectorize, voice) {
  for (const [lang, { chunks }] of Object.entries(header.languages)) {
    const count = header.articles.filter((article) => article.lang === lang).length;
    voice.say(`${lang}: ${count} article(s), ${chunks} chunk(s)`);
  }
  if (embedded + reused > 0) {
    voice.say(
      `${header.model}: ${embedded} chunk(s) embedded, ${reused} reused; floor ${header.floor}, sure ${header.sure}, gap ${header.gap}`,
    );
  } else if (header.model === null) voice.say("no vectors: the door will search by words only");
  else voice.say(`${header.model}: the vectors are the file's own`);
  if (vectorize !== undefined) voice.say(`${stored.filter(hasVector).length} vectors in ${vectorize}`);
  if (header.articles.every(({ url }) => url === null)) {
    voice.say("no article has a link: --url gives the blog's address");
  }
  const size = [...files.values()].reduce((total, content) => total + Buffer.byteLength(content), 0);
  voice.say(`${sayMebibytes(size)} in ${out}`);
}

/** @param {number} bytes */
function sayMebibytes(bytes) {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/**
 * @param {Record<string, string | undefined>} values
 * @param {string[]} extra
 */
async function main(values, extra) {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const { "query-prefix": queryPrefix, "passage-prefix": passagePrefix, ...rest } = values;
  try {
    const { vectorize, out = OUT, ...others } = values;
    if (vectorize && out && Object.keys(others).length === 0) exportVectors(out, vectorize, ALOUD);
    else await buildIndex({ ...rest, queryPrefix, passagePrefix, token: process.env.EMBED_TOKEN });
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

if (isStarted(import.meta.filename)) {
  await command(HELP, OPTIONS, main);
}
