// The conformance suite of the protocol, in two versions, on every door and on one that has the tools it looks for. A run
// fails on a failure that its file doesn't expect, and on an expected one that passes.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Doors, NAMES, startDoors } from "./doors.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** How many checks of each scenario pass and fail. */
type Checks = Record<string, [passed: number, failed: number]>;

interface Run {
  title: string;
  /** The suite's own folder of node_modules. */
  suite: string;
  /** The revision of the protocol; without it, that version has but one list of scenarios. */
  revision?: string;
  /** The file of expected failures. */
  baseline: string;
  /** Of the scenarios that apply to a door of tools alone. */
  applying: Checks;
  /** Of those that need the tools of conformance/tools.ts, or that pass more checks with them. */
  withTools: Checks;
}

const CONTENTS = ["simple-text", "image", "audio", "embedded-resource", "mixed-content", "error"];
const contents = (passed: number): Checks =>
  Object.fromEntries(CONTENTS.map((kind) => [`tools-call-${kind}`, [passed, 0]]));

const ALPHA = { title: "0.2.0-alpha.12", suite: "@modelcontextprotocol/conformance" };
const RUNS: Run[] = [
  {
    title: "0.1.16",
    suite: "conformance-0.1",
    baseline: "baseline-0.1.16.yml",
    applying: { "server-initialize": [1, 0], ping: [1, 0], "tools-list": [1, 0], "dns-rebinding-protection": [2, 0] },
    withTools: { ...contents(1), "json-schema-2020-12": [4, 0] },
  },
  {
    ...ALPHA,
    revision: "2025-06-18",
    baseline: "baseline-0.2.0a12-2025-11-25.yml",
    applying: { "server-initialize": [2, 0], ping: [2, 0], "tools-list": [2, 0] },
    withTools: contents(2),
  },
  {
    ...ALPHA,
    revision: "2025-11-25",
    baseline: "baseline-0.2.0a12-2025-11-25.yml",
    applying: { "server-initialize": [2, 0], ping: [2, 0], "tools-list": [3, 0], "dns-rebinding-protection": [2, 0] },
    withTools: { ...contents(2), "json-schema-2020-12": [8, 0] },
  },
  {
    ...ALPHA,
    revision: "2026-07-28",
    baseline: "baseline-0.2.0a12-2026-07-28.yml",
    applying: {
      // Four checks call tools that no door has.
      "server-stateless": [21, 4],
      "tools-list": [4, 0],
      "dns-rebinding-protection": [2, 0],
      "http-header-validation": [14, 0],
      // Three are about prompts, resources and their templates.
      caching: [4, 3],
      "server-sse-multiple-streams": [1, 0],
      "input-required-result-unsupported-methods": [2, 0],
      "input-required-result-validate-input": [3, 0],
    },
    withTools: { ...contents(2), "json-schema-2020-12": [8, 0], "server-stateless": [25, 0] },
  },
];

/** The suite's verdict: its exit code, its lines, and the checks of each scenario. */
interface Verdict {
  code: number;
  said: string;
  checks: Checks;
}

const folder = mkdtempSync(join(tmpdir(), "conformance-test-"));
let doors: Doors;
let fixture: string;
beforeAll(async () => {
  doors = await startDoors();
  fixture = (await doors.startFixture("clients/conformance/tools.ts", "lock")).url;
});
afterAll(async () => {
  await doors?.stop();
  rmSync(folder, { recursive: true });
});

const expectedBy = ({ baseline }: Run): string[] =>
  parse(readFileSync(`${HERE}conformance/${baseline}`, "utf8")).server;

async function play({ suite, revision }: Run, url: string, failures: string[]): Promise<Verdict> {
  const file = join(folder, "expected.yml");
  writeFileSync(file, JSON.stringify({ server: failures }));
  const program = `${HERE}node_modules/${suite}/dist/index.js`;
  const args = [program, "server", "--url", url, "--suite", "all", "--expected-failures", file];
  if (revision !== undefined) args.push("--spec-version", revision);
  const { code, said } = await new Promise<Pick<Verdict, "code" | "said">>((resolve) => {
    execFile(process.execPath, args, { cwd: folder, timeout: 50_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), said: stdout + stderr });
    });
  });
  const lines = said.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed$/gm);
  const checks: Checks = {};
  for (const [, name, passed, failed] of lines) checks[name] = [Number(passed), Number(failed)];
  return { code, said, checks };
}

describe.each(RUNS.map((run) => [[run.title, run.revision].join(" "), run] as const))(
  "the conformance suite %s",
  (_, run) => {
    it.each(NAMES)("fails on the door %s where it is expected to, and nowhere else", async (name) => {
      const { code, said, checks } = await play(run, doors.running[name].url, expectedBy(run));
      expect({ code, said }).toEqual({ code: 0, said });
      expect(checks).toMatchObject(run.applying);
    });

    it("passes all that applies to a door of tools, on one that has its tools", async () => {
      const failures = expectedBy(run).filter((scenario) => !(scenario in run.withTools));
      const { code, said, checks } = await play(run, fixture, failures);
      expect({ code, said }).toEqual({ code: 0, said });
      expect(checks).toMatchObject({ ...run.applying, ...run.withTools });
    });

    it("fails itself on a failure that isn't expected, and on an expected one that passes", async () => {
      const [first, ...others] = expectedBy(run);
      const less = await play(run, doors.running.hockey.url, others);
      expect(less).toMatchObject({ code: 1, said: expect.stringContaining(first) });
      const more = await play(run, doors.running.hockey.url, [first, ...others, "tools-list"]);
      expect(more).toMatchObject({ code: 1, said: expect.stringContaining("tools-list") });
    });

    it("expects the failures that are listed beside the recordings", ({ skip }) => {
      const file = `${process.env.RECORDINGS}/../conformance/${run.baseline}`;
      skip(!existsSync(file), "no other list of expected failures: RECORDINGS names the folder beside it");
      expect(expectedBy(run).toSorted()).toEqual(parse(readFileSync(file, "utf8")).server.toSorted());
    });
  },
);
