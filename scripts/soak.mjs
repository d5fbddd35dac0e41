// npm run soak: the doors under load, on sources that fail at random.
import { readFileSync } from "node:fs";
import { buildBlog, serveFiles } from "../test/upstream/blog.mjs";
import { CLUBS, PLAYERS } from "../test/upstream/clubs.mjs";
import { DAY, startEccc } from "../test/upstream/eccc.mjs";
import { startEmbeddings } from "../test/upstream/embeddings.mjs";
import { NIGHT, startNhl } from "../test/upstream/nhl.mjs";
import { startTroubled } from "../test/upstream/troubled.mjs";
import { startChild } from "./children.mjs";
import { command, UsageError } from "./command.mjs";
import { startBar } from "./progress.mjs";
import { chance, pick, readSeed, weighted } from "./random.mjs";
import { CAPABILITIES_KEY, faultsOf, LEGACY, MODERN, outcomeOf, SLOWEST_MS, VERSION_KEY } from "./verdict.mjs";

/** @typedef {import("./children.mjs").Child} Child */
/** @typedef {Awaited<ReturnType<typeof startTroubled>>} Troubled */
/** @typedef {{ method: string, params: Record<string, unknown>, version: string, allowed: RegExp }} Question */

const MOST = 1_000_000;
/** Enough for every address to be awaited by several at once, on two processors that also play the sources. */
const AT_ONCE = 32;
/** Past it a request is given up: a door that hangs is reported, not waited for. */
const HANG_MS = 12_000;
/** A door that is broken is not asked 20,000 times. */
const MOST_FAULTS = 20;
/** How many faults of a door or of a source are printed: the others are like them. */
const SHOWN = 5;
/** How often the memory is read in a run. */
const SAMPLES = 80;
/**
 * How much the memory may grow from the second quarter of a run to the last one, in bytes. V8 lets a young heap grow before
 * it collects: by up to 65 MiB here, then no more in three times as many requests. A door that kept some 30 kB of each question,
 * a source's answer being several times that, grows by more.
 */
const GROWTH_LIMIT = 96 * 1024 * 1024;
/** With fewer requests a leak wouldn't show: the memory is then read, and not judged. */
const MEMORY_REQUESTS = 10_000;
/** With fewer calls, a door may have had no answer to give. */
const ANSWERED_CALLS = 200;
/** A source that has given less than this is to blame itself: without its index, the articles' door has nothing to say. */
const GOOD_ANSWERS = 3;
/**
 * How many different things a source may be asked for: what every question shares (an index, the standings, a night of
 * each club), then what one alone needs. A call that carried something new each time would be past it at once.
 */
const SHARED_ADDRESSES = 100;
const ADDRESSES_PER_QUESTION = 3;
/** What the doors say of a source that is wrong: no defect of theirs. */
const SAID_OF_SOURCES = /^(?:the index|a file of the index|embedding:|the vectors of the index)/;
/** The evening is played in the two minutes of a run: every phase of a game is asked about. */
const SPEED = 150;

const HELP = `npm run soak -- [--requests 20000] [--seed N]

Asks the three doors, in workerd, ${AT_ONCE} requests at a time, while their sources fail at random: error pages, HTML in
place of JSON, stalls, cut and truncated bodies, 429, slow answers, JSON of another shape. Every request must get a valid
JSON-RPC answer of its era within ${SLOWEST_MS / 1000} s, a tool's being a sentence, and no door may log a defect. The sources count how they
are asked: never twice at once at one address, nor again soon after an answer (a door remembers a good
one, and lets an address rest for 5 s after a bad one), nor during the rest that a 429 asks for. The memory of each
workerd must stay flat, which takes ${MEMORY_REQUESTS} requests to be judged. Takes about a minute; needs no internet.

  --requests N   how many, from 1 to ${MOST}
  --seed N       the same questions, and the same faults at each address; printed, any unless told

Exit code 1 when a rule is broken, 2 when an argument is wrong.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = { requests: { type: "string", default: "20000" }, seed: { type: "string" } };

// ── What is asked ────────────────────────────────────────────────────────────

const TEAMS = ["le Canadien", "les Habs", "Ottawa", "Toronto", "les Jets", "les Flames", "les Oilers", "les Canucks"];
const GROUPS = ["l'Atlantique", "la Métropolitaine", "la Centrale", "le Pacifique", "l'Est", "l'Ouest", "la ligue"];
const FIGURES = ["points", "buts", "passes", "victoires des gardiens", "efficacité des gardiens"];
const DAYS = [
  "hier",
  "ce soir",
  "demain",
  "lundi",
  "mardi",
  "mercredi",
  "jeudi",
  "vendredi",
  "samedi dernier",
  "dimanche",
];
const PLACES = (
  "Montréal,Laval,Longueuil,Saint-Jérôme,Huntingdon,Trois-Rivières,Québec,Lévis,Sherbrooke,Rimouski,Saguenay,Rouyn-Noranda," +
  "Kuujjuaq,Gaspé,les Îles-de-la-Madeleine,Gatineau,Ottawa,Toronto,Paris,Miami,Plattsburgh,Saint-Tite,Natashquan,Verdun," +
  "Drummondville,Granby,Val-d'Or,Sept-Îles,Baie-Comeau,Joliette,Victoriaville,Shawinigan,Alma,Matane,Windsor en Ontario," +
  "Vancouver,Calgary,Winnipeg,Halifax,Moncton,Whitehorse,Iqaluit,H2X 1Y4,la Gaspésie"
).split(",");
const WHEN = ["demain", "ce soir", "cette nuit", "la fin de semaine", "samedi matin", "à 15 heures", "sept jours"];
const ARTICLES = ["le dernier", "le café connecté", "les onduleurs", "l'arrosage automatique", "nftables", "le vélo"];
const TAGS = ["réseau", "domotique", "jardin", "électricité", "inconnue"];

/** One line per article of the made-up blog and per way to ask about it. */
const BLOG_QUESTIONS = readFileSync("test/fixtures/blog-questions.tsv", "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.split("\t")[0]);
const NAMES = PLAYERS.map(({ first, last }) => `${first} ${last}`);
const CLUB_NAMES = Object.values(CLUBS).map(({ place }) => place);

/**
 * The tools of each door, how often each is asked, and with what. `any(list)` is one of a list; `some(list)` is that or
 * nothing, as often; most of what is asked is asked again and again, as people do, and a name that nobody has is new.
 * @typedef {{ any(list: readonly string[]): string, some(list: readonly string[]): string | undefined, number: number,
 *   strange: string | undefined }} Draw
 * @type {Record<string, Record<string, [weight: number, args: (draw: Draw) => object]>>}
 */
const ASKED = {
  hockey: {
    match_lnh: [5, ({ some }) => ({ equipe: some(TEAMS) })],
    soiree_lnh: [3, ({ some, number }) => ({ date: number % 4 === 0 ? `2026-01-${10 + (number % 19)}` : some(DAYS) })],
    calendrier_lnh: [2, ({ some, number }) => ({ equipe: some(TEAMS), nombre: 1 + (number % 10) })],
    classement_lnh: [2, ({ some }) => ({ equipe: some(TEAMS), groupe: some(GROUPS) })],
    joueur_lnh: [4, ({ any, strange }) => ({ nom: strange ?? any(NAMES) })],
    meneurs_lnh: [2, ({ some }) => ({ categorie: some(FIGURES), equipe: some([...TEAMS, ...CLUB_NAMES]) })],
    series_lnh: [1, ({ some }) => ({ equipe: some(TEAMS) })],
  },
  meteo: {
    meteo_actuelle: [5, ({ some, strange }) => ({ lieu: strange ?? some(PLACES) })],
    meteo_previsions: [4, ({ some, strange }) => ({ lieu: strange ?? some(PLACES), quand: some(WHEN) })],
    meteo_precipitations: [3, ({ some, strange }) => ({ lieu: strange ?? some(PLACES), quand: some(WHEN) })],
    meteo_alertes: [2, ({ some }) => ({ lieu: some(PLACES) })],
    meteo_air: [2, ({ some }) => ({ lieu: some(PLACES) })],
    meteo_soleil: [1, ({ some, number }) => ({ lieu: some(PLACES), date: `2026-0${1 + (number % 9)}-15` })],
    meteo_normales: [2, ({ some }) => ({ lieu: some(PLACES) })],
  },
  articles: {
    articles_chercher: [5, ({ any, strange }) => ({ question: strange ?? any(BLOG_QUESTIONS) })],
    articles_lire: [3, ({ any, strange, number }) => ({ article: strange ?? any(ARTICLES), partie: 1 + (number % 3) })],
    articles_lister: [2, ({ some, number }) => ({ nombre: 1 + (number % 10), etiquette: some(TAGS) })],
  },
};

/** One question in ten is of the protocol: what a client asks before it has a question. */
const PROTOCOL_SHARE = 0.1;
/** One name in eight is one that nobody has: what is remembered of those must not grow. */
const STRANGE_SHARE = 0.125;

/**
 * The question of that rank, for a door: any of its tools, in any era.
 * @param {string} door
 * @param {number} seed
 * @param {number} rank
 * @returns {Question}
 */
function questionOf(door, seed, rank) {
  const at = (/** @type {string} */ what) => chance(seed, door, rank, what);
  const version = pick([MODERN, ...LEGACY], at("era") ** 2);
  if (at("kind") < PROTOCOL_SHARE) {
    const methods = version === MODERN ? ["server/discover", "tools/list"] : ["initialize", "tools/list", "ping"];
    const method = pick(methods, at("method"));
    const params = method === "initialize" ? { protocolVersion: version, capabilities: {} } : {};
    return { method, params, version, allowed: /^200 result/ };
  }
  const weights = Object.fromEntries(Object.entries(ASKED[door]).map(([tool, [weight]]) => [tool, weight]));
  const name = weighted(weights, at("tool"));
  const any = (/** @type {readonly string[]} */ list) => pick(list, at("any"));
  const [, make] = ASKED[door][name];
  const args = make({
    any,
    some: (list) => (chance(seed, door, rank, "some", list[0]) < 0.5 ? undefined : any(list)),
    number: Math.floor(1_000 * at("number")),
    strange: at("strange") < STRANGE_SHARE ? `Zq${Math.floor(1e6 * at("name"))}` : undefined,
  });
  return { method: "tools/call", params: { name, arguments: args }, version, allowed: /^200 said/ };
}

// ── The run ──────────────────────────────────────────────────────────────────

/**
 * What a run has seen, of one door or of all.
 * @typedef {object} Seen
 * @property {Set<string>} asked different questions to tools
 * @property {Map<string, number>} outcomes
 * @property {{ ms: number, asked: string }} slowest
 * @property {number[]} times ms of every answer
 */

/**
 * Asks once; what is wrong, in words.
 * @param {Child} door
 * @param {Question} question
 * @param {number} id
 * @param {Seen} seen
 * @returns {Promise<string[]>}
 */
async function ask({ url }, { method, params, version, allowed }, id, seen) {
  const isModern = version === MODERN;
  const _meta = { [VERSION_KEY]: version, [CAPABILITIES_KEY]: {} };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params: isModern ? { ...params, _meta } : params });
  /** @type {Record<string, string>} */
  const headers = { "content-type": "application/json" };
  if (method !== "initialize") headers["mcp-protocol-version"] = version;
  if (isModern) headers["mcp-method"] = method;
  if (isModern && typeof params.name === "string") headers["mcp-name"] = params.name;
  const since = performance.now();
  try {
    const response = await fetch(url, {
      ...{ method: "POST", headers, body, redirect: "manual" },
      signal: AbortSignal.timeout(HANG_MS),
    });
    const answer = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
    const ms = performance.now() - since;
    if (method === "tools/call") seen.asked.add(JSON.stringify(params));
    seen.times.push(ms);
    const kind = kindOf(answer.text, method);
    seen.outcomes.set(kind, (seen.outcomes.get(kind) ?? 0) + 1);
    if (ms > seen.slowest.ms) seen.slowest = { ms, asked: body };
    const outcome = outcomeOf(answer);
    const faults = faultsOf(answer, isModern ? "modern" : "legacy");
    if (!allowed.test(outcome) || !outcome.endsWith(`id=${id}`)) faults.push(`the answer is « ${outcome} »`);
    if (ms > SLOWEST_MS) faults.push(`it took ${Math.round(ms)} ms`);
    return faults.length === 0 ? [] : [`${faults.join("; ")}; asked: ${body}`];
  } catch (error) {
    const why = error instanceof Error && error.name === "TimeoutError" ? `no answer in ${HANG_MS} ms` : String(error);
    return [`${why}; asked: ${body}`];
  }
}

await command(HELP, OPTIONS, async (values, extra) => {
  if (extra.length > 0) throw new UsageError(`"${extra.join(" ")}" is not an option. See --help.`);
  const requests = /^\d{1,7}$/.test(values.requests) ? Number(values.requests) : 0;
  if (requests < 1 || requests > MOST) {
    throw new UsageError(`--requests ${values.requests}: a number from 1 to ${MOST} is needed`);
  }
  const seed = readSeed(values.seed);
  if (seed === null) throw new UsageError(`--seed ${values.seed}: a whole number under 2^31 is needed`);
  console.log(`${requests} requests, seed ${seed}`);
  process.exit((await soak(requests, seed)) ? 0 : 1);
});

/**
 * @param {number} requests
 * @param {number} seed
 * @returns {Promise<boolean>} whether every rule held
 */
async function soak(requests, seed) {
  const sources = await startSources(seed);
  /** @type {Child[]} */
  const doors = await Promise.all(sources.doors.map(({ name, vars }) => startChild(name, vars, SAID_OF_SOURCES)));
  /** @type {string[]} */
  const faults = [];
  const seen = new Map(doors.map(({ name }) => [name, newSeen()]));
  const memory = new Map(doors.map(({ name }) => [name, /** @type {number[]} */ ([])]));
  const bar = startBar("soak", requests);
  const started = performance.now();
  let sent = 0;
  const one = async () => {
    while (sent < requests && faults.length < MOST_FAULTS) {
      const rank = sent++;
      const door = pick(doors, chance(seed, "door", rank));
      const of = /** @type {Seen} */ (seen.get(door.name));
      const wrong = await ask(door, questionOf(door.name, seed, rank), rank, of);
      faults.push(...wrong.map((fault) => `${door.name}: ${fault}`));
      bar.advance(1);
      if (rank % Math.ceil(requests / SAMPLES) !== 0) continue;
      for (const { name, memory: read } of doors) memory.get(name)?.push(read() ?? Number.NaN);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  bar.stop();
  const seconds = (performance.now() - started) / 1000;

  for (const { name, defects, outcomes, isRunning } of doors) {
    if (!isRunning()) faults.push(`${name}: it has ended`);
    faults.push(...defects.map((line) => `${name}: it has logged: ${line}`));
    if (outcomes.has("bug")) faults.push(`${name}: ${outcomes.get("bug")} defects of its own`);
  }
  for (const { name, source } of sources.troubled) faults.push(...source.misuses.map((misuse) => `${name}: ${misuse}`));
  if (requests >= MEMORY_REQUESTS) {
    for (const [name, samples] of memory) faults.push(...memoryFaults(name, samples));
  }
  for (const [name, { outcomes }] of seen) {
    const [answers = 0, refusals = 0] = [outcomes.get("answer"), outcomes.get("refusal")];
    if (answers > 0 || refusals < ANSWERED_CALLS) continue;
    const isStarved = sources.troubled.some(
      ({ door, source }) => door === name && source.calls() > 0 && (source.faults.get("none") ?? 0) < GOOD_ANSWERS,
    );
    if (!isStarved) faults.push(`${name}: no answer at all, ${refusals} refusals`);
  }
  for (const { name, door, source } of sources.troubled) {
    const { size } = /** @type {Seen} */ (seen.get(door)).asked;
    if (source.addresses.size > SHARED_ADDRESSES + ADDRESSES_PER_QUESTION * size) {
      faults.push(`${name}: asked ${source.addresses.size} different things for ${size} different questions`);
    }
  }
  report(doors, sources.troubled, seen, memory, seconds);
  for (const [who, its] of Map.groupBy(faults, (fault) => fault.slice(0, fault.indexOf(":")))) {
    for (const fault of its.slice(0, SHOWN)) console.error(fault);
    if (its.length > SHOWN) console.error(`${who}: and ${its.length - SHOWN} more`);
  }
  console.log(
    faults.length === 0
      ? "Every rule held."
      : `Broken; once more: npm run soak -- --requests ${requests} --seed ${seed}`,
  );
  await Promise.all([...doors.map((door) => door.stop()), sources.close()]);
  return faults.length === 0;
}

/** @returns {Seen} */
function newSeen() {
  return { asked: new Set(), outcomes: new Map(), slowest: { ms: 0, asked: "" }, times: [] };
}

/**
 * What an answer was: of the protocol, a sentence, or a sentence that says no.
 * @param {string} text
 * @param {string} method
 */
function kindOf(text, method) {
  if (method !== "tools/call") return "protocol";
  return text.includes('"isError":true') ? "refusal" : "answer";
}

/** Starts the good sources, and in front of each one that fails; what each door has to be told of them. */
async function startSources(/** @type {number} */ seed) {
  const nhl = await startNhl({ speed: SPEED });
  const eccc = await startEccc();
  const embeddings = await startEmbeddings();
  const embed = { embed: `${embeddings.url}/v1/embeddings`, model: "bge-m3" };
  const blog = await serveFiles(await buildBlog(embed));
  const [hockey, meteo, vectors] = await Promise.all(
    [nhl, eccc, embeddings].map(({ url }) => startTroubled(url, seed)),
  );
  // A file that is gone means a newer index, which is then asked for at once, as it must.
  const articles = await startTroubled(new URL(blog.url).origin, seed, { missing: 0 });
  const weather = { ECCC_API: meteo.url, OPEN_METEO_API: meteo.url, GEO_API: meteo.url, GEO_WORLD_API: meteo.url };
  /** @type {{ name: string, vars: Record<string, string> }[]} */
  const doors = [
    {
      name: "hockey",
      vars: { NHL_API: hockey.url, NHL_SEARCH_API: hockey.url, CLOCK: new Date(NIGHT.starts).toISOString() },
    },
    { name: "meteo", vars: { ...weather, CLOCK: new Date(DAY.starts).toISOString() } },
    {
      name: "articles",
      vars: { INDEX_URL: articles.url + new URL(blog.url).pathname, EMBED_URL: `${vectors.url}/v1/embeddings` },
    },
  ];
  const troubled = [
    { name: "the league", door: "hockey", source: hockey },
    { name: "the weather", door: "meteo", source: meteo },
    { name: "the blog", door: "articles", source: articles },
    { name: "the embeddings", door: "articles", source: vectors },
  ];
  const servers = [nhl, eccc, blog, embeddings, hockey, meteo, articles, vectors];
  const close = async () => void (await Promise.all(servers.map((server) => server.close())));
  return { doors, troubled, close };
}

/**
 * Whether the memory has grown: its middle in the last quarter of the run against that of the second one.
 * @param {string} name
 * @param {number[]} samples
 * @returns {string[]}
 */
function memoryFaults(name, samples) {
  const { before, after } = memoryOf(samples);
  return after - before > GROWTH_LIMIT
    ? [`${name}: its memory went from ${sayMebibytes(before)} to ${sayMebibytes(after)}`]
    : [];
}

/** @param {number[]} samples in bytes */
function memoryOf(samples) {
  const quarter = samples.length / 4;
  return { before: middleOf(samples.slice(quarter, 2 * quarter)), after: middleOf(samples.slice(-quarter)) };
}

/** @param {number[]} values */
function middleOf(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

/** @param {number} bytes */
function sayMebibytes(bytes) {
  return `${Math.round(bytes / 1024 / 1024)} MiB`;
}

/**
 * @param {Child[]} doors
 * @param {{ name: string, source: Troubled }[]} troubled
 * @param {Map<string, Seen>} seen
 * @param {Map<string, number[]>} memory
 * @param {number} seconds
 */
function report(doors, troubled, seen, memory, seconds) {
  const all = [...seen.values()];
  const count = all.reduce((sum, { times }) => sum + times.length, 0);
  console.log(`${count} answers in ${Math.round(seconds)} s, ${Math.round(count / seconds)} a second`);
  for (const { name } of doors) {
    const { times, outcomes, slowest, asked } = /** @type {Seen} */ (seen.get(name));
    const sorted = times.toSorted((one, other) => one - other);
    const at = (/** @type {number} */ share) => `${Math.round(sorted[Math.floor(share * sorted.length)] ?? 0)} ms`;
    console.log(`${name}: ${sayCounts(outcomes)}; ${asked.size} different questions`);
    console.log(`  half within ${at(0.5)}, 99 in 100 within ${at(0.99)}, the slowest ${Math.round(slowest.ms)} ms`);
    const samples = memory.get(name) ?? [];
    const { before, after } = memoryOf(samples);
    if (samples.length < 8) console.log("  memory: not read, too few requests");
    else if (samples.some(Number.isNaN)) console.log("  memory: skipped, `ps` can't say it here");
    else
      console.log(
        `  memory: ${sayMebibytes(samples[0])} at first, ${sayMebibytes(before)} once warm, ${sayMebibytes(after)} at the end`,
      );
  }
  for (const { name, source } of troubled) {
    console.log(`${name}: ${source.calls()} calls of ${source.addresses.size} addresses; ${sayCounts(source.faults)}`);
  }
}

/** @param {Map<string, number>} counts */
function sayCounts(counts) {
  return [...counts]
    .toSorted((one, other) => other[1] - one[1])
    .map(([name, times]) => `${times} ${name}`)
    .join(", ");
}
