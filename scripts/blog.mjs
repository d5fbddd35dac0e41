// What `npm run index` reads: a folder of Markdown, or a file that a blog publishes, as articles cut in chunks.
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { parse as parseYaml } from "yaml";
import { clean, cleanLine, parseMarkdown, textOf } from "./markdown.mjs";

/**
 * A passage to search: paragraphs [from, to) of its article. `hash`: 16 hexadecimal figures of what was embedded, null
 * when that is ours to compute. `vector`: as published, or null.
 * @typedef {{ from: number, to: number, hash: string | null, vector: Int8Array | null }} Chunk
 *
 * `date`: YYYY-MM-DD; `url`: absolute, http or https; `file`: what an error names.
 * @typedef {{ slug: string, lang: string, title: string, date: string | null, url: string | null, description: string,
 *   tags: string[], paragraphs: Paragraph[], chunks: Chunk[], file: string }} Article
 *
 * `model` is null, and `dim` 0, when the articles come without vectors; `generated`: when the file says it was made.
 * @typedef {{ articles: Article[], model: string | null, dim: number, generated: string | null }} Blog
 *
 * Where lines go: `say` what was done, `warn` what the person may want to repair.
 * @typedef {{ say(line: string): void, warn(line: string): void }} Voice
 *
 * What a folder doesn't say of its articles: `detect` tells the language of a text; `today` is the last day that is
 * published, null for all of them; `url` is the blog's address, which may hold {slug} and {lang}, or null.
 * @typedef {{ detect(text: string): "fr" | "en", today: string | null, url: string | null }} Around
 *
 * @typedef {import("./markdown.mjs").Paragraph} Paragraph
 */

/** What stops a build: one line that names the file or the address, exit code 1, nothing written. */
export class BuildError extends Error {}

/** Characters: a chunk is closed before it passes the target; a paragraph alone may reach the ceiling. */
const TARGET = 1200;
const CEILING = 2600;
/** The last paragraph of a chunk opens the next one when it is shorter: an answer often straddles two. */
const CARRIED = 400;
/** Languages that a folder or a file's name may say. Others are said by the front matter. */
const LANGUAGES = ["fr", "en", "es", "de", "it", "pt", "nl"];
const DATE =
  /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:(?:[Tt]|\s+)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{1,2}(?::?\d{2})?)?)?$/;
/** « Jul 08 2022 », as the examples of Astro write it, « July 8, 2022 », « Fri, 08 Jul 2022 10:00:00 GMT ». */
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const ENGLISH_DATE = new RegExp(
  `^(?:[a-z]{3,9}, )?(?:${MONTH} (\\d{1,2})|(\\d{1,2}) ${MONTH}),? (\\d{4})(?:,? \\d{1,2}:\\d{2}\\b.*)?$`,
  "i",
);
const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
/** A signature alone, « — Bob »: it answers nothing. */
const SIGNATURE = /^[—–-]+\s*\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,2}\.?$/u;

/**
 * Reads the `.md` and `.mdx` files of a folder and of those in it, in the order of their paths.
 * @param {string} folder
 * @param {Around} around
 * @param {Voice} voice
 * @returns {Blog}
 * @throws {BuildError} for a bad front matter, a missing title, or no article at all
 */
export function readFolder(folder, around, voice) {
  const files = listFiles(folder, "", new Set(), voice);
  if (files.length === 0) throw new BuildError(`${folder}: no .md or .mdx file in it`);
  /** @type {Map<string, Article>} */
  const articles = new Map();
  for (const path of files) {
    const article = readFile(folder, path, around, voice);
    if (article === null) continue;
    const key = `${article.lang}/${article.slug}`;
    const other = articles.get(key);
    if (other !== undefined) {
      const [kept, left] = (article.date ?? "") > (other.date ?? "") ? [article, other] : [other, article];
      voice.say(`${left.file}: left out, ${kept.file} has the same slug "${kept.slug}" in ${kept.lang} and is kept`);
      articles.set(key, kept);
    } else articles.set(key, article);
  }
  if (articles.size === 0)
    throw new BuildError(`${folder}: no article in it, only drafts, files without text or later dates`);
  return { articles: [...articles.values()], model: null, dim: 0, generated: null };
}

/**
 * @param {string} folder
 * @param {string} under path inside it, "" for itself
 * @param {Set<string>} seen real paths of the folders already read: links may come back to them
 * @param {Voice} voice
 * @returns {string[]} paths inside the folder, with "/"
 */
function listFiles(folder, under, seen, voice) {
  const place = join(folder, under);
  /** @type {string[]} */
  let names;
  try {
    const real = realpathSync(place);
    if (seen.has(real)) {
      voice.warn(`${place}: left out, it leads to a folder that was already read`);
      return [];
    }
    seen.add(real);
    names = readdirSync(place);
  } catch (error) {
    throw new BuildError(`${place}: it can't be read (${codeOf(error)})`);
  }
  return names
    .filter((name) => !name.startsWith(".") && name !== "node_modules")
    .toSorted((one, other) => (one < other ? -1 : 1))
    .flatMap((name) => {
      const path = under === "" ? name : `${under}/${name}`;
      const isArticle = /\.mdx?$/i.test(name) && !/^readme\.md$/i.test(path);
      try {
        const stats = statSync(join(folder, path));
        if (stats.isDirectory()) return listFiles(folder, path, seen, voice);
        return isArticle && stats.isFile() ? [path] : [];
      } catch (error) {
        if (error instanceof BuildError) throw error;
        // A link that leads nowhere isn't worth a failure; a folder that is closed is.
        const said = `it can't be read (${codeOf(error)})`;
        if (!/^(?:ENOENT|ELOOP)$/.test(codeOf(error))) throw new BuildError(`${join(folder, path)}: ${said}`);
        if (isArticle) voice.warn(`${join(folder, path)}: left out, ${said}`);
        return [];
      }
    });
}

/**
 * What the system says of a failure: "EACCES", "ELOOP".
 * @param {unknown} error
 * @returns {string}
 */
export function codeOf(error) {
  const { code, message } = /** @type {any} */ (error);
  return code ?? message;
}

/**
 * @param {string} folder
 * @param {string} path
 * @param {Around} around
 * @param {Voice} voice
 * @returns {Article | null} null for a draft, for a file without text and for what is to be published later
 */
function readFile(folder, path, { detect, today, url }, voice) {
  const file = join(folder, path);
  const source = readText(file).replace(/\r\n?/g, "\n");
  if (source.trim() === "") {
    voice.warn(`${file}: left out, it is empty`);
    return null;
  }
  const parsed = parseFile(source, file, voice);
  const front = readFront(source, parsed.front, file);
  if (isDraft(front)) {
    voice.say(`${file}: left out, it is a draft`);
    return null;
  }
  const date = readDate(front, file);
  if (date !== null && today !== null && date > today) {
    voice.say(`${file}: left out, its date is ${date}`);
    return null;
  }
  const name = splitName(path);
  const title = cleanLine(readField(front, "title", file) || (parsed.heading?.sentences[0] ?? ""));
  if (title === "") throw new BuildError(`${file}: no title, neither in the front matter nor as a "# heading"`);
  // The title is said with the article: as a heading it would be said twice.
  const blocks = parsed.paragraphs.filter((one) => one !== parsed.heading || one.sentences[0] !== title);
  if (blocks.length === 0) {
    voice.warn(`${file}: left out, it has no text`);
    return null;
  }
  const slug = readField(front, "slug", file).replace(/^\/+|\/+$/g, "") || name.slug;
  const lang =
    readLanguage(front, file) ?? name.lang ?? languageOf(basename(resolve(folder))) ?? detect(speechOf(blocks));
  const [paragraphs, chunks] = cutChunks(blocks);
  return {
    slug,
    lang,
    title,
    date,
    url: linkOf(readField(front, "url", file), slug, lang, url),
    description: cleanLine(readField(front, "description", file)),
    tags: readTags(front, file),
    paragraphs,
    chunks,
    file,
  };
}

/**
 * The text of a file, without a byte order mark.
 * @param {string} file
 * @throws {BuildError}
 */
export function readText(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const code = codeOf(error);
    throw new BuildError(`${file}: ${/^E[A-Z]+$/.test(code) ? `it can't be read (${code})` : "it isn't UTF-8"}`);
  }
}

/**
 * @param {string} source
 * @param {string} file
 * @param {Voice} voice
 */
function parseFile(source, file, voice) {
  if (extname(file).toLowerCase() !== ".mdx") return parseBlocks(source, "md", file);
  try {
    return parseBlocks(source, "mdx", file);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    const { line, place, reason, message } = /** @type {any} */ (error);
    const where = line ?? place?.line ?? place?.start?.line ?? 1;
    voice.warn(`${file}:${where}: not valid MDX (${clean(reason ?? message)}), read as Markdown`);
    return parseBlocks(source, "loose", file);
  }
}

/**
 * @param {string} source
 * @param {"md" | "mdx" | "loose"} format
 * @param {string} file
 * @throws {BuildError} when its blocks are nested so deep that the parser runs out of stack
 */
function parseBlocks(source, format, file) {
  try {
    return parseMarkdown(source, format);
  } catch (error) {
    if (error instanceof RangeError) throw new BuildError(`${file}: its blocks are nested too deep to be read`);
    throw error;
  }
}

/**
 * @param {string} source
 * @param {string | null} front
 * @param {string} file
 * @returns {Record<string, unknown>}
 */
function readFront(source, front, file) {
  if (front === null) {
    if (/^---[ \t]*\n[\w-]+:/.test(source)) throw new BuildError(`${file}:1: the front matter has no closing "---"`);
    if (/^\+\+\+[ \t]*\n/.test(source)) throw new BuildError(`${file}:1: the front matter is TOML, YAML is needed`);
    const [before] = /^\s+(?=---[ \t]*\n\s*[\w-]+:)/.exec(source) ?? [];
    if (before !== undefined) {
      const line = before.split("\n").length;
      throw new BuildError(
        `${file}:${line}: the front matter must open the file, without a space or a line before "---"`,
      );
    }
    return {};
  }
  /** @type {unknown} */
  let value;
  try {
    value = parseYaml(front, { logLevel: "error" }) ?? {};
  } catch (error) {
    const { linePos, message } = /** @type {any} */ (error);
    const line = (linePos?.[0]?.line ?? 0) + 1;
    throw new BuildError(`${file}:${line}: bad front matter: ${String(message).split(/ at line |\n/)[0]}`);
  }
  if (!isRecord(value)) throw new BuildError(`${file}:1: bad front matter: "name: value" lines are needed`);
  return value;
}

/**
 * @param {Record<string, unknown>} front
 * @param {string} name
 * @param {string} file
 */
function readField(front, name, file) {
  const value = front[name] ?? "";
  if (typeof value === "string" || typeof value === "number") return String(value).trim();
  throw new BuildError(`${file}: bad front matter: "${name}" isn't a text`);
}

/**
 * What a person may have written for "yes": in the YAML of today, only `true` is a boolean.
 * @param {Record<string, unknown>} front
 */
function isDraft({ draft }) {
  return draft === true || draft === 1 || (typeof draft === "string" && /^\s*(?:true|yes|on|y|1)\s*$/i.test(draft));
}

/**
 * @param {Record<string, unknown>} front
 * @param {string} file
 */
function readTags(front, file) {
  const { tags = null } = front;
  const list = typeof tags === "string" ? tags.split(",") : (tags ?? []);
  if (!Array.isArray(list) || list.some((tag) => typeof tag !== "string" && typeof tag !== "number")) {
    throw new BuildError(`${file}: bad front matter: "tags" isn't a list of texts`);
  }
  return [...new Set(list.map((tag) => cleanLine(String(tag))).filter((tag) => tag !== ""))];
}

/**
 * @param {Record<string, unknown>} front
 * @param {string} file
 */
function readLanguage(front, file) {
  const lang = readField(front, "lang", file).toLowerCase();
  if (lang === "") return null;
  const [, code] = /^([a-z]{2,3})(?:[-_][a-z0-9-]+)?$/.exec(lang) ?? [];
  if (code === undefined) throw new BuildError(`${file}: bad front matter: lang "${lang}" isn't a language code`);
  return code;
}

/**
 * @param {Record<string, unknown>} front
 * @param {string} file
 */
function readDate(front, file) {
  const name = front.pubDate == null ? "date" : "pubDate";
  const value = readField(front, name, file);
  if (value === "") return null;
  const date = dateOf(value);
  if (date === null) throw new BuildError(`${file}: bad front matter: ${name} "${value}" isn't a date as 2026-03-12`);
  return date;
}

/**
 * The day that a date says, as written: its zone doesn't move it.
 * @param {unknown} value
 * @returns {string | null} YYYY-MM-DD, null when it isn't a day of the calendar
 */
function dateOf(value) {
  const text = typeof value === "string" ? value.trim().replace(/\s+/g, " ") : "";
  const [, year, , month, day] = DATE.exec(text) ?? [];
  if (year !== undefined) return dayOf(Number(year), Number(month), Number(day));
  const [, before, dayAfter, dayBefore, after, englishYear] = ENGLISH_DATE.exec(text) ?? [];
  if (englishYear === undefined) return null;
  const rank = MONTHS.indexOf((before ?? after).slice(0, 3).toLowerCase());
  return dayOf(Number(englishYear), rank + 1, Number(dayAfter ?? dayBefore));
}

/**
 * @param {number} year
 * @param {number} month
 * @param {number} day
 */
function dayOf(year, month, day) {
  // JavaScript takes a year under 100 for one of the last century.
  if (year < 100) return null;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.toISOString().slice(0, 10) : null;
}

/**
 * What a path says of an article.
 * @param {string} path
 */
function splitName(path) {
  const folders = path.replace(/\.mdx?$/i, "").split("/");
  const [, bare, suffix] = /^(.+?)(?:\.([a-z]{2}))?$/i.exec(folders.pop() ?? "") ?? [];
  const isCode = suffix !== undefined && languageOf(suffix) !== null;
  const name = isCode || suffix === undefined ? bare : `${bare}.${suffix}`;
  const lang = [isCode ? suffix : "", ...folders.toReversed()].map(languageOf).find((code) => code !== null) ?? null;
  const around = folders.findLast((folder) => languageOf(folder) === null);
  return { slug: name.toLowerCase() === "index" ? (around ?? "index") : name, lang };
}

/** @param {string} text */
function languageOf(text) {
  const code = text.toLowerCase();
  return LANGUAGES.includes(code) ? code : null;
}

/** @param {Paragraph[]} paragraphs */
function speechOf(paragraphs) {
  return paragraphs.flatMap(({ sentences }) => sentences).join(" ");
}

/**
 * Cuts paragraphs in chunks: whole code, headings with what follows them, a long text between its sentences.
 * @param {Paragraph[]} blocks
 * @returns {[paragraphs: Paragraph[], chunks: Chunk[]]}
 */
function cutChunks(blocks) {
  /** @type {Paragraph[]} */
  const paragraphs = [];
  for (const block of blocks) {
    const headings = paragraphs.length - 1 - paragraphs.findLastIndex(({ kind }) => kind !== "heading");
    const room = CEILING - sizeOf(paragraphs.slice(paragraphs.length - headings));
    paragraphs.push(...(block.kind === "text" && textOf(block).length > room ? splitText(block) : [block]));
  }
  /** @type {Chunk[]} */
  const chunks = [];
  let from = 0;
  let index = 0;
  while (index < paragraphs.length) {
    // A unit: headings, and the first thing under them.
    let end = index;
    while (end < paragraphs.length - 1 && paragraphs[end].kind === "heading") end++;
    const unit = sizeOf(paragraphs.slice(index, end + 1));
    const isTail = paragraphs[end].kind === "heading";
    if (index > from && !isTail && sizeOf(paragraphs.slice(from, index)) + unit > TARGET) {
      const carried = index - 1 > from && isCarried(paragraphs[index - 1]) ? sizeOf([paragraphs[index - 1]]) : 0;
      chunks.push({ from, to: index, hash: null, vector: null });
      from = carried > 0 && carried + unit <= CEILING ? index - 1 : index;
    }
    index = end + 1;
  }
  chunks.push({ from, to: paragraphs.length, hash: null, vector: null });
  return [paragraphs, chunks];
}

/** @param {Paragraph} paragraph */
function isCarried(paragraph) {
  return paragraph.kind === "text" && textOf(paragraph).length < CARRIED;
}

/** @param {Paragraph[]} paragraphs */
function sizeOf(paragraphs) {
  return paragraphs.reduce((size, paragraph) => size + textOf(paragraph).length + 2, 0);
}

/**
 * @param {Paragraph} block
 * @returns {Paragraph[]}
 */
function splitText(block) {
  /** @type {Paragraph[]} */
  const parts = [];
  let size = 0;
  for (const [index, sentence] of block.sentences.entries()) {
    const part = parts.at(-1);
    if (part === undefined || size + sentence.length > TARGET) {
      parts.push({ ...block, sentences: [sentence], at: [block.at[index]] });
      size = sentence.length + 1;
    } else {
      part.sentences.push(sentence);
      part.at.push(block.at[index]);
      size += sentence.length + 1;
    }
  }
  return parts;
}

/**
 * One chunk of a published file, checked. `start` and `end`: where its text stands in the merged text of its article.
 * @typedef {{ slug: string, lang: string, title: string, url: string | null, date: string | null, i: number,
 *   text: string, h: string | null, vector: Int8Array | null, start: number, end: number }} Published
 */

/**
 * Reads a file that a blog publishes, `bob-vectors.json`: chunks of raw Markdown with their vectors.
 * @param {string} text its JSON
 * @param {string} file what an error names
 * @param {string | null} base the address it came from, against which relative addresses are resolved
 * @param {Voice} voice
 * @returns {Blog}
 * @throws {BuildError} when it isn't such a file, or a vector hasn't the length it says
 */
export function readPublished(text, file, base, voice) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new BuildError(`${file}: not JSON`);
  }
  if (!isRecord(value) || !Array.isArray(value.chunks)) throw new BuildError(`${file}: no "chunks" array in it`);
  const { model, dim, generated, chunks: listed } = value;
  if (typeof model !== "string" || model.trim() === "") throw new BuildError(`${file}: it names no "model"`);
  if (typeof dim !== "number" || !Number.isInteger(dim) || dim < 1) {
    throw new BuildError(`${file}: its "dim" isn't a positive whole number`);
  }
  const chunks = listed.flatMap((chunk, index) => readChunk(chunk, index, dim, { file, base, voice }));
  /** @type {Map<string, Published[]>} */
  const groups = Map.groupBy(chunks, ({ lang, slug }) => `${lang}/${slug}`);
  const known = wordsInside(chunks.map((chunk) => chunk.text));
  const articles = [...groups.values()].flatMap((group) => {
    // Two crawls of one article, mixed: only the last one is current.
    const newest = group
      .map(({ date }) => date ?? "")
      .toSorted()
      .at(-1);
    const byOrder = new Map(group.filter(({ date }) => (date ?? "") === newest).map((chunk) => [chunk.i, chunk]));
    const current = [...byOrder.values()].toSorted((one, other) => one.i - other.i);
    return joinChunks(current, known, file);
  });
  if (articles.length === 0) throw new BuildError(`${file}: no article in it`);
  const instant = typeof generated === "string" && dateOf(generated) !== null ? Date.parse(generated) : Number.NaN;
  return { articles, model, dim, generated: Number.isNaN(instant) ? null : new Date(instant).toISOString() };
}

/**
 * @param {unknown} chunk
 * @param {number} index
 * @param {number} dim
 * @param {{ file: string, base: string | null, voice: Voice }} context
 * @returns {Published[]} none when the chunk can't be used, or says nothing
 */
function readChunk(chunk, index, dim, { file, base, voice }) {
  const { slug, lang, title, url, date, i, text, h, v } = isRecord(chunk) ? chunk : {};
  const code =
    typeof lang === "string" ? /^([a-z]{2,3})(?:[-_][a-z0-9-]+)?$/i.exec(lang)?.[1].toLowerCase() : undefined;
  if (typeof slug !== "string" || slug === "" || typeof text !== "string" || code === undefined) {
    voice.warn(`${file}: chunk ${index} left out, its "slug", "lang" or "text" is missing`);
    return [];
  }
  const order = typeof i === "number" && Number.isInteger(i) ? i : index;
  const name = `${slug} (${code}), chunk ${order}`;
  const isBase64 = typeof v === "string" && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(v);
  let vector = isBase64 && v !== "" ? new Int8Array(Buffer.from(v, "base64")) : null;
  if (vector !== null && vector.length !== dim) {
    throw new BuildError(`${file}: ${name}: its vector has ${vector.length} values instead of ${dim}`);
  }
  if (vector?.every((component) => component === 0)) vector = null;
  if (vector === null) voice.warn(`${file}: ${name}: its vector can't be read, it is found by its words only`);
  const source = text.replace(/\r\n?/g, "\n");
  const { paragraphs } = parseBlocks(source, "loose", `${file}: ${name}`);
  const speech = speechOf(paragraphs);
  if (SIGNATURE.test(speech) || paragraphs.length === 0) return [];
  return [
    {
      slug,
      lang: code,
      title: cleanLine(typeof title === "string" ? title.replaceAll('\\"', '"') : "") || slug,
      url: absolute(typeof url === "string" ? url : "", base),
      date: dateOf(date),
      i: order,
      text: source,
      h: typeof h === "string" && /^[0-9a-f]{16}$/.test(h) ? h : null,
      vector,
      start: 0,
      end: 0,
    },
  ];
}

/**
 * The chunks of one article, in order, as an article: its Markdown is put together, read once, then shared out.
 * @param {Published[]} chunks
 * @param {Set<string>} known words of the blog
 * @param {string} file
 * @returns {Article[]} one, or none when nothing is left of it
 */
function joinChunks(chunks, known, file) {
  const whole = closeFences(mergeTexts(chunks, known), chunks);
  const { slug, lang, title } = chunks[0];
  const parsed = parseBlocks(whole, "loose", `${file}: ${slug} (${lang})`);
  const paragraphs = parsed.paragraphs.flatMap((paragraph) => splitAt(paragraph, chunks));
  if (paragraphs.length === 0) return [];
  const shared = chunks.map(({ start, end, h, vector }) => {
    const first = paragraphs.findIndex((paragraph) => paragraph.end > start);
    const from = first === -1 ? paragraphs.length - 1 : first;
    const to = Math.max(paragraphs.findLastIndex((paragraph) => paragraph.start < end) + 1, from + 1);
    return { from, to, hash: h, vector };
  });
  const { url, date } = chunks[0];
  const said = { slug, lang, title, date, url, description: "", tags: [] };
  return [{ ...said, paragraphs, chunks: shared, file }];
}

/**
 * Puts the texts of consecutive chunks together, without what was carried over; says in each where it stands.
 * @param {Published[]} chunks
 * @param {Set<string>} known
 */
function mergeTexts(chunks, known) {
  let merged = "";
  let previous = "";
  for (const chunk of chunks) {
    const text = trimLines(chunk.text);
    const carried = overlapOf(trimLines(previous), text);
    const joint = carried > 0 || merged === "" ? "" : jointOf(previous, chunk.text, known);
    merged += joint;
    chunk.start = merged.length - carried;
    merged += text.slice(carried);
    chunk.end = merged.length;
    previous = chunk.text;
  }
  return merged;
}

/** @param {string} text */
function trimLines(text) {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/**
 * How many characters at the end of a text open the next one: whole paragraphs, be they of a fence cut in half.
 * @param {string} previous
 * @param {string} text
 */
function overlapOf(previous, text) {
  const starts = [0, ...[...previous.matchAll(/\n[ \t]*\n+/g)].map(({ index, 0: gap }) => index + gap.length)];
  for (const start of starts) {
    const size = previous.length - start;
    if (text.startsWith(previous.slice(start)) && (size === text.length || text[size] === "\n")) return size;
  }
  return 0;
}

/**
 * What stands between two chunks: a blank line, or nothing but a space when a sentence was cut at the ceiling.
 * @param {string} previous raw
 * @param {string} text raw
 * @param {Set<string>} known
 */
function jointOf(previous, text, known) {
  const isCut = previous.length >= CEILING - 40 && !/[.!?…:;|`>][*_"”»’)\]]*\s*$/.test(previous);
  if (!isCut || /^\s*(?:#{1,6} |```|~~~|[-*+|>] |\d+[.)] |<|\n)/.test(text)) return "\n\n";
  if (/\s$/.test(previous) || /^\s/.test(text) || previous.length < CEILING) return " ";
  const [before] = /[\p{L}\p{N}]*$/u.exec(previous) ?? [""];
  const [after] = /^[\p{L}\p{N}]*/u.exec(text) ?? [""];
  if (before === "" || after === "") return "";
  // The space may have been trimmed: the blog's other words tell whether these two make one.
  const isWord = (/** @type {string} */ word) => known.has(word.toLowerCase());
  return !isWord(before + after) && isWord(before) && isWord(after) ? " " : "";
}

/**
 * The words of the texts, less the first and the last of each, which may be cut.
 * @param {string[]} texts
 */
function wordsInside(texts) {
  return new Set(texts.flatMap((text) => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(1, -1)));
}

/**
 * Closes the fence that a missing chunk leaves open to the end, at the end of its chunk; one without a language closes a
 * block whose beginning is missing, and gets one at the start of its chunk.
 * @param {string} merged
 * @param {Published[]} chunks moved along
 */
function closeFences(merged, chunks) {
  let text = merged;
  for (const _ of chunks) {
    const open = openFence(text);
    if (open === null) return text;
    const chunk = chunks.findLast(({ start }) => start <= open.at) ?? chunks[0];
    const [place, line] = open.bare ? [chunk.start, `${open.mark}\n`] : [chunk.end, `\n${open.mark}`];
    text = text.slice(0, place) + line + text.slice(place);
    for (const one of chunks) {
      if (one.start > place || (one.start === place && !open.bare)) one.start += line.length;
      if (one.end >= place) one.end += line.length;
    }
  }
  return text;
}

/** @param {string} text */
function openFence(text) {
  /** @type {{ at: number, mark: string, bare: boolean } | null} */
  let open = null;
  for (const { index, 1: mark, 2: info } of text.matchAll(/^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,})(.*)$/gm)) {
    if (open === null) open = { at: index, mark, bare: info.trim() === "" };
    else if (mark.startsWith(open.mark) && info.trim() === "") open = null;
  }
  return open;
}

/**
 * Cuts a text where chunks begin or end inside it, each sentence whole, on the side that has more of it.
 * @param {Paragraph} paragraph
 * @param {Published[]} chunks
 * @returns {Paragraph[]}
 */
function splitAt(paragraph, chunks) {
  const { kind, sentences, at, start, end } = paragraph;
  if (kind !== "text") return [paragraph];
  const bounds = chunks.flatMap((chunk) => [chunk.start, chunk.end]).filter((place) => place > start && place < end);
  const cuts = [...new Set(bounds)].toSorted((one, other) => one - other);
  if (cuts.length === 0) return [paragraph];
  return [start, ...cuts].flatMap((from, index) => {
    const to = cuts[index] ?? end;
    const inside = sentences.flatMap((_, place) => {
      const middle = (at[place] + (at[place + 1] ?? end)) / 2;
      return middle >= from && middle < to ? [place] : [];
    });
    if (inside.length === 0) return [];
    const [first, last] = [inside[0], inside[inside.length - 1] + 1];
    return [{ ...paragraph, sentences: sentences.slice(first, last), at: at.slice(first, last), start: from, end: to }];
  });
}

/**
 * The link of an article: what it says itself, resolved against the blog's address, or that address with its slug.
 * @param {string} said
 * @param {string} slug
 * @param {string} lang
 * @param {string | null} blog its address, which may hold {slug} and {lang}
 */
function linkOf(said, slug, lang, blog) {
  if (blog === null || said !== "") return absolute(said, blog === null ? null : rootOf(blog));
  const place = blog.includes("{slug}") ? blog : `${blog.replace(/\/*$/, "/")}{slug}`;
  const path = slug.split("/").map(encodeURIComponent).join("/");
  return absolute(
    place.replaceAll("{lang}", lang).replaceAll("{slug}", () => path),
    null,
  );
}

/**
 * What the relative addresses of a blog are resolved against.
 * @param {string} blog its address, which may hold {slug} and {lang}
 */
export function rootOf(blog) {
  return blog.includes("{") ? blog.slice(0, blog.indexOf("{")) : blog.replace(/\/*$/, "/");
}

/**
 * @param {string} url
 * @param {string | null} base
 * @returns {string | null} an absolute address of the web, or null
 */
function absolute(url, base) {
  if (url === "" || !URL.canParse(url, base ?? undefined)) return null;
  const { protocol, href } = new URL(url, base ?? undefined);
  return /^https?:$/.test(protocol) ? href : null;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
