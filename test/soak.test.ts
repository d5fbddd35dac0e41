import { describe, expect, it } from "vitest";
import { oneInTen, runBroken } from "./broken.ts";
import { runCommand } from "./commands.ts";

const LONG = 120_000;

describe("npm run soak", () => {
  // That the doors hold as they are, `.ci/run` shows, with all of its requests.
  it("finds a door that answers 5xx, one that asks its source once for each question, one that hangs", {
    timeout: LONG,
  }, async () => {
    const { code, stdout, stderr } = await runBroken("soak", ["--requests", "300", "--seed", "5"], {
      hockey: oneInTen("return new Response(answer.body, { headers: answer.headers, status: 503 });"),
      meteo: ["FLIGHTS.get(url) ??", ""],
      articles: oneInTen("await new Promise((resolve) => setTimeout(resolve, 60_000)); return answer;"),
    });
    expect(stdout).toMatch(/^300 requests, seed 5\n\d+ answers in \d+ s, \d+ a second\n/);
    for (const name of ["hockey", "meteo", "articles"]) expect(stdout).toMatch(new RegExp(`^${name}: \\d+ \\w+`, "m"));
    expect(stdout).toMatch(/^the league: \d+ calls of \d+ addresses; \d+ none/m);
    expect(stderr).toMatch(/^hockey: the status is 503; .*asked: \{"jsonrpc"/m);
    expect(stderr).toMatch(/^the weather: asked \d+ times at once: \/collections\//m);
    expect(stderr).toMatch(/^articles: no answer in 12000 ms; asked: \{"jsonrpc"/m);
    expect(stdout).toMatch(/Broken; once more: npm run soak -- --requests 300 --seed 5\n$/);
    expect(code).toBe(1);
  });

  it("finds a door whose log says what was asked, and one that only ever refuses", { timeout: LONG }, async () => {
    const { code, stdout, stderr } = await runBroken("soak", ["--requests", "900", "--seed", "5"], {
      hockey: ["JSON.stringify({ door, tool, era,", "JSON.stringify({ door, tool, asked: call.params, era,"],
      meteo: [
        "const work = tool.run(",
        'if (deps.env !== null) throw new Refusal("Non.");\n    const work = tool.run(',
      ],
    });
    expect(stderr).toMatch(/^hockey: it has logged: \{"door":"hockey".*"asked":/m);
    expect(stderr).toMatch(/^meteo: no answer at all, \d+ refusals$/m);
    expect(stderr).not.toMatch(/^articles: no answer at all/m);
    expect(stdout).toMatch(/Broken; once more/);
    expect(code).toBe(1);
  });

  it.each([
    ["no request", ["--requests", "0"], "--requests 0"],
    ["too many requests", ["--requests", "1000001"], "1000000"],
    ["a count that isn't one", ["--requests", "2e4"], "2e4"],
    ["a seed that isn't one", ["--seed", "hier"], "--seed hier"],
    ["a seed that is too large", ["--seed", "2147483648"], "--seed 2147483648"],
    ["something else", ["hockey"], "hockey"],
    ["an unknown option", ["--sed", "1"], "--sed"],
  ])("refuses %s in one line, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runCommand("soak", args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });

  it("shows its help", async () => {
    const { code, stdout } = await runCommand("soak", ["--help"]);
    expect(code).toBe(0);
    for (const word of ["--requests", "--seed", "8 s", "Exit code"]) expect(stdout).toContain(word);
  });
});
