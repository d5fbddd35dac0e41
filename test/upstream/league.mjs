// What the made-up source says of the league beside its games: standings, playoffs, players and leaders. Derived from
// the tables of the clubs, which tonight's games don't move.
import { CLUBS, clubOf, isClub, localized, logoOf, namesOf, PLAYERS, playerOf } from "./clubs.mjs";

/** @typedef {import("./clubs.mjs").Player} Player */
/** @typedef {import("./clubs.mjs").SkaterLine} SkaterLine */
/** @typedef {import("./clubs.mjs").GoalieLine} GoalieLine */
/** @typedef {import("./nhl.mjs").Game} Game */
/** @typedef {Record<string, unknown>} Json */

export const SEASON = 20252026;
/** The dates of the season, as every schedule gives them. */
export const CALENDAR = {
  preSeasonStartDate: "2025-09-20",
  regularSeasonStartDate: "2025-10-07",
  regularSeasonEndDate: "2026-04-16",
  playoffEndDate: "2026-06-20",
};

// ── Standings ────────────────────────────────────────────────────────────────

/** @type {Record<string, [name: string, conference: string, conferenceName: string]>} */
const DIVISIONS = {
  A: ["Atlantic", "E", "Eastern"],
  M: ["Metropolitan", "E", "Eastern"],
  C: ["Central", "W", "Western"],
  P: ["Pacific", "W", "Western"],
};

/** @param {number[]} record victories, defeats, defeats in overtime */
function pointsOf([wins, , overtime]) {
  return 2 * wins + overtime;
}

/** @param {number[]} numbers */
function sumOf(numbers) {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** @param {string} abbrev */
function standing(abbrev) {
  const { record, table, division } = clubOf(abbrev);
  const [regulation, shootoutWins, shootoutLosses, goals, home, lastTen, streak] = table.split(" ");
  const numbers = (/** @type {string} */ text) => text.split("-").map(Number);
  const total = numbers(record);
  const atHome = numbers(home);
  return {
    abbrev,
    division,
    conference: DIVISIONS[division][1],
    total,
    home: atHome,
    road: total.map((one, index) => one - atHome[index]),
    lastTen: numbers(lastTen),
    regulation: Number(regulation),
    shootout: [Number(shootoutWins), Number(shootoutLosses)],
    goals: numbers(goals),
    streak,
  };
}

/** @typedef {ReturnType<typeof standing>} Standing */
/** @typedef {"total" | "home" | "road" | "lastTen"} Part */

/**
 * Most points first; then fewest games, most victories in regulation, most victories.
 * @param {Part} part
 */
function byRank(part) {
  return (/** @type {Standing} */ one, /** @type {Standing} */ other) =>
    pointsOf(other[part]) - pointsOf(one[part]) ||
    sumOf(one[part]) - sumOf(other[part]) ||
    other.regulation - one.regulation ||
    other.total[0] - one.total[0];
}

const TABLE = Object.keys(CLUBS).map(standing).toSorted(byRank("total"));

/**
 * From 1, among the clubs that are like this one.
 * @param {Standing} one
 * @param {Part} part
 * @param {(other: Standing) => boolean} among
 */
function rankOf(one, part, among) {
  return TABLE.filter(among).toSorted(byRank(part)).indexOf(one) + 1;
}

/** @param {Standing} one */
function sequencesOf(one) {
  const parts = /** @type {[string, Part][]} */ ([
    ["", "total"],
    ["Home", "home"],
    ["Road", "road"],
    ["L10", "lastTen"],
  ]);
  const scopes = /** @type {[string, (other: Standing) => boolean][]} */ ([
    ["league", () => true],
    ["conference", (other) => other.conference === one.conference],
    ["division", (other) => other.division === one.division],
  ]);
  return Object.fromEntries(
    parts.flatMap(([name, part]) =>
      scopes.map(([scope, among]) => [`${scope}${name}Sequence`, rankOf(one, part, among)]),
    ),
  );
}

/**
 * The first three of a division are 0; the rest of the conference is counted from 1, and two are in.
 * @param {Standing} one
 */
function wildcardOf(one) {
  const inDivision = (/** @type {Standing} */ club) =>
    rankOf(club, "total", (other) => other.division === club.division) <= 3;
  if (inDivision(one)) return 0;
  return rankOf(one, "total", (other) => other.conference === one.conference && !inDivision(other));
}

/**
 * @param {Standing} one
 * @param {string} date
 */
function standingsRow(one, date) {
  const { abbrev, division, total, home, road, lastTen, regulation, shootout, goals, streak } = one;
  const [divisionName, conferenceAbbrev, conferenceName] = DIVISIONS[division];
  const { place, full, common } = namesOf(abbrev);
  const games = sumOf(total);
  const named = (/** @type {string} */ prefix, /** @type {number[]} */ record) => ({
    [`${prefix}GamesPlayed`]: sumOf(record),
    [`${prefix}Wins`]: record[0],
    [`${prefix}Losses`]: record[1],
    [`${prefix}OtLosses`]: record[2],
    [`${prefix}Points`]: pointsOf(record),
    [`${prefix}Ties`]: 0,
  });
  const [, streakCode, streakCount] = /^(\D+)(\d+)$/.exec(streak) ?? [];
  return {
    conferenceAbbrev,
    conferenceName,
    date,
    divisionAbbrev: division,
    divisionName,
    ...sequencesOf(one),
    gameTypeId: 2,
    gamesPlayed: games,
    goalDifferential: goals[0] - goals[1],
    goalFor: goals[0],
    goalAgainst: goals[1],
    ...named("home", home),
    ...named("road", road),
    ...named("l10", lastTen),
    losses: total[1],
    otLosses: total[2],
    // Two clubs of one city have their letters here.
    placeName: place.default === "New York" ? localized(`NY ${common.default}`) : place,
    pointPctg: pointsOf(total) / (2 * games),
    points: pointsOf(total),
    regulationPlusOtWins: total[0] - shootout[0],
    regulationWins: regulation,
    seasonId: SEASON,
    shootoutLosses: shootout[1],
    shootoutWins: shootout[0],
    streakCode,
    streakCount: Number(streakCount),
    teamName: full,
    teamCommonName: common,
    teamAbbrev: localized(abbrev),
    teamLogo: logoOf(abbrev),
    ties: 0,
    wildcardSequence: wildcardOf(one),
    winPctg: total[0] / games,
    wins: total[0],
  };
}

/**
 * Every day of the season so far has the standings of this morning; any other day has none.
 * @param {string} date
 * @param {string} today
 */
export function standingsOn(date, today) {
  if (date < CALENDAR.regularSeasonStartDate || date > today) return { wildCardIndicator: false, standings: [] };
  return {
    wildCardIndicator: true,
    standingsDateTimeUtc: `${today}T09:42:17Z`,
    standings: TABLE.map((one) => standingsRow(one, date)),
  };
}

// ── Playoffs ─────────────────────────────────────────────────────────────────

/**
 * Last spring, made up as well: round, first seed and its victories, second seed and its victories.
 * @type {[letter: string, round: number, top: string, rank: string, wins: number, bottom: string, rank: string, wins: number][]}
 */
const SERIES = [
  ["A", 1, "TBL", "D1", 4, "OTT", "WC2", 2],
  ["B", 1, "TOR", "D2", 3, "MTL", "D3", 4],
  ["C", 1, "CAR", "D1", 4, "NYR", "WC1", 1],
  ["D", 1, "NJD", "D2", 2, "WSH", "D3", 4],
  ["E", 1, "COL", "D1", 4, "CGY", "WC2", 0],
  ["F", 1, "WPG", "D2", 3, "DAL", "D3", 4],
  ["G", 1, "EDM", "D1", 4, "MIN", "WC1", 3],
  ["H", 1, "VGK", "D2", 4, "LAK", "D3", 2],
  ["I", 2, "TBL", "D1", 4, "MTL", "D3", 3],
  ["J", 2, "CAR", "D1", 4, "WSH", "D3", 2],
  ["K", 2, "COL", "D1", 4, "DAL", "D3", 3],
  ["L", 2, "EDM", "D1", 4, "VGK", "D2", 1],
  ["M", 3, "CAR", "D1", 4, "TBL", "D1", 2],
  ["N", 3, "COL", "D1", 3, "EDM", "D1", 4],
  ["O", 4, "CAR", "D1", 4, "EDM", "D1", 3],
];
const LAST_SPRING = 2025;

/** @type {Record<string, [title: string, abbrev: string]>} by round, and by letter where a round has two names */
const ROUNDS = {
  1: ["1st Round", "R1"],
  2: ["2nd Round", "R2"],
  M: ["Eastern Conference Finals", "ECF"],
  N: ["Western Conference Finals", "WCF"],
  4: ["Stanley Cup Final", "SCF"],
};

/** @param {typeof SERIES[number]} row */
function seriesOf([letter, round, top, topRank, topWins, bottom, bottomRank, bottomWins]) {
  const [title, abbrev] = ROUNDS[round] ?? ROUNDS[letter];
  const seed = (/** @type {string} */ rank) => (rank.startsWith("WC") ? 4 : Number(rank[1]));
  const team = (/** @type {string} */ club) => {
    const { full, common, withPreposition } = namesOf(club);
    return {
      id: clubOf(club).id,
      abbrev: club,
      name: full,
      commonName: common,
      placeNameWithPreposition: withPreposition,
      logo: logoOf(club),
      darkLogo: logoOf(club, "dark"),
    };
  };
  const slug = (/** @type {string} */ club) => clubOf(club).nick.toLowerCase().replaceAll(" ", "");
  const [winner, loser] = topWins > bottomWins ? [top, bottom] : [bottom, top];
  const [, conferenceAbbrev, conferenceName] = DIVISIONS[clubOf(top).division];
  return {
    seriesUrl: `/schedule/playoff-series/${LAST_SPRING}/series-${letter.toLowerCase()}/${slug(bottom)}-vs-${slug(top)}`,
    seriesTitle: title,
    seriesAbbrev: abbrev,
    seriesLetter: letter,
    ...(round === 3 && { conferenceAbbrev, conferenceName }),
    playoffRound: round,
    topSeedRank: seed(topRank),
    topSeedRankAbbrev: topRank,
    topSeedWins: topWins,
    bottomSeedRank: seed(bottomRank),
    bottomSeedRankAbbrev: bottomRank,
    bottomSeedWins: bottomWins,
    winningTeamId: clubOf(winner).id,
    losingTeamId: clubOf(loser).id,
    topSeedTeam: team(top),
    bottomSeedTeam: team(bottom),
  };
}

/**
 * A spring that isn't there yet has no series.
 * @param {number} year in which the season ends
 */
export function bracketOf(year) {
  if (!(year >= LAST_SPRING)) return null;
  const logo = `https://assets.nhle.com/logos/playoffs/png/scp-${year - 1}${year}-horizontal-banner`;
  return {
    bracketLogo: `${logo}-en.png`,
    bracketLogoFr: `${logo}-fr.png`,
    bracketTitle: { default: "" },
    bracketSubTitle: { default: "" },
    series: year === LAST_SPRING ? SERIES.map(seriesOf) : [],
  };
}

// ── Figures of a player ──────────────────────────────────────────────────────

/**
 * The figures of several clubs or seasons together.
 * @param {(SkaterLine | GoalieLine)[]} lines of one player
 * @returns {SkaterLine | GoalieLine}
 */
function totalOf(lines) {
  const keys = /** @type {(keyof (SkaterLine | GoalieLine))[]} */ (Object.keys(lines[0]));
  return /** @type {any} */ (Object.fromEntries(keys.map((key) => [key, sumOf(lines.map((line) => line[key]))])));
}

/** @param {Player} player */
function seasonOf({ clubs }) {
  return totalOf(clubs.map(([, line]) => line));
}

/**
 * Before this season a player did about as well: the figures of some 80 games.
 * @param {SkaterLine | GoalieLine} line
 * @returns {SkaterLine | GoalieLine}
 */
function yearBefore(line) {
  const scaled = (/** @type {number} */ one) => Math.round(one * 1.6);
  const { games } = line;
  if ("wins" in line) {
    const { wins, losses, overtime, against, shots, shutouts } = line;
    return {
      games: scaled(wins) + scaled(losses) + scaled(overtime),
      wins: scaled(wins),
      losses: scaled(losses),
      overtime: scaled(overtime),
      against: scaled(against),
      shots: scaled(shots),
      shutouts,
    };
  }
  const [goals, assists] = [scaled(line.goals), scaled(line.assists)];
  return { games: Math.min(82, scaled(games)), goals, assists, points: goals + assists, plusMinus: line.plusMinus };
}

/**
 * What is not in the tables follows from them.
 * @param {SkaterLine} line
 */
function skaterExtras({ games, goals, points }) {
  const shots = 6 * goals + games;
  return {
    pim: 2 * Math.round(games / 5),
    powerPlayGoals: Math.floor(goals / 4),
    powerPlayPoints: Math.floor(points / 4),
    gameWinningGoals: Math.floor(goals / 6),
    otGoals: Math.floor(goals / 12),
    shots,
    shootingPctg: goals / shots,
    seconds: 900 + 6 * Math.min(60, points),
  };
}

/** @param {GoalieLine} line */
function goalieExtras({ games, against, shots }) {
  const seconds = games * 3500;
  return { seconds, average: (against * 3600) / seconds, percentage: (shots - against) / shots };
}

/** @param {number} seconds */
function minutesOf(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, "0")}`;
}

/** @param {Player} player */
function headshotOf({ id, played }) {
  return `https://assets.nhle.com/mugs/nhl/${SEASON}/${played}/${id}.png`;
}

// ── Clubs, leaders, rosters, search ──────────────────────────────────────────

/**
 * Everybody who has played for a club this season, those who left too.
 * @param {string} club
 */
export function clubStats(club) {
  if (!isClub(club)) return null;
  const here = PLAYERS.flatMap((player) => {
    const line = player.season === SEASON && player.clubs.find(([one]) => one === club)?.[1];
    return line ? [{ player, line }] : [];
  });
  const common = (/** @type {Player} */ player) => ({
    playerId: player.id,
    headshot: headshotOf(player),
    firstName: localized(player.first),
    lastName: localized(player.last),
  });
  return {
    season: String(SEASON),
    gameType: 2,
    skaters: here.flatMap(({ player, line }) => {
      if ("wins" in line) return [];
      const { games, goals, assists, points, plusMinus } = line;
      const { pim, otGoals, seconds, powerPlayGoals, gameWinningGoals, shots, shootingPctg } = skaterExtras(line);
      return [
        {
          ...common(player),
          positionCode: player.position,
          gamesPlayed: games,
          goals,
          assists,
          points,
          plusMinus,
          penaltyMinutes: pim,
          powerPlayGoals,
          shorthandedGoals: 0,
          gameWinningGoals,
          overtimeGoals: otGoals,
          shots,
          shootingPctg,
          avgTimeOnIcePerGame: seconds,
          avgShiftsPerGame: 22.5,
          faceoffWinPctg: 0,
        },
      ];
    }),
    goalies: here.flatMap(({ player, line }) => {
      if (!("wins" in line)) return [];
      const { games, wins, losses, overtime, against, shots, shutouts } = line;
      const { seconds, average, percentage } = goalieExtras(line);
      return [
        {
          ...common(player),
          gamesPlayed: games,
          gamesStarted: wins + losses + overtime,
          wins,
          losses,
          overtimeLosses: overtime,
          goalsAgainstAverage: average,
          savePercentage: percentage,
          shotsAgainst: shots,
          saves: shots - against,
          goalsAgainst: against,
          shutouts,
          goals: 0,
          assists: 0,
          points: 0,
          penaltyMinutes: 0,
          timeOnIce: seconds,
        },
      ];
    }),
  };
}

/** @type {Record<string, (line: SkaterLine) => number>} */
const SKATER_LEADERS = {
  goals: ({ goals }) => goals,
  assists: ({ assists }) => assists,
  points: ({ points }) => points,
  plusMinus: ({ plusMinus }) => plusMinus,
  goalsPp: (line) => skaterExtras(line).powerPlayGoals,
  penaltyMins: (line) => skaterExtras(line).pim,
  toi: (line) => skaterExtras(line).seconds,
};

/** @type {Record<string, (line: GoalieLine) => number>} */
const GOALIE_LEADERS = {
  wins: ({ wins }) => wins,
  shutouts: ({ shutouts }) => shutouts,
  savePctg: (line) => goalieExtras(line).percentage,
  goalsAgainstAverage: (line) => goalieExtras(line).average,
};

/**
 * @param {"skater" | "goalie"} kind
 * @param {URLSearchParams} query `categories`, all without it; `limit`, 5 without it, -1 for everybody
 */
export function leadersOf(kind, query) {
  const known = /** @type {Record<string, (line: any) => number>} */ (
    kind === "skater" ? SKATER_LEADERS : GOALIE_LEADERS
  );
  const limit = Number(query.get("limit") ?? 5);
  const asked = query.get("categories")?.split(",") ?? Object.keys(known);
  const candidates = PLAYERS.filter(
    ({ position, season }) => season === SEASON && (position === "G") === (kind === "goalie"),
  );
  const leaders = (/** @type {string} */ category) => {
    const valued = candidates.map((player) => ({ player, value: known[category](seasonOf(player)) }));
    // The fewest goals against are the best.
    const sign = category === "goalsAgainstAverage" ? -1 : 1;
    const sorted = valued.toSorted(
      (one, other) =>
        sign * (other.value - one.value) ||
        seasonOf(one.player).games - seasonOf(other.player).games ||
        one.player.id - other.player.id,
    );
    return sorted.slice(0, limit < 0 ? undefined : limit).map(({ player, value }) => ({
      id: player.id,
      firstName: localized(player.first),
      lastName: localized(player.last),
      sweaterNumber: player.number,
      headshot: headshotOf(player),
      teamAbbrev: player.club,
      teamName: namesOf(String(player.club)).common,
      teamLogo: logoOf(String(player.club)),
      position: player.position,
      value,
    }));
  };
  return Object.fromEntries(
    asked.filter((category) => Object.hasOwn(known, category)).map((category) => [category, leaders(category)]),
  );
}

/**
 * It is some days late: who was traded last night isn't here yet; who is injured for long is left out.
 * @param {string} club
 */
export function rosterOf(club) {
  if (!isClub(club)) return null;
  const here = PLAYERS.filter((player) => player.club === club && player.played === club && !player.absent);
  const group = (/** @type {RegExp} */ positions) =>
    here
      .filter(({ position }) => positions.test(position))
      .map((player) => ({
        id: player.id,
        headshot: headshotOf(player),
        firstName: localized(player.first),
        lastName: localized(player.last),
        sweaterNumber: player.number,
        positionCode: player.position,
      }));
  return { forwards: group(/[CLR]/), defensemen: group(/D/), goalies: group(/G/) };
}

/** @param {string} text */
function foldedWords(text) {
  const folded = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return folded.split(/[^\p{L}\d*]+/u).filter((word) => word !== "");
}

/**
 * Finds the names that have words beginning as each word of `q` does.
 * @param {URLSearchParams} query `q`, `limit`, `active`
 */
export function searchPlayers(query) {
  const asked = foldedWords(query.get("q") ?? "").map((word) => word.replaceAll("*", ""));
  const active = query.get("active");
  const found = PLAYERS.filter(({ first, last, club }) => {
    const words = foldedWords(`${first} ${last}`);
    return (
      asked.length > 0 &&
      asked.every((word) => words.some((one) => one.startsWith(word))) &&
      (active === null || active === String(club !== null))
    );
  });
  return found.slice(0, Number(query.get("limit") ?? 20)).map((player) => ({
    playerId: String(player.id),
    name: `${player.first} ${player.last}`,
    positionCode: player.position,
    teamId: player.club === null ? null : String(clubOf(player.club).id),
    teamAbbrev: player.club,
    lastTeamId: String(clubOf(player.played).id),
    lastTeamAbbrev: player.played,
    lastSeasonId: String(player.season),
    sweaterNumber: player.number,
    active: player.club !== null,
  }));
}

// ── A player's page ──────────────────────────────────────────────────────────

/**
 * One game of a player: `home`, and what is counted; `ours` when it is in the calendar.
 * @typedef {{ id: number, day: string, club: string, opponent: string, home: boolean, line: SkaterLine | GoalieLine, won: boolean }} Outing
 */

/**
 * The last five games: those of the calendar, and before them some that nobody will check, even and about as good.
 * @param {Player} player
 * @param {Game[]} past of the calendar, all over
 * @returns {Outing[]} the latest first
 */
function outingsOf(player, past) {
  const { played: club, absent, season, clubs } = player;
  const idle = absent || player.club === null;
  const real = idle ? [] : past.filter(({ away, home }) => away === club || home === club).toReversed();
  const [, line] = clubs[clubs.length - 1];
  const others = Object.keys(CLUBS).filter(
    (other) => other !== club && clubOf(other).division === clubOf(club).division,
  );
  const start = player.club === null ? `${season % 10_000}-04-09` : absent ? "2025-11-01" : "2026-01-13";
  // Not everybody scores on the same nights.
  const shift = line.games < 12 ? 0 : player.id % 7;
  const invented = Array.from({ length: 5 - real.length }, (_, index) => ({
    id: Math.floor(season / 10_000) * 1_000_000 + 20_000 + clubOf(club).id * 10 + 9 - index,
    day: new Date(Date.parse(start) - 2 * index * 86_400_000).toISOString().slice(0, 10),
    club,
    opponent: others[(clubOf(club).id + index) % others.length],
    home: index % 2 === 0,
    line: shareOf(line, index + shift),
    won: "wins" in line && shareOf(line, index + shift).wins === 1,
  }));
  return [...real.map((game) => outing(player, game)), ...invented];
}

/**
 * One game's share of a season, the nth: never more in all than the season has.
 * @param {SkaterLine | GoalieLine} line
 * @param {number} index
 * @returns {any}
 */
function shareOf(line, index) {
  const share = (/** @type {number} */ total) =>
    Math.floor(((index + 1) * total) / line.games) - Math.floor((index * total) / line.games);
  if (!("wins" in line)) {
    const [goals, assists] = [share(line.goals), share(line.assists)];
    return { games: 1, goals, assists, points: goals + assists, plusMinus: 0 };
  }
  const wins = share(line.wins);
  const against = share(line.against);
  return { games: 1, wins, losses: 1 - wins, overtime: 0, against, shots: share(line.shots), shutouts: 0 };
}

/**
 * A game of the calendar, as the player had it.
 * @param {Player} player
 * @param {Game} game
 * @returns {Outing}
 */
function outing(player, { id, day, away, home, goals = [], shootout = [], shots }) {
  const { played: club, last, position } = player;
  const [opponent, theirs] = club === home ? [away, shots?.away] : [home, shots?.home];
  const scored = (/** @type {string} */ team) => goals.filter((goal) => goal[2] === team).length;
  const inShootout = (/** @type {string} */ team) =>
    shootout.filter((attempt) => attempt[1] === team && attempt[3] === "goal").length;
  const ahead = (/** @type {string} */ team) => scored(team) * 100 + inShootout(team);
  const won = ahead(club) > ahead(opponent);
  const common = { id, day, club, opponent, home: club === home, won };
  if (position === "G") {
    const against = goals.filter((goal) => goal[2] === opponent && !String(goal[6]).includes("empty-net")).length;
    const late = goals.some(([period]) => period > 3) || shootout.length > 0;
    const line = {
      games: 1,
      wins: won ? 1 : 0,
      losses: won || late ? 0 : 1,
      overtime: !won && late ? 1 : 0,
      against,
      shots: sumOf(theirs ?? []),
      shutouts: against === 0 ? 1 : 0,
    };
    return { ...common, line };
  }
  // A name of the calendar is the first of that name in the club.
  const ours = playerOf(club, last) === player ? goals.filter((goal) => goal[2] === club) : [];
  const mine = ours.filter((goal) => goal[3] === last).length;
  const helped = ours.filter((goal) => goal[4].includes(last)).length;
  return { ...common, line: { games: 1, goals: mine, assists: helped, points: mine + helped, plusMinus: 0 } };
}

/** @param {Outing} outing */
function lastGame({ id, day, club, opponent, home, line, won }) {
  const common = {
    gameDate: day,
    gameId: id,
    gameTypeId: 2,
    homeRoadFlag: home ? "H" : "R",
    opponentAbbrev: opponent,
    teamAbbrev: club,
  };
  if ("wins" in line) {
    return {
      ...common,
      decision: won ? "W" : line.overtime === 1 ? "O" : "L",
      gamesStarted: 1,
      goalsAgainst: line.against,
      penaltyMins: 0,
      savePctg: (line.shots - line.against) / line.shots,
      shotsAgainst: line.shots,
      toi: "60:00",
    };
  }
  const { goals, assists, points, plusMinus } = line;
  return {
    ...common,
    assists,
    goals,
    pim: 0,
    plusMinus,
    points,
    powerPlayGoals: 0,
    shifts: 22,
    shorthandedGoals: 0,
    shots: goals + 2,
    toi: "18:30",
  };
}

/**
 * The featured figures misspell a field, as in life.
 * @param {SkaterLine | GoalieLine} line
 */
function featured(line) {
  if ("wins" in line) {
    const { average, percentage } = goalieExtras(line);
    const { games, wins, losses, overtime, shutouts } = line;
    return {
      gamesPlayed: games,
      goalsAgainstAvg: average,
      losses,
      otLosses: overtime,
      savePctg: percentage,
      shutouts,
      ties: 0,
      wins,
    };
  }
  const { games, goals, assists, points, plusMinus } = line;
  const { seconds, ...extras } = skaterExtras(line);
  return {
    assists,
    gamesPlayed: games,
    goals,
    plusMinus,
    points,
    ...extras,
    shorthandedGoals: 0,
    shorhandedPoints: 0,
  };
}

/**
 * @param {number} season
 * @param {string} club
 * @param {number} sequence
 * @param {SkaterLine | GoalieLine} line
 */
function seasonRow(season, club, sequence, line) {
  const { full, common, withPreposition } = namesOf(club);
  const header = {
    season,
    gameTypeId: 2,
    leagueAbbrev: "NHL",
    sequence,
    teamName: full,
    teamCommonName: common,
    teamPlaceNameWithPreposition: withPreposition,
  };
  if ("wins" in line) {
    const { seconds } = goalieExtras(line);
    const { wins, losses, overtime, against, shots } = line;
    return {
      ...header,
      ...featured(line),
      gamesStarted: wins + losses + overtime,
      goals: 0,
      assists: 0,
      pim: 0,
      goalsAgainst: against,
      shotsAgainst: shots,
      timeOnIce: minutesOf(seconds),
    };
  }
  const { shorhandedPoints, ...figures } = /** @type {Json} */ (featured(line));
  return { ...header, ...figures, shorthandedPoints: shorhandedPoints, avgToi: minutesOf(skaterExtras(line).seconds) };
}

/**
 * The page of a player. It has more in life: birth, size, draft, awards, teammates.
 * @param {number} id
 * @param {Game[]} past games of the calendar that are over
 */
export function playerPage(id, past) {
  const player = PLAYERS.find((one) => one.id === id);
  if (player === undefined) return null;
  const { club, season, clubs, rookie } = player;
  const line = seasonOf(player);
  // One season before this one says enough; a career that is over is told whole.
  const count = rookie ? 0 : club === null ? 11 : 1;
  const before = Array.from({ length: count }, (_, index) => ({
    season: season - 10_001 * (count - index),
    club: clubs[0][0],
    line: yearBefore(line),
  }));
  const now = clubs.map(([one, figures]) => ({ season, club: one, line: figures }));
  const rows = [...before, ...now].map((row, index, all) =>
    seasonRow(
      row.season,
      row.club,
      1 + all.slice(0, index).filter((other) => other.season === row.season).length,
      row.line,
    ),
  );
  const junior = {
    season: season - 10_001 * (count + 1),
    gameTypeId: 2,
    leagueAbbrev: "OHL",
    sequence: 1,
    teamName: localized("Oshawa"),
    gamesPlayed: 60,
    ...("wins" in line
      ? { wins: 30, losses: 20 }
      : { goals: 30, assists: 50, points: 80, pim: 20, shootingPctg: 24.53 }),
  };
  const career = totalOf([...before, ...now].map((row) => row.line));
  const team = (/** @type {string} */ abbrev) => ({
    currentTeamId: clubOf(abbrev).id,
    currentTeamAbbrev: abbrev,
    fullTeamName: namesOf(abbrev).full,
    teamCommonName: namesOf(abbrev).common,
    teamPlaceNameWithPreposition: namesOf(abbrev).withPreposition,
    teamLogo: logoOf(abbrev),
  });
  return {
    playerId: id,
    isActive: club !== null,
    ...(club !== null && team(club)),
    firstName: localized(player.first),
    lastName: localized(player.last),
    sweaterNumber: player.number,
    position: player.position,
    headshot: headshotOf(player),
    featuredStats: { season, regularSeason: { subSeason: featured(line), career: featured(career) } },
    careerTotals: { regularSeason: featured(career) },
    last5Games: outingsOf(player, past).map(lastGame),
    seasonTotals: [junior, ...rows],
  };
}

/**
 * How many goals and assists a skater had before a moment of the calendar: what the season has, without what the
 * calendar already holds of it.
 * @param {string} club
 * @param {string} lastName
 * @param {Game[]} past of the calendar, all in the figures of the season
 */
export function beforeCalendar(club, lastName, past) {
  const player = playerOf(club, lastName);
  const line = seasonOf(player);
  if ("wins" in line) return { goals: 0, assists: 0 };
  const goals = past.flatMap((game) => game.goals ?? []).filter((goal) => goal[2] === club);
  return {
    goals: line.goals - goals.filter((goal) => goal[3] === lastName).length,
    assists: line.assists - goals.filter((goal) => goal[4].includes(lastName)).length,
  };
}
