// Serves doors in the real Workers runtime: one workerd for all of them, a loopback socket for each. Miniflare and Wrangler
// take most of a second to load: only a door that starts waits for them.
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { bundle } from "./bundle.mjs";
import { UsageError } from "./command.mjs";

/**
 * A door to serve: its environment in wrangler.toml, its loopback port (0: any), variables that override those of the
 * file, and whether the brake is bound.
 * @typedef {{ name: string, port: number, vars?: Record<string, string>, brake?: boolean }} Door
 */

/** What `npm start` and `npm run demo` serve: the port of each door, and the tool call that asks it a first question. */
export const FLEET = {
  hockey: { port: 8787, question: { name: "match_lnh", arguments: {} } },
  meteo: { port: 8788, question: { name: "meteo_actuelle", arguments: {} } },
  articles: {
    port: 8789,
    question: { name: "articles_chercher", arguments: { question: "comment brancher Home Assistant ?" } },
  },
};

/** The private door: not one of the fleet, since it answers nobody without a token. */
export const LABO = { name: "labo", port: 8790, question: { name: "labo_etat", arguments: {} } };
/** Its address on this machine: the port, and which name of the loopback, are those that a client dials. */
const LOCAL_URL = "http://127.0.0.1";

const CONFIG = "wrangler.toml";
/** Wrangler says on stdout where it read a secret, and warns of one that isn't there: the door says it at each request. */
process.env.WRANGLER_LOG ??= "error";
/**
 * workerd logs a source's name that can't be looked up as an internal error of its own, though the door says it; and
 * that a question which had given up was waiting for a shared call, as it may.
 */
const RUNTIME_NOISE = /internal error|sentryErrorContext|failed to lookup address|different request context/;
/** How often a process looks whether the npm that started it is still there. */
const ORPHAN_CHECK_MS = 500;
/** Who started this process. One that ends at once leaves another in its place, unless it has said which one it was. */
const PARENT = Number(process.env.STARTED_BY ?? process.ppid);

/**
 * Serves the doors until the process ends, and resolves to the address of each once it answers.
 * @param {Door[]} doors
 * @returns {Promise<string[]>} addresses, `http://127.0.0.1:PORT/mcp`, in the order of `doors`
 * @throws {UsageError} when a port is taken
 */
export async function serve(doors) {
  const miniflare = await start(doors, console.error);
  endWith(() => miniflare.dispose());
  return addresses(miniflare, doors);
}

/**
 * Serves one door in a workerd of its own, beside others of this process, until it is closed.
 * @param {Door} door
 * @param {(line: string) => void} log takes what the door says, line by line
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `url`: `http://127.0.0.1:PORT/mcp`
 * @throws {UsageError} when its port is taken
 */
export async function open(door, log) {
  const miniflare = await start([door], log);
  const [url] = await addresses(miniflare, [door]);
  return { url, close: () => miniflare.dispose() };
}

/**
 * @param {Door[]} doors
 * @param {(line: string) => void} log
 */
async function start(doors, log) {
  await Promise.all(doors.map(({ port }) => checkPort(port)));
  const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = await import("miniflare");
  return new Miniflare(
    convertV4MiniflareOptions({
      host: "127.0.0.1",
      port: 0,
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ message }) => {
        if (!RUNTIME_NOISE.test(message)) log(message);
      },
      workers: await Promise.all(doors.map(options)),
    }),
  );
}

/**
 * @param {import("miniflare").Miniflare} miniflare
 * @param {Door[]} doors
 */
async function addresses(miniflare, doors) {
  await miniflare.ready;
  return Promise.all(doors.map(({ name }) => address(miniflare, name)));
}

/**
 * Which secrets the private door has here, and which it lacks: from .dev.vars.labo, which `npm run labo:keys` writes, or the
 * environment.
 * @returns {Promise<{ present: string[], missing: string[] }>} names
 */
export async function secretsOfLabo() {
  const { bindings } = (await readSettings(LABO.name)).workerOptions;
  const names = ["ROOT_TOK", "ROOT_CLI"];
  const present = names.filter((name) => Object.hasOwn(/** @type {object} */ (bindings ?? {}), name));
  return { present, missing: names.filter((name) => !present.includes(name)) };
}

/**
 * The line that asks a question at the keyboard.
 * @param {number} port
 * @param {object} params of `tools/call`
 */
export function curl(port, params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  // A question in French has apostrophes.
  return `curl -s localhost:${port}/mcp -H 'content-type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}

/**
 * What a door runs with. The index that one searches is built first, where there is none and none is named elsewhere.
 * @param {Door} door
 * @returns {Promise<import("miniflare").V4WorkerOptions>}
 */
async function options({ name, port, vars, brake }) {
  const { workerOptions: known, main } = await readSettings(name);
  const { assets: some, ...settings } = known;
  const assets = /** @type {{ binding: string, directory: string } | undefined} */ (some);
  /** @type {Record<string, string>} */
  const bindings = {
    .../** @type {Record<string, string>} */ (settings.bindings),
    ...(name === LABO.name ? { PUBLIC_URL: LOCAL_URL } : {}),
    ...vars,
  };
  if (assets !== undefined && !bindings.INDEX_URL) await buildMissingIndex();
  const contents = await bundle({ entryPoints: [String(main)], sourcemap: "inline" });
  return {
    ...settings,
    name,
    serviceBindings: assets === undefined ? {} : { [assets.binding]: serveFolder(assets.directory) },
    bindings,
    ratelimits: brake ? /** @type {import("miniflare").V4WorkerOptions["ratelimits"]} */ (settings.ratelimits) : {},
    modules: [{ type: /** @type {const} */ ("ESModule"), path: `${name}.mjs`, contents }],
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
  };
}

/** What Wrangler reads of a door. @param {string} name its environment in wrangler.toml */
async function readSettings(name) {
  const { unstable_getMiniflareWorkerOptions } = await import("wrangler");
  return unstable_getMiniflareWorkerOptions(CONFIG, name);
}

/**
 * The files of a folder, by name. The runtime's own server of assets stands in front of the door, and answers 500 to a
 * Host that is no host.
 * @param {string} folder
 */
function serveFolder(folder) {
  return async (/** @type {import("miniflare").Request} */ request) => {
    const file = join(folder, basename(new URL(request.url).pathname));
    const [bytes, { Response }] = await Promise.all([readFile(file).catch(() => null), import("miniflare")]);
    return new Response(bytes, { status: bytes === null ? 404 : 200 });
  };
}

/** What stops it ends the command: the line that names the file, and exit code 1, as for `npm run index`. */
async function buildMissingIndex() {
  // Loaded here: the other doors need none of it.
  const [{ ensureIndex }, { BuildError }] = await Promise.all([import("./index.mjs"), import("./blog.mjs")]);
  try {
    await ensureIndex();
  } catch (error) {
    if (!(error instanceof BuildError || error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

/**
 * @param {number} port
 * @throws {UsageError} when it is taken
 */
export async function checkPort(port) {
  const probe = createServer();
  await new Promise((resolve, reject) => {
    probe.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined));
  }).catch((error) => {
    throw new UsageError(`port ${port} can't be used (${error.code}): free it, or choose another one`);
  });
  await new Promise((resolve) => probe.close(resolve));
}

/**
 * @param {import("miniflare").Miniflare} miniflare
 * @param {string} name
 */
async function address(miniflare, name) {
  const url = new URL("/mcp", await miniflare.unsafeGetDirectURL(name)).href;
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  // The private door has no other answer to who has no token; and it says at each request which setting is missing.
  const isPrivate = name === LABO.name && [401, 503].includes(answer.status);
  if (!answer.ok && !isPrivate) throw new Error(`the door ${name} answered ${answer.status} to its first ping`);
  return url;
}

/**
 * Ends on a signal, and when npm is gone: killed outright, it says nothing to the shell and the process it started.
 * @param {() => Promise<void>} dispose
 */
function endWith(dispose) {
  const npm = process.env.npm_lifecycle_event === undefined ? null : parentOf(PARENT);
  const end = async () => {
    clearInterval(watch);
    await dispose();
    process.exit(0);
  };
  const watch = setInterval(() => {
    if (process.ppid !== PARENT || (npm !== null && !isRunning(npm))) end();
  }, ORPHAN_CHECK_MS);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, end);
}

/**
 * The parent of a process, or null where the system has no `ps`.
 * @param {number} pid
 */
function parentOf(pid) {
  try {
    return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }));
  } catch {
    return null;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
