import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOORS = /^(hockey|meteo|articles)$/;
const NAMES = /hockey|meteo|articles|labo|nhl|lnh|canadien/gi;

const doors = readdirSync(`${ROOT}workers`).map((name) => ({ name, file: `${ROOT}workers/${name}/index.ts` }));
const model = readFileSync(`${ROOT}workers/hockey/index.ts`, "utf8");
const core = blocksOf("core", model).join();
/** The blocks that a door may do without. */
const others = ["page", "words", "speech", "source"].map((block) => ({ block, text: blocksOf(block, model).join() }));
const [page, words, speech, source] = others.map(({ text }) => text);

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

/** The blocks of that name, marks included. */
function blocksOf(block: string, text: string): string[] {
  return text.match(new RegExp(`^// <${block}>\\n.*^// </${block}>\\n`, "gms")) ?? [];
}

/** Type checks under the settings of the doors, inside the checkout: the compiler finds hono and the types of Workers. */
async function compile(files: Record<string, string>, options = {}): Promise<Ended> {
  const folder = makeFolder(`${ROOT}node_modules/.cache`);
  const { extends: _, ...settings } = JSON.parse(readFileSync(`${ROOT}tsconfig.json`, "utf8"));
  const compilerOptions = { ...settings.compilerOptions, ...options };
  expect(compilerOptions.strict).toBe(true);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  return run(`${ROOT}node_modules/.bin/tsc`, ["-p", folder]);
}

const COMPILED = { code: 0, stdout: "", stderr: "" };
const DECLARED = "declare const SERVER: Server;\ndeclare const TOOLS: Tools;\n";
const OPENED = "export default { fetch: serve };\n";

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
    expect(blocksOf("core", source)).toEqual([core]);
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
    expect(core.match(NAMES)).toBeNull();
  });

  it("imports hono and nothing else, and exports nothing", () => {
    expect(core.match(/^import .*$/gm)).toEqual(['import { Hono } from "hono/tiny";']);
    expect(core).not.toMatch(/^export |\brequire\(|\bimport\(/m);
  });

  it("compiles alone under --strict, given SERVER and TOOLS; and so do the tools that exercise it", async () => {
    const fixture = readFileSync(`${ROOT}test/protocol/fixture-tools.ts`, "utf8");
    const files = { "alone.ts": `${DECLARED}${core}${OPENED}`, "fixture.ts": `${fixture}${core}${OPENED}` };
    expect(await compile(files)).toEqual(COMPILED);
    const wrong = { "alone.ts": `${DECLARED.replace(": Tools", ": number")}${core}${OPENED}` };
    expect((await compile(wrong)).code).not.toBe(0);
  });
});

describe("the blocks that a door may do without", () => {
  const held = others.flatMap((other) => doors.map((door) => ({ ...other, ...door })));
  // What only a door calls is not used in a file without one.
  const loose = { noUnusedLocals: false };

  it.each(held)("keep at most one $block block in $name, with the bytes of the model", ({ block, text, file }) => {
    const whole = readFileSync(file, "utf8");
    const marks = whole.match(new RegExp(`// </?${block}>`, "g")) ?? [];
    expect([[], [`// <${block}>`, `// </${block}>`]]).toContainEqual(marks);
    expect(blocksOf(block, whole)).toEqual(marks.length === 0 ? [] : [text]);
  });

  it.each(others)("name no door and no address in $block, which imports and exports nothing", ({ block, text }) => {
    expect(text.startsWith(`// <${block}>\n`)).toBe(true);
    expect(text.match(NAMES)).toBeNull();
    // The name of a language of images looks like an address; nobody goes there.
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
      /https?:\/|^import |^export |\brequire\(|\bimport\(/m,
    );
  });

  it("stand beside the core in the public doors, the page, and the core knows nothing of it", () => {
    for (const { name, file } of doors) {
      const whole = readFileSync(file, "utf8");
      if (DOORS.test(name)) expect(whole).toContain(`${core}\n${page}\nexport default { fetch: serve };\n`);
    }
    expect(core).not.toMatch(/html|\.css\b|\.js\b/i);
  });

  it("compile alone with the core under --strict, given what they say that they read", async () => {
    const names = [
      "ORIGINS: Record<string, string>",
      "STALE_MS: number",
      "SOURCE_DOWN: string",
      "SOURCE_EMPTY: string",
    ];
    const given = names.map((name) => `declare const ${name};\n`);
    const files = {
      "page.ts": `${DECLARED}${core}${page}${OPENED}`,
      "words.ts": `${DECLARED}${words}${core}${OPENED}`,
      "speech.ts": `${DECLARED}${words}${speech}${core}${OPENED}`,
      "source.ts": `${DECLARED}${given.join("")}${words}${speech}${source}${core}${OPENED}`,
    };
    expect(await compile(files, loose)).toEqual(COMPILED);
    const lacking = given.map((name) => [`${name.split(/[ :]/)[2]}.ts`, files["source.ts"].replace(name, "")]);
    const { stdout } = await compile(Object.fromEntries(lacking), loose);
    for (const [file] of lacking) expect(stdout).toContain(file);
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

  it.each(others)("refuses and repairs a drift of the $block block", async ({ block }) => {
    const [start, edited] = [`// <${block}>\n`, `// <${block}>\n// an edit that nobody moved to the model\n`];
    const [good, bad] = write(model, model.replace(start, edited));
    const { code, stderr } = await script("--check", good, bad);
    expect(code).toBe(1);
    expect(stderr).toContain(`${bad}: its ${block} block`);
    expect((await script(good, bad)).code).toBe(0);
    expect(readFileSync(bad, "utf8")).toBe(model);
  });

  it.each(others)("leaves alone a door without the $block block, and keeps its others", async ({ text }) => {
    const [good, less, bad] = write(model, model.replace(text, ""), drifted.replace(text, ""));
    const { code, stdout } = await script("--check", good, less);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "core: 9 block(s), all the same\n" });
    expect((await script(good, less, bad)).stdout).toBe("core: 1 of 13 block(s) rewritten\n");
    for (const file of [less, bad]) expect(readFileSync(file, "utf8")).toBe(model.replace(text, ""));
  });

  it.each(others)("refuses a $block block that is doubled or has lost an end, and a model without", async (other) => {
    const { block, text } = other;
    const less = model.replace(text, "");
    const broken = [model + text, model.replace(`// <${block}>\n`, ""), model.replace(`// </${block}>\n`, "")];
    const [good, without, ...bad] = write(model, less, ...broken);
    for (const files of [...bad.map((file) => [good, file]), [without, good]]) {
      const { code, stderr } = await script(...files);
      expect(code).toBe(2);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(`// <${block}>`);
    }
    expect(readFileSync(good, "utf8")).toBe(model);
    expect(readFileSync(bad[0], "utf8")).toBe(model + text);
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
  const asked: [door: string, tool: string, args: object, says: RegExp][] = [
    [
      "hockey",
      "match_lnh",
      { equipe: "les Nordiques" },
      /Canadien.*Maple Leafs.*Sénateurs.*Jets.*Flames.*Oilers.*Canucks/,
    ],
    ["meteo", "meteo_actuelle", {}, /^Aucun endroit n'a été nommé/],
    ["articles", "articles_lister", {}, /^Les articles ne sont pas encore indexés ici\./],
  ];

  it.each(asked)("answers once hono is installed beside it: %s", async (name, tool, args, says) => {
    const folder = makeFolder(tmpdir());
    cpSync(`${ROOT}workers/${name}/index.ts`, join(folder, "index.ts"));
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
        tools: expect.arrayContaining([expect.objectContaining({ name: tool })]),
      });
      const said = await ask("tools/call", { name: tool, arguments: args });
      expect(said).toMatchObject({ isError: true, content: [{ type: "text", text: expect.stringMatching(says) }] });
    } finally {
      await miniflare.dispose();
    }
  });
});
