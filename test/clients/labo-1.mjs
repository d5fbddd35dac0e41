// @modelcontextprotocol/sdk at the private door. MODE: who sits at the browser, and the client's document if it has one.
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { converse } from "./session.mjs";
import { makeProvider } from "./sign-in.mjs";

await converse(async (url, mode) => {
  const [email, document] = mode.split(" ");
  const authProvider = makeProvider(email, document);
  const client = new Client({ name: "essai", version: "1.0.0" });
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  await client.connect(first).then(
    () => Promise.reject(new Error("the door was open")),
    async (error) => {
      if (!(error instanceof UnauthorizedError)) throw error;
      await first.finishAuth(authProvider.cameBack().get("code") ?? "");
    },
  );
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  return {
    list: async () => (await client.listTools()).tools,
    call: (name, given) => {
      authProvider.spoil();
      return client.callTool({ name, arguments: given });
    },
    close: () => client.close(),
  };
});
