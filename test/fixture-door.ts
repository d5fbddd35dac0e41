// A door that exists for tests only: the very bytes of the core block, under tools made to exercise it.
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const ROOT = new URL("..", import.meta.url).pathname;
const ID = `${ROOT}test/protocol/fixture-door.ts`;

/** Resolves `#fixture-door`: `test/protocol/fixture-tools.ts` followed by the core block of the model door. */
export function fixtureDoor(): Plugin {
  return {
    name: "fixture-door",
    enforce: "pre",
    resolveId: (id) => (id === "#fixture-door" ? ID : undefined),
    load(id) {
      if (id !== ID) return undefined;
      const tools = readFileSync(`${ROOT}test/protocol/fixture-tools.ts`, "utf8");
      const [core] =
        /^\/\/ <core>$.*^\/\/ <\/core>$/ms.exec(readFileSync(`${ROOT}workers/hockey/index.ts`, "utf8")) ?? [];
      return `${tools}\n${core}\nexport default { fetch: serve };\n`;
    },
  };
}
