// What OAUTH.md section 13 requires of the lock, one test for each, by its number there.
import { describe, expect, inject, it } from "vitest";
// @ts-expect-error: a text has no types.
import wrangler from "../../wrangler.toml?raw";
import { base64url, hmac, jws, readJws, respell, rsa, sha256 } from "./jws.ts";
import {
  type Answer,
  BARE_CHALLENGE,
  CALLBACK,
  CHALLENGE,
  CLAUDE_AI,
  CLAUDE_CALLBACK,
  CLAUDE_CODE,
  calling,
  challenge,
  DAY,
  type Decision,
  expectError,
  expectPage,
  type Fields,
  HOME,
  Lab,
  logged,
  METADATA,
  makeRoot,
  OTHER_PAIR,
  OWNER,
  outgoing,
  RESOURCE,
  readRedirect,
  STATE,
  VERIFIER,
} from "./lab.ts";
import { ACCEPTED, REFUSED, readVectors } from "./redirects.ts";

/** The sources of the door, as text. */
const SOURCES: Record<string, string> =
  // @ts-expect-error: Vite's, it has no types here.
  import.meta.glob("../../workers/labo/*.ts", { query: "?raw", import: "default", eager: true });

const table = inject("shared")?.["oauth-redirects.tsv"] ?? null;
const shared = table === null ? null : readVectors(table);
const WITHOUT = "RECORDINGS is not set: oauth-redirects.tsv is not there";

const headOf = (method: string, path: string) => `${method} ${path}`;

describe("1. a return address is one of the list, to the byte", () => {
  const isRefused = async (value: unknown) => {
    const lab = new Lab();
    const told = String(value);
    // At the registration, and never said again.
    const registered = await lab.register({ redirect_uris: [value] });
    expectError(registered, 400, "invalid_redirect_uri");
    if (told.length > 10) expect(registered.text).not.toContain(told);
    if (typeof value !== "string") return;
    // At the request, of every kind of client, and of one that a leaked key had signed.
    const { client_id } = await lab.client();
    const forged = await lab.resign(client_id, "cl", bent(readJws(client_id).claims, value));
    for (const id of [CLAUDE_CODE, CLAUDE_AI, client_id, forged]) {
      expectPage(await lab.authorize({ client_id: id, redirect_uri: value }), 400);
    }
    // And when the browser is sent there, were the form signed by a leaked key.
    const page = await lab.page();
    const blob = await lab.resign(page.blob, "rq", bent(readJws(page.blob).claims, value));
    for (const decision of ["oui", "non"]) {
      const { status, headers } = await lab.decide({ ...page, blob }, { decision });
      expect({ status, location: headers.get("location") }).toEqual({ status: expect.any(Number), location: null });
      expect(status).toBeGreaterThanOrEqual(400);
    }
  };
  /** The same claims with another return address, wherever it stands. */
  const bent = (claims: object, address: string) =>
    JSON.parse(JSON.stringify(claims).replaceAll(JSON.stringify(CALLBACK), () => JSON.stringify(address)));

  const isAccepted = async (address: string) => {
    const lab = new Lab();
    const { client_id } = await lab.client({ redirect_uris: [address] });
    const answer = await lab.decide(await lab.page({ client_id, redirect_uri: address }));
    expect(readRedirect(answer).searchParams.get("code")).toMatch(/./);
    expect(answer.headers.get("location")).toMatch(/^[!-~]+$/);
    // An address on port 80 is the same with and without it.
    expect(answer.headers.get("location")?.split("?")[0]).toBe(new URL(address).href);
  };

  it.each(Object.keys(REFUSED))("refuses %s, at all three places", async (kind) => {
    for (const value of REFUSED[kind]) await isRefused(value);
  });

  it("takes the two of Claude, and those of a program on this machine", async () => {
    for (const address of ACCEPTED) await isAccepted(address);
  });

  it("does as the vectors kept beside the recordings say", async ({ skip }) => {
    if (shared === null) return skip(WITHOUT);
    expect(shared.accepted.length + shared.refused.length).toBeGreaterThanOrEqual(40);
    for (const address of shared.accepted) await isAccepted(address);
    for (const value of shared.refused) await isRefused(value);
  });
});

describe("the requirements of OAUTH.md", () => {
  it("2. PKCE is S256, and no code is made without it", async () => {
    const lab = new Lab();
    const weak: Fields[] = [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge_method: null },
      { code_challenge_method: "plain", code_challenge: VERIFIER },
      { code_challenge: CHALLENGE.slice(1) },
    ];
    for (const change of weak) {
      const back = readRedirect(await lab.authorize(change));
      expect([...back.searchParams.keys()].sort()).toEqual(["error", "error_description", "iss", "state"]);
      expect(back.searchParams.get("error")).toBe("invalid_request");
    }
    const code = await lab.code();
    for (const code_verifier of [null, VERIFIER.slice(1), VERIFIER.padEnd(129, "a"), "x".repeat(43)]) {
      expect((await lab.exchange(code, { code_verifier })).status).toBe(400);
    }
    expect((await lab.exchange(code)).status).toBe(200);
  });

  it("3. a code is used once, soon, by who asked for it", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client();
    const code = await lab.code();
    expectError(await lab.exchange(code, { client_id }), 400, "invalid_grant");
    expectError(await lab.exchange(code, { redirect_uri: "http://localhost:51878/callback" }), 400, "invalid_grant");
    expectError(await lab.later(61).exchange(code), 400, "invalid_grant");
    expect((await lab.exchange(code)).status).toBe(200);
    expectError(await lab.exchange(code), 400, "invalid_grant");
    expectError(await lab.exchange(code, { code_verifier: "x".repeat(43) }), 400, "invalid_grant");
  });

  it("4. every answer to the client says who gives it", async () => {
    const lab = new Lab();
    const answers = [
      await lab.decide(await lab.page()),
      await lab.decide(await lab.page(), { decision: "non" }),
      await lab.authorize({ code_challenge: null }),
      await lab.authorize({ response_type: "token" }),
      await lab.authorize({ response_mode: "fragment" }),
      await lab.authorize({ resource: "https://evil.test" }),
      await lab.authorize({ prompt: "none" }),
      await lab.authorize({ request: "x.y.z" }),
      await lab.authorize({ request_uri: "https://evil.test/request" }),
    ];
    expect(answers.map((answer) => readRedirect(answer).searchParams.get("error"))).toEqual([
      ...[null, "access_denied", "invalid_request", "unsupported_response_type", "invalid_request", "invalid_target"],
      ...["interaction_required", "request_not_supported", "request_uri_not_supported"],
    ]);
    const { json } = await lab.send("/.well-known/oauth-authorization-server");
    expect(json).toMatchObject({ issuer: HOME, authorization_response_iss_parameter_supported: true });
    for (const answer of answers) {
      const { searchParams } = readRedirect(answer);
      expect([searchParams.getAll("iss"), searchParams.getAll("state")]).toEqual([[json.issuer], [STATE]]);
    }
  });

  it("5. a return address that isn't known is never gone to", async () => {
    const lab = new Lab();
    const evil = "https://evil.test/canari";
    const astray: Fields[] = [
      { redirect_uri: evil },
      { redirect_uri: evil, response_type: "token" },
      { redirect_uri: evil, client_id: "x" },
      { redirect_uri: evil, prompt: "none" },
      { redirect_uri: evil, code_challenge: null },
      { client_id: evil },
      { state: [STATE, STATE] },
    ];
    for (const change of astray) {
      const answer = await lab.authorize(change);
      expectPage(answer, 400);
      expect([...answer.headers.values()].join()).not.toContain("evil");
    }
  });

  it("6. the browser goes back with 303, which makes its next request a GET", async () => {
    const lab = new Lab();
    const page = await lab.page();
    expect((await lab.decide(page, { decision: "non" })).status).toBe(303);
    expect((await lab.decide(page)).status).toBe(303);
    expect((await lab.authorize({ prompt: "none" })).status).toBe(303);
  });

  it("7. only the page that the owner reads sends its form", async () => {
    const lab = new Lab();
    const page = await lab.page();
    const setCookie = page.headers.get("set-cookie") ?? "";
    for (const word of ["Secure", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=300"]) {
      expect(setCookie.split("; ")).toContain(word);
    }
    expect(setCookie).not.toMatch(/domain=/i);
    const other = await lab.page();
    expect(page.cookie).not.toBe(other.cookie);
    const stranger = await lab.team.assert(lab.now, { email: "autre@example.com" });
    const forms: Decision[] = [
      { headers: { origin: "https://evil.test", "sec-fetch-site": "cross-site" } },
      { headers: { origin: null } },
      { cookie: null },
      { cookie: other.cookie },
      { blob: other.blob },
      { assertion: null },
      { assertion: stranger },
    ];
    for (const bent of forms) {
      expectPage(await lab.decide(page, bent), 403);
    }
    readRedirect(await lab.decide(page));
  });

  it("8. no other page can hold it in a frame", async () => {
    const lab = new Lab();
    const pages: [string, Answer][] = [
      ["'self' http://localhost:51877", await lab.page()],
      ["'self' https://claude.ai", await lab.page({ client_id: CLAUDE_AI, redirect_uri: CLAUDE_CALLBACK })],
      ["", await lab.authorize({ client_id: "x" })],
      ["", await lab.authorize({}, { "cf-access-jwt-assertion": null })],
      ["", await lab.decide(await lab.page(), { cookie: null })],
    ];
    for (const [target, { headers }] of pages) {
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy.split("; ")).toEqual(
        expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"]),
      );
      const action = /form-action ([^;]+)/.exec(policy)?.[1];
      // Chromium stops the redirect that follows a form unless its origin is named.
      if (target === "") expect(["'self'", "'none'"]).toContain(action);
      else expect(action).toBe(target);
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        // Under no-referrer a browser would send the page's own form with `Origin: null`.
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
      });
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  it("9. a token is for /mcp of this door: four spellings in, one out", async () => {
    const lab = new Lab();
    for (const resource of [RESOURCE, `${RESOURCE}/`, HOME, `${HOME}/`, "HTTPS://LABO.example/mcp", null]) {
      const code = await lab.code({ resource });
      const { status, json } = await lab.exchange(code, { resource });
      expect({ resource, status }).toEqual({ resource, status: 200 });
      expect(readJws(json.access_token).claims).toMatchObject({ aud: RESOURCE, iss: HOME });
    }
    for (const resource of ["https://evil.test", `${HOME}/MCP`, `${HOME}/mcp/x`, "http://labo.example/mcp", "labo"]) {
      expect(readRedirect(await lab.authorize({ resource })).searchParams.get("error")).toBe("invalid_target");
      expectError(await lab.exchange(await lab.code(), { resource }), 400, "invalid_target");
    }
    const token = await lab.accessToken();
    for (const aud of [HOME, "https://other.example/mcp", [RESOURCE, "x"]]) {
      expect(await lab.admits(await lab.resign(token, "at", { aud }))).toBe(false);
    }
    expect(await lab.admits(await lab.resign(token, "at", {}))).toBe(true);
  });

  it("10. a token that comes in never goes out", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    outgoing.length = 0;
    const { json } = await lab.mcp(token, calling("labo_etat"));
    expect(json.result.content[0].text).toMatch(/./);
    expect(outgoing.length).toBeGreaterThan(0);
    for (const { sent } of outgoing) {
      expect(sent).not.toContain(token);
      expect(sent).not.toContain(token.split(".")[2]);
      expect(sent).not.toMatch(/^authorization:/im);
    }
  });

  it("11. a refresh token is another one each time, tied to its client and to its sign-in", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client();
    const first = await lab.pair();
    const { json: second } = await lab.later(60).refresh(first.refresh_token);
    const { json: third } = await lab.later(120).refresh(second.refresh_token);
    const claims = [first, second, third].map(({ refresh_token }) => readJws(refresh_token).claims);
    expect(new Set([first, second, third].map(({ refresh_token }) => refresh_token)).size).toBe(3);
    expect(claims.map(({ gen }) => Number(gen) - Number(claims[0].gen))).toEqual([0, 1, 2]);
    for (const name of ["fam", "auth_time", "aud"]) expect(new Set(claims.map((each) => each[name])).size).toBe(1);
    for (const { exp } of claims) expect(exp).toBe(lab.now + 30 * DAY);
    expectError(await lab.refresh(first.refresh_token, { client_id }), 400, "invalid_grant");
    // What a door without a memory can't do: the one that was replaced still holds.
    expect((await lab.later(180).refresh(first.refresh_token)).status).toBe(200);
  });

  it("12. tokens are bearer tokens, and nothing else is promised", async () => {
    const lab = new Lab();
    const { json: server } = await lab.send("/.well-known/oauth-authorization-server");
    const { json: resource } = await lab.send("/.well-known/oauth-protected-resource/mcp");
    expect(Object.keys({ ...server, ...resource }).filter((name) => /dpop|mtls|tls_client|jwks/.test(name))).toEqual(
      [],
    );
    expect(resource.bearer_methods_supported).toEqual(["header"]);
    const { json } = await lab.exchange(await lab.code());
    expect(json).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.any(String),
      scope: "labo",
    });
  });

  it("13. there is one scope, and what a token opens is what the deployment lists", async () => {
    const lab = new Lab();
    const token = await lab.accessToken({ scope: "labo admin offline_access" });
    expect(readJws(token).claims.scope).toBe("labo");
    const shut = lab.with({ LABO_TOOLS: "" });
    expect((await shut.mcp(token, { jsonrpc: "2.0", id: 1, method: "tools/list" })).json.result.tools).toEqual([]);
    const { json } = await shut.mcp(token, calling("labo_etat"));
    expect(json.error.code).toBe(-32602);
    expect(outgoing.filter(({ url }) => !url.includes("cloudflareaccess"))).toEqual([]);
  });

  it("14. no token is ever in an address or in the log", async () => {
    const lab = new Lab({ OWNER_EMAIL: "canari-proprio@example.com" });
    const team = lab.team;
    const assertion = await team.assert(lab.now, { email: "canari-proprio@example.com" });
    const headers = { "cf-access-jwt-assertion": assertion };
    const state = "canari-etat-0123456789";
    const client = await lab.client({ client_name: "canari-client", token_endpoint_auth_method: "client_secret_post" });
    const page = await lab.page({ client_id: client.client_id, state }, headers);
    const answer = await lab.decide(page, { assertion });
    const code = readRedirect(answer).searchParams.get("code") ?? "";
    const own = { client_id: client.client_id, client_secret: client.client_secret ?? "" };
    const { json: first } = await lab.exchange(code, own);
    const { json: second } = await lab.refresh(first.refresh_token, own);
    const secrets = [
      ...[assertion, state, "canari", VERIFIER, CHALLENGE, code, client.client_id, own.client_secret],
      ...[page.blob, page.cookie, first.access_token, first.refresh_token, second.access_token, second.refresh_token],
      ...Object.values(JSON.parse(String(lab.env.ROOT_TOK))).map(String),
    ];
    // Those that fail, too.
    await lab.exchange(code, own);
    await lab.exchange("canari", own);
    await lab.exchange(code, { ...own, client_secret: "canari" });
    await lab.refresh(`${first.refresh_token}canari`, own);
    await lab.authorize({ redirect_uri: "https://evil.test/canari" }, headers);
    await lab.authorize({}, { "cf-access-jwt-assertion": `${assertion}x` });
    await lab.decide(page, { assertion, cookie: "__Host-labo-csrf=canari" });
    await lab.register({ redirect_uris: ["https://evil.test/canari"] });
    await lab.mcp("canari");
    await lab.mcp(`${first.access_token}x`);
    await lab.mcp(first.access_token, calling("labo_etat", { question: "canari" }));
    await lab.mcp(first.access_token, calling("canari"));
    await lab.send("/.well-known/oauth-canari");
    await lab.send("/canari");
    await lab.send("/revoke", { method: "POST", body: new URLSearchParams({ token: first.refresh_token }) });
    const log = logged.join("\n");
    expect(log.split("\n").length).toBeGreaterThan(15);
    expect(log).not.toMatch(/canari/i);
    for (const secret of secrets) {
      expect(log).not.toContain(secret);
      // Nor the part of it that signs.
      if (secret.includes(".")) expect(log).not.toContain(secret.split(".").at(-1));
    }
    // Of all that, the browser's address bar saw the code and the state alone.
    expect([...readRedirect(answer).searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
    for (const { url } of outgoing) expect(url).not.toMatch(/canari|eyJ/);
  });

  it("15. a registration is small, of known addresses, and changes nothing", async () => {
    const lab = new Lab();
    const junk = [
      ...["", "null", "5", "[]", "{", '"x"', "true", "{}", '{"redirect_uris":null}', '{"redirect_uris":[null]}'],
      ...Object.values(REFUSED)
        .flat()
        .map((value) => JSON.stringify({ redirect_uris: [value] })),
      JSON.stringify({ redirect_uris: Array(1000).fill(CALLBACK) }),
      JSON.stringify({ redirect_uris: Array(6).fill(CALLBACK) }),
      `{"redirect_uris":${"[".repeat(2000)}`,
    ];
    expect(junk.length).toBeGreaterThanOrEqual(90);
    for (const body of junk) {
      const { status, json } = await lab.register(body);
      expect({ body, status: [400, 413].includes(status) ? "refused" : status, isJson: json !== null }).toEqual({
        body,
        status: "refused",
        isJson: true,
      });
    }
    expect(outgoing).toEqual([]);
    const again = await Promise.all([lab.client(), lab.client()]);
    // Nothing is kept: another isolate, that has never seen it, knows it too.
    for (const { client_id } of again) expect((await lab.authorize({ client_id })).status).toBe(200);
  });

  it("16. two documents are known by heart, and no address is ever fetched", async () => {
    const lab = new Lab();
    const page = await lab.page();
    outgoing.length = 0;
    expectPage(await lab.authorize({ client_id: "https://evil.test/client.json" }), 400);
    expectPage(await lab.authorize({ client_id: `${CLAUDE_AI}?x` }), 400);
    expect((await lab.authorize({ client_id: CLAUDE_AI, redirect_uri: CLAUDE_CALLBACK })).status).toBe(200);
    expect(outgoing).toEqual([]);
    expect(page.text).toContain("une application sur cet ordinateur");
  });

  it("17. nobody goes around Access: the door checks what it says, and answers at one address", async () => {
    const lab = new Lab();
    const { claims, now, team } = { claims: lab.team.claims(lab.now), now: lab.now, team: lab.team };
    const head = base64url(JSON.stringify({ alg: "none", kid: "cle-1" }));
    const spki = await crypto.subtle.exportKey("spki", OTHER_PAIR.publicKey);
    const forged: (string | null)[] = [
      null,
      "x.y.z",
      `${head}.${base64url(JSON.stringify(claims))}.`,
      await jws({ alg: "HS256", kid: "cle-1" }, claims, hmac(spki as ArrayBuffer)),
      await jws({ alg: "RS256", kid: "cle-1" }, claims, rsa(OTHER_PAIR.privateKey)),
      await team.assert(now, { aud: ["autre"] }),
      await team.assert(now, { iss: "https://autre.cloudflareaccess.com" }),
      await team.assert(now, { exp: now - 6 }),
      await team.assert(now, { exp: undefined }),
      await team.assert(now, { email: undefined, common_name: "robot" }),
    ];
    const page = await lab.page();
    for (const assertion of forged) {
      const headers = { "cf-access-jwt-assertion": assertion };
      expectPage(await lab.authorize({}, headers), 403);
      expectPage(await lab.decide(page, { assertion }), 403);
    }
    const cookie = `CF_Authorization=${await team.assert(now)}`;
    expectPage(await lab.authorize({}, { "cf-access-jwt-assertion": null, cookie }), 403);
    expect(wrangler).toMatch(/^workers_dev = false$/m);
    expect(wrangler).toMatch(/^preview_urls = false$/m);
    expect((await lab.send("https://labo.somebody.workers.dev/authorize?x")).status).toBe(403);
    expect((await lab.send("https://labo.somebody.workers.dev/mcp", { method: "POST" })).status).not.toBe(200);
  });

  it("18. each kind of object has a key and a name of its own", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client();
    const [{ blob }, code, pair] = [
      await lab.page({ client_id }),
      await lab.code({ client_id }),
      await lab.pair({ client_id }),
    ];
    const own = { cl: client_id, rq: blob, ac: code, at: pair.access_token, rt: pair.refresh_token };
    for (const [kind, token] of Object.entries(own)) {
      const kid = kind === "cl" ? "c1" : "k1";
      expect(readJws(token).header).toEqual({ alg: "HS256", typ: `${kind}+labo`, kid });
      // Made again with its own key, it is the same to the byte; with any other, it is not.
      expect(await lab.resign(token, kind)).toBe(token);
    }
    const tokens = Object.values(own);
    for (const token of tokens) {
      expect(await lab.admits(token)).toBe(token === own.at);
      expect((await lab.exchange(token, { client_id })).status).toBe(token === own.ac ? 200 : 400);
      expect((await lab.refresh(token, { client_id })).status).toBe(token === own.rt ? 200 : 400);
      expect((await lab.authorize({ client_id: token })).status).toBe(token === own.cl ? 200 : 400);
      const { cookie } = await lab.page();
      const decided = await lab.decide({ blob: token, cookie });
      if (token !== own.rq) expectPage(decided, 403);
    }
  });

  it("19. secrets are compared in a time that says nothing of them", async () => {
    // Nothing of this can be measured here: the sources are read, for a comparison of what only the owner or a client knows.
    const code = Object.values(SOURCES)
      .join("\n")
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*$|typeof \w+ [!=]== "\w+"/gm, "");
    expect(code).toMatch(/timingSafeEqual/);
    expect(code).toMatch(/subtle\.verify|jwtVerify|compactVerify/);
    const secret = /\b\w*(?:secret|nonce|csrf|signature|verifier|challenge|mac|digest)\w*\b\)?/i.source;
    const sides = new RegExp(`(?:${secret}) [!=]==? (?!null|undefined|""|"S256")|[!=]==? [\\w.]*${secret}`, "gi");
    expect(code.match(sides)).toBeNull();
    // And a client's secret is wanted whole, by whoever was given one.
    const lab = new Lab();
    const { client_id, client_secret = "" } = await lab.client({ token_endpoint_auth_method: "client_secret_post" });
    expect(client_secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const grant = await lab.code({ client_id });
    for (const bad of [null, "", client_secret.slice(1), respell(client_secret), `${client_secret}x`, "x".repeat(43)]) {
      expectError(await lab.exchange(grant, { client_id, client_secret: bad }), 401, "invalid_client");
    }
    expect((await lab.exchange(grant, { client_id, client_secret })).status).toBe(200);
  });

  it("20. keys are changed without putting anyone out, and at once when they must", async () => {
    const [old, next] = [makeRoot(), makeRoot()];
    const before = new Lab({ ROOT_TOK: JSON.stringify({ k1: old }) });
    const { client_id } = await before.client();
    const pair = await before.pair({ client_id });
    const both = before.with({ ROOT_TOK: JSON.stringify({ k2: next, k1: old }) });
    expect(await both.admits(pair.access_token)).toBe(true);
    const { json: renewed } = await both.refresh(pair.refresh_token, { client_id });
    expect(readJws(renewed.access_token).header.kid).toBe("k2");
    const after = both.with({ ROOT_TOK: JSON.stringify({ k2: next }) });
    expect(await after.admits(pair.access_token)).toBe(false);
    expect(await after.admits(renewed.access_token)).toBe(true);
    expect((await after.refresh(renewed.refresh_token, { client_id })).status).toBe(200);
    // The names of the keys are the owner's own.
    const swapped = both.with({ ROOT_TOK: JSON.stringify({ k2: old, k1: next }) });
    expect(await swapped.admits(renewed.access_token)).toBe(false);
    const family = String(readJws(renewed.access_token).claims.fam);
    expect(await after.with({ DENY_FAM: family }).admits(renewed.access_token)).toBe(false);
    expect(await after.with({ MIN_IAT: String(before.now + 1) }).admits(renewed.access_token)).toBe(false);
    // A client outlives the tokens, and its own key has its own rotation.
    expect((await after.authorize({ client_id })).status).toBe(200);
    const unknown = after.with({ ROOT_CLI: JSON.stringify({ c2: makeRoot() }) });
    expectPage(await unknown.authorize({ client_id }), 400);
    expect((await unknown.authorize()).status).toBe(200);
  });

  it("21. a refusal says what kind it is, and never why", async () => {
    const lab = new Lab();
    const { client_id, client_secret = "" } = await lab.client({ token_endpoint_auth_method: "client_secret_post" });
    const [pair, code, own] = [await lab.pair(), await lab.code(), await lab.code({ client_id })];
    const emptied = lab.with({ ROOT_TOK: JSON.stringify({ k1: makeRoot() }) });
    const classes: Record<string, Answer[]> = {
      "a code": [
        await lab.exchange("x"),
        await lab.exchange(`${code}x`),
        await lab.later(61).exchange(code),
        await lab.exchange(code, { code_verifier: "x".repeat(43) }),
        await lab.exchange(code, { client_id: CLAUDE_AI }),
        await emptied.exchange(code),
      ],
      "a refresh token": [
        await lab.refresh("x"),
        await lab.refresh(pair.access_token),
        await lab.refresh(pair.refresh_token, { client_id: CLAUDE_AI }),
        await lab.later(31 * DAY).refresh(pair.refresh_token),
        await emptied.refresh(pair.refresh_token),
      ],
      "a client": [
        await lab.exchange(own, { client_id: "x" }),
        await lab.exchange(own, { client_id }),
        await lab.exchange(own, { client_id, client_secret: `${client_secret}x` }),
        await lab.exchange(own, { client_id: "https://evil.test/client.json" }),
      ],
      "an access token": [
        await lab.mcp("x"),
        await lab.mcp(pair.refresh_token),
        await lab.mcp(await lab.resign(pair.access_token, "at", { aud: HOME })),
        await lab.mcp(await lab.resign(pair.access_token, "at", {}, { kid: "k9" })),
        await emptied.mcp(pair.access_token),
      ],
      "an assertion": [
        await lab.authorize({}, { "cf-access-jwt-assertion": null }),
        await lab.authorize({}, { "cf-access-jwt-assertion": await lab.team.assert(lab.now, { aud: ["x"] }) }),
        await lab.authorize(
          {},
          { "cf-access-jwt-assertion": await lab.team.assert(lab.now, { email: "x@example.com" }) },
        ),
      ],
    };
    for (const [kind, answers] of Object.entries(classes)) {
      const said = answers.map(({ status, text, headers }) => `${status} ${headers.get("www-authenticate")} ${text}`);
      expect({ kind, said: [...new Set(said)] }).toEqual({ kind, said: [said[0]] });
    }
  });

  it("22. what comes in has a limit, and what is too much costs nothing", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    expectPage(await lab.authorize({ x: "x".repeat(8192) }), 400);
    const long = { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } };
    expect((await lab.send("/mcp", { ...long, body: " ".repeat(300_000) })).status).toBe(413);
    const code = await lab.code();
    expect((await lab.exchange(code, { x: "x".repeat(16_384) })).status).toBe(413);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const endless = new Blob(["x=".padEnd(1_000_000, "x")]).stream();
    expect((await lab.send("/token", { method: "POST", headers: form, body: endless })).status).toBe(413);
    expect([400, 413]).toContain((await lab.register({ redirect_uris: [CALLBACK], x: "x".repeat(4096) })).status);
    expect((await lab.register({ redirect_uris: [CALLBACK], x: "x".repeat(100_000) })).status).toBe(413);
    // Before any reckoning: none of the keys was used.
    expect((await lab.mcp("A".repeat(4097))).headers.get("www-authenticate")).toBe(challenge("invalid"));
    expect((await lab.mcp(`${"A".repeat(100_000)}.A.A`)).status).toBe(401);
    const assertion = await lab.team.assert(lab.now, { x: "x".repeat(9_000) });
    expectPage(await lab.authorize({}, { "cf-access-jwt-assertion": assertion }), 403);
    const page = await lab.page();
    const decided = await lab.decide(page, { blob: "x".repeat(1_000_000) });
    expect([400, 403, 413]).toContain(decided.status);
  });

  it("23. a page of another site calls nothing", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    for (const origin of [
      "https://evil.test",
      // On one's own machine the door is called so, by the inspector; a deployed one isn't.
      "http://localhost:6274",
      "null",
      "http://claude.ai",
      "https://claude.ai.evil.test",
      "https://x.claude.ai",
    ]) {
      const answer = await lab.mcp(token, undefined, { origin });
      expect({ origin, status: answer.status }).toEqual({ origin, status: 403 });
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      const preflight = await lab.send("/mcp", { method: "OPTIONS", headers: { origin } });
      expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
    }
    for (const origin of ["https://claude.ai", "https://claude.com"]) {
      const { status, headers } = await lab.mcp(token, undefined, { origin });
      expect({ status, cors: headers.get("access-control-allow-origin") }).toEqual({ status: 200, cors: origin });
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("vary")?.toLowerCase()).toContain("origin");
    }
    expect((await lab.mcp(token)).status).toBe(200);
  });

  it("24. clocks may differ by 5 s, no more", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const exp = Number(readJws(token).claims.exp);
    expect(await lab.at(exp + 4).admits(token)).toBe(true);
    expect((await lab.at(exp + 6).mcp(token)).headers.get("www-authenticate")).toBe(challenge("expired"));
    expect(await lab.at(lab.now - 4).admits(token)).toBe(true);
    expect(await lab.at(lab.now - 6).admits(token)).toBe(false);
    const assertion = await lab.team.assert(lab.now, { exp: lab.now });
    const headers = { "cf-access-jwt-assertion": assertion };
    expect((await lab.later(4).authorize({}, headers)).status).toBe(200);
    expectPage(await lab.later(6).authorize({}, headers), 403);
  });
});

describe("the log of the lock", () => {
  const last = () => JSON.parse(logged.filter((line) => line.includes('"route"')).at(-1) ?? "{}");

  it("has one line for each request, that names no one", async () => {
    const lab = new Lab();
    logged.length = 0;
    await lab.mcp(null);
    expect(logged).toHaveLength(1);
    expect(last()).toEqual({
      ...{ door: "labo", route: "/mcp", method: "POST", status: 401, reason: "absent" },
      ...{ client: null, fam: null, ms: expect.any(Number) },
    });
  });

  it("says why, where the answer doesn't: a word of its own for each reason", async () => {
    const lab = new Lab();
    const { access_token, refresh_token } = await lab.pair();
    const used = await lab.code();
    await lab.exchange(used);
    const code = await lab.code();
    const reasons: string[] = [];
    for (const ask of [
      () => lab.later(3700).mcp(access_token),
      () => lab.mcp(refresh_token),
      () => lab.exchange(used),
      () => lab.later(61).exchange(code),
      () => lab.exchange(code, { client_id: CLAUDE_AI }),
      () => lab.exchange(code, { redirect_uri: "http://localhost:1/callback" }),
      () => lab.exchange(code, { code_verifier: "x".repeat(43) }),
      () => lab.refresh(refresh_token, { client_id: CLAUDE_AI }),
      () => lab.authorize({}, { "cf-access-jwt-assertion": null }),
      () => lab.authorize({ prompt: "none" }),
      () => lab.register({ redirect_uris: ["https://evil.test/"] }),
    ]) {
      await ask();
      reasons.push(last().reason);
    }
    expect(new Set(reasons).size).toBe(reasons.length);
    for (const reason of reasons) expect(reason).toMatch(/^[a-z_]{5,30}$/);
  });

  it("names the family of a token that is asked to be revoked, as DENY_FAM wants it", async () => {
    const lab = new Lab();
    const { access_token, refresh_token } = await lab.pair();
    const { fam } = readJws(access_token).claims;
    for (const token of [access_token, refresh_token, "whatever"]) {
      const answer = await lab.send("/revoke", { method: "POST", body: new URLSearchParams({ token }) });
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: "" });
      expect(last().fam).toBe(token === "whatever" ? null : fam);
    }
    // It holds until the owner puts it there.
    expect(await lab.admits(access_token)).toBe(true);
    expect(await lab.with({ DENY_FAM: last().fam ?? fam }).admits(access_token)).toBe(false);
    expect((await lab.send("/.well-known/oauth-authorization-server")).json.revocation_endpoint).toBeUndefined();
  });
});

describe("where a client looks", () => {
  const RESOURCE_DOCUMENT = {
    resource: RESOURCE,
    authorization_servers: [HOME],
    scopes_supported: ["labo"],
    bearer_methods_supported: ["header"],
    resource_name: expect.any(String),
  };
  const SERVER_DOCUMENT = {
    issuer: HOME,
    authorization_endpoint: `${HOME}/authorize`,
    token_endpoint: `${HOME}/token`,
    registration_endpoint: `${HOME}/register`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
    scopes_supported: ["labo"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };

  it.each([
    ["/.well-known/oauth-protected-resource/mcp", RESOURCE_DOCUMENT],
    ["/.well-known/oauth-protected-resource", RESOURCE_DOCUMENT],
    ["/.well-known/oauth-authorization-server", SERVER_DOCUMENT],
    ["/.well-known/oauth-authorization-server/mcp", SERVER_DOCUMENT],
  ])("finds %s, to the field", async (path, document) => {
    const lab = new Lab();
    const answer = await lab.send(path);
    expect({ status: answer.status, json: answer.json }).toEqual({ status: 200, json: document });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toContain("max-age=300");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    const head = await lab.send(path, { method: "HEAD" });
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: "" });
    const preflight = await lab.send(path, { method: "OPTIONS", headers: { origin: "http://localhost:6274" } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect((await lab.send(path, { method: "POST" })).status).toBeGreaterThanOrEqual(404);
  });

  it.each([
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
    "/mcp/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp/",
    "/.well-known/oauth-protected-resource/other",
    "/.well-known/anything",
    "/.well-known/",
    "/MCP",
    "//mcp",
    "/%6dcp",
    "/favicon.ico",
  ])("finds nothing at %s, and is told so in JSON", async (path) => {
    const { status, json } = await new Lab().send(path);
    expect({ path, status, json }).toEqual({ path, status: 404, json: { error: "not_found" } });
  });

  it("is never redirected but by the owner's decision", async () => {
    const lab = new Lab();
    const asked = ["/mcp", "/mcp/", "/token", "/register", "/authorize", "/", "/.well-known/oauth-protected-resource/"];
    for (const path of asked) {
      for (const method of ["GET", "POST", "OPTIONS", "HEAD"]) {
        const { status } = await lab.send(path, { method });
        expect({ asked: headOf(method, path), moved: status >= 300 && status < 400 }).toEqual({
          asked: headOf(method, path),
          moved: false,
        });
      }
    }
  });

  it("is told in one line of ASCII where to begin", async () => {
    const lab = new Lab();
    expect(BARE_CHALLENGE).toContain(METADATA);
    for (const method of ["GET", "POST"]) {
      const { headers } = await lab.send("/mcp", { method });
      expect(headers.get("www-authenticate")).toBe(BARE_CHALLENGE);
    }
    expect((await lab.send(METADATA)).json.resource).toBe(RESOURCE);
  });

  it("builds no address from what it is asked", async () => {
    const lab = new Lab();
    const headers = { "x-forwarded-host": "evil.test", forwarded: "host=evil.test", "x-original-host": "evil.test" };
    for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"]) {
      expect((await lab.send(path, { headers })).text).not.toContain("evil");
    }
    expect((await lab.send("/mcp", { method: "POST", headers })).headers.get("www-authenticate")).toBe(BARE_CHALLENGE);
  });
});

describe("the endpoint of tokens", () => {
  it("takes a form alone, and says so", async () => {
    const lab = new Lab();
    const fields = { grant_type: "authorization_code", code: await lab.code(), code_verifier: VERIFIER };
    const all = { ...fields, redirect_uri: CALLBACK, client_id: CLAUDE_CODE };
    const json = { "content-type": "application/json" };
    const asJson = await lab.send("/token", { method: "POST", headers: json, body: JSON.stringify(all) });
    expect(asJson.status).toBeGreaterThanOrEqual(400);
    expect(asJson.json).not.toBeNull();
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { status, json: said } = await lab.send("/token", { method });
      expect({ method, status, isJson: said !== null }).toEqual({ method, status: 405, isJson: true });
    }
    expect((await lab.send("/token", { method: "OPTIONS" })).status).toBe(204);
    const query = await lab.send(`/token?${new URLSearchParams(all)}`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "",
    });
    expectError(query, 400, "invalid_request");
    const both = await lab.send("/token?x=1", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(all),
    });
    expectError(both, 400, "invalid_request");
    const charset = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
    expect((await lab.token(all, charset)).status).toBe(200);
  });

  it("wants each parameter once", async () => {
    const lab = new Lab();
    const code = await lab.code();
    for (const name of ["code", "client_id", "code_verifier", "redirect_uri", "grant_type", "resource"]) {
      const once: Record<string, string> = {
        code,
        client_id: CLAUDE_CODE,
        code_verifier: VERIFIER,
        redirect_uri: CALLBACK,
        grant_type: "authorization_code",
        resource: RESOURCE,
      };
      expectError(await lab.exchange(code, { [name]: [once[name], once[name]] }), 400, "invalid_request");
    }
    expect((await lab.exchange(code)).status).toBe(200);
  });

  it("knows two grants", async () => {
    const lab = new Lab();
    for (const grant_type of ["client_credentials", "password", "implicit", "__proto__"]) {
      expectError(await lab.token({ grant_type, client_id: CLAUDE_CODE }), 400, "unsupported_grant_type");
    }
    expectError(await lab.token({ client_id: CLAUDE_CODE }), 400, "invalid_request");
  });

  it("answers what no cache keeps, to a page of any site, without a cookie", async () => {
    const lab = new Lab();
    for (const answer of [await lab.exchange(await lab.code()), await lab.exchange("x")]) {
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "cache-control": "no-store",
        pragma: "no-cache",
        "access-control-allow-origin": "*",
      });
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      expect(answer.headers.get("set-cookie")).toBeNull();
    }
  });

  it("honours the secret of who asked for one, and gives none to the others", async () => {
    const lab = new Lab();
    const registered = await lab.register({
      redirect_uris: [CLAUDE_CALLBACK],
      token_endpoint_auth_method: "client_secret_post",
    });
    expect(registered.headers.get("cache-control")).toBe("no-store");
    const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = registered.json;
    expect({ client_secret_expires_at, token_endpoint_auth_method }).toEqual({
      client_secret_expires_at: 0,
      token_endpoint_auth_method: "client_secret_post",
    });
    const change = { client_id, redirect_uri: CLAUDE_CALLBACK };
    const { json } = await lab.exchange(await lab.code(change), { ...change, client_secret });
    expect((await lab.refresh(json.refresh_token, { client_id, client_secret })).status).toBe(200);
    expectError(await lab.refresh(json.refresh_token, { client_id }), 401, "invalid_client");
    for (const token_endpoint_auth_method of ["client_secret_basic", undefined, "none", 5]) {
      const { json: open } = await lab.register({ redirect_uris: [CALLBACK], token_endpoint_auth_method });
      expect({ auth: open.token_endpoint_auth_method, secret: open.client_secret }).toEqual({ auth: "none" });
    }
  });

  it("keeps a family of 12 characters and ties a token to its client without copying it", async () => {
    const lab = new Lab();
    const { access_token, refresh_token } = await lab.pair();
    const hash = base64url((await sha256(CLAUDE_CODE)).slice(0, 16));
    for (const token of [access_token, refresh_token]) {
      const { claims } = readJws(token);
      expect(claims.fam).toMatch(/^[A-Za-z0-9_-]{12}$/);
      expect(Object.values(claims)).toContain(hash);
      expect(token).not.toContain(OWNER);
      expect(JSON.stringify(claims)).not.toContain(OWNER);
    }
    expect(readJws(access_token).claims).toMatchObject({ iss: HOME, aud: RESOURCE, scope: "labo", iat: lab.now });
  });

  it("lets a client be put out by the 8 characters that the log names it by", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client();
    const [mine, other] = [await lab.pair(), await lab.pair({ client_id })];
    const shut = lab.with({ DENY_CLIENT: base64url((await sha256(client_id)).slice(0, 6)) });
    expect(await shut.admits(mine.access_token)).toBe(true);
    expect(await shut.admits(other.access_token)).toBe(false);
    expectPage(await shut.authorize({ client_id }), 400);
    expectError(await shut.refresh(other.refresh_token, { client_id }), 401, "invalid_client");
    expect((await shut.authorize()).status).toBe(200);
  });
});
