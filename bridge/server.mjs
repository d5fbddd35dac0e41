// The listener of one run: 127.0.0.1, a port of the moment, one token, one request per connection.
import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, STATUS_CODES } from "node:http";
import { createGate } from "./gate.mjs";
import { answer, RpcError } from "./protocol.mjs";
import { choose, describe } from "./tools.mjs";

/** @typedef {import("node:http").IncomingMessage} Request */
/** @typedef {import("node:http").ServerResponse} Response */
/** @typedef {{ status: number, body?: string, headers?: Record<string, string> }} Answer */

const { version: VERSION } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
/** 256 KiB, as the doors: a coding agent's `_meta` grows with its workspace. */
const BODY_LIMIT = 262_144;
/** How long a client that was refused may go on writing: closing at once would reset its connection, and lose the answer. */
const LINGER_MS = 1_000;
/** Node's own limits, tightened: one agent on this machine is never slow. */
const LIMITS = {
  maxHeaderSize: 8_192,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  insecureHTTPParser: false,
};
const CONNECTIONS_LIMIT = 64;
const JSON_HEADERS = { "content-type": "application/json", "x-content-type-options": "nosniff" };
const BARE_HEADERS = { "cache-control": "no-store", connection: "close" };

/** @param {number} status @param {string} word @returns {Answer} */
const says = (status, word) => ({ status, body: `{"error":"${word}"}` });
/** @param {number} status @param {string} message @param {number} [code] @returns {Answer} */
const objects = (status, message, code = -32600) => ({ status, body: new RpcError(status, code, message).body });
const FORBIDDEN = says(403, "forbidden");
const NOT_FOUND = says(404, "not_found");
const UNAUTHORIZED = says(401, "unauthorized");
const WRONG_METHOD = { ...objects(405, "This address answers POST alone."), headers: { allow: "POST" } };
const NOT_JSON = objects(415, 'Send "content-type: application/json", in UTF-8 and without compression.');
const NO_JSON_WANTED = objects(406, "The answer is JSON: accept application/json.");
const TOO_LARGE = objects(413, "The body is over 256 KiB.");
const UNREADABLE = objects(400, "The body isn't JSON in UTF-8.", -32700);
const DEFECT = objects(200, "The bridge has a defect.", -32603);

/**
 * A bridge that listens.
 * @typedef {object} Bridge
 * @property {string} url http://127.0.0.1:PORT/mcp
 * @property {string} token 64 hexadecimal digits
 * @property {() => Promise<void>} close from its first line on, nothing is listened to, every connection is cut and every
 *   call aborted; resolves once the port is free
 */

/**
 * Starts the MCP server of one run.
 * @param {object} given
 * @param {readonly import("./tools.mjs").Tool[]} given.tools all that exist
 * @param {readonly string[]} given.allow the names of those of this run; throws a `UsageError` when it is empty or has an
 *   unknown one
 * @param {string} [given.name] the server's, as agents show it
 * @param {string} [given.workspace] bound to the run: what every tool is told, whatever a client sends
 * @param {string} [given.channel] the same
 * @param {(line: object) => boolean} [given.audit] takes each line: `{ ts, tool, decision, ms, args }`, and says whether it is kept:
 *   after one that isn't, nothing executes until one is. It must not throw
 * @param {(tool: string | null, error: unknown) => void} [given.onFault] what a tool threw, or the bridge (null)
 * @returns {Promise<Bridge>}
 */
export async function startBridge({ tools, allow, name = "labo", workspace = "", channel = "", audit, onFault }) {
  const chosen = choose(tools, allow);
  const gate = createGate({ tools: chosen, workspace, channel, audit, onFault });
  const definitions = JSON.stringify([...chosen.values()].map(describe));
  const token = randomBytes(32).toString("hex");
  const digest = hash("sha256", token, "buffer");
  /** @type {Set<AbortController>} */
  const calls = new Set();
  /** The answer that a connection is owed: there is no second one. @type {WeakMap<object, Response>} */
  const owed = new WeakMap();
  /** @type {string[]} */
  let hosts = [];
  /** @type {Promise<void> | undefined} */
  let closed;

  const server = createServer(LIMITS);
  server.maxConnections = CONNECTIONS_LIMIT;
  server.on("request", (request, response) => receive(request, response));
  server.on("checkExpectation", (request, response) => receive(request, response, { status: 417 }));
  server.on("clientError", onClientError);
  server.listen({ host: "127.0.0.1", port: 0, exclusive: true });
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  hosts = [`127.0.0.1:${port}`, `localhost:${port}`];

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    token,
    close() {
      closed ??= stop();
      return closed;
    },
  };

  async function stop() {
    server.close();
    server.closeAllConnections();
    for (const calling of calls) calling.abort(new Error("the run has ended"));
    await once(server, "close");
  }

  /**
   * @param {Request} request
   * @param {Response} response
   * @param {Answer} [unmet] the answer to an expectation of the client's
   */
  async function receive(request, response, unmet) {
    // Node reads on: what is pipelined behind a request would be executed.
    if (owed.has(request.socket)) return;
    owed.set(request.socket, response);
    try {
      const refused = refusalOf(request) ?? unmet;
      send(request, response, refused ?? (await answerOf(request, response)));
    } catch (error) {
      // The client has left.
      if (request.destroyed && !request.complete) return;
      onFault?.(null, error);
      send(request, response, DEFECT);
    }
  }

  /**
   * What the head of a request is refused for; in this order, nothing is learned without the token.
   * @param {Request} request
   * @returns {Answer | undefined}
   */
  function refusalOf(request) {
    // Each header as often as it was sent: Node keeps the first Authorization, and says nothing of the second.
    const { host, origin, authorization } = request.headersDistinct;
    if (host?.length !== 1 || !hosts.includes(host[0])) return FORBIDDEN;
    // No browser has business here: a page that found the port must not even learn that it has.
    if (origin !== undefined) return FORBIDDEN;
    if (request.url !== "/mcp") return NOT_FOUND;
    if (authorization?.length !== 1 || !isToken(authorization[0])) return UNAUTHORIZED;
    if (request.method !== "POST") return WRONG_METHOD;
    const { headers } = request;
    if (!isJson(headers["content-type"]) || !/^(identity)?$/i.test(headers["content-encoding"] ?? "")) return NOT_JSON;
    if (!acceptsJson(headers.accept)) return NO_JSON_WANTED;
    if (Number(headers["content-length"]) > BODY_LIMIT) return TOO_LARGE;
  }

  /** In a time that says nothing of how much of it is right. @param {string} presented */
  function isToken(presented) {
    const [, given] = /^bearer +([0-9a-f]{64}) *$/i.exec(presented) ?? [];
    return given !== undefined && timingSafeEqual(hash("sha256", given, "buffer"), digest);
  }

  /** @param {Request} request @param {Response} response @returns {Promise<Answer>} */
  async function answerOf(request, response) {
    const bytes = await readBody(request);
    if (bytes === null) return TOO_LARGE;
    /** @type {unknown} */
    let value;
    try {
      value = JSON.parse(UTF8.decode(bytes));
    } catch {
      return UNREADABLE;
    }
    const calling = new AbortController();
    calls.add(calling);
    response.once("close", () => {
      calls.delete(calling);
      if (!response.writableFinished) calling.abort(new Error("the client has left"));
    });
    const run = {
      info: { name, version: VERSION },
      definitions,
      call: (/** @type {any} */ params, /** @type {object} */ tail) => gate(params, calling, tail),
    };
    try {
      const body = await answer(run, request.headers, value);
      return body === null ? { status: 202 } : { status: 200, body };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      if (error.cause !== undefined) onFault?.(null, error.cause);
      return { status: error.status, body: error.body };
    }
  }

  /**
   * What Node's parser refuses, and who takes too long.
   * @param {Error & { code?: string }} error
   * @param {import("node:stream").Duplex} socket
   */
  function onClientError({ code = "" }, socket) {
    // Nonsense behind a request doesn't cost it its answer.
    const response = owed.get(socket);
    if (response?.req.complete) return;
    const status = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }[code] ?? 400;
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    // A client that never reads doesn't keep its connection.
    if (socket.writable) socket.end(response?.headersSent ? "" : head, () => socket.destroy());
    else socket.destroy();
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The bytes of a body, or null as soon as they are too many.
 * @param {Request} request
 * @returns {Promise<Buffer | null>}
 */
function readBody(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const pieces = [];
    let size = 0;
    request.on("data", (piece) => {
      size += piece.length;
      if (size <= BODY_LIMIT) pieces.push(piece);
      else resolve(null);
    });
    request.once("end", () => resolve(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
    request.once("error", reject);
    request.once("close", () => reject(new Error("the client has left")));
  });
}

/** @param {Request} request @param {Response} response @param {Answer} answer */
function send(request, response, { status, body = "", headers }) {
  const length = { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...BARE_HEADERS, ...(body !== "" && JSON_HEADERS), ...headers, ...length });
  if (request.complete) {
    response.end(body);
    return;
  }
  response.write(body);
  const end = () => {
    clearTimeout(late);
    response.end();
  };
  const late = setTimeout(end, LINGER_MS);
  request.once("end", end).once("close", end).resume();
}

/** @param {string | undefined} type */
function isJson(type = "") {
  const known = /^application\/json[ \t]*(?:;(.*))?$/i.exec(type);
  const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)/i.exec(known?.[1] ?? "")?.[1];
  return known !== null && /^(utf-?8)?$/i.test(charset ?? "");
}

/**
 * Content negotiation of RFC 9110: the most precise range that covers JSON decides.
 * @param {string | undefined} accept
 */
function acceptsJson(accept = "") {
  if (accept.trim() === "") return true;
  const ranges = new Map(
    accept.split(",").map((range) => {
      const [type, ...parameters] = range.toLowerCase().split(";");
      return [type.trim(), !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))];
    }),
  );
  return ranges.get("application/json") ?? ranges.get("application/*") ?? ranges.get("*/*") ?? false;
}
