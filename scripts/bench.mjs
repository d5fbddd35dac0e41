// npm run bench: what an answer costs: our doors against a floor, our core against the other libraries, and how it grows.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { judge, makeTables, makeVerdicts, median, noSamples } from "../bench/figures.mjs";
import { makeGrowth, measureGrowth } from "../bench/growth.mjs";
import { command, UsageError } from "./command.mjs";
import { startBar } from "./progress.mjs";

const PICTURE = "shared-docs/figures.svg";

const HELP = `npm run bench

Measures what an answer costs in workerd, on this machine and on its loopback alone, and prints it as tables:

  the doors    the list of tools and a question whose answer is in memory, against a floor: a Worker that reads and parses
               the same request and answers the same bytes
  the core     one echo tool by our core and by the other libraries that make MCP servers
  the growth   cost against the number of tools, of answers in memory, of passages of the blog

Each figure is a median of rounds in which the lanes take turns, each in a workerd of its own, and each ratio a median of
the ratios of these rounds. What is compared is in bench/, with packages of its own, installed there when they aren't
(150 MB). Draws ${PICTURE}, unless something else was running. Takes about five minutes; leave the
machine alone meanwhile.

Exit code 1 when something can't be installed, built or measured, or answers wrongly; 2 when an argument is wrong. A target
that is missed is only said: it depends on the machine.`;

/** New processes for each lane; rounds in each of them; requests in a round. */
const GENERATIONS = 5;
const ROUNDS = 5;
const AMOUNT = 1_000;
/** Before a round counts: by then workerd has compiled what is asked often. */
const WARM_UP = 1_500;
/** Starts of each lane. */
const STARTS = 15;
/** No generation begins that would end after this. */
const BUDGET_MS = 7.5 * 60_000;
/** workerd is asked for all that it can do: with less of its processor than this, something else was running. */
const BUSY = 0.75;

/** @typedef {import("../bench/lanes.mjs").Group} Group */
/** @typedef {import("../bench/lanes.mjs").Lane} Lane */
/** @typedef {import("../bench/figures.mjs").Samples} Samples */

await command(HELP, {}, async (_, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  try {
    install();
    await measure(folder);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
});

/** The packages of the bench, where they aren't all there as its lock file has them. */
function install() {
  const { dependencies } = JSON.parse(readFileSync("bench/package.json", "utf8"));
  const isThere = (/** @type {string} */ name) => {
    const file = `bench/node_modules/${name}/package.json`;
    return existsSync(file) && JSON.parse(readFileSync(file, "utf8")).version === dependencies[name];
  };
  if (Object.keys(dependencies).every(isThere)) return;
  console.error("bench: its packages are being installed in bench/node_modules");
  const npm = ["ci", "--prefix", "bench", "--ignore-scripts", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", npm, { stdio: ["ignore", process.stderr, "inherit"] });
  if (status !== 0) throw new Error("bench: npm ci --prefix bench failed, as it says above");
}

/** @param {string} folder */
async function measure(folder) {
  const since = performance.now();
  const [{ makeDoors, makeEcho }, { ask, separate, startLoad, startWorker, ...costs }] = await Promise.all([
    import("../bench/lanes.mjs"),
    import("../bench/runtime.mjs"),
  ]);
  const separated = separate();
  console.error("bench: the Workers are being built");
  const doors = await makeDoors(folder);
  const load = startLoad();
  try {
    const groups = [...doors.groups, await makeEcho(folder)];
    const lanes = groups.flatMap((group) => group.lanes);
    /** @type {Map<Lane, Samples>} */
    const samples = new Map(lanes.map((lane) => [lane, noSamples()]));
    const of = (/** @type {Lane} */ lane) => /** @type {Samples} */ (samples.get(lane));
    for (const lane of lanes) of(lane).size.push(gzipSync(lane.worker.code).length / 1_000);

    const starts = startBar("bench, starts", STARTS * lanes.length, console.error);
    for (let start = 0; start < STARTS; start++) {
      for (const lane of shuffle(lanes)) {
        const running = await startWorker(lane.worker, folder, separated);
        await ask(running.url, lane.question);
        of(lane).start.push(performance.now() - running.startedAt);
        const spent = costs.cpuOf(running.pid);
        of(lane).work.push(spent === null ? null : spent / 1_000);
        await running.stop();
        starts.advance(1);
      }
    }
    starts.stop();

    /** @type {(number | null)[]} the share of a processor that workerd had, round after round */
    const shares = [];
    const loads = startBar("bench, load", GENERATIONS * ROUNDS * lanes.length, console.error);
    let [generation, longest] = [0, 0];
    for (; generation < GENERATIONS && performance.now() - since + longest < BUDGET_MS; generation++) {
      const began = performance.now();
      for (const group of groups) await measureLoad(group);
      longest = performance.now() - began;
    }
    loads.stop();

    /** @param {Group} group a generation of its lanes */
    async function measureLoad({ lanes }) {
      const running = new Map();
      try {
        for (const lane of lanes) {
          const worker = await startWorker(lane.worker, folder, separated);
          running.set(lane, worker);
          await load.ask(worker.url, lane, WARM_UP);
        }
        for (let round = 0; round < ROUNDS; round++) {
          for (const lane of shuffle(lanes)) {
            const { url, pid } = running.get(lane);
            const before = costs.cpuOf(pid);
            const { seconds, latencies } = await load.ask(url, lane, AMOUNT);
            const after = costs.cpuOf(pid);
            const { rps, p50, p99, cpu } = of(lane);
            rps.push(AMOUNT / seconds);
            p50.push(latencies[AMOUNT * 0.5]);
            p99.push(latencies[AMOUNT * 0.99]);
            const spent = before === null || after === null ? null : after - before;
            cpu.push(spent === null ? null : spent / AMOUNT);
            shares.push(spent === null ? null : spent / (seconds * 1_000_000));
            loads.advance(1);
          }
        }
        for (const lane of lanes) of(lane).memory.push(costs.memoryOf(running.get(lane).pid));
      } finally {
        for (const worker of running.values()) await worker.stop();
      }
    }

    console.error("bench: the growth");
    const growth = await measureGrowth(folder);
    const measured = groups.map(({ name, lanes, targets }) => ({
      name,
      targets,
      lanes: lanes.map((lane) => ({ name: lane.name, rival: lane.rival, samples: of(lane) })),
    }));
    const verdicts = judge(measured);
    const minutes = ((performance.now() - since) / 60_000).toFixed(1);
    const apart = separated ? "workerd on one processor and the load on another" : "workerd and the load not separated";
    console.log(`${cpus()[0]?.model ?? "?"}, ${cpus().length} processors, Node ${process.versions.node}; ${apart}.`);
    console.log(`${generation * ROUNDS} rounds of ${AMOUNT} requests, ${STARTS} starts; ${minutes} minutes.`);
    const share = median(shares);
    const isBusy = share !== null && share < BUSY;
    if (isBusy) {
      const had = `${(100 * share).toFixed(0)} % of a processor`;
      console.log(`Something else was running: workerd had ${had}, and times are worth less than the CPU.`);
    }
    console.log();
    console.log(makeTables(measured));
    console.log(`\ngrowth\n\n${makeGrowth(growth)}`);
    console.log(`\ntargets\n\n${makeVerdicts(verdicts)}\n`);
    const reached = verdicts.filter(({ reached }) => reached).length;
    console.log(`${reached} of ${verdicts.length} targets reached`);
    const picture = draw({ groups: measured, growth });
    // What is published was measured alone.
    if (isBusy) return console.log(`${PICTURE} is left as it was`);
    writeFileSync(PICTURE, picture);
    console.log(`drawn in ${PICTURE}`);
  } finally {
    load.stop();
    await doors.stop();
  }
}

/**
 * The picture of the figures, by the plotting library of the bench.
 * @param {object} figures
 */
function draw(figures) {
  return execFileSync(process.execPath, ["bench/draw.mjs"], { input: JSON.stringify(figures), encoding: "utf8" });
}

/**
 * The same, in an order drawn by chance.
 * @template T
 * @param {T[]} list
 */
function shuffle(list) {
  return list
    .map((one) => ({ one, rank: Math.random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ one }) => one);
}
