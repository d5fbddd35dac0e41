// The bench of the bridge: its figures, and that both bridges answer what they are asked. That ours is fast, it says itself.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ASKED, bytesOf, type Lane, measure, post, startLane } from "../../bench/bridge/client.mjs";
import { judge, makeTable, makeVerdicts, type Run, spread } from "../../bench/bridge/figures.mjs";
import { runCommand } from "../commands.ts";
import { findProgram, isListening } from "../processes.ts";

const flat = (ms: number) => ({ p50: ms, p95: 2 * ms });
const runOf = (ms: number, more: Run = {}): Run => ({
  ...Object.fromEntries(["start", "handshake", "allowed", "refused", "wrong", "stop"].map((key) => [key, flat(ms)])),
  ...more,
});
const OURS = [runOf(0.4), runOf(0.5, { refused: flat(0.52) }), runOf(0.6)];
const THEIRS = OURS.map(() => runOf(1, { slowStop: flat(500), wrong: flat(0.1) }));

describe("the figures of the bridge's bench", () => {
  it("are the middle and the nineteenth twentieth of what was measured", () => {
    const samples = Array.from({ length: 100 }, (_, rank) => 100 - rank);
    expect(spread(samples)).toEqual({ p50: 51, p95: 96 });
    expect(spread([3])).toEqual({ p50: 3, p95: 3 });
  });

  it("stand beside Python's and the original's", () => {
    const table = makeTable(OURS, THEIRS);
    expect(table).toMatch(/^\| call allowed +\| +0\.50 \| +1\.00 \| +1\.00 \| +2\.00 \| +0\.41 \| +1\.06 \|$/m);
    expect(table).toMatch(
      /^\| stop .*500 ms\) +\| +0\.50 \| +1\.00 \| +500\.00 \| +1000\.00 \| +500\.91 \| +501\.98 \|$/m,
    );
  });

  it("say of each target whether it is reached", () => {
    const verdicts = judge(OURS, THEIRS);
    expect(verdicts.map(({ line, reached }) => [line, reached])).toEqual([
      ["start", true],
      ["handshake, 3 POST", true],
      ["call allowed", true],
      ["call refused", true],
      ["wrong token", false],
      ["stop (Python: poll of 10 ms)", true],
      ["stop (Python: its own poll of 500 ms)", true],
      ["stop", true],
      ["refused to allowed", true],
    ]);
    expect(makeVerdicts(verdicts)).toMatch(/^\| wrong token +\| +5\.00 of Python's p50 \| +under 1 \| +missed \|$/m);
    const slow = judge([runOf(1.5, { refused: flat(2) })], []);
    expect(slow.slice(-2).map(({ reached }) => reached)).toEqual([false, false]);
  });

  it("are left out where there is no Python, and it is said", () => {
    expect(makeTable(OURS, [])).toMatch(/^\| start +\| +0\.50 \| +1\.00 \| +– \| +– \|/m);
    expect(makeVerdicts(judge(OURS, []))).toMatch(/^\| start +\| +not measured \| +under 1 \| not measured \|$/m);
  });
});

describe.each([
  ["ours", () => process.execPath, "bench/bridge/lane.mjs"],
  ["Python's", () => findProgram(["python3"]), "bench/bridge/bridge.py"],
])("%s, as the bench starts it", (_, program, file) => {
  let lane: Lane | undefined;
  beforeAll(async () => {
    const found = program();
    if (found !== null) lane = await startLane(found, [file]);
  });
  afterAll(async () => {
    const port = lane?.port;
    await lane?.stop();
    if (port !== undefined) expect(await isListening(port)).toBe(false);
  });

  beforeEach(({ skip }) => skip(lane === undefined, "no python3 on the PATH: nothing to compare the bridge with"));

  it.each(Object.keys(ASKED) as (keyof typeof ASKED)[])("answers the %s as it should", async (what) => {
    expect(await measure(lane as Lane, what, 2)).toHaveLength(2);
  });

  it("answers 202 and nothing to a notification, and starts and stops others", async () => {
    const { port, token, cycle } = lane as Lane;
    const answer = await post(port, bytesOf({ port, token }, { method: "notifications/initialized" }));
    expect(answer).toMatch(/^HTTP\/1\.1 202 .*\r\n\r\n$/s);
    const { start, stop } = await cycle(3);
    expect([start.length, stop.length]).toEqual([3, 3]);
  });
});

describe("npm run bench:bridge", () => {
  it("prints its help", async () => {
    const { code, stdout } = await runCommand("bench-bridge", ["--help"]);
    expect(code).toBe(0);
    for (const word of ["--runs", "1,000", "Python", "Exit code"]) expect(stdout).toContain(word);
  });

  it.each([
    ["an option that it doesn't have", ["fast"], '"fast"'],
    ["no run", ["--runs", "0"], "--runs 0"],
    ["runs that aren't a number", ["--runs", "five"], "--runs five"],
  ])("refuses %s in one line, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runCommand("bench-bridge", args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });
});
