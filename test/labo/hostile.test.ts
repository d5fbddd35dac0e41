// The attacks on a private door, by the numbers of the list of hostile cases: B1 to B16.
import { describe, expect, it, vi } from "vitest";
import { base64url, type Claims, encode, hmac, jws, readJws, respell, rsa, sha256 } from "./jws.ts";
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
  expectError,
  expectPage,
  type Fields,
  HOME,
  Lab,
  LIST,
  logged,
  makeRoot,
  OTHER_PAIR,
  OWNER,
  outgoing,
  PAIR,
  PING,
  RESOURCE,
  readRedirect,
  STATE,
  Team,
  UNAUTHORIZED,
  VERIFIER,
} from "./lab.ts";

/** Refused at /mcp as the door refuses everything that isn't one of its access tokens. */
function expectLocked(answer: Answer, header = challenge("invalid")): void {
  expect(answer).toMatchObject({ status: 401, json: UNAUTHORIZED });
  expect(answer.headers.get("www-authenticate")).toBe(header);
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("B1, no token or a bad one", () => {
  it.each(["GET", "POST", "DELETE", "HEAD", "PUT"])("refuses a bare %s before anything else", async (method) => {
    const lab = new Lab();
    const answer = await lab.send("/mcp", { method });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(BARE_CHALLENGE);
    if (method !== "HEAD") expect(answer.json).toEqual(UNAUTHORIZED);
  });

  it("answers under both spellings of its address, and with a bad content type, the same way", async () => {
    const lab = new Lab();
    expectLocked(await lab.send("/mcp/", { method: "POST" }), BARE_CHALLENGE);
    expectLocked(await lab.mcp(null, PING, { "content-type": "text/plain" }), BARE_CHALLENGE);
    expectLocked(await lab.send("/mcp", { method: "POST", body: "{" }), BARE_CHALLENGE);
  });

  it.each([
    ["another scheme", { authorization: "Basic eDp5" }],
    ["a token in a cookie", { cookie: "token=TOK; access_token=TOK; Authorization=Bearer TOK" }],
    ["a token in the header of Access", { "cf-access-jwt-assertion": "TOK" }],
  ])("takes %s for no token", async (_, headers) => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const given = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replaceAll("TOK", token)]),
    );
    expectLocked(await lab.mcp(null, PING, given), BARE_CHALLENGE);
  });

  it("takes a token in the address or in the body for no token", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ ...PING, access_token: token, params: { access_token: token } });
    expectLocked(await lab.send(`/mcp?access_token=${token}`, { method: "POST", headers, body }), BARE_CHALLENGE);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const sent = { method: "POST", headers: form, body: `access_token=${token}` };
    expectLocked(await lab.send("/mcp", sent), BARE_CHALLENGE);
  });

  it.each([
    ["5 000 characters", () => "x".repeat(5000)],
    ["nothing that is a token", () => "whatever"],
    ["two headers, that the runtime joins", (token: string) => `${token}, Bearer ${token}`],
    ["two tokens", (token: string) => `${token} ${token}`],
    ["characters that no token has", (token: string) => `${token}~+/`],
  ])("refuses a bearer of %s", async (_, bend) => {
    const lab = new Lab();
    expectLocked(await lab.mcp(bend(await lab.accessToken())));
  });

  it("refuses a scheme without a token", async () => {
    const answer = await new Lab().mcp(null, PING, { authorization: "Bearer" });
    expect(answer).toMatchObject({ status: 401, json: UNAUTHORIZED });
    expect(answer.headers.get("www-authenticate")).toContain('resource_metadata="https://labo.example/.well-known/');
  });

  it.each(["bearer ", "BEARER ", "Bearer  ", "bearer   "])(
    "takes the scheme %j, as RFC 9110 writes it",
    async (scheme) => {
      const lab = new Lab();
      const token = await lab.accessToken();
      expect(await lab.mcp(null, PING, { authorization: scheme + token })).toMatchObject({
        status: 200,
        json: { id: 1 },
      });
    },
  );

  it("says which verbs it takes to who holds a token", async () => {
    const lab = new Lab();
    const headers = bearer(await lab.accessToken());
    for (const method of ["GET", "DELETE", "PUT", "HEAD"]) {
      const { status, headers: said } = await lab.send("/mcp", { method, headers });
      expect({ method, status, allow: said.get("allow") }).toEqual({ method, status: 405, allow: "POST, OPTIONS" });
    }
  });

  it("never reads the body of who holds no token", async () => {
    const lab = new Lab();
    for (const headers of [{}, bearer("x.y.z"), { authorization: "Basic x" }] as Record<string, string>[]) {
      const body = JSON.stringify(PING);
      const request = new Request(`${HOME}/mcp`, { method: "POST", headers, body });
      expect((await lab.fetch(request)).status).toBe(401);
      expect(request.bodyUsed).toBe(false);
    }
  });

  it("answers a preflight without a token, and shows the challenge to a page that may call", async () => {
    const lab = new Lab();
    const headers = { origin: "https://claude.ai", "access-control-request-method": "POST" };
    const preflight = await lab.send("/mcp", { method: "OPTIONS", headers });
    expect({ status: preflight.status, text: preflight.text }).toEqual({ status: 204, text: "" });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
    const refused = await lab.mcp(null, PING, { origin: "https://claude.ai" });
    expectLocked(refused, BARE_CHALLENGE);
    expect(refused.headers.get("access-control-allow-origin")).toBe("https://claude.ai");
    expect(refused.headers.get("access-control-expose-headers")?.toLowerCase()).toContain("www-authenticate");
    expect(refused.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

/** One of each kind of signed object, from one deployment. */
async function objectsOf(lab: Lab): Promise<Record<"cl" | "rq" | "ac" | "at" | "rt", string>> {
  const { client_id } = await lab.client();
  const { blob } = await lab.page({ client_id });
  const code = await lab.code({ client_id });
  const { access_token, refresh_token } = await lab.pair({ client_id });
  return { cl: client_id, rq: blob, ac: code, at: access_token, rt: refresh_token };
}

describe("B2, one kind of object as another", () => {
  const KINDS = ["cl", "rq", "ac", "at", "rt"] as const;
  /** Where each kind is presented, and how a wrong one is refused there. */
  const DOORS: Record<(typeof KINDS)[number], (lab: Lab, given: string, own: Record<string, string>) => Promise<void>> =
    {
      at: async (lab, given) => expectLocked(await lab.mcp(given)),
      ac: async (lab, given, { cl }) => expectError(await lab.exchange(given, { client_id: cl }), 400, "invalid_grant"),
      rt: async (lab, given, { cl }) => expectError(await lab.refresh(given, { client_id: cl }), 400, "invalid_grant"),
      cl: async (lab, given, { ac, rt }) => {
        expectPage(await lab.authorize({ client_id: given }), 400);
        expectError(await lab.exchange(ac, { client_id: given }), 401, "invalid_client");
        expectError(await lab.refresh(rt, { client_id: given }), 401, "invalid_client");
      },
      rq: async (lab, given, { cl }) => {
        const { cookie } = await lab.page({ client_id: cl });
        expectPage(await lab.decide({ blob: given, cookie }), 403);
      },
    };
  const cells = KINDS.flatMap((given) => KINDS.filter((as) => as !== given).map((as) => [given, as] as const));

  it.each(cells)("refuses %s where %s is expected", async (given, as) => {
    const lab = new Lab();
    const own = await objectsOf(lab);
    await DOORS[as](lab, own[given], own);
  });

  it.each(cells)("refuses %s dressed up as %s: its key is another one", async (given, as) => {
    const lab = new Lab();
    const own = await objectsOf(lab);
    const { claims } = readJws(own[as]);
    const { header } = readJws(own[as]);
    const dressed = await jws(header, claims, hmac(await lab.keyOf(given)));
    expect(dressed).not.toBe(own[as]);
    await DOORS[as](lab, dressed, own);
  });

  it.each(KINDS)("takes %s made by hand with its own key: what the refusals above turn on", async (kind) => {
    const lab = new Lab();
    const own = await objectsOf(lab);
    const again = await lab.resign(own[kind], kind);
    if (kind === "at") expect(await lab.admits(again)).toBe(true);
    if (kind === "ac") expect((await lab.exchange(again, { client_id: own.cl })).status).toBe(200);
    if (kind === "rt") expect((await lab.refresh(again, { client_id: own.cl })).status).toBe(200);
    if (kind === "cl") expect((await lab.authorize({ client_id: again })).status).toBe(200);
    if (kind === "rq") {
      const page = await lab.page({ client_id: own.cl });
      readRedirect(await lab.decide({ blob: await lab.resign(page.blob, "rq"), cookie: page.cookie }));
    }
  });
});

describe("B3, forged tokens", () => {
  /** An access token bent, then signed with the true key. */
  const trueKey: [string, Claims][] = [
    ["typ of a refresh token", { typ: "rt+labo" }],
    ["typ JWT", { typ: "JWT" }],
    ["no typ", { typ: undefined }],
    ["no kid", { kid: undefined }],
    ["an unknown kid", { kid: "k9" }],
    ["the kid __proto__", { kid: "__proto__" }],
    ["the kid constructor", { kid: "constructor" }],
    ["the kid ../k1", { kid: "../k1" }],
    ["a list for a kid", { kid: ["k1"] }],
    ["a number for a kid", { kid: 1 }],
    ["an unknown crit", { crit: ["exp2"], exp2: 1 }],
    ["b64 false", { b64: false, crit: ["b64"] }],
    ["alg RS256", { alg: "RS256" }],
    ["alg HS512", { alg: "HS512" }],
    ["no alg", { alg: undefined }],
  ];
  it.each(trueKey)("refuses %s, though the key is the true one", async (_, header) => {
    const lab = new Lab();
    expectLocked(await lab.mcp(await lab.resign(await lab.accessToken(), "at", {}, header)));
  });

  it("refuses alg none without a signature, however it is written", async () => {
    const lab = new Lab();
    const [head, claims] = (await lab.accessToken()).split(".");
    const { header } = readJws(`${head}.${claims}.`);
    for (const alg of ["none", "None", "NONE", "nOnE"]) {
      const unsigned = `${base64url(JSON.stringify({ ...header, alg }))}.${claims}.`;
      expectLocked(await lab.mcp(unsigned));
      expectLocked(await lab.mcp(unsigned + base64url(new Uint8Array(32))));
    }
  });

  it("refuses HS512 and HS384 signed as they should be, with the true key", async () => {
    const lab = new Lab();
    const { header, claims } = readJws(await lab.accessToken());
    for (const size of ["512", "384"]) {
      const key = await lab.keyOf("at");
      expectLocked(await lab.mcp(await jws({ ...header, alg: `HS${size}` }, claims, hmac(key, `SHA-${size}`))));
    }
  });

  it.each<[string, (jwk: JsonWebKey) => Claims]>([
    ["jwk", (jwk) => ({ alg: "RS256", jwk })],
    ["jku", () => ({ alg: "RS256", jku: "https://evil.test/jwks.json" })],
    ["x5u", () => ({ alg: "RS256", x5u: "https://evil.test/cert.pem" })],
    ["jku of the team", () => ({ alg: "RS256", jku: "https://equipe.cloudflareaccess.com/cdn-cgi/access/certs" })],
  ])("never looks at the key that a token brings in %s", async (_, bring) => {
    const lab = new Lab();
    const { header, claims } = readJws(await lab.accessToken());
    const jwk = (await crypto.subtle.exportKey("jwk", PAIR.publicKey)) as JsonWebKey;
    outgoing.length = 0;
    expectLocked(await lab.mcp(await jws({ ...header, ...bring(jwk) }, claims, rsa(PAIR.privateKey))));
    expect(outgoing).toEqual([]);
  });

  it.each<[string, (token: string) => string]>([
    ["one dot", (token) => token.split(".").slice(0, 2).join(".")],
    ["three dots", (token) => `${token}.x`],
    ["four dots", (token) => `${token}.x.y`],
    ["no signature", (token) => `${token.split(".").slice(0, 2).join(".")}.`],
    ["a truncated signature", (token) => token.slice(0, -1)],
    ["a truncated beginning", (token) => token.slice(1)],
    ["4 097 characters", (token) => token.replace(".", `${"A".repeat(4097 - token.length)}.`)],
    ["a header that is no JSON", (token) => token.replace(/^[^.]+/, base64url("{"))],
    ["a header that is null", (token) => token.replace(/^[^.]+/, base64url("null"))],
    ["a header that is a list", (token) => token.replace(/^[^.]+/, base64url("[]"))],
    ["claims that are no JSON", (token) => token.replace(/\.[^.]+\./, `.${base64url("{")}.`)],
    ["claims of somebody else", (token) => token.replace(/\.[^.]+\./, `.${base64url('{"sub":"x"}')}.`)],
  ])("refuses a token with %s", async (_, bend) => {
    const lab = new Lab();
    expectLocked(await lab.mcp(bend(await lab.accessToken())));
  });

  it("refuses a token of more than 4 096 characters, though the key is the true one", async () => {
    const lab = new Lab();
    const { access_token, refresh_token } = await lab.pair();
    const x = "x".repeat(4000);
    expectLocked(await lab.mcp(await lab.resign(access_token, "at", { x })));
    expectError(await lab.refresh(await lab.resign(refresh_token, "rt", { x })), 400, "invalid_grant");
    expect(await lab.admits(await lab.resign(access_token, "at", { x: "x" }))).toBe(true);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a list", []],
    ["a text", "x"],
    ["nothing", {}],
  ])("refuses claims that are %s under the true key", async (_, claims) => {
    const lab = new Lab();
    const { header } = readJws(await lab.accessToken());
    expectLocked(await lab.mcp(await jws(header, claims as Claims, hmac(await lab.keyOf("at")))));
  });
});

describe("B4, other spellings of a token that holds", () => {
  const spellings: [string, (token: string) => string][] = [
    ["padded", (token) => `${token}=`],
    ["padded twice", (token) => `${token}==`],
    ["followed by a space", (token) => `${token} `],
    ["with its last bits changed", respell],
    ["with its header padded", (token) => token.replace(/^[^.]+/, (part) => `${part}=`)],
    ["followed by an end of line", (token) => `${token}\n`],
  ];
  it.each(spellings)("refuses an access token %s", async (_, bend) => {
    const lab = new Lab();
    const token = await lab.accessToken();
    expect(await lab.admits(token)).toBe(true);
    // A runtime takes the blanks off the end of a header before the door sees it.
    if (bend(token).trim() !== token) expectLocked(await lab.mcp(bend(token)));
  });

  it.each(spellings)("refuses a refresh token, a code and a client id %s", async (_, bend) => {
    const lab = new Lab();
    const { cl, ac, rt } = await objectsOf(lab);
    expectError(await lab.refresh(bend(rt), { client_id: cl }), 400, "invalid_grant");
    expectError(await lab.exchange(bend(ac), { client_id: cl }), 400, "invalid_grant");
    expectError(await lab.exchange(ac, { client_id: bend(cl) }), 401, "invalid_client");
    expectPage(await lab.authorize({ client_id: bend(cl) }), 400);
    expect((await lab.exchange(ac, { client_id: cl })).status).toBe(200);
  });
});

describe("B5, time and what the owner takes back", () => {
  it("refuses a token that has been over for 6 s, and says so", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const exp = Number(readJws(token).claims.exp);
    expect(exp).toBe(lab.now + 3600);
    expectLocked(await lab.at(exp + 6).mcp(token), challenge("expired"));
    expect(await lab.at(exp + 4).admits(token)).toBe(true);
  });

  it("refuses a token that will only be made in ten minutes", async () => {
    const lab = new Lab();
    expectLocked(await lab.mcp(await lab.later(600).accessToken()));
  });

  it("puts everyone out with MIN_IAT, and lets in who comes back", async () => {
    const lab = new Lab();
    const before = await lab.pair();
    const shut = lab.later(10).with({ MIN_IAT: String(lab.now + 5) });
    expectLocked(await shut.mcp(before.access_token));
    expectError(await shut.refresh(before.refresh_token), 400, "invalid_grant");
    expect(await shut.admits(await shut.accessToken())).toBe(true);
  });

  it("reads MIN_IAT as an instant too", async () => {
    const lab = new Lab();
    const { access_token } = await lab.pair();
    const at = (seconds: number) => new Date((lab.now + seconds) * 1000).toISOString();
    expect(await lab.with({ MIN_IAT: at(1) }).admits(access_token)).toBe(false);
    expect(await lab.with({ MIN_IAT: at(0) }).admits(access_token)).toBe(true);
  });

  it("puts everyone out with MIN_IAT, even who refreshed since: it is the sign-in that counts", async () => {
    const lab = new Lab();
    const first = await lab.pair();
    const { json: later } = await lab.later(1000).refresh(first.refresh_token);
    const shut = lab.later(1010).with({ MIN_IAT: String(lab.now + 500) });
    expectError(await shut.refresh(later.refresh_token), 400, "invalid_grant");
  });

  it("puts one device out with DENY_FAM, alone", async () => {
    const lab = new Lab();
    const lost = await lab.pair();
    const kept = await lab.pair();
    const family = String(readJws(lost.access_token).claims.fam);
    expect(family).toHaveLength(12);
    const { json: renewed } = await lab.refresh(lost.refresh_token);
    for (const DENY_FAM of [family, `aaaaaaaaaaaa, ${family}`, `${family},`]) {
      const shut = lab.with({ DENY_FAM });
      expectLocked(await shut.mcp(lost.access_token));
      expectLocked(await shut.mcp(renewed.access_token));
      expectError(await shut.refresh(lost.refresh_token), 400, "invalid_grant");
      expectError(await shut.refresh(renewed.refresh_token), 400, "invalid_grant");
      expect(await shut.admits(kept.access_token)).toBe(true);
    }
    expect(await lab.with({ DENY_FAM: "" }).admits(lost.access_token)).toBe(true);
  });

  it("puts out who was signed by a key that is no longer there", async () => {
    const lab = new Lab();
    const before = await lab.pair();
    const after = lab.with({ ROOT_TOK: JSON.stringify({ k2: makeRoot() }) });
    expectLocked(await after.mcp(before.access_token));
    expectError(await after.refresh(before.refresh_token), 400, "invalid_grant");
    const sameName = lab.with({ ROOT_TOK: JSON.stringify({ k1: makeRoot() }) });
    expectLocked(await sameName.mcp(before.access_token));
  });
});

describe("B6, return addresses", () => {
  it("refuses a request without one, or with two, on its own page", async () => {
    const lab = new Lab();
    expectPage(await lab.authorize({ redirect_uri: null }), 400);
    expectPage(await lab.authorize({ redirect_uri: "" }), 400);
    expectPage(await lab.authorize({ redirect_uri: [CALLBACK, CALLBACK] }), 400);
    expectPage(await lab.authorize({ redirect_uri: [CALLBACK, "https://evil.test/"] }), 400);
  });

  it.each([
    ["another port", "http://localhost:2222/callback", true],
    ["the same one", "http://localhost:1111/callback", true],
    ["another name of the machine", "http://127.0.0.1:1111/callback", false],
    ["another path", "http://localhost:1111/oauth/callback", false],
    ["claude.ai", CLAUDE_CALLBACK, false],
  ])("of a client that registered http://localhost:1111/callback, meets %s", async (_, redirect_uri, isTaken) => {
    const lab = new Lab();
    const { client_id } = await lab.client({ redirect_uris: ["http://localhost:1111/callback"] });
    const answer = await lab.authorize({ client_id, redirect_uri });
    if (isTaken) expect(answer.status).toBe(200);
    else expectPage(answer, 400);
  });

  it.each([
    [CLAUDE_CODE, "http://localhost:1/callback", true],
    [CLAUDE_CODE, "http://127.0.0.1:65535/callback", true],
    [CLAUDE_CODE, "http://[::1]:8080/callback", false],
    [CLAUDE_CODE, "http://localhost:8080/oauth/callback", false],
    [CLAUDE_CODE, CLAUDE_CALLBACK, false],
    [CLAUDE_AI, CLAUDE_CALLBACK, true],
    [CLAUDE_AI, "https://claude.com/api/mcp/auth_callback", true],
    [CLAUDE_AI, CALLBACK, false],
  ])("lets %s return to %s: %s", async (client_id, redirect_uri, isTaken) => {
    const answer = await new Lab().authorize({ client_id, redirect_uri });
    if (isTaken) expect(answer.status).toBe(200);
    else expectPage(answer, 400);
  });
});

describe("B7, PKCE and nothing less", () => {
  it.each<[string, Fields]>([
    ["no challenge", { code_challenge: null, code_challenge_method: null }],
    ["no challenge, with its method", { code_challenge: null }],
    ["an empty challenge", { code_challenge: "" }],
    ["a challenge without its method", { code_challenge_method: null }],
    ["the method plain", { code_challenge_method: "plain", code_challenge: VERIFIER }],
    ["the method s256", { code_challenge_method: "s256" }],
    ["42 characters", { code_challenge: CHALLENGE.slice(1) }],
    ["44 characters", { code_challenge: `${CHALLENGE}A` }],
    ["a plus", { code_challenge: `+${CHALLENGE.slice(1)}` }],
    ["padding", { code_challenge: `${CHALLENGE.slice(1)}=` }],
  ])("sends back a request with %s", async (_, change) => {
    const back = readRedirect(await new Lab().authorize(change));
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: "invalid_request",
      error_description: "PKCE S256 required",
      state: STATE,
      iss: HOME,
    });
  });

  it.each<[string, string | null, string]>([
    ["no verifier", null, "invalid_request"],
    ["an empty one", "", "invalid_request"],
    ["42 characters", VERIFIER.slice(1), "invalid_request"],
    ["129 characters", VERIFIER.padEnd(129, "a"), "invalid_request"],
    ["a character that no verifier has", `${VERIFIER.slice(1)}+`, "invalid_request"],
    ["the right one in lower case", VERIFIER.toLowerCase(), "invalid_grant"],
    ["the challenge", CHALLENGE, "invalid_grant"],
    ["another one", "x".repeat(43), "invalid_grant"],
  ])("gives nothing for %s", async (_, code_verifier, error) => {
    const lab = new Lab();
    const code = await lab.code();
    expectError(await lab.exchange(code, { code_verifier }), 400, error);
    expect((await lab.exchange(code)).status).toBe(200);
  });

  it("takes a verifier of 128 characters", async () => {
    const lab = new Lab();
    const code_verifier = "~._-".padEnd(128, "aZ9");
    const code = await lab.code({ code_challenge: base64url(await sha256(code_verifier)) });
    expect((await lab.exchange(code, { code_verifier })).status).toBe(200);
  });
});

describe("B8, codes used twice or by another", () => {
  it("gives nothing the second time, nor to a wrong verifier after the right one", async () => {
    const lab = new Lab();
    const code = await lab.code();
    expect((await lab.exchange(code)).status).toBe(200);
    expectError(await lab.later(5).exchange(code), 400, "invalid_grant");
    expectError(await lab.exchange(code, { code_verifier: "x".repeat(43) }), 400, "invalid_grant");
  });

  it("gives nothing for the challenge of another request", async () => {
    const lab = new Lab();
    const [one, two] = [VERIFIER, VERIFIER.replace("d", "e")];
    const code = await lab.code({ code_challenge: base64url(await sha256(one)) });
    const other = await lab.code({ code_challenge: base64url(await sha256(two)) });
    expectError(await lab.exchange(code, { code_verifier: two }), 400, "invalid_grant");
    expectError(await lab.exchange(other, { code_verifier: one }), 400, "invalid_grant");
    expect((await lab.exchange(other, { code_verifier: two })).status).toBe(200);
  });

  it("asks the limiter that isolates share, by the code's own number and no secret of it", async () => {
    const keys: string[] = [];
    const SPENT = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: keys.length === 1 };
      },
    };
    const lab = new Lab({ SPENT });
    const [code, other] = [await lab.code(), await lab.code()];
    expect((await lab.exchange(code)).status).toBe(200);
    // Another isolate has taken it: this one has never seen it.
    expectError(await lab.exchange(other), 400, "invalid_grant");
    expect(keys).toEqual([code, other].map((one) => readJws(one).claims.jti));
  });

  it("lets a code pass when that limiter is broken, and logs it", async () => {
    const lab = new Lab({ SPENT: { limit: () => Promise.reject(new Error("canari")) } });
    const code = await lab.code();
    logged.length = 0;
    expect((await lab.exchange(code)).status).toBe(200);
    expect(logged.length).toBeGreaterThan(1);
    expect(logged.join()).not.toContain("canari");
  });

  it("gives the tokens of one family at most to five who come at once", async () => {
    const lab = new Lab();
    const code = await lab.code();
    const answers = await Promise.all(Array.from({ length: 5 }, () => lab.exchange(code)));
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeGreaterThan(0);
    expect(new Set(given.map(({ json }) => readJws(json.access_token).claims.fam)).size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectError(answer, 400, "invalid_grant");
  });

  it("keeps a code for 60 s", async () => {
    const lab = new Lab();
    const code = await lab.code();
    expectError(await lab.later(61).exchange(code), 400, "invalid_grant");
    expect((await lab.later(59).exchange(code)).status).toBe(200);
  });

  it("says the same bytes of every code that doesn't hold", async () => {
    const lab = new Lab();
    const { client_id } = await lab.client();
    const other = base64url(await sha256("x".repeat(50)));
    const used = await lab.code();
    await lab.exchange(used);
    const [code, codeOfAnother] = [await lab.code(), await lab.code({ code_challenge: other })];
    const refusals = [
      await lab.exchange(used),
      await lab.exchange("whatever"),
      await lab.exchange(code, { client_id }),
      await lab.exchange(code, { redirect_uri: "http://localhost:51878/callback" }),
      await lab.exchange(code, { redirect_uri: "http://127.0.0.1:51877/callback" }),
      await lab.exchange(code, { code_verifier: "x".repeat(43) }),
      await lab.exchange(codeOfAnother),
      await lab.later(61).exchange(code),
      await lab.with({ ROOT_TOK: JSON.stringify({ k1: makeRoot() }) }).exchange(code),
    ];
    for (const answer of refusals) expectError(answer, 400, "invalid_grant");
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
    expect((await lab.exchange(code)).status).toBe(200);
  });

  it("wants the return address that the code was made for, port included", async () => {
    const lab = new Lab();
    const code = await lab.code();
    const { status, json } = await lab.exchange(code, { redirect_uri: null });
    expect(status).toBe(400);
    expect(["invalid_grant", "invalid_request"]).toContain(json.error);
    expect((await lab.exchange(code)).status).toBe(200);
  });
});

describe("B9, refresh tokens used again and at once", () => {
  it("answers five who come at once with five access tokens that hold", async () => {
    const lab = new Lab();
    const { refresh_token } = await lab.pair();
    const answers = await Promise.all(Array.from({ length: 5 }, () => lab.refresh(refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { json } of answers) expect(await lab.admits(json.access_token)).toBe(true);
  });

  it("still takes the first one after the second, and logs that it came late", async () => {
    const lab = new Lab();
    const { refresh_token: first, access_token } = await lab.pair();
    const { json: second } = await lab.later(10).refresh(first);
    // A client that races with itself is no anomaly.
    await lab.later(100).refresh(first);
    expect(logged.filter((line) => /anomal|reuse|old/i.test(line))).toEqual([]);
    expect(second.refresh_token).not.toBe(first);
    const { status } = await lab.later(400).refresh(second.refresh_token);
    expect(status).toBe(200);
    const family = String(readJws(access_token).claims.fam);
    logged.length = 0;
    expect((await lab.later(600).refresh(first)).status).toBe(200);
    const anomalies = logged.filter((line) => /anomal|reuse|old/i.test(line));
    expect(anomalies.length, logged.join("\n")).toBeGreaterThan(0);
    expect(anomalies.join()).toContain(family.slice(0, 8));
  });

  it("gives nothing to another client", async () => {
    const lab = new Lab();
    const { refresh_token } = await lab.pair();
    const { client_id } = await lab.client();
    expectError(await lab.refresh(refresh_token, { client_id }), 400, "invalid_grant");
    expectError(await lab.refresh(refresh_token, { client_id: CLAUDE_AI }), 400, "invalid_grant");
    expectError(
      await lab.refresh(refresh_token, { client_id: "https://evil.test/client.json" }),
      401,
      "invalid_client",
    );
  });

  it("ends 30 days after the sign-in, however often it was renewed", async () => {
    const lab = new Lab();
    const { refresh_token } = await lab.pair();
    const { json: renewed } = await lab.later(29 * DAY).refresh(refresh_token);
    expect((await lab.later(30 * DAY - 10).refresh(refresh_token)).status).toBe(200);
    expect((await lab.later(30 * DAY - 10).refresh(renewed.refresh_token)).status).toBe(200);
    const { json: last } = await lab.later(30 * DAY - 10).refresh(renewed.refresh_token);
    for (const token of [last.access_token, last.refresh_token]) {
      expect(readJws(token).claims.exp).toBe(lab.now + 30 * DAY);
    }
    expect(last.expires_in).toBe(10);
    expectError(await lab.later(30 * DAY + 10).refresh(refresh_token), 400, "invalid_grant");
    expectError(await lab.later(30 * DAY + 10).refresh(renewed.refresh_token), 400, "invalid_grant");
  });

  it.each<[string, Fields]>([
    ["another scope", { scope: "admin" }],
    ["no scope", { scope: null }],
    ["an empty scope", { scope: "" }],
    ["no resource", { resource: null }],
    ["the resource without its path", { resource: `${HOME}/` }],
    ["the resource with a slash", { resource: `${RESOURCE}/` }],
  ])("answers a request with %s: the scope is labo", async (_, change) => {
    const lab = new Lab();
    const { refresh_token } = await lab.pair();
    const { status, json } = await lab.refresh(refresh_token, change);
    expect({ status, scope: json.scope, expires_in: json.expires_in }).toEqual({
      status: 200,
      scope: "labo",
      expires_in: 3600,
    });
    expect(readJws(json.access_token).claims).toMatchObject({ aud: RESOURCE, scope: "labo" });
  });

  it("refuses another resource", async () => {
    const lab = new Lab();
    const { refresh_token } = await lab.pair();
    expectError(await lab.refresh(refresh_token, { resource: "https://evil.test" }), 400, "invalid_target");
  });

  it("never says invalid_grant of a defect of its own: the client would sign out", async () => {
    const unlucky = new Lab();
    const code = await unlucky.code();
    vi.spyOn(crypto.subtle, "sign").mockRejectedValue(new Error("canari-de-panne"));
    const failed = await unlucky.exchange(code);
    expect({ status: failed.status, after: failed.headers.get("retry-after") }).toEqual({ status: 503, after: "2" });
    vi.mocked(crypto.subtle.sign).mockRestore();
    // The code wasn't spent for nothing.
    expect((await unlucky.exchange(code)).status).toBe(200);
    const lab = new Lab();
    const { refresh_token } = await lab.pair();
    vi.spyOn(crypto.subtle, "sign").mockRejectedValue(new Error("canari-de-panne"));
    const answer = await lab.refresh(refresh_token);
    expect({ status: answer.status, after: answer.headers.get("retry-after") }).toEqual({ status: 503, after: "2" });
    expect(answer.text).not.toContain("canari");
    vi.mocked(crypto.subtle.sign).mockRestore();
    expect((await lab.refresh(refresh_token)).status).toBe(200);
  });
});

describe("B10, tokens for someone else", () => {
  it("refuses a token whose audience is another one", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    for (const aud of [HOME, `${HOME}/`, `${RESOURCE}/`, "https://other.example/mcp", [RESOURCE, "x"], undefined, ""]) {
      expectLocked(await lab.mcp(await lab.resign(token, "at", { aud })));
    }
  });

  it("refuses a token whose issuer, owner or scope is another one", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const bends = [{ iss: "https://other.example" }, { iss: undefined }, { sub: "other" }, { sub: undefined }];
    for (const change of [...bends, { scope: "admin" }, { scope: undefined }, { exp: undefined }, { iat: undefined }]) {
      expectLocked(await lab.mcp(await lab.resign(token, "at", change)));
    }
  });

  it("refuses a token of another deployment of the same code, on the same address or with the same key", async () => {
    const lab = new Lab();
    expectLocked(await lab.mcp(await new Lab().accessToken()));
    const staging = lab.with({ PUBLIC_URL: "https://essai.example" });
    const token = await lab.accessToken();
    const authorization = `Bearer ${token}`;
    const { status } = await staging.send("https://essai.example/mcp", { method: "POST", headers: { authorization } });
    expect(status).toBe(401);
  });

  it("refuses an assertion of Access and a token of another service, and sends none of them anywhere", async () => {
    const lab = new Lab();
    const assertion = await lab.team.assert(lab.now);
    const pat = "ghp_canari0123456789abcdefghijklmnopqrstu";
    outgoing.length = 0;
    for (const token of [assertion, pat]) expectLocked(await lab.mcp(token));
    expect(outgoing.map(({ sent }) => sent).join()).not.toMatch(/canari/);
    expect(outgoing.map(({ sent }) => sent).join()).not.toContain(assertion);
  });
});

describe("B11, the assertion of Access", () => {
  /** What is presented instead of a good assertion, on the page and on its form. */
  const FORGED: [string, (lab: Lab) => Promise<Record<string, string | null>>][] = [
    ["nothing", async () => ({ "cf-access-jwt-assertion": null })],
    [
      "a cookie alone",
      async (lab) => ({
        "cf-access-jwt-assertion": null,
        cookie: `CF_Authorization=${await lab.team.assert(lab.now)}`,
      }),
    ],
    ["what is no assertion", async () => ({ "cf-access-jwt-assertion": "x.y.z" })],
    ...(
      [
        ["another application", { aud: ["application-of-another"] }],
        ["no application", { aud: [] }],
        ["an application without a name", { aud: [""] }],
        ["another team", { iss: "https://autre.cloudflareaccess.com" }],
        ["a team with a longer name", { iss: "https://equipe.cloudflareaccess.com.evil.test" }],
        ["someone else", { email: "stranger@example.com" }],
        ["the owner's address with a longer domain", { email: `${OWNER}.evil.test` }],
        ["the owner's address after another", { email: `x${OWNER}` }],
        ["the owner's address with a plus", { email: "ludo+x@example.com" }],
        ["a list of addresses", { email: [OWNER] }],
        ["a service token", { email: undefined, common_name: "robot", sub: "" }],
        ["no address", { email: undefined }],
        ["no expiry", { exp: undefined }],
        ["no date", { iat: undefined }],
        ["no subject", { sub: undefined }],
        ["an organization's token", { type: "org" }],
        ["no type", { type: undefined }],
      ] as [string, Claims][]
    ).map(([name, claims]): [string, (lab: Lab) => Promise<Record<string, string>>] => [
      name,
      async (lab) => ({ "cf-access-jwt-assertion": await lab.team.assert(lab.now, claims) }),
    ]),
    [
      "an expired one",
      async (lab) => ({ "cf-access-jwt-assertion": await lab.team.assert(lab.now, { exp: lab.now - 6 }) }),
    ],
    [
      "one of 25 hours ago, that says it is good for longer",
      async (lab) => ({ "cf-access-jwt-assertion": await lab.team.assert(lab.now, { iat: lab.now - 90_000 }) }),
    ],
    [
      "one that isn't valid yet",
      async (lab) => ({ "cf-access-jwt-assertion": await lab.team.assert(lab.now, { nbf: lab.now + 600 }) }),
    ],
    [
      "one signed by another key",
      async (lab) => ({ "cf-access-jwt-assertion": await lab.team.assert(lab.now, {}, {}, OTHER_PAIR) }),
    ],
    [
      "an unknown kid",
      async (lab) => ({ "cf-access-jwt-assertion": await lab.team.assert(lab.now, {}, { kid: "autre" }, OTHER_PAIR) }),
    ],
    [
      "alg none",
      async (lab) => {
        const head = base64url(JSON.stringify({ alg: "none", kid: "cle-1" }));
        return { "cf-access-jwt-assertion": `${head}.${base64url(JSON.stringify(lab.team.claims(lab.now)))}.` };
      },
    ],
    [
      "HS256 under the public key",
      async (lab) => {
        const spki = (await crypto.subtle.exportKey("spki", PAIR.publicKey)) as ArrayBuffer;
        const pem = `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...new Uint8Array(spki)))}\n-----END PUBLIC KEY-----`;
        const header = { alg: "HS256", kid: "cle-1" };
        return { "cf-access-jwt-assertion": await jws(header, lab.team.claims(lab.now), hmac(encode(pem))) };
      },
    ],
    ["an access token of the door itself", async (lab) => ({ "cf-access-jwt-assertion": await lab.accessToken() })],
  ];

  it.each(FORGED)("refuses %s, on the page and on its form", async (_, forge) => {
    const lab = new Lab();
    const page = await lab.page();
    const headers = await forge(lab);
    expectPage(await lab.authorize({}, headers), 403);
    // The cookie of the form is there all the same.
    const cookie = [page.cookie, headers.cookie ?? ""].filter((text) => text !== "").join("; ");
    expectPage(await lab.decide(page, { headers: { ...headers, cookie } }), 403);
  });

  it("refuses them before it looks at the request: an error never goes to the client", async () => {
    const lab = new Lab();
    const headers = { "cf-access-jwt-assertion": null };
    for (const change of [{ code_challenge: null }, { client_id: "x" }, { prompt: "none" }] as Fields[]) {
      expectPage(await lab.authorize(change, headers), 403);
    }
  });

  it("takes the owner's address in capitals, and no more than ASCII ones", async () => {
    const lab = new Lab();
    const assertion = await lab.team.assert(lab.now, { email: "LUDO@Example.COM" });
    expect((await lab.authorize({}, { "cf-access-jwt-assertion": assertion })).status).toBe(200);
    const named = new Lab({ OWNER_EMAIL: "k@example.com" });
    const kelvin = await named.team.assert(named.now, { email: "\u212a@example.com" });
    expectPage(await named.authorize({}, { "cf-access-jwt-assertion": kelvin }), 403);
  });

  it("takes the audience alone or in a list, and a clock 4 s behind", async () => {
    const lab = new Lab();
    for (const claims of [{ aud: lab.team.audience }, { aud: ["x", lab.team.audience] }, { exp: lab.now - 4 }]) {
      const assertion = await lab.team.assert(lab.now, claims);
      expect((await lab.authorize({}, { "cf-access-jwt-assertion": assertion })).status).toBe(200);
    }
  });

  it("takes RS256 alone, whatever the keys of the team could verify", async () => {
    const lab = new Lab();
    lab.team.names = false;
    const pkcs8 = (await crypto.subtle.exportKey("pkcs8", PAIR.privateKey)) as ArrayBuffer;
    const claims = lab.team.claims(lab.now);
    for (const [alg, name, params] of [
      ["RS512", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" }, "RSASSA-PKCS1-v1_5"],
      ["PS256", { name: "RSA-PSS", hash: "SHA-256" }, { name: "RSA-PSS", saltLength: 32 }],
    ] as const) {
      const key = await crypto.subtle.importKey("pkcs8", pkcs8, name, false, ["sign"]);
      const forged = await jws({ alg, kid: "cle-1" }, claims, (bytes) => crypto.subtle.sign(params, key, bytes));
      expectPage(await lab.authorize({}, { "cf-access-jwt-assertion": forged }), 403);
    }
    expect((await lab.authorize()).status).toBe(200);
  });

  it("asks the team for its keys once for all who come at the same time", async () => {
    const lab = new Lab();
    const answers = await Promise.all(Array.from({ length: 5 }, () => lab.authorize()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(lab.team.asked).toBe(1);
  });

  it("asks the team for its keys once, whatever the flood of unknown keys", { timeout: 30_000 }, async () => {
    // A thousand signatures to look at: a second, alone on the machine.
    const lab = new Lab();
    expect((await lab.authorize()).status).toBe(200);
    expect(lab.team.asked).toBe(1);
    const forged = await Promise.all(
      Array.from({ length: 100 }, (_, index) => lab.team.assert(lab.now, {}, { kid: `k-${index}` }, OTHER_PAIR)),
    );
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        forged.map((assertion) => lab.authorize({}, { "cf-access-jwt-assertion": assertion })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
    }
    expect(lab.team.asked).toBe(1);
  });

  it("learns a new key once the old ones were asked for 30 s ago, and still takes the old one", async () => {
    const lab = new Lab();
    expect((await lab.authorize()).status).toBe(200);
    lab.team.keys = [{ kid: "cle-2", pair: OTHER_PAIR }, ...lab.team.keys];
    vi.setSystemTime(Date.now() + 31_000);
    const later = lab.later(31);
    const fresh = await later.team.assert(later.now, {}, { kid: "cle-2" }, OTHER_PAIR);
    expect((await later.authorize({}, { "cf-access-jwt-assertion": fresh })).status).toBe(200);
    expect(lab.team.asked).toBe(2);
    expect((await later.authorize()).status).toBe(200);
    expect(lab.team.asked).toBe(2);
  });

  it.each<[string, () => Response]>([
    ["500", () => new Response("oups", { status: 500 })],
    ["a page", () => new Response("<!DOCTYPE html>", { headers: { "content-type": "text/html" } })],
    ["JSON that holds no keys", () => Response.json({ success: false })],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.test/certs" } })],
    [
      "no answer",
      () => {
        throw new TypeError("network");
      },
    ],
  ])("says that it can't tell, and lets nobody in, while the keys are %s", async (_, failure) => {
    const lab = new Lab();
    lab.team.failure = failure;
    expectPage(await lab.authorize(), 503);
    expect(outgoing.map(({ url }) => new URL(url).host)).not.toContain("evil.test");
    lab.team.failure = null;
    vi.setSystemTime(Date.now() + 31_000);
    expect((await lab.authorize()).status).toBe(200);
  });

  it.each(["ACCESS_AUD", "ACCESS_TEAM", "OWNER_EMAIL", "ROOT_TOK", "ROOT_CLI", "PUBLIC_URL"])(
    "answers 503 everywhere without %s, or when it is empty",
    async (name) => {
      const lab = new Lab();
      for (const shut of [lab.with({ [name]: undefined }), lab.with({ [name]: "" })]) {
        const answers = [
          await shut.mcp(null),
          await shut.send("/.well-known/oauth-protected-resource/mcp"),
          await shut.send("/.well-known/oauth-authorization-server"),
          await shut.register({ redirect_uris: [CALLBACK] }),
          await shut.authorize(),
          await shut.exchange("x"),
        ];
        expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 503]);
        for (const { text } of answers) expect(text).not.toContain(String(lab.env.ROOT_TOK));
      }
    },
  );

  it.each([
    { MIN_IAT: "hier" },
    { MIN_IAT: "-" },
    { DENY_FAM: "trop-court" },
    { DENY_CLIENT: "*" },
    { PUBLIC_URL: "http://labo.example" },
    { PUBLIC_URL: "labo.example" },
    { ACCESS_TEAM: "equipe.evil.test/" },
    { ACCESS_TEAM: "evil.test#" },
    { OWNER_EMAIL: "ludo@example.com,autre@example.com" },
  ])("answers 503 everywhere on %j, rather than leave in who was put out", async (vars) => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const shut = lab.with(vars);
    const statuses = [
      (await shut.mcp(token)).status,
      (await shut.send("/.well-known/oauth-protected-resource")).status,
      (await shut.authorize()).status,
      (await shut.exchange("x")).status,
    ];
    expect(statuses).toEqual([503, 503, 503, 503]);
  });

  it("says in its log which setting is wrong, and not what it holds", async () => {
    await new Lab({ OWNER_EMAIL: "canari" }).mcp(null);
    expect(logged.join()).toContain("OWNER_EMAIL");
    expect(logged.join()).not.toContain("canari");
  });

  it.each<[string, string]>([
    ["a root of 31 bytes", JSON.stringify({ k1: btoa("x".repeat(31)) })],
    ["a root that isn't base64", JSON.stringify({ k1: "!".repeat(44) })],
    ["a list", JSON.stringify([makeRoot()])],
    ["no root", "{}"],
    ["no JSON", "{"],
    ["a number", JSON.stringify({ k1: 5 })],
    ["the name __proto__", `{"__proto__":"${makeRoot()}"}`],
  ])("answers 503 everywhere on a secret with %s", async (_, value) => {
    const lab = new Lab();
    for (const name of ["ROOT_TOK", "ROOT_CLI"]) {
      const shut = lab.with({ [name]: value });
      const statuses = [
        (await shut.mcp(null)).status,
        (await shut.send("/.well-known/oauth-protected-resource/mcp")).status,
        (await shut.authorize()).status,
        (await shut.exchange("x")).status,
      ];
      expect({ name, statuses }).toEqual({ name, statuses: [503, 503, 503, 503] });
    }
  });
});

describe("B12, the consent page in the wrong hands", () => {
  it.each<[string, Record<string, string | null>]>([
    ["another site", { origin: "https://evil.test", "sec-fetch-site": "cross-site" }],
    ["another site that hides it", { origin: "https://evil.test" }],
    ["a sibling site", { origin: "https://autre.example", "sec-fetch-site": "same-site" }],
    ["a page without an origin", { origin: "null" }],
    ["no origin at all", { origin: null }],
    ["the same origin over http", { origin: "http://labo.example" }],
    ["its own origin, from another site all the same", { "sec-fetch-site": "cross-site" }],
    ["its own origin, typed by hand", { "sec-fetch-site": "none" }],
  ])("refuses a form that comes from %s", async (_, headers) => {
    const lab = new Lab();
    expectPage(await lab.decide(await lab.page(), { headers }), 403);
  });

  it("takes a browser that doesn't say where a form comes from, when it says its origin", async () => {
    const lab = new Lab();
    readRedirect(await lab.decide(await lab.page(), { headers: { "sec-fetch-site": null } }));
  });

  it("refuses a form without its cookie, with another one or with two", async () => {
    const lab = new Lab();
    const [page, other] = [await lab.page(), await lab.page()];
    expectPage(await lab.decide(page, { cookie: null }), 403);
    expectPage(await lab.decide(page, { cookie: "" }), 403);
    expectPage(await lab.decide(page, { cookie: "__Host-labo-csrf=" }), 403);
    expectPage(await lab.decide(page, { cookie: other.cookie }), 403);
    expectPage(await lab.decide(page, { cookie: page.cookie.replace("__Host-", "") }), 403);
    readRedirect(await lab.decide(page, { cookie: `a=b; ${page.cookie}` }));
  });

  it("refuses the form of another person, were the cookie right", async () => {
    const lab = new Lab();
    const other = lab.with({ OWNER_EMAIL: "autre@example.com" });
    const assertion = await other.team.assert(other.now, { email: "autre@example.com" });
    const page = await other.page({}, { "cf-access-jwt-assertion": assertion });
    expectPage(await lab.decide(page), 403);
  });

  it("refuses a form of 301 s ago, and takes one of 299 s", async () => {
    const lab = new Lab();
    const page = await lab.page();
    expectPage(await lab.later(301).decide(page), 403);
    readRedirect(await lab.later(299).decide(page));
  });

  it("refuses a form sent twice, since the first answer took the cookie away", async () => {
    const lab = new Lab();
    const page = await lab.page();
    const first = await lab.decide(page);
    readRedirect(first);
    const cleared = first.headers.get("set-cookie") ?? "";
    expect(cleared).toMatch(/^__Host-labo-csrf=;/);
    expect(cleared).toMatch(/Max-Age=0/);
    for (const word of ["Secure", "HttpOnly", "Path=/", "SameSite=Strict"]) expect(cleared).toContain(word);
    expectPage(await lab.decide(page, { cookie: null }), 403);
  });

  it("refuses a form that was tampered with", async () => {
    const lab = new Lab();
    const page = await lab.page();
    expectPage(await lab.decide(page, { blob: null }), 403);
    expectPage(await lab.decide(page, { blob: "" }), 403);
    expectPage(await lab.decide(page, { blob: page.blob.slice(0, -2) }), 403);
    expectPage(await lab.decide(page, { blob: respell(page.blob) }), 403);
    const { claims, header } = readJws(page.blob);
    const bent = JSON.parse(JSON.stringify(claims).replaceAll(CALLBACK, "http://localhost:1/callback"));
    const [, , signature] = page.blob.split(".");
    const parts = [header, bent].map((part) => base64url(JSON.stringify(part)));
    expectPage(await lab.decide(page, { blob: [...parts, signature].join(".") }), 403);
  });

  it("asks again who decided nothing", async () => {
    const lab = new Lab();
    const page = await lab.page();
    expectPage(await lab.decide(page, { decision: null }), 400);
    expectPage(await lab.decide(page, { decision: "peut-être" }), 400);
  });

  it("sends a refusal back to the client", async () => {
    const lab = new Lab();
    const back = readRedirect(await lab.decide(await lab.page(), { decision: "non" }));
    expect(back.origin + back.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: STATE, iss: HOME });
    expect(back.searchParams.get("code")).toBeNull();
  });

  it("never answers without the page", async () => {
    const lab = new Lab();
    const back = readRedirect(await lab.authorize({ prompt: "none" }));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({
      error: "interaction_required",
      state: STATE,
      iss: HOME,
    });
    await lab.pair();
    // Even for who has just accepted the same client.
    expect((await lab.authorize()).status).toBe(200);
    for (const prompt of ["consent", "login", "select_account"]) {
      expect((await lab.authorize({ prompt })).status).toBe(200);
    }
  });

  it("shows who asks, where the answer goes and for whom, and what to do otherwise", async () => {
    const lab = new Lab();
    const code = (await lab.page()).text;
    for (const words of [OWNER, "claude.ai", "localhost:51877", "une application sur cet ordinateur"]) {
      expect(code).toContain(words);
    }
    expect(code).toMatch(/seulement si tu viens/);
    expect(code.indexOf("Refuser")).toBeGreaterThan(0);
    expect(code.indexOf('value="non"')).toBeLessThan(code.indexOf('value="oui"'));
    const web = (await lab.page({ client_id: CLAUDE_AI, redirect_uri: CLAUDE_CALLBACK })).text;
    expect(web).not.toContain("une application sur cet ordinateur");
    const { client_id } = await lab.client({ client_name: "Claude (officiel)" });
    const named = (await lab.page({ client_id })).text;
    expect(named).toMatch(/nom non vérifié/);
    expect(named).toContain("Claude (officiel)");
  });
});

describe("B13, markup and headers", () => {
  it.each<[string, string, RegExp]>([
    ["markup", "<img src=x onerror=alert(1)>", /<img/],
    ["an end of the attribute", '"><script>alert(1)</script>', /<script|"&gt;/],
    ["an apostrophe", "' onmouseover='alert(1)", /=' onmouse/],
    ["text that turns around", "Claude \u202eegap al ed\u202c", /[\u202a-\u202e\u2066-\u2069]/],
    ["what can't be seen", "Cla\u200bude\u0000\u0007", /\p{Cf}|(?!\n)\p{Cc}/u],
    ["an entity", "&lt;b&gt;", /&lt;b/],
    ["an end of the quotation", "Claude », vérifiée par Anthropic, « x", /Claude[\s\u00a0]*»/],
  ])("shows a client's name with %s as plain text", async (_, client_name, forbidden) => {
    const lab = new Lab();
    const { client_id } = await lab.client({ client_name });
    expect((await lab.page({ client_id })).text).not.toMatch(forbidden);
  });

  it("shows 60 characters of a name at most", async () => {
    const lab = new Lab();
    const { status, json } = await lab.register({ redirect_uris: [CALLBACK], client_name: "ab".repeat(1000) });
    expect(status).toBe(201);
    expect(json.client_name.length).toBeLessThanOrEqual(60);
    expect((await lab.page({ client_id: json.client_id })).text).not.toContain("ab".repeat(31));
  });

  it.each([
    ["markup", '"><script>alert(1)</script>'],
    ["every printable character", String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index))],
    ["1 024 characters", "s".repeat(1024)],
    ["what looks like other parameters", "a&code=x&iss=https://evil.test#b"],
  ])("gives back a state of %s as it came", async (_, state) => {
    const lab = new Lab();
    const page = await lab.page({ state });
    expect(page.text).not.toContain("<script");
    const answer = await lab.decide(page);
    const back = readRedirect(answer);
    expect(back.searchParams.getAll("state")).toEqual([state]);
    expect(back.searchParams.getAll("iss")).toEqual([HOME]);
    expect(back.searchParams.getAll("code")).toHaveLength(1);
    expect(answer.headers.get("location")).toMatch(/^[!-~]+$/);
  });

  it.each([
    ["5 000 characters", "s".repeat(5000)],
    ["1 025 characters", "s".repeat(1025)],
    ["accents", "état"],
    ["an end of line", "a\r\nSet-Cookie: a=b"],
  ])("never gives back a state of %s raw", async (_, state) => {
    const answer = await new Lab().authorize({ state });
    const location = answer.headers.get("location");
    expect(answer.headers.get("set-cookie") ?? "").not.toContain("a=b");
    if (location !== null) {
      const back = readRedirect(answer);
      expect(location).toMatch(/^[!-~]+$/);
      expect(back.searchParams.get("error")).toBe("invalid_request");
      expect(back.searchParams.get("state")).toBeNull();
    } else expect([200, 400]).toContain(answer.status);
    if (state.length > 1024) expect(location).not.toBeNull();
  });

  it("proceeds without a state", async () => {
    const lab = new Lab();
    const back = readRedirect(await lab.decide(await lab.page({ state: null })));
    expect(back.searchParams.has("state")).toBe(false);
    expect((await lab.exchange(back.searchParams.get("code") ?? "")).status).toBe(200);
  });

  it("takes any scope, and none: it grants its own", async () => {
    const lab = new Lab();
    const many = Array.from({ length: 1000 }, (_, index) => `s${index}`).join(" ");
    for (const scope of ["openid email profile", "", null, many, "labo labo", "<script>"]) {
      const page = await lab.page({ scope });
      expect(page.text).not.toMatch(/<script|s999/);
      const back = readRedirect(await lab.decide(page));
      const { json } = await lab.exchange(back.searchParams.get("code") ?? "");
      expect(json.scope).toBe("labo");
    }
  });

  it.each(["javascript:alert(1)", "https://evil.test/", "x", "https://labo.example.evil.test/mcp", `${RESOURCE}?x`])(
    "sends back the resource %s as an error that doesn't repeat it",
    async (resource) => {
      const answer = await new Lab().authorize({ resource });
      const back = readRedirect(answer);
      expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "invalid_target", state: STATE, iss: HOME });
      expect(answer.headers.get("location")).not.toMatch(/evil|javascript/);
    },
  );

  it("has no script, and headers that would stop one", async () => {
    const lab = new Lab();
    const { text, headers } = await lab.page();
    expect(text).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|javascript:|<style[^>]*>[^<]*@import/i);
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='/,
    );
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
    const hash = btoa(String.fromCharCode(...new Uint8Array(await sha256(style))));
    expect(headers.get("content-security-policy")).toContain(`'sha256-${hash}'`);
  });
});

describe("B14, registrations that are no client", () => {
  it.each([
    "https://evil.test/client.json",
    `${CLAUDE_AI}/`,
    `${CLAUDE_AI}?x`,
    `${CLAUDE_AI}#x`,
    `${CLAUDE_AI} `,
    "https://claude.ai@169.254.169.254/oauth/mcp-oauth-client-metadata",
    "http://claude.ai/oauth/mcp-oauth-client-metadata",
    "https://CLAUDE.ai/oauth/mcp-oauth-client-metadata",
    "https://claude.com/oauth/mcp-oauth-client-metadata",
    "https://claude.ai/oauth/codex",
    "__proto__",
    "constructor",
    "",
  ])("refuses the client %j, and asks nobody about it", async (client_id) => {
    const lab = new Lab();
    await lab.page();
    outgoing.length = 0;
    expectPage(await lab.authorize({ client_id }), 400);
    expectError(await lab.exchange("x", { client_id }), 401, "invalid_client");
    expect(outgoing).toEqual([]);
  });

  it("refuses a request without a client, or with two", async () => {
    const lab = new Lab();
    expectPage(await lab.authorize({ client_id: null }), 400);
    expectPage(await lab.authorize({ client_id: [CLAUDE_CODE, CLAUDE_CODE] }), 400);
  });

  it("refuses a body of a megabyte, whether it says its length or not", async () => {
    const lab = new Lab();
    const body = JSON.stringify({ redirect_uris: [CALLBACK], x: "x".repeat(1_000_000) });
    expect((await lab.register(body)).status).toBe(413);
    const headers = { "content-type": "application/json" };
    const sent = { method: "POST", headers, body: new Blob([body]).stream() };
    expect((await lab.send("/register", sent)).status).toBe(413);
    expect((await lab.register({ redirect_uris: [CALLBACK], x: "x".repeat(3900) })).status).toBe(201);
    expect([400, 413]).toContain((await lab.register({ redirect_uris: [CALLBACK], x: "x".repeat(4096) })).status);
    expectError(await lab.register({ redirect_uris: Array(1000).fill(CALLBACK) }), 400, "invalid_redirect_uri");
  });

  it.each<[string, unknown, string]>([
    ["no address", { client_name: "x" }, "invalid_redirect_uri"],
    ["an empty list", { redirect_uris: [] }, "invalid_redirect_uri"],
    [
      "six addresses",
      { redirect_uris: [1, 2, 3, 4, 5, 6].map((n) => `http://localhost:${n}/callback`) },
      "invalid_redirect_uri",
    ],
    ["one good and one bad", { redirect_uris: [CALLBACK, "https://evil.test/canari"] }, "invalid_redirect_uri"],
    ["a text for a list", { redirect_uris: CALLBACK }, "invalid_redirect_uri"],
    ["a list in a list", { redirect_uris: [[CALLBACK]] }, "invalid_redirect_uri"],
    ["an object for a list", { redirect_uris: { 0: CALLBACK, length: 1 } }, "invalid_redirect_uri"],
    ["a list", [], "invalid_client_metadata"],
    ["null", "null", "invalid_client_metadata"],
    ["no JSON", "{", "invalid_client_metadata"],
    ["nothing", "", "invalid_client_metadata"],
  ])("refuses %s whole, without repeating it", async (_, body, error) => {
    const answer = await new Lab().register(body);
    expectError(answer, 400, error);
    expect(answer.text).not.toContain("canari");
  });

  it("takes five addresses", async () => {
    const redirect_uris = [1, 2, 3, 4, 5].map((port) => `http://localhost:${port}/callback`);
    const { status, json } = await new Lab().register({ redirect_uris });
    expect({ status, redirect_uris: json.redirect_uris }).toEqual({ status: 201, redirect_uris });
  });

  it("drops what it doesn't do, and asks nobody about it", async () => {
    const lab = new Lab();
    const { status, json } = await lab.register({
      redirect_uris: [CALLBACK],
      client_name: "x",
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: "http://169.254.169.254/jwks.json",
      logo_uri: "file:///etc/passwd",
      client_uri: "https://evil.test",
      software_statement: "x.y.z",
      grant_types: ["implicit", "client_credentials"],
      response_types: ["token"],
      scope: "",
      application_type: "native",
    });
    expect(status).toBe(201);
    expect(json).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: lab.now,
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      client_name: "x",
      scope: "labo",
    });
    expect(outgoing).toEqual([]);
  });

  it("answers 429 to a flood of registrations", async () => {
    const counts = new Map<string, number>();
    const limiter = {
      limit: async ({ key }: { key: string }) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return { success: (counts.get(key) ?? 0) <= 10 };
      },
    };
    const lab = new Lab({ REGISTER_BRAKE: limiter });
    const from = (address: string) => lab.register({ redirect_uris: [CALLBACK] }, { "cf-connecting-ip": address });
    for (let time = 0; time < 10; time++) expect((await from("192.0.2.1")).status).toBe(201);
    const late = await from("192.0.2.1");
    expect({ status: late.status, isJson: late.json !== null }).toEqual({ status: 429, isJson: true });
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await from("192.0.2.2")).status).toBe(201);
  });

  it("answers 429 to a flood from everywhere, and goes on when a limiter is broken", async () => {
    const keys: string[] = [];
    const all = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: keys.length <= 60 };
      },
    };
    const lab = new Lab({ REGISTER_BRAKE_ALL: all });
    const from = (n: number) => lab.register({ redirect_uris: [CALLBACK] }, { "cf-connecting-ip": `192.0.2.${n}` });
    for (let n = 1; n <= 60; n++) expect((await from(n)).status).toBe(201);
    expect((await from(61)).status).toBe(429);
    expect(new Set(keys).size).toBe(1);
    const broken = { limit: () => Promise.reject(new Error("canari")) };
    const open = new Lab({ REGISTER_BRAKE: broken, REGISTER_BRAKE_ALL: broken });
    expect((await open.register({ redirect_uris: [CALLBACK] })).status).toBe(201);
  });
});

describe("B15, narrow keys", () => {
  it("has one tool so far, that takes no argument, whatever a text tells the model to send", async () => {
    const lab = new Lab();
    const token = await lab.accessToken();
    const { json } = await lab.mcp(token, LIST);
    expect(json.result.tools.map((tool: { name: string }) => tool.name)).toEqual(["labo_etat"]);
    const [{ inputSchema, annotations }] = json.result.tools;
    expect(inputSchema).toEqual({ type: "object", properties: {}, additionalProperties: false });
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    const injected = {
      url: "https://evil.test/canari",
      hote: "serveur; rm -rf /canari",
      depot: "ludo/docs/../../canari",
    };
    outgoing.length = 0;
    await lab.mcp(token, calling("labo_etat", injected));
    expect(outgoing.map(({ sent }) => sent).join()).not.toMatch(/canari|evil/);
  });
});

describe("B16, the camera", () => {
  it("is no tool of this door yet: what it answers is text", async () => {
    const lab = new Lab();
    const { json } = await lab.mcp(await lab.accessToken(), calling("labo_etat"));
    expect(json.result.content.map((block: { type: string }) => block.type)).toEqual(["text"]);
  });
});

describe("a token that was only just good enough", () => {
  it("is the team's own business: two deployments with two teams never share a key", async () => {
    const [one, two] = [new Lab(), new Lab({}, new Team())];
    const assertion = await one.team.assert(
      one.now,
      { iss: two.team.issuer, aud: [two.team.audience] },
      {},
      OTHER_PAIR,
    );
    two.team.keys = [{ kid: "cle-1", pair: PAIR }];
    one.team.keys = [{ kid: "cle-1", pair: OTHER_PAIR }];
    expectPage(await two.authorize({}, { "cf-access-jwt-assertion": assertion }), 403);
  });
});
