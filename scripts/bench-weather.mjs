// npm run bench:weather: how long a door works on a question, in workerd, the first time in an isolate and once warm.
import { answerAt, DAY } from "../test/upstream/eccc.mjs";
import { bundleDoor } from "./bundle.mjs";
import { command, UsageError } from "./command.mjs";
import { startIsolates } from "./isolates.mjs";

const HELP = `npm run bench:weather

Prints, for the weather door in workerd, the milliseconds that each tool takes: the first request of a fresh isolate, then
a warm one; and each stage of an answer: resolving a place, parsing a page, making the sentence. The sources answer from
memory, so that the door's own work alone is counted: a Worker of the Free plan has 10 ms of CPU for a request. Takes
about half a minute.`;

/** Fresh isolates for each tool; warm calls for each figure. */
const ISOLATES = 7;
const WARM = 300;

const TOOLS =
  "meteo_actuelle meteo_previsions meteo_precipitations meteo_alertes meteo_air meteo_soleil meteo_normales".split(" ");

/** Runs inside workerd, after the door's own source: it sees the functions that the door doesn't export. */
const PROBE = `
/** Milliseconds of one call, out of many: the clock of workerd ticks once a millisecond. */
async function timed(work, count) {
  for (let round = 0; round < count; round++) await work();
  const start = performance.now();
  for (let round = 0; round < count; round++) await work();
  return (performance.now() - start) / count;
}
export default {
  async fetch(request, env) {
    const { tool, count, warm, payloads } = await request.json();
    const now = () => env.AT;
    const missing = [];
    const answers = new Map(Object.entries(payloads));
    const fetch = async (url) => {
      const path = new URL(url).pathname + new URL(url).search;
      const body = answers.get(path);
      if (body !== undefined) return new Response(body, { headers: { "content-type": "application/json" } });
      missing.push(path);
      return new Response("{}", { status: 404 });
    };
    const deps = { fetch, now, env: { DEFAULT_PLACE: "Montréal" }, waitUntil() {} };
    if (tool !== undefined) {
      const ask = () => TOOLS[tool].run(readArguments(TOOLS[tool].inputSchema, {}), deps);
      const start = performance.now();
      await ask().catch(() => {});
      const first = performance.now() - start;
      // The memory is emptied: every warm call parses what the sources send.
      const afresh = () => {
        CACHE.clear();
        return ask();
      };
      return Response.json({ first, warm: warm ? await timed(afresh, count) : null, missing });
    }
    const page = [...answers].find(([path]) => path.includes("citypage"))[1];
    const body = JSON.parse(page);
    const place = await findPlace("Saint-Jérôme", deps);
    const weather = { place, now: env.AT, page: parsePage(body, place.zone, env.AT), model: null, age: null, alerts: [] };
    return Response.json({
      "resolve a place": await timed(() => findPlace("à Saint-Jérôme", deps), count),
      "resolve a place with a typing mistake": await timed(() => findPlace("Drumondville", deps), count),
      "parse a page": await timed(() => parsePage(JSON.parse(page), place.zone, env.AT), count),
      "say the conditions": await timed(() => sayCurrently(weather), count),
      "say the forecast": await timed(() => sayForecast({ ...weather, when: findWhen("sept jours", env.AT, place.zone) }), count),
      "say the precipitation": await timed(() => sayPrecipitation({ ...weather, when: null }), count),
    });
  },
};
`;

await command(HELP, {}, async (_, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const code = await bundleDoor("meteo", PROBE);
  const names = TOOLS.flatMap((tool) => Array.from({ length: ISOLATES }, (__, index) => `${tool}-${index}`));
  const miniflare = startIsolates(["stages", "fresh", ...names], code, { AT: DAY.starts });
  try {
    const ask = async (/** @type {string} */ name, /** @type {object} */ body) => {
      const worker = await miniflare.getWorker(name);
      const response = await worker.fetch("http://bench/", { method: "POST", body: JSON.stringify(body) });
      return /** @type {any} */ (await response.json());
    };
    const payloads = await readSources(ask);
    console.log("milliseconds, in workerd, without the sources' own time\n");
    console.log(`${"tool".padEnd(24)}first in an isolate (median, worst of ${ISOLATES})   warm (mean of ${WARM})`);
    for (const tool of TOOLS) {
      const runs = [];
      for (let index = 0; index < ISOLATES; index++) {
        runs.push(await ask(`${tool}-${index}`, { tool, payloads, count: WARM, warm: index === 0 }));
      }
      const firsts = runs.map(({ first }) => first).toSorted((one, other) => one - other);
      const [median, worst] = [firsts[Math.floor(firsts.length / 2)], firsts.at(-1)];
      console.log(`${tool.padEnd(24)}${show(median)} ${show(worst)}${"".padEnd(27)}${show(runs[0].warm)}`);
    }
    console.log("\nstage (warm, mean)");
    const stages = await ask("fresh", { payloads, count: WARM });
    for (const [stage, time] of Object.entries(stages)) console.log(`${stage.padEnd(42)}${show(Number(time))}`);
  } finally {
    await miniflare.dispose();
  }
});

/** @param {number} time */
function show(time) {
  return time.toFixed(2).padStart(8);
}

/**
 * What the made-up sources say of the demo's hour, by path: whatever the tools ask for.
 * @param {(name: string, body: object) => Promise<any>} ask
 * @returns {Promise<Record<string, string>>}
 */
async function readSources(ask) {
  /** @type {Record<string, string>} */
  const payloads = {};
  for (const tool of TOOLS) {
    const { missing } = await ask("stages", { tool, payloads });
    for (const path of missing) payloads[path] = answerAt(path, DAY.starts).text;
  }
  return payloads;
}
