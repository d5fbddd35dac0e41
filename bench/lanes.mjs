// What is measured: a lane is one question asked again and again of one Worker. Lanes of a group are measured together,
// in turn; the first one is the floor of the others.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, bundleCore, bundleDeployed } from "../scripts/bundle.mjs";
import { buildBlog } from "../test/upstream/blog.mjs";
import { DAY, startEccc } from "../test/upstream/eccc.mjs";
import { NIGHT, startNhl } from "../test/upstream/nhl.mjs";
import { ask, startWorker } from "./runtime.mjs";

/** @typedef {import("./runtime.mjs").Worker} Worker */
/** @typedef {import("./runtime.mjs").Question} Question */
/** @typedef {import("./runtime.mjs").Answer} Answer */

/**
 * `expected`: what every answer has in it; `refused`: what none may have.
 * `rival`: the name of our lane that it is compared with, and how many times worse ours may be.
 * @typedef {object} Lane
 * @property {string} name
 * @property {Worker} worker
 * @property {Question} question
 * @property {string} expected
 * @property {string} [refused]
 * @property {{ ours: string, within: number }} [rival]
 */

/**
 * `targets`: what our lanes must reach. `rps`: the least share of the floor's requests per second; `start`: ms over the
 * floor's; `size`: kB, compressed, that it must be under.
 * @typedef {{ name: string, lanes: Lane[], targets: { rps?: number, start?: number, size?: number } }} Group
 */

/** As today's clients of the older era ask: both kinds of answers are accepted. */
const LEGACY = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-06-18",
  "user-agent": "bench/1.0",
};
const MODERN = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** @param {string} method @param {object} params @returns {Question} */
function legacy(method, params) {
  return { headers: LEGACY, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) };
}

/** @param {{ name: string, arguments: object }} call @returns {Question} */
function modern(call) {
  const headers = { ...LEGACY, "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": call.name };
  const params = { ...call, _meta: META };
  return { headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }) };
}

const CONTENT = '"result":{"content":[{"type":"text","text":"';
const ECHO = { name: "echo", arguments: { texte: "bonjour tout le monde" } };
const ECHOED = "Tu dis : bonjour tout le monde";
/** What HTTP adds to every answer: the rest is declared. */
const ADDED = ["date", "connection", "content-length", "transfer-encoding"];

/**
 * The least that can answer: it reads the body, parses it, and says always the same thing.
 * @param {Answer} answer
 */
function floorCode({ headers, body }) {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !ADDED.includes(name)));
  return `const ANSWER = ${JSON.stringify(body)};
const HEADERS = ${JSON.stringify(kept)};
export default {
  async fetch(request) {
    await request.json();
    return new Response(ANSWER, { headers: HEADERS });
  },
};
`;
}

/**
 * The floor of a lane: a Worker that answers the same bytes.
 * @param {Lane} lane
 * @param {string} folder
 * @returns {Promise<Lane>}
 */
export async function floorOf({ name, worker, question, expected, refused }, folder) {
  const running = await startWorker(worker, folder, false);
  try {
    const answer = await ask(running.url, question);
    const isRefused = refused !== undefined && answer.body.includes(refused);
    if (answer.status !== 200 || !answer.body.includes(expected) || isRefused) {
      throw new Error(`${name}: ${answer.status} ${answer.body.slice(0, 200)}`);
    }
    const floor = { name: `floor-${worker.name}-${fileName(name)}`, code: floorCode(answer), date: worker.date };
    return { name: "floor", worker: floor, question, expected, refused };
  } finally {
    await running.stop();
  }
}

/** @param {string} name */
function fileName(name) {
  return name.replace(/[^a-z0-9]+/gi, "-");
}

/**
 * The doors on sources that are on this machine, each on the list of its tools and on a question whose answer it holds.
 * @param {string} folder for what they read
 * @returns {Promise<{ groups: Group[], stop(): Promise<void> }>}
 */
export async function makeDoors(folder) {
  const nhl = await startNhl({ clock: () => NIGHT.starts });
  const eccc = await startEccc();
  const assets = mkdtempSync(join(folder, "blog-"));
  for (const [file, bytes] of await buildBlog()) writeFileSync(join(assets, file), bytes);
  const weather = Object.fromEntries(
    "ECCC_API OPEN_METEO_API GEO_API GEO_WORLD_API".split(" ").map((api) => [api, eccc.url]),
  );
  const at = (/** @type {number} */ instant) => new Date(instant).toISOString();
  /** @type {Record<string, { vars: Record<string, string>, assets?: string, calls: [string, object][] }>} */
  const doors = {
    hockey: {
      vars: { NHL_API: nhl.url, NHL_SEARCH_API: nhl.url, CLOCK: at(NIGHT.starts) },
      calls: [["match_lnh", {}]],
    },
    meteo: { vars: { ...weather, CLOCK: at(DAY.starts) }, calls: [["meteo_actuelle", {}]] },
    articles: {
      vars: {},
      assets,
      calls: [
        ["articles_lister", {}],
        ["articles_chercher", { question: "dans quel article elle parle de ses onduleurs ?" }],
      ],
    },
  };
  /** @type {Group[]} */
  const groups = [];
  for (const [name, { vars, assets, calls }] of Object.entries(doors)) {
    const deployed = await bundleDeployed(name);
    const worker = { name, code: deployed.code, date: deployed.date, vars: { ...deployed.vars, ...vars }, assets };
    const list = { name: `${name} tools/list`, worker, question: legacy("tools/list", {}), expected: '"inputSchema"' };
    const targets = { rps: 0.8, start: 15, size: 60 };
    groups.push({ name: list.name, lanes: [await floorOf(list, folder), list], targets });
    for (const [tool, args] of calls) {
      const question = legacy("tools/call", { name: tool, arguments: args });
      const call = {
        name: `${name} ${tool}`,
        worker,
        question,
        expected: CONTENT,
        refused: '"isError"',
      };
      groups.push({ name: call.name, lanes: [await floorOf(call, folder), call], targets: { rps: 0.75 } });
    }
  }
  return { groups, stop: async () => void (await Promise.all([nhl.close(), eccc.close()])) };
}

/** Our own lanes of the echo, one for each era. */
export const OURS = { legacy: "our core", modern: `our core, ${MODERN}` };

/**
 * The same tool by our core and by the peers.
 * @param {string} folder
 * @param {boolean} [alone] without the peers, which are installed apart
 * @returns {Promise<Group>}
 */
export async function makeEcho(folder, alone = false) {
  const { date } = await bundleDeployed("hockey");
  const code = await bundleCore(readFileSync("bench/echo.ts", "utf8"), "export default { fetch: serve };", {
    minify: true,
  });
  const ours = { name: "our-core", code, date };
  const old = legacy("tools/call", ECHO);
  const json = { ...old, headers: { ...LEGACY, accept: "application/json" } };
  const lane = (
    /** @type {string} */ name,
    /** @type {Worker} */ worker,
    /** @type {Question} */ question,
    within = 1,
  ) => {
    const rival =
      worker === ours ? undefined : { ours: question.body === old.body ? OURS.legacy : OURS.modern, within };
    return { name, worker, question, expected: ECHOED, rival };
  };
  const lanes = [lane(OURS.legacy, ours, old), lane(OURS.modern, ours, modern(ECHO))];
  const floor = await floorOf(lanes[0], folder);
  if (alone) return { name: "echo", lanes: [floor, ...lanes], targets: {} };
  const peer = async (/** @type {string} */ name, /** @type {string[]} */ flags = []) => {
    return { name, code: await bundle({ entryPoints: [`bench/peers/${name}.ts`], minify: true }), date, flags };
  };
  const { dependencies } = JSON.parse(readFileSync("bench/package.json", "utf8"));
  const [sdk, server, honoMcp, lite] = await Promise.all(
    ["sdk", "server", "hono-mcp", "mcp-lite"].map((name) => peer(name)),
  );
  const agents = await peer("agents", ["nodejs_compat"]);
  const versions = Object.entries(dependencies).map(([name, version]) => [
    name.replace("@modelcontextprotocol/", ""),
    version,
  ]);
  const called = (/** @type {Worker} */ { name }, more = "") =>
    `${name.replace("hono-mcp", "@hono/mcp")} ${Object.fromEntries(versions)[name.replace("hono-mcp", "@hono/mcp")]}${more}`;
  const peers = [
    ...[sdk, server, honoMcp, agents, lite].map((worker) => lane(called(worker), worker, old)),
    ...[server, agents].map((worker) => lane(called(worker, `, ${MODERN}`), worker, modern(ECHO))),
    // It is as thin as a core can be, and does less: ours may be a little behind.
    lane(called(lite, ", JSON"), lite, json, 1 / 0.85),
  ];
  return { name: "echo", lanes: [floor, ...lanes, ...peers], targets: { start: 15, size: 60 } };
}
