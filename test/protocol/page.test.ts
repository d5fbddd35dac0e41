import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import door from "#door";
import fixture from "#fixture-door";
import { exchange, type Json, legacy, modern, SERVER_KEY } from "./exchange.ts";

const PUBLIC = { PUBLIC_URL: "https://porte.example" };
const HOME = "https://porte.example";
const FILES = [
  ["/", "text/html; charset=utf-8"],
  ["/page.css", "text/css; charset=utf-8"],
  ["/page.js", "text/javascript; charset=utf-8"],
  ["/favicon.svg", "image/svg+xml"],
  ["/favicon.ico", "image/x-icon"],
  ["/icon.png", "image/png"],
];
/** The mark of a page: nothing from elsewhere, nothing inline, no frame, no form that leaves. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const get = (path: string, { method = "GET", headers = {}, env = {} } = {}) =>
  exchange(door, { method, path, headers: { "content-type": null, ...headers }, env });
const tools: Json[] = (await exchange(door, { body: legacy("tools/list") })).json.result.tools;

/** What a browser makes of a text of the page: its character references, and the spaces of French as ordinary ones. */
function read(html: string): string {
  return html
    .replace(/<[^>]*>/g, "\n")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/[\u00a0\u202f]/g, " ")
    .replaceAll("\u2019", "'");
}

async function bytesOf(path: string): Promise<Uint8Array> {
  const ctx = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const response = await door.fetch(new Request(`http://127.0.0.1${path}`), {}, ctx);
  return new Uint8Array(await response.arrayBuffer());
}

/** A whole number of a PNG, its highest byte first. */
const wordAt = (bytes: Uint8Array, at: number) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(at);

beforeEach(() => {
  vi.stubGlobal("fetch", async () => new Response("", { status: 503 }));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the files of the page", () => {
  it.each(FILES)("serves %s under a strict policy, without cookie", async (path, type) => {
    const { status, headers, text } = await get(path);
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(100);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("content-security-policy")).toBe(POLICY);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("cache-control")).toBe("no-cache");
    expect(headers.get("set-cookie")).toBeNull();
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(FILES)("answers HEAD on %s as GET, without the body", async (path) => {
    const [whole, head] = [await get(path), await get(path, { method: "HEAD" })];
    expect([head.status, head.text]).toEqual([200, ""]);
    expect([...head.headers]).toEqual([...whole.headers]);
  });

  it.each(FILES)("answers 304 on %s to who has it already, and only then", async (path) => {
    const etag = (await get(path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{16}"$/);
    const ask = (tag: string) => get(path, { headers: { "if-none-match": tag } });
    for (const tag of [etag, `W/${etag}`, `"autre", ${etag}`]) {
      const { status, headers, text } = await ask(tag);
      expect([status, text, headers.get("etag")]).toEqual([304, "", etag]);
      expect(headers.get("content-security-policy")).toBe(POLICY);
    }
    for (const tag of ['"autre"', etag.slice(1, -1), ""]) expect((await ask(tag)).status).toBe(200);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH"])("has nothing there for %s", async (method) => {
    for (const [path] of FILES) {
      const { status, json } = await exchange(door, { method, path, body: legacy("ping") });
      expect([status, json]).toEqual([404, { error: "not_found" }]);
    }
  });

  it.each([
    "/index.html",
    "/page",
    "/PAGE.JS",
    "/page.js/",
    "//",
    "/favicon.png",
    "/icon.png/x",
    "/__proto__",
    "/robots.txt",
  ])("has nothing at %s", async (path) => {
    const { status, text } = await get(`http://127.0.0.1${path}`);
    expect([status, text]).toEqual([404, '{"error":"not_found"}']);
  });

  it("leaves /mcp to POST alone", async () => {
    const { status, headers } = await get("/mcp");
    expect([status, headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("isn't there in a door without a page", async () => {
    for (const [path] of FILES) {
      const { status, json } = await exchange(fixture, { method: "GET", path });
      expect([status, json]).toEqual([404, { error: "not_found" }]);
    }
  });

  it("has a PNG of 48 pixels under 1 kB, and the same inside the ICO", async () => {
    const [png, ico] = [await bytesOf("/icon.png"), await bytesOf("/favicon.ico")];
    expect(png.length).toBeLessThan(1_000);
    expect(Array.from(png.subarray(0, 8))).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
    expect([wordAt(png, 16), wordAt(png, 20)]).toEqual([48, 48]);
    const entry = new DataView(ico.buffer);
    expect([0, 2, 4].map((at) => entry.getUint16(at, true))).toEqual([0, 1, 1]);
    expect([entry.getUint8(6), entry.getUint8(7)]).toEqual([48, 48]);
    const [length, start] = [entry.getUint32(14, true), entry.getUint32(18, true)];
    expect(ico.length).toBe(start + length);
    expect(ico.subarray(start)).toEqual(png);
  });
});

describe("what the page says", () => {
  it("has every phrase of every tool, and its title", async () => {
    const page = read((await get("/")).text).toLowerCase();
    for (const { title, description } of tools) {
      expect(page).toContain(title.toLowerCase());
      const said = Array.from(/Pour « .*$/.exec(description)?.[0].matchAll(/« (.+?) »/g) ?? [], ([, phrase]) => phrase);
      expect(said.length).toBeGreaterThan(1);
      for (const phrase of said) expect(page).toContain(`\n${phrase.toLowerCase()}\n`);
    }
  });

  it("tells how to connect, where the answers come from and what is kept", async () => {
    const page = read((await get("/", { env: PUBLIC })).text);
    const { serverInfo } = (await exchange(door, { body: legacy("initialize", { protocolVersion: "2025-11-25" }) }))
      .json.result;
    for (const said of [
      ...[serverInfo.title, `coche aussi « ${serverInfo.name} »`, "puis « Connecteurs »"],
      ...["Model Context Protocol", "curl -s ", "D'où viennent les réponses", "Ni ta question", "ni ton adresse"],
    ]) {
      expect(page).toContain(said);
    }
    expect(page).not.toMatch(/undefined|NaN|null|\[object/);
  });

  it("is in the French of Québec, with one title, and every link it has is https", async () => {
    const { text } = await get("/");
    expect(text).toMatch(/^<!doctype html>\n<html lang="fr-CA">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).not.toMatch(/<style|style=|onclick|<script(?! src="\/page\.js" defer><\/script>)/);
    for (const [, to] of text.matchAll(/(?:href|src)="([^"]*)"/g)) expect(to).toMatch(/^(https:\/\/[^/]|\/[a-z])/);
    const ids = Array.from(text.matchAll(/ id="([^"]*)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("has a curl line that any shell can run, and whose arguments the tool accepts", async () => {
    const { text } = await get(`${HOME}/`, { env: PUBLIC });
    const line = /<pre id="line">(.*)<\/pre>/s.exec(text)?.[1] ?? "";
    const typed = line.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    const [, body] =
      /^curl -s https:\/\/porte\.example\/mcp \\\n {2}-H 'content-type: application\/json' \\\n {2}-d '(.*)'$/.exec(
        typed,
      ) ?? [];
    const { json } = await exchange(door, { body: JSON.parse(body.replaceAll("'\\''", "'")) });
    expect(json.result.content[0].text).not.toMatch(/^L'argument/);
  });

  it("fills each tool's fields with an example that the tool accepts", async () => {
    const { text } = await get("/");
    for (const { name, inputSchema } of tools) {
      const [part] = new RegExp(`<fieldset data-tool="${name}".*?</fieldset>`, "s").exec(text) ?? [""];
      const fields = Array.from(
        part.matchAll(/<input id="[^"]*" name="([^"]*)" value="([^"]*)"/g),
        ([, key, value]) => [key, value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))],
      );
      expect(fields.map(([key]) => key)).toEqual(Object.keys(inputSchema.properties));
      const args = Object.fromEntries(fields);
      for (const key of inputSchema.required ?? []) expect(args[key]).not.toBe("");
      const { json } = await exchange(door, { body: legacy("tools/call", { name, arguments: args }) });
      expect(json.result.content[0].text).not.toMatch(/^L'argument/);
    }
  });
});

describe("the address to paste", () => {
  it.each([
    ["the public one, on its host", "https://porte.example/", PUBLIC, "https://porte.example/mcp"],
    ["the public one, even over http", "http://porte.example/", PUBLIC, "https://porte.example/mcp"],
    ["the public one without its path", `${HOME}/`, { PUBLIC_URL: `${HOME}/a?b=c#d` }, "https://porte.example/mcp"],
    ["one's own, in development", "http://127.0.0.1:8787/", PUBLIC, "http://127.0.0.1:8787/mcp"],
    ["one's own, as it is called", "http://localhost:9000/", PUBLIC, "http://localhost:9000/mcp"],
    ["that of the request, where none is declared", "https://ailleurs.example/", {}, "https://ailleurs.example/mcp"],
  ])("is %s", async (_, path, env, address) => {
    const { text } = await get(path, { env });
    expect(text).toContain(`<code id="address">${address}</code>`);
    expect(text).toContain(`curl -s ${address} \\\n`);
  });

  it("comes from no header of the request", async () => {
    const forged = { "x-forwarded-host": "evil.example", "x-forwarded-proto": "ftp", forwarded: "host=evil.example" };
    const { text } = await get(`${HOME}/`, { env: PUBLIC, headers: forged });
    expect(text).not.toContain("evil.example");
    expect(text).toBe((await get(`${HOME}/`, { env: PUBLIC })).text);
  });

  it("says of a local one that Claude doesn't see it", async () => {
    const said = "celle d'une porte locale";
    expect(read((await get("/", { env: PUBLIC })).text)).toContain(said);
    expect(read((await get(`${HOME}/`, { env: PUBLIC })).text)).not.toContain(said);
  });
});

describe("the icons in the door's names", () => {
  const initialize = legacy("initialize", { protocolVersion: "2025-11-25" });
  const icons = [{ src: "https://porte.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }];

  it("are told when the door is opened or discovered, on its public address", async () => {
    const { serverInfo } = (await exchange(door, { body: initialize, env: PUBLIC })).json.result;
    expect(serverInfo).toEqual({ ...serverInfo, icons });
    const { _meta } = (await exchange(door, { ...modern("server/discover"), env: PUBLIC })).json.result;
    expect(_meta[SERVER_KEY]).toEqual(serverInfo);
    expect((await get(new URL(icons[0].src).pathname)).headers.get("content-type")).toBe(icons[0].mimeType);
  });

  it.each([[undefined], ["http://porte.example"], ["http://127.0.0.1:8787"], ["porte"]])(
    "aren't when PUBLIC_URL is %s: a client couldn't fetch them",
    async (PUBLIC_URL) => {
      const { serverInfo } = (await exchange(door, { body: initialize, env: { PUBLIC_URL } })).json.result;
      expect(Object.keys(serverInfo)).toEqual(["name", "title", "version"]);
    },
  );

  it("stay out of the answers: one client hands those names to the model every time", async () => {
    for (const sent of [modern("tools/list"), modern("tools/call", { name: tools[0].name, arguments: {} })]) {
      const { _meta } = (await exchange(door, { ...sent, env: PUBLIC })).json.result;
      expect(Object.keys(_meta[SERVER_KEY])).toEqual(["name", "title", "version"]);
    }
  });

  it("aren't in a door without a page", async () => {
    const { serverInfo } = (await exchange(fixture, { body: initialize, env: PUBLIC })).json.result;
    expect(Object.keys(serverInfo)).toEqual(["name", "title", "version"]);
  });
});
