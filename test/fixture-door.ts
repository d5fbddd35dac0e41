// Doors that exist for tests only: the very bytes of the core block, under tools made to exercise it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ID = `${ROOT}test/protocol/fixture-door.ts`;

/**
 * The source of a door: its `SERVER` and its `TOOLS`, from a file of test/, then the core block of the model door. `fetch`
 * names the function that it exports.
 */
export function joinCore(file: string, fetch = "serve"): string {
  const tools = readFileSync(`${ROOT}test/${file}`, "utf8");
  const [core] = /^\/\/ <core>$.*^\/\/ <\/core>$/ms.exec(readFileSync(`${ROOT}workers/hockey/index.ts`, "utf8")) ?? [];
  return `${tools}\n${core}\nexport default { fetch: ${fetch} };\n`;
}

/** Resolves `#fixture-door`: `test/protocol/fixture-tools.ts` and the core. */
export function fixtureDoor(): Plugin {
  return {
    name: "fixture-door",
    enforce: "pre",
    resolveId: (id) => (id === "#fixture-door" ? ID : undefined),
    load: (id) => (id === ID ? joinCore("protocol/fixture-tools.ts") : undefined),
  };
}
