// Workers alone in a workerd of their own, the load on them, and what they cost.
import { execFileSync, fork, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";

/** The one that miniflare runs the doors in. */
const WORKERD = createRequire(createRequire(import.meta.url).resolve("miniflare"))("workerd").default;
/** A start takes a tenth of a second; a loaded machine, a few. */
const START_MS = 20_000;

/**
 * A Worker: its code, and what it is bound to. `assets` is a folder.
 * @typedef {object} Worker
 * @property {string} name
 * @property {string} code an ES module
 * @property {string} date of compatibility
 * @property {string[]} [flags] of compatibility
 * @property {Record<string, string>} [vars]
 * @property {string} [assets]
 */

/** @typedef {{ headers: Record<string, string>, body: string }} Question a POST on /mcp */
/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Answer */
/** @typedef {{ url: string, pid: number, startedAt: number, stop(): Promise<void> }} Running */
/** @typedef {{ seconds: number, latencies: number[], wrong: number }} Load `latencies` in ms, in order */

/** A bench that is interrupted leaves nothing behind. */
const ALIVE = /** @type {Set<import("node:child_process").ChildProcess>} */ (new Set());
process.once("exit", () => {
  for (const child of ALIVE) child.kill();
});

/**
 * workerd on one processor, and all the rest on another, where the system has two and can tell them apart: the load
 * would slow down what it measures.
 * @returns {boolean} whether it is so from now on
 */
export function separate() {
  if (availableParallelism() < 2) return false;
  try {
    execFileSync("taskset", ["-c", "0", "true"], { stdio: "ignore" });
    execFileSync("taskset", ["-a", "-c", "-p", "1", String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** @param {string} text as Cap'n Proto quotes it */
const quote = (text) => JSON.stringify(text);

/**
 * What workerd is told of a Worker. It reaches private addresses, the loopback among them, and nothing of the internet.
 * @param {Worker} worker
 */
function configure({ name, date, flags = [], vars = {}, assets }) {
  const bindings = Object.entries(vars).map(([key, value]) => `(name = ${quote(key)}, text = ${quote(value)})`);
  const services = [`(name = "worker", worker = .worker)`, `(name = "internet", network = (allow = ["private"]))`];
  if (assets !== undefined) {
    bindings.push(`(name = "ASSETS", service = "assets")`);
    services.push(`(name = "assets", disk = (path = ${quote(assets)}, writable = false))`);
  }
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${services.join(", ")}],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ${quote(`${name}.js`)})],
  compatibilityDate = ${quote(date)}, compatibilityFlags = [${flags.map(quote).join(", ")}],
  bindings = [${bindings.join(", ")}]
);
`;
}

/**
 * Starts a Worker. What it logs goes nowhere, as fast as it can: a pipe would be measured too.
 * @param {Worker} worker
 * @param {string} folder for its files
 * @param {boolean} separated as `separate` said
 * @returns {Promise<Running>} `startedAt`: when workerd was started, on the clock of `performance.now`
 */
export async function startWorker(worker, folder, separated) {
  const config = join(folder, `${worker.name}.capnp`);
  writeFileSync(join(folder, `${worker.name}.js`), worker.code);
  writeFileSync(config, configure(worker));
  const line = [WORKERD, "serve", config, "--control-fd=3"];
  const [command, ...args] = separated ? ["taskset", "-c", "0", ...line] : line;
  const startedAt = performance.now();
  // taskset becomes workerd: the process is the same one.
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let complaint = "";
  child.stderr?.on("data", (text) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  ALIVE.add(child);
  const stop = async () => {
    ALIVE.delete(child);
    child.kill();
    await ended;
  };
  const port = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${worker.name}: workerd isn't ready`)), START_MS);
    const fail = () => reject(new Error(`${worker.name}: workerd doesn't start: ${complaint}`));
    child.once("error", reject).once("close", fail);
    child.stdio[3]?.once("data", (/** @type {Buffer} */ text) => {
      clearTimeout(late);
      child.off("close", fail);
      resolve(JSON.parse(String(text)).port);
    });
  }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url: `http://127.0.0.1:${port}/mcp`, pid: Number(child.pid), startedAt, stop };
}

/**
 * Asks once, over a connection of its own.
 * @param {string} url
 * @param {Question} question
 * @returns {Promise<Answer>}
 */
export function ask(url, { headers, body }) {
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: "POST", headers, agent: false, timeout: START_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.once("error", reject).once("end", () => {
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: /** @type {Record<string, string>} */ (response.headers), body: text });
      });
    });
    asking.once("timeout", () => asking.destroy(new Error(`${url} doesn't answer`)));
    asking.once("error", reject).end(body);
  });
}

/** The process that asks many times. */
export function startLoad() {
  const child = fork(new URL("load.mjs", import.meta.url), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  return {
    /**
     * @param {string} url
     * @param {Pick<import("./lanes.mjs").Lane, "question" | "expected" | "refused">} lane
     * @param {number} amount
     * @returns {Promise<Load>}
     * @throws {Error} when an answer isn't the one that is expected
     */
    async ask(url, { question, expected, refused }, amount) {
      child.send({ url, ...question, amount, expected, refused });
      const { measured, error } = await new Promise((resolve, reject) => {
        const gone = () => reject(new Error("the load ended before its answer"));
        child.once("close", gone).once("message", (/** @type {any} */ said) => {
          child.off("close", gone);
          resolve(said);
        });
      });
      if (error !== undefined) throw new Error(error);
      if (measured.wrong > 0 || measured.latencies.length < amount) {
        throw new Error(`${measured.wrong} wrong answers and ${measured.latencies.length} in all, of ${amount}`);
      }
      return measured;
    },
    stop() {
      if (child.connected) child.disconnect();
    },
  };
}

/**
 * What a process has spent of a processor so far, in microseconds; null where the system doesn't tell.
 * @param {number} pid
 */
export function cpuOf(pid) {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const spent = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds / 1_000, 0);
  } catch {
    return null;
  }
}

/**
 * The memory of a process, in MiB; null where the system doesn't tell.
 * @param {number} pid
 */
export function memoryOf(pid) {
  try {
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kib === undefined ? null : Number(kib) / 1_024;
  } catch {
    return null;
  }
}
