// The made-up night that the demo plays, and the two commands that serve every door.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { FLEET, LABO } from "../scripts/workerd.mjs";
import { accept } from "./clients/sign-in.mjs";
import { isListening, makeHouse, runNpm, withoutCalls } from "./processes.ts";
import { CLUBS } from "./upstream/clubs.mjs";
import { FAULTS } from "./upstream/labsources.mjs";
import { NIGHT, nightAt, phasesOf, startNhl } from "./upstream/nhl.mjs";
import { USUAL } from "./upstream/world.mjs";
import { faultsOf } from "./voice.ts";

type Json = Record<string, unknown>;
interface Side {
  abbrev: string;
  score?: number;
  sog?: number;
}
interface Goal {
  period: number;
  timeInPeriod: string;
  teamAbbrev: string;
  strength: string;
  goalModifier: string;
  awayScore: number;
  homeScore: number;
  goalsToDate?: number;
}
interface Item {
  id: number;
  gameState: string;
  gameScheduleState: string;
  awayTeam: Side;
  homeTeam: Side;
  clock?: { secondsRemaining: number; inIntermission: boolean };
  periodDescriptor?: { number: number; periodType: string };
  situation?: { situationCode: string; secondsRemaining?: number };
  goals?: Goal[];
}

const CANADIAN = ["MTL", "TOR", "OTT", "WPG", "CGY", "EDM", "VAN"];
const STATES = ["FUT", "PRE", "LIVE", "CRIT", "FINAL", "OFF"];
const MINUTE = 60_000;
const BEFORE = NIGHT.starts - 30 * MINUTE;
/** Half a minute of the night apart, from before it starts to after it ends. */
const INSTANTS = Array.from({ length: (NIGHT.ends - BEFORE) / (MINUTE / 2) + 20 }, (_, n) => BEFORE + (n * MINUTE) / 2);

const scoresAt = (instant: number, day = NIGHT.day) => nightAt(instant).score(day).games as unknown as Item[];
const boardAt = (instant: number, team: string) =>
  nightAt(instant)
    .scoreboard(team)
    ?.gamesByDate.flatMap(({ games }) => games) as unknown as Item[];
const gameOf = (games: Item[], team: string) =>
  games.find(({ awayTeam, homeTeam }) => awayTeam.abbrev === team || homeTeam.abbrev === team) as Item;
const landingAt = (instant: number, id: number) => nightAt(instant).landing(id) as unknown as Item & Json;
/** The first instant of the night that is as asked. */
const when = (is: (game: Item) => boolean, team = "MTL") =>
  INSTANTS.find((instant) => is(gameOf(boardAt(instant, team).filter(tonight), team))) as number;
const TONIGHT = new Set(scoresAt(NIGHT.starts).map(({ id }) => id));
const tonight = ({ id }: Item) => TONIGHT.has(id);
const boardItemAt = (instant: number, team = "MTL") => gameOf(boardAt(instant, team).filter(tonight), team);

describe("the night", () => {
  it("gives the same bytes for the same instant", () => {
    const everything = (instant: number) =>
      JSON.stringify([
        scoresAt(instant),
        CANADIAN.map((team) => [boardAt(instant, team), nightAt(instant).season(team)]),
        [...TONIGHT].map((id) => landingAt(instant, id)),
      ]);
    for (const instant of INSTANTS.filter((_, index) => index % 20 === 0)) {
      expect(everything(instant)).toBe(everything(instant));
    }
    expect(everything(NIGHT.ends + 60 * MINUTE)).toBe(everything(NIGHT.ends));
  });

  it("has at every instant a score that its goals add up to, on every endpoint", () => {
    for (const instant of INSTANTS) {
      for (const game of scoresAt(instant)) {
        const { id, awayTeam, homeTeam, goals = [] } = game;
        const count = (team: Side) => goals.filter(({ teamAbbrev }) => teamAbbrev === team.abbrev).length;
        expect([count(awayTeam), count(homeTeam)]).toEqual([awayTeam.score ?? 0, homeTeam.score ?? 0]);
        for (const [index, goal] of goals.entries()) {
          const until = goals.slice(0, index + 1).filter(({ teamAbbrev }) => teamAbbrev === awayTeam.abbrev).length;
          expect([goal.awayScore, goal.homeScore]).toEqual([until, index + 1 - until]);
        }
        const board = boardItemAt(instant, awayTeam.abbrev === "MIN" ? "WPG" : awayTeam.abbrev);
        const landing = landingAt(instant, id);
        const summary = landing.summary as { scoring: { goals: unknown[] }[] } | undefined;
        for (const other of [board, landing]) {
          expect([other.gameState, other.awayTeam.score, other.homeTeam.score, other.periodDescriptor?.number]).toEqual(
            [game.gameState, awayTeam.score, homeTeam.score, other.periodDescriptor && game.periodDescriptor?.number],
          );
        }
        expect(summary?.scoring.flatMap((period) => period.goals).length ?? 0).toBe(goals.length);
      }
    }
  });

  it("only goes forward: states, scores, shots and goals", () => {
    for (const team of ["MTL", "TOR", "OTT", "EDM"]) {
      let before = gameOf(scoresAt(BEFORE), team);
      for (const instant of INSTANTS) {
        const game = gameOf(scoresAt(instant), team);
        const steps = [game, before].map(({ gameState }) => STATES.indexOf(gameState));
        expect(steps[0] - steps[1]).toBeGreaterThanOrEqual(0);
        for (const side of ["awayTeam", "homeTeam"] as const) {
          expect(game[side].score ?? 0).toBeGreaterThanOrEqual(before[side].score ?? 0);
          expect(game[side].sog ?? 0).toBeGreaterThanOrEqual(before[side].sog ?? 0);
        }
        expect(game.goals?.slice(0, before.goals?.length ?? 0) ?? []).toEqual(before.goals ?? []);
        const [now, then] = [game, before].map(({ periodDescriptor }) => periodDescriptor?.number ?? 1);
        expect(now).toBeGreaterThanOrEqual(then);
        if (now === then && game.clock?.inIntermission === before.clock?.inIntermission) {
          expect(game.clock?.secondsRemaining ?? 0).toBeLessThanOrEqual(before.clock?.secondsRemaining ?? 1200);
        }
        before = game;
      }
      expect(before.gameState).toBe("OFF");
    }
  });

  it("calls every state of a game by its name, and gives the clock of the intermission", () => {
    const seen = new Set(INSTANTS.map((instant) => boardItemAt(instant).gameState));
    expect([...seen]).toEqual(STATES);
    const intermission = boardItemAt(when(({ clock }) => clock?.inIntermission === true));
    expect(intermission).toMatchObject({ gameState: "LIVE", clock: { running: false } });
    const dropped = when(({ gameState }) => gameState === "LIVE");
    for (const game of [gameOf(scoresAt(dropped), "MTL"), boardItemAt(dropped)]) {
      expect(game).not.toHaveProperty("clock");
      expect(game).not.toHaveProperty("periodDescriptor");
      expect(game).toMatchObject({ awayTeam: { score: 0, sog: 0 }, homeTeam: { score: 0, sog: 0 } });
    }
    const over = boardItemAt(when(({ gameState }) => gameState === "FINAL"));
    expect(over).not.toHaveProperty("clock");
    expect(over.homeTeam).not.toHaveProperty("sog");
  });

  it("plays an overtime, a shootout, a game in regulation, a postponed one and an idle team", () => {
    const games = scoresAt(NIGHT.ends);
    const endings = ["MTL", "OTT", "TOR"].map((team) => gameOf(games, team).periodDescriptor?.periodType);
    expect(endings).toEqual(["OT", "SO", "REG"]);
    expect(gameOf(games, "WPG")).toMatchObject({
      gameState: "FUT",
      gameScheduleState: "PPD",
      awayTeam: { score: 0 },
      homeTeam: { score: 0 },
    });
    expect(gameOf(games, "CGY")).toBeUndefined();
    const shootout = when(({ periodDescriptor }) => periodDescriptor?.periodType === "SO", "OTT");
    const { id } = boardItemAt(shootout, "OTT");
    expect(landingAt(shootout, id)).toMatchObject({
      clock: { timeRemaining: "00:00" },
      summary: { shootout: { liveScore: { home: 0, away: 0 }, events: [] } },
    });
    expect(landingAt(NIGHT.ends, id)).toMatchObject({
      awayTeam: { score: 3 },
      homeTeam: { score: 2 },
      summary: { shootout: { liveScore: { home: 1, away: 2 } } },
    });
  });

  it("puts a man or a goalie off the ice for exactly the goals that say so", () => {
    const codes = new Set<string>();
    for (const instant of INSTANTS) {
      for (const team of ["MTL", "TOR", "OTT", "EDM"]) {
        const { situation, periodDescriptor } = boardItemAt(instant, team);
        if (situation !== undefined && periodDescriptor?.periodType !== "SO") codes.add(situation.situationCode);
      }
    }
    expect([...codes].toSorted()).toEqual(["0651", "1451", "1541", "1560"]);
    for (const goal of scoresAt(NIGHT.ends).flatMap(({ goals = [] }) => goals)) {
      const game = scoresAt(NIGHT.ends).find(({ goals }) => goals?.includes(goal)) ?? null;
      if (goal.strength === "ev" || game === null) continue;
      const { penalties } = landingAt(NIGHT.ends, game.id).summary as {
        penalties: {
          periodDescriptor: { number: number };
          penalties: { timeInPeriod: string; duration: number; teamAbbrev: { default: string } }[];
        }[];
      };
      const seconds = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
      const served = (
        penalties.find(({ periodDescriptor }) => periodDescriptor.number === goal.period)?.penalties ?? []
      )
        .filter(({ timeInPeriod, duration }) => {
          const since = seconds(goal.timeInPeriod) - seconds(timeInPeriod);
          return since > 0 && since < duration * 60;
        })
        .map(({ teamAbbrev }) => (teamAbbrev.default === goal.teamAbbrev ? "sh" : "pp"));
      expect(served).toEqual([goal.strength]);
    }
  });

  it("gives each of the seven teams a last result with its scorers, and a game to come", () => {
    for (const team of CANADIAN) {
      const board = boardAt(NIGHT.starts, team);
      const last = board.findLast(({ gameState }) => gameState === "OFF") as Item & { gameDate: string };
      expect(gameOf(scoresAt(NIGHT.starts, last.gameDate), team).goals?.length).toBeGreaterThan(0);
      expect(board.some((game) => game.gameState === "FUT" && !tonight(game))).toBe(true);
      const season = nightAt(NIGHT.starts).season(team)?.games as unknown as Item[];
      // A board stops within a week, the season goes on.
      expect(season.slice(0, board.length).map(({ id }) => id)).toEqual(board.map(({ id }) => id));
    }
  });

  it("tells the phases of a game in order", () => {
    expect(phasesOf("MTL").map(({ phase, period }) => `${phase} ${period}`)).toEqual([
      "warmup 1",
      "drop 1",
      "play 1",
      "intermission 1",
      "play 2",
      "intermission 2",
      "play 3",
      "play 4",
      "final 4",
      "official 4",
    ]);
    expect(phasesOf("CGY")).toEqual([]);
  });

  const recordings = `${process.env.RECORDINGS}/nhl`;
  it("has the fields of the real responses", ({ skip }) => {
    skip(!existsSync(recordings), "no real responses of the source: RECORDINGS names their folder");
    const recorded = (file: string): Json => JSON.parse(readFileSync(`${recordings}/${file}.json`, "utf8"));
    const moments: [string, number, string?][] = [
      ["MTL-TOR_FUT", NIGHT.starts],
      ["MTL-TOR_PRE", when(({ gameState }) => gameState === "PRE")],
      ["MTL-TOR_LIVE_p1", when(({ clock }) => clock !== undefined)],
      ["MTL-TOR_LIVE_intermission1", when(({ clock }) => clock?.inIntermission === true)],
      ["MTL-TOR_CRIT_p3", when(({ gameState }) => gameState === "CRIT")],
      ["MTL-TOR_FINAL", when(({ gameState }) => gameState === "FINAL")],
      ["MTL-TOR_OFF", when(({ gameState }) => gameState === "OFF")],
      ["CGY-EDM_CRIT_SO", when(({ periodDescriptor }) => periodDescriptor?.periodType === "SO", "OTT"), "OTT"],
    ];
    for (const [file, instant, team] of moments) {
      const ours = boardItemAt(instant, team);
      expect([file, fieldsOf(ours)]).toEqual([file, fieldsOf(recorded(`scoreboard_game_${file}`))]);
    }
    const [night] = (recorded("score_2026-06-14_playoff_final_OFF").games as Json[]).map(fieldsOf);
    const extra = fieldsOf(gameOf(scoresAt(NIGHT.ends), "MTL")).filter((field) => !night.includes(field));
    expect(extra).toEqual([]);
    const landing = fieldsOf(recorded("landing_2025020444_MTL-TOR_OFF_SO"));
    const ours = fieldsOf(landingAt(NIGHT.ends, boardItemAt(NIGHT.ends, "OTT").id));
    expect(ours.filter((field) => !landing.includes(field))).toEqual([]);
    const [club] = (recorded("club-schedule_TOR_week_2026-09-29").games as Json[]).map(fieldsOf);
    const final = ["gameOutcome.lastPeriodType", "winningGoal", "threeMinRecap", "awayTeam.score", "homeTeam.score"];
    const season = (nightAt(NIGHT.ends).season("MTL")?.games ?? []).flatMap(fieldsOf);
    expect(
      [...new Set(season)].filter((field) => !club.includes(field) && !final.some((one) => field.startsWith(one))),
    ).toEqual([]);
  });
});

describe("the league around the night", () => {
  const { standings, leaders, search, player, clubStats, roster, bracket, schedule } = nightAt(NIGHT.starts);
  const rows = standings(NIGHT.day).standings as unknown as Row[];
  interface Row {
    [field: string]: unknown;
    teamAbbrev: { default: string };
    conferenceAbbrev: string;
    divisionAbbrev: string;
    points: number;
    wins: number;
    losses: number;
    otLosses: number;
    gamesPlayed: number;
    regulationWins: number;
    regulationPlusOtWins: number;
    shootoutWins: number;
    shootoutLosses: number;
    goalFor: number;
    goalAgainst: number;
    leagueSequence: number;
    conferenceSequence: number;
    divisionSequence: number;
    wildcardSequence: number;
    streakCode: string;
    streakCount: number;
  }
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const find = (q: string) => search(new URLSearchParams({ q }));
  const pageOf = (id: number | string) => player(Number(id)) as NonNullable<ReturnType<typeof player>>;
  type Figures = Record<string, number>;
  const seasonOf = (id: number | string) => pageOf(id).featuredStats.regularSeason.subSeason as unknown as Figures;

  it("counts the standings right, for each club and over the league", () => {
    expect(rows).toHaveLength(32);
    for (const row of rows) {
      const { wins, losses, otLosses, gamesPlayed } = row;
      expect(row.points).toBe(2 * wins + otLosses);
      expect(gamesPlayed).toBe(wins + losses + otLosses);
      expect(row.regulationPlusOtWins).toBe(wins - row.shootoutWins);
      expect(row.regulationWins).toBeLessThanOrEqual(row.regulationPlusOtWins);
      expect(row.shootoutLosses).toBeLessThanOrEqual(otLosses);
      for (const part of ["GamesPlayed", "Wins", "Losses", "OtLosses", "Points"]) {
        const whole = row[`${part[0].toLowerCase()}${part.slice(1)}`];
        expect(Number(row[`home${part}`]) + Number(row[`road${part}`])).toBe(whole);
        expect(Number(row[`road${part}`])).toBeGreaterThanOrEqual(0);
      }
      expect(row.l10GamesPlayed).toBe(10);
      const series = { W: "l10Wins", L: "l10Losses", OT: "l10OtLosses" }[row.streakCode] as string;
      expect(Number(row[series])).toBeGreaterThanOrEqual(row.streakCount);
    }
    const total = (field: keyof Row) => sum(rows.map((row) => Number(row[field])));
    expect(total("wins")).toBe(total("losses") + total("otLosses"));
    expect(total("wins") - total("regulationWins")).toBe(total("otLosses"));
    expect(total("shootoutWins")).toBe(total("shootoutLosses"));
    expect(total("goalFor")).toBe(total("goalAgainst"));
    expect(total("homeGamesPlayed")).toBe(total("roadGamesPlayed"));
  });

  it("ranks the league, each conference and each division, and the clubs that chase a place", () => {
    expect(rows.map(({ leagueSequence }) => leagueSequence)).toEqual(upTo(32));
    expect(rows.map(({ points }) => points)).toEqual(rows.map(({ points }) => points).toSorted((a, b) => b - a));
    for (const conference of ["E", "W"]) {
      const those = rows.filter(({ conferenceAbbrev }) => conferenceAbbrev === conference);
      expect(those.map(({ conferenceSequence }) => conferenceSequence)).toEqual(upTo(16));
      const chasing = those.filter(({ wildcardSequence }) => wildcardSequence > 0);
      expect(chasing.map(({ wildcardSequence }) => wildcardSequence)).toEqual(upTo(10));
      expect(chasing.every(({ divisionSequence }) => divisionSequence > 3)).toBe(true);
    }
    for (const division of ["A", "M", "C", "P"]) {
      const those = rows.filter(({ divisionAbbrev }) => divisionAbbrev === division);
      expect(those.map(({ divisionSequence }) => divisionSequence)).toEqual(upTo(8));
      expect(those.slice(0, 3).every(({ wildcardSequence }) => wildcardSequence === 0)).toBe(true);
    }
  });

  it("says the same record on the boards, and the same last result in the series under way", () => {
    for (const row of rows) {
      const team = row.teamAbbrev.default;
      expect(`${row.wins}-${row.losses}-${row.otLosses}`).toBe(CLUBS[team as keyof typeof CLUBS].record);
      const last = boardAt(NIGHT.starts, team).findLast(({ gameState }) => gameState === "OFF");
      if (last === undefined) continue;
      const [mine, theirs] =
        last.awayTeam.abbrev === team ? [last.awayTeam, last.homeTeam] : [last.homeTeam, last.awayTeam];
      const late = last.periodDescriptor?.periodType !== "REG";
      expect([team, row.streakCode]).toEqual([
        team,
        Number(mine.score) > Number(theirs.score) ? "W" : late ? "OT" : "L",
      ]);
    }
  });

  it("keeps the standings and the players of the morning all night, and has no standings of another season", () => {
    const frozen = (instant: number) => {
      const night = nightAt(instant);
      return JSON.stringify([night.standings(NIGHT.day), night.player(8490802), night.clubStats("MTL")]);
    };
    expect(frozen(NIGHT.ends)).toBe(frozen(NIGHT.starts));
    for (const day of ["2025-09-30", "2026-01-18", "2026-07-01"]) expect(standings(day).standings).toEqual([]);
  });

  it("sorts the leaders, as many as asked, and knows each of them everywhere", () => {
    for (const [kind, categories] of [
      ["skater", ["points", "goals", "assists"]],
      ["goalie", ["wins", "savePctg", "goalsAgainstAverage"]],
    ] as const) {
      const query = (limit: string) => new URLSearchParams({ categories: categories.join(","), limit });
      const lists = leaders(kind, query("10"));
      expect(Object.keys(lists)).toEqual(categories);
      expect(leaders(kind, query("-1")).points?.length ?? 32).toBeGreaterThan(30);
      for (const category of categories) {
        const list = lists[category];
        const values = list.map(({ value }) => value);
        const sign = category === "goalsAgainstAverage" ? -1 : 1;
        expect(values).toEqual(values.toSorted((a, b) => sign * (b - a)));
        expect(list).toHaveLength(10);
        for (const { id, firstName, lastName, teamAbbrev, value } of list) {
          const hits = find(`${firstName.default} ${lastName.default}`);
          expect(hits.map(({ playerId }) => playerId)).toContain(String(id));
          expect(pageOf(id)).toMatchObject({ isActive: true, currentTeamAbbrev: teamAbbrev });
          const field = category === "goalsAgainstAverage" ? "goalsAgainstAvg" : category;
          expect(seasonOf(id)[field]).toBe(value);
        }
      }
    }
  });

  it("gives a player the same figures on his page, in his club's list and over his last games", () => {
    for (const team of Object.keys(CLUBS)) {
      const stats = clubStats(team) as NonNullable<ReturnType<typeof clubStats>>;
      for (const line of [...stats.skaters, ...stats.goalies]) {
        const page = pageOf(line.playerId);
        const rows = page.seasonTotals.filter((row) => row.leagueAbbrev === "NHL") as unknown as (Figures & {
          teamName: { default: string };
        })[];
        const now = rows.filter(({ season }) => season === page.featuredStats.season);
        const field = "wins" in line ? "wins" : "points";
        const { regularSeason } = page.featuredStats as unknown as { regularSeason: Record<string, Figures> };
        const { subSeason, career } = regularSeason;
        for (const key of ["gamesPlayed", field]) {
          expect(sum(now.map((row) => row[key]))).toBe(subSeason[key]);
          expect(sum(rows.map((row) => row[key]))).toBe(career[key]);
        }
        const club = now.find((row) => row.teamName.default.endsWith(nickOf(team)));
        expect([club?.gamesPlayed, club?.[field]]).toEqual([line.gamesPlayed, (line as unknown as Figures)[field]]);
        expect(page.last5Games).toHaveLength(5);
        if ("wins" in line) continue;
        const recent = page.last5Games as unknown as Figures[];
        expect(sum(recent.map(({ points }) => points))).toBeLessThanOrEqual(subSeason.points);
        expect(recent.every(({ goals, assists, points }) => goals + assists === points)).toBe(true);
      }
    }
  });
  const nickOf = (team: string) => CLUBS[team as keyof typeof CLUBS].nick;

  it("counts the goals of the season in those of the games", () => {
    const goals = scoresAt(NIGHT.ends).flatMap(({ goals = [] }) => goals) as unknown as {
      playerId: number;
      goalsToDate?: number;
    }[];
    const scored = new Map<number, number>();
    for (const { playerId, goalsToDate } of goals) {
      if (goalsToDate === undefined) continue;
      scored.set(playerId, (scored.get(playerId) ?? 0) + 1);
      expect([playerId, goalsToDate]).toEqual([playerId, seasonOf(playerId).goals + Number(scored.get(playerId))]);
    }
    expect(scored.size).toBeGreaterThan(15);
  });

  it("finds players however they are written: accents, initials, two of one name, traded, injured, retired", () => {
    const one = (q: string) =>
      find(q).map(({ name, teamAbbrev, positionCode }) => `${name} ${teamAbbrev} ${positionCode}`);
    expect(one("slafkovsky")).toEqual(["Juraj Slafkovský MTL L"]);
    expect(one("c caufield")).toEqual(["Cole Caufield MTL R"]);
    expect(one("Sebastian Aho").toSorted()).toEqual(["Sebastian Aho CAR C", "Sebastian Aho NYI D"]);
    expect(one("hughes")).toHaveLength(3);
    expect(one("gretzky")).toEqual([]);
    expect(find("carey price")).toMatchObject([{ active: false, teamAbbrev: null, lastTeamAbbrev: "MTL" }]);
    expect(search(new URLSearchParams({ q: "price", active: "true" }))).toEqual([]);
    const [{ playerId: price }] = find("carey price");
    expect(pageOf(price)).toMatchObject({ isActive: false, featuredStats: { season: 20212022 } });
    expect(pageOf(price)).not.toHaveProperty("currentTeamAbbrev");
    const onRoster = (team: string) =>
      Object.values(roster(team) ?? {})
        .flat()
        .map(({ lastName }) => lastName.default);
    const [{ playerId: danault }] = find("danault");
    expect(pageOf(danault)).toMatchObject({
      currentTeamAbbrev: "MTL",
      last5Games: [{ teamAbbrev: "LAK" }, {}, {}, {}, {}],
    });
    expect(find("guhle")).toMatchObject([{ teamAbbrev: "MTL", active: true }]);
    for (const name of ["Danault", "Guhle"]) expect(onRoster("MTL")).not.toContain(name);
    expect(onRoster("MTL")).toContain("Suzuki");
    expect(pageOf(find("quinn hughes")[0].playerId).seasonTotals).toHaveLength(4);
  });

  it("has last spring's playoffs whole, and none of this spring yet", () => {
    expect(bracket(2026)?.series).toEqual([]);
    expect(bracket(2019)).toBeNull();
    const series = bracket(2025)?.series ?? [];
    expect(series.map(({ playoffRound }) => playoffRound)).toEqual([...Array(8).fill(1), ...Array(4).fill(2), 3, 3, 4]);
    for (const one of series) {
      const { topSeedWins, bottomSeedWins, topSeedTeam, bottomSeedTeam, winningTeamId } = one;
      expect(Math.max(topSeedWins, bottomSeedWins)).toBe(4);
      expect(Math.min(topSeedWins, bottomSeedWins)).toBeLessThan(4);
      expect(winningTeamId).toBe(topSeedWins === 4 ? topSeedTeam.id : bottomSeedTeam.id);
      if (one.playoffRound === 1) continue;
      // Who plays a round has won in the one before.
      const before = series.filter(({ playoffRound }) => playoffRound === one.playoffRound - 1);
      const winners = before.map(({ winningTeamId }) => winningTeamId);
      expect(winners).toEqual(expect.arrayContaining([topSeedTeam.id, bottomSeedTeam.id]));
    }
  });

  it("gives the week of the league, and for each of the seven teams five games to come", () => {
    const week = schedule(NIGHT.day);
    expect(week.gameWeek.map(({ games }) => games.length)).toEqual(week.gameWeek.map((day) => day.numberOfGames));
    expect(week.gameWeek[0].games.map(({ id }) => id)).toEqual([...TONIGHT]);
    expect(week.gameWeek.flatMap(({ games }) => games).some((game) => "gameDate" in game)).toBe(false);
    for (const team of CANADIAN) {
      const games = nightAt(NIGHT.ends).season(team)?.games as unknown as (Item & { gameDate: string })[];
      expect(games.map(({ gameDate }) => gameDate)).toEqual(games.map(({ gameDate }) => gameDate).toSorted());
      const coming = games.filter(({ gameState, gameDate }) => gameState === "FUT" && gameDate > NIGHT.day);
      expect([team, coming.length >= 5]).toEqual([team, true]);
    }
    const all = CANADIAN.flatMap((team) => nightAt(NIGHT.ends).season(team)?.games as unknown as Item[]);
    expect(new Set(all.map(({ gameScheduleState }) => gameScheduleState))).toEqual(
      new Set(["OK", "PPD", "TBD", "CNCL"]),
    );
  });

  const recordings = `${process.env.RECORDINGS}/nhl`;
  it("has the fields of the real responses there too", ({ skip }) => {
    skip(!existsSync(recordings), "no real responses of the source: RECORDINGS names their folder");
    const recorded = (file: string): Json => JSON.parse(readFileSync(`${recordings}/${file}.json`, "utf8"));
    const goalies = leaders("goalie", new URLSearchParams({ categories: "wins", limit: "1" })).wins;
    const pairs: [string, unknown, unknown][] = [
      ["standings", standings(NIGHT.day), recorded("standings_2025-10-07")],
      ["series", bracket(2025), recorded("playoff-bracket_2026")],
      [
        "leaders",
        leaders("skater", new URLSearchParams({ categories: "goals" })),
        recorded("skater-stats-leaders_current_goals_trimmed"),
      ],
      ["goalies", { goals: goalies }, recorded("skater-stats-leaders_current_goals_trimmed")],
      ["club", clubStats("MTL"), recorded("club-stats_MTL_20242025_trimmed")],
      ["roster", roster("EDM"), recorded("roster_EDM_current_trimmed")],
      ["schedule", schedule("2026-01-14"), recorded("schedule_2025-10-07_OFF_FUT")],
    ];
    for (const [what, ours, theirs] of pairs) {
      const real = fieldsOf(theirs);
      expect([what, fieldsOf(ours).filter((field) => !real.includes(field))]).toEqual([what, []]);
    }
  });
});

/** Paths of every field, the items of a list being one; a French name is there only where it differs. */
function fieldsOf(value: unknown): string[] {
  const walk = (one: unknown, path: string): string[] => {
    if (Array.isArray(one)) return one.flatMap((item) => walk(item, path));
    if (typeof one !== "object" || one === null) return [path];
    return Object.entries(one).flatMap(([key, inner]) =>
      /^(fr|cs|fi|sk|sv|de|es|situationDescriptions)$/.test(key)
        ? []
        : walk(inner, path === "" ? key : `${path}.${key}`),
    );
  };
  return [...new Set(walk(value, ""))].toSorted();
}

describe("the upstream", () => {
  const open: { close(): Promise<void> }[] = [];
  const start = async (options: Parameters<typeof startNhl>[0]) => {
    const nhl = await startNhl(options);
    open.push(nhl);
    return nhl;
  };
  afterEach(async () => {
    for (const nhl of open.splice(0)) await nhl.close();
  });

  it("answers its addresses in JSON, a season's « now » with a redirect, and the rest with a page", async () => {
    const { url, calls } = await start({ clock: () => NIGHT.starts });
    const get = (path: string) => fetch(`${url}${path}`, { redirect: "manual" });
    for (const path of [`score/${NIGHT.day}`, "scoreboard/MTL/now", "club-schedule-season/MTL/20252026"]) {
      const answer = await get(`/v1/${path}`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
      expect(await answer.json()).toBeTypeOf("object");
    }
    const season = await get("/v1/club-schedule-season/MTL/now");
    expect([season.status, season.headers.get("location")]).toEqual([307, "/v1/club-schedule-season/MTL/20252026"]);
    for (const [path, location] of [
      ["standings/now", `standings/${NIGHT.day}`],
      ["schedule/now", `schedule/${NIGHT.day}`],
      ["roster/MTL/current", "roster/MTL/20252026"],
      ["club-stats/MTL/now", "club-stats/MTL/20252026/2"],
      ["skater-stats-leaders/current?categories=points", "skater-stats-leaders/20252026/2?categories=points"],
      ["goalie-stats-leaders/current?limit=3", "goalie-stats-leaders/20252026/2?limit=3"],
    ]) {
      const answer = await get(`/v1/${path}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([307, `/v1/${location}`]);
      const followed = await get(`/v1/${location}`);
      expect([followed.status, followed.headers.get("content-type")]).toEqual([200, "application/json"]);
    }
    for (const path of ["/v1/playoff-bracket/2026", "/v1/player/8490801/landing", "/api/v1/search/player?q=suzuki"]) {
      expect((await get(path)).status).toBe(200);
    }
    for (const path of [
      "/",
      "/v1/score/soon",
      "/v1/standings/soon",
      "/v1/player/1/landing",
      "/v1/playoff-bracket/now",
      "/v1/roster/QUE/20252026",
      "/v1/scoreboard/QUE/now",
      "/v1/gamecenter/1/landing",
      "/v1/roster/MTL",
    ]) {
      const answer = await get(path);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    }
    expect(calls).toHaveLength(28);
  });

  it("plays the night at the speed it is given", async () => {
    const { now } = await start({ speed: 60_000 });
    await sleep(20);
    expect(now()).toBeGreaterThan(NIGHT.starts + 15 * MINUTE);
  });

  it("goes wrong as it is told, one request at a time if need be", async () => {
    const { url } = await start({ fault: (path) => (path.split("/").at(-1) ?? null) as never });
    const get = async (fault: string) => {
      const answer = await fetch(`${url}/v1/scoreboard/${fault}`, { redirect: "manual" });
      return [answer.status, answer.headers.get("retry-after") ?? answer.headers.get("location")];
    };
    expect(await get("html")).toEqual([200, null]);
    expect(await get("500")).toEqual([500, null]);
    expect(await get("503")).toEqual([503, null]);
    expect(await get("429")).toEqual([429, "20"]);
    expect(await get("elsewhere")).toEqual([307, "https://elsewhere.invalid/v1/scoreboard/elsewhere"]);
  });

  it("sends bodies that are cut, too large or empty, and answers that never come", async () => {
    const get = async (fault: "truncated" | "huge" | "empty" | "dated") => {
      const { url } = await start({ fault });
      return (await fetch(`${url}/v1/score/${NIGHT.day}`)).text();
    };
    const cut = await get("truncated");
    expect(() => JSON.parse(cut)).toThrow();
    expect((await get("huge")).length).toBeGreaterThan(2_000_000);
    expect(JSON.parse(await get("empty"))).toMatchObject({ currentDate: NIGHT.day, games: [] });
    const { url: empty } = await start({ fault: "empty" });
    const nothing = async (path: string) => (await fetch(`${empty}${path}`)).json();
    expect(await nothing(`/v1/standings/${NIGHT.day}`)).toMatchObject({ wildCardIndicator: true, standings: [] });
    expect(await nothing("/api/v1/search/player?q=suzuki")).toEqual([]);
    expect(await nothing("/v1/skater-stats-leaders/current?categories=goals")).toEqual({ goals: [] });
    const { gameWeek } = (await nothing(`/v1/schedule/${NIGHT.day}`)) as { gameWeek: { games: unknown[] }[] };
    expect(gameWeek.map(({ games }) => games)).toEqual(Array(7).fill([]));
    const { url: dated } = await start({ fault: "dated" });
    expect((await fetch(`${dated}/v1/skater-stats-leaders/current?limit=2`)).status).toBe(200);
    expect(JSON.parse(await get("dated")).games).toHaveLength(TONIGHT.size);
    const stalled = await start({ fault: "stall" });
    const answer = fetch(`${stalled.url}/v1/score/${NIGHT.day}`).then(
      () => "answered",
      () => "closed",
    );
    await sleep(50);
    await stalled.close();
    open.splice(open.indexOf(stalled), 1);
    expect(await answer).toBe("closed");
  });
});

// The two commands take the ports that the README names: only these tests use them, one after the other.
describe("npm start and npm run demo", () => {
  const { port } = FLEET.hockey;
  const running: ChildProcess[] = [];
  const folders: string[] = [];
  let squatter: Server | null = null;
  afterEach(async () => {
    for (const npm of running.splice(0)) if (npm.pid !== undefined && npm.exitCode === null) killGroup(npm.pid);
    squatter?.close();
    squatter = null;
    await isFree();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  /** A checkout that nothing has run in: an index that someone has built in this one would answer otherwise. */
  const freshHouse = () => {
    const house = makeHouse();
    folders.push(house);
    return house;
  };

  /** A group of its own: a test that fails leaves nothing behind. */
  const run = (script: string, ...args: string[]) => runIn({}, script, ...args);
  const runIn = (where: { cwd?: string; env?: NodeJS.ProcessEnv }, script: string, ...args: string[]) => {
    const npm = spawn("npm", ["run", "-s", script, ...args], { detached: true, ...where });
    running.push(npm);
    const said = { out: "", err: "" };
    npm.stdout?.on("data", (data) => {
      said.out += data;
    });
    npm.stderr?.on("data", (data) => {
      said.err += data;
    });
    const ended = new Promise<number | null>((resolve) => npm.once("exit", resolve));
    return { npm, said, ended };
  };

  const killGroup = (pid: number) => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It ended in between.
    }
  };

  const takePort = () =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer();
      server.once("error", reject).listen(port, "127.0.0.1", () => resolve(server));
    });

  /** Whether the port is free within the time a command takes to notice that npm is gone. */
  const isFree = async () => {
    for (let tries = 0; tries < 50; tries++) {
      try {
        const server = await takePort();
        await new Promise((resolve) => server.close(resolve));
        return true;
      } catch {
        await sleep(100);
      }
    }
    return false;
  };

  /** The README's line of a door, once printed: its body is what gets asked. */
  const askFirstQuestion = async ({ said, ended }: ReturnType<typeof run>, name: keyof typeof FLEET = "hockey") => {
    const { port, question } = FLEET[name];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: question });
    const line = `curl -s localhost:${port}/mcp -H 'content-type: application/json' -d '${body}'`;
    let over = false;
    ended.then(() => {
      over = true;
    });
    while (!said.out.includes(line)) {
      if (over) throw new Error(`it ended before it was ready: ${said.err}`);
      await sleep(50);
    }
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`http://localhost:${port}/mcp`, { method: "POST", headers, body });
    const { result } = (await answer.json()) as { result: { isError?: boolean; content: { text: string }[] } };
    return result;
  };

  /** How the private door answers who has no token. */
  const knock = async () => {
    const answer = await fetch(`http://127.0.0.1:${LABO.port}/mcp`, { method: "POST" });
    return { status: answer.status, where: answer.headers.get("www-authenticate") };
  };
  const locked = {
    status: 401,
    where: `Bearer resource_metadata="http://127.0.0.1:${LABO.port}/.well-known/oauth-protected-resource/mcp", scope="labo"`,
  };

  /** The client of the private door, which one opens in a browser. */
  const clientOf = ({ said }: ReturnType<typeof run>) =>
    /a button for each thing that fails:\n\n {2}(http:\S+\/)\n/.exec(said.out)?.[1] ?? "";

  it("answers about the made-up night, tells how it goes, and ends with npm", async () => {
    const demo = run("demo");
    const { isError, content } = await askFirstQuestion(demo);
    expect(isError).toBeUndefined();
    expect(content[0].text).toMatch(/Montréal|le Canadien/);
    expect(demo.said.out).toMatch(/18:2\d {2}it is to come/);
    const weather = await askFirstQuestion(demo, "meteo");
    expect(weather.isError).toBeUndefined();
    expect(weather.content[0].text).toMatch(/^Un avertissement jaune de neige .* À Montréal, il fait moins \d+ degrés/);
    expect(await knock()).toEqual(locked);
    expect(demo.said.out).toContain(`labo  http://127.0.0.1:${LABO.port}/mcp\n`);
    // The client that one opens in a browser: its first step leads to the door.
    const client = clientOf(demo);
    const go = await fetch(`${client}go`, { redirect: "manual" });
    expect(go.headers.get("location")).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${LABO.port}/authorize\\?`));
    const asked = await fetch(String(go.headers.get("location")));
    expect(await asked.text()).toContain("Doublure de Cloudflare Access");
    expect(withoutCalls(demo.said.err)).toBe("");
    demo.npm.kill("SIGTERM");
    await demo.ended;
    expect(await isFree()).toBe(true);
  });

  it("opens the 29 tools of the private door to who signs in, each with an answer, and each failure is told", async () => {
    const demo = run("demo");
    await askFirstQuestion(demo);
    while (!demo.said.out.includes("claude mcp add")) await sleep(20);
    const client = clientOf(demo);
    const go = await fetch(`${client}go`, { redirect: "manual" });
    const back = await accept(new URL(String(go.headers.get("location"))), "ludo@cabanon.quebec");
    const page = await (await fetch(`${client}callback?${back}`)).text();
    expect([...page.matchAll(/<summary>(\w+)<\/summary>/g)].map(([, name]) => name)).toEqual(Object.keys(USUAL));
    expect(page).toContain("La porte répond : « Au labo, tout répond : Cloudflare Access, GitHub, Home Assistant, ");
    const [, session] = /name="session" value="([^"]+)"/.exec(page) ?? [];

    /** What the page shows of an answer, its form sent as a browser does. */
    const post = async (form: Record<string, string>) => {
      const shown = await fetch(`${client}ask`, { method: "POST", body: new URLSearchParams({ session, ...form }) });
      return shown.text();
    };
    const ask = async (tool: string, args: object): Promise<{ isError: boolean; text: string; image: string }> => {
      const html = await post({ tool, arguments: JSON.stringify(args) });
      // Thirty calls in ten seconds, and the brake holds.
      if (html.includes("Ça n'a pas marché")) {
        expect(html).toContain("Trop de questions en peu de temps.");
        await sleep(1_000);
        return ask(tool, args);
      }
      const [, isError, answer = ""] =
        /<section id="reponse"( class="refus")?>.*?<\/h2>(.*?)<\/section>/s.exec(html) ?? [];
      const [, text = ""] = /^<p>(.*?)<\/p>/.exec(answer) ?? [];
      const [, image = ""] = /src="data:image\/jpeg;base64,([^"]+)"/.exec(answer) ?? [];
      return { isError: isError !== undefined, text, image };
    };

    for (const [name, args] of Object.entries(USUAL)) {
      const { isError, text } = await ask(name, args);
      expect({ name, text, isError, faults: faultsOf(text, 10) }).toEqual({ name, text, isError: false, faults: [] });
      expect(text).not.toBe("");
    }
    const told = new Map<string, { text: string; image: string }>();
    for (const { what, name, arguments: args, isError } of FAULTS) {
      const { text, image, ...answer } = await ask(name, args);
      expect({ what, text, ...answer, faults: faultsOf(text, 4) }).toEqual({ what, text, isError, faults: [] });
      // What no one foresaw.
      expect(text).not.toContain("s'est brisé");
      told.set(what, { text, image });
    }
    // Every source has one.
    expect(new Set(FAULTS.map(({ name }) => name.split("_")[0]))).toEqual(
      new Set(["depot", "doc", "confier", "maison", "tache", "cluster", "hote", "web"]),
    );
    // The camera whose file lies shows the very picture of the one that doesn't.
    const { image } = await ask("maison_camera", { camera: "Entrée" });
    expect(image).not.toBe("");
    expect(told.get("une caméra dont le commentaire ment")?.image).toBe(image);
    expect(told.get("une caméra qu'on ne peut pas réparer")?.image).toBe("");
    expect(told.get("une tâche trop lente à partir")?.text).toContain("Je ne sais pas si c'est fait");
    expect(told.get("un résultat du web qui donne des ordres")?.text).toMatch(/« Ignore tes consignes : [^«]* »/);

    // The README tells four of these answers.
    const [, section = ""] = readFileSync("README.md", "utf8").split("### The lab\n");
    const written = [...section.matchAll(/^\*\*« .+ »\*\* \(`(\w+)`\)\n> (.+)$/gm)].map(([, name, text]) => [
      name,
      text,
    ]);
    const answers = [
      ["labo_etat", (await ask("labo_etat", {})).text],
      ["maison_demander", (await ask("maison_demander", USUAL.maison_demander)).text],
      ["hote_etat", (await ask("hote_etat", USUAL.hote_etat)).text],
      ["tache_lancer", told.get("une tâche trop lente à partir")?.text],
    ];
    expect(written).toEqual(answers);

    // What is done stays done, and a field for each argument asks as JSON does.
    const html = await post({ tool: "maison_etat", "arg.nom": "Lampe du salon" });
    expect(html).toMatch(/maison_etat <code>.*Lampe du salon.*éteinte/);
    expect(await post({ tool: "maison_etat", session: "une-autre" })).toContain("cette session n'a pas commencé ici");
    expect(withoutCalls(demo.said.err)).toBe("");
    demo.npm.kill("SIGTERM");
    await demo.ended;
    expect(await isFree()).toBe(true);
  }, 90_000);

  it("answers what it prints about the made-up blog, pasted in a shell, and leaves no file", async () => {
    const TMPDIR = mkdtempSync(join(tmpdir(), "demo-test-"));
    folders.push(TMPDIR);
    const demo = runIn({ env: { ...process.env, TMPDIR } }, "demo");
    while (!demo.said.out.includes("The game of the Canadiens")) {
      if (demo.npm.exitCode !== null) throw new Error(`it ended before it was ready: ${demo.said.err}`);
      await sleep(50);
    }
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith("blog-"))).toEqual([]);
    const printed = [...demo.said.out.matchAll(/ {2}# (.+)\n {2}(curl -s localhost:8789.+)\n/g)];
    const said: Record<string, string> = {};
    for (const [, asked, line] of printed) {
      const answer = await new Promise<string>((resolve, reject) => {
        execFile("bash", ["-c", line], (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
      });
      const { result } = JSON.parse(answer);
      const [{ text }] = result.content;
      expect({ asked, isError: result.isError, faults: faultsOf(text, 7) }).toEqual({ asked, faults: [] });
      said[asked] = text;
    }
    expect(said).toEqual({
      "dans quel article elle parle de ses onduleurs ?": expect.stringMatching(/^Dans « Des onduleurs au sous-sol/),
      "lis-moi l'article sur le café connecté": expect.stringMatching(
        /^Voici « Le café connecté, .*partie 1 de 2\. « /,
      ),
      "quoi de neuf sur le blogue ?": expect.stringMatching(
        /^Voici les 3 derniers articles du blogue Le cabanon numérique\. « /,
      ),
      "comment la porte du poulailler ouvre le matin ? the latest article answers":
        expect.stringMatching(/^Dans « Le poulailler connecté/),
      "why did the fans of the rack make so much noise? an English article answers":
        expect.stringMatching(/^Dans « Quiet fans/),
      "a-t-elle écrit sur l'apiculture ? no French article does": expect.stringMatching(/^Je n'ai rien là-dessus/),
    });
    const tools = printed.map(([, , line]) => /"name":"(\w+)"/.exec(line)?.[1]);
    expect(new Set(tools)).toEqual(new Set(["articles_chercher", "articles_lire", "articles_lister"]));
    expect(withoutCalls(demo.said.err)).toBe("");
  });

  it("starts without internet, answers or says that the source doesn't, and ends when npm is killed", async () => {
    const start = runIn({ cwd: freshHouse() }, "start");
    const { content } = await askFirstQuestion(start);
    expect(content[0].text).toMatch(/Montréal|le Canadien|La Ligue nationale ne répond pas/);
    const weather = await askFirstQuestion(start, "meteo");
    expect(weather.content[0].text).toMatch(/à Montréal|Environnement Canada est injoignable/i);
    const articles = await askFirstQuestion(start, "articles");
    expect(articles.content[0].text).toMatch(/^Dans « Brancher une porte à Claude, à Home Assistant ou à curl », du /);
    for (const [name, { port }] of Object.entries(FLEET)) {
      expect(start.said.out).toContain(`${name}  http://127.0.0.1:${port}/mcp`);
    }
    // The private door waits for its secrets.
    expect(start.said.out).not.toContain("labo");
    expect(await isListening(LABO.port)).toBe(false);
    start.npm.kill("SIGKILL");
    await start.ended;
    expect(await isFree()).toBe(true);
  });

  it("starts the private door too, once its secrets are made, and never says them", async () => {
    const house = freshHouse();
    expect((await runNpm("labo:keys", [], house)).code).toBe(0);
    const start = runIn({ cwd: house }, "start");
    await askFirstQuestion(start);
    while (!start.said.out.includes("labo  ")) await sleep(20);
    expect(await knock()).toEqual(locked);
    const secrets = readFileSync(`${house}/.dev.vars.labo`, "utf8").match(/[A-Za-z0-9+/]{43}=/g) ?? [];
    expect(secrets).toHaveLength(2);
    for (const secret of secrets) expect(start.said.out + start.said.err).not.toContain(secret);
    start.npm.kill("SIGTERM");
    await start.ended;
    expect(await isFree()).toBe(true);
  });

  it("says which secret of the private door is missing, and starts without it", async () => {
    const house = freshHouse();
    expect((await runNpm("labo:keys", [], house)).code).toBe(0);
    const file = `${house}/.dev.vars.labo`;
    writeFileSync(file, readFileSync(file, "utf8").replace(/^ROOT_CLI=.*\n/m, ""));
    const start = runIn({ cwd: house }, "start");
    await askFirstQuestion(start);
    expect(start.said.err).toContain("labo isn't started: ROOT_CLI is missing; npm run labo:keys makes it\n");
    expect(await isListening(LABO.port)).toBe(false);
    start.npm.kill("SIGTERM");
    await start.ended;
  });

  it("says that the private door is shut when a setting is wrong", async () => {
    const house = freshHouse();
    writeFileSync(`${house}/.dev.vars.labo`, "ROOT_TOK='canari'\nROOT_CLI='canari'\n");
    const start = runIn({ cwd: house }, "start");
    await askFirstQuestion(start);
    while (!start.said.out.includes("labo  ")) await sleep(20);
    expect(start.said.out).toContain("# 503: a setting is missing or wrong");
    expect(start.said.err).toContain("labo: ROOT_TOK must be");
    expect(start.said.out + start.said.err).not.toContain("canari");
    start.npm.kill("SIGTERM");
    await start.ended;
  });

  it("refuses a taken port in one line, with exit code 2", async () => {
    squatter = await takePort();
    for (const script of ["start", "demo"]) {
      const { said, ended } = run(script);
      expect(await ended).toBe(2);
      expect(said.err).toMatch(new RegExp(`^port ${port} .*\\n$`));
      expect(said.out).toBe("");
    }
  });

  it("doesn't start when a document of the articles is bad: one line names it, with exit code 1", async () => {
    const house = freshHouse();
    writeFileSync(`${house}/shared-docs/brise.md`, "---\npubDate: hier\ntitle: Brisé\n---\n\nUn.\n");
    const { said, ended } = runIn({ cwd: house }, "start");
    expect(await ended).toBe(1);
    expect(said).toEqual({ out: "", err: expect.stringMatching(/^shared-docs\/brise\.md: bad front matter: .+\n$/) });
  });

  it("explains itself with --help, and refuses what it doesn't know", async () => {
    for (const script of ["start", "demo"]) {
      const help = run(script, "--", "--help");
      expect(await help.ended).toBe(0);
      expect(help.said.out).toMatch(/^npm (start|run demo)\n/);
      const wrong = run(script, "--", "--fast");
      expect(await wrong.ended).toBe(2);
      expect(wrong.said.err).toMatch(/^Unknown option '--fast'.*\n$/);
    }
  });
});
