// npm run probe: a deployed door seen from outside, as clients see it. What breaks them is most often in front of the door.
import { clip, readDoor, sayNoAnswer } from "./address.mjs";
import { command } from "./command.mjs";

const HELP = `npm run probe -- URL

Checks a public door from outside, some twenty requests one after the other: GET is 405, nothing is at /.well-known/*, every known
client gets the same answer, web pages may call, nothing redirects, nobody is challenged. One line for each check, with
what to change; the rest is in shared-docs/frein.md.

  URL    the address that ends in /mcp: https, or http on this machine

Exit code 2 when an argument is wrong, 1 when a check fails, when nothing answers, or when the door is a private one.`;

/** Claude gives discovery 10 s. */
const TIMEOUT_MS = 10_000;

/** What real clients call themselves. curl first: the others must get what it gets. */
const AGENTS = [
  "curl/8.14.1",
  "Claude-User",
  "python-httpx/0.28.1",
  "claude-code/2.1.332 (cli)",
  "ChatGPT-User",
  "HomeAssistant/2026.4.3 httpx/0.28.1 Python/3.14",
  "codex-mcp-client/0.171.0",
  "node",
];
/** Where clients look for a way to sign in. An open door has none, and must say so. */
const WELL_KNOWN = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/mcp",
  "/.well-known/openid-configuration",
];
/** What the web version of a client sends, and so asks permission for. */
const ORIGIN = "https://client.example.com";
const ASKED_HEADERS = ["content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];
const INITIALIZE = {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "probe", version: "1" } },
  }),
};

/**
 * @typedef {{ status: number, headers: Headers, text: string, json: any }} Answer
 * @typedef {{ method?: string, headers?: Record<string, string>, body?: string }} Asked
 */

/** Nothing answers, or no public door does: the other checks would only say it again. */
class Failure extends Error {}

await command(HELP, {}, async (_, positionals) => {
  const url = readDoor(positionals);
  try {
    const checks = await probe(url, ({ name, fault }) =>
      console.log(fault === null ? `ok    ${name}` : `FAIL  ${name}: ${fault}`),
    );
    const failed = checks.filter(({ fault }) => fault !== null).length;
    console.log(`${url}: ${checks.length} checks, ${failed} failed`);
    if (failed > 0) process.exit(1);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exit(1);
  }
});

/**
 * @param {URL} url
 * @param {(check: { name: string, fault: string | null }) => void} say called as soon as a check is done
 */
async function probe(url, say) {
  /** @type {{ name: string, fault: string | null }[]} */
  const checks = [];
  /** @type {(name: string, fault: string | null) => void} */
  const note = (name, fault) => {
    checks.push({ name, fault });
    say({ name, fault });
  };
  /** @type {(path: string, asked?: Asked) => Promise<Answer>} */
  const to = (path, asked) => ask(new URL(path, url), asked);

  const [first, ...others] = AGENTS;
  const plain = await to("/mcp", as(first));
  if (plain.status === 401 && plain.headers.get("www-authenticate")?.includes("resource_metadata="))
    throw new Failure(
      `${url}: it asks for a token. A private door does, and these checks aren't for it; at a public one, Access is in front`,
    );
  note(`initialize, as ${first}`, faultOf(plain) ?? faultOfOpening(plain));
  for (const agent of others) {
    const answer = await to("/mcp", as(agent));
    note(`initialize, as ${agent}`, faultOf(answer) ?? faultOfOpening(answer) ?? faultOfDifference(answer, plain));
  }
  const slashed = await to("/mcp/", as(first));
  note("the same with a slash at the end", faultOf(slashed) ?? faultOfDifference(slashed, plain));
  const got = await to("/mcp", { headers: { accept: "text/event-stream" } });
  note(
    "GET /mcp is 405",
    faultOf(got) ?? faultOfStatus(got, 405, "clients take anything else for a stream or a way to sign in"),
  );
  for (const path of WELL_KNOWN) {
    const answer = await to(path);
    note(
      `${path} is 404`,
      faultOf(answer) ??
        faultOfStatus(answer, 404, "the door would be taken for a protected one") ??
        faultOfJson(answer),
    );
  }
  const preflight = await to("/mcp", {
    method: "OPTIONS",
    headers: {
      origin: ORIGIN,
      "access-control-request-method": "POST",
      "access-control-request-headers": ASKED_HEADERS.join(","),
    },
  });
  note("a web page may ask to call", faultOf(preflight) ?? faultOfPreflight(preflight));
  const called = await to("/mcp", { ...INITIALIZE, headers: { ...INITIALIZE.headers, origin: ORIGIN } });
  note("a web page may read the answer", faultOf(called) ?? faultOfDifference(called, plain) ?? faultOfOrigin(called));
  const refused = await to("/mcp", { headers: { origin: ORIGIN } });
  note("a web page may read a refusal", faultOf(refused) ?? faultOfOrigin(refused));
  return checks;
}

/**
 * @param {string} agent
 * @returns {Asked}
 */
function as(agent) {
  return { ...INITIALIZE, headers: { ...INITIALIZE.headers, "user-agent": agent } };
}

/**
 * @param {URL} url
 * @param {Asked} [asked]
 * @returns {Promise<Answer>}
 */
async function ask(url, { headers, ...asked } = {}) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, {
      ...asked,
      headers: { "user-agent": AGENTS[0], ...headers },
      redirect: "manual",
      signal,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  } catch (error) {
    throw new Failure(`${url}: ${sayNoAnswer(error)}: is the door deployed at this address?`);
  }
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * What no answer may be, whatever was asked: it comes from something in front of the door.
 * @param {Answer} answer
 */
function faultOf({ status, headers, text }) {
  if (status >= 300 && status < 400) {
    return `${status} to ${clip(headers.get("location") ?? "nowhere")}: clients lose their question on the way; remove the redirect`;
  }
  if (headers.has("cf-mitigated")) {
    return `${status}, a challenge of Cloudflare (cf-mitigated: ${clip(headers.get("cf-mitigated") ?? "")}): turn off Bot Fight Mode, Browser Integrity Check and Under Attack for this host`;
  }
  if (status === 429) return "429, the brake: wait ten seconds and start again";
  if (status === 401) return "401: clients will ask to sign in";
  if (status === 403 || status === 402) {
    return `${status}, ${show(text)}: turn off Block AI bots and allow Claude-User in AI Crawl Control, or look at PUBLIC_URL`;
  }
  if (status >= 500) return `${status}, ${show(text)}: the door never says this; look at what is in front of it`;
  if (/html/i.test(headers.get("content-type") ?? "")) {
    return `${status}, a web page where JSON is needed, ${show(text)}: something answers in place of the door`;
  }
  return null;
}

/** @param {Answer} answer */
function faultOfOpening(answer) {
  if (answer.status === 200 && typeof answer.json?.result?.serverInfo?.name === "string") return null;
  return `${answer.status}, ${show(answer.text)}: 200 and the name of a door are needed`;
}

/**
 * @param {Answer} answer
 * @param {Answer} plain
 */
function faultOfDifference(answer, plain) {
  if (answer.status === plain.status && answer.text === plain.text) return null;
  return `${answer.status}, ${show(answer.text)}: not what ${AGENTS[0]} gets (${plain.status}); something in front of the door sorts its callers`;
}

/**
 * @param {Answer} answer
 * @param {number} wanted
 * @param {string} why
 */
function faultOfStatus({ status, text }, wanted, why) {
  return status === wanted ? null : `${status}, ${show(text)}: ${wanted} is needed, ${why}`;
}

/** @param {Answer} answer */
function faultOfJson({ text, json }) {
  return json === null ? `its body is not JSON, ${show(text)}: something answers in place of the door` : null;
}

/** @param {Answer} answer */
function faultOfOrigin({ headers }) {
  const allowed = headers.get("access-control-allow-origin");
  return allowed === "*" || allowed === ORIGIN
    ? null
    : `access-control-allow-origin is ${clip(allowed ?? "missing")}: * is needed`;
}

/** @param {Answer} answer */
function faultOfPreflight(answer) {
  const { status, headers } = answer;
  if (status < 200 || status > 299) return `${status}: 204 is needed`;
  /** @type {(name: string) => string[]} */
  const list = (name) =>
    (headers.get(name) ?? "")
      .toLowerCase()
      .split(",")
      .map((item) => item.trim());
  const missing = ASKED_HEADERS.filter((name) => !list("access-control-allow-headers").includes(name));
  if (missing.length > 0) return `access-control-allow-headers lacks ${missing.join(", ")}`;
  if (!list("access-control-allow-methods").includes("post")) return "access-control-allow-methods lacks POST";
  return faultOfOrigin(answer);
}

/**
 * The beginning of a body, on one line.
 * @param {string} text
 */
function show(text) {
  const line = clip(text);
  return line === "" ? "an empty body" : `« ${line} »`;
}
