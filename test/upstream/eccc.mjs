// A made-up Saturday of January, answered the way Environment Canada, Open-Meteo and the two gazetteers answer: one small
// server for the four. What the weather does is data, in the tables; every payload is derived from them and from one
// instant, so the same instant always gives the same bytes. The shapes are in geomet.mjs, openmeteo.mjs and
// gazetteers.mjs.
import { geocoder, geogratis, locate } from "./gazetteers.mjs";
import {
  alert,
  alerts,
  aqhiBulletin,
  aqhiHours,
  aqhiObservation,
  around,
  beside,
  citypage,
  collection,
  trouble,
} from "./geomet.mjs";
import { openMeteo, openMeteoError, VARIABLES } from "./openmeteo.mjs";
import { listen } from "./server.mjs";
import { addDays, daysBetween, HOUR, instantOf, localOf } from "./zones.mjs";

/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ fr: string, en: string }} Text */
/** @typedef {import("./geomet.mjs").Wind} Wind */

const MINUTE = 60_000;
const EASTERN = "America/Toronto";

/** The Saturday of the made-up night of hockey, a little after one in the afternoon. */
export const DAY = { day: "2026-01-17", starts: Date.parse("2026-01-17T13:05:00-05:00") };

// ── The tables ───────────────────────────────────────────────────────────────

/**
 * A half-day. `warmer` is against the usual high or low of the town; `short` is what the sky is called for one hour.
 * @typedef {object} Half
 * @property {Text} sky
 * @property {string} short
 * @property {number} warmer
 * @property {Wind} [wind]
 * @property {Text} [blow] the wind in the forecasters' words
 * @property {[kind: string, amount: number]} [accumulation]
 * @property {{ sky: Text, short: string }} [mild] instead, where it isn't cold enough to snow
 */

/**
 * What the weather does: the first half-days of the story, then the week that follows; and within them, from one hour
 * after the Saturday's midnight to another, what falls, how likely, and how much an hour: mm of rain or cm of snow.
 * @typedef {object} Kind
 * @property {Half[]} halves
 * @property {[from: number, to: number, sky: string, lop: number, amount: number][]} spans
 */

/** @type {Record<string, Kind>} */
const KINDS = {
  storm: {
    halves: [
      {
        sky: {
          fr: "Nuageux. Neige parfois forte débutant cet après-midi. Accumulation de 10 à 15 cm.",
          en: "Cloudy. Snow at times heavy beginning this afternoon. Amount 10 to 15 cm.",
        },
        short: "Nuageux",
        warmer: 0,
        wind: { speed: 30, gust: 50, direction: "NE" },
        blow: { fr: "Vents du nord-est de 30 km/h avec rafales à 50.", en: "Wind northeast 30 km/h gusting to 50." },
        accumulation: ["neige", 13],
      },
      {
        sky: {
          fr: "Neige cessant tard ce soir puis nuageux. Poudrerie par endroits. Accumulation de 2 à 4 cm.",
          en: "Snow ending late this evening then cloudy. Local blowing snow. Amount 2 to 4 cm.",
        },
        short: "Nuageux",
        warmer: 3,
        wind: { speed: 30, gust: 50, direction: "NO" },
        blow: {
          fr: "Vents du nord-est de 30 km/h avec rafales à 50 devenant du nord-ouest à 30 ce soir.",
          en: "Wind northeast 30 km/h gusting to 50 becoming northwest 30 this evening.",
        },
        accumulation: ["neige", 3],
      },
    ],
    spans: [
      [15, 21, "Neige", 90, 2.2],
      [21, 23, "Neige faible", 80, 1],
    ],
  },
  flurries: {
    halves: [
      {
        sky: {
          fr: "Généralement nuageux avec 30 pour cent de probabilité d'averses de neige tard cet après-midi.",
          en: "Mainly cloudy with 30 percent chance of flurries late this afternoon.",
        },
        short: "Généralement nuageux",
        warmer: -1,
        wind: { speed: 15, direction: "E" },
      },
      {
        sky: {
          fr: "Nuageux avec 60 pour cent de probabilité d'averses de neige. Accumulation de 2 cm.",
          en: "Cloudy with 60 percent chance of flurries. Amount 2 cm.",
        },
        short: "Nuageux",
        warmer: 2,
        wind: { speed: 20, direction: "NE" },
        accumulation: ["neige", 2],
      },
    ],
    spans: [
      [16, 18, "Possibilité d'averses de neige", 30, 0],
      [18, 27, "Possibilité d'averses de neige", 60, 0.2],
    ],
  },
  cold: {
    halves: [
      {
        sky: { fr: "Ensoleillé.", en: "Sunny." },
        short: "Ensoleillé",
        warmer: -13,
        wind: { speed: 20, direction: "NO" },
        blow: { fr: "Vents du nord-ouest de 20 km/h.", en: "Wind northwest 20 km/h." },
      },
      {
        sky: { fr: "Dégagé.", en: "Clear." },
        short: "Dégagé",
        warmer: -12,
        wind: { speed: 20, direction: "NO" },
        blow: { fr: "Vents du nord-ouest de 20 km/h.", en: "Wind northwest 20 km/h." },
      },
    ],
    spans: [],
  },
  rain: {
    halves: [
      {
        sky: { fr: "Pluie. Hauteur prévue de 15 à 25 mm.", en: "Rain. Amount 15 to 25 mm." },
        short: "Pluie",
        warmer: 8,
        wind: { speed: 40, gust: 70, direction: "S" },
        blow: { fr: "Vents du sud de 40 km/h avec rafales à 70.", en: "Wind south 40 km/h gusting to 70." },
        accumulation: ["pluie", 20],
      },
      {
        sky: { fr: "Pluie cessant ce soir puis nuageux.", en: "Rain ending this evening then cloudy." },
        short: "Nuageux",
        warmer: 12,
        wind: { speed: 30, direction: "SO" },
      },
    ],
    spans: [
      [6, 18, "Pluie", 100, 1.6],
      [18, 21, "Pluie intermittente", 80, 0.5],
    ],
  },
  gale: {
    halves: [
      {
        sky: { fr: "Pluie intermittente.", en: "Periods of rain." },
        short: "Pluie intermittente",
        warmer: 5,
        wind: { speed: 60, gust: 100, direction: "SE" },
        blow: { fr: "Vents du sud-est de 60 km/h avec rafales à 100.", en: "Wind southeast 60 km/h gusting to 100." },
      },
      {
        sky: {
          fr: "Nuageux avec 40 pour cent de probabilité d'averses.",
          en: "Cloudy with 40 percent chance of showers.",
        },
        short: "Nuageux",
        warmer: 6,
        wind: { speed: 50, gust: 80, direction: "SO" },
        blow: { fr: "Vents du sud-ouest de 50 km/h avec rafales à 80.", en: "Wind southwest 50 km/h gusting to 80." },
      },
    ],
    spans: [
      [6, 18, "Pluie intermittente", 90, 0.6],
      [18, 30, "Possibilité d'averses", 40, 0],
    ],
  },
  showers: {
    halves: [
      {
        sky: { fr: "Averses. Hauteur prévue de 5 à 10 mm.", en: "Showers. Amount 5 to 10 mm." },
        short: "Averses",
        warmer: 0,
        wind: { speed: 20, direction: "SO" },
        accumulation: ["pluie", 8],
      },
      {
        sky: {
          fr: "Nuageux avec 40 pour cent de probabilité d'averses.",
          en: "Cloudy with 40 percent chance of showers.",
        },
        short: "Nuageux",
        warmer: 0,
      },
    ],
    spans: [
      [6, 18, "Averses", 90, 0.6],
      [18, 24, "Possibilité d'averses", 40, 0],
    ],
  },
  fair: {
    halves: [
      {
        sky: { fr: "Alternance de soleil et de nuages.", en: "A mix of sun and cloud." },
        short: "Alternance de soleil et de nuages",
        warmer: 0,
      },
      { sky: { fr: "Passages nuageux.", en: "Cloudy periods." }, short: "Passages nuageux", warmer: 0 },
    ],
    spans: [],
  },
};

/** From the Sunday on, the same for everyone; then again, for whoever asks later. @type {Half[]} */
const WEEK = [
  {
    sky: { fr: "Alternance de soleil et de nuages.", en: "A mix of sun and cloud." },
    short: "Alternance de soleil et de nuages",
    warmer: -2,
    wind: { speed: 20, direction: "O" },
  },
  { sky: { fr: "Dégagé.", en: "Clear." }, short: "Dégagé", warmer: -4 },
  { sky: { fr: "Ensoleillé.", en: "Sunny." }, short: "Ensoleillé", warmer: -5, wind: { speed: 10, direction: "NO" } },
  { sky: { fr: "Ennuagement.", en: "Increasing cloudiness." }, short: "Ennuagement", warmer: 0 },
  {
    sky: {
      fr: "Nuageux avec 60 pour cent de probabilité d'averses de neige.",
      en: "Cloudy with 60 percent chance of flurries.",
    },
    short: "Possibilité d'averses de neige",
    warmer: 1,
    mild: {
      sky: {
        fr: "Nuageux avec 60 pour cent de probabilité d'averses.",
        en: "Cloudy with 60 percent chance of showers.",
      },
      short: "Possibilité d'averses",
    },
  },
  {
    sky: { fr: "Neige.", en: "Snow." },
    short: "Neige",
    warmer: 4,
    mild: { sky: { fr: "Pluie.", en: "Rain." }, short: "Pluie" },
  },
  {
    sky: { fr: "Averses de neige.", en: "Flurries." },
    short: "Averses de neige",
    warmer: 3,
    mild: { sky: { fr: "Averses.", en: "Showers." }, short: "Averses" },
  },
  {
    sky: {
      fr: "Nuageux avec 30 pour cent de probabilité d'averses de neige.",
      en: "Cloudy with 30 percent chance of flurries.",
    },
    short: "Possibilité d'averses de neige",
    warmer: 1,
    mild: {
      sky: {
        fr: "Nuageux avec 30 pour cent de probabilité d'averses.",
        en: "Cloudy with 30 percent chance of showers.",
      },
      short: "Possibilité d'averses",
    },
  },
  {
    sky: { fr: "Alternance de soleil et de nuages.", en: "A mix of sun and cloud." },
    short: "Alternance de soleil et de nuages",
    warmer: 0,
  },
  { sky: { fr: "Passages nuageux.", en: "Cloudy periods." }, short: "Passages nuageux", warmer: -1 },
  { sky: { fr: "Ensoleillé.", en: "Sunny." }, short: "Ensoleillé", warmer: -4 },
  { sky: { fr: "Dégagé.", en: "Clear." }, short: "Dégagé", warmer: -3 },
];

/**
 * A town: `high` and `low` are the usual ones of the season. `automatic`: its station doesn't see the sky. `down`: its
 * page answers 503. `station`: where the thermometer is, when it isn't in town.
 * @typedef {object} Town
 * @property {string} id
 * @property {string} name
 * @property {number} lat
 * @property {number} lon
 * @property {string} zone
 * @property {keyof typeof KINDS} kind
 * @property {number} high
 * @property {number} low
 * @property {boolean} [automatic]
 * @property {boolean} [calm]
 * @property {boolean} [down]
 * @property {Text} [station]
 */

/** @type {[id: string, name: string, lat: number, lon: number, kind: keyof typeof KINDS, high: number, low: number, more?: Partial<Town>][]} */
const ROWS = [
  ["qc-147", "Montréal", 45.52, -73.65, "storm", -6, -15, { station: airport("Pointe-Blanche") }],
  ["qc-76", "Laval", 45.58, -73.75, "storm", -6, -15],
  ["qc-109", "Longueuil", 45.53, -73.52, "storm", -6, -15],
  ["qc-28", "Saint-Jean-sur-Richelieu", 45.32, -73.27, "storm", -6, -15],
  ["qc-13", "Saint-Jérôme", 45.78, -74.0, "storm", -7, -17],
  ["qc-68", "Huntingdon", 45.08, -74.17, "storm", -5, -14, { automatic: true }],
  ["qc-130", "Trois-Rivières", 46.35, -72.58, "storm", -8, -18, { down: true }],
  ["qc-133", "Québec", 46.82, -71.22, "flurries", -8, -17],
  ["qc-78", "Lévis", 46.8, -71.18, "flurries", -8, -17],
  ["qc-136", "Sherbrooke", 45.4, -71.9, "flurries", -6, -17],
  ["qc-138", "Rimouski", 48.45, -68.53, "flurries", -7, -16],
  ["qc-166", "Saguenay", 48.42, -71.07, "cold", -10, -21],
  ["qc-73", "Lac-Saint-Jean", 48.57, -72.23, "cold", -10, -22],
  ["qc-148", "Rouyn-Noranda", 48.23, -79.02, "cold", -11, -23],
  ["qc-150", "Kuujjuaq", 58.1, -68.4, "cold", -19, -28],
  ["qc-101", "Gaspé", 48.83, -64.48, "rain", -5, -15],
  ["qc-103", "Îles-de-la-Madeleine", 47.4, -61.78, "gale", -2, -7, { zone: "America/Halifax" }],
  ["qc-126", "Gatineau", 45.48, -75.65, "fair", -6, -15, { calm: true }],
  ["on-118", "Ottawa (Kanata - Orléans)", 45.33, -75.58, "fair", -6, -15],
  ["on-143", "Toronto", 43.74, -79.37, "flurries", -2, -9],
  ["world-1", "Paris", 48.85, 2.35, "showers", 8, 3, { zone: "Europe/Paris" }],
  ["world-2", "Miami", 25.77, -80.19, "fair", 25, 17, { zone: "America/New_York" }],
  ["world-3", "Plattsburgh", 44.7, -73.45, "storm", -3, -12, { zone: "America/New_York" }],
  ["world-4", "Old Orchard Beach", 43.52, -70.38, "flurries", 1, -8, { zone: "America/New_York" }],
];

/** @type {Town[]} */
const TOWNS = ROWS.map(([id, name, lat, lon, kind, high, low, more]) => ({
  id,
  name,
  lat,
  lon,
  kind,
  high,
  low,
  zone: EASTERN,
  ...more,
}));

/** For the towns that aren't above: where they may be, and how warm. */
const PROVINCES = /** @type {Record<string, [zone: string, lat: number, lon: number, high: number, low: number]>} */ ({
  ab: ["America/Edmonton", 53.5, -113.5, -7, -16],
  bc: ["America/Vancouver", 50.1, -121.6, 4, -1],
  mb: ["America/Winnipeg", 50.2, -98.3, -12, -22],
  nb: ["America/Halifax", 46.1, -66.2, -4, -14],
  nl: ["America/St_Johns", 48.6, -55.7, -3, -9],
  ns: ["America/Halifax", 45.1, -63.4, 0, -8],
  nt: ["America/Yellowknife", 62.6, -115.2, -22, -30],
  nu: ["America/Iqaluit", 64.4, -69.8, -23, -31],
  on: [EASTERN, 45.1, -79.1, -5, -15],
  pe: ["America/Halifax", 46.3, -63.2, -2, -11],
  qc: [EASTERN, 47.1, -72.2, -8, -18],
  sk: ["America/Regina", 51.7, -106.1, -11, -21],
  yt: ["America/Whitehorse", 61.3, -135.6, -14, -23],
});
const OTHER_NAMES = ["Val-des-Nuages", "Cap-Givré", "Lac-Gris", "Sainte-Brise", "Mont-Clair", "Anse-aux-Glaces"];

/** Communities with an air-quality index; Québec measures nothing that is published here. */
const COMMUNITIES = [
  { id: "EXAAA", name: "Montréal", lat: 45.51, lon: -73.59, base: 3, observed: false },
  { id: "EXAAB", name: "Québec", lat: 46.81, lon: -71.22, base: 2, observed: false },
  { id: "EXAAC", name: "Gatineau", lat: 45.48, lon: -75.65, base: 4, observed: false },
  { id: "EXAAD", name: "Saguenay", lat: 48.42, lon: -71.06, base: 2, observed: false },
  { id: "EXAAE", name: "Sherbrooke", lat: 45.4, lon: -71.89, base: 2, observed: false },
  { id: "EXBAA", name: "Ottawa", lat: 45.43, lon: -75.68, base: 3, observed: true },
  { id: "EXBAB", name: "Toronto", lat: 43.65, lon: -79.38, base: 3, observed: true },
];

const CANADIAN_NAMES = [
  { name: "Laurier-Station", lat: 46.53, lon: -71.63, concise: "VILG", location: "Lotbinière" },
  { name: "Saint-Tite", lat: 46.73, lon: -72.57, concise: "TOWN", location: "Mékinac" },
  { name: "Saint-Élie-de-Caxton", lat: 46.48, lon: -72.97, concise: "MUN1", location: "Maskinongé" },
  { name: "L'Anse-Saint-Jean", lat: 48.23, lon: -70.2, concise: "MUN1", location: "Le Fjord-du-Saguenay" },
  { name: "Natashquan", lat: 50.18, lon: -61.82, concise: "MUN1", location: "Minganie" },
];

/** First halves of postal codes. */
const POSTAL_CODES = [
  { title: "J7Z", lat: 45.79, lon: -74.01 },
  { title: "H2X", lat: 45.51, lon: -73.57 },
  { title: "G1R", lat: 46.81, lon: -71.21 },
];

const UNITED_STATES = { country: "États-Unis", countryCode: "US", zone: "America/New_York" };
const WORLD_NAMES = [
  {
    name: "Paris",
    lat: 48.85,
    lon: 2.35,
    country: "France",
    countryCode: "FR",
    zone: "Europe/Paris",
    region: "Île-de-France",
    population: 2_100_000,
    feature: "PPLC",
  },
  { ...UNITED_STATES, name: "Miami", lat: 25.77, lon: -80.19, region: "Floride", population: 440_000 },
  { ...UNITED_STATES, name: "Plattsburgh", lat: 44.7, lon: -73.45, region: "New York", population: 20_000 },
  { ...UNITED_STATES, name: "Old Orchard Beach", lat: 43.52, lon: -70.38, region: "Maine", population: 9_000 },
  ...CANADIAN_NAMES.map(({ name, lat, lon }) => ({
    name,
    lat,
    lon,
    country: "Canada",
    countryCode: "CA",
    zone: EASTERN,
    region: "Québec",
    population: 2_000,
  })),
];

/** @param {string} name */
function airport(name) {
  return { fr: `Aéroport de ${name}`, en: `${name} Airport` };
}

/** An hour of the story, in Eastern time. @param {string} time */
function today(time) {
  return Date.parse(`${DAY.day}T${time}:00-05:00`);
}

/** @type {(import("./geomet.mjs").Alert & { published: number, ends: number })[]} */
const ALERTS = [
  {
    code: "SNW",
    hazard: "neige",
    colour: "jaune",
    zoneId: "feaX-11",
    area: around(45.53, -73.65, 0.3),
    published: today("05:12"),
    starts: today("14:00"),
    ends: today("23:30"),
    zone: { fr: "Île de Montréal - Laval - Longueuil", en: "Montréal Island - Laval - Longueuil" },
    text: {
      fr: "De la neige parfois forte tombera cet après-midi et ce soir sur le Grand Montréal.\n\nOn attend de 10 à 15 cm de neige d'ici la fin de la soirée. La visibilité sera réduite par moments, surtout à l'heure du retour.\n\nLes rues et les trottoirs deviendront glissants. Prévoyez plus de temps pour vos déplacements.",
      en: "Snow, at times heavy, will fall this afternoon and tonight over Greater Montréal.\n\n10 to 15 cm of snow are expected by the end of the evening. Visibility will be reduced at times, mostly on the way home.\n\nStreets and sidewalks will become slippery. Allow more time for your trips.",
    },
  },
  {
    code: "WDW",
    hazard: "vent",
    colour: "orange",
    zoneId: "feaX-12",
    area: around(47.4, -61.8, 0.4),
    name: { fr: "avertissement de vent", en: "wind warning" },
    impact: { fr: "majeur", en: "High" },
    published: today("04:40"),
    ends: today("22:00"),
    zone: { fr: "Îles-de-la-Madeleine", en: "Magdalen Islands" },
    text: {
      fr: "Des rafales de 100 km/h balaient l'archipel jusqu'à ce soir.\n\nDes pannes de courant et des dommages aux toitures sont possibles. Rangez ce que le vent peut emporter.",
      en: "Gusts of 100 km/h are sweeping the islands until tonight.\n\nPower outages and damage to roofs are possible. Secure what the wind can carry away.",
    },
  },
  {
    code: "BZW",
    hazard: "blizzard",
    colour: "jaune",
    status: "terminé",
    zoneId: "feaX-13",
    name: { fr: "avertissement de blizzard", en: "blizzard warning" },
    published: today("09:30"),
    ends: today("20:00"),
    area: around(48.42, -71.07),
    zone: { fr: "secteur de Saguenay", en: "Saguenay area" },
    text: { fr: "Le blizzard est fini.", en: "The blizzard is over." },
  },
  {
    code: "SWS",
    type: "statement",
    colour: null,
    zoneId: "feaX-14",
    area: around(48.83, -64.48),
    name: { fr: "bulletin météorologique spécial", en: "special weather statement" },
    confidence: null,
    impact: null,
    published: today("06:20"),
    ends: today("23:00"),
    zone: { fr: "secteur de Gaspé", en: "Gaspé area" },
    text: {
      fr: "La pluie et la douceur feront gonfler les petits cours d'eau aujourd'hui.\n\nDégagez les puisards où vous le pouvez.",
      en: "Rain and mild air will swell small streams today.\n\nClear storm drains where you can.",
    },
  },
  {
    // Near Sherbrooke, and not on it: only the polygon tells.
    code: "FZR",
    hazard: "pluie verglaçante",
    colour: "orange",
    zoneId: "feaX-15",
    area: beside(45.4, -71.9),
    published: today("07:05"),
    ends: today("23:00"),
    zone: { fr: "secteur de la frontière", en: "border area" },
    text: {
      fr: "De la pluie verglaçante tombera près de la frontière.",
      en: "Freezing rain will fall near the border.",
    },
  },
];

// ── What the weather does ────────────────────────────────────────────────────

/** From this temperature on, nothing that falls is snow. */
const MILD = 3;

/**
 * The half-days are counted from the Saturday's day.
 * @param {Town} town
 * @param {number} index
 * @returns {Half}
 */
function halfOf({ kind, high, low }, index) {
  const { halves } = KINDS[kind];
  if (index >= 0 && index < halves.length) return halves[index];
  // Also before the story, for a clock that is set elsewhere: an even half is a day, in both.
  const half = WEEK[(((index - 2) % WEEK.length) + WEEK.length) % WEEK.length];
  return half.warmer + (index % 2 === 0 ? high : low) < MILD ? half : { ...half, ...half.mild };
}

/**
 * The extreme of a half-day: its high by day, its low by night.
 * @param {Town} town
 * @param {number} index
 */
function extremeOf(town, index) {
  return halfOf(town, index).warmer + (index % 2 === 0 ? town.high : town.low);
}

/**
 * An hour, by the clock of the town.
 * @param {Town} town
 * @param {string} day
 * @param {number} hour
 */
function hourOf(town, day, hour) {
  const since = daysBetween(DAY.day, day) * 24 + hour;
  // A night goes from 18 to 6 hours.
  const index = Math.floor((since - 6) / 12);
  const half = halfOf(town, index);
  const span = KINDS[town.kind].spans.find(([from, to]) => since >= from && since < to);
  const usual = likelihoodOf(half);
  const [, , sky, lop, amount] = span ?? [0, 0, half.short, usual, usual >= 80 ? 0.3 : 0];
  const [high, low] = index % 2 === 0 ? [index, index - 1] : hour >= 18 ? [index - 1, index] : [index + 1, index];
  const [top, bottom] = [extremeOf(town, high), extremeOf(town, low)];
  const share = 0.5 + 0.5 * Math.cos(((hour - 15) * Math.PI) / 12);
  const wind = half.wind ?? { speed: 10, direction: "O" };
  return { sky, lop, amount, wind, temperature: bottom + (top - bottom) * share };
}

/** @param {Half} half */
function likelihoodOf({ sky, short }) {
  const said = /(\d+) pour cent/.exec(sky.fr)?.[1];
  // Those of the story have their hours; of the others, what falls does all along.
  if (said !== undefined) return /^Possibilité/.test(short) ? Number(said) : 10;
  return /neige|pluie|averses/i.test(short) ? 90 : 0;
}

/**
 * The official one; null where it isn't felt.
 * @param {number} temperature
 * @param {Wind} wind
 */
function chillOf(temperature, { speed }) {
  if (temperature > 0 || speed === "calme" || speed < 5) return null;
  const power = speed ** 0.16;
  const felt = Math.round(13.12 + 0.6215 * temperature - 11.37 * power + 0.3965 * temperature * power);
  return felt <= temperature - 1 ? felt : null;
}

/** @param {string} text */
function hashOf(text) {
  return [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 10_007, 7);
}

/**
 * The town of a page, one of the tables or any other that may exist; null for what can't be an identifier.
 * @param {string} id
 * @returns {Town | null}
 */
function townOf(id) {
  const known = TOWNS.find((town) => town.id === id);
  if (known !== undefined) return known;
  const [, province] = /^([a-z]{2})-(?:[1-9]\d{0,2}|[a-f]\d)$/.exec(id) ?? [];
  if (province === undefined || PROVINCES[province] === undefined) return null;
  const [zone, lat, lon, high, low] = PROVINCES[province];
  const hash = hashOf(id);
  const kind = hash % 3 === 0 && high < 0 ? "flurries" : "fair";
  const shift = (hash % 5) - 2;
  const name = OTHER_NAMES[hash % OTHER_NAMES.length];
  return { id, name, lat, lon, zone, kind, high: high + shift, low: low + shift };
}

/**
 * The place that a model is asked about: the nearest town of the tables, or some place of that latitude.
 * @param {number} lat
 * @param {number} lon
 * @returns {Town}
 */
function townNear(lat, lon) {
  const far = (/** @type {Town} */ town) =>
    Math.hypot(town.lat - lat, (town.lon - lon) * Math.cos((lat * Math.PI) / 180));
  const [nearest] = TOWNS.toSorted((one, other) => far(one) - far(other));
  if (far(nearest) < 1) return { ...nearest, lat, lon };
  // It is January; south of the equator, summer.
  const high = lat < 0 ? 27 : Math.round(32 - lat * 0.8);
  const zone = lon > -30 && lon < 45 ? "Europe/Paris" : nearest.zone;
  return { id: "model", name: "", lat, lon, zone, kind: "fair", high, low: high - 9 };
}

// ── Environment Canada ───────────────────────────────────────────────────────

/** When forecasts are issued, by the clock of the town. */
const ISSUES = ["05:00", "11:00", "15:45"];
/** A page is written this long after the hour that it observes. */
const WRITTEN_MS = 2 * MINUTE;

/**
 * The last of some hours of the day, at an instant.
 * @param {string[]} times
 * @param {number} now
 * @param {string} zone
 */
function lastOf(times, now, zone) {
  const { day } = localOf(now, zone);
  const instants = [addDays(day, -1), day].flatMap((date) => times.map((time) => instantOf(date, time, zone)));
  return instants.filter((instant) => instant <= now);
}

/**
 * @param {Town} town
 * @param {number} now
 */
function pageOf(town, now) {
  const { zone, station } = town;
  const issued = /** @type {number} */ (lastOf(ISSUES, now, zone).at(-1));
  const observed = Math.floor((now - WRITTEN_MS) / HOUR) * HOUR;
  const { day, hour } = localOf(issued, zone);
  const first = daysBetween(DAY.day, day) * 2 + (hour >= 15 ? 1 : 0);
  // To the sixth day after this one, whatever the first half-day is.
  const count = hour >= 15 ? 12 : 13;
  const local = localOf(observed, zone);
  const seen = hourOf(town, local.day, local.hour);
  const temperature = Math.round(seen.temperature * 10 + (hashOf(town.id) % 7) - 3) / 10;
  const wind = town.calm ? /** @type {Wind} */ ({ speed: "calme" }) : seen.wind;
  return citypage({
    ...town,
    updated: observed + WRITTEN_MS,
    issued,
    normals: { high: town.high, low: town.low },
    current: {
      at: observed,
      temperature,
      dewpoint: Math.round((temperature - 4.2) * 10) / 10,
      humidity: 73,
      pressure: 101.3,
      wind,
      condition: town.automatic ? null : seen.sky,
      chill: chillOf(temperature, wind),
      station: { name: station ?? town.name, lat: town.lat, lon: town.lon },
    },
    periods: Array.from({ length: count }, (_, index) => periodOf(town, first + index)),
    hours: (_, { day, hour }) => {
      const { sky, lop, wind, temperature } = hourOf(town, day, hour);
      const chill = chillOf(Math.round(temperature), wind);
      return { condition: sky, lop, wind, temperature: Math.round(temperature), ...(chill !== null && { chill }) };
    },
  });
}

/**
 * @param {Town} town
 * @param {number} index
 * @returns {import("./geomet.mjs").Period}
 */
function periodOf(town, index) {
  const { sky, wind, blow, accumulation, short } = halfOf(town, index);
  const extreme = extremeOf(town, index);
  const felt = wind === undefined ? null : chillOf(extreme, wind);
  const spans = KINDS[town.kind].spans.filter(([from]) => Math.floor((from - 6) / 12) === index);
  const midnight = instantOf(DAY.day, "00:00", town.zone);
  return {
    sky,
    short: spans[0]?.[2] ?? short,
    ...(index % 2 === 0 ? { high: extreme } : { low: extreme }),
    ...(wind !== undefined && { winds: [wind] }),
    ...(blow !== undefined && { wind: blow }),
    ...(felt !== null && felt <= -20 && { chill: /** @type {[number, Text]} */ ([felt, sayChill(felt)]) }),
    ...(accumulation !== undefined && { accumulation }),
    ...(spans.length > 0 && {
      precip: spans.map(([from, to, kind]) => [
        midnight + from * HOUR,
        midnight + to * HOUR,
        /neige/i.test(kind) ? "neige" : "pluie",
      ]),
    }),
    ...(index % 2 === 0 && /soleil/i.test(short) && { uv: 1 }),
  };
}

/** @param {number} felt under zero */
function sayChill(felt) {
  const [fr, en] =
    felt <= -40
      ? [" Engelures en quelques minutes.", " Frostbite in minutes."]
      : [" Risque d'engelures.", " Risk of frostbite."];
  const frozen = felt <= -28;
  return {
    fr: `Refroidissement éolien moins ${-felt}.${frozen ? fr : ""}`,
    en: `Wind chill minus ${-felt}.${frozen ? en : ""}`,
  };
}

/**
 * Those of a box, longitude first; an ended one stays in the list for hours.
 * @param {URLSearchParams} query
 * @param {number} now
 */
function alertsOf(query, now) {
  const known = ALERTS.filter(({ published, ends }) => published <= now && now < ends + 6 * HOUR).map(alert);
  return itemsOf("weather-alerts", known, query, now);
}

/**
 * @param {URLSearchParams} query
 * @param {number} now
 */
function airForecastsOf(query, now) {
  // In the order of the index, which isn't that of time.
  const features = COMMUNITIES.flatMap((community) =>
    lastOf(["06:00", "17:00"], now, EASTERN)
      .slice(-2)
      .flatMap((published) => [
        ...aqhiHours({ ...community, published, count: 48, aqhi: (_, { hour }) => airOf(community.base, hour) }),
        aqhiBulletin({
          ...community,
          published,
          periods: [
            [{ fr: "Ce soir et cette nuit", en: "Tonight" }, community.base],
            [{ fr: "Demain", en: "Tomorrow" }, community.base + 1],
          ],
        }),
      ]),
  );
  return itemsOf("aqhi-forecasts-realtime", features, query, now);
}

/**
 * @param {URLSearchParams} query
 * @param {number} now
 */
function airObservationsOf(query, now) {
  const last = Math.floor(now / HOUR) * HOUR;
  const hours = query.get("latest") === "true" ? [0] : Array.from({ length: 72 }, (_, index) => index);
  const features = COMMUNITIES.filter(({ observed }) => observed).flatMap((community) =>
    hours.map((before) => {
      const at = last - before * HOUR;
      const aqhi = airOf(community.base, localOf(at, EASTERN).hour) - 0.36;
      return aqhiObservation({ ...community, at, aqhi: Math.round(aqhi * 100) / 100, latest: before === 0 });
    }),
  );
  return itemsOf("aqhi-observations-realtime", features, query, now);
}

/**
 * Worse when people drive.
 * @param {number} base
 * @param {number} hour
 */
function airOf(base, hour) {
  return base + ((hour >= 7 && hour < 10) || (hour >= 16 && hour < 19) ? 1 : 0);
}

/**
 * What a collection answers to `bbox`, `location_id`, `sortby`, `limit`, `offset` and `skipGeometry`. Latitude first in
 * a box is another place, where there is nothing; past the poles, an error.
 * @param {string} name
 * @param {{ geometry: { coordinates: unknown } | null, properties: object }[]} features
 * @param {URLSearchParams} query
 * @param {number} now
 */
function itemsOf(name, features, query, now) {
  const box = query.get("bbox")?.split(",").map(Number) ?? [-180, -90, 180, 90];
  const [west, south, east, north] = box;
  if (box.length !== 4 || box.some(Number.isNaN)) return wrong(400, "InvalidParameterValue", "invalid bbox");
  if (Math.abs(south) > 90 || Math.abs(north) > 90 || west < -180 || east > 180)
    return wrong(500, "NoApplicableCode", "query error");
  const place = query.get("location_id");
  const found = features.filter(({ geometry, properties }) => {
    const points = pointsOf(geometry?.coordinates ?? []);
    const [xs, ys] = [0, 1].map((side) => points.map((point) => point[side]));
    return (
      (place === null || /** @type {Json} */ (properties).location_id === place) &&
      Math.min(...xs) <= east &&
      Math.max(...xs) >= west &&
      Math.min(...ys) <= north &&
      Math.max(...ys) >= south
    );
  });
  const [, down, key] = /^(-?)(\w+)$/.exec(query.get("sortby") ?? "") ?? [];
  const by = (/** @type {typeof features[number]} */ feature) =>
    String(/** @type {Json} */ (feature.properties)[key] ?? "");
  const sorted = key === undefined ? found : found.toSorted((one, other) => by(one).localeCompare(by(other)));
  if (down === "-") sorted.reverse();
  const start = Number(query.get("offset") ?? 0);
  const page = sorted.slice(start, start + Number(query.get("limit") ?? 500));
  const bare = query.get("skipGeometry") === "true";
  const sent = bare ? page.map((feature) => ({ ...feature, geometry: null })) : page;
  const more = { query: query.toString(), matched: found.length, at: now };
  return json(name === "weather-alerts" ? alerts(sent, more) : collection(name, sent, more));
}

/**
 * @param {unknown} coordinates
 * @returns {number[][]}
 */
function pointsOf(coordinates) {
  if (!Array.isArray(coordinates)) return [];
  return typeof coordinates[0] === "number" ? [coordinates] : coordinates.flatMap(pointsOf);
}

// ── Open-Meteo and the gazetteers ────────────────────────────────────────────

/** What the sky is to the World Meteorological Organization. @type {[RegExp, number][]} */
const CODES = [
  [/possibilité d'averses de neige|averses de neige/i, 85],
  [/possibilité d'averses|averses/i, 80],
  [/neige faible/i, 71],
  [/neige/i, 73],
  [/pluie/i, 61],
  [/alternance|passages/i, 2],
  [/ensoleillé|dégagé/i, 0],
];
const DEGREES = /** @type {Record<string, number>} */ ({ NE: 45, E: 90, SE: 135, S: 180, SO: 225, O: 270, NO: 315 });

/**
 * Only the variables asked for; one that isn't known, or days without a time zone, are an error.
 * @param {URLSearchParams} query
 * @param {number} now
 */
function modelOf(query, now) {
  const [lat, lon] = ["latitude", "longitude"].map((name) => Number(query.get(name) ?? Number.NaN));
  if (Number.isNaN(lat) || Math.abs(lat) > 90) return refused("Latitude must be in range of -90 to 90°.");
  if (Number.isNaN(lon) || Math.abs(lon) > 180) return refused("Longitude must be in range of -180 to 180°.");
  const asked = Object.fromEntries(
    Object.keys(VARIABLES).map((part) => [
      part,
      query
        .get(part)
        ?.split(",")
        .filter((name) => name !== "") ?? [],
    ]),
  );
  for (const [part, known] of Object.entries(VARIABLES)) {
    const strange = asked[part].find((name) => !known.includes(name));
    if (strange !== undefined)
      return refused(`Data corrupted at path ''. Cannot initialize from invalid String value ${strange}.`);
  }
  if (asked.daily.length > 0 && !query.has("timezone")) return refused("Timezone is required");
  const town = townNear(lat, lon);
  const body = /** @type {Json} */ (
    openMeteo({
      at: now,
      zone: town.zone,
      lat,
      lon,
      uv: lat < 35 ? 6 : 1,
      count: Number(query.get("forecast_days") ?? 7),
      hours: ({ day, hour }) => {
        const { sky, lop, amount, wind, temperature } = hourOf(town, day, hour);
        const snow = /neige/i.test(sky);
        const speed = wind.speed === "calme" ? 0 : wind.speed;
        const rounded = Math.round(temperature * 10) / 10;
        return {
          temperature: rounded,
          feels: chillOf(rounded, wind) ?? rounded,
          humidity: 73,
          probability: lop,
          // A centimetre of snow melts to less than a millimetre and a half.
          precipitation: snow ? Math.round(amount * 14.3) / 10 : amount,
          snowfall: snow ? amount : 0,
          code: CODES.find(([pattern]) => pattern.test(sky))?.[1] ?? 3,
          wind: speed,
          direction: DEGREES[wind.direction ?? "O"] ?? 270,
          gust: wind.gust ?? speed + 8,
        };
      },
    })
  );
  for (const [part, names] of Object.entries(asked)) {
    const kept = ["time", "interval", ...names];
    for (const key of [part, `${part}_units`]) {
      if (names.length === 0) delete body[key];
      else
        body[key] = Object.fromEntries(
          Object.entries(/** @type {Json} */ (body[key])).filter(([name]) => kept.includes(name)),
        );
    }
  }
  return json(body);
}

/** @param {string} text */
function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/**
 * Whoever is named so, or begins so.
 * @template {{ name: string }} T
 * @param {T[]} places
 * @param {string | null} name
 */
function named(places, name) {
  const asked = fold(name ?? "");
  return asked.length < 2 ? [] : places.filter((place) => fold(place.name).startsWith(asked));
}

/** @param {URLSearchParams} query */
function worldOf(query) {
  const country = query.get("countryCode");
  const found = named(WORLD_NAMES, query.get("name")).filter(
    ({ countryCode }) => country === null || countryCode === country,
  );
  return json(geocoder(found.slice(0, Number(query.get("count") ?? 10))));
}

// ── The server ───────────────────────────────────────────────────────────────

/** @typedef {{ status: number, type: string, text: string }} Answer */

const GEOJSON = "application/geo+json";
const HTML = "<!DOCTYPE html><html><head><title>Error</title></head><body>Try again later.</body></html>";

/**
 * @param {object} body
 * @param {number} [status]
 * @param {string} [type]
 * @returns {Answer}
 */
function json(body, status = 200, type = "application/json; charset=utf-8") {
  return { status, type, text: JSON.stringify(body) };
}

/**
 * @param {number} status
 * @returns {Answer}
 */
function html(status) {
  return { status, type: "text/html; charset=utf-8", text: HTML };
}

/**
 * @param {number} status
 * @param {"NotFound" | "InvalidParameterValue" | "NoApplicableCode"} code
 * @param {string} [description]
 */
function wrong(status, code, description) {
  return json(trouble(code, description), status);
}

/** @param {string} reason */
function refused(reason) {
  return json(openMeteoError(reason), 400);
}

/**
 * What the four sources say at an instant.
 * @param {string} path with its query
 * @param {number} now in ms since 1970
 * @returns {Answer}
 */
export function answerAt(path, now) {
  const { pathname, searchParams: query } = new URL(`http://eccc.invalid${path}`);
  if (pathname === "/v1/forecast") return modelOf(query, now);
  if (pathname === "/v1/search") return worldOf(query);
  if (/^\/services\/geoname\/(?:fr|en)\/geonames\.json$/.test(pathname)) {
    return json(geogratis(named(CANADIAN_NAMES, query.get("q")).slice(0, Number(query.get("num") ?? 25))));
  }
  if (/^\/services\/geolocation\/(?:fr|en)\/locate$/.test(pathname)) {
    const asked = query.get("q")?.toUpperCase().slice(0, 3);
    return json(locate(POSTAL_CODES.filter(({ title }) => title === asked)));
  }
  const [, name, id] = /^\/collections\/([\w-]+)\/items(?:\/([\w-]+))?$/.exec(pathname) ?? [];
  if (name === undefined) return pathname.startsWith("/collections/") ? wrong(404, "NotFound") : html(404);
  if (name === "weather-alerts" && id === undefined) return alertsOf(query, now);
  if (name === "aqhi-forecasts-realtime" && id === undefined) return airForecastsOf(query, now);
  if (name === "aqhi-observations-realtime" && id === undefined) return airObservationsOf(query, now);
  const town = name === "citypageweather-realtime" && id !== undefined ? townOf(id) : null;
  if (town === null || town.id.startsWith("world")) return wrong(404, "NotFound");
  return town.down ? html(503) : json(pageOf(town, now), 200, GEOJSON);
}

/**
 * Serves the day on the loopback. `now` is the instant it starts at, then running at the speed of life; or a function
 * that gives the instant.
 * @param {object} [options]
 * @param {number} [options.port]
 * @param {number | (() => number)} [options.now]
 * @returns {Promise<{ url: string, close(): Promise<void>, calls: string[], now(): number }>} `calls`: paths, in order
 */
export async function startEccc({ port = 0, now: start = DAY.starts } = {}) {
  const origin = Date.now();
  const now = typeof start === "function" ? start : () => start + (Date.now() - origin);
  const server = await listen(port, (response, path) => {
    const { status, type, text } = answerAt(path, now());
    response.writeHead(status, { "content-type": type, "access-control-allow-origin": "*" }).end(text);
  });
  return { ...server, now };
}
