// npm run server-json: what the MCP registry is told of each door. A door's address has one place, wrangler.toml, and its
// title and its version have one, the door: they are copied here, and only the description is written by hand.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { bundleDoor } from "./bundle.mjs";
import { command, isStarted, UsageError } from "./command.mjs";

/**
 * A server.json, as far as we write it.
 * @typedef {{ $schema: string, name: string, title: string, description: string, version: string,
 *   remotes: { type: string, url: string }[] }} Card
 * @typedef {import("wrangler").Unstable_Config} Settings of one door, from wrangler.toml
 */

export const CONFIG = "wrangler.toml";
/** What stands beside a private door. */
const LOCK = "oauth.ts";
const LOCK_SETTINGS = ["ACCESS_TEAM", "ACCESS_AUD", "OWNER_EMAIL", "LABO_TOOLS", "ROOT_TOK", "ROOT_CLI"];
const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** The schema's, for a title and for a description. */
const LENGTH_LIMIT = 100;
const NAME_LIMIT = 200;
/** Narrower than the schema's: the registry gives `com.example.*` to who proves that example.com is theirs. */
const NAME = /^[a-z0-9-]+(\.[a-z0-9-]+)+\/[a-z0-9]+(-[a-z0-9]+)*$/;
/** The registry refuses ranges, and « latest ». */
const VERSION = /^\d+\.\d+\.\d+$/;

const HELP = `npm run server-json

Writes the server.json of every public door, in the format of the MCP registry: the address of PUBLIC_URL in ${CONFIG}, the
title and the version of SERVER in workers/NAME/index.ts. The description, of at most ${LENGTH_LIMIT} characters, is what stands in
the file already, and so is anything else there. \`npm run deploy\` does it too, for the doors it deploys. A private door
has none: the registry is where strangers find doors.

Exit code 1 when one can't be written, with a line that says what to change.`;

/** What stops a command once it runs: one line, exit code 1. */
export class Failure extends Error {}

/**
 * The doors that wrangler.toml describes, in its order.
 * @returns {Promise<Map<string, Settings>>}
 * @throws {Failure} when it can't be read
 */
export async function readFleet() {
  // Loaded here: it takes a second, and --help needs none of it.
  const { unstable_readConfig } = await import("wrangler");
  const read = (/** @type {string} */ env = "") => unstable_readConfig({ config: CONFIG, env }, { hideWarnings: true });
  try {
    const { definedEnvironments = [] } = read();
    return new Map(definedEnvironments.map((/** @type {string} */ name) => [name, read(name)]));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Failure(`${CONFIG}: ${message.replace(/\s+/g, " ").trim()}`);
  }
}

/**
 * Whether a door is for its owner alone: it has Cloudflare Access before it, and no server.json.
 * @param {Settings} settings
 */
export function isPrivate({ main = "", vars, secrets }) {
  if (existsSync(join(dirname(main), LOCK))) return true;
  // Any of what its lock is told: one that is forgotten doesn't make it public.
  const told = [...Object.keys(vars), ...(secrets?.required ?? [])];
  return /** @type {string[]} */ (told).some((name) => LOCK_SETTINGS.includes(name));
}

/**
 * The server.json that a door must have.
 * @param {string} name
 * @param {Settings} settings
 * @returns {Promise<{ file: string, card: Card, text: string, isCurrent: boolean }>} `isCurrent`: the file is that already
 * @throws {Failure} when there can be none
 */
export async function prepareServerJson(name, { vars }) {
  const file = `workers/${name}/server.json`;
  const home = String(vars.PUBLIC_URL);
  if (!URL.canParse(home)) throw new Failure(`${CONFIG}: the PUBLIC_URL of ${name} must be its address: ${home}`);
  const present = existsSync(file) ? readFileSync(file, "utf8") : "{}";
  const kept = parse(present);
  if (kept === null) throw new Failure(`${file}: it isn't a JSON object`);
  const { SERVER } = await loadDoor(name);
  const ours = {
    $schema: SCHEMA,
    name: nameOf(name, new URL(home).hostname),
    title: SERVER.title,
    description: kept.description,
    version: SERVER.version,
    remotes: [{ type: "streamable-http", url: new URL("/mcp", home).href }],
  };
  // Twice: the first gives the order, the last wins.
  const card = /** @type {Card} */ ({ ...ours, ...kept, ...ours });
  const fault = faultOf(card);
  if (fault !== null) throw new Failure(`${file}: ${fault}`);
  const text = `${JSON.stringify(card, null, 2)}\n`;
  return { file, card, text, isCurrent: text === present };
}

/**
 * What the registry would refuse, or null.
 * @param {{ [K in keyof Card]?: unknown }} card
 */
export function faultOf({ $schema, name, title, description, version, remotes }) {
  if ($schema !== SCHEMA) return `"$schema" must be ${SCHEMA}`;
  for (const [key, text] of Object.entries({ title, description })) {
    const { length } = typeof text === "string" ? text : "";
    if (length < 1 || length > LENGTH_LIMIT) return `"${key}" must be a text of 1 to ${LENGTH_LIMIT} characters`;
  }
  if (typeof name !== "string" || name.length > NAME_LIMIT || !NAME.test(name)) {
    return `"name" must be a domain in reverse, one slash, a name: com.example/hockey`;
  }
  if (typeof version !== "string" || !VERSION.test(version)) return `"version" must be three numbers: 1.0.0`;
  const [remote, ...more] = Array.isArray(remotes) ? remotes : [];
  const url = URL.canParse(remote?.url) ? new URL(remote.url) : null;
  if (remote?.type !== "streamable-http" || url?.protocol !== "https:" || url.pathname !== "/mcp" || more.length > 0) {
    return `"remotes" must be one of type streamable-http, at an https address that ends in /mcp`;
  }
  return null;
}

/**
 * hockey.example.com makes com.example/hockey, and any other host of the door makes one longer.
 * @param {string} name
 * @param {string} host
 */
function nameOf(name, host) {
  const labels = host.split(".");
  if (labels[0] === name && labels.length > 2) labels.shift();
  return `${labels.reverse().join(".")}/${name}`;
}

/**
 * What a door says of itself.
 * @param {string} name
 * @returns {Promise<{ SERVER: { title: string, version: string }, TOOLS: Record<string, object> }>}
 */
export async function loadDoor(name) {
  try {
    const code = await bundleDoor(name, "export { SERVER, TOOLS };");
    return await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
  } catch (error) {
    const [line] = String(error instanceof Error ? error.message : error).split("\n");
    throw new Failure(`workers/${name}/index.ts: it can't be built, or doesn't start (${line.replace(/:$/, "")})`);
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> | null}
 */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * @param {object} _
 * @param {string[]} extra
 */
async function main(_, extra) {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  try {
    const fleet = await readFleet();
    const listed = [...fleet].filter(([, settings]) => !isPrivate(settings));
    const prepared = await Promise.all(listed.map(([name, settings]) => prepareServerJson(name, settings)));
    for (const { file, text, isCurrent } of prepared) {
      if (!isCurrent) writeFileSync(file, text);
      console.log(`${file}: ${isCurrent ? "nothing to change" : "written"}`);
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

if (isStarted(import.meta.filename)) {
  await command(HELP, {}, main);
}
