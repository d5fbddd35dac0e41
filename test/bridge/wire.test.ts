// What a client may write on the wire, byte by byte: the cases of BRIDGE.md 4.3 and of HOSTILE.md, part C, one by one.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isListening } from "../processes.ts";
import { type Answer, type Asked, ask, bytesOf, CUT, call, Place, type Run, refusal, rpc, send } from "./run.ts";

const MODERN = "2026-07-28";
const KEYS = "io.modelcontextprotocol/";

const ALLOWED = [
  ...["memory_search", "picture", "large", "volumes", "crumbs", "page", "link", "broken", "silent"],
  ...["odd_text", "odd_block", "part_odd", "odd_structure", "no_structure", "thorny"],
];

let place: Place;
let run: Run;
beforeAll(async () => {
  place = new Place();
  run = await place.hold(["--allow", ALLOWED.join(","), "--workspace", "ws-personal", "--channel", "telegram"]);
});
afterAll(() => place.clear());

/** How often the executor was entered during a test. */
let before = 0;
beforeEach(() => {
  before = place.record.length;
});
const entered = () => place.record.slice(before);

const LIST = rpc("tools/list");
const SEARCH = rpc("tools/call", { name: "memory_search", arguments: { query: "chalet" } });
const FOUND = "Le chalet est loué du 3 au 10 août.";

/** What every answer has, whatever it answers. */
function expectBare({ headers }: Answer): void {
  expect(headers.connection).toBe("close");
  // No browser has business here, no client keeps a session, nothing says what runs this.
  for (const name of Object.keys(headers)) expect(name).not.toMatch(/^(access-control-.*|mcp-session-id|set-cookie)$/);
  expect(headers).not.toHaveProperty("x-powered-by");
}

/** What a case gets: the status, then the JSON-RPC code, or the word of the body, or nothing. */
function outcomeOf(answer: Answer): string {
  const { status, text, body } = answer;
  if (text === "") return `${status} -`;
  if (body?.result !== undefined) return `${status} result`;
  if (body?.error?.code !== undefined) return `${status} ${body.error.code}`;
  return `${status} ${body?.error}`;
}

describe("who may speak", () => {
  it.each<[string, Asked, string]>([
    ["no Authorization", { headers: { authorization: null } }, "401 unauthorized"],
    ["an empty one", { headers: { authorization: "" } }, "401 unauthorized"],
    ["a bearer of zeros", { headers: { authorization: `Bearer ${"0".repeat(64)}` } }, "401 unauthorized"],
    ["Basic", { headers: { authorization: "Basic eDp5" } }, "401 unauthorized"],
    ["a bearer without its token", { headers: { authorization: "Bearer" } }, "401 unauthorized"],
    ["a token that isn't hexadecimal", { headers: { authorization: `Bearer ${"z".repeat(64)}` } }, "401 unauthorized"],
    ["a cookie", { headers: { authorization: null, cookie: "token=x" } }, "401 unauthorized"],
    ["GET without a token", { method: "GET", headers: { authorization: null } }, "401 unauthorized"],
  ])("refuses %s", async (_, asked, outcome) => {
    const answer = await ask(run, { body: SEARCH, ...asked });
    expect(outcomeOf(answer)).toBe(outcome);
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it.each<[string, (token: string) => string]>([
    ["63 of its characters", (token) => `Bearer ${token.slice(1)}`],
    ["65 characters", (token) => `Bearer ${token}0`],
    ["its capitals", (token) => `Bearer ${token.toUpperCase().replace(/^[0-9]+$/, "A")}`],
    ["another first character", (token) => `Bearer ${token.startsWith("a") ? "b" : "a"}${token.slice(1)}`],
    ["another last character", (token) => `Bearer ${token.slice(0, -1)}${token.endsWith("a") ? "b" : "a"}`],
    ["no space", (token) => `Bearer${token}`],
    ["the token alone", (token) => token],
    ["another word after it", (token) => `Bearer ${token} x`],
    ["itself twice", (token) => `Bearer ${token}, Bearer ${token}`],
  ])("refuses the token with %s", async (_, write) => {
    const answer = await ask(run, { body: SEARCH, headers: { authorization: write(run.token) } });
    expect(outcomeOf(answer)).toBe("401 unauthorized");
    expect(entered()).toEqual([]);
  });

  it.each([
    ["bearer", "bearer TOKEN"],
    ["BEARER and spaces", "BEARER   TOKEN  "],
  ])("takes the scheme as %s", async (_, value) => {
    const answer = await ask(run, { body: SEARCH, headers: { authorization: value.replace("TOKEN", run.token) } });
    expect(outcomeOf(answer)).toBe("200 result");
  });

  it("takes headers in any case", async () => {
    const headers = { authorization: null, "content-type": null };
    const more = [`AUTHORIZATION: Bearer ${run.token}`, "cOnTeNt-TyPe: application/json"];
    expect(outcomeOf(await ask(run, { headers, more, body: SEARCH }))).toBe("200 result");
  });

  it.each(["before", "after"])("refuses a second Authorization %s the right one", async (where) => {
    const [right, wrong] = [`Authorization: Bearer ${run.token}`, `Authorization: Bearer ${"0".repeat(64)}`];
    const more = where === "before" ? [wrong, right] : [right, wrong];
    expect(outcomeOf(await ask(run, { headers: { authorization: null }, more, body: SEARCH }))).toBe(
      "401 unauthorized",
    );
    expect(entered()).toEqual([]);
  });

  it("refuses the right Authorization twice", async () => {
    const answer = await ask(run, { more: [`Authorization: Bearer ${run.token}`], body: SEARCH });
    expect(outcomeOf(answer)).toBe("401 unauthorized");
  });

  it("doesn't look for the token in the address", async () => {
    const answer = await ask(run, {
      target: `/mcp?access_token=${run.token}`,
      headers: { authorization: null },
      body: SEARCH,
    });
    expect(outcomeOf(answer)).toBe("404 not_found");
  });

  it("refuses the token of another run, and that run this one's", async () => {
    const other = await place.hold(["--allow", "memory_search"]);
    expect(other.token).not.toBe(run.token);
    expect(outcomeOf(await ask({ ...run, token: other.token }, { body: SEARCH }))).toBe("401 unauthorized");
    expect(outcomeOf(await ask({ ...other, token: run.token }, { body: SEARCH }))).toBe("401 unauthorized");
    expect(outcomeOf(await ask(other, { body: LIST }))).toBe("200 result");
    await other.end();
    expect(outcomeOf(await ask(run, { body: LIST }))).toBe("200 result");
  });

  it("answers 431 to a header of 9 kB, and to one of a megabyte", async () => {
    for (const size of [9_000, 1_000_000]) {
      const answer = await send(run.port, bytesOf(run, { headers: { authorization: `Bearer ${"a".repeat(size)}` } }));
      // A connection that is reset while it still writes may lose its answer.
      if (size === 9_000 || answer !== null) expect(answer?.status).toBe(431);
    }
    expect(outcomeOf(await ask(run, { body: LIST }))).toBe("200 result");
  });
});

describe("from where", () => {
  it.each<[string, Asked]>([
    ["a Host of elsewhere", { headers: { host: "evil.test" } }],
    ["a Host of elsewhere with our port", { headers: { host: "evil.test:PORT" } }],
    ["127.0.0.1 without its port", { headers: { host: "127.0.0.1" } }],
    ["127.0.0.1 on another port", { headers: { host: "127.0.0.1:1" } }],
    ["a name that ends as ours", { headers: { host: "evil.127.0.0.1:PORT" } }],
    ["a name that begins as ours", { headers: { host: "localhost.evil.test:PORT" } }],
    ["another address of the loopback", { headers: { host: "127.0.0.2:PORT" } }],
    ["every address", { headers: { host: "0.0.0.0:PORT" } }],
    ["an empty Host", { headers: { host: "" } }],
    ["two Hosts, ours first", { more: ["Host: evil.test"] }],
    ["two Hosts, ours last", { headers: { host: null }, more: ["Host: evil.test", "Host: 127.0.0.1:PORT"] }],
    ["the same Host twice", { more: ["Host: 127.0.0.1:PORT"] }],
    ["an Origin", { headers: { origin: "https://evil.test" } }],
    ["a null Origin", { headers: { origin: "null" } }],
    ["an Origin of the loopback", { headers: { origin: "http://127.0.0.1:PORT" } }],
    [
      "a preflight",
      { method: "OPTIONS", headers: { origin: "https://evil.test", "access-control-request-method": "POST" } },
    ],
    ["an Origin without a token", { headers: { origin: "https://evil.test", authorization: null } }],
  ])("refuses %s", async (_, asked) => {
    const text = JSON.stringify({ body: SEARCH, ...asked }).replaceAll(":PORT", `:${run.port}`);
    const answer = await ask(run, JSON.parse(text));
    expect(answer.status).toBe(403);
    expect(answer.text).toBe('{"error":"forbidden"}');
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it("serves localhost too", async () => {
    const answer = await ask(run, { headers: { host: `localhost:${run.port}` }, body: SEARCH });
    expect(outcomeOf(answer)).toBe("200 result");
  });

  it("refuses a request without a Host", async () => {
    const answer = await ask(run, { headers: { host: null }, body: SEARCH });
    expect([400, 403]).toContain(answer.status);
    expect(entered()).toEqual([]);
  });

  it("listens on 127.0.0.1 alone", async ({ skip }) => {
    const own = Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
    // All of 127.0.0.0/8 is this machine to Linux, even where there is no network.
    const others = [...(process.platform === "linux" ? ["127.0.0.2"] : []), ...own].filter(
      (one) => one !== "127.0.0.1" && !one.startsWith("fe80"),
    );
    if (others.length === 0) skip("listens on 127.0.0.1 alone: this machine has no other address to try");
    for (const address of others) {
      const socket = connect({ port: run.port, host: address });
      const heard = await new Promise((resolve) => {
        socket.once("connect", () => resolve("connected")).once("error", () => resolve("refused"));
      });
      socket.destroy();
      expect(`${address} ${heard}`).toBe(`${address} refused`);
    }
  });
});

describe("where and how", () => {
  it.each([
    ...["/", "/mcp/", "//mcp", "/MCP", "/%6dcp", "/mcp;x", "/mcp?", "/mcp?x=1", "/mcp?workspace=ws-client", "/mcp/.."],
    ...["/../mcp", "/mcp#x", "/.well-known/oauth-protected-resource", "/register", "*", "http://127.0.0.1:PORT/mcp"],
  ])("has nothing at %s", async (target) => {
    const answer = await ask(run, { target: target.replace("PORT", String(run.port)), body: SEARCH });
    expect(outcomeOf(answer)).toBe("404 not_found");
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it.each(["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])(
    "answers 405 to %s",
    async (method) => {
      const answer = await ask(run, { method, headers: { "x-http-method-override": "POST" } });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("POST");
      expectBare(answer);
      if (method === "HEAD") expect(answer.text).toBe("");
    },
  );

  it("answers 405 to a WebSocket, and closes", async () => {
    const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const answer = await ask(run, {
      method: "GET",
      headers: { ...headers, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" },
    });
    expect(answer.status).toBe(405);
    expectBare(answer);
  });

  it.each([
    ["text/plain", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["none", null],
    ["JSON by its ending alone", "application/jsonp"],
    ["another charset", "application/json; charset=utf-16"],
  ])("answers 415 to a Content-Type of %s", async (_, type) => {
    const answer = await ask(run, { headers: { "content-type": type }, body: SEARCH });
    expect(answer.status).toBe(415);
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it.each(["application/json;charset=UTF-8", "APPLICATION/JSON", "application/json ; charset=utf-8"])(
    "takes %s",
    async (type) => {
      expect(outcomeOf(await ask(run, { headers: { "content-type": type }, body: SEARCH }))).toBe("200 result");
    },
  );

  it("answers 415 to a body that is compressed", async () => {
    expect((await ask(run, { headers: { "content-encoding": "gzip" }, body: SEARCH })).status).toBe(415);
  });

  it.each([
    ...[null, "", "*/*", "application/*", "application/json", "APPLICATION/JSON", "application/json;q=0.001"],
    ...["text/event-stream, application/json", "text/html;q=0.9, application/*;q=0.5", "text/html,*/*;q=0.1"],
    ...["application/json, */*;q=0", "application/json, application/*;q=0", "application/*, */*;q=0"],
  ])("takes Accept: %s", async (accept) => {
    expect(outcomeOf(await ask(run, { headers: { accept }, body: SEARCH }))).toBe("200 result");
  });

  it.each([
    ...["text/event-stream", "text/html, text/*", "application/xml", "application/jsonp", "application/json;q=0"],
    ...["application/json; q=0.000", "application/json ; charset=utf-8 ; Q = 0", "application/*;q=0", "*/*;q=0"],
    ...["*/*, application/json;q=0", "application/*, application/json;q=0", "*/*, application/*;q=0"],
  ])("answers 406 to Accept: %s", async (accept) => {
    const answer = await ask(run, { headers: { accept }, body: SEARCH });
    expect(outcomeOf(answer)).toBe("406 -32600");
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it.each<[string, Asked]>([
    ["a result", { body: LIST }],
    ["an error", { body: rpc("resources/list") }],
    ["a refusal", { headers: { authorization: null } }],
  ])("answers %s in JSON, with its length, and lets nobody keep it or read it as something else", async (_, asked) => {
    const { headers, text } = await ask(run, asked);
    expect(headers["content-type"]).toMatch(/^application\/json\b/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-length"]).toBe(String(Buffer.byteLength(text)));
    expect(headers["cache-control"]).toBe("no-store");
  });
});

describe("framing", () => {
  /** The head of an ordinary request less what a case says itself. */
  const head = () => `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${run.port}\r\nAuthorization: Bearer ${run.token}\r\n`;
  const typed = () => `${head()}Content-Type: application/json\r\n`;
  const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  it.each<[string, () => string, number]>([
    [
      "Content-Length and Transfer-Encoding",
      () => `${typed()}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SEARCH)}`,
      400,
    ],
    [
      "two Content-Lengths",
      () => `${typed()}Content-Length: 1\r\nContent-Length: ${SEARCH.length}\r\n\r\n${SEARCH}`,
      400,
    ],
    [
      "bare line feeds",
      () => `${typed()}Content-Length: ${SEARCH.length}\r\n\r\n${SEARCH}`.replaceAll("\r\n", "\n"),
      400,
    ],
    ["a folded header", () => `${typed()}X-Long: a\r\n b\r\nContent-Length: ${SEARCH.length}\r\n\r\n${SEARCH}`, 400],
    [
      "a header with a space before its colon",
      () => `${typed()}Content-Length : ${SEARCH.length}\r\n\r\n${SEARCH}`,
      400,
    ],
    ["a negative Content-Length", () => `${typed()}Content-Length: -1\r\n\r\n`, 400],
    ["a chunk whose length isn't one", () => `${typed()}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ["an unknown Transfer-Encoding", () => `${typed()}Transfer-Encoding: xchunked\r\n\r\n${chunked(SEARCH)}`, 400],
    ["a NUL in a header", () => `${typed()}X: a\0b\r\nContent-Length: ${SEARCH.length}\r\n\r\n${SEARCH}`, 400],
    ["the preface of HTTP/2", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["nonsense", () => "bonjour\r\n\r\n", 400],
  ])("refuses %s, and executes nothing", async (_, write, status) => {
    const answer = await send(run.port, Buffer.from(write(), "latin1"));
    expect(answer?.status).toBe(status);
    expect(answer?.raw.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(entered()).toEqual([]);
  });

  it("refuses the hello of TLS", async () => {
    const hello = Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), Buffer.alloc(512, 7)]);
    const answer = await send(run.port, hello);
    expect(answer?.status).toBe(400);
  });

  it("closes on CONNECT, and opens no tunnel", async () => {
    const answer = await send(
      run.port,
      Buffer.from(`CONNECT 127.0.0.1:${run.port} HTTP/1.1\r\nHost: 127.0.0.1:${run.port}\r\n\r\n`),
    );
    expect(answer?.status ?? 0).not.toBe(200);
  });

  it("takes a body in chunks", async () => {
    const answer = await send(run.port, Buffer.from(`${typed()}Transfer-Encoding: chunked\r\n\r\n${chunked(SEARCH)}`));
    expect(answer?.body.result.content[0].text).toBe(FOUND);
  });

  it("says 100 to who waits for it, then answers", async () => {
    const answer = await ask(run, { headers: { expect: "100-continue" }, body: SEARCH });
    expect(answer.raw).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(outcomeOf(answer)).toBe("200 result");
  });

  it("answers 417 to another expectation", async () => {
    const answer = await ask(run, { headers: { expect: "junk" }, body: SEARCH });
    expect(outcomeOf(answer)).toBe("417 -");
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it("closes after one answer, whatever the client would rather", async () => {
    const answer = await ask(run, { headers: { connection: "keep-alive", "keep-alive": "timeout=60" }, body: LIST });
    expect(answer.headers.connection).toBe("close");
    expect(answer.headers).not.toHaveProperty("keep-alive");
  });

  it("executes one call of a connection, even when others are pipelined behind it", async () => {
    const one = bytesOf(run, { body: SEARCH, headers: { connection: "keep-alive" } });
    const answer = await send(run.port, Buffer.concat([one, one, one]));
    expect(answer?.body.result.content[0].text).toBe(FOUND);
    expect(answer?.raw.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    // What comes next on a connection of its own shows that the others weren't only late.
    await ask(run, { body: LIST });
    expect(entered()).toHaveLength(1);
  });

  it.each<[string, Asked, number]>([
    ["a refusal", { body: SEARCH, headers: { authorization: "Bearer x", connection: "keep-alive" } }, 401],
    ["a notification", { body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' }, 202],
    ["an expectation that isn't met", { body: SEARCH, headers: { expect: "junk" } }, 417],
  ])("executes nothing of what is pipelined behind %s", async (_, asked, status) => {
    const answer = await send(run.port, Buffer.concat([bytesOf(run, asked), bytesOf(run, { body: SEARCH })]));
    expect(answer?.status).toBe(status);
    expect(answer?.raw.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    await ask(run, { body: LIST });
    expect(entered()).toEqual([]);
  });

  it.each<[string, Asked["headers"], string]>([
    ["nonsense", {}, "bonjour\r\n\r\n"],
    ["a request that can't be read", {}, "POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n"],
    ["a byte more than it said was all", { connection: "close" }, "x"],
  ])("answers a call that has %s behind it", async (_, headers, behind) => {
    const answer = await send(run.port, Buffer.concat([bytesOf(run, { headers, body: SEARCH }), Buffer.from(behind)]));
    expect(answer?.status).toBe(200);
    expect(answer?.body.result.content[0].text).toBe(FOUND);
    expect(answer?.raw.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(entered()).toHaveLength(1);
  });
});

describe("too much", () => {
  const HUGE = 300_000;

  it("answers 413 to a length of 300 kB without reading it", async () => {
    const answer = await ask(run, { headers: { "content-length": String(HUGE) } });
    expect(outcomeOf(answer)).toBe("413 -32600");
    expectBare(answer);
  });

  it("answers 413 to 300 kB in chunks", async () => {
    const piece = `4000\r\n${" ".repeat(0x4000)}\r\n`;
    const head = bytesOf(run, { unframed: true, more: ["Transfer-Encoding: chunked"] });
    const answer = await send(run.port, Buffer.concat([head, Buffer.from(piece.repeat(20))]));
    expect(answer && outcomeOf(answer)).toBe("413 -32600");
    expect(outcomeOf(await ask(run, { body: LIST }))).toBe("200 result");
  });

  // Once more: what it hears must come within the second that it waits, and a machine may stand still for longer.
  it("hears out a client that it has refused, and closes as soon as it has", { retry: 2 }, async () => {
    const [silent, socket] = [await open(run.port), await open(run.port)];
    const refused = bytesOf(run, { headers: { "content-length": String(HUGE) } });
    const happened: string[] = [];
    silent.once("close", () => happened.push("a silent one is closed"));
    socket.once("data", (data) => happened.push(String(data).slice(0, 12)));
    socket.once("end", () => happened.push("end")).once("error", ({ message }) => happened.push(message));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    silent.write(refused);
    await once(silent, "data");
    socket.write(refused);
    await Promise.race([once(socket, "data"), closed]);
    const piece = " ".repeat(HUGE / 20);
    for (let sent = 0; sent < HUGE; sent += piece.length) await new Promise((done) => socket.write(piece, done));
    happened.push("heard out");
    await closed;
    expect(happened).toEqual(["HTTP/1.1 413", "heard out", "end"]);
    silent.destroy();
  });

  it("takes 256 KiB, and not a byte more", async () => {
    const room = 262_144 - SEARCH.length;
    expect(outcomeOf(await ask(run, { body: SEARCH + " ".repeat(room) }))).toBe("200 result");
    expect(outcomeOf(await ask(run, { body: SEARCH + " ".repeat(room + 1) }))).toBe("413 -32600");
  });

  it.each([
    ["100,000 brackets", "[".repeat(100_000)],
    ["an empty body", ""],
    ["spaces", "  "],
    ["half a message", '{"jsonrpc":"2.0"'],
    ["two messages", `${LIST}${LIST}`],
    ["a trailing comma", '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
  ])("can't parse %s", async (_, body) => {
    expect(outcomeOf(await ask(run, { body }))).toBe("400 -32700");
  });

  it("cuts a text at 200,000 characters and says so", async () => {
    const { status, body } = await call(run, "large");
    expect(status).toBe(200);
    const [{ text }] = body.result.content;
    expect(text).toMatch(new RegExp(`^é+${CUT}$`));
    expect(text.length).toBeGreaterThan(199_900);
    expect(text.length).toBeLessThanOrEqual(200_100);
  });

  it("drops what is over 64 connections, closes those that say nothing, and serves again", async () => {
    const sockets = await Promise.all(Array.from({ length: 200 }, () => open(run.port)));
    const closed = () => sockets.filter((socket) => socket.closed).length;
    await vi.waitFor(() => expect(closed()).toBeGreaterThanOrEqual(136), { timeout: 20_000, interval: 50 });
    // Those that were let in are still silent: the bridge gets rid of them by itself.
    await vi.waitFor(async () => expect((await ask(run, { body: LIST })).status).toBe(200), {
      timeout: 40_000,
      interval: 250,
    });
    for (const socket of sockets) socket.destroy();
  });

  it("drops a sixty-fifth connection while sixty-four wait for their answers, and no later one", async () => {
    const busy = await place.hold(["--allow", "hang,memory_search"]);
    const hanging = await Promise.all(Array.from({ length: 64 }, () => open(busy.port)));
    for (const socket of hanging) socket.write(bytesOf(busy, { body: rpc("tools/call", { name: "hang" }) }));
    await vi.waitFor(() => expect(entered()).toHaveLength(64), { timeout: 20_000 });
    expect(await send(busy.port, bytesOf(busy, { body: LIST }))).toBeNull();
    hanging[0].destroy();
    // The work of a client that has left is given up.
    await vi.waitFor(() => expect(entered()).toContainEqual({ aborted: "hang" }), { timeout: 20_000 });
    expect(outcomeOf(await ask(busy, { body: LIST }))).toBe("200 result");
    await busy.end();
    expect(entered()).toHaveLength(128);
  });

  it("closes by itself on a client that stops in the middle, or sends a byte at a time", {
    timeout: 90_000,
  }, async () => {
    const stopped = {
      "half a request line": Buffer.from("POST /mcp HT"),
      "half of the headers": Buffer.from(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${run.port}\r\n`),
      "the headers without the body": bytesOf(run, { headers: { "content-length": "100" } }),
      "half of the body": bytesOf(run, { headers: { "content-length": "100" }, body: '{"jsonrpc"' }),
      "a body that is refused": bytesOf(run, { headers: { "content-length": String(HUGE) } }),
    };
    const slow = await open(run.port);
    slow.write(bytesOf(run, { headers: { "content-length": "1000" } }));
    const drip = setInterval(() => slow.write(" "), 200);
    const closed: string[] = [];
    const answers = Object.entries(stopped).map(async ([what, bytes]) => {
      // It throws if the connection is still open when it loses patience.
      const answer = await send(run.port, bytes);
      closed.push(what);
      if (answer !== null) expectBare(answer);
      return `${what}: ${answer && outcomeOf(answer)}`;
    });
    expect(await Promise.all(answers)).toEqual([
      "half a request line: 408 -",
      "half of the headers: 408 -",
      "the headers without the body: 408 -",
      "half of the body: 408 -",
      "a body that is refused: 413 -32600",
    ]);
    // Who has its answer is waited for less than who has none.
    expect(closed[0]).toBe("a body that is refused");
    await vi.waitFor(() => expect(slow.closed).toBe(true), { timeout: 40_000, interval: 100 });
    clearInterval(drip);
    expect(entered()).toEqual([]);
  });

  async function open(port: number): Promise<Socket> {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("error", () => {}).resume();
    await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve));
    return socket;
  }
});

describe("messages", () => {
  it.each([
    ["without an id", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"memory_search"}}'],
    ["with a null id", '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"memory_search"}}'],
    [
      "that is a notification with an id",
      '{"jsonrpc":"2.0","id":9,"method":"notifications/tools/call","params":{"name":"memory_search"}}',
    ],
    ["initialized", '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ["initialized with an id", '{"jsonrpc":"2.0","id":0,"method":"notifications/initialized"}'],
    ["cancelled", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'],
    ["unheard of", '{"jsonrpc":"2.0","method":"notifications/bonjour"}'],
    ["posted as a response", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["posted as an error", '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"non"}}'],
  ])("answers 202 and nothing else to one %s, and executes nothing", async (_, body) => {
    const answer = await ask(run, { body });
    expect(outcomeOf(answer)).toBe("202 -");
    expect(answer.headers["content-length"] ?? "0").toBe("0");
    expect(answer.headers).not.toHaveProperty("content-type");
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it.each([
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}', "400 -32600"],
    ["an id that is an array", '{"jsonrpc":"2.0","id":[],"method":"ping"}', "400 -32600"],
    ["an id that is true", '{"jsonrpc":"2.0","id":true,"method":"ping"}', "400 -32600"],
    ["an infinite id", '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', "400 -32600"],
    ["half an id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', "400 -32600"],
    ["an id that a double can't hold", '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', "400 -32600"],
    ["neither a method nor a result", '{"jsonrpc":"2.0","id":1}', "400 -32600"],
    ["a batch", `[${LIST}]`, "400 -32600"],
    ["a batch of calls", `[${SEARCH},${SEARCH}]`, "400 -32600"],
    ["an empty batch", "[]", "400 -32600"],
    ["a number", "5", "400 -32600"],
    ["null", "null", "400 -32600"],
    ["a text", '"ping"', "400 -32600"],
    ["no version of JSON-RPC", '{"id":1,"method":"ping"}', "400 -32600"],
    ["another version of JSON-RPC", '{"jsonrpc":"1.0","id":1,"method":"ping"}', "400 -32600"],
    ["a method that isn't a text", '{"jsonrpc":"2.0","id":1,"method":5}', "400 -32600"],
    [
      "params that are an array",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["memory_search"]}',
      "400 -32600",
    ],
    ["ping", '{"jsonrpc":"2.0","id":1,"method":"ping"}', "200 result"],
    ["a byte order mark", `\uFEFF${LIST}`, "200 result"],
    ["resources/list", rpc("resources/list"), "200 -32601"],
    ["prompts/list", rpc("prompts/list"), "200 -32601"],
    ["a method named as a prototype", rpc("__proto__"), "200 -32601"],
    ["a bare server/discover", rpc("server/discover"), "200 -32601"],
    ["a cursor of nowhere", rpc("tools/list", { cursor: "x" }), "200 -32602"],
    ["arguments that are an array", rpc("tools/call", { name: "memory_search", arguments: [] }), "200 -32602"],
    ["arguments that are a text", rpc("tools/call", { name: "memory_search", arguments: "{}" }), "200 -32602"],
  ])("answers %s as it should", async (_, body, outcome) => {
    const answer = await ask(run, { body });
    expect(outcomeOf(answer)).toBe(outcome);
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it("can't parse what isn't UTF-8", async () => {
    const body = Buffer.from(SEARCH.replace("chalet", "chal\xFFet"), "latin1");
    expect(outcomeOf(await ask(run, { body }))).toBe("400 -32700");
    expect(outcomeOf(await ask(run, { body: Buffer.from(SEARCH, "utf16le") }))).toBe("400 -32700");
    expect(entered()).toEqual([]);
  });

  it.each([0, "", "x", -1, 9_007_199_254_740_991, "é".repeat(256)])("echoes the id %j as it is", async (id) => {
    const { body } = await ask(run, { body: rpc("ping", undefined, id) });
    expect(body).toEqual({ jsonrpc: "2.0", id, result: {} });
  });

  it("refuses an id of 257 characters, and doesn't echo it", async () => {
    const answer = await ask(run, { body: rpc("tools/call", { name: "memory_search" }, "é".repeat(257)) });
    expect(outcomeOf(answer)).toBe("400 -32600");
    expect(answer.body).not.toHaveProperty("id");
    expect(entered()).toEqual([]);
  });

  it.each(["result", "error"])("refuses a response (%s) in the modern era, which has none", async (member) => {
    const headers = { "mcp-protocol-version": MODERN };
    const answer = await ask(run, { headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, [member]: {} }) });
    expect(outcomeOf(answer)).toBe("400 -32600");
    expect(answer.body.id).toBe(1);
    expectBare(answer);
  });

  it.each([
    ["a notification", '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
    ["a response", '{"jsonrpc":"2.0","id":1,"result":{}}'],
  ])("refuses %s of a version that it doesn't speak", async (_, body) => {
    const headers = (version: string) => ({ "mcp-protocol-version": version });
    const answer = await ask(run, { headers: headers("2099-01-01"), body });
    expect(outcomeOf(answer)).toBe("400 -32022");
    expect(answer.body.error.data).toEqual({ supported: [MODERN], requested: "2099-01-01" });
    expectBare(answer);
    expect(outcomeOf(await ask(run, { headers: headers("2024-11-05"), body }))).toBe("202 -");
  });

  it("takes the last of two keys that are the same", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"memory_search","name":"delete_file"}}`;
    expect((await ask(run, { body })).body).toEqual(refusal("delete_file"));
    expect(entered()).toEqual([]);
  });
});

describe("the legacy era", () => {
  it.each([
    ["2025-11-25", "2025-11-25"],
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", "2025-03-26"],
    ["2024-11-05", "2024-11-05"],
    ["2099-01-01", "2025-11-25"],
    [MODERN, "2025-11-25"],
  ])("opens at %s as %s", async (asked, answered) => {
    const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: "essai", version: "1" } };
    const { status, body } = await ask(run, { body: rpc("initialize", params, 0) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: "2.0", id: 0, result: { protocolVersion: answered } });
    expect(body.result.capabilities).toEqual({ tools: expect.anything() });
    expect(body.result.capabilities.tools).not.toHaveProperty("listChanged", true);
    expect(body.result.serverInfo).toMatchObject({ name: "labo", version: expect.any(String) });
  });

  it.each([undefined, 5])("needs a version to open: %s isn't one", async (protocolVersion) => {
    expect(outcomeOf(await ask(run, { body: rpc("initialize", { protocolVersion }) }))).toBe("200 -32602");
  });

  it("lists the run's tools, as they say themselves, and none of the modern era's members", async () => {
    const { body } = await ask(run, { body: LIST });
    expect(Object.keys(body.result)).toEqual(["tools"]);
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(ALLOWED);
    // Whatever else a module keeps in a tool is its own.
    expect(body.result.tools[0]).toEqual({
      name: "memory_search",
      description: "The tool memory_search.",
      inputSchema: { type: "object", properties: { query: { type: "string" } } },
    });
  });

  it.each([
    ["2025-11-25", "200 result"],
    ["2024-11-05", "200 result"],
    ["2025-11-25, 2025-11-25", "200 result"],
    ["2025-11-25, 2025-06-18", "400 -32020"],
    ["1900-01-01", "400 -32022"],
    ["abc", "400 -32022"],
  ])("under the version header %s", async (version, outcome) => {
    const answer = await ask(run, { headers: { "mcp-protocol-version": version }, body: SEARCH });
    expect(outcomeOf(answer)).toBe(outcome);
  });

  it.each([
    ["2025-11-25", null],
    ["2025-06-18", null],
    ["2024-11-05", "2024-11-05"],
  ])("is that of a call whose envelope says %s, under the version header %s", async (claimed, version) => {
    const _meta = { [`${KEYS}protocolVersion`]: claimed };
    const body = rpc("tools/call", { name: "memory_search", arguments: { query: "chalet" }, _meta });
    const answer = await ask(run, { headers: { "mcp-protocol-version": version }, body });
    expect(answer.body.result).toEqual({ content: [{ type: "text", text: FOUND }] });
  });
});

describe("the modern era", () => {
  const claiming = (version: string) => ({ [`${KEYS}protocolVersion`]: version, [`${KEYS}clientCapabilities`]: {} });
  const META = claiming(MODERN);

  /** A modern request; `headers` and `meta` instead of the ordinary ones. */
  function modern(
    method: string,
    params: Record<string, unknown> = {},
    headers: Asked["headers"] = {},
    meta: unknown = META,
  ) {
    const named: Record<string, string> = typeof params.name === "string" ? { "mcp-name": params.name } : {};
    const own = { "mcp-protocol-version": MODERN, "mcp-method": method, ...named, ...headers };
    return ask(run, { headers: own, body: rpc(method, { ...params, _meta: meta }) });
  }
  const SEARCHED = { name: "memory_search", arguments: { query: "chalet" } };
  /** What a proxy is said to make of a modern request's headers. */
  const PROXIED = { "mcp-protocol-version": "2025-11-25", "mcp-method": null, "mcp-name": null };

  it("discovers the server without a handshake", async () => {
    const { status, body } = await modern("server/discover");
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      resultType: "complete",
      supportedVersions: [MODERN],
      capabilities: { tools: {} },
      ttlMs: expect.any(Number),
      cacheScope: "private",
      _meta: { [`${KEYS}serverInfo`]: { name: "labo", version: expect.any(String) } },
    });
  });

  it("lists the run's tools, to be kept by this client alone", async () => {
    const { body } = await modern("tools/list");
    expect(body.result).toMatchObject({ resultType: "complete", ttlMs: expect.any(Number), cacheScope: "private" });
    expect(body.result.tools).toEqual((await ask(run, { body: LIST })).body.result.tools);
  });

  it("calls a tool", async () => {
    const { status, body } = await modern("tools/call", SEARCHED);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: FOUND }] });
  });

  it("refuses a tool with the same bytes as in the other era", async () => {
    const { status, body, text } = await modern("tools/call", { name: "execute_command", arguments: {} });
    expect(status).toBe(200);
    expect(body).toEqual(refusal("execute_command"));
    expect(text).toBe((await call(run, "execute_command")).text);
    expect(entered()).toEqual([]);
  });

  it.each<[string, () => Promise<Answer>, string]>([
    ["no version header", () => modern("tools/call", SEARCHED, { "mcp-protocol-version": null }), "400 -32020"],
    ["no Mcp-Method", () => modern("tools/call", SEARCHED, { "mcp-method": null }), "400 -32020"],
    ["another Mcp-Method", () => modern("tools/call", SEARCHED, { "mcp-method": "tools/list" }), "400 -32020"],
    ["no Mcp-Name", () => modern("tools/call", SEARCHED, { "mcp-name": null }), "400 -32020"],
    ["another Mcp-Name", () => modern("tools/call", SEARCHED, { "mcp-name": "execute_command" }), "400 -32020"],
    [
      "an allowed Mcp-Name",
      () => modern("tools/call", { name: "execute_command" }, { "mcp-name": "memory_search" }),
      "400 -32020",
    ],
    ["a broken Mcp-Name", () => modern("tools/call", SEARCHED, { "mcp-name": "=?base64?!!!?=" }), "400 -32020"],
    ["no envelope", () => modern("tools/call", SEARCHED, {}, {}), "400 -32602"],
    ["no capabilities", () => modern("tools/call", SEARCHED, {}, { [`${KEYS}protocolVersion`]: MODERN }), "400 -32602"],
    [
      "an unknown version",
      () => modern("ping", {}, { "mcp-protocol-version": "2027-01-01" }, claiming("2027-01-01")),
      "400 -32022",
    ],
    ...["2025-11-25", "2025-06-18"].map((claimed): [string, () => Promise<Answer>, string] => [
      `an envelope of ${claimed} under the modern header`,
      () => modern("tools/call", SEARCHED, {}, claiming(claimed)),
      "400 -32020",
    ]),
    [
      "two legacy versions",
      () => modern("tools/call", SEARCHED, { "mcp-protocol-version": "2025-11-25" }, claiming("2025-06-18")),
      "400 -32020",
    ],
    [
      "a modern envelope under an old header",
      () => modern("tools/call", SEARCHED, { "mcp-protocol-version": "2025-06-18" }),
      "400 -32020",
    ],
    [
      "another Mcp-Method behind a proxy",
      () => modern("tools/call", SEARCHED, { ...PROXIED, "mcp-method": "tools/list" }),
      "400 -32020",
    ],
    [
      "another Mcp-Name behind a proxy",
      () => modern("tools/call", SEARCHED, { ...PROXIED, "mcp-name": "execute_command" }),
      "400 -32020",
    ],
    ["ping", () => modern("ping"), "404 -32601"],
    ["initialize", () => modern("initialize", { protocolVersion: MODERN }), "404 -32601"],
    ["subscriptions/listen", () => modern("subscriptions/listen"), "404 -32601"],
  ])("answers %s as MCP.md says", async (_, asking, outcome) => {
    const answer = await asking();
    expect(outcomeOf(answer)).toBe(outcome);
    expect(answer.body.id).toBe(1);
    expectBare(answer);
    expect(entered()).toEqual([]);
  });

  it.each<[string, Asked["headers"]]>([
    ["2025-11-25", { "mcp-protocol-version": "2025-11-25" }],
    ["2025-11-25 and none of the others", PROXIED],
  ])("is that of a modern envelope that a proxy has put under the header %s", async (_, headers) => {
    const { status, body } = await modern("tools/call", SEARCHED, headers);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: FOUND }] });
  });

  it("decodes an Mcp-Name", async () => {
    const name = `=?base64?${Buffer.from("memory_search").toString("base64")}?=`;
    expect(outcomeOf(await modern("tools/call", SEARCHED, { "mcp-name": name }))).toBe("200 result");
  });

  it("answers 202 to a notification", async () => {
    const headers = { "mcp-protocol-version": MODERN };
    const answer = await ask(run, { headers, body: '{"jsonrpc":"2.0","method":"notifications/cancelled"}' });
    expect(outcomeOf(answer)).toBe("202 -");
  });
});

describe("what a tool answers", () => {
  it("is a text, or blocks as they are", async () => {
    expect((await call(run, "memory_search", { query: "chalet" })).body.result).toMatchObject({
      content: [{ type: "text", text: FOUND }],
    });
    expect((await call(run, "picture")).body.result.content).toEqual([
      { type: "text", text: "Voici." },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ]);
  });

  it("is cut to 200,000 characters over all of its blocks", async () => {
    const { content } = (await call(run, "volumes")).body.result;
    const total = content.reduce((sum: number, { text }: { text: string }) => sum + text.length, 0);
    expect(total).toBeGreaterThan(199_900);
    expect(total).toBeLessThanOrEqual(201_000);
    expect(content[0].text).toMatch(/^a{150000}$/);
    expect(content[1].text).toMatch(new RegExp(`^a+${CUT}$`));
  });

  it.each([
    ["of tiny blocks", "crumbs"],
    ["of a resource", "page"],
    ["around what isn't text", "link"],
  ])("is cut to 200,000 characters %s too", async (_, name) => {
    const { text, body } = await call(run, name);
    expect(text.length).toBeLessThan(201_000);
    const { content } = body.result;
    expect(content.length).toBeGreaterThan(0);
    const { text: last, resource } = content.at(-1);
    expect(last ?? resource.text).toMatch(new RegExp(`${CUT}$`));
    expect(body.result).not.toHaveProperty("isError");
  });

  it.each(["no_structure", "odd_structure"])("has no structure where it isn't an object (%s)", async (name) => {
    expect((await call(run, name)).body.result).toEqual({ content: [{ type: "text", text: "Voici." }] });
  });

  it("keeps what clients take of it, and drops the rest", async () => {
    expect((await call(run, "part_odd")).body.result).toEqual({ content: [{ type: "text", text: "Envoyé." }] });
  });

  it.each(["broken", "silent", "odd_text", "odd_block"])(
    "is an error without its reason when it is %s",
    async (name) => {
      const { status, body, text } = await call(run, name);
      expect(status).toBe(200);
      expect(body.result.isError).toBe(true);
      expect(body.result.content[0].text.length).toBeGreaterThan(5);
      expect(text).not.toMatch(/hunter2|\bat .*:\d+|undefined/);
      expect(run.said.stdout).not.toContain("hunter2");
    },
  );

  it.each([
    ["an error of the tool", 0, { id: 1, result: { isError: true } }],
    ["a defect of the bridge", 1, { id: 1, error: { code: -32603 } }],
    ["a defect of the bridge still", 2, { error: { code: -32603 } }],
  ])("is %s when what it throws breaks who looks at it, %i times in a row", async (_, times, told) => {
    const answer = await call(run, "thorny", { times });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", ...told });
    expectBare(answer);
    expect(answer.text).not.toMatch(/hunter2|\bat .*:\d+/);
    expect(entered()).toHaveLength(1);
  });

  it("still listens after all of this", async () => {
    expect(await isListening(run.port)).toBe(true);
    expect(outcomeOf(await ask(run, { body: SEARCH }))).toBe("200 result");
  });
});
