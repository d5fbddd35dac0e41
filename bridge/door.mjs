// The bridge as the client of a door: it opens it once, in whichever era the door speaks, then passes calls on.
import { Refusal } from "./gate.mjs";
import { CAPABILITIES_KEY, CLIENT_INFO_KEY, isObject, LEGACY, MODERN, VERSION_KEY } from "./protocol.mjs";
import { canBeShown, isSchema, NAME } from "./tools.mjs";

/** @typedef {import("./tools.mjs").Tool} Tool */
/** @typedef {Record<string, any>} Params */
/** @typedef {"ill" | "busy" | "refused"} Kind */

/** A door that can't be opened: said in one line, exit code 69. */
export class ClosedDoor extends Error {}

/** A run that waits longer for a door has one that is down. */
const OPEN_MS = 10_000;
/** The doors answer within 8 s; others may take longer, and a client waits for 120. */
const CALL_MS = 60_000;
/** An image may be of a megabyte; what is over this is no answer. */
const ANSWER_LIMIT = 8_388_608;
/** A door lists its tools on one page; another one's end must come. */
const PAGES_LIMIT = 20;
/** One request at a time on a connection: none needs an id of its own. */
const ID = 1;
const CLIENT = { name: "labo-bridge", version: "1" };

/** @type {Record<Kind, (door: string) => string>} */
const SENTENCES = {
  ill: (door) =>
    `La porte ${door} ne répond pas comme il faut pour l'instant. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'appel s'est perdu : l'action est peut-être faite. Si l'outil change quelque chose, vérifie d'abord; sinon, redemande dans une minute.`,
  busy: (door) =>
    `La porte ${door} reçoit trop de questions pour l'instant. Ça dure d'habitude quelques secondes, et ça ne veut pas dire qu'elle est en panne. Redemande dans dix secondes.`,
  refused: (door) =>
    `La porte ${door} n'a pas accepté cet appel : un argument ne convient pas, ou elle n'a plus cet outil. Redemander la même chose n'y changera rien, et ça ne veut pas dire qu'elle est en panne. Relis la description de l'outil et réessaie avec d'autres arguments; si ça continue, réponds sans lui.`,
};

/** What a person is told of a connection that fails. @type {Record<string, string>} */
const REASONS = {
  ECONNREFUSED: "nothing listens there: it must be started first",
  ECONNRESET: "it hangs up",
  UND_ERR_SOCKET: "it hangs up",
  ENOTFOUND: "no machine has that name",
  EAI_AGAIN: "its name can't be looked up",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its answer is cut",
};

/** What a door did that isn't an answer; `message` is for a developer, `kind` for the model. */
class Fault extends Error {
  /** @param {string} message @param {Kind} [kind] */
  constructor(message, kind = "ill") {
    super(message);
    this.kind = kind;
  }
}

/**
 * How a door is spoken to, once it has been opened.
 * @typedef {{ url: string, version: string | null, session: string | null }} Session `version`: the modern one, or the
 *   legacy one that was agreed on, null before; `session`: what a legacy door wants back
 */

/**
 * Opens a door and asks for its tools. What it lists later isn't seen: the list of a run doesn't change.
 * @param {string} name
 * @param {string} url
 * @returns {Promise<import("./tools.mjs").Door>} rejects with a `ClosedDoor` that names the door and its address
 */
export async function openDoor(name, url) {
  try {
    const signal = AbortSignal.timeout(OPEN_MS);
    const session = await open(url, signal);
    const listed = await list(session, signal);
    const tools = new Map();
    for (const one of listed) {
      const tool = toolOf(name, session, one);
      // The first of a name, as agents do.
      if (tool !== null && !tools.has(tool.name)) tools.set(tool.name, tool);
    }
    return { name, tools: [...tools.values()] };
  } catch (error) {
    // The rest of an address may hold a secret.
    const { origin, pathname } = new URL(url);
    throw new ClosedDoor(`--door ${name}: ${origin}${pathname} can't be opened: ${reasonOf(error)}`);
  }
}

/**
 * A tool of a door; null for one that an agent can't spell, whose arguments it couldn't know, or that can't be shown.
 * @param {string} door
 * @param {Session} session
 * @param {unknown} listed
 * @returns {Tool | null}
 */
function toolOf(door, session, listed) {
  if (!isObject(listed)) return null;
  const { name, inputSchema = {} } = listed;
  const schema = isObject(inputSchema) ? { type: "object", ...inputSchema } : null;
  if (typeof name !== "string" || !NAME.test(name) || !isSchema(schema)) return null;
  /** @type {Tool} */
  const tool = {
    .../** @type {Tool} */ (listed),
    inputSchema: schema,
    async run(args, { signal }) {
      try {
        const late = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
        const { content, isError, structuredContent } = await request(
          session,
          "tools/call",
          { name, arguments: args },
          late,
        );
        if (Array.isArray(content)) return { content, isError, structuredContent };
        if (!isObject(structuredContent)) throw new Fault("its result has no content");
        return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], isError, structuredContent };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new Refusal(SENTENCES[error instanceof Fault ? error.kind : "ill"](door), { cause: error });
      }
    },
  };
  return canBeShown(tool) ? tool : null;
}

/**
 * The modern era, or the legacy one where the door doesn't know it.
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<Session>}
 */
async function open(url, signal) {
  const modern = { url, version: MODERN, session: null };
  const probe = await post(modern, "server/discover", {}, signal);
  const known = probe.message?.result?.supportedVersions;
  if (Array.isArray(known) && known.includes(MODERN)) return modern;
  if ([401, 403].includes(probe.status))
    throw new Fault(`it answers ${probe.status}: the bridge has no key to a private door`);
  /** @type {Session} */
  const legacy = { url, version: null, session: null };
  const asked = { protocolVersion: LEGACY[0], capabilities: {}, clientInfo: CLIENT };
  const opened = await post(legacy, "initialize", asked, signal);
  const { protocolVersion } = readAnswer(opened);
  if (!LEGACY.includes(protocolVersion)) throw new Fault("it speaks no version of MCP that the bridge knows");
  const session = { url, version: protocolVersion, session: opened.session };
  await post(session, "notifications/initialized", undefined, signal);
  return session;
}

/** @param {Session} session @param {AbortSignal} signal @returns {Promise<unknown[]>} */
async function list(session, signal) {
  /** @type {unknown[]} */
  const tools = [];
  let cursor;
  for (let page = 0; page < PAGES_LIMIT; page++) {
    const { tools: some, nextCursor } = await request(
      session,
      "tools/list",
      cursor === undefined ? {} : { cursor },
      signal,
    );
    if (!Array.isArray(some)) throw new Fault("its list of tools isn't one");
    tools.push(...some);
    if (typeof nextCursor !== "string" || nextCursor === "") return tools;
    cursor = nextCursor;
  }
  throw new Fault(`its list of tools has over ${PAGES_LIMIT} pages`);
}

/**
 * The result of a request.
 * @param {Session} session renewed when the door has forgotten it, as it does by restarting
 * @param {string} method
 * @param {Params} params
 * @param {AbortSignal} signal
 * @returns {Promise<Params>}
 */
async function request(session, method, params, signal) {
  const answer = await post(session, method, params, signal);
  // The first is MCP's; servers made after an example of its library give the second.
  if (![404, 400].includes(answer.status) || session.session === null) return readAnswer(answer);
  Object.assign(session, await open(session.url, signal));
  return readAnswer(await post(session, method, params, signal));
}

/** @param {{ status: number, message: Params | null }} answer @returns {Params} */
function readAnswer({ status, message }) {
  if (status === 429) throw new Fault("it answers 429: too much was asked of it", "busy");
  if (isObject(message?.result) && status < 300) return message.result;
  const { code } = message?.error ?? {};
  const hint =
    status === 404
      ? ": its address ends in /mcp, as a rule"
      : isMoved(status)
        ? ": it has moved, give its new address"
        : "";
  if (!Number.isInteger(code)) throw new Fault(`it answers ${status} and no message of MCP${hint}`);
  throw new Fault(`it answers the error ${code}`, code === -32602 || code === -32601 ? "refused" : "ill");
}

/**
 * One POST. A notification (no params) has no answer.
 * @param {Session} session
 * @param {string} method
 * @param {Params | undefined} params
 * @param {AbortSignal} signal
 */
async function post({ url, version, session }, method, params, signal) {
  const meta = { [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {}, [CLIENT_INFO_KEY]: CLIENT };
  const isModern = version === MODERN;
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(version !== null && { "mcp-protocol-version": version }),
      ...(session !== null && { "mcp-session-id": session }),
      ...(isModern && { "mcp-method": method, ...(params?.name !== undefined && { "mcp-name": params.name }) }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      ...(params !== undefined && { id: ID, params: isModern ? { ...params, _meta: meta } : params }),
      method,
    }),
  });
  const message = params === undefined ? await response.body?.cancel() : await readMessage(response);
  return { status: response.status, session: response.headers.get("mcp-session-id"), message: message ?? null };
}

/**
 * The answer to a request, by itself or in a stream of events, which may stay open after it; null when there is none.
 * @param {Response} response
 * @returns {Promise<Params | null>}
 */
async function readMessage({ headers, body }) {
  const isStream = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
  const decoder = new TextDecoder();
  let size = 0;
  /** The answer, or the line of it that isn't whole yet. @type {string[]} */
  let pieces = [];
  /** Those of the event. @type {string[]} */
  let data = [];
  /** Whether the last piece ended with a CR, whose line feed is then the next one's. */
  let isHalved = false;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > ANSWER_LIMIT) throw new Fault("its answer is over 8 MiB");
    const text = decoder.decode(piece, { stream: true });
    if (text === "") continue;
    pieces.push(isHalved && text.startsWith("\n") ? text.slice(1) : text);
    isHalved = isStream && text.endsWith("\r");
    if (!isStream || !/[\r\n]/.test(text)) continue;
    const lines = pieces.join("").split(/\r\n|\r|\n/);
    pieces = [lines.pop() ?? ""];
    for (const line of lines) {
      if (line.startsWith("data:")) data.push(line.slice("data:".length));
      if (line !== "") continue;
      const found = parseAnswer(data.join("\n"));
      if (found !== null) return found;
      data = [];
    }
  }
  const rest = pieces.join("") + decoder.decode();
  if (!isStream) return parseAnswer(rest);
  return parseAnswer([...data, ...(rest.startsWith("data:") ? [rest.slice("data:".length)] : [])].join("\n"));
}

/** @param {number} status */
const isMoved = (status) => status >= 300 && status < 400;

/**
 * The answer to the request, which is no request of the door's own; an error may have lost its id.
 * @param {string} text
 * @returns {Params | null}
 */
function parseAnswer(text) {
  try {
    const message = JSON.parse(text);
    if (!isObject(message)) return null;
    const { id = null, result, error } = message;
    return (id === ID && result !== undefined) || ([ID, null].includes(id) && error !== undefined) ? message : null;
  } catch {
    return null;
  }
}

/** @param {unknown} error */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return `no answer within ${OPEN_MS / 1000} s`;
  // fetch says only that it failed; what stopped it is underneath.
  const { code, message } = /** @type {{ code?: string, message?: string }} */ (error.cause ?? {});
  return REASONS[code ?? ""] ?? (code || message || error.message);
}
