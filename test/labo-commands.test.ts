import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTrial } from "../scripts/trial.mjs";
import { runCommand } from "./commands.ts";
import { runNpm } from "./processes.ts";
import { startAccess } from "./upstream/access.mjs";
import { listen } from "./upstream/server.mjs";

describe("npm run labo:keys", () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "labo-keys-"));
    file = join(folder, "vars");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const keys = (...args: string[]) => runCommand("labo-keys", ["--file", file, ...args]);
  /** A secret of the file, by kid. */
  const ring = (name: string): Record<string, string> => {
    const [, value = ""] = new RegExp(`^${name}='(.*)'$`, "m").exec(readFileSync(file, "utf8")) ?? [];
    return JSON.parse(value);
  };

  it("makes two secrets of 32 bytes that its owner alone reads, and prints none of them", async () => {
    const { code, stdout, stderr } = await keys();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // Who replaces a key to put everyone out must not stop there.
    expect(stdout).toContain(`npx wrangler secret bulk ${file} --env labo\n`);
    const secrets = ["ROOT_TOK", "ROOT_CLI"].map((name) => ring(name).k1);
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) {
      expect(Buffer.from(secret, "base64")).toHaveLength(32);
      expect(stdout).not.toContain(secret);
    }
  });

  it("keeps what is there, and the owner's other lines", async () => {
    writeFileSync(file, 'HOME_API="http://maison.local:8123"\n');
    await keys();
    const before = readFileSync(file, "utf8");
    expect(before).toMatch(/^HOME_API="http:\/\/maison\.local:8123"\nROOT_TOK=/);
    expect((await keys()).stdout).toMatch(/: nothing to change; [^\n]+\n$/);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("puts a new key before the others of one secret, or alone, under a name that was never used", async () => {
    await keys();
    const [old, clients] = [ring("ROOT_TOK"), ring("ROOT_CLI")];
    expect((await keys("--rotate", "ROOT_TOK")).stdout).toContain("ROOT_TOK has k2, k1;");
    expect(Object.keys(ring("ROOT_TOK"))).toEqual(["k2", "k1"]);
    expect(ring("ROOT_TOK").k1).toBe(old.k1);
    await keys("--replace", "ROOT_TOK");
    expect(Object.keys(ring("ROOT_TOK"))).toEqual(["k3"]);
    expect(ring("ROOT_CLI")).toEqual(clients);
  });

  it("refuses in one line a secret that it hasn't made, without saying it, and leaves the file", async () => {
    for (const bad of [
      "ROOT_TOK=abc123secret",
      "ROOT_TOK='{}'",
      `ROOT_TOK='{"1":"${"A".repeat(42)}E="}'`,
      `ROOT_TOK='{"k1":1}'`,
      "ROOT_TOK=",
    ]) {
      writeFileSync(file, `${bad}\n`);
      const { code, stdout, stderr } = await keys();
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(`${file}: ROOT_TOK`);
      expect(stderr).not.toContain("abc123");
      expect(readFileSync(file, "utf8")).toBe(`${bad}\n`);
    }
  });

  it.each([
    ["a space around its sign", (value: string) => `ROOT_TOK = '${value}'`],
    ["export", (value: string) => `export ROOT_TOK='${value}'`],
    ["the mark of a Windows editor before it", (value: string) => `\ufeffROOT_TOK='${value}'`],
    ["a space that doesn't break", (value: string) => `\u00a0ROOT_TOK='${value}'`],
    ["an indent, and a comment after", (value: string) => `  ROOT_TOK='${value}' # à moi`],
    ["no quotation mark", (value: string) => `ROOT_TOK=${value}`],
  ])("knows a secret that is written with %s: kept, then changed where it is", async (_, write) => {
    const value = JSON.stringify({ k1: Buffer.alloc(32, 7).toString("base64") });
    writeFileSync(file, `${write(value)}\n`);
    expect((await keys()).code).toBe(0);
    expect(readFileSync(file, "utf8").split("\n")[0]).toBe(write(value));
    expect((await keys("--rotate", "ROOT_TOK")).stdout).toContain("ROOT_TOK has k2, k1;");
    expect(readFileSync(file, "utf8").match(/ROOT_TOK/g)).toHaveLength(1);
  });

  it.each<[string, Buffer | string]>([
    ["JSON, which Wrangler takes too", '{"ROOT_TOK": "{}"}'],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x41, 0, 0x80])],
  ])("refuses a file of %s, and leaves it", async (_, before) => {
    writeFileSync(file, before);
    const { code, stdout, stderr } = await keys("--rotate", "ROOT_TOK");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/ isn't one of NAME=value lines, in UTF-8: .+\n$/);
    expect(readFileSync(file)).toEqual(Buffer.from(before));
  });

  it("refuses what is no file", async () => {
    const { code, stderr } = await runCommand("labo-keys", ["--file", folder]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ isn't a file: .+\n$/);
  });

  it("doesn't write a key that the door would refuse", async () => {
    const before = `ROOT_TOK='{"k999999999999999":"${Buffer.alloc(32, 7).toString("base64")}"}'\n`;
    writeFileSync(file, before);
    const { code, stderr } = await keys("--rotate", "ROOT_TOK");
    expect(code).toBe(1);
    expect(stderr).toMatch(/: the keys of ROOT_TOK can't be numbered any further: .+\n$/);
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("refuses a secret that is there twice: Wrangler would take the last", async () => {
    await keys();
    const before = `${readFileSync(file, "utf8")} export ROOT_TOK = 'canari'\n`;
    writeFileSync(file, before);
    const { code, stderr } = await keys("--replace", "ROOT_TOK");
    expect(code).toBe(1);
    expect(stderr).toMatch(/: ROOT_TOK is there twice; .*\n$/);
    expect(stderr).not.toContain("canari");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  it("changes both secrets in one go", async () => {
    await keys();
    expect((await keys("--rotate", "ROOT_TOK", "--rotate", "ROOT_CLI")).stdout).toContain(
      "ROOT_TOK has k2, k1; ROOT_CLI has k2, k1",
    );
  });

  it("takes a file back from others, written again or not", async () => {
    await keys();
    for (const args of [[], ["--rotate", "ROOT_TOK"]]) {
      chmodSync(file, 0o644);
      await keys(...args);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it("leaves nothing behind when it can't write, and follows no link that stands where it writes", async () => {
    const other = join(folder, "other");
    writeFileSync(other, "à quelqu'un d'autre");
    symlinkSync(other, `${file}.new`);
    expect((await keys()).code).toBe(0);
    expect(readFileSync(other, "utf8")).toBe("à quelqu'un d'autre");
    const before = readdirSync(folder);
    const { code, stderr } = await runCommand("labo-keys", ["--file", join(folder, "nulle-part", "vars")]);
    expect({ code, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
    const taken = await runCommand("labo-keys", ["--file", folder]);
    expect({ code: taken.code, lines: taken.stderr.trimEnd().split("\n").length }).toEqual({ code: 1, lines: 1 });
    expect(readdirSync(folder)).toEqual(before);
  });

  it.each([
    [["--rotate", "ROOT_X"], "ROOT_X"],
    [["--rotate", "ROOT_TOK", "--replace", "ROOT_CLI"], "choose one"],
    [["--rotate", "ROOT_TOK", "--rotate", "ROOT_X"], "ROOT_X"],
    [["--file", ""], "--file"],
    [["ROOT_TOK"], "ROOT_TOK"],
  ])("refuses %j in one line, with exit code 2", async (args, what) => {
    const { code, stdout, stderr } = await keys(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });

  it("has a help, through npm", async () => {
    const { code, stdout } = await runNpm("labo:keys", ["--help"]);
    expect(code).toBe(0);
    for (const word of ["--file", "--rotate", "--replace", "ROOT_TOK", "ROOT_CLI", "wrangler secret bulk"]) {
      expect(stdout).toContain(word);
    }
  });
});

describe("npm run labo:metadata", () => {
  const CLAUDE = {
    client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    client_name: "Claude",
    redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    token_endpoint_auth_method: "none",
  };
  const CODE = {
    client_id: "https://claude.ai/oauth/claude-code-client-metadata",
    client_name: "Claude Code",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  };

  /** Compares with documents that a server of ours publishes; a text is sent as it is. */
  async function compare(documents: (object | string)[], status = 200) {
    const paths = [CLAUDE, CODE].map(({ client_id }) => new URL(client_id).pathname);
    const server = await listen(0, (response, path) => {
      const document = documents[paths.indexOf(path)];
      response.writeHead(status).end(typeof document === "string" ? document : JSON.stringify(document));
    });
    try {
      return await runCommand("labo-metadata", ["--from", server.url]);
    } finally {
      await server.close();
    }
  }

  it("stops reading a document that never ends", async () => {
    const server = await listen(0, async (response, path) => {
      if (path !== new URL(CODE.client_id).pathname) return response.end(JSON.stringify(CLAUDE));
      // As long as somebody reads.
      while (!response.closed && response.write("x".repeat(65_536))) {}
      const more = () => void (response.closed || response.write("x".repeat(65_536)));
      response.on("drain", more);
    });
    try {
      const { code, stderr } = await runCommand("labo-metadata", ["--from", server.url]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: `${CODE.client_id}: it is longer than 5120 bytes\n` });
    } finally {
      await server.close();
    }
  });

  it("says that both are as they are known, in any order of their addresses", async () => {
    const turned = { ...CODE, redirect_uris: [...CODE.redirect_uris].reverse() };
    const { code, stdout, stderr } = await compare([CLAUDE, turned]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("labo: 2 documents, as they are known\n");
  });

  it.each<[string, (object | string)[], number, RegExp[]]>([
    [
      "an address that is new",
      [{ ...CLAUDE, redirect_uris: [...CLAUDE.redirect_uris, "https://claude.ai/new"] }, CODE],
      200,
      [/mcp-oauth-client-metadata: it has "https:\/\/claude\.ai\/new"/],
    ],
    [
      "an address that is gone, and another id",
      [CLAUDE, { ...CODE, client_id: "https://claude.ai/other", redirect_uris: ["http://localhost/callback"] }],
      200,
      [/claude-code-client-metadata: its client_id is /, /claude-code-client-metadata: it hasn't http:\/\/127/],
    ],
    [
      "a secret that the client must now have",
      [{ ...CLAUDE, token_endpoint_auth_method: "private_key_jwt" }, CODE],
      200,
      [/mcp-oauth-client-metadata: its token_endpoint_auth_method is "private_key_jwt"/],
    ],
    ["no address at all", [{ client_id: CLAUDE.client_id }, CODE], 200, [/: it has no redirect_uris/]],
    ["a page", ["<!doctype html>", CODE], 200, [/: it isn't a JSON object: <!doctype html>/]],
    ["too long a document", [{ ...CLAUDE, more: "x".repeat(6_000) }, CODE], 200, [/: it is longer than 5120 bytes/]],
    ["no document", [CLAUDE, CODE], 404, [/: it answers 404/, /: it answers 404/]],
  ])("ends with exit code 1 and a line for %s", async (_, documents, status, said) => {
    const { code, stdout, stderr } = await compare(documents, status);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(said.length);
    for (const [index, line] of lines.entries()) expect(line).toMatch(said[index]);
  });

  it("says that nothing answers, a line for each", async () => {
    const server = await listen(0, () => {});
    await server.close();
    const { code, stderr } = await runCommand("labo-metadata", ["--from", server.url]);
    expect(code).toBe(1);
    expect(stderr.match(/: no answer /g)).toHaveLength(2);
  });

  it("refuses an origin that is neither https nor of this machine, with exit code 2, and has a help", async () => {
    const wrong = await runCommand("labo-metadata", ["--from", "http://claude.test"]);
    expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/^--from http:\/\/claude\.test: .+\n$/);
    const { code, stdout } = await runNpm("labo:metadata", ["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--from");
  });
});

describe("the stand-ins of npm run demo", () => {
  /** The status of a request whose path is sent as it is. */
  const ask = (origin: string, method: string, path: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(origin);
      request({ hostname, port, method, path }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      })
        .on("error", reject)
        .end();
    });

  it("outlive a path that is none", async () => {
    const door = await listen(0, (response) => response.writeHead(404).end());
    const access = await startAccess();
    const front = await access.startFront(0, door.url);
    const trial = await startTrial(`${front.url}/mcp`, {});
    try {
      for (const { url } of [front, trial, access]) {
        for (const path of [
          "//",
          "///",
          "/\\",
          "//evil.test:x/",
          "http://evil.test/",
          "*",
          "/%",
          "/[",
          "/authorize%",
        ]) {
          expect(await ask(url, "GET", path)).toBeGreaterThanOrEqual(200);
        }
        expect(await ask(url, "OPTIONS", "*")).toBe(400);
      }
    } finally {
      await Promise.all([trial, front, access, door].map((one) => one.close()));
    }
  });

  it("outlive a form that is cut, and headers that are for one connection", async () => {
    const door = await listen(0, (response) => response.end("ok"));
    const access = await startAccess();
    const front = await access.startFront(0, door.url);
    const { hostname, port } = new URL(front.url);
    const send = (text: string, isCut = false) =>
      new Promise<string>((resolve) => {
        let said = "";
        const socket = connect(Number(port), hostname, () => (isCut ? socket.end(text) : socket.write(text)));
        socket.on("data", (chunk) => (said += chunk));
        socket.on("error", () => {}).on("close", () => resolve(said));
      });
    const post = `POST /cdn-cgi/access/login HTTP/1.1\r\nHost: ${hostname}\r\n`;
    try {
      expect(await send(`${post}Content-Length: 100\r\n\r\nemail=`, true)).not.toContain("303");
      expect(await send(`${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`)).not.toContain("303");
      const trailed = `GET /mcp HTTP/1.1\r\nHost: ${hostname}\r\nTrailer: x\r\nConnection: close\r\n\r\n`;
      expect(await send(trailed)).toContain("200 OK");
      expect(await ask(front.url, "GET", "/mcp")).toBe(200);
    } finally {
      await Promise.all([front, access, door].map((one) => one.close()));
    }
  });

  it("end a session: the next page asks who one is", async () => {
    const door = await listen(0, (response, path, _, { headers }) => {
      response.end(path === "/authorize?" ? headers["cf-access-jwt-assertion"] : "");
    });
    const access = await startAccess();
    const front = await access.startFront(0, door.url);
    try {
      const body = new URLSearchParams({ email: "quelqu-un@cabanon.quebec" });
      const login = await fetch(`${front.url}/cdn-cgi/access/login`, { method: "POST", body, redirect: "manual" });
      const [cookie] = (login.headers.get("set-cookie") ?? "").split(";");
      const see = async () => (await fetch(`${front.url}/authorize?`, { headers: { cookie } })).text();
      expect(await see()).toMatch(/^eyJ/);
      const gone = await fetch(`${front.url}/cdn-cgi/access/logout`, { headers: { cookie } });
      expect(gone.headers.get("set-cookie")).toMatch(/^CF_Authorization=;.*Max-Age=0/);
      expect(await see()).toContain('name="email"');
    } finally {
      await Promise.all([front, access, door].map((one) => one.close()));
    }
  });
});
