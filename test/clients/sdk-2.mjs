// @modelcontextprotocol/client, the second one. MODE: legacy, auto, or the revision it is pinned to.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { converse, HEADERS } from "./session.mjs";

await converse(async (url, mode) => {
  const client = new Client(
    { name: "essai", version: "1.0.0" },
    { versionNegotiation: { mode: mode === "legacy" || mode === "auto" ? mode : { pin: mode } } },
  );
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: HEADERS } }));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    close: () => client.close(),
  };
});
