// A lab that is well, in the shapes of its sources: what the tests of the private door's tools bend, and what its demo serves.
// The day is 29 November 2026, ten in the morning at the owner's. On web requests and answers alone: it runs anywhere.

/** JSON of a source. @typedef {any} Json */
/** A server. @typedef {(request: Request) => Response | Promise<Response>} Answerer */
/** What an MCP tool answers. @typedef {{ text: string, isError?: boolean }} Said */

/** A question that each tool answers in this world. @satisfies {Record<string, Record<string, unknown>>} */
export const USUAL = {
  depots_lister: {},
  depot_lire: { depot: "ludo/cabanon", fichier: "docs/poele.md" },
  depot_chercher: { question: "onduleur" },
  depot_activite: { depot: "ludo/cabanon" },
  depot_pr: { depot: "ludo/cabanon" },
  depot_problemes: { depot: "ludo/cabanon" },
  doc_chercher: { question: "sauvegarde" },
  doc_ecrire: { fichier: "reseau/routeur.md", paragraphes: ["Le routeur du sous-sol a été changé."] },
  maison_demander: { action: "éteindre", nom: "Lampe du salon" },
  maison_etat: { nom: "Lampe du salon" },
  maison_pieces: {},
  maison_historique: { nom: "Porte du garage" },
  maison_camera: { camera: "Entrée" },
  taches_lister: {},
  tache_etat: { tache: "Sauvegarde des photos" },
  tache_journal: { tache: "Sauvegarde des photos" },
  tache_lancer: { tache: "Sauvegarde des photos" },
  tache_arreter: { tache: "Synchronisation" },
  tache_activer: { tache: "Sauvegarde des photos", active: false },
  cluster_etat: {},
  cluster_evenements: {},
  cluster_journaux: { pod: "blogue-7d4b9c-x2x5k", espace: "web" },
  hotes_lister: {},
  hote_etat: { hote: "serveur" },
  hote_lire: { hote: "serveur", lecture: "services" },
  web_chercher: { question: "filtre de fournaise" },
  confier_a_claude_code: { titre: "Réparer le lien brisé", consigne: "Le lien vers la page du poêle est brisé." },
  suivi_claude_code: {},
  labo_etat: {},
};

/** An instant of the last days, as GitHub and Home Assistant write them. */
export const NOW = "2026-11-29T15:00:00Z";
const seconds = (/** @type {string} */ instant) => Date.parse(instant) / 1000;

/**
 * All that the sources know: of each repository, its files, issues, pull requests and commits; what the search by words finds,
 * whatever the words; what Home Assistant's Assist answers to a call.
 * @typedef {{
 *   files: Record<string, Record<string, string>>, issues: Record<string, Json[]>, pulls: Record<string, Json[]>,
 *   commits: Record<string, Json[]>, found: Json[],
 *   states: Json[], history: Json[], camera(id: string): Response, assist(tool: string, args: Json): Said,
 *   events: Json[], jobs: Record<string, Json>, past: Json[], log: string,
 *   dashboard: Json, clusterEvents: Json, podLogs: Json,
 *   hosts: Json[], host: Json, read: Json, results: Json
 * }} World
 */

/** @param {string} message @param {string} date @returns {Json} */
export const commit = (message, date, name = "Ludo") => ({
  sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
  commit: { message, author: { name, email: "ludo@example.com", date }, committer: { name, date } },
  author: { login: "ludo" },
});

/** @param {number} number @param {string} title @param {Json} change @returns {Json} */
export const issue = (number, title, change = {}) => ({
  number,
  title,
  state: "open",
  user: { login: "marie" },
  body: "Ça arrive quand il neige.",
  comments: 0,
  labels: [{ name: "bogue" }],
  created_at: "2026-11-27T18:00:00Z",
  updated_at: "2026-11-28T18:00:00Z",
  closed_at: null,
  html_url: `https://github.com/ludo/x/issues/${number}`,
  ...change,
});

/** @param {number} number @param {string} title @param {Json} change @returns {Json} */
export const pull = (number, title, change = {}) => ({
  ...issue(number, title),
  draft: false,
  merged_at: null,
  mergeable: true,
  head: { ref: "poele" },
  base: { ref: "main" },
  additions: 12,
  deletions: 3,
  changed_files: 2,
  ...change,
});

/** @param {string} entity_id @param {string} state @param {string} friendly_name @param {Json} attributes @returns {Json} */
export const entity = (entity_id, state, friendly_name, attributes = {}) => ({
  entity_id,
  state,
  attributes: { friendly_name, ...attributes },
  last_changed: "2026-11-29T13:12:00.123456+00:00",
  last_updated: "2026-11-29T13:12:00.123456+00:00",
});

/** A picture of two pixels by two, whole. */
export function picture() {
  /** @param {number} marker @param {number[]} payload */
  const segment = (marker, ...payload) => [0xff, marker, 0, payload.length + 2, ...payload];
  return new Uint8Array([
    ...[0xff, 0xd8],
    ...segment(0xe0, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...Array(64).fill(1)),
    ...segment(0xc0, 8, 0, 2, 0, 2, 1, 1, 0x11, 0),
    ...segment(0xc4, 0, ...Array(16).fill(0)),
    ...segment(0xda, 1, 1, 0, 0, 63, 0),
    ...[0x12, 0x34, 0xff, 0, 0x56, 0xff, 0xd9],
  ]);
}

const LIVE = `Live Context: An overview of the areas and the devices in this smart home:
- names: Lampe du salon
  domain: light
  state: 'on'
  areas: Salon
  attributes:
    brightness: '73'
- names: Thermostat de la chambre
  domain: climate
  state: heat
  areas: Chambre
  attributes:
    current_temperature: '19.5'
    temperature: '21'
- names: Porte du garage
  domain: cover
  state: closed
  areas: Garage
  attributes:
    device_class: garage`;

/** @returns {World} */
export function usualWorld() {
  return {
    files: {
      "ludo/cabanon": {
        "README.md": "# Le cabanon\n\nUne cabane avec un poêle et des onduleurs.\n",
        "docs/poele.md": "# Le poêle\n\nIl chauffe au bois.\n\nOn le ramone en septembre.\n",
      },
      "ludo/serveur": { "README.md": "# Le serveur\n\nDans le sous-sol.\n" },
      "ludo/docs": { "reseau/routeur.md": "# Le routeur\n\nIl est au sous-sol.\n" },
    },
    issues: {
      "ludo/cabanon": [issue(7, "La porte gèle"), issue(12, "Nouveau tuyau", { pull_request: { url: "x" } })],
      "ludo/atelier": [],
    },
    pulls: { "ludo/cabanon": [pull(12, "Nouveau tuyau de poêle")] },
    commits: {
      "ludo/cabanon": [
        commit("Change le tuyau du poêle\n\nIl était percé.", "2026-11-29T03:30:00Z"),
        commit("Ajoute les onduleurs", "2026-11-25T17:05:00Z", "Marie"),
      ],
      "ludo/serveur": [],
    },
    found: [
      {
        name: "poele.md",
        path: "docs/poele.md",
        repository: { full_name: "ludo/cabanon" },
        text_matches: [{ fragment: "le poêle et l'onduleur du cabanon" }],
      },
      {
        name: "routeur.md",
        path: "reseau/routeur.md",
        repository: { full_name: "ludo/docs" },
        text_matches: [{ fragment: "la sauvegarde du routeur" }],
      },
    ],
    states: [
      entity("light.lampe_du_salon", "on", "Lampe du salon", { brightness: 128 }),
      entity("cover.porte_du_garage", "closed", "Porte du garage", { device_class: "garage" }),
      entity("binary_sensor.porte_avant", "off", "Porte avant", { device_class: "door" }),
      entity("sensor.temperature_du_sous_sol", "18.4", "Température du sous-sol", {
        unit_of_measurement: "°C",
        device_class: "temperature",
      }),
      entity("camera.entree", "idle", "Entrée"),
    ],
    history: [
      [
        { ...entity("cover.porte_du_garage", "closed", "Porte du garage"), last_changed: "2026-11-28T15:00:00+00:00" },
        { state: "open", last_changed: "2026-11-29T02:10:00+00:00" },
        { state: "closed", last_changed: "2026-11-29T02:25:00+00:00" },
      ],
    ],
    camera: () => new Response(picture(), { headers: { "content-type": "image/jpeg" } }),
    assist(tool, args) {
      if (tool === "GetLiveContext") return { text: JSON.stringify({ success: true, result: LIVE }) };
      const target = {
        name: args.name ?? args.area,
        type: args.name === undefined ? "area" : "entity",
        id: "light.lampe_du_salon",
      };
      return {
        text: JSON.stringify({
          speech: {},
          response_type: "action_done",
          data: { targets: [], success: [target], failed: [] },
        }),
      };
    },
    events: [
      {
        id: "ephotos01",
        title: "Sauvegarde des photos",
        enabled: 1,
        category: "general",
        plugin: "shellplug",
        timing: { hours: [3], minutes: [30] },
        timezone: "America/Toronto",
        notes: "",
      },
      {
        id: "esynchro01",
        title: "Synchronisation",
        enabled: 1,
        category: "general",
        plugin: "shellplug",
        timing: { minutes: [0] },
        timezone: "America/Toronto",
      },
      { id: "emenage01", title: "Ménage", enabled: 0, category: "general", plugin: "shellplug", timing: {} },
    ],
    jobs: {
      jsynchro1: {
        id: "jsynchro1",
        event: "esynchro01",
        event_title: "Synchronisation",
        time_start: seconds("2026-11-29T14:50:00Z"),
        progress: 0.5,
        elapsed: 600,
        hostname: "serveur",
      },
    },
    past: [
      {
        id: "jphotos2",
        event: "ephotos01",
        event_title: "Sauvegarde des photos",
        code: 1,
        description: "disque plein",
        elapsed: 95,
        epoch: seconds("2026-11-29T08:31:35Z"),
        time_start: seconds("2026-11-29T08:30:00Z"),
        hostname: "serveur",
      },
      {
        id: "jphotos1",
        event: "ephotos01",
        event_title: "Sauvegarde des photos",
        code: 0,
        description: "",
        elapsed: 620,
        epoch: seconds("2026-11-28T08:40:20Z"),
        time_start: seconds("2026-11-28T08:30:00Z"),
        hostname: "serveur",
      },
    ],
    log: "# Job ID: jphotos2\nCopie de 212 photos\nErreur : disque plein\n# Job failed\n",
    dashboard: {
      cluster: { name: "cabanon", version: "v1.33.1" },
      nodes: { total: 3, ready: 2, notReady: 1 },
      health: { healthyPods: 41, warningPods: 1, errorPods: 1 },
      problems: [
        { kind: "Pod", namespace: "web", name: "blogue-7d4b9c-x2x5k", reason: "CrashLoopBackOff", age: "12m" },
      ],
      warningEvents: 2,
    },
    clusterEvents: [
      {
        reason: "BackOff",
        message: "Back-off restarting failed container",
        type: "Warning",
        count: 14,
        lastTimestamp: "2026-11-29T14:40:00Z",
        namespace: "web",
        involvedObject: { kind: "Pod", name: "blogue-7d4b9c-x2x5k" },
      },
    ],
    podLogs: { lines: ["2026-11-29T14:39:58Z démarre", "2026-11-29T14:39:59Z erreur : base injoignable"] },
    hosts: [
      { name: "serveur", reads: ["services", "journal"] },
      { name: "nas", reads: ["disques"] },
    ],
    host: {
      name: "serveur",
      up: true,
      uptime_s: 1_036_800,
      load: [0.4, 0.5, 0.6],
      memory: { used: 6_000_000_000, total: 16_000_000_000 },
      disk: { used: 400_000_000_000, total: 500_000_000_000 },
    },
    read: { text: "nginx : actif\nsauvegarde : en échec\n", truncated: false },
    results: {
      query: "filtre de fournaise",
      number_of_results: 2,
      results: [
        {
          title: "Changer le filtre de sa fournaise",
          url: "https://exemple.test/filtre",
          content: "On coupe le courant d'abord.",
          engine: "x",
        },
        { title: "Les filtres à air", url: "https://autre.test/", content: "Trois sortes de filtres." },
      ],
      answers: [],
    },
  };
}

const missing = () =>
  Response.json({ message: "Not Found", documentation_url: "https://docs.github.com" }, { status: 404 });

/**
 * The servers of a world.
 * @param {World} world
 * @returns {Record<"github" | "home" | "jobs" | "cluster" | "hosts" | "web", Answerer>}
 */
export function makeWorld(world = usualWorld()) {
  return {
    github: (request) => answerGitHub(request, world),
    home: (request) => answerHome(request, world),
    jobs: (request) => answerJobs(request, world),
    cluster: (request) => answerMcp(request, (name) => answerRadar(name, world), "radar"),
    hosts: (request) => answerHosts(request, world),
    web: (request) => (new URL(request.url).pathname === "/search" ? Response.json(world.results) : new Response("OK")),
  };
}

/** @param {Request} request @param {World} world */
async function answerGitHub(request, world) {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname === "/zen") return new Response("Keep it logically awesome.");
  if (pathname.startsWith("/search/code"))
    return Response.json({ total_count: world.found.length, incomplete_results: false, items: world.found });
  const [, repo, rest = ""] = /^\/repos\/([^/]+\/[^/]+)(?:\/(.*))?$/.exec(pathname) ?? [];
  if (repo === undefined) return missing();
  const [kind, number] = rest.split("/");
  if (rest === "") {
    const name = repo.split("/")[1];
    return Response.json({
      name,
      full_name: repo,
      description: "Un dépôt du cabanon",
      private: true,
      default_branch: "main",
      open_issues_count: 1,
      pushed_at: "2026-11-29T03:30:00Z",
      language: "TypeScript",
      archived: false,
    });
  }
  if (kind === "contents") {
    const path = decodeURIComponent(rest.slice("contents/".length));
    const text = world.files[repo]?.[path];
    if (request.method === "PUT") {
      /** @type {Json} */
      const body = await request.json();
      const bytes = Uint8Array.from(atob(body.content), (character) => character.charCodeAt(0));
      world.files[repo] = { ...world.files[repo], [path]: new TextDecoder().decode(bytes) };
      return Response.json(
        { content: { path, sha: "b" }, commit: { sha: "c" } },
        { status: text === undefined ? 201 : 200 },
      );
    }
    if (text === undefined) return missing();
    const content = btoa(String.fromCharCode(...new TextEncoder().encode(text))).replace(/(.{60})/g, "$1\n");
    return Response.json({
      type: "file",
      encoding: "base64",
      size: text.length,
      name: path.split("/").at(-1),
      path,
      content,
      sha: "a",
    });
  }
  if (kind === "commits") return Response.json(world.commits[repo] ?? []);
  if (kind === "pulls" || kind === "issues") {
    const all = (kind === "pulls" ? world.pulls : world.issues)[repo] ?? [];
    if (request.method === "POST") {
      /** @type {Json} */
      const body = await request.json();
      const made = issue(40 + all.length, body.title, {
        body: body.body,
        labels: (body.labels ?? []).map((/** @type {string} */ name) => ({ name })),
      });
      world.issues[repo] = [...all, made];
      return Response.json(made, { status: 201 });
    }
    if (number === undefined) {
      const state = searchParams.get("state") ?? "open";
      const label = searchParams.get("labels");
      const kept = all.filter(
        (one) =>
          (state === "all" || one.state === state) &&
          (label === null || one.labels.some((/** @type {Json} */ { name }) => name === label)),
      );
      return Response.json(kept);
    }
    if (rest.endsWith("/comments")) return Response.json([]);
    const one = all.find((each) => each.number === Number(number));
    return one === undefined ? missing() : Response.json(one);
  }
  return missing();
}

/** @param {Request} request @param {World} world */
async function answerHome(request, world) {
  const { pathname } = new URL(request.url);
  if (pathname === "/manifest.json") return Response.json({ name: "Home Assistant" });
  if (pathname === "/api/mcp/assist")
    return answerMcp(request, (name, args) => world.assist(name, args), "home-assistant");
  if (pathname === "/api/states") return Response.json(world.states);
  if (pathname.startsWith("/api/history/period/")) return Response.json(world.history);
  const [, kind, id] = /^\/api\/(states|camera_proxy)\/(.+)$/.exec(pathname) ?? [];
  const state = world.states.find(({ entity_id }) => entity_id === id);
  if (state === undefined) return Response.json({ message: "Entity not found." }, { status: 404 });
  return kind === "states" ? Response.json(state) : world.camera(id);
}

/** @param {Request} request @param {World} world */
async function answerJobs(request, world) {
  const { pathname, searchParams } = new URL(request.url);
  const [, name] = /^\/api\/app\/(\w+)\/v1$/.exec(pathname) ?? [];
  if (name === undefined) return new Response("<!doctype html>", { headers: { "content-type": "text/html" } });
  /** @type {Json} */
  const body = request.method === "POST" ? await request.json() : Object.fromEntries(searchParams);
  const event = world.events.find(({ id }) => id === body.id);
  const running = Object.values(world.jobs).filter((job) => job.event === body.id);
  switch (name) {
    case "get_schedule":
      return Response.json({ code: 0, rows: world.events, list: { length: world.events.length } });
    case "get_event":
      return Response.json({ code: 0, event, ...(running.length > 0 && { jobs: running }) });
    case "get_event_history": {
      const rows = world.past.filter((job) => job.event === body.id);
      return Response.json({ code: 0, rows, list: { length: rows.length } });
    }
    case "get_active_jobs":
      return Response.json({ code: 0, jobs: world.jobs });
    case "get_job_log":
      return new Response(world.log, { headers: { "content-type": "text/plain; charset=utf-8" } });
    case "run_event":
      return Response.json({ code: 0, ids: ["jnouveau1"] });
    case "abort_job":
      delete world.jobs[body.id];
      return Response.json({ code: 0 });
    case "update_event":
      if (event !== undefined) event.enabled = body.enabled;
      return Response.json({ code: 0 });
    default:
      return Response.json({ code: "api", description: `Unsupported API: ${name}` });
  }
}

/**
 * A server of MCP without sessions: Home Assistant's answers JSON, Radar's an event.
 * @param {Request} request
 * @param {(name: string, args: Json) => Said} call
 * @param {string} name
 */
async function answerMcp(request, call, name) {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  /** @type {Json} */
  const { id, method, params } = await request.json();
  if (id === undefined) return new Response(null, { status: 202 });
  const answer = (/** @type {Json} */ result) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id, result });
    if (name === "home-assistant") return new Response(text, { headers: { "content-type": "application/json" } });
    return new Response(`event: message\ndata: ${text}\n\n`, { headers: { "content-type": "text/event-stream" } });
  };
  if (method === "initialize") {
    return answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version: "1" },
    });
  }
  const { text, isError = false } = call(params.name, params.arguments ?? {});
  return answer({ content: [{ type: "text", text }], isError });
}

/** @param {string} name @param {World} world @returns {Said} */
function answerRadar(name, world) {
  /** @type {Record<string, Json>} */
  const said = {
    get_dashboard: world.dashboard,
    get_events: world.clusterEvents,
    get_pod_logs: world.podLogs,
  };
  if (!Object.hasOwn(said, name)) return { text: `unknown tool ${name}`, isError: true };
  return { text: typeof said[name] === "string" ? said[name] : JSON.stringify(said[name]) };
}

/** @param {Request} request @param {World} world */
function answerHosts(request, world) {
  const { pathname } = new URL(request.url);
  const [, name, read] = /^\/hosts(?:\/([^/]+)(?:\/reads\/([^/]+))?)?$/.exec(pathname) ?? [];
  if (name === undefined) return Response.json({ hosts: world.hosts });
  const host = world.hosts.find((one) => one.name === name);
  if (host === undefined) return Response.json({ error: "unknown host" }, { status: 404 });
  if (read === undefined) return Response.json({ ...world.host, name });
  return host.reads.includes(read)
    ? Response.json(world.read)
    : Response.json({ error: "unknown read" }, { status: 404 });
}
