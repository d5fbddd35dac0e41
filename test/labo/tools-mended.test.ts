// Faults that a reader of the 29 tools found, each with its whole kind: none comes back.
import { describe, expect, it } from "vitest";
import type { Json } from "../protocol/exchange.ts";
import { entity, issue, makeWorld, usualWorld } from "../upstream/world.mjs";
import { outgoing } from "./lab.ts";
import { type Answerer, Desk, deskOf } from "./sources.ts";

/** The usual world, but for one server, which may answer by itself. */
function bentDesk(
  server: "github" | "home" | "jobs" | "cluster" | "hosts",
  bend: (request: Request) => Response | null,
) {
  const world = makeWorld(usualWorld());
  const usual: Answerer = world[server];
  return new Desk({ ...world, [server]: (request: Request) => bend(request.clone()) ?? usual(request) });
}

const sentBodies = (): Json[] =>
  outgoing.flatMap(({ sent }) => {
    const body = sent.split("\n\n").slice(1).join("\n\n");
    return body.startsWith("{") ? JSON.parse(body) : [];
  });

describe("a text that is written", () => {
  const text = "- un\n- deux\n\n```sh\n  ls -l\n```";

  it("keeps its lines in a document", async () => {
    const world = usualWorld();
    await new Desk(makeWorld(world)).say("doc_ecrire", { fichier: "liste.md", paragraphes: [text], mode: "remplacer" });
    expect(world.files["ludo/docs"]["liste.md"]).toBe(`${text}\n`);
  });

  it("keeps them in a work that is entrusted", async () => {
    const world = usualWorld();
    await new Desk(makeWorld(world)).say("confier_a_claude_code", { titre: "Réparer la page", consigne: text });
    expect(world.issues["ludo/atelier"][0].body).toMatch(`${text}\n\n`);
  });
});

describe("a name that a person says", () => {
  const jobs = (...titles: string[]) =>
    deskOf((world) => {
      world.events = titles.map((title, index) => ({ id: `e${index}`, title, enabled: 1 }));
    });

  it.each([
    ["Sauvegarde 2", ["Sauvegarde 1"]],
    ["la purge de B", ["Purge de A"]],
    ["arr", ["Redémarrer la prod"]],
    ["la", ["Redémarrer la prod"]],
    ["sauvegarde", ["Sauvegarde 1", "Sauvegarde 2"]],
  ])("starts no other job: « %s » among %j", async (tache, titles) => {
    for (const tool of ["tache_lancer", "tache_arreter", "tache_activer"] as const) {
      await jobs(...titles).refuse(tool, { tache, ...(tool === "tache_activer" && { active: false }) });
      expect(outgoing.map(({ url }) => url).join()).not.toMatch(/run_event|abort_job|update_event/);
    }
  });

  it.each([
    ["la sauvegarde des photo", "Sauvegarde des photos"],
    ["sauvegarde 2", "Sauvegarde 2"],
    ["le serveur a", "Serveur A"],
    ["synchronisations", "Synchronisation"],
  ])("is that job's: « %s » is « %s »", async (tache, title) => {
    expect(await jobs(title, "Autre chose").say("tache_lancer", { tache })).toContain(`« ${title} » est lancée`);
  });

  it.each(["all", "ALL", "tout", "any"])("never means the whole house: « %s »", async (word) => {
    for (const argument of ["nom", "piece"]) {
      const text = await deskOf(() => {}).refuse("maison_demander", { action: "éteindre", [argument]: word });
      expect(text).toContain(`« ${argument} »`);
      expect(outgoing).toEqual([]);
    }
  });
});

describe("Cronicle", () => {
  it("that lacks a privilege is not told as a dead key", async () => {
    const desk = bentDesk("jobs", ({ url }) =>
      url.includes("run_event")
        ? Response.json({
            code: "api",
            description: "API Key ('porte') does not have the required privileges to run it.",
          })
        : null,
    );
    const text = await desk.refuse("tache_lancer", { tache: "Synchronisation" });
    expect(text).toContain("ne permet pas ça à la clé");
    expect(text).not.toContain("Remplace");
  });

  it("says of a job that catches up that it may start at once", async () => {
    const desk = deskOf(({ events }) => {
      Object.assign(events[2], { catch_up: 1 });
    });
    const text = await desk.say("tache_activer", { tache: "Ménage", active: true });
    expect(text).toContain("elle peut partir tout de suite");
  });

  it("says nothing of a run that somebody deleted", async () => {
    const desk = deskOf(({ past }) => {
      past.unshift({ id: "jx", event: "ephotos01", action: "job_delete" });
    });
    expect(await desk.say("tache_etat", { tache: "Sauvegarde des photos" })).toContain("disque plein");
  });

  it("that knows no more of a run that has just ended is told of the others", async () => {
    const world = usualWorld();
    world.jobs.jsynchro2 = { ...world.jobs.jsynchro1, id: "jsynchro2" };
    const { jobs, ...rest } = makeWorld(world);
    const desk = new Desk({
      ...rest,
      jobs: async (request: Request) => {
        const isGone = request.url.includes("abort_job") && (await request.clone().text()).includes("jsynchro2");
        return isGone ? Response.json({ code: "job", description: "Failed to locate job: jsynchro2" }) : jobs(request);
      },
    });
    expect(await desk.say("tache_arreter", { tache: "Synchronisation" })).toContain("arrêté l'exécution en cours");
  });

  it.each(["[]", "null"])("that answers %s to an order isn't believed", async (body) => {
    const desk = bentDesk("jobs", ({ url }) => (url.includes("run_event") ? new Response(body) : null));
    expect(await desk.refuse("tache_lancer", { tache: "Synchronisation" })).toContain("Je ne sais pas si c'est fait");
  });
});

describe("three works at once", () => {
  const labelled = (number: number, name = "claude-code") => issue(number, `Travail ${number}`, { labels: [{ name }] });
  const work = { titre: "Un de plus", consigne: "Ajoute une page d'aide." };

  it("are counted whatever the case of their label", async () => {
    const open = [1, 2, 3].map((number) => labelled(number, "Claude-Code"));
    const desk = bentDesk("github", ({ method }) => (method === "GET" ? Response.json(open) : null));
    expect(await desk.refuse("confier_a_claude_code", work)).toContain("déjà trois");
    expect(outgoing.every(({ method }) => method === "GET")).toBe(true);
  });

  it("stay three when two calls come together: the last one closes what it opened", async () => {
    const open = [1, 2].map((number) => labelled(number));
    const desk = bentDesk("github", ({ method }) => {
      if (method === "GET") return Response.json([...open]);
      if (method === "PATCH") return Response.json(open.pop());
      // Another call's came in between.
      open.push(labelled(3), labelled(4));
      return Response.json(labelled(4), { status: 201 });
    });
    expect(await desk.refuse("confier_a_claude_code", work)).toContain("déjà trois");
    const [patch] = outgoing.filter(({ method }) => method === "PATCH");
    expect(patch.url).toMatch(/\/issues\/4$/);
    expect(sentBodies().at(-1)).toEqual({ state: "closed" });
  });
});

it("a work that is opened is told as opened, though it can't be counted again", async () => {
  let opened = false;
  const desk = bentDesk("github", ({ method }) => {
    if (method === "POST") opened = true;
    return method === "GET" && opened ? new Response("down", { status: 502 }) : null;
  });
  const text = await desk.say("confier_a_claude_code", { titre: "Un de plus", consigne: "Ajoute une page d'aide." });
  expect(text).toContain("C'est confié");
});

it.each(["Serveur-Nord", "le serveur nord", "serveur-nord"])(
  "a machine is found as it is said: « %s »",
  async (hote) => {
    const world = usualWorld();
    world.hosts = [{ name: "Serveur-Nord", reads: ["Services"] }];
    const desk = () => new Desk(makeWorld(world));
    expect(await desk().say("hote_etat", { hote })).toContain("« Serveur-Nord »");
    expect(await desk().say("hote_lire", { hote, lecture: "services" })).toContain("« Services » de « Serveur-Nord »");
    expect(outgoing.at(-1)?.url).toMatch(/\/hosts\/Serveur-Nord\/reads\/Services$/);
  },
);

describe("the house", () => {
  it("doesn't tell an old value as the present one", async () => {
    const change = (state: string, hour: number) => ({ state, last_changed: `2026-11-29T0${hour}:00:00+00:00` });
    for (const states of [
      ["19", "21", "unavailable"],
      ["19", "unavailable"],
    ]) {
      const desk = deskOf((world) => {
        world.history = [states.map(change)];
      });
      const text = await desk.say("maison_historique", { nom: "Température du sous-sol" });
      expect(text).toContain("C'est maintenant hors ligne.");
      expect(text).not.toContain("n'a pas bougé");
    }
  });

  it("asks which room when a name is borne twice", async () => {
    const desk = deskOf((world) => {
      world.assist = () => ({ text: "Error calling tool: MatchFailedError: DUPLICATE_NAME", isError: true });
    });
    expect(await desk.refuse("maison_demander", { action: "éteindre", nom: "Lampe" })).toContain("« piece »");
  });

  it("doesn't say that nothing was done when it gave up waiting", async () => {
    const desk = deskOf((world) => {
      world.assist = () => ({ text: "Error calling tool: timed out", isError: true });
    });
    const text = await desk.refuse("maison_demander", { action: "éteindre", nom: "Lampe du salon" });
    expect(text).toContain("Je ne sais pas si c'est fait");
  });

  it("says of a camera that is off that it is, and not that the house is down", async () => {
    const desk = deskOf((world) => {
      world.camera = () => new Response("503: Service Unavailable", { status: 503 });
    });
    expect(await desk.refuse("maison_camera")).toContain("est éteinte ou débranchée");
  });

  it("has no word for what every object has", async () => {
    for (const word of ["constructor", "__proto__", "toString"]) {
      const desk = deskOf((world) => {
        world.states = [
          entity("sensor.a", word, "Alpha"),
          entity("sensor.b", "12", "Bravo", { unit_of_measurement: word }),
        ];
      });
      expect(await desk.say("maison_etat", { nom: "Alpha" })).toContain(`« ${word} »`);
      expect(await desk.say("maison_etat", { nom: "Bravo" })).toContain(`12 « ${word} »`);
    }
  });

  it("that exposes nothing says so in words of ours", async () => {
    const desk = deskOf((world) => {
      world.assist = () => ({ text: 'Tool "GetLiveContext" not found', isError: true });
    });
    expect(await desk.refuse("maison_pieces")).toContain("n'expose aucune pièce");
  });
});

describe("a server of MCP", () => {
  const events = (...messages: object[]) =>
    new Response(messages.map((message) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    });

  it("that asks something under our number isn't taken for an answer", async () => {
    const world = makeWorld(usualWorld());
    const result = { content: [{ type: "text", text: JSON.stringify({ lines: ["le vrai journal"] }) }] };
    const desk = new Desk({
      ...world,
      cluster: async (request: Request) => {
        const { id, method } = await request.clone().json<Json>();
        return method === "tools/call" ? events({ id, method: "ping" }, { id, result }) : world.cluster(request);
      },
    });
    expect(await desk.say("cluster_journaux", { pod: "blogue", espace: "web" })).toContain("le vrai journal");
  });

  it("whose log has no line is told as empty", async () => {
    const desk = deskOf((world) => {
      world.podLogs = { lines: null, totalLines: 0 };
    });
    expect(await desk.say("cluster_journaux", { pod: "blogue", espace: "web" })).toContain("est vide");
  });

  it("that repeats our key isn't quoted", async () => {
    const world = makeWorld(usualWorld());
    let key = "";
    const desk = new Desk({
      ...world,
      home: async (request: Request) => {
        key = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
        const { id, method } = await request.clone().json<Json>();
        if (method !== "tools/call") return world.home(request);
        const result = { isError: true, content: [{ type: "text", text: `bad token ${key}` }] };
        return Response.json({ jsonrpc: "2.0", id, result });
      },
    });
    const text = await desk.refuse("maison_demander", { action: "éteindre", nom: "Lampe du salon" });
    expect(key.length).toBeGreaterThan(4);
    expect(text).not.toContain(key);
  });
});

describe("what is read", () => {
  it("counts all the repositories, and tells the others when one is closed to the key", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `ludo/d${index}`);
    const world = makeWorld(usualWorld());
    const github: Answerer = (request) =>
      request.url.endsWith("/d1") ? Response.json({ message: "no" }, { status: 403 }) : world.github(request);
    const text = await new Desk({ ...world, github }, { REPOS: names.join(", ") }).say("depots_lister", {}, 12);
    expect(text).toMatch(/^Cette porte lit 10 dépôts\. « d0 ».*Et « d8 » et « d9 »\.$/);
  });

  it("is never cut inside a character", async () => {
    const desk = deskOf(({ files }) => {
      files["ludo/cabanon"]["README.md"] = `x${"😀".repeat(1200)}`;
    });
    for (const partie of [1, 2]) {
      const text = await desk.say("depot_lire", { depot: "cabanon", partie });
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it("of a log has no instant to spell", async () => {
    const desk = deskOf((world) => {
      world.read = { text: "2026-11-30T05:45:35.441Z démarre\n[2026-11-30 05:45:36] roule\n", truncated: false };
    });
    expect(await desk.say("hote_lire", { hote: "serveur", lecture: "services" })).toContain("« démarre; roule »");
  });

  it("from a machine that the relay can't reach isn't told as a tunnel that is down", async () => {
    const desk = bentDesk("hosts", ({ url }) =>
      url.endsWith("/hosts/serveur") ? Response.json({ error: "unreachable" }, { status: 424 }) : null,
    );
    expect(await desk.refuse("hote_etat", { hote: "serveur" })).toContain("Cette machine n'a pas répondu au relais");
  });

  it("of the lab's state knows that a source which wants a key is there", async () => {
    const closed = () => new Response("no", { status: 401 });
    const desk = new Desk({ ...makeWorld(usualWorld()), cluster: closed, web: closed });
    const [first] = (await desk.say("labo_etat")).split(".");
    expect(first).toContain("Radar");
    expect(first).not.toMatch(/ne répond/);
  });
});

it("the lab's state tells a source that Access bars from one that is down", async () => {
  const barred = () => new Response("<html>", { status: 403, headers: { "content-type": "text/html" } });
  const text = await new Desk({ ...makeWorld(usualWorld()), home: barred }).say("labo_etat");
  expect(text).toMatch(/^Au labo, Home Assistant ne répond pas;/);
  expect(text).toContain("Devant Home Assistant, c'est Cloudflare Access qui répond");
  expect(text).not.toContain("redémarrage");
});

it("a rule of the repository isn't told as a change of the moment", async () => {
  const desk = bentDesk("github", ({ method }) =>
    method === "PUT" ? Response.json({ message: "Repository rule violations found" }, { status: 409 }) : null,
  );
  const text = await desk.refuse("doc_ecrire", { fichier: "reseau/routeur.md", paragraphes: ["Un mot."] });
  expect(text).toContain("ne permet pas ça");
  expect(text).toContain("Rien n'a été changé");
});

describe("what is heard", () => {
  it.each<[string, string, Json, RegExp]>([
    ["lock.avant", "locked", {}, /: verrouillée,/],
    ["lock.avant", "unlocked", {}, /: pas verrouillée,/],
    ["cover.garage", "open", { device_class: "garage" }, /: ouverte,/],
    ["cover.store", "closed", { device_class: "blind" }, /: fermé,/],
    ["binary_sensor.co", "off", { device_class: "carbon_monoxide" }, /: aucun monoxyde,/],
    ["binary_sensor.la", "off", { device_class: "occupancy" }, /: il n'y a personne,/],
    ["sensor.uptime", "0", { unit_of_measurement: "min" }, /: zéro minute\./],
    [
      "climate.chambre",
      "heat",
      { current_temperature: 19.5, temperature: 21 },
      /: 19 virgule 5 degrés, réglé à 21, en mode chauffage,/,
    ],
  ])("%s, %s, %j", async (id, state, attributes, said) => {
    const desk = deskOf((world) => {
      world.states = [entity(id, state, "Truc", attributes)];
    });
    expect(await desk.say("maison_etat", { nom: "Truc" })).toMatch(said);
  });

  it.each([
    ["Lampe du salon", "allumée"],
    ["Plafonnier", "allumé"],
    ["Lumières du salon", "allumées"],
  ])("« %s » is « %s »", async (name, said) => {
    const desk = deskOf((world) => {
      world.states = [entity("light.x", "on", name)];
    });
    expect(await desk.say("maison_etat", { nom: name })).toMatch(new RegExp(` : ${said}, depuis 8 heures 12\\.$`));
  });

  it("a room's lights are turned off, and not what else is plugged there", async () => {
    const text = await deskOf(() => {}).say("maison_demander", { action: "éteindre", piece: "Salon" });
    expect(sentBodies().find(({ method }) => method === "tools/call")?.params.arguments).toEqual({
      area: "Salon",
      domain: ["light"],
    });
    expect(text).toContain("les lumières de « Salon »");
  });

  it("a garage that isn't opened is told as a choice, not as a name misheard", async () => {
    const desk = deskOf((world) => {
      world.assist = () => ({ text: "Error calling tool: MatchFailedError", isError: true });
    });
    const text = await desk.refuse("maison_demander", { action: "ouvrir", nom: "Porte du garage" });
    expect(text).toContain("n'ouvre que des stores");
  });

  it("a comment has the words around its author", async () => {
    const work = issue(1, "Réparer la page", { labels: [{ name: "claude-code" }], comments: 1 });
    const comment = { user: { login: "claude" }, body: "C'est fait.", created_at: "2026-11-29T14:00:00Z" };
    const desk = bentDesk("github", ({ url }) => Response.json(url.includes("/comments") ? [comment] : work));
    const text = await desk.say("suivi_claude_code", { numero: 1 });
    expect(text).toContain("Le dernier commentaire, de « claude », aujourd'hui à 9 heures, dit « C'est fait. ».");
  });

  it("cameras are named when several are meant, and none is said to be none", async () => {
    const two = deskOf((world) => {
      world.states = [entity("camera.a", "idle", "Entrée"), entity("camera.b", "idle", "Cour")];
    });
    expect(await two.refuse("maison_camera")).toContain("il y a « Entrée » et « Cour »");
    const none = deskOf((world) => {
      world.states = [];
    });
    expect(await none.refuse("maison_camera")).toContain("ne voit aucune caméra");
  });

  it("an event says what it is about", async () => {
    const desk = deskOf((world) => {
      const involvedObject = { kind: "Pod", name: "blogue-7d4b9c", namespace: "web" };
      world.clusterEvents = [{ reason: "BackOff", message: "encore", type: "Warning", count: 14, involvedObject }];
    });
    expect(await desk.say("cluster_evenements")).toContain("« BackOff » sur « blogue-7d4b9c » dans « web »");
  });

  it("a job that runs already isn't told as a name that doesn't suit, and one that gave no number isn't told as started", async () => {
    for (const [answer, said] of [
      [{ code: "job", description: "Maximum of 1 job already running" }, "roule déjà"],
      [{ code: 0 }, "Je ne sais pas si c'est fait"],
    ] as const) {
      const desk = bentDesk("jobs", ({ url }) => (url.includes("run_event") ? Response.json(answer) : null));
      expect(await desk.refuse("tache_lancer", { tache: "Synchronisation" })).toContain(said);
    }
  });
});
