import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";

const ROOT = new URL("..", import.meta.url).pathname;
const CORE = /^\/\/ <core>\n.*^\/\/ <\/core>\n/gms;
const DOORS = /^(hockey|meteo|articles)$/;

const doors = readdirSync(`${ROOT}workers`).map((name) => ({ name, file: `${ROOT}workers/${name}/index.ts` }));
const model = readFileSync(`${ROOT}workers/hockey/index.ts`, "utf8");
const [core] = model.match(CORE) ?? [""];

const temporary: string[] = [];
afterAll(() => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

function makeFolder(parent: string): string {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "core-test-"));
  temporary.push(folder);
  return folder;
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function run(file: string, args: string[], cwd = ROOT): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, encoding: "utf8", timeout: 50_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

describe("the core block", () => {
  it.each(doors)("stands exactly once in $name, with the same bytes everywhere", ({ file }) => {
    const source = readFileSync(file, "utf8");
    expect(source.match(/<\/?core>/g)).toEqual(["<core>", "</core>"]);
    expect(source.match(CORE)).toEqual([core]);
  });

  it.each(doors.filter(({ name }) => DOORS.test(name)))(
    "leaves to $name a last line that only opens it",
    ({ file }) => {
      const source = readFileSync(file, "utf8");
      expect(source.endsWith("\nexport default { fetch: serve };\n")).toBe(true);
      expect(source.match(/^export /gm)).toHaveLength(1);
    },
  );

  it("names no door", () => {
    expect(core.match(/hockey|meteo|articles|labo|nhl|lnh|canadien/gi)).toBeNull();
  });

  it("imports hono and nothing else, and exports nothing", () => {
    expect(core.match(/^import .*$/gm)).toEqual(['import { Hono } from "hono";']);
    expect(core).not.toMatch(/^export |\brequire\(|\bimport\(/m);
  });

  it("compiles alone under --strict, given SERVER and TOOLS; and so do the tools that exercise it", async () => {
    // Inside the checkout, so that the compiler finds hono and the types of Workers.
    const folder = makeFolder(`${ROOT}node_modules/.cache`);
    const declared = "declare const SERVER: Server;\ndeclare const TOOLS: Tools;\n";
    const fixture = readFileSync(`${ROOT}test/protocol/fixture-tools.ts`, "utf8");
    writeFileSync(join(folder, "alone.ts"), `${declared}${core}export default { fetch: serve };\n`);
    writeFileSync(join(folder, "fixture.ts"), `${fixture}${core}export default { fetch: serve };\n`);
    const { extends: _, ...settings } = JSON.parse(readFileSync(`${ROOT}tsconfig.json`, "utf8"));
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ ...settings, include: ["*.ts"] }));
    expect(settings.compilerOptions.strict).toBe(true);
    expect(await run(`${ROOT}node_modules/.bin/tsc`, ["-p", folder])).toEqual({ code: 0, stdout: "", stderr: "" });

    writeFileSync(
      join(folder, "alone.ts"),
      `${declared.replace(": Tools", ": number")}${core}export default { fetch: serve };\n`,
    );
    expect((await run(`${ROOT}node_modules/.bin/tsc`, ["-p", folder])).code).not.toBe(0);
  });
});

describe("npm run core", () => {
  const script = (...args: string[]) => run(process.execPath, ["scripts/core.mjs", ...args]);
  const drifted = model.replace("// <core>\n", "// <core>\n// an edit that nobody moved to the model\n");

  /** Writes files side by side and gives back their paths. */
  function write(...sources: string[]): string[] {
    const folder = makeFolder(tmpdir());
    return sources.map((source, index) => {
      const file = join(folder, `door-${index}.ts`);
      writeFileSync(file, source);
      return file;
    });
  }

  it("finds no drift in this checkout", async () => {
    const { code, stderr } = await script("--check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("is part of npm test", () => {
    expect(JSON.parse(readFileSync(`${ROOT}package.json`, "utf8")).scripts.test).toContain("scripts/core.mjs --check");
  });

  it("refuses a drift, names the file and the command that repairs it, and writes nothing", async () => {
    const [good, bad] = write(model, drifted);
    const { code, stderr } = await script("--check", good, bad);
    expect(code).toBe(1);
    expect(stderr).toContain(bad);
    expect(stderr).toContain("npm run core");
    expect(readFileSync(bad, "utf8")).toBe(drifted);
    expect(readFileSync(good, "utf8")).toBe(model);
  });

  it("sees a drift of one byte", async () => {
    const files = write(
      model,
      model.replace(core, () => core.replace("2025-11-25", "2025-11-26")),
    );
    expect((await script("--check", ...files)).code).toBe(1);
    const blank = write(
      model,
      model.replace(core, () => core.replace("\n// </core>", " \n// </core>")),
    );
    expect((await script("--check", ...blank)).code).toBe(1);
  });

  it("repairs a drift and leaves the rest of the file alone", async () => {
    const other = drifted.replace("// ── 1.", "// another door\n// ── 1.").concat("// its last line\n");
    const [good, bad] = write(model, other);
    expect((await script(good, bad)).code).toBe(0);
    expect(readFileSync(good, "utf8")).toBe(model);
    expect(readFileSync(bad, "utf8")).toBe(other.replace("// an edit that nobody moved to the model\n", ""));
    expect((await script("--check", good, bad)).code).toBe(0);
  });

  it("copies to the byte a block that holds replacement patterns", async () => {
    const traps = "// $& $1 $$ $` $' $<core> \\1 \\n \\\\ %s {x} é 🏒 \u2028\n";
    const [good, bad] = write(
      model.replace("// <core>\n", () => `// <core>\n${traps}`),
      drifted,
    );
    expect((await script(good, bad)).code).toBe(0);
    expect(readFileSync(bad, "utf8")).toBe(readFileSync(good, "utf8"));
    expect(readFileSync(bad, "utf8")).toContain(traps);
  });

  it("repairs several files at once, and says how many", async () => {
    const files = write(model, drifted, model, drifted);
    const { code, stdout } = await script(...files);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\b2\b/);
    expect((await script("--check", ...files)).code).toBe(0);
  });

  it.each([
    ["two blocks", model + core],
    ["no block", model.replace(core, "")],
    ["no end", model.replace("// </core>\n", "")],
    ["no start", model.replace("// <core>\n", "")],
    ["two ends", model.replace("// </core>\n", "// </core>\n// </core>\n")],
    ["its marks the other way round", model.replace(core, "// </core>\n// <core>\n")],
    ["nothing at all", ""],
  ])("refuses a file with %s, in one line and with exit code 2", async (_, source) => {
    const [good, bad] = write(model, source);
    for (const args of [
      ["--check", good, bad],
      [good, bad],
      [bad, good],
    ]) {
      const { code, stderr } = await script(...args);
      expect(code).toBe(2);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(bad);
      expect(stderr).toContain("// <core>");
    }
    expect(readFileSync(bad, "utf8")).toBe(source);
    expect(readFileSync(good, "utf8")).toBe(model);
  });

  it("writes nothing at all when one of the files is refused", async () => {
    const [good, bad, broken] = write(model, drifted, "");
    expect((await script(good, bad, broken)).code).toBe(2);
    expect(readFileSync(bad, "utf8")).toBe(drifted);
  });

  it("says in one line that a file isn't there", async () => {
    const { code, stderr } = await script("--check", ...write(model), "/nowhere/index.ts");
    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain("/nowhere/index.ts");
  });

  it("shows its help, and refuses an option that it doesn't have", async () => {
    const help = await script("--help");
    expect(help.code).toBe(0);
    expect(help.stdout).toContain("--check");
    const wrong = await script("--chek");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("one file copied elsewhere", () => {
  it("answers once hono is installed beside it", async () => {
    const folder = makeFolder(tmpdir());
    cpSync(`${ROOT}workers/hockey/index.ts`, join(folder, "index.ts"));
    writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
    const install = ["install", "--install-links", "--offline", "--no-audit", "--no-fund", `${ROOT}node_modules/hono`];
    const installed = await run("npm", install, folder);
    expect(installed.code, installed.stderr).toBe(0);
    expect(Object.keys(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).dependencies)).toEqual(["hono"]);
    const { outputFiles, metafile } = await build({
      entryPoints: [join(folder, "index.ts")],
      absWorkingDir: folder,
      bundle: true,
      format: "esm",
      target: "es2024",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    for (const input of Object.keys(metafile.inputs)) expect(input).toMatch(/^(index\.ts$|node_modules\/hono\/)/);

    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        name: "copy",
        compatibilityDate: "2026-04-01",
        cf: false,
        log: new Log(LogLevel.ERROR),
        modules: [{ type: "ESModule", path: "copy.mjs", contents: outputFiles[0].text }],
      }),
    );
    try {
      const ask = async (method: string, params = {}) => {
        const response = await miniflare.dispatchFetch("http://127.0.0.1/mcp", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        });
        expect(response.status).toBe(200);
        return ((await response.json()) as { result: Record<string, never> }).result;
      };
      expect(await ask("tools/list")).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: "match_lnh" })]),
      });
      const said = await ask("tools/call", { name: "match_lnh", arguments: { equipe: "les Nordiques" } });
      expect(said).toMatchObject({ isError: true, content: [{ type: "text" }] });
      for (const team of ["Canadien", "Maple Leafs", "Sénateurs", "Jets", "Flames", "Oilers", "Canucks"]) {
        expect(JSON.stringify(said)).toContain(team);
      }
    } finally {
      await miniflare.dispose();
    }
  });
});
