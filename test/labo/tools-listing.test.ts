// Which tools a deployment opens, what it says of them, and what it says of one that it doesn't.
import { describe, expect, it } from "vitest";
import document from "../../shared-docs/labo-outils.md?raw";
import { type Json, modern } from "../protocol/exchange.ts";
import { lintTool } from "../protocol/lint.ts";
import { calling, Lab, LIST, outgoing } from "./lab.ts";
import { Desk, listTools, NAMES, SOURCES, type SourceName, TOOLS, WRITERS } from "./sources.ts";

const desk = new Desk();
const tools = await listTools();
const hintsOf = (name: string) => tools.find((tool) => tool.name === name)?.annotations;

describe("the tools", () => {
  it("are 29, those of the specification", () => {
    expect(tools.map(({ name }) => name).sort()).toEqual([...NAMES].sort());
  });

  it("are 23 that only read and 6 that write, of which 4 are destructive", () => {
    const count = (hint: string) => tools.filter(({ annotations }) => annotations[hint]).length;
    expect({ reads: count("readOnlyHint"), destroys: count("destructiveHint") }).toEqual({ reads: 23, destroys: 4 });
    expect(tools.filter(({ annotations }) => !annotations.readOnlyHint)).toHaveLength(6);
  });

  it.each(Object.entries(TOOLS))("%s tells by its hints what it does", (name, [, kind]) => {
    expect(hintsOf(name)).toMatchObject({ readOnlyHint: kind === "reads", destructiveHint: kind === "destroys" });
    if (kind === "reads") expect(hintsOf(name)).toMatchObject({ idempotentHint: true });
  });

  it("are idempotent where asking twice changes nothing more, and not where it does", () => {
    expect(hintsOf("tache_activer")).toMatchObject({ idempotentHint: true });
    for (const name of ["tache_lancer", "maison_demander", "confier_a_claude_code"]) {
      expect({ name, ...hintsOf(name) }).toMatchObject({ name, idempotentHint: false });
    }
  });

  it.each(NAMES)("%s is what every client accepts", (name) => {
    const tool = tools.find((one) => one.name === name);
    expect(lintTool(tool)).toEqual([]);
    for (const [argument, { description }] of Object.entries<Json>(tool.inputSchema.properties)) {
      expect({ argument, description }).toEqual({ argument, description: expect.stringMatching(/^[\p{Lu}«].+\.$/u) });
    }
  });

  it("bounds every text that it takes", () => {
    const texts = tools.flatMap(({ name, inputSchema }) =>
      Object.entries<Json>(inputSchema.properties).flatMap(([argument, schema]) =>
        [schema, schema.items]
          .filter((one) => one?.type === "string" && one.enum === undefined)
          .map((one) => ({ name, argument, maxLength: one.maxLength })),
      ),
    );
    expect(texts.filter(({ maxLength }) => !(maxLength <= 10_000))).toEqual([]);
    expect(texts.length).toBeGreaterThan(15);
  });

  it("all have another title, another description and another last example", () => {
    for (const of of [
      ({ title }: Json) => title,
      ({ description }: Json) => description,
      ({ description }: Json) => /Pour « ([^«»]+) »\.$/.exec(description)?.[1],
    ]) {
      expect(new Set(tools.map(of)).size).toBe(29);
    }
  });

  it("says of maison_camera that in voice mode the model doesn't receive the image", () => {
    const { description } = tools.find(({ name }) => name === "maison_camera");
    expect(description).toMatch(/mode vocal|à voix/i);
    expect(description).toMatch(/ne (?:la )?(?:reçoi|voi)t pas/);
  });

  it("says of each writer what it changes, never that it only reads", () => {
    for (const name of WRITERS) {
      const { description } = tools.find((tool) => tool.name === name);
      expect({ name, description }).not.toEqual({ name, description: expect.stringMatching(/ne fait que lire/i) });
    }
  });

  it("counts them for the page where the owner consents", async () => {
    expect((await desk.lab.page()).text).toContain("29 outils, dont 6 qui écrivent");
  });
});

describe("the table of shared-docs/labo-outils.md", () => {
  /** The rows of the table: a tool, its arguments, the variable of its key, what that key may do, the four hints. */
  const rows = document
    .split("\n")
    .filter((line) => /^\| `/.test(line) && line.split("|").length === 10)
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const isYes = (cell: string): boolean => {
    expect(["oui", "non"]).toContain(cell);
    return cell === "oui";
  };

  it.each(NAMES)("says of %s what the code does", (name) => {
    const row = rows.filter(([, cell]) => cell.includes(`\`${name}\``));
    expect({ name, rows: row.length }).toEqual({ name, rows: 1 });
    const [, cell, args, key, allowed, ...hints] = row[0];
    const { inputSchema, annotations } = tools.find((tool) => tool.name === name);
    const said = [...args.matchAll(/`([a-z_]+)`/g)].map(([, argument]) => argument);
    const optional = [...args.matchAll(/\(`([a-z_]+)`\)/g)].map(([, argument]) => argument);
    expect({ name, said }).toEqual({ name, said: Object.keys(inputSchema.properties) });
    const needed = said.filter((argument) => !optional.includes(argument));
    expect({ name, needed }).toEqual({ name, needed: inputSchema.required ?? [] });
    const [source, kind] = TOOLS[name];
    expect({ name, marked: cell.includes("†") }).toEqual({ name, marked: kind === "destroys" });
    expect({ name, key }).toEqual({ name, key: source === null ? "aucune" : `\`${SOURCES[source].key}\`` });
    expect({ name, allowed }).toEqual({ name, allowed: expect.stringMatching(/./) });
    const [readOnlyHint, destructiveHint, idempotentHint, openWorldHint] = hints.slice(0, 4).map(isYes);
    expect({ name, readOnlyHint, destructiveHint, idempotentHint, openWorldHint }).toEqual({
      name,
      ...Object.fromEntries(Object.entries(annotations).filter(([hint]) => hint !== "title")),
    });
  });

  it("has no other row", () => {
    expect(rows).toHaveLength(29);
  });
});

/** The tools of these sources. */
const toolsOf = (sources: readonly SourceName[]): string[] =>
  NAMES.filter((name) => sources.some((source) => source === TOOLS[name][0]));

/** Expects a deployment with these variables to list every tool but those of these sources. */
async function expectClosed(vars: Record<string, unknown>, sources: readonly SourceName[]): Promise<void> {
  const bent = new Desk({}, vars);
  const closed = toolsOf(sources);
  const list = await bent.list();
  expect({ vars, closed: NAMES.filter((name) => !list.includes(name)) }).toEqual({ vars, closed });
}

const KEYED = ["repos", "doc", "home", "jobs", "hosts", "work"] as const;
const BEHIND = ["home", "jobs", "cluster", "hosts", "web"] as const;

describe("a source", () => {
  it.each(KEYED)("without its key opens none of its tools: %s", async (source) => {
    for (const value of [undefined, "", " ", "\n"]) await expectClosed({ [SOURCES[source].key]: value }, [source]);
  });

  it.each(KEYED)("whose key no header can hold opens none of its tools: %s", async (source) => {
    for (const value of ["cle\nx: y", "clé", "une clé", 12, true]) {
      await expectClosed({ [SOURCES[source].key]: value }, [source]);
    }
  });

  it.each(BEHIND)("without its address opens none of its tools: %s", async (source) => {
    await expectClosed({ [SOURCES[source].address]: undefined }, [source]);
    await expectClosed({ [SOURCES[source].address]: "" }, [source]);
  });

  it.each(BEHIND)("with half an Access pair opens none of its tools: %s", async (source) => {
    const { pair } = SOURCES[source];
    for (const value of [undefined, "", " "]) {
      await expectClosed({ [`${pair}_ID`]: value }, [source]);
      await expectClosed({ [`${pair}_SECRET`]: value }, [source]);
    }
    await expectClosed({ [`${pair}_ID`]: "a\nb" }, [source]);
  });

  it.each(["home", "jobs", "hosts"] as const)("needs no Access pair, only its key: %s", async (source) => {
    const { pair } = SOURCES[source];
    await expectClosed({ [`${pair}_ID`]: undefined, [`${pair}_SECRET`]: undefined }, []);
  });

  it.each(["cluster", "web"] as const)("that knows no key has the key or the pair, not neither: %s", async (source) => {
    const { key, pair } = SOURCES[source];
    const none = { [`${pair}_ID`]: undefined, [`${pair}_SECRET`]: undefined };
    await expectClosed({ [key]: undefined }, []);
    await expectClosed(none, []);
    await expectClosed({ ...none, [key]: undefined }, [source]);
  });

  const END = { cluster: "/mcp-readonly" } as Partial<Record<SourceName, string>>;
  it.each(BEHIND)("at an address of another shape opens none of its tools: %s", async (source) => {
    const end = END[source] ?? "";
    for (const address of [
      `http://maison.test${end}`,
      `http://10.0.0.2:8123${end}`,
      `http://localhost.evil.test${end}`,
      `http://127.0.0.1.evil.test${end}`,
      `ftp://maison.test${end}`,
      `https://ludo:motdepasse@maison.test${end}`,
      `https://maison.test${end}?x=1`,
      `https://maison.test${end}#x`,
      `//maison.test${end}`,
      `maison.test${end}`,
      ...(source === "cluster" ? [] : ["https://maison.test/chemin", "https://maison.test/.."]),
      "pas une adresse",
      12,
    ]) {
      await expectClosed({ [SOURCES[source].address]: address }, [source]);
    }
  });

  it.each(BEHIND)("may be in the clear on the loopback: %s", async (source) => {
    for (const host of ["127.0.0.1:8123", "localhost:8123"]) {
      await expectClosed({ [SOURCES[source].address]: `http://${host}${END[source] ?? ""}` }, []);
    }
  });

  it("of GitHub's is at api.github.com when nothing else is said, and never in the clear", async () => {
    await expectClosed({ GITHUB_API: undefined }, []);
    await expectClosed({ GITHUB_API: "http://github.test" }, ["repos", "doc", "work"]);
    await expectClosed({ GITHUB_API: "pas une adresse" }, ["repos", "doc", "work"]);
  });

  it.each([
    "/mcp",
    "/mcp-readonly/",
    "/mcp-readonly/mcp",
    "/mcp-readonly/../mcp",
    "/mcp-readonly/%2e%2e/mcp",
    "/mcp?x=/mcp-readonly",
    "/mcp#/mcp-readonly",
    "/xmcp-readonly",
    "/mcp-readonly2",
    "/MCP-READONLY",
    "/mcp-readonly%20",
    "",
  ])("of the cluster's ends in /mcp-readonly, and not in %j", async (path) => {
    await expectClosed({ CLUSTER_URL: `https://radar.test${path}` }, ["cluster"]);
  });

  it("of the cluster's may be under a path", async () => {
    await expectClosed({ CLUSTER_URL: "https://radar.test/radar/mcp-readonly" }, []);
  });

  it.each([
    ["REPOS", "repos"],
    ["DOC_REPO", "doc"],
    ["WORK_REPO", "work"],
  ] as const)("of GitHub's is closed when %s names nothing, or no repository", async (variable, source) => {
    for (const value of [
      undefined,
      "",
      " ",
      "*",
      "ludo",
      "ludo/",
      "/docs",
      "ludo/docs/autre",
      "ludo/..",
      "../docs",
      "./docs",
      "ludo/do cs",
      "ludo/docs?x",
      "ludo/docs#x",
      "ludo/d%2Focs",
      "ludo\\docs",
      "https://github.com/ludo/docs",
      "ludo/cabanon, pas-un-depot",
      12,
    ]) {
      await expectClosed({ [variable]: value }, [source]);
    }
    if (variable !== "REPOS") await expectClosed({ [variable]: "ludo/docs, ludo/cabanon" }, [source]);
  });

  it("that isn't set at all leaves labo_etat alone", async () => {
    const nothing = new Lab({ LABO_TOOLS: NAMES.join() });
    const { json } = await nothing.mcp(await nothing.accessToken(), LIST);
    expect(json.result.tools.map(({ name }: Json) => name)).toEqual(["labo_etat"]);
  });
});

describe("LABO_TOOLS", () => {
  it("opens no more than it names, whatever is set", async () => {
    for (const name of NAMES) expect(await new Desk({}, { LABO_TOOLS: name }).list()).toEqual([name]);
    expect(await new Desk({}, { LABO_TOOLS: undefined }).list()).toEqual([]);
  });
});

describe("a tool that is closed", () => {
  /** Why one can be: it isn't named, its key is missing, its address is wrong. */
  const WHYS: [string, (name: string) => Record<string, unknown>][] = [
    ["isn't named", (name) => ({ LABO_TOOLS: NAMES.filter((one) => one !== name).join() })],
    [
      "has no key",
      () =>
        Object.fromEntries(
          Object.values(SOURCES).flatMap((source) => [
            [source.key, undefined],
            ...("pair" in source
              ? [
                  [`${source.pair}_ID`, undefined],
                  [`${source.pair}_SECRET`, undefined],
                ]
              : []),
          ]),
        ),
    ],
    [
      "has half its address",
      () => Object.fromEntries(Object.values(SOURCES).map(({ address }) => [address, "http://a"])),
    ],
  ];

  it.each(WHYS)("answers what one that never was answers, to the byte, and asks nothing: it %s", async (why, vars) => {
    const token = await desk.accessToken();
    const of = async (name: string, env: Record<string, unknown>, era: "legacy" | "modern") => {
      const { headers, body } =
        era === "modern"
          ? modern("tools/call", { name, arguments: {} })
          : { headers: {}, body: calling(name, "pas un objet") };
      const answer = await desk.lab.with(env).mcp(token, body, headers);
      return { status: answer.status, headers: [...answer.headers], text: answer.text.replaceAll(name, "NOM") };
    };
    outgoing.length = 0;
    for (const name of NAMES) {
      if (name === "labo_etat" && why !== "isn't named") continue;
      for (const era of ["legacy", "modern"] as const) {
        expect({ name, ...(await of(name, vars(name), era)) }).toEqual({
          name,
          ...(await of("labo_rien", vars(name), era)),
        });
      }
    }
    expect(outgoing).toEqual([]);
  });
});
