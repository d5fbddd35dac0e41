// A source that fails at random, in front of one that doesn't: it passes calls on and spoils some of the answers. It also
// watches how it is asked: never the same thing twice at once, nor again too soon, nor while it has asked to be left alone.
import { text as readAll } from "node:stream/consumers";
import { chance, pick, weighted } from "../../scripts/random.mjs";
import { listen } from "./server.mjs";

/** @typedef {import("node:http").ServerResponse} Response */

/**
 * How an answer is spoilt, and how often: about half of them are whole, so that there is something to remember.
 * - `broken`, `gateway`, `busy`, `missing`: the page of a 500, 502, 503 or 404; `throttled`: a 429 that asks for 10 s of rest;
 * - `html`: a page, with a 200; `elsewhere`: a redirect to a host that doesn't exist; `reset`: the socket closes at once;
 * - `cut`: it closes at half of the body; `truncated`: half of the body, as if it were all; `empty`: no body;
 * - `slow`: good, after 1 to 3 s; `drip`: a byte a second; `stall`: nothing at all; `huge`: good, then blanks up to 3 MB;
 * - `odd`: JSON of another kind; `bent`: the good JSON, a few of its values removed, emptied or of another type.
 */
const FAULTS = {
  none: 46,
  broken: 4,
  gateway: 2,
  busy: 3,
  missing: 2,
  throttled: 0.35,
  html: 3,
  elsewhere: 1,
  reset: 2,
  cut: 3,
  truncated: 3,
  empty: 2,
  slow: 5,
  drip: 1,
  stall: 3,
  huge: 1,
  odd: 2.3,
  bent: 16,
};

const ERRORS = /** @type {Record<string, number>} */ ({ broken: 500, gateway: 502, busy: 503, missing: 404 });

/** After a failure an address rests for 5 s: half of it, in ms, since a loaded machine sees the end of a call late. */
const REST_MS = 2_500;
/** What a 429 asks for, in seconds; and how long a call that was already on its way may still arrive, in ms. */
const RETRY_AFTER = 10;
const ON_ITS_WAY_MS = 5_000;
const HUGE = 3_000_000;
const HTML = "<!DOCTYPE html><html><head><title>Sorry</title></head><body>undefined</body></html>";
const ODD = ["null", "true", "0", '"x"', "[]", "{}", "[[]]", '{"error":null}', '{"data":"x"}'];

/**
 * What is known of an address: the calls that are open, how many there were, when the last one ended.
 * @typedef {{ open: number, calls: number, ended: number }} Address
 */

/**
 * Serves `target`, spoilt from `seed`: the same call of the same address is always spoilt in the same way.
 * @param {string} target origin of a server on the loopback
 * @param {number} seed
 * @param {Partial<typeof FAULTS>} [weights] that replace the usual ones
 * @returns {Promise<{ url: string, addresses: Map<string, Address>, faults: Map<string, number>, misuses: string[],
 *   calls(): number, close(): Promise<void> }>} `faults`: how many of each; `misuses`: how it was asked too much, in words
 */
export async function startTroubled(target, seed, weights = {}) {
  /** @type {Map<string, Address>} */
  const addresses = new Map();
  /** @type {Map<string, number>} */
  const faults = new Map();
  /** @type {string[]} */
  const misuses = [];
  let throttled = -Infinity;

  const server = await listen(0, (response, path, _, request) => {
    answer(response, path, request).catch((error) => {
      response.destroy();
      if (request.complete && !response.closed) console.error(error);
    });
  });

  /**
   * @param {Response} response
   * @param {string} path
   * @param {import("node:http").IncomingMessage} request
   */
  async function answer(response, path, request) {
    const came = performance.now();
    const body = await readAll(request);
    // A question to embed is an address too: what is asked makes it, not where.
    const key = body === "" ? path : `${path} ${body}`;
    const address = addresses.get(key) ?? { open: 0, calls: 0, ended: -Infinity };
    addresses.set(key, address);
    if (address.open > 0) misuses.push(`asked ${address.open + 1} times at once: ${key}`);
    const silence = came - address.ended;
    if (silence < REST_MS) misuses.push(`asked again after ${Math.round(silence)} ms: ${key}`);
    const since = came - throttled;
    if (since > ON_ITS_WAY_MS && since < 1_000 * RETRY_AFTER)
      misuses.push(`asked ${Math.round(since)} ms after a 429: ${key}`);
    address.open++;
    address.calls++;
    response.once("close", () => {
      address.open--;
      address.ended = performance.now();
    });
    const at = (/** @type {string} */ what) => chance(seed, key, address.calls, what);
    const fault = weighted({ ...FAULTS, ...weights }, at("fault"));
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    if (fault === "throttled") {
      response.once("finish", () => {
        throttled = performance.now();
      });
    }
    if (fault === "stall") return;
    if (fault === "reset") return void response.destroy();
    if (fault === "slow") await new Promise((resolve) => setTimeout(resolve, 1_000 + 2_000 * at("slowness")));
    const { method, headers } = request;
    const asked = pickHeaders(headers, ["accept", "content-type", "if-none-match", "authorization"]);
    const good = await fetch(target + path, {
      method,
      headers: asked,
      redirect: "manual",
      ...(body !== "" && { body }),
    });
    const bytes = Buffer.from(await good.arrayBuffer());
    const said = pickHeaders(Object.fromEntries(good.headers), ["content-type", "location", "etag"]);
    spoil(response, fault, good.status, said, bytes, at);
  }

  return {
    url: server.url,
    addresses,
    faults,
    misuses,
    calls: () => server.calls.length,
    close: server.close,
  };
}

/**
 * @param {Response} response
 * @param {keyof typeof FAULTS} fault
 * @param {number} status
 * @param {Record<string, string>} headers
 * @param {Buffer} bytes
 * @param {(what: string) => number} at
 */
function spoil(response, fault, status, headers, bytes, at) {
  const half = bytes.subarray(0, bytes.length / 2);
  const html = { "content-type": "text/html; charset=utf-8" };
  if (Object.hasOwn(ERRORS, fault)) return end(ERRORS[fault], html, HTML);
  if (fault === "throttled") return end(429, { ...html, "retry-after": String(RETRY_AFTER) }, HTML);
  if (fault === "html") return end(200, html, HTML);
  if (fault === "elsewhere") return end(302, { location: "http://elsewhere.invalid/" }, "");
  if (fault === "truncated") return end(status, headers, half);
  if (fault === "empty") return end(status, headers, "");
  if (fault === "odd") return end(200, { "content-type": "application/json" }, pick(ODD, at("oddity")));
  if (fault === "huge") return end(status, headers, Buffer.concat([bytes, Buffer.alloc(HUGE, " ")]));
  if (fault === "bent") return end(status, headers, bent(bytes, at));
  if (fault === "cut") {
    response.writeHead(status, { ...headers, "content-length": bytes.length });
    return void response.write(half, () => response.destroy());
  }
  if (fault === "drip") {
    response.writeHead(status, headers);
    let sent = 0;
    const timer = setInterval(() => response.write(bytes.subarray(sent, ++sent)), 1_000);
    return void response.once("close", () => clearInterval(timer));
  }
  end(status, headers, bytes);

  /**
   * @param {number} code
   * @param {Record<string, string>} said
   * @param {string | Buffer} body
   */
  function end(code, said, body) {
    response.writeHead(code, said).end(body);
  }
}

/** What a value becomes: nothing that a door would have to say as it is. */
const REPLACEMENTS = [null, undefined, true, 0, -1, 1e300, "", "x", [], {}, [null], [{}]];
/** Some of the answers have hundreds of thousands of values: those to bend are chosen among the first ones. */
const BENDABLE = 5_000;

/**
 * The same JSON, one to five of its values replaced. What isn't JSON has one byte changed.
 * @param {Buffer} bytes
 * @param {(what: string) => number} at
 */
function bent(bytes, at) {
  /** @type {any} */
  let value;
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    const spoilt = Buffer.from(bytes);
    if (spoilt.length > 0) spoilt[Math.floor(at("byte") * spoilt.length)] ^= 0x80;
    return spoilt;
  }
  /** @type {[parent: any, key: string][]} */
  const places = [];
  const left = [value];
  for (const one of left) {
    if (places.length > BENDABLE) break;
    if (typeof one !== "object" || one === null) continue;
    for (const [key, child] of Object.entries(one)) {
      places.push([one, key]);
      left.push(child);
    }
  }
  const count = 1 + Math.floor(5 * at("count"));
  for (let rank = 0; rank < count && places.length > 0; rank++) {
    const [parent, key] = pick(places, at(`place ${rank}`));
    parent[key] = pick(REPLACEMENTS, at(`value ${rank}`));
  }
  return Buffer.from(JSON.stringify(value));
}

/**
 * @param {Record<string, string | string[] | undefined>} headers
 * @param {string[]} names
 * @returns {Record<string, string>}
 */
function pickHeaders(headers, names) {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]]] : [])),
  );
}
