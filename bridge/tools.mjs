// The tools of a run: those of a module, those of doors, their names, and the choice among them.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject } from "./protocol.mjs";

/** What an error says, whatever was thrown. @param {unknown} error @returns {string} */
export function messageOf(error) {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "something that can't be printed";
  }
}

/** A mistake of the person at the keyboard: said in one line, exit code 64. */
export class UsageError extends Error {}

/**
 * What a tool is told of its run, none of it by the client. `signal` is aborted when the client leaves, when the run ends, or
 * after 110 s.
 * @typedef {{ workspace: string, channel: string, signal: AbortSignal }} Context
 */

/**
 * A tool, as `--tools FILE` gives it. MCP's other members (title, annotations…) are shown in the list when it has them.
 * @typedef {object} Tool
 * @property {string} name letters, digits, _ and -
 * @property {string} description what a model reads before it chooses
 * @property {{ type: string, properties?: object, [keyword: string]: unknown }} inputSchema a JSON Schema of type "object"
 * @property {(args: Record<string, any>, context: Context) => unknown} run gets those arguments that the schema declares,
 *   in an object without a prototype, unchecked otherwise. Gives a text, a list of MCP content blocks, or
 *   `{ content, isError, structuredContent }` as MCP has it, or a promise of one. What it throws is told to no model: that
 *   hears that the tool is broken
 */

/** @typedef {{ name: string, tools: Tool[] }} Door a door that has been asked for its tools */

/** What every agent can spell: they replace the rest, and two names may become one. */
export const NAME = /^[A-Za-z0-9_-]+$/;
/** @param {unknown} value */
const isText = (value) => typeof value === "string";
/**
 * What a model is shown of a tool, where it is what MCP says: a module's may hold more, a door's may promise what the bridge
 * doesn't speak, and a client that finds one member wrong takes no tool of the list. So icons, which no model sees, and the
 * schema of the output, which some clients compile, are left out.
 * @type {Record<string, (value: unknown) => boolean>}
 */
const SHOWN = {
  name: isText,
  title: isText,
  description: isText,
  inputSchema: isSchema,
  annotations: (value) =>
    isObject(value) &&
    Object.entries(value).every(([key, one]) =>
      key === "title" ? isText(one) : !/Hint$/.test(key) || typeof one === "boolean",
    ),
  _meta: isObject,
};
/** The schemas that are no objects. @type {Map<unknown, object>} */
const SCHEMAS = new Map([
  [true, {}],
  [false, { not: {} }],
]);
/** An agent drops a longer name without a word. */
const FULL_NAME_LIMIT = 128;

/**
 * The tools of a module of this machine: the array it exports by default.
 * @param {string} file from where one stands
 * @returns {Promise<Tool[]>} rejects with a `UsageError` that names the file
 */
export async function loadTools(file) {
  /** @param {string} why */
  const refused = (why) => new UsageError(`--tools ${file}: ${why}`);
  if (!existsSync(file)) throw refused("there is no such file");
  /** @type {unknown} */
  let tools;
  try {
    ({ default: tools } = await import(pathToFileURL(resolve(file)).href));
  } catch (error) {
    const where = error instanceof SyntaxError ? `; if it is its syntax, "node --check ${file}" says where` : "";
    throw refused(`this module can't be loaded: ${messageOf(error)}${where}`);
  }
  if (!Array.isArray(tools)) throw refused("this module must export an array of tools by default");
  for (const [rank, tool] of tools.entries()) {
    let fault;
    try {
      fault = faultOf(tool, rank, tools);
    } catch (error) {
      fault = `the tool number ${rank + 1} can't be read: ${messageOf(error)}`;
    }
    if (fault !== null) throw refused(fault);
  }
  return tools;
}

/**
 * What a module's tool lacks; null when it is one. May throw what a member throws.
 * @param {any} tool
 * @param {number} rank
 * @param {any[]} tools
 */
function faultOf(tool, rank, tools) {
  const { name, description, inputSchema, run } = tool ?? {};
  if (typeof name !== "string" || !NAME.test(name))
    return `the tool number ${rank + 1} needs a name of letters, digits, _ and -`;
  const which = `the tool "${name}"`;
  if (tools.findIndex((one) => one.name === name) !== rank) return `${which} is there twice`;
  if (typeof description !== "string" || description === "") return `${which} needs a description`;
  if (!isSchema(inputSchema)) return `${which} needs an inputSchema of type "object"`;
  if (typeof run !== "function") return `${which} needs a run function`;
  return canBeShown(tool) ? null : `${which} has an inputSchema, or another member, that isn't JSON or is too deep`;
}

/**
 * All the tools there are, under the names that a run knows them by: their own, and `DOOR_NAME` for a door's that another
 * source has too. Names that are still the same stay so: `choose` refuses them.
 * @param {readonly Tool[]} local
 * @param {readonly Door[]} doors
 * @returns {Tool[]}
 */
export function gather(local, doors) {
  const times = new Map();
  for (const { name } of [local, ...doors.map(({ tools }) => tools)].flat())
    times.set(name, (times.get(name) ?? 0) + 1);
  const named = doors.flatMap((door) =>
    door.tools.map((tool) => ({ ...tool, name: times.get(tool.name) === 1 ? tool.name : `${door.name}_${tool.name}` })),
  );
  return [...local, ...named];
}

/**
 * The tools of a run, in the order they were allowed.
 * @param {readonly Tool[]} tools
 * @param {readonly string[]} allow
 * @returns {Map<string, Tool>} throws a `UsageError` when there is none, or for a name that isn't that of one tool
 */
export function choose(tools, allow) {
  if (allow.length === 0) throw new UsageError("--allow needs the name of a tool: nothing is allowed without it.");
  /** @type {Map<string, Tool>} */
  const chosen = new Map();
  for (const name of allow) {
    const [tool, second] = tools.filter((one) => one.name === name);
    if (second !== undefined)
      throw new UsageError(`--allow: two tools are called "${name}": give a door another name.`);
    if (tool === undefined) {
      const known = tools.map((one) => one.name).join(", ") || "none";
      throw new UsageError(`--allow: no tool is called "${name}". Known: ${known}.`);
    }
    chosen.set(name, tool);
  }
  return chosen;
}

/**
 * Throws a `UsageError` where an agent can't spell the server's name, or would drop a tool for the length of its own.
 * @param {string} server
 * @param {readonly string[]} allow
 */
export function checkNames(server, allow) {
  if (!NAME.test(server)) throw new UsageError(`--name "${server}": a name has letters, digits, _ and - alone.`);
  const long = allow.find((name) => `mcp__${server}__${name}`.length > FULL_NAME_LIMIT);
  if (long === undefined) return;
  throw new UsageError(
    `--name "${server}": mcp__${server}__${long} is over ${FULL_NAME_LIMIT} characters, and agents drop it.`,
  );
}

/** A tool as `tools/list` shows it. @param {Tool} tool */
export function describe(tool) {
  const { properties, required, ...rest } = tool.inputSchema;
  // Older clients take objects alone.
  const plain = Object.entries(properties ?? {}).map(([name, one]) => [name, SCHEMAS.get(one) ?? one]);
  const shown = {
    ...rest,
    ...(isObject(properties) && { properties: Object.fromEntries(plain) }),
    ...(Array.isArray(required) && { required }),
  };
  return Object.fromEntries(
    Object.entries({ ...tool, inputSchema: shown }).filter(
      ([member, value]) => Object.hasOwn(SHOWN, member) && SHOWN[member](value),
    ),
  );
}

/** Whether it can be written in a list: a schema may be no JSON, or too deep. @param {Tool} tool @returns {boolean} */
export function canBeShown(tool) {
  try {
    JSON.stringify(describe(tool));
    return true;
  } catch {
    return false;
  }
}

/** Whether clients take it as the schema of a tool. @param {unknown} value @returns {value is Tool["inputSchema"]} */
export function isSchema(value) {
  if (!isObject(value) || value.type !== "object") return false;
  const [properties, required] = [value.properties ?? {}, value.required ?? []];
  // `true` is a schema too.
  const areSchemas =
    isObject(properties) && Object.values(properties).every((one) => isObject(one) || typeof one === "boolean");
  return areSchemas && Array.isArray(required) && required.every(isText);
}
