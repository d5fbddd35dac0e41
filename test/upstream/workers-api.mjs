// Cloudflare's API, as far as Wrangler needs it to deploy a Worker with static files and a domain of its own.
import { listen } from "./server.mjs";

export const ACCOUNT = "fedcba9876543210fedcba9876543210";
export const TOKEN = "a-token-of-the-tests-9876543210zyxwvutsr";

/** What it answers to what Wrangler only looks at, by the end of the path: nothing was ever deployed. */
const NOTHING_YET = {
  secrets: [],
  deployments: { deployments: [] },
  changeset: { added: [], removed: [], updated: [], conflicting: [] },
};

/**
 * What a deployment left: the code and the settings of a Worker, its files by path, whether workers.dev and the previews
 * answer, its hosts.
 * @typedef {{ code: string, metadata: any, files: string[], subdomain: any, hosts: string[] }} Deployed
 */

/**
 * Starts the API. `refused`: a Worker whose code it doesn't take.
 * @param {{ refused?: string }} [asked]
 */
export async function startWorkersApi({ refused } = {}) {
  /** @type {Record<string, Deployed>} by the name of the Worker */
  const deployed = {};
  /** @type {string[]} what came with another token than ours, or for another account */
  const strangers = [];
  const server = await listen(0, async (response, path, _, request) => {
    /** @type {Buffer[]} */
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    const { pathname } = new URL(path, "http://127.0.0.1");
    /** @type {(result: unknown, status?: number) => void} */
    const answer = (result, status = 200) => {
      const errors = status < 400 ? [] : [result];
      response.writeHead(status, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ success: status < 400, errors, messages: [], result: status < 400 ? result : null }),
      );
    };
    const [, what, name = "", end = ""] =
      /^\/client\/v4\/accounts\/[0-9a-f]{32}\/workers\/(scripts|services|workers|assets)\/([^/]+)(?:\/(.*))?$/.exec(
        pathname,
      ) ?? [];
    // Files are sent with the token of their own session.
    const token = what === "assets" ? "Bearer session" : `Bearer ${TOKEN}`;
    if (!pathname.includes(`/${ACCOUNT}/`) || request.headers.authorization !== token) {
      strangers.push(path);
      return answer({ code: 10000, message: "Authentication error" }, 403);
    }
    deployed[name] ??= { code: "", metadata: null, files: [], subdomain: null, hosts: [] };
    const worker = deployed[name];
    if (what === "services") return answer({ code: 10090, message: "workers.api.error.service_not_found" }, 404);
    if (what === "workers") return answer({ id: name, name, subdomain: { enabled: true, previews_enabled: true } });
    if (what === "assets") return answer({ jwt: "complete" }, 201);
    if (request.method === "PUT" && end === "") {
      if (name === refused) return answer({ code: 10021, message: "Uncaught TypeError: not a door" }, 400);
      const form = await new Response(body, {
        headers: { "content-type": `${request.headers["content-type"]}` },
      }).formData();
      worker.metadata = JSON.parse(String(form.get("metadata")));
      const code = form.get(worker.metadata.main_module);
      worker.code = typeof code === "string" ? code : await /** @type {Blob} */ (/** @type {unknown} */ (code)).text();
      return answer({ id: name, startup_time_ms: 12 });
    }
    const json = request.method === "GET" || body.length === 0 ? null : JSON.parse(String(body));
    if (end === "assets-upload-session") {
      worker.files = Object.keys(json.manifest);
      const hashes = Object.values(json.manifest).map(({ hash }) => hash);
      return answer({ jwt: "session", buckets: [hashes] });
    }
    if (end === "subdomain") worker.subdomain = json;
    if (end === "domains/records") {
      worker.hosts = json.origins.map((/** @type {{ hostname: string }} */ { hostname }) => hostname);
    }
    answer(Object.entries(NOTHING_YET).find(([last]) => end.endsWith(last))?.[1] ?? {});
  });
  return { ...server, deployed, strangers };
}
