// The words of the command: its help, its mistakes, each said in one line before anything starts.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BIN, Place, TOOLS } from "./run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.clear());

/** A refusal to start: this exit code, one line on stderr that holds these words, and nothing has been started. */
async function expectRefused(options: string[], status: number, ...words: string[]): Promise<string> {
  const proof = join(place.folder, "started");
  const result = await place.finish([...options, "--", "touch", proof]);
  expect({ ...result, stderr: "" }).toEqual({ status, stdout: "", stderr: "" });
  expect(result.stderr.trimEnd().split("\n")).toHaveLength(1);
  for (const word of words) expect(result.stderr).toContain(word);
  expect(result.stderr).not.toMatch(/\bat .*:\d+:\d+/);
  expect(existsSync(proof)).toBe(false);
  expect(readdirSync(place.tmp)).toEqual([]);
  return result.stderr;
}

const tools = ["--tools", TOOLS];
const allow = ["--allow", "memory_search"];

describe("labo-bridge", () => {
  it("prints its help, which says every option and every exit code", async () => {
    const { status, stdout, stderr } = await place.finish(["--help"]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const options = ["allow", "door", "name", "workspace", "channel", "tools", "audit", "for"].map(
      (name) => `--${name}`,
    );
    const rest = ["{MCP_CONFIG}", "LABO_MCP_URL", "LABO_MCP_TOKEN", "LABO_MCP_CONFIG", "64", "69", "70", "126", "127"];
    for (const word of [...options, "claude", "codex", "gemini", ...rest]) expect(stdout).toContain(word);
  });

  it("has its help on the left of -- alone", async () => {
    const { status, stdout } = await place.finish([...tools, ...allow, "--", "echo", "--help", "--allow", "x"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "--help --allow x\n" });
  });

  it("is what npx runs in a clone", () => {
    const stdout = execFileSync("npx", ["labo-bridge", "--help"], { cwd: dirname(dirname(BIN)), encoding: "utf8" });
    expect(stdout).toMatch(/^npx labo-bridge /);
  });

  it("is a program that says what runs it", () => {
    expect(readFileSync(BIN, "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it.each<[string, string[], string[]]>([
    ["no --allow", tools, ["--allow"]],
    ["an empty --allow", ["--allow", "", ...tools], ["--allow"]],
    ["an --allow of commas", ["--allow", " , ,", ...tools], ["--allow"]],
    ["an unknown name", ["--allow", "memory_serch", ...tools], ["memory_serch", "memory_search", "execute_command"]],
    ["one known and one unknown", ["--allow", "memory_search,of_nowhere", ...tools], ["of_nowhere"]],
    ["a name in capitals", ["--allow", "MEMORY_SEARCH", ...tools], ["MEMORY_SEARCH"]],
    ["a star", ["--allow", "*", ...tools], ["*"]],
    ["the name of a prototype", ["--allow", "__proto__", ...tools], ["__proto__"]],
    ["the name of a constructor", ["--allow", "constructor", ...tools], ["constructor"]],
    ["no source of tools", allow, ["--door", "--tools"]],
    ["an unknown option", [...allow, ...tools, "--alow", "x"], ["--alow"]],
    ["an option without its value", [...tools, "--allow"], ["--allow"]],
    ["an option whose value is another one", ["--allow", "--tools", TOOLS], ["--allow needs a value"]],
    ["a value that begins with a dash", [...allow, ...tools, "--channel", "-100123"], ["--channel=-"]],
    ["a value where none is taken", ["--help=3"], ["--help takes no value"]],
    ["names without commas", ["--allow", "memory_search", "delete_file", ...tools], ["put -- before", "commas"]],
    ["an unknown agent", [...allow, ...tools, "--for", "clippy"], ["clippy", "claude", "codex", "gemini"]],
    ["an agent that is a prototype", [...allow, ...tools, "--for", "__proto__"], ["__proto__"]],
    ["a door without an address", [...allow, "--door", "hockey"], ["--door", "hockey"]],
    ["a door without a name", [...allow, "--door", "=http://127.0.0.1:9/mcp"], ["--door"]],
    ["a door that isn't an address", [...allow, "--door", "hockey=pas une adresse"], ["hockey"]],
    ["a door of another protocol", [...allow, "--door", "hockey=file:///etc/passwd"], ["hockey"]],
    [
      "the same door twice",
      [...allow, "--door", "a=http://127.0.0.1:9/mcp", "--door", "a=http://127.0.0.1:9/mcp"],
      ["--door", "a"],
    ],
    ["a module that isn't there", [...allow, "--tools", "/nowhere/tools.mjs"], ["/nowhere/tools.mjs"]],
    ["an audit in no folder", [...allow, ...tools, "--audit", "/nowhere/audit.jsonl"], ["/nowhere/audit.jsonl"]],
    ["an audit that is a folder", [...allow, ...tools, "--audit", "/"], ["--audit"]],
    ["an empty name", [...allow, ...tools, "--name", ""], ["--name"]],
    ["a name that an agent can't spell", [...allow, ...tools, "--name", "os foundry.é"], ["--name"]],
    // mcp__NAME__memory_search: 129 characters.
    ["a name too long for a tool's", [...allow, ...tools, "--name", "x".repeat(109)], ["--name"]],
    ["a word where an option should be", [...allow, ...tools, "bonjour"], ["bonjour"]],
  ])("refuses %s: exit code 64, one line, nothing started", async (_, options, words) => {
    await expectRefused(options, 64, ...words);
  });

  it("takes a name of 128 characters with its tool's, and a value that begins with a dash behind its equals sign", async () => {
    const { status } = await place.finish([
      ...allow,
      ...tools,
      "--name",
      "x".repeat(108),
      "--channel=-1",
      "--",
      "true",
    ]);
    expect(status).toBe(0);
  });

  it("asks for a home of Codex's where the user has none", async () => {
    // What Node does for a user whom the system doesn't know, and who has no HOME.
    const file = join(place.folder, "homeless.cjs");
    writeFileSync(file, 'require("node:os").homedir = () => { throw new Error("uv_os_homedir returned ENOENT"); };');
    const options = [...allow, ...tools, "--for", "codex", "--", "true"];
    const { status, stderr } = await place.finish(options, { NODE_OPTIONS: `--require "${file}"`, CODEX_HOME: "" });
    expect(status).toBe(64);
    expect(stderr).toMatch(/^labo-bridge: --for codex: .*CODEX_HOME.*\n$/);
  });

  it("refuses an audit that is a pipe nobody reads, and doesn't wait for somebody", async () => {
    const pipe = join(place.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    await expectRefused([...allow, ...tools, "--audit", pipe], 64, "--audit", pipe);
  });

  it.each([[[]], [["--"]], [["--", ""]]])("refuses to start no command (%j)", async (end) => {
    const { status, stdout, stderr } = await place.finish([...allow, ...tools, ...end]);
    expect({ status, stdout }).toEqual({ status: 64, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain("--");
  });

  it.each(["https://u:hunter2@h.example/mcp", "https://h.example/mcp?key=hunter2"])(
    "repeats no secret of a --door without a name (%s)",
    async (door) => {
      expect(await expectRefused([...allow, "--door", door], 64, "--door")).not.toContain("hunter2");
    },
  );

  it("takes an --allow that is given twice, with spaces, and says each tool once", async () => {
    const run = await place.hold(["--allow", " memory_search , memory_search ", "--allow", "delete_file"]);
    const { ask, rpc } = await import("./run.ts");
    const { body } = await ask(run, { body: rpc("tools/list") });
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(["memory_search", "delete_file"]);
    await run.end();
  });

  it.each([
    ["isn't JavaScript", "export default ["],
    ["throws", 'throw new Error("no database")'],
    ["exports nothing", "export const x = 1;"],
    ["exports no list", "export default 5;"],
    ["waits for what never comes", "await new Promise(() => {}); export default [];"],
    ["leaves, as if it were the agent", "process.exit(0);"],
    ["leaves with a code of its own", "process.exit(3);"],
    ["throws what can't be printed", "throw Object.create(null);"],
    [
      "has a schema that isn't JSON",
      'const s = { type: "object" }; s.s = s;\nexport default [{ name: "a", description: "d", inputSchema: s, run() {} }];',
    ],
    [
      "has a member that throws",
      'export default [{ name: "a", description: "d", get inputSchema() { throw new Error("boom"); }, run() {} }];',
    ],
    [
      "has a name that throws",
      'export default [{ get name() { throw new Error("boom"); }, description: "d", inputSchema: {}, run() {} }];',
    ],
    ["has a tool without a name", 'export default [{ description: "d", inputSchema: { type: "object" }, run() {} }];'],
    ["has a tool without a run", 'export default [{ name: "a", description: "d", inputSchema: { type: "object" } }];'],
    ["has a tool without a schema", 'export default [{ name: "a", description: "d", run() {} }];'],
    ["has a tool without a description", 'export default [{ name: "a", inputSchema: { type: "object" }, run() {} }];'],
    [
      "has a tool whose name isn't one",
      'export default [{ name: "a b", description: "d", inputSchema: { type: "object" }, run() {} }];',
    ],
    [
      "has a tool twice",
      'const a = { name: "a", description: "d", inputSchema: { type: "object" }, run() {} };\nexport default [a, a];',
    ],
  ])("refuses a module that %s, by its name", async (_, source) => {
    const file = join(place.folder, "mine.mjs");
    writeFileSync(file, source);
    await expectRefused(["--allow", "a", "--tools", file], 64, "mine.mjs");
  });

  it("says what finds the line of a module that can't be read", async () => {
    const file = join(place.folder, "mine.mjs");
    writeFileSync(file, "// Mine.\nexport default [\n  { name 5 },\n];\n");
    await expectRefused(["--allow", "a", "--tools", file], 64, "mine.mjs", `node --check ${file}`);
  });

  it("takes a module by a path from where one stands", async () => {
    const source = 'export default [{ name: "a", description: "d", inputSchema: { type: "object" }, run: () => "b" }];';
    writeFileSync(join(place.folder, "mine.mjs"), source);
    const { status } = await place.finish(["--allow", "a", "--tools", "mine.mjs", "--", "true"]);
    expect(status).toBe(0);
  });

  it("keeps what a module says at its load off stdout", async () => {
    const file = join(place.folder, "mine.mjs");
    const tool = '{ name: "a", description: "d", inputSchema: { type: "object" }, run: () => "b" }';
    writeFileSync(file, `console.log("loaded");\nexport default [${tool}];`);
    const { status, stdout } = await place.finish(["--allow", "a", "--tools", file, "--", "echo", "mine"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "mine\n" });
  });

  it("refuses a door that isn't there, by its name and address: exit code 69", async () => {
    // A port that was free a moment ago.
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(probe.address() as AddressInfo).port}/mcp`;
    await new Promise((resolve) => probe.close(resolve));
    const stderr = await expectRefused(["--allow", "a", "--door", `hockey=${url}?key=hunter2`], 69, "hockey", url);
    expect(stderr).not.toContain("hunter2");
  });

  it.each<[string, (response: import("node:http").ServerResponse) => void, string]>([
    ["hangs up", (response) => response.destroy(), "it hangs up"],
    ["has moved", (response) => response.writeHead(307, { location: "/x" }).end(), "it has moved"],
  ])("says in words that a door %s: exit code 69", async (_, answer, words) => {
    const door = createServer((_request, response) => answer(response));
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
    try {
      await expectRefused(["--allow", "a", "--door", `hockey=${url}`], 69, "hockey", words);
    } finally {
      door.close();
    }
  });

  it("says nothing of a door's that a terminal would obey", async () => {
    const answer = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: "\u001b[2J", message: "\u001b[2J" } });
    const door = createServer((_, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
    await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/mcp`;
    try {
      const stderr = await expectRefused(["--allow", "match_lnh", "--door", `hockey=${url}`], 69, "hockey");
      expect(stderr).not.toContain("\u001b");
    } finally {
      door.close();
    }
  });

  it("refuses a door that is something else: exit code 69", async () => {
    const page = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Bonjour</p>");
    });
    await new Promise<void>((resolve) => page.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/mcp`;
    try {
      await expectRefused(["--allow", "match_lnh", "--door", `hockey=${url}`], 69, "hockey");
    } finally {
      page.close();
    }
  });
});
