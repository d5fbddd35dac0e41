// What `npm run fuzz` sends: valid messages of both eras, bent in ways that are each a line of MCP.md or HOSTILE.md. Every
// bend says at which step of MCP.md the door must notice it and what it must answer then; of several, the earliest step
// decides. Nothing here was learned from the doors' own code.
import fc from "fast-check";
import { write } from "./exchange.mjs";
import { CAPABILITIES_KEY, LEGACY, MODERN, VERSION_KEY } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Answer} Answer */

/**
 * A tool as the door lists it.
 * @typedef {{ name: string, inputSchema: { properties: Record<string, { type: string, enum?: string[] }>, required?: string[] } }} Tool
 */

/**
 * What is sent, and what MCP.md allows for it.
 * @typedef {object} Input
 * @property {string} kind its class, in words
 * @property {Buffer} bytes
 * @property {boolean} half whether the client closes its side once it has written
 * @property {"modern" | "legacy"} era of the answer
 * @property {string[] | null} allowed outcomes, as `outcomeOf` says them; null: whatever a door may answer, or workerd
 *   before it
 * @property {boolean} silence whether the connection may end without an answer
 * @property {((body: any) => boolean) | null} check what the outcome doesn't say
 */

/**
 * A message under construction: the members of the JSON object, as text; the headers of its era.
 * @typedef {{ era: "modern" | "legacy", method: string, id: { text: string, echo: string | null }, members: Map<string, string>,
 *   params: Record<string, unknown>, meta: Record<string, unknown>, headers: Map<string, string>, said: boolean }} Message
 *
 * A bend of a message: the step at which it is noticed, what it touches (two bends never touch the same), and the answer.
 * @typedef {{ kind: string, step: number, touches: string[], apply(message: Message): void,
 *   outcome(message: Message): string, check?: (body: any) => boolean }} Bend
 */

/** JSON written as is: what no value of JavaScript would give. */
class Raw {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function json(value) {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(json).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${members.map(([key, one]) => `${JSON.stringify(key)}:${json(one)}`).join(",")}}`;
}

// ── The lists ────────────────────────────────────────────────────────────────

const nested = (/** @type {number} */ levels) => new Raw("[".repeat(levels) + "]".repeat(levels));
const PROTOTYPES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "prototype"];
/** HOSTILE.md A3, A5, A10, A11. */
const HOSTILE = [
  ...PROTOTYPES,
  "http://169.254.169.254/",
  "../../admin",
  "Montréal&appid=x#",
  "Québec\r\nX: y",
  "(a+)+$",
  "%' OR 1=1",
  "%00%2e%2e%2f",
  "🏒".repeat(30),
  "\u0000\u0001\u007f",
  "a\u202Eb\u200Bc\uFEFF",
  "<script>alert(1)</script>",
  "\u001b[31m",
  "\ud800",
  "a\udc00b",
  "undefined",
  "NaN",
  "null",
  "0",
  "-1",
  "1e400",
  "«»",
  "« »",
  "{{7*7}}",
  "$(id)",
  "e\u0301".repeat(60),
  "ﷺ".repeat(80),
  "a".repeat(80),
  "a".repeat(81),
  "a".repeat(5_000),
  " ",
  "\u00a0\u2028\u2029",
  "le Canadien",
  "Montréal",
  "hier",
  "31 février",
  "2026-02-30",
  "0000-00-00",
  "9999-12-31",
  "minuit moins une",
  "G1R 5P3",
  "-90",
];
const METHODS = ["initialize", "ping", "tools/list", "tools/call"];
/** MCP.md 2.1: gone, optional or never on this wire. */
const LACKED = (
  "logging/setLevel,resources/list,resources/read,resources/subscribe,resources/unsubscribe,resources/templates/list," +
  "prompts/list,prompts/get,completion/complete,tasks/list,sampling/createMessage,elicitation/create,roots/list," +
  "subscriptions/listen,notifications/initialized,rpc.discover,Tools/List,tools/list ,tools"
).split(",");
const BAD_VERSIONS = ["1900-01-01", "2027-01-01", "2025-11-2", "DRAFT-2026-v1", "bogus", '"2025-11-25"', ...PROTOTYPES];

const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
);
/** A number in every way that JSON can write one. */
const anyNumber = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom("1e400", "-1e400", "1e-400", "-0", "0.1", "9007199254740993", "9".repeat(20_000), "1E+2", "3.0"),
);
const notText = fc.oneof(
  anyNumber.map((text) => new Raw(text)),
  fc.constantFrom(
    true,
    false,
    [],
    {},
    ["x"],
    { toString: "x" },
    nested(20_000),
    new Raw(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`),
  ),
  fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 }),
);
const notObject = fc.oneof(
  fc.constantFrom(true, false, 0, "", "x", "{}", [], [1], nested(20_000)),
  anyNumber.map((text) => new Raw(text)),
);
const anything = fc.oneof(anyText, notText, fc.constant(null), fc.jsonValue({ maxDepth: 3 }));

/** MCP.md 3.3: a string or an integer that can be echoed. HOSTILE.md A4: of 256 characters at most. */
const goodId = fc.oneof(
  fc.maxSafeInteger().map((id) => ({ text: String(id), echo: String(id) })),
  fc.constantFrom("0", "-1", "9007199254740991").map((text) => ({ text, echo: text })),
  fc.constantFrom({ text: "1.0", echo: "1" }, { text: "1e2", echo: "100" }, { text: "-0", echo: "0" }),
  anyText.filter((id) => id.length <= 256).map((id) => ({ text: JSON.stringify(id), echo: JSON.stringify(id) })),
);
const badId = fc.oneof(
  fc.constantFrom("null", "true", "[]", "[1]", "{}", "1.5", "1e400", "9007199254740992", "-9007199254740993"),
  fc.integer({ min: 257, max: 10_000 }).map((length) => JSON.stringify("x".repeat(length))),
  fc.constant(nested(20_000).text),
);

/** Spaces around a value are no part of it (RFC 9110). */
const blanks = fc.constantFrom("", " ", "  ", "\t");
const base64 = (/** @type {string} */ text) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
/** What a header can carry as it is. */
const isPlain = (/** @type {string} */ text) =>
  /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?.*\?=$/.test(text);

// ── Messages ─────────────────────────────────────────────────────────────────

/**
 * @param {string} outcome without the id
 * @returns {Bend["outcome"]}
 */
const echoed = (outcome) => (message) => (message.id.echo === null ? outcome : `${outcome} id=${message.id.echo}`);
const plain = (/** @type {string} */ outcome) => () => outcome;

/**
 * @template T
 * @param {fc.Arbitrary<T>} values
 * @param {Omit<Bend, "apply"> & { apply(message: Message, value: T): void }} bend
 * @returns {fc.Arbitrary<Bend>}
 */
const bend = (values, { apply, ...rest }) =>
  values.map((value) => ({ ...rest, apply: (message) => apply(message, value) }));
const none = fc.constant(null);

/** MCP.md 1 steps 9 and 10, 3.3: the shape of a message, whatever its era. */
const SHAPE_BENDS = [
  bend(fc.constantFrom("1.0", "2", "2.00", "", null, 2, ["2.0"], undefined), {
    kind: "a wrong jsonrpc",
    ...{ step: 10, touches: ["jsonrpc"], outcome: echoed("400 -32600") },
    apply: ({ members }, value) =>
      void (value === undefined ? members.delete("jsonrpc") : members.set("jsonrpc", json(value))),
  }),
  bend(fc.oneof(notText, none), {
    kind: "a method that isn't a text",
    ...{ step: 10, touches: ["method"], outcome: echoed("400 -32600") },
    apply: ({ members }, value) => void members.set("method", json(value)),
  }),
  bend(badId, {
    kind: "an id that can't be echoed",
    ...{ step: 10, touches: ["id"], outcome: plain("400 -32600") },
    apply: (message, text) => {
      message.id = { text, echo: null };
    },
  }),
  bend(notObject, {
    kind: "params that aren't an object",
    ...{ step: 10, touches: ["params"], outcome: echoed("400 -32600") },
    apply: ({ members }, value) => void members.set("params", json(value)),
  }),
  bend(fc.constantFrom("2025-11-25, 2025-06-18", "2026-07-28, 2025-11-25", "2025-11-25,x", "2026-07-28 , x"), {
    kind: "two versions in the header",
    ...{ step: 9, touches: ["version"], outcome: echoed("400 -32020") },
    apply: ({ headers }, value) => void headers.set("mcp-protocol-version", value),
  }),
];

/** MCP.md 1 step 13, 3.2: a legacy request under a version that nobody knows. `initialize` is above it. */
const LEGACY_BENDS = [
  bend(fc.constantFrom(...BAD_VERSIONS), {
    kind: "a legacy request of an unknown version",
    ...{ step: 13, touches: ["version"], outcome: echoed("400 -32022") },
    apply: ({ headers }, value) => void headers.set("mcp-protocol-version", value),
  }),
];

/** MCP.md 2.3, in its order. */
const MODERN_BENDS = [
  bend(fc.oneof(none, notObject), {
    kind: "capabilities that aren't an object",
    ...{ step: 20, touches: ["capabilities"], outcome: echoed("400 -32602") },
    apply: ({ meta }, value) => {
      meta[CAPABILITIES_KEY] = value;
    },
  }),
  bend(none, {
    kind: "no capabilities",
    ...{ step: 20, touches: ["capabilities"], outcome: echoed("400 -32602") },
    apply: ({ meta }) => void delete meta[CAPABILITIES_KEY],
  }),
  bend(fc.oneof(none, notText), {
    kind: "an envelope's version that isn't a text",
    ...{ step: 20, touches: ["version"], outcome: echoed("400 -32602") },
    apply: ({ meta }, value) => {
      meta[VERSION_KEY] = value;
    },
  }),
  bend(fc.oneof(none, notObject), {
    kind: "a modern header over an envelope that isn't an object",
    ...{ step: 20, touches: ["version", "capabilities"], outcome: echoed("400 -32602") },
    apply: ({ params }, value) => {
      params._meta = value;
    },
  }),
  bend(fc.constantFrom("2027-01-01", "2025-06-18", "2024-11-05", "bogus", "2026-07-2"), {
    kind: "a header of another version than the envelope",
    ...{ step: 21, touches: ["version"], outcome: echoed("400 -32020") },
    apply: ({ headers }, value) => void headers.set("mcp-protocol-version", value),
  }),
  bend(fc.constantFrom(...LEGACY), {
    kind: "an envelope of another version than the header",
    ...{ step: 21, touches: ["version"], outcome: echoed("400 -32020") },
    apply: ({ meta }, value) => {
      meta[VERSION_KEY] = value;
    },
  }),
  bend(fc.tuple(fc.constantFrom(...BAD_VERSIONS), fc.boolean()), {
    kind: "an unknown version in the envelope, and in the header if there is one",
    ...{ step: 22, touches: ["version"], outcome: echoed("400 -32022") },
    apply: ({ meta, headers }, [version, isAlone]) => {
      meta[VERSION_KEY] = version;
      if (isAlone) headers.delete("mcp-protocol-version");
      else headers.set("mcp-protocol-version", version);
    },
  }),
  bend(none, {
    kind: "an envelope without a version header",
    ...{ step: 23, touches: ["version"], outcome: echoed("400 -32020") },
    apply: ({ headers }) => void headers.delete("mcp-protocol-version"),
  }),
  bend(
    fc.constantFrom(undefined, "", "TOOLS/LIST", "x", "tools/list, tools/list", base64("tools/list"), "initialize"),
    {
      kind: "no Mcp-Method, or another one",
      ...{ step: 24, touches: ["mcp-method"], outcome: echoed("400 -32020") },
      apply: ({ headers }, value) =>
        void (value === undefined ? headers.delete("mcp-method") : headers.set("mcp-method", value)),
    },
  ),
];
/** Only where there is a name to compare. */
const NAME_BEND = bend(
  fc.oneof(
    fc.constantFrom(
      undefined,
      "",
      "autre",
      "=?base64?!!!?=",
      "=?base64?YQ?=",
      "=?base64?YQ=?=",
      "=?base64?/w==?=",
      "=?BASE64?YQ==?=",
    ),
    anyText.filter((text) => text.isWellFormed()).map((text) => base64(`x${text}`)),
  ),
  {
    kind: "no Mcp-Name, or another one",
    ...{ step: 25, touches: ["mcp-name"], outcome: echoed("400 -32020") },
    apply: ({ headers }, value) =>
      void (value === undefined ? headers.delete("mcp-name") : headers.set("mcp-name", value)),
  },
);

/** What changes nothing (MCP.md 6): of no step. */
const NEUTRAL_BENDS = [
  bend(fc.tuple(fc.constantFrom(...PROTOTYPES, "extra", "result", "error"), anything), {
    kind: "",
    ...{ step: Infinity, touches: ["extra"], outcome: plain("") },
    apply: ({ members }, [key, value]) => void members.set(key, json(value)),
  }),
  bend(
    fc.tuple(
      fc.constantFrom(
        "progressToken",
        "traceparent",
        "io.modelcontextprotocol/logLevel",
        "claudecode/x",
        ...PROTOTYPES,
      ),
      anything,
    ),
    {
      kind: "",
      ...{ step: Infinity, touches: ["meta"], outcome: plain("") },
      apply: ({ meta }, [key, value]) => void Object.defineProperty(meta, key, { value, enumerable: true }),
    },
  ),
  bend(fc.tuple(fc.constantFrom("inputResponses", "requestState", "extra"), anything), {
    kind: "",
    ...{ step: Infinity, touches: ["params"], outcome: plain("") },
    apply: ({ params }, [key, value]) => {
      params[key] = value;
    },
  }),
  bend(
    fc.constantFrom(
      "authorization: Bearer x",
      "cookie: a=b",
      "mcp-session-id: old",
      "last-event-id: 5",
      "x-forwarded-host: evil.example",
      "x-http-method-override: GET",
    ),
    {
      kind: "",
      ...{ step: Infinity, touches: ["header"], outcome: plain("") },
      apply: ({ headers }, line) => {
        const [name, value] = line.split(": ");
        headers.set(name, value);
      },
    },
  ),
];

/**
 * A value for an argument: one that a person might say, an odd one of the right type, or one of another type.
 * @param {{ type: string, enum?: string[] }} rule
 * @returns {fc.Arbitrary<{ value: unknown, isWrong: boolean }>}
 */
function argument({ type, enum: choices }) {
  const right =
    type === "string"
      ? choices === undefined
        ? anyText
        : fc.constantFrom(...choices)
      : fc.integer({ min: 1, max: 9 });
  const wrong =
    type === "string" ? notText : fc.constantFrom(true, [], {}, "x", [1], nested(20_000), new Raw("1e400"), 1.5);
  return fc.oneof(
    { weight: 4, arbitrary: right.map((value) => ({ value, isWrong: false })) },
    { weight: 1, arbitrary: fc.constantFrom(null, "").map((value) => ({ value, isWrong: false })) },
    { weight: 1, arbitrary: wrong.map((value) => ({ value, isWrong: true })) },
  );
}

/**
 * What is asked, and what answers it at the last step (MCP.md 1 steps 14 and 15, 3.3).
 * @typedef {{ kind: string, method: string, params: Record<string, unknown>, outcome: string, check?: (body: any) => boolean }} Asked
 */

/**
 * @param {Tool[]} tools
 * @param {"modern" | "legacy"} era
 * @returns {fc.Arbitrary<Asked>}
 */
function asked(tools, era) {
  const names = tools.map(({ name }) => name);
  const tool = fc.constantFrom(...tools);
  const call = tool.chain(({ name, inputSchema }) => {
    const given = Object.entries(inputSchema.properties).map(([key, rule]) =>
      fc.option(argument(rule).map(({ value, isWrong }) => ({ key, value, isWrong }))),
    );
    const extra = fc.option(fc.tuple(fc.constantFrom(...PROTOTYPES, "url"), anything));
    return fc.tuple(fc.tuple(...given), extra).map(([all, more]) => {
      const list = all.filter((one) => one !== null);
      /** @type {Record<string, unknown>} */
      const args = Object.create(null);
      for (const { key, value } of list) args[key] = value;
      if (more !== null) args[more[0]] = more[1];
      const isWrong = list.some((one) => one.isWrong);
      return {
        kind: isWrong ? "a call with an argument of another type" : "a call with its arguments",
        method: "tools/call",
        params: { name, arguments: args },
        outcome: "200 said",
        ...(isWrong && { check: (/** @type {any} */ { result }) => result.isError === true }),
      };
    });
  });
  const unknown = fc
    .oneof(
      anyText,
      fc.constantFrom(...names.flatMap((name) => [name.toUpperCase(), `${name} `, `${name}\u0000`, `mcp__x__${name}`])),
    )
    .filter((name) => !names.includes(name))
    .map((name) => ({
      kind: "an unknown tool",
      method: "tools/call",
      params: { name, arguments: {} },
      outcome: "200 -32602",
    }));
  const nameless = fc.oneof(notText, none, fc.constant(undefined)).map((name) => ({
    kind: "a tool's name that isn't a text",
    ...{ method: "tools/call", params: { name, arguments: {} }, outcome: "200 -32602" },
  }));
  const listless = fc.tuple(tool, notObject).map(([{ name }, value]) => ({
    kind: "arguments that aren't an object",
    ...{ method: "tools/call", params: { name, arguments: value }, outcome: "200 -32602" },
  }));
  const list = fc.constantFrom({}, { cursor: null }).map((params) => ({
    ...{ kind: "a list", method: "tools/list", params, outcome: "200 result" },
    check: (/** @type {any} */ { result }) =>
      json(result.tools.map((/** @type {Tool} */ one) => one.name)) === json(names),
  }));
  const cursor = fc.oneof(anyText, notText).map((value) => ({
    kind: "an unknown cursor",
    method: "tools/list",
    params: { cursor: value },
    outcome: "200 -32602",
  }));
  const served = era === "modern" ? ["server/discover", "tools/list", "tools/call"] : METHODS;
  const lacked = fc
    .oneof(anyText, fc.constantFrom(...LACKED, ...(era === "modern" ? ["initialize", "ping"] : ["server/discover"])))
    .filter((method) => !served.includes(method))
    .map((method) => ({
      kind: "an unknown method",
      ...{ method, params: {}, outcome: era === "modern" ? "404 -32601" : "200 -32601" },
    }));
  const own =
    era === "modern"
      ? fc.constant({ kind: "a discovery", method: "server/discover", params: {}, outcome: "200 result" })
      : fc.oneof(
          fc.constant({
            kind: "a ping",
            method: "ping",
            params: {},
            outcome: "200 result",
            check: (/** @type {any} */ body) => json(body.result) === "{}",
          }),
          fc.oneof(anyText, fc.constantFrom(MODERN, ...LEGACY, ...BAD_VERSIONS)).map((version) => ({
            ...{ kind: "an initialize", method: "initialize", params: { protocolVersion: version, capabilities: {} } },
            outcome: "200 result",
            check: (/** @type {any} */ { result }) =>
              result.protocolVersion === (LEGACY.includes(version) ? version : LEGACY[0]),
          })),
          fc.oneof(notText, none, fc.constant(undefined)).map((version) => ({
            ...{ kind: "an initialize without a version", method: "initialize", params: { protocolVersion: version } },
            outcome: "200 -32602",
          })),
        );
  return fc.oneof({ weight: 4, arbitrary: call }, unknown, nameless, listless, list, cursor, lacked, {
    weight: 2,
    arbitrary: own,
  });
}

/**
 * One request: what is asked, in an era, with up to two bends and what changes nothing.
 * @param {Tool[]} tools
 * @returns {fc.Arbitrary<Body>}
 */
function requests(tools) {
  const era = fc.constantFrom(/** @type {const} */ ("modern"), /** @type {const} */ ("legacy"));
  return era.chain((which) => {
    const bends = [...SHAPE_BENDS, ...(which === "modern" ? [...MODERN_BENDS, NAME_BEND] : LEGACY_BENDS)];
    const some = fc.oneof(
      { weight: 5, arbitrary: fc.constant(/** @type {Bend[]} */ ([])) },
      { weight: 5, arbitrary: fc.array(fc.oneof(...bends), { minLength: 1, maxLength: 2 }) },
    );
    const neutral = fc.array(fc.oneof(...NEUTRAL_BENDS), { maxLength: 2 });
    const version = fc.constantFrom(undefined, ...LEGACY, "2025-11-25, 2025-11-25");
    return fc
      .record({
        what: asked(tools, which),
        id: goodId,
        some,
        neutral,
        version,
        blank: blanks,
        wrapped: fc.boolean(),
        proxied: fc.nat(9),
      })
      .map(({ what, id, some, neutral, version, blank, wrapped, proxied }) =>
        assemble(which, what, id, [...some, ...neutral], { version, blank, wrapped, isProxied: proxied === 0 }),
      );
  });
}

/**
 * The body of a request and the headers that go with it; `step`: the one that decides, Infinity if none does.
 * @typedef {{ kind: string, era: "modern" | "legacy", headers: Map<string, string>, text: string, step: number,
 *   allowed: string[] | null, check: ((body: any) => boolean) | null }} Body
 */

/**
 * @param {"modern" | "legacy"} era
 * @param {Asked} what
 * @param {Message["id"]} id
 * @param {Bend[]} bends
 * @param {{ version: string | undefined, blank: string, wrapped: boolean, isProxied: boolean }} style
 * @returns {Body}
 */
function assemble(era, what, id, bends, { version, blank, wrapped, isProxied }) {
  /** @type {Message} */
  const message = {
    ...{ era, method: what.method, id, params: { ...what.params }, meta: {}, said: what.outcome.endsWith("said") },
    members: new Map([
      ["jsonrpc", '"2.0"'],
      ["method", json(what.method)],
    ]),
    headers: new Map(),
  };
  const { params, meta, headers, members } = message;
  if (era === "modern") {
    meta[VERSION_KEY] = MODERN;
    meta[CAPABILITIES_KEY] = {};
    headers.set("mcp-protocol-version", MODERN + blank);
    // A method that no header can carry can't be asked for in this era: it is a mismatch (step 24).
    headers.set("mcp-method", isPlain(what.method) ? blank + what.method : "none");
    const { name } = params;
    if (what.method === "tools/call" && typeof name === "string") {
      headers.set("mcp-name", wrapped || !isPlain(name) ? base64(name) : name + blank);
    }
  } else if (version !== undefined) headers.set("mcp-protocol-version", version + blank);

  const touched = new Set();
  /** @type {Bend[]} */
  const kept = [];
  for (const one of bends) {
    if (one.touches.some((slot) => touched.has(slot))) continue;
    // MCP.md 1 step 13: whatever the header says, `initialize` without an envelope is legacy. There is no name to compare without a name.
    const isOpening = what.method === "initialize";
    if (isOpening && (one.step === 13 || one.touches.length === 2)) continue;
    if (one.step === 25 && !headers.has("mcp-name")) continue;
    for (const slot of one.touches) touched.add(slot);
    one.apply(message);
    kept.push(one);
  }
  // MCP.md 1.1: a header 2025-11-25 over a 2026-07-28 envelope is served, and asks for no other header.
  const isWhole = headers.has("mcp-method") && !(touched.has("mcp-name") && !headers.has("mcp-name"));
  if (era === "modern" && isProxied && isWhole && !touched.has("version"))
    headers.set("mcp-protocol-version", "2025-11-25");
  const isBent = kept.filter(({ step }) => step < Infinity);
  const first = isBent.toSorted((one, other) => one.step - other.step)[0];
  const unspeakable = era === "modern" && !isPlain(what.method);
  const nameless = typeof params.name === "string" && !params.name.isWellFormed() && what.method === "tools/call";
  const mismatch = unspeakable ? 24 : era === "modern" && nameless ? 25 : Infinity;

  if (!Object.hasOwn(params, "_meta") && Object.keys(meta).length > 0) params._meta = new Raw(metaText(meta));
  const parts = [...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`);
  if (!members.has("params")) parts.push(`"params":${json(params)}`);
  parts.push(`"id":${message.id.text}`);
  const text = `{${parts.join(",")}}`;
  if (mismatch < (first?.step ?? Infinity)) {
    return {
      kind: "what no header can carry",
      ...{ era, headers, text, step: mismatch, check: null },
      allowed: [echoed("400 -32020")(message)],
    };
  }
  if (first === undefined) {
    const check = what.check ?? null;
    return { kind: what.kind, era, headers, text, step: Infinity, check, allowed: [echoed(what.outcome)(message)] };
  }
  return { kind: first.kind, era, headers, text, step: first.step, check: null, allowed: [first.outcome(message)] };
}

/** @param {Record<string, unknown>} meta */
function metaText(meta) {
  return `{${Object.getOwnPropertyNames(meta)
    .map((key) => `${JSON.stringify(key)}:${json(meta[key])}`)
    .join(",")}}`;
}

/**
 * What is no request: notifications and posted responses (MCP.md 1 steps 11 and 12, 2.4, 2.7), nor alone: batches (3.6).
 * @param {Tool[]} tools
 * @returns {fc.Arbitrary<Body>}
 */
function others(tools) {
  const version = fc.constantFrom(undefined, MODERN, ...LEGACY, "bogus", "2027-01-01");
  const headers = (/** @type {string | undefined} */ one) =>
    new Map(one === undefined ? [] : [["mcp-protocol-version", one]]);
  const isKnown = (/** @type {string | undefined} */ one) =>
    one === undefined || one === MODERN || LEGACY.includes(one);
  const make = (
    /** @type {string} */ kind,
    /** @type {string | undefined} */ one,
    /** @type {unknown} */ value,
    /** @type {string[]} */ allowed,
  ) => ({
    ...{
      kind,
      era: /** @type {const} */ ("legacy"),
      headers: headers(one),
      text: json(value),
      step: Infinity,
      allowed,
      check: null,
    },
  });
  const method = fc.oneof(anyText, fc.constantFrom(...METHODS, "notifications/initialized", "notifications/cancelled"));
  const notification = fc
    .tuple(version, method, fc.constantFrom(undefined, {}, { requestId: 1 }))
    .map(([one, name, params]) => {
      const isFine = isKnown(one);
      return make(
        isFine ? "a notification" : "a notification of an unknown version",
        one,
        { jsonrpc: "2.0", method: name, params },
        [isFine ? "202 -" : "400 -32022"],
      );
    });
  const response = fc.tuple(version, goodId, fc.boolean(), anything).map(([one, { text }, isResult, value]) => {
    const outcome = one === MODERN ? "400 -32600" : isKnown(one) ? "202 -" : "400 -32022";
    const body = {
      jsonrpc: "2.0",
      id: new Raw(text),
      ...(isResult ? { result: value } : { error: { code: -1, message: "x" } }),
    };
    return make("a posted response", one, body, [outcome]);
  });
  const ping = goodId.map(({ text, echo }) => ({
    value: { jsonrpc: "2.0", id: new Raw(text), method: "ping" },
    outcome: `result id=${echo}`,
  }));
  const call = fc.tuple(goodId, fc.constantFrom(...tools)).map(([{ text, echo }, { name }]) => ({
    value: { jsonrpc: "2.0", id: new Raw(text), method: "tools/call", params: { name, arguments: {} } },
    outcome: `said id=${echo}`,
  }));
  const lost = goodId.map(({ text, echo }) => ({
    value: { jsonrpc: "2.0", id: new Raw(text), method: "nothing" },
    outcome: `-32601 id=${echo}`,
  }));
  const silent = fc
    .constantFrom({ jsonrpc: "2.0", method: "x" }, { jsonrpc: "2.0", id: 1, result: {} })
    .map((value) => ({ value, outcome: "" }));
  const wrong = fc.constantFrom(
    null,
    1,
    "x",
    [],
    {},
    { jsonrpc: "1.0", id: 1, method: "ping" },
    { jsonrpc: "2.0", id: null, method: "ping" },
    { jsonrpc: "2.0", id: 1, method: "initialize", params: {} },
    { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: { [VERSION_KEY]: MODERN } } },
  );
  const batch = fc
    .tuple(
      version,
      fc.array(fc.oneof(ping, { weight: 3, arbitrary: ping }, call, lost, silent), { maxLength: 25 }),
      fc.option(wrong, { freq: 3 }),
      fc.nat(),
    )
    .map(([one, items, bad, at]) => {
      const values = items.map(({ value }) => /** @type {unknown} */ (value));
      if (bad !== null) values.splice(at % (values.length + 1), 0, bad);
      const isLegal = [undefined, "2025-03-26", "2024-11-05"].includes(one);
      const isRefused = !isLegal || bad !== null || values.length === 0 || values.length > 20;
      const outcomes = items.map(({ outcome }) => outcome).filter((outcome) => outcome !== "");
      const answered = outcomes.length === 0 ? "202 -" : `200 [${outcomes.join(", ")}]`;
      return make(isRefused ? "a batch that is refused" : "a batch", one, values, [
        isRefused ? "400 -32600" : answered,
      ]);
    });
  const scalar = fc.oneof(
    anyText,
    anyNumber.map((text) => new Raw(text)),
    fc.constantFrom(null, true, nested(20_000)),
  );
  const lone = scalar.map((value) => make("JSON that is no object", undefined, value, ["400 -32600"]));
  const any = fc
    .jsonValue({ maxDepth: 4 })
    .filter((value) => typeof value === "object" && value !== null && !Array.isArray(value));
  const object = any.map((value) => make("an object that is no message", undefined, value, ["400 -32600"]));
  return fc.oneof(
    { weight: 2, arbitrary: notification },
    { weight: 2, arbitrary: response },
    { weight: 4, arbitrary: batch },
    lone,
    object,
  );
}

// ── HTTP ─────────────────────────────────────────────────────────────────────

/**
 * A request about to be written, and what it is allowed so far.
 * @typedef {{ method: string, target: string, headers: [string, string][], body: Buffer, pieces: number[] | null }} Http
 *
 * A bend of the request: a step of MCP.md 1 under 9, or Infinity when it changes nothing.
 * @typedef {{ kind: string, step: number, touches: string, outcome: string, apply(http: Http): void }} HttpBend
 */

/**
 * @template T
 * @param {string} kind
 * @param {number} step
 * @param {string} touches
 * @param {string} outcome
 * @param {fc.Arbitrary<T>} values
 * @param {(http: Http, value: T) => void} apply
 * @returns {fc.Arbitrary<HttpBend>}
 */
const httpBend = (kind, step, touches, outcome, values, apply) =>
  values.map((value) => ({ kind, step, touches, outcome, apply: (http) => apply(http, value) }));

/**
 * @param {string} name
 * @returns {(http: Http, value: string | undefined) => void}
 */
const header = (name) => (http, value) => {
  http.headers = http.headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase());
  if (value !== undefined) http.headers.push([name, value]);
};

/** Its bytes, over the cap of 256 KiB (DESIGN.md). */
const CAP = 262_144;
const HTTP_BENDS = [
  httpBend(
    "another Host",
    1,
    "host",
    "403 -32600",
    fc.constantFrom("evil.example", "127.0.0.1.evil.example", "10.0.0.1", "localhost.evil.example:80", "0.0.0.0"),
    header("Host"),
  ),
  // An empty one never reaches a Worker.
  httpBend(
    "a bad Origin",
    2,
    "origin",
    "403 -32600",
    fc.constantFrom(
      "null",
      "http://evil.example",
      "garbage",

      "https://a.example, https://b.example",
      "https://a.example/path",
      "https://user@a.example",
      "file://",
      "javascript:alert(1)",
      "http://localhost.evil.example",
      "HTTPS://A.EXAMPLE",
    ),
    header("Origin"),
  ),
  httpBend(
    "another path",
    3,
    "path",
    "404 not_found",
    fc.oneof(
      fc.constantFrom(
        "//mcp",
        "/%6dcp",
        "/mcp%2f",
        "/mcp;x",
        "/MCP",
        "/mcp//",
        "/mcp/x",
        "/mcpx",
        "/m",
        "/mcp%00",
        "/.well-known/oauth-protected-resource",
        "/mcp/.well-known/openid-configuration",
        "/register",
        "/token",
      ),
      fc
        .webPath()
        .filter((path) => path.length > 1 && !/^\/+\.*\/*$|mcp/i.test(path))
        .map((path) => `/x${path}`),
    ),
    (http, path) => {
      http.target = path;
    },
  ),
  httpBend(
    "another verb",
    4,
    "verb",
    "405 -32600",
    fc.constantFrom("GET", "PUT", "DELETE", "PATCH", "PROPFIND", "TRACE", "REPORT"),
    (http, verb) => {
      http.method = verb;
    },
  ),
  httpBend("HEAD", 4, "verb", "405 -", none, (http) => {
    http.method = "HEAD";
  }),
  httpBend("OPTIONS", 2.5, "verb", "204 -", none, (http) => {
    http.method = "OPTIONS";
  }),
  httpBend(
    "another Content-Type",
    5,
    "type",
    "415 -32600",
    fc.constantFrom(
      undefined,
      "",
      "text/plain",
      "text/json",
      "application/jsonp",
      "application/json-rpc",
      "application/x-www-form-urlencoded",
      "application/json; charset=utf-16",
      "application/json;charset=iso-8859-1",
      "application/json, text/plain",
      "text/plain; a=application/json",
      "multipart/form-data; boundary=x",
    ),
    header("Content-Type"),
  ),
  httpBend(
    "a Content-Encoding",
    5,
    "encoding",
    "415 -32600",
    fc.constantFrom("gzip", "br", "deflate", "identity, gzip", "x"),
    header("Content-Encoding"),
  ),
  httpBend(
    "an Accept without JSON",
    6,
    "accept",
    "406 -32600",
    fc.constantFrom(
      "text/event-stream",
      "text/html",
      "text/*",
      "application/xml",
      "application/json;q=0",
      "*/*;q=0",
      "*/*, application/json;q=0",
      "application/*; q=0.000",
      "application/jsonl",
    ),
    header("Accept"),
  ),
  httpBend("a body over the cap", 7, "body", "413 -32600", fc.integer({ min: 1, max: 60_000 }), (http, over) => {
    http.body = Buffer.concat([http.body, Buffer.alloc(Math.max(0, CAP - http.body.length) + over, " ")]);
  }),
  httpBend(
    "a body that isn't JSON",
    8,
    "body",
    "400 -32700",
    fc.oneof(
      fc
        .constantFrom(
          "",
          " \n\t\r",
          "{",
          '{"jsonrpc":"2.0",}',
          "NaN",
          "undefined",
          "[1,]",
          "01",
          "+1",
          "'x'",
          '"\n"',
          "{}{}",
          "<!doctype html>",
          "a=b",
          "[".repeat(60_000),
          '{"a":'.repeat(12_000),
        )
        .map((text) => Buffer.from(text)),
      fc
        .constantFrom(
          "22ff22",
          "efbbbfefbbbf7b7d",
          "fffe7b007d00",
          "1f8b0800",
          "22c08022",
          "22eda08022",
          "22c322",
          "22e922",
          "00",
          "efbbbf",
        )
        .map((text) => Buffer.from(text, "hex")),
    ),
    (http, bytes) => {
      http.body = bytes;
    },
  ),
  httpBend(
    "a body with bytes that aren't UTF-8",
    8,
    "body",
    "400 -32700",
    fc.tuple(fc.constantFrom(0xff, 0xfe, 0xc0, 0xf5, 0x80), fc.nat()),
    (http, [byte, at]) => {
      // At the start or the end of a value, between two characters of one byte: never inside one of several.
      const places = [...http.body.keys()].filter((index) => http.body[index] < 0x80);
      const place = places[at % places.length] ?? 0;
      http.body = Buffer.concat([http.body.subarray(0, place), Buffer.from([byte]), http.body.subarray(place)]);
    },
  ),
];
const HTTP_NEUTRAL = [
  httpBend(
    "",
    Infinity,
    "path",
    "",
    fc.constantFrom("/mcp/", "/mcp?x=1", "/mcp/?x=1", "/./mcp", "/a/../mcp", "/mcp?"),
    (http, path) => {
      http.target = path;
    },
  ),
  httpBend(
    "",
    Infinity,
    "origin",
    "",
    fc.constantFrom(
      "https://claude.ai",
      "https://exemple.ca:8443",
      "http://localhost",
      "http://localhost:6274",
      "http://127.0.0.1:3000",
      "http://[::1]:8080",
    ),
    header("Origin"),
  ),
  httpBend(
    "",
    Infinity,
    "host",
    "",
    fc.constantFrom("localhost", "127.0.0.1", "[::1]:8787", "LOCALHOST:1"),
    header("Host"),
  ),
  httpBend(
    "",
    Infinity,
    "type",
    "",
    fc.constantFrom(
      "APPLICATION/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "application/json ; profile=x",
    ),
    header("Content-Type"),
  ),
  httpBend("", Infinity, "encoding", "", fc.constantFrom("identity", "Identity", ""), header("Content-Encoding")),
  httpBend(
    "",
    Infinity,
    "accept",
    "",
    fc.constantFrom(
      "*/*",
      "application/*",
      "application/json",
      "application/json, text/event-stream",
      "text/event-stream, application/json",
      "APPLICATION/JSON",
      "text/html, */*;q=0.1",
      "",
      "application/json;q=0.5",
    ),
    header("Accept"),
  ),
  httpBend("", Infinity, "body", "", fc.constantFrom("bom", "blanks", "cap"), (http, how) => {
    if (how === "bom") http.body = Buffer.concat([Buffer.from("efbbbf", "hex"), http.body]);
    else if (how === "blanks") http.body = Buffer.concat([Buffer.from(" \r\n"), http.body, Buffer.from("\t\n ")]);
    else http.body = Buffer.concat([http.body, Buffer.alloc(Math.max(0, CAP - http.body.length), " ")]);
  }),
  httpBend(
    "",
    Infinity,
    "framing",
    "",
    fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 8 }),
    (http, pieces) => {
      http.pieces = pieces;
    },
  ),
];

/**
 * A body in its request, bent or not.
 * @param {fc.Arbitrary<Body>} bodies
 * @returns {fc.Arbitrary<Input>}
 */
function overHttp(bodies) {
  const bends = fc.oneof(
    { weight: 6, arbitrary: fc.constant(/** @type {HttpBend[]} */ ([])) },
    { weight: 3, arbitrary: fc.array(fc.oneof(...HTTP_BENDS), { minLength: 1, maxLength: 3 }) },
  );
  const neutral = fc.array(fc.oneof(...HTTP_NEUTRAL), { maxLength: 3 });
  return fc.tuple(bodies, bends, neutral, fc.boolean()).map(([body, some, more, isLoud]) => {
    /** @type {Http} */
    const http = {
      method: "POST",
      target: "/mcp",
      headers: [["Host", "127.0.0.1"], ["Content-Type", "application/json"], ...body.headers],
      body: Buffer.from(body.text),
      pieces: null,
    };
    /** @type {HttpBend[]} */
    const kept = [];
    for (const one of [...some, ...more]) {
      if (kept.some(({ touches }) => touches === one.touches)) continue;
      kept.push(one);
      one.apply(http);
    }
    if (isLoud) http.headers = http.headers.map(([name, value]) => [name.toUpperCase(), ` ${value}\t`]);
    const first = kept.filter(({ step }) => step < Infinity).toSorted((one, other) => one.step - other.step)[0];
    const bytes = write(http);
    const of = { bytes, half: false, era: body.era };
    if (first === undefined)
      return { ...of, kind: body.kind, allowed: body.allowed, silence: false, check: body.check };
    // OPTIONS and HEAD are never seen past their own step, but change what an earlier one answers.
    const silent = http.method === "HEAD" ? `${first.outcome.split(" ")[0]} -` : first.outcome;
    // MCP.md 6: the sender of a body over the cap may be cut off before it reads.
    return { ...of, kind: first.kind, allowed: [silent], silence: kept.some(({ step }) => step === 7), check: null };
  });
}

/** Any body at all, its bytes changed at random: what is no longer JSON is −32700; of the rest, only the form is judged. */
function spoilt(/** @type {fc.Arbitrary<Body>} */ bodies) {
  const change = fc.record({ at: fc.nat(), cut: fc.nat(3), put: fc.uint8Array({ maxLength: 4 }) });
  return fc.tuple(bodies, fc.array(change, { minLength: 1, maxLength: 4 })).map(([body, changes]) => {
    let bytes = Buffer.from(body.text);
    for (const { at, cut, put } of changes) {
      const place = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + cut)]);
    }
    const headers = /** @type {[string, string][]} */ ([
      ["Host", "127.0.0.1"],
      ["Content-Type", "application/json"],
      ...body.headers,
    ]);
    const isOver = bytes.length > CAP;
    /** @type {Input} */
    const input = {
      kind: isJson(bytes) ? "changed bytes that are still JSON" : "changed bytes that are no longer JSON",
      bytes: write({ method: "POST", target: "/mcp", headers, body: bytes, pieces: null }),
      ...{ half: false, era: body.era, silence: isOver, check: null },
      allowed: isOver ? ["413 -32600"] : isJson(bytes) ? null : ["400 -32700"],
    };
    return input;
  });
}

/** @param {Uint8Array} bytes */
function isJson(bytes) {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

// ── Bytes ────────────────────────────────────────────────────────────────────

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const HEAD = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n";
/**
 * HOSTILE.md A8, C6, C7: heads and framings that a server may refuse or close on. CONNECT is left out: workerd answers
 * 500 to it by itself, and no door sees it.
 */
const STRANGE = [
  "",
  "\r\n\r\n",
  "\u0016\u0003\u0001\u0000\u00c8\u0001\u0000\u0000\u00c4\u0003\u0003",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "GET /mcp\r\n\r\n",
  "GET /mcp HTTP/1.0\r\n\r\n",
  "GET /mcp HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
  "G@T /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  "POST http://evil.example/mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: a\r\n b\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nnonsense\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nHost: [::\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nHost: a b\r\n\r\n",
  "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
  "GET /mcp HTTP/1.1\r\n\r\n",
  `GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
  `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${"X: y\r\n".repeat(10_000)}\r\n`,
  `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  PING,
  `${HEAD}\r\n${PING}`,
  `${HEAD}Content-Length: -1\r\n\r\n${PING}`,
  `${HEAD}Content-Length: x\r\n\r\n${PING}`,
  `${HEAD}Content-Length: 1e9\r\n\r\n${PING}`,
  `${HEAD}Content-Length: 10\r\n\r\n${PING}`,
  `${HEAD}Content-Length: 400\r\n\r\n${PING}`,
  `${HEAD}Content-Length: 99999999999999999999\r\n\r\n${PING}`,
  `${HEAD}Content-Length: 40\r\nContent-Length: 1\r\n\r\n${PING}`,
  `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n${PING}\r\n0\r\n\r\n`,
  `${HEAD}Transfer-Encoding: x\r\n\r\n${PING}`,
  `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n${PING}\r\n0\r\n\r\n`,
  `${HEAD}Transfer-Encoding: chunked\r\n\r\n-1\r\n${PING}\r\n0\r\n\r\n`,
  `${HEAD}Transfer-Encoding: chunked\r\n\r\nff\r\n${PING}`,
  `${HEAD}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n${PING}`,
  `${HEAD}Expect: 100-continue\r\nContent-Length: 40\r\n\r\n${PING}`,
  `${HEAD}Expect: junk\r\nContent-Length: 40\r\n\r\n${PING}`,
  `${HEAD}Mcp-Name: \u00ff\u0001\r\nContent-Length: 40\r\n\r\n${PING}`,
  `${HEAD}Mcp-Name: ${"a".repeat(60_000)}\r\nContent-Length: 40\r\n\r\n${PING}`,
  `${HEAD.replaceAll("\r\n", "\n")}Content-Length: 40\n\n${PING}`,
];

/** Bytes that may be no HTTP at all: workerd may answer them before the door, or close. */
function rawBytes(/** @type {fc.Arbitrary<Input>} */ good) {
  const whole = fc.oneof(
    fc.constantFrom(...STRANGE).map((text) => Buffer.from(text, "latin1")),
    good.map(({ bytes }) => bytes).filter(({ length }) => length < 20_000),
  );
  const change = fc.record({
    at: fc.nat(),
    cut: fc.nat(6),
    put: fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.constantFrom("\r", "\n", "\r\n", "\r\n\r\n", ":", " ", "\0", "%", "?", "#").map((text) => Buffer.from(text)),
    ),
  });
  const changed = fc
    .tuple(whole, fc.array(change, { maxLength: 3 }), fc.boolean())
    .map(([bytes, changes, isInHead]) => {
      let text = bytes;
      for (const { at, cut, put } of changes) {
        const end = isInHead ? text.indexOf("\r\n\r\n") + 4 : text.length;
        const place = at % (Math.max(0, end) + 1);
        text = Buffer.concat([text.subarray(0, place), put, text.subarray(place + cut)]);
      }
      return text;
    });
  const cut = fc.tuple(whole, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1)));
  const noise = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));
  return fc
    .oneof(
      { weight: 6, arbitrary: changed.map((bytes) => [bytes, "a changed head or framing"]) },
      { weight: 2, arbitrary: cut.map((bytes) => [bytes, "a request that is cut"]) },
      { weight: 1, arbitrary: noise.map((bytes) => [bytes, "noise"]) },
    )
    .map(
      ([bytes, kind]) =>
        /** @type {Input} */ ({
          kind: `bytes: ${kind}`,
          bytes,
          half: true,
          era: "legacy",
          allowed: null,
          silence: true,
          check: null,
        }),
    );
}

/**
 * Everything that is sent to a door.
 * @param {Tool[]} tools as it lists them
 * @returns {fc.Arbitrary<Input>}
 */
export function inputs(tools) {
  const bodies = fc.oneof({ weight: 4, arbitrary: requests(tools) }, { weight: 1, arbitrary: others(tools) });
  const good = overHttp(bodies);
  return fc.oneof(
    { weight: 12, arbitrary: good },
    { weight: 2, arbitrary: spoilt(bodies) },
    { weight: 2, arbitrary: rawBytes(good) },
  );
}
