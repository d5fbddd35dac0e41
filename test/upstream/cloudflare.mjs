// Cloudflare's API, as far as the rate limiting rules of one zone go: its shapes, its refusals, its bad days.
import { listen } from "./server.mjs";

export const ZONE = "0123456789abcdef0123456789abcdef";
export const TOKEN = "a-token-of-the-tests-0123456789abcdefghi";

/** What a plan takes: rules in the phase, periods and mitigation timeouts in seconds. */
const PLANS = {
  free: { rules: 1, periods: [10], timeouts: [10] },
  pro: { rules: 2, periods: [10, 60], timeouts: [10, 60, 3600] },
};
const ENTRYPOINT = `/zones/${ZONE}/rulesets/phases/http_ratelimit/entrypoint`;
const UPDATED = "2026-11-29T12:00:00.000000Z";

/**
 * What may go wrong, for one method or for both: `500` in the API's own shape, `502` in a page, `html` (a page with 200),
 * `redirect`, `429`, `stall` (never answers), `late` (the rule is put and the answer never comes), `lost` (says it is
 * done, and nothing is).
 * @typedef {"500" | "502" | "html" | "redirect" | "429" | "stall" | "late" | "lost"} Fault
 *
 * @typedef {{ id?: string, ref?: string, version?: string, last_updated?: string, description?: string,
 *   expression: string, action: string, enabled?: boolean, [more: string]: any }} Rule
 * @typedef {{ id: string, name: string, description: string, kind: string, phase: string, version: string,
 *   rules?: Rule[] }} Ruleset
 * @typedef {{ method: string, path: string, authorization?: string, body: any }} Call
 */

/**
 * Starts the API. Its zone has no ruleset in the phase unless `rules` are given.
 * @param {{ plan?: keyof typeof PLANS, rules?: Rule[] }} [asked]
 */
export async function startCloudflare({ plan = "free", rules } = {}) {
  const state = {
    /** @type {Ruleset | null} */
    ruleset: null,
    /** @type {Fault | null} */
    fault: null,
    /** @type {string | null} the only method that the fault is for */
    on: null,
    /** @type {Call[]} */
    asked: [],
  };
  if (rules !== undefined) state.ruleset = store(null, rules);
  const server = await listen(0, async (response, path, _, request) => {
    const text = await read(request);
    const { method = "", headers } = request;
    const body = text === "" ? null : JSON.parse(text);
    state.asked.push({ method, path, authorization: headers.authorization, body });
    /** @type {(status: number, answer: object, more?: Record<string, string>) => void} */
    const send = (status, answer, more = {}) => {
      response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(answer));
    };
    /** @type {(status: number, code: number, message: string, more?: object) => void} */
    const refuse = (status, code, message, more) =>
      send(status, { result: null, success: false, errors: [{ code, message, ...more }], messages: [] });
    const fault = state.on === null || state.on === method ? state.fault : null;

    if (fault === "stall") return;
    if (fault === "500") return refuse(500, 10000, "internal server error");
    if (fault === "429") return refuse(429, 971, "Please wait and consider throttling your request speed");
    if (fault === "redirect") return void response.writeHead(302, { location: "/elsewhere" }).end();
    if (fault === "502" || fault === "html") {
      const page = "<!DOCTYPE html>\n<title>502: Bad gateway</title>";
      return void response.writeHead(fault === "502" ? 502 : 200, { "content-type": "text/html" }).end(page);
    }
    if (!/^Bearer [\w-]{40}$/.test(headers.authorization ?? "")) {
      const error_chain = [{ code: 6111, message: "Invalid format for Authorization header" }];
      return refuse(400, 6003, "Invalid request headers", { error_chain });
    }
    if (headers.authorization !== `Bearer ${TOKEN}`) return refuse(403, 10000, "Authentication error");
    if (path !== ENTRYPOINT) {
      return refuse(404, 7003, `Could not route to ${path}, perhaps your object identifier is invalid?`);
    }
    const done = () => send(200, { result: state.ruleset, success: true, errors: [], messages: [] });
    if (method === "GET") {
      if (state.ruleset !== null) return done();
      return refuse(404, 10003, "could not find entrypoint ruleset in the http_ratelimit phase");
    }
    const wrong = faultOf(body.rules, state.ruleset, PLANS[plan]);
    if (wrong !== null) return refuse(400, ...wrong);
    if (fault !== "lost") state.ruleset = store(state.ruleset, body.rules, body);
    if (fault !== "late") done();
  });
  return { ...server, state };
}

/** @param {import("node:http").IncomingMessage} request */
async function read(request) {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

/**
 * What the API refuses in a list of rules.
 * @param {Rule[]} rules
 * @param {Ruleset | null} old
 * @param {{ rules: number, periods: number[], timeouts: number[] }} plan
 * @returns {[code: number, message: string] | null}
 */
function faultOf(rules, old, plan) {
  for (const { id, ratelimit } of rules) {
    if (id !== undefined && !old?.rules?.some((rule) => rule.id === id)) return [20029, `could not find rule ${id}`];
    if (!ratelimit.characteristics.includes("cf.colo.id")) {
      return [
        20155,
        "characteristics field is missing 'cf.colo.id', this is required as ratelimiting counting is processed at colocation level only",
      ];
    }
    // The words are the API's; its number wasn't found.
    if (!plan.periods.includes(ratelimit.period)) {
      return [
        20120,
        `not entitled to use the period ${ratelimit.period}, can only use a period among [${plan.periods.join(" ")}]`,
      ];
    }
    if (!plan.timeouts.includes(ratelimit.mitigation_timeout)) {
      return [20120, `not entitled to use a mitigation timeout different from ${plan.timeouts.join(", ")}`];
    }
  }
  if (rules.length > plan.rules) {
    return [
      50001,
      `exceeded the maximum number of rules in the phase http_ratelimit: ${rules.length} out of ${plan.rules}`,
    ];
  }
  return null;
}

/**
 * The ruleset as it is kept: each rule with what the API adds.
 * @param {Ruleset | null} old
 * @param {Rule[]} rules
 * @param {{ name?: string, description?: string }} [named]
 * @returns {Ruleset}
 */
function store(old, rules, { name = "default", description = "" } = {}) {
  return {
    id: "5ffe30d3a7f94a9e8d6a8f4b6ad3a1c0",
    name,
    description,
    kind: "zone",
    phase: "http_ratelimit",
    version: String(Number(old?.version ?? 0) + 1),
    rules: rules.map((rule, index) => {
      const id = rule.id ?? `${index}`.padStart(32, "e");
      return { enabled: true, ref: id, ...rule, id, version: "1", last_updated: UPDATED };
    }),
  };
}
