// A door that a test plays: it lists what it is given, answers as it is told, and remembers all that it was asked.
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { listen } from "../upstream/server.mjs";

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
type Answers = (name: string, args: Record<string, unknown>, response: ServerResponse) => object | undefined;

export interface StandIn {
  url: string;
  asked: Asked[];
  /** To be changed during a test, as the door's tools would be by a deployment. */
  tools: Tool[];
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

/** Starts one that speaks both eras, as MCP.md 1 says. */
export async function startStandIn(name: string, ...tools: Tool[]): Promise<StandIn> {
  const asked: Asked[] = [];
  const server = await listen(0, async (response, _path, _rank, request) => {
    let text = "";
    for await (const piece of request.setEncoding("utf8")) text += piece;
    if (request.method !== "POST") return void response.writeHead(405).end();
    const body = JSON.parse(text);
    asked.push({ headers: request.headers, body, text });
    if (body.id === undefined) return void response.writeHead(202).end();
    const isModern = body.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
    const say = (member: object, status = 200) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: body.id, ...member }));
    };
    const serverInfo = { name, version: "1.0.0" };
    const complete = isModern
      ? { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": serverInfo } }
      : {};
    const cached = isModern ? { ...complete, ttlMs: 0, cacheScope: "public" } : {};
    if (body.method === "initialize" && !isModern) {
      return say({ result: { protocolVersion: body.params.protocolVersion, capabilities: { tools: {} }, serverInfo } });
    }
    if (body.method === "server/discover" && isModern) {
      return say({ result: { ...cached, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } } });
    }
    if (body.method === "tools/list") return say({ result: { ...cached, tools: door.tools } });
    if (body.method !== "tools/call") return say({ error: { code: -32601, message: "?" } }, isModern ? 404 : 200);
    if (!door.tools.some((tool) => tool.name === body.params.name)) {
      return say({ error: { code: -32602, message: `Outil inconnu : ${body.params.name}` } });
    }
    const result = door.answers(body.params.name, body.params.arguments ?? {}, response);
    if (result !== undefined) say({ result: { ...result, ...complete } });
  });
  const door: StandIn = {
    url: `${server.url}/mcp`,
    asked,
    tools,
    answers: (tool) => textOf(`${name} : ${tool}.`),
    calls: () => asked.filter(({ body }) => body.method === "tools/call"),
    close: () => server.close(),
  };
  return door;
}
