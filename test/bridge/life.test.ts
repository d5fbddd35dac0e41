// A run from its start to its end: what the child is given, what it says, how it ends, what is left. BRIDGE.md 4.1 and 4.2,
// HOSTILE.md, C8 to C10.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { areGone, findProgram, isListening, isRunning } from "../processes.ts";
import { ask, BIN, call, held, Place, type Run, rpc, TOOLS } from "./run.ts";

const ALLOW = ["--allow", "memory_search", "--tools", TOOLS];
/** How long a process that is ended may take to be gone; nothing is measured. */
const GONE_MS = 20_000;
/** A little more than the time in which a second Ctrl-C is the wish to end at any price. */
const TWICE_MS = 2_500;

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.clear());

/** A run of a shell's line. */
const sh = (line: string, env: Record<string, string> = {}) => place.finish([...ALLOW, "--", "sh", "-c", line], env);

/** `script` takes the shell of who runs the tests: not every one reads the line, or leaves its place to the command. */
const SHELL = { SHELL: "/bin/sh" };
/** A line of that shell, which gives its place to the command: one that stays would hear Ctrl-C too, and may end by it. */
const execOf = (words: readonly string[]) =>
  `exec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")}`;

/** A pipe that is open for reading, and that nobody reads. */
function openPipe(): { pipe: string; close(): void } {
  const pipe = join(place.folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  return { pipe, close: () => closeSync(reader) };
}

/** That nothing of a run is left: no listener, no child, no file. */
async function expectNothingLeft(run: Run): Promise<void> {
  expect(await isListening(run.port)).toBe(false);
  expect(await areGone([run.child.pid], GONE_MS)).toBe(true);
  expect(readdirSync(place.tmp)).toEqual([]);
}

describe("the child's end is the bridge's", () => {
  it.each([0, 1, 2, 42, 64, 126, 127, 255])("exit code %i", async (code) => {
    expect(await sh(`exit ${code}`)).toEqual({ status: code, stdout: "", stderr: "" });
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it.each([
    ["TERM", 143],
    ["HUP", 129],
    ["INT", 130],
  ])("signal %s, by which a shell sees the bridge end", async (signal, status) => {
    const { bridge, ended } = place.start([...ALLOW, "--", "sh", "-c", `kill -${signal} $$`]);
    expect((await ended).status).toBe(status);
    expect(bridge.signalCode).toBe(`SIG${signal}`);
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("signal KILL, whose code is all that can be passed on", async () => {
    expect((await sh("kill -KILL $$")).status).toBe(137);
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("is 127 when there is no such command, and one line says which", async () => {
    for (const command of ["no-such-agent", join(place.folder, "no-such-agent")]) {
      const { status, stdout, stderr } = await place.finish([...ALLOW, "--", command, "-p", "x"]);
      expect({ status, stdout }).toEqual({ status: 127, stdout: "" });
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(command);
      expect(readdirSync(place.tmp)).toEqual([]);
    }
  });

  it("is 127 when what runs it isn't there, and the line says so", async () => {
    const script = join(place.folder, "script");
    writeFileSync(script, "#!/nowhere/interpreter\n");
    chmodSync(script, 0o755);
    const { status, stderr } = await place.finish([...ALLOW, "--", script]);
    expect(status).toBe(127);
    expect(stderr).toContain(script);
    expect(stderr).toContain("first line");
  });

  it("is 126 when it isn't a program, and one line says which", async () => {
    const plain = join(place.folder, "notes.txt");
    writeFileSync(plain, "bonjour\n", { mode: 0o644 });
    for (const command of [plain, place.folder]) {
      const { status, stdout, stderr } = await place.finish([...ALLOW, "--", command]);
      expect({ status, stdout }).toEqual({ status: 126, stdout: "" });
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(command);
      expect(readdirSync(place.tmp)).toEqual([]);
    }
  });

  it("doesn't wait for what the child has left behind", async () => {
    const started = place.start([...ALLOW, "--", "sh", "-c", "sleep 60 & echo $!; exit 5"]);
    expect(await started.exited).toBe(5);
    await vi.waitFor(() => expect(started.said.stdout).toMatch(/^\d+\n$/), { timeout: 5_000 });
    const left = Number(started.said.stdout);
    // It still holds stdout, and it isn't ours to end.
    expect(isRunning(left)).toBe(true);
    process.kill(left, "SIGKILL");
  });

  it("comes while a tool hangs, whose work is aborted", async () => {
    const run = await place.hold(["--allow", "hang"]);
    const hanging = call(run, "hang").then(
      () => "answered",
      () => "closed",
    );
    await vi.waitFor(() => expect(place.record).toHaveLength(1), { timeout: 10_000 });
    expect((await run.end()).status).toBe(0);
    expect(await hanging).toBe("closed");
    expect(place.record.at(-1)).toEqual({ aborted: "hang" });
    await expectNothingLeft(run);
  });

  it("is 137 when the child is killed while a tool hangs", async () => {
    const run = await place.hold(["--allow", "hang"]);
    const hanging = call(run, "hang").catch(() => {});
    await vi.waitFor(() => expect(place.record).toHaveLength(1), { timeout: 10_000 });
    process.kill(run.child.pid, "SIGKILL");
    expect((await run.ended).status).toBe(137);
    await hanging;
    expect(place.record.at(-1)).toEqual({ aborted: "hang" });
    await expectNothingLeft(run);
  });

  it("doesn't wait for who doesn't read the pipe that the audit is: no other call executes, and that is all", async () => {
    const { pipe, close } = openPipe();
    const run = await place.hold(["--allow", "memory_search", "--audit", pipe]);
    const args = Object.fromEntries(Array.from({ length: 32 }, (_, rank) => [`${rank}`.padEnd(64, "x"), 1]));
    const said = [];
    // A line has 2 kB, the pipe 64.
    for (let rank = 0; rank < 60; rank++)
      said.push((await call(run, "memory_search", args)).body.result.isError === true);
    expect(said[0]).toBe(false);
    expect(said.at(-1)).toBe(true);
    const { status, stderr } = await run.end();
    expect(status).toBe(0);
    expect(stderr).toMatch(/^labo-bridge: --audit .+\n$/);
    close();
  });

  it("doesn't wait for a client that never reads", async () => {
    const { connect } = await import("node:net");
    const run = await place.hold(["--allow", "memory_search"]);
    const socket = connect(run.port, "127.0.0.1").on("error", () => {});
    await once(socket, "connect");
    socket.pause().write("POST /mcp HTTP/1.1\r\n");
    expect((await run.end()).status).toBe(0);
    await expectNothingLeft(run);
    socket.destroy();
  });
});

describe("the bridge's own end is the child's", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const)(
    "%s goes to the child, whose code it keeps",
    async (signal) => {
      const run = await place.hold(["--allow", "memory_search"], { HOLD_TRAPS: signal, HOLD_ENDS: "7" });
      run.bridge.kill(signal);
      const { status, stdout } = await run.ended;
      expect(stdout.trimEnd().split("\n").slice(1)).toEqual([signal]);
      expect(status).toBe(7);
      await expectNothingLeft(run);
    },
  );

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("%s ends a child that has no answer to it", async (signal, status) => {
    const run = await place.hold(["--allow", "memory_search"]);
    run.bridge.kill(signal);
    expect((await run.ended).status).toBe(status);
    await expectNothingLeft(run);
  });

  it.each(["SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT"] as const)(
    "%s goes to the child, and the run goes on",
    async (signal) => {
      const run = await place.hold(["--allow", "memory_search"], { HOLD_TRAPS: signal });
      run.bridge.kill(signal);
      await vi.waitFor(() => expect(run.said.stdout.trimEnd().split("\n").at(-1)).toBe(signal), { timeout: 10_000 });
      expect((await call(run, "memory_search", { query: "x" })).status).toBe(200);
      expect((await run.end()).status).toBe(0);
    },
  );

  it("a second SIGINT kills a child that ignores the first", async () => {
    const run = await place.hold(["--allow", "memory_search"], { HOLD_TRAPS: "SIGINT,SIGTERM" });
    run.bridge.kill("SIGINT");
    await vi.waitFor(() => expect(run.said.stdout).toMatch(/^SIGINT$/m), { timeout: 10_000 });
    run.bridge.kill("SIGINT");
    expect([130, 137]).toContain((await run.ended).status);
    await expectNothingLeft(run);
  });

  it("SIGTERM kills in the end a child that ignores it", async () => {
    const run = await place.hold(["--allow", "memory_search"], { HOLD_TRAPS: "SIGTERM" });
    run.bridge.kill("SIGTERM");
    expect([137, 143]).toContain((await run.ended).status);
    await expectNothingLeft(run);
  });

  it("a signal that comes while the run is prepared leaves nothing", async () => {
    const home = join(place.folder, "home");
    mkdirSync(home);
    // The preparation reads it, and waits until somebody writes.
    const pipe = join(home, "config.toml");
    execFileSync("mkfifo", [pipe]);
    const line = [process.execPath, join(dirname(TOOLS), "hold.mjs")];
    const { bridge, ended } = place.start([...ALLOW, "--for", "codex", "--", ...line], { CODEX_HOME: home });
    await vi.waitFor(() => expect(readdirSync(place.tmp)).toHaveLength(1), { timeout: 10_000 });
    bridge.kill("SIGTERM");
    // It is there before what is written.
    await writeFile(pipe, "");
    expect((await ended).status).toBe(143);
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("npx's end is the run's, though it passes no signal on", async () => {
    const line = ["sh", "-c", 'cd "$0" && exec npx labo-bridge "$@"', dirname(dirname(BIN))];
    const hold = [process.execPath, join(dirname(TOOLS), "hold.mjs")];
    const run = await held(place.start([...ALLOW, "--", ...hold], {}, line));
    run.bridge.kill("SIGTERM");
    await run.exited;
    expect(await areGone([run.child.pid], GONE_MS)).toBe(true);
    await vi.waitFor(() => expect(existsSync(dirname(run.config))).toBe(false), { timeout: GONE_MS });
    expect(await isListening(run.port)).toBe(false);
  });

  it.each([
    ["goes on without who started it, when that isn't npm", "", true],
    ["ends with who started it, when that is npm", "exec", false],
  ])("%s", async (_, npm_command, goesOn) => {
    const [begun, done] = [join(place.folder, "begun"), join(place.folder, "done")];
    const write = (file: string) => `require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`;
    const code = `${write(begun)}; setTimeout(() => ${write(done)}, 3_000)`;
    // It leaves once the run has begun.
    const line = ["sh", "-c", `"$@" & until test -e '${begun}'; do sleep 0.1; done`, "sh", process.execPath, BIN];
    const { exited } = place.start([...ALLOW, "--", process.execPath, "-e", code], { npm_command }, line);
    expect(await exited).toBe(0);
    await vi.waitFor(() => expect(readdirSync(place.tmp)).toEqual([]), { timeout: GONE_MS });
    expect(existsSync(done)).toBe(goesOn);
  });

  it("SIGKILL leaves a child without tools", async () => {
    const run = await place.hold(["--allow", "memory_search"]);
    run.bridge.kill("SIGKILL");
    await run.exited;
    expect(await isListening(run.port)).toBe(false);
    expect(isRunning(run.child.pid)).toBe(true);
    run.bridge.stdin?.end();
    expect(await areGone([run.child.pid], GONE_MS)).toBe(true);
  });

  it("a panic ends the child, and says 70", async () => {
    const run = await place.hold(["--allow", "panic"]);
    const calling = call(run, "panic").catch(() => {});
    const { status, stderr } = await run.ended;
    await calling;
    expect(status).toBe(70);
    expect(stderr).not.toBe("");
    await expectNothingLeft(run);
  });

  it("what a tool breaks changes nothing of the code of a child that leaves with its call under way", async () => {
    const calls = `fetch(process.env.LABO_MCP_URL, { method: "POST", headers: { authorization: "Bearer " + process.env.LABO_MCP_TOKEN, "content-type": "application/json" }, body: process.argv[1] }); setTimeout(() => process.exit(3), 500)`;
    const options = ["--allow", "clumsy", "--tools", TOOLS];
    const body = rpc("tools/call", { name: "clumsy" });
    const { status } = await place.finish([...options, "--", process.execPath, "-e", calls, body]);
    expect(place.record).toHaveLength(1);
    expect(status).toBe(3);
  });

  it("a panic ends the listener at once, whatever the child does of its signal", async () => {
    const run = await place.hold(["--allow", "panic"], { HOLD_TRAPS: "SIGTERM" });
    await call(run, "panic").catch(() => {});
    await vi.waitFor(() => expect(run.said.stdout).toMatch(/^SIGTERM$/m), { timeout: 10_000 });
    expect(await isListening(run.port)).toBe(false);
    expect(isRunning(run.child.pid)).toBe(true);
    process.kill(run.child.pid, "SIGKILL");
    expect((await run.ended).status).toBe(70);
    await expectNothingLeft(run);
  });

  it("what a tool throws is told to who asks for it, in its call alone, and an error that can't be shown is no panic", async () => {
    const file = join(place.folder, "mine.mjs");
    const tool = (name: string, thrown: string) =>
      `{ name: "${name}", description: "d", inputSchema: { type: "object" }, run() { throw ${thrown}; } }`;
    const shy = 'Object.assign(new Error("x"), { [Symbol.for("nodejs.util.inspect.custom")]() { throw 1; } })';
    writeFileSync(file, `export default [${tool("plain", 'new Error("no database")')}, ${tool("shy", shy)}];`);
    const run = await place.hold(["--allow", "plain,shy", "--tools", file], { NODE_DEBUG: "labo-bridge" });
    for (const name of ["shy", "plain", "shy"]) expect((await call(run, name)).body.result.isError).toBe(true);
    const { status, stderr } = await run.end();
    expect(status).toBe(0);
    expect(stderr).toMatch(/plain: .*no database/);
    expect(stderr.match(/shy: what can't be shown/g)).toHaveLength(2);
  });

  it.each([
    ["an error that can't be printed", "unprintable"],
    ["a tool that leaves", "quit"],
  ])("%s is a panic too, and said in one line", async (_, name) => {
    const run = await place.hold(["--allow", name]);
    const calling = call(run, name).catch(() => {});
    const { status, stderr } = await run.ended;
    expect(status).toBe(70);
    expect(stderr).toMatch(/^labo-bridge: a tool .+\n$/);
    await calling;
    await expectNothingLeft(run);
  });

  it("what a tool breaks as it is aborted changes nothing of the child's code", async () => {
    const run = await place.hold(["--allow", "clumsy"]);
    const calling = call(run, "clumsy").catch(() => {});
    await vi.waitFor(() => expect(place.record).toHaveLength(1), { timeout: 10_000 });
    expect((await run.end()).status).toBe(0);
    await calling;
    await expectNothingLeft(run);
  });
});

describe("stdin, stdout and stderr are the child's own", () => {
  it("pass 10 MB of bytes unchanged", async () => {
    const bytes = randomBytes(10_000_000);
    // The helper reads text, and these are bytes: a file keeps what `cat` heard, and what it says again.
    const [file, again] = [join(place.folder, "heard"), join(place.folder, "said")];
    const { bridge, ended } = place.start([...ALLOW, "--", "sh", "-c", `tee '${file}'`], {}, [
      ...["sh", "-c", `exec "$@" > '${again}'`, "sh", process.execPath, BIN],
    ]);
    bridge.stdin?.end(bytes);
    expect((await ended).status).toBe(0);
    const digest = (data: Buffer) => createHash("sha256").update(data).digest("hex");
    expect(digest(readFileSync(file))).toBe(digest(bytes));
    expect(digest(readFileSync(again))).toBe(digest(bytes));
  });

  it("have not a byte of the bridge's", async () => {
    const { status, stdout, stderr } = await sh("head -c 3000000 /dev/zero; printf 'sans fin'; printf 'dit' >&2");
    expect(status).toBe(0);
    expect(stdout.length).toBe(3_000_008);
    expect(stdout.endsWith("\0sans fin")).toBe(true);
    expect(stderr).toBe("dit");
  });

  it("end as soon as the child's do, though it is large", async () => {
    const { stdout } = await sh("seq 1 200000");
    expect(stdout.endsWith("\n200000\n")).toBe(true);
  });

  it("are the very descriptors of the bridge", async () => {
    const { stdout } = await sh(
      "readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2 /proc/$PPID/fd/0 /proc/$PPID/fd/1 /proc/$PPID/fd/2",
    );
    const links = stdout.trimEnd().split("\n");
    expect(links).toHaveLength(6);
    expect(links.slice(0, 3)).toEqual(links.slice(3));
  });

  it("are a terminal when the bridge has one", async ({ skip }) => {
    const script = findProgram(["script"]);
    skip(script === null, "no script on the PATH, which makes a terminal");
    const file = join(place.folder, "terminal");
    const line = [
      process.execPath,
      BIN,
      ...ALLOW,
      "--",
      "sh",
      "-c",
      `test -t 0 && test -t 1 && test -t 2 && echo yes > "${file}"`,
    ];
    execFileSync(String(script), ["-qec", execOf(line), "/dev/null"], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...SHELL },
    });
    expect(readFileSync(file, "utf8")).toBe("yes\n");
  });

  it("keep what the child has to read from a module that reads stdin", async () => {
    const file = join(place.folder, "mine.mjs");
    const tool = '{ name: "a", description: "d", inputSchema: { type: "object" }, run: () => "b" }';
    writeFileSync(file, `process.stdin.on("data", () => {});\nexport default [${tool}];`);
    const { bridge, said, ended } = place.start(["--allow", "a", "--tools", file, "--", "sh", "-c", "echo ready; cat"]);
    await vi.waitFor(() => expect(said.stdout).toBe("ready\n"), { timeout: 20_000 });
    for (const line of ["un\n", "deux\n", "trois\n"]) {
      bridge.stdin?.write(line);
      await sleep(100);
    }
    bridge.stdin?.end();
    expect(await ended).toEqual({ status: 0, stdout: "ready\nun\ndeux\ntrois\n", stderr: "" });
  });

  it("hold no call though nobody reads the pipe that stderr is, and a tool writes there", async ({ skip }) => {
    skip(process.platform !== "linux", "only Linux opens a pipe a second time");
    const file = join(place.folder, "mine.mjs");
    const work = 'run: () => { console.log("x".repeat(10_000)); return "b"; }';
    writeFileSync(file, `export default [{ name: "a", description: "d", inputSchema: { type: "object" }, ${work} }];`);
    const { pipe, close } = openPipe();
    const line = ["sh", "-c", `exec "$@" 2> '${pipe}'`, "sh", process.execPath, BIN];
    const hold = [process.execPath, join(dirname(TOOLS), "hold.mjs")];
    const run = await held(place.start(["--allow", "a", "--tools", file, "--", ...hold], {}, line));
    for (let rank = 0; rank < 20; rank++) expect((await call(run, "a")).body.result.content[0].text).toBe("b");
    expect((await run.end()).status).toBe(0);
    close();
  });

  it.for<[string, string, number]>([
    ["Ctrl-C once on a terminal, the child that is, when stdin is its own", "", 1],
    ["Ctrl-C once on a terminal, the child that is, when stdin is a file", " < /dev/null", 1],
    ["a Ctrl-C some seconds after another as a second wish to interrupt, which doesn't kill", "", 2],
  ])("hear %s", async ([, stdin, times], { skip }) => {
    const script = findProgram(["script"]);
    skip(script === null, "no script on the PATH, which makes a terminal");
    const file = join(place.folder, "heard");
    // A second one would come while it still waits.
    const code = `let heard = 0; process.on("SIGINT", () => { heard++; if (heard === ${times}) setTimeout(() => { require("node:fs").writeFileSync(${JSON.stringify(file)}, String(heard)); process.exit(5); }, 1000); }); console.log("ready"); setInterval(() => {}, 1000);`;
    const line = [process.execPath, BIN, ...ALLOW, "--", process.execPath, "-e", code];
    const { bridge, said, exited } = place.start(["-qec", execOf(line) + stdin, "/dev/null"], SHELL, [String(script)]);
    await vi.waitFor(() => expect(said.stdout).toContain("ready"), { timeout: 20_000 });
    for (let rank = 0; rank < times; rank++) {
      if (rank > 0) await sleep(TWICE_MS);
      bridge.stdin?.write("\x03");
    }
    expect(await exited).toBe(5);
    expect(readFileSync(file, "utf8")).toBe(String(times));
  });
});

describe("the child's environment", () => {
  it("has the address, the token and the config, for it alone", async () => {
    const run = await place.hold(["--allow", "memory_search,environment"]);
    expect(run.url).toBe(`http://127.0.0.1:${run.port}/mcp`);
    expect(run.port).toBeGreaterThan(0);
    expect(run.token).toMatch(/^[0-9a-f]{64}$/);
    expect(run.child.argv).toEqual([run.config]);
    expect((await call(run, "environment")).body.result.content[0].text).toBe("none");
    await run.end();
  });

  it("has another token and another port at each run", async () => {
    const [one, other] = await Promise.all([
      place.hold(["--allow", "memory_search"]),
      place.hold(["--allow", "memory_search"]),
    ]);
    for (const key of ["token", "port", "config"] as const) expect(one[key]).not.toBe(other[key]);
    await Promise.all([one.end(), other.end()]);
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("keeps what was there, and sends nothing of the loopback to a proxy", async () => {
    const env = {
      HTTP_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "intranet.example",
      no_proxy: "",
      NODE_EXTRA_CA_CERTS: "/x.pem",
      MINE: "é 'x'",
    };
    const run = await place.hold(["--allow", "memory_search"], env);
    for (const name of ["NO_PROXY", "no_proxy"]) {
      const hosts = run.child.env[name].split(",").map((host) => host.trim());
      expect(hosts).toEqual(expect.arrayContaining(["127.0.0.1", "localhost"]));
      expect(hosts).not.toContain("");
    }
    expect(run.child.env.NO_PROXY.split(",")).toContain("intranet.example");
    for (const name of ["HTTP_PROXY", "NODE_EXTRA_CA_CERTS", "MINE"] as const)
      expect(run.child.env[name]).toBe(env[name]);
    await run.end();
  });

  it("keeps a NO_PROXY of everything, which is understood alone", async () => {
    const run = await place.hold(["--allow", "memory_search"], { NO_PROXY: "*", no_proxy: "intranet.example" });
    expect([run.child.env.NO_PROXY, run.child.env.no_proxy]).toEqual(["*", "*"]);
    await run.end();
  });

  it("has nothing of what a module of tools has set for itself", async () => {
    const file = join(place.folder, "mine.mjs");
    const tool = '{ name: "a", description: "d", inputSchema: { type: "object" }, run: () => "b" }';
    const own = 'process.env.MINE = "hunter2"; delete process.env.THEIRS; process.chdir("/");';
    writeFileSync(file, `${own}\nexport default [${tool}];`);
    const line = ["sh", "-c", 'echo "$THEIRS/$MINE $PWD"'];
    const { stdout } = await place.finish(["--allow", "a", "--tools", file, "--", ...line], { THEIRS: "x" });
    expect(stdout).toBe(`x/ ${realpathSync(place.folder)}\n`);
  });

  it("has no debugger of the bridge's in it", async () => {
    for (const [options, opened] of [
      ["--inspect=127.0.0.1:0", 1],
      ["--inspect-port 0", 0],
      ["--inspect-port=0", 0],
      ["--inspect-publish-uid http", 0],
    ] as const) {
      const run = await place.hold(["--allow", "memory_search"], { NODE_OPTIONS: options });
      expect(run.child.env).not.toHaveProperty("NODE_OPTIONS");
      // Nor open beside it: by a debugger, an agent would be inside the bridge.
      const portsOf = () => [...run.said.stderr.matchAll(/^Debugger listening on ws:\/\/[^:]+:(\d+)/gm)];
      await vi.waitFor(() => expect(portsOf()).toHaveLength(opened), { timeout: 10_000 });
      for (const [, port] of portsOf()) expect(await isListening(Number(port))).toBe(false);
      await run.end();
    }
    const plain = await place.hold(["--allow", "memory_search"], { NODE_OPTIONS: "--max-old-space-size=512" });
    expect(plain.child.env.NODE_OPTIONS).toBe("--max-old-space-size=512");
    await plain.end();
  });

  it("isn't that of an outer run", async () => {
    const outer = {
      LABO_MCP_URL: "http://127.0.0.1:9/mcp",
      LABO_MCP_TOKEN: "f".repeat(64),
      LABO_MCP_CONFIG: "/nowhere",
    };
    const run = await place.hold(["--allow", "memory_search"], outer);
    expect(run.port).not.toBe(9);
    expect(run.token).not.toBe(outer.LABO_MCP_TOKEN);
    expect(run.config).not.toBe(outer.LABO_MCP_CONFIG);
    await run.end();
  });
});

describe("the config file", () => {
  it("is what an agent reads, whole", async () => {
    const run = await place.hold(["--allow", "memory_search", "--name", "osfoundry"]);
    expect(JSON.parse(readFileSync(run.config, "utf8"))).toEqual({
      mcpServers: {
        osfoundry: {
          type: "http",
          url: run.url,
          headers: { Authorization: `Bearer ${run.token}` },
          timeout: 120_000,
          alwaysLoad: true,
        },
      },
    });
    await run.end();
  });

  it("is for its owner alone, whatever the umask, and is gone with its folder", async () => {
    const line = ["sh", "-c", 'umask 000; exec "$@"', "sh", process.execPath, BIN];
    const hold = [process.execPath, join(dirname(TOOLS), "hold.mjs"), "{MCP_CONFIG}"];
    const run = await held(place.start([...ALLOW, "--", ...hold], {}, line));
    expect(statSync(run.config).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(run.config)).mode & 0o777).toBe(0o700);
    expect(dirname(dirname(run.config))).toBe(place.tmp);
    await run.end();
    expect(existsSync(run.config)).toBe(false);
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("is one argument, in a folder with spaces, quotes and accents", async () => {
    const odd = new Place(mkdtempSync(join(tmpdir(), 'l\'été "à" $HOME ')));
    try {
      const run = await odd.hold(["--allow", "memory_search"]);
      expect(run.child.argv).toEqual([run.config]);
      expect(run.config.startsWith(odd.tmp)).toBe(true);
      expect(existsSync(run.config)).toBe(true);
      await run.end();
      expect(readdirSync(odd.tmp)).toEqual([]);
    } finally {
      await odd.clear();
    }
  });

  it("is named wherever {MCP_CONFIG} stands, and nothing else is touched", async () => {
    const extra = [
      "--mcp-config={MCP_CONFIG}",
      "{MCP_CONFIG}{MCP_CONFIG}",
      "{mcp_config}",
      "$HOME",
      "",
      "--",
      "a  b",
      "$&",
    ];
    const run = await place.hold(["--allow", "memory_search"], {}, extra);
    const { config } = run;
    expect(run.child.argv).toEqual([
      `--mcp-config=${config}`,
      config + config,
      "{mcp_config}",
      "$HOME",
      "",
      "--",
      "a  b",
      "$&",
    ]);
    await run.end();
  });

  it("says the token nowhere that others can read it", async () => {
    const run = await place.hold(["--allow", "memory_search"]);
    const lines = execFileSync("ps", ["-o", "args=", "-p", `${run.bridge.pid},${run.child.pid}`], { encoding: "utf8" });
    expect(lines).toContain("hold.mjs");
    expect(lines).not.toContain(run.token);
    const { stderr } = await run.end();
    expect(stderr).toBe("");
  });

  it("is the only one that is touched, whatever the others' names and ages", async () => {
    const other = join(place.tmp, "labo-bridge-notes");
    mkdirSync(other);
    writeFileSync(join(other, "mine.txt"), "bonjour");
    const longAgo = new Date(Date.now() - 30 * 86_400_000);
    utimesSync(other, longAgo, longAgo);
    expect((await sh("true")).status).toBe(0);
    expect(readFileSync(join(other, "mine.txt"), "utf8")).toBe("bonjour");
  });

  it("that is removed by the child hinders nothing", async () => {
    const { status, stderr } = await sh('rm -r "$(dirname "$LABO_MCP_CONFIG")"; exit 3');
    expect({ status, stderr }).toEqual({ status: 3, stderr: "" });
  });

  it("that can't be removed is said, and the child's code stays its own", async ({ skip }) => {
    const root = process.getuid?.() === 0;
    const setpriv = findProgram(["setpriv"]);
    const nobody = [String(setpriv), "--reuid=65534", "--clear-groups"];
    skip(root && setpriv === null, "root removes whatever it likes, and there is no setpriv");
    const canRead = (file: string) => spawnSync(nobody[0], [...nobody.slice(1), "test", "-r", file]).status === 0;
    skip(
      root && ![BIN, TOOLS, process.execPath].every(canRead),
      "nobody can't read this checkout, and root's can't fail",
    );
    const line = root ? [...nobody, process.execPath, BIN] : undefined;
    for (const folder of [place.folder, place.tmp]) chmodSync(folder, 0o777);
    const shut = 'cd "$(dirname "$LABO_MCP_CONFIG")"; mkdir shut; touch shut/x; chmod 500 shut; exit 3';
    const started = place.start([...ALLOW, "--", "sh", "-c", shut], {}, line);
    const { status, stderr } = await started.ended;
    expect(status).toBe(3);
    expect(stderr.trimEnd().split("\n")).toEqual([expect.stringContaining("can't be removed")]);
    const [left] = readdirSync(place.tmp);
    // Its token is gone.
    expect(readdirSync(join(place.tmp, left))).toEqual(["shut"]);
  });

  it("is found from everywhere, though TMPDIR is named from where one stands", async () => {
    mkdirSync(join(place.folder, "rel"));
    const { stdout } = await sh('cd /; cat "$LABO_MCP_CONFIG"', { TMPDIR: "rel" });
    expect(JSON.parse(stdout)).toHaveProperty("mcpServers");
    expect(readdirSync(join(place.folder, "rel"))).toEqual([]);
  });

  it("that can't be written is said, and nothing starts", async () => {
    const file = join(place.folder, "not-a-folder");
    writeFileSync(file, "");
    const { status, stdout, stderr } = await sh("echo started", { TMPDIR: file });
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("a run", () => {
  it("starts from a folder that is gone, and without a home", async () => {
    const line = ["sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh", process.execPath, BIN];
    const { bridge, ended } = place.start([...ALLOW, "--", "echo", "ran"], { HOME: "" }, line);
    bridge.stdin?.end();
    expect(await ended).toEqual({ status: 0, stdout: "ran\n", stderr: "" });
  });

  it("answers before the child's first word", async () => {
    // A child that is quicker than any agent: the listener is there before it is.
    const code = "fetch(process.env.LABO_MCP_URL).then(({ status }) => console.log(status))";
    const { stdout } = await place.finish([...ALLOW, "--", process.execPath, "-e", code]);
    expect(stdout).toBe("401\n");
  });

  it("is started through a link, as npx does", async () => {
    const link = join(place.folder, "labo-bridge");
    execFileSync("ln", ["-s", BIN, link]);
    const { ended } = place.start([...ALLOW, "--", "sh", "-c", "exit 9"], {}, [process.execPath, link]);
    expect((await ended).status).toBe(9);
    expect(statSync(BIN).mode & 0o111).not.toBe(0);
  });

  it("serves several clients at once", async () => {
    const run = await place.hold(["--allow", "memory_search", "--workspace", "ws-personal"]);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, id) => ask(run, { body: rpc("ping", {}, id) })));
    expect(answers.map(({ body }) => body.id)).toEqual(Array.from({ length: 40 }, (_, id) => id));
    await run.end();
  });
});
