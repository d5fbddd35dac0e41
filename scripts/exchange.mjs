// One connection to a door, its bytes written by hand: what no HTTP client would send.
import { connect } from "node:net";

/**
 * What came back: the first answer, or null when the connection ended without one; all the bytes; whether they were
 * waited for in vain; how long it all took, in ms.
 * @typedef {{ answer: import("./verdict.mjs").Answer | null, raw: string, late: boolean, ms: number }} Exchanged
 */

/**
 * Writes bytes to a port of the loopback and reads until the other side closes.
 * @param {number} port
 * @param {Uint8Array} bytes
 * @param {number} patience in ms
 * @param {boolean} [half] whether our own side closes first, once all is written
 * @returns {Promise<Exchanged>} never rejects: a connection that is reset has no answer
 */
export function exchange(port, bytes, patience, half = false) {
  const since = performance.now();
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const read = [];
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const end = (late = false) => {
      clearTimeout(timer);
      socket.destroy();
      const raw = Buffer.concat(read).toString();
      resolve({ answer: parseAnswer(raw), raw, late, ms: performance.now() - since });
    };
    const timer = setTimeout(end, patience, true);
    socket.on("data", (data) => read.push(data));
    socket.once("error", () => end());
    socket.once("end", () => end());
    socket.write(bytes);
    if (half) socket.end();
  });
}

/**
 * The first answer that isn't a word on the way to one, such as 100 Continue.
 * @param {string} raw
 * @returns {import("./verdict.mjs").Answer | null}
 */
function parseAnswer(raw) {
  const [, line, ...lines] = /^HTTP\/1\.\d (\d{3})[^\r]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(raw) ?? [];
  if (line === undefined) return null;
  const [head] = /** @type {RegExpExecArray} */ (/^.*?\r\n\r\n/s.exec(raw));
  const rest = raw.slice(head.length);
  if (line.startsWith("1")) return parseAnswer(rest);
  const headers = Object.fromEntries(
    lines[0]
      .trimEnd()
      .split("\r\n")
      .map((one) => [one.slice(0, one.indexOf(":")).toLowerCase(), one.slice(one.indexOf(":") + 1).trim()]),
  );
  const length = Number(headers["content-length"] ?? Number.NaN);
  // What follows a 204 is the answer to another request.
  if (line === "204") return { status: 204, headers, text: "" };
  const text = Number.isNaN(length) ? rest : Buffer.from(rest).subarray(0, length).toString();
  return { status: Number(line), headers, text };
}

/**
 * A request as bytes; the door closes after its answer.
 * @param {{ method: string, target: string, headers: [name: string, value: string][], body: Uint8Array,
 *   pieces: number[] | null }} request `pieces`: the lengths of the chunks it is sent in, the last one taking what is
 *   left; null: with a Content-Length
 */
export function write({ method, target, headers, body, pieces }) {
  const framing = pieces === null ? ["Content-Length", String(body.length)] : ["Transfer-Encoding", "chunked"];
  const lines = [...headers, framing, ["Connection", "close"]].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  if (pieces === null) return Buffer.concat([head, body]);
  /** @type {Uint8Array[]} */
  const parts = [head];
  let at = 0;
  for (const length of [...pieces, body.length]) {
    const piece = body.subarray(at, at + length);
    if (piece.length > 0) parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += length;
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}
