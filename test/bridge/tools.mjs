// Tools of a run, as `--tools` takes them. The executor's record is the file that RECORD names: a line of JSON per entry.
import { appendFileSync } from "node:fs";

/** @typedef {{ workspace: string, channel: string, signal: AbortSignal }} Context */
/** @typedef {Record<string, any>} Args */

const FACTS = /** @type {Record<string, string[]>} */ ({
  "ws-personal": ["Le chalet est loué du 3 au 10 août."],
  "ws-client": ["Le contrat vaut 40 000 dollars."],
});

/** @param {string} tool @param {Args} args @param {Context} context */
function enter(tool, args, { workspace, channel }) {
  const bare = Object.getPrototypeOf(args) === null;
  write({ tool, args, bare, workspace, channel });
}

/** @param {object} line */
function write(line) {
  appendFileSync(String(process.env.RECORD), `${JSON.stringify(line)}\n`);
}

/** @param {Record<string, { type: string }>} properties */
const takes = (properties) => ({ type: "object", properties });

/**
 * @param {string} name
 * @param {(args: Args, context: Context) => unknown} work
 * @param {Record<string, { type: string }>} [properties]
 */
const tool = (name, work, properties = {}) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: takes(properties),
  // What is a module's own business, and no JSON.
  secret: "hunter2",
  calls: 0n,
  run: async (/** @type {Args} */ args, /** @type {Context} */ context) => {
    enter(name, args, context);
    return work(args, context);
  },
});

/** What throws when it is looked at, so many times in a row. @param {number} times @returns {object} */
const thorn = (times) =>
  times === 0
    ? new Error("the secret of the database is hunter2")
    : new Proxy(
        {},
        {
          getPrototypeOf() {
            throw thorn(times - 1);
          },
        },
      );

export default [
  tool(
    "memory_search",
    ({ query }, { workspace }) => {
      const found = (FACTS[workspace] ?? []).filter((fact) => fact.toLowerCase().includes(String(query).toLowerCase()));
      return found.length === 0 ? "Rien trouvé." : found.join("\n");
    },
    { query: { type: "string" } },
  ),
  tool("execute_command", ({ cmd }) => `ran ${cmd}`, { cmd: { type: "string" } }),
  tool("delete_file", ({ path }) => `deleted ${path}`, { path: { type: "string" } }),
  tool("picture", () => [
    { type: "text", text: "Voici." },
    { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
  ]),
  tool("large", () => "é".repeat(25_000_000)),
  tool("volumes", () => Array.from({ length: 10 }, () => ({ type: "text", text: "a".repeat(150_000) }))),
  tool("crumbs", () => Array.from({ length: 300_000 }, () => ({ type: "text", text: "a" }))),
  tool("page", () => [{ type: "resource", resource: { uri: "mem://page", text: "a".repeat(1_000_000) } }]),
  tool("link", () => [
    { type: "text", text: "Voici." },
    { type: "resource_link", uri: "mem://link", name: "x", description: "a".repeat(1_000_000) },
  ]),
  {
    ...tool("either", (args) => JSON.stringify(args)),
    inputSchema: {
      type: "object",
      properties: { always: { type: "string" } },
      anyOf: [{ properties: { city: { type: "string" } } }, { $ref: "#/$defs/a%20place~1point" }],
      $defs: {
        "a place/point": { properties: { lat: { type: "number" } } },
        unused: { properties: { workspace: {} } },
      },
    },
  },
  tool("broken", () => {
    throw new Error("the secret of the database is hunter2");
  }),
  tool(
    "thorny",
    ({ times }) => {
      throw thorn(times);
    },
    { times: { type: "number" } },
  ),
  tool("silent", () => undefined),
  tool(
    "hang",
    (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => write({ aborted: "hang" }));
      }),
  ),
  tool("panic", () => {
    setTimeout(() => {
      throw new Error("the secret of the database is hunter2");
    });
    return new Promise(() => {});
  }),
  tool("quit", () => process.exit(0)),
  tool("unprintable", () => {
    setTimeout(() => {
      throw Object.create(null);
    });
    return new Promise(() => {});
  }),
  tool("clumsy", (_, { signal }) => {
    signal.addEventListener("abort", () => {
      throw new Error("it breaks as it is aborted");
    });
    return new Promise(() => {});
  }),
  tool("odd_text", () => [{ type: "text", text: ["a"] }]),
  tool("odd_block", () => [{ type: "resource", resource: null }]),
  tool("part_odd", () => [
    { type: "text", text: "Envoyé.", annotations: null },
    { type: "future", text: "?" },
  ]),
  tool("odd_structure", () => ({ content: [{ type: "text", text: "Voici." }], structuredContent: [1] })),
  tool("no_structure", () => ({ content: [{ type: "text", text: "Voici." }], structuredContent: null })),
  tool(
    "environment",
    () =>
      Object.keys(process.env)
        .filter((name) => name.startsWith("LABO_"))
        .join(",") || "none",
  ),
];
