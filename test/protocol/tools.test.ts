import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import door from "#door";
import fixture from "#fixture-door";
import { type Exchange, exchange, type Json, legacy, modern, OF_PUBLIC_DOORS } from "./exchange.ts";

const call = (name: string, given?: unknown, env?: Exchange["env"]) =>
  exchange(fixture, { body: legacy("tools/call", { name, arguments: given }), env });

/** What `echo` received for these arguments, past the text that it requires. */
async function received(given: Json): Promise<Json> {
  const { json } = await call("echo", { texte: "allo", ...given });
  expect(json.result.isError, json.result.content[0].text).toBeUndefined();
  const { texte, choix, rang, actif, ...rest } = JSON.parse(json.result.content[0].text);
  return { texte, choix, rang, actif, ...rest };
}

/** What the model hears when `echo` refuses these arguments. */
async function refused(given: Json): Promise<string> {
  const { status, json } = await call("echo", given);
  expect(status).toBe(200);
  expect(json.result.isError).toBe(true);
  expect(json.result.content).toHaveLength(1);
  return json.result.content[0].text;
}

const logged = vi.spyOn(console, "error");

beforeEach(() => {
  logged.mockReset().mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("arguments", () => {
  const BASE = { texte: "allo", choix: "l'Est", rang: 4, actif: false };

  it.each<[string, Json, Json]>([
    ["gives absent ones their defaults", {}, {}],
    ["drops the ones it doesn't know", { autre: 1, url: "http://evil.example/", TEXTE: "x" }, {}],
    ["drops keys of Object.prototype", { constructor: 1, toString: "x", hasOwnProperty: 1, valueOf: {} }, {}],
    ["reads null as absent", { choix: null, nombre: null, mesure: null, actif: null, liste: null, rang: null }, {}],
    ["reads an empty text as absent", { choix: "", liste: null }, {}],
    ["reads a blank text as absent", { choix: " \t\u00A0" }, {}],
    ["keeps a number", { nombre: 3, mesure: -1.5 }, { nombre: 3, mesure: -1.5 }],
    ["reads a numeric text as a number", { nombre: "3", mesure: "-1.5" }, { nombre: 3, mesure: -1.5 }],
    ["reads a numeric text with blanks", { nombre: " 3 " }, { nombre: 3 }],
    ["reads a decimal comma", { mesure: "2,5" }, { mesure: 2.5 }],
    ["reads 3.0 as an integer", { nombre: 3.0 }, { nombre: 3 }],
    ["reads a text of 3.0 as an integer", { nombre: "3.0" }, { nombre: 3 }],
    [
      "takes the lowest and the highest value",
      { nombre: 1, plafond: 3, plancher: -1.5 },
      { nombre: 1, plafond: 3, plancher: -1.5 },
    ],
    ["takes zero and negatives where nothing forbids them", { mesure: 0, plafond: -9 }, { mesure: 0, plafond: -9 }],
    [
      "lets a value replace the default",
      { rang: 1, actif: true, choix: "les repêchés" },
      { rang: 1, actif: true, choix: "les repêchés" },
    ],
    ["keeps false where the default is false", { actif: false }, {}],
    ["finds a choice whatever the capitals", { choix: "LES REPÊCHÉS" }, { choix: "les repêchés" }],
    ["finds a choice without its accents", { choix: "les repeches" }, { choix: "les repêchés" }],
    ["finds a choice in decomposed accents", { choix: "les repe\u0302che\u0301s" }, { choix: "les repêchés" }],
    ["finds a choice between blanks", { choix: "  l'est\n" }, {}],
    ["finds a choice with a typographic apostrophe", { choix: "l\u2019Est" }, {}],
    ["keeps a list", { liste: ["a", "b"] }, { liste: ["a", "b"] }],
    ["keeps an empty list", { liste: [] }, { liste: [] }],
    ["reads the items of a list like values", { notes: ["1", 2, 0] }, { notes: [1, 2, 0] }],
    ["cleans the items of a list", { liste: [" a ", "b\u0000"] }, { liste: ["a", "b"] }],
    ["takes a text of the shortest length", { texte: "ab" }, { texte: "ab" }],
    ["takes a text of the longest length", { texte: "abcdefghij" }, { texte: "abcdefghij" }],
    ["measures a text without the blanks around it", { texte: "   abcdefghij   " }, { texte: "abcdefghij" }],
    ["counts characters, not the halves of an emoji", { texte: "🏒🏒🏒🏒🏒🏒" }, { texte: "🏒🏒🏒🏒🏒🏒" }],
    ["composes accents", { texte: "e\u0301te\u0301" }, { texte: "été" }],
    ["composes an accent that an invisible character held apart", { texte: "e\u200B\u0301t" }, { texte: "ét" }],
    ["turns controls into blanks", { texte: "a\u0000\r\nb\u001bc" }, { texte: "a b c" }],
    ["drops bidirectional and zero-width characters", { texte: "a\u202Eb\u200Bc\uFEFF\u2066" }, { texte: "abc" }],
    ["drops a lone surrogate", { texte: "ab\ud800c" }, { texte: "abc" }],
    ["keeps markup as it is: a tool decides what it means", { texte: "<b>&\"'" }, { texte: "<b>&\"'" }],
  ])("%s", async (_, given, expected) => {
    expect(await received(given)).toEqual({ ...BASE, ...expected });
  });

  it("hands over the arguments in the order of the schema, whatever the caller's", async () => {
    const { json } = await call("echo", { nombre: 2, texte: "allo" });
    expect(json.result.content[0].text).toBe('{"texte":"allo","choix":"l\'Est","nombre":2,"rang":4,"actif":false}');
  });

  it.each([
    ["a value", '"__proto__":{"texte":"volé"}'],
    ["an array", '"__proto__":["x"]'],
    ["null", '"__proto__":null'],
    ["a nested one", '"liste":[],"__proto__":{"__proto__":{"isError":true}}'],
  ])("takes nothing from a key named __proto__ that holds %s", async (_, member) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{${member}}}}`;
    const { json } = await exchange(fixture, { body });
    expect(json.result.isError).toBe(true);
    expect(json.result.content[0].text).toContain("« texte »");
    expect(Object.hasOwn(Object.prototype, "texte") || "isError" in {}).toBe(false);
    const fine = body.replace('"arguments":{', '"arguments":{"texte":"allo",');
    const kept = JSON.parse((await exchange(fixture, { body: fine })).json.result.content[0].text);
    expect(kept.texte).toBe("allo");
    expect(Object.keys(kept)).not.toContain("__proto__");
  });

  const refusals: [string, Json, string, RegExp][] = [
    ["a required argument that is absent", {}, "texte", /un texte.* 2 .*10 caractères/],
    ["a required argument that is null", { texte: null }, "texte", /un texte/],
    ["a required argument that is blank", { texte: "  " }, "texte", /un texte/],
    ["a required argument of invisible characters", { texte: "\u200B\u202E" }, "texte", /un texte/],
    ["a text that is too short", { texte: "a" }, "texte", / 2 /],
    ["a text that is too long", { texte: "abcdefghijk" }, "texte", / 10 /],
    ["one emoji where two characters are needed", { texte: "🏒" }, "texte", / 2 /],
    ["a number for a text", { texte: 12 }, "texte", /un texte/],
    ["a list for a text", { texte: ["allo"] }, "texte", /un texte/],
    ["an object for a text", { texte: { toString: "allo" } }, "texte", /un texte/],
    ["true for a text", { texte: true }, "texte", /un texte/],
    ["a choice that doesn't exist", { texte: "allo", choix: "l'Ouest" }, "choix", /l'Est.*les repêchés/],
    ["a number for a choice", { texte: "allo", choix: 0 }, "choix", /l'Est.*les repêchés/],
    ["an integer below its minimum", { texte: "allo", nombre: 0 }, "nombre", /entier de 1 à 10/],
    ["an integer above its maximum", { texte: "allo", nombre: 11 }, "nombre", /entier de 1 à 10/],
    ["a fraction for an integer", { texte: "allo", nombre: 1.5 }, "nombre", /entier/],
    ["a text of a fraction for an integer", { texte: "allo", nombre: "1,5" }, "nombre", /entier/],
    ["a text that isn't a number", { texte: "allo", nombre: "trois" }, "nombre", /entier/],
    ["a number followed by its unit", { texte: "allo", nombre: "3 buts" }, "nombre", /entier/],
    ["the text Infinity", { texte: "allo", mesure: "Infinity" }, "mesure", /un nombre/],
    ["the text NaN", { texte: "allo", mesure: "NaN" }, "mesure", /un nombre/],
    ["a text too large for a number", { texte: "allo", mesure: "1e999" }, "mesure", /un nombre/],
    ["true for a number", { texte: "allo", mesure: true }, "mesure", /un nombre/],
    ["a list for a number", { texte: "allo", mesure: [1] }, "mesure", /un nombre/],
    ["a number below a minimum that stands alone", { texte: "allo", plancher: -2 }, "plancher", /d'au moins -1[.,]5/],
    ["an integer above a maximum that stands alone", { texte: "allo", plafond: 4 }, "plafond", /d'au plus 3/],
    ["a text for a boolean", { texte: "allo", actif: "oui" }, "actif", /vrai ou faux/],
    ["a number for a boolean", { texte: "allo", actif: 1 }, "actif", /vrai ou faux/],
    ["a text for a list", { texte: "allo", liste: "a" }, "liste", /une liste/],
    ["an object for a list", { texte: "allo", liste: { 0: "a", length: 1 } }, "liste", /une liste/],
    ["a list with an item of another type", { texte: "allo", liste: ["a", 1] }, "liste", /une liste.*un texte/],
    ["a list with an item that is too long", { texte: "allo", liste: ["abcdef"] }, "liste", /5 caractères/],
    ["a list with null", { texte: "allo", liste: [null] }, "liste", /une liste/],
    ["a list of lists", { texte: "allo", liste: [["a"]] }, "liste", /une liste/],
    ["a list with a number out of bounds", { texte: "allo", notes: [0, -1] }, "notes", /une liste.*entier/],
  ];

  it.each(refusals)("refuses %s", async (_, given, parameter, accepted) => {
    const said = await refused(given);
    expect(said).toContain(`« ${parameter} »`);
    expect(said).toMatch(accepted);
    expect(logged).not.toHaveBeenCalled();
  });

  it("refuses in whole sentences, without quoting what was given", async () => {
    for (const [, given] of refusals) {
      const said = await refused({ ...given, texte: given.texte ?? null, canari: "canari" });
      expect(said).toMatch(/^\p{Lu}.*\.$/u);
      expect(said).not.toMatch(/canari|undefined|null|NaN|Infinity|\[|\{|string|integer/);
    }
  });

  it("says both lengths of a text in one breath", async () => {
    expect(await refused({})).toMatch(/un texte (de 2 à 10 caractères|d'au moins 2 et d'au plus 10 caractères)/);
  });

  it.each(["1e999", "9".repeat(20_000), "-1e400"])("refuses a number that JSON makes infinite", async (number) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"texte":"allo","mesure":${number}}}}`;
    const { json } = await exchange(fixture, { body });
    expect(json.result.isError).toBe(true);
    expect(json.result.content[0].text).toContain("« mesure »");
  });

  it("refuses a list of 80 000 bad items at once", async () => {
    expect(await refused({ texte: "allo", notes: Array.from({ length: 80_000 }, () => -1) })).toContain("« notes »");
  });
});

describe("how a tool ends", () => {
  it("speaks a Refusal, and logs nothing", async () => {
    const { status, json } = await call("refus");
    expect(status).toBe(200);
    expect(json.result).toEqual({
      content: [{ type: "text", text: "Je refuse. Ça ne dure pas. Ça ne veut rien dire. Redemande." }],
      isError: true,
    });
    expect(logged).not.toHaveBeenCalled();
  });

  it.each(["bogue", "bogue_direct"])("says one generic sentence for a bug (%s), and logs the bug", async (tool) => {
    const { status, json, text } = await call(tool);
    expect(status).toBe(200);
    expect(json.result.isError).toBe(true);
    expect(json.result.content).toHaveLength(1);
    expect(json.result.content[0].text).toMatch(/^Quelque chose s'est brisé de mon côté\./);
    expect(text).not.toMatch(/secret|interne|http|TypeError|\bat /);
    expect(logged).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(logged.mock.calls[0], (_, one) => (one instanceof Error ? one.message : one))).toContain(
      "secret",
    );
  });

  it("says the same generic sentence for every bug", async () => {
    const [one, other] = [await call("bogue"), await call("bogue_direct")];
    expect(other.text).toBe(one.text);
  });

  it("passes blocks of content as the tool made them", async () => {
    const { json } = await call("image");
    expect(json.result).toEqual({
      content: [
        { type: "text", text: "Voici." },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    });
  });

  it("refuses in a sentence, within 8 seconds, for a tool that never ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let answer: Json = null;
    const asked = call("lent").then((one) => {
      answer = one;
    });
    for (let second = 0; second < 7; second++) await vi.advanceTimersByTimeAsync(1_000);
    expect(answer).toBeNull();
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await Promise.race([
      asked,
      new Promise((_, reject) => setTimeout(() => reject(new Error("no answer at 8 s")), 500)),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.json.result.isError).toBe(true);
    expect(answer.json.result.content[0].text).toMatch(/^\p{Lu}.*\..*\..*\.$/u);
    expect(logged).not.toHaveBeenCalled();
  });

  it("leaves no timer behind a tool that ends", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = [call("temoin"), call("refus"), call("bogue")];
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all(asked);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives a tool the network and work that outlives the answer", async () => {
    const fetched = vi.fn<typeof fetch>(async () => new Response("Lu."));
    vi.stubGlobal("fetch", fetched);
    const waiting: Promise<unknown>[] = [];
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(legacy("tools/call", { name: "reseau" })),
    });
    const ctx = { waitUntil: (work: Promise<unknown>) => waiting.push(work), passThroughOnException() {}, props: {} };
    const answer = (await (await fixture.fetch(request, {}, ctx)).json()) as Json;
    expect(answer.result.content[0].text).toBe("Lu.");
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(fetched.mock.calls[0][0]).toBe("https://source.example/");
    expect(await Promise.all(waiting)).toEqual(["Lu."]);
  });
});

describe("the clock", () => {
  const now = async (env: Exchange["env"]) => (await call("horloge", {}, env)).json.result.content[0].text;

  it("is the real one without CLOCK", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2031-05-06T07:08:09Z") });
    expect(await now({})).toBe("2031-05-06T07:08:09.000Z");
  });

  it("starts at CLOCK when first asked, then runs", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2031-05-06T07:08:09Z") });
    const env = { CLOCK: "2025-10-08T23:21:51Z" };
    expect(await now(env)).toBe("2025-10-08T23:21:51.000Z");
    vi.setSystemTime(new Date("2031-05-06T07:09:10.5Z"));
    expect(await now(env)).toBe("2025-10-08T23:22:52.500Z");
  });

  it("reads an instant of another zone", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    expect(await now({ CLOCK: "2025-10-08T19:21:51-04:00" })).toBe("2025-10-08T23:21:51.000Z");
  });

  it("keeps the clocks of two deployments apart", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const [one, other] = [{ CLOCK: "2025-01-01T00:00:00Z" }, { CLOCK: "2026-01-01T00:00:00Z" }];
    expect(await now(one)).toBe("2025-01-01T00:00:00.000Z");
    vi.setSystemTime(60_000);
    expect(await now(other)).toBe("2026-01-01T00:00:00.000Z");
    expect(await now(one)).toBe("2025-01-01T00:01:00.000Z");
  });
});

describe("the house's name", () => {
  const env = { PUBLIC_URL: "https://porte.example" };
  const at = (path: string, method = "POST") =>
    exchange(door, { path, method, env, body: method === "POST" ? legacy("ping") : undefined });

  it.each([
    "https://porte.example/mcp",
    "https://PORTE.example/mcp",
    "https://porte.example:443/mcp",
    "http://127.0.0.1/mcp",
    "http://127.0.0.1:8787/mcp",
    "http://localhost:8787/mcp",
    "http://[::1]:8787/mcp",
  ])("answers at %s", async (url) => {
    expect((await at(url)).status).toBe(200);
  });

  it.each([
    "https://evil.example/mcp",
    "https://porte.example.evil.example/mcp",
    "https://evil-porte.example/mcp",
    "https://sub.porte.example/mcp",
    "https://porte.example:8443/mcp",
    "https://hockey.quelqu-un.workers.dev/mcp",
    "http://localhost.evil.example/mcp",
    "http://127.0.0.1.evil.example/mcp",
    "http://10.0.0.1/mcp",
    "http://0.0.0.0/mcp",
    "http://169.254.169.254/mcp",
    "http://[::2]/mcp",
  ])("refuses %s with 403 and no id", async (url) => {
    for (const answer of [await at(url), await at(url, "GET"), await at(url.replace("/mcp", "/"), "GET")]) {
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({ jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) } });
      expect(answer.headers.get("content-type")).toBe("application/json");
      expect(answer.text).not.toMatch(/porte\.example|evil/);
    }
  });

  it("takes the port of PUBLIC_URL into account", async () => {
    const ported = { PUBLIC_URL: "https://porte.example:8080/" };
    const ask = (path: string) => exchange(door, { path, env: ported, body: legacy("ping") });
    expect((await ask("https://porte.example:8080/mcp")).status).toBe(200);
    expect((await ask("https://porte.example/mcp")).status).toBe(403);
  });

  it("answers in plain http too, for Cloudflare to send on", async ({ skip }) => {
    skip(inject("isPrivate"), OF_PUBLIC_DOORS);
    expect((await at("http://porte.example/mcp")).status).toBe(200);
  });

  it("answers at any name without PUBLIC_URL", async ({ skip }) => {
    skip(inject("isPrivate"), OF_PUBLIC_DOORS);
    expect((await exchange(door, { path: "https://n-importe.example/mcp", body: legacy("ping") })).status).toBe(200);
  });

  it("answers at loopback only when PUBLIC_URL isn't an address", async ({ skip }) => {
    skip(inject("isPrivate"), OF_PUBLIC_DOORS);
    const ask = (path: string) => exchange(door, { path, env: { PUBLIC_URL: "porte" }, body: legacy("ping") });
    expect((await ask("https://porte/mcp")).status).toBe(403);
    expect((await ask("http://127.0.0.1/mcp")).status).toBe(200);
  });
});

describe("origins, tools and caches of one door", () => {
  it("refuses with 403 the origin that this door refuses, and serves the others", async () => {
    const from = (origin: string) => exchange(fixture, { headers: { origin }, body: legacy("ping") });
    expect((await from("https://interdit.example")).status).toBe(403);
    expect((await from("https://permis.example")).status).toBe(200);
    expect((await from("null")).status).toBe(403);
  });

  it("lists and calls a tool only where it is open", async () => {
    const names = async (env: Exchange["env"]) =>
      (await exchange(fixture, { body: legacy("tools/list"), env })).json.result.tools.map(({ name }: Json) => name);
    expect(await names({})).not.toContain("cache");
    expect(await names({ OUVERT: "oui" })).toContain("cache");
    expect(await names({})).not.toContain("cache");
    expect((await call("cache", {}, {})).json.error).toEqual({ code: -32602, message: "Outil inconnu : cache" });
    expect((await call("cache", {}, { OUVERT: "oui" })).json.result.content[0].text).toBe("Ouvert.");
  });

  it("says who may share the list", async () => {
    for (const method of ["tools/list", "server/discover"]) {
      expect((await exchange(fixture, modern(method))).json.result.cacheScope).toBe("private");
    }
  });
});

describe("the brake", () => {
  /** Lets `allowed` calls through and remembers whom it was asked about. */
  function brake(allowed: number) {
    const keys: unknown[] = [];
    return {
      keys,
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: keys.length <= allowed };
      },
    };
  }
  const CALL = legacy("tools/call", { name: "temoin", arguments: {} });

  it("answers 429 over the limit: when to come back, and a body with the id", async () => {
    const [BRAKE, appels] = [brake(1), [] as unknown[]];
    expect((await exchange(fixture, { body: CALL, env: { BRAKE, appels } })).status).toBe(200);
    const over = await exchange(fixture, { body: { ...CALL, id: "deux" }, env: { BRAKE, appels } });
    expect(over.status).toBe(429);
    expect(over.headers.get("retry-after")).toBe("10");
    expect(over.headers.get("content-type")).toBe("application/json");
    expect(over.headers.get("access-control-allow-origin")).toBe("*");
    expect(over.headers.get("access-control-expose-headers")).toContain("retry-after");
    expect(over.json).toEqual({ jsonrpc: "2.0", id: "deux", error: { code: -32600, message: expect.any(String) } });
    expect(appels).toHaveLength(1);
  });

  it("brakes both eras", async () => {
    const env = { BRAKE: brake(0) };
    expect((await exchange(fixture, { body: CALL, env })).status).toBe(429);
    expect((await exchange(fixture, { ...modern("tools/call", { name: "temoin", arguments: {} }), env })).status).toBe(
      429,
    );
  });

  it("knows a caller by cf-connecting-ip, or as local", async () => {
    const BRAKE = brake(9);
    await exchange(fixture, { body: CALL, headers: { "cf-connecting-ip": "203.0.113.7" }, env: { BRAKE } });
    await exchange(fixture, { body: CALL, headers: { "x-forwarded-for": "203.0.113.8" }, env: { BRAKE } });
    expect(BRAKE.keys).toEqual(["203.0.113.7", "local"]);
  });

  it("counts nothing but calls of tools", async () => {
    const BRAKE = brake(0);
    const statuses = [];
    for (const sent of [
      { body: legacy("initialize", { protocolVersion: "2025-11-25" }) },
      { body: legacy("ping") },
      { body: legacy("tools/list") },
      { body: legacy("nothing") },
      modern("server/discover"),
      modern("tools/list"),
      { body: { jsonrpc: "2.0", method: "tools/call", params: { name: "temoin" } } },
      { body: [legacy("ping"), { jsonrpc: "2.0", method: "notifications/initialized" }] },
      { body: "{" },
      { method: "GET" },
      { method: "OPTIONS" },
    ]) {
      statuses.push((await exchange(fixture, { ...sent, env: { BRAKE } })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 202, 200, 400, 405, 204]);
    expect(BRAKE.keys).toEqual([]);
  });

  it("counts each call of a batch, and executes nothing of one that goes over", async () => {
    const batch = (length: number) => Array.from({ length }, (_, index) => ({ ...CALL, id: index + 1 }));
    const [BRAKE, appels] = [brake(5), [] as unknown[]];
    const fits = await exchange(fixture, { body: batch(3), env: { BRAKE, appels } });
    expect(fits.status).toBe(200);
    expect(appels).toHaveLength(3);
    const over = await exchange(fixture, { body: batch(3), env: { BRAKE, appels } });
    expect(over.status).toBe(429);
    expect(over.headers.get("retry-after")).toBe("10");
    expect(over.json.error.code).toBe(-32600);
    expect([1, 2, 3]).toContain(over.json.id);
    expect(appels).toHaveLength(3);
  });

  it("lets everything through when it isn't bound", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => (await exchange(fixture, { body: CALL })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("lets the call through when the brake itself is broken, and logs it", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    const BRAKE = { limit: () => Promise.reject(new Error("secret")) };
    const { status, json, text } = await exchange(fixture, { body: CALL, env: { BRAKE } });
    expect({ status, id: json.id, error: json.error }).toEqual({ status: 200, id: 1, error: undefined });
    expect(text).not.toContain("secret");
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });
});

describe("batches", () => {
  it("runs its calls in order and answers them in order", async () => {
    const appels: Json[] = [];
    const body = ["un", "deux", "trois"].map((texte) => ({
      ...legacy("tools/call", { name: "temoin", arguments: { texte } }),
      id: texte,
    }));
    const { json } = await exchange(fixture, { body, env: { appels } });
    expect(appels).toEqual([{ texte: "un" }, { texte: "deux" }, { texte: "trois" }]);
    expect(json.map(({ id }: Json) => id)).toEqual(["un", "deux", "trois"]);
  });

  it("lets one failure alone", async () => {
    const names = ["temoin", "refus", "bogue", "inconnu", "temoin"];
    const { status, json } = await exchange(fixture, {
      body: names.map((name, id) => ({ ...legacy("tools/call", { name }), id })),
    });
    expect(status).toBe(200);
    expect(json.map((one: Json) => one.error?.code ?? one.result.isError ?? false)).toEqual([
      false,
      true,
      true,
      -32602,
      false,
    ]);
  });

  it("leaves out the answers that nobody waits for", async () => {
    const { json } = await exchange(fixture, {
      body: [{ jsonrpc: "2.0", method: "tools/call", params: { name: "temoin" } }, legacy("ping")],
    });
    expect(json).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });
});
