// The child of a run: its descriptors are the bridge's own, signals go to it, and its end is the bridge's.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { isatty } from "node:tty";

/** How long a child may take to end when it is told to, in ms. */
const GRACE_MS = 10_000;
/** On a terminal, a second Ctrl-C after this is another wish to interrupt, not the wish to end at any price; elsewhere, after GRACE_MS. */
const TWICE_MS = 2_000;
/** What the bridge is told goes to the child. */
const FORWARDED = /** @type {const} */ ([
  ...["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"],
]);
/** A terminal sends these to the child itself, which is in the same group. */
const OF_TERMINAL = ["SIGINT", "SIGQUIT", "SIGWINCH"];
const ENDING = ["SIGTERM", "SIGHUP", "SIGQUIT"];
/** Those that a shell should see end the bridge as they ended the child; others would leave a core, or can't be caught. */
const RAISED = ["SIGINT", "SIGTERM", "SIGHUP"];

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
 * Starts a command in the bridge's place: the same stdin, stdout and stderr, and from now on the signals.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {boolean} [hidesInterrupt] whether it exits with 0 after a Ctrl-C
 * @returns {Child}
 */
export function startChild(command, args, env, hidesInterrupt = false) {
  // Not process.stdin: a stream on it would make the child's own non-blocking.
  const onTerminal = isatty(0);
  /** @type {import("node:child_process").ChildProcess} */
  let child;
  try {
    child = spawn(command, args, { stdio: "inherit", env });
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
      if (!onTerminal || !OF_TERMINAL.includes(signal)) child.kill(signal);
      if (ENDING.includes(signal)) endLater();
      if (signal !== "SIGINT") return;
      if (performance.now() - interrupted < (onTerminal ? TWICE_MS : GRACE_MS)) kill();
      interrupted = performance.now();
    });
  }

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
        const hidden = hidesInterrupt && code === 0 && Number.isFinite(interrupted) ? "SIGINT" : null;
        const ending = signal ?? hidden;
        resolve(ending === null ? { code: code ?? 0 } : { code: 128 + constants.signals[ending], signal: ending });
      });
    }),
    end() {
      child.kill("SIGTERM");
      endLater();
    },
    leave() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    },
  };
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
