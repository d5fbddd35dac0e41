// Faults that two readers of the private door found, each with its whole kind: none comes back.
import { describe, expect, it, vi } from "vitest";
import { base64url } from "./jws.ts";
import { CALLBACK, expectError, expectPage, HOME, Lab, logged, makeRoot, PING, readRedirect } from "./lab.ts";

describe("MIN_IAT", () => {
  it.each([
    "0",
    "0000000000",
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
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00-05:00",
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

describe("CLOCK", () => {
  it.each(["", "garbage", "2026-13-01"])("shuts the door when it is no instant: %j", async (CLOCK) => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const other = lab.at(lab.now);
    other.env.CLOCK = CLOCK;
    expect((await other.mcp(token)).status).toBe(503);
  });

  it("before 1970 is no fault of MIN_IAT's", async () => {
    expect((await new Lab().at(-300_000_000).mcp(null)).status).toBe(401);
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

describe("the keys of Access", () => {
  it.each<[string, () => Response]>([
    ["fail", () => new Response("oups", { status: 500 })],
    ["are none", () => Response.json({ keys: [] })],
    ["are without end", () => new Response(`{"keys":[{"x":"${"x".repeat(70_000)}"}]}`)],
  ])("that %s are an outage, said in the log, and asked for again after a rest", async (_, failure) => {
    const lab = new Lab();
    lab.team.failure = failure;
    for (let rank = 0; rank < 5; rank++) {
      const answer = await lab.authorize();
      expectPage(answer, 503);
      expect(answer.text).toContain("Access ne répond pas");
      expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    }
    expect(lab.team.asked).toBe(1);
    expect(logged.join()).toMatch(/"reason":"access_down_\d{3}"/);
    lab.team.failure = null;
    vi.setSystemTime(Date.now() + 31_000);
    expect((await lab.authorize()).status).toBe(200);
  });

  it("of a team that doesn't exist are a setting to correct, not an outage", async () => {
    const lab = new Lab();
    lab.team.failure = () => new Response("not found", { status: 404 });
    const { status, text } = await lab.authorize();
    expect(status).toBe(503);
    expect(text).toContain("ACCESS_TEAM");
    expect(text).not.toContain("quelques minutes");
    expect(logged.join()).toContain("labo: ACCESS_TEAM must be");
  });
});

describe("the pages", () => {
  it("tell who signed in as someone else how to sign out", async () => {
    const lab = new Lab();
    const other = await lab.team.assert(lab.now, { email: "autre@example.com" });
    const { status, text } = await lab.authorize({}, { "cf-access-jwt-assertion": other });
    expect(status).toBe(403);
    expect(text).toContain('<a href="/cdn-cgi/access/logout">Fermer ma session</a>');
  });

  it("say that a setting is wrong to a person, and to a machine in its own words", async () => {
    const lab = new Lab({ ACCESS_AUD: "" });
    expectPage(await lab.authorize(), 503);
    expectError(await lab.exchange("x"), 503, "temporarily_unavailable");
  });

  it("isolate a name from their line, and keep out what shows as nothing or as a quotation mark", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client({ client_name: "\u3164‹Claude›＂\u115f\uffa0 أمين" });
    expect((await lab.page({ client_id })).text).toMatch(/<bdi>Claude +أمين<\/bdi>/);
    const nameless = await lab.client({ client_name: "\u3164\u1160" });
    expect((await lab.page({ client_id: nameless.client_id })).text).toContain("<bdi>sans nom</bdi>");
  });

  it("say of a return address that a leaked key signed what they say of any that is wrong", async () => {
    const lab = new Lab();
    const page = await lab.page();
    const blob = await lab.resign(page.blob, "rq", { ru: "https://evil.test/callback" });
    const answer = await lab.decide(page, { blob });
    expectPage(answer, 400);
    expect(answer.text).toContain("L’adresse de retour");
  });
});

describe("a request", () => {
  it("whose state is no text is refused, since it could not come back as it was", async () => {
    const lab = new Lab();
    const back = readRedirect(await lab.authorize({ state: "\ufffd" }));
    expect(back.searchParams.get("error")).toBe("invalid_request");
    expect(back.searchParams.has("state")).toBe(false);
  });

  it.each([`${HOME}:443/mcp`, `${HOME}:443`])("may write the port of https: %s", async (resource) => {
    expect((await new Lab().authorize({ resource })).status).toBe(200);
  });

  it.each([`${HOME}:8443/mcp`, `${HOME}:4430/mcp`, "http://labo.example:443/mcp"])(
    "may not name another resource: %s",
    async (resource) => {
      const back = readRedirect(await new Lab().authorize({ resource }));
      expect(back.searchParams.get("error")).toBe("invalid_target");
    },
  );

  it("whose body is cut is the client's fault", async () => {
    const cut = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.error(new Error("cut"));
        },
      });
    for (const [path, type] of [
      ["/token", "application/x-www-form-urlencoded"],
      ["/register", "application/json"],
    ]) {
      const answer = await new Lab().send(path, { method: "POST", headers: { "content-type": type }, body: cut() });
      expectError(answer, 400, "invalid_request");
    }
  });

  it("that tries a header at /token is told which one", async () => {
    const lab = new Lab();
    const fields = { grant_type: "refresh_token", refresh_token: "x", client_id: "x" };
    const tried = await lab.token(fields, { authorization: "Basic eDp5" });
    expect({ status: tried.status, asks: tried.headers.get("www-authenticate") }).toEqual({
      status: 401,
      asks: 'Basic realm="labo"',
    });
    expect((await lab.token(fields)).headers.get("www-authenticate")).toBeNull();
  });

  it("from another origin is refused with an answer that no cache mixes up", async () => {
    const { status, headers } = await new Lab().mcp(null, PING, { origin: "https://evil.test" });
    expect({ status, vary: headers.get("vary") }).toEqual({ status: 403, vary: "origin" });
  });
});

describe("a code", () => {
  it("isn't spent by a failure of ours, in this isolate or in the limiter", async () => {
    const taken = new Set<string>();
    const limit = async ({ key }: { key: string }) => ({ success: taken.size !== taken.add(key).size });
    const lab = new Lab({ SPENT: { limit } });
    const code = await lab.code();
    const broken = vi.spyOn(crypto.subtle, "sign").mockRejectedValue(new Error("panne"));
    expect((await lab.exchange(code)).status).toBe(503);
    broken.mockRestore();
    expect((await lab.exchange(code)).status).toBe(200);
    expectError(await lab.exchange(code), 400, "invalid_grant");
  });
});

describe("a person who did nothing wrong", () => {
  it("who answers after five minutes is told that the page has expired", async () => {
    const lab = new Lab();
    const page = await lab.page();
    const late = await lab.later(301).decide(page);
    expectPage(late, 403);
    expect(late.text).toContain("La page a expiré");
    expect(late.text).toContain("Rien n\u2019a été autorisé.");
  });

  it("who has opened the page twice is told which one answers", async () => {
    const lab = new Lab();
    const [first, second] = [await lab.page(), await lab.page()];
    const crossed = await lab.decide({ blob: first.blob, cookie: second.cookie });
    expectPage(crossed, 403);
    expect(crossed.text).toContain("dernière page ouverte");
    expect(readRedirect(await lab.decide(second)).searchParams.get("code")).not.toBeNull();
  });

  it("whose application isn't registered any more is told to add the lab again", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client();
    const page = await lab.with({ ROOT_CLI: JSON.stringify({ k1: makeRoot() }) }).authorize({ client_id });
    expectPage(page, 400);
    expect(page.text).toContain("Application inconnue");
    expect(page.text).toContain("ajoute-le de nouveau");
  });
});
