// The private door's made-up surroundings: Access, a GitHub that answers, a house that doesn't.
import { randomBytes } from "node:crypto";
import { startAccess } from "./access.mjs";
import { listen } from "./server.mjs";

/**
 * @returns {Promise<{ vars: Record<string, string>, access: Awaited<ReturnType<typeof startAccess>>, close(): Promise<void> }>}
 *   `vars`: those of the door, with secrets made for this time only
 */
export async function startLab() {
  const access = await startAccess();
  const github = await listen(0, (response) => response.end("Keep it logically awesome."));
  const house = await listen(0, (response) => response.writeHead(502).end());
  const secret = () => JSON.stringify({ k1: randomBytes(32).toString("base64") });
  return {
    vars: { ...access.vars, GITHUB_API: github.url, HOME_API: house.url, ROOT_TOK: secret(), ROOT_CLI: secret() },
    access,
    async close() {
      await Promise.all([access, github, house].map((source) => source.close()));
    },
  };
}
