// Four protocols of embedding servers in their real shapes, around vectors that only know which words a text has.
import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { text as readAll } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { listen } from "./server.mjs";

/** @typedef {Record<string, any>} Json */
/** @typedef {import("node:http").ServerResponse} Response */

/**
 * What goes wrong, for every request until it is unset.
 *
 * In the vector of the last text only, so that a client that looks at the first one is caught:
 * - `nulls`: a null among its numbers (in base64: NaN);
 * - `length`: one component short; `zeros`: all zeros; `infinite`: 1e999, which `JSON.parse` reads as Infinity;
 * - `nan`: what the model's NaN becomes on each server: the 500 of Ollama on its two protocols, nulls on the others.
 *
 * In the whole answer, a 200:
 * - `count`: a vector less than there are texts; `empty`: `{}`; `html`: a page;
 * - `wrong-model`: another model, which names itself where the protocol has a name; same length, nothing in common;
 * - `pooling`: the right model with the wrong pooling: same length, nothing in common; only Workers AI says `mean`;
 * - `huge`: a good answer, then blanks up to 60 MB, without a `Content-Length`;
 * - `drip`: the headers, then one byte a second; `stall`: nothing at all; `cut`: the socket closes at half of the body.
 *
 * Other statuses: `500`, `429` (with `Retry-After`), `413`, and `redirect`: a 302 to `/elsewhere`, which is a 404 and
 * is recorded if one goes there.
 * @typedef {"nulls" | "length" | "zeros" | "infinite" | "nan" | "count" | "empty" | "html" | "wrong-model" | "pooling"
 *   | "huge" | "drip" | "stall" | "cut" | "500" | "429" | "413" | "redirect"} Fault
 */

/**
 * @typedef {object} Options
 * @property {number} [port] any, unless told
 * @property {number} [dim] components of a vector: 64, unless told; with the 1,024 of bge-m3, chance likeness is rarer
 * @property {string[]} [models] those that it has: `bge-m3`, unless told; Workers AI's are `@cf/baai/` before it
 * @property {string} [token] asked of every request as `Authorization: Bearer`
 * @property {[string, string][]} [synonyms] words that it takes for the same
 * @property {boolean} [shuffled] OpenAI's `data` isn't in the order of `index`
 */

/**
 * A request, once its body has come whole.
 * @typedef {object} Call
 * @property {string} path
 * @property {any} body the JSON, or the text that isn't
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {string[]} texts those to embed
 */

/** @typedef {[status: number, body: unknown]} Refusal an empty text is no body */

/**
 * @typedef {object} Protocol
 * @property {RegExp} route the name of the model is in it, for Workers AI
 * @property {boolean} [open] asks no token
 * @property {(asked: string | undefined, models: string[]) => Refusal | null} [without] what it answers when it lacks
 *   this model; absent: it hears no name of a model
 * @property {[texts: number, refusal: Refusal]} [most] at once
 * @property {(body: Json) => string[] | null} read the texts to embed; null: refused
 * @property {(said: { vectors: number[][], dim: number, model: string, pooling: string, tokens: number, asked: Json,
 *   shuffled: boolean }) => unknown} write
 * @property {Record<"input" | "token" | "500" | "429" | "413", Refusal>} refusals
 * @property {Refusal} [nan]
 */

const HUGE = 60_000_000;
const DRIP_MS = 1000;
const NAN = "failed to encode response: json: unsupported value: NaN";

const ollama = (/** @type {string} */ error) => ({ error });
const openai = (/** @type {string} */ message, type = "invalid_request_error", code = /** @type {any} */ (null)) => ({
  error: { message, type, param: null, code },
});
const tei = (/** @type {string} */ error, /** @type {string} */ error_type) => ({ error, error_type });
const workers = (/** @type {number} */ code, /** @type {string} */ message, result = /** @type {any} */ ({})) => ({
  result,
  success: false,
  errors: [{ code, message }],
  messages: [],
});

/**
 * What Workers AI refuses; the number of its 500 is invented.
 * @param {(code: number, message: string) => unknown} write
 * @returns {Omit<Protocol, "route" | "read" | "write">}
 */
function workersErrors(write) {
  return {
    without: (asked, models) =>
      models.some((model) => asked === `@cf/baai/${model}`)
        ? null
        : [400, write(5007, `No such model ${asked} or task`)],
    most: [100, [400, write(5006, "Bad input")]],
    refusals: {
      input: [400, write(5006, "Bad input")],
      token: [401, workers(10_000, "Authentication error", null)],
      500: [500, write(3000, "Internal server error")],
      429: [429, write(3040, "Capacity temporarily exceeded, please try again.")],
      413: [413, write(3006, "Request is too large")],
    },
  };
}

/** @type {Protocol[]} */
const PROTOCOLS = [
  // Ollama. {"model","input": "…" | ["…"]} → {"model","embeddings":[[…]],"total_duration","load_duration","prompt_eval_count"}
  {
    route: /^\/api\/embed$/,
    without: (asked, models) => {
      if (asked === undefined) return [400, ollama("invalid model name")];
      const known = models.includes(asked.replace(/:latest$/, ""));
      return known ? null : [404, ollama(`model ${JSON.stringify(asked)} not found, try pulling it first`)];
    },
    // Without a text it answers no vector, and loads the model.
    read: ({ input }) => (input === undefined || input === "" ? [] : strings(input)),
    write: ({ vectors, model, tokens }) => ({
      model,
      embeddings: vectors,
      total_duration: 14_143_917,
      load_duration: 1_019_500,
      prompt_eval_count: tokens,
    }),
    refusals: {
      input: [400, ollama("invalid input type")],
      token: [401, ollama("unauthorized")],
      500: [500, ollama("llama runner process has terminated: exit status 2")],
      429: [429, ollama("server busy, please try again. maximum pending requests exceeded")],
      413: [413, ollama("request body too large")],
    },
    nan: [500, ollama(NAN)],
  },
  // OpenAI and all that copy it. {"model","input","encoding_format"?: "float" | "base64"} → {"object":"list","data":
  // [{"object":"embedding","index","embedding": […] | "float32, little-endian"}],"model","usage":{"prompt_tokens","total_tokens"}}
  {
    route: /^\/v1\/embeddings$/,
    without: (asked, models) => {
      if (asked === undefined) return [400, openai("you must provide a model parameter")];
      const unknown = `The model \`${asked}\` does not exist or you do not have access to it.`;
      return models.includes(asked) ? null : [404, openai(unknown, "invalid_request_error", "model_not_found")];
    },
    most: [2048, [400, openai("'$.input' is invalid. Please check the API reference.")]],
    read: ({ input }) => filled(strings(input)),
    write: ({ vectors, model, tokens, asked, shuffled }) => {
      const data = vectors.map((vector, index) => ({
        object: "embedding",
        index,
        embedding: asked.encoding_format === "base64" ? base64Of(vector) : vector,
      }));
      const usage = { prompt_tokens: tokens, total_tokens: tokens };
      return { object: "list", data: shuffled ? data.reverse() : data, model, usage };
    },
    refusals: {
      input: [400, openai("'$.input' is invalid. Please check the API reference.")],
      token: [401, openai("Incorrect API key provided.", "invalid_request_error", "invalid_api_key")],
      500: [500, openai("The server had an error while processing your request. Sorry about that!", "server_error")],
      429: [429, openai("Rate limit reached. Please try again in 1s.", "requests", "rate_limit_exceeded")],
      413: [413, openai("Request too large.", "invalid_request_error", "request_too_large")],
    },
    nan: [500, openai(NAN, "api_error")],
  },
  // Text Embeddings Inference serves one model and hears no name. {"inputs": "…" | ["…"]} → [[…]]
  {
    route: /^\/embed$/,
    most: [32, [422, tei("batch size is over the maximum allowed batch size 32", "Validation")]],
    read: ({ inputs }) => filled(strings(inputs)),
    write: ({ vectors }) => vectors,
    refusals: {
      input: [400, tei("`inputs` cannot be empty", "Empty")],
      token: [401, ""],
      500: [500, tei("Inference failed", "Backend")],
      429: [429, tei("Model is overloaded", "Overloaded")],
      413: [413, tei("Input validation error: `inputs` must have less than 8192 tokens. Given: 9000", "Validation")],
    },
  },
  // Workers AI over HTTP. {"text": "…" | ["…"]} → {"result":{"shape":[n,dim],"data":[[…]],"pooling":"cls"},"success":true,…}
  {
    route: /^(?:\/client\/v4\/accounts\/[^/]+)?\/ai\/run\/(.+)$/,
    read: ({ text }) => filled(strings(text)),
    write: (said) => ({ result: workersResult(said), success: true, errors: [], messages: [] }),
    ...workersErrors((code, message) => workers(code, message)),
  },
  // What the binding `env.AI.run(model, body)` resolves to: the `result` alone. It asks no token, and where it would
  // throw, the body is the text of its Error.
  {
    route: /^\/run\/(.+)$/,
    open: true,
    read: ({ text }) => filled(strings(text)),
    write: workersResult,
    ...workersErrors((code, message) => `${code}: ${message}`),
  },
];

/**
 * Plays the embedding servers on the loopback: `url` is an origin, to which one adds `/api/embed` (Ollama),
 * `/v1/embeddings` (OpenAI), `/embed` (TEI), `/ai/run/@cf/baai/bge-m3` (Workers AI's REST, with or without
 * `/client/v4/accounts/ID` before it) or `/run/@cf/baai/bge-m3` (what its binding gives).
 *
 * `fault` is null, or a `Fault` for the requests that come after. A request that the real server refuses is refused
 * first, with its status and its shape: the token, the model, the texts and how many they are.
 * @param {Options} [options]
 * @returns {Promise<{ url: string, calls: Call[], fault: Fault | null, close(): Promise<void> }>}
 */
export async function startEmbeddings({ port = 0, dim = 64, models = ["bge-m3"], ...more } = {}) {
  const { token, synonyms = [], shuffled = false } = more;
  const played = { calls: /** @type {Call[]} */ ([]), fault: /** @type {Fault | null} */ (null) };

  /**
   * @param {import("node:http").IncomingMessage} request
   * @param {Response} response
   * @param {string} path
   */
  async function answer(request, response, path) {
    const body = parsed(await readAll(request));
    const asked = typeof body === "object" && body !== null ? body : {};
    const [pathname] = path.split("?");
    const protocol = PROTOCOLS.find(({ route }) => route.test(pathname));
    const texts = protocol?.read(asked) ?? null;
    played.calls.push({ path, body, headers: request.headers, texts: texts ?? [] });
    const { fault } = played;

    if (protocol === undefined) return send(response, 404, { error: "not found" });
    if (request.method !== "POST") return send(response, 405, "", { allow: "POST" });
    const { without, open, most, refusals } = protocol;
    if (token !== undefined && open !== true && request.headers.authorization !== `Bearer ${token}`) {
      return send(response, ...refusals.token);
    }
    const [, inPath] = protocol.route.exec(pathname) ?? [];
    const model = inPath ?? stringOr(asked.model);
    const lacking = without?.(model, models) ?? null;
    if (lacking !== null) return send(response, ...lacking);
    if (texts === null) return send(response, ...refusals.input);
    if (most !== undefined && texts.length > most[0]) return send(response, ...most[1]);

    if (fault === "stall") return;
    if (fault === "500" || fault === "413") return send(response, ...refusals[fault]);
    if (fault === "429") return send(response, ...refusals[fault], { "retry-after": "1" });
    if (fault === "nan" && protocol.nan !== undefined) return send(response, ...protocol.nan);
    if (fault === "redirect") return send(response, 302, "", { location: "/elsewhere" });
    if (fault === "empty") return send(response, 200, {});
    if (fault === "html") {
      return send(response, 200, "<!doctype html><title>Sign in</title>", { "content-type": "text/html" });
    }

    const seed = fault === "pooling" || fault === "wrong-model" ? fault : "";
    const vectors = texts.map((text) => vectorOf(text, { dim, synonyms, seed }));
    const said = JSON.stringify(
      protocol.write({
        vectors: spoilt(vectors, fault),
        dim,
        model: fault === "wrong-model" ? "nomic-embed-text" : (model ?? models[0]),
        pooling: fault === "pooling" ? "mean" : "cls",
        tokens: texts.reduce((sum, text) => sum + text.split(/\s+/).length + 2, 0),
        asked,
        shuffled,
      }),
      (_, value) => (value === Infinity ? "1e999" : value),
    ).replaceAll('"1e999"', "1e999");
    if (fault === "huge") return pour(response, said);
    if (fault === "drip") return drip(response, said);
    if (fault === "cut") return cut(response, said);
    send(response, 200, said, { "content-type": "application/json" });
  }

  const { url, close } = await listen(port, (response, path, _, request) => {
    answer(request, response, path).catch((error) => {
      response.destroy();
      // A client that leaves before the end of its own body is no mistake of ours.
      if (request.complete) console.error(error);
    });
  });
  return Object.assign(played, { url, close });
}

/**
 * The vector of a text, of length 1: the sum of those of its words, which are drawn from their first six letters,
 * without accents or case. Texts without a word in common are near 0, the nearer the more components there are; those
 * of n and m words that share k of them are near k / √(n × m).
 * @param {string} text
 * @param {{ dim?: number, synonyms?: [string, string][], seed?: string }} [options] seed: another model
 * @returns {number[]} each one as a float32 has it
 */
export function vectorOf(text, { dim = 64, synonyms = [], seed = "" } = {}) {
  /** @type {Map<string, string>} */
  const same = new Map();
  const rootOf = (/** @type {string} */ stem) => {
    let root = stem;
    for (let next = same.get(root); next !== undefined; next = same.get(root)) root = next;
    return root;
  };
  for (const [one, other] of synonyms) {
    const [root, branch] = [rootOf(stemOf(one)), rootOf(stemOf(other))];
    if (root !== branch) same.set(branch, root);
  }
  const words = fold(text).match(/[a-z0-9]+/g) ?? [];
  const stems = words.filter((word) => !STOP.has(word)).map((word) => rootOf(stemOf(word)));
  // A text of stop words only still needs a direction.
  const bag = new Set(stems.length > 0 ? stems : [fold(text)]);
  const sum = new Array(dim).fill(0);
  for (const stem of bag) {
    const bytes = createHash("shake256", { outputLength: dim }).update(`${seed}\0${stem}`).digest();
    for (let index = 0; index < dim; index++) sum[index] += bytes[index] - 127.5;
  }
  const norm = Math.hypot(...sum);
  return sum.map((value) => Math.fround(value / norm));
}

const STOP = new Set(
  `a ai as au aux avec c ce ces cet cette comment d dans de des du elle elles en es est et eu il ils j je l la le les leur
  ma mes mon n ne nous on ou ont pas par pour qu quand que quel quelle qui quoi s sa sans se ses son sont sur t ta te tes
  toi ton tu un une vos votre vous y an and are for how in is it of or that the this to what when which who with`.split(
    /\s+/,
  ),
);

/** @param {string} text */
function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("œ", "oe").replaceAll("æ", "ae");
}

/** @param {string} word */
function stemOf(word) {
  return fold(word).slice(0, 6);
}

/**
 * @param {number[][]} vectors
 * @param {Fault | null} fault
 */
function spoilt(vectors, fault) {
  const [last, rest] = [vectors.at(-1), vectors.slice(0, -1)];
  if (last === undefined) return vectors;
  // JSON writes a NaN as null, and a float32 keeps it.
  if (fault === "nulls" || fault === "nan") return [...rest, [Number.NaN, ...last.slice(1)]];
  if (fault === "infinite") return [...rest, [Infinity, ...last.slice(1)]];
  if (fault === "zeros") return [...rest, last.map(() => 0)];
  if (fault === "length") return [...rest, last.slice(0, -1)];
  return fault === "count" ? rest : vectors;
}

/** @param {{ vectors: number[][], dim: number, pooling: string }} said */
function workersResult({ vectors, dim, pooling }) {
  return { shape: [vectors.length, dim], data: vectors, pooling };
}

/** @param {number[]} vector */
function base64Of(vector) {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString("base64");
}

/** @param {unknown} value */
function stringOr(value) {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * @param {unknown} value
 * @returns {string[] | null}
 */
function strings(value) {
  const list = typeof value === "string" ? [value] : value;
  return Array.isArray(list) && list.every((one) => typeof one === "string") ? list : null;
}

/** @param {string[] | null} texts */
function filled(texts) {
  return texts === null || texts.length === 0 || texts.includes("") ? null : texts;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {Response} response
 * @param {number} status
 * @param {unknown} body a text is sent as it is
 * @param {Record<string, string>} [headers]
 */
function send(response, status, body, headers = {}) {
  const type = typeof body === "string" ? "text/plain" : "application/json";
  response.writeHead(status, { ...(body !== "" && { "content-type": type }), ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/**
 * @param {Response} response
 * @param {string} said
 */
function pour(response, said) {
  const blanks = " ".repeat(1_000_000);
  function* pieces() {
    yield said;
    for (let sent = said.length; sent < HUGE; sent += blanks.length) yield blanks;
  }
  response.writeHead(200, { "content-type": "application/json" });
  // A client that has had enough closes the socket: no error of ours.
  pipeline(Readable.from(pieces()), response, () => {});
}

/**
 * @param {Response} response
 * @param {string} said
 */
async function drip(response, said) {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(said) });
  for (const byte of Buffer.from(said)) {
    if (response.destroyed) return;
    response.write(Uint8Array.of(byte));
    await sleep(DRIP_MS, undefined, { ref: false });
  }
  response.end();
}

/**
 * @param {Response} response
 * @param {string} said
 */
function cut(response, said) {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(said) });
  response.write(said.slice(0, said.length / 2), () => response.destroy());
}
