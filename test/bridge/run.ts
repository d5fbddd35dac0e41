// Runs of the bridge, started as a person starts one: the command that package.json names, its child, its end.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { exchange } from "../../scripts/exchange.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const { bin } = JSON.parse(readFileSync(`${ROOT}package.json`, "utf8"));
/** The file that `npx labo-bridge` starts. */
export const BIN = join(ROOT, String(bin?.["labo-bridge"]));
export const TOOLS = join(HERE, "tools.mjs");
export const AGENT = join(HERE, "agent.mjs");
const HOLD = join(HERE, "hold.mjs");
/** How a text that is cut ends, for a RegExp: it says what to do. */
export const CUT = "… \\(La réponse est coupée ici : elle est trop longue\\. Demandes-en moins à la fois\\.\\)";
/** Longer than all that a bridge waits for; nothing is asserted on it. */
const PATIENCE = 30_000;

export interface Ended {
  /** As a shell says it: the exit code, or 128 and the signal's number. */
  status: number;
  stdout: string;
  stderr: string;
}

export interface Started {
  bridge: ChildProcess;
  /** What both streams have said until now. */
  said: { stdout: string; stderr: string };
  /** At its exit, whoever still holds its streams. */
  exited: Promise<number>;
  /** Once its streams are closed too. */
  ended: Promise<Ended>;
}

/** The folder of a test: its temporary files (TMPDIR of all that it starts), the executor's record, the audit. */
export class Place {
  readonly folder = mkdtempSync(join(tmpdir(), "bridge-test-"));
  /** What was started here and may still be running. */
  private readonly started: Started[] = [];

  constructor(readonly tmp = mkdtempSync(join(tmpdir(), "bridge-tmp-"))) {}

  get audit(): string {
    return join(this.folder, "audit.jsonl");
  }

  /** What the executor has entered, in order. */
  get record(): { tool?: string; args?: object; bare?: boolean; workspace?: string; channel?: string }[] {
    return readLines(join(this.folder, "record.jsonl"));
  }

  get audited(): { tool: string; decision: string; args: string[] }[] {
    return readLines(this.audit);
  }

  /** Starts the bridge with these arguments, all of them. */
  start(args: string[], env: Record<string, string> = {}, program = [process.execPath, BIN]): Started {
    const [command, ...first] = program;
    const given = { ...process.env, TMPDIR: this.tmp, RECORD: join(this.folder, "record.jsonl"), ...env };
    const bridge = spawn(command, [...first, ...args], { cwd: this.folder, env: given, stdio: "pipe" });
    const said = { stdout: "", stderr: "" };
    bridge.stdout?.setEncoding("utf8").on("data", (text) => {
      said.stdout += text;
    });
    bridge.stderr?.setEncoding("utf8").on("data", (text) => {
      said.stderr += text;
    });
    // A child that ended doesn't read any more.
    bridge.stdin?.on("error", () => {});
    const exited = once(bridge, "exit").then(([code, signal]) => statusOf(code, signal));
    const ended = once(bridge, "close").then(([code, signal]) => ({ status: statusOf(code, signal), ...said }));
    const started = { bridge, said, exited, ended };
    this.started.push(started);
    return started;
  }

  /** The same until it ends by itself, its stdin being empty. */
  async finish(args: string[], env: Record<string, string> = {}): Promise<Ended> {
    const { bridge, ended } = this.start(args, env);
    bridge.stdin?.end();
    return ended;
  }

  /** A run whose child waits to be told to end. `options`: those before `--`; without `--tools` or `--door`, all of TOOLS'. */
  async hold(options: string[], env: Record<string, string> = {}, extra: string[] = ["{MCP_CONFIG}"]): Promise<Run> {
    const own = options.includes("--tools") || options.includes("--door") ? [] : ["--tools", TOOLS];
    return held(this.start([...own, ...options, "--", process.execPath, HOLD, ...extra], env));
  }

  /** Ends what a failed test has left, and removes the folders. */
  async clear(): Promise<void> {
    for (const { bridge, ended } of this.started) {
      bridge.stdin?.end();
      const late = setTimeout(() => bridge.kill("SIGKILL"), PATIENCE / 2);
      await ended;
      clearTimeout(late);
    }
    for (const folder of [this.folder, this.tmp]) rmSync(folder, { recursive: true, force: true });
  }
}

export interface Run extends Started {
  url: string;
  port: number;
  token: string;
  /** The path of the config file, as the child got it. */
  config: string;
  child: { argv: string[]; env: Record<string, string>; pid: number };
  /** Ends the child, by the end of its stdin. */
  end(): Promise<Ended>;
}

/** A bridge whose child is hold.mjs, once it has spoken. */
export async function held(started: Started): Promise<Run> {
  const { bridge, ended, said } = started;
  const spoken = once(createInterface(bridge.stdout as NodeJS.ReadableStream), "line");
  const first = await Promise.race([spoken, ended.then(() => null)]);
  if (first === null) throw new Error(`the bridge has ended before its child spoke: ${said.stdout}${said.stderr}`);
  const child = JSON.parse(String(first[0]));
  const { LABO_MCP_URL: url, LABO_MCP_TOKEN: token, LABO_MCP_CONFIG: config } = child.env;
  const end = () => {
    bridge.stdin?.end();
    return ended;
  };
  return { ...started, url, port: Number(new URL(url).port), token, config, child, end };
}

function statusOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + constants.signals[signal as NodeJS.Signals];
}

function readLines(file: string) {
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** An answer, its body read as JSON when there is one. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what came back is what a test looks at
  body: any;
}

/** What a request written by hand is made of; what isn't said is as an ordinary client has it. */
export interface Asked {
  method?: string;
  target?: string;
  /** Instead of the ordinary ones, by name in lower case; null: without it. */
  headers?: Record<string, string | null>;
  /** After the others, as they are. */
  more?: string[];
  body?: string | Uint8Array;
  /** Without Content-Length. */
  unframed?: boolean;
}

/** The bytes of a request to a run. */
export function bytesOf({ port, token }: Pick<Run, "port" | "token">, asked: Asked = {}): Buffer {
  const { method = "POST", target = "/mcp", headers = {}, more = [], body = "", unframed = false } = asked;
  const bytes = Buffer.from(body);
  const ordinary: Record<string, string | null> = {
    host: `127.0.0.1:${port}`,
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": unframed ? null : String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(ordinary).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  return Buffer.concat([
    Buffer.from(`${[`${method} ${target} HTTP/1.1`, ...lines, ...more].join("\r\n")}\r\n\r\n`, "latin1"),
    bytes,
  ]);
}

/** Writes bytes to the port of a run; null when the connection ended without an answer. */
export async function send(port: number, bytes: Uint8Array): Promise<(Answer & { raw: string }) | null> {
  const { answer, raw, late } = await exchange(port, bytes, PATIENCE);
  if (late) throw new Error(`the bridge keeps the connection open: ${raw}`);
  return answer === null ? null : { ...answer, body: parse(answer.text), raw };
}

function parse(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The same for one request of an ordinary client, or one that differs from it. */
export async function ask(run: Pick<Run, "port" | "token">, asked: Asked = {}): Promise<Answer & { raw: string }> {
  const answer = await send(run.port, bytesOf(run, asked));
  if (answer === null) throw new Error("the bridge has closed without an answer");
  return answer;
}

/** A JSON-RPC message as text. */
export function rpc(method: string, params?: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

/** A call of a tool by an ordinary client of the legacy era. */
export async function call(run: Pick<Run, "port" | "token">, name: unknown, args: unknown = {}): Promise<Answer> {
  return ask(run, { body: rpc("tools/call", { name, arguments: args }) });
}

/** The error of a tool that isn't for this run. */
export function refusal(name: string, id: unknown = 1) {
  return { jsonrpc: "2.0", id, error: { code: -32601, message: `tool '${name}' is not available to this agent` } };
}
