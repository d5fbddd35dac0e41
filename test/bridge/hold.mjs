// A child that does nothing: it says in one line of JSON what it was given, then waits for the end of its stdin.
// HOLD_CODE: its exit code. HOLD_TRAPS: signals that it answers with their name alone, between commas; with HOLD_ENDS, by
// ending with that code.
import { constants } from "node:os";

const { HOLD_CODE = "0", HOLD_TRAPS = "", HOLD_ENDS } = process.env;
for (const signal of HOLD_TRAPS.split(",").filter((name) => name in constants.signals)) {
  process.on(signal, () => {
    console.log(signal);
    if (HOLD_ENDS !== undefined) process.exit(Number(HOLD_ENDS));
  });
}
process.stdin.resume().on("end", () => process.exit(Number(HOLD_CODE)));
console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, pid: process.pid }));
