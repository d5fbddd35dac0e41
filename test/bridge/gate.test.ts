// What this run may call: the list on the server, the workspace that is bound, the audit. HOSTILE.md, C1 and C2.
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createGate } from "../../bridge/gate.mjs";
import { startBridge } from "../../bridge/server.mjs";
import { faultsOf } from "../voice.ts";
import { ask, call, Place, type Run, refusal, rpc } from "./run.ts";

let place: Place;
let run: Run;
beforeAll(async () => {
  place = new Place();
  const bound = ["--workspace", "ws-personal", "--channel", "telegram"];
  run = await place.hold(["--allow", "memory_search", ...bound, "--audit", place.audit]);
});
afterAll(() => place.clear());

let before = { record: 0, audited: 0 };
beforeEach(() => {
  before = { record: place.record.length, audited: place.audited.length };
});
const entered = () => place.record.slice(before.record);
const audited = () => place.audited.slice(before.audited);

type Given = Parameters<typeof createGate>[0];
type Tool = Given["tools"] extends Map<string, infer Known> ? Known : never;

/** A gate of this process, with one tool; what it answers is read from its JSON. */
function gateOf(tool: Partial<Tool>, audit?: Given["audit"]) {
  const whole: Tool = { name: "a", description: "d", inputSchema: { type: "object" }, run: () => "oui", ...tool };
  const gate = createGate({ tools: new Map([["a", whole]]), workspace: "", channel: "", audit, onFault: undefined });
  return async (args: object = {}) => JSON.parse(await gate({ name: "a", arguments: args }, new AbortController(), {}));
}

describe("the list", () => {
  it("holds what was allowed and nothing else", async () => {
    const { body } = await ask(run, { body: rpc("tools/list") });
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(["memory_search"]);
  });

  it.each([
    ["that exists and isn't allowed", "execute_command"],
    ["that never existed", "tool_of_nowhere"],
    ["by the name that the agent gives it", "mcp__labo__memory_search"],
    ["in capitals", "MEMORY_SEARCH"],
    ["with a space after it", "memory_search "],
    ["with a NUL after it", "memory_search\0"],
    ["in look-alike letters", "mеmory_search"],
    ["without a name", ""],
    ["named as a prototype", "__proto__"],
    ["named as a constructor", "constructor"],
    ["named as a method of every object", "toString"],
    ["named as a method of a map", "has"],
  ])("refuses a tool %s, before anything executes", async (_, name) => {
    const { status, body } = await call(run, name, { cmd: "rm -rf ~/work" });
    expect(status).toBe(200);
    expect(body).toEqual(refusal(name));
    expect(entered()).toEqual([]);
    expect(audited()).toEqual([expect.objectContaining({ decision: "deny" })]);
  });

  it.each([
    ["a list", ["memory_search"]],
    ["an object", { toString: "memory_search" }],
    ["a number", 1],
    ["null", null],
  ])("refuses a name that is %s", async (_, name) => {
    const { status, body } = await call(run, name, { query: "chalet" });
    expect(status).toBe(200);
    expect([-32601, -32602]).toContain(body.error.code);
    expect(body).not.toHaveProperty("result");
    expect(entered()).toEqual([]);
  });

  it("doesn't say whether a refused tool exists", async () => {
    const [one, other] = [await call(run, "delete_file"), await call(run, "delete_disk")];
    expect(one.text.replace("delete_file", "X")).toBe(other.text.replace("delete_disk", "X"));
    expect(Object.keys(one.headers)).toEqual(Object.keys(other.headers));
  });

  it("doesn't echo a name of a megabyte", async () => {
    const { status, text, body } = await call(run, "x".repeat(200_000));
    expect(status).toBe(200);
    expect(body.error.code).toBe(-32601);
    expect(text.length).toBeLessThan(1_000);
    expect(entered()).toEqual([]);
  });

  it("refuses with the id of the request, a text or a number", async () => {
    for (const id of ["a-1", 0]) {
      const { body } = await ask(run, { body: rpc("tools/call", { name: "execute_command" }, id) });
      expect(body).toEqual(refusal("execute_command", id));
    }
  });

  it("refuses by the name of the body, whatever the headers say", async () => {
    const headers = { "mcp-method": "tools/call", "mcp-name": "memory_search" };
    const { body } = await ask(run, { headers, body: rpc("tools/call", { name: "execute_command" }) });
    expect(body.error).toBeDefined();
    expect(entered()).toEqual([]);
  });

  it("reads the name of a member of its own alone", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"memory_search"}}}';
    expect((await ask(run, { body })).body.error).toBeDefined();
    expect(entered()).toEqual([]);
  });
});

describe("the arguments", () => {
  it("are those that a schema declares, in its branches and definitions too", async () => {
    const other = await place.hold(["--allow", "either"]);
    const given = { always: "a", city: "Québec", lat: 46.8, workspace: "ws-client", other: 1 };
    const { body } = await call(other, "either", given);
    expect(JSON.parse(body.result.content[0].text)).toEqual({ always: "a", city: "Québec", lat: 46.8 });
    await other.end();
  });

  const CITY = { properties: { city: {} } };

  it.each<[string, object]>([
    ["allOf", [{ required: ["city"] }, CITY]],
    ["anyOf", [{ required: ["city"] }, CITY]],
    ["oneOf", [{ required: ["city"] }, CITY]],
    ["if", CITY],
    ["then", CITY],
    ["else", CITY],
    ["dependentSchemas", { always: CITY }],
    ["dependencies", { always: CITY, city: ["always"] }],
    ["required", ["city"]],
  ])("are those that a schema declares under %s too", async (keyword, branch) => {
    const inputSchema = { type: "object", properties: { always: {} }, [keyword]: branch };
    const ask = gateOf({ inputSchema, run: (args) => JSON.stringify(args) });
    const { content } = await ask({ always: "a", city: "Québec", other: 1 });
    expect(JSON.parse(content[0].text)).toEqual({ always: "a", city: "Québec" });
  });
});

describe("an answer", () => {
  it("keeps a structure within the limit of a text, and loses a longer one alone", async () => {
    const content = [{ type: "text", text: "Voici." }];
    const ask = gateOf({
      inputSchema: { type: "object", properties: { size: {} } },
      run: ({ size }) => ({ content, structuredContent: { all: "a".repeat(size) } }),
    });
    expect(await ask({ size: 190_000 })).toEqual({ content, structuredContent: { all: "a".repeat(190_000) } });
    expect(await ask({ size: 200_000 })).toEqual({ content });
  });

  it("isn't cut inside an emoji", async () => {
    // One of both has the limit in the middle of one.
    for (const text of ["🏒".repeat(150_000), `a${"🏒".repeat(150_000)}`]) {
      const [{ text: cut }] = (await gateOf({ run: () => text })()).content;
      expect(cut.length).toBeLessThan(200_100);
      expect(cut.isWellFormed()).toBe(true);
    }
  });
});

describe("a tool that doesn't answer", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const broken = () =>
    gateOf({
      run: () => {
        throw new Error("the secret of the database is hunter2");
      },
    })();
  const slow = async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answer = gateOf({ run: () => new Promise(() => {}) })();
    await vi.advanceTimersByTimeAsync(110_000);
    return answer;
  };
  const unrecorded = async () => {
    const ask = gateOf({}, () => false);
    await ask();
    return ask();
  };

  it.each([
    ["because it breaks", broken],
    ["in time", slow],
    ["because its call can't be recorded", unrecorded],
  ])("%s is told in sentences that say what to do", async (_, said) => {
    const { isError, content } = await said();
    expect(isError).toBe(true);
    expect(content).toEqual([{ type: "text", text: expect.any(String) }]);
    const [{ text }] = content;
    expect(faultsOf(text, 4)).toEqual([]);
    expect(text.split(/[.?!](?: |$)/).filter(Boolean).length).toBeGreaterThan(1);
    expect(text).toMatch(/\b(?:redemande|vérifie|continue|finis)\b/i);
    expect(text).not.toContain("hunter2");
  });

  it("is told why: it broke, it was late, or nothing could be recorded", async () => {
    const told = [await broken(), await slow(), await unrecorded()].map(({ content }) => content[0].text);
    expect(new Set(told).size).toBe(3);
  });

  it("within 110 s is aborted, and not before", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const signals: AbortSignal[] = [];
    const run: Tool["run"] = (_, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    };
    const answer = gateOf({ run })();
    await vi.advanceTimersByTimeAsync(109_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect((await answer).isError).toBe(true);
  });
});

describe("the workspace", () => {
  const QUERY = { query: "contrat" };
  const BOUND = { tool: "memory_search", args: QUERY, bare: true, workspace: "ws-personal", channel: "telegram" };

  it.each<[string, object, object, Record<string, string>]>([
    ["the argument workspace_id", { workspace_id: "ws-client" }, {}, {}],
    ["the argument workspaceId", { workspaceId: "ws-client" }, {}, {}],
    ["the argument workspace", { workspace: "ws-client", channel: "sms", signal: 1 }, {}, {}],
    ["the argument channel_id", { channel_id: "sms" }, {}, {}],
    ["an argument in an object", { context: { workspace: "ws-client" } }, {}, {}],
    ["_meta", {}, { _meta: { workspace: "ws-client", "labo/workspace": "ws-client" } }, {}],
    ["a member of params", {}, { workspace: "ws-client" }, {}],
    ["headers", {}, {}, { "x-workspace": "ws-client", "x-workspace-id": "ws-client", "x-channel": "sms" }],
    ["a cookie", {}, {}, { cookie: "workspace=ws-client" }],
  ])("isn't read in %s", async (_, args, params, headers) => {
    const body = rpc("tools/call", { name: "memory_search", arguments: { ...QUERY, ...args }, ...params });
    const answer = await ask(run, { headers, body });
    expect(answer.body.result.content).toEqual([{ type: "text", text: "Rien trouvé." }]);
    expect(entered()).toEqual([BOUND]);
  });

  it.each([
    ["a prototype in the arguments", '{"query":"contrat","__proto__":{"workspace":"ws-client"}}'],
    ["a constructor in the arguments", '{"query":"contrat","constructor":{"prototype":{"workspace":"ws-client"}}}'],
    ["two queries", '{"query":"chalet","query":"contrat"}'],
  ])("isn't changed by %s", async (_, args) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_search","arguments":${args}}}`;
    expect((await ask(run, { body })).body.result.content[0].text).toBe("Rien trouvé.");
    expect(entered()).toEqual([BOUND]);
  });

  it("is what the command line says, for each run its own", async () => {
    const other = await place.hold(["--allow", "memory_search", "--workspace", "ws-client", "--channel", "sms"]);
    expect((await call(other, "memory_search", QUERY)).body.result.content[0].text).toContain("40 000");
    expect(entered()).toEqual([{ ...BOUND, workspace: "ws-client", channel: "sms" }]);
    await other.end();
  });
});

describe("the audit", () => {
  it("has a line for each call, refused or not, with the names of its arguments and no value", async () => {
    await call(run, "memory_search", { query: "le-chalet-rouge" });
    await call(run, "execute_command", { cmd: "cat-le-secret" });
    expect(audited()).toEqual([
      expect.objectContaining({ tool: "memory_search", decision: "allow", args: ["query"] }),
      expect.objectContaining({ tool: "execute_command", decision: "deny", args: ["cmd"] }),
    ]);
    const text = readFileSync(place.audit, "utf8");
    for (const secret of ["le-chalet-rouge", "cat-le-secret", run.token]) expect(text).not.toContain(secret);
  });

  it("has no line for a list, a notification or a caller without the token", async () => {
    await ask(run, { body: rpc("tools/list") });
    await ask(run, { body: '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"memory_search"}}' });
    await ask(run, { headers: { authorization: "Bearer x" }, body: rpc("tools/call", { name: "memory_search" }) });
    expect(audited()).toEqual([]);
  });

  it("has the line of a call that the end of the run has cut", async () => {
    const other = await place.hold(["--allow", "hang", "--audit", place.audit]);
    const hanging = call(other, "hang").catch(() => {});
    await vi.waitFor(() => expect(entered()).toHaveLength(1), { timeout: 10_000 });
    await other.end();
    await hanging;
    expect(audited()).toEqual([expect.objectContaining({ tool: "hang", decision: "allow" })]);
  });

  it("keeps a name that holds a line on a line of its own", async () => {
    await call(run, 'x\n{"tool":"memory_search","decision":"allow"}');
    expect(audited()).toEqual([expect.objectContaining({ decision: "deny" })]);
  });

  it("says when and how long, and holds nothing but JSON lines", () => {
    for (const line of readFileSync(place.audit, "utf8").trimEnd().split("\n")) {
      const { ts, ms } = JSON.parse(line);
      expect(Date.parse(ts)).not.toBeNaN();
      expect(ms).toBeGreaterThanOrEqual(0);
    }
  });

  it("keeps the first 32 names of a call's arguments, each cut as any name", async () => {
    const names = ["x".repeat(1_000), ...Array.from({ length: 40 }, (_, rank) => `name_${rank}`)];
    await call(run, "memory_search", Object.fromEntries(names.map((name) => [name, "y"])));
    expect(audited().map(({ args }) => args)).toEqual([["x".repeat(128), ...names.slice(1, 32)]]);
  });

  it("that can't be written is said once, and nothing executes until it can", async ({ skip }) => {
    skip(!existsSync("/dev/full"), "no /dev/full, where nothing can be written");
    const other = await place.hold(["--allow", "memory_search", "--audit", "/dev/full"]);
    // It had been entered when its line was lost.
    expect((await call(other, "memory_search", { query: "x" })).body.result.isError).toBeUndefined();
    for (const _ of [1, 2]) {
      const { status, body } = await call(other, "memory_search", { query: "x" });
      expect(status).toBe(200);
      expect(body.result.isError).toBe(true);
      expect(faultsOf(body.result.content[0].text, 4)).toEqual([]);
    }
    expect((await call(other, "delete_file")).body).toEqual(refusal("delete_file"));
    expect(entered()).toHaveLength(1);
    const { status, stderr } = await other.end();
    expect(status).toBe(0);
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("--audit /dev/full")]);
  });

  it("that can be written again lets calls through again", async () => {
    const lines: object[] = [];
    let isFull = true;
    const audit = (line: object) => {
      if (!isFull) lines.push(line);
      return !isFull;
    };
    const given = { name: "a", description: "d", inputSchema: { type: "object" }, run: () => "oui" };
    const bridge = await startBridge({ tools: [given], allow: ["a"], audit });
    const own = { token: bridge.token, port: Number(new URL(bridge.url).port) };
    const isRefused = async () => (await call(own, "a")).body.result.isError === true;
    expect([await isRefused(), await isRefused()]).toEqual([false, true]);
    isFull = false;
    expect([await isRefused(), await isRefused()]).toEqual([true, false]);
    expect(lines).toEqual([
      expect.objectContaining({ decision: "deny" }),
      expect.objectContaining({ decision: "allow" }),
    ]);
    await bridge.close();
  });

  it("begins a line of its own after one that was cut", async () => {
    const file = join(place.folder, "cut.jsonl");
    writeFileSync(file, '{"ts":"2026-01-01T00:00:00Z","tool":"memo');
    const other = await place.hold(["--allow", "memory_search", "--audit", file]);
    await call(other, "memory_search", { query: "x" });
    await other.end();
    const [cut, line] = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(cut).toMatch(/"memo$/);
    expect(JSON.parse(line)).toMatchObject({ tool: "memory_search", decision: "allow" });
  });

  it("is a file that others can't read", () => {
    expect(statSync(place.audit).mode & 0o077).toBe(0);
  });

  it("goes on after what another run has written", async () => {
    const kept = readFileSync(place.audit, "utf8");
    const other = await place.hold(["--allow", "memory_search", "--audit", place.audit]);
    await call(other, "delete_file", { path: "x" });
    await other.end();
    const text = readFileSync(place.audit, "utf8");
    expect(text.startsWith(kept)).toBe(true);
    expect(audited()).toEqual([expect.objectContaining({ tool: "delete_file", decision: "deny" })]);
  });
});
