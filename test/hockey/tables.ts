// Standings and brackets in the real shapes of api-web.nhle.com, with invented values.

type Json = Record<string, unknown>;

/** Divisions as the source letters them, each « ABBREV points » from first to last; the rest is worked out. */
export const TABLE: Record<string, string> = {
  A: "BOS 30, TBL 28, TOR 27, MTL 25, DET 24, FLA 20, BUF 18, OTT 15",
  M: "CAR 33, NJD 29, NYR 23, WSH 22, PIT 21, NYI 19, PHI 16, CBJ 10",
  C: "DAL 32, COL 31, WPG 30, MIN 26, NSH 22, STL 20, UTA 19, CHI 12",
  P: "VGK 31, EDM 28, LAK 25, VAN 24, CGY 22, SEA 21, ANA 14, SJS 9",
};

/** `/v1/standings/{date}`; `odd` replaces fields of some teams' lines. */
export function standings(divisions = TABLE, odd: Record<string, Json> = {}, more: Json = {}): Json {
  const rows = Object.entries(divisions).flatMap(([division, teams]) =>
    teams.split(", ").map((team, index) => {
      const [abbrev, points] = team.split(" ");
      return {
        abbrev,
        points: Number(points),
        division,
        conference: "AM".includes(division) ? "E" : "W",
        place: index + 1,
      };
    }),
  );
  const ordered = rows.toSorted((one, other) => other.points - one.points);
  const rank = (row: (typeof rows)[number], among: typeof rows) => among.indexOf(row) + 1;
  const lines = ordered.map((row) => {
    const peers = ordered.filter(({ conference }) => conference === row.conference);
    const race = peers.filter(({ place }) => place > 3);
    return {
      conferenceAbbrev: row.conference,
      divisionAbbrev: row.division,
      date: "2026-11-28",
      leagueSequence: rank(row, ordered),
      conferenceSequence: rank(row, peers),
      divisionSequence: row.place,
      wildcardSequence: row.place > 3 ? rank(row, race) : 0,
      gamesPlayed: 22,
      wins: Math.floor(row.points / 2),
      losses: 22 - Math.floor(row.points / 2) - (row.points % 2),
      otLosses: row.points % 2,
      points: row.points,
      seasonId: 20262027,
      teamAbbrev: { default: row.abbrev },
      teamName: { default: row.abbrev },
      ...odd[row.abbrev],
    };
  });
  return { wildCardIndicator: true, standings: lines, ...more };
}

const IDS: Record<string, number> = {};

function seed(abbrev: string): Json {
  IDS[abbrev] ??= Object.keys(IDS).length + 1;
  return { id: IDS[abbrev], abbrev, name: { default: abbrev }, commonName: { default: abbrev } };
}

/** One series of a bracket: « MTL 3 TBL 2 », the top seed first; « MTL - » when nobody is across yet, « - » for nobody at all. */
export function series(letter: string, text: string, more: Json = {}): Json {
  const [top, topWins, bottom, bottomWins] = text.split(" ").map((part) => (part === "-" ? undefined : part));
  const index = letter.charCodeAt(0) - 65;
  const round = index < 8 ? 1 : index < 12 ? 2 : index < 14 ? 3 : 4;
  const wins = [Number(topWins ?? 0), Number(bottomWins ?? 0)];
  const decided = top !== undefined && bottom !== undefined && Math.max(...wins) === 4;
  const [topSeedTeam, bottomSeedTeam] = [top, bottom].map((abbrev) =>
    abbrev === undefined ? undefined : seed(abbrev),
  );
  const [winner, loser] = wins[0] > wins[1] ? [topSeedTeam, bottomSeedTeam] : [bottomSeedTeam, topSeedTeam];
  return {
    seriesTitle: "1st Round",
    seriesAbbrev: ["R1", "R2", letter === "M" ? "ECF" : "WCF", "SCF"][round - 1],
    seriesLetter: letter,
    playoffRound: round,
    topSeedWins: wins[0],
    bottomSeedWins: wins[1],
    topSeedTeam,
    bottomSeedTeam,
    ...(decided && { winningTeamId: winner?.id, losingTeamId: loser?.id }),
    ...more,
  };
}

/** A first round that nobody has begun. */
export const FIRST_ROUND = {
  A: "BUF 0 BOS 0",
  B: "TBL 0 MTL 0",
  C: "CAR 0 OTT 0",
  D: "PIT 0 PHI 0",
  E: "COL 0 LAK 0",
  F: "DAL 0 MIN 0",
  G: "VGK 0 UTA 0",
  H: "EDM 0 ANA 0",
};

/** `/v1/playoff-bracket/{year}` */
export function bracket(all: Record<string, string>): Json {
  return { bracketTitle: { default: "" }, series: Object.entries(all).map(([letter, text]) => series(letter, text)) };
}
