// mcp-remote, which lends a remote door to a client that only knows local ones: here the official one, over stdio.
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { converse } from "./session.mjs";

const PROXY = fileURLToPath(new URL("node_modules/mcp-remote/dist/proxy.js", import.meta.url));

await converse(async (url) => {
  const client = new Client({ name: "essai", version: "1.0.0" });
  const args = [PROXY, url.href, "--allow-http"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given) => client.callTool({ name, arguments: given }),
    close: () => client.close(),
  };
});
