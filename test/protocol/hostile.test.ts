import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";
import door from "#door";
import fixture from "#fixture-door";
import {
  type Answer,
  CAPABILITIES_KEY,
  CLIENT_KEY,
  concat,
  ENVELOPE,
  type Exchange,
  exchange,
  type Json,
  legacy,
  MODERN,
  modern,
  stream,
  VERSION_KEY,
  wrap,
} from "./exchange.ts";

/**
 * What was sent, and the right answer in the words of MCP.md section 6: the status, then `-` for an empty body,
 * `result`, `isError`, the version that `initialize` agrees on, or the error's code with the id that it echoes.
 */
type Row = [name: string, sent: Exchange, expected: string];

const PING = legacy("ping");
const LIST = legacy("tools/list");
const INITIALIZE = {
  ...legacy("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } }),
  id: 0,
};
const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/initialized" };
const RESPONSE = { jsonrpc: "2.0", id: 1, result: {} };
const FAILURE = { jsonrpc: "2.0", id: 1, error: { code: -1, message: "x" } };

const text = (value: unknown) => JSON.stringify(value);
const pinged = (headers: Exchange["headers"]): Exchange => ({ headers, body: PING });
const versioned = (version: string, body: unknown = PING): Exchange => ({
  headers: { "mcp-protocol-version": version },
  body,
});
const asking = (protocolVersion?: unknown): Exchange => ({
  body: { ...legacy("initialize", { protocolVersion, capabilities: {} }), id: 0 },
});
/** The text of a ping whose id is written as is. */
const withId = (id: string): Exchange => ({ body: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` });
const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
/** A ping of exactly that many bytes. */
const sized = (bytes: number) => text(PING).padEnd(bytes, " ");
const utf16 = (value: string, bigEndian = false) =>
  concat([...value].flatMap((character) => (bigEndian ? [0, character.charCodeAt(0)] : [character.charCodeAt(0), 0])));

/** A modern exchange, bent: headers replaced, `_meta` replaced. */
function bent(method: string, change: { params?: Json; headers?: Exchange["headers"]; meta?: unknown }): Exchange {
  const { headers, body } = modern(method, {
    ...change.params,
    ...(Object.hasOwn(change, "meta") && { _meta: change.meta }),
  });
  return { headers: { ...headers, ...change.headers }, body };
}

/** A modern list whose envelope names `claimed` and whose header names `header`. */
const claiming = (claimed: unknown, header: string | null, method = "tools/list"): Exchange =>
  bent(method, { meta: { ...ENVELOPE, [VERSION_KEY]: claimed }, headers: { "mcp-protocol-version": header } });

/** The rows of MCP.md section 6, by their names there. */
function table(tool: string, parameter: string): Row[] {
  const call = (given?: unknown) => ({ body: legacy("tools/call", { name: tool, arguments: given }) });
  const named = (name: unknown) => ({ body: legacy("tools/call", { name, arguments: {} }) });
  const valid = { params: { name: tool, arguments: {} } };
  return [
    ["GET", { method: "GET" }, "405 -32600"],
    ["DELETE", { method: "DELETE" }, "405 -32600"],
    ["PUT", { method: "PUT", body: PING }, "405 -32600"],
    ["OPTIONS preflight", { method: "OPTIONS" }, "204 -"],
    ["Origin http://evil.example", pinged({ origin: "http://evil.example" }), "403 -32600"],
    ["Origin null", pinged({ origin: "null" }), "403 -32600"],
    ["Origin garbage", pinged({ origin: "garbage" }), "403 -32600"],
    ["no Content-Type", { headers: { "content-type": null }, body: concat(text(PING)) }, "415 -32600"],
    ["text/plain", pinged({ "content-type": "text/plain" }), "415 -32600"],
    ["form (curl -d default)", pinged({ "content-type": "application/x-www-form-urlencoded" }), "415 -32600"],
    ["APPLICATION/JSON", pinged({ "content-type": "APPLICATION/JSON" }), "200 result"],
    ["charset=utf-16", pinged({ "content-type": "application/json; charset=utf-16" }), "415 -32600"],
    ["no Accept", pinged({ accept: null }), "200 result"],
    ["Accept application/json only", pinged({ accept: "application/json" }), "200 result"],
    ["Accept text/event-stream only", pinged({ accept: "text/event-stream" }), "406 -32600"],
    ["Accept text/html", pinged({ accept: "text/html" }), "406 -32600"],
    ["empty body", { body: "" }, "400 -32700"],
    ["whitespace body", { body: " \n\t\r" }, "400 -32700"],
    ["BOM + valid", { body: concat([0xef, 0xbb, 0xbf], text(PING)) }, "200 result"],
    ["trailing comma", { body: '{"jsonrpc":"2.0","id":1,"method":"ping",}' }, "400 -32700"],
    ["two JSON objects", { body: text(PING) + text(PING) }, "400 -32700"],
    ["NaN literal", withId("NaN"), "400 -32700"],
    ["UTF-16LE body", { body: utf16(text(PING)) }, "400 -32700"],
    ["huge body 5 MiB", { body: sized(5 * 1024 * 1024) }, "413 -32600"],
    [
      "nesting 20 000",
      {
        body: text(legacy("tools/call", { name: tool, arguments: { [parameter]: 0 } })).replace(
          ":0}",
          `:${nested(20_000)}}`,
        ),
      },
      "200 isError",
    ],
    ["top-level number", { body: "5" }, "400 -32600"],
    ["top-level null", { body: "null" }, "400 -32600"],
    ["top-level true", { body: "true" }, "400 -32600"],
    ["missing jsonrpc", { body: { id: 1, method: "ping" } }, "400 -32600 id=1"],
    ['jsonrpc "1.0"', { body: { ...PING, jsonrpc: "1.0" } }, "400 -32600 id=1"],
    ["jsonrpc 2.0 (number)", { body: { ...PING, jsonrpc: 2 } }, "400 -32600 id=1"],
    ["method number", { body: legacy(5 as never) }, "400 -32600 id=1"],
    ["method empty", { body: legacy("") }, "200 -32601 id=1"],
    ["method null", { body: legacy(null as never) }, "400 -32600 id=1"],
    ["id 1.5", withId("1.5"), "400 -32600"],
    ["id 1.0", withId("1.0"), "200 result"],
    ["id object", withId("{}"), "400 -32600"],
    ["id 0", withId("0"), "200 result"],
    ['id ""', withId('""'), "200 result"],
    ["id 1e400", withId("1e400"), "400 -32600"],
    ["id lone surrogate", withId('"\\ud800"'), "200 result"],
    ["duplicate keys (method)", { body: '{"jsonrpc":"2.0","id":1,"method":"nothing","method":"ping"}' }, "200 result"],
    ["__proto__ key", { body: '{"__proto__":{"method":"x"},"jsonrpc":"2.0","id":1,"method":"ping"}' }, "200 result"],
    ["params array", { body: legacy("ping", []) }, "400 -32600 id=1"],
    ["params string", { body: legacy("ping", "x") }, "400 -32600 id=1"],
    ["params null", { body: legacy("ping", null) }, "200 result"],
    ["extra top-level fields", { body: { ...PING, extra: { deep: [1] } } }, "200 result"],
    ["notification", { body: NOTIFICATION }, "202 -"],
    ["unknown notification", { body: { jsonrpc: "2.0", method: "notifications/invented" } }, "202 -"],
    [
      "tools/call without id",
      { body: { jsonrpc: "2.0", method: "tools/call", params: { name: tool, arguments: {} } } },
      "202 -",
    ],
    ["posted response", { body: RESPONSE }, "202 -"],
    ["posted error", { body: FAILURE }, "202 -"],
    ["method __proto__", { body: legacy("__proto__") }, "200 -32601 id=1"],
    ["prompts/list", { body: legacy("prompts/list") }, "200 -32601 id=1"],
    ["logging/setLevel", { body: legacy("logging/setLevel", { level: "debug" }) }, "200 -32601 id=1"],
    ["server/discover bare", { body: legacy("server/discover") }, "200 -32601 id=1"],
    ["batch, no version header", { body: [PING, { ...PING, id: 2 }] }, "200 [result, result]"],
    ["batch, 2025-03-26", versioned("2025-03-26", [PING, { ...PING, id: 2 }]), "200 [result, result]"],
    ["batch, 2026-07-28", versioned(MODERN, [PING, { ...PING, id: 2 }]), "400 -32600"],
    ["empty batch", { body: "[]" }, "400 -32600"],
    ["batch of notifications", { body: [NOTIFICATION, NOTIFICATION] }, "202 -"],
    ["batch with initialize", { body: [INITIALIZE, PING] }, "400 -32600"],
    ["batch 500", { body: Array.from({ length: 500 }, (_, id) => ({ ...PING, id })) }, "400 -32600"],
    ["nested batch", { body: [[PING]] }, "400 -32600"],
    ["initialize 2025-06-18", asking("2025-06-18"), "200 2025-06-18"],
    ["initialize 2025-03-26", asking("2025-03-26"), "200 2025-03-26"],
    ["initialize 2024-11-05", asking("2024-11-05"), "200 2024-11-05"],
    ["initialize 1999-01-01", asking("1999-01-01"), "200 2025-11-25"],
    ["initialize 2026-07-28", asking(MODERN), "200 2025-11-25"],
    ["initialize 2099-01-01", asking("2099-01-01"), "200 2025-11-25"],
    ["initialize no protocolVersion", asking(), "200 -32602 id=0"],
    ["initialize number version", asking(20251125), "200 -32602 id=0"],
    ["initialize + header 2025-11-25", versioned("2025-11-25", INITIALIZE), "200 2025-11-25"],
    ["initialize + header bogus", versioned("bogus", INITIALIZE), "200 2025-11-25"],
    ["initialize enveloped", modern("initialize", { protocolVersion: MODERN }), "404 -32601 id=1"],
    ["header bogus", versioned("bogus"), "400 -32022 id=1"],
    ['header "2025-11-25, 2025-11-25"', versioned("2025-11-25, 2025-11-25"), "200 result"],
    ["header two versions", versioned("2025-11-25, 2025-06-18"), "400 -32020 id=1"],
    ["header 2025-11-25 with spaces", versioned("  2025-11-25  "), "200 result"],
    ["notification + bogus header", versioned("bogus", NOTIFICATION), "400 -32022"],
    ["unknown tool", named("inconnu"), "200 -32602 id=1"],
    ["tool name unicode", named("météo_é🏒"), "200 -32602 id=1"],
    ['tool name "__proto__"', named("__proto__"), "200 -32602 id=1"],
    ["tool name missing", { body: legacy("tools/call", { arguments: {} }) }, "200 -32602 id=1"],
    ["tool name number", named(5), "200 -32602 id=1"],
    ["arguments missing", { body: legacy("tools/call", { name: tool }) }, "200 result"],
    ["arguments null", call(null), "200 result"],
    ["arguments array", call([]), "200 -32602 id=1"],
    ["arguments wrong type", call({ [parameter]: ["x"] }), "200 isError"],
    [
      "arguments lone surrogate",
      { body: text(call({ [parameter]: "SURROGATE" }).body).replace("SURROGATE", "a\\ud800b") },
      "200 result",
    ],
    ["arguments NUL + bidi", call({ [parameter]: "a\u0000b\u202Ec" }), "200 result"],
    ["cursor bogus", { body: legacy("tools/list", { cursor: "bogus" }) }, "200 -32602 id=1"],
    ["cursor number", { body: legacy("tools/list", { cursor: 5 }) }, "200 -32602 id=1"],
    ["cursor null", { body: legacy("tools/list", { cursor: null }) }, "200 result"],
    ["M list", modern("tools/list"), "200 result"],
    ["M call", modern("tools/call", valid.params), "200 result"],
    ["M unknown tool", modern("tools/call", { name: "inconnu", arguments: {} }), "200 -32602 id=1"],
    ["M ping", modern("ping"), "404 -32601 id=1"],
    ["M subscriptions/listen", modern("subscriptions/listen"), "404 -32601 id=1"],
    ["M no _meta", bent("tools/list", { meta: undefined }), "400 -32602 id=1"],
    ["M capabilities array", bent("tools/list", { meta: { ...ENVELOPE, [CAPABILITIES_KEY]: [] } }), "400 -32602 id=1"],
    ["M clientInfo missing", bent("tools/list", { meta: { ...ENVELOPE, [CLIENT_KEY]: undefined } }), "200 result"],
    ["M clientInfo malformed", bent("tools/list", { meta: { ...ENVELOPE, [CLIENT_KEY]: 5 } }), "200 result"],
    ["M no version header", bent("tools/list", { headers: { "mcp-protocol-version": null } }), "400 -32020 id=1"],
    ["M no Mcp-Method", bent("tools/list", { headers: { "mcp-method": null } }), "400 -32020 id=1"],
    ["M wrong Mcp-Method", bent("tools/list", { headers: { "mcp-method": "tools/call" } }), "400 -32020 id=1"],
    ["M no Mcp-Name", bent("tools/call", { ...valid, headers: { "mcp-name": null } }), "400 -32020 id=1"],
    ["M wrong Mcp-Name", bent("tools/call", { ...valid, headers: { "mcp-name": "autre" } }), "400 -32020 id=1"],
    ["M Mcp-Name base64", bent("tools/call", { ...valid, headers: { "mcp-name": wrap(tool) } }), "200 result"],
    [
      "M unicode tool, base64 name",
      bent("tools/call", { params: { name: "météo" }, headers: { "mcp-name": wrap("météo") } }),
      "200 -32602 id=1",
    ],
    ["M v=1900 both", claiming("1900-01-01", "1900-01-01"), "400 -32022 id=1"],
    ["M v=2027 both", claiming("2027-01-01", "2027-01-01"), "400 -32022 id=1"],
    ["M header 2025-11-25, body 2026 (Claude proxy bug)", claiming(MODERN, "2025-11-25"), "200 result"],
    ["M header 2026, body 2025-11-25", claiming("2025-11-25", MODERN), "400 -32020 id=1"],
    ["M envelope 2025-11-25 both", claiming("2025-11-25", "2025-11-25"), "200 result"],
    ["M posted response", versioned(MODERN, RESPONSE), "400 -32600"],
    [
      "M inputResponses extra",
      modern("tools/call", { ...valid.params, inputResponses: [{ id: "x" }], requestState: "x" }),
      "200 result",
    ],
    ["M cursor bogus", modern("tools/list", { cursor: "bogus" }), "200 -32602 id=1"],
  ];
}

/** Other inputs of the same kinds, and the cases of HOSTILE.md that speak in statuses and codes. */
function neighbours(tool: string, parameter: string): Row[] {
  const valid = { params: { name: tool, arguments: {} } };
  const many = (length: number, message: Json = PING) =>
    Array.from({ length }, (_, id) => ({ ...message, id: id + 1 }));
  const results = (length: number) => `200 [${Array.from({ length }, () => "result").join(", ")}]`;
  const type = (value: string) => pinged({ "content-type": value });
  const accept = (value: string) => pinged({ accept: value });
  const encoding = (value: string) => pinged({ "content-encoding": value });
  const origin = (value: string) => pinged({ origin: value });
  const cursor = (value: unknown) => ({ body: legacy("tools/list", { cursor: value }) });
  const bytes = (...parts: (string | number[])[]) => ({ body: concat(...parts) });
  const headed = (name: string, value: string | null, params: Json = valid.params) =>
    bent("tools/call", { params, headers: { [name]: value } });
  const called = (name: unknown, given: unknown = {}) => ({ body: legacy("tools/call", { name, arguments: given }) });
  const meta = (change: Json) => bent("tools/list", { meta: { ...ENVELOPE, ...change } });
  return [
    ["PATCH", { method: "PATCH", body: PING }, "405 -32600"],
    ["HEAD", { method: "HEAD" }, "405 -"],
    ["PROPFIND", { method: "PROPFIND" }, "405 -32600"],
    ["GET that asks to be a POST", { method: "GET", headers: { "x-http-method-override": "POST" } }, "405 -32600"],
    ["GET for a stream", { method: "GET", headers: { accept: "text/event-stream" } }, "405 -32600"],
    ["DELETE of a session", { method: "DELETE", headers: { "mcp-session-id": "x" } }, "405 -32600"],
    ["GET with a bogus version", { method: "GET", headers: { "mcp-protocol-version": "bogus" } }, "405 -32600"],
    ["GET from an evil origin", { method: "GET", headers: { origin: "http://evil.example" } }, "403 -32600"],
    ["OPTIONS from an evil origin", { method: "OPTIONS", headers: { origin: "null" } }, "403 -32600"],

    ["/mcp/", { path: "/mcp/", body: PING }, "200 result"],
    ["GET /mcp/", { path: "/mcp/", method: "GET" }, "405 -32600"],
    ["/mcp?x=1", { path: "/mcp?x=1", body: PING }, "200 result"],
    ["/mcp/?", { path: "/mcp/?", body: PING }, "200 result"],
    ["/a/../mcp", { path: "/a/../mcp", body: PING }, "200 result"],
    [
      "X-Forwarded-Host evil",
      pinged({ "x-forwarded-host": "evil.example", forwarded: "host=evil.example" }),
      "200 result",
    ],

    ["Origin https", origin("https://claude.ai"), "200 result"],
    ["Origin https with a port", origin("https://exemple.ca:8443"), "200 result"],
    ["Origin http://localhost", origin("http://localhost"), "200 result"],
    ["Origin http://localhost:6274", origin("http://localhost:6274"), "200 result"],
    ["Origin http://127.0.0.1:3000", origin("http://127.0.0.1:3000"), "200 result"],
    ["Origin http://[::1]:8080", origin("http://[::1]:8080"), "200 result"],
    ["Origin http://localhost.evil.example", origin("http://localhost.evil.example"), "403 -32600"],
    ["Origin http://127.0.0.1.evil.example", origin("http://127.0.0.1.evil.example"), "403 -32600"],
    ["Origin http://evil.example#localhost", origin("http://evil.example#localhost"), "403 -32600"],
    ["Origin http://localhost@evil.example", origin("http://localhost@evil.example"), "403 -32600"],
    ["Origin http://10.0.0.1", origin("http://10.0.0.1"), "403 -32600"],
    ["Origin https:// alone", origin("https://"), "403 -32600"],
    ["Origin two values", origin("https://a.example, https://b.example"), "403 -32600"],
    ["Origin with a path", origin("https://a.example/path"), "403 -32600"],
    ["Origin with a user", origin("https://user@a.example"), "403 -32600"],
    ["Origin file://", origin("file://"), "403 -32600"],
    ["Origin of an extension", origin("chrome-extension://abcdef"), "403 -32600"],
    ["Origin javascript:", origin("javascript:alert(1)"), "403 -32600"],
    ["Origin ftp", origin("ftp://localhost"), "403 -32600"],
    [
      "Origin evil before anything else",
      { headers: { origin: "null", "content-type": null }, body: "x" },
      "403 -32600",
    ],

    ["charset=utf-8", type("application/json; charset=utf-8"), "200 result"],
    ['charset="UTF-8"', type('application/json;charset="UTF-8"'), "200 result"],
    ["Charset=Utf-8 after another parameter", type("application/json; profile=x; Charset=Utf-8"), "200 result"],
    ["a parameter that isn't a charset", type("application/json; profile=x"), "200 result"],
    ["a blank before the semicolon", type("Application/Json ;charset=utf-8"), "200 result"],
    ["charset=iso-8859-1", type("application/json; charset=iso-8859-1"), "415 -32600"],
    ["charset=us-ascii", type("application/json;charset=us-ascii"), "415 -32600"],
    ["charset=utf-32", type("application/json; charset=utf-32"), "415 -32600"],
    ["charset=utf-8-sig", type("application/json; charset=utf-8-sig"), "415 -32600"],
    ["charset utf-16 after another parameter", type("application/json; a=b; charset=utf-16"), "415 -32600"],
    ["text/json", type("text/json"), "415 -32600"],
    ["application/jsonp", type("application/jsonp"), "415 -32600"],
    ["application/json-rpc", type("application/json-rpc"), "415 -32600"],
    ["application/vnd.api+json", type("application/vnd.api+json"), "415 -32600"],
    ["application/octet-stream", type("application/octet-stream"), "415 -32600"],
    ["multipart/form-data", type("multipart/form-data; boundary=x"), "415 -32600"],
    ["two content types", type("application/json, text/plain"), "415 -32600"],
    ["text/plain that mentions application/json", type("text/plain; a=application/json"), "415 -32600"],
    ["Content-Encoding gzip", encoding("gzip"), "415 -32600"],
    ["Content-Encoding br", encoding("br"), "415 -32600"],
    ["Content-Encoding identity, gzip", encoding("identity, gzip"), "415 -32600"],
    ["Content-Encoding x", encoding("x"), "415 -32600"],
    ["Content-Encoding identity", encoding("identity"), "200 result"],
    ["Content-Encoding Identity", encoding("Identity"), "200 result"],

    ["Accept */*", accept("*/*"), "200 result"],
    ["Accept application/*", accept("application/*"), "200 result"],
    ["Accept the normal pair", accept("application/json, text/event-stream"), "200 result"],
    ["Accept the pair, stream first", accept("text/event-stream, application/json"), "200 result"],
    ["Accept APPLICATION/JSON", accept("APPLICATION/JSON"), "200 result"],
    ["Accept application/json;q=0.5", accept("application/json;q=0.5"), "200 result"],
    ["Accept application/json; q=0.001", accept("text/html, application/json; q=0.001"), "200 result"],
    ["Accept application/json;charset=utf-8", accept("application/json;charset=utf-8"), "200 result"],
    ["Accept text/html, */*;q=0.1", accept("text/html,application/xhtml+xml,*/*;q=0.1"), "200 result"],
    ["Accept of an old Java", accept("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"), "200 result"],
    ["Accept empty", accept(""), "200 result"],
    ["Accept application/json;q=0", accept("application/json;q=0"), "406 -32600"],
    ["Accept */*;q=0", accept("*/*;q=0"), "406 -32600"],
    ["Accept application/*; q=0.000", accept("application/*; q=0.000"), "406 -32600"],
    ["Accept everything but JSON", accept("*/*, application/json;q=0"), "406 -32600"],
    ["Accept everything but application", accept("*/*, application/*;q=0.0"), "406 -32600"],
    ["Accept application/xml", accept("application/xml"), "406 -32600"],
    ["Accept application/jsonl", accept("application/jsonl"), "406 -32600"],
    ["Accept text/*", accept("text/*"), "406 -32600"],
    ["Accept application/json back in a refused family", accept("application/*;q=0, application/json"), "200 result"],

    [
      "415 comes before 406",
      { headers: { "content-type": "text/plain", accept: "text/html" }, body: "x" },
      "415 -32600",
    ],
    ["406 comes before 413", { headers: { accept: "text/html" }, body: sized(300_000) }, "406 -32600"],
    ["415 comes before -32700", { headers: { "content-type": "text/plain" }, body: "" }, "415 -32600"],
    ["413 comes before -32700", { body: "x".repeat(262_145) }, "413 -32600"],
    ["-32700 comes before -32022", versioned("bogus", "{"), "400 -32700"],
    ["-32020 comes before -32600", versioned("2025-11-25, 2025-06-18", { ...PING, jsonrpc: "1.0" }), "400 -32020 id=1"],
    ["-32600 comes before -32022", versioned("bogus", { ...PING, jsonrpc: "1.0" }), "400 -32600 id=1"],

    ["262 144 bytes", { body: sized(262_144) }, "200 result"],
    ["262 145 bytes", { body: sized(262_145) }, "413 -32600"],
    ["262 144 bytes without a length", { body: stream(concat(sized(262_144))) }, "200 result"],
    ["262 145 bytes without a length", { body: stream(concat(sized(262_144)), concat(" ")) }, "413 -32600"],
    [
      "a length of 10 000 000",
      { headers: { "content-length": "10000000" }, body: stream(concat(text(PING))) },
      "413 -32600",
    ],
    ["a body in pieces", { body: stream(...[...text(PING)].map((character) => concat(character))) }, "200 result"],
    ["no body at all", {}, "400 -32700"],

    ["invalid UTF-8 in a string", bytes('{"jsonrpc":"2.0","id":1,"method":"', [0xff], '"}'), "400 -32700"],
    ["a string of one bad byte", bytes([0x22, 0xff, 0x22]), "400 -32700"],
    ["overlong NUL", bytes('{"jsonrpc":"2.0","id":"', [0xc0, 0x80], '","method":"ping"}'), "400 -32700"],
    ["surrogate in UTF-8", bytes('{"jsonrpc":"2.0","id":"', [0xed, 0xa0, 0x80], '","method":"ping"}'), "400 -32700"],
    ["UTF-8 cut short", bytes('{"jsonrpc":"2.0","id":"', [0xc3], '","method":"ping"}'), "400 -32700"],
    ["Latin-1 é", bytes('{"jsonrpc":"2.0","id":"', [0xe9], '","method":"ping"}'), "400 -32700"],
    ["two BOMs", bytes([0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf], text(PING)), "400 -32700"],
    ["BOM alone", bytes([0xef, 0xbb, 0xbf]), "400 -32700"],
    ["BOM between two tokens", bytes('{"jsonrpc":"2.0",', [0xef, 0xbb, 0xbf], '"id":1,"method":"ping"}'), "400 -32700"],
    ["BOM in a string", bytes('{"jsonrpc":"2.0","id":"', [0xef, 0xbb, 0xbf], '","method":"ping"}'), "200 result"],
    ["UTF-16LE with its BOM", { body: concat([0xff, 0xfe], [...utf16(text(PING))]) }, "400 -32700"],
    ["UTF-16BE", { body: utf16(text(PING), true) }, "400 -32700"],
    ["UTF-32LE BOM", bytes([0xff, 0xfe, 0, 0], text(PING)), "400 -32700"],
    ["gzip bytes", bytes([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), "400 -32700"],
    ["raw NUL in a string", bytes('{"jsonrpc":"2.0","id":"', [0], '","method":"ping"}'), "400 -32700"],
    ["raw newline in a string", { body: '{"jsonrpc":"2.0","id":"\n","method":"ping"}' }, "400 -32700"],
    ["truncated", { body: text(PING).slice(0, -1) }, "400 -32700"],
    ["single quotes", { body: "{'jsonrpc':'2.0','id':1,'method':'ping'}" }, "400 -32700"],
    ["comment", { body: `/* x */${text(PING)}` }, "400 -32700"],
    ["unquoted keys", { body: '{jsonrpc:"2.0",id:1,method:"ping"}' }, "400 -32700"],
    ["undefined", { body: "undefined" }, "400 -32700"],
    ["Infinity", withId("Infinity"), "400 -32700"],
    ["leading zero", withId("01"), "400 -32700"],
    ["hexadecimal", withId("0x1"), "400 -32700"],
    ["plus sign", withId("+1"), "400 -32700"],
    ["a lone quote", { body: '"' }, "400 -32700"],
    ["NDJSON", { body: `${text(PING)}\n${text(PING)}\n` }, "400 -32700"],
    ["Content-Length framing of LSP", { body: `Content-Length: 40\r\n\r\n${text(PING)}` }, "400 -32700"],
    ["a form", { body: "jsonrpc=2.0&id=1&method=ping" }, "400 -32700"],
    ["HTML", { body: "<!doctype html>" }, "400 -32700"],
    ["60 kB of [", { body: "[".repeat(60_000) }, "400 -32700"],
    ["250 kB of [", { body: "[".repeat(250_000) }, "400 -32700"],
    ['60 kB of {"a":', { body: '{"a":'.repeat(12_000) }, "400 -32700"],
    ["20 000 nested arrays at the top", { body: nested(20_000) }, "400 -32600"],
    ["20 000 nested arrays as id", withId(nested(20_000)), "400 -32600"],
    [
      "20 000 nested arrays as method",
      { body: `{"jsonrpc":"2.0","id":1,"method":${nested(20_000)}}` },
      "400 -32600 id=1",
    ],
    [
      "20 000 nested arrays as params",
      { body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":${nested(20_000)}}` },
      "400 -32600 id=1",
    ],
    [
      "20 000 nested arrays in _meta",
      { body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"x":${nested(20_000)}}}}` },
      "200 result",
    ],
    [
      "20 000 nested arrays as name",
      { body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${nested(20_000)}}}` },
      "200 -32602 id=1",
    ],
    [
      "20 000 nested arrays as arguments",
      {
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${nested(20_000)}}}`,
      },
      "200 -32602 id=1",
    ],
    [
      "20 000 nested objects as an argument",
      {
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"${parameter}":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}}}`,
      },
      "200 isError",
    ],
    [
      "a 20 000-digit number as an argument",
      {
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"${parameter}":${"9".repeat(20_000)}}}}`,
      },
      "200 isError",
    ],
    ["an argument of 200 kB", called(tool, { [parameter]: "a".repeat(200_000) }), "200 isError"],

    ["top-level string", { body: '"ping"' }, "400 -32600"],
    ["top-level object without anything", { body: "{}" }, "400 -32600"],
    ["only an id", { body: { jsonrpc: "2.0", id: 1 } }, "400 -32600 id=1"],
    ["method and result together", { body: { ...PING, result: {} } }, "200 result"],
    ["method number with a result", { body: { ...RESPONSE, method: 5 } }, "400 -32600 id=1"],
    ["method array", { body: { ...PING, method: ["ping"] } }, "400 -32600 id=1"],
    ["method object", { body: { ...PING, method: { toString: "ping" } } }, "400 -32600 id=1"],
    ["method true", { body: { ...PING, method: true } }, "400 -32600 id=1"],
    ["method PING", { body: legacy("PING") }, "200 -32601 id=1"],
    ["method with a blank", { body: legacy("ping ") }, "200 -32601 id=1"],
    ["method constructor", { body: legacy("constructor") }, "200 -32601 id=1"],
    ["method toString", { body: legacy("toString") }, "200 -32601 id=1"],
    ["method of 200 kB", { body: legacy("m".repeat(200_000)) }, "200 -32601 id=1"],
    ["jsonrpc null", { body: { ...PING, jsonrpc: null } }, "400 -32600 id=1"],
    ['jsonrpc "2.00"', { body: { ...PING, jsonrpc: "2.00" } }, "400 -32600 id=1"],
    ['jsonrpc ["2.0"]', { body: { ...PING, jsonrpc: ["2.0"] } }, "400 -32600 id=1"],
    [
      "jsonrpc twice, the last one right",
      { body: '{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"method":"ping"}' },
      "200 result",
    ],
    [
      "jsonrpc twice, the last one wrong",
      { body: '{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"method":"ping"}' },
      "400 -32600 id=1",
    ],
    ["jsonrpc from a prototype", { body: '{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"ping"}' }, "400 -32600 id=1"],
    ["method from a prototype", { body: '{"__proto__":{"method":"ping"},"jsonrpc":"2.0","id":1}' }, "400 -32600 id=1"],
    ["params true", { body: legacy("ping", true) }, "400 -32600 id=1"],
    ["params 0", { body: legacy("ping", 0) }, "400 -32600 id=1"],
    ['params ""', { body: legacy("ping", "") }, "400 -32600 id=1"],
    ["params false", { body: legacy("ping", false) }, "400 -32600 id=1"],
    ["params with an odd _meta", { body: legacy("ping", { _meta: 5 }) }, "200 result"],
    ["_meta null", { body: legacy("ping", { _meta: null }) }, "200 result"],

    ["id null", withId("null"), "400 -32600"],
    ["id null on a notification's method", { body: { ...NOTIFICATION, id: null } }, "400 -32600"],
    ["id true", withId("true"), "400 -32600"],
    ["id false", withId("false"), "400 -32600"],
    ["id []", withId("[]"), "400 -32600"],
    ["id [1]", withId("[1]"), "400 -32600"],
    ["id -1", withId("-1"), "200 result"],
    ["id 1e2", withId("1e2"), "200 result"],
    ["id 0.1", withId("0.1"), "400 -32600"],
    ["id 1e999", withId("1e999"), "400 -32600"],
    ["id -1e999", withId("-1e999"), "400 -32600"],
    ["id 2^53-1", withId("9007199254740991"), "200 result"],
    ["id 2^53", withId("9007199254740992"), "400 -32600"],
    ["id 2^53+1", withId("9007199254740993"), "400 -32600"],
    ["id -(2^53)", withId("-9007199254740992"), "400 -32600"],
    ['id "1"', withId('"1"'), "200 result"],
    ['id "null"', withId('"null"'), "200 result"],
    ["id with NUL, quotes and a newline", withId('"\\u0000\\"\\n\\\\"'), "200 result"],
    ["id emoji", withId('"🏒"'), "200 result"],
    ['id "__proto__"', withId('"__proto__"'), "200 result"],
    ["id of 256 characters", withId(`"${"x".repeat(256)}"`), "200 result"],
    ["id of 257 characters", withId(`"${"x".repeat(257)}"`), "400 -32600"],
    ["id of 10 000 characters", withId(`"${"x".repeat(10_000)}"`), "400 -32600"],
    ["id twice, the last one wins", { body: '{"jsonrpc":"2.0","id":{},"id":1,"method":"ping"}' }, "200 result"],
    ["id from a prototype", { body: '{"__proto__":{"id":1},"jsonrpc":"2.0","method":"ping"}' }, "202 -"],
    ["an unreadable id on a bad request", { body: { id: {}, method: 5 } }, "400 -32600"],

    ["a bare result", { body: { result: {} } }, "202 -"],
    ["a response without an id", { body: { jsonrpc: "2.0", error: { code: -1, message: "x" } } }, "202 -"],
    ["a response in a known version", versioned("2025-11-25", RESPONSE), "202 -"],
    ["a bare result, 2026-07-28", versioned(MODERN, { result: {} }), "400 -32600"],
    ["an error, 2026-07-28", versioned(MODERN, FAILURE), "400 -32600"],
    ["a response of another JSON-RPC", { body: { ...RESPONSE, jsonrpc: "1.0" } }, "400 -32600 id=1"],
    ["a notification with an id", { body: { ...NOTIFICATION, id: 1 } }, "200 -32601 id=1"],
    ["M a notification with an id", modern("notifications/initialized"), "404 -32601 id=1"],
    [
      "notifications/cancelled",
      { body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } } },
      "202 -",
    ],
    ["initialize without an id", { body: { jsonrpc: "2.0", method: "initialize", params: {} } }, "202 -"],
    ["a notification, 2025-06-18", versioned("2025-06-18", NOTIFICATION), "202 -"],
    ["a notification, 2026-07-28", versioned(MODERN, NOTIFICATION), "202 -"],
    [
      "M a notification with its envelope",
      { headers: { "mcp-protocol-version": MODERN }, body: { ...NOTIFICATION, params: { _meta: ENVELOPE } } },
      "202 -",
    ],
    ["a notification, two versions", versioned("2025-06-18, 2025-11-25", NOTIFICATION), "400 -32020"],
    ["a notification with params array", { body: { ...NOTIFICATION, params: [] } }, "400 -32600"],
    ["a notification without jsonrpc", { body: { method: "notifications/initialized" } }, "400 -32600"],
    [
      "M tools/call without id",
      {
        headers: modern("tools/call", valid.params).headers,
        body: { ...modern("tools/call", valid.params).body, id: undefined },
      },
      "202 -",
    ],

    ["batch of one", { body: [PING] }, "200 [result]"],
    ["batch of 20", { body: many(20) }, results(20)],
    ["batch of 21", { body: many(21) }, "400 -32600"],
    ["batch of 21 notifications", { body: Array.from({ length: 21 }, () => NOTIFICATION) }, "400 -32600"],
    ["batch of 20 notifications", { body: Array.from({ length: 20 }, () => NOTIFICATION) }, "202 -"],
    ["batch, 2024-11-05", versioned("2024-11-05", many(2)), results(2)],
    ["batch, 2025-03-26 said twice", versioned("2025-03-26, 2025-03-26", many(2)), results(2)],
    ["batch, 2025-06-18", versioned("2025-06-18", many(2)), "400 -32600"],
    ["batch, 2025-11-25", versioned("2025-11-25", many(2)), "400 -32600"],
    ["batch, bogus version", versioned("bogus", many(2)), "400 -32600"],
    ["batch, two versions", versioned("2025-03-26, 2024-11-05", many(2)), "400 -32020"],
    ["batch of responses", { body: [RESPONSE, FAILURE] }, "202 -"],
    ["batch of a request, a notification and a response", { body: [NOTIFICATION, PING, RESPONSE] }, "200 [result]"],
    [
      "batch with an unknown method",
      { body: [PING, { ...legacy("nothing"), id: 2 }, { ...LIST, id: "z" }] },
      "200 [result, -32601 id=2, result]",
    ],
    [
      "batch with an unknown tool",
      { body: [{ ...called("inconnu").body, id: "a" }, PING] },
      '200 [-32602 id="a", result]',
    ],
    ["batch with the same id twice", { body: [PING, PING] }, results(2)],
    ["batch with null", { body: [PING, null] }, "400 -32600"],
    ["batch with a number", { body: [1, PING] }, "400 -32600"],
    ["batch with an empty object", { body: [PING, {}] }, "400 -32600"],
    ["batch with a null id", { body: [PING, { ...PING, id: null }] }, "400 -32600"],
    ["batch with jsonrpc 1.0", { body: [PING, { ...PING, jsonrpc: "1.0" }] }, "400 -32600"],
    ["batch with params array", { body: [PING, legacy("ping", [])] }, "400 -32600"],
    ["batch with initialize last", { body: [PING, { ...INITIALIZE, id: 2 }] }, "400 -32600"],
    [
      "batch with an initialize notification",
      { body: [PING, { jsonrpc: "2.0", method: "initialize", params: {} }] },
      "400 -32600",
    ],
    ["batch with an empty batch", { body: [PING, []] }, "400 -32600"],
    ["batch with a modern envelope", { body: [PING, { ...modern("tools/list").body, id: 2 }] }, "400 -32600"],
    [
      "batch with a modern notification",
      { body: [PING, { ...NOTIFICATION, params: { _meta: ENVELOPE } }] },
      "400 -32600",
    ],
    ["batch whose last call would run", { body: [called(tool).body, null] }, "400 -32600"],

    [
      "initialize with nothing else",
      { body: { ...legacy("initialize", { protocolVersion: "2025-06-18" }), id: 0 } },
      "200 2025-06-18",
    ],
    ["initialize without params", { body: { ...legacy("initialize"), id: 0 } }, "200 -32602 id=0"],
    ["initialize null version", asking(null), "200 -32602 id=0"],
    ["initialize array version", asking(["2025-11-25"]), "200 -32602 id=0"],
    ["initialize empty version", asking(""), "200 2025-11-25"],
    ["initialize version with blanks", asking(" 2025-06-18 "), "200 2025-11-25"],
    ["initialize version __proto__", asking("__proto__"), "200 2025-11-25"],
    ["initialize + header 2026-07-28", versioned(MODERN, INITIALIZE), "200 2025-11-25"],
    ["initialize + header 2099-01-01", versioned("2099-01-01", INITIALIZE), "200 2025-11-25"],
    ["initialize + Mcp-Method", { headers: { "mcp-method": "initialize" }, body: INITIALIZE }, "200 2025-11-25"],
    ["initialize + a session", { headers: { "mcp-session-id": "old" }, body: INITIALIZE }, "200 2025-11-25"],
    [
      "initialize, odd capabilities",
      { body: legacy("initialize", { protocolVersion: "2025-03-26", capabilities: 5, clientInfo: [] }) },
      "200 2025-03-26",
    ],
    [
      "initialize in a legacy envelope",
      { body: legacy("initialize", { protocolVersion: "2025-06-18", _meta: { [VERSION_KEY]: "2025-06-18" } }) },
      "200 2025-06-18",
    ],
    ["M initialize without protocolVersion", modern("initialize"), "404 -32601 id=1"],

    ["header 2025-06-18", versioned("2025-06-18"), "200 result"],
    ["header 2025-03-26", versioned("2025-03-26"), "200 result"],
    ["header 2024-11-05", versioned("2024-11-05"), "200 result"],
    ["header empty", versioned(""), "200 result"],
    ["header of commas", versioned(", ,"), "200 result"],
    ["header with a comma too many", versioned("2025-11-25,"), "200 result"],
    ["header three times the same", versioned("2025-11-25,2025-11-25 , 2025-11-25"), "200 result"],
    ["header 2025-11-25 and garbage", versioned("2025-11-25, x"), "400 -32020 id=1"],
    ["header 2026-07-28 and 2025-11-25", versioned("2026-07-28, 2025-11-25"), "400 -32020 id=1"],
    ["header 2026-01-01", versioned("2026-01-01"), "400 -32022 id=1"],
    ["header 2099-01-01", versioned("2099-01-01"), "400 -32022 id=1"],
    ["header 2025-11-2", versioned("2025-11-2"), "400 -32022 id=1"],
    ["header 2025-11-25 with a parameter", versioned("2025-11-25;q=1"), "400 -32022 id=1"],
    ["header in quotes", versioned('"2025-11-25"'), "400 -32022 id=1"],
    ["header two versions with a blank", versioned("2025-11-25 2025-06-18"), "400 -32022 id=1"],
    ["header DRAFT-2026-v1", versioned("DRAFT-2026-v1"), "400 -32022 id=1"],
    ["header __proto__", versioned("__proto__"), "400 -32022 id=1"],
    ["header 2026-07-28 without an envelope", versioned(MODERN), "400 -32602 id=1"],
    ["header 2026-07-28 without an envelope, list", versioned(MODERN, LIST), "400 -32602 id=1"],
    ["bogus header, unknown method", versioned("bogus", legacy("nothing")), "400 -32022 id=1"],
    ["bogus header, unknown tool", versioned("bogus", called("inconnu").body), "400 -32022 id=1"],
    ["a legacy call with its own Mcp-Method", { headers: { "mcp-method": "ping" }, body: PING }, "200 result"],
    [
      "a legacy call with another Mcp-Method",
      { headers: { "mcp-method": "tools/call", "mcp-name": "x" }, body: PING },
      "200 result",
    ],
    ["a stray session", pinged({ "mcp-session-id": "old", "last-event-id": "5" }), "200 result"],
    ["a stray bearer", pinged({ authorization: "Bearer whatever" }), "200 result"],
    ["a stray cookie", pinged({ cookie: "a=b" }), "200 result"],

    ['cursor ""', cursor(""), "200 -32602 id=1"],
    ["cursor 0", cursor(0), "200 -32602 id=1"],
    ["cursor false", cursor(false), "200 -32602 id=1"],
    ["cursor {}", cursor({}), "200 -32602 id=1"],
    ["M cursor null", modern("tools/list", { cursor: null }), "200 result"],

    ...[
      "constructor",
      "toString",
      "hasOwnProperty",
      "valueOf",
      tool.toUpperCase(),
      `${tool}\u0000`,
      `${tool} `,
      ` ${tool}`,
    ]
      .concat([tool.replace(/[aeo]/, "\u0435"), `mcp__porte__${tool}`, `${tool}\n`, "", "\ud800", "🏒".repeat(100)])
      .map((name): Row => [`tool name ${text(name.slice(0, 40))}`, called(name), "200 -32602 id=1"]),
    ["tool name array", called([tool]), "200 -32602 id=1"],
    ["tool name object", called({ toString: tool }), "200 -32602 id=1"],
    ["tool name null", called(null), "200 -32602 id=1"],
    ["tool name of 200 kB", called("a".repeat(200_000)), "200 -32602 id=1"],
    ["tools/call without params", { body: legacy("tools/call") }, "200 -32602 id=1"],
    ["tools/call with params null", { body: legacy("tools/call", null) }, "200 -32602 id=1"],
    ["M tools/call without a name", modern("tools/call"), "200 -32602 id=1"],
    ["M tool name number", modern("tools/call", { name: 5 }), "200 -32602 id=1"],
    ["unknown tool with odd arguments", called("inconnu", "x"), "200 -32602 id=1"],

    ["arguments string", called(tool, "{}"), "200 -32602 id=1"],
    ["arguments number", called(tool, 0), "200 -32602 id=1"],
    ["arguments false", called(tool, false), "200 -32602 id=1"],
    ['arguments ""', called(tool, ""), "200 -32602 id=1"],
    ["arguments unknown", called(tool, { url: "http://169.254.169.254/", __: 1 }), "200 result"],
    [
      "arguments __proto__",
      {
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"__proto__":{"${parameter}":["x"]}}}}`,
      },
      "200 result",
    ],
    ["arguments null inside", called(tool, { [parameter]: null }), "200 result"],
    ["arguments empty text", called(tool, { [parameter]: "" }), "200 result"],
    ["arguments true", called(tool, { [parameter]: true }), "200 isError"],
    ["arguments object", called(tool, { [parameter]: {} }), "200 isError"],
    ["arguments number for a text", called(tool, { [parameter]: 5 }), "200 isError"],
    ["M arguments array", modern("tools/call", { name: tool, arguments: [] }), "200 -32602 id=1"],
    ["M arguments null", modern("tools/call", { name: tool, arguments: null }), "200 result"],
    ["M arguments wrong type", modern("tools/call", { name: tool, arguments: { [parameter]: 1 } }), "200 isError"],
    [
      "params.name twice, the last one wins",
      { body: `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"a","name":"${tool}"}}` },
      "200 result",
    ],
    [
      "M params.name twice, Mcp-Name says the first",
      {
        headers: headed("mcp-name", "a").headers,
        body: text(modern("tools/call", valid.params).body).replace('"name":', '"name":"a","name":'),
      },
      "400 -32020 id=1",
    ],

    ["M envelope version number", claiming(20260728, MODERN), "400 -32602 id=1"],
    ["M envelope version null", claiming(null, MODERN), "400 -32602 id=1"],
    ["M envelope version null, no header", claiming(null, null), "400 -32602 id=1"],
    ["M envelope version array", claiming([MODERN], MODERN), "400 -32602 id=1"],
    ["M envelope without a version", claiming(undefined, MODERN), "400 -32602 id=1"],
    ["M envelope version empty", claiming("", MODERN), "400 -32020 id=1"],
    ["M unknown version, no header", claiming("2027-01-01", null), "400 -32022 id=1"],
    ["M unknown version, known header", claiming("2027-01-01", MODERN), "400 -32020 id=1"],
    ["M known version, unknown header", claiming(MODERN, "2027-01-01"), "400 -32020 id=1"],
    ["M version with a blank", claiming(`${MODERN} `, MODERN), "400 -32020 id=1"],
    ["M version header twice", claiming(MODERN, `${MODERN}, ${MODERN}`), "200 result"],
    ["M two version headers", claiming(MODERN, `${MODERN}, 2025-11-25`), "400 -32020 id=1"],
    ["M legacy envelope, no header", claiming("2025-06-18", null), "200 result"],
    ["M legacy envelope, 2025-03-26 both", claiming("2025-03-26", "2025-03-26"), "200 result"],
    ["M legacy envelope, another legacy header", claiming("2025-11-25", "2025-06-18"), "400 -32020 id=1"],
    ["M legacy envelope, ping", claiming("2025-11-25", "2025-11-25", "ping"), "200 result"],
    ["M legacy envelope, unknown method", claiming("2025-11-25", null, "nothing"), "200 -32601 id=1"],
    ["M legacy envelope, discover", claiming("2025-11-25", "2025-11-25", "server/discover"), "200 -32601 id=1"],
    [
      "M envelope from a prototype",
      {
        body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"__proto__":{"${VERSION_KEY}":"${MODERN}"}}}}`,
      },
      "200 result",
    ],
    [
      "M _meta from a prototype",
      {
        body: `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"_meta":{"${VERSION_KEY}":"${MODERN}"}}}}`,
      },
      "200 result",
    ],
    [
      "M envelope version twice, the last one wins",
      {
        headers: modern("tools/list").headers,
        body: text(modern("tools/list").body).replace(
          `"${VERSION_KEY}"`,
          `"${VERSION_KEY}":"1900-01-01","${VERSION_KEY}"`,
        ),
      },
      "200 result",
    ],
    ["M _meta array", bent("tools/list", { meta: [] }), "400 -32602 id=1"],
    ["M _meta string", bent("tools/list", { meta: "x" }), "400 -32602 id=1"],
    ["M _meta null", bent("tools/list", { meta: null }), "400 -32602 id=1"],
    ["M capabilities missing", meta({ [CAPABILITIES_KEY]: undefined }), "400 -32602 id=1"],
    ["M capabilities null", meta({ [CAPABILITIES_KEY]: null }), "400 -32602 id=1"],
    ["M capabilities string", meta({ [CAPABILITIES_KEY]: "{}" }), "400 -32602 id=1"],
    [
      "M capabilities missing comes before the header",
      bent("tools/list", { meta: { [VERSION_KEY]: MODERN }, headers: { "mcp-protocol-version": null } }),
      "400 -32602 id=1",
    ],
    [
      "M capabilities missing comes before the version",
      bent("tools/list", { meta: { [VERSION_KEY]: "1900-01-01" }, headers: { "mcp-protocol-version": "1900-01-01" } }),
      "400 -32602 id=1",
    ],
    [
      "M capabilities unknown",
      meta({ [CAPABILITIES_KEY]: { extensions: { "io.modelcontextprotocol/tasks": {} } } }),
      "200 result",
    ],
    [
      "M other keys of _meta",
      meta({
        progressToken: 1,
        traceparent: "00-x",
        "io.modelcontextprotocol/logLevel": "debug",
        "claudecode/toolUseId": {},
      }),
      "200 result",
    ],
    ["M a logLevel that isn't one", meta({ "io.modelcontextprotocol/logLevel": 5 }), "200 result"],

    ["M Mcp-Method upper case", headed("mcp-method", "TOOLS/CALL"), "400 -32020 id=1"],
    ["M Mcp-Method empty", headed("mcp-method", ""), "400 -32020 id=1"],
    ["M Mcp-Method twice", headed("mcp-method", "tools/call, tools/call"), "400 -32020 id=1"],
    ["M Mcp-Method with blanks around", headed("mcp-method", "  tools/call  "), "200 result"],
    ["M Mcp-Method wrapped: only names are", headed("mcp-method", wrap("tools/call")), "400 -32020 id=1"],
    ["M unknown method without Mcp-Method", bent("nothing", { headers: { "mcp-method": null } }), "400 -32020 id=1"],
    ["M unknown method", modern("nothing"), "404 -32601 id=1"],
    ["M method __proto__", modern("__proto__"), "404 -32601 id=1"],
    ["M Mcp-Name with blanks around", headed("mcp-name", `  ${tool}  `), "200 result"],
    ["M Mcp-Name upper case", headed("mcp-name", tool.toUpperCase()), "400 -32020 id=1"],
    ["M Mcp-Name twice", headed("mcp-name", `${tool}, ${tool}`), "400 -32020 id=1"],
    ["M Mcp-Name empty", headed("mcp-name", ""), "400 -32020 id=1"],
    ["M Mcp-Name bad alphabet", headed("mcp-name", "=?base64?!!!?="), "400 -32020 id=1"],
    ["M Mcp-Name bad padding", headed("mcp-name", "=?base64?YQ?=", { name: "a" }), "400 -32020 id=1"],
    ["M Mcp-Name half padding", headed("mcp-name", "=?base64?YQ=?=", { name: "a" }), "400 -32020 id=1"],
    ["M Mcp-Name too much padding", headed("mcp-name", "=?base64?YWJj=?=", { name: "abc" }), "400 -32020 id=1"],
    ["M Mcp-Name right padding", headed("mcp-name", "=?base64?YQ==?=", { name: "a" }), "200 -32602 id=1"],
    ["M Mcp-Name of the URL alphabet", headed("mcp-name", "=?base64?77-_?=", { name: "\uFFFF" }), "400 -32020 id=1"],
    [
      "M Mcp-Name of the standard alphabet",
      headed("mcp-name", "=?base64?77+/?=", { name: "\uFFFF" }),
      "200 -32602 id=1",
    ],
    ["M Mcp-Name with a blank inside", headed("mcp-name", "=?base64?YW Jj?=", { name: "abc" }), "400 -32020 id=1"],
    ["M Mcp-Name of bad UTF-8", headed("mcp-name", "=?base64?/w==?=", { name: "\uFFFD" }), "400 -32020 id=1"],
    ["M Mcp-Name that keeps its BOM", headed("mcp-name", "=?base64?77u/YQ==?=", { name: "a" }), "400 -32020 id=1"],
    ["M Mcp-Name wraps nothing", headed("mcp-name", "=?base64??=", { name: "" }), "200 -32602 id=1"],
    ["M Mcp-Name, prefix in capitals", headed("mcp-name", wrap(tool).replace("base64", "BASE64")), "400 -32020 id=1"],
    ["M Mcp-Name, prefix only", headed("mcp-name", "=?base64?YQ==", { name: "=?base64?YQ==" }), "200 -32602 id=1"],
    ["M Mcp-Name, suffix only", headed("mcp-name", "YQ==?=", { name: "YQ==?=" }), "200 -32602 id=1"],
    ["M Mcp-Name, prefix only, is never decoded", headed("mcp-name", wrap(tool).slice(0, -2)), "400 -32020 id=1"],
    ["M Mcp-Name wrapped twice", headed("mcp-name", wrap(wrap(tool))), "400 -32020 id=1"],
    ["M Mcp-Name on a list", bent("tools/list", { headers: { "mcp-name": "x" } }), "200 result"],
    ["M Mcp-Param that nobody asked for", headed("mcp-param-x", "y"), "200 result"],

    [
      "M proxy, wrong Mcp-Method",
      bent("tools/call", { ...valid, headers: { "mcp-protocol-version": "2025-11-25", "mcp-method": "ping" } }),
      "400 -32020 id=1",
    ],
    [
      "M proxy, wrong Mcp-Name",
      bent("tools/call", { ...valid, headers: { "mcp-protocol-version": "2025-11-25", "mcp-name": "x" } }),
      "400 -32020 id=1",
    ],
    [
      "M proxy, neither",
      bent("tools/call", {
        ...valid,
        headers: { "mcp-protocol-version": "2025-11-25", "mcp-method": null, "mcp-name": null },
      }),
      "200 result",
    ],
    ["M proxy, unknown method", claiming(MODERN, "2025-11-25", "ping"), "404 -32601 id=1"],
    ["M proxy of another legacy version", claiming(MODERN, "2025-06-18"), "400 -32020 id=1"],

    ...[
      "logging/setLevel",
      "resources/list",
      "resources/templates/list",
      "resources/subscribe",
      "prompts/get",
      "completion/complete",
      "tasks/list",
      "sampling/createMessage",
    ].flatMap((method): Row[] => [
      [`legacy ${method}`, { body: legacy(method) }, "200 -32601 id=1"],
      [`M ${method}`, modern(method), "404 -32601 id=1"],
    ]),
    [
      "M id string",
      { headers: modern("tools/list").headers, body: { ...modern("tools/list").body, id: "server-discover-probe-1" } },
      "200 result",
    ],
    ["M id 0", { headers: modern("tools/list").headers, body: { ...modern("tools/list").body, id: 0 } }, "200 result"],
    [
      "M id null",
      { headers: modern("tools/list").headers, body: { ...modern("tools/list").body, id: null } },
      "400 -32600",
    ],
    [
      "M id in an error",
      { headers: modern("ping").headers, body: { ...modern("ping").body, id: "é" } },
      '404 -32601 id="é"',
    ],
    [
      "M jsonrpc 1.0",
      { headers: modern("tools/list").headers, body: { ...modern("tools/list").body, jsonrpc: "1.0" } },
      "400 -32600 id=1",
    ],
    ["M batch", { headers: modern("tools/list").headers, body: [modern("tools/list").body] }, "400 -32600"],
  ];
}

const OTHER_PATHS = [
  "/",
  "//mcp",
  "/mcp/..",
  "/%6dcp",
  "/MCP",
  "/mcp;x",
  "/mcp//",
  "/mcp/x",
  "/mcpx",
  "/m",
  "/mcp%2f",
  "/mcp%00",
];
const PROBES = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/.well-known/anything",
  "/mcp/.well-known/oauth-protected-resource",
  "/register",
  "/authorize?response_type=code",
  "/token",
];
/** Of the paths above, those that the lock of a private door answers. */
const OF_THE_LOCK = /^\/(?:register|authorize|token|\.well-known\/oauth-)/;
/** Of the paths above, those that may hold the human page one day. */
const PAGES = new Set(["/", "/mcp/.."]);

const upstream = vi.fn<typeof fetch>(async () => new Response("", { status: 503 }));

beforeEach(() => {
  upstream.mockClear();
  vi.stubGlobal("fetch", upstream);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function outcome(json: Json): string {
  if (Array.isArray(json)) return `[${json.map(outcome).join(", ")}]`;
  if (json === null) return "-";
  if (json.error !== undefined) {
    return `${json.error.code}${Object.hasOwn(json, "id") ? ` id=${JSON.stringify(json.id)}` : ""}`;
  }
  return json.result.isError === true ? "isError" : (json.result.protocolVersion ?? "result");
}

/** What holds for every answer, whatever was sent. */
function expectHouseRules({ status, headers, text: raw, json }: Answer, opensTo: string | null = "*") {
  expect(status).toBeLessThan(500);
  expect(status).not.toBe(401);
  expect([301, 302, 303, 307, 308]).not.toContain(status);
  expect(headers.get("access-control-allow-origin")).toBe(opensTo);
  for (const name of [
    "mcp-session-id",
    "set-cookie",
    "location",
    "www-authenticate",
    "access-control-allow-credentials",
  ]) {
    expect(headers.get(name), name).toBeNull();
  }
  for (const [name, value] of headers) expect(value, name).toMatch(/^[\x20-\x7e]*$/);
  if (raw !== "") {
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  expect(raw).not.toMatch(/\bat .*:\d+:\d+|TypeError|SyntaxError|RangeError|URIError/);
  for (const one of [json].flat()) {
    if (typeof one?.error !== "object") continue;
    expect(Object.keys(one).sort()).toEqual(
      Object.hasOwn(one, "id") ? ["error", "id", "jsonrpc"] : ["error", "jsonrpc"],
    );
    expect(one.jsonrpc).toBe("2.0");
    expect(one.error.message).toMatch(/\S/);
    expect(JSON.stringify(one).length).toBeLessThan(2_000);
  }
}

/** The ids of the requests that get a result, in order. */
function idsOf(body: unknown): unknown[] {
  const value = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  const sent = typeof value === "string" ? JSON.parse(value) : JSON.parse(JSON.stringify(value));
  return [sent]
    .flat()
    .flatMap((message) => (Object.hasOwn(message, "method") && Object.hasOwn(message, "id") ? [message.id] : []));
}

const tools: Json[] = (await exchange(door, { body: LIST })).json.result.tools;
const spoken = tools.flatMap(({ name, inputSchema }) =>
  Object.entries<Json>(inputSchema.properties).flatMap(([key, { type, enum: choices }]) =>
    type === "string" && choices === undefined && inputSchema.required === undefined
      ? [{ tool: name, parameter: key }]
      : [],
  ),
)[0] ?? { tool: tools[0].name, parameter: "texte" };

describe.each([
  { where: "this door", target: door, ...spoken },
  { where: "the fixture door", target: fixture, tool: "temoin", parameter: "texte" },
])("on $where", ({ target, tool, parameter }) => {
  /** The lock has its own origins and paths: test/labo. */
  const isLocked = inject("isPrivate") && target === door;

  describe.each([
    { what: "the table of MCP.md", rows: table(tool, parameter) },
    { what: "its neighbours", rows: neighbours(tool, parameter) },
  ])("$what", ({ rows }) => {
    // And a tool that takes no argument, so that none of them is wrong.
    const kept = rows.filter(
      ([, { headers }, expected]) => !isLocked || (headers?.origin === undefined && expected !== "200 isError"),
    );
    it.each(kept)("%s", async (_, sent, expected) => {
      const ran: unknown[] = [];
      const answer = await exchange(target, { env: { appels: ran }, ...sent });
      expectHouseRules(answer, isLocked ? null : "*");
      const [status, ...said] = expected.split(" ");
      // A real door without its source says so: the call went through all the same.
      const got = outcome(answer.json).replace(target === door && expected === "200 result" ? "isError" : "", (all) =>
        all === "" ? "" : "result",
      );
      expect(`${answer.status} ${got}`).toBe(`${status} ${said.join(" ")}`);
      if (answer.status === 200 && !(sent.body instanceof ReadableStream)) {
        expect([answer.json].flat().map(({ id }: Json) => id)).toEqual(idsOf(sent.body));
      }
      if (!/result|isError/.test(got) || !text(sent.body).includes("tools/call")) {
        expect(ran).toEqual([]);
        expect(upstream).not.toHaveBeenCalled();
      }
    });

    it("gets the same answer to the same input", async () => {
      for (const [name, sent] of rows) {
        if (sent.body instanceof ReadableStream) continue;
        const [first, second] = [await exchange(target, sent), await exchange(target, sent)];
        expect(second.text, name).toBe(first.text);
        expect([...second.headers], name).toEqual([...first.headers]);
      }
    });

    it("has a name for each of its rows", () => {
      expect(new Set(rows.map(([name]) => name)).size).toBe(rows.length);
    });
  });

  describe("paths", () => {
    const paths = OTHER_PATHS.concat(PROBES).filter((path) => !isLocked || !OF_THE_LOCK.test(path));
    it.each(paths)("answers 404 in JSON on %s, and 204 to its preflight", async (path) => {
      for (const method of ["GET", "HEAD", "POST", "PUT"]) {
        const answer = await exchange(target, { path, method, body: PING });
        if (PAGES.has(path) && answer.status === 200) {
          expect(answer.headers.get("content-type")).toMatch(/^text\/html/);
          continue;
        }
        expectHouseRules(answer);
        expect(answer.status).toBe(404);
        expect(answer.headers.get("content-type")).toBe("application/json");
        expect(answer.text).toBe(method === "HEAD" ? "" : '{"error":"not_found"}');
      }
      const preflight = await exchange(target, { path, method: "OPTIONS" });
      expect([preflight.status, preflight.text]).toEqual([204, ""]);
      expect(preflight.headers.get("access-control-allow-methods")).toBe("POST, OPTIONS");
    });
  });

  describe("what an error echoes", () => {
    const echoes: [string, string, string][] = [
      ["a name as it is", "match_lhn", "match_lhn"],
      ["128 characters and no more", "a".repeat(129), "a".repeat(128)],
      ["no half of a character cut in two", `${"a".repeat(127)}🏒`, `${"a".repeat(127)}\uFFFD`],
      ["no lone surrogate", "a\ud800b", "a\uFFFDb"],
      ["controls as JSON escapes", "a\u0000\n\u001b[31m", "a\u0000\n\u001b[31m"],
      ["markup as it is, in JSON", "<script>alert(1)</script>", "<script>alert(1)</script>"],
    ];

    it.each(echoes)("echoes %s of a tool's name", async (_, name, shown) => {
      const { json } = await exchange(target, { body: legacy("tools/call", { name }) });
      expect(json.error).toEqual({ code: -32602, message: `Outil inconnu : ${shown}` });
      const sent = bent("tools/call", { params: { name }, headers: { "mcp-name": wrap(name) } });
      const again = await exchange(target, sent);
      // A lone surrogate has no UTF-8: no header can agree with it.
      if (name.isWellFormed()) expect(again.json.error).toEqual(json.error);
      else expect(again.json.error.code).toBe(-32020);
    });

    it.each(echoes)("echoes %s of a method", async (_, method, shown) => {
      const { json } = await exchange(target, { body: legacy(method) });
      expect(json.error).toEqual({ code: -32601, message: `Méthode inconnue : ${shown}` });
    });

    it("echoes at most 128 characters of a version, well formed", async () => {
      const long = "9".repeat(5_000);
      const header = await exchange(target, versioned(long));
      expect(header.json.error.data).toEqual({ supported: [MODERN], requested: "9".repeat(128) });
      const envelope = await exchange(target, claiming("x\ud800".repeat(5_000), null));
      expect(envelope.json.error.data.requested.length).toBeLessThanOrEqual(128);
      expect(envelope.json.error.data.requested.isWellFormed()).toBe(true);
    });

    it("never quotes a body it could not read", async () => {
      const { text: raw } = await exchange(target, { body: '{"secret_du_corps": }' });
      expect(raw).not.toContain("secret_du_corps");
    });

    it("never quotes arguments, headers or what stands around the name", async () => {
      const canary = "canari";
      for (const sent of [
        { body: legacy("tools/call", { name: "x", arguments: { [canary]: canary } }) },
        { headers: { "mcp-protocol-version": canary.repeat(0), accept: `text/${canary}` }, body: PING },
        { headers: { "content-type": `text/${canary}` }, body: PING },
        { headers: { origin: `http://${canary}.example` }, body: PING },
        bent("tools/list", { headers: { "mcp-method": canary } }),
        { body: legacy("tools/list", { cursor: canary }) },
        { path: `/${canary}`, body: PING },
      ]) {
        expect((await exchange(target, sent)).text).not.toContain(canary);
      }
    });

    it("says what was asked and what is served when the version is unknown", async () => {
      for (const sent of [
        versioned("2099-01-01"),
        claiming("2099-01-01", "2099-01-01"),
        versioned("2099-01-01", NOTIFICATION),
      ]) {
        const { json } = await exchange(target, sent);
        expect(json.error.data).toEqual({ supported: ["2026-07-28"], requested: "2099-01-01" });
      }
    });

    it("names the key that is missing from the envelope", async () => {
      const { json } = await exchange(target, bent("tools/list", { meta: { [VERSION_KEY]: MODERN } }));
      expect(json.error.message).toContain("io.modelcontextprotocol/clientCapabilities");
      expect(json.error.message).not.toContain("protocolVersion");
    });
  });

  it("reads nothing of a body whose length is already too much", async () => {
    const pull = vi.fn();
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    const answer = await exchange(target, { headers: { "content-length": "10000000" }, body });
    expect(outcome(answer.json)).toBe("-32600");
    expect(pull).not.toHaveBeenCalled();
  });

  it("stops reading a body without end soon after the cap", async () => {
    let sent = 0;
    const cancel = vi.fn();
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
      cancel,
    });
    expect((await exchange(target, { body })).status).toBe(413);
    expect(sent).toBeLessThan(2 * 262_144);
    expect(cancel).toHaveBeenCalled();
  });

  it("answers a body that breaks off with a parse error", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(concat('{"jsonrpc"')),
      pull: (controller) => controller.error(new Error("gone")),
    });
    const answer = await exchange(target, { body });
    expect(`${answer.status} ${outcome(answer.json)}`).toBe("400 -32700");
  });

  it("fetches from its own sources only, whatever an argument holds", async () => {
    const ask = async (given: unknown) => {
      const { status, json } = await exchange(target, { body: legacy("tools/call", { name: tool, arguments: given }) });
      expect(status).toBe(200);
      expect(json.result.content[0].type).toBe("text");
      return json.result;
    };
    const hosts = () =>
      new Set(upstream.mock.calls.map(([input]) => new URL(input instanceof Request ? input.url : input).host));
    // An honest question, and an honest name that the door has to look up.
    await ask({});
    await ask({ [parameter]: "Xyzville" });
    const own = hosts();
    for (const value of [
      "http://169.254.169.254/",
      "//evil.example/x",
      "@evil.example",
      "../../admin",
      "..%2f..%2fadmin",
      "Montréal&appid=x#",
      "Québec\r\nX: y",
      "a".repeat(10_000),
      "(a+)+$",
      "%' OR 1=1",
      "{{7*7}}",
      "🏒",
      "\u202Elaertnom",
      "\ud800",
      "%ff",
      ["x"],
      { toString: "x" },
      null,
    ]) {
      await ask({ [parameter]: value, url: "http://evil.example/", host: "evil.example", __proto: 1 });
    }
    for (const host of hosts()) expect(own).toContain(host);
    for (const [, init] of upstream.mock.calls) expect(JSON.stringify(init?.headers ?? {})).not.toContain("X: y");
  });
});
