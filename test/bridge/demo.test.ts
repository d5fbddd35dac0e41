// The demonstration of the bridge that this one takes after, its outcome word for word; and a whole run of each agent.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isListening } from "../processes.ts";
import { AGENT, Place, TOOLS } from "./run.ts";

const PROMPT = "Cherche le chalet.";
const BOUND = ["--workspace", "ws-personal", "--channel", "telegram"];

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.clear());

/** A folder of programs with the agents in it, for the PATH. */
function makeAgents(): string {
  const folder = join(place.folder, "bin");
  mkdirSync(folder);
  for (const name of ["claude", "codex", "gemini"]) symlinkSync(AGENT, join(folder, name));
  return `${folder}:${process.env.PATH}`;
}

/** What an agent has printed, a line of stream-json each. */
function readStream(stdout: string) {
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    init: lines.find(({ subtype }) => subtype === "init"),
    results: lines.filter(({ type }) => type === "user").map(({ tool_use_result: result }) => result),
    last: lines.at(-1),
  };
}

const textOf = (text: string) => ({ content: [{ type: "text", text }] });

const CALLS = [
  { name: "memory_search", arguments: { query: "chalet" } },
  { name: "execute_command", arguments: { cmd: "rm -rf ~/work" } },
  { name: "memory_search", arguments: { query: "contrat", workspace_id: "ws-client" } },
  { name: "memory_search", arguments: { query: "chalet" }, token: "0".repeat(64) },
];

describe("the original's demo", () => {
  it("ends as the original's does, word for word", async () => {
    const claude = [
      ...["claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose"],
      ...["--permission-mode", "bypassPermissions", "--mcp-config", "{MCP_CONFIG}", "--strict-mcp-config"],
    ];
    const options = ["--name", "osfoundry", "--allow", "memory_search", "--tools", TOOLS, ...BOUND];
    // A server of the user's, that must not join the run.
    writeFileSync(
      join(place.folder, ".mcp.json"),
      '{"mcpServers":{"mine":{"type":"http","url":"http://127.0.0.1:9/mcp"}}}',
    );
    const env = { PATH: makeAgents(), AGENT_CALLS: JSON.stringify(CALLS) };
    const { status, stdout, stderr } = await place.finish([...options, "--audit", place.audit, "--", ...claude], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { init, results, last } = readStream(stdout);

    expect(init.tools).toEqual(["mcp__osfoundry__memory_search"]);
    expect(init.mcp_servers).toEqual([{ name: "osfoundry", status: "connected" }]);
    expect(init.permissionMode).toBe("bypassPermissions");
    const [allowed, refused, escaping, wrong] = results;
    expect(allowed.status).toBe(200);
    expect(allowed.body.result).toMatchObject(textOf("Le chalet est loué du 3 au 10 août."));
    expect(refused.status).toBe(200);
    expect(refused.body.error).toEqual({
      code: -32601,
      message: "tool 'execute_command' is not available to this agent",
    });
    expect(escaping.body.result).toMatchObject(textOf("Rien trouvé."));
    expect(wrong).toEqual({ status: 401, body: { error: "unauthorized" } });
    expect(place.record).toEqual([
      { tool: "memory_search", args: { query: "chalet" }, bare: true, workspace: "ws-personal", channel: "telegram" },
      { tool: "memory_search", args: { query: "contrat" }, bare: true, workspace: "ws-personal", channel: "telegram" },
    ]);
    expect(place.audited).toEqual([
      expect.objectContaining({ tool: "memory_search", decision: "allow" }),
      expect.objectContaining({ tool: "execute_command", decision: "deny" }),
      expect.objectContaining({ tool: "memory_search", decision: "allow" }),
    ]);
    expect(last).toMatchObject({ type: "result", subtype: "success" });
  });

  it("leaves a port where a connection is refused", async () => {
    const run = await place.hold(["--name", "osfoundry", "--allow", "memory_search"]);
    expect(await isListening(run.port)).toBe(true);
    await run.end();
    expect(await isListening(run.port)).toBe(false);
  });
});

describe("the presets", () => {
  const LINES: Record<string, string[]> = {
    claude: ["claude", "-p", PROMPT, "--output-format", "stream-json", "--verbose"],
    codex: ["codex", "exec", "--json", PROMPT],
    gemini: ["gemini", "-p", PROMPT, "--output-format", "stream-json"],
  };

  it.each(Object.keys(LINES))("give %s what it reads: it lists the run's tools and calls them", async (name) => {
    const options = ["--for", name, "--allow", "memory_search", "--tools", TOOLS, ...BOUND];
    // The agent's own configuration, and a folder where the project has some too: neither joins, neither is touched.
    const home = join(place.folder, "home");
    mkdirSync(join(home, ".codex"), { recursive: true });
    mkdirSync(join(place.folder, ".gemini"));
    const mine = '[mcp_servers.mine]\nurl = "http://127.0.0.1:9/mcp"\n';
    writeFileSync(
      join(place.folder, ".mcp.json"),
      '{"mcpServers":{"mine":{"type":"http","url":"http://127.0.0.1:9/mcp"}}}',
    );
    writeFileSync(join(home, ".codex/config.toml"), mine);
    writeFileSync(
      join(place.folder, ".gemini/settings.json"),
      '{"mcpServers":{"mine":{"httpUrl":"http://127.0.0.1:9/mcp"}}}',
    );
    const env = { PATH: makeAgents(), HOME: home, AGENT_CALLS: JSON.stringify(CALLS) };
    const { status, stdout, stderr } = await place.finish([...options, "--", ...LINES[name]], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { init, results } = readStream(stdout);
    expect(init.tools).toEqual(["mcp__labo__memory_search"]);
    expect(init.mcp_servers).toEqual([{ name: "labo", status: "connected" }]);
    expect(results.map((one: { status: number }) => one.status)).toEqual([200, 200, 200, 401]);
    expect(place.record.map(({ workspace }) => workspace)).toEqual(["ws-personal", "ws-personal"]);
  });

  it.each(Object.keys(LINES))("add for %s these words, and no other", async (name) => {
    const code = `const { LABO_MCP_URL: url, LABO_MCP_TOKEN: token, LABO_MCP_CONFIG: config } = process.env;
const settings = process.env.GEMINI_CLI_SYSTEM_SETTINGS_PATH;
const read = (file) => JSON.parse(require("node:fs").readFileSync(file, "utf8"));
console.log(JSON.stringify({ added: process.argv.slice(3), url, token, config, file: read(settings ?? config) }));`;
    const options = ["--for", name, "--allow", "memory_search,delete_file", "--tools", TOOLS];
    const { stdout } = await place.finish([...options, "--", process.execPath, "-e", code, "prompt", "x"]);
    const { added, url, token, config, file } = JSON.parse(stdout);
    const headers = { Authorization: `Bearer ${token}` };
    const allowed = ["memory_search", "delete_file"];
    const plain = { type: "http", url, headers, timeout: 120_000, alwaysLoad: true };
    const gemini = { httpUrl: url, headers, timeout: 120_000, trust: true, includeTools: allowed };
    expect(file).toEqual({ mcpServers: { labo: name === "gemini" ? gemini : plain } });
    if (name === "claude") expect(added).toEqual(["--mcp-config", config, "--strict-mcp-config"]);
    if (name === "gemini") expect(added).toEqual(["--allowed-mcp-server-names", "labo"]);
    if (name !== "codex") return;
    const [flag, setting, ...rest] = added;
    expect([flag, rest]).toEqual(["-c", []]);
    const limits = { startup_timeout_sec: 10, tool_timeout_sec: 120 };
    const server = { url, bearer_token_env_var: "LABO_MCP_TOKEN", required: true, enabled_tools: allowed, ...limits };
    expect(parse(setting)).toEqual({ mcp_servers: { labo: server } });
  });

  it("give claude's Ctrl-C the code of one, which claude itself ends with 0", async () => {
    const traps = { HOLD_TRAPS: "SIGINT", HOLD_ENDS: "0" };
    for (const [options, status] of [
      [["--for", "claude"], 130],
      [[], 0],
    ] as const) {
      const run = await place.hold([...options, "--allow", "memory_search"], traps);
      run.bridge.kill("SIGINT");
      expect((await run.ended).status).toBe(status);
    }
    const run = await place.hold(["--for", "claude", "--allow", "memory_search"]);
    expect((await run.end()).status).toBe(0);
  });

  it.each(Object.keys(LINES))("write nothing of the token in the arguments of %s", async (name) => {
    const show = join(place.folder, name);
    const code = "console.log(JSON.stringify([process.argv, process.env.LABO_MCP_TOKEN]))";
    writeFileSync(show, `#!/usr/bin/env node\n${code}\n`, { mode: 0o755 });
    const [, ...args] = LINES[name];
    const options = ["--for", name, "--allow", "memory_search", "--tools", TOOLS];
    const { stdout, stderr } = await place.finish([...options, "--", show, ...args]);
    expect(stderr).toBe("");
    const [argv, token] = JSON.parse(stdout);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    for (const arg of argv) expect(arg).not.toContain(token);
    // Without it, Codex goes on without its tools and says 0.
    if (name === "codex") expect(argv.join(" ")).toMatch(/\brequired *= *true\b/);
    // What the person wrote is all there, in the same order.
    expect(argv.filter((arg: string) => args.includes(arg))).toEqual(args);
  });

  it("refuse a config of somebody else's for claude: exit code 64", async () => {
    const options = ["--for", "claude", "--allow", "memory_search", "--tools", TOOLS];
    for (const given of [
      ["--mcp-config", "mine.json"],
      ["--mcp-config=mine.json"],
      ["--mcp-config", "mine.json", "{MCP_CONFIG}"],
      ["--mcp-config", "{MCP_CONFIG}", "mine.json"],
      ["--mcp-config", "{MCP_CONFIG}", "--mcp-config", "mine.json"],
      ["--mcp-config={MCP_CONFIG}", "--mcp-config=mine.json"],
      ["--append-system-prompt", "{MCP_CONFIG}", "--mcp-config", "mine.json"],
      ["--mcp-config", "--verbose"],
      ["--mcp-config"],
    ]) {
      const { status, stdout, stderr } = await place.finish([...options, "--", "echo", "-p", PROMPT, ...given]);
      expect({ status, stdout }).toEqual({ status: 64, stdout: "" });
      expect(stderr).toContain("--mcp-config");
    }
  });

  it.each([
    ["codex", ["-c", 'mcp_servers.other.url="http://127.0.0.1:9/mcp"']],
    ["codex", ["--config=mcp_servers.other={}"]],
    ["codex", ["-cmcp_servers.other={}"]],
    ["gemini", ["--allowed-mcp-server-names", "other"]],
    ["gemini", ["--allowedMcpServerNames=other"]],
  ])("refuse another server for %s: exit code 64 (%j)", async (name, given) => {
    const options = ["--for", name, "--allow", "memory_search", "--tools", TOOLS];
    const { status, stdout } = await place.finish([...options, "--", "echo", ...given]);
    expect({ status, stdout }).toEqual({ status: 64, stdout: "" });
    // In a prompt, it is a word.
    const prompt = "mcp_servers : pourquoi ?";
    expect((await place.finish([...options, "--", "echo", "exec", prompt])).status).toBe(0);
    expect((await place.finish([...options, "--", "echo", "--", ...given])).status).toBe(0);
  });

  it("add nothing that the person has written for claude already", async () => {
    const options = ["--for", "claude", "--allow", "memory_search", "--tools", TOOLS];
    const line = ["echo", "--strict-mcp-config", "--mcp-config", "{MCP_CONFIG}"];
    const { stdout } = await place.finish([...options, "--", ...line]);
    expect(stdout).toMatch(/^--strict-mcp-config --mcp-config .+\.json\n$/);
    // The path in a prompt names no configuration.
    const other = await place.finish([...options, "--", "echo", "-p", "Lis {MCP_CONFIG}", "--", "--strict-mcp-config"]);
    expect(other.stdout).toMatch(/^-p Lis (.+\.json) --mcp-config \1 --strict-mcp-config -- --strict-mcp-config\n$/);
  });

  it("leave Codex's own home as it was", async () => {
    const home = join(place.folder, "codex");
    mkdirSync(home);
    const config = 'model = "x"\n[mcp_servers.mine]\nurl = "http://127.0.0.1:9/mcp"\n[mcp_servers.mine.env]\nA = "b"\n';
    writeFileSync(join(home, "config.toml"), config);
    writeFileSync(join(home, "auth.json"), "{}");
    const env = { PATH: makeAgents(), CODEX_HOME: home, AGENT_CALLS: "[]" };
    const options = ["--for", "codex", "--allow", "memory_search", "--tools", TOOLS];
    const { status, stdout } = await place.finish([...options, "--", ...LINES.codex], env);
    expect(status).toBe(0);
    expect(readStream(stdout).init.tools).toEqual(["mcp__labo__memory_search"]);
    expect(readFileSync(join(home, "config.toml"), "utf8")).toBe(config);
    // Where Codex keeps what a first run has said.
    expect(readdirSync(home).toSorted()).toEqual(["auth.json", "config.toml", "sessions"]);
  });

  it("read Codex's configuration as TOML: what is in a text is no table, what is in a server goes with it", async () => {
    const home = join(place.folder, "codex");
    mkdirSync(home);
    const config = [
      'note = """\n[notes]\n"""\nmcp_servers.evil.command = "evil"\nbig = 9007199254740993',
      '[mcp_servers.mine]\nargs = [\n  ["x"]\n]\ntext = """\n[section]\n"""\n[profiles.a]\nmodel = "x"\n',
    ].join("\n");
    writeFileSync(join(home, "config.toml"), config);
    const options = ["--for", "codex", "--allow", "memory_search", "--tools", TOOLS];
    const shown = ["sh", "-c", 'cat "$CODEX_HOME/config.toml"'];
    const { status, stdout } = await place.finish([...options, "--", ...shown], { CODEX_HOME: home });
    expect(status).toBe(0);
    expect(stdout).not.toMatch(/mcp_servers|evil|section/);
    for (const kept of ["[notes]", "9007199254740993", "[profiles.a]"]) expect(stdout).toContain(kept);
    writeFileSync(join(home, "config.toml"), "a = [");
    const bad = await place.finish([...options, "--", ...shown], { CODEX_HOME: home });
    expect({ ...bad, stderr: "" }).toEqual({ status: 69, stdout: "", stderr: "" });
    expect(bad.stderr).toContain(join(home, "config.toml"));
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("keep a first session of Codex in a home that wasn't there", async () => {
    const options = ["--for", "codex", "--allow", "memory_search", "--tools", TOOLS];
    const line = ["sh", "-c", 'echo s > "$CODEX_HOME/sessions/s.jsonl"'];
    expect((await place.finish([...options, "--", ...line], { HOME: place.folder, CODEX_HOME: "" })).status).toBe(0);
    expect(readFileSync(join(place.folder, ".codex/sessions/s.jsonl"), "utf8")).toBe("s\n");
  });

  it("keep in Codex's own home what a run has written there, though it is named from where one stands", async () => {
    const home = join(place.folder, "mine");
    mkdirSync(home);
    writeFileSync(join(home, "auth.json"), "{}");
    const writes =
      'cat "$CODEX_HOME/auth.json"; echo s > "$CODEX_HOME/sessions/s.jsonl"; echo h >> "$CODEX_HOME/history.jsonl"';
    const options = ["--for", "codex", "--allow", "memory_search", "--tools", TOOLS];
    const ended = await place.finish([...options, "--", "sh", "-c", writes], { CODEX_HOME: "mine" });
    expect(ended).toEqual({ status: 0, stdout: "{}", stderr: "" });
    expect(readFileSync(join(home, "sessions/s.jsonl"), "utf8")).toBe("s\n");
    expect(readFileSync(join(home, "history.jsonl"), "utf8")).toBe("h\n");
  });
});
