// Asks an embedding server for vectors, in the four protocols that a blog's author may have at hand.
import { BuildError } from "./blog.mjs";

/**
 * A server of vectors: its address, how it is spoken to, the model that it must be running, and a token for it or null.
 * @typedef {{ url: string, protocol: string, model: string, token: string | null }} Server
 *
 * A text to embed, and what an error calls it.
 * @typedef {{ text: string, name: string }} Input
 *
 * What the door knows of embedding servers: how they are asked, what they answer, and what must not be trusted.
 * @typedef {{
 *   PROTOCOLS: Record<string, (texts: string[], model: string) => object>,
 *   parseEmbeddings(body: unknown): { vectors: unknown[], model: string | null, pooling: string | null },
 *   faultOf(answer: object, wanted: string): string | null,
 *   parseVector(value: unknown, dim: number): Float64Array | string,
 *   isSameModel(said: string, wanted: string): boolean,
 * }} Protocols
 */

const BATCH = 16;
/** A small machine takes seconds for a batch; a model that loads first, half a minute. */
const TIMEOUT_MS = 60_000;
const RETRY_MS = 1_000;
/** A server that says how long to wait is asked up to three times; one that wants longer, later, by the person. */
const ATTEMPTS = 3;
const LONGEST_WAIT_S = 30;

/** A server that answers, but not 200. */
class StatusError extends BuildError {
  /**
   * @param {string} message
   * @param {number} status
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * The vector of each text, at length 1, in the same order.
 * @param {Server} server
 * @param {Input[]} inputs
 * @param {number} dim how long vectors must be, 0 for as long as the first one
 * @param {Protocols} door
 * @param {(found: Float64Array[]) => void} done told, after each batch, its vectors
 * @returns {Promise<Float64Array[]>}
 * @throws {BuildError} naming the address and the text, when the answer can't be trusted
 */
export async function embed(server, inputs, dim, door, done) {
  /** @type {Float64Array[]} */
  const vectors = [];
  let size = BATCH;
  while (vectors.length < inputs.length) {
    const from = vectors.length;
    const batch = inputs.slice(from, from + size);
    const found = await askBatch(server, batch, door);
    if (found === null) {
      size = Math.ceil(batch.length / 2);
      continue;
    }
    for (const [index, value] of found.entries()) {
      const vector = door.parseVector(value, dim || vectors[0]?.length || 0);
      if (typeof vector === "string")
        throw new BuildError(`${sayUrl(server.url)}: ${vector}, for ${batch[index].name}`);
      vectors.push(vector);
    }
    const other = inputs.slice(0, vectors.length).find(({ text }) => text !== inputs[0].text);
    if (other !== undefined && vectors.every((vector) => vector.every((value, place) => value === vectors[0][place]))) {
      throw new BuildError(`${sayUrl(server.url)}: the same vector for ${inputs[0].name} and for ${other.name}`);
    }
    done(vectors.slice(from));
  }
  return vectors;
}

/**
 * An address as errors say it, without a secret.
 * @param {string} url
 */
export function sayUrl(url) {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/**
 * Asks once, and once more a second later when the network or the server fails, or when it says how long to wait.
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<{ text: string, url: string }>} a body, and the address that gave it in the end
 * @throws {BuildError} with the status, never the body: it may be a page
 */
export async function request(url, init) {
  for (let attempt = 1; ; attempt++) {
    /** @type {number | null} */
    let wait = attempt === 1 ? RETRY_MS : null;
    /** @type {BuildError} */
    let failure;
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok) return { text: await response.text(), url: response.url || url };
      await response.body?.cancel();
      const { status, headers } = response;
      const seconds = status === 429 || status === 503 ? secondsOf(headers.get("retry-after")) : null;
      const isLong = seconds !== null && seconds > LONGEST_WAIT_S;
      if (seconds !== null) wait = isLong || attempt === ATTEMPTS ? null : seconds * 1000;
      else if (status < 500) wait = null;
      failure = new StatusError(`it answered ${status}${isLong ? ` and asks to wait ${seconds} seconds` : ""}`, status);
    } catch (error) {
      failure = new BuildError(whyOf(error));
    }
    if (wait === null) throw failure;
    const pause = wait;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * @param {string | null} after the header Retry-After: seconds, or an instant
 * @returns {number | null}
 */
function secondsOf(after) {
  if (after === null) return null;
  const seconds = /^\d+$/.test(after) ? Number(after) : Math.ceil((Date.parse(after) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** @param {unknown} error */
function whyOf(error) {
  const { name, cause, message } = /** @type {any} */ (error);
  if (name === "TimeoutError") return `no answer in ${TIMEOUT_MS / 1000} seconds`;
  return `it can't be reached (${cause?.code ?? cause?.message ?? message})`;
}

/**
 * @param {Server} server
 * @param {Input[]} batch
 * @param {Protocols} door
 * @returns {Promise<unknown[] | null>} as many vectors as texts, unchecked; null when they are too many for the server
 */
async function askBatch({ url, protocol, model, token }, batch, door) {
  const ask = door.PROTOCOLS[protocol];
  const others = batch.length > 1 ? ` and the ${batch.length - 1} after it` : "";
  const refuse = (/** @type {string} */ why) => new BuildError(`${sayUrl(url)}: ${why}, for ${batch[0].name}${others}`);
  const answered = await request(url, {
    method: "POST",
    // Followed, it would become a GET, without its texts.
    redirect: "manual",
    headers: { "content-type": "application/json", ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(
      ask(
        batch.map((input) => input.text),
        model,
      ),
    ),
  }).catch((error) => {
    if (error instanceof StatusError && error.status === 413 && batch.length > 1) return null;
    throw error instanceof BuildError ? refuse(error.message) : error;
  });
  if (answered === null) return null;
  const { text } = answered;
  /** @type {unknown} */
  let body;
  try {
    // Some servers write NaN, which JSON doesn't have: as null, it is refused with the name of its text.
    body = JSON.parse(text.replace(/(?<=[[,:]\s*)-?(?:NaN|Infinity)(?=\s*[\],}])/g, "null"));
  } catch {
    throw refuse("it answered 200 with something that isn't JSON");
  }
  if (typeof body !== "object" || body === null) throw refuse("it answered 200 without vectors");
  const answer = door.parseEmbeddings(body);
  const fault = door.faultOf(answer, model);
  if (fault !== null) throw refuse(fault);
  const { vectors } = answer;
  if (vectors.length === 0) throw refuse("it answered 200 without vectors");
  if (vectors.length !== batch.length) throw refuse(`it answered ${vectors.length} vectors for ${batch.length} texts`);
  return vectors;
}
