import { describe, expect, inject, it, vi } from "vitest";
import { around, board, during, game, goal, intermission, over, scores, season } from "./payloads.ts";
import { html, Source } from "./source.ts";

const NIGHT = "2026-11-29T01:10:00Z";
const later = (seconds: number) => new Date(Date.parse(NIGHT) + seconds * 1000).toISOString();
const SCORE = "/v1/score/2026-11-28";
const BOARD = "/v1/scoreboard/MTL/now";
const SEASON = "/v1/club-schedule-season/MTL/now";
const DOWN =
  "La Ligue nationale ne répond pas en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de match. Redemande dans une minute.";
const live = (away = "MTL 3", more = {}) => game(away, "TOR 2", { id: 2026020400, ...during(3, 252), ...more });
const [before, after] = around("MTL");

describe("how often the source is asked", () => {
  it("asks twice for a live game, and once when its first answer has the strength", async () => {
    const source = new Source({ [SCORE]: scores([live()]), [BOARD]: board([live()]) });
    await source.say(NIGHT);
    expect(source.calls).toEqual([SCORE, BOARD]);
    const strength = { situation: { situationCode: "1541", secondsRemaining: 40 } };
    const richer = new Source({ [SCORE]: scores([live("MTL 3", strength)]), [BOARD]: board([live()]) });
    expect(await richer.say(NIGHT)).toContain("avantage numérique");
    expect(richer.calls).toEqual([SCORE]);
  });

  it("finds on the board the strength that the scores don't have", async () => {
    const strength = { situation: { situationCode: "1451", secondsRemaining: 40 } };
    const source = new Source({ [SCORE]: scores([live()]), [BOARD]: board([live("MTL 3", strength)]) });
    expect(await source.say(NIGHT)).toContain("et Toronto est en avantage numérique à 5 contre 4.");
  });

  it("asks three times at most when nobody plays", async () => {
    const source = new Source({
      [SCORE]: scores([]),
      [BOARD]: board([before, after]),
      "/v1/score/2026-11-26": scores([{ ...before, goals: [] }]),
      [SEASON]: season([]),
    });
    await source.say(NIGHT);
    expect(source.calls).toEqual([SCORE, BOARD, "/v1/score/2026-11-26"]);
    const hole = new Source({ [SCORE]: scores([]), [BOARD]: board([before]), [SEASON]: season([before, after]) });
    expect(await hole.say(NIGHT)).toContain("Prochain match : lundi");
    expect(hole.calls).toEqual([SCORE, BOARD, SEASON]);
  });

  it("never asks a fourth time, even when the board fails and the season turns the page", async () => {
    const source = new Source({
      [SCORE]: scores([]),
      [SEASON]: season([before], { nextSeason: 20272028 }),
      "/v1/club-schedule-season/MTL/20272028": season([after]),
    });
    await source.say(NIGHT);
    expect(source.calls).toEqual([SCORE, BOARD, SEASON]);
  });

  it("shares one call for the night between the seven teams", async () => {
    const source = new Source({
      [SCORE]: scores([
        game("MTL 3", "TOR 2", intermission(1, 500)),
        game("OTT 1", "WPG 2", intermission(1, 500)),
        game("CGY 1", "EDM 2", intermission(1, 500)),
        game("VAN 1", "BOS 2", intermission(1, 500)),
      ]),
    });
    for (const team of ["MTL", "TOR", "OTT", "WPG", "CGY", "EDM", "VAN"]) await source.say(NIGHT, team);
    expect(source.calls).toEqual([SCORE]);
  });

  it("asks once for twenty people at the same time, and again only after fifteen seconds", async () => {
    const source = new Source({ [SCORE]: scores([live("MTL 3", intermission(1, 500))]) });
    await Promise.all(Array.from({ length: 20 }, () => source.say(NIGHT)));
    expect(source.calls).toEqual([SCORE]);
    await source.say(later(14));
    expect(source.calls).toHaveLength(1);
    await source.say(later(16));
    expect(source.calls).toHaveLength(2);
  });

  it("keeps the board a minute, the season an hour, and an official night a day", async () => {
    const source = new Source({
      [SCORE]: scores([]),
      [BOARD]: board([before]),
      [SEASON]: season([before, after]),
      "/v1/score/2026-11-26": scores([{ ...before, goals: [] }]),
    });
    const count = (path: string) => source.calls.filter((call) => call === path).length;
    await source.say(NIGHT);
    await source.say(later(50));
    expect([count(BOARD), count(SEASON)]).toEqual([1, 1]);
    await source.say(later(70));
    expect([count(BOARD), count(SEASON)]).toEqual([2, 1]);
    await source.say(later(3700));
    expect([count(BOARD), count(SEASON)]).toEqual([3, 2]);
    const past = new Source({
      [SCORE]: scores([]),
      [BOARD]: board([before, after]),
      "/v1/score/2026-11-26": scores([{ ...before, goals: [] }]),
    });
    await past.say(NIGHT);
    await past.say(later(3600));
    expect(past.calls.filter((call) => call === "/v1/score/2026-11-26")).toHaveLength(1);
  });

  it("says who it is, and lets no redirect be followed for it", async () => {
    const seen: RequestInit[] = [];
    const source = new Source({
      [SCORE]: (_, init) => {
        seen.push(init ?? {});
        return Response.json(scores([live("MTL 3", intermission(1, 500))]));
      },
    });
    await source.say(NIGHT, undefined, { PUBLIC_URL: "http://127.0.0.1" });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      redirect: "manual",
      headers: { "user-agent": "mcp-doors/1.0.0 (http://127.0.0.1)" },
    });
  });

  it("leaves the call that is under way to those who still wait when the first one hangs up", async () => {
    const source = new Source({ [SCORE]: scores([live("MTL 3", intermission(1, 500))]) });
    await source.say(NIGHT);
    expect(source.pending).toHaveLength(1);
    await expect(Promise.all(source.pending)).resolves.toHaveLength(1);
  });
});

describe("a source that fails", () => {
  const faults: [name: string, route: () => Response | Promise<Response>][] = [
    ["an HTML page with 200", () => html("<!DOCTYPE html><html></html>")],
    ["JSON that says it is HTML", () => html(JSON.stringify(scores([live()])))],
    ["HTML that says it is JSON", () => html("<html></html>", 200, { "content-type": "application/json" })],
    ["a 500", () => html("oops", 500)],
    ["a 503", () => html("oops", 503)],
    ["a 403 challenge", () => html("challenge", 403)],
    ["truncated JSON", () => new Response('{"games":[{"id":1,', { headers: { "content-type": "application/json" } })],
    ["an empty body", () => new Response("", { headers: { "content-type": "application/json" } })],
    ["a JSON array", () => Response.json([])],
    ["JSON null", () => Response.json(null)],
    ["no games at all", () => Response.json({})],
    ["games that are not a list", () => Response.json({ games: "none" })],
    ["a dead name", () => Promise.reject(new Error("internal error"))],
    [
      "a redirect to another host",
      () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } }),
    ],
    ["a redirect to nowhere", () => new Response(null, { status: 302, headers: { location: "http://[" } })],
    ["a redirect without an address", () => new Response(null, { status: 307 })],
    ["a redirect to itself for ever", () => new Response(null, { status: 307, headers: { location: SCORE } })],
    ["50 MB", () => new Response(endless(), { headers: { "content-type": "application/json" } })],
  ];

  function endless(): ReadableStream {
    return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });
  }

  it.each(faults)("refuses with what to do: %s everywhere", async (_, route) => {
    const source = new Source({ [SCORE]: route, [BOARD]: route, [SEASON]: route });
    const { text, isError } = await source.ask(NIGHT);
    expect({ text, isError }).toEqual({ text: DOWN, isError: true });
  });

  it.each(faults)("answers from the board: %s instead of the scores", async (_, route) => {
    const source = new Source({ [SCORE]: route, [BOARD]: board([live(), before, after]) });
    expect(await source.say(NIGHT)).toBe("Montréal mène 3 à 2 à Toronto. Il reste 4 minutes 12 à la troisième.");
  });

  it.each(faults)("answers from the scores: %s instead of the board", async (_, route) => {
    const playing = new Source({ [SCORE]: scores([live()]), [BOARD]: route });
    expect(await playing.say(NIGHT)).toBe("Montréal mène 3 à 2 à Toronto. Il reste 4 minutes 12 à la troisième.");
  });

  it("looks for a game in the season when there is no board", async () => {
    const source = new Source({
      [SCORE]: scores([]),
      [BOARD]: () => html("no", 500),
      [SEASON]: season([before, after]),
    });
    expect(await source.say(NIGHT)).toBe(
      "Le Canadien ne joue pas ce soir. Dernier match : défaite de 5 à 2 à Toronto, jeudi. Prochain match : lundi à 19 heures, à Detroit.",
    );
  });

  it("says what it knows and what it doesn't when only the night answers", async () => {
    const source = new Source({ [SCORE]: scores([]), [BOARD]: () => html("no", 500), [SEASON]: () => html("no", 500) });
    expect(await source.say(NIGHT)).toBe(
      "Le Canadien ne joue pas ce soir. Le calendrier ne répond pas pour l'instant, alors je ne peux pas dire quand sera le prochain match.",
    );
  });

  it("does without the scorers when their night fails", async () => {
    const source = new Source({
      [SCORE]: scores([]),
      [BOARD]: board([before, after]),
      "/v1/score/2026-11-26": () => html("no", 503),
    });
    expect(await source.say(NIGHT)).toContain("Dernier match : défaite de 5 à 2 à Toronto, jeudi. Prochain match");
  });

  it("says that the address holds nothing when everything is a 404", async () => {
    expect(await new Source({}).ask(NIGHT)).toEqual({
      text: "Le match est introuvable à l'adresse habituelle de la Ligue nationale. C'est d'habitude passager, et ça ne veut pas dire qu'il n'y a pas de match. Redemande dans quelques minutes.",
      isError: true,
    });
  });

  it("follows a redirect of the source to its own dated address", async () => {
    const source = new Source({
      [SCORE]: scores([]),
      [BOARD]: () => new Response(null, { status: 307, headers: { location: "/v1/scoreboard/MTL/2026-11-28" } }),
      "/v1/scoreboard/MTL/2026-11-28": board([before, after]),
    });
    expect(await source.say(NIGHT)).toContain("Prochain match : lundi");
  });

  it("gives up on a source that hangs within eight seconds", async () => {
    const hang = () => new Promise<Response>(() => {});
    const source = new Source({ [SCORE]: hang, [BOARD]: hang, [SEASON]: hang });
    const start = performance.now();
    expect(await source.ask(NIGHT)).toMatchObject({ isError: true });
    expect(performance.now() - start).toBeLessThan(8000);
  }, 10_000);

  it("does not wait long for what only adds to a good answer", async () => {
    const source = new Source({ [SCORE]: scores([live()]), [BOARD]: () => new Promise<Response>(() => {}) });
    expect(await source.say(NIGHT)).toMatch(/^Montréal mène 3 à 2 à Toronto\./);
  });
});

describe("a source that asks to be left alone", () => {
  it("is not asked again for as long as it said", async () => {
    const source = new Source({ [SCORE]: () => html("slow down", 429, { "retry-after": "60" }) });
    expect(await source.ask(NIGHT)).toEqual({ text: DOWN, isError: true });
    expect(source.calls).toEqual([SCORE]);
    expect(await source.ask(later(50))).toEqual({ text: DOWN, isError: true });
    expect(source.calls).toEqual([SCORE]);
    source.routes[SCORE] = scores([live("MTL 3", intermission(1, 500))]);
    expect(await source.say(later(61))).toMatch(/^Premier entracte/);
  });

  it.each([
    ["a date", new Date(Date.parse(NIGHT) + 60_000).toUTCString(), 50, 61],
    ["nothing", "", 20, 31],
    ["an hour, but five minutes are enough", "3600", 290, 301],
    ["nonsense", "bientôt", 20, 31],
    ["spaces", " ", 20, 31],
  ])("asks for %s", async (_, header, waiting, after) => {
    const source = new Source({
      [SCORE]: () => html("slow down", 429, header === "" ? {} : { "retry-after": encodeURI(header) }),
    });
    if (header.includes(",")) source.routes[SCORE] = () => html("slow down", 429, { "retry-after": header });
    await source.ask(NIGHT);
    await source.ask(later(waiting));
    expect(source.calls).toHaveLength(1);
    await source.ask(later(after));
    expect(source.calls).toHaveLength(2);
  });

  it("is not asked by the redirect of a call that had begun before either", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const [asked, other, elsewhere] = ["/v1/score/2025-10-01", "/v1/score/2025-10-02", "/v1/score/dated"];
    const source = new Source({
      [asked]: () => promise,
      [other]: () => html("slow down", 429, { "retry-after": "60" }),
      [elsewhere]: scores([live()]),
    });
    const waiting = source.call("soiree_lnh", NIGHT, { date: "2025-10-01" });
    await source.call("soiree_lnh", NIGHT, { date: "2025-10-02" });
    resolve(new Response(null, { status: 307, headers: { location: elsewhere } }));
    expect((await waiting).isError).toBe(true);
    expect(source.calls).toEqual([asked, other]);
  });

  it("rests five seconds after any other failure: no storm of retries", async () => {
    const source = new Source({ [SCORE]: () => html("oops", 500), [BOARD]: () => html("oops", 500) });
    await source.ask(NIGHT);
    await source.ask(later(3));
    expect(source.calls).toEqual([SCORE, BOARD]);
    await source.ask(later(6));
    expect(source.calls).toHaveLength(4);
  });
});

describe("the last good answer", () => {
  const failing = async (first: object, seconds: number, routes: Record<string, object> = {}) => {
    const source = new Source({ [SCORE]: first, ...routes });
    await source.say(NIGHT);
    for (const path of Object.keys(source.routes)) source.routes[path] = () => html("oops", 502);
    return source.ask(later(seconds));
  };

  it("serves for a live game for two minutes, with its age, then no more", async () => {
    const first = scores([live()]);
    expect(await failing(first, 40)).toEqual({
      text: "Au dernier relevé, il y a 40 secondes : Montréal mène 3 à 2 à Toronto. Il restait environ 4 minutes 12 à la troisième.",
      isError: false,
    });
    expect((await failing(first, 119)).text).toMatch(/^Au dernier relevé, il y a 2 minutes : Montréal mène/);
    expect(await failing(first, 121)).toEqual({ text: DOWN, isError: true });
  });

  it("serves for a calendar for six hours, with its age", async () => {
    const morning = "2026-11-28T14:00:00Z";
    const at = (hours: number) => new Date(Date.parse(morning) + hours * 3_600_000).toISOString();
    const routes = {
      [SCORE]: scores([]),
      [BOARD]: board([before, after]),
      "/v1/score/2026-11-26": scores([{ ...before, goals: [] }]),
    };
    const source = new Source(routes);
    await source.say(morning);
    for (const path of Object.keys(source.routes)) source.routes[path] = () => html("oops", 502);
    expect(await source.say(at(3))).toMatch(
      /^Au dernier relevé, il y a 3 heures : le Canadien ne joue pas aujourd'hui\. Dernier match : .* Prochain match : lundi/,
    );
    expect(await source.ask(at(6.1))).toEqual({ text: DOWN, isError: true });
  });

  it("does not pass a game for one to come once its hour has gone by", async () => {
    const source = new Source({ [SCORE]: scores([game("MTL", "TOR")]), [BOARD]: board([before, game("MTL", "TOR")]) });
    await source.say("2026-11-28T23:50:00Z");
    for (const path of Object.keys(source.routes)) source.routes[path] = () => html("oops", 502);
    expect(await source.say("2026-11-28T23:58:00Z")).toMatch(
      /^Au dernier relevé, il y a 8 minutes : le Canadien joue à Toronto/,
    );
    expect(await source.ask("2026-11-29T00:30:00Z")).toEqual({ text: DOWN, isError: true });
  });

  it("is preferred to a list that has lost a live game, or sent it back before its start", async () => {
    for (const bad of [scores([]), scores([game("MTL 0", "TOR 0", { id: 2026020400, gameState: "PRE" })])]) {
      const source = new Source({ [SCORE]: scores([live()]) });
      await source.say(NIGHT);
      source.routes[SCORE] = bad;
      expect(await source.say(later(60))).toMatch(
        /^Au dernier relevé, il y a une minute : Montréal mène 3 à 2 à Toronto\./,
      );
    }
  });

  it("is not younger for being read twice: the board kept from the same minute does not pass for news", async () => {
    const source = new Source({ [SCORE]: scores([live()]), [BOARD]: board([live()]) });
    await source.say(NIGHT);
    for (const path of Object.keys(source.routes)) source.routes[path] = () => html("oops", 502);
    expect(await source.say(later(50))).toMatch(
      /^Au dernier relevé, il y a 50 secondes : Montréal mène 3 à 2 à Toronto\. Il restait environ 4 minutes 12/,
    );
  });

  it("serves within two seconds when the source hangs, without the power play of back then", async () => {
    const strength = { situation: { situationCode: "1541", secondsRemaining: 100 } };
    const source = new Source({ [SCORE]: scores([live("MTL 3", strength)]) });
    expect(await source.say(NIGHT)).toContain("avantage numérique");
    for (const path of [SCORE, BOARD]) source.routes[path] = () => new Promise<Response>(() => {});
    expect(await source.say(later(40))).toBe(
      "Au dernier relevé, il y a 40 secondes : Montréal mène 3 à 2 à Toronto. Il restait environ 4 minutes 12 à la troisième.",
    );
  });

  it("says one colon before what it announces", async () => {
    const source = new Source({ [SCORE]: scores([live("MTL 3", intermission(1, 500))]) });
    await source.say(NIGHT);
    source.routes[SCORE] = () => html("oops", 502);
    expect(await source.say(later(40))).toBe(
      "Au dernier relevé, il y a 40 secondes : premier entracte, Montréal mène 3 à 2 à Toronto. La deuxième commence dans environ 8 minutes.",
    );
  });

  it("gives way to a fresher board", async () => {
    const source = new Source({ [SCORE]: scores([live()]) });
    await source.say(NIGHT);
    source.routes[SCORE] = () => html("oops", 502);
    source.routes[BOARD] = board([live("MTL 4")]);
    expect(await source.say(later(60))).toMatch(/^Montréal mène 4 à 2 à Toronto\./);
  });

  it("does not take a game back that it has called over, or put off, when the scores fail", async () => {
    const near = { id: 2026020400, ...during(3, 12) };
    for (const [state, first, expected] of [
      [
        scores([game("MTL 3", "TOR 1", { ...over(), id: 2026020400 })]),
        near,
        /^Au dernier relevé, il y a 16 secondes : c'est fini, Montréal l'emporte 3 à 1/,
      ],
      [
        scores([game("MTL", "TOR", { gameScheduleState: "PPD", id: 2026020400 })]),
        { id: 2026020400 },
        /^Au dernier relevé, il y a 36 secondes : le match du Canadien .* est remis à plus tard/,
      ],
    ] as const) {
      const source = new Source({
        [SCORE]: scores([game("MTL 2", "TOR 1", first)]),
        [BOARD]: board([game("MTL 2", "TOR 1", first), after]),
      });
      await source.say(NIGHT);
      source.routes[SCORE] = state;
      await source.say(later(20));
      source.routes[SCORE] = () => html("oops", 503);
      source.routes[BOARD] = () => html("oops", 503);
      expect(await source.say(later(36))).toMatch(expected);
    }
  });

  it("does not let a season of an hour ago speak of tonight", async () => {
    const tonight = game("MTL", "TOR", { id: 2026020400 });
    const source = new Source({
      [SCORE]: scores([tonight]),
      [BOARD]: board([]),
      [SEASON]: season([before, tonight, after]),
    });
    await source.say("2026-11-28T22:00:00Z");
    source.routes[SCORE] = scores([{ ...tonight, gameScheduleState: "PPD" }]);
    expect(await source.say("2026-11-28T22:10:00Z")).toMatch(/est remis à plus tard/);
    for (const path of [SCORE, BOARD]) source.routes[path] = () => html("oops", 503);
    expect(await source.say("2026-11-28T22:12:00Z")).toMatch(
      /^Au dernier relevé, il y a 2 minutes : .* est remis à plus tard/,
    );
    const lagging = new Source({ [BOARD]: () => html("oops", 503), [SEASON]: season([before, tonight, after]) });
    lagging.routes[SCORE] = scores([]);
    expect(await lagging.say(NIGHT)).toMatch(/^Le Canadien ne joue pas ce soir\./);
  });

  it("is preferred to a live game sent back by the scores and the board at once", async () => {
    const source = new Source({ [SCORE]: scores([live()]), [BOARD]: board([live()]) });
    await source.say(NIGHT);
    const gone = game("MTL 0", "TOR 0", { id: 2026020400, gameState: "PRE" });
    source.routes[SCORE] = scores([gone]);
    source.routes[BOARD] = board([gone]);
    expect(await source.say(later(60))).toMatch(
      /^Au dernier relevé, il y a une minute : Montréal mène 3 à 2 à Toronto\./,
    );
  });

  it("is asked again after fifteen seconds when the live game is on the board only", async () => {
    const source = new Source({ [SCORE]: scores([]), [BOARD]: board([live()]) });
    await source.say(NIGHT);
    source.routes[BOARD] = board([live("MTL 4")]);
    expect(await source.say(later(20))).toMatch(/^Montréal mène 4 à 2 à Toronto\./);
  });

  it("says the age of the oldest part", async () => {
    const source = new Source({ [SCORE]: scores([]), [BOARD]: board([before, after]) });
    await source.say(NIGHT);
    source.routes[BOARD] = () => html("oops", 502);
    expect(await source.say(later(600))).toMatch(
      /^Au dernier relevé, il y a 10 minutes : le Canadien ne joue pas ce soir\./,
    );
  });
});

describe("odd payloads", () => {
  it.each([
    ["no id", { id: undefined }],
    ["a text for an id", { id: "x" }],
    ["no club at all", { awayTeam: undefined, homeTeam: undefined }],
  ])("does not take a game that can't be read for no game: %s", async (_, odd) => {
    const source = new Source({ [SCORE]: scores([{ ...live(), ...odd }]), [BOARD]: board([{ ...live(), ...odd }]) });
    expect(await source.ask(NIGHT)).toEqual({ text: DOWN, isError: true });
  });

  it("reads clubs in lower case, and a game whose other club has no name", async () => {
    const low = live();
    low.awayTeam = { abbrev: "mtl", score: 3 };
    low.homeTeam = undefined;
    expect(await new Source({ [SCORE]: scores([low]) }).say(NIGHT)).toMatch(
      /^Montréal joue à l'étranger contre l'autre équipe, mais/,
    );
  });

  it("refuses a list of games that holds none", async () => {
    const source = new Source({ [SCORE]: { ...scores([]), games: [[[]]] }, [BOARD]: () => html("oops", 500) });
    expect(await source.ask(NIGHT)).toEqual({ text: DOWN, isError: true });
  });

  it("survives any single field that is missing or of another type", async () => {
    const scored = goal("MTL", "Nick Suzuki", ["L. Hutson"]);
    const whole = live("MTL 3 28", {
      goals: [scored],
      situation: { situationCode: "1541", secondsRemaining: 30 },
      tvBroadcasts: [{ network: "RDS" }],
      seriesStatus: { topSeedTeamAbbrev: "MTL", topSeedWins: 1, bottomSeedWins: 2 },
    });
    for (const strange of [undefined, null, 0, -1, 1.5, "", "x", true, [], {}, [[]], [null], { default: 3 }]) {
      for (const key of Object.keys(whole)) {
        const source = new Source({ [SCORE]: scores([{ ...whole, [key]: strange }]), [BOARD]: board([before, after]) });
        const { text, isError } = await source.ask(NIGHT);
        expect({ key, strange, text, isError }).toMatchObject({ isError: false });
      }
      for (const key of Object.keys(scored)) {
        const source = new Source({ [SCORE]: scores([{ ...whole, goals: [{ ...scored, [key]: strange }] }]) });
        expect((await source.ask(NIGHT)).isError).toBe(false);
      }
      for (const part of ["awayTeam", "homeTeam", "clock", "periodDescriptor", "situation", "seriesStatus"] as const) {
        for (const key of Object.keys(whole[part] as object)) {
          const odd = { ...whole, [part]: { ...(whole[part] as object), [key]: strange } };
          const source = new Source({ [SCORE]: scores([odd]), [BOARD]: board([before, after]) });
          expect((await source.ask(NIGHT)).isError).toBe(false);
        }
      }
    }
  });

  it("logs nothing on its way: only bugs are for the log", async () => {
    const log = vi.spyOn(console, "error");
    await new Source({ [SCORE]: () => html("oops", 500) }).ask(NIGHT);
    expect(log).not.toHaveBeenCalled();
  });
});

const recordings = inject("recordings");

describe.skipIf(recordings === null)(
  `real recorded responses${recordings === null ? " (skipped: RECORDINGS is not set)" : ""}`,
  () => {
    type Recorded = { gameState: string; gameDate: string; startTimeUTC: string; homeTeam: { abbrev: string } };
    const items = Object.entries(recordings ?? {}).filter(([file]) => file.startsWith("scoreboard_game"));

    it("has the whole life of a game", () => {
      expect(items.length).toBeGreaterThanOrEqual(14);
    });

    it.each([
      [
        "MTL-TOR_FUT",
        "2025-10-08T15:16:54Z",
        "MTL",
        "Le Canadien joue à Toronto ce soir à 19 heures; ça passe à TVA Sports.",
      ],
      [
        "MTL-TOR_PRE",
        "2025-10-08T22:29:21Z",
        "MTL",
        "C'est l'échauffement : le Canadien joue à Toronto ce soir à 19 heures; ça passe à TVA Sports.",
      ],
      [
        "MTL-TOR_LIVE_p1",
        "2025-10-08T23:21:51Z",
        "MTL",
        "C'est toujours 0 à 0 entre Montréal et Toronto. Il reste 19 minutes 52 à la première. Ça passe à TVA Sports.",
      ],
      [
        "MTL-TOR_LIVE_intermission1",
        "2025-10-09T00:02:05Z",
        "Toronto",
        "Premier entracte : c'est 1 à 1 entre Toronto et Montréal. La deuxième commence dans environ 16 minutes. Tirs : 11 à 7 pour Montréal; ça passe à TVA Sports.",
      ],
      [
        "MTL-TOR_CRIT_p3",
        "2025-10-09T01:40:00Z",
        "MTL",
        "Montréal tire de l'arrière 3 à 2 à Toronto. Il reste 4 minutes 57 à la troisième. Montréal domine 29 à 25 au chapitre des tirs; ça passe à TVA Sports.",
      ],
      [
        "MTL-TOR_FINAL",
        "2025-10-09T01:55:00Z",
        "MTL",
        "C'est fini : Montréal s'incline 5 à 2 contre Toronto. Aucun match prévu pour l'instant.",
      ],
      [
        "CGY-EDM_CRIT_OT_live_PP",
        "2025-10-09T04:40:00Z",
        "les Oilers",
        "C'est 3 à 3 entre Edmonton et Calgary, en prolongation. Il reste 4 minutes 56, et Calgary est en avantage numérique à 4 contre 3. Edmonton domine 29 à 19 au chapitre des tirs; ça passe à TVA Sports.",
      ],
      [
        "CGY-EDM_CRIT_SO",
        "2025-10-09T04:55:00Z",
        "les Flames",
        "C'est 3 à 3 entre Calgary et Edmonton, et on est en tirs de barrage. Tirs : 36 à 22 pour Edmonton; ça passe à TVA Sports.",
      ],
      [
        "CGY-EDM_OFF_SO",
        "2025-10-09T05:40:00Z",
        "les Flames",
        "C'est fini : Calgary l'emporte 4 à 3 sur Edmonton, en tirs de barrage. Aucun match prévu pour l'instant.",
      ],
    ])("says %s", async (file, at, team, expected) => {
      const item = recordings?.[`scoreboard_game_${file}.json`] as Record<string, unknown>;
      const abbrev = { MTL: "MTL", Toronto: "TOR", "les Oilers": "EDM", "les Flames": "CGY" }[team];
      const source = new Source({
        "/v1/score/2025-10-08": scores([item]),
        [`/v1/scoreboard/${abbrev}/now`]: board([item]),
        [`/v1/club-schedule-season/${abbrev}/now`]: season([]),
      });
      expect(await source.say(at, team)).toBe(expected);
    });

    it("says every game of a season of Toronto, from the night before to the day after", async () => {
      const real = recordings?.["club-schedule-season_TOR_20232024.json"] as { games: Recorded[] };
      expect(real.games.length).toBeGreaterThan(80);
      for (const { startTimeUTC } of real.games) {
        for (const hours of [-12, 20]) {
          const at = new Date(Date.parse(startTimeUTC) + hours * 3_600_000);
          const source = new Source({ "/v1/club-schedule-season/TOR/now": real });
          for (const day of [-1, 0]) {
            const night = new Date(at.getTime() + day * 86_400_000).toISOString().slice(0, 10);
            source.routes[`/v1/score/${night}`] = scores([]);
          }
          expect(await source.say(at.toISOString(), "TOR")).toMatch(/Maple Leafs|Toronto/);
        }
      }
    });

    it("says every recorded night and schedule of the league, in three shapes", async () => {
      const nights = Object.entries(recordings ?? {}).filter(([file]) => /^schedule_|^score_/.test(file));
      expect(nights.length).toBeGreaterThan(7);
      for (const [file, body] of nights) {
        const { games = [], gameWeek = [] } = body as {
          games?: object[];
          gameWeek?: { date: string; games?: object[] }[];
        };
        const days = games.length > 0 ? [{ date: (games[0] as Recorded).gameDate, games }] : gameWeek;
        for (const { date, games: played = [] } of days) {
          for (const team of ["MTL", "TOR", "OTT", "WPG", "CGY", "EDM", "VAN"]) {
            const source = new Source({ [`/v1/score/${date}`]: scores(played as Record<string, unknown>[]) });
            const { text, isError } = await source.ask(`${date}T23:30:00-04:00`, team);
            expect({ file, text, isError }).toMatchObject({ isError: false });
          }
        }
      }
    });

    it("says a playoff final with its scorers", async () => {
      const final = structuredClone(recordings?.["score_2026-06-14_playoff_final_OFF.json"]) as {
        games: { homeTeam: { abbrev: string } }[];
      };
      // No Canadian team was there: Montréal takes the home side's place.
      const text = JSON.stringify(final).replaceAll('"VGK"', '"MTL"');
      const source = new Source({ "/v1/score/2026-06-14": JSON.parse(text), [BOARD]: board([]), [SEASON]: season([]) });
      expect(await source.say("2026-06-15T03:00:00Z")).toBe(
        "C'est fini : Montréal s'incline 3 à zéro contre la Caroline et perd la finale 4 à 2. Pour la Caroline, buts de Taylor Hall, de Jackson Blake et de Nikolaj Ehlers. Aucun match prévu pour l'instant.",
      );
    });
  },
);
