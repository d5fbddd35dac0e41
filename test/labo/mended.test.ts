// Faults that two readers of the private door found, each with its whole kind: none comes back.
import { describe, expect, it } from "vitest";
import { base64url } from "./jws.ts";
import { CALLBACK, HOME, Lab, makeRoot } from "./lab.ts";

describe("MIN_IAT", () => {
  it.each([
    "0",
    "1",
    "20261129",
    "1764428400000",
    "17644284000",
    "-1764428400",
    "1764428400.5",
    "1e9",
    "2026",
    "2026-11-29",
    "2026-11-29T12:00:00",
    "2026-11-29 12:00:00Z",
    "29 November 2026",
    "Nov 29, 2026 12:00 UTC",
    "2026-13-29T12:00:00Z",
    "2026-11-29T12:00:00Zulu",
  ])("shuts the door when it can be read otherwise: %j", async (MIN_IAT) => {
    const answer = await new Lab({ MIN_IAT }).mcp(null);
    expect(answer).toMatchObject({ status: 503 });
  });

  it.each(["1764428400", "2026-11-29T12:00Z", "2026-11-29T12:00:00Z", "2026-11-29T12:00:00.000+05:00"])(
    "is an instant: %j",
    async (MIN_IAT) => {
      expect((await new Lab({ MIN_IAT }).mcp(null)).status).toBe(401);
    },
  );

  it("shuts the door while it is to come: the owner would consent for nothing", async () => {
    const lab = new Lab();
    const ahead = lab.with({ MIN_IAT: String(lab.now + 3600) });
    expect((await ahead.authorize()).status).toBe(503);
    expect((await ahead.later(3600).authorize()).status).toBe(200);
  });
});

describe("a secret", () => {
  const root = makeRoot();
  const zeros = btoa("\0".repeat(32));
  it.each([
    ["whose names are digits: the first would not be the first", `{"k1":"${root}","2":"${makeRoot()}"}`],
    ["with the same name twice, once escaped", `{"k1":"${root}","k\\u0031":"${makeRoot()}"}`],
    ["of zeros", `{"k1":"${zeros}"}`],
  ])("shuts the door %s", async (_, secret) => {
    for (const name of ["ROOT_TOK", "ROOT_CLI"]) {
      expect((await new Lab({ [name]: secret }).mcp(null)).status).toBe(503);
    }
  });
});

describe("plain http", () => {
  it.each(["/mcp", "/token", "/register", "/authorize", "/.well-known/oauth-authorization-server", "/"])(
    "is not served at an https address: %s",
    async (path) => {
      const answer = await new Lab().send(HOME.replace("https:", "http:") + path, { method: "POST" });
      expect(answer.status).toBe(403);
    },
  );

  it("is told to browsers not to be tried again", async () => {
    const lab = new Lab();
    for (const path of ["/mcp", "/authorize", "/.well-known/oauth-authorization-server", "/rien"]) {
      expect((await lab.send(path)).headers.get("strict-transport-security")).toMatch(/^max-age=\d{8,}$/);
    }
    const local = await lab.send("http://localhost:8790/mcp");
    expect(local.headers.get("strict-transport-security")).toBeNull();
  });
});

describe("two registrations alike, in one second", () => {
  it.each(["none", "client_secret_post"])("are two clients (%s)", async (token_endpoint_auth_method) => {
    const lab = new Lab();
    const [one, other] = [
      await lab.client({ token_endpoint_auth_method }),
      await lab.client({ token_endpoint_auth_method }),
    ];
    expect(one.client_id).not.toBe(other.client_id);
    if (one.client_secret !== undefined) expect(one.client_secret).not.toBe(other.client_secret);
  });
});

describe("the door behind the lock", () => {
  it("never has the secrets", async () => {
    const { lock } = await import("../../workers/labo/oauth.ts");
    const seen: Record<string, unknown>[] = [];
    const note = (env: Record<string, unknown>) => seen.push(env);
    const lab = new Lab();
    const door = lock({
      serve(_, env: Record<string, unknown>) {
        note(env);
        return new Response("ok");
      },
      depsOf(env: Record<string, unknown>, _ctx: null) {
        note(env);
        return { now: () => lab.now * 1000, waitUntil() {} };
      },
      title: "Essai",
      sayGrant(env) {
        note(env);
        return "rien";
      },
    });
    const token = await lab.accessToken();
    const headers = { authorization: `Bearer ${token}` };
    await door(new Request(`${HOME}/mcp`, { method: "POST", headers }), lab.env, null);
    await door(new Request(`${HOME}/ailleurs`), lab.env, null);
    const assertion = await lab.team.assert(lab.now);
    const query = "response_type=code&client_id=https%3A%2F%2Fclaude.ai%2Foauth%2Fclaude-code-client-metadata";
    const challenge = `code_challenge_method=S256&code_challenge=${base64url(new Uint8Array(32))}`;
    const page = await door(
      new Request(`${HOME}/authorize?${query}&${challenge}&redirect_uri=${encodeURIComponent(CALLBACK)}`, {
        headers: { "cf-access-jwt-assertion": assertion },
      }),
      lab.env,
      null,
    );
    expect(page.status).toBe(200);
    expect(seen.length).toBeGreaterThanOrEqual(6);
    for (const env of seen) {
      expect(env.PUBLIC_URL).toBe(HOME);
      expect(Object.keys(env)).not.toContain("ROOT_TOK");
      expect(Object.keys(env)).not.toContain("ROOT_CLI");
    }
    // One and the same for all: what the core keeps by environment is kept.
    expect(new Set(seen).size).toBe(1);
  });
});
