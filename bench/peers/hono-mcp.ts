// @hono/mcp: the transport of hono, over the server of the SDK 1.x.
import { StreamableHTTPTransport } from "@hono/mcp";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Hono } from "hono";
import { z } from "zod";

const inputSchema = z.object({ texte: z.string() });
const app = new Hono();
app.post("/mcp", async (c) => {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool("echo", { description: "Redit un texte. Pour « répète ».", inputSchema }, async ({ texte }) => ({
    content: [{ type: "text", text: `Tu dis : ${texte}` }],
  }));
  const transport = new StreamableHTTPTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  return (await transport.handleRequest(c)) ?? c.body(null, 202);
});
export default app;
