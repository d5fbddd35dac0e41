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
/**
 * The vector of each text, at length 1, in the same order.
 * @param {Server} server
 * @param {Input[]} inputs
 * @param {number} dim how long vectors must be, 0 for as long as the first one
 * @param {Protocols} door
 * @param {(count: number) => void} [done] told, after each batch, how many texts it had
 * @returns {Promise<Float64Array[]>}
 * @throws {BuildError} naming the address and the text, when the answer can't be trusted
 */
export async function embed(server, inputs, dim, door, done = () => {}) {
  /** @type {Float64Array[]} */
  const vectors = [];
  for (let from = 0; from < inputs.length; from += BATCH) {
    const batch = inputs.slice(from, from + BATCH);
    const found = await askBatch(server, batch, door);
    for (const [index, value] of found.entries()) {
      const vector = door.parseVector(value, dim || vectors[0]?.length || 0);
      if (typeof vector === "string")
        throw new BuildError(`${sayUrl(server.url)}: ${vector}, for ${batch[index].name}`);
      vectors.push(vector);
    }
    done(batch.length);
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
 * Asks once, and once more a second later when the network or the server fails.
 * @param {string} url
 * @param {RequestInit} init
 * @returns {Promise<{ text: string, url: string }>} a body, and the address that gave it in the end
 * @throws {BuildError} with the status, never the body: it may be a page
 */
export async function request(url, init) {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.ok) return { text: await response.text(), url: response.url || url };
      await response.body?.cancel();
      if (response.status < 500 || attempt === 2) throw new BuildError(`it answered ${response.status}`);
    } catch (error) {
      if (error instanceof BuildError) throw error;
      if (attempt === 2) throw new BuildError(whyOf(error));
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
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
 * @returns {Promise<unknown[]>} as many vectors as texts, unchecked
 */
async function askBatch({ url, protocol, model, token }, batch, door) {
  const ask = door.PROTOCOLS[protocol];
  const others = batch.length > 1 ? ` and the ${batch.length - 1} after it` : "";
  const refuse = (/** @type {string} */ why) => new BuildError(`${sayUrl(url)}: ${why}, for ${batch[0].name}${others}`);
  const { text } = await request(url, {
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
    throw error instanceof BuildError ? refuse(error.message) : error;
  });
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
