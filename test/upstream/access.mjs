// Plays Cloudflare Access: the keys that it publishes, the tokens that it signs (real RS256), and its place in front of a
// door, where one signs in by e-mail. Nothing is sent: any e-mail is believed, and the door judges who is the owner.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { request as forward } from "node:http";
import { exportJWK, SignJWT } from "jose";
import { listen } from "./server.mjs";

/** Those of the real one: a session lasts a day at most. */
const SESSION_S = 86_400;

/**
 * @typedef {{ kid: string, privateKey: import("node:crypto").KeyObject, publicKey: import("node:crypto").KeyObject }} Pair
 */

/**
 * Serves the keys of a team at `/cdn-cgi/access/certs`, on any loopback port.
 * @param {{ owner?: string }} [who] owner: the e-mail of the door's owner
 * @returns {Promise<{
 *   url: string, calls: string[], vars: Record<string, string>, rotate(): void, fail(status: number | null): void,
 *   sign(email: string, claims?: Record<string, unknown>): Promise<string>,
 *   startFront(port: number, door: string): Promise<{ url: string, close(): Promise<void> }>, close(): Promise<void>
 * }>} `vars`: what a door needs to believe it; `rotate`: a new key signs, the one before stays published; `fail`: the status
 *   that the keys answer with from now on, or null for the keys
 */
export async function startAccess({ owner = "ludo@cabanon.quebec" } = {}) {
  const team = "cabanon";
  const audience = randomBytes(32).toString("hex");
  /** @type {Pair[]} newest first */
  let pairs = [makePair()];
  /** @type {number | null} */
  let failing = null;
  const keys = await listen(0, async (response, path) => {
    if (failing !== null || path !== "/cdn-cgi/access/certs") {
      response.writeHead(failing ?? 404).end();
      return;
    }
    const published = await Promise.all(
      pairs.map(async ({ kid, publicKey }) => ({ kid, alg: "RS256", use: "sig", ...(await exportJWK(publicKey)) })),
    );
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: published }));
  });

  /** @param {string} email @param {Record<string, unknown>} [claims] over those of a good token */
  const sign = (email, claims = {}) => {
    const [{ kid, privateKey }] = pairs;
    const now = Math.floor(Date.now() / 1000);
    const good = {
      ...{
        aud: [audience],
        email,
        exp: now + SESSION_S,
        iat: now,
        nbf: now,
        iss: `https://${team}.cloudflareaccess.com`,
      },
      ...{ type: "app", identity_nonce: "essai", sub: "7e57-owner", country: "CA" },
    };
    return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg: "RS256", kid, typ: "JWT" }).sign(privateKey);
  };

  return {
    url: keys.url,
    calls: keys.calls,
    vars: { ACCESS_TEAM: team, ACCESS_AUD: audience, ACCESS_API: keys.url, OWNER_EMAIL: owner },
    rotate() {
      pairs = [makePair(), pairs[0]];
    },
    fail(status) {
      failing = status;
    },
    sign,
    startFront: (port, door) => startFront(port, door, owner, sign),
    close: keys.close,
  };
}

/** @returns {Pair} */
function makePair() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { kid: randomBytes(32).toString("hex"), publicKey, privateKey };
}

/** RFC 9110, 7.6.1: not for the next connection. */
const OF_ONE_CONNECTION = ["connection", "keep-alive", "te", "trailer"];

/**
 * Stands in front of a door as Cloudflare does: everything passes, and on `/authorize` only who has signed in.
 * @param {number} port 0 for any
 * @param {string} door its origin
 * @param {string} owner shown on the page where one signs in
 * @param {(email: string) => Promise<string>} sign
 */
function startFront(port, door, owner, sign) {
  /** The sessions that this front has opened. @type {Set<string>} */
  const sessions = new Set();
  return listen(port, async (response, path, _, request) => {
    // Not resolved against the door: `//` would be a host, and none.
    const { pathname, searchParams } = new URL(`${door}${path}`);
    if (pathname === "/cdn-cgi/access/login" && request.method === "POST") {
      const form = new URLSearchParams(await readText(request));
      const session = await sign(form.get("email") ?? "");
      sessions.add(session);
      // A path of this front's, whatever the form says.
      const next = new URL(`/authorize?${searchParams}`, door);
      const cookie = `CF_Authorization=${session}; HttpOnly; SameSite=Lax; Path=/`;
      response.writeHead(303, { location: next.pathname + next.search, "set-cookie": cookie }).end();
      return;
    }
    const { "cf-access-jwt-assertion": _sent, ...headers } = request.headers;
    for (const name of OF_ONE_CONNECTION) delete headers[name];
    const session = /(?:^|; )CF_Authorization=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? "";
    if (pathname === "/cdn-cgi/access/logout") {
      sessions.delete(session);
      const gone = "CF_Authorization=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0";
      const html = makePage("<p>Ta session est fermée. Recommence la connexion depuis ton application.</p>");
      response.writeHead(200, { "content-type": "text/html; charset=utf-8", "set-cookie": gone }).end(html);
      return;
    }
    const isPage = pathname === "/authorize";
    if (isPage && !sessions.has(session)) {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(makeLogin(owner, searchParams));
      return;
    }
    const { hostname, port: inside } = new URL(door);
    const added = isPage ? { "cf-access-jwt-assertion": session } : {};
    const asked = { hostname, port: inside, method: request.method, path, headers: { ...headers, ...added } };
    const passed = forward(asked, (answer) => {
      for (const name of OF_ONE_CONNECTION) delete answer.headers[name];
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.writeHead(502).end());
    request.pipe(passed);
  });
}

/** @param {import("node:http").IncomingMessage} request */
async function readText(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * @param {string} owner
 * @param {URLSearchParams} query of `/authorize`, to go on with
 */
function makeLogin(owner, query) {
  const escapeHtml = (/** @type {string} */ text) =>
    text.replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
  return makePage(`<p>Ici, le vrai Access enverrait un code à ton courriel. La doublure te croit sur parole : la porte, elle, ne laisse entrer que ${escapeHtml(owner)}.</p>
<form method="post" action="/cdn-cgi/access/login?${escapeHtml(query.toString())}">
<p><label>Courriel : <input name="email" type="email" value="${escapeHtml(owner)}" required size="30"></label></p>
<p><button>Continuer</button></p>
</form>`);
}

/** @param {string} body */
function makePage(body) {
  return `<!doctype html>
<html lang="fr-CA">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Doublure d'Access</title>
<style>:root { color-scheme: light dark; } body { max-width: 34rem; margin: 8vh auto; padding: 0 1.5rem; font: 1.0625rem/1.6 system-ui, sans-serif; } input, button { box-sizing: border-box; max-width: 100%; font: inherit; padding: .5rem; }</style>
<main>
<h1>Doublure de Cloudflare Access</h1>
${body}
</main>
`;
}
