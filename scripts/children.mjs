// Doors that a check starts, each a process of its own: its log, its memory, its end.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A start takes a second or two; a loaded machine, many. */
const START_MS = 60_000;

const LOGGED =
  /^\{"door":"\w+","tool":(?:null|"\w+"),"era":(?:null|"\w+"),"client":(?:null|"[\w ./@-]{1,40}"),"outcome":"([^"]*)","ms":\d+\}$/;

/**
 * A door that answers.
 * @typedef {object} Child
 * @property {string} name
 * @property {string} url ends with /mcp
 * @property {Map<string, number>} outcomes how many of each `outcome` its log has said
 * @property {string[]} defects what else it said on stderr: the lines of a defect
 * @property {() => number | null} memory what its workerd holds of the machine's memory, in bytes; null where `ps` can't say
 * @property {() => boolean} isRunning
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a door of `npm run door`, without the brake. Whatever ends this process ends it too.
 * @param {string} name
 * @param {Record<string, string>} vars
 * @param {RegExp} [expected] lines of stderr that are no defect: what a door says of a source that is wrong
 * @returns {Promise<Child>}
 */
export async function startChild(name, vars, expected) {
  const options = Object.entries(vars).flatMap(([key, value]) => ["--var", `${key}=${value}`]);
  const door = spawn(process.execPath, ["scripts/door.mjs", name, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, STARTED_BY: String(process.pid) },
  });
  /** @type {Map<string, number>} */
  const outcomes = new Map();
  /** @type {string[]} */
  const defects = [];
  createInterface(door.stderr).on("line", (line) => {
    // Six members and no other: a line that held more would hold what was asked.
    const outcome = LOGGED.exec(line)?.[1];
    if (outcome !== undefined) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    else if (!expected?.test(line)) defects.push(line);
  });
  const late = setTimeout(() => door.kill("SIGKILL"), START_MS);
  const ended = once(door, "close").then(() => null);
  const ready = await Promise.race([once(createInterface(door.stdout), "line"), ended]);
  clearTimeout(late);
  if (ready === null) throw new Error(`the door ${name} didn't start:\n${defects.join("\n")}`);
  const isRunning = () => door.exitCode === null && door.signalCode === null;
  return {
    name,
    url: String(ready[0]).replace("ready ", ""),
    outcomes,
    defects,
    memory: () => memoryOf(Number(door.pid)),
    isRunning,
    async stop() {
      if (isRunning()) door.kill("SIGTERM");
      await ended;
    },
  };
}

/**
 * The resident memory of the workerd that `pid` has started, in bytes.
 * @param {number} pid
 */
export function memoryOf(pid) {
  try {
    const lines = execFileSync("ps", ["-eo", "ppid=,rss=,comm="], { encoding: "utf8" }).trim().split("\n");
    const own = lines.map((line) => line.trim().split(/\s+/)).filter(([parent]) => Number(parent) === pid);
    const [, kibibytes] = own.find(([, , program]) => /(^|\/)workerd$/.test(program)) ?? [];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}
