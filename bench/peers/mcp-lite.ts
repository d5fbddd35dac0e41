// mcp-lite, its arguments checked by zod: SSE to whoever accepts it, JSON otherwise.
import { Hono } from "hono";
import { McpServer, StreamableHttpTransport } from "mcp-lite";
import { z } from "zod";

const schemaAdapter = (schema: unknown) => z.toJSONSchema(schema as z.ZodType) as never;
const server = new McpServer({ name: "echo", version: "1.0.0", schemaAdapter });
server.tool("echo", {
  description: "Redit un texte. Pour « répète ».",
  inputSchema: z.object({ texte: z.string() }),
  handler: ({ texte }) => ({ content: [{ type: "text", text: `Tu dis : ${texte}` }] }),
});
const answer = new StreamableHttpTransport().bind(server);
const app = new Hono();
app.all("/mcp", (c) => answer(c.req.raw));
export default app;
