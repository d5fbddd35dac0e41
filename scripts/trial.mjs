// A client of the private door that one runs in a browser: the whole dance, from the first 401 to a tool's sentence. What it
// learns at each step it shows, tokens aside.
import { createHash, randomBytes } from "node:crypto";
import { listen } from "../test/upstream/server.mjs";

/**
 * Serves the client on any loopback port: its first page starts the dance, its callback ends it.
 * @param {string} door its address, which ends in /mcp
 * @param {object} params of `tools/call`, asked at the end
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startTrial(door, params) {
  /** What waits for its callback, by `state`. @type {Map<string, { verifier: string, client: string, server: Metadata }>} */
  const waiting = new Map();
  const trial = await listen(0, async (response, path) => {
    // Not resolved against its address: `//` would be a host, and none.
    const { pathname, searchParams } = new URL(`${trial.url}${path}`);
    try {
      if (pathname === "/go") {
        const location = await start(door, `${trial.url}/callback`, waiting);
        response.writeHead(303, { location }).end();
        return;
      }
      const steps =
        pathname === "/callback" ? await finish(door, params, `${trial.url}/callback`, searchParams, waiting) : [];
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(makePage(door, steps));
    } catch (error) {
      const said = `Ça n'a pas marché : ${error instanceof Error ? error.message : error}`;
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(makePage(door, [said]));
    }
  });
  return trial;
}

/** @typedef {{ issuer: string, authorization_endpoint: string, token_endpoint: string, registration_endpoint: string }} Metadata */

/**
 * From the door's refusal to the address where a person consents.
 * @param {string} door
 * @param {string} redirect
 * @param {Map<string, { verifier: string, client: string, server: Metadata }>} waiting
 */
async function start(door, redirect, waiting) {
  const refused = await call(door, { jsonrpc: "2.0", id: 0, method: "ping" });
  const [, address] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  if (refused.status !== 401 || address === undefined) throw new Error(`la porte répond ${refused.status} sans jeton`);
  const { authorization_servers: servers } = await readJson(await fetch(address));
  const server = await readJson(await fetch(new URL("/.well-known/oauth-authorization-server", servers[0])));
  const asked = { client_name: "Client d'essai", redirect_uris: [redirect], token_endpoint_auth_method: "none" };
  const headers = { "content-type": "application/json" };
  const registered = await fetch(server.registration_endpoint, {
    method: "POST",
    headers,
    body: JSON.stringify(asked),
  });
  const { client_id: client } = await readJson(registered);
  const [verifier, state] = [randomBytes(32).toString("base64url"), randomBytes(16).toString("base64url")];
  waiting.set(state, { verifier, client, server });
  const url = new URL(server.authorization_endpoint);
  const query = {
    ...{ response_type: "code", client_id: client, redirect_uri: redirect, state, resource: door, scope: "labo" },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * From the callback to the answer of a tool.
 * @param {string} door
 * @param {object} params
 * @param {string} redirect
 * @param {URLSearchParams} given
 * @param {Map<string, { verifier: string, client: string, server: Metadata }>} waiting
 * @returns {Promise<string[]>} what happened, a line each
 */
async function finish(door, params, redirect, given, waiting) {
  const kept = waiting.get(given.get("state") ?? "");
  if (kept === undefined) throw new Error("cette connexion n'a pas commencé ici");
  const { verifier, client, server } = kept;
  if (given.get("iss") !== server.issuer) throw new Error("l'émetteur n'est pas celui qu'on attendait");
  if (given.has("error")) return [`La porte a dit non : ${given.get("error")}.`];
  const code = { grant_type: "authorization_code", code: given.get("code") ?? "", code_verifier: verifier };
  const first = await readTokens(server, { ...code, redirect_uri: redirect, client_id: client, resource: door });
  const refresh = { grant_type: "refresh_token", refresh_token: first.refresh_token, client_id: client };
  const second = await readTokens(server, { ...refresh, resource: door });
  const answer = await call(door, { jsonrpc: "2.0", id: 1, method: "tools/call", params }, second.access_token);
  const { result } = await readJson(answer);
  return [
    `Un jeton d'accès, bon ${first.expires_in / 60} minutes, puis un autre par le jeton de rafraîchissement.`,
    `La porte répond : « ${result.content[0].text} »`,
  ];
}

/** @param {Metadata} server @param {Record<string, string>} form */
async function readTokens(server, form) {
  return readJson(await fetch(server.token_endpoint, { method: "POST", body: new URLSearchParams(form) }));
}

/** @param {string} door @param {object} body @param {string} [token] */
function call(door, body, token) {
  const headers = new Headers({ "content-type": "application/json" });
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return fetch(door, { method: "POST", headers, body: JSON.stringify(body) });
}

/** @param {Response} response @returns {Promise<any>} */
async function readJson(response) {
  if (response.status === 429) throw new Error("trop de connexions à la fois : attends une minute, puis recommence");
  const body = await response.json();
  if (!response.ok) throw new Error(`${new URL(response.url).pathname} répond ${response.status}, ${body.error}`);
  return body;
}

/** @param {string} door @param {string[]} steps */
function makePage(door, steps) {
  const line = (/** @type {string} */ text) =>
    `<p>${text.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`)}</p>`;
  return `<!doctype html>
<html lang="fr-CA">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Client d'essai</title>
<style>:root { color-scheme: light dark; } body { max-width: 34rem; margin: 8vh auto; padding: 0 1.5rem; font: 1.0625rem/1.6 system-ui, sans-serif; }</style>
<main>
<h1>Client d'essai</h1>
${line(`La porte : ${door}`)}
${steps.map(line).join("\n")}
<p><a href="/go">${steps.length === 0 ? "Se connecter" : "Recommencer"}</a></p>
</main>
`;
}
