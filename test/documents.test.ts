import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, startDoor } from "./processes.ts";
import { startSources } from "./upstream/sources.mjs";

/** A curl command in a fence of the documents, and what it prints in the fence after it. */
const TRANSCRIPT = /```sh\n([^`]*curl[^`]*?)```\n\n```(?:json|text)\n([^`]*?)\n```/g;

const transcripts = readdirSync("shared-docs").flatMap((file) =>
  [...readFileSync(`shared-docs/${file}`, "utf8").matchAll(TRANSCRIPT)].map(([, command, printed]) => {
    return { file, command, printed };
  }),
);

describe("the transcripts of the documents", () => {
  let door: Running;
  beforeAll(async () => {
    door = await startDoor("hockey", "--port", "0");
  });
  afterAll(() => door.stop());

  it("are there", () => {
    expect(transcripts.length).toBeGreaterThanOrEqual(5);
  });

  it.each(transcripts)("are what the door prints, in $file: $command", ({ command, printed }) => {
    const here = command.replaceAll("localhost:8787", `127.0.0.1:${door.port}`);
    expect(execFileSync("bash", ["-c", here], { encoding: "utf8" }).trim()).toBe(printed);
  });
});

type Asked = Record<string, [tool: string, args: object]>;

/** The README's questions to the weather door, as a model would ask them. */
const WEATHER: Asked = {
  "Il fait combien dehors ?": ["meteo_actuelle", {}],
  "Quel temps va-t-il faire demain ?": ["meteo_previsions", { quand: "demain" }],
  "Va-t-il neiger cet après-midi ?": ["meteo_precipitations", { quand: "cet après-midi" }],
  "C'est quoi l'avertissement ?": ["meteo_alertes", {}],
  "La fin de semaine à Saguenay ?": ["meteo_previsions", { lieu: "Saguenay", quand: "la fin de semaine" }],
  "Comment est la qualité de l'air à Québec ?": ["meteo_air", { lieu: "Québec" }],
  "Aux Îles, le soleil se couche à quelle heure ?": ["meteo_soleil", { lieu: "les Îles" }],
  "C'est-tu normal pour la saison ?": ["meteo_normales", {}],
  "Il fait combien à Paris ?": ["meteo_actuelle", { lieu: "Paris" }],
  "La météo à Xyzville ?": ["meteo_previsions", { lieu: "Xyzville" }],
};

/** The same for the articles. */
const ARTICLES: Asked = {
  "Dans quel article elle parle du raton laveur ?": [
    "articles_chercher",
    { question: "dans quel article elle parle du raton laveur ?" },
  ],
  "C'est quoi sa fonction rclone mount ?": ["articles_chercher", { question: "c'est quoi sa fonction rclone mount ?" }],
  "Why did the fans make so much noise?": ["articles_chercher", { question: "why did the fans make so much noise?" }],
  "A-t-elle écrit sur l'apiculture ?": ["articles_chercher", { question: "a-t-elle écrit sur l'apiculture ?" }],
  "C'est quoi le dernier article ?": ["articles_lister", { nombre: 1 }],
  "Ses articles sur le réseau, les plus récents ?": ["articles_lister", { etiquette: "réseau" }],
  "Lis-moi l'article sur le vélo de montagne.": ["articles_lire", { article: "le vélo de montagne" }],
};

describe.each([
  { title: "Weather", name: "meteo", questions: WEATHER },
  { title: "Articles", name: "articles", questions: ARTICLES },
] as const)("the answers of the README, $title", ({ title, name, questions }) => {
  const section = readFileSync("README.md", "utf8")
    .split(`### ${title}\n`)[1]
    .split(/\n##+ /)[0];
  const answers = [...section.matchAll(/\*\*« (.+?) »\*\* \(`(\w+)`\)\n> (.+)\n/g)].map(([, asked, tool, answer]) => {
    return { asked, tool, answer };
  });
  let sources: Awaited<ReturnType<typeof startSources>>;
  let door: Running;
  beforeAll(async () => {
    sources = await startSources();
    const vars = Object.entries(sources.vars[name]).map(([key, value]) => `${key}=${value}`);
    door = await startDoor(name, "--port", "0", ...vars.flatMap((one) => ["--var", one]));
  });
  afterAll(async () => {
    await door.stop();
    await sources.close();
  });

  it("are all there", () => {
    expect(answers.map(({ asked }) => asked)).toEqual(Object.keys(questions));
  });

  it.each(answers)("are what the demo's door says: $asked", async ({ asked, tool, answer }) => {
    const [called, args] = questions[asked];
    expect(called).toBe(tool);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: called, arguments: args },
    });
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${door.port}/mcp`, { method: "POST", headers, body });
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    expect(result.content[0].text).toBe(answer);
  });
});
