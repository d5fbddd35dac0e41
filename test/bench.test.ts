import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  difference,
  judge,
  makeTables,
  makeVerdicts,
  median,
  noSamples,
  ratio,
  type Samples,
} from "../bench/figures.mjs";
import { makeGrowth } from "../bench/growth.mjs";
import { floorOf, type Lane, makeEcho } from "../bench/lanes.mjs";
import { type Answer, ask, startWorker } from "../bench/runtime.mjs";
import { runCommand } from "./commands.ts";

/** The packages of the bench are its own: `.ci/run` installs them. */
const installed = existsSync("bench/node_modules/.package-lock.json");
const MISSING = "the packages of the bench aren't installed (npm ci --prefix bench --ignore-scripts)";

const samples = (given: Partial<Samples>): Samples => ({ ...noSamples(), ...given });
const FLOOR = { name: "floor", samples: samples({ rps: [100, 200, 400], start: [30, 40], size: [0.3] }) };
const OURS = { name: "our core", samples: samples({ rps: [80, 180, 320], start: [36, 52], size: [14] }) };
const PEER = {
  name: "a peer",
  rival: { ours: "our core", within: 1 },
  samples: samples({ rps: [40, 360, 160], start: [60, 80], size: [150], memory: [null] }),
};
const GROUPS = [
  {
    name: "hockey tools/list",
    lanes: [FLOOR, { ...OURS, name: "hockey tools/list" }],
    targets: { rps: 0.85, start: 15 },
  },
  { name: "echo", lanes: [FLOOR, OURS, PEER], targets: { size: 10 } },
];

describe("the figures of the bench", () => {
  it("are the middle ones, and of the two in the middle the half", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, null, 1, 5, 6])).toBe(5.5);
    expect(median([null])).toBeNull();
  });

  it("compare what was measured in the same round", () => {
    expect(ratio(OURS.samples.rps, FLOOR.samples.rps)).toBe(0.8);
    expect(difference(OURS.samples.start, FLOOR.samples.start)).toBe(9);
    expect(ratio([1, 2], [null, null])).toBeNull();
  });

  it("stand in a table for each measure, and say what wasn't measured", () => {
    const tables = makeTables(GROUPS);
    expect(tables).toContain("| our core          |    180 |   200 |         0.80 |         |");
    expect(tables).toContain("| a peer            |    160 |   200 |         0.40 |    0.50 |");
    expect(tables).toContain("| a peer            | not measured |");
  });

  it("say of every target whether it is reached", () => {
    const verdicts = judge(GROUPS);
    expect(verdicts.map(({ line, found, reached }) => [line, found, reached])).toEqual([
      ["hockey tools/list: throughput, to the floor", "0.80", false],
      ["hockey tools/list: start, over the floor, ms", "9.0", true],
      ["our core: bundle, kB compressed", "14.0", false],
      ["ours to a peer", "2.00", true],
      ["ours to a peer", "0.63", true],
      ["ours to a peer", "0.09", true],
    ]);
    const said = makeVerdicts(verdicts);
    expect(said).toMatch(/^\| our core: bundle, kB compressed +\| +14\.0 \| +under 10 \| short \|$/m);
    expect(said).toMatch(
      /^\| ours to a peer \| 2\.00 pass \| not measured \| not measured \| 0\.63 pass \|.* 0\.09 pass \|$/m,
    );
  });

  it("judge a peer that may be a little ahead by its own measure", () => {
    const close = {
      ...PEER,
      samples: samples({ rps: [90, 200, 360], p50: [0.9] }),
      rival: { ours: "our core", within: 1 / 0.85 },
    };
    const [, ours] = GROUPS[1].lanes;
    const held = { ...ours, samples: samples({ rps: [80, 180, 320], p50: [1] }) };
    const reached = (lane: typeof close) =>
      judge([{ name: "echo", lanes: [FLOOR, held, lane], targets: {} }]).map(({ reached }) => reached);
    expect(reached(close)).toEqual([true, true]);
    expect(reached({ ...close, rival: { ours: "our core", within: 1 } })).toEqual([false, false]);
  });
});

describe("the Workers of the bench", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "bench-test-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function answerOf({ worker, question }: Lane): Promise<Answer> {
    const running = await startWorker(worker, folder, false);
    try {
      const { status, headers, body } = await ask(running.url, question);
      const { date: _, ...kept } = headers;
      return { status, headers: kept, body };
    } finally {
      await running.stop();
    }
  }

  it("answer the same bytes and headers, the floor and our core", async () => {
    const { lanes } = await makeEcho(folder, true);
    const [floor, ours] = [await answerOf(lanes[0]), await answerOf(lanes[1])];
    expect(ours.body).toContain("Tu dis : bonjour tout le monde");
    expect(floor).toEqual(ours);
  });

  it("answer all of them the same question", async ({ skip }) => {
    skip(!installed, MISSING);
    const { lanes } = await makeEcho(folder);
    expect(lanes).toHaveLength(11);
    for (const lane of lanes) {
      const { status, body } = await answerOf(lane);
      expect({ lane: lane.name, status, body }).toEqual({
        lane: lane.name,
        status: 200,
        body: expect.stringContaining(lane.expected),
      });
    }
  });

  it("are not measured on a refusal", async () => {
    const { lanes } = await makeEcho(folder, true);
    const refused = { ...lanes[1], name: "echo, refused", refused: "Tu dis" };
    await expect(floorOf(refused, folder)).rejects.toThrow(/^echo, refused: 200 /);
  });
});

describe("the picture of the bench", () => {
  const growth = [1, 10].map((size) => ({ of: "tools (tools/list)", size, cost: 60 }));
  const draw = () =>
    execFileSync(process.execPath, ["bench/draw.mjs"], {
      input: JSON.stringify({ groups: GROUPS, growth }),
      encoding: "utf8",
    });

  it("is the same bytes for the same figures, names every lane in French, and follows the reader's colours", ({
    skip,
  }) => {
    skip(!installed, MISSING);
    const svg = draw();
    expect(svg).toBe(draw());
    for (const said of ["hockey la liste", "notre cœur", "a peer", "Lister N outils", ">0,80<"])
      expect(svg).toContain(said);
    expect(svg).toContain("@media (prefers-color-scheme:dark)");
    expect(svg).not.toMatch(/(fill|stroke)="(#|black|white|rgb)/);
  });

  it("has its growth in a table too", () => {
    const rows = makeGrowth([...growth, { of: "addresses read", size: 5_000, cost: 0.5, held: 500 }]).split("\n");
    expect(rows.at(-1)).toBe("| addresses read, 500 held |     5000 |         0.50 |");
  });
});

describe("npm run bench", () => {
  it("refuses an option that it doesn't have, in one line", async () => {
    const { code, stdout, stderr } = await runCommand("bench", ["fast"]);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: '"fast" is not an option. See --help.\n' });
  });
});
