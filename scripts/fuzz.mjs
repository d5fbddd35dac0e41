// npm run fuzz: the doors under strange inputs, each class of which has its answer in MCP.md.
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { startSources } from "../test/upstream/sources.mjs";
import { startChild } from "./children.mjs";
import { command, UsageError } from "./command.mjs";
import { exchange } from "./exchange.mjs";
import { startBar } from "./progress.mjs";
import { readSeed } from "./random.mjs";
import { faultsOf, outcomeOf, SLOWEST_MS } from "./verdict.mjs";

/** @typedef {import("./children.mjs").Child} Child */
/** @typedef {import("./inputs.mjs").Input} Input */

const MOST = 10_000_000;
/** Once an input has failed, how many smaller ones are tried; none when it hangs: each would take 8 s. */
const SMALLER = 200;
/** Bytes that fit in a line of a terminal; more go to a file. */
const SHOWN = 3_000;

const HELP = `npm run fuzz -- [--inputs 21000] [--seed N]

Sends strange inputs to the three doors, in workerd, through bare sockets: valid messages of both eras, whole or bent in
their shape, ids, versions, headers, arguments, bytes, type, path, verb and framing; batches; bytes changed at random; and
bytes that are no HTTP. The class of each says what MCP.md allows for it: any other answer, a 5xx, a silence of ${SLOWEST_MS / 1000} s or a
defect in a door's log is a failure. The sources are small local servers; needs no internet. Takes about half a minute.

  --inputs N   how many, in all, from 3 to ${MOST}
  --seed N     the same inputs in the same order; printed, any unless told

On a failure, prints the seed, the rank of the input, the smallest one found that fails too and its bytes, ready to be
sent again. Exit code 1 then, 2 when an argument is wrong.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = { inputs: { type: "string", default: "21000" }, seed: { type: "string" } };

await command(HELP, OPTIONS, async (values, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const count = /^\d{1,8}$/.test(values.inputs) ? Number(values.inputs) : 0;
  if (count < 3 || count > MOST)
    throw new UsageError(`--inputs ${values.inputs}: a number from 3 to ${MOST} is needed`);
  const seed = readSeed(values.seed);
  if (seed === null) throw new UsageError(`--seed ${values.seed}: a whole number under 2^31 is needed`);
  console.log(`${count} inputs, seed ${seed}`);
  process.exit((await fuzz(count, seed)) ? 0 : 1);
});

/**
 * @param {number} count
 * @param {number} seed
 * @returns {Promise<boolean>} whether every answer was one that MCP.md allows
 */
async function fuzz(count, seed) {
  const sources = await startSources();
  const doors = await Promise.all(Object.entries(sources.vars).map(([name, vars]) => startChild(name, vars)));
  /** @type {Map<string, { sent: number, outcomes: Map<string, number> }>} */
  const kinds = new Map();
  const slowest = { ms: 0, kind: "" };
  const bar = startBar("fuzz", count);
  const since = performance.now();
  const note = (/** @type {Input} */ { kind }, /** @type {string} */ outcome, /** @type {number} */ ms) => {
    const known = kinds.get(kind) ?? { sent: 0, outcomes: new Map() };
    kinds.set(kind, known);
    known.sent++;
    known.outcomes.set(outcome, (known.outcomes.get(outcome) ?? 0) + 1);
    if (ms > slowest.ms) Object.assign(slowest, { ms, kind });
    bar.advance(1);
  };
  const each = doors.map((door, rank) => fuzzDoor(door, Math.ceil((count - rank) / doors.length), seed + rank, note));
  const failures = (await Promise.all(each)).filter((failure) => failure !== null);
  bar.stop();
  const seconds = Math.round((performance.now() - since) / 1000);

  for (const { name, defects, outcomes, isRunning } of doors) {
    if (!isRunning()) failures.push(`${name}: it has ended`);
    if (outcomes.has("bug")) failures.push(`${name}: ${outcomes.get("bug")} defects of its own`);
    failures.push(...defects.slice(0, 5).map((line) => `${name}: it has logged: ${line}`));
  }
  const sent = [...kinds.values()].reduce((sum, one) => sum + one.sent, 0);
  for (const [kind, { sent: times, outcomes }] of [...kinds].toSorted()) {
    const most = [...outcomes].toSorted((one, other) => other[1] - one[1]).slice(0, 4);
    console.log(`${String(times).padStart(6)} ${kind}: ${most.map(([outcome, n]) => `${n} × ${outcome}`).join(", ")}`);
  }
  console.log(`${sent} answers in ${seconds} s; the slowest took ${Math.round(slowest.ms)} ms (${slowest.kind})`);
  for (const failure of failures) console.error(failure);
  console.log(
    failures.length === 0
      ? "Every answer is one that MCP.md allows."
      : `Once more: npm run fuzz -- --inputs ${count} --seed ${seed}`,
  );
  await Promise.all([...doors.map((door) => door.stop()), sources.close()]);
  return failures.length === 0;
}

/**
 * @param {Child} door
 * @param {number} count
 * @param {number} seed
 * @param {(input: Input, outcome: string, ms: number) => void} note
 * @returns {Promise<string | null>} what failed, in words
 */
async function fuzzDoor(door, count, seed, note) {
  const port = Number(new URL(door.url).port);
  const tools = await listTools(door.url);
  let failed = 0;
  // Loaded here: they take most of a second to build, and --help needs none of it.
  const { inputs } = await import("./inputs.mjs");
  const property = fc.asyncProperty(inputs(tools), async (input) => {
    if (failed > SMALLER) return;
    const { faults, outcome, ms } = await send(port, input);
    if (failed === 0) note(input, outcome, ms);
    if (failed > 0 || faults.length > 0) failed++;
    if (ms >= SLOWEST_MS) failed = SMALLER + 1;
    if (faults.length > 0) throw new Error(faults.join("; "));
  });
  const { counterexample, errorInstance, numRuns } = await fc.check(property, { seed, numRuns: count });
  if (counterexample === null) return null;
  const [input] = counterexample;
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${door.name}, input ${numRuns}: ${input.kind}: ${why}\n${sayBytes(input, door.name)}`;
}

/**
 * Sends an input and judges what came back.
 * @param {number} port
 * @param {Input} input
 */
async function send(port, { bytes, half, era, allowed, silence, check }) {
  const { answer, raw, late, ms } = await exchange(port, bytes, SLOWEST_MS, half);
  /** @type {string[]} */
  const faults = [];
  if (late) faults.push(`no end of an answer in ${SLOWEST_MS} ms`);
  // workerd's own answer to a verb that it doesn't know is 501, as RFC 9110 wants.
  if (/^HTTP\/1\.\d 5(?!01)\d\d/m.test(raw)) faults.push("a 5xx");
  if (answer === null) {
    if (!silence) faults.push("the connection ended without an answer");
    return { faults, outcome: "no answer", ms };
  }
  // After the answer to a HEAD comes the answer to what followed it.
  if (allowed === null && /^\s*HEAD /.test(bytes.toString("latin1", 0, 20))) answer.text = "";
  const outcome = outcomeOf(answer);
  // The door's own answers all have it; workerd answers a head that it can't read, in text.
  if (answer.headers["access-control-allow-origin"] === undefined) {
    if (allowed !== null || answer.status < 400)
      faults.push(`not the door's answer: ${answer.status} ${answer.text.slice(0, 200)}`);
    return { faults, outcome: `${answer.status} from workerd`, ms };
  }
  if (allowed !== null) {
    faults.push(...faultsOf(answer, era));
    if (!allowed.includes(outcome))
      faults.push(`the answer is « ${outcome.slice(0, 300)} » and not « ${allowed.join(" » or « ").slice(0, 300)} »`);
    else if (check !== null && !check(JSON.parse(answer.text)))
      faults.push(`the answer isn't the right one: ${answer.text.slice(0, 300)}`);
  } else {
    // Nobody knows which era such bytes speak: one of the two.
    const [modern, legacy] = [faultsOf(answer, "modern"), faultsOf(answer, "legacy")];
    if (modern.length > 0 && legacy.length > 0) faults.push(...legacy);
  }
  return { faults, outcome: outcome.replace(/id=.*/s, "").trim(), ms };
}

/** @param {string} url */
async function listTools(url) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await answer.json()).result.tools;
}

/**
 * The bytes of an input, to be read and to be sent again to a door on the port 9000.
 * @param {Input} input
 * @param {string} name
 */
function sayBytes({ bytes, half }, name) {
  const shown = JSON.stringify(bytes.subarray(0, 600).toString("latin1"));
  const again = `npm run door -- ${name} --port 9000`;
  const netcat = `nc ${half ? "-N " : ""}127.0.0.1 9000`;
  if (bytes.length < SHOWN) return `${shown}\n  ${again}\n  echo ${bytes.toString("base64")} | base64 -d | ${netcat}`;
  const file = join(tmpdir(), `fuzz-${process.pid}-${name}.bin`);
  writeFileSync(file, bytes);
  return `${shown}… ${bytes.length} bytes\n  ${again}\n  ${netcat} < ${file}`;
}
