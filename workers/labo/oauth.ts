// The lock of the private door: its own OAuth 2.1 authorization server, for one person, without any database.
//
// All that it must remember is in what it hands out, signed: client ids, codes, access and refresh tokens. Nothing is looked
// up, so nothing can be taken back one by one without a deploy: to put everyone out, the owner changes ROOT_TOK.
//   1. Who enters      every request, its route, its line of log
//   2. Settings        the variables and the secrets, read and judged before anything is served
//   3. Signed objects  one key per kind
//   4. Clients         return addresses, the two pinned documents, registration
//   5. The page        /authorize, behind Cloudflare Access
//   6. Tokens          /token, /revoke, and the bearer of /mcp
//   7. Answers         bodies read, headers, HTML
import {
  CompactSign,
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  type JWKSCacheInput,
  jwksCache,
  jwtVerify,
} from "jose";

// ── 1. Who enters ────────────────────────────────────────────────────────────

type Vars = Record<string, unknown>;

/** What the lock asks of the core's `Deps`: the time (ms since 1970) and work that outlives the answer. */
interface Deps {
  now(): number;
  waitUntil(work: Promise<unknown>): void;
}

/** The door behind the lock. */
export interface Door<Env extends Vars, Ctx> {
  /** The core, asked once a request may pass. */
  serve(request: Request, env: Env, ctx: Ctx): Response | Promise<Response>;
  depsOf(env: Env, ctx: Ctx): Deps;
  /** The door's name, for people. */
  title: string;
  /** What a client is granted, in French, for the consent page: « un outil, qui ne fait que lire ». */
  sayGrant(env: Env): string;
}

/** One request on its way in. `note` is what its line of log will say: no secret, no text of the caller's. */
interface Visit {
  request: Request;
  url: URL;
  env: Vars;
  deps: Deps;
  /** The issuer: scheme and host, no slash at the end. */
  home: string;
  settings: Settings;
  title: string;
  sayGrant(): string;
  note: { reason: string | null; client: string | null; fam: string | null };
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const CLAUDE_ORIGINS = ["https://claude.ai", "https://claude.com"];
/** What the log names; another path or method is a text of the caller's. */
const ROUTES = ["/mcp", "/mcp/", "/register", "/authorize", "/token", "/revoke"];
const METHODS = ["GET", "HEAD", "POST", "OPTIONS", "DELETE", "PUT", "PATCH"];
/** Routes that no page elsewhere may read, but for what `passMcp` allows. */
const CLOSED = ["/mcp", "/mcp/", "/authorize"];

/** What the door behind is handed instead of its environment: no secret of the lock's. One for each, as the core expects. */
const INSIDES = new WeakMap<Vars, Vars>();

function insideOf<Env extends Vars>(env: Env): Env {
  const { ROOT_TOK: _, ROOT_CLI: __, ...rest } = env;
  const inside = INSIDES.get(env) ?? rest;
  INSIDES.set(env, inside);
  return inside as Env;
}

/**
 * Puts the lock before a door.
 * @returns the Worker's `fetch`: never throws; 503 at every route while a setting is missing or wrong
 */
export function lock<Env extends Vars, Ctx>({ serve, depsOf, title, sayGrant }: Door<Env, Ctx>) {
  return async (request: Request, env: Env, ctx: Ctx): Promise<Response> => {
    const inside = insideOf(env);
    const since = Date.now();
    const note: Visit["note"] = { reason: null, client: null, fam: null };
    const url = URL.canParse(request.url) ? new URL(request.url) : null;
    const enter = async (): Promise<Response> => {
      if (url === null) return serve(request, inside, ctx);
      const settings = await readSettings(env);
      const home = homeOf(env.PUBLIC_URL, url);
      if (url.host !== new URL(home).host && !LOOPBACK.test(url.hostname))
        throw new Barred("à ce nom d'hôte", "wrong_host");
      if (home.startsWith("https:") && url.protocol === "http:" && !LOOPBACK.test(url.hostname))
        throw new Barred("sans https", "plain_http");
      const deps = depsOf(inside, ctx);
      // No time is past its end beside one that is no number.
      if (!Number.isFinite(deps.now())) throw new Misconfigured("CLOCK", "an ISO instant, in development only");
      checkInstant(settings.minIat, deps.now());
      const visit: Visit = { request, url, env, deps, home, settings, title, sayGrant: () => sayGrant(inside), note };
      return route(visit, async () => serve(request, inside, ctx));
    };
    const path = url?.pathname ?? "";
    const response = await enter().catch(async (error) => {
      const failure = error instanceof Failure ? error : defect(error);
      if (failure instanceof Misconfigured) console.error(`labo: ${failure.message}`);
      note.reason ??= failure.reason;
      const answer = await failure.answer(path);
      if (CLOSED.includes(path)) {
        answer.headers.delete("access-control-allow-origin");
        answer.headers.append("vary", "origin");
      }
      return answer;
    });
    if (url?.protocol === "https:") response.headers.set("strict-transport-security", "max-age=31536000");
    const named = ROUTES.includes(path) || DOCUMENTS.has(path) ? path : null;
    const method = METHODS.includes(request.method) ? request.method : null;
    const { reason, client, fam } = note;
    const { status } = response;
    const ms = Date.now() - since;
    console.log(JSON.stringify({ door: "labo", route: named, method, status, reason, client, fam, ms }));
    return response;
  };
}

/** `serve` is the core: it is given what is not the lock's, and `/mcp` once the bearer is good. */
async function route(visit: Visit, serve: () => Promise<Response>): Promise<Response> {
  const { method } = visit.request;
  const { pathname } = visit.url;
  if (pathname === "/mcp" || pathname === "/mcp/") return passMcp(visit, serve);
  if (pathname === "/authorize") return authorize(visit);
  const document = DOCUMENTS.get(pathname);
  const post = POSTED.get(pathname);
  if (document === undefined && post === undefined) return serve();
  const allowed = document === undefined ? ["POST", "OPTIONS"] : ["GET", "HEAD", "OPTIONS"];
  if (!allowed.includes(method)) throw new Refused(405, "method_not_allowed", { allow: allowed.join(", ") });
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: preflight("*", allowed) });
  if (post !== undefined) return post(visit);
  const body = JSON.stringify(document?.(visit));
  const { pragma: _, ...kept } = JSON_HEADERS;
  const headers = { ...kept, "cache-control": "max-age=300" };
  return new Response(method === "HEAD" ? null : body, { headers });
}

/** The metadata of RFC 9728 and of RFC 8414. Our issuer has no path; some clients add the resource's all the same. */
const DOCUMENTS = new Map<string, (visit: Visit) => object>(
  ["", "/mcp"].flatMap((suffix) => [
    [`/.well-known/oauth-protected-resource${suffix}`, describeResource],
    [`/.well-known/oauth-authorization-server${suffix}`, describeServer],
  ]),
);

const POSTED = new Map<string, (visit: Visit) => Promise<Response>>([
  ["/register", register],
  ["/token", exchange],
  ["/revoke", revoke],
]);

const SCOPE = "labo";

function describeResource({ home, title }: Visit): object {
  return {
    resource: `${home}/mcp`,
    authorization_servers: [home],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ["header"],
    resource_name: title,
  };
}

/** The three endpoints stand where a client that found no metadata guesses them. */
function describeServer({ home }: Visit): object {
  return {
    issuer: home,
    authorization_endpoint: `${home}/authorize`,
    token_endpoint: `${home}/token`,
    registration_endpoint: `${home}/register`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
    scopes_supported: [SCOPE],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** The origins that the core lets in. `passMcp` is narrower: this machine's, only at a door that is on it too. */
export function isKnownOrigin(origin: string): boolean {
  if (CLAUDE_ORIGINS.includes(origin)) return true;
  const url = URL.canParse(origin) ? new URL(origin) : null;
  return url?.origin === origin && url.protocol === "http:" && LOOPBACK.test(url.hostname);
}

/** `/mcp`: the origin, the preflight, then the bearer, before the method or anything else is looked at. */
async function passMcp(visit: Visit, serve: () => Promise<Response>): Promise<Response> {
  const { request, home } = visit;
  const origin = request.headers.get("origin");
  const local = LOOPBACK.test(new URL(home).hostname);
  const known = origin !== null && (CLAUDE_ORIGINS.includes(origin) || (local && isKnownOrigin(origin)));
  if (request.method === "OPTIONS") {
    return new Response(null, { status: 204, headers: preflight(known ? origin : null, ["POST", "OPTIONS"]) });
  }
  if (origin !== null && !known) throw new Barred("à cette origine", "wrong_origin");
  const fault = await faultOfBearer(visit);
  const response = fault === null ? await serve() : challenge(visit, fault);
  // The core opens its answers to every page; these are for the origins above.
  const headers = new Headers(response.headers);
  headers.delete("access-control-allow-origin");
  if (origin !== null) {
    headers.set("access-control-allow-origin", origin);
    headers.set("access-control-expose-headers", EXPOSED);
  }
  headers.append("vary", "origin");
  return new Response(response.body, { status: response.status, headers });
}

const UNAUTHORIZED = '{"jsonrpc":"2.0","error":{"code":-32001,"message":"unauthorized"},"id":null}';

/** Without `error` when no bearer came (RFC 6750): one client gives up on a first answer that has one. */
function challenge({ home, note }: Visit, fault: "absent" | "expired" | "invalid"): Response {
  note.reason ??= fault;
  const error = fault === "absent" ? "" : `error="invalid_token", error_description="${fault}", `;
  const where = `resource_metadata="${home}/.well-known/oauth-protected-resource/mcp", scope="${SCOPE}"`;
  const headers = { ...JSON_HEADERS, "www-authenticate": `Bearer ${error}${where}` };
  return new Response(UNAUTHORIZED, { status: 401, headers });
}

// ── 2. Settings ──────────────────────────────────────────────────────────────

/** What a deployment is told, once judged. Times are in seconds since 1970. */
interface Settings {
  /** The issuer of Access, `https://TEAM.cloudflareaccess.com`, and where its keys are. */
  team: string;
  keys: string;
  audience: string;
  /** The owner's e-mail, in lower case; and what stands for it in tokens. */
  owner: string;
  subject: string;
  /** ROOT_TOK signs codes, tokens and the consent; ROOT_CLI signs clients: changing the first unregisters nobody. */
  tokens: Ring;
  clients: Ring;
  minIat: number;
  deniedFams: ReadonlySet<string>;
  deniedClients: ReadonlySet<string>;
}

/** Secrets by `kid`, the first one signs; and the keys made from them, by `kid` and kind. */
interface Ring {
  roots: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  keys: Map<string, CryptoKey>;
}

const ROOT_BYTES = 32;
const KID = /^(?!\d+$)[A-Za-z0-9_-]{1,16}$/;
/** A part of a host's name. */
export const TEAM = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;
const SETTING_NAMES = [
  ...["ACCESS_TEAM", "ACCESS_AUD", "ACCESS_API", "OWNER_EMAIL", "ROOT_TOK", "ROOT_CLI"],
  ...["MIN_IAT", "DENY_FAM", "DENY_CLIENT"],
];
/** By the text of all of them: a Worker has one set of variables, and reads it once. */
const SETTINGS = new Map<string, Settings>();

/** @throws {Misconfigured} which says the variable, never what it holds */
async function readSettings(env: Vars): Promise<Settings> {
  const text = JSON.stringify(SETTING_NAMES.map((name) => env[name] ?? null));
  const known = SETTINGS.get(text);
  if (known !== undefined) return known;
  const vars = readVars(env);
  const settings: Settings = {
    ...vars,
    subject: await digest(vars.owner),
    tokens: readRing(String(env.ROOT_TOK ?? "").trim(), "ROOT_TOK"),
    clients: readRing(String(env.ROOT_CLI ?? "").trim(), "ROOT_CLI"),
  };
  if (SETTINGS.size >= 50) SETTINGS.clear();
  SETTINGS.set(text, settings);
  return settings;
}

/**
 * The settings that are no secret: what `npm run deploy` judges too, before it sends them.
 * @throws {Misconfigured} whose message says the variable and what it must be, never what it holds
 */
export function readVars(env: Vars): Omit<Settings, "subject" | "tokens" | "clients"> {
  const get = (name: string) => String(env[name] ?? "").trim();
  const need = (name: string, shape: RegExp, what: string) => {
    if (!shape.test(get(name))) throw new Misconfigured(name, what);
    return get(name);
  };
  const list = (name: string, shape: RegExp, what: string) => {
    const items = get(name)
      .split(",")
      .flatMap((item) => item.trim() || []);
    if (!items.every((item) => shape.test(item))) throw new Misconfigured(name, `${what}, with commas between`);
    return new Set(items);
  };
  const team = `https://${need("ACCESS_TEAM", TEAM, "the name of a Zero Trust team").toLowerCase()}.cloudflareaccess.com`;
  const owner = lower(need("OWNER_EMAIL", /^[^@\s,]+@[^@\s,]+$/, "one e-mail address"));
  return {
    team,
    keys: keysAddress(team, env),
    // Empty, it would not be checked at all.
    audience: need("ACCESS_AUD", /^\S+$/, "the AUD tag of the Access application"),
    owner,
    minIat: readInstant(get("MIN_IAT")),
    deniedFams: list("DENY_FAM", /^[\w-]{12}$/, "families of 12 characters"),
    deniedClients: list("DENY_CLIENT", /^[\w-]{8}$/, "clients of 8 characters"),
  };
}

/**
 * Where a deployment's Access publishes its keys, or null where no team is named.
 * @param env `ACCESS_API` replaces Cloudflare's host in development
 */
export function accessKeys(env: Vars): string | null {
  const { ACCESS_TEAM } = env;
  return typeof ACCESS_TEAM === "string" && ACCESS_TEAM !== ""
    ? keysAddress(`https://${ACCESS_TEAM.trim().toLowerCase()}.cloudflareaccess.com`, env)
    : null;
}

function keysAddress(team: string, { ACCESS_API = "" }: Vars): string {
  const origin = String(ACCESS_API) === "" ? team : String(ACCESS_API);
  if (!URL.canParse(origin)) throw new Misconfigured("ACCESS_API", "an origin, in development only");
  return new URL("/cdn-cgi/access/certs", origin).href;
}

/**
 * `{"k2":"…","k1":"…"}`: the newest first, in base64, at least 32 bytes each. A name made of digits would come before the
 * others whatever its place, as JavaScript has it.
 * @param name of the variable
 * @throws {Misconfigured} which says nothing of what it holds
 */
export function readRing(text: string, name: string): Ring {
  const wrong = new Misconfigured(name, `made by npm run labo:keys: {"k1":"at least ${ROOT_BYTES} bytes in base64"}`);
  // What JSON.parse says of a secret holds a part of it.
  const value = parseJson(text);
  if (!isObject(value) || Object.keys(value).length === 0) throw wrong;
  // The same name twice: JSON keeps the last, and nobody would know which one signs. An escape could hide one.
  const names = text.match(/"[^"]*"(?=\s*:)/g);
  if (text.includes("\\") || new Set(names).size !== names?.length) throw wrong;
  const roots = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const [kid, secret] of Object.entries(value)) {
    const bytes = typeof secret === "string" ? decode64(secret.trim().replace(/=+$/, "")) : null;
    if (!KID.test(kid) || kid === "__proto__" || bytes === null || bytes.length < ROOT_BYTES) throw wrong;
    if (bytes.every((byte) => byte === 0)) throw wrong;
    roots.set(kid, bytes);
  }
  return { roots, keys: new Map() };
}

const INSTANT = /^([1-9]\d{9}|\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))$/;
const INSTANT_SHAPE = "seconds since 1970 in 10 digits, or an ISO instant with its zone, that has passed";

/** Seconds since 1970; nothing is 0. One that can't be read in one way only must not leave everyone in. */
function readInstant(text: string): number {
  if (text === "") return 0;
  const seconds = /^\d+$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  // February 30 would be read as March 2.
  const [year, month, day] = /^\d+$/.test(text) ? [] : text.split(/[-T]/).map(Number);
  const isDay = day === undefined || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (!INSTANT.test(text) || Number.isNaN(seconds) || !isDay) throw new Misconfigured("MIN_IAT", INSTANT_SHAPE);
  return seconds;
}

/**
 * An instant to come would refuse what is signed now: the owner would consent for nothing.
 * @param minIat seconds
 * @param now ms
 * @throws {Misconfigured}
 */
export function checkInstant(minIat: number, now: number): void {
  if (minIat > 0 && minIat > now / 1000 + SKEW) throw new Misconfigured("MIN_IAT", INSTANT_SHAPE);
}

/**
 * The issuer. A deployed door has the address of PUBLIC_URL, whatever Host it is called by; one whose address is on this
 * machine, or that has none, takes the loopback name that the client dialled, since clients compare the two.
 */
function homeOf(address: unknown, url: URL): string {
  const home = typeof address === "string" && URL.canParse(address) ? new URL(address) : null;
  if (address !== undefined && home === null) throw new Misconfigured("PUBLIC_URL", "https:// and a host");
  if (home !== null && !LOOPBACK.test(home.hostname)) {
    if (home.protocol !== "https:") throw new Misconfigured("PUBLIC_URL", "https:// and a host");
    return home.origin;
  }
  if (LOOPBACK.test(url.hostname)) return url.origin;
  if (home === null) throw new Misconfigured("PUBLIC_URL", "https:// and a host");
  return home.origin;
}

// ── 3. Signed objects ────────────────────────────────────────────────────────

/**
 * Client id, consent, code, access token, refresh token. What each carries:
 *
 *   cl              ru return addresses, am how it authenticates at /token, cn its name, iat, jti
 *   rq, ac, at, rt  iss, aud, sub, iat, exp, ch the client's hash
 *   rq              ru return address, cc PKCE challenge, st state, nonce the cookie's
 *   ac              ru, cc, scope, jti, fam family of the tokens, auth_time of the consent
 *   at, rt          scope, fam; and for rt auth_time, gen its rank in the family
 */
type Kind = "cl" | "rq" | "ac" | "at" | "rt";
type Claims = Record<string, unknown>;

const SALT = encode("labo-mcp/v1");
/** Longer than any that we sign; the consent carries a `state`. */
const TOKEN_LIMIT = 4_096;
const CONSENT_LIMIT = 12_288;
/** 32 bytes. The last of 43 characters holds 4 bits: others would be the same bytes, spelled otherwise. */
const MAC = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
/** Compact JWS. */
const CANONICAL = new RegExp(`^[\\w-]+\\.[\\w-]+\\.${MAC.source.slice(1)}`);
/** Seconds between two clocks. Past its end, of our tokens, only an access token gets them: its client keeps its own clock. */
const SKEW = 5;

/**
 * The key of a kind: HMAC-SHA256, not extractable, from HKDF-SHA256. A code can't verify as an access token, even where a
 * check is forgotten.
 * @param root at least 32 bytes
 * @param kind two letters: one of `Kind`, or `cs` for client secrets
 */
export async function deriveKey(root: Uint8Array<ArrayBuffer>, kind: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", root, "HKDF", false, ["deriveKey"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: SALT, info: encode(kind) };
  return crypto.subtle.deriveKey(how, base, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign", "verify"]);
}

async function keyOf(ring: Ring, kid: string, kind: string): Promise<CryptoKey | null> {
  const name = `${kid} ${kind}`;
  const known = ring.keys.get(name);
  const root = ring.roots.get(kid);
  if (known !== undefined || root === undefined) return known ?? null;
  const key = await deriveKey(root, kind);
  ring.keys.set(name, key);
  return key;
}

function ringOf(kind: Kind, { tokens, clients }: Settings): Ring {
  return kind === "cl" ? clients : tokens;
}

/** Signs with the newest key of the kind. */
async function seal(kind: Kind, claims: Claims, settings: Settings): Promise<string> {
  const ring = ringOf(kind, settings);
  const [kid] = ring.roots.keys();
  const key = await keyOf(ring, kid, kind);
  if (key === null) throw new Error("no key signs");
  const header = { alg: "HS256", typ: `${kind}+labo`, kid };
  return new CompactSign(encode(JSON.stringify(claims))).setProtectedHeader(header).sign(key);
}

/** The claims of an object of ours, `exp` not looked at; or null. */
async function open(kind: Kind, token: string, settings: Settings, limit = TOKEN_LIMIT): Promise<Claims | null> {
  if (token.length > limit || !CANONICAL.test(token)) return null;
  try {
    const { kid } = decodeProtectedHeader(token);
    const key = typeof kid === "string" ? await keyOf(ringOf(kind, settings), kid, kind) : null;
    if (key === null) return null;
    const { payload, protectedHeader } = await compactVerify(token, key, { algorithms: ["HS256"] });
    const claims = parseJson(new TextDecoder().decode(payload));
    return protectedHeader.typ === `${kind}+labo` && isObject(claims) ? claims : null;
  } catch {
    // Whatever it is made of, an object that doesn't verify is no defect of ours.
    return null;
  }
}

/** What the lock puts in everything but a client id. */
function stamp({ home, settings }: Visit, now: number, life: number): Claims {
  return { iss: home, aud: `${home}/mcp`, sub: settings.subject, iat: now, exp: now + life };
}

/** The claims of a token of ours that is good now, here, for the owner; or why it isn't. */
async function readClaims(
  kind: Exclude<Kind, "cl">,
  token: string,
  visit: Visit,
): Promise<Claims | "expired" | "invalid"> {
  const { home, settings } = visit;
  const claims = await open(kind, token, settings, kind === "rq" ? CONSENT_LIMIT : TOKEN_LIMIT);
  if (claims === null) return "invalid";
  const { iss, aud, sub, iat, exp, auth_time = iat, fam, ch } = claims;
  const now = seconds(visit);
  const whole = typeof iat === "number" && typeof exp === "number" && typeof auth_time === "number";
  if (!whole || iss !== home || aud !== `${home}/mcp` || sub !== settings.subject || iat > now + SKEW) return "invalid";
  if (Math.min(iat, auth_time) < settings.minIat || isDenied(ch, settings)) return "invalid";
  if (typeof fam === "string") {
    visit.note.fam = fam;
    if (settings.deniedFams.has(fam)) return "invalid";
  }
  return now >= exp + (kind === "at" ? SKEW : 0) ? "expired" : claims;
}

function isDenied(client: unknown, { deniedClients }: Settings): boolean {
  return typeof client === "string" && deniedClients.has(client.slice(0, 8));
}

function seconds({ deps }: Visit): number {
  return Math.floor(deps.now() / 1000);
}

/** 16 bytes of SHA-256 in base64url: stands for a text without holding it. */
async function digest(text: string): Promise<string> {
  return encode64(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(text))).slice(0, 16));
}

/** Whether two texts are the same, in a time that doesn't say where they differ. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((text) => crypto.subtle.digest("SHA-256", encode(text))));
  return crypto.subtle.timingSafeEqual(a, b);
}

/** @param bytes 9 make 12 characters, 12 make 16 */
function random(bytes: number): string {
  return encode64(crypto.getRandomValues(new Uint8Array(bytes)));
}

// ── 4. Clients ───────────────────────────────────────────────────────────────

/** Who asks to come in. */
interface Client {
  /** Its id, shortened: what tokens are bound to. */
  hash: string;
  redirects: readonly string[];
  /** What it must send at `/token` besides its id; null for a public client. */
  secret: { key: CryptoKey } | null;
  /** For the consent page: the host of its document, or the name that it gave itself. */
  host: string | null;
  name: string | null;
}

const CLAUDE_REDIRECTS = ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"];

/**
 * The client-metadata documents that may be an id, and the return addresses of each. They are never fetched: to follow any
 * address would be to call the hosts and show the names that a stranger chose. `npm run labo:metadata` compares.
 */
export const PINNED: ReadonlyMap<string, readonly string[]> = new Map([
  ["https://claude.ai/oauth/mcp-oauth-client-metadata", CLAUDE_REDIRECTS],
  ["https://claude.ai/oauth/claude-code-client-metadata", ["http://localhost/callback", "http://127.0.0.1/callback"]],
]);

const LOOPBACK_REDIRECT =
  /^http:\/\/(localhost|127\.0\.0\.1|\[::1\]):([1-9][0-9]{0,4})(\/(oauth\/)?callback(\/[A-Za-z0-9_-]{1,64})?)$/;
const REDIRECT_LIMIT = 200;

/** Whether a code may ever be sent to that address: Claude's two, compared as text, or a callback on the person's machine. */
export function isAllowedRedirect(address: unknown): address is string {
  if (typeof address !== "string" || address.length > REDIRECT_LIMIT) return false;
  if (CLAUDE_REDIRECTS.includes(address)) return true;
  const port = LOOPBACK_REDIRECT.exec(address)?.[2];
  if (port === undefined || Number(port) > 65_535) return false;
  const { username, password, search, hash, href } = new URL(address);
  // Port 80 is the one that a URL doesn't write.
  return `${username}${password}${search}${hash}` === "" && (port === "80" || href === address);
}

/** A loopback client listens on another port each time (RFC 8252): its host and its path are what is compared. */
function matchesRedirect(registered: readonly string[], presented: string): boolean {
  const withoutPort = (address: string) => (address.startsWith("http:") ? address.replace(/:\d+(?=\/)/, "") : address);
  return registered.some((address) => withoutPort(address) === withoutPort(presented));
}

/** The client of an id, or null. */
async function readClient(id: string | undefined, visit: Visit): Promise<Client | null> {
  if (id === undefined || id.length > TOKEN_LIMIT) return null;
  const { settings, note } = visit;
  const hash = await digest(id);
  const pinned = PINNED.get(id);
  const claims = pinned === undefined ? await open("cl", id, settings) : null;
  if (pinned === undefined && claims === null) return null;
  note.client = hash.slice(0, 8);
  if (isDenied(hash, settings)) return null;
  if (claims === null) return { hash, redirects: pinned ?? [], secret: null, host: new URL(id).host, name: null };
  const { ru, am, cn } = claims;
  if (!Array.isArray(ru)) return null;
  const { kid } = decodeProtectedHeader(id);
  const key = am === "client_secret_post" ? await keyOf(settings.clients, String(kid), "cs") : null;
  return {
    hash,
    redirects: ru.map(String),
    secret: key === null ? null : { key },
    host: null,
    name: typeof cn === "string" && cn !== "" ? cn : null,
  };
}

const REGISTRATION_LIMIT = 4_096;
/** A list of addresses too long for a registration is still read, and refused for what it is. */
const REGISTRATION_READ = 65_536;
const NAME_LIMIT = 60;

/** RFC 7591, without writing anything down: the id is the registration, signed. */
async function register(visit: Visit): Promise<Response> {
  const { request, env, settings } = visit;
  await brake(env.REGISTER_BRAKE, request.headers.get("cf-connecting-ip") ?? "local");
  await brake(env.REGISTER_BRAKE_ALL, "all");
  if (!isMedia(request, "application/json")) throw new Refused(400, "invalid_client_metadata");
  const text = await readBody(request, REGISTRATION_READ);
  const asked = parseJson(text);
  if (!isObject(asked)) throw new Refused(400, "invalid_client_metadata");
  const { redirect_uris: redirects, token_endpoint_auth_method: method, client_name: named } = asked;
  const listed = Array.isArray(redirects) && redirects.length >= 1 && redirects.length <= 5;
  if (!listed || !redirects.every(isAllowedRedirect)) throw new Refused(400, "invalid_redirect_uri");
  if (encode(text).length > REGISTRATION_LIMIT) throw new Refused(400, "invalid_client_metadata");
  const auth = method === "client_secret_post" ? "client_secret_post" : "none";
  const name = typeof named === "string" ? cleanName(named) : "";
  const iat = seconds(visit);
  const id = await seal("cl", { ru: redirects, am: auth, cn: name, iat, jti: random(9) }, settings);
  const client = await readClient(id, visit);
  const secret = client?.secret
    ? { client_secret: await makeSecret(client.secret.key, id), client_secret_expires_at: 0 }
    : {};
  return json(201, {
    client_id: id,
    client_id_issued_at: iat,
    redirect_uris: redirects,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: auth,
    ...(name !== "" && { client_name: name }),
    scope: SCOPE,
    ...secret,
  });
}

async function makeSecret(key: CryptoKey, id: string): Promise<string> {
  return encode64(new Uint8Array(await crypto.subtle.sign("HMAC", key, encode(id))));
}

/** A name to show between « »: none of its own, no control, no direction mark, at most 60 characters. */
function cleanName(text: string): string {
  const printable = text
    .toWellFormed()
    .replace(/(?:[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u2800\u3164\uffa0«»‹›“”„"＂≪≫《》]|\u034f)+/gu, " ");
  return [...printable.trim()].slice(0, NAME_LIMIT).join("").trim();
}

/** A limit of Cloudflare's, where one is bound. One that is broken doesn't shut the door. */
async function brake(limiter: unknown, key: string): Promise<void> {
  if (!(await isWithin(limiter, key))) throw new Refused(429, "temporarily_unavailable", { "retry-after": "60" });
}

async function isWithin(limiter: unknown, key: string): Promise<boolean> {
  if (!isObject(limiter)) return true;
  try {
    return (await (limiter as { limit(options: { key: string }): Promise<{ success: boolean }> }).limit({ key }))
      .success;
  } catch (error) {
    defect(error);
    return true;
  }
}

// ── 5. The page ──────────────────────────────────────────────────────────────

const QUERY_LIMIT = 8_192;
const STATE_LIMIT = 1_024;
/** Seconds that a person has to read the page. */
const CONSENT_LIFE = 300;
const CODE_LIFE = 60;

/** The only page for a human. Access stands in front of it, and its word is checked here again. */
async function authorize(visit: Visit): Promise<Response> {
  const { method } = visit.request;
  const isRead = method === "GET" || method === "HEAD";
  if (!isRead && method !== "POST") throw new Refused(405, "method_not_allowed", { allow: "GET, HEAD, POST" });
  const email = await readOwner(visit);
  const response = isRead ? await askConsent(email, visit) : await readConsent(visit);
  return method === "HEAD" ? new Response(null, response) : response;
}

/** Access's own keys, by address: jose keeps them 10 minutes, and asks for an unknown one at most every 30 s. */
const KEY_CACHES = new Map<string, JWKSCacheInput>();
const KEY_FETCHES = new Map<string, Promise<string>>();
/** A session of Access lasts a day at most. */
const ACCESS_AGE = "24h";

/** The owner's e-mail, from the JWT that Access put on the request: 403 without a good one, 503 while its keys are out. */
async function readOwner({ request, settings, deps }: Visit): Promise<string> {
  const { team, keys, audience, owner } = settings;
  // A session opened with another address stays open for a day: only this ends it.
  const refused = (reason: string) =>
    new Shown(
      403,
      "Entrée refusée",
      "Cette page est réservée à la personne à qui appartient le labo, et ne s'ouvre que derrière Cloudflare Access. Si c'est toi, ferme ta session d'Access, puis recommence la connexion depuis ton application, avec ton courriel.",
      reason,
      { address: "/cdn-cgi/access/logout", text: "Fermer ma session" },
    );
  // Not the cookie: a neighbouring host can set one.
  const token = request.headers.get("cf-access-jwt-assertion");
  if (token === null || token.length > QUERY_LIMIT) throw refused("access_absent");
  const cache = KEY_CACHES.get(keys) ?? {};
  KEY_CACHES.set(keys, cache);
  const resolver = createRemoteJWKSet(new URL(keys), {
    [jwksCache]: cache,
    [customFetch]: (address, init) => fetchKeys(address, init, deps),
  });
  try {
    const { payload } = await jwtVerify(token, resolver, {
      algorithms: ["RS256"],
      issuer: team,
      audience,
      requiredClaims: ["exp", "iat", "email", "sub"],
      maxTokenAge: ACCESS_AGE,
      clockTolerance: SKEW,
      currentDate: new Date(deps.now()),
    });
    const { type, email } = payload;
    if (type !== "app" || typeof email !== "string" || lower(email) !== owner) throw refused("access_other");
    return email;
  } catch (error) {
    if (error instanceof Shown) throw error;
    if (ACCESS_FAULTS.some((fault) => error instanceof fault)) throw refused("access_invalid");
    throw accessDown("access_down");
  }
}

function accessDown(reason: string): Shown {
  return new Shown(
    503,
    "Access ne répond pas",
    "Les clés de Cloudflare Access sont introuvables pour l'instant. C'est d'habitude une panne de Cloudflare, qui dure rarement plus d'une heure, et ça ne veut pas dire que ton accès est retiré. Réessaie dans dix minutes.",
    reason,
  );
}

/** What is wrong with the token itself; anything else is wrong with the keys. */
const ACCESS_FAULTS = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** Ours are some 5 kB. */
const KEYS_LIMIT = 65_536;
/** Keys that didn't come are not asked for again before so many ms. */
const KEYS_REST = 5_000;
const KEY_FAILURES = new Map<string, { since: number; error: unknown }>();

/** One call for all who wait, kept alive for all of them; each makes a response of its own from the same text. */
async function fetchKeys(address: string, init: RequestInit, { now, waitUntil }: Deps): Promise<Response> {
  const failed = KEY_FAILURES.get(address);
  if (failed !== undefined && Math.abs(now() - failed.since) < KEYS_REST) throw failed.error;
  const load = async () => {
    try {
      const response = await fetch(address, init);
      const { status } = response;
      if (status === 404) {
        console.error("labo: ACCESS_TEAM must be the name of a Zero Trust team: Access answers 404 for its keys");
        throw new Shown(
          503,
          "Équipe inconnue d'Access",
          "Cloudflare Access ne connaît pas l'équipe que nomme le réglage ACCESS_TEAM. Ça ne passera pas tout seul, et ça ne veut pas dire que ton accès est retiré. Corrige le nom dans wrangler.toml, puis redéploie la porte.",
          "setting_ACCESS_TEAM",
        );
      }
      const text = status === 200 ? await readText(response.body, KEYS_LIMIT) : null;
      const set = parseJson(text ?? "");
      // An empty set would be told as a token of a stranger's.
      if (text === null || !isObject(set) || !Array.isArray(set.keys) || set.keys.length === 0)
        throw accessDown(`access_down_${status}`);
      return text;
    } catch (error) {
      KEY_FAILURES.set(address, { since: now(), error });
      throw error;
    }
  };
  const pending = KEY_FETCHES.get(address) ?? load().finally(() => KEY_FETCHES.delete(address));
  KEY_FETCHES.set(address, pending);
  waitUntil(pending.catch(() => {}));
  return new Response(await pending);
}

const WRONG_RETURN = "L'adresse de retour n'est pas une de celles de cette application.";

function badRequest(reason: string, why: string): Shown {
  return new Shown(
    400,
    "Demande mal formée",
    `${why} Recommence la connexion depuis ton application; si ça revient, c'est elle qui se trompe.`,
    reason,
  );
}

/** GET: every check of the request, then the page; or, once the return address is known to be good, an error sent there. */
async function askConsent(email: string, visit: Visit): Promise<Response> {
  const { url, home, settings, note } = visit;
  const asked = url.search.length > QUERY_LIMIT ? null : readParameters(url.search);
  if (asked === null) throw badRequest("bad_query", "La demande est trop longue, ou dit deux fois la même chose.");
  const client = await readClient(asked.get("client_id"), visit);
  if (client === null) {
    throw new Shown(
      400,
      "Application inconnue",
      "Cette application n'est pas inscrite au labo, ou ne l'est plus : c'est ce qui arrive quand sa clé a été changée, ou qu'on l'a mise dehors. Retire le labo de ton application, puis ajoute-le de nouveau.",
      "invalid_client",
    );
  }
  const redirect = asked.get("redirect_uri");
  if (!isAllowedRedirect(redirect) || !matchesRedirect(client.redirects, redirect)) {
    throw badRequest("invalid_redirect_uri", WRONG_RETURN);
  }
  const state = asked.get("state");
  // Bytes that are no text would not come back as they were.
  const lost = state !== undefined && (encode(state).length > STATE_LIMIT || state.includes("\ufffd"));
  const fault = faultOfRequest(asked, home) ?? (lost ? (["invalid_request", "state"] as const) : null);
  if (fault !== null) {
    const [error, description] = fault;
    note.reason = error;
    return sendBack(redirect, { error, error_description: description, state: lost ? undefined : state }, visit);
  }
  const nonce = random(16);
  const request = {
    ...stamp(visit, seconds(visit), CONSENT_LIFE),
    ...{ ch: client.hash, ru: redirect, cc: asked.get("code_challenge"), st: state, nonce },
  };
  const blob = await seal("rq", request, settings);
  const response = await page(
    200,
    "Connecter une application au labo",
    consentBody(email, client, redirect, blob, visit),
    ["'self'", formTarget(redirect)],
  );
  response.headers.append("set-cookie", cookie(visit, nonce, CONSENT_LIFE));
  return response;
}

/** What is wrong with a request whose client and return address are good: an error of RFC 6749, of RFC 8707 or of OpenID Connect, and its description. */
function faultOfRequest(asked: ReadonlyMap<string, string>, home: string): readonly [string, string?] | null {
  if (asked.get("response_type") !== "code") {
    return asked.has("response_type") ? ["unsupported_response_type"] : ["invalid_request", "response_type required"];
  }
  if (!["query", undefined].includes(asked.get("response_mode"))) return ["invalid_request", "response_mode"];
  // Without a method, RFC 7636 would mean « plain ».
  const isHashed = asked.get("code_challenge_method") === "S256";
  if (!isHashed || !/^[\w-]{43}$/.test(asked.get("code_challenge") ?? ""))
    return ["invalid_request", "PKCE S256 required"];
  if (!isOurs(asked.get("resource"), home)) return ["invalid_target"];
  if (asked.get("prompt")?.split(" ").includes("none")) return ["interaction_required"];
  if (asked.has("request")) return ["request_not_supported"];
  return asked.has("request_uri") ? ["request_uri_not_supported"] : null;
}

/** Whether `resource` (RFC 8707) names this door, as the clients spell it; absent, it does. */
function isOurs(resource: string | undefined, home: string): boolean {
  if (resource === undefined) return true;
  const [, origin, path] = /^([a-z]+:\/\/[^/?#]*)(.*)$/is.exec(resource) ?? [];
  return (
    origin !== undefined &&
    lower(origin).replace(/^(https:.*):443$/, "$1") === home &&
    ["", "/", "/mcp", "/mcp/"].includes(path)
  );
}

/** POST: the person's answer. What it decides on is in the form, signed; that it comes from the page is in the cookie. */
async function readConsent(visit: Visit): Promise<Response> {
  const { request, home, settings, note } = visit;
  const again = "Rien n'a été autorisé. Recommence la connexion depuis ton application.";
  const refused = (
    reason: string,
    title = "Réponse refusée",
    why = "Cette réponse ne vient pas de la page de consentement.",
  ) => new Shown(403, title, `${why} ${again}`, reason);
  const site = request.headers.get("sec-fetch-site");
  if (request.headers.get("origin") !== home || (site !== null && site !== "same-origin")) throw refused("cross_site");
  const form = isMedia(request, FORM) ? readParameters(await readBody(request, BODY_LIMIT)) : null;
  const asked = await readClaims("rq", form?.get("req") ?? "", visit);
  if (asked === "expired") {
    throw refused(
      "consent_expired",
      "La page a expiré",
      "Une réponse est bonne pendant cinq minutes, et celle-ci arrive après.",
    );
  }
  if (asked === "invalid") throw refused("consent_invalid");
  const { ch, ru, cc, st, nonce } = asked as Record<string, string | undefined>;
  note.client = String(ch).slice(0, 8);
  if (!(await isSame(readCookie(visit) ?? "", String(nonce)))) {
    const why =
      "Cette réponse ne va pas avec la dernière page ouverte dans ce navigateur : une autre l'a peut-être remplacée.";
    throw refused("cookie", "Ce n'est plus la bonne page", why);
  }
  const decision = form?.get("decision");
  if (decision !== "oui" && decision !== "non") {
    throw new Shown(
      400,
      "Il manque ta réponse",
      "Reviens à la page d'avant, et choisis Autoriser ou Refuser.",
      "no_decision",
    );
  }
  if (decision === "non") {
    note.reason = "access_denied";
    return sendBack(ru, { error: "access_denied", state: st }, visit);
  }
  const now = seconds(visit);
  const fam = random(9);
  note.fam = fam;
  const claims = { ...stamp(visit, now, CODE_LIFE), ch, ru, cc, scope: SCOPE, jti: random(12), fam, auth_time: now };
  return sendBack(ru, { code: await seal("ac", claims, settings), state: st }, visit);
}

/** Back to the client, with `iss` (RFC 9207) always. 303: a 307 would post the form there. */
function sendBack(redirect: unknown, said: Record<string, string | undefined>, visit: Visit): Response {
  // Looked at again: it may come out of a signed object, and a leaked key must not send anyone elsewhere.
  if (!isAllowedRedirect(redirect)) throw badRequest("invalid_redirect_uri", WRONG_RETURN);
  const location = new URL(redirect);
  for (const [name, value] of Object.entries({ ...said, iss: visit.home })) {
    if (value !== undefined) location.searchParams.set(name, value);
  }
  const headers = new Headers({ ...PAGE_HEADERS, location: location.href.replaceAll("+", "%20") });
  headers.append("set-cookie", cookie(visit, "", 0));
  return new Response(null, { status: 303, headers });
}

/** The prefix forbids a neighbouring host to set it. Browsers want https for it: on this machine there is none. */
function cookie({ home }: Visit, nonce: string, seconds: number): string {
  const secure = home.startsWith("https:") ? " Secure;" : "";
  return `${cookieName(home)}=${nonce};${secure} HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}`;
}

function cookieName(home: string): string {
  return home.startsWith("https:") ? "__Host-labo-csrf" : "labo-csrf";
}

function readCookie({ request, home }: Visit): string | undefined {
  const start = `${cookieName(home)}=`;
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(start))?.slice(start.length);
}

/** Chromium holds the redirect that follows a form to `form-action` too. An IPv6 address has no spelling there. */
function formTarget(redirect: string): string {
  const { hostname, origin } = new URL(redirect);
  return hostname.startsWith("[") ? "http:" : origin;
}

function consentBody(
  email: string,
  client: Client,
  redirect: string,
  blob: string,
  { title, sayGrant }: Visit,
): string {
  const { host, protocol } = new URL(redirect);
  // Isolated: a name written from right to left must not turn the line around.
  const who = print(client.host ?? "nom non vérifié : « NAME »").replace(
    "NAME",
    () => `<bdi>${print(client.name ?? "sans nom")}</bdi>`,
  );
  const where = protocol === "http:" ? `${host}, une application sur cet ordinateur` : host;
  const line = (text: string) => `<p>${print(text)}</p>`;
  return `<h1>${print("Laisser entrer cette application ?")}</h1>
${line(`Une application demande d'entrer dans « ${title} ».`)}
<dl>
<dt>Application</dt><dd>${who}</dd>
<dt>Retour à</dt><dd>${print(where)}</dd>
<dt>Elle aura</dt><dd>${print(sayGrant())}</dd>
<dt>Pendant</dt><dd>${print("30 jours au plus")}</dd>
<dt>Tu es</dt><dd>${print(email)}</dd>
</dl>
${line("Continue seulement si tu viens toi-même de lancer la connexion. Si quelqu'un t'a envoyé ce lien, refuse.")}
${protocol === "http:" ? line("N'importe quel programme de cet ordinateur peut se faire passer pour elle.") : ""}
<form method="post" action="/authorize">
<input type="hidden" name="req" value="${escapeHtml(blob)}">
<button name="decision" value="non">Refuser</button>
<button name="decision" value="oui" class="main">Autoriser</button>
</form>`;
}

// ── 6. Tokens ────────────────────────────────────────────────────────────────

const FORM = "application/x-www-form-urlencoded";
const BODY_LIMIT = 16_384;
const ACCESS_LIFE = 3_600;
/** From the consent, whatever is refreshed in between. */
const REFRESH_LIFE = 30 * 86_400;

/** `/token`: a code, or a refresh token, for a new pair. */
async function exchange(visit: Visit): Promise<Response> {
  const form = await readForm(visit);
  const grant = form.get("grant_type");
  if (grant === undefined) throw new Refused(400, "invalid_request");
  if (grant !== "authorization_code" && grant !== "refresh_token") throw new Refused(400, "unsupported_grant_type");
  const client = await readClient(form.get("client_id"), visit);
  // RFC 6749, 5.2: who tried a header is told of it.
  const basic = visit.request.headers.has("authorization") ? { "www-authenticate": 'Basic realm="labo"' } : undefined;
  if (client === null || (client.secret !== null && !(await isSecret(client.secret.key, form)))) {
    throw new Refused(401, "invalid_client", basic);
  }
  return grant === "authorization_code" ? exchangeCode(form, client, visit) : exchangeRefresh(form, client, visit);
}

/** HMAC's own check, in constant time: nothing is compared here. One secret has one spelling. */
async function isSecret(key: CryptoKey, form: ReadonlyMap<string, string>): Promise<boolean> {
  const secret = form.get("client_secret") ?? "";
  const bytes = MAC.test(secret) ? decode64(secret) : null;
  return bytes !== null && crypto.subtle.verify("HMAC", key, bytes, encode(form.get("client_id") ?? ""));
}

/** Every code that doesn't do is refused alike: a caller learns nothing from it, the log does. */
async function exchangeCode(form: ReadonlyMap<string, string>, client: Client, visit: Visit): Promise<Response> {
  const { env, home } = visit;
  const code = form.get("code");
  if (code === undefined) throw new Refused(400, "invalid_request");
  const claims = await readClaims("ac", code, visit);
  if (typeof claims === "string") throw new Refused(400, "invalid_grant", {}, `code_${claims}`);
  if (claims.ch !== client.hash) throw new Refused(400, "invalid_grant", {}, "code_client");
  if (claims.ru !== form.get("redirect_uri")) throw new Refused(400, "invalid_grant", {}, "code_redirect");
  const verifier = form.get("code_verifier") ?? "";
  if (!/^[\w.~-]{43,128}$/.test(verifier)) throw new Refused(400, "invalid_request", {}, "verifier");
  const challenge = encode64(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(verifier))));
  if (!(await isSame(challenge, String(claims.cc)))) throw new Refused(400, "invalid_grant", {}, "verifier");
  if (!isOurs(form.get("resource"), home)) throw new Refused(400, "invalid_target");
  // Signed first: a code is spent once there is something to answer with, or the client could not try again.
  const response = await issue(claims, 0, visit);
  const jti = String(claims.jti);
  if (!spend(jti, Number(claims.exp), seconds(visit)) || !(await isWithin(env.SPENT, jti))) {
    throw new Refused(400, "invalid_grant", {}, "code_replay");
  }
  return response;
}

/**
 * The codes that this isolate has seen, until they die by themselves. Another isolate doesn't know them: the limiter SPENT
 * does, in the same data centre. Past both, a code is worth a second pair for the same client that has the verifier.
 */
const USED = new Map<string, number>();

/** @returns false when the code has been used already */
function spend(jti: string, exp: number, now: number): boolean {
  for (const [one, end] of USED) if (end < now) USED.delete(one);
  if (USED.has(jti)) return false;
  USED.set(jti, exp);
  return true;
}

/**
 * A new pair. The old refresh token stays good until its own end: clients race, and repeat a call that they lost the answer
 * of. That it is used again can't be known everywhere; what this isolate sees of it is logged.
 */
async function exchangeRefresh(form: ReadonlyMap<string, string>, client: Client, visit: Visit): Promise<Response> {
  const { home, note } = visit;
  const token = form.get("refresh_token");
  if (token === undefined) throw new Refused(400, "invalid_request");
  const claims = await readClaims("rt", token, visit);
  if (typeof claims === "string") throw new Refused(400, "invalid_grant", {}, `refresh_${claims}`);
  if (claims.ch !== client.hash) throw new Refused(400, "invalid_grant", {}, "refresh_client");
  if (!isOurs(form.get("resource"), home)) throw new Refused(400, "invalid_target");
  const gen = Number(claims.gen);
  if (noteUse(String(claims.fam), gen, seconds(visit))) note.reason = "refresh_old";
  return issue(claims, gen + 1, visit);
}

/** Seconds in which a client may still race with itself. */
const RACE = 120;
const NEWEST = new Map<string, { gen: number; since: number }>();

/**
 * Remembers that a refresh token was used.
 * @returns whether it was long after this isolate has seen a newer one
 */
function noteUse(fam: string, gen: number, now: number): boolean {
  const newest = NEWEST.get(fam);
  if (newest !== undefined && newest.gen >= gen + 1) return now - newest.since > RACE;
  if (NEWEST.size >= 1_000) NEWEST.clear();
  NEWEST.set(fam, { gen: gen + 1, since: now });
  return false;
}

async function issue({ ch, fam, auth_time }: Claims, gen: number, visit: Visit): Promise<Response> {
  const { settings } = visit;
  const now = seconds(visit);
  const end = Number(auth_time) + REFRESH_LIFE;
  const life = Math.min(ACCESS_LIFE, end - now);
  const bound = { ch, fam, scope: SCOPE };
  const access = await seal("at", { ...stamp(visit, now, life), ...bound }, settings);
  const refresh = await seal("rt", { ...stamp(visit, now, end - now), ...bound, auth_time, gen }, settings);
  return json(200, {
    access_token: access,
    token_type: "Bearer",
    expires_in: life,
    refresh_token: refresh,
    scope: SCOPE,
  });
}

/** RFC 7009, as far as it goes without memory: the family is logged, for the owner to put in DENY_FAM. Not advertised. */
async function revoke(visit: Visit): Promise<Response> {
  const token = (await readForm(visit)).get("token") ?? "";
  for (const kind of ["rt", "at"] as const) {
    if (typeof (await readClaims(kind, token, visit)) !== "string") visit.note.reason = "revoke_asked";
  }
  return new Response(null, { headers: { ...OPEN_HEADERS, "content-length": "0" } });
}

/** Why the bearer of a request doesn't do, or null when it does. Only the header is read: not the query, not a cookie. */
async function faultOfBearer(visit: Visit): Promise<"absent" | "expired" | "invalid" | null> {
  const header = visit.request.headers.get("authorization") ?? "";
  const token = /^bearer(?: +(.*))?$/i.exec(header)?.[1] ?? "";
  if (token === "") return "absent";
  const claims = await readClaims("at", token, visit);
  if (typeof claims === "string") return claims;
  visit.note.client = String(claims.ch).slice(0, 8);
  return String(claims.scope).split(" ").includes(SCOPE) ? null : "invalid";
}

// ── 7. Answers ───────────────────────────────────────────────────────────────

const OPEN_HEADERS = { "access-control-allow-origin": "*", "cache-control": "no-store", pragma: "no-cache" };
const JSON_HEADERS = { ...OPEN_HEADERS, "content-type": "application/json", "x-content-type-options": "nosniff" };
/** `same-origin`: under `no-referrer`, the page's own form would come from the origin « null ». */
const PAGE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
};
const PREFLIGHT_NAMES =
  "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id";

const EXPOSED = "www-authenticate, retry-after, mcp-protocol-version";

/** What ends a request before its answer. `reason` is for the log alone. */
abstract class Failure extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
  abstract answer(path: string): Response | Promise<Response>;
}

/** An error of OAuth: its status, and its code alone. */
class Refused extends Failure {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly headers: Record<string, string> = {},
    reason = code,
  ) {
    super(reason);
  }
  answer(): Response {
    return json(this.status, { error: this.code }, this.headers);
  }
}

/** An error shown to a person. */
class Shown extends Failure {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly text: string,
    reason: string,
    readonly link?: { address: string; text: string },
  ) {
    super(reason);
  }
  async answer(): Promise<Response> {
    const { status, title, text, link } = this;
    const after = link === undefined ? "" : `\n<p><a href="${link.address}">${print(link.text)}</a></p>`;
    const response = await page(status, title, `<h1>${print(title)}</h1>\n<p>${print(text)}</p>${after}`, ["'none'"]);
    if (status === 503) response.headers.set("retry-after", "300");
    return response;
  }
}

/** 403, as the core says it. */
class Barred extends Failure {
  constructor(
    readonly what: string,
    reason: string,
  ) {
    super(reason);
  }
  answer(): Response {
    const error = { code: -32600, message: `Cette porte ne répond pas ${this.what}.` };
    return json(403, { jsonrpc: "2.0", error });
  }
}

/** 503 everywhere, as a page at /authorize: a lock that lacks a key must not let in, nor look like a token that is wrong. */
class Unavailable extends Failure {
  answer(path: string): Response | Promise<Response> {
    if (path === "/authorize") {
      const title = "La porte est fermée";
      const text =
        "C'est d'habitude un réglage de la porte qui manque ou qui est mal écrit, et ça ne passe pas tout seul. Ça ne veut pas dire que ton accès est retiré. Regarde le journal de la porte : il nomme le réglage. S'il n'en nomme aucun, réessaie dans quelques minutes.";
      return new Shown(503, title, text, this.reason).answer();
    }
    const rpc = { jsonrpc: "2.0", error: { code: -32603, message: "unavailable" }, id: null };
    const body = path.startsWith("/mcp") ? rpc : { error: "temporarily_unavailable" };
    return json(503, body, { "retry-after": "2" });
  }
}

class Misconfigured extends Unavailable {
  constructor(name: string, what: string) {
    super(`setting_${name}`);
    this.message = `${name} must be ${what}`;
  }
}

/** A defect of ours: where it is, and not what it was about. Clients try again after a 503; after a 400 they log out. */
function defect(error: unknown): Unavailable {
  const { name, stack = "" } = error instanceof Error ? error : new Error();
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  console.error([`labo: ${name}`, ...frames].join("\n"));
  return new Unavailable("defect");
}

function json(status: number, body: object, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } });
}

function preflight(origin: string | null, methods: readonly string[]): Record<string, string> {
  const allowed: Record<string, string> = origin === null ? {} : { "access-control-allow-origin": origin };
  return {
    ...allowed,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": PREFLIGHT_NAMES,
    "access-control-expose-headers": EXPOSED,
    "access-control-max-age": "86400",
    vary: "origin",
  };
}

/** The fields of a form, from a body; nothing in the address, where it would end in logs. */
async function readForm({ request, url }: Visit): Promise<ReadonlyMap<string, string>> {
  if (url.search !== "" || !isMedia(request, FORM)) throw new Refused(400, "invalid_request");
  const form = readParameters(await readBody(request, BODY_LIMIT));
  if (form === null) throw new Refused(400, "invalid_request");
  return form;
}

/** Parameters by name, an empty one being absent (RFC 6749, 3.1); null when one is repeated. */
function readParameters(text: string): ReadonlyMap<string, string> | null {
  const pairs = [...new URLSearchParams(text)];
  const parameters = new Map(pairs);
  if (parameters.size !== pairs.length) return null;
  return new Map(pairs.filter(([, value]) => value !== ""));
}

function isMedia(request: Request, type: string): boolean {
  return (request.headers.get("content-type") ?? "").split(";")[0].trim().toLowerCase() === type;
}

/** The body of a request, of at most `limit` bytes: 413 past that, 400 when it is cut. */
async function readBody(request: Request, limit: number): Promise<string> {
  const isLong = Number(request.headers.get("content-length")) > limit;
  const text = isLong
    ? null
    : await readText(request.body, limit).catch(() => {
        throw new Refused(400, "invalid_request", {}, "body_cut");
      });
  if (text === null) throw new Refused(413, "invalid_request");
  return text;
}

/** A stream as text, or null past `limit` bytes. */
async function readText(body: ReadableStream<Uint8Array> | null, limit: number): Promise<string | null> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return new Blob(chunks).text();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Base64url, without padding. */
function encode64(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Bytes of base64 or base64url without padding, or null. */
function decode64(text: string): Uint8Array<ArrayBuffer> | null {
  if (text === "" || !/^[\w+/-]*$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return null;
  }
}

/** ASCII letters alone: no other character becomes one of them, as the Kelvin sign would. */
function lower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

async function page(status: number, title: string, body: string, targets: readonly string[]): Promise<Response> {
  const hash = toBase64(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(STYLE))));
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `form-action ${targets.join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  const headers = {
    ...PAGE_HEADERS,
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
  };
  const html = `<!doctype html>
<html lang="fr-CA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${print(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
  return new Response(html, { status, headers });
}

/** Text on a page: escaped, with the spaces and the apostrophes of print. */
function print(text: string): string {
  return escapeHtml(text)
    .replace(/« /g, "«\u00a0")
    .replace(/ ([»:])/g, "\u00a0$1")
    .replace(/ ([?!;])/g, "\u202f$1")
    .replaceAll("&#39;", "\u2019");
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character]);
}

const STYLE = `
:root { color-scheme: light dark; --paper: #faf6ef; --ink: #28221c; --soft: #695f54; --line: #d6cab8; --main: #2f5d62; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --paper: #1a1613; --ink: #ece3d7; --soft: #ac9f91; --line: #4a4138; --main: #9cc9cf; --on: #1a1613; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 8vh auto 0; }
h1 { margin: 0 0 1rem; font: 600 2rem/1.2 Charter, Cambria, Georgia, serif; }
p { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .5rem 1.25rem; margin: 1.5rem 0; padding: 1.25rem 0; border: solid var(--line); border-width: 1px 0; }
a { color: var(--main); }
dt { color: var(--soft); }
dd { margin: 0; font-weight: 600; }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
button { padding: .625rem 1.25rem; background: none; color: var(--main); font: inherit; font-weight: 600; border: 1px solid currentColor; border-radius: .5rem; cursor: pointer; }
button.main { background: var(--main); color: var(--on); border-color: var(--main); }
@media (max-width: 30rem) { body { padding: 1rem; line-height: 1.5; } main { margin: 0; } h1 { font-size: 1.5rem; } p, dl { margin: 0 0 .75rem; } dl { gap: .25rem .75rem; padding: .75rem 0; } form { margin: 0; } }
:focus-visible { outline: 3px solid var(--main); outline-offset: 3px; }
`;
