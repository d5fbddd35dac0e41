// The list of a run, on the server's side: what is shown, and what is checked before anything executes.
import { clip, isObject, RpcError } from "./protocol.mjs";

/** @typedef {import("./protocol.mjs").Params} Params */
/** @typedef {import("./tools.mjs").Tool} Tool */
/** @typedef {{ content: Params[], isError?: boolean, structuredContent?: unknown }} Result */

/** Under the 120 s that the config lets a client wait: the model hears why rather than nothing. */
const CALL_MS = 110_000;
/** All the text of an answer: more fills a model's context, or is put by its client in a file it may not read. */
const TEXT_LIMIT = 200_000;
/** What an audit keeps of a call's arguments: so many names, each cut as any name. */
const NAMES_LIMIT = 32;

const BROKEN =
  "Quelque chose s'est brisé dans cet outil. C'est rare, et ça ne veut pas dire que ta question est mauvaise. Redemande dans une minute.";
const TOO_SLOW =
  "Cet outil n'a pas répondu à temps. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de réponse. Redemande dans une minute.";

/** What a call is told when its tool can't answer: a sentence for the model. */
export class Refusal extends Error {}

/**
 * The gate of a run: `call` is the only way to a tool.
 * @param {object} given
 * @param {Map<string, Tool>} given.tools those of the run, and no other
 * @param {string} given.workspace
 * @param {string} given.channel
 * @param {((line: object) => void) | undefined} given.audit takes `{ ts, tool, decision, ms, args }`
 * @param {((tool: string, error: unknown) => void) | undefined} given.onFault what a tool threw, which no model is told
 * @returns {(params: Params, calling: AbortController, tail: object) => Promise<string>} the JSON of the result, with the
 *   members of `tail` after it; rejects with an `RpcError`: an unlisted tool, a name or arguments that aren't. `calling`:
 *   aborted when the client leaves, or when the run ends
 */
export function createGate({ tools, workspace, channel, audit, onFault }) {
  return async (params, calling, tail) => {
    const since = performance.now();
    const { name, arguments: given = null } = params;
    /** @param {"allow" | "deny"} decision */
    const note = (decision) => {
      if (audit === undefined) return;
      const args = isObject(given) ? Object.keys(given).slice(0, NAMES_LIMIT).map(clip) : [];
      const ms = Math.round((performance.now() - since) * 1000) / 1000;
      audit({ ts: new Date().toISOString(), tool: typeof name === "string" ? clip(name) : null, decision, ms, args });
    };
    const refusal = refusalOf(name, given);
    if (refusal !== null) {
      note("deny");
      throw refusal;
    }
    const tool = /** @type {Tool} */ (tools.get(name));
    const late = setTimeout(() => calling.abort(new Refusal(TOO_SLOW)), CALL_MS);
    try {
      const { signal } = calling;
      const args = declared(tool, given ?? {});
      const said = await within(() => tool.run(args, { workspace, channel, signal }), signal);
      return JSON.stringify({ ...readResult(said), ...tail });
    } catch (error) {
      if (!(error instanceof Refusal)) onFault?.(name, error);
      const text = error instanceof Refusal ? error.message : BROKEN;
      return JSON.stringify({ content: [{ type: "text", text }], isError: true, ...tail });
    } finally {
      clearTimeout(late);
      note("allow");
    }
  };

  /** Why a call goes no further; null when it may. @param {unknown} name @param {unknown} given */
  function refusalOf(name, given) {
    if (typeof name !== "string") return new RpcError(200, -32602, '"params.name" must be a text.');
    // A map, and no object: `constructor` is nobody's tool.
    if (!tools.has(name)) return new RpcError(200, -32601, `tool '${clip(name)}' is not available to this agent`);
    if (given !== null && !isObject(given)) return new RpcError(200, -32602, '"params.arguments" must be an object.');
    return null;
  }
}

/**
 * The arguments that the tool's schema declares, and nothing else: no workspace ever comes in among them.
 * @param {Tool} tool
 * @param {Params} given
 */
function declared({ inputSchema: { properties } }, given) {
  const args = Object.create(null);
  for (const name of Object.keys(properties ?? {})) if (Object.hasOwn(given, name)) args[name] = given[name];
  return args;
}

/**
 * What `work` gives, unless the call is aborted first: a tool that hangs holds nobody.
 * @template T
 * @param {() => T | Promise<T>} work
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
function within(work, signal) {
  return new Promise((resolve, reject) => {
    // The client has left before its call could start.
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    // Not Promise.try: Node 22 has none.
    new Promise((start) => start(work())).then(resolve, reject);
  });
}

/**
 * What a tool gave: a text, blocks of MCP, or a whole result of MCP. Throws on anything else.
 * @param {unknown} said
 * @returns {Result}
 */
function readResult(said) {
  const given = typeof said === "string" ? [{ type: "text", text: said }] : said;
  const result = /** @type {Partial<Result>} */ (isObject(given) ? given : { content: given });
  const { content, isError, structuredContent } = result;
  if (!Array.isArray(content) || content.some((block) => typeof block?.type !== "string")) {
    throw new TypeError("a tool gives a text, a list of content blocks, or an object that has one as its content");
  }
  let left = TEXT_LIMIT;
  const blocks = content.map((block) => {
    if (typeof block.text !== "string") return block;
    const text = cut(block.text, left);
    left -= Math.min(left, block.text.length);
    return { ...block, text };
  });
  if (structuredContent === undefined) return { content: blocks, ...(isError === true && { isError }) };
  // It can't be cut and stay what it is. Without it, a client that was told its schema takes nothing but an error.
  if (JSON.stringify(structuredContent).length > TEXT_LIMIT) return { content: blocks, isError: true };
  return { content: blocks, ...(isError === true && { isError }), structuredContent };
}

/** @param {string} text @param {number} limit */
function cut(text, limit) {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}… (coupé)`;
}
