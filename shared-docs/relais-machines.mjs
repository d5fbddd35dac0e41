#!/usr/bin/env node
// The relay of the machines, for the private door: it answers a list of reads that a file holds, and nothing else. It runs at
// home, on the loopback, behind a Cloudflare Tunnel that brings HTTPS. This file is all of it: copy it where it must run.
import { execFile } from "node:child_process";
import { createHash, timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { createServer } from "node:http";
import { freemem, loadavg, totalmem, uptime } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HELP = `node relais-machines.mjs --hosts FILE [--port PORT]

Answers the private door's questions about machines, on http://127.0.0.1:PORT (8791), until Ctrl-C. HOSTS_KEY, in the
environment, is the key that the door must bring: at least 32 printable characters, no blank.

FILE is JSON, each machine by its name (at most 8), each read by its name (at most 12): a program and its arguments, run as
they are, without a shell. "state" is "here" for the machine where this runs; for another, a command that prints
/proc/uptime, /proc/loadavg, /proc/meminfo and df -P -B1 /; without it, nothing is said of its state.

  {
    "serveur": { "state": "here", "reads": { "services": ["systemctl", "--failed", "--plain", "--no-legend"] } },
    "nas": {
      "state": ["ssh", "-T", "-oBatchMode=yes", "-oConnectTimeout=3", "etat@nas"],
      "reads": { "disques": ["ssh", "-T", "-oBatchMode=yes", "-oConnectTimeout=3", "disques@nas"] }
    }
  }

Whoever can write FILE chooses what runs here: it is refused if everyone can. A command has 5 s; 255, the exit code of ssh
that reaches nobody, means that the machine is down. Exit code 2 when something is missing or wrong.`;

/** Under what the door waits for. */
const COMMAND_MS = 5_000;
/** Bytes read of a command, then characters of its end that are sent: the door says fewer aloud. */
const READ_MOST = 262_144;
const SENT_MOST = 16_000;
/** Commands at once: a door asks one at a time. */
const AT_ONCE = 4;
/** What ssh ends with when it can't reach the other end. */
const UNREACHABLE = 255;
/** What the door takes of the list. */
const HOSTS_MOST = 8;
const READS_MOST = 12;

const NAME = /^[a-z\d][a-z\d._-]{0,62}$/i;
const PATH = /^\/hosts(?:\/([a-z\d._-]+)(?:\/reads\/([a-z\d._-]+))?)?$/i;
const SECRET = /^[!-~]{32,}$/;

/** @typedef {[program: string, ...args: string[]]} Command */
/** @typedef {{ state: Command | "here" | null, reads: Map<string, Command> }} Host */
/** @typedef {{ status: number, body: object }} Answer */
/** Bytes. @typedef {{ used: number, total: number }} Share */
/** @typedef {{ uptime_s: number | null, load: number[] | null, memory: Share | null, disk: Share | null }} State */

/** A mistake of who runs this: said in one line, exit code 2. */
class SetupError extends Error {}

/**
 * The machines of a file, by name.
 * @param {string} text JSON
 * @returns {Map<string, Host>}
 * @throws {SetupError} which says what is wrong, and where
 */
export function readHosts(text) {
  const hosts = readMap(parse(text), "the file", HOSTS_MOST);
  return new Map(
    Object.entries(hosts).map(([name, host]) => {
      const { state = null, reads = {}, ...others } = readMap(host, name, Infinity);
      const [other] = Object.keys(others);
      if (other !== undefined) throw new SetupError(`${name}: "${other}" is neither "state" nor "reads"`);
      const known = Object.entries(readMap(reads, `${name}.reads`, READS_MOST));
      return [
        name,
        {
          state: state === null || state === "here" ? state : readCommand(state, `${name}.state`),
          reads: new Map(known.map(([read, command]) => [read, readCommand(command, `${name}.reads.${read}`)])),
        },
      ];
    }),
  );
}

/** @param {string} text @returns {unknown} */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new SetupError("the file isn't JSON");
  }
}

/** @param {unknown} value @param {string} where @param {number} most @returns {Record<string, unknown>} */
function readMap(value, where, most) {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SetupError(`${where} must be an object`);
  const names = Object.keys(value);
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined) throw new SetupError(`${where}: "${wrong}" must be letters, digits, points and dashes`);
  if (names.length > most) throw new SetupError(`${where} has more than ${most} names, all that the door takes`);
  return /** @type {Record<string, unknown>} */ (value);
}

/** @param {unknown} value @param {string} where @returns {Command} */
function readCommand(value, where) {
  const isCommand = Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === "string");
  if (isCommand && value[0] !== "" && value.every((part) => !part.includes("\0")))
    return /** @type {Command} */ (value);
  throw new SetupError(`${where} must be a list: a program, then its arguments`);
}

/**
 * Serves the reads of these machines on the loopback, to who brings the key.
 * @param {{ hosts: Map<string, Host>, key: string, port: number, commandMs?: number, log?: (line: string) => void }} settings
 *   port: 0 for any; log: told each answer, never a key
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 * @throws {SetupError} for a key that is too short or that a header can't hold, or a port that can't be used
 */
export async function startRelay({ hosts, key, port, commandMs = COMMAND_MS, log = () => {} }) {
  if (!SECRET.test(key)) throw new SetupError("HOSTS_KEY must have at least 32 printable characters, and no blank");
  const expected = digest(key);
  let running = 0;

  /** @param {Command} command */
  const run = async (command) => {
    if (running >= AT_ONCE) return null;
    running++;
    try {
      return await execute(command, commandMs);
    } finally {
      running--;
    }
  };

  /** @param {import("node:http").IncomingMessage} request @returns {Promise<Answer>} */
  const answer = async ({ method, url = "", headers }) => {
    const [, brought = ""] = /^Bearer ([!-~]+)$/i.exec(headers.authorization ?? "") ?? [];
    // Of the same length whatever was brought, and compared in the same time.
    if (!timingSafeEqual(digest(brought), expected)) return { status: 401, body: { error: "wrong key" } };
    if (method !== "GET") return { status: 405, body: { error: "only GET" } };
    const [path, name, read] = PATH.exec(url) ?? [];
    if (path === undefined) return { status: 404, body: { error: "unknown path" } };
    if (name === undefined) {
      const list = [...hosts].map(([host, { reads }]) => ({ name: host, reads: [...reads.keys()] }));
      return { status: 200, body: { hosts: list } };
    }
    const host = hosts.get(name);
    if (host === undefined) return { status: 404, body: { error: "unknown host" } };
    if (read === undefined) return tellState(name, host, run);
    const command = host.reads.get(read);
    return command === undefined ? { status: 404, body: { error: "unknown read" } } : tellRead(await run(command));
  };

  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000 }, async (request, response) => {
    const from = performance.now();
    const { status, body } = await answer(request).catch(() => ({ status: 500, body: { error: "failed" } }));
    const more = { 401: { "www-authenticate": "Bearer" }, 405: { allow: "GET" }, 503: { "retry-after": "5" } }[status];
    const headers = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };
    response.writeHead(status, { ...headers, ...more }).end(JSON.stringify(body));
    // Only a path of the list: what a stranger sends isn't written down.
    const path = [200, 424, 503].includes(status) ? request.url : "-";
    log(`${path} ${status} ${Math.round(performance.now() - from)} ms`);
  });
  server.maxConnections = 64;
  // Longer than the tunnel keeps a connection: one that it uses again must not be closing.
  server.keepAliveTimeout = 120_000;
  await new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve(undefined));
  }).catch(({ code }) => {
    throw new SetupError(`port ${port} can't be used (${code})`);
  });
  const { port: used } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${used}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @param {string} text */
function digest(text) {
  return createHash("sha256").update(text).digest();
}

/**
 * What a command printed; null when too many run already.
 * @typedef {{ text: string, isCut: boolean, failure: "late" | "unreachable" | "broken" | null } | null} Printed
 */

/**
 * Runs a command as it is: no shell reads it. It has nothing of this process's environment but where programs and keys are.
 * @param {Command} command
 * @param {number} ms after which it is killed
 * @returns {Promise<Printed>}
 */
function execute([program, ...args], ms) {
  const { PATH: path = "", HOME = "" } = process.env;
  const options = {
    ...{ timeout: ms, killSignal: /** @type {const} */ ("SIGKILL"), maxBuffer: READ_MOST },
    ...{ env: { PATH: path, HOME, LC_ALL: "C.UTF-8" }, shell: false, windowsHide: true },
  };
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (error, out, errors) => {
      const all = out.trim() === "" ? errors : out;
      const tooMuch = error?.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
      const text = all.slice(-SENT_MOST).toWellFormed();
      const isLate = error?.killed === true && !tooMuch;
      // Any other code is an answer: a service that is down makes systemctl end with 3.
      const isBroken = error !== null && !tooMuch && typeof error.code !== "number";
      const isAway = error?.code === UNREACHABLE;
      const failure = isLate ? "late" : isAway ? "unreachable" : isBroken ? "broken" : null;
      resolve({ text, isCut: tooMuch || all.length > SENT_MOST, failure });
    });
    child.stdin?.end();
  });
}

/** @param {Printed} printed @returns {Answer} */
function tellRead(printed) {
  if (printed === null) return { status: 503, body: { error: "busy" } };
  const { text, isCut, failure } = printed;
  if (failure === null) return { status: 200, body: { text, truncated: isCut } };
  // Not a 5xx: the tunnel answers those in the place of a relay that is down.
  return { status: 424, body: { error: failure } };
}

/**
 * @param {string} name
 * @param {Host} host
 * @param {(command: Command) => Promise<Printed>} run
 * @returns {Promise<Answer>}
 */
async function tellState(name, { state }, run) {
  const unknown = { uptime_s: null, load: null, memory: null, disk: null };
  const tell = (/** @type {boolean | null} */ up, /** @type {State} */ known) => {
    return { status: 200, body: { name, up, ...known } };
  };
  if (state === null) return tell(null, unknown);
  if (state === "here") return tell(true, await stateHere());
  const printed = await run(state);
  if (printed?.failure === "unreachable") return tell(false, unknown);
  return printed?.failure === null ? tell(true, readState(printed.text)) : tellRead(printed);
}

/** @returns {Promise<State>} */
async function stateHere() {
  const { bsize, blocks, bavail, bfree } = await statfs("/");
  const used = bsize * (blocks - bfree);
  return {
    uptime_s: Math.round(uptime()),
    load: loadavg(),
    memory: { used: totalmem() - freemem(), total: totalmem() },
    // As df counts: what only root may still fill is no room.
    disk: { used, total: used + bsize * bavail },
  };
}

/**
 * What Linux says of itself: /proc/uptime, /proc/loadavg, /proc/meminfo and df -P -B1 /, in any order.
 * @param {string} text
 * @returns {State}
 */
function readState(text) {
  const find = (/** @type {RegExp} */ pattern) => pattern.exec(text)?.slice(1).map(Number) ?? null;
  const [total, free] = [find(/^MemTotal: +(\d+) kB$/m), find(/^MemAvailable: +(\d+) kB$/m)];
  const memory = total === null || free === null ? null : { used: 1024 * (total[0] - free[0]), total: 1024 * total[0] };
  const disk = find(/^\S+ +\d+ +(\d+) +(\d+) +\d+% +\/$/m);
  return {
    uptime_s: find(/^(\d+\.\d+) \d+\.\d+$/m)?.[0] ?? null,
    load: find(/^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+) \d+\/\d+ \d+$/m),
    memory,
    disk: disk === null ? null : { used: disk[0], total: disk[0] + disk[1] },
  };
}

/** @param {string} file @returns {string} */
function readFileOf(file) {
  try {
    if ((statSync(file).mode & 0o002) !== 0) throw new SetupError(`${file}: everyone can write it (chmod o-w)`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof SetupError) throw error;
    throw new SetupError(`${file} can't be read (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
}

/** @returns {{ help?: boolean, hosts?: string, port: string }} */
function readOptions() {
  const options = {
    help: { type: /** @type {const} */ ("boolean"), short: "h" },
    hosts: { type: /** @type {const} */ ("string") },
    port: { type: /** @type {const} */ ("string"), default: "8791" },
  };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const [line] = /** @type {Error} */ (error).message.split(/\. |\n/);
    throw new SetupError(`${line}. See --help.`);
  }
}

async function main() {
  const { help, hosts: file, port } = readOptions();
  if (help) return console.log(HELP);
  if (file === undefined) throw new SetupError("--hosts FILE is missing. See --help.");
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new SetupError(`--port ${port} isn't a port`);
  const { HOSTS_KEY = "" } = process.env;
  const hosts = readHosts(readFileOf(file));
  const relay = await startRelay({ hosts, key: HOSTS_KEY, port: Number(port), log: console.log });
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => relay.close().then(() => process.exit(0)));
  console.log(`${relay.url}/hosts, ${hosts.size === 1 ? "1 machine" : `${hosts.size} machines`}`);
}

const [, started = ""] = process.argv;
if (existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
