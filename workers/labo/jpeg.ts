// JPEG files whose comment lies: a camera announces a comment of 4,094 bytes and writes 4,958. A browser shows such a file,
// the API of a model refuses it, and with it every later turn of the conversation. So the comments go, all else stays to the
// byte, and what can't be trusted after that is never shown.

/** Why a file was left as it was. */
export type Reason =
  | "too_large"
  | "not_jpeg"
  | "lost_sync"
  | "too_many_segments"
  | "com_unbounded"
  | "truncated_header"
  | "bad_sos"
  | "sos_before_sof"
  | "eoi_before_sos"
  | "bad_marker";

/** `bytes` is the input itself, not a copy, when there was nothing to remove or when `reason` says why it couldn't be. */
export interface Cleaned {
  bytes: Uint8Array<ArrayBuffer>;
  reason: Reason | null;
}

/** What may be done with a file: show it, say that it is too heavy, say that it can't be read. */
export type Verdict = "good" | "heavy" | "unreadable";

/** Cameras send a tenth of that; past it, looking for the end of a comment isn't worth the time. */
const REPAIR_LIMIT = 6 * 1024 * 1024;
/** 1.4 MB once in base64. */
const SHOW_LIMIT = 1024 * 1024;
/** Past it, APIs scale a picture down or refuse it. */
const SIDE_LIMIT = 8000;
/** Real headers have about ten. */
const SEGMENT_LIMIT = 512;
/** How far a comment may go on past what it announced. The two known makes: 608 and 864 bytes. */
const SCAN_LIMIT = 128 * 1024;
/** So many well-formed segments in a row aren't the bytes of a comment. */
const CHAIN = 4;
/** Fill that guesses may walk through in all: without it, a forged file makes thousands of them cross the same megabytes. */
const FILL_LIMIT = 4 * 1024 * 1024;

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const COM = 0xfe;

/** Segments that a header may have, the comment aside: each has a length. */
const isHeader = (marker: number) =>
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc8) ||
  (marker >= 0xda && marker <= 0xdf) ||
  (marker >= 0xe0 && marker <= 0xef);
/** Start of frame, which has the width and the height: among the C's, C4 is DHT, C8 reserved and CC is DAC. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const isJpeg = (bytes: Uint8Array) => bytes.length >= 4 && bytes[0] === 0xff && bytes[1] === SOI;

/** 16 bits, big-endian, or -1 past the end. */
const readTwo = (bytes: Uint8Array, at: number) => (at + 1 < bytes.length ? bytes[at] * 256 + bytes[at + 1] : -1);

/** Where the segment at `q` ends, by its own length; or -1 if it has none, an impossible one, or one that doesn't fit. */
function endOf(bytes: Uint8Array, q: number): number {
  const length = readTwo(bytes, q + 2);
  return length >= 2 && q + 2 + length <= bytes.length ? q + 2 + length : -1;
}

/** How much fill may still be walked through. */
interface Fill {
  left: number;
}

/** Where the marker at `p` is, its fill skipped: the last FF before a byte that is none. -1 if there is no marker. */
function findMarker(bytes: Uint8Array, p: number, fill: Fill = { left: bytes.length }): number {
  if (bytes[p] !== 0xff) return -1;
  let q = p;
  while (bytes[q + 1] === 0xff && fill.left > 0) {
    q++;
    fill.left--;
  }
  return q + 1 < bytes.length && bytes[q + 1] !== 0xff ? q : -1;
}

/** Whether the start of scan at `q` has the length that its number of components asks for. */
function isScan(bytes: Uint8Array, q: number): boolean {
  const components = bytes[q + 4];
  return components >= 1 && components <= 4 && endOf(bytes, q) === q + 8 + 2 * components;
}

/**
 * Removes every comment before the first scan. Everything else is copied verbatim: fill, order, what follows the image. The
 * fill between a comment and the next segment goes with the comment, since nothing tells it from a payload of FF. Never
 * throws; the output, cleaned again, is the same; a file that can't be followed to its first scan comes back as it was.
 */
export function cleanJpeg(bytes: Uint8Array<ArrayBuffer>): Cleaned {
  const leave = (reason: Reason) => ({ bytes, reason });
  if (bytes.length > REPAIR_LIMIT) return leave("too_large");
  if (!isJpeg(bytes)) return leave("not_jpeg");
  const kept: [from: number, to: number][] = [[0, 2]];
  const fill = { left: FILL_LIMIT };
  let hasFrame = false;
  let p = 2;
  for (let count = 0; count < SEGMENT_LIMIT; count++) {
    const q = findMarker(bytes, p);
    if (q === -1) return leave("lost_sync");
    const marker = bytes[q + 1];
    if (marker === SOS) {
      if (!hasFrame) return leave("sos_before_sof");
      if (!isScan(bytes, q)) return leave("bad_sos");
      return { bytes: joined(bytes, [...kept, [p, bytes.length]]), reason: null };
    }
    if (marker === COM) {
      p = endOfComment(bytes, q, fill);
      if (p === -1) return leave("com_unbounded");
      continue;
    }
    if (!isHeader(marker)) return leave(marker === EOI ? "eoi_before_sos" : "bad_marker");
    const end = endOf(bytes, q);
    if (end === -1) return leave("truncated_header");
    hasFrame ||= isFrame(marker);
    kept.push([p, end]);
    p = end;
  }
  return leave("too_many_segments");
}

/** Where the comment at `q` really ends: where it says, if segments follow; else at the first marker that they follow. */
function endOfComment(bytes: Uint8Array, q: number, fill: Fill): number {
  const announced = endOf(bytes, q);
  if (announced !== -1 && isChain(bytes, announced, fill)) return findMarker(bytes, announced);
  const stop = Math.min(bytes.length, q + 4 + SCAN_LIMIT);
  for (let s = q + 4; s < stop; s++) {
    if (bytes[s] !== 0xff) continue;
    const m = findMarker(bytes, s);
    if (m === -1) return -1;
    // A comment found on the way isn't believed: a payload may hold FFFE, the mark of UTF-16.
    if (isHeader(bytes[m + 1]) && isChain(bytes, m, fill)) return m;
    s = m;
  }
  return -1;
}

/** Whether well-formed segments follow one another from `p`: four, or fewer up to a scan or to a comment. */
function isChain(bytes: Uint8Array, p: number, fill: Fill): boolean {
  for (let count = 0; count < CHAIN; count++) {
    const q = findMarker(bytes, p, fill);
    if (q === -1) return false;
    const marker = bytes[q + 1];
    if (marker === COM) return true;
    if (!isHeader(marker)) return false;
    if (marker === SOS) return isScan(bytes, q);
    p = endOf(bytes, q);
    if (p === -1) return false;
  }
  return true;
}

/** The bytes of these ranges; the same ones, if that is all of them. */
function joined(bytes: Uint8Array<ArrayBuffer>, ranges: readonly [number, number][]): Uint8Array<ArrayBuffer> {
  const length = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
  if (length === bytes.length) return bytes;
  const out = new Uint8Array(length);
  let at = 0;
  for (const [from, to] of ranges) {
    out.set(bytes.subarray(from, to), at);
    at += to - from;
  }
  return out;
}

/**
 * Whether a cleaned file may go to a model: a JPEG that can be followed, with a width and a height, to its first scan. Its end
 * may be missing: decoders only warn. Never throws.
 */
export function judgeJpeg(bytes: Uint8Array): Verdict {
  if (!isJpeg(bytes)) return "unreadable";
  if (bytes.length > SHOW_LIMIT) return "heavy";
  let hasSize = false;
  let p = 2;
  for (let count = 0; count < SEGMENT_LIMIT; count++) {
    const q = findMarker(bytes, p);
    const marker = q === -1 ? -1 : bytes[q + 1];
    if (marker === SOS) return hasSize && isScan(bytes, q) ? "good" : "unreadable";
    const end = isHeader(marker) ? endOf(bytes, q) : -1;
    if (end === -1) return "unreadable";
    if (isFrame(marker)) {
      const sides = [readTwo(bytes, q + 5), readTwo(bytes, q + 7)];
      if (end - q < 10 || sides.some((side) => side < 1 || side > SIDE_LIMIT)) return "unreadable";
      hasSize = true;
    }
    p = end;
  }
  return "unreadable";
}
