// npm run rate-limit: the brake in front of the doors, a rate limiting rule of their Cloudflare zone.
import { clip, readOrigin, sayNoAnswer } from "./address.mjs";
import { command, UsageError } from "./command.mjs";

/**
 * A rule as the API gives it; what isn't known of it is sent back as it came.
 * @typedef {{ id?: string, description?: string, expression: string, action: string, enabled?: boolean,
 *   ratelimit?: Limit, [more: string]: unknown }} Rule
 * @typedef {{ characteristics: string[], period: number, requests_per_period: number, mitigation_timeout: number,
 *   counting_expression?: string, requests_to_origin?: boolean }} Limit
 * @typedef {{ name?: string, description?: string, rules?: Rule[] }} Ruleset
 * @typedef {{ status: number, errors: { code: number, message: string }[], result: Ruleset | null }} Answer
 */

/** The figures are those of the BRAKE binding in wrangler.toml; each one is the only one that the Free plan takes. */
const RULE = {
  description: "MCP doors: 30 requests per 10 s per IP",
  // Path only: the Free plan has no host, so the rule covers every door of the zone. A door answers to both spellings.
  expression: '(http.request.uri.path eq "/mcp" or http.request.uri.path eq "/mcp/")',
  action: "block",
  enabled: true,
  ratelimit: {
    // The API wants cf.colo.id: each Cloudflare location counts for itself.
    characteristics: ["cf.colo.id", "ip.src"],
    period: 10,
    requests_per_period: 30,
    mitigation_timeout: 10,
  },
};
const SAID = "30 requests per 10 s per address on /mcp, then blocked for 10 s";
const API = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 10_000;
/** "could not find entrypoint ruleset": the zone never had a rule in this phase. */
const NO_RULESET = 10003;
const TOO_MANY_RULES = 50001;
/** Malformed, unknown, or without the permission: the API gives the last two the same number. */
const BAD_TOKEN = [6003, 9109, 10000];
const PLANS = `Every plan can hold it. Free takes one rule per zone, on the path alone, 10 s and 10 s, without an answer of one's own;
Pro takes two rules, Business five. A zone is needed, with a domain: workers.dev has none.`;

const HELP = `npm run rate-limit -- --zone ID [--dry-run | --check | --apply]

The brake in front of the doors: a rate limiting rule of their Cloudflare zone,
${SAID}.

  --zone ID    the zone's 32 characters, from the overview of the domain in Cloudflare's dashboard
  --dry-run    shows the request and changes nothing; needs no token (the default)
  --check      compares the zone's rule with ours; exit code 1 when it is missing or differs
  --apply      puts the rule; the other rules of the phase are sent back as they are

${PLANS}

CLOUDFLARE_API_TOKEN  a token with the permission Zone > Zone WAF > Edit on the zone (Read is enough for --check)
CLOUDFLARE_API        another address of the API, for tests

The API replaces the whole list of rules: don't edit one in the dashboard at the same instant.
Exit code 2 when an argument is wrong, 1 when Cloudflare refuses or doesn't answer.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = {
  zone: { type: "string" },
  "dry-run": { type: "boolean", default: false },
  check: { type: "boolean", default: false },
  apply: { type: "boolean", default: false },
};

/** What stops the command once it runs: one line, exit code 1. */
class Failure extends Error {}

await command(HELP, OPTIONS, async (values, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const modes = ["dry-run", "check", "apply"].filter((mode) => values[mode]).map((mode) => `--${mode}`);
  if (modes.length > 1) throw new UsageError(`${modes.join(" ")}: choose one`);
  if (!/^[0-9a-f]{32}$/.test(values.zone ?? "")) {
    const given = values.zone === undefined ? "--zone ID is needed" : `--zone ${values.zone} is not a zone's ID`;
    throw new UsageError(`${given}: 32 characters, from the overview of the domain in Cloudflare's dashboard`);
  }
  const api = readOrigin(process.env.CLOUDFLARE_API || API, "CLOUDFLARE_API");
  if (api.search !== "" || api.hash !== "") throw new UsageError(`CLOUDFLARE_API ${api}: nothing may follow its path`);
  const base = api.href.replace(/\/$/, "");
  const url = `${base}/zones/${values.zone}/rulesets/phases/http_ratelimit/entrypoint`;
  if (!values.check && !values.apply) return show(url);
  const token = readToken(process.env.CLOUDFLARE_API_TOKEN ?? "");
  try {
    await (values.check ? check : apply)({ url, token, zone: values.zone });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exit(1);
  }
});

/** @param {string} text */
function readToken(text) {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  const what = text === "" ? "is not set" : "has something else than a token in it";
  throw new UsageError(`CLOUDFLARE_API_TOKEN ${what}: a token with the permission Zone > Zone WAF > Edit is needed`);
}

/** @param {string} url */
function show(url) {
  console.log(`PUT ${url}\n${JSON.stringify({ rules: [RULE] }, null, 2)}\n`);
  console.log(`${PLANS}
The other rules of the phase, if any, are sent back with it. --check compares and --apply puts it, with a token in
CLOUDFLARE_API_TOKEN that has the permission Zone > Zone WAF > Edit.`);
}

/** @typedef {{ url: string, token: string, zone: string }} Target */

/** @param {Target} target */
async function check(target) {
  const { rules = [] } = await fetchRuleset(target);
  const found = rules.find(isOurs);
  if (found === undefined) {
    const held = rules.length > 0 ? ` ${sayOthers(rules)}, and the Free plan takes one rule only.` : "";
    throw new Failure(`zone ${target.zone}: the rule isn't there: put it with --apply.${held}`);
  }
  const differences = compare(found);
  if (differences.length > 0) {
    throw new Failure(`zone ${target.zone}: ${differences.join("; ")}: repair it with --apply`);
  }
  console.log(`zone ${target.zone}: the rule is there: ${SAID}`);
}

/** @param {Target} target */
async function apply(target) {
  const ruleset = await fetchRuleset(target);
  const rules = ruleset.rules ?? [];
  const found = rules.find(isOurs);
  if (found !== undefined && compare(found).length === 0) {
    console.log(`zone ${target.zone}: nothing to change: ${SAID}`);
    return;
  }
  const others = rules.filter((rule) => rule !== found);
  const sent =
    found === undefined ? [...rules, RULE] : rules.map((rule) => (rule === found ? { ...rule, ...RULE } : rule));
  const { name, description } = ruleset;
  const put = await ask(target, { name, description, rules: sent.map(withoutStamps) });
  if (put.status !== 200) throw new Failure(sayRefusal(put, target, others));
  if (!put.result?.rules?.some((rule) => isOurs(rule) && compare(rule).length === 0)) {
    throw new Failure(`zone ${target.zone}: Cloudflare says it is done, without the rule in its answer: run --check`);
  }
  const kept = others.length > 0 ? `. Left as they were: ${others.map(sayRule).join(", ")}` : "";
  console.log(`zone ${target.zone}: the rule is put: ${SAID}${kept}`);
}

/**
 * The rules of the phase; an empty ruleset where the zone never had one.
 * @param {Target} target
 */
async function fetchRuleset(target) {
  const answer = await ask(target);
  if (answer.status === 404 && answer.errors.some(({ code }) => code === NO_RULESET))
    return /** @type {Ruleset} */ ({});
  if (answer.status !== 200 || answer.result === null) throw new Failure(sayRefusal(answer, target, []));
  return answer.result;
}

/**
 * Reads the entry point of the phase, or writes it when there is a body.
 * @param {Target} target
 * @param {Ruleset} [body]
 * @returns {Promise<Answer>}
 */
async function ask({ url, token, zone }, body) {
  // Once sent, a write may have been done whatever comes back.
  const then = body === undefined ? "try again" : "nothing tells whether the rule was put: run --check";
  try {
    const response = await fetch(url, {
      method: body === undefined ? "GET" : "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const { status } = response;
    const answer = parse(await response.text());
    if (status >= 300 && status < 400)
      throw new Failure(`Cloudflare's API redirects (${status}): look at CLOUDFLARE_API`);
    if (status >= 500) throw new Failure(`zone ${zone}: Cloudflare's API is down (${status}): ${then}`);
    if (answer === null) throw new Failure(`zone ${zone}: Cloudflare's API answers ${status} without JSON: ${then}`);
    const { success, errors, result } = answer;
    const known = errors ?? [];
    if (!areErrors(known) || !isRuleset(result ?? {}))
      throw new Failure(`zone ${zone}: Cloudflare's API answers ${status} with something else than a ruleset: ${then}`);
    return { status: success === false && status < 400 ? 400 : status, errors: known, result: result ?? null };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`zone ${zone}: Cloudflare's API: ${sayNoAnswer(error)}: ${then}`);
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * @param {unknown} errors
 * @returns {errors is Answer["errors"]}
 */
function areErrors(errors) {
  return Array.isArray(errors) && errors.every(isRecord);
}

/**
 * Rules that can't be read can't be sent back.
 * @param {unknown} result
 */
function isRuleset(result) {
  if (!isRecord(result)) return false;
  const { rules = [] } = result;
  return (
    Array.isArray(rules) &&
    rules.every((rule) => {
      if (!isRecord(rule) || typeof rule.expression !== "string") return false;
      const { ratelimit = {} } = rule;
      return isRecord(ratelimit) && Array.isArray(ratelimit.characteristics ?? []);
    })
  );
}

/** @param {string} text */
function parse(text) {
  try {
    const value = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * By its name, or by its effect when it was made by hand under another one.
 * @param {Rule} rule
 */
function isOurs({ description, expression }) {
  return description === RULE.description || bare(expression) === bare(RULE.expression);
}

/**
 * An expression without its outer parentheses and its spaces.
 * @param {string} expression
 */
function bare(expression) {
  return expression.replace(/\s+/g, "").replace(/^\(([^()]*)\)$/, "$1");
}

/**
 * What differs in a rule that is ours, in words; empty when its effect is the same.
 * @param {Rule} rule
 */
function compare({ expression, action, enabled = true, ratelimit }) {
  const { characteristics = [], ...limit } = /** @type {Partial<Limit>} */ (ratelimit ?? {});
  const { characteristics: wanted, ...figures } = RULE.ratelimit;
  const counted = bare(limit.counting_expression || expression) === bare(expression);
  /** @type {[name: string, is: unknown, wanted: unknown, same: boolean][]} */
  const fields = [
    ["expression", expression, RULE.expression, bare(expression) === bare(RULE.expression)],
    ["action", action, RULE.action, action === RULE.action],
    ["enabled", enabled, true, enabled],
    ...Object.entries(figures).map(([name, figure]) => {
      const is = limit[/** @type {keyof typeof figures} */ (name)];
      return /** @type {[string, unknown, unknown, boolean]} */ ([name, is, figure, is === figure]);
    }),
    ["characteristics", characteristics, wanted, `${characteristics.toSorted()}` === `${wanted.toSorted()}`],
    ["counting_expression", limit.counting_expression, "none", counted],
    ["requests_to_origin", limit.requests_to_origin, false, limit.requests_to_origin !== true],
  ];
  return fields.flatMap(([name, is, figure, same]) => (same ? [] : [`${name} is ${is} and not ${figure}`]));
}

/**
 * A rule as it may be sent back: the API writes these two itself.
 * @param {Rule} rule
 * @returns {Rule}
 */
function withoutStamps({ version, last_updated, ...rule }) {
  return rule;
}

/** @param {Rule} rule */
function sayRule({ description, expression }) {
  return JSON.stringify(clip(description || expression, 200));
}

/** @param {Rule[]} rules */
function sayOthers(rules) {
  return `${rules.map(sayRule).join(", ")} ${rules.length > 1 ? "are" : "is"} already in the phase`;
}

/**
 * Why Cloudflare refused, and what to do.
 * @param {Answer} answer
 * @param {Target} target
 * @param {Rule[]} others
 */
function sayRefusal({ status, errors }, { zone }, others) {
  const codes = errors.map(({ code }) => code);
  const words = errors.map(({ code, message }) => `${code} ${message}`).join(", ");
  const said = clip(`${status} ${words}`, 400);
  if (status === 401 || status === 403 || codes.some((code) => BAD_TOKEN.includes(code))) {
    return `zone ${zone}: Cloudflare refuses CLOUDFLARE_API_TOKEN (${said}): it needs the permission Zone > Zone WAF > Edit on this zone`;
  }
  const held = others.length > 0 ? `: ${sayOthers(others)}` : "";
  if (codes.includes(TOO_MANY_RULES)) {
    return `zone ${zone}: the plan takes no more rule (${said})${held}. Free takes one, Pro two: delete or change that one in the dashboard, or change the plan`;
  }
  if (/not entitled|not authorized/.test(words)) {
    return `zone ${zone}: the plan refuses what a rule of the phase asks for (${said})${held}. Ours asks for nothing that Free doesn't have`;
  }
  if (status === 404) return `zone ${zone}: Cloudflare doesn't know it (${said}): look at --zone`;
  if (status === 429) return `zone ${zone}: Cloudflare's API asks to slow down (${said}): try again in five minutes`;
  return `zone ${zone}: Cloudflare refuses (${said})`;
}
