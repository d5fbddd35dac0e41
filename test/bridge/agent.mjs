#!/usr/bin/env node
// A headless agent that no model drives, under the name of the one it plays: `claude`, `codex` or `gemini`. It reads the
// configuration that this CLI reads, opens the servers there as it does, then makes the calls of AGENT_CALLS as its model
// would, and prints stream-json. Written from BRIDGE.md 2 and 3 and CLIENTS.md 2, never from the bridge.
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/**
 * @typedef {{ url: string, headers: Record<string, string>, required?: boolean }} Server
 * @typedef {{ name: string, arguments?: object, token?: string }} Call `name`: without the server's; `token`: instead of the run's
 */

const [, started, ...args] = process.argv;
const { env } = process;
const NAME = basename(started);
const MODERN = "2026-07-28";

const CLIS = /** @type {Record<string, { read(): Record<string, Server>, open(server: Server): Promise<any[]> }>} */ ({
  claude: { read: readClaude, open: openModern },
  codex: { read: readCodex, open: openCodex },
  gemini: { read: readGemini, open: openGemini },
});

const { read, open } = CLIS[NAME] ?? fail(`no agent is called ${NAME}`);
const servers = Object.entries(read());
/** @type {string[]} */
const tools = [];
/** @type {{ name: string, status: string }[]} */
const statuses = [];
/** @type {Server[]} */
const connected = [];
for (const [name, server] of servers) {
  try {
    for (const tool of await open(server)) tools.push(`mcp__${name.replace(/[^A-Za-z0-9_-]/g, "_")}__${tool.name}`);
    statuses.push({ name, status: "connected" });
    connected.push(server);
  } catch (error) {
    if (server.required) fail(`required MCP server ${name}: ${error}`);
    statuses.push({ name, status: "failed" });
  }
}
const mode = valuesOf("--permission-mode").at(-1) ?? "default";
print({ type: "system", subtype: "init", tools, mcp_servers: statuses, permissionMode: mode });

let rank = 0;
for (const { name, arguments: given = {}, token } of /** @type {Call[]} */ (JSON.parse(env.AGENT_CALLS ?? "[]"))) {
  const id = `toolu_${++rank}`;
  print({ type: "assistant", message: { content: [{ type: "tool_use", id, name, input: given }] } });
  const { url, headers } = connected[0];
  const own = token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` };
  // In bypass mode nothing holds a model to its list: it can write the request itself.
  const { status, body } = await post({ url, headers: own }, "tools/call", { name, arguments: given });
  const content = body?.result?.content ?? body?.error?.message ?? null;
  const is_error = body?.result === undefined || body.result.isError === true;
  const result = { type: "tool_result", tool_use_id: id, content, is_error };
  print({ type: "user", message: { content: [result] }, tool_use_result: { status, body } });
}
print({ type: "result", subtype: "success", is_error: false, num_turns: rank + 1, result: "Fait." });

/** @param {object} line */
function print(line) {
  console.log(JSON.stringify(line));
}

/** @param {string} why @returns {never} */
function fail(why) {
  console.error(why);
  process.exit(1);
}

/** @param {string[]} names @returns {string[]} the values of an option, each time it is given */
function valuesOf(...names) {
  return args.flatMap((arg, at) => {
    const name = names.find((one) => arg === one || arg.startsWith(`${one}=`));
    if (name === undefined) return [];
    return [arg === name ? (args[at + 1] ?? "") : arg.slice(name.length + 1)];
  });
}

/** @returns {Record<string, Server>} */
function readClaude() {
  if (valuesOf("--output-format").includes("stream-json") && !args.includes("--verbose")) {
    fail("When using --print, --output-format=stream-json requires --verbose");
  }
  const given = valuesOf("--mcp-config").map((config) => {
    if (config.trimStart().startsWith("{")) return config;
    return existsSync(config) ? readFileSync(config, "utf8") : fail(`MCP config file not found: ${config}`);
  });
  if (!args.includes("--strict-mcp-config") && existsSync(".mcp.json")) given.push(readFileSync(".mcp.json", "utf8"));
  const entries = given.flatMap((text) => Object.entries(JSON.parse(text).mcpServers));
  // One without a type is skipped, and the run goes on.
  return Object.fromEntries(entries.filter(([, entry]) => entry.type === "http"));
}

/** @returns {Record<string, Server>} */
function readCodex() {
  /** @type {any} */
  const config = {};
  const file = join(env.CODEX_HOME ?? join(String(env.HOME), ".codex"), "config.toml");
  let section = "";
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    const [, header] = /^\[(.*)\]$/.exec(line.trim()) ?? [];
    if (header !== undefined) section = `${header}.`;
    else if (/^[\w."-]+\s*=/.test(line)) set(config, section + line);
  }
  for (const assigned of valuesOf("-c", "--config")) set(config, assigned);
  const entries = Object.entries(/** @type {Record<string, any>} */ (config.mcp_servers ?? {}));
  return Object.fromEntries(
    entries.map(
      ([name, { url, bearer_token_env_var: variable, http_headers = {}, env_http_headers = {}, required }]) => {
        const read = Object.entries(env_http_headers).map(([header, from]) => [header, env[String(from)] ?? ""]);
        const headers = { ...http_headers, ...Object.fromEntries(read) };
        if (variable !== undefined) headers.Authorization = `Bearer ${env[variable]}`;
        return [name, { url, headers, required }];
      },
    ),
  );
}

/** `a.b.c = VALUE` of TOML, into an object. @param {any} into @param {string} line */
function set(into, line) {
  const at = line.indexOf("=");
  const keys = line.slice(0, at).trim().split(".");
  const last = String(keys.pop());
  let place = into;
  for (const key of keys) place = place[unquote(key)] ??= {};
  place[unquote(last)] = readToml(line.slice(at + 1));
}

/** @param {string} key */
function unquote(key) {
  return key.replace(/^"(.*)"$/, "$1");
}

/** A value of TOML, of the kinds that this configuration has. @param {string} text @returns {any} */
function readToml(text) {
  // Outside its strings, an inline table differs from JSON by its equals signs and its bare keys.
  const parts = text.trim().split(/("(?:[^"\\]|\\.)*")/);
  const json = parts.map((part, rank) => (rank % 2 === 1 ? part : part.replace(/([\w-]+)?\s*=/g, keyOf))).join("");
  return JSON.parse(json);
}

/** @param {string} _ @param {string | undefined} bare */
function keyOf(_, bare) {
  return bare === undefined ? ":" : `"${bare}":`;
}

/** @returns {Record<string, Server>} */
function readGemini() {
  const files = [env.GEMINI_CLI_SYSTEM_SETTINGS_PATH, env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH, ".gemini/settings.json"];
  const known = files.filter((file) => file !== undefined && existsSync(file));
  // In a folder that isn't trusted, servers are silently off.
  if (!args.includes("--skip-trust") && env.GEMINI_CLI_TRUST_WORKSPACE !== "true") return {};
  const allowed = valuesOf("--allowed-mcp-server-names").flatMap((names) => names.split(","));
  const entries = known.flatMap((file) => {
    const text = readFileSync(String(file), "utf8");
    return Object.entries(
      JSON.parse(text.replace(/\$\{?([A-Z_]+)\}?/g, (_, name) => env[name] ?? "")).mcpServers ?? {},
    );
  });
  const kept = entries.filter(([name]) => allowed.length === 0 || allowed.includes(name));
  return Object.fromEntries(kept.map(([name, { httpUrl, headers = {} }]) => [name, { url: httpUrl, headers }]));
}

/** Claude Code: the modern probe, then the list. @param {Server} server */
async function openModern(server) {
  await result(server, "server/discover", {});
  return (await result(server, "tools/list", {})).tools;
}

/** @param {Server} server */
async function openCodex(server) {
  await initialize(server, "2025-06-18");
  return (await result(server, "tools/list", {})).tools;
}

/** @param {Server} server */
async function openGemini(server) {
  await initialize(server, "2025-11-25");
  const stream = await fetch(server.url, { headers: { ...server.headers, accept: "text/event-stream" } });
  if (stream.status !== 405) throw new Error(`GET answers ${stream.status}`);
  await result(server, "ping", {});
  return (await result(server, "tools/list", {})).tools;
}

/** @param {Server} server @param {string} version */
async function initialize(server, version) {
  const clientInfo = { name: NAME, version: "1.0.0" };
  const { protocolVersion } = await result(server, "initialize", {
    protocolVersion: version,
    capabilities: {},
    clientInfo,
  });
  if (protocolVersion !== version) throw new Error(`the server speaks ${protocolVersion}`);
  const { status, text } = await post(server, "notifications/initialized", undefined, false);
  // Codex leaves over anything else.
  if (status !== 202 || text !== "") throw new Error(`initialized: ${status} ${text}`);
}

/** @param {Server} server @param {string} method @param {object} params */
async function result(server, method, params) {
  const { status, body, text } = await post(server, method, params);
  if (body?.result === undefined) throw new Error(`${method}: ${status} ${text}`);
  return body.result;
}

/** @param {Pick<Server, "url" | "headers">} server @param {string} method @param {any} params @param {boolean} [isRequest] */
async function post({ url, headers }, method, params, isRequest = true) {
  /** @type {Record<string, string>} */
  const own = { ...headers, "content-type": "application/json" };
  own.accept = NAME === "codex" ? "text/event-stream, application/json" : "application/json, text/event-stream";
  if (NAME === "claude") {
    own["mcp-protocol-version"] = MODERN;
    own["mcp-method"] = method;
    if (method === "tools/call") own["mcp-name"] = params.name;
    const keys = "io.modelcontextprotocol/";
    params = { ...params, _meta: { [`${keys}protocolVersion`]: MODERN, [`${keys}clientCapabilities`]: {} } };
  }
  if (NAME === "codex" && method !== "initialize") own["mcp-protocol-version"] = "2025-06-18";
  const message = { jsonrpc: "2.0", ...(isRequest ? { id: 1 } : {}), method, params };
  const answer = await fetch(url, { method: "POST", headers: own, body: JSON.stringify(message) });
  const text = await answer.text();
  return { status: answer.status, text, body: /^\{/.test(text) ? JSON.parse(text) : null };
}
