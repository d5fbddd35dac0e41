// agents, by its handler without state: it needs `nodejs_compat` and the server 2.x.
import { McpServer } from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
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
export default {
  fetch: (request: Request, env: unknown, ctx: ExecutionContext) => handler(request, env as never, ctx),
};
