// @modelcontextprotocol/server 2.x: both eras, the older one in SSE even when JSON is asked for.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { z } from "zod";

const inputSchema = z.object({ texte: z.string() });
const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: "echo", version: "1.0.0" });
    server.registerTool(
      "echo",
      { description: "Redit un texte. Pour « répète ».", inputSchema },
      async ({ texte }) => ({ content: [{ type: "text", text: `Tu dis : ${texte}` }] }),
    );
    return server;
  },
  { responseMode: "json" },
);
const app = new Hono();
app.all("/mcp", (c) => handler.fetch(c.req.raw));
export default app;
