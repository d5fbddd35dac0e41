// `articles_chercher` with an embedding endpoint: what it is sent, what is believed of its answer, and what meaning finds.
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { cosine, packVectors, quantize } from "../../scripts/pack.mjs";
import type { Responder, Route } from "../source.ts";
import { articleOf, at, textOf, withVectors } from "./bend.ts";
import { heardIn, titlesIn } from "./heard.ts";
import {
  Blog,
  blogFiles,
  EMBED,
  embedding,
  type Header,
  NOW,
  readHeader,
  turned,
  vectorOf,
  withHeader,
} from "./source.ts";

/** It shares no word with any article, and names no language: only its vector finds something. */
const RIDDLE = "hippopotame ?";
/** Words find it too. */
const PLAIN = "la pompe de puisard sur l'onduleur";
const UPS = "onduleurs-au-sous-sol";
const BY_WORDS = "J'ai cherché par les mots seulement : la recherche par le sens ne répond pas pour l'instant.";
const NOTHING = "Je n'ai rien là-dessus sur le blogue Le cabanon numérique. Redemande avec d'autres mots.";
const DOUBT = /^Ça ne répond peut-être pas à la question, mais le plus proche que j'ai est dans « /;
const UPS_FIRST = /^Dans « Des onduleurs au sous-sol : onze minutes de répit », du 11 février 2024 : « /;

/** Those of bge-m3 on a real blog. */
const BGE = { floor: 0.45, sure: 0.52, gap: 0.06 };
const bge = (header: Header) => Object.assign(header, BGE);

const FILES = blogFiles();
const UPS_VECTOR = vectorOf(FILES, UPS);
const titleOf = (slug: string, lang = "fr") => articleOf(FILES, slug, lang).title;

const answering = (vector: number[]): Record<string, Route> => ({ [EMBED]: embedding(vector) });
const ask = (blog: Blog, question = RIDDLE, env: object = {}, more: object = {}) =>
  blog.say("articles_chercher", { question, ...more }, env);

let log: MockInstance<typeof console.error>;
beforeEach(() => {
  log = vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => {
  log.mockRestore();
});
const logged = () => log.mock.calls.map(([line]) => String(line));

describe("what meaning finds", () => {
  it("answers a question that shares no word with its answer", async () => {
    expect(await ask(new Blog())).toBe(NOTHING);
    const said = await ask(new Blog(FILES, answering(UPS_VECTOR)));
    expect(said).toMatch(UPS_FIRST);
    expect(logged()).toEqual([]);
  });

  it("adds what words find to what is near, by rank", async () => {
    const files = withHeader(
      withVectors(FILES, {
        "cafe-connecte": [[127]],
        [UPS]: Array(5).fill([120, 40]),
        "piscine-et-chlore": [[100, 70]],
      }),
      bge,
    );
    const near = await ask(new Blog(files, answering(at(1))));
    expect(titlesIn(near)).toEqual([titleOf("cafe-connecte"), titleOf(UPS)]);
    const hybrid = await ask(new Blog(files, answering(at(1))), PLAIN);
    expect(titlesIn(hybrid)).toEqual([titleOf(UPS), titleOf("cafe-connecte")]);
  });

  it("leaves out what words find and meaning puts too far", async () => {
    const far = withHeader(withVectors(FILES, { "cafe-connecte": [[127]], [UPS]: Array(5).fill([60, 110]) }), bge);
    expect(titlesIn(await ask(new Blog(far, answering(at(1))), PLAIN))).toEqual([titleOf("cafe-connecte")]);
  });

  it.each([
    ["within the noise of 8 bits, the one that words prefer is first", [64, 111], "mots-de-passe-famille"],
    ["past it, the nearest one is first", [64, 113], "sauvegardes-trois-deux-un"],
  ])("of two passages that hold the word: %s", async (_case, farthest, first) => {
    // Their length is 127: a tie is 0.0047. The farthest is behind by 0.0034, then by 0.0101, and another one between.
    const files = withHeader(
      withVectors(FILES, {
        "sauvegardes-trois-deux-un": [[], [], [], [], [64, 110]],
        "piscine-et-chlore": [[62, 107]],
        "mots-de-passe-famille": [[], [], [], farthest],
      }),
      bge,
    );
    const said = await ask(new Blog(files, answering(at(1))), "enveloppe");
    expect(titlesIn(said)[0]).toBe(titleOf(first));
    expect(titlesIn(said)).toHaveLength(3);
  });

  it("quotes three passages of an article at most, five in all", async () => {
    const vectors = Object.fromEntries(
      ["migrer-vers-nixos", "nas-qui-ronronne", "cafe-connecte", "piscine-et-chlore"].map((slug, rank) => [
        slug,
        Array(4).fill([127, rank]),
      ]),
    );
    const many = heardIn(await ask(new Blog(withVectors(FILES, vectors), answering(at(1)))));
    expect(many.map(({ passages }) => passages.length)).toEqual([2, 1, 1, 1]);
    const one = heardIn(
      await ask(new Blog(withVectors(FILES, { "migrer-vers-nixos": Array(9).fill([127]) }), answering(at(1)))),
    );
    expect(one.map(({ passages }) => passages.length)).toEqual([3]);
  });
});

describe("thresholds", () => {
  const only = (thresholds: object = BGE) =>
    withHeader(withVectors(FILES, { [UPS]: [[127]] }), (header) => Object.assign(header, thresholds));
  const heard = async (cosine: number, env: object = {}, thresholds: object = BGE) => {
    const said = await ask(new Blog(only(thresholds), answering(at(cosine))), RIDDLE, env);
    return said === NOTHING ? "nothing" : DOUBT.test(said) ? "doubt" : UPS_FIRST.test(said) ? "sure" : said;
  };

  it.each([
    [0.6, "sure"],
    [0.521, "sure"],
    [0.519, "doubt"],
    [0.49, "doubt"],
    [0.484, "doubt"],
    [0.451, "doubt"],
    [0.449, "nothing"],
    [0.1, "nothing"],
    [-0.8, "nothing"],
  ])("a best passage at %f is answered: %s", async (cosine, how) => {
    expect(await heard(cosine)).toBe(how);
  });

  it("in doubt quotes the best passage, and only names the other articles", async () => {
    const vectors = {
      [UPS]: [
        [127, 3],
        [127, 2],
      ],
      "cafe-connecte": [[127, 1]],
    };
    const files = withHeader(withVectors(FILES, vectors), bge);
    const sure = heardIn(await ask(new Blog(files, answering(at(0.6)))));
    expect(sure.map(({ title, passages }) => [title, passages.length])).toEqual([
      [titleOf(UPS), 2],
      [titleOf("cafe-connecte"), 1],
    ]);
    const doubtful = await ask(new Blog(files, answering(at(0.48))));
    expect(doubtful).toMatch(
      /^Ça ne répond [^«]* est dans « [^»]* », du [^«]* : « [^»]* »\. Sinon, il y a « [^»]* »\.$/,
    );
    expect(titlesIn(doubtful)).toEqual([titleOf(UPS), titleOf("cafe-connecte")]);
  });

  it("names no article under the floor, not even one whose words match", async () => {
    const said = await ask(new Blog(only(), answering(at(0.4))), PLAIN);
    expect(said).toBe(NOTHING);
  });

  it.each([
    [{ SEARCH_FLOOR: "0.3" }, 0.35, "doubt"],
    [{ SEARCH_FLOOR: 0.3 }, 0.35, "doubt"],
    [{ SEARCH_FLOOR: "0.7" }, 0.65, "nothing"],
    [{ SEARCH_FLOOR: "0" }, 0.01, "doubt"],
    [{ SEARCH_FLOOR: "" }, 0.4, "nothing"],
    [{ SEARCH_FLOOR: " " }, 0.4, "nothing"],
    [{ SEARCH_FLOOR: "beaucoup" }, 0.4, "nothing"],
    [{ SEARCH_FLOOR: "NaN" }, 0.46, "doubt"],
    [{ SEARCH_FLOOR: "Infinity" }, 0.46, "doubt"],
  ])("with %j, %f is answered: %s", async (env, cosine, how) => {
    expect(await heard(cosine, env)).toBe(how);
  });

  it.each([
    [0.01, { floor: null, sure: null, gap: null }, "sure"],
    [0.01, { floor: "0.45", sure: "0.52", gap: {} }, "sure"],
  ])("an index without thresholds refuses nothing: %f with %j", async (cosine, thresholds, how) => {
    expect(await heard(cosine, {}, thresholds)).toBe(how);
  });

  it.each([
    [{}, 0.06, 2],
    [{ SEARCH_GAP: "0.2" }, 0.06, 3],
    [{ SEARCH_GAP: 0.2 }, 0.06, 3],
    [{ SEARCH_GAP: "0.01" }, 0.06, 1],
    [{ SEARCH_GAP: "0" }, 0.06, 1],
    [{ SEARCH_GAP: "large" }, 0.06, 2],
    [{}, null, 3],
  ])("with %j over a gap of %j, says %d articles", async (env, gap, count) => {
    // At 1, 0.954 and 0.904.
    const vectors = { [UPS]: [[127]], "cafe-connecte": [[127, 40]], "piscine-et-chlore": [[127, 60]] };
    const files = withHeader(withVectors(FILES, vectors), (header) => Object.assign(header, { ...BGE, gap }));
    expect(titlesIn(await ask(new Blog(files, answering(at(1))), RIDDLE, env))).toHaveLength(count);
  });
});

/** Keeps what was sent. */
class Endpoint {
  readonly sent: { method?: string; redirect?: string; headers: unknown; body: unknown }[] = [];
  constructor(public answer: (body: Header) => object | Promise<Response>) {}

  readonly routes: Record<string, Route> = {
    [EMBED]: ((_url, init) => {
      const { method, redirect, headers, body } = init ?? {};
      const asked = JSON.parse(String(body));
      this.sent.push({ method, redirect, headers, body: asked });
      const answer = this.answer(asked);
      return answer instanceof Promise ? answer : Response.json(answer);
    }) satisfies Responder,
  };
}

describe("protocols", () => {
  const base64 = (vector: number[]) => btoa(String.fromCharCode(...new Uint8Array(Float32Array.from(vector).buffer)));
  const openai = { model: "bge-m3", input: [RIDDLE], encoding_format: "float" };
  const openaiItem = (item: unknown) => ({ object: "list", data: [item], model: "bge-m3", usage: { total_tokens: 4 } });
  const workers = { shape: [1, 64], data: [UPS_VECTOR], pooling: "cls" };

  it.each<[string, string | undefined, object, object]>([
    [
      "ollama",
      "ollama",
      { model: "bge-m3", input: [RIDDLE], truncate: true },
      { model: "bge-m3", embeddings: [UPS_VECTOR] },
    ],
    ["openai", "openai", openai, openaiItem({ object: "embedding", index: 0, embedding: UPS_VECTOR })],
    ["openai, unless told", undefined, openai, openaiItem({ object: "embedding", index: 0, embedding: UPS_VECTOR })],
    [
      "openai in base64",
      "openai",
      openai,
      openaiItem({ object: "embedding", index: 0, embedding: base64(UPS_VECTOR) }),
    ],
    ["tei", "tei", { inputs: [RIDDLE], normalize: true, truncate: true }, [UPS_VECTOR]],
    ["workers-ai", "workers-ai", { text: [RIDDLE], truncate_inputs: true }, workers],
    [
      "workers-ai by its API",
      "workers-ai",
      { text: [RIDDLE], truncate_inputs: true },
      { result: workers, success: true, errors: [], messages: [] },
    ],
  ])("%s", async (_name, EMBED_PROTOCOL, body, answer) => {
    const endpoint = new Endpoint(() => answer);
    const blog = new Blog(FILES, endpoint.routes);
    expect(await ask(blog, RIDDLE, { EMBED_PROTOCOL, EMBED_TOKEN: "s3cret" })).toMatch(UPS_FIRST);
    const headers = {
      accept: "application/json",
      "content-type": "application/json",
      authorization: "Bearer s3cret",
    };
    expect(endpoint.sent).toEqual([{ method: "POST", redirect: "manual", headers, body }]);
    expect(logged()).toEqual([]);
  });

  it.each([undefined, "", 12])("sends no authorization when the token is %j", async (EMBED_TOKEN) => {
    const endpoint = new Endpoint(() => embedding(UPS_VECTOR));
    await ask(new Blog(FILES, endpoint.routes), RIDDLE, { EMBED_TOKEN });
    expect(endpoint.sent.map(({ headers }) => headers)).toEqual([
      { accept: "application/json", "content-type": "application/json" },
    ]);
  });

  it("takes the vector of the first index, wherever it stands", async () => {
    const far = UPS_VECTOR.map((value) => -value);
    const data = [
      { object: "embedding", index: 1, embedding: far },
      { object: "embedding", index: 0, embedding: UPS_VECTOR },
    ];
    const endpoint = new Endpoint(() => ({ object: "list", data, model: "bge-m3" }));
    expect(await ask(new Blog(FILES, endpoint.routes))).toMatch(UPS_FIRST);
  });

  it("doesn't care how long the vector is", async () => {
    const endpoint = new Endpoint(() => embedding(UPS_VECTOR.map((value) => value * 40)));
    expect(await ask(new Blog(FILES, endpoint.routes))).toMatch(UPS_FIRST);
  });

  it("sends the prefix of the index before the question", async () => {
    const endpoint = new Endpoint(() => embedding(UPS_VECTOR));
    const files = withHeader(FILES, (header) => {
      header.queryPrefix = "query: ";
    });
    expect(await ask(new Blog(files, endpoint.routes))).toMatch(UPS_FIRST);
    expect(endpoint.sent.map(({ body }) => body)).toEqual([{ ...openai, input: [`query: ${RIDDLE}`] }]);
  });

  it.each(["word2vec", "OpenAI", "constructor", "__proto__", "toString", ""])(
    "asks nothing of an endpoint of the protocol « %s », says so, and logs which ones there are",
    async (EMBED_PROTOCOL) => {
      const blog = new Blog(FILES, answering(UPS_VECTOR));
      expect(await ask(blog, PLAIN, { EMBED_PROTOCOL })).toBe(`${await ask(new Blog(FILES), PLAIN)} ${BY_WORDS}`);
      expect(blog.calls).toEqual([]);
      expect(logged()).toEqual([
        "embedding: EMBED_PROTOCOL is one of ollama, openai, tei, workers-ai; this question is searched by words",
      ]);
    },
  );

  it.each(["bge-m3", "BAAI/bge-m3", "bge-m3:latest", "@cf/baai/bge-m3", "bge-m3-q4_0", "", null])(
    "believes a model that calls itself %j",
    async (model) => {
      const endpoint = new Endpoint(() => ({ ...embedding(UPS_VECTOR), model }));
      expect(await ask(new Blog(FILES, endpoint.routes))).toMatch(UPS_FIRST);
    },
  );

  it("leaves the pooling of another model to that model", async () => {
    const files = withHeader(FILES, (header) => {
      header.model = "multilingual-e5-small";
    });
    const endpoint = new Endpoint(() => ({ data: [UPS_VECTOR], pooling: "mean" }));
    expect(await ask(new Blog(files, endpoint.routes))).toMatch(UPS_FIRST);
  });
});

describe("how often it is called", () => {
  it("once for a repeated question, again for another one", async () => {
    const endpoint = new Endpoint(() => embedding(UPS_VECTOR));
    const blog = new Blog(FILES, endpoint.routes);
    const said = await ask(blog);
    expect(await ask(blog)).toBe(said);
    expect(endpoint.sent).toHaveLength(1);
    await ask(blog, "girafe ?");
    expect(endpoint.sent).toHaveLength(2);
  });

  it("never for what is answered by date, nor for a question without a subject", async () => {
    const blog = new Blog(FILES, answering(UPS_VECTOR));
    expect(await ask(blog, "C'est quoi le dernier article ?")).toMatch(
      /^Le dernier article du blogue Le cabanon numérique est « /,
    );
    expect(await ask(blog, "les derniers billets", {}, { langue: "anglais" })).toMatch(
      /^Voici les 3 derniers articles /,
    );
    await blog.refuse("articles_chercher", { question: "C'est quoi ?" });
    await blog.refuse("articles_chercher", { question: "restic", langue: "klingon" });
    expect(blog.calls).toEqual([]);
  });

  it.each([
    ["has no model", (header: Header) => Object.assign(header, { model: null })],
    [
      "has no vectors",
      ({ languages }: Header) => {
        for (const language of Object.values<Header>(languages)) language.vectors = null;
      },
    ],
  ])("never when the index %s, which is not said", async (_case, change) => {
    const blog = new Blog(withHeader(FILES, change), answering(UPS_VECTOR));
    expect(await ask(blog, PLAIN)).toBe(await ask(new Blog(FILES), PLAIN));
    expect(blog.calls).toEqual([]);
    expect(logged()).toEqual([]);
  });

  it("never when its address is empty, which is not said", async () => {
    const blog = new Blog(FILES, answering(UPS_VECTOR));
    expect(await ask(blog, PLAIN, { EMBED_URL: "" })).toBe(await ask(new Blog(FILES), PLAIN));
    expect([blog.calls, logged()]).toEqual([[], []]);
  });
});

describe("faults of the endpoint", () => {
  const text =
    (body: string, init: ResponseInit = {}): Responder =>
    () =>
      new Response(body, init);
  const json =
    (body: object): Responder =>
    () =>
      Response.json(body);
  const numbers = (last: string) => `{"model":"bge-m3","data":[{"embedding":[${"0.1,".repeat(63)}${last}]}]}`;

  it.each<[string, Responder, RegExp]>([
    ["500", text('{"error":"llama runner process has terminated"}', { status: 500 }), /it answered 500/],
    ["401", text("", { status: 401 }), /it answered 401/],
    ["429", text("", { status: 429, headers: { "retry-after": "60" } }), /it answered 429/],
    ["204", () => new Response(null, { status: 204 }), /it answered 204/],
    ["a redirect", text("", { status: 302, headers: { location: "https://elsewhere.test/" } }), /it answered 302/],
    ["a page", text("<!DOCTYPE html><title>Sign in</title>"), /isn't JSON/],
    ["nothing", text(""), /can't be read|isn't JSON/],
    ["half of an answer", text(numbers("0.1").slice(0, 200)), /isn't JSON/],
    ["NaN", text(numbers("NaN")), /isn't JSON/],
    ["null for NaN", text(numbers("null")), /isn't a finite number/],
    ["infinity", text(numbers("1e999")), /isn't a finite number/],
    ["a text for a number", text(numbers('"0.1"')), /isn't a finite number/],
    ["a number less", json(embedding(UPS_VECTOR.slice(1))), /a vector of 63 values instead of 64/],
    ["a number more", json(embedding([...UPS_VECTOR, 0])), /a vector of 65 values instead of 64/],
    ["zeros", json(embedding(Array(64).fill(0))), /without a length/],
    ["too great numbers", json(embedding(Array(64).fill(1e308))), /without a length/],
    ["an empty vector", json(embedding([])), /without a vector/],
    ["no vector", json({ model: "bge-m3", embeddings: [] }), /without a vector/],
    ["an empty object", json({}), /without a vector/],
    ["an error with a status of 200", json({ error: "model not found" }), /without a vector/],
    ["null", text("null"), /without a vector/],
    ["a number", text("12"), /without a vector/],
    ["data that isn't a list", json({ data: { embedding: UPS_VECTOR } }), /without a vector/],
    ["a broken base64", json({ data: [{ embedding: "%%%" }] }), /without a vector/],
    ["a short base64", json({ data: [{ embedding: "AACAPw==" }] }), /a vector of 1 values instead of 64/],
    ["4 MB", text(`[${" ".repeat(4_000_000)}]`), /can't be read/],
    [
      "a body that breaks",
      () => new Response(new ReadableStream({ pull: (body) => body.error(new Error("cut")) })),
      /can't be read/,
    ],
    ["a dead network", () => Promise.reject(new TypeError("connection refused")), /connection refused/],
    [
      "another model",
      json(embedding(UPS_VECTOR, "multilingual-e5-small")),
      /its model is multilingual-e5-small, not bge-m3/,
    ],
    [
      "a model of the same family",
      json(embedding(UPS_VECTOR, "bge-m3-large")),
      /its model is bge-m3-large, not bge-m3/,
    ],
    ["a model with a long name", json(embedding(UPS_VECTOR, "x".repeat(9_000))), /its model is x{128}, not bge-m3/],
    ["another pooling", json({ data: [UPS_VECTOR], pooling: "mean" }), /its pooling is mean, bge-m3 needs cls/],
  ])("%s: words answer and it is said, then meaning does as soon as it can", async (_name, fault, why) => {
    const words = await ask(new Blog(FILES), PLAIN);
    const blog = new Blog(FILES, { [EMBED]: fault });
    const env = { EMBED_TOKEN: "s3cret" };
    expect(await ask(blog, PLAIN, env)).toBe(`${words} ${BY_WORDS}`);
    expect(logged()).toEqual([expect.stringMatching(why)]);
    expect(logged()[0]).toMatch(/^embedding: .*; this question is searched by words$/);
    expect(logged()[0]).not.toMatch(/s3cret|puisard|http/);
    expect(blog.calls).toEqual([EMBED]);

    // The same question rests for a few seconds, or for as long as the endpoint has asked: no storm of retries.
    blog.routes = answering(UPS_VECTOR);
    expect(await ask(blog, PLAIN, env)).toBe(`${words} ${BY_WORDS}`);
    expect(blog.calls).toEqual([EMBED]);
    const said = await ask(blog, PLAIN, { ...env, CLOCK: "2026-11-29T15:01:05Z" });
    expect(said).toMatch(UPS_FIRST);
    expect(said).not.toContain(BY_WORDS);
    expect(blog.calls).toEqual([EMBED, EMBED]);
  });

  it("are waited for by all who ask the same question together", async () => {
    const blog = new Blog(FILES, answering(UPS_VECTOR));
    const said = await Promise.all(Array.from({ length: 5 }, () => ask(blog)));
    expect(new Set(said).size).toBe(1);
    expect(blog.calls).toEqual([EMBED]);
  });

  it("a 429 lets the endpoint rest for every question", async () => {
    const blog = new Blog(FILES, { [EMBED]: text("", { status: 429, headers: { "retry-after": "60" } }) });
    await ask(blog, PLAIN);
    blog.routes = answering(UPS_VECTOR);
    expect(await ask(blog, "la pompe", { CLOCK: "2026-11-29T15:00:50Z" })).toContain(BY_WORDS);
    expect(blog.calls).toEqual([EMBED]);
    expect(await ask(blog, "la pompe", { CLOCK: "2026-11-29T15:01:05Z" })).not.toContain(BY_WORDS);
    expect(blog.calls).toEqual([EMBED, EMBED]);
  });

  it("are said after the answer, and before the age of the index", async () => {
    const files = withHeader(FILES, (header) => Object.assign(header, { generated: "2026-10-01T00:00:00Z" }));
    const [words] = (await ask(new Blog(files), PLAIN)).split(" Mon index date");
    expect(await ask(new Blog(files, { [EMBED]: text("", { status: 500 }) }), PLAIN)).toBe(
      `${words} ${BY_WORDS} Mon index date du premier octobre 2026.`,
    );
  });

  it("says that nothing was found by words only", async () => {
    const blog = new Blog(FILES, { [EMBED]: text("", { status: 500 }) });
    expect(await ask(blog)).toBe(`${NOTHING} ${BY_WORDS}`);
  });

  it("waits for a silent endpoint under 8 s, then leaves it alone for 30 s", async () => {
    const silences: Responder[] = [
      () => new Promise<never>(() => {}),
      (_url, init) =>
        new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))),
      () => new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("[")) })),
    ];
    const words = await ask(new Blog(FILES), PLAIN);
    const started = Date.now();
    await Promise.all(
      silences.map(async (silence) => {
        const blog = new Blog(FILES, { [EMBED]: silence });
        expect(await ask(blog, PLAIN)).toBe(`${words} ${BY_WORDS}`);
        expect(Date.now() - started).toBeLessThan(8_000);
        blog.routes = answering(UPS_VECTOR);

        // The clock of each question starts at its CLOCK: the silence was noticed some 3 s after NOW.
        expect(await ask(blog, PLAIN, { CLOCK: "2026-11-29T15:00:20Z" })).toBe(`${words} ${BY_WORDS}`);
        expect(blog.calls).toEqual([EMBED]);
        expect(await ask(blog, PLAIN, { CLOCK: "2026-11-29T15:00:40Z" })).toMatch(UPS_FIRST);
        expect(blog.calls).toEqual([EMBED, EMBED]);
      }),
    );
    expect(logged().filter((line) => line.includes("no answer in 3000 ms"))).toHaveLength(3);
    expect(logged().filter((line) => line.includes("has just failed"))).toHaveLength(3);
  });

  it("a clock that has gone back doesn't make the pause longer", async () => {
    const blog = new Blog(FILES, { [EMBED]: () => new Promise<never>(() => {}) });
    await ask(blog, PLAIN);
    blog.routes = answering(UPS_VECTOR);
    expect(await ask(blog, PLAIN, { CLOCK: "2026-11-28T15:00:00Z" })).toMatch(UPS_FIRST);
  });
});

describe("the vectors of the index", () => {
  it.each<[string, (files: Record<string, Uint8Array>, name: string) => void]>([
    ["missing", (files, name) => delete files[name]],
    ["empty", (files, name) => Object.assign(files, { [name]: new Uint8Array(0) })],
    ["cut in its header", (files, name) => Object.assign(files, { [name]: files[name].slice(0, 10) })],
    ["cut", (files, name) => Object.assign(files, { [name]: files[name].slice(0, 5_000) })],
    [
      "something else",
      (files, name) => Object.assign(files, { [name]: new TextEncoder().encode("<!DOCTYPE html><html>") }),
    ],
    [
      "of another length",
      (files, name) => {
        const bytes = files[name].slice();
        new Uint32Array(bytes.buffer, 0, 4).set([0x31434556, 10, 32, 1]);
        Object.assign(files, { [name]: bytes });
      },
    ],
  ])("are %s: words answer and it is said", async (_case, breaks) => {
    const files = { ...FILES };
    breaks(files, readHeader(files).languages.fr.vectors);
    const blog = new Blog(files, answering(UPS_VECTOR));
    expect(await ask(blog, PLAIN)).toBe(`${await ask(new Blog(FILES), PLAIN)} ${BY_WORDS}`);
  });

  it("are read again once they are whole", async () => {
    const { [readHeader(FILES).languages.fr.vectors]: _vectors, ...files } = FILES;
    const blog = new Blog(files, answering(UPS_VECTOR));
    expect((await ask(blog, PLAIN)).endsWith(` ${BY_WORDS}`)).toBe(true);
    blog.files = FILES;
    expect(await ask(blog, PLAIN)).toMatch(UPS_FIRST);
  });
});

describe("a scan", () => {
  const DIM = 64;
  /** Chunks of one subject are near each other, and all texts have something in common, as any model finds. */
  const SUBJECT = 8;

  /** Numbers from -1 to 1 that seem random, always the same. */
  function drawer(seed: number): () => number[] {
    let state = seed;
    const draw = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 31 - 1;
    };
    return () => Array.from({ length: DIM }, draw);
  }
  const add = (one: number[], other: number[], share = 1) => one.map((value, at) => value + share * other[at]);
  const unit = (vector: number[]) => vector.map((value) => value / Math.hypot(...vector));

  /** A blog of as many articles, each of one chunk that no word finds; one in 50 has no vector. */
  function blogOf(vectors: ReturnType<typeof quantize>[]): Record<string, Uint8Array> {
    const count = vectors.length;
    const words = new Uint8Array(32 + 2 * (count + (count % 2)));
    new Uint32Array(words.buffer, 0, 2).set([0x31524457, count]);
    const articles = vectors.map((_, first) => {
      const article = { key: "", slug: `n${first}`, title: `Article ${first}`, date: null, url: null, description: "" };
      return { ...article, lang: "fr", tags: [], first, chunks: 1, text: "un.json" };
    });
    const languages = { fr: { chunks: count, words: "fr.words", vectors: "fr.vectors" } };
    const header = { format: 1, name: "Essai", generated: NOW, model: "bge-m3", dim: DIM, languages, articles };
    const encode = (value: object) => new TextEncoder().encode(JSON.stringify(value));
    const text = { paragraphs: [["text", "Un bac bleu."]], chunks: [[0, 1, ""]] };
    return {
      "index.json": encode(header),
      "fr.words": words,
      // A view of its own: the door takes the whole of what it reads.
      "fr.vectors": Uint8Array.from(packVectors(vectors, DIM)),
      "un.json": encode(text),
    };
  }

  it.each([2_000, 2_001, 4_001])("of %i chunks finds the five that are the nearest, in their order", async (count) => {
    const draw = drawer(count);
    const common = draw();
    const subjects = Array.from({ length: Math.ceil(count / SUBJECT) }, () => add(draw(), common, 2));
    const vectors = Array.from({ length: count }, (_, at) => {
      const vector = quantize(add(subjects[at % subjects.length], draw(), 0.5));
      return at % 50 === 0 ? { ...vector, scale: 0 } : vector;
    });
    const blog = new Blog(blogOf(vectors));
    for (let asked = 0; asked < 20; asked++) {
      const query = unit(add(subjects[asked * 7], draw(), 0.5));
      blog.routes = answering(query);
      const near = vectors.map((vector, at) => ({ at, cosine: cosine(Float64Array.from(query), vector) }));
      near.sort((one, other) => other.cosine - one.cosine);
      const said = await ask(blog, `hippopotame ${asked}`);
      expect(titlesIn(said)).toEqual(near.slice(0, 5).map(({ at }) => `Article ${at}`));
    }
  });
});

describe("the language", () => {
  const bees = () => vectorOf(FILES, "bees-and-scales", 0, "en");

  it("of a question answers it, even when the other one has something nearer", async () => {
    const files = withHeader(
      withVectors(withVectors(FILES, { [UPS]: [[60, 100]] }), { "bees-and-scales": [[127]] }, "en"),
      bge,
    );
    const blog = new Blog(files, answering(at(1)));
    expect(titlesIn(await ask(blog, "les hippopotames de la girafe"))).toEqual([titleOf(UPS)]);
    expect(blog.opened).not.toContain(readHeader(files).languages.en.vectors);
    expect(titlesIn(await ask(blog, "the hippos of the giraffe"))).toEqual([titleOf("bees-and-scales", "en")]);
    expect(titlesIn(await ask(blog, "the hippos of the giraffe", {}, { langue: "français" }))).toEqual([titleOf(UPS)]);
  });

  it("is another one, said aloud, only when its own has nothing", async () => {
    const files = withHeader(withVectors(FILES, { [UPS]: [[20, 100]] }), bge);
    expect(await ask(new Blog(files, answering(bees())), "les hippopotames de la girafe")).toMatch(
      /^Je n'ai rien là-dessus en français\. J'ai trouvé ceci en anglais, dans « Bees /,
    );
    expect(await ask(new Blog(files, answering(bees())), "les hippopotames", {}, { langue: "français" })).toBe(
      "Je n'ai rien là-dessus en français sur le blogue Le cabanon numérique. Redemande avec d'autres mots.",
    );
  });
});

describe("a distributed index", () => {
  const idOf = (slug: string, part = 0, lang = "fr", hash?: string) =>
    `${articleOf(FILES, slug, lang).key}-${part}-${hash ?? textOf(FILES, slug, lang).chunks[part][2].slice(0, 8)}`;
  const binding = (answer: (options: Header) => unknown) => {
    const asked: { vector: number[]; options: Header }[] = [];
    return {
      asked,
      query: async (vector: number[], options: Header) => {
        asked.push({ vector, options });
        return answer(options);
      },
    };
  };
  const matching = (...matches: [id: string, score: number][]) =>
    binding(({ namespace }) => ({
      count: matches.length,
      matches: namespace === "fr" ? matches.map(([id, score]) => ({ id, score })) : [],
    }));

  it("is asked instead of the file, in the question's language", async () => {
    const VECTORIZE = matching([idOf(UPS), 0.9], [idOf("cafe-connecte"), 0.895]);
    const blog = new Blog(FILES, answering(UPS_VECTOR.map((value) => value * 3)));
    expect(titlesIn(await ask(blog, RIDDLE, { VECTORIZE }))).toEqual([titleOf(UPS), titleOf("cafe-connecte")]);
    expect(VECTORIZE.asked.map(({ options }) => options)).toEqual([
      { topK: 50, namespace: "fr", returnValues: false, returnMetadata: "none" },
    ]);
    const [{ vector }] = VECTORIZE.asked;
    expect(Array.isArray(vector)).toBe(true);
    expect(Math.hypot(...vector)).toBeCloseTo(1, 9);
    expect(blog.opened.filter((file) => file.endsWith(".vectors"))).toEqual([]);
    expect(logged()).toEqual([]);
  });

  it("does for an index whose vectors are nowhere else", async () => {
    const files = withHeader(FILES, ({ languages }) => {
      for (const language of Object.values<Header>(languages)) language.vectors = null;
    });
    const VECTORIZE = matching([idOf(UPS), 0.9]);
    expect(await ask(new Blog(files, answering(UPS_VECTOR)), RIDDLE, { VECTORIZE })).toMatch(UPS_FIRST);
  });

  it("answers to the same thresholds", async () => {
    const say = (score: number, env: object = {}) =>
      ask(new Blog(withHeader(FILES, bge), answering(UPS_VECTOR)), RIDDLE, {
        VECTORIZE: matching([idOf(UPS), score], [idOf("cafe-connecte"), score - 0.1]),
        ...env,
      });
    expect(titlesIn(await say(0.6))).toEqual([titleOf(UPS)]);
    expect(titlesIn(await say(0.6, { SEARCH_GAP: "0.2" }))).toHaveLength(2);
    expect(await say(0.49)).toMatch(DOUBT);
    expect(await say(0.44)).toBe(NOTHING);
  });

  it("is not believed about what the index doesn't have, in that language and of that text", async () => {
    // In the place that they would have, another article has this text.
    const [hens, solar] = [idOf("poulailler-connecte").split("-")[2], idOf("panneaux-solaires-chalet").split("-")[2]];
    const VECTORIZE = matching(
      ["", 0.95],
      ["constructor", 0.95],
      [idOf(UPS).replace(/^\w+/, "0123456789ab"), 0.95],
      [idOf("bees-and-scales", 0, "en", hens), 0.95],
      [`${idOf("cafe-connecte").split("-")[0]}-5-${solar}`, 0.95],
      [`${idOf(UPS).split("-")[0]}-5-00000000`, 0.95],
      [`${idOf(UPS).split("-")[0]}-99999999999999999999-00000000`, 0.95],
      [idOf("piscine-et-chlore", 0, "fr", "00000000"), 0.95],
      [idOf("cafe-connecte"), 0.949],
    );
    expect(titlesIn(await ask(new Blog(FILES, answering(UPS_VECTOR)), RIDDLE, { VECTORIZE }))).toEqual([
      titleOf("cafe-connecte"),
    ]);
  });

  it.each<[string, () => unknown]>([
    ["throws", () => Promise.reject(new Error("VECTOR_QUERY_ERROR (code = 40006)"))],
    ["has no matches", () => ({})],
    ["answers nothing", () => null],
    ["hangs", () => new Promise(() => {})],
  ])("that %s leaves it to words, which is said and logged", async (_case, answer) => {
    const blog = new Blog(FILES, answering(UPS_VECTOR));
    const started = Date.now();
    const VECTORIZE = binding(answer);
    expect(await ask(blog, PLAIN, { VECTORIZE })).toBe(`${await ask(new Blog(FILES), PLAIN)} ${BY_WORDS}`);
    expect(Date.now() - started).toBeLessThan(8_000);
    expect(logged()).toEqual([expect.stringMatching(/^vectorize: .*; this question is searched by words$/)]);
  });

  it("is not waited for again in the other language", async () => {
    const VECTORIZE = binding(() => Promise.reject(new Error("down")));
    expect(
      await ask(new Blog(FILES, answering(UPS_VECTOR)), "Qu'est-ce qu'elle dit du varroa ?", { VECTORIZE }),
    ).toMatch(
      new RegExp(
        `^Je n'ai rien là-dessus en français\\. Ça ne répond peut-être pas à la question, .* est en anglais, dans « Bees .* ${BY_WORDS}$`,
      ),
    );
    expect(VECTORIZE.asked).toHaveLength(1);
  });

  it("is asked in the other language when its own has nothing", async () => {
    const VECTORIZE = binding(({ namespace }) => ({
      matches: namespace === "en" ? [{ id: idOf("bees-and-scales", 0, "en"), score: 0.8 }] : [],
    }));
    expect(await ask(new Blog(FILES, answering(UPS_VECTOR)), RIDDLE, { VECTORIZE })).toMatch(
      /^Je n'ai rien là-dessus en français\. J'ai trouvé ceci en anglais, dans « Bees /,
    );
    expect(VECTORIZE.asked.map(({ options }) => options.namespace)).toEqual(["fr", "en"]);
  });

  it("is not asked without an embedding", async () => {
    const VECTORIZE = matching([idOf(UPS), 0.9]);
    expect(await ask(new Blog(FILES), PLAIN, { VECTORIZE })).toBe(await ask(new Blog(FILES), PLAIN));
    expect(VECTORIZE.asked).toEqual([]);
  });
});

it("a vector turned a little from an article's still finds it", async () => {
  const files = withHeader(FILES, (header) => Object.assign(header, { gap: 0.3 }));
  const said = await ask(new Blog(files, answering(turned(UPS_VECTOR, 0.9))), RIDDLE, { CLOCK: NOW });
  expect(titlesIn(said)[0]).toBe(titleOf(UPS));
});
