#!/usr/bin/env node
// npx labo-bridge: an MCP server of this machine for one run of an agent, with the run's own list of tools.
import { constants, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { close as closeInspector, url as inspectorUrl } from "node:inspector";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { debuglog, parseArgs } from "node:util";
import { AGENTS, PLACEHOLDER, writeConfig } from "./agents.mjs";
import { openAudit } from "./audit.mjs";
import { ClosedDoor, openDoor } from "./door.mjs";
import { endAs, holdSignals, startChild } from "./run.mjs";
import { startBridge } from "./server.mjs";
import { checkNames, choose, gather, loadTools, messageOf, UsageError } from "./tools.mjs";

const HELP = `npx labo-bridge --allow TOOL[,TOOL…] [OPTIONS] -- COMMAND [ARGUMENT…]

Runs COMMAND (a headless coding agent) with an MCP server of its own: on 127.0.0.1, on a random port, behind a token made for
this run, gone when the command ends. The server lists the allowed tools and refuses every other, whatever the agent was told
it may do; the command's streams, signals and exit code are its own.

  --allow TOOL,…       the tools of this run, at least one; may be given again
  --door DOOR=URL      an MCP server over HTTP whose tools may be allowed; may be given again
  --tools FILE         a JavaScript module of tools that may be allowed: export default [{ name, description, inputSchema,
                       run(args, { workspace, channel, signal }) }]
  --name NAME          the server's name, as the agent shows it: mcp__NAME__TOOL (default: labo)
  --workspace TEXT     bound to the run: given to the tools of --tools, never read from what the agent sends
  --channel TEXT       the same
  --audit FILE         a line of JSON per call is added to it: when, tool, allow or deny, ms, the arguments' names
  --for AGENT          claude, codex or gemini: adds what it needs to find the server and to leave the user's own MCP servers
                       out, at the end of its arguments. COMMAND must be the agent itself. Permissions stay yours to give
  --help               this text

A tool is called by its own name; by DOOR_TOOL where another source has one of that name.
${PLACEHOLDER} in COMMAND's arguments becomes the path of the config file (mcpServers, type http), which its owner alone can
read and which is removed at the end. COMMAND alone has the variables LABO_MCP_URL, LABO_MCP_TOKEN and LABO_MCP_CONFIG.
NODE_DEBUG=labo-bridge says on stderr why a tool or a door failed.

Exit code: the command's, or 128 and the number of the signal that ended it. 64: these options are wrong, and nothing was
started. 69: a door, the loopback or a place for the config file can't be had, and nothing was started. 70: the bridge broke,
or a tool ended it, and the command was told to end. 126: the command can't be run. 127: there is no such command.`;

const OPTIONS = /** @type {const} */ ({
  allow: { type: "string", multiple: true },
  door: { type: "string", multiple: true },
  tools: { type: "string" },
  name: { type: "string", default: "labo" },
  workspace: { type: "string", default: "" },
  channel: { type: "string", default: "" },
  audit: { type: "string" },
  for: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
});
const DOOR = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** From the end of an agent's connections to its own, in ms. */
const LEAVING_MS = 100;

const debug = debuglog("labo-bridge");

/** Something of this machine, or of another, that isn't there: exit code 69. */
class Unavailable extends Error {}

const STDERR = openStderr();

// The streams are the child's. A module of tools that writes on stdout must not be read as the agent, nor take its stdin; and a
// stream of Node's on one of them would make the child's own non-blocking.
const own = new Writable({
  decodeStrings: false,
  write(text, _, done) {
    print(STDERR, text);
    done();
  },
});
for (const name of /** @type {const} */ (["stdout", "stderr"])) Object.defineProperty(process, name, { value: own });
Object.defineProperty(process, "stdin", { value: Readable.from([]) });

/** Ends what has been started; before that, the bridge alone. @type {() => void} */
let stop = () => quit(70);
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    say(`a tool broke outside of its call, and the run ends: ${messageOf(error)}`);
    stop();
  });
}
let isQuitting = false;

// Not awaited: Node would warn of it beside the line of a module that never loads.
main().catch((error) => {
  say(messageOf(error));
  quit(codeOf(error));
});

/** Ends the bridge by its own wish: a module may end it too. @param {number} code @returns {never} */
function quit(code) {
  isQuitting = true;
  process.exit(code);
}

/** @param {unknown} error */
function codeOf(error) {
  if (error instanceof UsageError) return 64;
  const isListening = error instanceof Error && "syscall" in error && error.syscall === "listen";
  return error instanceof Unavailable || error instanceof ClosedDoor || isListening ? 69 : 70;
}

async function main() {
  const at = process.argv.indexOf("--", 2);
  const values = readOptions(process.argv.slice(2, at === -1 ? undefined : at));
  if (values.help) {
    print(1, `${HELP}\n`);
    return;
  }
  const [command, ...args] = at === -1 ? [] : process.argv.slice(at + 1);
  const allow = [...new Set(values.allow.flatMap((names) => names.split(",")).map((name) => name.trim()))].filter(
    Boolean,
  );
  const { name, workspace, channel } = values;
  if (allow.length === 0) choose([], allow);
  if (values.door.length === 0 && values.tools === undefined)
    throw new UsageError("Say where tools come from: --door DOOR=URL, or --tools FILE.");
  if (!command)
    throw new UsageError("Say what to run, after --: labo-bridge --allow TOOL --door DOOR=URL -- claude -p …");
  checkNames(name, allow);
  const agent = values.for === undefined ? undefined : AGENTS.get(values.for);
  if (values.for !== undefined && agent === undefined)
    throw new UsageError(`--for ${values.for}: the agents known are ${[...AGENTS.keys()].join(", ")}.`);
  agent?.check?.(args);
  const doors = readDoors(values.door);
  const audit = values.audit === undefined ? undefined : openAudit(values.audit, say);

  // Before a module is loaded: what it sets for itself is no business of the agent's.
  const [inherited, cwd, place] = [environment(), here(), resolve(tmpdir())];
  const codex = values.for === "codex" ? homeOfCodex() : "";
  const onEnded = () => {
    if (isQuitting) return;
    say(`--tools ${values.tools}: this module ends the bridge before the run, or waits for what never comes`);
    quit(64);
  };
  process.once("exit", onEnded);
  const local = values.tools === undefined ? [] : await loadTools(values.tools);
  const tools = gather(local, await Promise.all(doors.map(([door, url]) => openDoor(door, url))));
  const onFault = (/** @type {string | null} */ tool, /** @type {unknown} */ error) => {
    try {
      debug("%s: %o", tool ?? "bridge", error);
    } catch {
      debug("%s: what can't be shown", tool ?? "bridge");
    }
  };
  const bridge = await startBridge({ tools, allow, name, workspace, channel, audit, onFault });

  holdSignals();
  if (inspectorUrl() !== undefined) {
    say("its debugger is closed: the agent could reach the tools by it");
    closeInspector();
  }
  const { folder, config, added, env } = prepare(place, (made) => {
    const config = join(made, "mcp.json");
    const told = { name, url: bridge.url, token: bridge.token, allow, folder: made, config, codex };
    writeConfig(told);
    return { config, ...(agent?.give(told, args) ?? { added: [], env: {} }) };
  });
  const clear = () => remove(folder, config);
  process.once("exit", clear);
  const variables = { LABO_MCP_URL: bridge.url, LABO_MCP_TOKEN: bridge.token, LABO_MCP_CONFIG: config };

  const named = insert(args, added).map((arg) => arg.replaceAll(PLACEHOLDER, () => config));
  // Named only where a module has moved: the child may be where it couldn't go by name.
  const given = { ...(here() !== cwd && { cwd }), env: { ...inherited, ...variables, ...env } };
  const child = startChild(command, named, given, agent?.hidesInterrupt);
  process.off("exit", onEnded);
  const leave = () => {
    child.leave();
    say("a tool or its module has ended the bridge: the agent is told to end");
    // A tool has ended the bridge: whatever code it gave, this is no success of the agent's.
    process.exitCode = 70;
  };
  process.once("exit", leave);
  let broken = false;
  /** @type {NodeJS.Timeout | undefined} */
  let ending;
  stop = () => {
    bridge.close();
    // Its calls are aborted before its end is known: what a tool breaks then changes nothing of how the agent has ended.
    ending ??= setTimeout(() => {
      broken = true;
      child.end();
    }, LEAVING_MS);
  };

  const end = await child.ended;
  clearTimeout(ending);
  stop = () => {};
  await bridge.close();
  process.off("exit", leave);
  process.off("exit", clear);
  clear();
  if (end.error !== undefined)
    say(
      `${command}: ${end.code === 127 ? "there is no such command, or the interpreter that its first line names isn't there" : `it can't be run (${end.error.message})`}`,
    );
  endAs(broken ? { code: 70 } : end);
}

/** @param {string[]} args */
function readOptions(args) {
  try {
    const { allow = [], door = [], ...values } = parseArgs({ args, options: OPTIONS }).values;
    return { allow, door, ...values };
  } catch (error) {
    const { code, message } = /** @type {Error & { code: string }} */ (error);
    const [quoted] = /'.*?'/.exec(message) ?? [""];
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL")
      throw new UsageError(
        `${quoted} stands alone: put -- before the command, and commas between the names of --allow.`,
      );
    if (code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") {
      const option = /--[a-z]+/.exec(quoted)?.[0];
      if (message.includes("does not take")) throw new UsageError(`${option} takes no value. See --help.`);
      const given = message.includes("ambiguous") ? `; one that begins with a dash is written ${option}=-…` : "";
      throw new UsageError(`${option} needs a value${given}. See --help.`);
    }
    throw new UsageError(`${message.split(/\. |\n/)[0]}. See --help.`);
  }
}

/** @param {readonly string[]} given @returns {[name: string, url: string][]} */
function readDoors(given) {
  const doors = given.map((door) => {
    const at = door.indexOf("=");
    const [name, text] = [door.slice(0, Math.max(at, 0)), door.slice(at + 1)];
    // No further: an address may hold a secret.
    const [start] = /^[\w-]*/.exec(door) ?? [];
    if (at === -1)
      throw new UsageError(`--door ${start}: it is a name and an address, such as hockey=http://127.0.0.1:8701/mcp.`);
    if (!DOOR.test(name))
      throw new UsageError(`--door "${start}": a door's name has 1 to 32 letters, digits, _ and -.`);
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new UsageError(`--door ${name}: its address must begin with http:// or https://.`);
    if (url.username !== "" || url.password !== "")
      throw new UsageError(`--door ${name}: an address can't hold a password.`);
    return /** @type {[string, string]} */ ([name, url.href]);
  });
  const twice = doors.find(([name], rank) => doors.findIndex(([one]) => one === name) !== rank);
  if (twice !== undefined) throw new UsageError(`--door ${twice[0]}: this name is given twice.`);
  return doors;
}

/**
 * What an agent's command line lacks, before the `--` that would end its options.
 * @param {string[]} args
 * @param {string[]} added
 */
function insert(args, added) {
  const at = args.includes("--") ? args.indexOf("--") : args.length;
  return args.toSpliced(at, 0, ...added);
}

/** Codex's own home, as Codex finds it. */
function homeOfCodex() {
  try {
    return resolve(process.env.CODEX_HOME || join(homedir(), ".codex"));
  } catch {
    throw new UsageError("--for codex: this user has no home: set CODEX_HOME, or HOME.");
  }
}

/**
 * The descriptor of stderr. Of a pipe, one of its own that doesn't wait: who started the bridge may not read it, and a line that
 * waits would hold the whole run.
 */
function openStderr() {
  try {
    if (fstatSync(2).isFIFO()) return openSync("/proc/self/fd/2", constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // It is closed, or isn't Linux's.
  }
  return 2;
}

/** Where one stands; undefined where there is nothing any more. */
function here() {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * A folder of this run, for its owner alone, and what is written in it; nothing of it stays when that fails.
 * @template T
 * @param {string} place
 * @param {(folder: string) => T} write
 */
function prepare(place, write) {
  let folder = "";
  try {
    folder = mkdtempSync(join(place, "labo-bridge-"));
    return { folder, ...write(folder) };
  } catch (error) {
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
    throw new Unavailable(`the files of the run can't be made: ${/** @type {Error} */ (error).message}`);
  }
}

/** The end of the run's folder, its token first; the agent may have closed it. @param {string} folder @param {string} config */
function remove(folder, config) {
  try {
    rmSync(config, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    say(`${folder} can't be removed: ${messageOf(error)}`);
  }
}

/** What the child inherits: all of it, the loopback kept from proxies, and no debugger of the bridge's. */
function environment() {
  const env = { ...process.env };
  // A program reads one of the two spellings: what stood in either stays.
  const hosts = [env.NO_PROXY, env.no_proxy, "127.0.0.1", "localhost", "::1"].flatMap((list) =>
    (list ?? "").split(","),
  );
  const known = new Set(hosts.map((host) => host.trim()));
  // That one is understood alone.
  env.NO_PROXY = known.has("*") ? "*" : [...known].filter(Boolean).join(",");
  env.no_proxy = env.NO_PROXY;
  const { NODE_OPTIONS: options } = env;
  if (options !== undefined)
    env.NODE_OPTIONS = options.replace(/(^|\s)--inspect(-(port|publish-uid)\s+\S+|\S*)/g, "").trim();
  if (env.NODE_OPTIONS === "") delete env.NODE_OPTIONS;
  return env;
}

/** One line on stderr. @param {string} message */
function say(message) {
  print(STDERR, `labo-bridge: ${message.replace(/\s*\n\s*/g, " ")}\n`);
}

/** @param {number} stream @param {string | Uint8Array} text */
function print(stream, text) {
  try {
    let bytes = Buffer.from(text);
    while (bytes.length > 0) bytes = bytes.subarray(writeSync(stream, bytes));
  } catch {
    // It is closed, or full and the child's to wait for: nothing is left to say it with.
  }
}
