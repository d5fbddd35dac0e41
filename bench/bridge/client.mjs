// The two bridges that the bench starts, and the one client that calls them: a new TCP connection for each request.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";

/**
 * What each start and each stop took, in ms; whether a connection was refused after the last one.
 * @typedef {{ start: number[], stop: number[], refused: boolean }} Cycle
 */

/**
 * A bridge that listens, in a process of its own.
 * @typedef {object} Lane
 * @property {number} port
 * @property {string} token
 * @property {(count: number, poll?: number) => Promise<Cycle>} cycle starts and stops others; `poll`: Python's, in seconds
 * @property {() => Promise<void>} stop
 */

/**
 * Starts a lane: a program that speaks as lane.mjs and bridge.py do.
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<Lane>} rejects with what the program said when it can't be started
 */
export async function startLane(program, args) {
  const running = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  running.stderr.setEncoding("utf8").on("data", (text) => {
    said += text;
  });
  running.stdin.on("error", () => {});
  const ended = new Promise((resolve, reject) => running.once("error", reject).once("close", resolve));
  const lines = createInterface(running.stdout)[Symbol.asyncIterator]();
  const read = async () => {
    const { done, value } = await Promise.race([lines.next(), ended.then(() => ({ done: true, value: "" }))]);
    if (done) throw new Error(`${[program, ...args].join(" ")} has ended: ${said.trim()}`);
    return JSON.parse(value);
  };
  const { port, token } = await read();
  return {
    port,
    token,
    async cycle(count, poll = 0.01) {
      running.stdin.write(`${JSON.stringify({ count, poll })}\n`);
      const cycle = await read();
      if (!cycle.refused) throw new Error(`${[program, ...args].join(" ")}: a bridge that was stopped still listens`);
      return cycle;
    },
    async stop() {
      running.stdin.end();
      await ended;
    },
  };
}

/**
 * The bytes of a POST.
 * @param {Pick<Lane, "port" | "token">} lane
 * @param {object} message
 */
export function bytesOf({ port, token }, message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

/**
 * Writes a request on a connection of its own, and reads until the bridge closes it.
 * @param {number} port
 * @param {Uint8Array} bytes
 * @returns {Promise<string>} all that was answered
 */
export async function post(port, bytes) {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.write(bytes);
  let answer = "";
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text;
  });
  await once(socket, "end");
  socket.destroy();
  return answer;
}

const CALLED = { method: "tools/call", params: { name: "memory_search", arguments: { query: "chalet" } } };

/** What is asked, each a list of requests that are timed together, and what the last answer must hold. */
export const ASKED = {
  handshake: {
    messages: [
      {
        ...{ id: 0, method: "initialize" },
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
      },
      { method: "notifications/initialized" },
      { id: 1, method: "tools/list" },
    ],
    expected: '"inputSchema"',
  },
  allowed: { messages: [{ id: 2, ...CALLED }], expected: "Le chalet est loué" },
  refused: {
    messages: [{ id: 2, ...CALLED, params: { name: "execute_command", arguments: { cmd: "ls" } } }],
    expected: "tool 'execute_command' is not available to this agent",
  },
  wrong: { messages: [{ id: 2, ...CALLED }], expected: " 401 ", token: "0".repeat(64) },
};

/**
 * Asks one of `ASKED` many times, one after the other.
 * @param {Lane} lane
 * @param {keyof typeof ASKED} what
 * @param {number} count
 * @returns {Promise<number[]>} what each took, in ms
 */
export async function measure(lane, what, count) {
  const {
    messages,
    expected,
    token = lane.token,
  } = /** @type {{ messages: object[], expected: string, token?: string }} */ (ASKED[what]);
  const requests = messages.map((message) => bytesOf({ port: lane.port, token }, message));
  const samples = [];
  for (let rank = 0; rank < count; rank++) {
    const since = performance.now();
    let answer = "";
    for (const bytes of requests) answer = await post(lane.port, bytes);
    samples.push(performance.now() - since);
    if (!answer.includes(expected)) throw new Error(`${what} is answered: ${answer}`);
  }
  return samples;
}
