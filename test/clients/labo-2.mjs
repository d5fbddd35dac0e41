// @modelcontextprotocol/client at the private door. MODE: who sits at the browser, and the client's document if it has one.
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { converse } from "./session.mjs";
import { makeProvider } from "./sign-in.mjs";

await converse(async (url, mode) => {
  const [email, document] = mode.split(" ");
  const authProvider = makeProvider(email, document);
  const client = () =>
    new Client({ name: "essai", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const first = new StreamableHTTPClientTransport(url, { authProvider });
  await client()
    .connect(first)
    .then(
      () => Promise.reject(new Error("the door was open")),
      async (error) => {
        if (!(error instanceof UnauthorizedError)) throw error;
        await first.finishAuth(authProvider.cameBack());
      },
    );
  const open = client();
  await open.connect(new StreamableHTTPClientTransport(url, { authProvider }));
  return {
    list: async () => (await open.listTools()).tools,
    call: (name, given) => {
      authProvider.spoil();
      return open.callTool({ name, arguments: given });
    },
    close: () => open.close(),
  };
});
