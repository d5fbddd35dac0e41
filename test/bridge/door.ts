// A door that a test plays: it lists what it is given, answers as it is told, and remembers all that it was asked.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { listen } from "../upstream/server.mjs";

export const MODERN = "2026-07-28";
const KEYS = "io.modelcontextprotocol/";

export interface Tool {
  name: string;
  description: string;
  inputSchema: { type: "object"; properties?: Record<string, { type: string }> };
}

export interface Asked {
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what was asked is what a test looks at
  body: any;
  text: string;
}

/** What a call of a tool is answered: a JSON-RPC result, or whatever a test writes itself. */
type Answers = (
  name: string,
  args: Record<string, unknown>,
  response: ServerResponse,
  id: string | number,
) => object | undefined;

export interface StandIn {
  url: string;
  asked: Asked[];
  /** To be changed during a test, as the door's tools would be by a deployment. */
  tools: Tool[];
  /** How many of them a page of its list has: all, unless a test says otherwise. */
  perPage: number;
  answers: Answers;
  calls(): Asked[];
  close(): Promise<void>;
}

export const toolOf = (name: string, properties: Record<string, { type: string }> = {}): Tool => ({
  name,
  description: `L'outil ${name}.`,
  inputSchema: { type: "object", properties },
});

export const textOf = (text: string) => ({ content: [{ type: "text", text }] });

/** What a request is refused for, as MCP.md 1 and 2.3 say; null when it may be answered. */
function refusalOf({ headers, body }: Asked): { status: number; code: number } | null {
  const { method, params } = body;
  const version = headers["mcp-protocol-version"];
  const { [`${KEYS}protocolVersion`]: claimed, [`${KEYS}clientCapabilities`]: capabilities } = params?._meta ?? {};
  if (headers["content-type"] !== "application/json") return { status: 415, code: -32600 };
  if (headers.accept !== "application/json, text/event-stream") return { status: 406, code: -32600 };
  if (claimed === undefined && version !== MODERN) return null;
  if (typeof claimed !== "string" || typeof capabilities !== "object") return { status: 400, code: -32602 };
  if (claimed !== version) return { status: 400, code: -32020 };
  if (claimed !== MODERN) return { status: 400, code: -32022 };
  const isNamed = method !== "tools/call" || headers["mcp-name"] === params.name;
  return headers["mcp-method"] === method && isNamed ? null : { status: 400, code: -32020 };
}

/** Starts one that speaks both eras, as MCP.md 1 says. */
export async function startStandIn(name: string, ...tools: Tool[]): Promise<StandIn> {
  const asked: Asked[] = [];
  const server = await listen(0, async (response, _path, _rank, request) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const body = JSON.parse(text);
    const one = { headers: request.headers, body, text };
    asked.push(one);
    if (body.id === undefined) return void response.writeHead(202).end();
    const isModern = request.headers["mcp-protocol-version"] === MODERN;
    const say = (member: object, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...member }));
    };
    const refused = refusalOf(one);
    if (refused !== null) return say({ error: { code: refused.code, message: "?" } }, refused.status);
    const serverInfo = { name, version: "1.0.0" };
    const complete = isModern ? { resultType: "complete", _meta: { [`${KEYS}serverInfo`]: serverInfo } } : {};
    const cached = isModern ? { ...complete, ttlMs: 0, cacheScope: "public" } : {};
    if (body.method === "initialize" && !isModern) {
      return say({ result: { protocolVersion: body.params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    if (body.method === "server/discover" && isModern) {
      return say({ result: { ...cached, supportedVersions: [MODERN], capabilities: { tools: {} } } });
    }
    if (body.method === "tools/list") {
      const from = Number(body.params.cursor ?? 0);
      const to = from + door.perPage;
      const next = to < door.tools.length ? { nextCursor: String(to) } : {};
      return say({ result: { ...cached, tools: door.tools.slice(from, to), ...next } });
    }
    if (body.method !== "tools/call") return say({ error: { code: -32601, message: "?" } }, isModern ? 404 : 200);
    if (!door.tools.some((tool) => tool.name === body.params.name)) {
      return say({ error: { code: -32602, message: `Outil inconnu : ${body.params.name}` } });
    }
    const result = door.answers(body.params.name, body.params.arguments ?? {}, response, body.id);
    if (result !== undefined) say({ result: { ...result, ...complete } });
  });
  const door: StandIn = {
    url: `${server.url}/mcp`,
    asked,
    tools,
    perPage: Number.POSITIVE_INFINITY,
    answers: (tool) => textOf(`${name} : ${tool}.`),
    calls: () => asked.filter(({ body }) => body.method === "tools/call"),
    close: () => server.close(),
  };
  return door;
}

export interface OldDoor {
  url: string;
  /** The status it answers to a session that it has forgotten: 404, as MCP says, until a test changes it. */
  lost: number;
  restart(): void;
  close(): Promise<void>;
}

/**
 * A door of the older kind: it has sessions, knows no other era, and forgets them all when it is restarted.
 * @param version the one it agrees on, whatever it is asked for
 */
export async function startOldDoor(version: string, ...tools: Tool[]): Promise<OldDoor> {
  let [session, opened, isReady] = ["", 0, false];
  const server = await listen(0, async (response, _path, _rank, request) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    const body = JSON.parse(text);
    const say = (member: object, headers: Record<string, string> = {}) => {
      response.writeHead(200, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...member }));
    };
    if (body.method === "initialize") {
      [session, isReady] = [`session-${++opened}`, false];
      const serverInfo = { name: "ancienne", version: "1.0.0" };
      const result = { protocolVersion: version, capabilities: { tools: {} }, serverInfo };
      return say({ result }, { "mcp-session-id": session });
    }
    // It falls on what it doesn't know.
    if (body.method === "server/discover") return void response.writeHead(500).end("oups");
    const { "mcp-session-id": asked, "mcp-protocol-version": spoken } = request.headers;
    if (asked === undefined || spoken !== version) return void response.writeHead(400).end();
    if (asked !== session) return void response.writeHead(door.lost).end();
    isReady ||= body.method === "notifications/initialized";
    if (!isReady) return void response.writeHead(400).end();
    if (body.id === undefined) return void response.writeHead(202).end();
    if (body.method === "tools/list") return say({ result: { tools } });
    return say({ result: textOf(`${session}.`) });
  });
  const restart = () => {
    session = "";
  };
  const door: OldDoor = { url: `${server.url}/mcp`, lost: 404, restart, close: () => server.close() };
  return door;
}
