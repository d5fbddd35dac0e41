// Starts `npm run door` as a person does, or what it runs, and ends all of it: npm, node and workerd. For the tests that run in Node.
import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, cpSync, mkdtempSync, readdirSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** A start takes one second; a loaded machine, a few. */
const START_MS = 30_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  /** Or node, of a door that was started without it. */
  npm: ChildProcess;
  url: string;
  port: number;
  stdout: string;
  stderr: string;
  /** All that was started, by their ids. */
  family: number[];
  /** Ends it; what is left after a few seconds is killed, one id at a time. */
  stop(): Promise<void>;
}

const NPM = ["npm", "run", "-s", "door", "--"];
/** npm takes longer than all the rest. */
const SCRIPT = [process.execPath, "scripts/door.mjs"];

function start(args: string[], [command, ...first]: string[] = NPM, cwd = ROOT) {
  // A group of its own, as a terminal makes one: a Ctrl-C reaches all of it, and nothing else.
  const npm = spawn(command, [...first, ...args], { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  npm.stdout.setEncoding("utf8").on("data", (text) => {
    said.stdout += text;
  });
  npm.stderr.setEncoding("utf8").on("data", (text) => {
    said.stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    npm.once("close", (code, signal) => resolve({ code, signal, ...said }));
  });
  return { npm, said, ended };
}

/** Runs `npm run -s door -- ARGS` until it ends by itself. */
export function runDoor(...args: string[]): Promise<Ended> {
  return finish(start(args));
}

/** The same without npm. */
export function runScript(...args: string[]): Promise<Ended> {
  return finish(start(args, SCRIPT));
}

/** Runs any npm script until it ends by itself, in a checkout of its own if need be; `ms`: when it is given up. */
export function runNpm(script: string, args: string[] = [], cwd = ROOT, ms = START_MS): Promise<Ended> {
  return finish(start(args, ["npm", "run", "-s", script, "--"], cwd), ms);
}

/**
 * A checkout that nothing has run in yet, in a temporary folder that is the caller's to remove: its sources and documents
 * are copies, to change at will; what is installed is shared.
 */
export function makeHouse(): string {
  const house = mkdtempSync(join(tmpdir(), "house-"));
  for (const name of ["package.json", "wrangler.toml", "scripts", "shared-docs", "test/upstream", "test/fixtures"]) {
    cpSync(join(ROOT, name), join(house, name), { recursive: true });
  }
  for (const name of readdirSync(join(ROOT, "workers"))) {
    // The index of articles is left out.
    const isSource = (path: string) => !/\/(assets|\.assets-[^/]*)$/.test(path);
    cpSync(join(ROOT, `workers/${name}`), join(house, `workers/${name}`), { recursive: true, filter: isSource });
  }
  symlinkSync(join(ROOT, "node_modules"), join(house, "node_modules"));
  return house;
}

async function finish({ npm, ended }: ReturnType<typeof start>, ms = START_MS): Promise<Ended> {
  const late = setTimeout(() => npm.kill("SIGKILL"), ms);
  const result = await ended;
  clearTimeout(late);
  return result;
}

/** Starts `npm run -s door -- ARGS` and waits for its first line. */
export function startDoor(...args: string[]): Promise<Running> {
  return ready(args, start(args));
}

/** The same in another checkout, and without npm. */
export function startDoorIn(cwd: string, ...args: string[]): Promise<Running> {
  return ready(args, start(args, SCRIPT, cwd));
}

async function ready(args: string[], { npm, said, ended }: ReturnType<typeof start>): Promise<Running> {
  const over = ended.then(() => true);
  for (const late = Date.now() + START_MS; !said.stdout.includes("\n"); ) {
    if ((await Promise.race([over, sleep(20)])) === true || Date.now() > late) {
      npm.kill("SIGKILL");
      throw new Error(`npm run door ${args.join(" ")} isn't ready: ${said.stdout}${said.stderr}`);
    }
  }
  const family = await familyOf(Number(npm.pid));
  const url = said.stdout.trim().split(" ").at(-1) ?? "";
  return {
    npm,
    url,
    port: Number(new URL(url).port),
    family,
    get stdout() {
      return said.stdout;
    },
    get stderr() {
      return said.stderr;
    },
    async stop() {
      npm.kill("SIGTERM");
      await areGone(family, 5_000);
      for (const pid of family.filter(isRunning)) process.kill(pid, "SIGKILL");
    },
  };
}

/** A door that answers, whatever process it is in. */
export type Door = Pick<Running, "url" | "stderr" | "stop">;

/** Doors by dozens, in one process. */
export interface Hall {
  /** `vars`: as those of `npm run door`. */
  open(name: string, vars: Record<string, string>): Promise<Door>;
  /** Ends it and its doors, and resolves to what it said that no door did: nothing, if all went well. */
  close(): Promise<string>;
}

/** A process that serves doors of a checkout. */
export function startHall(cwd: string): Hall {
  const child = fork(join(ROOT, "test/doors.mjs"), { cwd, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const stderr = child.stderr as Readable;
  let said = "";
  stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  // A child that its parent has disconnected has no "close".
  const ended = once(stderr, "close");
  interface Message {
    id: number;
    url?: string;
    error?: string;
    line?: string;
  }
  const doors: { answer: (message: Message) => void; lines: string[] }[] = [];
  child.on("message", (message: Message) => {
    const { answer, lines } = doors[message.id];
    if (message.line === undefined) answer(message);
    else lines.push(message.line);
  });
  const ask = (id: number, message: object) =>
    new Promise<string>((resolve, reject) => {
      doors[id].answer = ({ url = "", error }) => (error === undefined ? resolve(url) : reject(new Error(error)));
      ended.then(() => reject(new Error(`the process of the doors has ended: ${said}`)));
      child.send({ id, ...message });
    });
  return {
    async open(name, vars) {
      const lines: string[] = [];
      const id = doors.push({ answer() {}, lines }) - 1;
      const url = await ask(id, { name, vars });
      return {
        url,
        get stderr() {
          return lines.map((line) => `${line}\n`).join("");
        },
        async stop() {
          await ask(id, {});
        },
      };
    },
    async close() {
      if (child.connected) child.disconnect();
      await ended;
      return said;
    },
  };
}

/** A process and its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const listed = await new Promise<string>((resolve, reject) => {
    execFile("ps", ["-eo", "pid=,ppid="], (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
  const pairs = listed
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const family = [pid];
  for (const one of family) family.push(...pairs.filter(([, parent]) => parent === one).map(([child]) => child));
  return family;
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether all of them end within `ms`. */
export async function areGone(pids: number[], ms: number): Promise<boolean> {
  for (const late = Date.now() + ms; pids.some(isRunning); await sleep(50)) if (Date.now() > late) return false;
  return true;
}

/** What a door says on stderr, less the lines of its log: one per call of a tool. */
export function withoutCalls(stderr: string): string {
  return stderr.replace(/^\{"door":.*\}\n/gm, "");
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** The first of these programs that a folder before the PATH, or the PATH, holds; null when none does. */
export function findProgram(names: string[], ...before: string[]): string | null {
  const folders = [...before, ...(process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
