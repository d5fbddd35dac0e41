// The audit of a run: a line of JSON for each call, refused or not.
import { appendFileSync, openSync } from "node:fs";
import { UsageError } from "./tools.mjs";

/**
 * Opens the audit, for its owner alone when it is new; another run's lines stay, and runs may write in it together.
 * @param {string} file
 * @param {(message: string) => void} onFault told once why a line couldn't be written
 * @returns {(line: object) => boolean} writes a line at once, whole: what comes next may end the process. False when it
 *   couldn't
 */
export function openAudit(file, onFault) {
  const saidOf = (/** @type {unknown} */ error) => `--audit ${file}: ${/** @type {Error} */ (error).message}`;
  let isSaid = false;
  /** @type {number} */
  let audit;
  try {
    audit = openSync(file, "a", 0o600);
  } catch (error) {
    throw new UsageError(saidOf(error));
  }
  return (line) => {
    try {
      appendFileSync(audit, `${JSON.stringify(line)}\n`);
      return true;
    } catch (error) {
      if (!isSaid) onFault(`${saidOf(error)}: no tool is executed until a line can be written`);
      isSaid = true;
      return false;
    }
  };
}
