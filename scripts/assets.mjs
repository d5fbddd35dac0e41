// The folder of an index on the disk: read for the vectors it holds, written all at once or not at all.
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { BuildError } from "./blog.mjs";
import { hashOf, unpackVectors, withScale } from "./pack.mjs";

/**
 * `index.json`, as the door reads it.
 * @typedef {{ key: string, slug: string, lang: string, title: string, date: string | null, url: string | null, description: string,
 *   tags: string[], first: number, chunks: number, text: string }} Entry
 * @typedef {{ format: 1, name: string, source: string, generated: string, model: string | null, dim: number,
 *   queryPrefix: string, passagePrefix: string, floor: number | null, sure: number | null, gap: number | null,
 *   languages: Record<string, { chunks: number, words: string, vectors: string | null }>, articles: Entry[] }} Header
 *
 * The text of an article, as the door reads it: paragraphs, and for each chunk its paragraphs [from, to) and its hash.
 * @typedef {{ paragraphs: string[][], chunks: [from: number, to: number, hash: string][] }} Text
 *
 * A chunk as far as its vector goes: what Vectorize calls it, the hash of what was embedded, its vector if it has one.
 * @typedef {{ id: string, hash: string, vector: Quantized | null, lang: string, slug: string }} Stored
 *
 * Vectors that are there: their model, their dimension, and each of them by the hash of what was embedded.
 * @typedef {{ model: string | null, dim: number, vectors: Map<string, Quantized> }} Old
 *
 * @typedef {import("./blog.mjs").Voice} Voice
 * @typedef {import("./pack.mjs").Quantized} Quantized
 */

export const HEADER = "index.json";
/** The most that Cloudflare takes for one static file. */
export const ASSET_LIMIT = 25 * 1024 * 1024;
/** The names that a build gives to its files: those it may remove. */
const OURS = /^(?:[a-z]{2,3}-[0-9a-f]{12}\.(?:words|vectors)|[0-9a-f]{12}\.json)$/;
/** A staging folder this old is that of a build that was killed. */
const STALE_MS = 60 * 60 * 1000;

/**
 * What Vectorize calls a chunk: it changes with what is embedded.
 * @param {string} lang
 * @param {string} slug
 * @param {number} index of the chunk in its article
 * @param {string} hash
 */
export function idOf(lang, slug, index, hash) {
  return `${hashOf(`${lang}/${slug}`, 12)}-${index}-${hash.slice(0, 8)}`;
}

/**
 * @param {string} out
 * @param {Voice} voice
 * @returns {Header | null} null when there is none, and, with a warning, when it isn't one of this format
 */
export function readHeader(out, voice) {
  const file = join(out, HEADER);
  if (!existsSync(file)) return null;
  try {
    const header = JSON.parse(readFileSync(file, "utf8"));
    if (header?.format === 1 && Array.isArray(header.articles) && typeof header.languages === "object") return header;
    voice.warn(`${file}: not an index of this format, ignored`);
  } catch {
    voice.warn(`${file}: it can't be read, ignored`);
  }
  return null;
}

/**
 * @param {string} out
 * @param {Header | null} header
 * @param {Voice} voice
 * @returns {Old | null} null when there is no index, and, with a warning, when it can't be read
 */
export function readOld(out, header, voice) {
  if (header === null) return null;
  const { model, dim } = header;
  try {
    const vectors = readStored(out, header).flatMap(({ hash, vector }) =>
      vector === null ? [] : [/** @type {const} */ ([hash, vector])],
    );
    return { model, dim, vectors: new Map(vectors) };
  } catch {
    voice.warn(`${join(out, HEADER)}: its files can't be read, ignored`);
    return null;
  }
}

/**
 * The chunks of an index that is there, in its order.
 * @param {string} out
 * @param {Header} header
 * @returns {Stored[]}
 * @throws {Error} when one of its files is missing or isn't what it should be
 */
export function readStored(out, { languages, articles, dim }) {
  const vectors = new Map(
    Object.entries(languages).map(([lang, { vectors: name, chunks }]) => {
      const stored = name === null ? [] : unpackVectors(readWhole(out, name));
      const isWhole = name === null || (stored?.length === chunks && stored.every(({ bytes }) => bytes.length === dim));
      if (stored === null || !isWhole) throw new BuildError(`${join(out, String(name))}: not the vectors of its index`);
      return [lang, stored];
    }),
  );
  return articles.flatMap(({ slug, lang, first, text }) => {
    /** @type {Text} */
    const { chunks } = JSON.parse(readWhole(out, text).toString("utf8"));
    return chunks.map(([, , hash], index) => {
      const vector = vectors.get(lang)?.[first + index];
      const present = vector !== undefined && vector.scale > 0 ? vector : null;
      return { id: idOf(lang, slug, index, hash), hash, vector: present, lang, slug };
    });
  });
}

/**
 * A file of an index, whose name says what it holds.
 * @param {string} out
 * @param {string} name
 */
function readWhole(out, name) {
  const bytes = readFileSync(join(out, name));
  if (!name.includes(hashOf(bytes, 12))) throw new BuildError(`${join(out, name)}: it was damaged`);
  return bytes;
}

/**
 * Whether each file is there, whole.
 * @param {string} out
 * @param {Map<string, Uint8Array | string>} files
 */
export function holdsAll(out, files) {
  return [...files].every(([name, content]) => {
    const place = join(out, name);
    return existsSync(place) && readFileSync(place).equals(Buffer.from(content));
  });
}

/** @param {string} out */
function keptFile(out) {
  const full = resolve(out);
  return join(dirname(full), `.${basename(full)}-embedded.json`);
}

/**
 * What a build that was stopped had embedded, and left beside the index.
 * @param {string} out
 * @param {Voice} voice
 * @returns {Old | null}
 */
export function readKept(out, voice) {
  const file = keptFile(out);
  if (!existsSync(file)) return null;
  try {
    const { model, dim, vectors } = JSON.parse(readFileSync(file, "utf8"));
    const read = Object.entries(vectors).map(([hash, text]) => {
      const bytes = new Int8Array(Buffer.from(text, "base64"));
      if (bytes.length !== dim) throw new Error("a vector of another length");
      return /** @type {const} */ ([hash, withScale(bytes)]);
    });
    return { model, dim, vectors: new Map(read) };
  } catch {
    voice.warn(`${file}: it can't be read, ignored`);
    return null;
  }
}

/**
 * Keeps for the next build what was embedded.
 * @param {string} out
 * @param {Old} kept
 * @returns {boolean} whether it could: its folder may not be there yet
 */
export function writeKept(out, { model, dim, vectors }) {
  const texts = [...vectors].map(([hash, { bytes }]) => [hash, Buffer.from(bytes).toString("base64")]);
  try {
    writeLines(keptFile(out), [JSON.stringify({ model, dim, vectors: Object.fromEntries(texts) })]);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} out */
export function dropKept(out) {
  rmSync(keptFile(out), { force: true });
}

/**
 * Writes an index beside, then puts it in place, the header last: what reads the old header finds its files to the end.
 * Then removes the files of ours that the new header doesn't name.
 * @param {string} out
 * @param {Header} header
 * @param {Map<string, Uint8Array | string>} files
 * @param {{ file: string, lines: Iterable<string> } | null} more a file to put in place with it
 * @throws {BuildError} and then everything is as it was
 */
export function writeIndex(out, header, files, more) {
  const oversize = [...files].find(([, content]) => Buffer.byteLength(content) > ASSET_LIMIT);
  if (oversize !== undefined) throw new BuildError(`${header.source}: its file ${oversize[0]} would pass 25 MiB`);
  /** @type {string[]} what a failure leaves in place */
  const added = [];
  /** @type {string[]} */
  const staged = [];
  let isDone = false;
  try {
    makeFolder(resolve(out), added);
    const staging = stageBeside(out, staged);
    for (const [name, content] of files) writeFileSync(join(staging, name), content);
    writeFileSync(join(staging, HEADER), `${JSON.stringify(header)}\n`);
    const beside = more === null ? "" : stageLines(more.file, more.lines, staged);
    for (const name of files.keys()) {
      const place = join(out, name);
      // One that is there holds the same, unless it was damaged.
      const isNew = !existsSync(place);
      renameSync(join(staging, name), place);
      if (isNew) added.push(place);
    }
    if (more !== null) renameSync(beside, more.file);
    renameSync(join(staging, HEADER), join(out, HEADER));
    isDone = true;
    for (const name of readdirSync(out)) {
      if (OURS.test(name) && !files.has(name)) rmSync(join(out, name), { force: true });
    }
  } catch (error) {
    throw new BuildError(`${out}: it can't be written (${error instanceof Error ? error.message : error})`);
  } finally {
    for (const place of [...staged, ...(isDone ? [] : added)]) rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Writes one file, whole or not at all.
 * @param {string} file
 * @param {Iterable<string>} lines
 * @throws {BuildError}
 */
export function writeLines(file, lines) {
  /** @type {string[]} */
  const staged = [];
  try {
    renameSync(stageLines(file, lines, staged), file);
  } catch (error) {
    throw new BuildError(`${file}: it can't be written (${error instanceof Error ? error.message : error})`);
  } finally {
    for (const place of staged) rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Writes lines one by one, beside the file that they will replace: together, they may be more than a string holds.
 * @param {string} file
 * @param {Iterable<string>} lines
 * @param {string[]} staged
 */
function stageLines(file, lines, staged) {
  const beside = join(stageBeside(file, staged), "lines");
  const opened = openSync(beside, "w");
  try {
    for (const line of lines) writeSync(opened, `${line}\n`);
  } finally {
    closeSync(opened);
  }
  return beside;
}

/**
 * Not `recursive`: on some file systems, as /proc, Node then tries forever.
 * @param {string} folder
 * @param {string[]} added told of each one made
 */
function makeFolder(folder, added) {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), added);
  mkdirSync(folder);
  added.push(folder);
}

/**
 * A new folder on the same disk as what it will replace; those of the builds that were killed are removed.
 * @param {string} place
 * @param {string[]} staged told of it
 */
function stageBeside(place, staged) {
  const full = resolve(place);
  const prefix = `.${basename(full)}-`;
  for (const name of readdirSync(dirname(full))) {
    if (!name.startsWith(prefix) || !/^[A-Za-z0-9]{6}$/.test(name.slice(prefix.length))) continue;
    const left = join(dirname(full), name);
    const stats = statSync(left, { throwIfNoEntry: false });
    if (stats?.isDirectory() && Date.now() - stats.mtimeMs > STALE_MS) staged.push(left);
  }
  const folder = mkdtempSync(join(dirname(full), prefix));
  staged.push(folder);
  return folder;
}
