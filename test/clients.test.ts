// The command that runs the real clients: its words. What it runs is in test/clients/.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runCommand } from "./commands.ts";

describe("npm run test:clients", () => {
  it("prints its help", async () => {
    const { code, stdout, stderr } = await runCommand("clients", ["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["npm run test:clients", "test/clients/", "Python", "Exit code"]) expect(stdout).toContain(word);
  });

  it.each([["clients"], ["--door=hockey"]])(
    "refuses %s in one line that says so, with exit code 2",
    async (argument) => {
      const { code, stdout, stderr } = await runCommand("clients", [argument]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(argument.split("=")[0]);
    },
  );

  it("runs the versions that the README names", () => {
    const { dependencies } = JSON.parse(readFileSync("test/clients/package.json", "utf8"));
    const readme = readFileSync("README.md", "utf8");
    for (const [name, version] of Object.entries<string>(dependencies)) {
      if (!name.includes("conformance")) expect(readme).toContain(`\`${name}\` ${version}`);
      else expect(readme).toContain(version.split("@").at(-1));
    }
    for (const folder of ["home-assistant", "python-sdk"]) {
      const pins = readFileSync(`test/clients/${folder}/requirements.txt`, "utf8");
      expect(readme).toContain(`\`mcp\` ${/^mcp==(.*)$/m.exec(pins)?.[1]} for Python`);
    }
  });
});
