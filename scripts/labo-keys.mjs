// npm run labo:keys: the secrets of the private door. They are made here and kept by the owner: Cloudflare never shows one back.
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { loadLock } from "./bundle.mjs";
import { command, UsageError } from "./command.mjs";

const FILE = ".dev.vars.labo";
/** What each one signs, and who is out when it is replaced. */
const SECRETS = {
  ROOT_TOK: "codes, access tokens and refresh tokens: replaced, everyone is out",
  ROOT_CLI: "client ids and client secrets: replaced, those who registered do it again",
};
const BYTES = 32;
const OWNER_ONLY = 0o600;

const HELP = `npm run labo:keys -- [--rotate NAME | --replace NAME] [--file FILE]

Makes the two secrets of the private door in ${FILE}, which git ignores and \`npm start\` reads, and keeps those that are
there already. Nothing secret is printed.

${Object.entries(SECRETS)
  .map(([name, what]) => `  ${name.padEnd(16)} ${what}`)
  .join("\n")}

  --rotate NAME    a new key signs; those before stay good, until you take them out of the file
  --replace NAME   a new key, alone: what the others have signed is worth nothing from then on
                   either may come twice, for both secrets
  --file FILE      another file than ${FILE}

To put them on Cloudflare:

  ${sendOf(FILE)}

Exit code 2 when an argument is wrong, 1 when the file can't be read or written, or isn't one of ours.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = {
  rotate: { type: "string", multiple: true, default: [] },
  replace: { type: "string", multiple: true, default: [] },
  file: { type: "string", default: FILE },
};

/** @param {string} file */
function sendOf(file) {
  return `npx wrangler secret bulk ${file} --env labo`;
}

/** What stops the command once it runs: one line, exit code 1. */
class Failure extends Error {}

await command(HELP, OPTIONS, async ({ rotate, replace, file }, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  if (file === "") throw new UsageError("--file: name a file");
  if (rotate.length > 0 && replace.length > 0) throw new UsageError("--rotate and --replace: choose one");
  for (const [option, names] of Object.entries({ rotate, replace })) {
    const unknown = names.find((/** @type {string} */ name) => !Object.hasOwn(SECRETS, name));
    if (unknown !== undefined) {
      throw new UsageError(`--${option} ${unknown}: choose one of ${Object.keys(SECRETS).join(", ")}`);
    }
  }
  const lock = await loadLock();
  try {
    const before = read(file);
    const rings = new Map(
      Object.keys(SECRETS).map((name) => [
        name,
        makeRing(readRing(before, name, file, lock), name, { rotate, replace }),
      ]),
    );
    for (const [name, ring] of rings) check(ring, name, file, lock);
    const after = [...rings].reduce((text, [name, ring]) => withLine(text, name, JSON.stringify(ring)), before);
    write(file, after, after === before);
    const kids = [...rings].map(([name, ring]) => `${name} has ${Object.keys(ring).join(", ")}`).join("; ");
    console.log(`${file}: ${after === before ? "nothing to change" : "written"}; ${kids}`);
    if (after !== before) console.log(`A deployed door has them once they are sent: ${sendOf(file)}`);
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
 * @param {{ rotate: string[], replace: string[] }} asked
 * @returns {Ring}
 */
function makeRing(ring, name, { rotate, replace }) {
  if (ring !== null && !rotate.includes(name) && !replace.includes(name)) return ring;
  // A name that was never used: a token of a key that is gone must not find another under its name.
  const last = Math.max(0, ...Object.keys(ring ?? {}).map((kid) => Number(/^k(\d+)$/.exec(kid)?.[1] ?? 0)));
  const made = { [`k${last + 1}`]: randomBytes(BYTES).toString("base64") };
  return replace.includes(name) ? made : { ...made, ...ring };
}

/**
 * What is written is what the door takes: a name counted up may have grown too long.
 * @param {Ring} ring
 * @param {string} name
 * @param {string} file
 * @param {import("./bundle.mjs").Lock} lock
 */
function check(ring, name, file, lock) {
  try {
    lock.readRing(JSON.stringify(ring), name);
  } catch {
    throw new Failure(`${file}: the keys of ${name} can't be numbered any further: rename them k1, k2, in their order`);
  }
}

/** @param {string} file */
function read(file) {
  if (!existsSync(file)) return "";
  if (!statSync(file).isFile()) throw new Failure(`${file} isn't a file: name one that is, or that isn't there yet`);
  let text;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Failure(`${file} can't be read: ${error instanceof Error ? error.message : error}`);
  }
  // Written back, what isn't text would not be what it was.
  if (/[\0\ufffd]/.test(text) || text.trimStart().startsWith("{")) {
    throw new Failure(`${file} isn't one of NAME=value lines, in UTF-8: name another, or take it away`);
  }
  return text;
}

/**
 * The whole file or nothing of it, for its owner alone.
 * @param {string} file
 * @param {string} text
 * @param {boolean} isSame as what it holds: only its mode is looked after
 */
function write(file, text, isSame) {
  const target = existsSync(file) ? realpathSync(file) : file;
  // Nobody else can have put a file, or a link, under that name.
  const fresh = `${target}.${randomBytes(8).toString("hex")}`;
  try {
    if (isSame) return chmodSync(file, OWNER_ONLY);
    writeFileSync(fresh, text, { mode: OWNER_ONLY, flag: "wx" });
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw new Failure(`${file} can't be written: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * The lines of a variable, spelled in any way that Wrangler reads: of two, it would take the last.
 * @param {string} name
 */
function linesOf(name) {
  return new RegExp(`^[^\\S\\n]*(?:export[^\\S\\n]+)?${name}[^\\S\\n]*[=:](.*)$`, "gm");
}

/**
 * @param {string} text of the file
 * @param {string} name
 * @param {string} file
 * @param {import("./bundle.mjs").Lock} lock which judges it as the door will
 * @returns {Ring | null} null when it isn't there
 */
function readRing(text, name, file, lock) {
  const [line, second] = [...text.matchAll(linesOf(name))];
  if (line === undefined) return null;
  if (second !== undefined) throw new Failure(`${file}: ${name} is there twice; take one of its lines away`);
  const [, value] = line;
  const quoted = /^(['"`])(.*)\1\s*(?:#.*)?$/.exec(value.trim())?.[2] ?? value.trim();
  try {
    lock.readRing(quoted, name);
    return JSON.parse(quoted);
  } catch {
    // What JSON.parse says of a secret holds a part of it.
    throw new Failure(`${file}: ${name} isn't one that npm run labo:keys has made; take its line away to make another`);
  }
}

/**
 * @param {string} text
 * @param {string} name
 * @param {string} value
 */
function withLine(text, name, value) {
  const line = `${name}='${value}'`;
  // One that is kept stays as it is written.
  const [present] = [...text.matchAll(linesOf(name))];
  if (present?.[0].includes(value)) return text;
  if (present !== undefined) return text.replace(linesOf(name), () => line);
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`;
}
