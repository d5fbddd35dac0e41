// A deployment of the private door for each test, its team of Cloudflare Access, its owner's browser and a client's side of
// OAuth. Nothing of the door is replaced: only `fetch`, the clock, and who signs.
import { afterEach, beforeEach, expect, vi } from "vitest";
import labo from "../../workers/labo/index.ts";
import { base64url, type Claims, deriveKey, hmac, jws, readJws, rsa, rsaPair, sha256 } from "./jws.ts";

export const HOME = "https://labo.example";
export const RESOURCE = `${HOME}/mcp`;
export const OWNER = "ludo@example.com";
/** The instant at which every test begins, in seconds. */
export const START = Date.parse("2026-11-29T15:00:00Z") / 1000;
export const DAY = 86_400;

export const CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata";
export const CLAUDE_AI = "https://claude.ai/oauth/mcp-oauth-client-metadata";
export const CLAUDE_CALLBACK = "https://claude.ai/api/mcp/auth_callback";
export const CALLBACK = "http://localhost:51877/callback";
export const STATE = "etat-0123456789";
export const VERIFIER = "dBjftJeZ4CVP-mBKPOzTt7kGUDZGcaIjyR-8v_1LRL0";
export const CHALLENGE = base64url(await sha256(VERIFIER));
export const METADATA = `${HOME}/.well-known/oauth-protected-resource/mcp`;
/** What a request without a token is told. */
export const BARE_CHALLENGE = `Bearer resource_metadata="${METADATA}", scope="labo"`;
/** What a request with a token that doesn't hold is told. */
export const challenge = (why: "invalid" | "expired") =>
  `Bearer error="invalid_token", error_description="${why}", resource_metadata="${METADATA}", scope="labo"`;
export const UNAUTHORIZED = { jsonrpc: "2.0", id: null, error: { code: -32001, message: "unauthorized" } };

/** Making a pair takes a tenth of a second: the tests share two. */
export const [PAIR, OTHER_PAIR] = await Promise.all([rsaPair(), rsaPair()]);

/** A field of a form or of a query: several values are repeated, null is left out. */
export type Fields = Record<string, string | string[] | null>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is judged by what the test reads in it
  json: any;
}

/** What goes through the network, by host; a host that no test made answers nothing. */
const hosts = new Map<string, Host>();
type Host = (url: URL, request: Request) => Response | Promise<Response>;
/** Every request that left the door during a test. */
export const outgoing: { method: string; url: string; sent: string }[] = [];
/** Every line that the door logged during a test. */
export const logged: string[] = [];
let made = 0;

/** The whole of what a request carries, as text. */
async function textOf(request: Request): Promise<string> {
  const headers = [...request.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  return `${request.method} ${request.url}\n${headers}\n\n${await request.clone().text()}`;
}

/** One request over the network, followed where its redirect says when the door asked for that, given up when it did. */
async function send(request: Request, hops = 0): Promise<Response> {
  outgoing.push({ method: request.method, url: request.url, sent: await textOf(request) });
  const url = new URL(request.url);
  const host = hosts.get(url.host);
  if (host === undefined) throw new TypeError(`no such host: ${url.host}`);
  const { signal } = request;
  const givenUp = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const answer = (async () => host(url, request.clone()))();
  const response = await Promise.race([answer, givenUp]);
  const location = response.headers.get("location");
  if (location === null || response.status < 300 || request.redirect !== "follow" || hops > 3) return response;
  return send(new Request(new URL(location, url), request), hops + 1);
}

beforeEach(() => {
  outgoing.length = 0;
  logged.length = 0;
  for (const level of ["log", "info", "debug", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation((...parts: unknown[]) => {
      const text = parts.map((part) => (part instanceof Error ? (part.stack ?? part.message) : String(part)));
      logged.push(text.join(" "));
    });
  }
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    return send(new Request(input as RequestInfo, init));
  });
  // Time stands still, and not when the door believes it is: CLOCK alone says that.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-01T00:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Answers for a host of the network from now on. */
export function answerFor(host: string, answer: Host): void {
  hosts.set(host, answer);
}

/** A Zero Trust team: its keys, the assertions that it signs, and how often its keys were asked for. */
export class Team {
  readonly name = `equipe-${++made}`;
  readonly issuer = `https://${this.name}.cloudflareaccess.com`;
  readonly audience = `application-${made}`;
  keys = [{ kid: "cle-1", pair: PAIR }];
  asked = 0;
  /** Whether it says which algorithm a key is for, as Cloudflare does. */
  names = true;
  /** What the address of the keys answers when it isn't well. */
  failure: (() => Response) | null = null;

  constructor() {
    answerFor(new URL(this.issuer).host, async (url) => {
      expect(url.pathname).toBe("/cdn-cgi/access/certs");
      this.asked += 1;
      if (this.failure !== null) return this.failure();
      const keys = await Promise.all(
        this.keys.map(async ({ kid, pair }) => {
          const jwk = (await crypto.subtle.exportKey("jwk", pair.publicKey)) as JsonWebKey;
          return { kid, kty: jwk.kty, n: jwk.n, e: jwk.e, ...(this.names && { alg: "RS256", use: "sig" }) };
        }),
      );
      return Response.json({ keys });
    });
  }

  /** What Access says of the owner, bent: a claim that is undefined is left out. */
  claims(at: number, change: Claims = {}): Claims {
    return {
      aud: [this.audience],
      email: OWNER,
      exp: at + 3600,
      iat: at - 60,
      nbf: at - 60,
      iss: this.issuer,
      type: "app",
      identity_nonce: "nonce-access",
      sub: "7335d417-61da-459d-899c-0a01c76a2f94",
      country: "CA",
      ...change,
    };
  }

  async assert(at: number, change: Claims = {}, header: Claims = {}, pair = PAIR): Promise<string> {
    return jws({ alg: "RS256", typ: "JWT", kid: "cle-1", ...header }, this.claims(at, change), rsa(pair.privateKey));
  }
}

export function makeRoot(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
}

export interface Sent {
  method?: string;
  headers?: Record<string, string | null>;
  body?: BodyInit;
}

/** The consent page, and what its form sends back. */
export interface Page extends Answer {
  blob: string;
  cookie: string;
}

export interface Decision {
  decision?: string | null;
  blob?: string | null;
  cookie?: string | null;
  /** The assertion of Access; null: none. */
  assertion?: string | null;
  headers?: Record<string, string | null>;
}

export interface Pair {
  access_token: string;
  refresh_token: string;
}

/** A deployment at an instant. */
export class Lab {
  readonly env: Record<string, unknown>;

  constructor(
    vars: Record<string, unknown> = {},
    readonly team: Team = new Team(),
    readonly now = START,
  ) {
    this.env = {
      PUBLIC_URL: HOME,
      ACCESS_TEAM: team.name,
      ACCESS_AUD: team.audience,
      OWNER_EMAIL: OWNER,
      ROOT_TOK: JSON.stringify({ k1: makeRoot() }),
      ROOT_CLI: JSON.stringify({ c1: makeRoot() }),
      LABO_TOOLS: "labo_etat",
      ...vars,
      CLOCK: new Date(now * 1000).toISOString(),
    };
  }

  /** The same deployment, so many seconds later. */
  later(seconds: number): Lab {
    return this.at(this.now + seconds);
  }

  /** The same deployment at another instant, in seconds. */
  at(now: number): Lab {
    return new Lab(this.env, this.team, now);
  }

  /** The same deployment with other variables. */
  with(vars: Record<string, unknown>): Lab {
    return new Lab({ ...this.env, ...vars }, this.team, this.now);
  }

  async fetch(request: Request): Promise<Response> {
    return (labo as Door).fetch(request, this.env, { waitUntil() {}, passThroughOnException() {}, props: {} });
  }

  async send(path: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Answer> {
    const given = new Headers();
    for (const [name, value] of Object.entries(headers)) if (value !== null) given.set(name, value);
    const url = path.startsWith("http") ? path : `${HOME}${path}`;
    const response = await this.fetch(new Request(url, { method, headers: given, body, redirect: "manual" }));
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : null,
    };
  }

  /** A call on /mcp; without a token when it is null. */
  mcp(token: string | null, body: unknown = PING, headers: Record<string, string | null> = {}): Promise<Answer> {
    const authorization = token === null ? null : `Bearer ${token}`;
    return this.send("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", authorization, ...headers },
      body: JSON.stringify(body),
    });
  }

  /** Whether the door lets this token in. */
  async admits(token: string): Promise<boolean> {
    const { status } = await this.mcp(token);
    expect([200, 401]).toContain(status);
    return status === 200;
  }

  register(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send("/register", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** A client of dynamic registration. */
  async client(change: Record<string, unknown> = {}): Promise<{ client_id: string; client_secret?: string }> {
    const { status, json } = await this.register({
      client_name: "Claude Code (labo)",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...change,
    });
    expect({ status, json }).toEqual({ status: 201, json: expect.anything() });
    return json;
  }

  async authorize(change: Fields = {}, headers: Record<string, string | null> = {}): Promise<Answer> {
    const query = encode({
      response_type: "code",
      client_id: CLAUDE_CODE,
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      redirect_uri: CALLBACK,
      state: STATE,
      scope: "labo",
      resource: RESOURCE,
      ...change,
    });
    const assertion = await this.team.assert(this.now);
    return this.send(`/authorize?${query}`, { headers: { "cf-access-jwt-assertion": assertion, ...headers } });
  }

  /** The consent page of a request that holds. */
  async page(change: Fields = {}, headers: Record<string, string | null> = {}): Promise<Page> {
    const answer = await this.authorize(change, headers);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: expect.any(String) });
    const blob = /<input\b[^>]*\bname="req"[^>]*\bvalue="([^"]+)"/.exec(answer.text)?.[1] ?? "";
    const cookie = /^(__Host-labo-csrf=[^;]+)/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? "";
    expect({ blob, cookie }).toEqual({ blob: expect.stringMatching(/./), cookie: expect.stringMatching(/./) });
    return { ...answer, blob, cookie };
  }

  /** The form of the consent page, sent as a browser does; what a test bends is in `given`. */
  async decide(page: Pick<Page, "blob" | "cookie">, given: Decision = {}): Promise<Answer> {
    const { decision = "oui", blob = page.blob, cookie = page.cookie } = given;
    const assertion = given.assertion === undefined ? await this.team.assert(this.now) : given.assertion;
    return this.send("/authorize", {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        "cf-access-jwt-assertion": assertion,
        origin: HOME,
        "sec-fetch-site": "same-origin",
        cookie,
        ...given.headers,
      },
      body: encode({ req: blob, decision }),
    });
  }

  /** The code of a request that the owner accepts. */
  async code(change: Fields = {}): Promise<string> {
    const back = readRedirect(await this.decide(await this.page(change)));
    return back.searchParams.get("code") ?? "";
  }

  token(fields: Fields, headers: Record<string, string | null> = {}): Promise<Answer> {
    return this.send("/token", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: encode(fields),
    });
  }

  /** A code for tokens. */
  exchange(code: string, change: Fields = {}): Promise<Answer> {
    return this.token({
      grant_type: "authorization_code",
      code,
      code_verifier: VERIFIER,
      redirect_uri: CALLBACK,
      resource: RESOURCE,
      client_id: CLAUDE_CODE,
      ...change,
    });
  }

  /** A refresh token for others. */
  refresh(refresh_token: string, change: Fields = {}): Promise<Answer> {
    const fields = { grant_type: "refresh_token", refresh_token, resource: RESOURCE, client_id: CLAUDE_CODE };
    return this.token({ ...fields, ...change });
  }

  /** The whole dance. */
  async pair(change: Fields = {}): Promise<Pair> {
    const { client_id = CLAUDE_CODE, redirect_uri = CALLBACK } = change;
    const answer = await this.exchange(await this.code(change), { client_id, redirect_uri });
    expect(answer).toMatchObject({ status: 200, json: { token_type: "Bearer" } });
    return answer.json;
  }

  async accessToken(change: Fields = {}): Promise<string> {
    return (await this.pair(change)).access_token;
  }

  /** Signs a token of this deployment again, bent, with the key of `kind`: what only a leaked root could do. */
  async resign(token: string, kind: string, change: Claims = {}, header: Claims = {}): Promise<string> {
    const old = readJws(token);
    const claims = Object.fromEntries(
      Object.entries({ ...old.claims, ...change }).filter(([, value]) => value !== undefined),
    );
    return jws({ ...old.header, ...header }, claims, hmac(await this.keyOf(kind)));
  }

  /** The key of one kind of token. */
  keyOf(kind: string): Promise<ArrayBuffer> {
    const roots = JSON.parse(String(kind === "cl" ? this.env.ROOT_CLI : this.env.ROOT_TOK));
    return deriveKey(String(Object.values(roots)[0]), kind);
  }
}

export const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
export const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
export const calling = (name: unknown, args: unknown = {}) => {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
};

export function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : value === null ? [] : [value]).map((one): [string, string] => [name, one]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Where an answer sends the browser, once it is sure that it does. */
export function readRedirect({ status, headers }: Answer): URL {
  expect(status).toBe(303);
  return new URL(headers.get("location") ?? "");
}

/** A page that refuses, in French, and sends the browser nowhere. */
export function expectPage(answer: Answer, status: number): void {
  expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({ status, location: null });
  expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(answer.text).toMatch(/<html lang="fr/);
}

/** An error of /token or /register, as RFC 6749 and RFC 7591 write it. */
export function expectError(answer: Answer, status: number, error: string): void {
  expect({ status: answer.status, error: answer.json?.error }).toEqual({ status, error });
}
