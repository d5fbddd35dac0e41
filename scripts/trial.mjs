// A client of the private door that one runs in a browser: the whole dance, from the first 401 to a tool's sentence. What it
// learns at each step it shows, tokens aside; then one asks any tool from its page.
import { createHash, randomBytes } from "node:crypto";
import { text as readAll } from "node:stream/consumers";
import { listen } from "../test/upstream/server.mjs";

/**
 * What its page shows besides: for each tool, arguments to begin with; and calls that meet a failure, in words.
 * @typedef {{ examples?: Record<string, Record<string, unknown>>,
 *   faults?: { what: string, name: string, arguments: Record<string, unknown> }[] }} Shown
 */
/** What one who has signed in holds. @typedef {{ client: string, server: Metadata, tokens: any, tools: any[] }} Session */

/**
 * Serves the client on any loopback port: its first page starts the dance, its callback ends it, and its forms ask.
 * @param {string} door its address, which ends in /mcp
 * @param {object} params of `tools/call`, asked at the end of the dance
 * @param {Shown} [shown]
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function startTrial(door, params, shown = {}) {
  /** What waits for its callback, by `state`. @type {Map<string, { verifier: string, client: string, server: Metadata }>} */
  const waiting = new Map();
  /** By a name that only its own page knows: no other page can make a browser ask. @type {Map<string, Session>} */
  const sessions = new Map();
  const trial = await listen(0, async (response, path, _, incoming) => {
    // Not resolved against its address: `//` would be a host, and none.
    const { pathname, searchParams } = new URL(`${trial.url}${path}`);
    const show = (/** @type {string} */ body) =>
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(makePage(door, body));
    try {
      if (pathname === "/go") {
        const location = await start(door, `${trial.url}/callback`, waiting);
        response.writeHead(303, { location }).end();
      } else if (pathname === "/callback") {
        const { steps, session } = await finish(door, params, `${trial.url}/callback`, searchParams, waiting);
        const id = randomBytes(16).toString("base64url");
        if (session !== null) sessions.set(id, session);
        show(steps.map(line).join("\n") + (session === null ? again : makeForms(id, session.tools, shown)));
      } else if (pathname === "/ask" && incoming.method === "POST") {
        const form = new URLSearchParams(await readAll(incoming));
        const id = form.get("session") ?? "";
        const session = sessions.get(id);
        if (session === undefined) throw new Error("cette session n'a pas commencé ici");
        const asked = readAsked(form, session.tools);
        const answer = await request(door, session, "tools/call", asked).then(
          (result) => makeAnswer(asked, result),
          (error) => line(`Ça n'a pas marché : ${error.message}`),
        );
        show(answer + makeForms(id, session.tools, shown, asked.name));
      } else show(first);
    } catch (error) {
      show(line(`Ça n'a pas marché : ${error instanceof Error ? error.message : error}`) + again);
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
 * @returns {Promise<{ steps: string[], session: Session | null }>} what happened, a line each; null when one was refused
 */
async function finish(door, params, redirect, given, waiting) {
  const kept = waiting.get(given.get("state") ?? "");
  if (kept === undefined) throw new Error("cette connexion n'a pas commencé ici");
  const { verifier, client, server } = kept;
  if (given.get("iss") !== server.issuer) throw new Error("l'émetteur n'est pas celui qu'on attendait");
  if (given.has("error")) return { steps: [`La porte a dit non : ${given.get("error")}.`], session: null };
  const code = { grant_type: "authorization_code", code: given.get("code") ?? "", code_verifier: verifier };
  const tokens = await readTokens(server, { ...code, redirect_uri: redirect, client_id: client, resource: door });
  const session = { client, server, tokens, tools: [] };
  await refresh(door, session);
  const result = await request(door, session, "tools/call", params);
  const { tools } = await request(door, session, "tools/list", {});
  const steps = [
    `Un jeton d'accès, bon ${tokens.expires_in / 60} minutes, puis un autre par le jeton de rafraîchissement.`,
    `La porte répond : « ${result.content[0].text} »`,
  ];
  return { steps, session: { ...session, tools } };
}

/** @param {string} door @param {Session} session its tokens become the next ones */
async function refresh(door, session) {
  const { server, client, tokens } = session;
  const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, client_id: client, resource: door };
  session.tokens = await readTokens(server, form);
}

/**
 * A request of MCP, again with the next token once the one it has is over.
 * @param {string} door
 * @param {Session} session
 * @param {string} method
 * @param {object} params
 * @returns {Promise<any>} its result
 */
async function request(door, session, method, params) {
  const send = () => call(door, { jsonrpc: "2.0", id: 1, method, params }, session.tokens.access_token);
  let answer = await send();
  if (answer.status === 401) {
    await refresh(door, session);
    answer = await send();
  }
  const { result } = await readJson(answer);
  return result;
}

/** @typedef {{ name: string, arguments: Record<string, unknown> }} Asked */

/**
 * The call that a form asks: its arguments as JSON, or a field for each, an empty one left out.
 * @param {URLSearchParams} form
 * @param {any[]} tools
 * @returns {Asked}
 */
function readAsked(form, tools) {
  const name = form.get("tool") ?? "";
  const whole = form.get("arguments");
  if (whole !== null) return { name, arguments: JSON.parse(whole) };
  const { properties = {} } = tools.find((tool) => tool.name === name)?.inputSchema ?? {};
  const given = Object.entries(properties).flatMap(([argument, { type }]) => {
    const text = (form.get(`arg.${argument}`) ?? "").trim();
    return text === "" ? [] : [[argument, readArgument(type, text)]];
  });
  return { name, arguments: Object.fromEntries(given) };
}

/** @param {string} type of JSON Schema @param {string} text */
function readArgument(type, text) {
  if (type === "integer" || type === "number") return Number(text);
  if (type === "boolean") return text === "oui";
  return type === "array" ? text.split(/\s*\n\s*/) : text;
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
  const body = await response.json();
  // Of OAuth a word, of MCP a sentence.
  if (typeof body.error === "object") throw new Error(body.error.message);
  if (response.status === 429) throw new Error("trop de connexions à la fois : attends une minute, puis recommence");
  if (!response.ok) throw new Error(`${new URL(response.url).pathname} répond ${response.status}, ${body.error}`);
  return body;
}

/** @param {unknown} text */
function escapeHtml(text) {
  return String(text).replace(/[&<>"]/g, (character) => `&#${character.codePointAt(0)};`);
}

/** @param {string} text */
const line = (text) => `<p>${escapeHtml(text)}</p>`;
const first = '<p><a href="/go">Se connecter</a></p>';
const again = '<p><a href="/go">Recommencer</a></p>';

/** @param {Asked} asked @param {{ content: any[], isError?: boolean }} result */
function makeAnswer({ name, arguments: args }, { content, isError = false }) {
  const blocks = content.map((block) =>
    block.type === "image"
      ? `<p><img alt="L'image que l'outil a rendue" src="data:${escapeHtml(block.mimeType)};base64,${escapeHtml(block.data)}"></p>`
      : line(block.text),
  );
  const asked = `<h2>${escapeHtml(name)} <code>${escapeHtml(JSON.stringify(args))}</code></h2>`;
  return `<section id="reponse"${isError ? ' class="refus"' : ""}>${asked}${blocks.join("")}</section>`;
}

/**
 * A form for each tool, and a button for each failure.
 * @param {string} session
 * @param {any[]} tools
 * @param {Shown} shown
 * @param {string} [open] the tool whose form is open
 */
function makeForms(session, tools, { examples = {}, faults = [] }, open) {
  const ask = (/** @type {string} */ tool, /** @type {string} */ fields) =>
    `<form method="post" action="/ask"><input type="hidden" name="session" value="${session}"><input type="hidden" name="tool" value="${escapeHtml(tool)}">${fields}</form>`;
  const forms = tools.map(({ name, description, inputSchema: { properties = {}, required = [] } }) => {
    const fields = Object.entries(properties).map(([argument, rule]) => {
      return makeField(argument, rule, examples[name]?.[argument], required.includes(argument));
    });
    const form = ask(name, `${fields.join("")}<button>Demander</button>`);
    return `<details${name === open ? " open" : ""}><summary>${escapeHtml(name)}</summary>${line(description)}${form}</details>`;
  });
  const known = faults.filter(({ name }) => tools.some((tool) => tool.name === name));
  const buttons = known.map(({ what, name, arguments: args }) => {
    const whole = `<input type="hidden" name="arguments" value="${escapeHtml(JSON.stringify(args))}">`;
    return ask(name, `${whole}<button>${escapeHtml(what)}</button>`);
  });
  const broken = buttons.length === 0 ? "" : `<h2>Ce qui ne va pas</h2>${buttons.join("")}`;
  return `<h2>Demander à un outil</h2>${forms.join("\n")}${broken}${again}`;
}

/** @param {string} name @param {any} rule @param {unknown} example @param {boolean} isRequired */
function makeField(name, rule, example, isRequired) {
  const named = `name="arg.${escapeHtml(name)}"${isRequired ? " required" : ""}`;
  const said = example === true ? "oui" : example === false ? "non" : (example ?? "");
  const choices = rule.type === "boolean" ? ["oui", "non"] : rule.enum;
  const option = (/** @type {string} */ choice) =>
    `<option${choice === said ? " selected" : ""}>${escapeHtml(choice)}</option>`;
  const isLong = rule.type === "array" || rule.maxLength > 200;
  const text = Array.isArray(said) ? said.join("\n") : said;
  const field =
    choices !== undefined
      ? `<select ${named}>${["", ...choices].map(option).join("")}</select>`
      : isLong
        ? `<textarea ${named} rows="3">${escapeHtml(text)}</textarea>`
        : `<input ${named} value="${escapeHtml(text)}">`;
  return `<label>${escapeHtml(name)} ${field}</label>`;
}

/** @param {string} door @param {string} body */
function makePage(door, body) {
  return `<!doctype html>
<html lang="fr-CA">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Client d'essai</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 34rem; margin: 8vh auto; padding: 0 1.5rem; font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h2 { font-size: 1.125rem; margin-top: 2rem; }
label { display: block; margin-bottom: .5rem; }
input, textarea, select { display: block; width: 100%; box-sizing: border-box; }
input, textarea, select, button { font: inherit; padding: .25rem .5rem; }
form { margin-bottom: .5rem; }
section { border-left: .25rem solid #1a7f4b; padding-left: 1rem; }
.refus { border-color: #b3261e; }
</style>
<main>
<h1>Client d'essai</h1>
${line(`La porte : ${door}`)}
${body}
</main>
`;
}
