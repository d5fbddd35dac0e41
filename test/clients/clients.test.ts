// Real clients, over HTTP, on every door: each lists the tools, asks, gets a sentence, gets a refusal, meets an unknown tool.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { withoutCalls } from "../processes.ts";
import { faultsOf } from "../voice.ts";
import { type Doors, type Name, startDoors } from "./doors.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

interface Question {
  name: string;
  arguments: Record<string, unknown>;
}

/** What a client hands to the program that uses it, for one question. */
type Answer = { said: string[]; isError: boolean } | { thrown: string; code?: number | string };

interface Conversation {
  tools: { name: string; description: string; inputSchema: object }[];
  answers: Answer[];
}

/** A tool that no door has. */
const UNKNOWN: Question = { name: "outil_invente", arguments: {} };

const DOORS: Record<Name, { tools: string[]; asked: Question; sentence: string; refused: Question; refusal: string }> =
  {
    hockey: {
      tools: ["match_lnh", "soiree_lnh", "calendrier_lnh", "classement_lnh", "series_lnh", "joueur_lnh", "meneurs_lnh"],
      asked: { name: "match_lnh", arguments: {} },
      sentence:
        "Montréal l'a emporté 4 à 3 sur Boston, en prolongation, ce soir. Pour Montréal, buts de Cole Caufield, en avantage numérique, aidé de Suzuki et Hutson; de Juraj Slafkovský, en avantage numérique, aidé de Suzuki et Demidov; de Nick Suzuki, aidé de Hutson et Demidov; et de Lane Hutson, à 2 minutes 37 de la prolongation, aidé de Caufield; pour Boston, buts de David Pastrnak, de Morgan Geekie et de Pavel Zacha. Prochain match : lundi à 19 heures, contre Ottawa, à Montréal; ça passe à RDS.",
      refused: { name: "match_lnh", arguments: { equipe: "Nordiques" } },
      refusal:
        "« Nordiques » n'est pas une équipe canadienne de la LNH. Je connais le Canadien, les Maple Leafs, les Sénateurs, les Jets, les Flames, les Oilers et les Canucks.",
    },
    meteo: {
      tools: [
        ...["meteo_actuelle", "meteo_previsions", "meteo_precipitations", "meteo_alertes"],
        ...["meteo_air", "meteo_soleil", "meteo_normales"],
      ],
      asked: { name: "meteo_actuelle", arguments: {} },
      sentence:
        "Un avertissement jaune de neige est en vigueur pour l'île de Montréal, Laval et Longueuil, à partir de 14 heures et jusqu'à ce soir. À Montréal, il fait moins 6 degrés, ressenti moins 15, sous un ciel nuageux. Vents du nord-est à 30 kilomètres à l'heure, avec des rafales à 50.",
      refused: { name: "meteo_previsions", arguments: { lieu: "Xyzville" } },
      refusal:
        "Je n'ai pas trouvé « Xyzville ». De quelle ville près de toi s'agit-il ? Ça ne veut pas dire que l'endroit n'existe pas : demande à la personne une ville plus grande à côté, et rappelle avec elle.",
    },
    articles: {
      tools: ["articles_chercher", "articles_lire", "articles_lister"],
      asked: { name: "articles_lister", arguments: { nombre: 1 } },
      sentence:
        "Le dernier article du blogue Le cabanon numérique est « Le poulailler connecté : sept poules, une porte et un raton laveur », paru le 30 août 2026. En bref : « Une porte automatique, un abreuvoir qui ne prend pas en glace et un compteur d’œufs, racontés par celle qui nettoie derrière ».",
      refused: { name: "articles_lire", arguments: { article: "le vélo de montagne" } },
      refusal:
        "Je ne trouve aucun article qui s'appelle « le vélo de montagne ». Les titres les plus proches sont « Refaire la batterie du vélo électrique, cellule par cellule », « L'arrosage automatique du potager, version trois » et « Le poulailler connecté : sept poules, une porte et un raton laveur ». Un article peut quand même en parler : redemande avec un de ces titres, ou cherche le sujet avec « articles_chercher ».",
    },
  };

interface Client {
  title: string;
  /** The program that plays the session, and its mode. */
  file: string;
  mode?: string;
  era: "legacy" | "modern";
  /** Its name in the door's log. */
  known: string;
  /** What it says of an unknown tool. */
  unknown: Answer;
  /** Whether it looked in its own list, so that the door never heard of that tool. */
  looksFirst?: boolean;
}

const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, "utf8"));
const npm = (name: string) => `${name} ${dependencies[name]}`;
const pip = (folder: string) =>
  `mcp ${/^mcp==(.*)$/m.exec(readFileSync(`${HERE}${folder}/requirements.txt`, "utf8"))?.[1]} for Python`;

const RPC: Answer = { thrown: `Outil inconnu : ${UNKNOWN.name}`, code: -32602 };
/** The first SDK puts the code in its sentence too. */
const RPC_1: Answer = { thrown: `MCP error -32602: Outil inconnu : ${UNKNOWN.name}`, code: -32602 };
const NOT_LISTED: Answer = { thrown: `Tool '${UNKNOWN.name}' not found on server.`, code: "tool_not_found" };

const SDK_2 = { file: "sdk-2.mjs", unknown: RPC };
const INSPECTOR = { file: "inspector.mjs", unknown: NOT_LISTED, looksFirst: true };
const PYTHON_2 = { file: "python-sdk/client.py", unknown: RPC };

const CLIENTS: Client[] = [
  { title: npm("@modelcontextprotocol/sdk"), file: "sdk-1.mjs", era: "legacy", known: "node", unknown: RPC_1 },
  ...(
    [
      ["legacy", "legacy", "node"],
      ["auto", "modern", "essai"],
      ["2026-07-28", "modern", "essai"],
    ] as const
  ).map(([mode, era, known]) => {
    return { ...SDK_2, title: `${npm("@modelcontextprotocol/client")}, ${mode}`, mode, era, known };
  }),
  ...(
    [
      ["legacy", "node"],
      ["modern", "inspector-cli"],
    ] as const
  ).map(([era, known]) => {
    return { ...INSPECTOR, title: `${npm("@modelcontextprotocol/inspector")}, ${era}`, mode: era, era, known };
  }),
  { title: npm("mcp-remote"), file: "mcp-remote.mjs", era: "legacy", known: "undici", unknown: RPC_1 },
  { title: npm("@ai-sdk/mcp"), file: "ai-sdk.mjs", era: "modern", known: "ai-sdk-mcp-client", unknown: RPC },
  {
    title: `${pip("home-assistant")}, as Home Assistant calls it`,
    file: "home-assistant/client.py",
    era: "legacy",
    known: "HomeAssistant",
    unknown: RPC,
  },
  ...(
    [
      ["legacy", "legacy", "python-httpx2"],
      ["auto", "modern", "mcp"],
      ["2026-07-28", "modern", "mcp"],
    ] as const
  ).map(([mode, era, known]) => {
    return { ...PYTHON_2, title: `${pip("python-sdk")}, ${mode}`, mode, era, known };
  }),
];

/** Why the Python clients can't run here, if they can't: `npm run test:clients` has looked. */
const NO_PYTHON = process.env.NO_PYTHON ?? "";

// What a client keeps for the next time it keeps there: each run is its first.
const home = mkdtempSync(join(tmpdir(), "clients-test-"));
let doors: Doors;
beforeAll(async () => {
  doors = await startDoors();
});
afterAll(async () => {
  await doors?.stop();
  rmSync(home, { recursive: true });
});

/** A whole session of a client: it lists the tools, then asks each question. */
function converse({ file, mode = "" }: Client, url: string, questions: Question[]): Promise<Conversation> {
  const isPython = file.endsWith(".py");
  const program = isPython ? join(HERE, file, "../.venv/bin/python") : process.execPath;
  const args = [join(HERE, file), url, JSON.stringify(questions), mode];
  const env = { ...process.env, HOME: home, PYTHONIOENCODING: "utf-8", PYTHONDONTWRITEBYTECODE: "1" };
  return new Promise((resolve, reject) => {
    execFile(program, args, { env, timeout: 50_000 }, (error, stdout, stderr) => {
      try {
        if (error === null) resolve(JSON.parse(stdout));
        else reject(new Error(`${file} ended with ${error.code ?? error.signal}: ${stderr}`));
      } catch {
        reject(new Error(`${file} said no conversation: ${stdout}`));
      }
    });
  });
}

/** The tools that a door lists, read with no client at all. */
async function listOf(url: string): Promise<Conversation["tools"]> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  const { result } = (await response.json()) as { result: Pick<Conversation, "tools"> };
  return result.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}

/** The log of a door: a line per call. */
function logOf(name: Name): { tool: string | null; era: string; client: string; outcome: string }[] {
  return doors.running[name].stderr
    .split("\n")
    .filter((line) => line.startsWith('{"door":'))
    .map((line) => JSON.parse(line));
}

describe.each(Object.keys(DOORS) as Name[])("the door %s", (name) => {
  const { tools, asked, sentence, refused, refusal } = DOORS[name];

  describe.each(CLIENTS.map((client) => [client.title, client] as const))("%s", (_, client) => {
    const missing = client.file.endsWith(".py") ? NO_PYTHON : "";
    let heard: Conversation;
    let before: number;
    beforeAll(async () => {
      if (missing !== "") return;
      before = logOf(name).length;
      heard = await converse(client, doors.running[name].url, [asked, refused, UNKNOWN]);
    });
    beforeEach(({ skip }) => skip(missing !== "", missing));

    it("lists the tools, with their descriptions and their schemas", async () => {
      expect(heard.tools.map((tool) => tool.name)).toEqual(tools);
      expect(heard.tools).toEqual(await listOf(doors.running[name].url));
    });

    it("asks, and gets a sentence", () => {
      expect(heard.answers[0]).toEqual({ said: [sentence], isError: false });
      expect(faultsOf(sentence)).toEqual([]);
    });

    it("gets a refusal, to be said too", () => {
      expect(heard.answers[1]).toEqual({ said: [refusal], isError: true });
      expect(faultsOf(refusal)).toEqual([]);
    });

    it("meets an unknown tool, and names it", () => {
      expect(heard.answers[2]).toEqual(client.unknown);
    });

    it("speaks the protocol of its era, and is known by its name", async () => {
      const calls = [
        { tool: asked.name, outcome: "ok" },
        { tool: refused.name, outcome: "refusal" },
        ...(client.looksFirst ? [] : [{ tool: null, outcome: "error -32602" }]),
      ];
      // The log comes by another way than the answers.
      await vi.waitFor(() => expect(logOf(name).slice(before)).toHaveLength(calls.length), { timeout: 5_000 });
      expect(logOf(name).slice(before)).toEqual(
        calls.map((call) => expect.objectContaining({ ...call, era: client.era, client: client.known })),
      );
    });
  });

  it("has had nothing to complain of", () => {
    expect(withoutCalls(doors.running[name].stderr)).toBe("");
  });
});
