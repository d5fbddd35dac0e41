// @modelcontextprotocol/sdk, the first official client.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { converse, HEADERS } from "./session.mjs";

await converse(async (url) => {
  const client = new Client({ name: "essai", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: HEADERS } }));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    close: () => client.close(),
  };
});
