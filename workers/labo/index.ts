// labo: « est-ce que tout répond au labo ? », answered aloud, to one person.
//
// A private MCP server for Cloudflare Workers. Its lock is oauth.ts, which the last line puts before everything.
//   1. The door        what a model reads before choosing
//   2. The tools       the table of what can be asked
//   3. The sentences   data in, spoken French out
//   4. The data        which sources of the lab answer
//   5. The core        HTTP, JSON-RPC, both protocol eras; the same bytes in every door
import { accessKeys, isKnownOrigin, lock } from "./oauth.ts";

// ── 1. The door ──────────────────────────────────────────────────────────────

const SERVER: Server = {
  name: "labo",
  title: "Labo de Ludo",
  version: "1.0.0",
  instructions:
    "Le labo privé d'une seule personne : dit ce qui y répond et ce qui n'y répond pas. " +
    "Un seul appel suffit : lis la réponse telle quelle, sans liste ni ajout. " +
    "Une réponse marquée comme erreur dit quoi faire.",
  open: isOpen,
  origins: isKnownOrigin,
  cacheScope: "private",
};

// ── 2. The tools ─────────────────────────────────────────────────────────────
// To add one, copy an entry, and name it in LABO_TOOLS: a tool that no deployment has opened doesn't exist. The description
// is the prompt: it ends with what a person will say.

const TOOLS: Tools = {
  labo_etat: {
    title: "L'état du labo",
    description:
      "Dit quelles sources du labo répondent en ce moment, et pour celle qui ne répond pas : ce que c'est d'habitude, " +
      "combien de temps ça dure, ce que ça ne veut pas dire, et quoi faire. Ne répare rien. " +
      "Pour « est-ce que GitHub répond ? », « le labo marche-tu ? ». Pour « est-ce que tout répond au labo ? ».",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    run: async (_, deps) => sayState(await fetchState(deps)),
  },
};

/** Closed until `LABO_TOOLS` names it: « labo_etat, labo_autre ». */
function isOpen(tool: string, { LABO_TOOLS = "" }: Env): boolean {
  return String(LABO_TOOLS)
    .split(",")
    .some((name) => name.trim() === tool);
}

// ── 3. The sentences ─────────────────────────────────────────────────────────

/** What a person wants to know of a source that is silent: the four things. */
const WORDS = {
  "Cloudflare Access": {
    usually: "Quand Access se tait, c'est d'habitude une panne de Cloudflare",
    lasts: "ça dure rarement plus d'une heure",
    notMeaning: "ça ne veut pas dire que tu es débranché : seules les nouvelles connexions attendent",
    instead: "Si tu voulais te connecter, réessaie dans dix minutes",
  },
  GitHub: {
    usually: "Quand GitHub se tait, c'est d'habitude une panne chez eux",
    lasts: "ça dure rarement plus d'une heure",
    notMeaning: "ça ne veut pas dire que tes dépôts sont touchés",
    instead: "En attendant, travaille sur ta copie, et redemande dans dix minutes",
  },
  "Home Assistant": {
    usually: "Quand Home Assistant se tait, c'est d'habitude une mise à jour ou un redémarrage",
    lasts: "ça dure de deux à cinq minutes",
    notMeaning: "ça ne veut pas dire que les lumières et le chauffage sont arrêtés",
    instead: "Redemande dans cinq minutes; si ça continue, regarde si la machine est allumée",
  },
};

/** Those that answer in one sentence; those that don't, each with the four things to know. */
function sayState(states: readonly State[]): string {
  const names = (kept: readonly State[]) => sayAll(kept.map(({ source }) => source.name));
  const up = states.filter(({ answers }) => answers);
  const down = states.filter(({ answers }) => !answers);
  if (down.length === 0) return `Au labo, tout répond : ${names(up)}.`;
  const rest = up.length === 0 ? "" : `; ${names(up)} ${up.length === 1 ? "répond" : "répondent"}`;
  const verb = down.length === 1 ? "ne répond pas" : "ne répondent pas";
  const told = down.map(({ source }) => {
    const { usually, lasts, notMeaning, instead } = WORDS[source.name];
    return `${usually}, ${lasts}, et ${notMeaning}. ${instead}.`;
  });
  return [`Au labo, ${names(down)} ${verb}${rest}.`, ...told].join(" ");
}

/** What a client is granted, for the page where one consents. */
function sayGrant(env: Env): string {
  const tools = Object.entries(TOOLS).filter(([name]) => isOpen(name, env));
  const writers = tools.filter(([, { annotations = READ_ONLY }]) => !annotations.readOnlyHint).length;
  const count = tools.length === 1 ? "un outil" : `${tools.length} outils`;
  const only = tools.length === 1 ? "qui ne fait que lire" : "qui ne font que lire";
  if (tools.length === 0) return "aucun outil pour l'instant";
  return `${count}, ${writers === 0 ? only : `dont ${writers} qui ${writers === 1 ? "écrit" : "écrivent"}`}`;
}

/** « un, deux et trois ». */
function sayAll(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} et ${names.at(-1)}`;
}

// ── 4. The data ──────────────────────────────────────────────────────────────

/** A source of the lab: what is asked of it. */
interface Source {
  /** By which `WORDS` speaks of it. */
  name: keyof typeof WORDS;
  /** Or null where this deployment doesn't have it. No key is sent. */
  address(env: Env): string | null;
  /** The highest status that is an answer: what is public is there or isn't, while GitHub refuses who asks too often. */
  highest: 299 | 499;
}

interface State {
  source: Source;
  answers: boolean;
}

const SOURCES: readonly Source[] = [
  { name: "Cloudflare Access", address: accessKeys, highest: 299 },
  {
    name: "GitHub",
    address: ({ GITHUB_API = "https://api.github.com" }) => addressOf(GITHUB_API, "/zen"),
    highest: 499,
  },
  { name: "Home Assistant", address: ({ HOME_API }) => addressOf(HOME_API, "/manifest.json"), highest: 299 },
];

/** A source that is slower than this is no use to a voice. */
const SOURCE_MS = 3_000;
/** Two questions in a row ask the sources once. */
const STATE_MS = 10_000;

function addressOf(origin: unknown, path: string): string | null {
  return typeof origin === "string" && URL.canParse(origin) ? new URL(path, origin).href : null;
}

/** Which sources answer, all asked at once. */
function fetchState(deps: Deps): Promise<State[]> {
  const asked = SOURCES.flatMap((source) => {
    const address = source.address(deps.env);
    return address === null ? [] : { source, address };
  });
  return Promise.all(
    asked.map(async ({ source, address }) => ({ source, answers: await fetchAnswers(address, source.highest, deps) })),
  );
}

const ANSWERS = new Map<string, { since: number; answers: Promise<boolean> }>();

/** Whether an address answers. Asked once for all who want to know within `STATE_MS`. */
function fetchAnswers(address: string, highest: number, deps: Deps): Promise<boolean> {
  const kept = ANSWERS.get(address);
  if (kept !== undefined && Math.abs(deps.now() - kept.since) < STATE_MS) return kept.answers;
  const answers = ask(address, highest, deps);
  ANSWERS.set(address, { since: deps.now(), answers });
  deps.waitUntil(answers);
  return answers;
}

/** Never throws. The headers are made here: nothing of the caller's request goes to a source. */
async function ask(address: string, highest: number, { fetch }: Deps): Promise<boolean> {
  const headers = { "user-agent": "labo-mcp" };
  try {
    const response = await fetch(address, { headers, redirect: "manual", signal: AbortSignal.timeout(SOURCE_MS) });
    await response.body?.cancel();
    return response.status <= highest;
  } catch {
    return false;
  }
}

// ── 5. The core ──────────────────────────────────────────────────────────────
// The same bytes in every door: `npm run core` copies the block, `npm run core -- --check` refuses a drift.
// It reads SERVER and TOOLS, at request time only, and names no door.
// <core>
import { Hono } from "hono/tiny";

/** A block of a tool's answer, as MCP defines it. Text is spoken; `data` is base64. */
type Content = { type: "text"; text: string } | { type: "image" | "audio"; data: string; mimeType: string };

/** The part of JSON Schema that `readArguments` implements and that every known client accepts. */
interface Schema {
  type: "object" | "string" | "number" | "integer" | "boolean" | "array";
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: false;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  default?: string | number | boolean;
  items?: Schema;
}

/** Bindings and variables of a deployment; what only one door knows arrives as `unknown`. */
interface Env {
  [name: string]: unknown;
  PUBLIC_URL?: string;
  CLOCK?: string;
  BRAKE?: { limit(options: { key: string }): Promise<{ success: boolean }> };
}

/** All that a tool may touch: the network, the time (ms since 1970), its deployment, work that outlives the answer. */
interface Deps {
  fetch(url: string, init?: RequestInit): Promise<Response>;
  now(): number;
  env: Env;
  waitUntil(work: Promise<unknown>): void;
}

type Args = Record<string, unknown>;

interface Tool {
  title: string;
  description: string;
  inputSchema: Schema;
  /** The four hints of MCP. Without them: `READ_ONLY`. */
  annotations?: typeof READ_ONLY;
  /** `args` has been through `readArguments`. A `Refusal` thrown here is spoken; anything else is a bug. */
  run(args: Args, deps: Deps): Promise<string | Content[]>;
}

type Tools = Record<string, Tool>;

interface Server {
  name: string;
  title: string;
  version: string;
  /** At most 512 characters; or what makes them and never fails, for a door that learns a part of them once deployed. */
  instructions: string | ((deps: Deps) => Promise<string>);
  /** Which tools this deployment lists and calls. Without it: all of them. */
  open?(tool: string, env: Env): boolean;
  /** Which `Origin` values may call. Without it: https from anywhere, http from loopback. */
  origins?(origin: string): boolean;
  /** Who may share a cached list. Without it: `public`. */
  cacheScope?: "public" | "private";
  /** What a person who opens the door in a browser gets, or null where nothing is. Without it: nothing anywhere. */
  page?(request: Request, deps: Deps): Promise<Response | null>;
  /** Its icons, `src` being a path of `page`. A client fetches them, so only a door that has an https address tells. */
  icons?: readonly { src: string; mimeType: string; sizes: readonly string[] }[];
}

/**
 * A sentence for the model, returned with `isError: true`. Four parts: what usually happens, how long it
 * lasts, what it does not mean, what to do instead.
 */
class Refusal extends Error {}

/** An error of the protocol: HTTP status, JSON-RPC code, and the request's id once it has been read. */
class RpcError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
    public id?: Id,
    readonly data?: Record<string, unknown>,
  ) {
    super(message);
  }
}

type Id = string | number;
type Message =
  | { kind: "request"; id: Id; method: string; params: Args }
  | { kind: "notification"; method: string; params: Args }
  | { kind: "response" };
type Call = Extract<Message, { kind: "request" }>;

/** What the headers of a POST say, for all of its messages. */
interface Asked {
  version: string | null;
  headers: Headers;
}

/** One POST: what its messages have in common. `deadline` (ms since 1970) is for all of them together. */
interface Turn extends Asked {
  deadline: number;
  deps: Deps;
}

const MODERN = "2026-07-28";
/** Newest first: `initialize` answers the first one to a version it doesn't know. */
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** Versions under which an array of messages is legal; arrays left the protocol on 2025-06-18. */
const BATCH_VERSIONS = [null, "2025-03-26", "2024-11-05"];
const BATCH_LIMIT = 20;
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo";
const CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo";
/** 256 KiB: a coding agent's `_meta` grows with its workspace, while our arguments stay under 1 kB. */
const BODY_LIMIT = 262_144;
/** Home Assistant gives up at 10 s, its connection included; the house allows 8. */
const BUDGET_MS = 7_500;
const TOO_SLOW =
  "La source est trop lente en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de réponse. Redemande dans une minute.";
/** How long a client may keep our list: a deploy that changes the tools is seen within the hour. */
const LIST_TTL_MS = 3_600_000;
/** Names that come back in an error: long enough to see a typing mistake, too short to carry a text. */
const ECHO_LIMIT = 128;
const ID_LIMIT = 256;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
/** What every tool that only looks something up declares. */
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
const CORS = { "access-control-allow-origin": "*" };
const BARE_HEADERS = { ...CORS, "cache-control": "no-store" };
const JSON_HEADERS = { ...BARE_HEADERS, "content-type": "application/json", "x-content-type-options": "nosniff" };
/** Built once: a runtime copies `Headers` ten times as fast as it reads the names of an object. */
const ANSWER_HEADERS = new Headers(JSON_HEADERS);
const PREFLIGHT_HEADERS = {
  ...CORS,
  "access-control-allow-methods": "POST, OPTIONS",
  "access-control-allow-headers":
    "content-type, accept, authorization, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id",
  "access-control-max-age": "86400",
};
/** Headers that go with a status, whatever the reason for it. */
const STATUS_HEADERS: Record<number, Record<string, string>> = {
  405: { allow: "POST, OPTIONS" },
  429: { "retry-after": "10", "access-control-expose-headers": "retry-after" },
};

const app = new Hono<{ Bindings: Env }>({
  // The raw pathname: hono's own reading would decode `/%6dcp`. No redirect: clients lose the body on the way.
  getPath: (request) => {
    const path = parseUrl(request.url)?.pathname ?? "";
    return path === "/mcp/" ? "/mcp" : path;
  },
});
app.options("*", () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS }));
app.post("/mcp", (c) => answer(c.req.raw, c.env, c.executionCtx));
app.all("/mcp", () => refuse(new RpcError(405, -32600, "Cette adresse ne répond qu'aux requêtes POST.")));
app.get("*", async (c) => (await SERVER.page?.(c.req.raw, depsOf(c.env, c.executionCtx))) ?? notFound());
app.onError((error) => refuse(asRpcError(error)));
app.notFound(notFound);

/** The whole door: HTTP in, HTTP out. Never throws and never answers 5xx. */
function serve(request: Request, env: Env, ctx: Parameters<typeof app.fetch>[2]): Response | Promise<Response> {
  // workerd passes on a Host that no URL can hold.
  const url = parseUrl(request.url);
  if (url === null) return refuse(new RpcError(400, -32600, "L'en-tête Host est mal formé."));
  const home = env.PUBLIC_URL === undefined || parseUrl(env.PUBLIC_URL)?.host === url.host;
  if (!home && !LOOPBACK.test(url.hostname)) {
    return refuse(new RpcError(403, -32600, "Cette porte ne répond pas à ce nom d'hôte."));
  }
  const origin = request.headers.get("origin");
  if (origin !== null && !(SERVER.origins ?? isPublicOrigin)(origin)) {
    return refuse(new RpcError(403, -32600, "Cette porte ne répond pas à cette origine."));
  }
  return app.fetch(request, env, ctx);
}

/** An origin as browsers write it: https, or http on the caller's own machine. `null` and the rest are refused. */
function isPublicOrigin(origin: string): boolean {
  const url = parseUrl(origin);
  if (url?.origin !== origin) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

/** What was worked out, by text: an isolate meets the same few addresses, clients and headers again and again. */
type Known<T> = Map<string, T>;
const KNOWN_LIMIT = 50;

function lookUp<T>(known: Known<T>, text: string, work: (text: string) => T): T {
  const kept = known.get(text);
  if (kept !== undefined) return kept;
  const made = work(text);
  if (known.size >= KNOWN_LIMIT) known.clear();
  known.set(text, made);
  return made;
}

/** Never changed once parsed. */
const URLS: Known<URL | null> = new Map();
function parseUrl(text: string): URL | null {
  return lookUp(URLS, text, () => (URL.canParse(text) ? new URL(text) : null));
}

function notFound(): Response {
  return new Response('{"error":"not_found"}', { status: 404, headers: JSON_HEADERS });
}

function refuse(error: RpcError): Response {
  return new Response(errorBody(error), {
    status: error.status,
    headers: { ...JSON_HEADERS, ...STATUS_HEADERS[error.status] },
  });
}

function errorBody({ id, code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}

/** One POST on /mcp: what the transport asks first, then a message or an array of them. */
async function answer(request: Request, env: Env, ctx: Pick<Deps, "waitUntil">): Promise<Response> {
  try {
    checkMedia(request.headers);
    const value = await readJson(request);
    const version = readVersion(request.headers, value);
    const messages = Array.isArray(value) ? readBatch(value, version) : [readMessage(value)];
    for (const message of messages) checkOneWay(message, version);
    const calls = messages.filter((message) => message.kind === "request");
    if (calls.length === 0) return new Response(null, { status: 202, headers: BARE_HEADERS });
    const asked: Asked = { version, headers: request.headers };
    await brake(calls, asked, env);
    const turn: Turn = {
      ...asked,
      deadline: Date.now() + BUDGET_MS,
      deps: depsOf(env, ctx),
    };
    if (!Array.isArray(value)) return new Response(await handle(calls[0], turn), { headers: ANSWER_HEADERS });
    const bodies: string[] = [];
    for (const call of calls) bodies.push(await handle(call, turn).catch(errorBody));
    return new Response(`[${bodies.join(",")}]`, { headers: ANSWER_HEADERS });
  } catch (error) {
    return refuse(asRpcError(error));
  }
}

function depsOf(env: Env, ctx: Pick<Deps, "waitUntil">): Deps {
  return {
    fetch: (url, init) => fetch(url, init),
    now: clockOf(env),
    env,
    waitUntil: (work) => ctx.waitUntil(work),
  };
}

/** A bug of ours becomes a generic error: the details are for the log, never for the caller. */
function asRpcError(error: unknown, id?: Id): RpcError {
  if (error instanceof RpcError) return error;
  console.error(error);
  return new RpcError(200, -32603, "Cette porte a un défaut. Redemande dans une minute.", id);
}

function checkMedia(headers: Headers): void {
  const type = headers.get("content-type") ?? "";
  if (type !== "application/json" && !isJson(type)) {
    throw new RpcError(415, -32600, "Ajoute l'en-tête « content-type: application/json ».");
  }
  if (!/^(identity)?$/i.test(headers.get("content-encoding") ?? "")) {
    throw new RpcError(415, -32600, "Envoie le corps sans compression.");
  }
  if (!lookUp(ACCEPTED, headers.get("accept") ?? "", acceptsJson)) {
    throw new RpcError(406, -32600, "Cette porte répond en JSON : accepte « application/json ».");
  }
}

function isJson(type: string): boolean {
  const known = /^application\/json[ \t]*(?:;(.*))?$/i.exec(type);
  const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)/i.exec(known?.[1] ?? "")?.[1];
  return known !== null && /^(utf-?8)?$/i.test(charset ?? "");
}

const ACCEPTED: Known<boolean> = new Map();
/** Content negotiation of RFC 9110: the most precise range that covers JSON decides. Empty or absent means anything. */
function acceptsJson(accept: string): boolean {
  if (accept.trim() === "") return true;
  const ranges = new Map(
    accept.split(",").map((range) => {
      const [type, ...parameters] = range.toLowerCase().split(";");
      return [type.trim(), !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))];
    }),
  );
  return ranges.get("application/json") ?? ranges.get("application/*") ?? ranges.get("*/*") ?? false;
}

/** The body, at most `BODY_LIMIT` bytes of strict UTF-8 (a leading BOM is dropped), parsed. */
async function readJson(request: Request): Promise<unknown> {
  const length = request.headers.get("content-length");
  if (Number(length) > BODY_LIMIT) throw tooLarge();
  // The runtime holds a body to the length it says; one that says none is counted as it comes.
  const whole = length === null ? readBytes(request) : request.arrayBuffer().catch(() => Promise.reject(unreadable()));
  const bytes = await whole;
  if (bytes.byteLength > BODY_LIMIT) throw tooLarge();
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    throw unreadable();
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

async function readBytes({ body }: Pick<Request, "body">): Promise<Uint8Array> {
  const reader = body?.getReader();
  if (reader === undefined) throw unreadable();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => Promise.reject(unreadable()));
    if (done) return chunks.length === 1 ? chunks[0] : new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > BODY_LIMIT) {
      await reader.cancel().catch(() => {});
      throw tooLarge();
    }
    chunks.push(value);
  }
}

function tooLarge(): RpcError {
  return new RpcError(413, -32600, "Le corps dépasse 256 kibioctets.");
}

function unreadable(): RpcError {
  return new RpcError(400, -32700, "Le corps n'est pas du JSON valide en UTF-8.");
}

/** The version header, once: fetch joins repeated headers with commas, and one client repeats the same value. */
function readVersion(headers: Headers, value: unknown): string | null {
  const raw = headers.get("mcp-protocol-version") ?? "";
  if (raw === MODERN || LEGACY.includes(raw)) return raw;
  const versions = new Set(raw.split(",").flatMap((version) => version.trim() || []));
  const [version = null, second] = versions;
  if (second !== undefined) throw headerMismatch("MCP-Protocol-Version", idOf(value));
  return version;
}

function isObject(value: unknown): value is Args {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The id if it can be echoed faithfully: a short string or a safe integer. */
function idOf(value: unknown): Id | undefined {
  const id = isObject(value) ? value.id : undefined;
  if (typeof id === "string") return id.length <= ID_LIMIT ? id : undefined;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** One JSON-RPC message, or what is wrong with it. */
function readMessage(value: unknown): Message {
  const id = idOf(value);
  const invalid = (what: string) => new RpcError(400, -32600, `Requête invalide : ${what}.`, id);
  if (!isObject(value)) throw invalid("il faut un objet JSON-RPC");
  const posted = !Object.hasOwn(value, "method") && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"));
  if (posted && !Object.hasOwn(value, "jsonrpc")) return { kind: "response" };
  if (value.jsonrpc !== "2.0") throw invalid("« jsonrpc » doit être « 2.0 »");
  if (posted) return { kind: "response" };
  if (typeof value.method !== "string") throw invalid("« method » doit être un texte");
  if (Object.hasOwn(value, "id") && id === undefined) throw invalid("« id » doit être un texte ou un entier");
  const params = value.params ?? {};
  if (!isObject(params)) throw invalid("« params » doit être un objet");
  return id === undefined
    ? { kind: "notification", method: value.method, params }
    : { kind: "request", id, method: value.method, params };
}

/** All of a batch or nothing of it: a refused one has executed nothing. */
function readBatch(values: unknown[], version: string | null): Message[] {
  const refused = (why: string) => new RpcError(400, -32600, `Lot refusé : ${why}.`);
  if (!BATCH_VERSIONS.includes(version)) throw refused("cette version du protocole n'en a pas");
  if (values.length === 0 || values.length > BATCH_LIMIT) throw refused(`de 1 à ${BATCH_LIMIT} messages`);
  return values.map((value) => {
    let message: Message;
    try {
      message = readMessage(value);
    } catch {
      throw refused("un élément n'est pas un message JSON-RPC");
    }
    if (message.kind !== "response" && (message.method === "initialize" || claimedVersion(message) !== undefined)) {
      throw refused("« initialize » et les messages à enveloppe vont seuls");
    }
    return message;
  });
}

/** Notifications and posted responses: nothing is executed, but a version we can't speak is said. */
function checkOneWay(message: Message, version: string | null): void {
  if (message.kind === "request") return;
  if (message.kind === "response" && version === MODERN) {
    throw new RpcError(400, -32600, "Requête invalide : cette version n'a pas de réponse à recevoir.");
  }
  if (version !== null && version !== MODERN && !LEGACY.includes(version)) throw unsupported(version);
}

/** The version inside a request's `_meta`; `undefined` when it has none, as in every legacy request. */
function claimedVersion({ params }: { params: Args }): unknown {
  return isObject(params._meta) && Object.hasOwn(params._meta, VERSION_KEY) ? params._meta[VERSION_KEY] : undefined;
}

function unsupported(requested: string, id?: Id): RpcError {
  return new RpcError(400, -32022, "Version du protocole inconnue.", id, {
    supported: [MODERN],
    requested: clip(requested),
  });
}

function headerMismatch(name: string, id?: Id): RpcError {
  return new RpcError(400, -32020, `En-tête absent, répété ou différent du corps : ${name}.`, id);
}

/** The era of a request. `Mcp-Method` and `Mcp-Name` prove nothing: one client sends them on legacy traffic. */
function isModern(call: Call, header: string | null): boolean {
  const claimed = claimedVersion(call);
  if (claimed === undefined && call.method === "initialize") return false;
  if (LEGACY.some((version) => version === claimed) && (header === null || header === claimed)) return false;
  if (claimed !== undefined || header === MODERN) return true;
  if (header !== null && !LEGACY.includes(header)) throw unsupported(header, call.id);
  return false;
}

/** What a modern request must carry, in the order of the reference servers. */
function checkEnvelope(call: Call, header: string | null, headers: Headers): void {
  const { id, method, params } = call;
  const meta = isObject(params._meta) ? params._meta : {};
  const claimed = claimedVersion(call);
  const missing = [
    ...(typeof claimed === "string" ? [] : [VERSION_KEY]),
    ...(isObject(meta[CAPABILITIES_KEY]) ? [] : [CAPABILITIES_KEY]),
  ];
  if (typeof claimed !== "string" || missing.length > 0) {
    throw new RpcError(400, -32602, `Il manque dans params._meta : ${missing.join(", ")}.`, id);
  }
  // Reported of a hosted connector's proxy: the envelope is modern, the header still says 2025-11-25.
  const proxied = header === LEGACY[0] && claimed === MODERN;
  if (header !== null && header !== claimed && !proxied) throw headerMismatch("MCP-Protocol-Version", id);
  if (claimed !== MODERN) throw unsupported(claimed, id);
  if (header === null) throw headerMismatch("MCP-Protocol-Version", id);
  const agrees = (sent: string | null | undefined, body: string) => sent === body || (proxied && sent === null);
  if (!agrees(headers.get("mcp-method"), method)) throw headerMismatch("Mcp-Method", id);
  const named = decodeHeader(headers.get("mcp-name"));
  if (method === "tools/call" && typeof params.name === "string" && !agrees(named, params.name)) {
    throw headerMismatch("Mcp-Name", id);
  }
}

/** A header value, or the UTF-8 text it wraps as `=?base64?…?=`; `undefined` when the wrapping is broken. */
function decodeHeader(value: string | null): string | null | undefined {
  const wrapped = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  if (wrapped === undefined) return value;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(wrapped)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(wrapped), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The brake counts tool calls only: one spoken question of Home Assistant is three requests. */
async function brake(calls: Call[], asked: Asked, { BRAKE }: Env): Promise<void> {
  if (BRAKE === undefined) return;
  const key = asked.headers.get("cf-connecting-ip") ?? "local";
  for (const call of calls) {
    if (call.method !== "tools/call") continue;
    const { success } = await BRAKE.limit({ key }).catch((error) => {
      // A brake that is broken must not silence the door.
      console.error(error);
      return { success: true };
    });
    if (success) continue;
    log(call, asked, "brake", 0);
    throw new RpcError(429, -32600, "Trop de questions en peu de temps. Attends dix secondes et redemande.", call.id);
  }
}

/** All that is kept of a tool's call: nothing of what was asked, nothing of where it came from. */
function log(call: Call, { version, headers }: Asked, outcome: string, ms: number): void {
  if (call.method !== "tools/call") return;
  const { name } = call.params;
  // A name that isn't ours is a text of the caller's.
  const tool = typeof name === "string" && Object.hasOwn(TOOLS, name) ? name : null;
  const [door, era, client] = [SERVER.name, eraOf(call, version), clientOf(call, headers)];
  console.log(JSON.stringify({ door, tool, era, client, outcome, ms }));
}

function eraOf(call: Call, version: string | null): "modern" | "legacy" | null {
  try {
    return isModern(call, version) ? "modern" : "legacy";
  } catch {
    return null;
  }
}

/** A program's name: three words, two digits at most. A sentence, an address or a number that is put there isn't one. */
const CLIENT_NAME = /^(?!.{41})(?!(?:.*\d){3})@?[a-z][\w./-]*(?: [\w./-]+){0,2}$/i;

/** The client's own name, or the program's: a legacy client said its own in another request, and nothing remembers. */
function clientOf({ params }: Call, headers: Headers): string | null {
  const info = isObject(params._meta) ? params._meta[CLIENT_INFO_KEY] : undefined;
  const name = isObject(info) && typeof info.name === "string" ? info.name : "";
  if (name !== "") return nameOfProgram(name);
  return lookUp(AGENTS, headers.get("user-agent") ?? "", (agent) => nameOfProgram(/^[^\s/(]*/.exec(agent)?.[0] ?? ""));
}

const AGENTS: Known<string | null> = new Map();
function nameOfProgram(text: string): string | null {
  const said = cleanText(clip(text.trim()));
  return CLIENT_NAME.test(said) ? said : null;
}

/** `CLOCK` moves the door's clock in development: it starts at that instant when first read, then runs. */
const CLOCK_SHIFTS = new WeakMap<Env, number>();
function clockOf(env: Env): () => number {
  if (env.CLOCK === undefined) return Date.now;
  const shift = CLOCK_SHIFTS.get(env) ?? Date.parse(env.CLOCK) - Date.now();
  CLOCK_SHIFTS.set(env, shift);
  return () => Date.now() + shift;
}

/** One request, answered as the text of a JSON-RPC response. Throws only an `RpcError` that carries the id. */
async function handle(call: Call, turn: Turn): Promise<string> {
  try {
    const modern = isModern(call, turn.version);
    if (modern) checkEnvelope(call, turn.version, turn.headers);
    return `{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${await resultOf(call, modern, turn)}}`;
  } catch (error) {
    const known = asRpcError(error);
    known.id = call.id;
    log(call, turn, `error ${known.code}`, 0);
    throw known;
  }
}

async function resultOf(call: Call, modern: boolean, turn: Turn): Promise<string> {
  const { method, params } = call;
  if (method === "tools/call") return JSON.stringify({ ...(await callTool(call, turn)), ...(modern && modernTail()) });
  if (method === "tools/list") return listTools(params, modern, turn.deps.env);
  if (method === "initialize" && !modern) return JSON.stringify(await initialize(params, turn.deps));
  if (method === "ping" && !modern) return "{}";
  if (method === "server/discover" && modern) return JSON.stringify(await discover(turn.deps));
  throw new RpcError(modern ? 404 : 200, -32601, `Méthode inconnue : ${clip(method)}`);
}

async function discover(deps: Deps) {
  const instructions = await instructionsFor(deps);
  const capabilities = { tools: {} };
  const tail = modernTail(serverInfo(deps.env));
  return { supportedVersions: [MODERN], capabilities, instructions, ...cacheHints(), ...tail };
}

async function instructionsFor(deps: Deps): Promise<string> {
  const { instructions } = SERVER;
  return typeof instructions === "string" ? instructions : await instructions(deps);
}

function clip(name: string): string {
  return name.slice(0, ECHO_LIMIT).toWellFormed();
}

function serverNames() {
  return { name: SERVER.name, title: SERVER.title, version: SERVER.version };
}

/** Its names, and its icons where a client can fetch them. */
function serverInfo({ PUBLIC_URL = "" }: Env) {
  const home = parseUrl(PUBLIC_URL);
  if (SERVER.icons === undefined || home?.protocol !== "https:") return serverNames();
  const icons = SERVER.icons.map((icon) => ({ ...icon, src: new URL(icon.src, home).href }));
  return { ...serverNames(), icons };
}

function cacheHints() {
  return { ttlMs: LIST_TTL_MS, cacheScope: SERVER.cacheScope ?? "public" };
}

/** Every result carries the names alone: a client hands them to the model each time. Discovery adds the icons. */
function modernTail(info: object = serverNames()) {
  return { resultType: "complete", _meta: { [SERVER_INFO_KEY]: info } };
}

async function initialize({ protocolVersion }: Args, deps: Deps) {
  if (typeof protocolVersion !== "string") {
    throw new RpcError(200, -32602, "« protocolVersion » doit être un texte, par exemple 2025-11-25.");
  }
  return {
    protocolVersion: LEGACY.includes(protocolVersion) ? protocolVersion : LEGACY[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: serverInfo(deps.env),
    instructions: await instructionsFor(deps),
  };
}

/** Serialised once per era: a list never changes under a deployment, unless `open` says so. */
const LISTS = new Map<boolean, string>();
function listTools({ cursor }: Args, modern: boolean, env: Env): string {
  if (cursor !== undefined && cursor !== null)
    throw new RpcError(200, -32602, "Curseur inconnu : la liste tient en une page.");
  const kept = LISTS.get(modern);
  if (kept !== undefined) return kept;
  const tools = Object.entries(TOOLS)
    .filter(([name]) => SERVER.open?.(name, env) ?? true)
    .map(([name, { title, description, inputSchema, annotations = READ_ONLY }]) => {
      return { name, title, description, inputSchema, annotations: { title, ...annotations } };
    });
  const list = JSON.stringify({ tools, ...(modern && { ...cacheHints(), ...modernTail() }) });
  if (SERVER.open === undefined) LISTS.set(modern, list);
  return list;
}

/** One tool call. A caller's library that is wrong gets a protocol error; a model that is wrong gets a sentence. */
async function callTool(call: Call, turn: Turn): Promise<{ content: Content[]; isError?: true }> {
  const { deps, deadline } = turn;
  const { name, arguments: given = null } = call.params;
  if (typeof name !== "string") throw new RpcError(200, -32602, "Le nom de l'outil manque.");
  if (!Object.hasOwn(TOOLS, name) || SERVER.open?.(name, deps.env) === false) {
    throw new RpcError(200, -32602, `Outil inconnu : ${clip(name)}`);
  }
  if (given !== null && !isObject(given)) throw new RpcError(200, -32602, "« arguments » doit être un objet.");
  const tool = TOOLS[name];
  const since = Date.now();
  try {
    const work = tool.run(readArguments(tool.inputSchema, given ?? {}), deps);
    const said = await within(work, deadline - Date.now(), TOO_SLOW);
    log(call, turn, "ok", Date.now() - since);
    return { content: typeof said === "string" ? [{ type: "text", text: said }] : said };
  } catch (error) {
    log(call, turn, error instanceof Refusal ? "refusal" : "bug", Date.now() - since);
    return { content: [{ type: "text", text: sayFailure(error) }], isError: true };
  }
}

function sayFailure(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  console.error(error);
  return "Quelque chose s'est brisé de mon côté. C'est rare, et ça ne vient pas de ta question. Redemande dans une minute.";
}

/** What is in memory comes within these turns of the queue of promises; a timer would cost more than all of them. */
const QUEUE_TURNS = 30;

/** `work`, or the `Refusal` that says `late` once `ms` have gone by. */
async function within<T>(work: Promise<T>, ms: number, late: string): Promise<T> {
  let settled = false;
  const watched = work.finally(() => {
    settled = true;
  });
  for (let turn = 0; turn < QUEUE_TURNS && !settled; turn++) await null;
  if (settled) return watched;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refusal(late)), ms);
  });
  try {
    return await Promise.race([watched, end]);
  } finally {
    clearTimeout(timer);
  }
}

/** The arguments that the schema knows, cleaned; or a `Refusal` that names the parameter and what it accepts. */
function readArguments(schema: Schema, given: Args): Args {
  const args: Args = {};
  for (const [name, rule] of Object.entries(schema.properties ?? {})) {
    const value = readValue(rule, Object.hasOwn(given, name) ? given[name] : undefined);
    if (value === INVALID || (value === undefined && schema.required?.includes(name))) {
      throw new Refusal(
        `L'argument « ${name} » ne convient pas : il faut ${sayExpected(rule)}. Rien n'a été cherché; corrige-le et rappelle l'outil.`,
      );
    }
    if (value !== undefined) args[name] = value;
  }
  return args;
}

const INVALID = Symbol("invalid");

/** One value under one rule. `null` and an empty text are absent; a number may come as text, as models write it. */
function readValue(rule: Schema, raw: unknown): unknown {
  if (raw === undefined || raw === null) return rule.default;
  if (rule.type === "string") {
    if (typeof raw !== "string") return INVALID;
    const text = cleanText(raw);
    if (text === "") return rule.default;
    const { length } = [...text];
    if (length < (rule.minLength ?? 0) || length > (rule.maxLength ?? Infinity)) return INVALID;
    if (rule.enum === undefined) return text;
    return rule.enum.find((choice) => fold(choice) === fold(text)) ?? INVALID;
  }
  if (rule.type === "number" || rule.type === "integer") {
    const number = typeof raw === "string" && raw.trim() !== "" ? Number(raw.replace(",", ".")) : raw;
    if (typeof number !== "number" || !Number.isFinite(number)) return INVALID;
    if (rule.type === "integer" && !Number.isInteger(number)) return INVALID;
    return number >= (rule.minimum ?? -Infinity) && number <= (rule.maximum ?? Infinity) ? number : INVALID;
  }
  if (rule.type === "boolean") return typeof raw === "boolean" ? raw : INVALID;
  const { items } = rule;
  if (rule.type !== "array" || items === undefined || !Array.isArray(raw)) return INVALID;
  const values = raw.map((item) => readValue(items, item) ?? INVALID);
  return values.includes(INVALID) ? INVALID : values;
}

/** Visible ASCII with a space between words: there is nothing to clean. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** Text as a person would have said it: composed accents, no control, no invisible, no broken character. */
function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  const printable = text
    .toWellFormed()
    .replace(/\p{Cf}|\uFFFD/gu, "")
    .normalize("NFC");
  return printable.replace(/[\p{Cc}\s]+/gu, " ").trim();
}

/** Lower case, without accents: for comparing what people say. */
function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("\u2019", "'").toLowerCase();
}

function sayExpected({ type, enum: choices, minimum, maximum, minLength, maxLength, items }: Schema): string {
  if (choices !== undefined) return `une de ces valeurs : ${choices.join(", ")}`;
  if (type === "boolean") return "vrai ou faux";
  if (type === "array" && items !== undefined) return `une liste, et pour chaque élément ${sayExpected(items)}`;
  if (type === "string") {
    if (minLength !== undefined && maxLength !== undefined) return `un texte de ${minLength} à ${maxLength} caractères`;
    if (minLength !== undefined) return `un texte d'au moins ${minLength} caractères`;
    return maxLength === undefined ? "un texte" : `un texte d'au plus ${maxLength} caractères`;
  }
  const kind = type === "integer" ? "un nombre entier" : "un nombre";
  if (minimum !== undefined && maximum !== undefined) return `${kind} de ${minimum} à ${maximum}`;
  if (minimum !== undefined) return `${kind} d'au moins ${minimum}`;
  return maximum === undefined ? kind : `${kind} d'au plus ${maximum}`;
}
// </core>

// The lock, before the core.
export default { fetch: lock({ serve, depsOf, sayGrant, title: SERVER.title }) };
