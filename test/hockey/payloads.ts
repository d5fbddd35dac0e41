// Responses in the real shapes of api-web.nhle.com, with invented values. A field set to undefined is absent.

type Json = Record<string, unknown>;

/** Nickname, full name in French, and place: what the endpoints give for a club. */
const NAMES: Record<string, [nickname: string, french: string, full: string]> = {
  MTL: ["Canadiens", "Canadiens de Montréal", "Montréal Canadiens"],
  TOR: ["Maple Leafs", "Maple Leafs de Toronto", "Toronto Maple Leafs"],
  OTT: ["Senators", "Sénateurs d'Ottawa", "Ottawa Senators"],
  WPG: ["Jets", "Jets de Winnipeg", "Winnipeg Jets"],
  CGY: ["Flames", "Flames de Calgary", "Calgary Flames"],
  EDM: ["Oilers", "Oilers d'Edmonton", "Edmonton Oilers"],
  VAN: ["Canucks", "Canucks de Vancouver", "Vancouver Canucks"],
  BOS: ["Bruins", "Bruins de Boston", "Boston Bruins"],
};

/** One side as `/score` gives it; the scoreboard's has `commonName` and both languages. */
export function side(abbrev: string, score?: unknown, sog?: unknown): Json {
  const [nickname, fr, full] = NAMES[abbrev] ?? [abbrev, abbrev, abbrev];
  return { id: 1, abbrev, score, sog, name: { default: full, fr }, commonName: { default: nickname } };
}

let nextId = 2026020001;

/**
 * One game, `FUT` tonight at Toronto unless told otherwise. `away` and `home` are « MTL » or « MTL 3 28 » (score, shots).
 */
export function game(away: string, home: string, more: Json = {}): Json {
  const [awaySide, homeSide] = [away, home].map((text) => {
    const [abbrev, score, sog] = text.split(" ");
    return side(abbrev, score === undefined ? undefined : Number(score), sog === undefined ? undefined : Number(sog));
  });
  return {
    id: nextId++,
    season: 20262027,
    gameType: 2,
    gameDate: "2026-11-28",
    venue: { default: "Scotiabank Arena" },
    startTimeUTC: "2026-11-29T00:00:00Z",
    easternUTCOffset: "-05:00",
    venueUTCOffset: "-05:00",
    venueTimezone: "America/Toronto",
    gameState: "FUT",
    gameScheduleState: "OK",
    awayTeam: awaySide,
    homeTeam: homeSide,
    ...more,
  };
}

/** A period in progress: `left` seconds on a running clock. */
export function during(number: number, left: number, more: Json = {}): Json {
  return {
    gameState: "LIVE",
    period: number,
    periodDescriptor: period(number),
    clock: { timeRemaining: mmss(left), secondsRemaining: left, running: true, inIntermission: false },
    ...more,
  };
}

export function intermission(number: number, left: number, more: Json = {}): Json {
  return during(number, left, {
    clock: { timeRemaining: mmss(left), secondsRemaining: left, running: false, inIntermission: true },
    ...more,
  });
}

/** A game that is over; `how` is REG, OT or SO. */
export function over(how = "REG", more: Json = {}): Json {
  const number = { REG: 3, OT: 4, SO: 5 }[how] ?? 3;
  return {
    gameState: "OFF",
    period: number,
    periodDescriptor: { number, periodType: how, maxRegulationPeriods: 3 },
    gameOutcome: { lastPeriodType: how },
    clock: { timeRemaining: "00:00", secondsRemaining: 0, running: false, inIntermission: false },
    ...more,
  };
}

export function period(number: number, type = number <= 3 ? "REG" : number === 4 ? "OT" : "SO"): Json {
  return { number, periodType: type, maxRegulationPeriods: 3 };
}

export function mmss(seconds: number): string {
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}

/** « Cole Caufield » as the source writes him, with first and last names on a scorer and an initial on a helper. */
export function goal(team: string, scorer: string, helpers: string[] = [], more: Json = {}): Json {
  const [first, ...last] = scorer.split(" ");
  return {
    period: 1,
    periodDescriptor: period(1),
    timeInPeriod: "08:25",
    playerId: 8481540,
    name: { default: `${first[0]}. ${last.join(" ")}` },
    firstName: { default: first },
    lastName: { default: last.join(" ") },
    goalModifier: "none",
    assists: helpers.map((name) => ({ playerId: 1, name: { default: name }, assistsToDate: 3 })),
    teamAbbrev: team,
    goalsToDate: 9,
    strength: "ev",
    ...more,
  };
}

/** `/v1/score/{date}` */
export function scores(games: Json[], more: Json = {}): Json {
  return { prevDate: "2026-11-27", currentDate: "2026-11-28", nextDate: "2026-11-29", gameWeek: [], games, ...more };
}

/** `/v1/scoreboard/{team}/now` */
export function board(games: Json[]): Json {
  const dates = [...new Set(games.map(({ gameDate }) => gameDate))];
  return {
    focusedDate: "2026-11-28",
    focusedDateCount: dates.length,
    clubTimeZone: "America/Toronto",
    gamesByDate: dates.map((date) => ({ date, games: games.filter(({ gameDate }) => gameDate === date) })),
  };
}

/** `/v1/club-schedule-season/{team}/{season}` */
export function season(games: Json[], more: Json = {}): Json {
  return { previousSeason: 20252026, currentSeason: 20262027, clubTimezone: "America/Toronto", games, ...more };
}

/** What the past and the calendar hold around 28 November 2026, for a team that played on Thursday and plays on Monday. */
export function around(team: string, played: Json = {}, coming: Json = {}): [Json, Json] {
  return [
    game(`${team} 2`, "TOR 5", { gameDate: "2026-11-26", startTimeUTC: "2026-11-27T00:00:00Z", ...over(), ...played }),
    game(team, "DET", { gameDate: "2026-11-30", startTimeUTC: "2026-12-01T00:00:00Z", ...coming }),
  ];
}
