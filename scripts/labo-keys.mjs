// npm run labo:keys: the secrets of the private door. They are made here and kept by the owner: Cloudflare never shows one back.
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { command, UsageError } from "./command.mjs";

const FILE = ".dev.vars.labo";
/** What each one signs, and who is out when it is replaced. */
const SECRETS = {
  ROOT_TOK: "codes, access tokens and refresh tokens: replaced, everyone is out",
  ROOT_CLI: "client ids and client secrets: replaced, those who registered do it again",
};
const BYTES = 32;

const HELP = `npm run labo:keys -- [--rotate NAME | --replace NAME]

Makes the two secrets of the private door in ${FILE}, which git ignores and \`npm start\` reads, and keeps those that are
there already. Nothing secret is printed.

${Object.entries(SECRETS)
  .map(([name, what]) => `  ${name.padEnd(16)} ${what}`)
  .join("\n")}

  --rotate NAME    a new key signs; those before stay good, until you take them out of the file
  --replace NAME   a new key, alone: what the others have signed is worth nothing from then on
  --file FILE      another file than ${FILE}

To put them on Cloudflare:

  npx wrangler secret bulk ${FILE} --env labo

Exit code 2 when an argument is wrong, 1 when the file can't be read or written, or isn't one of ours.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = {
  rotate: { type: "string" },
  replace: { type: "string" },
  file: { type: "string", default: FILE },
};

/** What stops the command once it runs: one line, exit code 1. */
class Failure extends Error {}

await command(HELP, OPTIONS, async ({ rotate, replace, file }, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  if (rotate !== undefined && replace !== undefined) throw new UsageError("--rotate and --replace: choose one");
  for (const [option, name] of Object.entries({ rotate, replace })) {
    if (name !== undefined && !Object.hasOwn(SECRETS, name)) {
      throw new UsageError(`--${option} ${name}: choose one of ${Object.keys(SECRETS).join(", ")}`);
    }
  }
  try {
    const before = read(file);
    const rings = new Map(
      Object.keys(SECRETS).map((name) => [name, makeRing(readRing(before, name, file), name, { rotate, replace })]),
    );
    const after = [...rings].reduce((text, [name, ring]) => withLine(text, name, JSON.stringify(ring)), before);
    if (after !== before) write(file, after);
    const kids = [...rings].map(([name, ring]) => `${name} has ${Object.keys(ring).join(", ")}`).join("; ");
    console.log(`${file}: ${after === before ? "nothing to change" : "written"}; ${kids}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exit(1);
  }
});

/** @typedef {Record<string, string>} Ring secrets in base64 by `kid`, the newest first */

/**
 * @param {Ring | null} ring
 * @param {string} name
 * @param {{ rotate?: string, replace?: string }} asked
 * @returns {Ring}
 */
function makeRing(ring, name, { rotate, replace }) {
  if (ring !== null && rotate !== name && replace !== name) return ring;
  // A name that was never used: a token of a key that is gone must not find another under its name.
  const last = Math.max(0, ...Object.keys(ring ?? {}).map((kid) => Number(/^k(\d+)$/.exec(kid)?.[1] ?? 0)));
  const made = { [`k${last + 1}`]: randomBytes(BYTES).toString("base64") };
  return replace === name ? made : { ...made, ...ring };
}

/** @param {string} file */
function read(file) {
  try {
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  } catch (error) {
    throw new Failure(`${file} can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * The whole file or nothing of it, for its owner alone.
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  try {
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    throw new Failure(`${file} can't be written: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * @param {string} text of the file
 * @param {string} name
 * @param {string} file
 * @returns {Ring | null} null when it isn't there
 */
function readRing(text, name, file) {
  const line = new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1];
  if (line === undefined) return null;
  // What JSON.parse says of a secret holds a part of it.
  const wrong = new Failure(
    `${file}: ${name} isn't one that npm run labo:keys has made; take its line away to make another`,
  );
  try {
    const ring = JSON.parse(line.replace(/^'(.*)'$/, "$1"));
    const isRing =
      typeof ring === "object" && ring !== null && Object.values(ring).every((one) => typeof one === "string");
    if (!isRing || Object.keys(ring).length === 0) throw wrong;
    return ring;
  } catch {
    throw wrong;
  }
}

/**
 * @param {string} text
 * @param {string} name
 * @param {string} value
 */
function withLine(text, name, value) {
  const line = `${name}='${value}'`;
  const present = new RegExp(`^${name}=.*$`, "m");
  if (present.test(text)) return text.replace(present, () => line);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
}
