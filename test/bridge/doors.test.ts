// The tools of doors: their names, their answers as they are, a door that is ill, one that dies; and real doors.
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openDoor } from "../../bridge/door.mjs";
import { type Running, startDoor } from "../processes.ts";
import { NIGHT } from "../upstream/nhl.mjs";
import { listen } from "../upstream/server.mjs";
import { startSources } from "../upstream/sources.mjs";
import { faultsOf } from "../voice.ts";
import { MODERN, type StandIn, startOldDoor, startStandIn, type Tool, textOf, toolOf } from "./door.ts";
import { type Answer, ask, CUT, call, Place, type Run, refusal, rpc } from "./run.ts";

let place: Place;
const doors: { close(): Promise<void> }[] = [];
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await place.clear();
  for (const door of doors.splice(0)) await door.close();
});

async function start(...given: Parameters<typeof startStandIn>): Promise<StandIn> {
  const door = await startStandIn(...given);
  doors.push(door);
  return door;
}

/** A door that answers every request in its own way; its requests are counted. */
async function startOdd(respond: Parameters<typeof listen>[1]): Promise<{ url: string; calls: string[] }> {
  const server = await listen(0, respond);
  doors.push(server);
  return { url: `${server.url}/mcp`, calls: server.calls };
}

async function startOld(...given: Parameters<typeof startOldDoor>): ReturnType<typeof startOldDoor> {
  const door = await startOldDoor(...given);
  doors.push(door);
  return door;
}

/** Writes byte by byte, and ends. Without a pause, Node joins them at both ends of the connection. */
async function drip(response: ServerResponse, text: string): Promise<void> {
  for (const byte of Buffer.from(text)) {
    response.write(Uint8Array.of(byte));
    await wait(3);
  }
  response.end();
}

/** The one line of a run that a door's fault, or its address's, has kept from starting. */
async function refusedLine(door: string, code: number): Promise<string> {
  const given = ["--allow", "chercher", "--door", door, "--", "echo", "started"];
  const { status, stdout, stderr } = await place.finish(given);
  expect({ status, stdout }).toEqual({ status: code, stdout: "" });
  expect(stderr).toMatch(/^labo-bridge: --door .+\n$/);
  return stderr;
}

async function namesOf(run: Run): Promise<string[]> {
  const { body } = await ask(run, { body: rpc("tools/list") });
  return body.result.tools.map(({ name }: { name: string }) => name);
}

/** What the model hears of a door that is ill: four parts, in French, and nothing of how it is made. */
function expectSpoken(answer: Answer, door: string): void {
  expect(answer.status).toBe(200);
  const { isError, content } = answer.body.result;
  expect(isError).toBe(true);
  expect(content).toHaveLength(1);
  const [{ text }] = content;
  expect(faultsOf(text, 4)).toEqual([]);
  expect(text).toContain(door);
  expect(text).toMatch(/ne veut pas dire/);
  expect(text).toMatch(/[Rr](ed|ée)[mes]/);
  expect(text).not.toMatch(/127\.0\.0\.1|http|ECONN|fetch|\d{3}/);
}

const SEARCH = toolOf("chercher", { q: { type: "string" } });

describe("the tools of doors", () => {
  it("have their own names, descriptions and schemas", async () => {
    const [hockey, meteo] = [await start("hockey", SEARCH), await start("meteo", toolOf("temps"), toolOf("vent"))];
    const given = ["--door", `hockey=${hockey.url}`, "--door", `meteo=${meteo.url}`];
    const run = await place.hold(["--allow", "chercher,temps", ...given]);
    const { body } = await ask(run, { body: rpc("tools/list") });
    expect(body.result.tools).toEqual([SEARCH, toolOf("temps")]);
    expect((await call(run, "chercher", { q: "x" })).body.result).toMatchObject(textOf("hockey : chercher."));
    expect((await call(run, "temps")).body.result).toMatchObject(textOf("meteo : temps."));
    expect((await call(run, "vent")).body).toEqual(refusal("vent"));
    expect(meteo.calls()).toHaveLength(1);
  });

  it("are prefixed by their door on a collision alone, and called by their own name", async () => {
    const [one, two] = [await start("one", SEARCH, toolOf("seul")), await start("two", SEARCH)];
    const given = ["--door", `hockey=${one.url}`, "--door", `meteo=${two.url}`];
    const run = await place.hold(["--allow", "hockey_chercher,meteo_chercher,seul", ...given]);
    expect(await namesOf(run)).toEqual(["hockey_chercher", "meteo_chercher", "seul"]);
    expect((await call(run, "meteo_chercher", { q: "x" })).body.result).toMatchObject(textOf("two : chercher."));
    expect(two.calls()[0].body.params.name).toBe("chercher");
    expect((await call(run, "chercher")).body).toEqual(refusal("chercher"));
  });

  it("that collide are unknown by their bare name: exit code 64", async () => {
    const [one, two] = [await start("one", SEARCH), await start("two", SEARCH)];
    const given = ["--door", `hockey=${one.url}`, "--door", `meteo=${two.url}`];
    const { status, stderr } = await place.finish(["--allow", "chercher", ...given, "--", "true"]);
    expect(status).toBe(64);
    for (const name of ["hockey_chercher", "meteo_chercher"]) expect(stderr).toContain(name);
  });

  it("don't take the name of a local one, nor a prefixed one another's", async () => {
    const door = await start("d", toolOf("memory_search", { query: { type: "string" } }));
    const { TOOLS } = await import("./run.ts");
    const given = ["--door", `d=${door.url}`, "--tools", TOOLS];
    const { status, stderr } = await place.finish(["--allow", "nowhere", ...given, "--", "true"]);
    expect(status).toBe(64);
    expect(stderr).toContain("d_memory_search");
  });

  it("that still have one name once they are prefixed can't be told apart: exit code 64", async () => {
    const [one, two] = [await start("one", SEARCH, toolOf("b_chercher")), await start("two", SEARCH)];
    const given = ["--door", `a=${one.url}`, "--door", `b=${two.url}`];
    const { status, stderr } = await place.finish(["--allow", "b_chercher", ...given, "--", "true"]);
    expect(status).toBe(64);
    expect(stderr).toContain("b_chercher");
  });

  it("are asked nothing but what their schema declares, and told nothing of the run", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold([
      "--allow",
      "chercher",
      "--workspace",
      "ws-personal",
      "--channel",
      "sms",
      "--door",
      `d=${door.url}`,
    ]);
    const params = {
      name: "chercher",
      arguments: { q: "é", workspace_id: "ws-client", x: 1 },
      _meta: { workspace: "ws-client", progressToken: 1 },
    };
    const headers = { "x-workspace": "ws-client", cookie: "a=b" };
    await ask(run, { headers, body: rpc("tools/call", params) });
    expect(door.calls()).toHaveLength(1);
    expect(door.calls()[0].body.params.arguments).toEqual({ q: "é" });
    for (const { headers: heard, text } of door.asked) {
      for (const secret of [run.token, "ws-personal", "ws-client", "sms"]) {
        expect(text + JSON.stringify(heard)).not.toContain(secret);
      }
      expect(heard).not.toHaveProperty("authorization");
      expect(heard).not.toHaveProperty("cookie");
      expect(heard).not.toHaveProperty("origin");
    }
  });

  it("aren't asked when the tool isn't for this run", async () => {
    const door = await start("d", SEARCH, toolOf("effacer"));
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    expect((await call(run, "effacer")).body).toEqual(refusal("effacer"));
    expect(door.calls()).toEqual([]);
  });

  it("answer what the model reads, unchanged: a sentence, a refusal, an image", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    const refused =
      "« Xyz » n'est pas une équipe. Ça ne veut pas dire que la source est en panne : demande-en une autre.";
    for (const result of [
      textOf("L'été à 3 à 2 — « fin »\n\n🏒"),
      { content: [{ type: "text", text: refused }], isError: true },
      {
        content: [
          { type: "text", text: "Voici." },
          { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        ],
      },
    ]) {
      door.answers = () => result;
      expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(result);
    }
  });

  it("are shown as clients take them: what isn't MCP's is left out", async () => {
    const odd = (name: string, members: object) => ({ ...toolOf(name), ...members }) as Tool;
    const door = await start(
      "d",
      odd("bad", { description: 42, title: ["x"], annotations: { readOnlyHint: "yes" }, icons: [1], inputSchema: {} }),
      odd("bare", { inputSchema: undefined, outputSchema: { type: "object", properties: { a: { type: "zzz" } } } }),
      odd("free", { inputSchema: { type: "object", properties: { q: true, w: false } } }),
      odd("good", { title: "Bon", annotations: { title: "Bon", readOnlyHint: true, more: 1 }, execution: {} }),
      SEARCH,
      odd("chercher", { description: "Un autre." }),
      odd("null", { inputSchema: { type: "object", properties: null, required: null } }),
      odd("lost", { inputSchema: { type: "string" } }),
      odd("lost", { inputSchema: { type: "object", properties: { a: 5 } } }),
      odd("lost", { inputSchema: { type: "object", required: "a" } }),
    );
    const run = await place.hold(["--allow", "bad,bare,free,good,chercher,null", "--door", `d=${door.url}`]);
    const { body } = await ask(run, { body: rpc("tools/list") });
    expect(body.result.tools).toEqual([
      { name: "bad", inputSchema: { type: "object" } },
      { ...toolOf("bare"), inputSchema: { type: "object" } },
      { ...toolOf("free"), inputSchema: { type: "object", properties: { q: {}, w: { not: {} } } } },
      { ...toolOf("good"), title: "Bon", annotations: { title: "Bon", readOnlyHint: true, more: 1 } },
      SEARCH,
      { ...toolOf("null"), inputSchema: { type: "object" } },
    ]);
    await run.end();
    const { status } = await place.finish(["--allow", "lost", "--door", `d=${door.url}`, "--", "true"]);
    expect(status).toBe(64);
  });

  it("are left out of the list with a schema that is too deep to be written again, and cost the others nothing", async () => {
    const deep = toolOf("profond", { q: { type: "@" } });
    const tools = JSON.stringify([SEARCH, deep]).replace('"@"', `${'{"not":'.repeat(20_000)}{}${"}".repeat(20_000)}`);
    const opening =
      '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"d","version":"1"}}';
    const door = await startOdd(async (response, _path, _rank, request) => {
      let text = "";
      for await (const piece of request.setEncoding("utf8")) text += piece;
      const { id, method } = JSON.parse(text);
      const result = method === "tools/list" ? `{"tools":${tools}}` : opening;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(`{"jsonrpc":"2.0","id":${id ?? null},"result":${result}}`);
    });
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    expect(await namesOf(run)).toEqual(["chercher"]);
    await run.end();
    const allowing = ["--allow", "profond", "--door", `d=${door.url}`, "--", "true"];
    const { status, stderr } = await place.finish(allowing);
    expect({ status, stderr }).toEqual({
      status: 64,
      stderr: 'labo-bridge: --allow: no tool is called "profond". Known: chercher.\n',
    });
  });

  it("answer in text what a door says in a structure alone", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    door.answers = () => ({ structuredContent: { score: 3 } });
    const { result } = (await call(run, "chercher", { q: "x" })).body;
    expect(result).toEqual({ ...textOf('{"score":3}'), structuredContent: { score: 3 } });
  });

  it("answer a text that is too long cut, as any tool's", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    door.answers = () => textOf("a".repeat(1_000_000));
    const [{ text }] = (await call(run, "chercher", { q: "x" })).body.result.content;
    expect(text.length).toBeLessThan(200_100);
    expect(text).toMatch(new RegExp(`^a+${CUT}$`));
  });
});

describe("a door", () => {
  it("that speaks the modern era is asked in it alone, each time with what the era wants", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("d : chercher."));
    const asked = door.asked.map(({ headers, body }) => {
      const { "mcp-protocol-version": version, "mcp-method": method, "mcp-name": name } = headers;
      return { asked: body.method, version, method, name };
    });
    expect(asked).toEqual([
      { asked: "server/discover", version: MODERN, method: "server/discover" },
      { asked: "tools/list", version: MODERN, method: "tools/list" },
      { asked: "tools/call", version: MODERN, method: "tools/call", name: "chercher" },
    ]);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])(
    "that agrees on %s is told that it is open, and spoken to in that version",
    async (version) => {
      const door = await startOld(version, SEARCH);
      const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
      expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("session-1."));
    },
  );

  it.each(["1999-01-01", "2099-01-01", MODERN])(
    "that agrees on %s in the old way can't be opened: exit code 69",
    async (version) => {
      const door = await startOld(version, SEARCH);
      expect(await refusedLine(`hockey=${door.url}`, 69)).toContain(`hockey: ${door.url} can't be opened`);
    },
  );

  it.each([401, 403])("that answers %i is private, and asked nothing more: exit code 69", async (status) => {
    const door = await startOdd((response) => response.writeHead(status).end());
    expect(await refusedLine(`hockey=${door.url}`, 69)).toMatch(/hockey: .*the bridge has no key/);
    expect(door.calls).toHaveLength(1);
  });

  it("whose list has 20 pages is read to the last one", async () => {
    const names = Array.from({ length: 20 }, (_, rank) => `outil_${rank}`);
    const door = await start("d", ...names.map((name) => toolOf(name)));
    door.perPage = 1;
    const run = await place.hold(["--allow", names.join(","), "--door", `d=${door.url}`]);
    expect(await namesOf(run)).toEqual(names);
  });

  it("whose list has more pages can't be opened: exit code 69", async () => {
    const others = Array.from({ length: 20 }, (_, rank) => toolOf(`outil_${rank}`));
    const door = await start("d", SEARCH, ...others);
    door.perPage = 1;
    expect(await refusedLine(`hockey=${door.url}`, 69)).toContain("pages");
  });

  it.each([
    ["a user and a password", "http://me:hunter2@127.0.0.1:9/mcp"],
    ["a user alone", "http://hunter2@127.0.0.1:9/mcp"],
    ["a password alone", "http://:hunter2@127.0.0.1:9/mcp"],
  ])("whose address holds %s is refused without a word of it: exit code 64", async (_, url) => {
    const line = await refusedLine(`hockey=${url}`, 64);
    expect(line).toContain("--door hockey");
    expect(line).not.toContain("hunter2");
  });

  it.each([
    ["that has a space", "le hockey"],
    ["that has an accent", "météo"],
    ["that begins with an underscore", "_hockey"],
    ["that has a full stop", "hockey.lnh"],
    ["of 33 characters", "x".repeat(33)],
  ])("by a name %s is refused without a word of its address: exit code 64", async (_, name) => {
    const line = await refusedLine(`${name}=http://me:hunter2@127.0.0.1:9/mcp`, 64);
    expect(line).toContain("letters");
    expect(line).not.toContain("hunter2");
  });
});

describe("a door that never answers", () => {
  /** `AbortSignal.timeout` keeps the time that a test moves; Vitest leaves that one alone. */
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      const late = new AbortController();
      setTimeout(() => late.abort(new DOMException("late", "TimeoutError")), ms);
      return late.signal;
    });
  });
  const messageOf = ({ message }: Error) => message;
  const soFar = (work: Promise<string>) => Promise.race([work, Promise.resolve("waiting")]);

  it("is waited for during 10 s, and can't be opened", async () => {
    const asked = Promise.withResolvers<void>();
    const door = await startOdd(() => asked.resolve());
    const opening = openDoor("hockey", door.url).then(() => "open", messageOf);
    await asked.promise;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await soFar(opening)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(await opening).toBe(`--door hockey: ${door.url} can't be opened: no answer within 10 s`);
  });

  it("is waited for during 60 s once it is open, and told in a sentence", async () => {
    const asked = Promise.withResolvers<void>();
    const door = await start("d", SEARCH);
    door.answers = () => void asked.resolve();
    const [tool] = (await openDoor("hockey", door.url)).tools;
    const context = { workspace: "", channel: "", signal: new AbortController().signal };
    const calling = Promise.resolve(tool.run({ q: "x" }, context)).then(() => "answered", messageOf);
    await asked.promise;
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await soFar(calling)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    const text = await calling;
    expect(faultsOf(text, 4)).toEqual([]);
    expect(text).toContain("hockey");
  });
});

describe("a door that is ill", () => {
  it.each<[string, (response: ServerResponse) => object | undefined]>([
    [
      "answers a page",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>Bonjour</p>"),
    ],
    ["answers 500", (response) => void response.writeHead(500).end("oups")],
    ["answers 404", (response) => void response.writeHead(404).end()],
    [
      "answers half a body",
      (response) =>
        void response.writeHead(200, { "content-length": "99", "content-type": "application/json" }).destroy(),
    ],
    ["hangs up", (response) => void response.destroy()],
    [
      "answers nonsense",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end("null"),
    ],
    ["answers no content", () => ({})],
    ["answers over 8 MiB", () => textOf("a".repeat(8_388_608))],
    [
      "answers another request",
      (response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id: 999, result: textOf("Volé.") })),
    ],
    [
      "answers well in an error of HTTP",
      (response) =>
        void response
          .writeHead(500, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: textOf("Brisé.") })),
    ],
    [
      "has too much asked of it",
      (response) =>
        void response
          .writeHead(429, { "content-type": "application/json", "retry-after": "10" })
          .end('{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Trop de questions."}}'),
    ],
  ])("and %s is told in a sentence, and the run goes on", async (_, answer) => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.answers = (_name, _args, response) => answer(response);
    expectSpoken(await call(run, "chercher", { q: "x" }), "hockey");
    door.answers = () => textOf("Bon.");
    expect((await call(run, "chercher", { q: "x" })).body.result).toMatchObject(textOf("Bon."));
    await run.end();
  });

  it("is told to a developer who asks why, in a word that the model doesn't hear", async () => {
    const door = await start("d", SEARCH);
    const options = ["--allow", "chercher", "--door", `hockey=${door.url}`];
    const run = await place.hold(options, { NODE_DEBUG: "labo-bridge" });
    door.answers = (_name, _args, response) => void response.writeHead(503).end("oups");
    expectSpoken(await call(run, "chercher", { q: "x" }), "hockey");
    expect((await run.end()).stderr).toContain("it answers 503");
  });

  it("and sends elsewhere isn't followed there", async () => {
    const [door, elsewhere] = [await start("d", SEARCH), await start("e", SEARCH)];
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.answers = (_name, _args, response) => void response.writeHead(307, { location: elsewhere.url }).end();
    expectSpoken(await call(run, "chercher", { q: "x" }), "hockey");
    expect(elsewhere.asked).toEqual([]);
  });

  it("and has lost a tool is told in a sentence", async () => {
    const door = await start("d", SEARCH, toolOf("autre"));
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.tools = [toolOf("autre")];
    const { status, body } = await call(run, "chercher", { q: "x" });
    expect(status).toBe(200);
    expect(body.result.isError).toBe(true);
    expect(await namesOf(run)).toEqual(["chercher"]);
  });

  it("and refuses arguments isn't told as one that has lost its tool", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.answers = (_name, _args, response, id) => {
      response.writeHead(200, { "content-type": "application/json" });
      const error = { code: -32602, message: "Invalid arguments for tool chercher: q must be a string" };
      return void response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
    };
    const { isError, content } = (await call(run, "chercher", { q: 5 })).body.result;
    expect(isError).toBe(true);
    expect(faultsOf(content[0].text, 4)).toEqual([]);
    // Whichever of both it is, the model may try again otherwise.
    expect(content[0].text).toContain("argument");
    expect(content[0].text).not.toMatch(/ne répond pas/);
  });

  it("and has too much asked of it is told as such, not as one that is down", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.answers = (_name, _args, response) => void response.writeHead(429, { "retry-after": "10" }).end();
    expect((await call(run, "chercher", { q: "x" })).body.result.content[0].text).toMatch(/\btrop\b/);
  });

  it("and has a new tool doesn't give it to this run", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.tools = [SEARCH, toolOf("effacer")];
    expect(await namesOf(run)).toEqual(["chercher"]);
    expect((await call(run, "effacer")).body).toEqual(refusal("effacer"));
    expect(door.calls()).toEqual([]);
  });

  it("and hangs doesn't hold the end of the run", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `hockey=${door.url}`]);
    door.answers = () => undefined;
    const hanging = call(run, "chercher", { q: "x" }).catch(() => "closed");
    await vi.waitFor(() => expect(door.calls()).toHaveLength(1), { timeout: 10_000 });
    expect((await run.end()).status).toBe(0);
    expect(await hanging).toBe("closed");
  });

  it.each([
    ["that is a prototype's", "__proto__"],
    ["that no agent takes", "a b"],
    ["that is too long", "x".repeat(200)],
  ])("and lists a tool of a name %s breaks nothing", async (_, name) => {
    const door = await start("d", SEARCH, toolOf(name));
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    expect(await namesOf(run)).toEqual(["chercher"]);
    expect((await call(run, name)).body.error).toBeDefined();
    expect(door.calls()).toEqual([]);
    const allowing = ["--allow", `chercher,${name}`, "--door", `d=${door.url}`, "--", "true"];
    // A prototype's is a name like another one; the two others can't be had.
    expect((await place.finish(allowing)).status).toBe(name === "__proto__" ? 0 : 64);
  });
});

describe("a door that answers otherwise", () => {
  it.each<[string, string, (text: string) => string]>([
    ["in one event", "Bon.", (text) => `event: message\ndata: ${text}\n\n`],
    ["in an event of several lines", "Bon.", (text) => `data: ${text.replace(",", ",\ndata: ")}\n\n`],
    [
      "after other events",
      "Bon.",
      (text) => `: hello\r\n\r\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\r\n\r\ndata: ${text}\r\n\r\n`,
    ],
    ["in an event that has an id, before a comment", "Bon.", (text) => `id: 1\ndata: ${text}\n\n: bye`],
    [
      "after a request of the door's own, of the same id",
      "Bon.",
      (text) => `data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\ndata: ${text}\n\n`,
    ],
    ["in lines that end with a lone CR", "Bon.", (text) => `: hello\rdata: ${text}\r\r`],
    ["with a separator of lines in it", "Bon.\u2028Et bien.", (text) => `data: ${text}\n\n`],
  ])("is heard %s, though its stream stays open", async (_, text, write) => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    door.answers = (_name, _args, response, id) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(write(JSON.stringify({ jsonrpc: "2.0", id, result: textOf(text) })));
      return undefined;
    };
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf(text));
    await run.end();
  });

  it("is heard in a stream that is cut between the two characters that end a line", async () => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    door.answers = (_name, _args, response, id) => {
      const [before, after] = JSON.stringify({ jsonrpc: "2.0", id, result: textOf("Bon.") }).split(/(?<=2\.0",)/);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${before}\r`);
      setTimeout(() => response.write(`\ndata: ${after}\r\n\r`), 100);
      return undefined;
    };
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("Bon."));
  });

  it.each([
    ["line isn't ended", ""],
    ["line is ended, but no blank one follows", "\n"],
  ])("is heard byte by byte, in a stream whose last %s", async (_, end) => {
    const door = await start("d", SEARCH);
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    door.answers = (_name, _args, response, id) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = JSON.stringify({ jsonrpc: "2.0", id, result: textOf("L'été 🏒") });
      return void drip(response, `id: 1\ndata: ${text}${end}`);
    };
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("L'été 🏒"));
  });

  it.each([404, 400])("is opened again when it has forgotten the session, and says %i", async (status) => {
    const door = await startOld("2025-06-18", SEARCH);
    door.lost = status;
    const run = await place.hold(["--allow", "chercher", "--door", `d=${door.url}`]);
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("session-1."));
    door.restart();
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("session-2."));
    expect((await call(run, "chercher", { q: "x" })).body.result).toEqual(textOf("session-2."));
  });
});

describe("real doors", () => {
  let sources: Awaited<ReturnType<typeof startSources>>;
  const running: Running[] = [];
  const start = async (name: "hockey" | "meteo") => {
    const vars = Object.entries(sources.vars[name]).flatMap(([key, value]) => ["--var", `${key}=${value}`]);
    const door = await startDoor(name, ...vars);
    running.push(door);
    return door;
  };
  beforeAll(async () => {
    sources = await startSources({ clock: NIGHT.ends });
  });
  afterAll(async () => {
    for (const door of running) await door.stop();
    await sources.close();
  });

  it("are called through the bridge, and one that dies is told in a sentence", async () => {
    const [hockey, meteo] = [await start("hockey"), await start("meteo")];
    const given = ["--door", `hockey=${hockey.url}`, "--door", `meteo=${meteo.url}`];
    const run = await place.hold(["--allow", "match_lnh,meteo_actuelle", ...given]);
    expect(await namesOf(run)).toEqual(["match_lnh", "meteo_actuelle"]);
    const straight = await fetch(hockey.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: rpc("tools/call", { name: "match_lnh", arguments: {} }),
    });
    const { result } = (await straight.json()) as { result: object };
    expect((await call(run, "match_lnh")).body.result).toEqual(result);
    expect((await call(run, "match_lnh", { equipe: "Nordiques" })).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("« Nordiques » n'est pas une équipe") }],
    });
    expect((await call(run, "classement_lnh")).body).toEqual(refusal("classement_lnh"));
    expect((await call(run, "meteo_actuelle")).body.result.content[0].text).toMatch(/À Montréal, il fait/);
    await hockey.stop();
    expectSpoken(await call(run, "match_lnh"), "hockey");
    expect((await call(run, "meteo_actuelle")).body.result.isError).toBeUndefined();
    expect((await run.end()).status).toBe(0);
  });
});
