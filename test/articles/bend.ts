// What the tests of the search share: bending the texts and the vectors of the made-up blog.
import { type Header, readHeader } from "./source.ts";

type Files = Record<string, Uint8Array>;

export function articleOf(files: Files, slug: string, lang = "fr"): Header {
  return readHeader(files).articles.find((article: Header) => article.slug === slug && article.lang === lang);
}

/** The text of an article, as the index has it. */
export function textOf(files: Files, slug: string, lang = "fr"): Header {
  return JSON.parse(new TextDecoder().decode(files[articleOf(files, slug, lang).text]));
}

/**
 * The same files, where these paragraphs are all that an article says, in each of its chunks: its words find it as before.
 */
export function withParagraphs(files: Files, slug: string, paragraphs: string[][], lang = "fr"): Files {
  const { chunks } = textOf(files, slug, lang);
  return withText(
    files,
    slug,
    paragraphs,
    chunks.map(() => [0, paragraphs.length]),
    lang,
  );
}

/** The same files, where each chunk of an article says only its own paragraphs, the last ones nothing. */
export function withChunks(files: Files, slug: string, ...chunks: string[][][]): Files {
  const ends = textOf(files, slug).chunks.map((_: unknown, at: number) => chunks.slice(0, at + 1).flat().length);
  return withText(
    files,
    slug,
    chunks.flat(),
    ends.map((end: number, at: number) => [ends[at - 1] ?? 0, end]),
  );
}

function withText(files: Files, slug: string, paragraphs: string[][], ranges: number[][], lang = "fr"): Files {
  const { chunks } = textOf(files, slug, lang);
  const text = { paragraphs, chunks: ranges.map((range, at) => [...range, chunks[at][2]]) };
  return { ...files, [articleOf(files, slug, lang).text]: new TextEncoder().encode(JSON.stringify(text)) };
}

/**
 * The same files, where a language has these vectors and no other: by slug, those of the first chunks of the article, in
 * whole numbers from -127 to 127, the last ones 0. An empty one is no vector.
 */
export function withVectors(files: Files, bySlug: Record<string, number[][]>, lang = "fr"): Files {
  const { dim, articles, languages } = readHeader(files);
  const { chunks, vectors: name } = languages[lang];
  const width = Math.ceil(dim / 32);
  const bytes = new ArrayBuffer(16 + 4 * (dim + chunks + chunks * width) + chunks * dim);
  new Uint32Array(bytes, 0, 4).set([0x31434556, chunks, dim, width]);
  const scales = new Float32Array(bytes, 16 + 4 * dim, chunks);
  const values = new Int8Array(bytes, bytes.byteLength - chunks * dim);
  for (const { slug, first } of articles.filter((article: Header) => article.lang === lang)) {
    for (const [part, vector] of (bySlug[slug] ?? []).entries()) {
      scales[first + part] = vector.length === 0 ? 0 : 1 / Math.hypot(...vector);
      values.set(vector, (first + part) * dim);
    }
  }
  return { ...files, [name]: new Uint8Array(bytes) };
}

/** A unit vector of `dim` components whose cosine with [1, 0, 0…] is this. */
export function at(cosine: number, dim = 64): number[] {
  return [cosine, Math.sqrt(1 - cosine ** 2), ...Array<number>(dim - 2).fill(0)];
}
