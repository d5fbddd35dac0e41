// What Claude Code sends from its first word to its second hour, replayed to the letter; and what claude.ai does otherwise.
import { describe, expect, it } from "vitest";
import { MODERN, modern } from "../protocol/exchange.ts";
import {
  type Answer,
  BARE_CHALLENGE,
  CHALLENGE,
  CLAUDE_AI,
  CLAUDE_CALLBACK,
  CLAUDE_CODE,
  challenge,
  encode,
  HOME,
  Lab,
  LIST,
  RESOURCE,
  readRedirect,
  UNAUTHORIZED,
  VERIFIER,
} from "./lab.ts";

const CALLBACK = "http://localhost:51877/callback";
const AGENT = { "user-agent": "Bun/1.4.6" };

/** The first call of Claude Code: a probe of the modern era. */
function probe(lab: Lab, token: string | null): Promise<Answer> {
  const { headers, body } = modern("server/discover");
  const agent = { "user-agent": "claude-code/2.1.332 (cli)", accept: "application/json, text/event-stream" };
  return lab.mcp(token, { ...body, id: "server-discover-probe-1" }, { ...headers, ...agent });
}

/** From the challenge to the documents: each address is the one that the document before it names. */
async function discover(lab: Lab): Promise<{ resource: Answer["json"]; server: Answer["json"] }> {
  const first = await probe(lab, null);
  expect(first).toMatchObject({ status: 401, json: UNAUTHORIZED });
  expect(first.headers.get("www-authenticate")).toBe(BARE_CHALLENGE);
  const [, address = ""] = /resource_metadata="([^"]+)"/.exec(BARE_CHALLENGE) ?? [];
  const version = { ...AGENT, "mcp-protocol-version": "2025-11-25" };
  const { status, json: resource } = await lab.send(address, { headers: version });
  expect({ status, resource: resource.resource }).toEqual({ status: 200, resource: RESOURCE });
  const issuer = resource.authorization_servers[0];
  const { json: server } = await lab.send(`${issuer}/.well-known/oauth-authorization-server`, { headers: version });
  expect(server.issuer).toBe(issuer);
  return { resource, server };
}

/** The owner's browser, from the address that the client opened to the one where it ends. */
async function browse(lab: Lab, address: string): Promise<URL> {
  const { search } = new URL(address);
  const fields = Object.fromEntries([...new URLSearchParams(search)]);
  return readRedirect(await lab.decide(await lab.page(fields)));
}

/** From the documents to tokens. */
async function signIn(lab: Lab, client_id: string, redirect_uri: string): Promise<Answer["json"]> {
  const { resource, server } = await discover(lab);
  const state = "kX3-yQ_9f2";
  const query = encode({
    response_type: "code",
    client_id,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    redirect_uri,
    state,
    scope: resource.scopes_supported.join(" "),
    resource: resource.resource,
  });
  const back = await browse(lab, `${server.authorization_endpoint}?${query}`);
  expect(back.origin + back.pathname).toBe(redirect_uri);
  expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state, iss: server.issuer });
  const code = back.searchParams.get("code");
  const { status, json } = await lab.token(
    { grant_type: "authorization_code", code, code_verifier: VERIFIER, redirect_uri, resource: RESOURCE, client_id },
    AGENT,
  );
  expect({ status, json }).toEqual({
    status: 200,
    json: {
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: expect.any(String),
      scope: "labo",
    },
  });
  return json;
}

describe("Claude Code", () => {
  it("signs in with its own document, asks, and stays for weeks", async () => {
    let lab = new Lab();
    let tokens = await signIn(lab, CLAUDE_CODE, CALLBACK);
    const found = await probe(lab, tokens.access_token);
    expect(found).toMatchObject({ status: 200, json: { id: "server-discover-probe-1" } });
    expect(found.json.result.supportedVersions).toContain(MODERN);
    expect(found.json.result.cacheScope).toBe("private");
    for (const days of [1, 8, 20, 29]) {
      const late = lab.at(new Lab().now + days * 86_400);
      const refused = await probe(late, tokens.access_token);
      expect(refused.headers.get("www-authenticate")).toBe(challenge("expired"));
      const { refresh_token } = tokens;
      const fields = { grant_type: "refresh_token", refresh_token, resource: RESOURCE, client_id: CLAUDE_CODE };
      const renewed = await late.token(fields, AGENT);
      expect(renewed.status).toBe(200);
      tokens = renewed.json;
      expect((await probe(late, tokens.access_token)).status).toBe(200);
      lab = late;
    }
  });

  it("registers when it doesn't use its document", async () => {
    const lab = new Lab();
    const { server } = await discover(lab);
    const body = JSON.stringify({
      client_name: "Claude Code (labo)",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: "native",
      scope: "labo",
    });
    const headers = { ...AGENT, "content-type": "application/json" };
    const { status, json } = await lab.send(server.registration_endpoint, { method: "POST", headers, body });
    expect({ status, auth: json.token_endpoint_auth_method }).toEqual({ status: 201, auth: "none" });
    const tokens = await signIn(lab, json.client_id, CALLBACK);
    expect((await probe(lab, tokens.access_token)).status).toBe(200);
    // Its next run has another port.
    expect(
      (await lab.authorize({ client_id: json.client_id, redirect_uri: "http://localhost:60001/callback" })).status,
    ).toBe(200);
  });

  it("sends the same refresh token again after a failure, and is answered", async () => {
    const lab = new Lab();
    const { refresh_token } = await signIn(lab, CLAUDE_CODE, CALLBACK);
    for (const seconds of [3500, 3501, 3503])
      expect((await lab.later(seconds).refresh(refresh_token)).status).toBe(200);
  });
});

describe("claude.ai", () => {
  it("probes twice, signs in with a secret, and refreshes from two addresses at once", async () => {
    const lab = new Lab();
    const body = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-11-25" } };
    for (const agent of [
      { accept: "*/*", "user-agent": "python-httpx/0.28.1" },
      { accept: "application/json, text/event-stream", "user-agent": "Claude-User" },
    ]) {
      expect((await lab.mcp(null, body, agent)).headers.get("www-authenticate")).toBe(BARE_CHALLENGE);
    }
    const { json: client } = await lab.register({
      client_name: "Claude",
      redirect_uris: [CLAUDE_CALLBACK],
      token_endpoint_auth_method: "client_secret_post",
    });
    const { client_id, client_secret } = client;
    const change = { client_id, redirect_uri: CLAUDE_CALLBACK };
    const code = await lab.code(change);
    const { json: tokens } = await lab.exchange(code, { ...change, client_secret });
    const both = await Promise.all(
      [1, 2].map(() => lab.later(3590).refresh(tokens.refresh_token, { client_id, client_secret })),
    );
    for (const { status, json } of both) {
      expect(status).toBe(200);
      expect((await lab.later(3600).mcp(json.access_token, LIST)).status).toBe(200);
    }
  });

  it("signs in with its document, to either of its addresses", async () => {
    for (const address of [CLAUDE_CALLBACK, "https://claude.com/api/mcp/auth_callback"]) {
      const lab = new Lab();
      const tokens = await signIn(lab, CLAUDE_AI, address);
      expect(await lab.admits(tokens.access_token)).toBe(true);
    }
  });
});

describe("the other clients", () => {
  it("of Home Assistant: a secret that expires would be refused, and its own scopes come back as ours", async () => {
    const { json } = await new Lab().register({
      redirect_uris: ["http://localhost:8123/callback"],
      token_endpoint_auth_method: "client_secret_post",
      scope: "labo",
    });
    expect(json.client_secret_expires_at).toBe(0);
  });

  it("of the inspector, in a browser: every endpoint answers its preflight", async () => {
    const lab = new Lab();
    const origin = "http://localhost:6274";
    const asked = { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
    for (const path of ["/register", "/token", "/.well-known/oauth-authorization-server"]) {
      const { status, headers } = await lab.send(path, { method: "OPTIONS", headers: asked });
      expect({ path, status, cors: headers.get("access-control-allow-origin") }).toEqual({
        path,
        status: 204,
        cors: "*",
      });
      expect(headers.get("access-control-allow-headers")?.toLowerCase()).toContain("content-type");
    }
    const page = await lab.send("/authorize", { method: "OPTIONS", headers: asked });
    expect(page.headers.get("access-control-allow-origin")).toBeNull();
    expect((await lab.register({ redirect_uris: ["http://127.0.0.1:6276/oauth/callback"], scope: "" })).status).toBe(
      201,
    );
  });

  it("of Codex: the address of the metadata that it builds from the resource answers too", async () => {
    const lab = new Lab();
    const { status, json } = await lab.send("/.well-known/oauth-authorization-server/mcp");
    expect({ status, issuer: json.issuer }).toEqual({ status: 200, issuer: HOME });
    const redirect_uri = "http://127.0.0.1:1455/callback/abc-123";
    const { client_id } = await lab.client({ redirect_uris: [redirect_uri] });
    expect((await lab.authorize({ client_id, redirect_uri, scope: "labo" })).status).toBe(200);
  });

  it("of mcp-remote: the scopes that it makes up are no error", async () => {
    const lab = new Lab();
    const redirect_uri = "http://localhost:3334/oauth/callback";
    const { client_id } = await lab.client({ redirect_uris: [redirect_uri] });
    const code = await lab.code({ client_id, redirect_uri, scope: "openid email profile" });
    const { status, json } = await lab.exchange(code, { client_id, redirect_uri });
    expect({ status, scope: json.scope }).toEqual({ status: 200, scope: "labo" });
  });

  it("of ChatGPT: refused on purpose", async () => {
    const { status, json } = await new Lab().register({ redirect_uris: ["https://chatgpt.com/connector/oauth/abc"] });
    expect({ status, error: json.error }).toEqual({ status: 400, error: "invalid_redirect_uri" });
  });
});
