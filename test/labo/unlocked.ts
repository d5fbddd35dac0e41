// The private door as the contract of every door meets it: with a token that holds, on whatever deployment a test makes up.
import labo from "../../workers/labo/index.ts";
import { base64url, deriveKey, hmac, jws, sha256 } from "./jws.ts";

const OWNER = "ludo@example.com";
const ROOT = btoa("r".repeat(32));
const SECRETS = { ROOT_TOK: JSON.stringify({ k1: ROOT }), ROOT_CLI: JSON.stringify({ c1: ROOT }) };
const ACCESS = { ACCESS_TEAM: "equipe", ACCESS_AUD: "application", OWNER_EMAIL: OWNER };
const KEY = await deriveKey(ROOT, "at");
const SUBJECT = base64url((await sha256(OWNER)).slice(0, 16));

/** An access token of the door at that address, good for an hour from now, whenever the test says that is. */
async function tokenFor(home: string, now: number): Promise<string> {
  const iat = Math.floor(now / 1000);
  const bound = { sub: SUBJECT, ch: SUBJECT, fam: "famille-0001", scope: "labo" };
  const claims = { iss: home, aud: `${home}/mcp`, ...bound, iat, exp: iat + 3600 };
  return jws({ alg: "HS256", typ: "at+labo", kid: "k1" }, claims, hmac(KEY));
}

/** Deployments that tests make up again and again: a door reads the variables of one once. */
const deployments = new WeakMap<Record<string, unknown>, Record<string, unknown>>();

const unlocked: Door = {
  async fetch(request, env, ctx) {
    const whole = deployments.get(env) ?? { ...SECRETS, ...ACCESS, LABO_TOOLS: "labo_etat", ...env };
    deployments.set(env, whole);
    const at = URL.canParse(request.url) ? new URL(request.url) : null;
    const home = typeof env.PUBLIC_URL === "string" ? new URL(env.PUBLIC_URL).origin : (at?.origin ?? "");
    const now = typeof env.CLOCK === "string" ? Date.parse(env.CLOCK) : Date.now();
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${await tokenFor(home, now)}`);
    return (labo as Door).fetch(new Request(request, { headers }), whole, ctx);
  },
};
export default unlocked;
