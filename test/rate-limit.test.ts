import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { runCommand } from "./commands.ts";
import { runNpm } from "./processes.ts";
import { startCloudflare, TOKEN, ZONE } from "./upstream/cloudflare.mjs";
import { listen } from "./upstream/server.mjs";

const PATH = `/zones/${ZONE}/rulesets/phases/http_ratelimit/entrypoint`;
const RULE = {
  description: "MCP doors: 30 requests per 10 s per IP",
  expression: '(http.request.uri.path eq "/mcp" or http.request.uri.path eq "/mcp/")',
  action: "block",
  enabled: true,
  ratelimit: {
    characteristics: ["cf.colo.id", "ip.src"],
    period: 10,
    requests_per_period: 30,
    mitigation_timeout: 10,
  },
};
const LOGIN = {
  id: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  description: "login",
  expression: '(http.request.uri.path eq "/login")',
  action: "managed_challenge",
  logging: { enabled: true },
  ratelimit: { ...RULE.ratelimit, period: 60, requests_per_period: 5, mitigation_timeout: 60 },
};
const OURS = { ...RULE, id: "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" };

type Api = Awaited<ReturnType<typeof startCloudflare>>;
const started: Api[] = [];
async function start(asked: Parameters<typeof startCloudflare>[0] = {}): Promise<Api> {
  const api = await startCloudflare(asked);
  started.push(api);
  return api;
}
afterEach(() => Promise.all(started.splice(0).map((api) => api.close())));

const run = (api: Api | null, ...args: string[]) =>
  runCommand("rate-limit", ["--zone", ZONE, ...args], {
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_API: api?.url,
  });
const methods = (api: Api) => api.state.asked.map(({ method }) => method);
const oneLine = (text: string) => expect(text.trimEnd().split("\n")).toHaveLength(1);

describe("npm run rate-limit, showing", () => {
  it("prints the request and the rule without a token, and asks nothing", async () => {
    const api = await start();
    for (const args of [[], ["--dry-run"]]) {
      const env = { CLOUDFLARE_API_TOKEN: undefined, CLOUDFLARE_API: api.url };
      const { code, stdout, stderr } = await runCommand("rate-limit", ["--zone", ZONE, ...args], env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`PUT ${api.url}${PATH}`);
      const body = stdout.slice(stdout.indexOf("{"), stdout.lastIndexOf("}") + 1);
      expect(JSON.parse(body)).toEqual({ rules: [RULE] });
      for (const word of ["Free", "Pro", "Zone WAF", "CLOUDFLARE_API_TOKEN"]) expect(stdout).toContain(word);
    }
    expect(api.calls).toEqual([]);
  });

  it("speaks to Cloudflare itself by default", async () => {
    const { stdout } = await run(null);
    expect(stdout).toContain(`PUT https://api.cloudflare.com/client/v4${PATH}\n`);
  });

  it("has the figures of the brake of every door", async () => {
    const text = readFileSync("wrangler.toml", "utf8");
    const limits = [...text.matchAll(/^name = "BRAKE"\n.+\nsimple = \{ limit = (\d+), period = (\d+) \}/gm)];
    expect(limits).toHaveLength(text.match(/"BRAKE"/g)?.length ?? 0);
    expect(limits.length).toBeGreaterThanOrEqual(4);
    const { stdout } = await run(null);
    const { requests_per_period, period } = JSON.parse(stdout.slice(stdout.indexOf("{"), stdout.lastIndexOf("}") + 1))
      .rules[0].ratelimit;
    for (const [, limit, seconds] of limits) {
      expect([limit, seconds].map(Number)).toEqual([requests_per_period, period]);
    }
  });
});

describe("npm run rate-limit --apply", () => {
  it("puts the rule in a zone that never had one", async () => {
    const api = await start();
    const { code, stdout, stderr } = await run(api, "--apply");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("30 requests per 10 s");
    expect(methods(api)).toEqual(["GET", "PUT"]);
    expect(api.state.asked[1]).toEqual({
      method: "PUT",
      path: PATH,
      authorization: `Bearer ${TOKEN}`,
      body: { rules: [RULE] },
    });
  });

  it("changes nothing the second time", async () => {
    const api = await start();
    await run(api, "--apply");
    const before = structuredClone(api.state.ruleset);
    const { code, stdout } = await run(api, "--apply");
    expect(code).toBe(0);
    expect(stdout).toContain("nothing to change");
    expect(methods(api)).toEqual(["GET", "PUT", "GET"]);
    expect(api.state.ruleset).toEqual(before);
  });

  it("leaves the other rules of the phase as they are, in their order, ours at the end", async () => {
    const api = await start({ plan: "pro", rules: [LOGIN] });
    const { code, stdout } = await run(api, "--apply");
    expect(code).toBe(0);
    expect(stdout).toContain("login");
    const sent = api.state.asked[1].body.rules;
    expect(sent).toEqual([{ ...LOGIN, enabled: true, ref: LOGIN.id }, RULE]);
  });

  it("keeps the name of the ruleset", async () => {
    const api = await start({ plan: "pro", rules: [LOGIN] });
    Object.assign(api.state.ruleset ?? {}, { name: "zone limits", description: "by hand" });
    await run(api, "--apply");
    expect(api.state.asked[1].body).toMatchObject({ name: "zone limits", description: "by hand" });
    expect(api.state.ruleset).toMatchObject({ name: "zone limits", description: "by hand" });
  });

  it("repairs its own rule where it stands, and keeps what was added to it", async () => {
    const answer = { response: { status_code: 429, content_type: "application/json", content: "{}" } };
    const loose = {
      ...OURS,
      enabled: false,
      action_parameters: answer,
      ratelimit: { ...RULE.ratelimit, requests_per_period: 100, requests_to_origin: true },
    };
    const api = await start({ plan: "pro", rules: [loose, LOGIN] });
    expect((await run(api, "--apply")).code).toBe(0);
    expect(api.state.asked[1].body.rules).toEqual([
      { ...OURS, ref: OURS.id, action_parameters: answer },
      { ...LOGIN, enabled: true, ref: LOGIN.id },
    ]);
    expect((await run(api, "--check")).code).toBe(0);
  });

  it("recognizes the rule that was made by hand under another name", async () => {
    const api = await start({ rules: [{ ...OURS, description: "frein", expression: RULE.expression.slice(1, -1) }] });
    const { code, stdout } = await run(api, "--apply");
    expect({ code, methods: methods(api) }).toEqual({ code: 0, methods: ["GET"] });
    expect(stdout).toContain("nothing to change");
  });

  it("takes a ruleset without any rule", async () => {
    const api = await start({ rules: [] });
    delete api.state.ruleset?.rules;
    expect((await run(api, "--apply")).code).toBe(0);
    expect(api.state.ruleset?.rules).toHaveLength(1);
  });

  it("names the rule that is in the way when the plan takes one only, and leaves it", async () => {
    const other = { ...LOGIN, ratelimit: RULE.ratelimit };
    const api = await start({ rules: [other] });
    const { code, stdout, stderr } = await run(api, "--apply");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    oneLine(stderr);
    for (const word of ["2 out of 1", '"login"', "Free"]) expect(stderr).toContain(word);
    expect(api.state.ruleset?.rules).toMatchObject([other]);
  });

  it("says it when the plan refuses what a rule asks for", async () => {
    // A zone that left Pro: its old rule is no longer allowed, and every write is refused.
    const api = await start({ rules: [LOGIN] });
    const { code, stderr } = await run(api, "--apply");
    expect(code).toBe(1);
    oneLine(stderr);
    expect(stderr).toContain("not entitled to use the period 60");
    expect(stderr).toContain("plan");
    expect(stderr).toContain('"login"');
  });

  it("doesn't believe an answer without the rule in it", async () => {
    const api = await start({ rules: [] });
    api.state.fault = "lost";
    const { code, stderr } = await run(api, "--apply");
    expect(code).toBe(1);
    oneLine(stderr);
    expect(stderr).toContain("--check");
  });
});

describe("npm run rate-limit --check", () => {
  it("is content with the rule in place, and writes nothing", async () => {
    const api = await start({ plan: "pro", rules: [LOGIN, OURS] });
    const { code, stdout, stderr } = await run(api, "--check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("30 requests per 10 s");
    expect(methods(api)).toEqual(["GET"]);
  });

  it("takes characteristics in any order", async () => {
    const ratelimit = { ...RULE.ratelimit, characteristics: ["ip.src", "cf.colo.id"], requests_to_origin: false };
    const api = await start({ rules: [{ ...OURS, ratelimit }] });
    expect((await run(api, "--check")).code).toBe(0);
  });

  it.each([
    ["no ruleset", undefined],
    ["an empty ruleset", []],
  ])("says that the rule isn't there: %s", async (_, rules) => {
    const api = await start({ rules });
    const { code, stdout, stderr } = await run(api, "--check");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    oneLine(stderr);
    expect(stderr).toContain("--apply");
    expect(methods(api)).toEqual(["GET"]);
  });

  it("names the other rule that holds the only place of the Free plan", async () => {
    const api = await start({ rules: [LOGIN] });
    const { code, stderr } = await run(api, "--check");
    expect(code).toBe(1);
    for (const word of ['"login"', "Free"]) expect(stderr).toContain(word);
  });

  it.each([
    ["action", { action: "log" }, "log"],
    ["enabled", { enabled: false }, "false"],
    ["expression", { expression: '(http.request.uri.path eq "/")' }, '"/"'],
    ["requests_per_period", { ratelimit: { ...RULE.ratelimit, requests_per_period: 31 } }, "31"],
    ["period", { ratelimit: { ...RULE.ratelimit, period: 60 } }, "60"],
    ["mitigation_timeout", { ratelimit: { ...RULE.ratelimit, mitigation_timeout: 3600 } }, "3600"],
    ["characteristics", { ratelimit: { ...RULE.ratelimit, characteristics: ["cf.colo.id"] } }, "cf.colo.id"],
    ["counting_expression", { ratelimit: { ...RULE.ratelimit, counting_expression: "(x)" } }, "(x)"],
    ["requests_to_origin", { ratelimit: { ...RULE.ratelimit, requests_to_origin: true } }, "true"],
  ])("names what differs: %s", async (field, change, found) => {
    const api = await start({ plan: "pro", rules: [{ ...OURS, ...change }] });
    const { code, stdout, stderr } = await run(api, "--check");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(field);
    expect(stderr).toContain(found);
    expect(stderr).toContain("--apply");
    expect(methods(api)).toEqual(["GET"]);
  });
});

describe("npm run rate-limit, when Cloudflare says no", () => {
  it.each([
    ["another token", "b".repeat(40), "10000"],
    ["a token that isn't one", "short", "6003"],
  ])("names the token and its permission: %s", async (_, token, number) => {
    const api = await start();
    const env = { CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API: api.url };
    const { code, stdout, stderr } = await runCommand("rate-limit", ["--zone", ZONE, "--apply"], env);
    expect({ code, stdout, methods: methods(api) }).toEqual({ code: 1, stdout: "", methods: ["GET"] });
    oneLine(stderr);
    for (const word of ["CLOUDFLARE_API_TOKEN", "Zone WAF", number]) expect(stderr).toContain(word);
    expect(stderr).not.toContain(token);
  });

  it("names a zone that it doesn't know", async () => {
    const api = await start();
    const zone = "f".repeat(32);
    const env = { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_API: api.url };
    const { code, stderr } = await runCommand("rate-limit", ["--zone", zone, "--apply"], env);
    expect({ code, methods: methods(api) }).toEqual({ code: 1, methods: ["GET"] });
    oneLine(stderr);
    expect(stderr).toContain(zone);
  });

  it.each([
    ["500", "GET", "500"],
    ["500", "PUT", "500"],
    ["502", "GET", "502"],
    ["502", "PUT", "502"],
    ["429", "GET", "429"],
    ["html", "GET", "JSON"],
    ["html", "PUT", "JSON"],
    ["redirect", "GET", "302"],
  ] as const)("says it in one line: %s to the %s", async (fault, method, word) => {
    const api = await start({ rules: [] });
    Object.assign(api.state, { fault, on: method });
    const { code, stdout, stderr } = await run(api, "--apply");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    oneLine(stderr);
    expect(stderr).toContain(word);
    expect(stderr).not.toContain(TOKEN);
    // What was sent may have been done or not; what was only read, never.
    expect(stderr.includes("--check")).toBe(method === "PUT");
    expect(api.calls.every((path) => path === PATH)).toBe(true);
  });

  it.each([
    { rules: "no" },
    { rules: [null] },
    { rules: [{ action: "block" }] },
    { rules: [{ ...RULE, ratelimit: { ...RULE.ratelimit, characteristics: "ip.src" } }] },
    5,
  ])("neither reads nor writes over what isn't a ruleset: %j", async (result) => {
    const other = await listen(0, (response) => {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ success: true, errors: [], result }));
    });
    try {
      const env = { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_API: other.url };
      const { code, stdout, stderr } = await runCommand("rate-limit", ["--zone", ZONE, "--apply"], env);
      expect({ code, stdout, calls: other.calls.length }).toEqual({ code: 1, stdout: "", calls: 1 });
      oneLine(stderr);
      expect(stderr).toContain("something else than a ruleset");
    } finally {
      await other.close();
    }
  });

  it.concurrent.each([
    ["stall", "GET"],
    ["late", "PUT"],
  ] as const)("gives up on a %s of the %s", async (fault, method) => {
    const api = await startCloudflare({ rules: [] });
    try {
      Object.assign(api.state, { fault, on: method });
      const { code, stdout, stderr } = await run(api, "--apply");
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      oneLine(stderr);
      expect(stderr).toContain("no answer in time");
      expect(stderr.includes("--check")).toBe(method === "PUT");
    } finally {
      await api.close();
    }
  });

  it("says that nothing answers at the address", async () => {
    const api = await startCloudflare();
    await api.close();
    const { code, stdout, stderr } = await run(api, "--check");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    oneLine(stderr);
    expect(stderr).toContain("ECONNREFUSED");
  });
});

describe("npm run rate-limit, its arguments", () => {
  it("shows its help", async () => {
    const { code, stdout, stderr } = await runCommand("rate-limit", ["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["--zone", "--dry-run", "--check", "--apply", "CLOUDFLARE_API_TOKEN", "Free", "Exit code"]) {
      expect(stdout).toContain(word);
    }
  });

  it.each([
    ["no zone", [], {}, "--zone"],
    ["a zone by its name", ["--zone", "example.com"], {}, "example.com"],
    ["a zone with a path in it", ["--zone", `../${ZONE}`], {}, "../"],
    ["two modes", ["--zone", ZONE, "--check", "--apply"], {}, "--check --apply"],
    ["an argument too many", ["--zone", ZONE, "hockey"], {}, "hockey"],
    ["an unknown option", ["--zone", ZONE, "--aply"], {}, "--aply"],
    ["no token to check", ["--zone", ZONE, "--check"], { CLOUDFLARE_API_TOKEN: undefined }, "CLOUDFLARE_API_TOKEN"],
    ["an empty token", ["--zone", ZONE, "--apply"], { CLOUDFLARE_API_TOKEN: "" }, "CLOUDFLARE_API_TOKEN"],
    ["a token on two lines", ["--zone", ZONE, "--apply"], { CLOUDFLARE_API_TOKEN: "a\nb" }, "CLOUDFLARE_API_TOKEN"],
    ["an API in the clear", ["--zone", ZONE, "--apply"], { CLOUDFLARE_API: "http://192.0.2.1" }, "CLOUDFLARE_API"],
    ["an API with a question", ["--zone", ZONE], { CLOUDFLARE_API: "http://127.0.0.1:9/?a=b" }, "CLOUDFLARE_API"],
    ["an API that isn't an address", ["--zone", ZONE], { CLOUDFLARE_API: "cloudflare" }, "CLOUDFLARE_API"],
  ])("refuses %s in one line, with exit code 2", async (_, args, env, what) => {
    const set = { CLOUDFLARE_API_TOKEN: TOKEN, CLOUDFLARE_API: "http://127.0.0.1:9", ...env };
    const { code, stdout, stderr } = await runCommand("rate-limit", args, set);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    oneLine(stderr);
    expect(stderr).toContain(what);
  });

  it("is an npm script that keeps its exit code and its one line", async () => {
    const { code, stdout, stderr } = await runNpm("rate-limit");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^.*--zone.*\n$/);
  });
});
