// Doors that are broken on purpose, in a checkout of their own: what a check of the doors must find.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, makeHouse, runNpm } from "./processes.ts";

/** A text that a door has exactly once, and what takes its place. */
export type Change = [from: string, to: string];

/** A short run and what it starts; a loaded machine takes longer. */
const RUN_MS = 110_000;

/** Runs a script in a checkout whose doors have been changed, each in one place. */
export async function runBroken(script: string, args: string[], changes: Record<string, Change>): Promise<Ended> {
  const house = makeHouse();
  try {
    for (const [name, [from, to]] of Object.entries(changes)) {
      const file = join(house, `workers/${name}/index.ts`);
      const parts = readFileSync(file, "utf8").split(from);
      if (parts.length !== 2) throw new Error(`${parts.length - 1} times in ${name}: ${from}`);
      writeFileSync(file, parts.join(to));
    }
    return await runNpm(script, args, house, RUN_MS);
  } finally {
    rmSync(house, { recursive: true });
  }
}

/** Replaces a door's last line by one that does `what` to one answer in ten; `answer` is the good one. */
export function oneInTen(what: string): Change {
  return [
    "export default { fetch: serve };",
    `let answersOfTheBroken = 0;
    export default {
      async fetch(request: Request, env: Env, ctx: never) {
        const answer = await serve(request, env, ctx);
        if (++answersOfTheBroken % 10 > 0) return answer;
        ${what}
      },
    };`,
  ];
}
