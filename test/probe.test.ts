import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "./commands.ts";
import { type Running, runNpm, startDoor } from "./processes.ts";
import { listen } from "./upstream/server.mjs";

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

let door: Running;
beforeAll(async () => {
  door = await startDoor("hockey", "--port", "0", "--brake");
});
afterAll(() => door.stop());

/**
 * Something in front of the door: `meddle` answers in its place and says so by true; else the request goes through, and
 * `dress` may change the headers of what comes back.
 */
async function inFront(
  meddle: (request: IncomingMessage, response: ServerResponse) => boolean,
  dress: (headers: Headers, request: IncomingMessage) => void = () => {},
): Promise<string> {
  const server = await listen(0, async (response, path, _, request) => {
    if (meddle(request, response)) return;
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { host: _host, connection: _connection, "content-length": _length, ...sent } = request.headers;
    const answer = await fetch(new URL(path, door.url), {
      method: request.method,
      headers: sent as Record<string, string>,
      body: body === "" ? undefined : body,
    });
    const headers = new Headers(answer.headers);
    dress(headers, request);
    for (const name of ["content-encoding", "content-length", "transfer-encoding"]) headers.delete(name);
    response.writeHead(answer.status, Object.fromEntries(headers)).end(await answer.text());
  });
  open.push(server);
  return `${server.url}/mcp`;
}

const probe = (url: string) => runCommand("probe", [url]);
const failed = (stdout: string) =>
  stdout
    .split("\n")
    .filter((line) => line.startsWith("FAIL"))
    .map((line) => line.slice(6));
const html = { "content-type": "text/html; charset=UTF-8" };
const CHALLENGE = "<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>";

describe("npm run probe", () => {
  it("finds nothing wrong with a door, its brake bound", async () => {
    const { code, stdout, stderr } = await probe(door.url);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(failed(stdout)).toEqual([]);
    expect(stdout).toContain(`${door.url}: 18 checks, 0 failed\n`);
    for (const name of [
      "Claude-User",
      "python-httpx",
      "ChatGPT-User",
      "HomeAssistant",
      "claude-code",
      "GET /mcp is 405",
    ]) {
      expect(stdout).toContain(name);
    }
  });

  it("stays under the brake of the zone: fewer than 30 requests, on the door's own paths", async () => {
    const paths: string[] = [];
    const url = await inFront((request) => {
      paths.push(String(request.url));
      return false;
    });
    expect((await probe(url)).code).toBe(0);
    expect(paths.length).toBeLessThan(25);
    for (const path of paths) expect(path).toMatch(/^\/(mcp\/?|\.well-known\/[\w-]+(\/mcp)?)$/);
  });

  it("names the client that is challenged, and the settings to change", async () => {
    const url = await inFront((request, response) => {
      if (request.headers["user-agent"] !== "Claude-User") return false;
      response.writeHead(403, { ...html, "cf-mitigated": "challenge", server: "cloudflare" }).end(CHALLENGE);
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    const [line, ...rest] = failed(stdout);
    expect(rest).toEqual([]);
    for (const word of ["Claude-User", "403", "cf-mitigated: challenge", "Bot Fight Mode"])
      expect(line).toContain(word);
    expect(stdout).toContain("18 checks, 1 failed");
  });

  it("names the client that is blocked as a robot", async () => {
    const url = await inFront((request, response) => {
      if (!/Claude-User|ChatGPT-User/.test(String(request.headers["user-agent"]))) return false;
      response.writeHead(403, { "content-type": "text/plain" }).end("Your request was blocked.");
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([
      expect.stringMatching(/Claude-User: 403, « Your request was blocked\. »: turn off Block AI bots/),
      expect.stringMatching(/ChatGPT-User: 403/),
    ]);
  });

  it("sees a challenge that comes with 200, as a page", async () => {
    const url = await inFront((request, response) => {
      if (!String(request.headers["user-agent"]).startsWith("python-httpx")) return false;
      response.writeHead(200, html).end(CHALLENGE);
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([expect.stringMatching(/python-httpx.*web page.*Just a moment/)]);
  });

  it("sees that one client gets another answer", async () => {
    const other = { jsonrpc: "2.0", id: 1, result: { serverInfo: { name: "other", version: "1" } } };
    const url = await inFront((request, response) => {
      if (!String(request.headers["user-agent"]).startsWith("claude-code")) return false;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(other));
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([expect.stringMatching(/claude-code.*not what curl/)]);
  });

  it("says in one line that a door asks for a token, as a private one does", async () => {
    const challenge = 'Bearer resource_metadata="https://labo.example/.well-known/oauth-protected-resource/mcp"';
    const url = await inFront((_, response) => {
      response.writeHead(401, { "www-authenticate": challenge }).end("{}");
      return true;
    });
    const { code, stdout, stderr } = await runCommand("probe", [url]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^\S+: it asks for a token\..*private door.*\n$/);
  });

  it("sees a redirect, and doesn't follow it", async () => {
    const asked: string[] = [];
    const url = await inFront((request, response) => {
      asked.push(String(request.url));
      if (request.url !== "/mcp/") return false;
      response.writeHead(307, { location: "http://127.0.0.1:9/mcp" }).end();
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([expect.stringMatching(/slash.*: 307 to http:\/\/127\.0\.0\.1:9\/mcp/)]);
    expect(asked).toHaveLength(18);
  });

  it("sees that everything redirects to a page to sign in", async () => {
    const url = await inFront((_, response) => {
      response.writeHead(302, { location: "https://team.example.com/login" }).end();
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toHaveLength(18);
  });

  it.each([
    ["a page", 200, html, "<title>Bienvenue</title>", "web page"],
    ["JSON", 200, { "content-type": "application/json" }, "{}", "405 is needed"],
    ["a stream", 200, { "content-type": "text/event-stream" }, ": hello\n\n", "405 is needed"],
    ["404", 404, { "content-type": "application/json" }, "{}", "405 is needed"],
    ["401", 401, { "content-type": "application/json" }, "{}", "sign in"],
  ])("sees a GET that is answered by %s", async (_, status, headers, text, what) => {
    const url = await inFront((request, response) => {
      if (request.method !== "GET" || request.url !== "/mcp" || request.headers.origin !== undefined) return false;
      response.writeHead(status, headers as Record<string, string>).end(text);
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([expect.stringMatching(new RegExp(`^GET /mcp is 405: .*${what}`))]);
  });

  it.each([
    ["404 in a page", 404, html, "<title>Introuvable</title>", "web page"],
    ["404 in plain text", 404, { "content-type": "text/plain" }, "Not found", "JSON"],
    ["200", 200, { "content-type": "application/json" }, '{"issuer":"https://other.example.com"}', "404 is needed"],
  ])("sees a /.well-known that answers %s", async (_, status, headers, text, what) => {
    const url = await inFront((request, response) => {
      if (request.url !== "/.well-known/oauth-authorization-server") return false;
      response.writeHead(status, headers as Record<string, string>).end(text);
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([
      expect.stringMatching(new RegExp(`^/\\.well-known/oauth-authorization-server is 404: .*${what}`)),
    ]);
  });

  it("sees that no web page may call", async () => {
    const url = await inFront(
      () => false,
      (headers) => headers.delete("access-control-allow-origin"),
    );
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([
      expect.stringMatching(/^a web page may ask to call: access-control-allow-origin is missing/),
      expect.stringMatching(/^a web page may read the answer: /),
      expect.stringMatching(/^a web page may read a refusal: /),
    ]);
  });

  it.each([
    ["access-control-allow-headers", "content-type, mcp-protocol-version, mcp-method", "mcp-name"],
    ["access-control-allow-methods", "GET", "POST"],
  ])("sees a preflight whose %s lacks something", async (name, value, what) => {
    const url = await inFront(
      () => false,
      (headers) => headers.set(name, value),
    );
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual([`a web page may ask to call: ${name} lacks ${what}`]);
  });

  it("sees a preflight that is refused", async () => {
    const url = await inFront((request, response) => {
      if (request.method !== "OPTIONS") return false;
      response.writeHead(405, { "access-control-allow-origin": "*" }).end();
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)).toEqual(["a web page may ask to call: 405: 204 is needed"]);
  });

  it("says that it was braked", async () => {
    const url = await inFront((_, response) => {
      response.writeHead(429, { "content-type": "application/json", "retry-after": "10" }).end("{}");
      return true;
    });
    const { code, stdout } = await probe(url);
    expect(code).toBe(1);
    expect(failed(stdout)[0]).toContain("wait ten seconds");
  });

  it("says that something else than a door answers", async () => {
    const server = await listen(0, (response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"hello":"world"}');
    });
    open.push(server);
    const { code, stdout } = await probe(`${server.url}/mcp`);
    expect(code).toBe(1);
    expect(failed(stdout)[0]).toContain("the name of a door");
  });

  it("says in one line that nothing answers", async () => {
    const server = await listen(0, () => {});
    await server.close();
    const { code, stdout, stderr } = await probe(`${server.url}/mcp`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^.*\/mcp: no answer \(ECONNREFUSED\).*\n$/);
  });

  it.each([
    ["no address", [], "an address is needed"],
    ["plain http elsewhere", ["http://hockey.example.com/mcp"], "https is needed"],
    ["an address without /mcp", ["https://hockey.example.com/"], "https://hockey.example.com/mcp"],
    ["two addresses", ["https://hockey.example.com/mcp", "https://meteo.example.com/mcp"], "one address"],
    ["an unknown option", ["https://hockey.example.com/mcp", "--fast"], "--fast"],
  ])("refuses %s in one line, with exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runCommand("probe", args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });

  it("shows its help, through npm too", async () => {
    const { code, stdout } = await runNpm("probe", ["--help"]);
    expect(code).toBe(0);
    for (const word of ["URL", "405", ".well-known", "Exit code"]) expect(stdout).toContain(word);
  });
});
