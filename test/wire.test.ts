import { execFile } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, startDoor, withoutCalls } from "./processes.ts";

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
  raw: string;
}

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}';
const CAP = 262_144;

let door: Running;
beforeAll(async () => {
  // Its own address: that of wrangler.toml is for whoever deploys to change.
  const vars = ["NHL_API=http://127.0.0.1:9", "PUBLIC_URL=https://hockey.example.com"];
  door = await startDoor("hockey", "--port", "0", ...vars.flatMap((text) => ["--var", text]));
});
afterAll(() => door?.stop());

/** Writes bytes to a door and reads until it closes, or for two seconds. */
function send(
  bytes: string | Uint8Array | (string | Uint8Array)[],
  { port = door.port, half = false } = {},
): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const end = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(text);
    };
    const late = setTimeout(end, 2_000);
    socket.setEncoding("utf8");
    socket.on("data", (data) => {
      text += data;
    });
    socket.once("error", end);
    socket.once("end", end);
    for (const part of [bytes].flat()) socket.write(part);
    if (half) socket.end();
  });
}

function parse(raw: string): Answer {
  const [head, ...rest] = raw.split("\r\n\r\n");
  const [line, ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((one) => [one.slice(0, one.indexOf(":")).toLowerCase(), one.slice(one.indexOf(":") + 1).trim()]),
  );
  return { status: Number(line.split(" ")[1]), headers, body: rest.join("\r\n\r\n"), raw };
}

/** A request written by hand; the door closes after its answer. */
function request(line: string, headers: string[] = [], body: string | Uint8Array = ""): (string | Uint8Array)[] {
  const length = body.length > 0 || line.startsWith("POST") ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
  const host = headers.some((header) => /^host:/i.test(header)) ? [] : [`Host: 127.0.0.1:${door.port}`];
  const lines = [`${line} HTTP/1.1`, ...host, "Connection: close", ...length, ...headers];
  return [`${lines.join("\r\n")}\r\n\r\n`, body];
}

const ask = async (line: string, headers: string[] = [], body: string | Uint8Array = "") =>
  parse(await send(request(line, headers, body)));
const post = (headers: string[] = [], body: string | Uint8Array = PING) =>
  ask("POST /mcp", ["Content-Type: application/json", ...headers], body);

/** The requests after a strange one are answered as ever. */
async function expectAlive() {
  const { status, body } = await post();
  expect([status, body]).toEqual([200, PONG]);
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = (...parts: string[]) =>
  request("POST /mcp", ["Content-Type: application/json", "Transfer-Encoding: chunked"])
    .map((part) => String(part).replace("Content-Length: 0\r\n", ""))
    .concat(parts);

describe("verbs", () => {
  it.each(["GET", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "REPORT"])(
    "answers %s with 405 and what is allowed",
    async (verb) => {
      const { status, headers, body } = await ask(`${verb} /mcp`, ["X-HTTP-Method-Override: POST"]);
      expect(status).toBe(405);
      expect(headers.allow).toBe("POST, OPTIONS");
      expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } });
    },
  );

  it("answers HEAD with 405 and no body", async () => {
    const { status, headers, body } = await ask("HEAD /mcp");
    expect([status, body]).toEqual([405, ""]);
    expect(headers.allow).toBe("POST, OPTIONS");
  });

  it("shows 405 to a curl that only looks", async () => {
    const code = await new Promise((resolve) => {
      execFile("curl", ["-sS", "-o", "/dev/null", "-w", "%{http_code}", door.url], (error, stdout) =>
        resolve(error ?? stdout),
      );
    });
    expect(code).toBe("405");
  });

  it("answers a preflight with 204 and no body", async () => {
    const { status, headers, body } = await ask("OPTIONS /mcp", ["Origin: http://localhost:6274"]);
    expect([status, body]).toEqual([204, ""]);
    expect(headers["access-control-allow-methods"]).toBe("POST, OPTIONS");
    expect(headers["content-type"]).toBeUndefined();
  });

  it("never runs what a TRACE carries back", async () => {
    const { status, raw } = await ask("TRACE /mcp", ["X-Secret: canari"]);
    expect(status).toBe(405);
    expect(raw).not.toContain("canari");
  });
});

describe("paths", () => {
  it.each([
    "//mcp",
    "/%6dcp",
    "/mcp%2f",
    "/mcp;x",
    "/MCP",
    "/mcp//",
    "/mcp/x",
    "/%2e%2e/mcp%00",
    "/mcp%",
    "/.well-known/x",
  ])("answers 404 in JSON on %s", async (path) => {
    const { status, headers, body } = await ask(`POST ${path}`, ["Content-Type: application/json"], PING);
    expect([status, body]).toEqual([404, '{"error":"not_found"}']);
    expect(headers["content-type"]).toBe("application/json");
  });

  it("answers /mcp/.. like /", async () => {
    const [dots, root] = [await ask("GET /mcp/.."), await ask("GET /")];
    expect([dots.status, dots.body]).toEqual([root.status, root.body]);
    expect([200, 404]).toContain(root.status);
  });

  it.each(["/mcp", "/mcp/", "/mcp?x=1", "/mcp/?x=1", "/a/../mcp", "/./mcp"])(
    "serves %s without a redirect",
    async (path) => {
      const { status, body } = await ask(`POST ${path}`, ["Content-Type: application/json"], PING);
      expect([status, body]).toEqual([200, PONG]);
    },
  );

  it("serves a target in absolute form under its own name only", async () => {
    const own = await ask(`POST http://127.0.0.1:${door.port}/mcp`, ["Content-Type: application/json"], PING);
    expect([200, 400, 403, 404]).toContain(own.status);
    const evil = await ask(
      "POST http://evil.example/mcp",
      ["Content-Type: application/json", "Host: evil.example"],
      PING,
    );
    expect([400, 403, 404]).toContain(evil.status);
    expect(evil.body).not.toContain('"result"');
  });
});

describe("hosts", () => {
  it.each([
    "evil.example",
    "evil.example:8787",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "hockey.example.com.evil.example",
    "10.0.0.1",
    "0.0.0.0",
  ])("refuses the Host %s with 403", async (host) => {
    const { status, body } = await post([`Host: ${host}`]);
    expect(status).toBe(403);
    expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } });
    expect(body).not.toContain(host);
  });

  it.each(["hockey.example.com", "HOCKEY.example.com", "localhost", "localhost:1", "127.0.0.1", "[::1]:8787"])(
    "serves the Host %s",
    async (host) => {
      const { status, body } = await post([`Host: ${host}`]);
      expect([status, body]).toEqual([200, PONG]);
    },
  );

  it("builds nothing from the headers of a proxy", async () => {
    const { status, raw } = await post([
      "X-Forwarded-Host: evil.example",
      "X-Forwarded-Proto: gopher",
      "Forwarded: host=evil.example",
    ]);
    expect(status).toBe(200);
    expect(raw).not.toMatch(/evil|gopher/);
  });

  it.each([
    ["no Host", []],
    ["an empty Host", ["Host: "]],
    ["a Host with a path", ["Host: 127.0.0.1/x"]],
    ["a Host with a user", ["Host: a@127.0.0.1"]],
    ["a Host of blanks", ["Host: a b"]],
    ["a Host that isn't one", ["Host: [::"]],
    ["a Host of bytes", ["Host: é\u0001"]],
    ["two Hosts", ["Host: 127.0.0.1", "Host: evil.example"]],
  ])("stays up, without a 5xx, after %s", async (_, hosts) => {
    const head = [
      "POST /mcp HTTP/1.1",
      ...hosts,
      "Connection: close",
      "Content-Type: application/json",
      `Content-Length: ${PING.length}`,
    ];
    const { status, raw } = parse(await send(`${head.join("\r\n")}\r\n\r\n${PING}`));
    expect(raw === "" || status < 500, raw).toBe(true);
    await expectAlive();
  });
});

describe("bodies", () => {
  it("refuses with 413 a length over the cap, without waiting for the body", async () => {
    const started = performance.now();
    const { status, body } = parse(
      await send(
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{`,
      ),
    );
    expect(status).toBe(413);
    expect(JSON.parse(body)).toEqual({ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } });
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it("serves a body of exactly the cap, and refuses one byte more", async () => {
    expect((await post([], PING.padEnd(CAP))).body).toBe(PONG);
    const over = await post([], PING.padEnd(CAP + 1));
    expect([over.status, JSON.parse(over.body).error.code]).toEqual([413, -32600]);
  });

  it("serves a chunked body", async () => {
    const { status, body } = parse(await send(chunked(chunk(PING.slice(0, 7)), chunk(PING.slice(7)), "0\r\n\r\n")));
    expect([status, body]).toEqual([200, PONG]);
  });

  it("serves a chunked body of exactly the cap, and refuses one byte more", async () => {
    const full = [chunk(PING), chunk(" ".repeat(CAP - PING.length))];
    expect(parse(await send(chunked(...full, "0\r\n\r\n"))).body).toBe(PONG);
    const { status, body } = parse(await send(chunked(...full, chunk(" "), "0\r\n\r\n")));
    expect([status, JSON.parse(body).error.code]).toEqual([413, -32600]);
  });

  it("refuses 5 MiB, whichever way it is sent", async () => {
    const megabytes = " ".repeat(5 * 1024 * 1024);
    // The door may close before all of it is written: then there is nothing to read.
    for (const raw of [
      await send(request("POST /mcp", ["Content-Type: application/json"], megabytes)),
      await send(chunked(chunk(megabytes), "0\r\n\r\n")),
    ]) {
      if (raw !== "") expect(parse(raw).status).toBe(413);
    }
    await expectAlive();
  });

  it("reads no further than a length that is too short", async () => {
    const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`;
    const { status, body } = parse(await send(head + PING));
    expect([status, JSON.parse(body).error.code]).toEqual([400, -32700]);
  });

  it.each([
    ["a length that is too long, then silence", `Content-Length: ${PING.length + 10}\r\n\r\n${PING}`, true],
    ["a chunked body that breaks off", `Transfer-Encoding: chunked\r\n\r\nff\r\n${PING}`, true],
    ["a chunk whose size isn't one", `Transfer-Encoding: chunked\r\n\r\nzz\r\n${PING}\r\n0\r\n\r\n`, false],
    ["a chunk of a negative size", `Transfer-Encoding: chunked\r\n\r\n-1\r\n${PING}\r\n0\r\n\r\n`, false],
    ["a negative length", `Content-Length: -1\r\n\r\n${PING}`, false],
    ["a length that isn't a number", `Content-Length: x\r\n\r\n${PING}`, false],
    ["two lengths", `Content-Length: ${PING.length}\r\nContent-Length: 1\r\n\r\n${PING}`, false],
    ["a length and chunks", `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(PING)}0\r\n\r\n`, false],
    ["an unknown transfer coding", `Transfer-Encoding: x\r\n\r\n${PING}`, false],
    ["no length and no chunks", `\r\n${PING}`, false],
  ])("stays up, without a 5xx, after %s", async (_, rest, half) => {
    const head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n";
    const raw = await send(head + rest, { half });
    if (raw !== "") expect(parse(raw).status).toBeLessThan(500);
    await expectAlive();
  });

  it("answers a client that waits to be told to continue", async () => {
    const [head, body] = request("POST /mcp", ["Content-Type: application/json", "Expect: 100-continue"], PING);
    const raw = await send([head, body]);
    expect(raw).toContain(PONG);
  });

  it("answers two requests of one connection in order", async () => {
    const one = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${PING.length}\r\n\r\n${PING}`;
    const raw = await send([
      one,
      ...request("POST /mcp", ["Content-Type: application/json"], PING.replace("1,", "2,")),
    ]);
    expect(raw.match(/"id":\d/g)).toEqual(['"id":1', '"id":2']);
  });
});

describe("headers", () => {
  it("takes a version said twice for one", async () => {
    const { status } = await post(["MCP-Protocol-Version: 2025-11-25", "MCP-Protocol-Version: 2025-11-25"]);
    expect(status).toBe(200);
  });

  it("refuses two versions", async () => {
    const { status, body } = await post(["MCP-Protocol-Version: 2025-11-25", "mcp-protocol-version: 2025-06-18"]);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ id: 1, error: { code: -32020 } });
  });

  it("refuses two content types", async () => {
    const { status } = await post(["Content-Type: text/plain"]);
    expect(status).toBe(415);
  });

  it("refuses two origins, and one that is evil", async () => {
    expect((await post(["Origin: https://a.example", "Origin: https://b.example"])).status).toBe(403);
    expect((await post(["Origin: http://evil.example"])).status).toBe(403);
  });

  it("refuses a body said to be compressed", async () => {
    expect((await post(["Content-Encoding: gzip"])).status).toBe(415);
  });

  it("answers a notification with 202, an empty body and its length", async () => {
    const { status, headers, body } = await post([], '{"jsonrpc":"2.0","method":"notifications/initialized"}');
    expect([status, body]).toEqual([202, ""]);
    expect(headers["content-length"]).toBe("0");
    expect(headers["content-type"]).toBeUndefined();
    expect(headers["transfer-encoding"]).toBeUndefined();
  });

  it("never compresses, sets a cookie, opens a session or a stream", async () => {
    const { headers, body } = await post(["Accept-Encoding: gzip, br", "Accept: application/json, text/event-stream"]);
    expect(body).toBe(PONG);
    expect(headers["content-type"]).toBe("application/json");
    for (const name of ["content-encoding", "set-cookie", "mcp-session-id", "location"])
      expect(headers[name]).toBeUndefined();
  });

  it.each([
    ["bytes in UTF-8", "é"],
    ["bytes that aren't UTF-8", Buffer.from([0xff, 0xfe])],
    ["a control", "a\u0001b"],
    ["60 kB", "a".repeat(60_000)],
  ])("stays up, without a 5xx, after a Mcp-Name of %s", async (_, value) => {
    const [head, body] = request("POST /mcp", ["Content-Type: application/json", "Mcp-Name: VALUE"], PING);
    const [before, after] = String(head).split("VALUE");
    const raw = await send([before, value, after, body]);
    if (raw !== "") expect(parse(raw).status).toBeLessThan(500);
    await expectAlive();
  });
});

describe("garbage", () => {
  it.each([
    ["nothing", ""],
    ["an empty line", "\r\n\r\n"],
    ["a TLS hello", Buffer.from("16030100c8010000c40303", "hex")],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["HTTP/0.9", "GET /mcp\r\n\r\n"],
    ["HTTP/1.0", "GET /mcp HTTP/1.0\r\n\r\n"],
    ["HTTP/9.9", "GET /mcp HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n"],
    ["a verb that isn't one", "G@T /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"],
    [
      "an upgrade",
      "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
    ],
    [
      "lines without carriage returns",
      `POST /mcp HTTP/1.1\nHost: 127.0.0.1\nContent-Type: application/json\nContent-Length: ${PING.length}\n\n${PING}`,
    ],
    ["a folded header", "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\r\n b\r\n\r\n"],
    ["a header without a colon", "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nnonsense\r\n\r\n"],
    ["a target of 100 kB", `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`],
    ["10 000 headers", `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${"X: y\r\n".repeat(10_000)}\r\n`],
    ["bare JSON", PING],
    ["bytes of every value", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    [
      "a target with bytes",
      Buffer.concat([
        Buffer.from("GET /"),
        Buffer.from([0xff, 0x80, 0x20]),
        Buffer.from("HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
      ]),
    ],
  ])("stays up, without a 5xx, after %s", async (_, bytes) => {
    const raw = await send(bytes, { half: true });
    if (/^HTTP\/1/.test(raw)) expect(parse(raw).status, raw).toBeLessThan(500);
    expect(raw).not.toContain('"result":{"content"');
    await expectAlive();
  });

  it("isn't a proxy: CONNECT leads nowhere", async () => {
    const raw = await send("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", { half: true });
    expect(parse(raw).status).toBeGreaterThanOrEqual(400);
    await expectAlive();
  });

  it("serves others while a client says one byte", async () => {
    const idle = connect(door.port, "127.0.0.1");
    idle.on("error", () => {});
    idle.write("P");
    await expectAlive();
    idle.destroy();
  });
});

describe("the brake", () => {
  const CALL =
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"match_lnh","arguments":{"equipe":"les Nordiques"}}}';
  const call = (url: string, body = CALL, headers = {}) =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
  const burst = async (url: string) => {
    const statuses: number[] = [];
    for (let asked = 0; asked < 40; asked++) {
      const answer = await call(url);
      await answer.body?.cancel();
      statuses.push(answer.status);
    }
    return statuses;
  };

  it("isn't bound without --brake: 40 quick calls are answered", async () => {
    expect(await burst(door.url)).toEqual(Array(40).fill(200));
  });

  it("lets 30 calls through in 10 seconds with --brake, then answers 429", async () => {
    const braked = await startDoor("hockey", "--port", "0", "--brake");
    try {
      // The windows start on the clock's tens of seconds: 40 calls must fall within one.
      if (Date.now() % 10_000 > 7_000) await sleep(10_100 - (Date.now() % 10_000));
      expect(await burst(braked.url)).toEqual([...Array(30).fill(200), ...Array(10).fill(429)]);
      const over = await call(braked.url);
      expect(over.status).toBe(429);
      expect(over.headers.get("retry-after")).toBe("10");
      expect(over.headers.get("content-type")).toBe("application/json");
      expect(over.headers.get("access-control-allow-origin")).toBe("*");
      expect(await over.json()).toEqual({
        jsonrpc: "2.0",
        id: 7,
        error: { code: -32600, message: expect.any(String) },
      });
      for (const method of ["initialize", "tools/list", "ping"]) {
        const params = { protocolVersion: "2025-11-25" };
        expect((await call(braked.url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }))).status).toBe(200);
      }
      expect((await call(braked.url, CALL, { "cf-connecting-ip": "203.0.113.9" })).status).toBe(200);
    } finally {
      await braked.stop();
    }
  });
});

describe("the runtime's own log", () => {
  it("has nothing to say about all of the above, except of CONNECT, which never reaches the door", () => {
    expect(
      withoutCalls(door.stderr)
        .split("\n")
        .filter((line) => line !== "" && !/connect/.test(line)),
    ).toEqual([]);
    expect(door.stdout).toBe(`ready ${door.url}\n`);
  });
});
