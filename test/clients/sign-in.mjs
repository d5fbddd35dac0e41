// What the two official clients need to sign in at the private door: what they keep, and the owner's browser.

/**
 * A person's browser, from the address that a client opens to the client's own: it signs in with Cloudflare Access, reads
 * the page, and says yes.
 * @param {URL} address
 * @param {string} email
 * @returns {Promise<URLSearchParams>} what the client gets at its return address
 * @throws {Error} when there is no page to accept, with what the browser shows instead
 */
export async function accept(address, email) {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  const send = async (/** @type {URL} */ url, /** @type {Record<string, string>} */ form = {}) => {
    const isForm = Object.keys(form).length > 0;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      method: isForm ? "POST" : "GET",
      headers: { cookie, ...(isForm && { origin: url.origin, "sec-fetch-site": "same-origin" }) },
      ...(isForm && { body: new URLSearchParams(form) }),
      redirect: "manual",
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const html = await response.text();
    const [, action = ""] = /<form\b[^>]*\baction="([^"]+)"/.exec(html) ?? [];
    const [, req = ""] = /<input\b[^>]*\bname="req"[^>]*\bvalue="([^"]+)"/.exec(html) ?? [];
    const { status } = response;
    return {
      status,
      html,
      req,
      action: new URL(action.replace(/&(amp|#38);/g, "&"), url),
      to: response.headers.get("location"),
    };
  };
  const login = await send(address);
  const signed = await send(login.action, { email });
  const page = await send(new URL(signed.to ?? "", address));
  if (page.req === "") throw new Error(`no page to accept, ${page.status}: ${page.html || page.to}`);
  const answer = await send(page.action, { req: page.req, decision: "oui" });
  if (answer.status !== 303) throw new Error(`no way back, ${answer.status}: ${answer.html}`);
  return new URL(answer.to ?? "").searchParams;
}

/**
 * What a client is handed to sign in with, and what it has kept.
 * @param {string} email who sits at the browser
 * @param {string} [document] the address of the client's own metadata; without it the client registers
 */
export function makeProvider(email, document) {
  const kept = /** @type {Record<string, any>} */ ({});
  const redirectUrl = "http://localhost:51877/callback";
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Essai",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    ...(document !== undefined && { clientMetadataUrl: document }),
    state() {
      kept.state = crypto.randomUUID();
      return kept.state;
    },
    clientInformation: () => kept.client,
    saveClientInformation(/** @type {unknown} */ client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(/** @type {unknown} */ tokens) {
      kept.tokens = tokens;
    },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier(/** @type {string} */ verifier) {
      kept.verifier = verifier;
    },
    async redirectToAuthorization(/** @type {URL} */ address) {
      kept.back = await accept(address, email);
      if (kept.back.get("state") !== kept.state) throw new Error("another state came back");
    },
    /** @returns {URLSearchParams} what came to the return address */
    cameBack: () => kept.back,
    /** Makes the access token one that no door takes, as an hour does. */
    spoil() {
      kept.tokens = { ...kept.tokens, access_token: `${kept.tokens.access_token.slice(0, -4)}AAAA` };
    },
  };
}
