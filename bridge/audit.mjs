// The audit of a run: a line of JSON for each call, refused or not.
import { openSync, writeSync } from "node:fs";
import { UsageError } from "./tools.mjs";

/**
 * Opens the audit, for its owner alone when it is new; another run's lines stay, and runs may write in it together.
 * @param {string} file
 * @returns {(line: object) => void} writes a line at once, whole: what comes next may end the process
 */
export function openAudit(file) {
  try {
    const audit = openSync(file, "a", 0o600);
    return (line) => void writeSync(audit, `${JSON.stringify(line)}\n`);
  } catch (error) {
    throw new UsageError(`--audit ${file}: ${/** @type {Error} */ (error).message}`);
  }
}
