// A door as one module: as it is deployed, or with what a command needs of it that it doesn't export.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { build } from "esbuild";

/** @typedef {{ code: string, date: string, vars: Record<string, string> }} Deployed `date` of compatibility */

/**
 * A door as `npm run deploy` sends it: Wrangler bundles with the same tool, the same way.
 * @param {string} name an environment of wrangler.toml
 * @returns {Promise<Deployed>}
 */
export async function bundleDeployed(name) {
  // Loaded here: it takes longer than the rest of what this module is for.
  const { unstable_readConfig: readConfig } = await import("wrangler");
  const config = readConfig({ config: "wrangler.toml", env: name });
  const { minify = false, keep_names: keepNames = true, compatibility_date: date = "" } = config;
  const code = await bundle({ entryPoints: [String(config.main)], minify, keepNames });
  return { code, date, vars: /** @type {Record<string, string>} */ (config.vars) };
}

/**
 * The code of a door, what it imports included, with more code at its end that sees all of its functions. The door's own
 * `export default` is left out.
 * @param {string} name a folder of workers/
 * @param {string} ending
 * @returns {Promise<string>} an ES module
 */
export function bundleDoor(name, ending) {
  const source = readFileSync(`workers/${name}/index.ts`, "utf8").replace(/^export default .*$/m, "");
  return bundleSource(`${source}\n${ending}`, {}, `workers/${name}`);
}

/**
 * What commands judge as the lock of the private door does; each function throws an `Error` whose message names the setting.
 * @typedef {{
 *   PINNED: Map<string, readonly string[]>, readRing(text: string, name: string): unknown,
 *   readVars(vars: Record<string, unknown>): { minIat: number }, checkInstant(minIat: number, now: number): void, TEAM: RegExp
 * }} Lock
 */

/**
 * The lock of the private door, workers/labo/oauth.ts.
 * @returns {Promise<Lock>}
 */
export async function loadLock() {
  const code = await bundle({ entryPoints: ["workers/labo/oauth.ts"] });
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/**
 * What a deployment of the private door is judged by, as the door itself judges it: its tools, its sources, and how it reads
 * their settings. Each `read` gives null for a setting that the door wouldn't take.
 * @typedef {{
 *   name: string, address: string, usual?: string, ending?: string, key: string, scope?: { name: string, isOne: boolean },
 *   pair?: string, needsNoKey?: true
 * }} Source
 * @typedef {{
 *   LAB: Record<string, { source: string }>, SOURCES: Record<string, Source>,
 *   readAddress(source: Source, vars: Record<string, unknown>): string | null,
 *   readScope(text: unknown, isOne: boolean): string[] | null
 * }} Lab
 */

/** @returns {Promise<Lab>} */
export async function loadLab() {
  const code = await bundleDoor("labo", "export { LAB, SOURCES, readAddress, readScope };");
  return import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);
}

/**
 * The core of the doors under a table of tools of one's own, which declares SERVER and TOOLS.
 * @param {string} tools
 * @param {string} ending what it exports
 * @param {import("esbuild").BuildOptions} [options]
 * @returns {Promise<string>} an ES module
 */
export function bundleCore(tools, ending, options) {
  const [core] = /^\/\/ <core>$.*^\/\/ <\/core>$/ms.exec(readFileSync("workers/hockey/index.ts", "utf8")) ?? [];
  return bundleSource(`${tools}\n${core}\n${ending}`, options);
}

/**
 * @param {string} contents
 * @param {import("esbuild").BuildOptions} [options]
 * @param {string} [folder] where it imports from
 */
function bundleSource(contents, options, folder = ".") {
  return bundle({ stdin: { contents, loader: "ts", resolveDir: resolve(folder) }, ...options });
}

/**
 * One module out of many, for workerd.
 * @param {import("esbuild").BuildOptions} options
 * @returns {Promise<string>} an ES module
 */
export async function bundle(options) {
  const { outputFiles } = await build({
    bundle: true,
    format: "esm",
    target: "es2024",
    write: false,
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    logLevel: "error",
    ...options,
  });
  return outputFiles?.[0].text ?? "";
}
