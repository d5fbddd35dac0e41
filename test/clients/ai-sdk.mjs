// @ai-sdk/mcp: the tools as it hands them to a model. One that it doesn't know can only be called by its name.
import { createMCPClient } from "@ai-sdk/mcp";
import { converse } from "./session.mjs";

await converse(async (url) => {
  const client = await createMCPClient({ transport: { type: "http", url: url.href } });
  const tools = await client.tools();
  return {
    list: async () => (await client.listTools()).tools,
    call: async (name, given) =>
      name in tools
        ? tools[name].execute(given, { toolCallId: "1", messages: [], context: {} })
        : client.callTool({ name, arguments: given }),
    close: () => client.close(),
  };
});
