// What holds for every answer of a door, whatever was asked of it: read in the specification, never in the doors' code.
// MCP.md is the house's reading of it; its sections are named at each rule.

/**
 * An answer, read whole. Names of headers are in lower case.
 * @typedef {{ status: number, headers: Record<string, string>, text: string }} Answer
 */

export const MODERN = "2026-07-28";
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_KEY = "io.modelcontextprotocol/serverInfo";

/** Home Assistant gives up at 10 s, its connection included (7); the house allows 8. */
export const SLOWEST_MS = 8_000;

/** The statuses that each error may have (2.4, 3.3). −32603 would be a defect of ours: it has none. */
const STATUSES = /** @type {Record<string, number[]>} */ ({
  "-32700": [400],
  "-32600": [400, 403, 405, 406, 413, 415],
  "-32601": [200, 404],
  "-32602": [200, 400],
  "-32020": [400],
  "-32022": [400],
});
/** What opens a session, a stream, a login or another place (1, 3.2). */
const FORBIDDEN_HEADERS = [
  "access-control-allow-credentials",
  "mcp-session-id",
  "set-cookie",
  "location",
  "www-authenticate",
  "content-encoding",
];
/** What the results of a door of tools are made of (2.5, 3). */
const MEMBERS = (
  "tools content isError supportedVersions protocolVersion capabilities serverInfo instructions " +
  "resultType ttlMs cacheScope _meta"
).split(" ");
/** How long an error may be: what it echoes is cut at 128 characters (6). */
const ERROR_LIMIT = 2_000;
/** What no person should hear: an absent value, a trace, and the door's own word for a defect of its own. */
const UNSPEAKABLE =
  /\b(?:undefined|NaN|Infinity)\b|\[object |\bat .*:\d+:\d+|(?:Type|Range|Syntax|URI)Error|brisé de mon côté/;

/**
 * The outcome in a few words, those of MCP.md 6: the status, then `-` for an empty body, `result`, `said` (a tool's
 * answer, good or not), `page`, or the error's code and the id that it echoes.
 * @param {Answer} answer
 */
export function outcomeOf({ status, headers, text }) {
  if (text === "") return `${status} -`;
  if (headers["content-type"]?.startsWith("text/html")) return `${status} page`;
  try {
    return `${status} ${wordOf(JSON.parse(text))}`;
  } catch {
    return `${status} not JSON`;
  }
}

/**
 * @param {any} body
 * @returns {string}
 */
function wordOf(body) {
  if (Array.isArray(body)) return `[${body.map(wordOf).join(", ")}]`;
  if (body?.error === "not_found") return "not_found";
  if (body?.error !== undefined) return `${body.error?.code}${Object.hasOwn(body, "id") ? ` id=${said(body.id)}` : ""}`;
  return body?.result?.content !== undefined ? `said id=${said(body.id)}` : `result id=${said(body?.id)}`;
}

/** @param {unknown} id */
function said(id) {
  return JSON.stringify(id);
}

/**
 * What is wrong with an answer on the wire and as JSON-RPC, in words; nothing when all is well.
 * @param {Answer} answer
 * @param {"modern" | "legacy"} era of what was asked
 * @returns {string[]}
 */
export function faultsOf(answer, era) {
  const { status, headers, text } = answer;
  /** @type {string[]} */
  const faults = [];
  const must = (/** @type {boolean} */ held, /** @type {string} */ rule) => {
    if (!held) faults.push(rule);
  };
  // 1, step 16.
  must(status < 500, `the status is ${status}`);
  must(status !== 401 && (status < 300 || status >= 400), `the status is ${status}`);
  must(headers["access-control-allow-origin"] === "*", "no access-control-allow-origin");
  for (const name of FORBIDDEN_HEADERS) must(headers[name] === undefined, `there is a header ${name}`);
  for (const [name, value] of Object.entries(headers))
    must(/^[\x20-\x7e]*$/.test(value), `the header ${name} isn't ASCII`);
  if (status === 405) must(headers.allow === "POST, OPTIONS", "405 without what is allowed");
  if (headers["content-type"]?.startsWith("text/html")) return faults;
  // 7: a JSON body has these, and 202 and 204 have no body.
  must(status !== 202 && status !== 204 ? true : text === "", `${status} with a body`);
  if (text === "") return faults;
  must(headers["content-type"] === "application/json", `the type is ${headers["content-type"]}`);
  must(headers["cache-control"] === "no-store", "it may be cached");
  must(headers["x-content-type-options"] === "nosniff", "its type may be guessed");
  must(text.isWellFormed(), "the text is broken");
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return [...faults, "the body isn't JSON"];
  }
  if (status === 404 && body?.error === "not_found") return faults;
  must(!Array.isArray(body) || body.length > 0, "an empty array");
  for (const one of [body].flat()) faults.push(...messageFaults(one, status, era));
  return faults;
}

/**
 * One JSON-RPC response.
 * @param {any} message
 * @param {number} status
 * @param {"modern" | "legacy"} era
 * @returns {string[]}
 */
function messageFaults(message, status, era) {
  if (!isObject(message)) return ["a response that isn't an object"];
  const { jsonrpc, id, result, error } = message;
  if (jsonrpc !== "2.0") return ["a response without jsonrpc"];
  // 1.1: an id that could not be read is left out, never null.
  const hasId = Object.hasOwn(message, "id");
  if (hasId && typeof id !== "string" && !Number.isSafeInteger(id)) return [`the id is ${said(id)}`];
  if ((result === undefined) === (error === undefined)) return ["neither a result nor an error, or both"];
  const members = Object.keys(message).length - 2;
  if (members !== (hasId ? 1 : 0)) return [`members that no response has: ${Object.keys(message)}`];
  if (error !== undefined) return errorFaults(error, status);
  if (!hasId || status !== 200 || !isObject(result)) return [`a result without an id, at ${status}, or not an object`];
  return resultFaults(result, era);
}

/**
 * @param {any} error
 * @param {number} status
 * @returns {string[]}
 */
function errorFaults(error, status) {
  const { code, message, data, ...others } = error;
  if (!STATUSES[code]?.includes(status)) return [`the error ${code} at ${status}`];
  if (typeof message !== "string" || message.trim() === "") return ["an error without a message"];
  if (Object.keys(others).length > 0 || said(error).length > ERROR_LIMIT) return ["an error that says too much"];
  if (code !== -32022) return data === undefined ? [] : [`the error ${code} has data`];
  // 1.1: the same list as `server/discover`.
  const known = said(data?.supported) === said([MODERN]) && typeof data.requested === "string";
  return known ? [] : [`−32022 says ${said(data)}`];
}

/**
 * 2.5: what every modern result has, and no legacy one.
 * @param {Record<string, any>} result
 * @param {"modern" | "legacy"} era
 * @returns {string[]}
 */
function resultFaults(result, era) {
  /** @type {string[]} */
  const faults = [];
  const isModern = result.resultType === "complete" && typeof result._meta?.[SERVER_KEY]?.name === "string";
  const isLegacy = result.resultType === undefined && result._meta === undefined;
  if (!(era === "modern" ? isModern : isLegacy)) faults.push(`not the result of a ${era} request`);
  const isCacheable = result.tools !== undefined || result.supportedVersions !== undefined;
  const hints = Number.isInteger(result.ttlMs) && result.ttlMs >= 0 && /^(public|private)$/.test(result.cacheScope);
  if (era === "modern" && isCacheable !== hints)
    faults.push("cache hints where there are none, or none where they are due");
  if (era === "legacy" && (result.ttlMs !== undefined || result.cacheScope !== undefined))
    faults.push("a legacy cache hint");
  // A list in one page has no cursor.
  const unknown = Object.keys(result).filter((name) => !MEMBERS.includes(name));
  if (unknown.length > 0) faults.push(`a result with ${unknown.join(", ")}`);
  if (result.content !== undefined) faults.push(...contentFaults(result));
  return faults;
}

/**
 * A tool's answer: a sentence, good or not; at its end, perhaps, an address to be shown.
 * @param {Record<string, any>} result
 * @returns {string[]}
 */
function contentFaults({ content, isError }) {
  if (isError !== undefined && isError !== true) return [`isError is ${said(isError)}`];
  if (!Array.isArray(content) || content.length === 0) return ["an answer without content"];
  return content.flatMap((block, rank) => {
    const { type, text } = block;
    if (type !== "text" || typeof text !== "string" || Object.keys(block).length !== 2)
      return ["a block that isn't text"];
    if (rank > 0 && rank === content.length - 1 && /^https?:\/\/\S+$/.test(text)) return [];
    // What a person said is quoted as it is.
    const found = UNSPEAKABLE.exec(text.replace(/« [^»]* »/g, "« »"))?.[0];
    if (found !== undefined) return [`« ${found} » is said: ${text}`];
    return /^[^\p{Cc}\p{Cs}]*[.?!»]$/u.test(text) ? [] : [`not a sentence: ${text}`];
  });
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, any>}
 */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
