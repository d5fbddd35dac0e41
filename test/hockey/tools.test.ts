import { describe, expect, it } from "vitest";
import { around, board, during, game, goal, intermission, over, period, scores, season } from "./payloads.ts";
import { Source } from "./source.ts";

const NIGHT = "2026-11-29T01:10:00Z";
const SEVEN =
  "Je connais le Canadien, les Maple Leafs, les Sénateurs, les Jets, les Flames, les Oilers et les Canucks.";

describe("the team that was said", () => {
  /** The seven teams play each other or someone else tonight, each with its own score. */
  const everyone = () =>
    new Source({
      "/v1/score/2026-11-28": scores([
        game("MTL 9", "TOR 1", intermission(1, 600)),
        game("OTT 9", "WPG 2", intermission(1, 600)),
        game("CGY 9", "EDM 3", intermission(1, 600)),
        game("VAN 9", "BOS 4", intermission(1, 600)),
      ]),
    });

  it.each([
    [
      "Montréal",
      "le Canadien|Canadiens|les Canadiens|LES CANADIENS|canadiens de Montréal|le Canadien de Montréal|les Habs|habs|le CH|CH|le Tricolore|la Sainte-Flanelle|MTL|mtl|Montréal|montreal|Montreal Canadiens|Club de hockey Canadien|l'équipe de Montréal|  les   habs  |du Canadien|les Habs ?|Canadian",
    ],
    ["Toronto", "Toronto|les Maple Leafs|les Leafs|Maple Leafs de Toronto|TOR|toronto maple leafs|les Maple-Leafs"],
    ["Ottawa", "Ottawa|les Sénateurs|Senateurs|les Sens|sens|Senators|les Sénateurs d'Ottawa|OTT|d’Ottawa"],
    ["Winnipeg", "Winnipeg|les Jets|Jets de Winnipeg|WPG|winnipeg jets"],
    ["Calgary", "Calgary|les Flames|CGY|Flames de Calgary"],
    ["Edmonton", "Edmonton|les Oilers|EDM|Oilers d'Edmonton|edmonton oilers"],
    ["Vancouver", "Vancouver|les Canucks|VAN|canucks|les Nucks"],
  ])("understands %s however it is said", async (city, ways) => {
    const source = everyone();
    for (const way of ways.split("|")) {
      const said = await source.say(NIGHT, way);
      expect({ way, said }).toEqual({ way, said: expect.stringContaining(`Premier entracte : ${city} `) });
    }
  });

  it.each([
    "les Nordiques",
    "la Victoire de Montréal",
    "les Sceptres de Toronto",
    "la Charge d'Ottawa",
    "le Rocket de Laval",
    "les Sénateurs de Belleville",
    "les Canucks d'Abbotsford",
    "les Marlies de Toronto",
    "le Moose du Manitoba",
    "les Wranglers de Calgary",
    "les Canadiennes de Montréal",
    "le Canadien junior de Montréal",
    "les Remparts de Québec",
    "les Bruins",
    "les Bruins contre les Rangers",
    "les Ducks",
    "les Blues de Saint-Louis",
    "Saint-Louis",
    "le bleu et blanc",
    "les rouges",
    "les Stars de Montréal",
    "Montréal Stars",
    "les Sénateurs de Washington",
    "Canadians de Vancouver",
    "Canadiens de Toronto",
    "Canucks de Calgary",
    "la Victoire de Montréal contre Toronto",
    "le Rocket contre le Canadien",
    "les Alouettes",
  ])("refuses %s and names the seven teams", async (equipe) => {
    const source = everyone();
    expect(await source.ask(NIGHT, equipe)).toEqual({
      text: `« ${equipe} » n'est pas une équipe canadienne de la LNH. ${SEVEN}`,
      isError: true,
    });
    expect(source.calls).toEqual([]);
  });

  it.each([
    [
      "Montréal",
      "Canadiens vs Leafs|le Canadien contre Boston|Montréal et Toronto|Habs vs Sens|Canadiens @ Maple Leafs",
    ],
    [
      "Montréal",
      "les Canadiens ce soir|est-ce que le Canadien joue ce soir ?|c'est quoi le score des Habs|pointage du Canadien",
    ],
    ["Montréal", "la game des Habs|Habs game|Go Habs Go|C.H.|le C. H.|prochain match des Habs|les Habs hier soir"],
    ["Vancouver", "les Canuks|Canuck|Vancouvert"],
    ["Calgary", "les flammes|les Flamme|Calgari"],
    ["Toronto", "Tronto|Maple Leaf|les Leafs contre les Habs"],
    ["Ottawa", "Sens vs Habs|Otawa|Ottawa Florida"],
    [
      "Winnipeg",
      "Saint-Louis contre les Jets|les Blues de Saint-Louis à Winnipeg|les Rangers de New York contre les Jets",
    ],
    ["Edmonton", "les Ducks contre les Oilers|VGK EDM|pis les Oilers ?|euh, les Oilers s'il te plaît|chez les Oilers"],
    ["Toronto", "le match Saint-Louis Toronto|TOR-DET|Philadelphia Toronto|est-ce que Toronto gagne ?"],
    [
      "Montréal",
      "MTL vs BOS|New York Montréal|Pens Habs|qui a compté pour le Canadien ?|le bleu, blanc, rouge|le bleu-blanc-rouge|Canadien-Boston|merci, non, le Canadien",
    ],
  ])("finds %s in the middle of a question, between two teams, and through a slip", async (city, ways) => {
    const source = everyone();
    for (const way of ways.split("|")) {
      const said = await source.say(NIGHT, way);
      expect({ way, said }).toEqual({ way, said: expect.stringContaining(`Premier entracte : ${city} `) });
    }
  });

  it.each(["🏒", "!!!", "<>", "..."])("does not repeat %s aloud", async (equipe) => {
    expect(await everyone().ask(NIGHT, equipe)).toEqual({
      text: `Je n'ai pas compris le nom de l'équipe. ${SEVEN}`,
      isError: true,
    });
  });

  it("cuts and cleans what it repeats", async () => {
    const { text } = await everyone().ask(
      NIGHT,
      "**Les [Expos](http://evil.example) de Montréal** pour toujours et à jamais",
    );
    expect(text).toBe(
      `« Les Exposhttpevil.example de Montréal po » n'est pas une équipe canadienne de la LNH. ${SEVEN}`,
    );
  });

  it.each([[12], [true], [["MTL"]], [{ nom: "MTL" }], ["x".repeat(81)]])(
    "asks for a name instead of %o",
    async (equipe) => {
      const source = everyone();
      expect(await source.ask(NIGHT, equipe)).toEqual({
        text: "L'argument « equipe » ne convient pas : il faut un texte d'au plus 80 caractères. Rien n'a été cherché; corrige-le et rappelle l'outil.",
        isError: true,
      });
      expect(source.calls).toEqual([]);
    },
  );

  it("does not cut a character in two", async () => {
    const { text } = await everyone().ask(NIGHT, `${"a".repeat(39)}\u{1D49C}b`);
    expect(text).toBe(`« ${"a".repeat(39)}\u{1D49C} » n'est pas une équipe canadienne de la LNH. ${SEVEN}`);
  });

  it.each([undefined, null, "", "   ", "mon équipe", "notre club", "le match", "le score", "ce soir"])(
    "takes the team of the house for %o",
    async (equipe) => {
      expect(await everyone().say(NIGHT, equipe)).toMatch(/^Premier entracte : Montréal mène/);
      expect(await everyone().say(NIGHT, equipe, { DEFAULT_TEAM: "Ottawa" })).toMatch(
        /^Premier entracte : Ottawa mène/,
      );
      expect(await everyone().say(NIGHT, equipe, { DEFAULT_TEAM: "QUE" })).toMatch(/^Premier entracte : Montréal mène/);
    },
  );
});

describe("which game is the one to speak of", () => {
  const both = (
    today: Record<string, unknown>[],
    others: Record<string, unknown>[],
    team = "MTL",
    night = "2026-11-28",
  ) =>
    new Source({
      [`/v1/score/${night}`]: scores(today),
      [`/v1/scoreboard/${team}/now`]: board([...today, ...others]),
    });

  it("is the live one, not the next one", async () => {
    const source = both([game("MTL 1", "BOS 2", during(2, 300))], around("MTL"));
    expect(await source.say(NIGHT)).toMatch(/^Montréal tire de l'arrière 2 à 1 à Boston\./);
  });

  it("is still the live one in the last minutes, when the state changes its name", async () => {
    const tied = game("MTL 2", "BOS 2", { ...during(3, 221), gameState: "CRIT" });
    expect(await both([tied], around("MTL")).say(NIGHT)).toBe(
      "C'est 2 à 2 entre Montréal et Boston. Il reste 3 minutes 41 à la troisième.",
    );
  });

  it("is live whatever an outcome says before the end", async () => {
    const odd = game("MTL 2", "BOS 1", { ...during(2, 700), gameOutcome: { lastPeriodType: "REG" } });
    expect(await both([odd], around("MTL")).say(NIGHT)).toMatch(
      /^Montréal mène 2 à 1 à Boston\. Il reste 11 minutes 40/,
    );
  });

  it("gives the score and doubts the state, in a state it doesn't know", async () => {
    const odd = game("MTL 2", "BOS 2", { ...during(3, 221), gameState: "XYZ" });
    expect(await both([odd], around("MTL")).say(NIGHT)).toBe(
      "C'est 2 à 2 entre Montréal et Boston, mais l'état du match est inconnu.",
    );
  });

  it("is today's on the second of two days in a row", async () => {
    const yesterday = game("WPG 5", "TOR 2", {
      ...over(),
      gameDate: "2026-12-28",
      startTimeUTC: "2026-12-29T00:00:00Z",
    });
    const live = game("DET 0", "WPG 1", {
      ...during(1, 600),
      gameDate: "2026-12-29",
      startTimeUTC: "2026-12-30T00:30:00Z",
    });
    const source = both([live], [yesterday], "WPG", "2026-12-29");
    expect(await source.say("2026-12-30T01:00:00Z", "WPG")).toMatch(/^Winnipeg mène 1 à 0 contre Detroit\./);
  });

  it("is today's to come on the second of two days, with yesterday's result after", async () => {
    const yesterday = game("MTL 5", "TOR 2", {
      ...over(),
      gameDate: "2026-11-27",
      startTimeUTC: "2026-11-28T00:00:00Z",
    });
    const source = both([game("BOS", "MTL")], [yesterday]);
    expect(await source.say("2026-11-28T14:00:00Z")).toBe(
      "Le Canadien reçoit Boston ce soir à 19 heures. Dernier match : victoire de 5 à 2 à Toronto, hier soir.",
    );
  });

  it("is last night's after midnight, until six in the morning", async () => {
    const late = game("MTL 2", "VAN 2", { ...during(3, 300), startTimeUTC: "2026-11-29T03:00:00Z" });
    const source = both([late], around("MTL"));
    expect(await source.say("2026-11-29T05:40:00Z")).toMatch(/^C'est 2 à 2 entre Montréal et Vancouver\./);
    expect(source.calls[0]).toBe("/v1/score/2026-11-28");
  });

  it("is this evening's when somebody asks at one in the morning after a day off", async () => {
    const evening = game("BOS", "MTL", { gameDate: "2026-11-29", startTimeUTC: "2026-11-30T00:00:00Z" });
    const [before] = around("MTL");
    expect(await both([], [before, evening]).say("2026-11-29T06:00:00Z")).toMatch(
      /^Le Canadien reçoit Boston ce soir à 19 heures\./,
    );
  });

  it("is over the morning after, with the scorers from the night's own page", async () => {
    const last = game("MTL 3", "TOR 2", {
      ...over("SO"),
      gameDate: "2026-11-27",
      startTimeUTC: "2026-11-28T00:00:00Z",
    });
    const source = both([], [last, around("MTL")[1]]);
    source.routes["/v1/score/2026-11-27"] = scores([
      { ...last, goals: [goal("MTL", "Nick Suzuki"), goal("MTL", "Nick Suzuki")] },
    ]);
    expect(await source.say("2026-11-28T13:00:00Z")).toBe(
      "Le Canadien ne joue pas aujourd'hui. Dernier match : victoire de 3 à 2 à Toronto, en tirs de barrage, hier soir; " +
        "pour Montréal, deux buts de Nick Suzuki. Prochain match : lundi à 19 heures, à Detroit.",
    );
  });

  it("is to come, not unknown, before its hour in a state that nobody knows", async () => {
    const odd = game("BOS", "MTL", { gameState: "XYZ" });
    expect(await both([odd], around("MTL")).say("2026-11-28T15:00:00Z")).toMatch(
      /^Le Canadien reçoit Boston ce soir à 19 heures\./,
    );
    expect(await both([odd], around("MTL")).say(NIGHT)).toMatch(
      /^Montréal joue contre Boston, mais ni le pointage ni l'état du match ne sont disponibles\./,
    );
  });

  it.each(["constructor", "toString", "__proto__", ""])("is no stranger to the state « %s »", async (gameState) => {
    const odd = game("BOS 1", "MTL 2", { gameState });
    expect(await both([odd], around("MTL")).say(NIGHT)).toBe(
      "Montréal mène 2 à 1 contre Boston, mais l'état du match est inconnu.",
    );
  });

  it("skips a game dated after now as the last one, and the games that a finished series leaves behind", async () => {
    const future = game("MTL 2", "BOS 1", { ...over(), gameDate: "2026-11-29", startTimeUTC: "2026-11-30T00:00:00Z" });
    const [before, after] = around("MTL");
    expect(await both([], [before, future, after]).say(NIGHT)).toContain(
      "Dernier match : défaite de 5 à 2 à Toronto, jeudi.",
    );
    const series = {
      gameType: 3,
      seriesStatus: { topSeedTeamAbbrev: "MTL", topSeedWins: 4, bottomSeedWins: 1, neededToWin: 4 },
    };
    const [fourth, fifth] = around("MTL", { ...series, homeTeam: { abbrev: "DET", score: 1 } }, { gameType: 3 });
    const done = both([], [fourth, fifth]);
    done.routes["/v1/club-schedule-season/MTL/now"] = season([fourth, fifth]);
    expect(await done.say(NIGHT)).toMatch(/Le Canadien attend son prochain adversaire\.$/);
  });

  it("does not invent the wins of a team that the series doesn't name", async () => {
    const series = { gameType: 3, seriesStatus: { topSeedTeamAbbrev: "TBD", topSeedWins: 3, bottomSeedWins: 2 } };
    expect(await both([game("MTL 4", "BOS 1", { ...over(), ...series })], []).say(NIGHT)).toMatch(
      /^C'est fini : Montréal l'emporte 4 à 1 sur Boston\. /,
    );
  });

  it("is over for everybody once one address says so, though another lags behind", async () => {
    const last = { id: 2026020500, ...during(3, 12) };
    const lagging = game("BOS 1", "MTL 2", last);
    const source = both([game("BOS 1", "MTL 3", { ...over(), id: 2026020500 })], []);
    source.routes["/v1/scoreboard/MTL/now"] = board([lagging, ...around("MTL")]);
    expect(await source.say(NIGHT)).toMatch(/^C'est fini : Montréal l'emporte 3 à 1 sur Boston\./);
    for (const seconds of [16, 30, 61]) {
      expect(await source.say(new Date(Date.parse(NIGHT) + seconds * 1000).toISOString())).toMatch(/^C'est fini : /);
    }
  });

  it("is put off once one address says so, though the other is still at the warm-up", async () => {
    const ready = game("BOS", "MTL", { id: 2026020500, gameState: "PRE" });
    const off = { ...ready, gameState: "FUT", gameScheduleState: "PPD" };
    for (const [first, second] of [
      [ready, off],
      [off, ready],
    ]) {
      const source = both([first], []);
      source.routes["/v1/scoreboard/MTL/now"] = board([second, ...around("MTL")]);
      for (const at of ["2026-11-28T23:40:00Z", "2026-11-28T23:40:50Z", "2026-11-28T23:41:10Z"]) {
        expect(await source.say(at)).toMatch(
          /^Le match du Canadien contre Boston, prévu ce soir, est remis à plus tard/,
        );
      }
    }
  });

  it("skips a postponed game as the next one", async () => {
    const [before, after] = around("MTL");
    const off = game("BUF", "MTL", {
      gameScheduleState: "PPD",
      gameDate: "2026-11-29",
      startTimeUTC: "2026-11-30T00:00:00Z",
    });
    expect(await both([], [before, off, after]).say(NIGHT)).toContain("Prochain match : lundi à 19 heures, à Detroit.");
  });

  it("believes tonight's own list when the schedule still has the old opponent", async () => {
    const [before, after] = around("MTL");
    const source = new Source({
      "/v1/score/2026-11-28": scores([game("MTL", "WPG")]),
      "/v1/scoreboard/MTL/now": board([before, game("MTL", "TOR"), after]),
    });
    const said = await source.say("2026-11-28T14:00:00Z");
    expect(said).toMatch(/^Le Canadien joue à Winnipeg ce soir/);
    expect(said).not.toMatch(/joue à Toronto/);
  });

  it("ignores games that are not of the league", async () => {
    const showcase = game("MTL 3", "TOR 3", { ...during(1, 600), gameType: 12 });
    const nations = game("MTL 3", "TOR 3", { ...during(1, 600), gameType: 19 });
    expect(await both([showcase, nations], around("MTL")).say(NIGHT)).toMatch(/^Le Canadien ne joue pas ce soir\./);
  });

  it("takes the live one of two games of the same day", async () => {
    const first = game("MTL 2", "TOR 1", {
      ...over(),
      gameType: 1,
      gameState: "FINAL",
      startTimeUTC: "2026-11-28T18:00:00Z",
    });
    const second = game("OTT 0", "MTL 1", { ...during(1, 600), gameType: 1 });
    expect(await both([first, second], []).say(NIGHT)).toMatch(
      /^Montréal mène 1 à 0 contre Ottawa, dans un match préparatoire\./,
    );
  });

  it("says that it has just started without clock and period, even when the score is known", async () => {
    const bare = { gameState: "LIVE", periodDescriptor: undefined, clock: undefined };
    expect(await both([game("BUF 0", "MTL 0", bare)], []).say(NIGHT)).toBe(
      "Le match vient de commencer entre Montréal et Buffalo.",
    );
    const third = { ...bare, period: 3 };
    expect(await both([game("VAN 1", "EDM 4", third)], [], "EDM").say(NIGHT, "EDM")).toBe(
      "Le match vient de commencer entre Edmonton et Vancouver, et Edmonton mène 4 à 1.",
    );
    const final = { gameState: "FINAL", period: 3, periodDescriptor: period(3) };
    expect(await both([game("VAN 1", "EDM 4", final)], [], "EDM").say(NIGHT, "EDM")).toMatch(
      /^C'est fini : Edmonton l'emporte 4 à 1/,
    );
  });

  it("reads the period where the source has put it", async () => {
    const moved = {
      period: undefined,
      clock: { timeRemaining: "02:00", secondsRemaining: 120, inIntermission: false },
    };
    expect(await both([game("TOR 0", "BOS 1", { ...during(2, 120), ...moved })], [], "TOR").say(NIGHT, "TOR")).toBe(
      "Toronto tire de l'arrière 1 à 0 à Boston. Il reste 2 minutes à la deuxième.",
    );
    const old = { period: 2, periodDescriptor: undefined };
    expect(await both([game("TOR 0", "BOS 1", { ...during(2, 120), ...old })], [], "TOR").say(NIGHT, "TOR")).toContain(
      "Il reste 2 minutes à la deuxième.",
    );
  });

  it("keeps an overtime goal of the playoffs, at five minutes too", async () => {
    const winner = goal("MTL", "Nick Suzuki", [], {
      timeInPeriod: "05:00",
      period: 4,
      periodDescriptor: period(4, "OT"),
    });
    const final = game("MTL 1", "TOR 0", { ...over("OT"), gameType: 3, goals: [winner] });
    expect(await both([final], []).say(NIGHT)).toContain(
      "Pour Montréal, but de Nick Suzuki, à 5 minutes de la première période de prolongation, sans aide.",
    );
  });

  it("says a corrected goal once", async () => {
    const scored = (helpers: string[]) =>
      scores([game("MTL 1", "TOR 0", { ...during(1, 600), id: 7, goals: [goal("MTL", "Nick Suzuki", helpers)] })]);
    const source = new Source({ "/v1/score/2026-11-28": scored(["L. Hutson"]) });
    expect(await source.say(NIGHT)).toContain("Pour Montréal, but de Nick Suzuki, aidé de Hutson.");
    source.routes["/v1/score/2026-11-28"] = scored(["L. Hutson", "I. Demidov"]);
    expect(await source.say("2026-11-29T01:11:00Z")).toContain(
      "Pour Montréal, but de Nick Suzuki, aidé de Hutson et Demidov.",
    );
  });

  it("follows a goal that was refused: a lower score is no fault of the source", async () => {
    const at = (score: string) => scores([game(score, "SEA 1", { ...during(2, 600), id: 8 })]);
    const source = new Source({ "/v1/score/2026-11-28": at("MTL 2") });
    expect(await source.say(NIGHT)).toMatch(/^Montréal mène 2 à 1 à Seattle\./);
    source.routes["/v1/score/2026-11-28"] = at("MTL 1");
    expect(await source.say("2026-11-29T01:11:00Z")).toMatch(/^C'est 1 à 1 entre Montréal et Seattle\./);
  });
});

describe("between seasons", () => {
  const SUMMER = "2026-09-11T16:00:00Z";
  const empty = scores([], { prevDate: "2026-06-14", currentDate: "2026-09-11", nextDate: "2026-09-19" });
  const last = game("OTT 3", "CAR 4", {
    ...over(),
    id: 2025030124,
    gameDate: "2026-04-25",
    startTimeUTC: "2026-04-25T23:00:00Z",
  });
  const first = game("MTL", "OTT", {
    id: 2026010003,
    gameType: 1,
    gameDate: "2026-09-20",
    startTimeUTC: "2026-09-20T23:00:00Z",
  });

  it("says that the season is over, and when the first preseason game is", async () => {
    const source = new Source({
      "/v1/score/2026-09-11": empty,
      "/v1/club-schedule-season/OTT/now": season([last], { nextSeason: 20262027 }),
      "/v1/club-schedule-season/OTT/20262027": season([first]),
    });
    expect(await source.say(SUMMER, "Ottawa")).toBe(
      "La saison est terminée pour les Sénateurs. Dernier match : défaite de 4 à 3 en Caroline, le samedi 25 avril. " +
        "Premier match préparatoire : le dimanche 20 septembre à 19 heures, contre Montréal, à Ottawa.",
    );
    expect(source.calls).toHaveLength(3);
  });

  it("follows the source's redirect to a dated season as a part of the same call", async () => {
    const source = new Source({
      "/v1/score/2026-09-11": empty,
      "/v1/club-schedule-season/OTT/now": () =>
        new Response(null, { status: 307, headers: { location: "/v1/club-schedule-season/OTT/20252026" } }),
      "/v1/club-schedule-season/OTT/20252026": season([last], { nextSeason: 20262027 }),
      "/v1/club-schedule-season/OTT/20262027": season([first]),
    });
    expect(await source.say(SUMMER, "Ottawa")).toContain(
      "Premier match préparatoire : le dimanche 20 septembre à 19 heures",
    );
  });

  it("does not say that nothing is planned before it has read the calendar that would tell", async () => {
    const silent =
      "Le calendrier ne répond pas pour l'instant, alors je ne peux pas dire quand sera le prochain match.";
    const half = new Source({
      "/v1/score/2026-09-11": empty,
      "/v1/club-schedule-season/OTT/now": season([last], { nextSeason: 20262027 }),
    });
    expect(await half.say(SUMMER, "Ottawa")).toMatch(new RegExp(`${silent}$`));
    const hole = new Source({
      "/v1/score/2026-11-28": scores([]),
      "/v1/scoreboard/OTT/now": board([around("OTT")[0]]),
    });
    expect(await hole.say("2026-11-28T18:00:00Z", "Ottawa")).toMatch(new RegExp(`${silent}$`));
    const nothing = new Source({ "/v1/score/2026-11-28": scores([]), "/v1/scoreboard/OTT/now": board([]) });
    expect(await nothing.say("2026-11-28T18:00:00Z", "Ottawa")).toBe(
      `Les Sénateurs ne jouent pas aujourd'hui. ${silent}`,
    );
  });

  it("looks back when the source has already turned the page", async () => {
    const source = new Source({
      "/v1/score/2026-09-11": empty,
      "/v1/club-schedule-season/OTT/now": season([first]),
      "/v1/club-schedule-season/OTT/20252026": season([last]),
    });
    expect(await source.say(SUMMER, "Ottawa")).toMatch(
      /^La saison est terminée pour les Sénateurs\. Dernier match : .* Premier match préparatoire/,
    );
    expect(source.calls).toHaveLength(3);
  });

  it("says that nothing is planned when the calendar is empty", async () => {
    const source = new Source({ "/v1/score/2026-09-11": empty, "/v1/club-schedule-season/OTT/now": season([]) });
    expect(await source.say(SUMMER, "Ottawa")).toBe("Aucun match prévu pour l'instant, du côté des Sénateurs.");
    const over = new Source({ "/v1/score/2026-09-11": empty, "/v1/club-schedule-season/OTT/now": season([last]) });
    expect(await over.say(SUMMER, "Ottawa")).toBe(
      "La saison est terminée pour les Sénateurs. Dernier match : défaite de 4 à 3 en Caroline, le samedi 25 avril. Aucun match prévu pour l'instant.",
    );
  });

  it("looks in the season over a long break, and calls no season ended in January", async () => {
    const before = game("MTL 3", "TOR 1", { ...over(), gameDate: "2027-01-20", startTimeUTC: "2027-01-21T00:00:00Z" });
    const after = game("MTL", "BOS", { gameDate: "2027-02-20", startTimeUTC: "2027-02-21T00:00:00Z" });
    const source = new Source({
      "/v1/score/2027-02-03": scores([]),
      "/v1/scoreboard/MTL/now": board([]),
      "/v1/club-schedule-season/MTL/now": season([before, after]),
    });
    expect(await source.say("2027-02-03T15:00:00Z")).toBe(
      "Le Canadien ne joue pas aujourd'hui. Dernier match : victoire de 3 à 1 à Toronto, le mercredi 20 janvier. Prochain match : le samedi 20 février à 19 heures, à Boston.",
    );
    const newYear = new Source({
      "/v1/score/2027-01-03": scores([]),
      "/v1/scoreboard/MTL/now": board([{ ...before, gameDate: "2027-01-02", startTimeUTC: "2027-01-03T00:00:00Z" }]),
      "/v1/club-schedule-season/MTL/now": season([]),
    });
    expect(await newYear.say("2027-01-03T15:00:00Z")).toBe(
      "Le Canadien ne joue pas aujourd'hui. Dernier match : victoire de 3 à 1 à Toronto, hier soir. Aucun match prévu pour l'instant.",
    );
  });

  it("says that a team waits for its opponent, or is out", async () => {
    const wins = (mine: number, theirs: number) => ({
      ...over(),
      gameType: 3,
      gameDate: "2027-05-01",
      startTimeUTC: "2027-05-01T23:00:00Z",
      seriesStatus: {
        neededToWin: 4,
        topSeedTeamAbbrev: "MTL",
        topSeedWins: mine,
        bottomSeedTeamAbbrev: "TBL",
        bottomSeedWins: theirs,
      },
    });
    const source = (mine: number, theirs: number) =>
      new Source({
        "/v1/score/2027-05-03": scores([]),
        "/v1/scoreboard/MTL/now": board([game("MTL 4", "TBL 1", wins(mine, theirs))]),
        "/v1/club-schedule-season/MTL/now": season([]),
      });
    expect(await source(4, 0).say("2027-05-03T15:00:00Z")).toBe(
      "Le Canadien ne joue pas aujourd'hui. Dernier match : victoire de 4 à 1 à Tampa Bay, samedi; Montréal a balayé la série en 4. Le Canadien attend son prochain adversaire.",
    );
    expect(await source(2, 4).say("2027-05-03T15:00:00Z")).toMatch(/^La saison est terminée pour le Canadien\./);
  });
});

describe("days, zones and clock changes", () => {
  it.each([
    ["2026-12-06T02:30:00Z", "2026-12-05"],
    ["2027-01-26T04:00:00Z", "2027-01-25"],
    ["2026-11-29T10:59:00Z", "2026-11-28"],
    ["2026-11-29T11:01:00Z", "2026-11-29"],
    ["2026-11-01T05:30:00Z", "2026-10-31"],
    ["2026-11-01T11:30:00Z", "2026-11-01"],
    ["2027-03-14T09:30:00Z", "2027-03-13"],
    ["2027-03-14T11:30:00Z", "2027-03-14"],
    ["2027-01-01T03:00:00Z", "2026-12-31"],
    ["2027-01-01T10:30:00Z", "2026-12-31"],
    ["2027-01-01T12:00:00Z", "2027-01-01"],
    // Six in the morning on the wall, not six hours after midnight: 23 and 25 hour days.
    ["2026-03-08T09:50:00Z", "2026-03-07"],
    ["2026-03-08T10:10:00Z", "2026-03-08"],
    ["2025-11-02T10:50:00Z", "2025-11-01"],
    ["2025-11-02T11:10:00Z", "2025-11-02"],
    ["2028-03-01T04:00:00Z", "2028-02-29"],
  ])("asks at %s for the night of %s", async (at, night) => {
    const source = new Source({
      [`/v1/score/${night}`]: scores([game("MTL 1", "TOR 0", { ...during(1, 600), gameDate: night })]),
    });
    expect(await source.say(at)).toMatch(/^Montréal mène 1 à 0 à Toronto\./);
    expect(source.calls[0]).toBe(`/v1/score/${night}`);
  });

  it("does not serve yesterday's night from memory once the day has turned", async () => {
    const source = new Source({
      "/v1/score/2026-11-28": scores([game("MTL 1", "TOR 0", during(1, 600))]),
      "/v1/score/2026-11-29": scores([game("OTT 0", "MTL 4", { ...during(1, 600), gameDate: "2026-11-29" })]),
    });
    expect(await source.say("2026-11-29T10:59:55Z")).toMatch(/^Montréal mène 1 à 0 à Toronto/);
    expect(await source.say("2026-11-29T11:00:05Z")).toMatch(/^Montréal mène 4 à 0 contre Ottawa/);
  });

  it("counts days across a clock change", async () => {
    const next = game("MTL", "BOS", { gameDate: "2026-11-02", startTimeUTC: "2026-11-03T00:00:00Z" });
    const last = game("MTL 1", "BOS 2", { ...over(), gameDate: "2026-10-30", startTimeUTC: "2026-10-30T23:00:00Z" });
    const source = new Source({ "/v1/score/2026-11-01": scores([]), "/v1/scoreboard/MTL/now": board([last, next]) });
    expect(await source.say("2026-11-01T15:00:00Z")).toBe(
      "Le Canadien ne joue pas aujourd'hui. Dernier match : défaite de 2 à 1 à Boston, vendredi. Prochain match : demain à 19 heures, à Boston.",
    );
  });

  it("says the day of the person, not the league's date, for a game at ten in the West", async () => {
    const next = game("MTL", "VAN", { gameDate: "2026-11-29", startTimeUTC: "2026-11-30T03:00:00Z" });
    const source = new Source({
      "/v1/score/2026-11-28": scores([]),
      "/v1/scoreboard/MTL/now": board([around("MTL")[0], next]),
    });
    expect(await source.say(NIGHT)).toContain("Prochain match : demain à 22 heures, à Vancouver.");
  });
});
