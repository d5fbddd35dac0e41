// A made-up night of the National Hockey League, answered the way api-web.nhle.com answers, and the search of its site:
// the same addresses, field names, nesting and habits, faster than life. What happens is data, in the tables; every
// payload is derived from them and from one instant, so the same instant always gives the same bytes. The games are
// here; clubs.mjs has the clubs and the players, league.mjs the standings, the playoffs and the figures.
import { clubOf, goalieOf, isClub, localized, logoOf, namesOf, playerOf } from "./clubs.mjs";
import {
  beforeCalendar,
  bracketOf,
  CALENDAR,
  clubStats,
  leadersOf,
  playerPage,
  rosterOf,
  SEASON,
  searchPlayers,
  standingsOn,
} from "./league.mjs";
import { listen } from "./server.mjs";

/** @typedef {Record<string, unknown>} Json */

/**
 * Until the next row, a game is in `phase`, and its clock goes evenly from `from` to `to`; `at` is in minutes after the
 * announced hour. `drop` is the moment just after the puck is dropped, when the source has no clock and no period yet.
 * @typedef {"warmup" | "drop" | "play" | "stopped" | "intermission" | "final" | "official"} Phase
 * @typedef {[at: number, phase: Phase, period?: number, from?: string, to?: string]} Row
 */

/**
 * `time` is elapsed in the period. A penalty without a player is the bench's.
 * @typedef {"ev" | "pp" | "sh"} Strength
 * @typedef {[period: number, time: string, team: string, scorer: string, helpers: string[], strength?: Strength, modifier?: string]} Goal
 * @typedef {[period: number, time: string, team: string, player: string | null, minutes: number, kind: string]} Penalty
 * @typedef {[period: number, from: string, to: string, team: string]} Pulled a team plays without its goalie
 * @typedef {[at: number, team: string, player: string, result: "goal" | "save" | "miss"]} Attempt of a shootout
 */

/**
 * `time` is Eastern; `tv` by market (national, home, away); `shots` are counted by period.
 * @typedef {object} Game
 * @property {number} id
 * @property {string} day
 * @property {string} time
 * @property {string} away
 * @property {string} home
 * @property {Record<string, string[]>} [tv]
 * @property {"PPD" | "CNCL" | "TBD"} [schedule] put off, called off, or without an hour yet
 * @property {Row[]} [course] none: still to be played when the night ends
 * @property {Goal[]} [goals]
 * @property {Penalty[]} [penalties]
 * @property {Pulled[]} [pulled]
 * @property {Attempt[]} [shootout]
 * @property {{ away: number[], home: number[] }} [shots]
 */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/**
 * Every date of the tables is in one winter, where one offset serves them all; and before 2026 changed the clocks of
 * two provinces, so that time zone data of any age agrees.
 */
const EASTERN = "-05:00";
const REGULATION_SECONDS = 1200;
const OVERTIME_SECONDS = 300;
/** The source calls a close end of game critical from here on, then overtime and shootout. */
const CRITICAL_SECONDS = 300;
/** A board shows about a week on each side of today. */
const BOARD_DAYS = 6;

// ── The tables ───────────────────────────────────────────────────────────────

/** A Saturday. It stands still once it is over. */
export const NIGHT = {
  day: "2026-01-17",
  starts: Date.parse(`2026-01-17T18:20:00${EASTERN}`),
  ends: Date.parse(`2026-01-17T23:10:00${EASTERN}`),
};

/** Numbers of the networks, as the source gives them with each name. */
const NETWORK_IDS = /** @type {Record<string, number>} */ ({
  ABC: 384,
  CBC: 4,
  FDSNDET: 366,
  "MSG-B": 324,
  NESN: 51,
  RDS: 33,
  SN: 282,
  SN1: 284,
  SNO: 288,
  SNP: 289,
  SNW: 290,
  TSN2: 283,
  TSN3: 285,
  TSN5: 287,
  TVAS: 281,
});

/** @type {Row[]} */
const FIRST_TWO_PERIODS = [
  [-30, "warmup"],
  [6, "drop"],
  [10, "play", 1, "20:00", "00:00"],
  [44, "stopped", 1],
  [46, "intermission", 1, "17:00", "00:00"],
  [63, "stopped", 2, "20:00"],
  [64, "play", 2, "20:00", "00:00"],
  [100, "stopped", 2],
  [102, "intermission", 2, "17:00", "00:00"],
  [119, "stopped", 3, "20:00"],
];

/** @type {Row[]} The last minutes are the longest: the goalie is out, and the whistle never stops. */
const THIRD_PERIOD = [
  [120, "play", 3, "20:00", "03:00"],
  [146, "play", 3, "03:00", "00:00"],
  [160, "stopped", 3],
];

/** @type {Row[]} */
const IN_REGULATION = [...FIRST_TWO_PERIODS, ...THIRD_PERIOD, [161, "final", 3], [186, "official", 3]];

/** @type {Row[]} */
const IN_SHOOTOUT = [
  ...FIRST_TWO_PERIODS,
  ...THIRD_PERIOD,
  [163, "stopped", 4, "05:00"],
  [165, "play", 4, "05:00", "00:00"],
  [174, "stopped", 4],
  [176, "stopped", 5],
  [192, "final", 5],
  [217, "official", 5],
];

/**
 * @param {string} left when the goal is scored
 * @returns {Row[]}
 */
const inOvertime = (left) => [
  ...FIRST_TWO_PERIODS,
  ...THIRD_PERIOD,
  [163, "stopped", 4, "05:00"],
  [165, "play", 4, "05:00", left],
  // The goal is on the board a little before the game is called over.
  [171, "stopped", 4, left],
  [173, "final", 4, left],
  [198, "official", 4, left],
];

/** The season as far as this upstream knows it, in order. @type {Game[]} */
const GAMES = [
  {
    id: 2025020711,
    day: "2026-01-14",
    time: "20:00",
    away: "EDM",
    home: "WPG",
    tv: { N: ["SN"] },
    course: IN_REGULATION,
    goals: [
      [1, "12:31", "WPG", "Scheifele", ["Connor", "Morrissey"]],
      [2, "08:17", "WPG", "Connor", ["Vilardi"]],
      [3, "15:44", "WPG", "Scheifele", ["Perfetti", "Morrissey"], "pp"],
    ],
    penalties: [[3, "14:20", "EDM", "Nurse", 2, "hooking"]],
    shots: { away: [9, 12, 11], home: [10, 8, 9] },
  },
  {
    id: 2025020718,
    day: "2026-01-15",
    time: "19:00",
    away: "TOR",
    home: "OTT",
    tv: { H: ["TSN5", "RDS"], A: ["SNO"] },
    course: inOvertime("03:38"),
    goals: [
      [1, "03:09", "OTT", "Batherson", ["Stützle"]],
      [2, "10:52", "TOR", "Tavares", ["Nylander", "Rielly"]],
      [2, "17:26", "OTT", "Tkachuk", ["Sanderson", "Chabot"]],
      [3, "11:40", "TOR", "Matthews", ["Knies"]],
      [4, "01:22", "TOR", "Nylander", ["Matthews"]],
    ],
    shots: { away: [8, 11, 10, 2], home: [12, 9, 7, 1] },
  },
  {
    id: 2025020722,
    day: "2026-01-15",
    time: "19:30",
    away: "MTL",
    home: "NYI",
    tv: { A: ["TSN2", "RDS"], H: ["MSG-B"] },
    course: IN_REGULATION,
    goals: [
      [1, "05:55", "MTL", "Caufield", ["Suzuki", "Dobson"]],
      [1, "13:02", "NYI", "Horvat", ["Barzal", "Schaefer"]],
      [2, "01:38", "MTL", "Demidov", ["Slafkovský"]],
      [3, "07:20", "NYI", "Lee", ["Schaefer"]],
      [3, "12:11", "MTL", "Caufield", ["Hutson"]],
      [3, "19:21", "MTL", "Evans", [], "ev", "empty-net"],
    ],
    pulled: [[3, "18:04", "19:21", "NYI"]],
    shots: { away: [10, 8, 9], home: [9, 13, 10] },
  },
  {
    id: 2025020731,
    day: "2026-01-16",
    time: "22:00",
    away: "CGY",
    home: "VAN",
    tv: { H: ["SNP"], A: ["SNW"] },
    course: IN_SHOOTOUT,
    goals: [
      [2, "06:06", "CGY", "Kadri", ["Huberdeau", "Weegar"]],
      [3, "16:37", "VAN", "Boeser", ["Pettersson", "Hronek"]],
    ],
    shootout: [
      [2, "CGY", "Coronato", "goal"],
      [4, "VAN", "Pettersson", "save"],
      [6, "CGY", "Kadri", "save"],
      [8, "VAN", "Garland", "miss"],
    ],
    shots: { away: [7, 9, 6, 2], home: [10, 11, 13, 3] },
  },
  {
    // In the afternoon over there: already in its second period when the night begins.
    id: 2025020733,
    day: NIGHT.day,
    time: "17:00",
    away: "COL",
    home: "DAL",
    tv: { N: ["ABC"] },
    course: IN_REGULATION,
    goals: [
      [1, "08:12", "COL", "MacKinnon", ["Makar", "Necas"]],
      [2, "04:51", "DAL", "Robertson", ["Rantanen", "Heiskanen"]],
      [2, "15:37", "DAL", "Johnston", ["Rantanen"]],
      [3, "10:09", "COL", "Necas", ["MacKinnon", "Makar"]],
      [3, "14:55", "DAL", "Robertson", ["Johnston"]],
    ],
    shots: { away: [12, 8, 13], home: [8, 11, 7] },
  },
  {
    id: 2025020736,
    day: NIGHT.day,
    time: "19:00",
    away: "BOS",
    home: "MTL",
    tv: { N: ["SN", "TVAS"], A: ["NESN"] },
    // Its own third period: the last two and a half minutes without a goalie, up to the goal that ties it.
    course: [
      ...FIRST_TWO_PERIODS,
      [120, "play", 3, "20:00", "02:30"],
      [147, "play", 3, "02:30", "00:55"],
      [158, "stopped", 3, "00:55"],
      [159, "play", 3, "00:55", "00:00"],
      [162, "stopped", 3],
      [164, "stopped", 4, "05:00"],
      [166, "play", 4, "05:00", "02:23"],
      [174, "stopped", 4, "02:23"],
      [176, "final", 4, "02:23"],
      [201, "official", 4, "02:23"],
    ],
    goals: [
      [1, "07:48", "BOS", "Pastrnak", ["McAvoy", "Lindholm"]],
      [1, "14:26", "MTL", "Caufield", ["Suzuki", "Hutson"], "pp"],
      [2, "03:05", "BOS", "Geekie", []],
      [2, "08:40", "MTL", "Slafkovský", ["Suzuki", "Demidov"], "pp"],
      [3, "06:33", "BOS", "Zacha", ["Arvidsson", "Pastrnak"], "pp"],
      [3, "19:05", "MTL", "Suzuki", ["Hutson", "Demidov"]],
      [4, "02:37", "MTL", "Hutson", ["Caufield"]],
    ],
    // A major: long enough to be asked about, and a goal doesn't end it.
    penalties: [
      [1, "13:10", "BOS", "Geekie", 2, "tripping"],
      [2, "05:10", "BOS", "Zadorov", 5, "boarding"],
      [3, "05:02", "MTL", "Xhekaj", 2, "roughing"],
    ],
    pulled: [[3, "17:30", "19:05", "MTL"]],
    shots: { away: [9, 8, 10, 1], home: [12, 14, 13, 3] },
  },
  {
    id: 2025020737,
    day: NIGHT.day,
    time: "19:00",
    away: "DET",
    home: "TOR",
    tv: { N: ["CBC"], A: ["FDSNDET"] },
    course: IN_REGULATION,
    goals: [
      [1, "05:30", "TOR", "Matthews", ["Nylander", "Rielly"]],
      [1, "18:11", "DET", "DeBrincat", ["Raymond", "Seider"], "pp"],
      [2, "12:40", "DET", "Larkin", ["Raymond"]],
      [3, "01:55", "TOR", "Nylander", ["Tavares", "Knies"]],
      [3, "13:21", "DET", "Kane", ["DeBrincat", "Seider"]],
      [3, "19:12", "DET", "Larkin", [], "ev", "empty-net"],
    ],
    penalties: [
      [1, "17:02", "TOR", "Domi", 2, "high-sticking"],
      [2, "16:30", "DET", null, 2, "too-many-men-on-the-ice"],
    ],
    pulled: [[3, "17:45", "19:12", "TOR"]],
    shots: { away: [11, 9, 8], home: [8, 12, 15] },
  },
  {
    id: 2025020738,
    day: NIGHT.day,
    time: "19:00",
    away: "OTT",
    home: "BUF",
    tv: { A: ["TSN5", "RDS"], H: ["MSG-B"] },
    course: IN_SHOOTOUT,
    goals: [
      [1, "11:15", "OTT", "Stützle", ["Batherson", "Sanderson"]],
      [2, "02:50", "BUF", "Thompson", ["Dahlin", "Tuch"], "pp"],
      [2, "16:04", "BUF", "Benson", ["Krebs"]],
      [3, "09:27", "OTT", "Tkachuk", ["Stützle"]],
    ],
    penalties: [[2, "01:20", "OTT", "Greig", 2, "slashing"]],
    shootout: [
      [2, "BUF", "Thompson", "save"],
      [4, "OTT", "Batherson", "goal"],
      [6, "BUF", "Tuch", "goal"],
      [8, "OTT", "Stützle", "save"],
      [10, "BUF", "Dahlin", "miss"],
      [14, "OTT", "Pinto", "goal"],
    ],
    shots: { away: [10, 7, 12, 2], home: [9, 13, 8, 3] },
  },
  {
    id: 2025020740,
    day: NIGHT.day,
    time: "19:30",
    away: "CAR",
    home: "NYI",
    tv: { H: ["MSG-B"] },
    course: IN_REGULATION,
    goals: [
      [1, "16:20", "CAR", "Svechnikov", ["Aho"]],
      [2, "05:14", "CAR", "Aho", ["Ehlers", "Gostisbehere"]],
      [2, "19:02", "NYI", "Schaefer", ["Barzal"]],
      [3, "17:48", "CAR", "Ehlers", [], "ev", "empty-net"],
    ],
    pulled: [[3, "16:55", "17:48", "NYI"]],
    shots: { away: [11, 10, 9], home: [6, 9, 12] },
  },
  {
    id: 2025020741,
    day: NIGHT.day,
    time: "20:00",
    away: "MIN",
    home: "WPG",
    tv: { H: ["TSN3"] },
    schedule: "PPD",
  },
  {
    id: 2025020742,
    day: NIGHT.day,
    time: "20:00",
    away: "VAN",
    home: "EDM",
    tv: { N: ["SN1", "TVAS"] },
    course: IN_REGULATION,
    goals: [
      [1, "02:14", "EDM", "Draisaitl", ["McDavid", "Bouchard"]],
      [1, "09:40", "VAN", "Boeser", ["Pettersson", "Hronek"]],
      [2, "04:30", "EDM", "Hyman", ["McDavid"]],
      [2, "13:18", "EDM", "Nugent-Hopkins", ["Hyman"], "sh"],
      [3, "03:47", "VAN", "DeBrusk", [], "ev", "penalty-shot"],
      [3, "11:02", "EDM", "McDavid", ["Draisaitl", "Bouchard"], "pp"],
      [3, "18:36", "VAN", "Pettersson", ["Hronek", "Boeser"]],
      [3, "19:44", "EDM", "Draisaitl", ["McDavid"], "ev", "empty-net"],
    ],
    penalties: [
      [2, "12:25", "EDM", "Nurse", 2, "interference"],
      [3, "10:10", "VAN", "Garland", 2, "holding"],
    ],
    pulled: [
      [3, "17:00", "18:36", "VAN"],
      [3, "18:50", "19:44", "VAN"],
    ],
    shots: { away: [8, 10, 9], home: [14, 11, 9] },
  },
  { id: 2025020745, day: "2026-01-18", time: "13:00", away: "NYR", home: "PHI", tv: { N: ["ABC"] } },
  { id: 2025020748, day: "2026-01-18", time: "19:00", away: "BUF", home: "DET", tv: { A: ["MSG-B"] } },
  { id: 2025020752, day: "2026-01-19", time: "19:00", away: "OTT", home: "MTL", tv: { H: ["TSN2", "RDS"] } },
  { id: 2025020755, day: "2026-01-19", time: "21:00", away: "UTA", home: "CGY", tv: { H: ["SNW"] } },
  { id: 2025020759, day: "2026-01-20", time: "19:00", away: "CAR", home: "TOR", tv: { N: ["SN", "TVAS"] } },
  { id: 2025020763, day: "2026-01-20", time: "20:00", away: "STL", home: "WPG", tv: { H: ["TSN3"] } },
  { id: 2025020766, day: "2026-01-20", time: "22:00", away: "EDM", home: "LAK", tv: { A: ["SNW"] } },
  { id: 2025020769, day: "2026-01-21", time: "19:00", away: "OTT", home: "NYI", tv: { A: ["TSN5", "RDS"] } },
  { id: 2025020771, day: "2026-01-21", time: "22:00", away: "SEA", home: "VAN", tv: { H: ["SNP"] } },
  { id: 2025020774, day: "2026-01-22", time: "19:00", away: "MTL", home: "CAR", tv: { A: ["TSN2", "RDS"] } },
  { id: 2025020777, day: "2026-01-22", time: "22:00", away: "CGY", home: "ANA", tv: { A: ["SNW"] } },
  { id: 2025020781, day: "2026-01-23", time: "20:00", away: "TOR", home: "CHI", tv: { N: ["SN"] } },
  { id: 2025020783, day: "2026-01-23", time: "22:00", away: "EDM", home: "VAN", tv: { N: ["SN1", "TVAS"] } },
  { id: 2025020786, day: "2026-01-24", time: "16:00", away: "WPG", home: "DAL", tv: { A: ["TSN3"] } },
  { id: 2025020787, day: "2026-01-24", time: "19:00", away: "MTL", home: "TOR", tv: { N: ["CBC", "TVAS"] } },
  { id: 2025020789, day: "2026-01-24", time: "19:00", away: "BOS", home: "OTT", tv: { N: ["SN1"] } },
  { id: 2025020790, day: "2026-01-24", time: "22:00", away: "SJS", home: "CGY", tv: { N: ["CBC"] } },
  { id: 2025020796, day: "2026-01-26", time: "19:00", away: "COL", home: "MTL", tv: { H: ["TSN2", "RDS"] } },
  { id: 2025020799, day: "2026-01-26", time: "21:00", away: "LAK", home: "EDM", tv: { H: ["SNW"] } },
  { id: 2025020803, day: "2026-01-27", time: "19:00", away: "TOR", home: "PIT", tv: { A: ["TSN5"] } },
  { id: 2025020805, day: "2026-01-27", time: "20:00", away: "NSH", home: "WPG", tv: { H: ["TSN3"] } },
  { id: 2025020808, day: "2026-01-28", time: "19:30", away: "OTT", home: "TBL", tv: { A: ["TSN5", "RDS"] } },
  { id: 2025020811, day: "2026-01-28", time: "22:00", away: "VGK", home: "VAN", tv: { H: ["SNP"] } },
  { id: 2025020814, day: "2026-01-29", time: "19:00", away: "FLA", home: "TOR", tv: { N: ["SN"] } },
  { id: 2025020817, day: "2026-01-29", time: "21:00", away: "MTL", home: "EDM", tv: { A: ["TSN2", "RDS"] } },
  { id: 2025020820, day: "2026-01-30", time: "20:00", away: "UTA", home: "WPG", schedule: "TBD" },
  { id: 2025020825, day: "2026-01-31", time: "16:00", away: "VAN", home: "SEA", tv: { A: ["SNP"] } },
  { id: 2025020827, day: "2026-01-31", time: "19:00", away: "OTT", home: "NJD", tv: { N: ["SN1"] } },
  { id: 2025020829, day: "2026-01-31", time: "19:00", away: "TOR", home: "BOS", tv: { N: ["CBC"] } },
  { id: 2025020831, day: "2026-01-31", time: "22:00", away: "MTL", home: "CGY", tv: { N: ["CBC", "TVAS"] } },
  { id: 2025020838, day: "2026-02-02", time: "19:00", away: "MIN", home: "MTL", tv: { H: ["TSN2", "RDS"] } },
  { id: 2025020841, day: "2026-02-02", time: "21:00", away: "CHI", home: "EDM", schedule: "CNCL" },
  { id: 2025020844, day: "2026-02-03", time: "19:00", away: "PHI", home: "OTT", tv: { H: ["TSN5", "RDS"] } },
  { id: 2025020846, day: "2026-02-03", time: "19:30", away: "TOR", home: "FLA", tv: { N: ["SN"] } },
  { id: 2025020848, day: "2026-02-03", time: "20:00", away: "WPG", home: "STL", tv: { A: ["TSN3"] } },
  { id: 2025020850, day: "2026-02-03", time: "22:00", away: "CGY", home: "SJS", tv: { A: ["SNW"] } },
  { id: 2025020855, day: "2026-02-04", time: "22:00", away: "EDM", home: "ANA", tv: { A: ["SNW"] } },
  { id: 2025020856, day: "2026-02-04", time: "22:30", away: "VAN", home: "LAK", tv: { A: ["SNP"] } },
  { id: 2025020859, day: "2026-02-05", time: "19:00", away: "WSH", home: "MTL", tv: { H: ["TSN2", "RDS"] } },
  { id: 2025020862, day: "2026-02-05", time: "20:00", away: "WPG", home: "CHI", tv: { A: ["TSN3"] } },
];

/** The games that are already in the figures of the season. */
const PAST = GAMES.filter(({ day }) => day < NIGHT.day);

// ── One game at one instant ──────────────────────────────────────────────────

/**
 * A game as it stands: `left` of the period or of the intermission, `elapsed` of the period, both in seconds.
 * @typedef {object} Moment
 * @property {"FUT" | "PRE" | "LIVE" | "CRIT" | "FINAL" | "OFF"} state
 * @property {Phase | "future"} phase
 * @property {number} period
 * @property {number} left
 * @property {number} elapsed
 * @property {boolean} started
 * @property {boolean} over
 * @property {Goal[]} goals
 * @property {Attempt[]} attempts
 * @property {Goal | null} winner the deciding goal of a shootout: once the game is over, the score counts it
 */

/** @param {Game} game */
function startOf({ day, time }) {
  return Date.parse(`${day}T${time}:00${EASTERN}`);
}

/** @param {string} text `MM:SS` */
function secondsOf(text) {
  const [minutes, seconds] = text.split(":").map(Number);
  return minutes * 60 + seconds;
}

/** @param {number} seconds */
function textOf(seconds) {
  return `${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {number} period */
function lengthOf(period) {
  return period < 4 ? REGULATION_SECONDS : period === 4 ? OVERTIME_SECONDS : 0;
}

/** @type {[at: number, phase: "future", period?: number, from?: string, to?: string]} */
const BEFORE = [0, "future"];

/**
 * @param {Game} game
 * @param {number} instant
 * @returns {Moment}
 */
function momentOf(game, instant) {
  const { course = [], goals = [], shootout = [] } = game;
  const minutes = (instant - startOf(game)) / MINUTE;
  const index = course.findLastIndex(([at]) => at <= minutes);
  const [at, phase, period = 1, from = "00:00", to = from] = index < 0 ? BEFORE : course[index];
  const until = course[index + 1]?.[0] ?? Infinity;
  const left = Math.ceil(secondsOf(from) + ((secondsOf(to) - secondsOf(from)) * (minutes - at)) / (until - at));
  const over = phase === "final" || phase === "official";
  const started = over || (phase !== "future" && phase !== "warmup");
  const elapsed = phase === "drop" ? 0 : phase === "intermission" ? lengthOf(period) : lengthOf(period) - left;
  const first = course.find((row) => row[2] === 5)?.[0] ?? Infinity;
  const attempts = shootout.filter(([after]) => minutes >= first + after);
  return {
    state: stateOf(phase, period, left),
    phase,
    period,
    left,
    elapsed,
    started,
    over,
    goals: started
      ? goals.filter((goal) => goal[0] < period || (goal[0] === period && secondsOf(goal[1]) <= elapsed))
      : [],
    attempts,
    winner: over ? decidingGoal(shootout) : null,
  };
}

/**
 * @param {Phase | "future"} phase
 * @param {number} period
 * @param {number} left
 * @returns {Moment["state"]}
 */
function stateOf(phase, period, left) {
  if (phase === "future") return "FUT";
  if (phase === "warmup") return "PRE";
  if (phase === "final") return "FINAL";
  if (phase === "official") return "OFF";
  return period > 3 || (period === 3 && left <= CRITICAL_SECONDS) ? "CRIT" : "LIVE";
}

/**
 * The goal of the winning side that the other side never matched.
 * @param {Attempt[]} shootout
 * @returns {Goal | null}
 */
function decidingGoal(shootout) {
  const scored = shootout.filter(([, , , result]) => result === "goal");
  const team = scored.map(([, one]) => one).toSorted((a, b) => countOf(scored, b) - countOf(scored, a))[0];
  const others = scored.filter(([, one]) => one !== team).length;
  const decisive = scored.filter(([, one]) => one === team)[others];
  return decisive === undefined ? null : [5, "00:00", team, decisive[2], []];
}

/**
 * @param {Attempt[]} attempts
 * @param {string} team
 */
function countOf(attempts, team) {
  return attempts.filter(([, one, , result]) => one === team && result === "goal").length;
}

/**
 * @param {Moment} moment
 * @param {string} team
 */
function scoreOf({ goals, winner }, team) {
  return goals.filter((goal) => goal[2] === team).length + (winner?.[2] === team ? 1 : 0);
}

/**
 * Shots come evenly over a period; a goal is a shot.
 * @param {Game} game
 * @param {Moment} moment
 * @param {"away" | "home"} side
 */
function shotsOf({ shots, ...game }, { period, elapsed, goals }, side) {
  const all = shots?.[side] ?? [];
  const before = all.slice(0, period - 1).reduce((sum, count) => sum + count, 0);
  const during = Math.floor(((all[period - 1] ?? 0) * elapsed) / (lengthOf(period) || 1));
  return Math.max(before + during, goals.filter((goal) => goal[2] === game[side]).length);
}

/**
 * Seconds since the game began: penalties run over the end of a period.
 * @param {number} period
 * @param {number} elapsed
 */
function gameSeconds(period, elapsed) {
  return (period - 1) * REGULATION_SECONDS + elapsed;
}

/**
 * What is left of the penalties being served by a team, in seconds. A goal of the other team ends a minor.
 * @param {Game} game
 * @param {Moment} moment
 * @param {string} team
 */
function servedBy({ penalties = [] }, { period, elapsed, goals }, team) {
  const now = gameSeconds(period, elapsed);
  return penalties.flatMap(([during, time, against, , minutes]) => {
    const start = gameSeconds(during, secondsOf(time));
    const end = start + minutes * 60;
    const ended =
      minutes === 2 &&
      goals.some(([at, when, scoring, , , strength]) => {
        const scored = gameSeconds(at, secondsOf(when));
        return scoring !== against && strength === "pp" && scored > start && scored <= end;
      });
    return against === team && now >= start && now < end && !ended ? [end - now] : [];
  });
}

/**
 * Unequal strength, an empty net or a shootout; `null` otherwise. The code reads: away goalie, away skaters, home
 * skaters, home goalie.
 * @param {Game} game
 * @param {Moment} moment
 */
function situationOf(game, moment) {
  const { away, home, pulled = [], shootout = [] } = game;
  const { state, phase, period, elapsed, attempts } = moment;
  if ((state !== "LIVE" && state !== "CRIT") || phase === "drop" || phase === "intermission") return null;
  if (period === 5) {
    const shooting = shootout[attempts.length]?.[1] ?? away;
    const strength = (/** @type {string} */ team) => ({ abbrev: team, strength: team === shooting ? 1 : 0 });
    const situationCode = shooting === away ? "0101" : "1010";
    return { homeTeam: strength(home), awayTeam: strength(away), situationCode };
  }
  const isOut = (/** @type {string} */ team) =>
    pulled.some(
      ([during, from, to, one]) =>
        one === team && during === period && elapsed >= secondsOf(from) && elapsed < secondsOf(to),
    );
  const served = { [away]: servedBy(game, moment, away), [home]: servedBy(game, moment, home) };
  const skaters = (/** @type {string} */ team, /** @type {string} */ other) => {
    // In overtime a penalty gives the other side a fourth skater, and nobody plays with two.
    const even = period === 4 ? 3 + Math.max(0, served[other].length - served[team].length) : 5 - served[team].length;
    return Math.max(3, even) + (isOut(team) ? 1 : 0);
  };
  const [theirs, ours] = [skaters(away, home), skaters(home, away)];
  const [awayIn, homeIn] = [isOut(away) ? 0 : 1, isOut(home) ? 0 : 1];
  if (theirs === ours && awayIn === 1 && homeIn === 1) return null;
  const left = Math.max(0, ...served[away], ...served[home]);
  const side = (/** @type {string} */ team, /** @type {string} */ other, /** @type {number} */ strength) => {
    const words = [...(served[team].length < served[other].length ? ["PP"] : []), ...(isOut(team) ? ["EN"] : [])];
    return { abbrev: team, ...(words.length > 0 && { situationDescriptions: words }), strength };
  };
  return {
    homeTeam: side(home, away, ours),
    awayTeam: side(away, home, theirs),
    situationCode: `${awayIn}${theirs}${ours}${homeIn}`,
    ...(left > 0 && { timeRemaining: textOf(left), secondsRemaining: left }),
  };
}

// ── The shapes of the source ─────────────────────────────────────────────────

/** @param {number} number */
function descriptorOf(number) {
  return { number, periodType: number < 4 ? "REG" : number === 4 ? "OT" : "SO", maxRegulationPeriods: 3 };
}

/** @param {Moment} moment */
function clockOf({ phase, left }) {
  return {
    timeRemaining: textOf(left),
    secondsRemaining: left,
    running: phase === "play",
    inIntermission: phase === "intermission",
  };
}

/**
 * How many goals, or assists, a player has in this calendar up to a goal, that one included.
 * @param {Game} game
 * @param {Goal} goal
 * @param {(one: Goal) => boolean} counts
 */
function toDate(game, goal, counts) {
  const before = GAMES.slice(0, GAMES.indexOf(game)).flatMap(({ goals = [] }) => goals);
  const during = game.goals?.slice(0, game.goals.indexOf(goal) + 1) ?? [];
  return [...before, ...during].filter(counts).length;
}

/**
 * What every endpoint says of a goal.
 * @param {Game} game
 * @param {Goal} goal
 */
function goalFacts(game, goal) {
  const [, time, team, scorer, helpers, strength = "ev", goalModifier = "none"] = goal;
  const { id: playerId, first, last } = playerOf(team, scorer);
  const all = game.goals ?? [];
  const counted = all.includes(goal) ? all.slice(0, all.indexOf(goal) + 1) : [...all, goal];
  const score = (/** @type {string} */ one) => counted.filter((other) => other[2] === one).length;
  return {
    timeInPeriod: time,
    playerId,
    name: localized(`${first[0]}. ${last}`),
    firstName: localized(first),
    lastName: localized(last),
    goalModifier,
    assists: helpers.map((helper) => {
      const { id, first, last } = playerOf(team, helper);
      const here = toDate(game, goal, (one) => one[2] === team && one[4].includes(helper));
      const { assists } = beforeCalendar(team, helper, PAST);
      return { playerId: id, name: localized(`${first[0]}. ${last}`), assistsToDate: assists + here };
    }),
    goalsToDate:
      beforeCalendar(team, scorer, PAST).goals + toDate(game, goal, (one) => one[2] === team && one[3] === scorer),
    awayScore: score(game.away),
    homeScore: score(game.home),
    strength,
  };
}

/**
 * @param {Game} game
 * @param {Goal} goal
 */
function scoreGoal(game, goal) {
  const { timeInPeriod, playerId, assists, goalsToDate, ...facts } = goalFacts(game, goal);
  return {
    period: goal[0],
    periodDescriptor: descriptorOf(goal[0]),
    timeInPeriod,
    playerId,
    ...facts,
    assists,
    teamAbbrev: goal[2],
    // The goal of a shootout is nobody's.
    ...(goal[0] < 5 && { goalsToDate }),
  };
}

/**
 * @param {Game} game
 * @param {Goal} goal
 */
function landingGoal(game, goal) {
  const [period, , team, , helpers] = goal;
  const { goalsToDate, assists, ...facts } = goalFacts(game, goal);
  const leading = facts.awayScore > facts.homeScore ? game.away : facts.homeScore > facts.awayScore ? game.home : null;
  return {
    ...facts,
    teamAbbrev: localized(team),
    ...(period < 5 && { goalsToDate }),
    ...(leading !== null && { leadingTeamAbbrev: localized(leading) }),
    shotType: "wrist",
    assists: assists.map((assist, index) => {
      const { first, last, number } = playerOf(team, helpers[index]);
      return { ...assist, firstName: localized(first), lastName: localized(last), sweaterNumber: number };
    }),
    isHome: team === game.home,
  };
}

/** @param {Game} game */
function broadcastsOf({ tv = {} }) {
  return Object.entries(tv).flatMap(([market, networks]) =>
    networks.map((network, index) => ({
      id: NETWORK_IDS[network],
      market,
      countryCode: /^(?:NESN|MSG-B|FDSN)/.test(network) ? "US" : "CA",
      network,
      sequenceNumber: 101 + index,
    })),
  );
}

/** @param {Game} game */
function linkOf({ id, day, away, home }) {
  return `/gamecenter/${away}-vs-${home}/${day.replaceAll("-", "/")}/${id}`.toLowerCase();
}

/** @param {Game} game */
function recapOf({ id, away, home }) {
  return {
    threeMinRecap: `/video/${away}-at-${home}-recap-${id}`.toLowerCase(),
    threeMinRecapFr: `/fr/video/${away}-vs-${home}-resume-${id}`.toLowerCase(),
  };
}

/** @param {Game} game */
function headerOf(game) {
  return { id: game.id, season: SEASON, gameType: 2, gameDate: game.day };
}

/** @param {Game} game */
function timesOf(game) {
  return {
    startTimeUTC: new Date(startOf(game)).toISOString().replace(".000", ""),
    easternUTCOffset: EASTERN,
    venueUTCOffset: clubOf(game.home).offset,
  };
}

/**
 * The postponed game comes as one to be played, with a score: its schedule state is the truth.
 * @param {Game} game
 * @param {Moment} moment
 */
function statesOf({ schedule }, { state }) {
  return { gameState: state, gameScheduleState: schedule ?? "OK" };
}

/**
 * @param {Game} game
 * @param {Moment} moment
 * @param {"away" | "home"} side
 */
function scoreFields(game, moment, side) {
  return moment.started || game.schedule === "PPD" ? { score: scoreOf(moment, game[side]) } : {};
}

/**
 * @param {Game} game
 * @param {Moment} moment
 */
function scoreItem(game, moment) {
  const { phase, period, started, over, state, goals, winner } = moment;
  const team = (/** @type {"away" | "home"} */ side) => {
    const { id, nick, nickFr } = clubOf(game[side]);
    return {
      id,
      name: localized(nick, nickFr),
      abbrev: game[side],
      ...scoreFields(game, moment, side),
      ...(started && { sog: shotsOf(game, moment, side) }),
      logo: logoOf(game[side]),
    };
  };
  return {
    ...headerOf(game),
    venue: localized(clubOf(game.home).venue),
    ...timesOf(game),
    tvBroadcasts: broadcastsOf(game),
    ...statesOf(game, moment),
    awayTeam: team("away"),
    homeTeam: team("home"),
    gameCenterLink: linkOf(game),
    ...(state === "OFF" && recapOf(game)),
    ...(started && phase !== "drop" && { clock: clockOf(moment) }),
    neutralSite: false,
    venueTimezone: clubOf(game.home).zone,
    ...(phase !== "drop" && { period, periodDescriptor: descriptorOf(period) }),
    ...(over && { gameOutcome: { lastPeriodType: descriptorOf(period).periodType } }),
    ...(started && { goals: [...goals, ...(winner === null ? [] : [winner])].map((goal) => scoreGoal(game, goal)) }),
  };
}

/**
 * @param {Game} game
 * @param {Moment} moment
 */
function boardItem(game, moment) {
  const { phase, period, started, over, state } = moment;
  const team = (/** @type {"away" | "home"} */ side) => {
    const { id, record } = clubOf(game[side]);
    const { full, common, withPreposition } = namesOf(game[side]);
    return {
      id,
      name: full,
      commonName: common,
      placeNameWithPreposition: withPreposition,
      abbrev: game[side],
      ...(started ? {} : { record }),
      ...scoreFields(game, moment, side),
      ...(started && !over && { sog: shotsOf(game, moment, side) }),
      logo: logoOf(game[side]),
    };
  };
  const situation = situationOf(game, moment);
  return {
    ...headerOf(game),
    gameCenterLink: linkOf(game),
    venue: localized(clubOf(game.home).venue),
    ...timesOf(game),
    tvBroadcasts: broadcastsOf(game),
    ...statesOf(game, moment),
    awayTeam: team("away"),
    homeTeam: team("home"),
    ticketsLink: `https://www.nhl.com/tickets/${game.id}`,
    ticketsLinkFr: `https://www.nhl.com/fr/tickets/${game.id}`,
    ...(started && phase !== "drop" && { period, periodDescriptor: descriptorOf(period) }),
    ...(started && !over && phase !== "drop" && { clock: clockOf(moment) }),
    ...(situation !== null && { situation }),
    ...(state === "OFF" && recapOf(game)),
  };
}

/**
 * A season never has a clock, shots or scorers.
 * @param {Game} game
 * @param {Moment} moment
 */
function seasonItem(game, moment) {
  const { phase, period, over, state, goals, winner } = moment;
  const team = (/** @type {"away" | "home"} */ side) => {
    const { id, place, placeFr, nick, nickFr, of } = clubOf(game[side]);
    return {
      id,
      commonName: localized(nick, nickFr),
      placeName: localized(place, placeFr),
      placeNameWithPreposition: localized(place, of),
      abbrev: game[side],
      logo: logoOf(game[side]),
      darkLogo: logoOf(game[side]).replace("light", "dark"),
      [`${side}SplitSquad`]: false,
      ...scoreFields(game, moment, side),
    };
  };
  return {
    ...headerOf(game),
    venue: localized(clubOf(game.home).venue),
    neutralSite: false,
    ...timesOf(game),
    venueTimezone: clubOf(game.home).zone,
    ...statesOf(game, moment),
    tvBroadcasts: broadcastsOf(game),
    awayTeam: team("away"),
    homeTeam: team("home"),
    ...(phase !== "drop" && { periodDescriptor: descriptorOf(period) }),
    ...(over && { gameOutcome: { lastPeriodType: descriptorOf(period).periodType } }),
    ...(over && winnersOf(game, [...goals, ...(winner === null ? [] : [winner])])),
    ...(state === "OFF" && recapOf(game)),
    gameCenterLink: linkOf(game),
  };
}

/**
 * The winning goal is the first that the losing side never reached.
 * @param {Game} game
 * @param {Goal[]} goals
 */
function winnersOf({ away, home }, goals) {
  const of = (/** @type {string} */ team) => goals.filter((goal) => goal[2] === team);
  const [won, lost] = of(away).length > of(home).length ? [away, home] : [home, away];
  const person = (/** @type {string} */ name) => {
    const { id, first, last } = playerOf(won, name);
    return { playerId: id, firstInitial: localized(`${first[0]}.`), lastName: localized(last) };
  };
  return { winningGoalie: person(goalieOf(won).last), winningGoalScorer: person(of(won)[of(lost).length][3]) };
}

/**
 * @param {Game} game
 * @param {Moment} moment
 */
function landing(game, moment) {
  const { phase, period, started } = moment;
  const team = (/** @type {"away" | "home"} */ side) => {
    const { id, nick, nickFr, place, placeFr, of, record } = clubOf(game[side]);
    return {
      id,
      commonName: localized(nick, nickFr),
      abbrev: game[side],
      placeName: localized(place, placeFr),
      placeNameWithPreposition: localized(place, of),
      ...(started ? {} : { record }),
      ...scoreFields(game, moment, side),
      ...(started && { sog: shotsOf(game, moment, side) }),
      logo: logoOf(game[side]),
      darkLogo: logoOf(game[side]).replace("light", "dark"),
    };
  };
  const situation = situationOf(game, moment);
  return {
    ...headerOf(game),
    limitedScoring: false,
    venue: localized(clubOf(game.home).venue),
    venueLocation: localized(clubOf(game.home).place),
    ...timesOf(game),
    venueTimezone: clubOf(game.home).zone,
    ...(phase !== "drop" && { periodDescriptor: descriptorOf(period) }),
    tvBroadcasts: broadcastsOf(game),
    ...statesOf(game, moment),
    awayTeam: team("away"),
    homeTeam: team("home"),
    shootoutInUse: true,
    maxPeriods: 5,
    regPeriods: 3,
    otInUse: true,
    tiesInUse: false,
    ...(started && { summary: summaryOf(game, moment) }),
    ...(started && phase !== "drop" && { clock: clockOf(moment) }),
    ...(situation !== null && { situation }),
  };
}

/**
 * @param {Game} game
 * @param {Moment} moment
 */
function summaryOf(game, moment) {
  const { phase, period, goals, winner } = moment;
  const periods = phase === "drop" ? [] : Array.from({ length: period }, (_, index) => index + 1);
  const all = [...goals, ...(winner === null ? [] : [winner])];
  return {
    scoring: periods.map((number) => ({
      periodDescriptor: descriptorOf(number),
      goals: all.filter((goal) => goal[0] === number).map((goal) => landingGoal(game, goal)),
    })),
    ...(period === 5 && { shootout: shootoutOf(game, moment) }),
    threeStars: [],
    penalties: periods
      .filter((number) => number < 5)
      .map((number) => ({ periodDescriptor: descriptorOf(number), penalties: penaltiesOf(game, moment, number) })),
  };
}

/**
 * @param {Game} game
 * @param {Moment} moment
 */
function shootoutOf({ away, home }, { attempts, winner }) {
  return {
    liveScore: { home: countOf(attempts, home), away: countOf(attempts, away) },
    events: attempts.map(([, team, player, result], index) => {
      const { id: playerId, first, last } = playerOf(team, player);
      const until = attempts.slice(0, index + 1);
      return {
        sequence: index + 1,
        playerId,
        teamAbbrev: localized(team),
        firstName: localized(first),
        lastName: localized(last),
        shotType: "wrist",
        result,
        gameWinner: result === "goal" && winner?.[2] === team && winner[3] === player,
        homeScore: countOf(until, home),
        awayScore: countOf(until, away),
      };
    }),
  };
}

/**
 * @param {Game} game
 * @param {Moment} moment
 * @param {number} number
 */
function penaltiesOf({ penalties = [] }, { period, elapsed }, number) {
  const now = gameSeconds(period, elapsed);
  const called = penalties.filter((one) => one[0] === number && gameSeconds(number, secondsOf(one[1])) <= now);
  return called.map(([, time, team, name, minutes, descKey]) => {
    const common = {
      timeInPeriod: time,
      type: name === null ? "BEN" : minutes === 5 ? "MAJ" : "MIN",
      duration: minutes,
    };
    if (name === null) return { ...common, teamAbbrev: localized(team), descKey };
    const { first, last, number } = playerOf(team, name);
    const committedByPlayer = { firstName: localized(first), lastName: localized(last), sweaterNumber: number };
    return { ...common, committedByPlayer, teamAbbrev: localized(team), descKey };
  });
}

// ── The night ────────────────────────────────────────────────────────────────

/**
 * @param {string} day
 * @param {number} distance
 */
function dayAfter(day, distance) {
  return new Date(Date.parse(day) + distance * DAY).toISOString().slice(0, 10);
}

/** @param {string} day */
function abbrevOf(day) {
  return ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"][new Date(day).getUTCDay()];
}

/** @param {string} day */
function gamesOn(day) {
  return GAMES.filter((game) => game.day === day);
}

/**
 * Everything the source says at one instant, each answer `null` where it has no such page. After the night nothing
 * moves any more. The standings and the figures of the players stay those of the morning.
 * @param {number} instant in ms since 1970
 */
export function nightAt(instant) {
  const now = Math.min(instant, NIGHT.ends);
  const at = (/** @type {Game} */ game) => momentOf(game, now);
  const days = GAMES.map(({ day }) => day);
  return {
    /** @param {string} day */
    score(day) {
      return {
        prevDate: days.findLast((other) => other < day) ?? dayAfter(day, -1),
        currentDate: day,
        nextDate: days.find((other) => other > day) ?? dayAfter(day, 1),
        gameWeek: [-3, -2, -1, 0, 1, 2, 3].map((distance) => {
          const date = dayAfter(day, distance);
          return { date, dayAbbrev: abbrevOf(date), numberOfGames: gamesOn(date).length };
        }),
        oddsPartners: [],
        games: gamesOn(day).map((game) => scoreItem(game, at(game))),
      };
    },
    /** @param {string} team */
    scoreboard(team) {
      if (!isClub(team)) return null;
      const dates = Array.from({ length: 2 * BOARD_DAYS + 1 }, (_, index) => dayAfter(NIGHT.day, index - BOARD_DAYS));
      const { zone, offset, nick } = clubOf(team);
      return {
        focusedDate: NIGHT.day,
        focusedDateCount: dates.length,
        clubTimeZone: zone,
        clubUTCOffset: offset,
        clubScheduleLink: `/${nick.toLowerCase().replaceAll(" ", "")}/schedule`,
        gamesByDate: dates.map((date) => ({
          date,
          games: gamesOn(date)
            .filter(({ away, home }) => away === team || home === team)
            .map((game) => boardItem(game, at(game))),
        })),
      };
    },
    /** @param {string} team */
    season(team) {
      if (!isClub(team)) return null;
      return {
        previousSeason: SEASON - 10_001,
        currentSeason: SEASON,
        clubTimezone: clubOf(team).zone,
        clubUTCOffset: clubOf(team).offset,
        games: GAMES.filter(({ away, home }) => away === team || home === team).map((game) =>
          seasonItem(game, at(game)),
        ),
      };
    },
    /** @param {number} id */
    landing(id) {
      const game = GAMES.find((one) => one.id === id);
      return game === undefined ? null : landing(game, at(game));
    },
    /** A week of the league from a day on. @param {string} day */
    schedule(day) {
      const week = Array.from({ length: 7 }, (_, index) => dayAfter(day, index));
      return {
        nextStartDate: dayAfter(day, 7),
        previousStartDate: dayAfter(day, -7),
        gameWeek: week.map((date) => ({
          date,
          dayAbbrev: abbrevOf(date),
          numberOfGames: gamesOn(date).length,
          // The day is said once, on the week.
          games: gamesOn(date).map((game) => {
            const { gameDate: _, ...item } = seasonItem(game, at(game));
            return item;
          }),
        })),
        oddsPartners: [],
        ...CALENDAR,
        numberOfGames: week.flatMap(gamesOn).length,
      };
    },
    /** @param {string} day */
    standings: (day) => standingsOn(day, NIGHT.day),
    bracket: bracketOf,
    clubStats,
    leaders: leadersOf,
    roster: rosterOf,
    search: searchPlayers,
    /** @param {number} id */
    player: (id) => playerPage(id, PAST),
  };
}

/**
 * The phases of a team's game tonight, each with the instant it begins: for whoever tells the night as it goes.
 * @param {string} team
 * @returns {{ at: number, phase: Phase, period: number, score: string }[]}
 */
export function phasesOf(team) {
  const game = gamesOn(NIGHT.day).find(({ away, home }) => away === team || home === team);
  if (game?.course === undefined) return [];
  const seen = new Set();
  return game.course.flatMap(([minutes, phase, period = 1]) => {
    const key = `${phase === "stopped" ? "play" : phase} ${period}`;
    // A whistle is not a phase, and a horn ends one that has been told.
    if (seen.has(key)) return [];
    seen.add(key);
    const at = startOf(game) + minutes * MINUTE;
    const moment = momentOf(game, at);
    const score = `${clubOf(game.away).place} ${scoreOf(moment, game.away)}, ${clubOf(game.home).place} ${scoreOf(moment, game.home)}`;
    return [{ at, phase: phase === "stopped" ? /** @type {const} */ ("play") : phase, period, score }];
  });
}

// ── The server ───────────────────────────────────────────────────────────────

/**
 * How the source goes wrong. `html`: a page instead of data, with a 200. `dated`: a redirect to a dated address, as the
 * real `/now` does. `elsewhere`: a redirect to another host. `huge`: over 2 MB. `empty`: no game anywhere.
 * @typedef {"html" | "500" | "503" | "429" | "truncated" | "stall" | "elsewhere" | "dated" | "huge" | "empty"} Fault
 */

/** Longer than any caller waits. */
const STALL_MS = 15_000;
const HUGE_BYTES = 2_100_000;
const HTML = "<!DOCTYPE html><html><head><title>NHL.com</title></head><body>Sorry, something went wrong.</body></html>";

/**
 * Serves the night on the loopback. `clock` is the instant it starts at, then running at `speed` times real time; or a
 * function that gives the instant. `fault` applies to every request, or decides for each from its path and its rank.
 * @param {object} [options]
 * @param {number} [options.port]
 * @param {number | (() => number)} [options.clock]
 * @param {number} [options.speed]
 * @param {Fault | null | ((path: string, rank: number) => Fault | null)} [options.fault]
 * @returns {Promise<{ url: string, close(): Promise<void>, calls: string[], now(): number }>} `calls`: paths, in order
 */
export async function startNhl({ port = 0, clock = NIGHT.starts, speed = 1, fault = null } = {}) {
  const origin = Date.now();
  const now = typeof clock === "function" ? clock : () => clock + (Date.now() - origin) * speed;
  const server = await listen(port, (response, path, rank) => {
    const wrong = typeof fault === "function" ? fault(path, rank) : fault;
    respond(response, path, nightAt(now()), wrong);
  });
  return { ...server, now };
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {string} path
 * @param {ReturnType<typeof nightAt>} night
 * @param {Fault | null} fault
 */
function respond(response, path, night, fault) {
  const dated = datedOf(path);
  const body = answer(dated, night);
  const html = (/** @type {number} */ status, headers = {}) =>
    response.writeHead(status, { "content-type": "text/html; charset=utf-8", ...headers }).end(HTML);
  const redirect = (/** @type {string} */ location) => response.writeHead(307, { location }).end();
  const json = (/** @type {string} */ text) =>
    response.writeHead(200, { "content-type": "application/json", "cache-control": "max-age=15" }).end(text);

  if (fault === "html") return html(200);
  if (fault === "500" || fault === "503") return html(Number(fault));
  if (fault === "429") return html(429, { "retry-after": "20" });
  if (fault === "elsewhere") return redirect(`https://elsewhere.invalid${dated}`);
  if (fault === "dated" && path !== dated) return redirect(dated);
  if (fault === "dated" && !/[?&]$/.test(path)) return redirect(`${path}${path.includes("?") ? "&" : "?"}`);
  if (fault === "huge") return json(`{"games":[],"padding":"${"x".repeat(HUGE_BYTES)}"}`);
  // A season's « now » redirects in life; whether a board's does is not known, and this one answers at once.
  if (fault === null && path !== dated && !path.startsWith("/v1/scoreboard/")) return redirect(dated);
  if (body === null) return html(404);
  const text = JSON.stringify(body);
  if (fault === "truncated") return json(text.slice(0, text.length / 2));
  if (fault === "empty") return json(JSON.stringify(body, (key, value) => (isList(key, value) ? [] : value)));
  if (fault === "stall") return void setTimeout(json, STALL_MS, text).unref();
  return json(text);
}

/** Where « now » and « current » lead, by what comes before. @type {[before: RegExp, to: string][]} */
const DATED = [
  [/^\/v1\/(?:score|schedule|standings|scoreboard\/\w+)$/, NIGHT.day],
  [/^\/v1\/(?:club-schedule-season|roster)\/\w+$/, `${SEASON}`],
  [/^\/v1\/(?:club-stats\/\w+|(?:skater|goalie)-stats-leaders)$/, `${SEASON}/2`],
];

/**
 * The address that « now » and « current » redirect to; any other one stays.
 * @param {string} path
 */
function datedOf(path) {
  const [, before, query] = /^(.*)\/(?:now|current)(\?.*)?$/.exec(path) ?? [];
  const to = DATED.find(([address]) => address.test(before ?? ""))?.[1];
  return to === undefined ? path : `${before}/${to}${query ?? ""}`;
}

/**
 * A list that can be empty: a week always has its days.
 * @param {string} key
 * @param {unknown} value
 */
function isList(key, value) {
  return Array.isArray(value) && key !== "gameWeek";
}

/**
 * @param {string} path without a `now`
 * @param {ReturnType<typeof nightAt>} night
 * @returns {object | null}
 */
function answer(path, night) {
  const { pathname, searchParams } = new URL(`http://nhl.invalid${path}`);
  if (pathname === "/api/v1/search/player") return night.search(searchParams);
  const [version, endpoint, ...rest] = pathname.split("/").slice(1);
  if (version !== "v1") return null;
  const [what, which, part] = rest;
  const season = String(SEASON);
  const isDay = (/** @type {string} */ text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
  if (endpoint === "score" && rest.length === 1 && isDay(what)) return night.score(what);
  if (endpoint === "scoreboard" && rest.length === 2 && isDay(which)) return night.scoreboard(what);
  if (endpoint === "club-schedule-season" && which === season) return night.season(what);
  if (endpoint === "gamecenter" && which === "landing") return night.landing(Number(what));
  if (endpoint === "schedule" && rest.length === 1 && isDay(what)) return night.schedule(what);
  if (endpoint === "standings" && rest.length === 1 && isDay(what)) return night.standings(what);
  if (endpoint === "playoff-bracket" && rest.length === 1) return night.bracket(Number(what));
  if (endpoint === "club-stats" && which === season && part === "2") return night.clubStats(what);
  if (endpoint === "skater-stats-leaders" && what === season && which === "2") {
    return night.leaders("skater", searchParams);
  }
  if (endpoint === "goalie-stats-leaders" && what === season && which === "2") {
    return night.leaders("goalie", searchParams);
  }
  if (endpoint === "roster" && which === season) return night.roster(what);
  if (endpoint === "player" && which === "landing") return night.player(Number(what));
  return null;
}
