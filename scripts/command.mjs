// What every command of the project does the same way: its arguments, its help, its mistakes.
import { existsSync, realpathSync } from "node:fs";
import { parseArgs } from "node:util";

/** @typedef {NonNullable<import("node:util").ParseArgsConfig["options"]>} Options as `parseArgs` takes them */

/** A mistake of the person at the keyboard: said in one line, exit code 2. */
export class UsageError extends Error {}

/**
 * Runs a command: `--help`, and one line on stderr with exit code 2 for a `UsageError`.
 * @param {string} help
 * @param {Options} options
 * @param {(values: Record<string, any>, positionals: string[]) => Promise<void>} main
 */
export async function command(help, options, main) {
  try {
    const { values, positionals } = parse({ ...options, help: { type: "boolean", short: "h" } });
    if (values.help) console.log(help);
    else await main(values, positionals);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}

/** @param {Options} options */
function parse(options) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    throw new UsageError(`${line}. See --help.`);
  }
}

/**
 * Whether a file is the one that node was started with, for a command whose parts others import.
 * @param {string} file
 */
export function isStarted(file) {
  const [, started] = process.argv;
  return started !== undefined && existsSync(started) && realpathSync(started) === file;
}
