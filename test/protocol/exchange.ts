// How the protocol's tests speak to a door: one Request in, its Response read whole.

/** Why a rule of the public doors isn't one of a private door. */
export const OF_PUBLIC_DOORS = "a private door has rules of its own for origins and addresses: test/labo";

export const MODERN = "2026-07-28";
export const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
export const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
export const CLIENT_KEY = "io.modelcontextprotocol/clientInfo";
export const SERVER_KEY = "io.modelcontextprotocol/serverInfo";
export const ENVELOPE = {
  [VERSION_KEY]: MODERN,
  [CAPABILITIES_KEY]: {},
  [CLIENT_KEY]: { name: "essai", version: "1.0.0" },
};

/** Anything that JSON can hold: the tests look inside and let `expect` judge. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is judged by what the test reads in it
export type Json = any;

export interface Exchange {
  method?: string;
  path?: string;
  /** Added to `content-type: application/json`; null takes a header away. */
  headers?: Record<string, string | null>;
  /** A string, bytes or a stream as they are; anything else as JSON. */
  body?: unknown;
  env?: Record<string, unknown>;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed text, or null when there is none or it is a page. */
  json: Json;
}

export async function exchange(door: Door, { method = "POST", path = "/mcp", env = {}, ...rest }: Exchange = {}) {
  const headers = new Headers({ "content-type": "application/json" });
  for (const [name, value] of Object.entries(rest.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const body = method === "GET" || method === "HEAD" || rest.body === undefined ? undefined : bodyOf(rest.body);
  const url = path.startsWith("http:") || path.startsWith("https:") ? path : `http://127.0.0.1${path}`;
  const ctx = { waitUntil() {}, passThroughOnException() {}, props: {} };
  const response = await door.fetch(new Request(url, { method, headers, body }), env, ctx);
  // An image of the page isn't text: read as such, it would be a warning.
  const text = new TextDecoder().decode(await response.arrayBuffer());
  const isPage = response.headers.get("content-security-policy") !== null;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" || isPage ? null : JSON.parse(text),
  };
}

function bodyOf(body: unknown): BodyInit {
  if (typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream) return body;
  return JSON.stringify(body);
}

/** A legacy request, id 1. */
export function legacy(method: string, params?: unknown): Record<string, unknown> {
  return { jsonrpc: "2.0", id: 1, method, ...(params !== undefined && { params }) };
}

/** A modern request, id 1, with its envelope and its headers. `params._meta` replaces the envelope. */
export function modern(method: string, params: Record<string, unknown> = {}) {
  const name = typeof params.name === "string" ? { "mcp-name": params.name } : {};
  return {
    headers: { "mcp-protocol-version": MODERN, "mcp-method": method, ...name } as Record<string, string | null>,
    body: legacy(method, { _meta: ENVELOPE, ...params }),
  };
}

/** UTF-8 text in the wrapping that `Mcp-Name` allows. */
export function wrap(text: string): string {
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}

export function concat(...parts: (string | number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)),
  );
}

/** A body that arrives in pieces, without a length. */
export function stream(...chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}
