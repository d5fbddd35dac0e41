// Every source of the lab, made up, and a deployment that has them all: what the tests of its tools ask.
import { expect } from "vitest";
import { exchange, type Json, legacy } from "../protocol/exchange.ts";
import { makeWorld, usualWorld, type World } from "../upstream/world.mjs";
import { faultsOf } from "../voice.ts";
import { answerFor, calling, Lab, LIST, outgoing } from "./lab.ts";
import unlocked from "./unlocked.ts";

/** What the specification says of each tool: its source, and whether it only reads, writes, or destroys. */
export const TOOLS = {
  depots_lister: ["repos", "reads"],
  depot_lire: ["repos", "reads"],
  depot_chercher: ["repos", "reads"],
  depot_activite: ["repos", "reads"],
  depot_pr: ["repos", "reads"],
  depot_problemes: ["repos", "reads"],
  doc_chercher: ["doc", "reads"],
  doc_ecrire: ["doc", "destroys"],
  maison_demander: ["home", "destroys"],
  maison_etat: ["home", "reads"],
  maison_pieces: ["home", "reads"],
  maison_historique: ["home", "reads"],
  maison_camera: ["home", "reads"],
  taches_lister: ["jobs", "reads"],
  tache_etat: ["jobs", "reads"],
  tache_journal: ["jobs", "reads"],
  tache_lancer: ["jobs", "destroys"],
  tache_arreter: ["jobs", "destroys"],
  tache_activer: ["jobs", "writes"],
  cluster_etat: ["cluster", "reads"],
  cluster_evenements: ["cluster", "reads"],
  cluster_journaux: ["cluster", "reads"],
  hotes_lister: ["hosts", "reads"],
  hote_etat: ["hosts", "reads"],
  hote_lire: ["hosts", "reads"],
  web_chercher: ["web", "reads"],
  confier_a_claude_code: ["work", "writes"],
  suivi_claude_code: ["work", "reads"],
  labo_etat: [null, "reads"],
} as const satisfies Record<string, readonly [SourceName | null, "reads" | "writes" | "destroys"]>;

export type ToolName = keyof typeof TOOLS;
export const NAMES = Object.keys(TOOLS) as ToolName[];
export const WRITERS = NAMES.filter((name) => TOOLS[name][1] !== "reads");

/** A source: the variables of its address and of its key, and what precedes those of its Access pair. */
export const SOURCES = {
  repos: { address: "GITHUB_API", key: "REPOS_KEY", narrow: "REPOS" },
  doc: { address: "GITHUB_API", key: "DOC_KEY", narrow: "DOC_REPO" },
  home: { address: "HOME_API", key: "HOME_KEY", pair: "HOME_ACCESS" },
  jobs: { address: "JOBS_API", key: "JOBS_KEY", pair: "JOBS_ACCESS" },
  cluster: { address: "CLUSTER_URL", key: "CLUSTER_KEY", pair: "CLUSTER_ACCESS" },
  hosts: { address: "HOSTS_API", key: "HOSTS_KEY", pair: "HOSTS_ACCESS" },
  web: { address: "WEB_API", key: "WEB_KEY", pair: "WEB_ACCESS" },
  work: { address: "GITHUB_API", key: "WORK_KEY", narrow: "WORK_REPO" },
} as const satisfies Record<SourceName, { address: string; key: string; narrow?: string; pair?: string }>;

export type SourceName = "repos" | "doc" | "home" | "jobs" | "cluster" | "hosts" | "web" | "work";
type Server = "github" | "home" | "jobs" | "cluster" | "hosts" | "web";

export type Answerer = (request: Request) => Response | Promise<Response>;

export const REPOS = "ludo/cabanon, ludo/serveur";
export const DOC_REPO = "ludo/docs";
export const WORK_REPO = "ludo/atelier";

/** A value that no text of a source holds by chance, good as a token of GitHub's, of Home Assistant's or as a hexadecimal key. */
export const canary = (name: string): string =>
  `c0ffee${[...name].map((letter) => letter.charCodeAt(0).toString(16)).join("")}`.padEnd(40, "0");

export interface Told {
  text: string;
  isError: boolean;
  blocks: Json[];
}

/** The deployment that all the others are, but for their sources: its owner signs in once. */
const LAB = new Lab();
let token: Promise<string> | null = null;
let made = 0;

/** A deployment with every tool and every source, on hosts of its own: the door keeps answers by address. */
export class Desk {
  readonly lab: Lab;
  readonly origins: Record<Server, string>;

  /**
   * @param answers what each server answers; one that isn't named answers 404
   * @param vars variables over the usual ones
   */
  constructor(
    readonly answers: Partial<Record<Server, Answerer>> = {},
    vars: Record<string, unknown> = {},
  ) {
    const number = ++made;
    const of = (server: Server): string => {
      const host = `${server}-${number}.test`;
      answerFor(host, (_, request) => {
        const answer = this.answers[server];
        return answer === undefined ? new Response('{"message":"Not Found"}', { status: 404 }) : answer(request);
      });
      return `https://${host}`;
    };
    this.origins = {
      github: of("github"),
      home: of("home"),
      jobs: of("jobs"),
      cluster: of("cluster"),
      hosts: of("hosts"),
      web: of("web"),
    };
    this.lab = LAB.with({ ...varsOf(this.origins), LABO_TOOLS: NAMES.join(", "), ...vars });
  }

  accessToken(): Promise<string> {
    token ??= LAB.accessToken();
    return token;
  }

  /** The tools that this deployment lists. */
  async list(): Promise<string[]> {
    const { json } = await this.lab.mcp(await this.accessToken(), LIST);
    return json.result.tools.map(({ name }: Json) => name);
  }

  /** Calls a tool and lints what it says, of at most `sentences`; what it asked for is in `outgoing`. */
  async ask(tool: ToolName, args: object = {}, sentences = sentencesOf(tool)): Promise<Told> {
    const token = await this.accessToken();
    outgoing.length = 0;
    const { status, json, text: body } = await this.lab.mcp(token, calling(tool, args));
    expect({ tool, status, body: json?.error ?? "" }).toEqual({ tool, status: 200, body: "" });
    expect(body).not.toContain(token);
    const { content, isError = false } = json.result;
    const [{ text }] = content;
    // The core's own sentence, which every door says.
    const ours = text.replace(/(?<=il faut une de ces valeurs) :/, "");
    expect({ tool, args, text, faults: faultsOf(ours, sentences) }).toEqual({ tool, args, text, faults: [] });
    // The one sentence that is for what no one foresaw.
    expect({ tool, args, text }).not.toEqual({ tool, args, text: expect.stringContaining("s'est brisé de mon côté") });
    return { text, isError, blocks: content };
  }

  /** What a tool says that isn't an error. */
  async say(tool: ToolName, args: object = {}, sentences?: number): Promise<string> {
    const { text, isError } = await this.ask(tool, args, sentences);
    expect({ tool, args, text, isError }).toEqual({ tool, args, text, isError: false });
    return text;
  }

  /** What a tool says that is an error. */
  async refuse(tool: ToolName, args: object = {}): Promise<string> {
    const { text, isError } = await this.ask(tool, args);
    expect({ tool, args, text, isError }).toEqual({ tool, args, text, isError: true });
    return text;
  }
}

/** The variables that open every source, each key a canary of its own. */
export function varsOf(origins: Record<Server, string>): Record<string, string> {
  const vars: Record<string, string> = {
    GITHUB_API: origins.github,
    HOME_API: origins.home,
    JOBS_API: origins.jobs,
    CLUSTER_URL: `${origins.cluster}/mcp-readonly`,
    HOSTS_API: origins.hosts,
    WEB_API: origins.web,
    REPOS,
    DOC_REPO,
    WORK_REPO,
  };
  for (const [name, source] of Object.entries(SOURCES)) {
    vars[source.key] = canary(`${name}-key`);
    if (!("pair" in source)) continue;
    vars[`${source.pair}_ID`] = `${canary(`${name}-id`)}.access`;
    vars[`${source.pair}_SECRET`] = canary(`${name}-secret`);
  }
  return vars;
}

/** Every tool, as `tools/list` shows it. */
export async function listTools(): Promise<Json[]> {
  const at = (server: Server) => `https://${server}.test`;
  const origins = {
    github: at("github"),
    home: at("home"),
    jobs: at("jobs"),
    cluster: at("cluster"),
    hosts: at("hosts"),
  };
  const env = { ...varsOf({ ...origins, web: at("web") }), LABO_TOOLS: NAMES.join() };
  return (await exchange(unlocked, { body: legacy("tools/list"), env })).json.result.tools;
}

/** A deployment on a world that `change` bends. */
export function deskOf(
  change: (world: World) => void = () => {},
  vars: Record<string, unknown> = {},
): Desk & { world: World } {
  const world = usualWorld();
  change(world);
  return Object.assign(new Desk(makeWorld(world), vars), { world });
}

/** A list is a short sentence an item; anything else is an answer of three at most, or a refusal in four. */
const LISTS: readonly ToolName[] = [
  "depots_lister",
  "depot_lire",
  "depot_chercher",
  "depot_activite",
  "depot_pr",
  "depot_problemes",
  "doc_chercher",
  "maison_pieces",
  "maison_historique",
  "taches_lister",
  "tache_journal",
  "cluster_etat",
  "cluster_evenements",
  "cluster_journaux",
  "hotes_lister",
  "hote_lire",
  "web_chercher",
  "suivi_claude_code",
];
export const sentencesOf = (tool: ToolName): number => {
  // Two for each source that is silent.
  if (tool === "labo_etat") return 1 + 2 * 10;
  return LISTS.includes(tool) ? 10 : 4;
};

/** The four parts of a refusal for a source that failed: what it usually is, how long, what it doesn't mean, what to do. */
export const PARTS = [
  /d'habitude|le plus souvent|en général/i,
  /\bdure(?:nt)?\b/,
  /ne veut pas dire|n'y est pour rien/,
  /[Rr]edemande|[Rr]éessaie|[Rr]egarde|[Vv]érifie|[Rr]emplace|[Dd]emande/,
];

/** Every byte that left the door, as text. */
export const sentAll = (): string => outgoing.map(({ sent }) => sent).join("\n\n");
