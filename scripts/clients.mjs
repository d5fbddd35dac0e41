// npm run test:clients: real MCP clients and the conformance suite on every door, over HTTP.
import { execFile, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { promisify } from "node:util";
import { command, UsageError } from "./command.mjs";

const HELP = `npm run test:clients

Starts every door in workerd on made-up sources, then runs against them real MCP clients (the official ones in JavaScript
and in Python, the inspector, mcp-remote, the AI SDK, Home Assistant's calls) and the conformance suite of the protocol.
The two official ones in JavaScript also sign in at the private door, behind a stand-in for Cloudflare Access, and run as
the children of the per-run bridge.
The last line says how many tests passed and failed. It takes about a minute.

The clients are installed the first time, in test/clients/ alone: 165 MB of npm packages, and 140 MB of Python ones in two
virtual environments. Those in Python are skipped without Python 3.11 or newer, or when pip can't install them, and the
reason is said.

Exit code 1 when a test fails or npm can't install, 2 when an argument is wrong.`;

const CLIENTS = "test/clients";
/** A folder for each Python client: two versions of one package can't share an environment. */
const PYTHON = ["home-assistant", "python-sdk"].map((name) => `${CLIENTS}/${name}`);

await command(HELP, {}, async (_, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  try {
    await installNpm();
  } catch (error) {
    console.error(`the clients can't be installed in ${CLIENTS}: ${reasonOf(error)}`);
    process.exit(1);
  }
  const NO_PYTHON = await installPython().catch((error) => `no Python clients: ${reasonOf(error)}`);
  // Their types are only there once they are installed: `npm test` can't check what calls them.
  const types = await play("typescript/bin/tsc", ["-p", CLIENTS]);
  const vitest = ["run", "--config", `${CLIENTS}/vitest.config.ts`, "--root", "."];
  const tests = await play("vitest/vitest.mjs", vitest, { NO_PYTHON });
  process.exitCode = types === 0 && tests === 0 ? 0 : 1;
});

/**
 * Runs a program of the project's own node_modules, that speaks for itself.
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to the environment
 * @returns {Promise<number | null>} its exit code
 */
function play(program, args, env = {}) {
  const line = [`node_modules/${program}`, ...args];
  const running = spawn(process.execPath, line, { stdio: "inherit", env: { ...process.env, ...env } });
  // Who stops this command stops what it runs; a Ctrl-C reaches both.
  for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"])) process.on(signal, () => running.kill(signal));
  return new Promise((resolve) => running.once("exit", resolve));
}

async function installNpm() {
  await once(`${CLIENTS}/package-lock.json`, `${CLIENTS}/node_modules`, async () => {
    console.log(`Installing the clients in ${CLIENTS}`);
    await run("npm", "ci", "--prefix", CLIENTS, "--ignore-scripts", "--no-audit", "--no-fund");
  });
}

/** @returns {Promise<string>} "" */
async function installPython() {
  await run("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11) and 'Python 3.11 or newer is needed')");
  for (const folder of PYTHON) {
    const venv = `${folder}/.venv`;
    await once(`${folder}/requirements.txt`, venv, async () => {
      console.log(`Installing the client in ${folder}`);
      await run("python3", "-m", "venv", "--clear", venv);
      const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"];
      await run(`${venv}/bin/python`, ...pip, "--requirement", `${folder}/requirements.txt`);
    });
  }
  return "";
}

/**
 * Installs what a file asks for, unless the folder holds it already: a copy of the file there says so.
 * @param {string} asked
 * @param {string} folder
 * @param {() => Promise<void>} install
 */
async function once(asked, folder, install) {
  const stamp = `${folder}/.installed`;
  const wanted = readFileSync(asked, "utf8");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await install();
  writeFileSync(stamp, wanted);
}

/** @param {string[]} line */
async function run(...[program, ...args]) {
  await promisify(execFile)(program, args, { encoding: "utf8" });
}

/**
 * What a program said was wrong: npm says it before its own help, the others last.
 * @param {unknown} error what `run` threw
 */
function reasonOf(error) {
  const { message, code, path, stderr = "" } = /** @type {import("node:child_process").ExecFileException} */ (error);
  if (code === "ENOENT") return `${path} is not on the PATH`;
  const [, npm] = /^npm error (?!(?:code|errno|syscall|type) )(\S.+)$/m.exec(stderr) ?? [];
  return npm ?? (stderr.trim() || message).split("\n").at(-1);
}
