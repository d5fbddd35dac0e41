// The audit of a run: a line of JSON for each call, refused or not.
import { appendFileSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { UsageError } from "./tools.mjs";

const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;

/**
 * Opens the audit, for its owner alone when it is new; another run's lines stay, and runs may write in it together.
 * @param {string} file
 * @param {(message: string) => void} onFault told once why a line couldn't be written
 * @returns {(line: object) => boolean} writes a line at once, whole: what comes next may end the process. False when it
 *   couldn't. Throws a `UsageError` that names the file when it can't be opened
 */
export function openAudit(file, onFault) {
  const saidOf = (/** @type {unknown} */ error) => `--audit ${file}: ${/** @type {Error} */ (error).message}`;
  let isSaid = false;
  /** @type {number} */
  let audit;
  let isTorn = false;
  try {
    // A pipe that nobody reads holds neither the start nor a call: that is a line that can't be written.
    audit = openSync(file, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, 0o600);
    isTorn = endsInside(file);
  } catch (error) {
    throw new UsageError(saidOf(error));
  }
  return (line) => {
    try {
      appendFileSync(audit, `${isTorn ? "\n" : ""}${JSON.stringify(line)}\n`);
      isTorn = false;
      return true;
    } catch (error) {
      // The disk may have taken a part of it.
      isTorn = endsInside(file);
      if (!isSaid) onFault(`${saidOf(error)}: no other tool is executed until a line can be written`);
      isSaid = true;
      return false;
    }
  };
}

/** Whether a file's last line has no end; one that can't be read is taken to have one. @param {string} file */
function endsInside(file) {
  const last = Buffer.from("\n");
  try {
    const stat = statSync(file);
    if (!stat.isFile() || stat.size === 0) return false;
    const opened = openSync(file, "r");
    readSync(opened, last, 0, 1, stat.size - 1);
    closeSync(opened);
  } catch {
    // Its owner may let others write in it, and not read it.
  }
  return last.toString() !== "\n";
}
