// npm run deploy: a door, or all of them, to Cloudflare.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import { readHeader } from "./assets.mjs";
import { BuildError } from "./blog.mjs";
import { loadLab, loadLock } from "./bundle.mjs";
import { command, UsageError } from "./command.mjs";
import { ensureIndex } from "./index.mjs";
import { CONFIG, Failure, isPrivate, loadDoor, prepareServerJson, readFleet } from "./server-json.mjs";

/** @typedef {import("./server-json.mjs").Settings} Settings */

const HELP = `npm run deploy -- NAME|all [--dry-run]

Deploys a door to Cloudflare, at the address that PUBLIC_URL gives it in wrangler.toml: that line is the only one to
change. Its domain must be a zone of the account. The index of articles is built first, where there is none.

  NAME         an environment of wrangler.toml, for example hockey, meteo, articles or labo; all: every public door. A
               private one, behind Cloudflare Access, goes by its name: shared-docs/labo.md says what it needs before
  --dry-run    builds and checks everything, and sends nothing; needs no account and no network

CLOUDFLARE_API_TOKEN   a token made from the template "Edit Cloudflare Workers"; without it, npx wrangler login once
CLOUDFLARE_ACCOUNT_ID  which account, when the token opens several

If the host has a DNS record already, Wrangler asks before it replaces it; without a terminal, it replaces it.
Refused before anything is sent: a host that is a placeholder or no domain (--dry-run only says so), CLOCK, an address
in plain http, a door without its brake or with another address of Cloudflare's, logs that would keep those of callers; a
private door with a setting that its lock or its sources would refuse, a tool that it hasn't or that lacks its source, or a
secret in ${CONFIG}.
Exit code 2 when an argument is wrong, 1 when a door is refused or can't be deployed.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = { "dry-run": { type: "boolean", default: false } };

/** Names kept for documents and tests (RFC 2606, RFC 6761), and those that no zone can hold. */
const PLACEHOLDER =
  /(^|\.)((example|your-domain|ton-domaine)(\.[a-z]+)*|test|invalid|localhost|local|internal|home\.arpa|(workers|pages)\.dev)$/;
/** A part of a host's name; the colons and brackets of an IPv6 address are told apart after. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$|^\[[0-9a-f:]+\]$/;
const NOT_YOURS = "has a host that can't be yours";
/** The placeholders of a private door, in wrangler.toml and in shared-docs/labo.md. */
const NOT_SET = "is still the example's";
const TEAM_PLACEHOLDER = /^(your-team|mon-equipe)$/i;
const TAG_PLACEHOLDER = /^your-application-tag$|…/;
/** Limits of a private door besides the brake: registrations, and codes used once. */
const PRIVATE_LIMITS = ["REGISTER_BRAKE", "REGISTER_BRAKE_ALL", "SPENT"];
/** Names that hold what nobody else may read. */
const SECRET = /_(KEY|SECRET|TOKEN)$/;
/** Names that only a house knows, and those that are kept for documents. */
const LOCAL = /(^|\.)(localhost|local|lan|home|internal|invalid|test|example|home\.arpa)$/;
const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
/** It says nothing of its own version and asks nothing that isn't about the deployment. */
const QUIET = {
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
};

await command(HELP, OPTIONS, async (values, [asked, ...extra]) => {
  try {
    const fleet = await readFleet();
    const choices = [...fleet.keys(), "all"];
    if (!choices.includes(asked) || extra.length > 0) {
      const given = asked === undefined ? "no door named" : `unknown door "${[asked, ...extra].join(" ")}"`;
      throw new UsageError(`${given}: choose one of ${choices.join(", ")}`);
    }
    const isAsked = (/** @type {[string, Settings]} */ [name, settings]) =>
      asked === "all" ? !isPrivate(settings) : name === asked;
    const doors = new Map([...fleet].filter(isAsked));
    await deploy(doors, fleet, values["dry-run"]);
  } catch (error) {
    if (!(error instanceof Failure || error instanceof BuildError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
});

/**
 * All the doors are judged before the first one is sent.
 * @param {Map<string, Settings>} doors
 * @param {Map<string, Settings>} fleet all that there are: a door must not take the address of another
 * @param {boolean} dryRun
 */
async function deploy(doors, fleet, dryRun) {
  const faults = [...doors].flatMap(([name, settings]) => faultsOf(name, settings).map((fault) => `${name}: ${fault}`));
  for (const [name, settings] of doors) {
    if (!isPrivate(settings) || faultsOfShape(settings).length > 0) continue;
    const judged = [...(await faultsOfVars(name, settings)), ...(await faultsOfSources(settings))];
    faults.push(...judged.map((fault) => `${name}: ${fault}`));
  }
  const homes = [...fleet.values()].map(({ vars }) => vars.PUBLIC_URL);
  const twice = homes.find((home, index) => homes.indexOf(home) !== index);
  if (faults.length === 0 && twice !== undefined) faults.push(`two doors have the same address, ${twice}`);
  const names = [...fleet.values()].map(({ name }) => name);
  const same = names.find((name, index) => names.indexOf(name) !== index);
  if (same !== undefined) faults.push(`two doors have the same name, ${same}: the second would take the first's place`);
  const limits = [...fleet.values()].flatMap(({ ratelimits }) => ratelimits.map((limit) => limit.namespace_id));
  const shared = limits.find((id, index) => limits.indexOf(id) !== index);
  if (faults.length === 0 && shared !== undefined)
    faults.push(`two limits have the namespace_id ${shared}: they would count together`);
  const said = faults.map((fault) => `${CONFIG}: ${fault}`);
  // Before anybody has a domain, all the rest can be tried.
  const isExample = (/** @type {string} */ fault) => fault.includes(NOT_YOURS) || fault.includes(NOT_SET);
  const refused = dryRun ? said.filter((fault) => !isExample(fault)) : said;
  if (refused.length > 0) throw new Failure(refused.join("\n"));
  for (const fault of said) console.error(`${fault}; a deployment will be refused`);
  if ([...doors.values()].some(({ assets }) => assets !== undefined)) await ensureIndex();
  /** @type {Map<string, { url: string, version: string, written: Awaited<ReturnType<typeof prepareServerJson>> | null }>} */
  const cards = new Map();
  for (const [name, settings] of doors) cards.set(name, await prepareCard(name, settings));

  /** @type {string[]} */
  const done = [];
  for (const [name, { url, version, written }] of cards) {
    console.log(`\n${name} ${version}  ${url}${sayIndex(doors.get(name)?.assets?.directory)}`);
    const code = await runWrangler(name, new URL(url).hostname, dryRun);
    if (code !== 0) throw new Failure(sayFailure(name, done, dryRun));
    done.push(url);
    if (written === null || written.isCurrent) continue;
    if (!dryRun) writeFileSync(written.file, written.text);
    console.log(`${written.file}: ${dryRun ? "it will be rewritten" : "rewritten, to be committed"}`);
  }
  console.log(dryRun ? "\nNothing was sent." : `\nDeployed. Now, from any machine:`);
  for (const [name, { url, written }] of dryRun ? [] : cards) {
    console.log(written === null ? `  ${sayPrivate(name, url)}` : `  npm run probe -- ${url}`);
  }
}

/**
 * What is said of a door, and the server.json of a public one.
 * @param {string} name
 * @param {Settings} settings
 */
async function prepareCard(name, settings) {
  if (isPrivate(settings)) {
    const { SERVER } = await loadDoor(name);
    return { url: new URL("/mcp", String(settings.vars.PUBLIC_URL)).href, version: SERVER.version, written: null };
  }
  const written = await prepareServerJson(name, settings);
  const [{ url }] = written.card.remotes;
  return { url, version: written.card.version, written };
}

/**
 * @param {string} name
 * @param {string} url
 */
function sayPrivate(name, url) {
  return `${name}: curl -i ${url} answers 401, and ${new URL("/authorize", url)} asks for your e-mail`;
}

/**
 * What an environment can't be deployed with.
 * @param {string} name
 * @param {Settings} settings
 * @returns {string[]}
 */
function faultsOf(name, settings) {
  const { vars, workers_dev, preview_urls, observability, logpush, tail_consumers, ratelimits } = settings;
  const odd = faultsOfShape(settings);
  if (odd.length > 0) return odd;
  const plain = Object.entries(vars).filter(([, value]) => /^\s*(http|ws):/i.test(String(value)));
  return [
    ...(vars.CLOCK === undefined ? [] : ["CLOCK stops the door's time at another day: take it away"]),
    ...plain.map(([name, value]) => `${name} is in plain http (${value}): https is needed`),
    ...(plain.some(([name]) => name === "PUBLIC_URL") ? [] : faultsOfHome(vars.PUBLIC_URL)),
    ...(workers_dev === false ? [] : ["workers_dev must be false: no rule can brake an address of workers.dev"]),
    ...(preview_urls === false ? [] : ["preview_urls must be false: no rule can brake the address of a preview"]),
    ...(observability?.logs?.invocation_logs === false
      ? []
      : ["invocation_logs must be false: those lines hold the addresses of the callers"]),
    ...(observability?.traces?.enabled || logpush || (tail_consumers ?? []).length > 0
      ? ["traces, logpush and tail_consumers must be off: they hold the addresses of the callers"]
      : []),
    ...(ratelimits.some(({ name }) => name === "BRAKE") ? [] : ["BRAKE must be bound in its ratelimits: the brake"]),
    ...(isPrivate(settings) ? faultsOfLock(name, settings) : []),
  ];
}

/**
 * Variables that aren't text, of which nothing else can be said.
 * @param {Settings} settings
 * @returns {string[]}
 */
function faultsOfShape({ vars }) {
  return Object.entries(vars)
    .filter(([, value]) => typeof value === "object")
    .map(([name]) => `${name} must be a text, between quotation marks`);
}

/**
 * What the lock of a private door can't be deployed with.
 * @param {string} name
 * @param {Settings} settings
 * @returns {string[]}
 */
function faultsOfLock(
  name,
  { main = "", vars, ratelimits, assets, secrets: { required = [] } = {}, routes = [], route },
) {
  const secrets = Object.keys(vars).filter((name) => /^ROOT_/.test(name));
  const unbound = PRIVATE_LIMITS.filter((limit) => !ratelimits.some(({ name }) => name === limit));
  const once = ratelimits.find(({ name }) => name === "SPENT")?.simple;
  return [
    // What is judged here is what Wrangler must send.
    ...(resolve(main) === resolve(`workers/${name}/index.ts`) ? [] : [`main must be workers/${name}/index.ts`]),
    ...secrets.map((name) => `${name} is a secret: take it out of the file, and give it with npx wrangler secret bulk`),
    ...["ROOT_TOK", "ROOT_CLI"]
      .filter((name) => !required.includes(name))
      .map((name) => `${name} must be among the required of its secrets`),
    ...(vars.ACCESS_API === undefined
      ? []
      : ["ACCESS_API stands in for Cloudflare Access in development: take it away"]),
    ...unbound.map((name) => `${name} must be bound in its ratelimits`),
    ...(once === undefined || (once.limit === 1 && once.period === 60)
      ? []
      : ["SPENT must have the limit 1 and the period 60: a code is used once, and lives 60 s"]),
    ...(routes.length === 0 && route === undefined
      ? []
      : ["routes must be empty: Access stands before the host of PUBLIC_URL only"]),
    ...(assets === undefined ? [] : ["assets must be taken away: those files would be served before the lock"]),
  ];
}

/**
 * What the variables of a private door would shut it with, or leave of it: each judged as the lock does, then as a
 * deployment must be.
 * @param {string} name
 * @param {Settings} settings
 * @returns {Promise<string[]>}
 */
async function faultsOfVars(name, { vars }) {
  const { ACCESS_TEAM = "", ACCESS_AUD = "", OWNER_EMAIL = "", LABO_TOOLS = "" } = vars;
  const domain = /^[^@\s,*]+@((?:[a-z0-9-]+\.)+[a-z0-9-]+)$/i.exec(String(OWNER_EMAIL))?.[1].toLowerCase();
  const [{ TOOLS }, { readVars, checkInstant, TEAM }] = await Promise.all([loadDoor(name), loadLock()]);
  const tools = Object.keys(TOOLS);
  const unknown = String(LABO_TOOLS)
    .split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "" && !tools.includes(tool));
  /** @type {[boolean, string][]} */
  const faults = [
    [TEAM_PLACEHOLDER.test(String(ACCESS_TEAM)), `ACCESS_TEAM ${NOT_SET}: the name of your Zero Trust team`],
    [
      !TEAM.test(String(ACCESS_TEAM)),
      "ACCESS_TEAM must be the name of your Zero Trust team alone: what comes before .cloudflareaccess.com",
    ],
    [
      TAG_PLACEHOLDER.test(String(ACCESS_AUD)),
      `ACCESS_AUD ${NOT_SET}: the AUD tag of your application, 64 hexadecimal digits`,
    ],
    [
      !TAG_PLACEHOLDER.test(String(ACCESS_AUD)) && !/^(?!0+$)[0-9a-f]{64}$/.test(String(ACCESS_AUD)),
      "ACCESS_AUD must be the AUD tag of your application: 64 hexadecimal digits",
    ],
    [domain !== undefined && PLACEHOLDER.test(domain), `OWNER_EMAIL ${NOT_SET}: the address you sign in with`],
    [domain === undefined, "OWNER_EMAIL must be one e-mail address: the one you sign in with"],
    [String(LABO_TOOLS).replace(/[\s,]/g, "") === "", "LABO_TOOLS must name the tools to open, with commas between"],
    [unknown.length > 0, `LABO_TOOLS names what isn't a tool, ${unknown.join(", ")}: choose among ${tools.join(", ")}`],
  ];
  const said = faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
  try {
    checkInstant(readVars(vars).minIat, Date.now());
    return said;
  } catch (error) {
    // The lock stops at the first one, which may be one of those.
    const more = error instanceof Error ? error.message : String(error);
    return said.some((fault) => fault.split(" ")[0] === more.split(" ")[0]) ? said : [...said, more];
  }
}

/**
 * What would shut tools of a private door without a word: a setting that one of their sources wouldn't take, or lacks. No
 * value is said, since one may hold a password.
 * @param {Settings} settings
 * @returns {Promise<string[]>}
 */
async function faultsOfSources({ vars, secrets: { required = [] } = {} }) {
  const { LAB, SOURCES, readAddress, readScope } = await loadLab();
  const { LABO_TOOLS = "", HOME_CAMERAS, TIME_ZONE } = vars;
  const named = String(LABO_TOOLS)
    .split(",")
    .map((tool) => tool.trim());
  const hasSecret = (/** @type {string} */ name) => required.includes(name);
  const faults = Object.keys(vars)
    .filter((name) => SECRET.test(name))
    .map((name) => `${name} is a secret: take it out of the file, and give it with npx wrangler secret put`);
  for (const [name, source] of Object.entries(SOURCES)) {
    const { address, usual, ending = "", key, scope, pair, needsNoKey = false } = source;
    const [tool] = named.filter((one) => Object.hasOwn(LAB, one) && LAB[one].source === name);
    const needs = (/** @type {string} */ setting) => `${setting}: ${tool} needs it`;
    const home = readAddress(source, vars);
    const isPlain = /^\s*http:/i.test(String(vars[address]));
    const after = ending === "" ? "nothing after" : `a path that ends in ${ending}`;
    if (home === null && vars[address] !== undefined && !isPlain) {
      faults.push(`${address} must be https:// and a host that Cloudflare reaches, and ${after}`);
    } else if (home !== null && home !== usual && !isPlain && isUnreachable(new URL(home).hostname)) {
      faults.push(`${address} has a host that Cloudflare can't reach: give it one of your tunnel's`);
    }
    if (home === null && vars[address] === undefined && tool !== undefined)
      faults.push(needs(`${address} must be set`));
    if (scope !== undefined && vars[scope.name] === undefined) {
      if (tool !== undefined) faults.push(needs(`${scope.name} must be set`));
    } else if (scope !== undefined && readScope(vars[scope.name], scope.isOne) === null) {
      faults.push(
        `${scope.name} must be ${scope.isOne ? "one repository, as you/name" : "repositories, as you/one, you/two"}`,
      );
    }
    const [hasId, hasOther] = [`${pair}_ID`, `${pair}_SECRET`].map(
      (half) => hasSecret(half) || vars[half] !== undefined,
    );
    if (pair !== undefined && hasId !== hasOther) {
      faults.push(
        `${pair}_${hasId ? "SECRET" : "ID"} must be among the required of its secrets: half a pair opens nothing`,
      );
    }
    if (tool !== undefined && !hasSecret(key) && !(needsNoKey && hasId && hasOther)) {
      faults.push(needs(`${key} must be among the required of its secrets`));
    }
  }
  const cameras = HOME_CAMERAS === undefined ? [] : String(HOME_CAMERAS).split(",");
  if (cameras.some((id) => !/^camera\.[a-z\d_]+$/.test(id.trim()))) {
    faults.push("HOME_CAMERAS must be ids of cameras, as camera.one, camera.two");
  }
  if (TIME_ZONE !== undefined && !isZone(TIME_ZONE))
    faults.push("TIME_ZONE must be the name of one, as America/Toronto");
  // Three sources are GitHub's.
  return [...new Set(faults)];
}

/** @param {unknown} name */
function isZone(name) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: String(name) }) !== null;
  } catch {
    return false;
  }
}

/** @param {string} host */
function isUnreachable(host) {
  return LOCAL.test(host) || isIP(host.replace(/[[\]]/g, "")) !== 0 || !host.includes(".");
}

/**
 * @param {unknown} home
 * @returns {string[]}
 */
function faultsOfHome(home) {
  const url = typeof home === "string" && URL.canParse(home) ? new URL(home) : null;
  // Capitals, accents: a browser writes them otherwise, and so does Cloudflare.
  if (
    url?.protocol === "https:" &&
    home !== url.origin &&
    `${url.origin}/` === url.href &&
    !/[/?#]$/.test(String(home))
  ) {
    return [`PUBLIC_URL must be written ${url.origin}`];
  }
  if (url === null || url.protocol !== "https:" || url.origin !== home || url.port !== "") {
    return [`PUBLIC_URL must be https:// and a host, and nothing after: ${home ?? "it isn't there"}`];
  }
  const { hostname } = url;
  if (!hostname.split(".").every((label) => LABEL.test(label))) {
    return [`PUBLIC_URL has a host that no domain can hold, ${hostname}: letters, digits and hyphens between its dots`];
  }
  if (PLACEHOLDER.test(hostname) || isIP(hostname.replace(/[[\]]/g, "")) !== 0 || !hostname.includes(".")) {
    return [`PUBLIC_URL ${NOT_YOURS}, ${hostname}: put one of your own domain there`];
  }
  return [];
}

/** @param {string | undefined} folder of the index, for a door that has one */
function sayIndex(folder) {
  const header = folder === undefined ? null : readHeader(folder, { say() {}, warn: console.error });
  if (header === null) return "";
  const { name, articles, generated, model } = header;
  return `\n  its index: ${name}, ${articles.length} article(s), of ${generated.slice(0, 10)}, ${model ?? "words only"}`;
}

/**
 * @param {string} name
 * @param {string} host
 * @param {boolean} dryRun
 * @returns {Promise<number | null>} its exit code
 */
function runWrangler(name, host, dryRun) {
  // The domain is given here, and not as a route of wrangler.toml: it would be the address a second time.
  // The file is named: Wrangler would rather read a wrangler.json that stands beside it.
  const args = [
    WRANGLER,
    "deploy",
    "--config",
    CONFIG,
    "--env",
    name,
    "--domain",
    host,
    ...(dryRun ? ["--dry-run"] : []),
  ];
  const wrangler = spawn(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...QUIET } });
  // Who stops this command stops the deployment; a Ctrl-C reaches both.
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => wrangler.kill(signal));
  return new Promise((resolve, reject) => {
    wrangler.once("error", reject).once("close", resolve);
  });
}

/**
 * @param {string} name
 * @param {string[]} done
 * @param {boolean} dryRun
 */
function sayFailure(name, done, dryRun) {
  const signIn =
    dryRun || process.env.CLOUDFLARE_API_TOKEN
      ? ""
      : "; if it is that nobody is signed in: npx wrangler login, or a token in CLOUDFLARE_API_TOKEN";
  const before = dryRun || done.length === 0 ? "" : `. Deployed before it: ${done.join(", ")}`;
  return `${name} isn't ${dryRun ? "ready" : "deployed"}: Wrangler says why above${signIn}${before}`;
}
