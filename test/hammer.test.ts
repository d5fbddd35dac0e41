import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "./commands.ts";
import { runNpm, startDoor } from "./processes.ts";
import { listen } from "./upstream/server.mjs";

type Respond = Parameters<typeof listen>[1];
type Asked = { type: string | undefined; body: { method: string; id: number; params: { name: string } } };

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

/** A server at an address of a door, which remembers what it was asked and how many calls it had at once. */
async function serve(respond: Respond) {
  const asked: Asked[] = [];
  const busy = { now: 0, most: 0 };
  const server = await listen(0, async (response, path, rank, request) => {
    busy.most = Math.max(busy.most, ++busy.now);
    response.once("close", () => busy.now--);
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    asked.push({ type: request.headers["content-type"], body: JSON.parse(text) });
    respond(response, path, rank, request);
  });
  open.push(server);
  return { ...server, url: `${server.url}/mcp`, asked, busy };
}

const json = { "content-type": "application/json" };
const oneLine = (text: string) => expect(text.trimEnd().split("\n")).toHaveLength(1);

describe("npm run hammer", () => {
  it("sees a door's brake let 30 of 40 calls through", async () => {
    const door = await startDoor("hockey", "--port", "0", "--brake");
    try {
      // The windows start on the clock's tens of seconds: 40 calls must fall within one.
      if (Date.now() % 10_000 > 5_000) await sleep(10_100 - (Date.now() % 10_000));
      const { code, stdout, stderr } = await runCommand("hammer", [door.url]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toBe(`40 tools/call to ${door.url}\n   30 × 200\n   10 × 429 from the door, retry-after: 10\n`);
    } finally {
      await door.stop();
    }
  });

  it("says that nothing brakes a door without one, and asks no source", async () => {
    const source = await listen(0, (response) => response.writeHead(500).end());
    open.push(source);
    const door = await startDoor("hockey", "--port", "0", "--var", `NHL_API=${source.url}`);
    try {
      const { code, stdout, stderr } = await runCommand("hammer", [door.url, "--count", "50"]);
      expect(stdout).toMatch(/^50 tools\/call to .*\n {3}50 × 200\n$/);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^No 429: .*\n$/) });
      expect(source.calls).toEqual([]);
    } finally {
      await door.stop();
    }
  });

  it("sends calls of a tool, each with its own number, as many as asked and a few at a time", async () => {
    const server = await serve((response) => void setTimeout(() => response.writeHead(200, json).end("{}"), 10));
    const { code, stdout } = await runCommand("hammer", [server.url, "--count", "25"]);
    expect(code).toBe(0);
    expect(stdout).toBe(`25 tools/call to ${server.url}\n   25 × 200\n`);
    expect(server.asked.every(({ type }) => type === "application/json")).toBe(true);
    expect(server.asked.every(({ body }) => body.method === "tools/call" && body.params.name !== "")).toBe(true);
    expect(server.asked.map(({ body }) => body.id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 25 }, (_, n) => n + 1),
    );
    expect(server.busy.most).toBeGreaterThan(1);
    expect(server.busy.most).toBeLessThanOrEqual(8);
  });

  it("counts each status, and tells the two locks apart", async () => {
    const server = await serve((response, _, rank) => {
      if (rank <= 5) response.writeHead(200, json).end("{}");
      else if (rank <= 8) response.writeHead(429, { ...json, "retry-after": "10" }).end("{}");
      else if (rank <= 10) response.writeHead(429, { "content-type": "text/html" }).end("<title>1015</title>");
      else if (rank <= 11) response.writeHead(302, { location: "/elsewhere" }).end();
      else response.writeHead(503).end();
    });
    const { code, stdout, stderr } = await runCommand("hammer", [server.url, "--count", "12"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("npm run probe") });
    expect(stdout.split("\n").slice(1, -1)).toEqual([
      "    5 × 200",
      "    1 × 302",
      "    2 × 429 from in front of the door",
      "    3 × 429 from the door, retry-after: 10",
      "    1 × 503",
    ]);
    expect(server.calls).toEqual(Array(12).fill("/mcp"));
  });

  it("ends with exit code 1 when a call has no answer", async () => {
    const server = await serve((response, _, rank) => {
      if (rank === 2) response.destroy();
      else response.writeHead(200, json).end("{}");
    });
    const { code, stdout } = await runCommand("hammer", [server.url, "--count", "3"]);
    expect(code).toBe(1);
    expect(stdout).toContain("    2 × 200\n");
    expect(stdout).toMatch(/ {4}1 × no answer \(.+\)\n/);
  });

  it("doesn't judge the brake of a door that asks for a token", async () => {
    const server = await serve((response) => void response.writeHead(401, json).end("{}"));
    const { code, stdout, stderr } = await runCommand("hammer", [server.url, "--count", "31"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `31 tools/call to ${server.url}\n   31 × 401\n` });
    expect(stderr).toMatch(/^It asks for a token\. A private door does.*\n$/);
  });

  it("says nothing of the brake when nobody answers", async () => {
    const server = await listen(0, () => {});
    await server.close();
    const { code, stdout } = await runCommand("hammer", [`${server.url}/mcp`]);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `40 tools/call to ${server.url}/mcp\n   40 × no answer (ECONNREFUSED)\n`,
    });
  });

  it.each([
    ["no address", [], "https://hockey.example.com/mcp"],
    ["plain http elsewhere", ["http://hockey.example.com/mcp"], "https is needed"],
    ["plain http on the local network", ["http://192.168.1.20:8787/mcp"], "https is needed"],
    ["a name that only begins like this machine's", ["http://localhost.example.com/mcp"], "https is needed"],
    ["a name that only begins like an address of it", ["http://127.0.0.1.example.com/mcp"], "https is needed"],
    ["another protocol", ["ftp://127.0.0.1/mcp"], "https is needed"],
    ["something else than an address", ["hockey"], "hockey"],
    ["a password", ["https://me:secret@hockey.example.com/mcp"], "password"],
    ["an address without /mcp", ["https://hockey.example.com"], "https://hockey.example.com/mcp"],
    ["two addresses", ["http://127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp"], "one address"],
    ["no call at all", ["http://127.0.0.1:9/mcp", "--count", "0"], "--count 0"],
    ["too many calls", ["http://127.0.0.1:9/mcp", "--count", "201"], "200"],
    ["a count that isn't one", ["http://127.0.0.1:9/mcp", "--count", "4e1"], "4e1"],
    ["a negative count", ["http://127.0.0.1:9/mcp", "--count=-40"], "-40"],
    ["an unknown option", ["http://127.0.0.1:9/mcp", "--cuont", "4"], "--cuont"],
  ])("refuses %s in one line, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runCommand("hammer", args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    oneLine(stderr);
    expect(stderr).toContain(what);
    expect(stderr).not.toContain("secret");
  });

  it("takes the names of this machine", async () => {
    const server = await serve((response) => void response.writeHead(200, json).end("{}"));
    const { code } = await runCommand("hammer", [server.url.replace("127.0.0.1", "localhost"), "--count", "1"]);
    expect(code).toBe(0);
  });

  it("shows its help, through npm too", async () => {
    const { code, stdout } = await runNpm("hammer", ["--help"]);
    expect(code).toBe(0);
    for (const word of ["URL", "--count", "429", "Exit code"]) expect(stdout).toContain(word);
  });
});
