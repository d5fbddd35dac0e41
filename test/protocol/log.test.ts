import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import door from "#door";
import fixture from "#fixture-door";
import { CAPABILITIES_KEY, CLIENT_KEY, exchange, type Json, legacy, MODERN, modern, VERSION_KEY } from "./exchange.ts";

const said: string[] = [];

beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, "log").mockImplementation((...parts) => {
    const line = parts.join(" ");
    // A private door's lock has a line of its own for each request.
    if (!(inject("isPrivate") && Object.hasOwn(JSON.parse(line), "route"))) said.push(line);
  });
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The lines of the log, each with no other member than the six, in their order. */
function lines(): Json[] {
  return said.map((text) => {
    const line = JSON.parse(text);
    expect(Object.keys(line)).toEqual(["door", "tool", "era", "client", "outcome", "ms"]);
    expect(line.ms).toBeGreaterThanOrEqual(0);
    return line;
  });
}

const call = (name: unknown, args: unknown = {}) => legacy("tools/call", { name, arguments: args });
const enveloped = (client: unknown) => ({ [VERSION_KEY]: MODERN, [CAPABILITIES_KEY]: {}, [CLIENT_KEY]: client });

describe("the log of every door", () => {
  it("holds one line per call of a tool, with the door's name", async () => {
    const { result } = (await exchange(door, { body: legacy("initialize", { protocolVersion: "2025-11-25" }) })).json;
    const { tools } = (await exchange(door, { body: legacy("tools/list") })).json.result;
    expect(said).toEqual([]);
    await exchange(door, { body: call(tools[0].name), env: { PUBLIC_URL: "https://porte.example" } });
    expect(lines()).toMatchObject([{ door: result.serverInfo.name, tool: tools[0].name }]);
  });
});

describe("a line of the log", () => {
  it("of the modern era has the name that the client gives itself", async () => {
    const headers = { ...modern("tools/call", { name: "temoin" }).headers, "user-agent": "node" };
    await exchange(fixture, { ...modern("tools/call", { name: "temoin", arguments: {} }), headers });
    expect(lines()).toEqual([
      { door: "fixture", tool: "temoin", era: "modern", client: "essai", outcome: "ok", ms: expect.any(Number) },
    ]);
  });

  it("of the legacy era has the name of the program that asks: the handshake was another request", async () => {
    await exchange(fixture, { headers: { "user-agent": "claude-code/2.1.332 (cli)" }, body: call("temoin") });
    expect(lines()).toEqual([
      { door: "fixture", tool: "temoin", era: "legacy", client: "claude-code", outcome: "ok", ms: expect.any(Number) },
    ]);
  });

  it.each([
    ["an answer", "temoin", {}, "ok"],
    ["an image", "image", {}, "ok"],
    ["a refusal", "refus", {}, "refusal"],
    ["an argument that doesn't fit", "echo", { texte: 12 }, "refusal"],
    ["a defect", "bogue", {}, "bug"],
    ["a defect before any promise", "bogue_direct", {}, "bug"],
    ["arguments that are no object", "temoin", [1], "error -32602"],
  ])("says how the call ended: %s", async (_, name, args, outcome) => {
    await exchange(fixture, { body: call(name, args) });
    expect(lines()).toMatchObject([{ tool: name, outcome }]);
  });

  it.each([
    ["an unknown tool", "quelle_est_ma_question"],
    ["a tool that this deployment closes", "cache"],
    ["a name of every object", "__proto__"],
    ["no name", undefined],
    ["a name that is no text", { secret: true }],
  ])("names no tool but the door's own: %s", async (_, name) => {
    await exchange(fixture, { body: call(name) });
    expect(lines()).toMatchObject([{ tool: name === "cache" ? "cache" : null, outcome: "error -32602" }]);
    expect(said.join()).not.toMatch(/question|secret|proto/);
  });

  it("says that an envelope isn't whole, or that its version isn't known", async () => {
    const { headers } = modern("tools/call", { name: "temoin" });
    await exchange(fixture, { headers, body: call("temoin") });
    await exchange(fixture, { headers: { "mcp-protocol-version": "2099-01-01" }, body: call("temoin") });
    expect(lines()).toMatchObject([
      { tool: "temoin", era: "modern", outcome: "error -32602" },
      { tool: "temoin", era: null, outcome: "error -32022" },
    ]);
  });

  it("says that the brake held", async () => {
    const BRAKE = { limit: async () => ({ success: false }) };
    const { status } = await exchange(fixture, { body: call("temoin"), env: { BRAKE } });
    await exchange(fixture, { ...modern("tools/call", { name: "temoin" }), env: { BRAKE } });
    expect(status).toBe(429);
    expect(lines()).toMatchObject([
      { tool: "temoin", era: "legacy", outcome: "brake", ms: 0 },
      { tool: "temoin", era: "modern", client: "essai", outcome: "brake", ms: 0 },
    ]);
  });

  it("counts the milliseconds that the tool took", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = Date.now();
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      vi.setSystemTime(start + 1_234);
      return new Response("lu");
    });
    await exchange(fixture, { body: call("reseau") });
    expect(lines()).toMatchObject([{ tool: "reseau", outcome: "ok", ms: 1_234 }]);
  });

  it("is one for each call of a batch", async () => {
    await exchange(fixture, { body: [call("temoin"), legacy("ping"), call("refus"), call("inconnu")] });
    expect(lines().map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ["temoin", "ok"],
      ["refus", "refusal"],
      [null, "error -32602"],
    ]);
  });

  it.each([
    legacy("ping"),
    legacy("tools/list"),
    legacy("initialize", { protocolVersion: "2025-11-25" }),
    legacy("prompts/list"),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", method: "tools/call", params: { name: "temoin" } },
  ])("isn't written for $method", async (body) => {
    await exchange(fixture, { body });
    expect(said).toEqual([]);
  });

  it("has nothing of what was asked, nor of where it came from", async () => {
    const headers = {
      "user-agent": "Appli/1.0 (telephone de Mireille; 203.0.113.7)",
      "cf-connecting-ip": "203.0.113.7",
      "x-forwarded-for": "203.0.113.7",
      referer: "https://ici.example/mireille",
      authorization: "Bearer mireille",
      "mcp-session-id": "mireille",
    };
    const params = { name: "echo", arguments: { texte: "mireille" }, _meta: { "x-turn": "mireille" } };
    const { text } = await exchange(fixture, { headers, body: legacy("tools/call", params) });
    await exchange(fixture, { headers, body: call("echo", { texte: "mireille est ici" }) });
    await exchange(fixture, { headers, body: call("bogue", { texte: "mireille" }) });
    expect(text).toContain("mireille");
    expect(lines().map(({ client }) => client)).toEqual(["Appli", "Appli", "Appli"]);
    expect(said.join()).not.toMatch(/mireille|203|telephone/i);
  });
});

describe("the name of a client", () => {
  const ask = async (client: unknown, agent: string | null = null) => {
    const { headers, body } = modern("tools/call", { name: "temoin", _meta: enveloped(client) });
    await exchange(fixture, { headers: { ...headers, "user-agent": agent }, body });
    return lines()[0].client;
  };

  it.each([
    ["Claude", "Claude"],
    ["Anthropic/ClaudeAI", "Anthropic/ClaudeAI"],
    ["  deux\n lignes\u0000\u202E ", "deux lignes"],
    ["d\uD800", "d"],
    ["é".normalize("NFD"), null],
    ["secret: quel est mon mot de passe ?", null],
    ["mon adresse 10.1.2.3", null],
    ["@ai-sdk/mcp", "@ai-sdk/mcp"],
    ["Visual Studio Code", "Visual Studio Code"],
    ["n8n", "n8n"],
    ["jean.tremblay@exemple.ca", null],
    ["514 555-1234", null],
    ["est-ce que le Canadien joue ce soir", null],
    ["code 1234", null],
    ["ip-203-0-113-5", null],
    ["2001-db8-0-0-0-0-0-1", null],
    ["0xCB007105", null],
    [`${" ".repeat(300)}Claude`, "Claude"],
  ])("is that of its envelope: %j", async (name, kept) => {
    expect(await ask({ name, version: "1" }, "node/24")).toBe(kept);
  });

  it.each(["a".repeat(41), "🏒", `a${"b".repeat(10_000)}`])("isn't kept when it is no name", async (name) => {
    expect(await ask({ name })).toBeNull();
  });

  it.each([undefined, null, "Claude", {}, { name: 12 }, { name: null }, { name: "" }])(
    "is that of the program when the envelope says none: %j",
    async (client) => {
      expect(await ask(client, "python-httpx/0.28.1")).toBe("python-httpx");
    },
  );

  it.each([
    ["Claude-User", "Claude-User"],
    ["Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", "Mozilla"],
    ["HomeAssistant/2026.10 aiohttp/3.9", "HomeAssistant"],
    ["x".repeat(5_000), null],
    ["192.168.1.4", null],
    ["jean@exemple.ca", null],
    ["(compatible)", null],
    ["", null],
    [null, null],
  ])("is the first word of its User-Agent, %j, without its version", async (agent, kept) => {
    expect(await ask(undefined, agent)).toBe(kept);
  });
});
