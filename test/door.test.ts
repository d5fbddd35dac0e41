import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { areGone, isListening, type Running, runDoor, runScript, startDoor } from "./processes.ts";

/** What npm and the door may take to notice that the other one is gone. */
const END_MS = 5_000;

const ottawa = { id: 24, abbrev: "OTT", name: { default: "Senators" }, score: 2, sog: 20 };
const boston = { id: 6, abbrev: "BOS", name: { default: "Bruins" }, score: 1, sog: 18 };
const game = {
  id: 2025020001,
  season: 20252026,
  gameType: 2,
  gameDate: "2025-10-08",
  startTimeUTC: "2025-10-08T23:00:00Z",
  gameState: "LIVE",
  gameScheduleState: "OK",
  awayTeam: boston,
  homeTeam: ottawa,
  period: 1,
  periodDescriptor: { number: 1, periodType: "REG", maxRegulationPeriods: 3 },
  clock: { timeRemaining: "04:12", secondsRemaining: 252, running: true, inIntermission: false },
  goals: [],
};

/** A source that knows one game, and remembers what it was asked. */
const asked: string[] = [];
const upstream: Server = createServer((request, response) => {
  asked.push(String(request.url));
  const known = String(request.url).startsWith("/v1/score/");
  response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
  response.end(known ? JSON.stringify({ prevDate: "2025-10-07", nextDate: "2025-10-09", games: [game] }) : "{}");
});
let source: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  source = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => upstream.close());

async function ask(url: string, method: string, params: unknown = {}, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await answer.json()) as {
    result: { content: { text: string }[]; isError?: boolean; serverInfo: { name: string } };
  };
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

describe("npm run door", () => {
  it("says one line once it answers, on the port that was asked", async () => {
    const port = await freePort();
    const door = await startDoor("hockey", "--port", String(port));
    try {
      expect(door.stdout).toBe(`ready http://127.0.0.1:${port}/mcp\n`);
      const opened = await ask(door.url, "initialize", { protocolVersion: "2025-11-25" });
      expect(opened.result.serverInfo.name).toBe("hockey");
      expect(door.stderr).toBe("");
    } finally {
      await door.stop();
    }
  });

  it("overrides variables, one by one, and starts the clock where it is told", async () => {
    const vars = ["DEFAULT_TEAM=OTT", `NHL_API=${source}`, "CLOCK=2025-10-08T23:21:51Z"];
    const door = await startDoor("hockey", ...vars.flatMap((text) => ["--var", text]));
    try {
      asked.length = 0;
      const { result } = await ask(door.url, "tools/call", { name: "match_lnh", arguments: {} });
      expect(result.isError).toBeUndefined();
      expect(result.content[0].text).toMatch(/^Ottawa mène 2 à 1 contre Boston\./);
      expect(result.content[0].text).toContain("4 minutes 12");
      expect(asked[0]).toBe("/v1/score/2025-10-08");
    } finally {
      await door.stop();
    }
  });

  it("keeps all that stands after the first equals sign, and the last of two values", async () => {
    const vars = ["PUBLIC_URL=https://wrong.example", "PUBLIC_URL=https://porte.example/?a=b=c", "DEFAULT_TEAM="];
    const door = await startDoor("hockey", "--port", "0", ...vars.flatMap((text) => ["--var", text]));
    try {
      expect(new URL(door.url).hostname).toBe("127.0.0.1");
      expect(door.port).toBeGreaterThan(0);
      expect((await ask(door.url, "ping")).result).toEqual({});
    } finally {
      await door.stop();
    }
  });

  it("prints its help", async () => {
    const { code, stdout, stderr } = await runDoor("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["NAME", "--port", "--var", "--brake", "CLOCK", "ready http://127.0.0.1:PORT/mcp"]) {
      expect(stdout).toContain(word);
    }
  });

  it("refuses a port that is taken, in one line, with exit code 2", async () => {
    const { port } = upstream.address() as AddressInfo;
    const { code, stdout, stderr } = await runDoor("hockey", "--port", String(port));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(String(port));
  });

  it.concurrent.each([
    ["no door", [], "hockey"],
    ["an unknown door", ["curling"], "curling"],
    ["a door of another folder", ["../workers/hockey"], "../workers/hockey"],
    ["a door named like a prototype", ["__proto__"], "__proto__"],
    ["two doors", ["hockey", "hockey"], "hockey hockey"],
    ["a variable without a value", ["hockey", "--var", "DEFAULT_TEAM"], "DEFAULT_TEAM"],
    ["a variable without a name", ["hockey", "--var", "=OTT"], "=OTT"],
    ["a variable whose name isn't one", ["hockey", "--var", "default-team=OTT"], "default-team"],
    ["one good variable and one bad", ["hockey", "--var", "DEFAULT_TEAM=OTT", "--var", "x"], "--var x"],
    ["a clock that isn't an instant", ["hockey", "--var", "CLOCK=hier"], "CLOCK"],
    ["a source that isn't an address", ["hockey", "--var", "NHL_API=pas une adresse"], "NHL_API"],
    ["--var alone", ["hockey", "--var"], "--var"],
    ["a port that isn't a number", ["hockey", "--port", "http"], "http"],
    ["a port that is too high", ["hockey", "--port", "65536"], "65536"],
    ["a negative port", ["hockey", "--port=-1"], "-1"],
    ["an unknown option", ["hockey", "--prot", "1"], "--prot"],
  ])("refuses %s in one line that says what, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runScript(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });

  it("keeps its exit code and its one line through npm", async () => {
    const { code, stdout, stderr } = await runDoor("curling");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^.*curling.*hockey.*\n$/);
  });
});

describe("killing npm", () => {
  it.concurrent.each(["SIGTERM", "SIGHUP", "SIGKILL", "Ctrl-C"] as const)(
    "by %s ends node and workerd, and frees the port",
    async (signal) => {
      const door = await startDoor("hockey", "--port", "0");
      try {
        expect(await isListening(door.port)).toBe(true);
        expect(door.family.length).toBeGreaterThanOrEqual(3);
        if (signal === "Ctrl-C") process.kill(-Number(door.npm.pid), "SIGINT");
        else door.npm.kill(signal);
        expect(await areGone(door.family, END_MS)).toBe(true);
        expect(await isListening(door.port)).toBe(false);
      } finally {
        await door.stop();
      }
    },
  );

  it("ends them even in the middle of a call", async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const door: Running = await startDoor("hockey", "--var", `NHL_API=http://127.0.0.1:${port}`);
    try {
      const call = ask(door.url, "tools/call", { name: "match_lnh", arguments: {} }).catch(() => null);
      await new Promise((resolve) => silent.once("request", resolve));
      door.npm.kill("SIGTERM");
      expect(await areGone(door.family, END_MS)).toBe(true);
      await call;
      expect(await isListening(door.port)).toBe(false);
    } finally {
      await door.stop();
      silent.closeAllConnections();
      silent.close();
    }
  });
});
