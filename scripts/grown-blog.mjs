// A blog as large as one wants, for the benches: the made-up one again and again in other words, with made-up vectors.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildIndex } from "./index.mjs";
import { packVectors, quantize } from "./pack.mjs";

export const BLOG = "test/fixtures/blog";
/** As long as bge-m3's. */
export const DIM = 1_024;
/** Made-up vectors gather around this many subjects. */
const SUBJECTS = 200;

/**
 * Numbers from 0 to 1, the same every time (mulberry32).
 * @param {number} seed
 * @returns {() => number}
 */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * A `.vectors` file of made-up chunks, as alike as those of one subject are, and questions near some of them.
 * @param {number} count
 * @param {number} dim
 * @param {() => number} random
 */
export function makeVectors(count, dim, random) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const around = (/** @type {Float32Array} */ centre) => Float32Array.from(centre, (value) => value + normal());
  const subjects = Array.from({ length: SUBJECTS }, () => Float32Array.from({ length: dim }, normal));
  const chunks = Array.from({ length: count }, (_, index) =>
    quantize(Float64Array.from(around(subjects[index % SUBJECTS]))),
  );
  const near = subjects.slice(0, 40).map((subject) => [...around(subject)]);
  return { vectors: packVectors(chunks, dim), near };
}

const LONG_WORD = /(?<![\p{L}\d_])\p{Ll}{5,}(?![\p{L}\d_])/gu;

/** @param {string} text of an article, after its front matter */
function bodyOf(text) {
  return text.split(/^---$/m).slice(2).join("---");
}

/**
 * An index of the blog's French articles again and again, two in one, with made-up vectors. In each copy but the first, each
 * long word stands for another: the same texts again would all be one answer.
 * @param {string} folder where it is written
 * @param {number} copies of each article; seven make some 1,000 chunks, eleven for each article
 * @param {() => number} random
 * @returns {Promise<any>} its header
 */
export async function growBlog(folder, copies, random) {
  const source = mkdtempSync(join(tmpdir(), "bench-blog-"));
  const voice = { say() {}, warn() {} };
  try {
    mkdirSync(join(source, "fr"));
    const texts = readdirSync(join(BLOG, "fr")).map((file) => readFileSync(join(BLOG, "fr", file), "utf8"));
    const words = [...new Set(texts.flatMap((text) => bodyOf(text).match(LONG_WORD) ?? []))];
    for (let copy = 0; copy < copies; copy++) {
      const others = words.map((word) => ({ word, rank: random() })).toSorted((one, other) => one.rank - other.rank);
      const other = new Map(words.map((word, at) => [word, copy === 0 ? word : others[at].word]));
      const reword = (/** @type {string} */ text) => text.replace(LONG_WORD, (word) => other.get(word) ?? word);
      for (let at = 0; at + 1 < texts.length; at += 2) {
        const [, front] = texts[at].split(/^---$/m);
        const head = front.replace(/^(?:title|description):.*$/gm, (line) => line.replace(/(?<=:).*/, reword));
        const body = reword(bodyOf(texts[at]) + bodyOf(texts[at + 1]));
        writeFileSync(join(source, "fr", `copie-${copy}-${at}.mdx`), `---${head}---${body}`);
      }
    }
    const header = await buildIndex({ from: source, out: folder, name: "le banc d'essai", voice });
    const { chunks } = header.languages.fr;
    const grown = { ...header, model: "bge-m3", dim: DIM, floor: -1 };
    grown.languages.fr.vectors = "fr-made-up.vectors";
    writeFileSync(join(folder, "fr-made-up.vectors"), makeVectors(chunks, DIM, random).vectors);
    writeFileSync(join(folder, "index.json"), JSON.stringify(grown));
    return grown;
  } finally {
    rmSync(source, { recursive: true, force: true });
  }
}
