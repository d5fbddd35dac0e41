import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { buildIndex } from "./scripts/index.mjs";
import { FLEET } from "./scripts/workerd.mjs";
import { fixtureDoor } from "./test/fixture-door.ts";
import { startEmbeddings } from "./test/upstream/embeddings.mjs";

/** The folder of a door's recordings, and those of its files that are whole responses. */
const RECORDED: Record<string, [folder: string, files: RegExp]> = {
  hockey: [
    "nhl",
    /^(score|scoreboard|club-schedule|club-stats|landing|playoff-|schedule_|skater-|standings_).*\.json$/,
  ],
  meteo: ["meteo", /^(ogc|openmeteo)_.*\.json$/],
};

/** Real responses of a door's sources, by file name, from the folder that RECORDINGS names; null without it. */
function recordingsOf(name: string): Record<string, unknown> | null {
  if (process.env.RECORDINGS === undefined || RECORDED[name] === undefined) return null;
  const [subfolder, wanted] = RECORDED[name];
  const folder = `${process.env.RECORDINGS}/${subfolder}`;
  const files = readdirSync(folder).filter((file) => wanted.test(file));
  return Object.fromEntries(files.map((file) => [file, JSON.parse(readFileSync(`${folder}/${file}`, "utf8"))]));
}

/** Cases that the doors share, as text by file name, from beside the recordings; null without them. */
function sharedOf(name: string): Record<string, string> | null {
  if (process.env.RECORDINGS === undefined) return null;
  const [cases, places] = [`${process.env.RECORDINGS}/../cases`, `${process.env.RECORDINGS}/../places`];
  const named = (folder: string, wanted: RegExp) =>
    readdirSync(folder)
      .filter((file) => wanted.test(file))
      .map((file) => [file, readFileSync(`${folder}/${file}`, "utf8")]);
  if (name === "labo") return existsSync(cases) ? Object.fromEntries(named(cases, /^oauth-.*\.tsv$/)) : null;
  if (name !== "meteo" || !existsSync(cases) || !existsSync(places)) return null;
  return Object.fromEntries([
    ...named(cases, /^meteo-.*\.(tsv|json)$/),
    ...named(places, /\.tsv$/),
    ...named(`${process.env.RECORDINGS}/meteo`, /^(atom_.*_fr\.xml|eccc_bulletins.*\.json)$/),
  ]);
}

/** The index of the made-up blog, with vectors that only know which words a text has: its files in base64, by name. */
async function indexOf(blog: string): Promise<Record<string, string>> {
  const server = await startEmbeddings();
  const out = mkdtempSync(`${tmpdir()}/index-`);
  try {
    const embed = { embed: `${server.url}/v1/embeddings`, model: "bge-m3" };
    await buildIndex({
      from: blog,
      out,
      name: "Le cabanon numérique",
      voice: { say() {}, warn: console.error },
      ...embed,
    });
    return Object.fromEntries(readdirSync(out).map((file) => [file, readFileSync(`${out}/${file}`, "base64")]));
  } finally {
    rmSync(out, { recursive: true });
    await server.close();
  }
}

/** What the tests of every door are handed: only those of the articles read the blog. */
const blog = await indexOf("test/fixtures/blog");

/**
 * A door's tests run inside workerd: the one contract of every door, then its own. `#door` is what the contract is run over,
 * where it isn't the door as it is.
 */
const door = (name: string, main: string, include: string[], contract = main) => ({
  plugins: [
    fixtureDoor(),
    cloudflareTest({
      main,
      miniflare: {
        compatibilityDate: "2026-04-01",
        // A fetch that no test answered ends here, never on the network.
        outboundService: (request: { url: string }) =>
          new Response(`not faked: ${request.url}`, { status: 599 }) as never,
      },
    }),
  ],
  resolve: { alias: { "#door": fileURLToPath(new URL(contract, import.meta.url)) } },
  test: {
    name,
    include,
    provide: {
      recordings: recordingsOf(name),
      shared: sharedOf(name),
      blog: name === "articles" ? blog : {},
      isPrivate: contract !== main,
    },
  },
});

/** Tests that run in Node and start processes, which read their code compiled: Wrangler's takes most of a second. */
const house = (name: string, include: string) => ({
  test: {
    name,
    environment: "node" as const,
    include: [include],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) },
  },
});

/** What waits for processes comes first, and the doors' many short files fill the end: one long file there is all that runs. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = ["bridge", "page", "house"];
    const rank = ({ project }: TestSpecification) =>
      order.includes(project.name) ? order.indexOf(project.name) : order.length;
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    reporters: ["default", "./test/reporter.ts"],
    // Every call of a tool is a line of the door's log: thousands of them.
    onConsoleLog: (line) => !line.startsWith('{"door":'),
    // Many tests wait for a silence to end: on two processors, four files at a time take the least.
    maxWorkers: 4,
    projects: [
      ...Object.keys(FLEET).map((name) =>
        door(name, `./workers/${name}/index.ts`, ["test/protocol/*.test.ts", `test/${name}/*.test.ts`]),
      ),
      door(
        "labo",
        "./workers/labo/index.ts",
        ["test/protocol/!(page).test.ts", "test/labo/*.test.ts"],
        "./test/labo/unlocked.ts",
      ),
      house("house", "test/*.test.ts"),
      house("page", "test/page/*.test.ts"),
      house("bridge", "test/bridge/*.test.ts"),
    ],
  },
});
