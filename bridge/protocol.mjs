// JSON-RPC and both eras of MCP, as the doors' core has them, for the one client of a run. No HTTP server here: what a
// message is, and what it is answered.

/** @typedef {Record<string, any>} Params an object read from JSON */
/** @typedef {string | number} Id */
/** @typedef {import("node:http").IncomingHttpHeaders} Headers */
/** @typedef {{ id: Id, method: string, params: Params }} Call */

/**
 * What the protocol asks of a run.
 * @typedef {object} Run
 * @property {{ name: string, version: string }} info
 * @property {string} definitions its tools, as `tools/list` shows them: the JSON of an array
 * @property {(params: Params, tail: object) => Promise<string>} call a `tools/call`: the JSON of its result, which ends with
 *   the members of `tail`; or an `RpcError` without an id
 */

/** Newest first: `initialize` answers the first one to a version it doesn't know. */
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const MODERN = "2026-07-28";
const KEYS = "io.modelcontextprotocol/";
export const VERSION_KEY = `${KEYS}protocolVersion`;
export const CAPABILITIES_KEY = `${KEYS}clientCapabilities`;
export const SERVER_INFO_KEY = `${KEYS}serverInfo`;
export const CLIENT_INFO_KEY = `${KEYS}clientInfo`;
/** How long a client may keep the list: that of a run never changes. */
const LIST_TTL_MS = 3_600_000;
const ID_LIMIT = 256;
/** Names that come back in an error: long enough to see a typing mistake, too short to carry a text. */
const ECHO_LIMIT = 128;
const INSTRUCTIONS =
  "Ce serveur n'offre que les outils de cette tâche, et leur liste ne change pas en route. Il refuse tout autre outil qu'on lui demande; n'essaie pas de l'obtenir autrement.";

/** An error of the protocol: HTTP status, JSON-RPC code, and the request's id once it has been read. */
export class RpcError extends Error {
  /**
   * @param {number} status
   * @param {number} code
   * @param {string} message
   * @param {Id} [id]
   * @param {object} [data]
   */
  constructor(status, code, message, id, data) {
    super(message);
    this.status = status;
    this.code = code;
    this.id = id;
    this.data = data;
  }

  /** The answer's body; an id that couldn't be read is left out. */
  get body() {
    const { id, code, message, data } = this;
    return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
  }
}

/**
 * One message of a POST: the text of its answer; null for a notification, which is 202 and executes nothing.
 * @param {Run} run
 * @param {Headers} headers
 * @param {unknown} value the body, parsed
 * @returns {Promise<string | null>} rejects with an `RpcError`, whose `cause` is a defect of ours
 */
export async function answer(run, headers, value) {
  const version = readVersion(headers, value);
  const call = readMessage(value, version);
  if (call === null) return null;
  try {
    const modern = isModern(call, version);
    if (modern) checkEnvelope(call, version, headers);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${await resultOf(run, call, modern)}}`;
  } catch (error) {
    const known = error instanceof RpcError ? error : new RpcError(200, -32603, "The bridge has a defect.");
    known.id = call.id;
    if (known !== error) known.cause = error;
    throw known;
  }
}

/** The JSON of a result. @param {Run} run @param {Call} call @param {boolean} modern @returns {Promise<string>} */
async function resultOf({ info, definitions, call }, { method, params }, modern) {
  const tail = modern ? { resultType: "complete", _meta: { [SERVER_INFO_KEY]: info } } : {};
  const cached = modern ? { ttlMs: LIST_TTL_MS, cacheScope: "private", ...tail } : {};
  if (method === "tools/call") return call(params, tail);
  if (method === "tools/list") {
    if ((params.cursor ?? null) !== null) throw new RpcError(200, -32602, "Unknown cursor: the list is one page.");
    // In the place of the 0: the list never changes, and is written once.
    return `${JSON.stringify({ ...cached, tools: 0 }).slice(0, -2)}${definitions}}`;
  }
  if (method === "initialize" && !modern) return JSON.stringify(initialize(params, info));
  if (method === "ping" && !modern) return "{}";
  if (method === "server/discover" && modern) {
    const found = { supportedVersions: [MODERN], capabilities: { tools: {} }, instructions: INSTRUCTIONS };
    return JSON.stringify({ ...found, ...cached });
  }
  throw new RpcError(modern ? 404 : 200, -32601, `Unknown method: ${clip(method)}`);
}

/** @param {Params} params @param {Run["info"]} serverInfo */
function initialize({ protocolVersion }, serverInfo) {
  if (typeof protocolVersion !== "string") {
    throw new RpcError(200, -32602, `"protocolVersion" must be a text, such as ${LEGACY[0]}.`);
  }
  return {
    protocolVersion: LEGACY.includes(protocolVersion) ? protocolVersion : LEGACY[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo,
    instructions: INSTRUCTIONS,
  };
}

/**
 * The version header, once: Node joins repeated headers with commas, and one client repeats the same value.
 * @param {Headers} headers
 * @param {unknown} value
 */
function readVersion(headers, value) {
  const versions = new Set(String(headers["mcp-protocol-version"] ?? "").split(/[\s,]+/));
  versions.delete("");
  const [version = null, second] = versions;
  if (second !== undefined) throw mismatch("MCP-Protocol-Version", idOf(value));
  return version;
}

/**
 * A request; null for what has no answer: no id, a null one, a method of notifications, a posted response.
 * @param {unknown} value
 * @param {string | null} version
 * @returns {Call | null}
 */
function readMessage(value, version) {
  const id = idOf(value);
  /** @param {string} what */
  const invalid = (what) => new RpcError(400, -32600, `Invalid request: ${what}.`, id);
  if (Array.isArray(value)) throw invalid("one message at a time, not an array of them");
  if (!isObject(value)) throw invalid("a JSON-RPC object is needed");
  if (value.jsonrpc !== "2.0") throw invalid('"jsonrpc" must be "2.0"');
  if (!Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    if (version === MODERN) throw invalid("this version of the protocol has no response to receive");
    return oneWay(version);
  }
  const { method, params = null } = value;
  if (typeof method !== "string") throw invalid('"method" must be a text');
  if (params !== null && !isObject(params)) throw invalid('"params" must be an object');
  // Before the id: a notification that has one isn't a request all the same.
  if ((value.id ?? null) === null || method.startsWith("notifications/")) return oneWay(version);
  if (id === undefined) throw invalid('"id" must be a text or an integer');
  return { id, method, params: params ?? {} };
}

/** @param {string | null} version @returns {null} */
function oneWay(version) {
  if (version !== null && version !== MODERN && !LEGACY.includes(version)) throw unsupported(version);
  return null;
}

/**
 * The id if it can be echoed faithfully: a short text or a safe integer.
 * @param {unknown} value
 * @returns {Id | undefined}
 */
function idOf(value) {
  const id = isObject(value) ? value.id : undefined;
  if (typeof id === "string") return id.length <= ID_LIMIT ? id : undefined;
  return Number.isSafeInteger(id) ? id : undefined;
}

/** @param {Call} call @param {string | null} header */
function isModern(call, header) {
  const claimed = claimedVersion(call);
  if (claimed === undefined && call.method === "initialize") return false;
  if (LEGACY.includes(claimed) && (header === null || header === claimed)) return false;
  if (claimed !== undefined || header === MODERN) return true;
  if (header !== null && !LEGACY.includes(header)) throw unsupported(header, call.id);
  return false;
}

/** The version inside a request's `_meta`; `undefined` when it has none. @param {Call} call */
function claimedVersion({ params }) {
  return isObject(params._meta) && Object.hasOwn(params._meta, VERSION_KEY) ? params._meta[VERSION_KEY] : undefined;
}

/**
 * What a modern request must carry, in the order of the reference servers.
 * @param {Call} call
 * @param {string | null} header
 * @param {Headers} headers
 */
function checkEnvelope(call, header, headers) {
  const { id, method, params } = call;
  const claimed = claimedVersion(call);
  const missing = [
    ...(typeof claimed === "string" ? [] : [VERSION_KEY]),
    ...(isObject(params._meta) && isObject(params._meta[CAPABILITIES_KEY]) ? [] : [CAPABILITIES_KEY]),
  ];
  if (missing.length > 0) throw new RpcError(400, -32602, `Missing in params._meta: ${missing.join(", ")}.`, id);
  // Reported of a hosted connector's proxy: the envelope is modern, the header still says 2025-11-25.
  const proxied = header === LEGACY[0] && claimed === MODERN;
  if (header !== null && header !== claimed && !proxied) throw mismatch("MCP-Protocol-Version", id);
  if (claimed !== MODERN) throw unsupported(claimed, id);
  if (header === null) throw mismatch("MCP-Protocol-Version", id);
  /** @param {unknown} sent @param {string} body */
  const agrees = (sent, body) => sent === body || (proxied && sent === undefined);
  if (!agrees(headers["mcp-method"], method)) throw mismatch("Mcp-Method", id);
  const named = method === "tools/call" && typeof params.name === "string";
  if (named && !agrees(decodeHeader(headers["mcp-name"]), params.name)) throw mismatch("Mcp-Name", id);
}

/**
 * A header value, or the text it wraps as `=?base64?…?=`; null when the wrapping is broken.
 * @param {string | string[] | undefined} value
 */
function decodeHeader(value) {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(String(value ?? ""))?.[1];
  if (wrapped === undefined) return value;
  const bytes = Buffer.from(wrapped, "base64");
  // Node skips what isn't base64: only what it would have written itself is.
  if (bytes.toString("base64") !== wrapped) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** @param {string} requested @param {Id} [id] */
function unsupported(requested, id) {
  const data = { supported: [MODERN], requested: clip(requested) };
  return new RpcError(400, -32022, "Unsupported protocol version", id, data);
}

/** @param {string} name @param {Id} [id] */
function mismatch(name, id) {
  return new RpcError(400, -32020, `Header absent, repeated or unlike the body: ${name}`, id);
}

/** A name as it may come back in an error or stand in a log. @param {string} name */
export function clip(name) {
  return name.slice(0, ECHO_LIMIT).toWellFormed();
}

/** @param {unknown} value @returns {value is Params} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
