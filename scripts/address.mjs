// The address of a deployed door, as the commands that call one from outside take it.
import { UsageError } from "./command.mjs";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * An http address of this machine, or an https one of any.
 * @param {string} text
 * @param {string} name what the text is, for the mistake: an argument or a variable
 * @throws {UsageError} when it is neither
 */
export function readOrigin(text, name) {
  const url = URL.canParse(text) ? new URL(text) : null;
  const open = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (url === null || !open) {
    throw new UsageError(`${name} ${text}: https is needed, or http on this machine (localhost, 127.0.0.1, [::1])`);
  }
  if (url.username !== "" || url.password !== "")
    throw new UsageError(`${name}: an address without a password is needed`);
  return url;
}

/**
 * The one argument of a command that calls a door: its address, which ends in /mcp.
 * @param {string[]} positionals
 * @throws {UsageError} when it isn't there, isn't alone or isn't one
 */
export function readDoor([text, ...extra]) {
  if (text === undefined) throw new UsageError("an address is needed, for example https://hockey.example.com/mcp");
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is one argument too many: one address is needed`);
  const url = readOrigin(text, "the address");
  if (url.pathname !== "/mcp" || url.search !== "" || url.hash !== "") {
    throw new UsageError(`the address ${text}: the one of a door ends in /mcp, for example ${url.origin}/mcp`);
  }
  return url;
}

/**
 * The beginning of what an unknown server sent, on one line that a terminal shows as it is.
 * @param {string} text
 * @param {number} [most] characters
 */
export function clip(text, most = 80) {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
}

/**
 * Why a fetch had no answer, in a word.
 * @param {unknown} error
 */
export function sayNoAnswer(error) {
  const { name, cause } = /** @type {{ name?: string, cause?: { code?: string, message?: string } }} */ (error ?? {});
  if (name === "TimeoutError") return "no answer in time";
  return `no answer (${cause?.code ?? cause?.message ?? String(error)})`;
}
