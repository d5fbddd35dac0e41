// What each agent's command line wants in order to open one MCP server, for one run, without the user's own. The facts were
// read from the agents themselves: Claude Code 2.1, Codex 0.171, Gemini CLI 0.61.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "smol-toml";
import { UsageError } from "./tools.mjs";

/** How long an agent may wait for a call, in ms. */
const TIMEOUT_MS = 120_000;
/** Where the config file's path goes in a command. */
export const PLACEHOLDER = "{MCP_CONFIG}";

/**
 * The run as an agent needs to know it.
 * @typedef {{ name: string, url: string, token: string, allow: readonly string[], folder: string, config: string,
 *   codex: string }} Told `folder`: for files of the run, removed at its end; `config`: the config file's path; `codex`: the
 *   user's own home of Codex, which may not be there
 */

/**
 * What an agent gets: arguments that are added to its own, and variables.
 * @typedef {{ added: string[], env: Record<string, string> }} Given
 */

/**
 * @typedef {object} Agent
 * @property {(args: string[]) => void} [check] throws a `UsageError` where its arguments would undo the run's
 * @property {(told: Told, args: string[]) => Given} give
 * @property {boolean} [hidesInterrupt] whether it exits with 0 after a Ctrl-C
 */

/** The config file, as Claude Code and those after it read it. @param {Told} told */
export function writeConfig({ name, url, token, config }) {
  const headers = { Authorization: `Bearer ${token}` };
  // Without `alwaysLoad`, a model must first search for tools it doesn't know of.
  const server = { type: "http", url, headers, timeout: TIMEOUT_MS, alwaysLoad: true };
  writePrivate(config, { mcpServers: { [name]: server } });
}

/** A setting of Codex in one argument with its option. */
const JOINED = /^(?:--config=|-c=?)(.*)$/s;

/** The agents that `--for` knows, by its value. @type {Map<string, Agent>} */
export const AGENTS = new Map([
  [
    "claude",
    {
      hidesInterrupt: true,
      check(args) {
        const configs = configsOf(args);
        if (configs.length > 1 || configs.some((config) => config !== PLACEHOLDER)) {
          throw new UsageError(
            `--for claude: its --mcp-config must be ${PLACEHOLDER} alone, before another option, or be left out.`,
          );
        }
      },
      give({ config }, args) {
        const named = configsOf(args).length > 0;
        const strict = optionsOf(args).includes("--strict-mcp-config") ? [] : ["--strict-mcp-config"];
        return { added: [...(named ? [] : ["--mcp-config", config]), ...strict], env: {} };
      },
    },
  ],
  [
    "codex",
    {
      check(args) {
        const own = optionsOf(args);
        const values = own.map((arg, rank) => (/^(-c|--config)$/.test(arg) ? own[rank + 1] : arg.match(JOINED)?.[1]));
        if (values.some((value) => /^\s*["']?mcp_servers\b/.test(value ?? "")))
          throw new UsageError("--for codex: its mcp_servers can't be set beside those of the run: take it away.");
      },
      give({ name, url, allow, folder, codex }) {
        const table = [
          `url=${JSON.stringify(url)}`,
          'bearer_token_env_var="LABO_MCP_TOKEN"',
          // Without it, a handshake that fails is a run without tools, and a success.
          "required=true",
          `enabled_tools=${JSON.stringify(allow)}`,
          "startup_timeout_sec=10",
          `tool_timeout_sec=${TIMEOUT_MS / 1000}`,
        ];
        const env = { CODEX_HOME: makeCodexHome(folder, codex) };
        return { added: ["-c", `mcp_servers.${name}={${table.join(",")}}`], env };
      },
    },
  ],
  [
    "gemini",
    {
      check(args) {
        if (optionsOf(args).some((arg) => /^--allowed-?mcp-?server-?names(=|$)/i.test(arg)))
          throw new UsageError("--for gemini: its --allowed-mcp-server-names is the run's: take it away.");
      },
      give({ name, url, token, allow, folder }) {
        const settings = join(folder, "gemini.json");
        const headers = { Authorization: `Bearer ${token}` };
        const server = { httpUrl: url, headers, timeout: TIMEOUT_MS, trust: true, includeTools: allow };
        writePrivate(settings, { mcpServers: { [name]: server } });
        // In a folder that isn't trusted, it has no server and says nothing.
        const env = { GEMINI_CLI_SYSTEM_SETTINGS_PATH: settings, GEMINI_CLI_TRUST_WORKSPACE: "true" };
        return { added: ["--allowed-mcp-server-names", name], env };
      },
    },
  ],
]);

/** What stands before the `--` that ends an agent's options. @param {readonly string[]} args */
function optionsOf(args) {
  return args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
}

/**
 * What Claude's own arguments name as configurations: `--mcp-config` takes all that follows it, up to the next option.
 * @param {readonly string[]} args
 */
function configsOf(args) {
  const own = optionsOf(args);
  return own.flatMap((arg, rank) => {
    if (arg.startsWith("--mcp-config=")) return [arg.slice("--mcp-config=".length)];
    if (arg !== "--mcp-config") return [];
    const rest = own.slice(rank + 1);
    const end = rest.findIndex((one) => one.startsWith("-"));
    return end === 0 || rest.length === 0 ? [""] : rest.slice(0, end === -1 ? undefined : end);
  });
}

/** A file for its owner alone, that wasn't there. @param {string} file @param {object} content */
function writePrivate(file, content) {
  writeFileSync(file, JSON.stringify(content), { flag: "wx", mode: 0o600 });
}

/**
 * A home for Codex that is the user's own (login, instructions, sessions: links to them), less the MCP servers of its
 * configuration: Codex adds to them and has no flag to leave them out. A first session goes to the user's own too.
 * @param {string} folder
 * @param {string} own
 */
function makeCodexHome(folder, own) {
  const home = join(folder, "codex");
  mkdirSync(home, { mode: 0o700 });
  try {
    mkdirSync(join(own, "sessions"), { recursive: true, mode: 0o700 });
  } catch {
    // It can't be written: a session lasts as long as the run.
  }
  for (const name of existsSync(own) ? new Set([...readdirSync(own), "history.jsonl"]) : []) {
    const [from, to] = [join(own, name), join(home, name)];
    if (name === "config.toml") writeFileSync(to, dropServers(readFileSync(from, "utf8"), from), { mode: 0o600 });
    else symlinkSync(from, to);
  }
  return home;
}

/** A configuration of Codex without its `mcp_servers`. @param {string} toml @param {string} file */
function dropServers(toml, file) {
  try {
    const { mcp_servers, ...kept } = parse(toml, { integersAsBigInt: "asNeeded" });
    return stringify(kept);
  } catch (error) {
    throw new Error(`${file}: ${/** @type {Error} */ (error).message.split("\n")[0]}`);
  }
}
