// The relay that the owner runs at home: a process of its own on the loopback, asked over HTTP as the private door asks.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHosts, startRelay } from "../shared-docs/relais-machines.mjs";

const SCRIPT = fileURLToPath(new URL("../shared-docs/relais-machines.mjs", import.meta.url));
const KEY = "c0ffee".padEnd(40, "7");
const NODE = process.execPath;
/** A command of the list that runs this JavaScript. */
const js = (code: string, ...args: string[]) => [NODE, "-e", code, ...args];
const print = (text: string) => js("process.stdout.write(process.argv[1])", text);

const LINUX = [
  "1036800.52 4000000.10",
  "0.40 0.50 0.60 2/512 12345",
  "MemTotal:       16000000 kB\nMemFree:          500000 kB\nMemAvailable:   10000000 kB",
  "Filesystem 1-blocks Used Available Capacity Mounted on",
  "/dev/sda1 500000000000 400000000000 75000000000 85% /",
].join("\n");

let folder: string;
let relay: ChildProcess;
let url: string;
let said = "";

function run(file: string, args: string[] = ["--hosts", file, "--port", "0"], key: string | undefined = KEY) {
  const { HOSTS_KEY: _, ...env } = process.env;
  const child = spawn(NODE, [SCRIPT, ...args], { env: { ...env, ...(key !== undefined && { HOSTS_KEY: key }) } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    err += data;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, out, err })),
  );
  return { child, ended };
}

function write(name: string, hosts: unknown, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, typeof hosts === "string" ? hosts : JSON.stringify(hosts));
  chmodSync(file, mode);
  return file;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "relay-"));
  const file = write("machines.json", {
    serveur: {
      state: "here",
      reads: {
        services: print("nginx : actif\nsauvegarde : en échec\n"),
        // What a shell would read in it stays an argument.
        ligne: print(
          `$(touch ${folder}/touched); \`touch ${folder}/touched\` && touch ${folder}/touched | cat > ${folder}/touched`,
        ),
        environnement: js("console.log(JSON.stringify(process.env))"),
        inactif: js("console.log('inactive'); process.exit(3)"),
        muet: js("console.error('permission refusée'); process.exit(1)"),
        long: js("process.stdout.write('é'.repeat(20000) + 'fin')"),
        enorme: ["yes"],
        absent: [join(folder, "no-such-program")],
      },
    },
    nas: { state: print(LINUX), reads: { disques: js("process.exit(255)") } },
    vieux: { state: js("process.exit(255)") },
    inconnu: {},
  });
  const { child } = run(file);
  relay = child;
  url = await new Promise((resolve) => {
    child.stdout.on("data", (data) => {
      said += data;
      const [, origin] = /^(http:\S+)\/hosts/.exec(said) ?? [];
      if (origin !== undefined) resolve(origin);
    });
  });
});
afterAll(() => {
  relay?.kill();
  rmSync(folder, { recursive: true });
});

async function ask(path: string, init: RequestInit = {}) {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${KEY}` }, ...init });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, headers: answer.headers };
}

describe("the relay of the machines", () => {
  it("lists its machines and the reads of each", async () => {
    const { status, body, headers } = await ask("/hosts");
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
    expect(body).toEqual({
      hosts: [
        {
          name: "serveur",
          reads: ["services", "ligne", "environnement", "inactif", "muet", "long", "enorme", "absent"],
        },
        { name: "nas", reads: ["disques"] },
        { name: "vieux", reads: [] },
        { name: "inconnu", reads: [] },
      ],
    });
  });

  it("says the state of the machine where it runs", async () => {
    const { body } = await ask("/hosts/serveur");
    const share = { used: expect.any(Number), total: expect.any(Number) };
    expect(body).toMatchObject({ name: "serveur", up: true, uptime_s: expect.any(Number), memory: share, disk: share });
    expect(body.load).toHaveLength(3);
    for (const part of [body.memory, body.disk] as { used: number; total: number }[]) {
      expect(part.used).toBeGreaterThan(0);
      expect(part.used).toBeLessThanOrEqual(part.total);
    }
  });

  it("reads the state of another in what Linux says, and tells the one that is down from the one it knows nothing of", async () => {
    expect((await ask("/hosts/nas")).body).toEqual({
      ...{ name: "nas", up: true, uptime_s: 1_036_800.52, load: [0.4, 0.5, 0.6] },
      memory: { used: 6_144_000_000, total: 16_384_000_000 },
      disk: { used: 400_000_000_000, total: 475_000_000_000 },
    });
    const nothing = { uptime_s: null, load: null, memory: null, disk: null };
    expect((await ask("/hosts/vieux")).body).toEqual({ name: "vieux", up: false, ...nothing });
    expect((await ask("/hosts/inconnu")).body).toEqual({ name: "inconnu", up: null, ...nothing });
  });

  it("gives what a read prints, whatever its exit code, and its errors when it prints nothing else", async () => {
    const read = async (name: string) => (await ask(`/hosts/serveur/reads/${name}`)).body;
    expect(await read("services")).toEqual({ text: "nginx : actif\nsauvegarde : en échec\n", truncated: false });
    expect(await read("inactif")).toEqual({ text: "inactive\n", truncated: false });
    expect(await read("muet")).toEqual({ text: "permission refusée\n", truncated: false });
  });

  it("runs no shell, and hands no key over", async () => {
    const { body } = await ask("/hosts/serveur/reads/ligne");
    expect(body.text).toContain("$(touch ");
    expect(existsSync(`${folder}/touched`)).toBe(false);
    const { body: told } = await ask("/hosts/serveur/reads/environnement");
    expect(Object.keys(JSON.parse(String(told.text))).sort()).toEqual(["HOME", "LC_ALL", "PATH"]);
  });

  it("gives the end of what is long, and stops what never ends", async () => {
    const { body } = await ask("/hosts/serveur/reads/long");
    expect(body).toEqual({ text: `${"é".repeat(15_997)}fin`, truncated: true });
    const { body: cut } = await ask("/hosts/serveur/reads/enorme");
    expect([String(cut.text).length, cut.truncated]).toEqual([16_000, true]);
  });

  it("says apart a machine that nothing reaches, a program that isn't there and a command that is late", async () => {
    expect(await ask("/hosts/nas/reads/disques")).toMatchObject({ status: 424, body: { error: "unreachable" } });
    expect(await ask("/hosts/serveur/reads/absent")).toMatchObject({ status: 424, body: { error: "broken" } });
    const hosts = readHosts(JSON.stringify({ lente: { reads: { attente: js("setTimeout(() => {}, 60000)") } } }));
    const slow = await startRelay({ hosts, key: KEY, port: 0, commandMs: 300 });
    const answer = await fetch(`${slow.url}/hosts/lente/reads/attente`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect([answer.status, await answer.json()]).toEqual([424, { error: "late" }]);
    await slow.close();
  });

  it("runs four commands at once, and no more", async () => {
    const hosts = readHosts(JSON.stringify({ lente: { reads: { attente: js("setTimeout(() => {}, 60000)") } } }));
    const slow = await startRelay({ hosts, key: KEY, port: 0, commandMs: 2_000 });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const headers = { authorization: `Bearer ${KEY}` };
        const answer = await fetch(`${slow.url}/hosts/lente/reads/attente`, { headers });
        await answer.text();
        return answer.status;
      }),
    );
    expect(statuses.sort()).toEqual([424, 424, 424, 424, 503, 503]);
    await slow.close();
  });

  it.each([
    "/",
    "/hosts/",
    "/hosts/absente",
    "/hosts/serveur/",
    "/hosts/serveur/reads",
    "/hosts/serveur/reads/",
    "/hosts/serveur/reads/absente",
    "/hosts/nas/reads/services",
    "/hosts/serveur/reads/services/",
    "/hosts/serveur/reads/services?x=1",
    "/hosts/serveur/reads/services%3Bid",
    "/hosts/serveur/reads/constructor",
    "/hosts/__proto__",
    "/hosts/%2e%2e/reads/services",
    "//hosts",
  ])("has nothing at %s", async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it("only reads", async () => {
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const answer = await fetch(`${url}/hosts`, { method, headers: { authorization: `Bearer ${KEY}` } });
      expect([method, answer.status, answer.headers.get("allow")]).toEqual([method, 405, "GET"]);
    }
  });

  it.each([
    ["none", {}],
    ["another", { authorization: `Bearer ${KEY.slice(0, -1)}8` }],
    ["its beginning", { authorization: `Bearer ${KEY.slice(0, -1)}` }],
    ["it and more", { authorization: `Bearer ${KEY}7` }],
    ["an empty one", { authorization: "Bearer " }],
    ["it by another scheme", { authorization: `Basic ${KEY}` }],
    ["it under another name", { "x-api-key": KEY }],
  ])("answers 401 to who brings no key but %s, whatever is asked", async (_, headers) => {
    for (const path of ["/hosts", "/hosts/serveur/reads/services", "/absent"]) {
      const answer = await fetch(url + path, { headers: headers as Record<string, string> });
      expect([answer.status, await answer.json()]).toEqual([401, { error: "wrong key" }]);
    }
  });

  it("outlives what isn't HTTP", async () => {
    const { port } = new URL(url);
    for (const line of ["\0\0\0", "GET * HTTP/1.1\r\n\r\n", "GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n"]) {
      await new Promise((resolve) => connect(Number(port), "127.0.0.1").once("close", resolve).resume().end(line));
    }
    expect((await ask("/hosts")).status).toBe(200);
  });

  it("listens on the loopback alone, and logs neither a key nor what a stranger sends", async () => {
    await fetch(`${url}/canari`, { headers: { authorization: "Bearer canari-du-journal" } });
    await ask("/hosts/canari");
    await ask("/hosts");
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(said).toMatch(/^\/hosts 200 \d+ ms$/m);
    expect(said).toMatch(/^- 401 \d+ ms$/m);
    expect(said).not.toMatch(/canari|c0ffee/);
  });
});

describe("starting the relay", () => {
  const good = { serveur: { state: "here", reads: { services: ["true"] } } };

  it.each<[string, unknown, RegExp]>([
    ["isn't JSON", "{", /^the file isn't JSON\n$/],
    ["is a list", [], /^the file must be an object\n$/],
    ["has a name with a slash", { "a/b": {} }, /^the file: "a\/b" must be letters/],
    ["has a machine that is a list", { serveur: [] }, /^serveur must be an object\n$/],
    ["has an unknown setting", { serveur: { lectures: {} } }, /^serveur: "lectures" is neither/],
    ["has a command that is a line for a shell", { serveur: { reads: { a: "df -h" } } }, /^serveur\.reads\.a must be/],
    ["has an empty command", { serveur: { reads: { a: [] } } }, /^serveur\.reads\.a must be/],
    ["has an argument that is a number", { serveur: { state: ["ssh", 1] } }, /^serveur\.state must be/],
    ["has too many machines", Object.fromEntries("abcdefghi".split("").map((name) => [name, {}])), /more than 8 names/],
  ])("is refused in a line, with exit code 2, when the file %s", async (_, hosts, line) => {
    const { code, out, err } = await run(write("bad.json", hosts)).ended;
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringMatching(line) });
    expect(err.trimEnd()).not.toContain("\n");
  });

  it("is refused when everyone can write the file, when it isn't there, and without a good key", async () => {
    const file = write("good.json", good);
    const endings = [
      [await run(write("open.json", good, 0o666)).ended, /open\.json: everyone can write it/],
      [await run(`${folder}/absent.json`).ended, /absent\.json can't be read \(ENOENT\)/],
      [await run(file, undefined, "").ended, /^HOSTS_KEY must have/],
      [await run(file, undefined, "courte").ended, /^HOSTS_KEY must have/],
      [await run(file, undefined, `${KEY} ${KEY}`).ended, /^HOSTS_KEY must have/],
      [await run(file, ["--port", "0"]).ended, /^--hosts FILE is missing/],
      [await run(file, ["--hosts", file, "--port", "x"]).ended, /^--port x isn't a port/],
      [await run(file, ["--hosts", file, "--port", new URL(url).port]).ended, /can't be used \(EADDRINUSE\)/],
      [await run(file, ["--shell"]).ended, /^Unknown option '--shell'/],
    ] as const;
    for (const [{ code, err }, line] of endings) {
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(line) });
      expect(err.trimEnd()).not.toContain("\n");
      expect(err).not.toContain(KEY);
    }
  });

  it("explains itself with --help, whose example is a good file", async () => {
    const { code, out } = await run("", ["--help"]).ended;
    expect(code).toBe(0);
    const [example] = /^ {2}\{[\s\S]*^ {2}\}/m.exec(out) ?? [];
    expect([...readHosts(String(example)).keys()]).toEqual(["serveur", "nas"]);
  });

  it("takes the list that its document shows", () => {
    const [, example] = /```json\n([\s\S]+?)```/.exec(readFileSync("shared-docs/labo-maison.md", "utf8")) ?? [];
    expect([...readHosts(String(example)).keys()]).toEqual(["serveur", "nas"]);
  });

  it("ends on a signal", async () => {
    const { child, ended } = run(write("good.json", good));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/\/hosts, 1 machine\n$/) });
  });
});
