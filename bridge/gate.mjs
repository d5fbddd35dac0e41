// The list of a run, on the server's side: what is shown, and what is checked before anything executes.
import { clip, isObject, RpcError } from "./protocol.mjs";

/** @typedef {import("./protocol.mjs").Params} Params */
/** @typedef {import("./tools.mjs").Tool} Tool */
/** @typedef {{ content: Params[], isError?: boolean, structuredContent?: unknown }} Result */

/** Under the 120 s that the config lets a client wait: the model hears why rather than nothing. */
const CALL_MS = 110_000;
/** All the text of an answer, in characters: more fills a model's context, or is put by its client in a file it may not read. */
const TEXT_LIMIT = 200_000;
/** What an audit keeps of a call's arguments: so many names, each cut as any name. */
const NAMES_LIMIT = 32;

const BROKEN =
  "Cet outil a échoué. C'est rare et d'habitude passager, et ça ne veut pas dire que l'appel s'est perdu : l'action est peut-être faite. S'il change quelque chose, vérifie d'abord; sinon, relis ses arguments, redemande dans une minute, et si ça échoue encore, continue sans lui et dis-le.";
const TOO_SLOW =
  "Cet outil n'a pas répondu à temps. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'appel s'est perdu : l'action est peut-être faite. S'il change quelque chose, vérifie d'abord; sinon, redemande dans une minute.";
const UNRECORDED =
  "Je ne peux plus écrire le journal de cette tâche, et sans lui aucun de ces outils ne s'exécute. Ça dure d'habitude jusqu'à ce que quelqu'un s'en occupe, et ça ne veut pas dire que ta demande est mauvaise. Redemande dans une minute; si ça continue, finis sans ces outils et dis-le.";
const CUT = "… (La réponse est coupée ici : elle est trop longue. Demandes-en moins à la fois.)";
/** Where a schema may hold others whose properties are the arguments' too. */
const BRANCHES = ["allOf", "anyOf", "oneOf", "if", "then", "else"];

/** What a call is told when its tool can't answer: a sentence for the model; its `cause` is for a developer. */
export class Refusal extends Error {}

/**
 * The gate of a run: `call` is the only way to a tool.
 * @param {object} given
 * @param {Map<string, Tool>} given.tools those of the run, and no other
 * @param {string} given.workspace
 * @param {string} given.channel
 * @param {((line: object) => boolean) | undefined} given.audit takes `{ ts, tool, decision, ms, args }`; false when it
 *   couldn't keep it
 * @param {((tool: string, error: unknown) => void) | undefined} given.onFault what a tool threw, which no model is told
 * @returns {(params: Params, calling: AbortController, tail: object) => Promise<string>} the JSON of the result, with the
 *   members of `tail` after it; rejects with an `RpcError`: an unlisted tool, a name or arguments that aren't. `calling`:
 *   aborted when the client leaves, or when the run ends
 */
export function createGate({ tools, workspace, channel, audit, onFault }) {
  const known = new Map([...tools].map(([name, { inputSchema }]) => [name, argumentsOf(inputSchema)]));
  let isRecorded = true;

  return async (params, calling, tail) => {
    const since = performance.now();
    const { name, arguments: given = null } = params;
    /** @param {"allow" | "deny"} decision */
    const note = (decision) => {
      if (audit === undefined) return;
      const args = isObject(given) ? Object.keys(given).slice(0, NAMES_LIMIT).map(clip) : [];
      const ms = Math.round((performance.now() - since) * 1000) / 1000;
      const tool = typeof name === "string" ? clip(name) : null;
      isRecorded = audit({ ts: new Date().toISOString(), tool, decision, ms, args });
    };
    const refusal = refusalOf(name, given);
    if (refusal !== null) {
      note("deny");
      throw refusal;
    }
    const refuse = (/** @type {string} */ text) =>
      JSON.stringify({ content: [{ type: "text", text }], isError: true, ...tail });
    if (!isRecorded) {
      note("deny");
      return refuse(UNRECORDED);
    }
    const tool = /** @type {Tool} */ (tools.get(name));
    const late = setTimeout(() => calling.abort(new Refusal(TOO_SLOW)), CALL_MS);
    try {
      const { signal } = calling;
      const args = declared(known.get(name) ?? [], given ?? {});
      const said = await within(() => tool.run(args, { workspace, channel, signal }), signal);
      return JSON.stringify({ ...readResult(said), ...tail });
    } catch (error) {
      const isTold = error instanceof Refusal;
      if (!isTold || error.cause !== undefined) onFault?.(name, isTold ? error.cause : error);
      return refuse(isTold ? error.message : BROKEN);
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
 * The arguments that a tool's schema declares, and nothing else: what a model adds doesn't reach it.
 * @param {readonly string[]} names
 * @param {Params} given
 */
function declared(names, given) {
  const args = Object.create(null);
  for (const name of names) if (Object.hasOwn(given, name)) args[name] = given[name];
  return args;
}

/**
 * The names of the arguments that a schema declares, in its branches and its own definitions too.
 * @param {Tool["inputSchema"]} whole
 * @returns {string[]}
 */
function argumentsOf(whole) {
  const names = new Set();
  const seen = new Set();
  /** @param {unknown} schema */
  const visit = (schema) => {
    if (!isObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    for (const name of [Object.keys(schema.properties ?? {}), schema.required ?? []].flat()) names.add(name);
    for (const branch of BRANCHES) [schema[branch]].flat().forEach(visit);
    // The second is how it was written before 2019; a list of names in it is no schema.
    for (const dependent of [schema.dependentSchemas, schema.dependencies])
      if (isObject(dependent)) Object.values(dependent).forEach(visit);
    if (typeof schema.$ref === "string") visit(definitionOf(whole, schema.$ref));
  };
  visit(whole);
  return [...names];
}

/**
 * What `#/$defs/name` points to; undefined elsewhere.
 * @param {object} schema
 * @param {string} reference
 */
function definitionOf(schema, reference) {
  const [root, ...steps] = reference.split("/");
  if (root !== "#") return undefined;
  /** @type {unknown} */
  let found = schema;
  for (const step of steps) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
  const known = Array.isArray(content) ? content.filter(isBlock) : null;
  if (known === null || (known.length === 0 && content?.length !== 0)) {
    throw new TypeError(
      "a tool gives a text, a list of content blocks of MCP, or an object that has one as its content",
    );
  }
  const blocks = shorten(known);
  // It can't be cut and stay what it is, and older clients take an object alone; its text is in the blocks.
  const isShort = isObject(structuredContent) && JSON.stringify(structuredContent).length <= TEXT_LIMIT;
  return { content: blocks, ...(isError === true && { isError }), ...(isShort && { structuredContent }) };
}

/** What each block of MCP must have as text. @type {Record<string, string[]>} */
const BLOCKS = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
};

/** Whether clients take it: one that they don't costs the model the whole answer. @param {unknown} block */
function isBlock(block) {
  if (!isObject(block) || !isObject(block.annotations ?? {})) return false;
  const { type, resource } = block;
  const isText = (/** @type {unknown} */ value) => typeof value === "string";
  if (type !== "resource") return Object.hasOwn(BLOCKS, type) && BLOCKS[type].every((member) => isText(block[member]));
  return isObject(resource) && isText(resource.uri) && (isText(resource.text) || isText(resource.blob));
}

/**
 * The blocks that the limit leaves room for, the last one's text cut. A block counts for all that it says but its bytes:
 * many tiny ones are long too.
 * @param {readonly Params[]} content
 */
function shorten(content) {
  const blocks = [];
  let left = TEXT_LIMIT;
  for (const { annotations, ...bare } of content) {
    const block = annotations === null || annotations === undefined ? bare : { ...bare, annotations };
    const resource = isObject(block.resource) ? block.resource : undefined;
    const text = block.text ?? resource?.text;
    const around = { ...block, text: "", data: "", resource: resource && { ...resource, text: "", blob: "" } };
    left -= JSON.stringify(around).length;
    if (left <= 0) {
      blocks.push({ type: "text", text: CUT });
      break;
    }
    if (typeof text !== "string") {
      blocks.push(block);
      continue;
    }
    const kept = cut(text, left);
    left -= text.length;
    blocks.push(
      typeof block.text === "string" ? { ...block, text: kept } : { ...block, resource: { ...resource, text: kept } },
    );
    if (left < 0) break;
  }
  return blocks;
}

/** @param {string} text @param {number} limit */
function cut(text, limit) {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}${CUT}`;
}
