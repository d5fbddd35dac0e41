// The binary files of an index: the words of a language and its vectors, packed for a Worker that reads them in place.
import { createHash } from "node:crypto";

/**
 * How a language is read: the words of a text that count, with their accents; a word as it is looked up, and its stem.
 * @typedef {{ words(text: string): string[], form(word: string): string, stem(word: string): string }} Language
 *
 * A chunk as it is searched: its text, and what its article says of itself.
 * @typedef {{ text: string, title: string, description: string, tags: string[] }} Searched
 *
 * A vector as it is stored: cosine = dot(unit query, `bytes`) × `scale`. A scale of 0: no vector.
 * @typedef {{ bytes: Int8Array, scale: number }} Quantized
 */

/** What an occurrence counts for, doubled to stay whole: in the text, the description or a tag, the title. */
const WEIGHTS = { text: 2, description: 3, title: 4 };
/** What 16 bits count: chunks and stems of a language. */
export const LIMIT = 65_535;

/**
 * @param {string | Uint8Array} content
 * @param {number} length
 * @returns {string} the first figures of its SHA-256
 */
export function hashOf(content, length) {
  return createHash("sha256").update(content).digest("hex").slice(0, length);
}

/**
 * The `.words` file of a language: its forms, their stems, and which chunks have them.
 * @param {Searched[]} chunks in their order
 * @param {Language} language
 * @returns {{ bytes: Uint8Array | null, terms: number }} null over 65,535 stems
 */
export function packWords(chunks, language) {
  /** @type {Map<string, string[]>} the same titles come back with every chunk */
  const known = new Map();
  const wordsOf = (/** @type {string} */ text) => {
    if (!known.has(text)) known.set(text, language.words(text));
    return /** @type {string[]} */ (known.get(text));
  };
  const fields = chunks.map(({ text, title, description, tags }) => ({
    text: language.words(text),
    title: wordsOf(title),
    description: [description, ...tags].flatMap(wordsOf),
  }));
  const stems = stemsOf(fields, language);
  const terms = [...new Set(stems.values())].toSorted(byBytes);
  if (terms.length > LIMIT) return { bytes: null, terms: terms.length };
  const numbers = new Map(terms.map((term, index) => [term, index]));
  // A stem is looked up too; when it is also a word of another stem, the word's own entry wins.
  for (const term of terms) if (!stems.has(term)) stems.set(term, term);
  const forms = [...stems.keys()].toSorted(byBytes);

  /** @type {[chunk: number, weight: number][][]} by term */
  const postings = terms.map(() => []);
  const lengths = fields.map((field, chunk) => {
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const name of /** @type {const} */ (["text", "title", "description"])) {
      for (const word of field[name]) {
        const term = Number(numbers.get(String(stems.get(language.form(word)))));
        counts.set(term, (counts.get(term) ?? 0) + WEIGHTS[name]);
      }
    }
    for (const [term, weight] of counts) postings[term].push([chunk, Math.min(weight, 255)]);
    return Math.min(Math.round(sum([...counts.values()]) / 2), LIMIT);
  });
  const flat = postings.flat();
  const encoded = forms.map((form) => Buffer.from(form));
  const text = Buffer.concat(encoded);
  const average = chunks.length === 0 ? 0 : sum(lengths) / chunks.length;
  const bytes = Buffer.concat([
    Buffer.from("WDR1"),
    uint32([chunks.length, terms.length, forms.length, flat.length, text.length, Math.round(average * 100), 0]),
    uint32(endsOf(encoded.map(({ length }) => length))),
    uint32(endsOf(postings.map(({ length }) => length))),
    uint16(forms.map((form) => Number(numbers.get(String(stems.get(form)))))),
    uint16(flat.map(([chunk]) => chunk)),
    uint16(lengths),
    Uint8Array.from(flat, ([, weight]) => weight),
    text,
  ]);
  return { bytes, terms: terms.length };
}

/**
 * The stem of each form. Two words that only accents tell apart have one entry: that of the more frequent one.
 * @param {Record<string, string[]>[]} fields
 * @param {Language} language
 * @returns {Map<string, string>}
 */
function stemsOf(fields, language) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const field of fields) {
    for (const word of Object.values(field).flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  /** @type {Map<string, string>} */
  const stems = new Map();
  const frequent = [...counts].toSorted(([one, many], [other, more]) => more - many || byBytes(one, other));
  for (const [word] of frequent) {
    const form = language.form(word);
    if (!stems.has(form)) stems.set(form, language.stem(word));
  }
  return stems;
}

/**
 * The `.vectors` file of a language: a few bits of each vector to choose with, then the vectors.
 * @param {Quantized[]} vectors in the order of the chunks
 * @param {number} dim
 * @returns {Uint8Array}
 */
export function packVectors(vectors, dim) {
  const present = vectors.filter(({ scale }) => scale > 0);
  const mean = new Float32Array(dim);
  for (let place = 0; place < dim; place++) {
    mean[place] = present.reduce((total, { bytes, scale }) => total + bytes[place] * scale, 0) / (present.length || 1);
  }
  const width = Math.ceil(dim / 32);
  const signs = new Uint32Array(vectors.length * width);
  for (const [index, { bytes, scale }] of vectors.entries()) {
    if (scale === 0) continue;
    for (let place = 0; place < dim; place++) {
      if (bytes[place] * scale > mean[place]) signs[index * width + (place >> 5)] |= 1 << (place & 31);
    }
  }
  return Buffer.concat([
    Buffer.from("VEC1"),
    uint32([vectors.length, dim, width]),
    float32(mean),
    float32(vectors.map(({ scale }) => scale)),
    uint32(signs),
    ...vectors.map(({ bytes }) => Buffer.from(bytes.buffer, bytes.byteOffset, dim)),
  ]);
}

/**
 * The vectors of a `.vectors` file, in the order of the chunks; null when it isn't one.
 * @param {Buffer} bytes
 * @returns {Quantized[] | null}
 */
export function unpackVectors(bytes) {
  if (bytes.length < 16 || bytes.toString("latin1", 0, 4) !== "VEC1") return null;
  const [count, dim, width] = [4, 8, 12].map((place) => bytes.readUInt32LE(place));
  const scales = 16 + 4 * dim;
  const start = scales + 4 * count + 4 * count * width;
  if (bytes.length !== start + count * dim) return null;
  return Array.from({ length: count }, (_, index) => ({
    bytes: new Int8Array(bytes.subarray(start + index * dim, start + (index + 1) * dim)),
    scale: bytes.readFloatLE(scales + 4 * index),
  }));
}

/**
 * A vector in 8 bits, its greatest value at 127.
 * @param {ArrayLike<number>} vector of any length
 * @returns {Quantized}
 */
export function quantize(vector) {
  const components = Array.from(vector);
  const most = components.reduce((best, component) => Math.max(best, Math.abs(component)), 0);
  return withScale(Int8Array.from(components, (component) => Math.round((component * 127) / most)));
}

/**
 * @param {Int8Array} bytes not all zero
 * @returns {Quantized}
 */
export function withScale(bytes) {
  return { bytes, scale: Math.fround(1 / Math.sqrt(bytes.reduce((total, byte) => total + byte * byte, 0))) };
}

/**
 * The exact cosine of a stored vector and a query.
 * @param {Float64Array} query of length 1
 * @param {Quantized} vector
 */
export function cosine(query, { bytes, scale }) {
  let dot = 0;
  for (let place = 0; place < query.length; place++) dot += query[place] * bytes[place];
  return dot * scale;
}

/**
 * @param {string} one
 * @param {string} other
 */
function byBytes(one, other) {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @param {number[]} sizes */
function endsOf(sizes) {
  let end = 0;
  return sizes.map((size) => {
    end += size;
    return end;
  });
}

/** @param {ArrayLike<number>} numbers */
function uint32(numbers) {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (let index = 0; index < numbers.length; index++) bytes.writeUInt32LE(numbers[index], 4 * index);
  return bytes;
}

/**
 * Padded to a multiple of 4 bytes.
 * @param {number[]} numbers
 */
function uint16(numbers) {
  const bytes = Buffer.alloc(4 * Math.ceil(numbers.length / 2));
  for (const [index, number] of numbers.entries()) bytes.writeUInt16LE(number, 2 * index);
  return bytes;
}

/** @param {ArrayLike<number>} numbers */
function float32(numbers) {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (let index = 0; index < numbers.length; index++) bytes.writeFloatLE(numbers[index], 4 * index);
  return bytes;
}
