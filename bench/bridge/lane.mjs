// Our bridge in a process of its own, for npm run bench:bridge: the same words on stdin and stdout as bridge.py.
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { startBridge } from "../../bridge/server.mjs";

/** @typedef {import("./client.mjs").Cycle} Cycle */

const FACTS = /** @type {Record<string, string[]>} */ ({ "ws-personal": ["Le chalet est loué du 3 au 10 août."] });

const TOOLS = [
  {
    name: "memory_search",
    description: "The tool memory_search.",
    inputSchema: { type: "object", properties: { query: { type: "string" } } },
    /** @param {Record<string, unknown>} args @param {{ workspace: string }} context */
    run({ query }, { workspace }) {
      const found = (FACTS[workspace] ?? []).filter((fact) => fact.toLowerCase().includes(String(query).toLowerCase()));
      return found.join("\n") || "Rien trouvé.";
    },
  },
  {
    name: "execute_command",
    description: "The tool execute_command.",
    inputSchema: { type: "object", properties: { cmd: { type: "string" } } },
    run: () => "ran",
  },
];

const start = () => startBridge({ tools: TOOLS, allow: ["memory_search"], workspace: "ws-personal", channel: "bench" });

/** Starts and stops `count` bridges; what each took. @param {number} count */
async function cycle(count) {
  /** @type {Cycle} */
  const taken = { start: [], stop: [], refused: true };
  for (let rank = 0; rank < count; rank++) {
    let since = performance.now();
    const bridge = await start();
    taken.start.push(performance.now() - since);
    since = performance.now();
    await bridge.close();
    taken.stop.push(performance.now() - since);
    if (rank === count - 1) taken.refused = await isRefused(Number(new URL(bridge.url).port));
  }
  return taken;
}

/** Whether nothing listens there. @param {number} port @returns {Promise<boolean>} */
function isRefused(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(false)).once("error", () => resolve(true));
  });
}

const bridge = await start();
console.log(JSON.stringify({ port: Number(new URL(bridge.url).port), token: bridge.token }));
for await (const line of createInterface(process.stdin))
  console.log(JSON.stringify(await cycle(JSON.parse(line).count)));
await bridge.close();
