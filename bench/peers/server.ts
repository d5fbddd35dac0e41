// @modelcontextprotocol/server 2.x: its handler of both eras for the modern one, which it answers in JSON. The handler answers
// the older era in a stream whatever is asked, so that one has the library's own transport, in JSON and without sessions.
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { z } from "zod";

const inputSchema = z.object({ texte: z.string() });
function makeServer() {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool("echo", { description: "Redit un texte. Pour « répète ».", inputSchema }, async ({ texte }) => ({
    content: [{ type: "text", text: `Tu dis : ${texte}` }],
  }));
  return server;
}
const handler = createMcpHandler(makeServer, { responseMode: "json" });
const app = new Hono();
app.all("/mcp", async (c) => {
  if (c.req.header("mcp-protocol-version") === "2026-07-28") return handler.fetch(c.req.raw);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await makeServer().connect(transport);
  return transport.handleRequest(c.req.raw);
});
export default app;
