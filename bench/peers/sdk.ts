// @modelcontextprotocol/sdk 1.x, without sessions and in JSON: it wants a new server and transport for each request.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { Hono } from "hono";
import { z } from "zod";

const inputSchema = z.object({ texte: z.string() });
const app = new Hono();
app.post("/mcp", async (c) => {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool("echo", { description: "Redit un texte. Pour « répète ».", inputSchema }, async ({ texte }) => ({
    content: [{ type: "text", text: `Tu dis : ${texte}` }],
  }));
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await server.connect(transport);
  return transport.handleRequest(c.req.raw);
});
export default app;
