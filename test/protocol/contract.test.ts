import { describe, expect, inject, it } from "vitest";
import door from "#door";
import fixture from "#fixture-door";
import { exchange, type Json, LEGACY, legacy, MODERN, modern, OF_PUBLIC_DOORS, SERVER_KEY, wrap } from "./exchange.ts";
import { lintTool } from "./lint.ts";

const initialize = (protocolVersion: unknown = "2025-11-25") =>
  legacy("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "essai", version: "1.0.0" } });

/** As every client of the legacy era opens. */
const hello = (await exchange(door, { body: initialize() })).json.result;
const tools: Json[] = (await exchange(door, { body: legacy("tools/list") })).json.result.tools;
const isPrivate = inject("isPrivate");
const cacheScope = isPrivate ? "private" : "public";
/** What a preflight learns; every other answer carries the origin alone. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers":
    "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id",
  "access-control-max-age": "86400",
};

describe("legacy: initialize", () => {
  it("answers with the version, the tools, the door's names and its instructions, and nothing else", async () => {
    const { status, headers, text, json } = await exchange(door, { body: initialize() });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(text).toMatch(
      /^\{"jsonrpc":"2.0","id":1,"result":\{"protocolVersion":"2025-11-25","capabilities":\{"tools":\{"listChanged":false\}\},"serverInfo":\{"name":"/,
    );
    const { name, title, version } = json.result.serverInfo;
    expect(json).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name, title, version },
        instructions: expect.any(String),
      },
    });
    expect(name).toMatch(/^[a-z][a-z0-9-]{1,11}$/);
    expect(title).toMatch(/^\p{Lu}/u);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(LEGACY)("echoes %s, which it speaks", async (version) => {
    const { json } = await exchange(door, { body: initialize(version) });
    expect(json.result).toEqual({ ...hello, protocolVersion: version });
  });

  it.each([MODERN, "1999-01-01", "2099-01-01", "2025-11-26", "latest", ""])(
    "answers 2025-11-25 to %j, which no handshake speaks",
    async (version) => {
      const { status, json } = await exchange(door, { body: initialize(version) });
      expect(status).toBe(200);
      expect(json.result.protocolVersion).toBe("2025-11-25");
    },
  );

  it("gives instructions that the stingiest client shows whole", () => {
    expect(hello.instructions.length).toBeGreaterThan(40);
    expect(hello.instructions.length).toBeLessThanOrEqual(512);
  });

  it("answers without a session, before and after the handshake", async () => {
    const before = await exchange(door, { body: legacy("tools/list") });
    const opened = await exchange(door, { body: initialize() });
    const told = await exchange(door, { body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    const after = await exchange(door, {
      headers: { "mcp-protocol-version": "2025-11-25", "mcp-session-id": "one-that-never-was" },
      body: legacy("tools/list"),
    });
    expect([before.status, opened.status, told.status, after.status]).toEqual([200, 200, 202, 200]);
    expect(after.text).toBe(before.text);
    for (const { headers } of [before, opened, told, after]) expect(headers.get("mcp-session-id")).toBeNull();
  });
});

describe("legacy: requests", () => {
  it.each([null, ...LEGACY])(
    "lists its tools under the version %s, with no member of the modern era",
    async (version) => {
      const { status, json } = await exchange(door, {
        headers: { "mcp-protocol-version": version },
        body: legacy("tools/list"),
      });
      expect(status).toBe(200);
      expect(json).toEqual({ jsonrpc: "2.0", id: 1, result: { tools } });
      expect(tools.length).toBeGreaterThan(0);
      expect(tools.length).toBeLessThanOrEqual(29);
    },
  );

  it("answers a ping with an empty object", async () => {
    const { text } = await exchange(door, { body: { ...legacy("ping"), id: "p-1" } });
    expect(text).toBe('{"jsonrpc":"2.0","id":"p-1","result":{}}');
  });

  it("says which tool it doesn't know, in an error of the protocol", async () => {
    const { status, text } = await exchange(door, { body: legacy("tools/call", { name: "quel_outil" }) });
    expect(status).toBe(200);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Outil inconnu : quel_outil"}}');
  });

  it("says which method it doesn't know, at 200: one client takes a 404 for the end of its session", async () => {
    const { status, text } = await exchange(door, { body: legacy("prompts/list") });
    expect(status).toBe(200);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Méthode inconnue : prompts/list"}}');
  });

  it("answers a tool's call with text alone", async () => {
    const { status, json } = await exchange(fixture, { body: legacy("tools/call", { name: "temoin" }) });
    expect(status).toBe(200);
    expect(json).toEqual({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text: "Vu." }] } });
  });

  it.each(LEGACY)("refuses the modern discovery under the version %s", async (version) => {
    const { status, json } = await exchange(door, {
      headers: { "mcp-protocol-version": version },
      body: legacy("server/discover"),
    });
    expect([status, json.error.code]).toEqual([200, -32601]);
  });
});

describe("modern", () => {
  const serverInfo = hello.serverInfo;

  it("is discovered: versions, tools, instructions, cache hints, its names in _meta", async () => {
    const { status, json } = await exchange(door, modern("server/discover"));
    expect(status).toBe(200);
    expect(json).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        instructions: hello.instructions,
        ttlMs: 3_600_000,
        cacheScope,
        resultType: "complete",
        _meta: { [SERVER_KEY]: serverInfo },
      },
    });
  });

  it("lists the same tools in the same order, with cache hints and no next page", async () => {
    const { status, json } = await exchange(door, modern("tools/list"));
    expect(status).toBe(200);
    expect(json.result).toEqual({
      tools,
      ttlMs: 3_600_000,
      cacheScope,
      resultType: "complete",
      _meta: { [SERVER_KEY]: serverInfo },
    });
  });

  it("answers a tool's call with resultType and its names, without cache hints", async () => {
    const { json } = await exchange(fixture, modern("tools/call", { name: "temoin", arguments: {} }));
    expect(json.result).toEqual({
      content: [{ type: "text", text: "Vu." }],
      resultType: "complete",
      _meta: { [SERVER_KEY]: { name: "fixture", title: "Porte d'essai", version: "0.0.0" } },
    });
  });

  it("says a refusal as a complete result", async () => {
    const { status, json } = await exchange(fixture, modern("tools/call", { name: "refus", arguments: {} }));
    expect(status).toBe(200);
    expect(json.result.isError).toBe(true);
    expect(json.result.resultType).toBe("complete");
  });

  it("keeps its names within 150 bytes: one client hands them to the model every time", () => {
    expect(new TextEncoder().encode(JSON.stringify(serverInfo)).length).toBeLessThanOrEqual(150);
  });

  it("accepts a name in base64", async () => {
    const call = modern("tools/call", { name: "temoin", arguments: {} });
    const { status } = await exchange(fixture, { ...call, headers: { ...call.headers, "mcp-name": wrap("temoin") } });
    expect(status).toBe(200);
  });

  it("answers an unknown method with 404 and a body that tells it from a dead address", async () => {
    const { status, text } = await exchange(door, modern("ping"));
    expect(status).toBe(404);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Méthode inconnue : ping"}}');
  });

  it("answers an unknown tool at 200: a 400 would never reach the model", async () => {
    const { status, text } = await exchange(door, modern("tools/call", { name: "quel_outil", arguments: {} }));
    expect(status).toBe(200);
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Outil inconnu : quel_outil"}}');
  });

  it("refuses a version it doesn't speak, and says which one it does", async () => {
    const { headers, body } = modern("server/discover");
    const asked = JSON.parse(JSON.stringify(body).replaceAll(MODERN, "2027-01-01"));
    const { status, json } = await exchange(door, {
      headers: { ...headers, "mcp-protocol-version": "2027-01-01" },
      body: asked,
    });
    expect(status).toBe(400);
    expect(json.id).toBe(1);
    expect(json.error.code).toBe(-32022);
    expect(json.error.data).toEqual({ supported: ["2026-07-28"], requested: "2027-01-01" });
  });

  it("echoes the id of a probe as it came", async () => {
    const { headers, body } = modern("server/discover");
    const { json } = await exchange(door, { headers, body: { ...body, id: "server-discover-probe-1" } });
    expect(json.id).toBe("server-discover-probe-1");
  });

  it("is served whatever the client declares or forgets of itself", async () => {
    for (const _meta of [
      { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} },
      {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {
          elicitation: {},
          extensions: { "io.modelcontextprotocol/ui": {} },
        },
        "io.modelcontextprotocol/clientInfo": { name: "x" },
        "x-codex-turn-metadata": { cwd: "/home/someone" },
      },
    ]) {
      const { status, text } = await exchange(door, modern("tools/list", { _meta }));
      expect(status).toBe(200);
      expect(text).not.toContain("someone");
    }
  });
});

describe("transport", () => {
  it.each([
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["a notification of nothing known", { jsonrpc: "2.0", method: "x/y" }],
    ["a posted response", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an array of notifications", [{ jsonrpc: "2.0", method: "notifications/initialized" }]],
  ])("answers %s with 202 and not one byte", async (_, body) => {
    const { status, headers, text } = await exchange(door, { body });
    expect(status).toBe(202);
    expect(text).toBe("");
    expect(headers.get("content-type")).toBeNull();
  });

  it.each(["GET", "PUT", "DELETE", "PATCH", "HEAD", "PROPFIND"])(
    "answers %s with 405 and what is allowed",
    async (method) => {
      const { status, headers, text } = await exchange(door, { method });
      expect(status).toBe(405);
      expect(headers.get("allow")).toBe("POST, OPTIONS");
      if (method === "HEAD") expect(text).toBe("");
      else expect(JSON.parse(text)).toEqual({ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } });
    },
  );

  it("answers a browser's preflight", async () => {
    const { status, headers, text } = await exchange(door, {
      method: "OPTIONS",
      headers: {
        "content-type": null,
        origin: "http://localhost:6274",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,mcp-protocol-version,mcp-method,mcp-name",
        "access-control-request-private-network": "true",
      },
    });
    expect(status).toBe(204);
    expect(text).toBe("");
    expect(headers.get("access-control-allow-origin")).toBe(isPrivate ? "http://localhost:6274" : "*");
    expect(headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    expect(headers.get("access-control-allow-headers")).toBe(CORS["access-control-allow-headers"]);
    expect(headers.get("access-control-max-age")).toBe("86400");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("access-control-allow-private-network")).toBeNull();
  });

  it("gives every answer the whole CORS block, errors included", async ({ skip }) => {
    skip(isPrivate, OF_PUBLIC_DOORS);
    for (const sent of [
      { body: initialize() },
      modern("tools/list"),
      { body: { jsonrpc: "2.0", method: "notifications/initialized" } },
      { body: "{" },
      { body: legacy("x") },
      modern("x"),
      { method: "OPTIONS" },
      { method: "GET" },
      { path: "/.well-known/oauth-protected-resource", method: "GET" },
      { headers: { origin: "null" }, body: legacy("ping") },
      { headers: { "content-type": "text/plain" }, body: legacy("ping") },
      { headers: { accept: "text/html" }, body: legacy("ping") },
      { body: " ".repeat(300_000) },
    ]) {
      const { status, headers } = await exchange(door, sent);
      const block = Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
      const expected = "method" in sent && sent.method === "OPTIONS" ? CORS : { "access-control-allow-origin": "*" };
      expect({ status, ...block }).toEqual({ status, ...expected });
    }
  });

  it.each([
    null,
    "*/*",
    "application/json",
    "application/json, text/event-stream",
    "text/event-stream, application/json",
    "application/*",
  ])("answers JSON to a client that accepts %s", async (accept) => {
    const { status, headers } = await exchange(door, { headers: { accept }, body: legacy("tools/list") });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
  });

  it("tells a bare curl -d which header to add", async () => {
    const { status, json } = await exchange(door, {
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "*/*" },
      body: legacy("tools/list"),
    });
    expect(status).toBe(415);
    expect(json.error.message).toContain("content-type: application/json");
  });

  it.each(["Claude-User", "python-httpx/0.28.1", "ChatGPT-User", "node", "curl/8.5.0", ""])(
    "answers the same bytes to the agent %j",
    async (agent) => {
      const { text } = await exchange(door, { headers: { "user-agent": agent }, body: initialize() });
      expect(JSON.parse(text).result).toEqual(hello);
    },
  );

  it("lists the same bytes every time, in both eras", async () => {
    for (const sent of [{ body: legacy("tools/list") }, modern("tools/list")]) {
      const first = await exchange(door, sent);
      for (let again = 0; again < 3; again++) expect((await exchange(door, sent)).text).toBe(first.text);
    }
  });

  it("answers under both spellings of its address, without a redirect", async () => {
    for (const path of ["/mcp", "/mcp/", "/mcp?x=1", "https://127.0.0.1/mcp"]) {
      const { status, text } = await exchange(door, { path, body: legacy("ping") });
      expect(status).toBe(200);
      expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{}}');
    }
  });
});

describe("tools", () => {
  it.each(tools.map((tool) => [tool.name, tool]))("shows %s as every client accepts it", (_, tool) => {
    expect(lintTool(tool)).toEqual([]);
  });

  it("gives each tool its own name and title", () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(new Set(tools.map(({ title }) => title)).size).toBe(tools.length);
  });

  it("keeps names and descriptions free of what breaks a voice or a pin", () => {
    const shown = JSON.stringify([tools, hello]);
    expect(shown).not.toMatch(/[’\u00A0\u202F\u2013\u2014]/);
    expect(shown).not.toContain("undefined");
  });

  const good = {
    name: "un_outil",
    title: "Un outil",
    description: "Fait quelque chose. Pour « fais-le ».",
    inputSchema: {
      type: "object",
      properties: {
        un: { type: "string", description: "Un.", enum: ["a", "b"], default: "a" },
        deux: { type: "array", items: { type: "integer", minimum: 1 } },
      },
      required: ["un"],
      additionalProperties: false,
    },
    annotations: {
      title: "Un outil",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  };
  const withProperty = (key: string, property: unknown) => ({
    ...good,
    inputSchema: { type: "object", properties: { [key]: property }, additionalProperties: false },
  });

  it("would accept a good tool", () => {
    expect(lintTool(good)).toEqual([]);
  });

  it.each([
    ["a name with capitals", { ...good, name: "UnOutil" }],
    ["a name of two characters", { ...good, name: "ab" }],
    ["a name of 22 characters", { ...good, name: "a".repeat(22) }],
    ["a name with an accent", { ...good, name: "météo" }],
    ["no title", { ...good, title: undefined }],
    ["a long description", { ...good, description: `${"a".repeat(1200)} Pour « a ».` }],
    ["a description that doesn't end with what is said", { ...good, description: "Pour « a ». Voilà." }],
    ["three hints", { ...good, annotations: { ...good.annotations, openWorldHint: undefined } }],
    ["another title in the annotations", { ...good, annotations: { ...good.annotations, title: "Autre" } }],
    ["an outputSchema", { ...good, outputSchema: { type: "object" } }],
    ["no type at the root", { ...good, inputSchema: { properties: {}, additionalProperties: false } }],
    ["additional properties", { ...good, inputSchema: { type: "object", properties: {} } }],
    ["additionalProperties {}", { ...good, inputSchema: { type: "object", properties: {}, additionalProperties: {} } }],
    ["oneOf at the root", { ...good, inputSchema: { ...good.inputSchema, oneOf: [] } }],
    ["$schema", { ...good, inputSchema: { ...good.inputSchema, $schema: "x" } }],
    ["$defs", { ...good, inputSchema: { ...good.inputSchema, $defs: {} } }],
    ["a required property that isn't there", { ...good, inputSchema: { ...good.inputSchema, required: ["trois"] } }],
    ["$ref", withProperty("un", { $ref: "#/x" })],
    ["a list of types", withProperty("un", { type: ["string", "null"] })],
    ["the type null", withProperty("un", { type: "null" })],
    ["an unknown keyword", withProperty("un", { type: "string", pattern: "^a" })],
    ["a format", withProperty("un", { type: "string", format: "date" })],
    ["const", withProperty("un", { type: "string", const: "a" })],
    ["nullable", withProperty("un", { type: "string", nullable: true })],
    ["a keyword of another type", withProperty("un", { type: "string", minimum: 1 })],
    ["an enum of numbers", withProperty("un", { type: "integer", enum: [1, 2] })],
    ["an enum of mixed values", withProperty("un", { type: "string", enum: ["a", 1] })],
    ["an empty enum", withProperty("un", { type: "string", enum: [] })],
    ["an array without items", withProperty("un", { type: "array" })],
    ["an array of arrays", withProperty("un", { type: "array", items: { type: "array", items: { type: "string" } } })],
    ["minItems", withProperty("un", { type: "array", items: { type: "string" }, minItems: 1 })],
    ["an object inside", withProperty("un", { type: "object", properties: {}, additionalProperties: false })],
    ["an anyOf inside", withProperty("un", { anyOf: [{ type: "string" }] })],
    ["a key with an accent", withProperty("équipe", { type: "string" })],
    ["a key with capitals", withProperty("Equipe", { type: "string" })],
    ["a key with a dash", withProperty("une-equipe", { type: "string" })],
    ["a default of another type", withProperty("un", { type: "integer", default: "1" })],
    ["a default out of the choices", withProperty("un", { type: "string", enum: ["a"], default: "b" })],
    ["bounds that nothing fits", withProperty("un", { type: "integer", minimum: 2, maximum: 1 })],
  ])("would refuse %s", (_, tool) => {
    expect(lintTool(tool).length).toBeGreaterThan(0);
  });

  it("lists what a tool declares of its own hints", async () => {
    const { json } = await exchange(fixture, { body: legacy("tools/list") });
    const { annotations } = json.result.tools.find(({ name }: Json) => name === "efface");
    expect(annotations).toEqual({
      title: "Efface",
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    });
  });
});
