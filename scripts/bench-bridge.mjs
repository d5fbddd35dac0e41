// npm run bench:bridge: what the per-run bridge costs, beside one on Python's http.server, in the same minute.
import { execFileSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { measure, startLane } from "../bench/bridge/client.mjs";
import { judge, LINES, makeTable, makeVerdicts, spread } from "../bench/bridge/figures.mjs";
import { command, UsageError } from "./command.mjs";
import { startBar } from "./progress.mjs";

const HELP = `npm run bench:bridge [-- --runs N]

Measures the per-run bridge on the loopback of this machine, and beside it, taking turns, a bridge of much the same checks on
Python's http.server (bench/bridge/bridge.py): 200 starts, 200 handshakes of three requests, 1,000 calls that are allowed,
1,000 that are refused, 1,000 with a wrong token, 200 stops; a new TCP connection for each request. Python's stop is measured
with a poll of 10 ms, and 10 times a run with its own of 500 ms.

Prints the medians over the runs of each run's p50 and p95, the original's figures (Python, Apple M1) beside them, then each
target and whether it is reached. Without Python its columns are empty, and it is said.

  --runs N   how many runs (default 5, at least 1); one takes about 15 seconds

Exit code 1 when something can't be started or answers wrongly, 2 when an argument is wrong. A target that is missed is only
said: it depends on the machine.`;

const STARTS = 200;
const CALLS = 1_000;
const BLOCKS = 8;
const ASKS = /** @type {const} */ (["allowed", "refused", "wrong"]);
/** Half a second each. */
const SLOW_STOPS = 10;
/** Before anything counts: by then both have compiled what is asked often. */
const WARM_UP = 300;

/** @typedef {import("../bench/bridge/figures.mjs").Run} Run */

await command(HELP, { runs: { type: "string", default: "5" } }, async ({ runs: given }, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const count = /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (count < 1) throw new UsageError(`--runs ${given}: a number from 1 to 999 is needed`);
  try {
    await run(count);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
});

/** @param {number} count */
async function run(count) {
  const python = findPython();
  const node = await startLane(process.execPath, ["bench/bridge/lane.mjs"]);
  const other = python === null ? null : await startLane(python.program, ["bench/bridge/bridge.py"]);
  /** @type {Run[]} */
  const ours = [];
  /** @type {Run[]} */
  const theirs = [];
  const lanes = [{ lane: node, runs: ours }, ...(other === null ? [] : [{ lane: other, runs: theirs }])];
  const bar = startBar("bench:bridge", count * lanes.length * LINES.length, console.error);
  try {
    for (const { lane } of lanes) {
      for (const what of /** @type {const} */ (["handshake", ...ASKS])) await measure(lane, what, WARM_UP);
      await lane.cycle(STARTS);
    }
    for (let round = 0; round < count; round++) {
      for (const { runs } of lanes) runs.push({});
      for (const { lane, runs } of round % 2 === 0 ? lanes : lanes.toReversed()) {
        runs[round].handshake = spread(await measure(lane, "handshake", STARTS));
        bar.advance(1);
      }
      // In blocks that take turns, so that what slows the machine down for a second meets all of them.
      /** @type {Map<string, number[]>} */
      const samples = new Map();
      for (let block = 0; block < BLOCKS; block++) {
        for (const what of block % 2 === 0 ? ASKS : ASKS.toReversed()) {
          for (const [rank, { lane }] of lanes.entries()) {
            const key = `${rank} ${what}`;
            samples.set(key, [...(samples.get(key) ?? []), ...(await measure(lane, what, CALLS / BLOCKS))]);
          }
        }
      }
      for (const [rank, { runs }] of lanes.entries()) {
        for (const what of ASKS) runs[round][what] = spread(samples.get(`${rank} ${what}`) ?? []);
      }
      bar.advance(ASKS.length * lanes.length);
      for (const { lane, runs } of lanes) {
        const { start, stop } = await lane.cycle(STARTS);
        runs[round].start = spread(start);
        runs[round].stop = spread(stop);
        bar.advance(2);
      }
      if (other !== null) theirs[round].slowStop = spread((await other.cycle(SLOW_STOPS, 0.5)).stop);
      bar.advance(lanes.length);
    }
  } finally {
    bar.stop();
    for (const { lane } of lanes) await lane.stop();
  }
  const load = loadavg()[0].toFixed(1);
  const compared = python === null ? "no Python 3 on the PATH: nothing to compare with" : python.version;
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} processors, load ${load}; Node ${process.versions.node}, ${compared}.`,
  );
  console.log(`Medians of ${count} ${count === 1 ? "run" : "runs"}; the original: Python 3.9, Apple M1, load 10.\n`);
  console.log(makeTable(ours, theirs));
  const verdicts = judge(ours, theirs);
  console.log(`\n${makeVerdicts(verdicts)}\n`);
  const judged = verdicts.filter(({ reached }) => reached !== null);
  console.log(`${judged.filter(({ reached }) => reached).length} of ${judged.length} targets reached`);
}

/** @returns {{ program: string, version: string } | null} the first Python 3 of the PATH; null: there is none */
function findPython() {
  for (const program of ["python3", "python"]) {
    try {
      const version = execFileSync(program, ["--version"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
      }).trim();
      if (version.startsWith("Python 3")) return { program, version };
    } catch {
      // The next one.
    }
  }
  return null;
}
