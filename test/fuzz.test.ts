import { describe, expect, it } from "vitest";
import { oneInTen, runBroken } from "./broken.ts";
import { runCommand } from "./commands.ts";
import { runNpm } from "./processes.ts";

const SEED = ["--seed", "5"];
const LONG = 120_000;

describe("npm run fuzz", () => {
  it("finds nothing in the doors as they are, and says what it has sent", { timeout: LONG }, async () => {
    const { code, stdout, stderr } = await runNpm("fuzz", ["--inputs", "600", ...SEED], undefined, LONG);
    expect(stderr.replace(/^fuzz: .*\n/gm, "")).toBe("");
    expect(stdout).toMatch(/^600 inputs, seed 5\n/);
    expect(stdout).toMatch(/^ +\d+ a call with its arguments: \d+ × 200 said$/m);
    expect(stdout).toMatch(/^600 answers in \d+ s/m);
    expect(stdout).toMatch(/Every answer is one that MCP\.md allows\.\n$/);
    expect(code).toBe(0);
  });

  it("finds a door that answers 5xx, one that echoes another id, one that hangs, and gives the bytes to send again", {
    timeout: LONG,
  }, async () => {
    const { code, stdout, stderr } = await runBroken("fuzz", ["--inputs", "1500", ...SEED], {
      hockey: oneInTen("return new Response(answer.body, { headers: answer.headers, status: 500 });"),
      meteo: ["JSON.stringify(call.id)", "-7"],
      articles: oneInTen("await new Promise((resolve) => setTimeout(resolve, 60_000)); return answer;"),
    });
    expect(stderr).toMatch(/^hockey, input \d+: .*a 5xx/m);
    expect(stderr).toMatch(/^meteo, input \d+: .*: the answer is « 200 \w+ id=-7 » and not « 200 \w+ id=/m);
    expect(stderr).toMatch(/^articles, input \d+: .*no end of an answer in 8000 ms/m);
    for (const name of ["hockey", "meteo", "articles"]) {
      const again = `^ {2}npm run door -- ${name} --port 9000\\n {2}(echo [\\w+/=]+ \\| base64 -d \\| )?nc (-N )?127`;
      expect(stderr).toMatch(new RegExp(again, "m"));
    }
    expect(stdout).toMatch(/Once more: npm run fuzz -- --inputs 1500 --seed 5\n$/);
    expect(code).toBe(1);
  });

  it.each([
    ["too few inputs", ["--inputs", "2"], "--inputs 2"],
    ["too many", ["--inputs", "10000001"], "10000000"],
    ["a seed that isn't one", ["--seed", "-1"], "--seed"],
    ["something else", ["hockey"], "hockey"],
    ["an unknown option", ["--sed", "1"], "--sed"],
  ])("refuses %s in one line, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runCommand("fuzz", args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });

  it("shows its help", async () => {
    const { code, stdout } = await runCommand("fuzz", ["--help"]);
    expect(code).toBe(0);
    for (const word of ["--inputs", "--seed", "8 s", "Exit code"]) expect(stdout).toContain(word);
  });
});
