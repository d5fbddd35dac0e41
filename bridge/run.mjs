// The child of a run: its descriptors are the bridge's own, signals go to it, and its end is the bridge's.
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { constants } from "node:os";

/** How long a child may take to end when it is told to, in ms. */
const GRACE_MS = 10_000;
/** On a terminal, a second Ctrl-C after this is another wish to interrupt, not the wish to end at any price; elsewhere, after GRACE_MS. */
const TWICE_MS = 2_000;
/** What the bridge is told goes to the child. */
const FORWARDED = /** @type {const} */ ([
  ...["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"],
]);
/** A terminal sends these to the child itself, which is in the same group. */
const OF_TERMINAL = ["SIGINT", "SIGQUIT"];
const ENDING = ["SIGTERM", "SIGHUP", "SIGQUIT"];
/** Those that a shell should see end the bridge as they ended the child; others would leave a core, or can't be caught. */
const RAISED = ["SIGINT", "SIGTERM", "SIGHUP"];
const PARENT = process.ppid;
/** How often npm is looked for, in ms. */
const PARENT_MS = 500;

/**
 * How a run ended: with a code, with the signal that ended the child, or without a child (`error`, and the code that a shell
 * gives for it).
 * @typedef {{ code: number, signal?: NodeJS.Signals, error?: Error }} End
 */

/**
 * A child that runs, or that can't.
 * @typedef {object} Child
 * @property {Promise<End>} ended at its exit, whoever still holds its streams
 * @property {() => void} end tells it to end, and kills it if it doesn't
 * @property {() => void} leave tells it to end, for a bridge that has no time left
 */

/**
 * From here on no signal ends the bridge by itself. Nothing may be awaited until the child is started: it is told then what
 * came meanwhile.
 */
export function holdSignals() {
  for (const signal of FORWARDED) process.on(signal, () => {});
}

/**
 * Starts a command in the bridge's place: the same stdin, stdout and stderr, and from now on the signals.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env: NodeJS.ProcessEnv }} given
 * @param {boolean} [hidesInterrupt] whether it exits with 0 after a Ctrl-C
 * @returns {Child}
 */
export function startChild(command, args, given, hidesInterrupt = false) {
  /** @type {import("node:child_process").ChildProcess} */
  let child;
  try {
    child = spawn(command, args, { stdio: "inherit", ...given });
  } catch (error) {
    // Node throws what it doesn't expect: a path through a file, arguments over the system's limit.
    return { ended: Promise.resolve({ code: 126, error: /** @type {Error} */ (error) }), end() {}, leave() {} };
  }
  let interrupted = Number.NEGATIVE_INFINITY;
  /** @type {NodeJS.Timeout | undefined} */
  let late;

  const kill = () => void child.kill("SIGKILL");
  const endLater = () => {
    late ??= setTimeout(kill, GRACE_MS);
  };
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      const onTerminal = isInForeground();
      if (!onTerminal || !OF_TERMINAL.includes(signal)) child.kill(signal);
      if (ENDING.includes(signal)) endLater();
      if (signal !== "SIGINT") return;
      if (performance.now() - interrupted < (onTerminal ? TWICE_MS : GRACE_MS)) kill();
      interrupted = performance.now();
    });
  }

  const end = () => {
    child.kill("SIGTERM");
    endLater();
  };
  // Told to end, npx ends its shell and passes nothing on. Without npm, a run that outlives who started it was meant to.
  const watch = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(watch);
    end();
  }, PARENT_MS);
  if (!given.env.npm_command) clearInterval(watch);

  return {
    ended: new Promise((resolve) => {
      child.on("error", (error) => {
        // With a pid, it is a signal that couldn't be sent.
        if (child.pid !== undefined) return;
        const { code } = /** @type {NodeJS.ErrnoException} */ (error);
        resolve({ code: code === "ENOENT" ? 127 : 126, error });
      });
      // Not "close": what the child has left behind may hold its streams.
      child.once("exit", (code, signal) => {
        clearTimeout(late);
        clearInterval(watch);
        const hidden = hidesInterrupt && code === 0 && Number.isFinite(interrupted) ? "SIGINT" : null;
        const ending = signal ?? hidden;
        resolve(ending === null ? { code: code ?? 0 } : { code: 128 + constants.signals[ending], signal: ending });
      });
    }),
    end,
    leave() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    },
  };
}

/** Whether a terminal's Ctrl-C reaches the bridge and its child, which are of one group, whatever their stdin is. */
function isInForeground() {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // After the name, in brackets: state, parent, group, session, terminal, and the terminal's foreground group.
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    // Not Linux: that there is a terminal is all that can be known.
  }
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

/** Ends the bridge as its child has ended. @param {End} end @returns {void} */
export function endAs({ code, signal }) {
  if (signal !== undefined && RAISED.includes(signal)) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // It comes at the loop's next turn; a signal that was ignored from the start never does.
    setTimeout(() => process.exit(code), 100);
    return;
  }
  process.exit(code);
}
