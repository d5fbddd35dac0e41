// A door as one module: what a command needs of it that it doesn't export.
import { readFileSync } from "node:fs";
import { build } from "esbuild";

/**
 * The code of a door, what it imports included, with more code at its end that sees all of its functions. The door's own
 * `export default` is left out.
 * @param {string} name a folder of workers/
 * @param {string} ending
 * @returns {Promise<string>} an ES module
 */
export async function bundleDoor(name, ending) {
  const source = readFileSync(`workers/${name}/index.ts`, "utf8").replace(/^export default .*$/m, "");
  const { outputFiles } = await build({
    stdin: { contents: `${source}\n${ending}`, loader: "ts", resolveDir: process.cwd() },
    bundle: true,
    format: "esm",
    target: "es2024",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0].text;
}
