// Fresh isolates of workerd, for the benches.
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

/**
 * Isolates of their own in one workerd, all running the same code: `getWorker(name)` asks one.
 * @param {string[]} names
 * @param {string} code an ES module
 * @param {Record<string, string | number>} [bindings]
 */
export function startIsolates(names, code, bindings = {}) {
  const workers = names.map((name) => ({
    name,
    compatibilityDate: "2026-04-01",
    bindings,
    modules: [{ type: /** @type {const} */ ("ESModule"), path: `${name}.mjs`, contents: code }],
  }));
  const log = new Log(LogLevel.ERROR);
  return new Miniflare(convertV4MiniflareOptions({ host: "127.0.0.1", port: 0, cf: false, log, workers }));
}
