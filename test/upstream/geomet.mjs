// What GeoMet, Environment Canada's server, answers: its shapes and habits around invented values. The page of a town,
// the alerts and the air quality. Made for the tests of the door and for the demo, which must not differ.
import { addDays, HOUR, localOf, stamp, sunOf, weekdayOf } from "./zones.mjs";

/** @typedef {Record<string, unknown>} Json */

/**
 * In both languages. A bare string is French: its English is found in WORDS, or else can't be said aloud, so that a door
 * that reads the wrong one is heard.
 * @typedef {string | { fr: string, en: string }} Text
 */

/**
 * `direction` is a French code (« NNO »); none when calm. The speed can be a word, as the source has it.
 * @typedef {{ speed: number | "calme", direction?: string | null, gust?: number | null }} Wind
 */

/**
 * @typedef {object} Station
 * @property {string} [code]
 * @property {Text} name
 * @property {number} [lat]
 * @property {number} [lon]
 */

/**
 * The observation; what isn't given is absent.
 * @typedef {object} Current
 * @property {number | string} at
 * @property {number | null} [temperature]
 * @property {number | null} [dewpoint]
 * @property {number | null} [humidity] percent
 * @property {number | null} [pressure] kPa
 * @property {Text} [tendency]
 * @property {Wind | null} [wind]
 * @property {Text | null} [condition] an automatic station has none
 * @property {number | null} [chill] may be left from another day, in the source
 * @property {Station} [station]
 */

/**
 * A half-day. The official sentence is made of its parts, in the order of the forecasters; `text` replaces it whole.
 * @typedef {object} Period
 * @property {Text} [sky] sky, precipitation and amounts: « Neige. Accumulation de 5 à 10 cm. »
 * @property {number} [high]
 * @property {number} [low]
 * @property {Text} [trend] instead of « Maximum 4. »
 * @property {Text} [wind]
 * @property {Wind[]} [winds]
 * @property {Text} [visibility]
 * @property {[value: number | null, text: Text]} [chill]
 * @property {Text} [frost]
 * @property {number} [humidex]
 * @property {number} [uv]
 * @property {[from: number | string, to: number | string, kind: string][]} [precip] kind: « neige », « pluie »
 * @property {[kind: string, amount: number]} [accumulation] one rounded number, where the text has a range
 * @property {Text} [short]
 * @property {number} [humidity]
 * @property {Text} [text]
 */

/**
 * @typedef {object} Hour
 * @property {number | string} [at] an hour after the one before, when not given
 * @property {Text} condition
 * @property {number} temperature
 * @property {number} [lop] likelihood of precipitation, by tens
 * @property {Wind | null} [wind]
 * @property {number} [chill]
 * @property {number} [humidex]
 * @property {number} [uv]
 */

/**
 * @typedef {object} Warning
 * @property {Text} description « AVERTISSEMENT JAUNE - NEIGE »
 * @property {Text} [type]
 * @property {Text} [colour]
 * @property {number | string} issued
 * @property {number | string} expires
 */

/**
 * @typedef {object} Page
 * @property {string} [id]
 * @property {string} [name]
 * @property {Text} [region]
 * @property {number} [lat]
 * @property {number} [lon]
 * @property {string} [zone] IANA: the words of the page follow its clock
 * @property {number | string} updated when the document was written; the hours begin with the next one
 * @property {Current | null} [current]
 * @property {number | string} issued when the forecast was
 * @property {boolean} [night] whether the first period is a night: from 15 h on, unless told
 * @property {Period[] | null} [periods]
 * @property {{ high: number, low: number } | null} [normals]
 * @property {Hour[] | ((index: number, local: { day: string, hour: number }) => Hour) | null} [hours] 24 from a function
 * @property {Warning[]} [warnings]
 */

export const ORIGIN = "https://api.weather.gc.ca";
const ICONS = "https://weather.gc.ca/weathericons";

const WEEKDAYS_FR = ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"];
const WEEKDAYS_EN = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS_FR = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(" ");
const MONTHS_EN = "January February March April May June July August September October November December".split(" ");

/** The forecasters' own words, said in both languages. */
const WORDS = /** @type {Record<string, string>} */ ({
  Ensoleillé: "Sunny",
  Dégagé: "Clear",
  "Généralement ensoleillé": "Mainly sunny",
  "Généralement dégagé": "Mainly clear",
  "Alternance de soleil et de nuages": "A mix of sun and cloud",
  "Partiellement nuageux": "Partly cloudy",
  "Passages nuageux": "Cloudy periods",
  "Quelques nuages": "A few clouds",
  "Généralement nuageux": "Mainly cloudy",
  Nuageux: "Cloudy",
  Ennuagement: "Increasing cloudiness",
  Dégagement: "Clearing",
  Brumeux: "Hazy",
  Brouillard: "Fog",
  Averses: "Showers",
  "Quelques averses": "A few showers",
  "Possibilité d'averses": "Chance of showers",
  "Averses de neige": "Flurries",
  "Quelques averses de neige": "A few flurries",
  "Possibilité d'averses de neige": "Chance of flurries",
  Pluie: "Rain",
  "Pluie intermittente": "Periods of rain",
  "Pluie faible": "Light rain",
  Bruine: "Drizzle",
  Neige: "Snow",
  "Neige faible": "Light snow",
  "Neige intermittente": "Periods of snow",
  "Neige et poudrerie": "Snow and blowing snow",
  "Pluie ou neige": "Rain or snow",
  "Pluie verglaçante": "Freezing rain",
  "Cristaux de glace": "Ice crystals",
  Orages: "Thunderstorms",
  "Averses ou orages": "Showers or thunderstorms",
  neige: "snow",
  pluie: "rain",
  "pluie verglaçante": "freezing rain",
  "à la hausse": "rising",
  "à la baisse": "falling",
  stable: "steady",
});

/** Pictures by what a text has; the first that matches, by day then by night. @type {[RegExp, number, number][]} */
const PICTURES = [
  [/verglaçante/i, 14, 14],
  [/orage/i, 19, 39],
  [/pluie ou neige/i, 15, 15],
  [/possibilité d'averses de neige/i, 8, 38],
  [/averses de neige|neige|poudrerie/i, 16, 16],
  [/possibilité d'averses/i, 6, 36],
  [/averse|pluie|bruine/i, 12, 12],
  [/brouillard/i, 24, 24],
  [/cristaux/i, 40, 40],
  [/généralement (?:ensoleillé|dégagé)/i, 1, 31],
  [/généralement nuageux/i, 3, 33],
  [/alternance|partiellement|passages|quelques nuages/i, 2, 32],
  [/ensoleillé|dégagé/i, 0, 30],
];

/** French codes: degrees, then the names; the source writes the French name only where both codes are the same. */
const DIRECTIONS = /** @type {Record<string, [degrees: number, english: string, french: string]>} */ ({
  N: [360, "North", "Nord"],
  NNE: [22, "North-northeast", "Nord-nord-est"],
  NE: [45, "Northeast", "Nord-est"],
  ENE: [67, "East-northeast", "Est-nord-est"],
  E: [90, "East", "Est"],
  ESE: [112, "East-southeast", "Est-sud-est"],
  SE: [135, "Southeast", "Sud-est"],
  SSE: [157, "South-southeast", "Sud-sud-est"],
  S: [180, "South", "Sud"],
  SSO: [202, "South-southwest", ""],
  SO: [225, "Southwest", ""],
  OSO: [247, "West-southwest", ""],
  O: [270, "West", ""],
  ONO: [292, "West-northwest", ""],
  NO: [315, "Northwest", ""],
  NNO: [337, "North-northwest", ""],
  VR: [990, "Variable", "Variable"],
});

// ── Leaves ───────────────────────────────────────────────────────────────────

/**
 * @template T
 * @param {T} value
 */
export function both(value) {
  return { en: value, fr: value };
}

/**
 * @param {Text} text
 * @returns {{ en: string, fr: string }}
 */
export function textOf(text) {
  return typeof text === "string" ? { en: WORDS[text] ?? `[${text}]`, fr: text } : { en: text.en, fr: text.fr };
}

/**
 * A measure, in the units of the source. Only what was measured has a quality.
 * @param {number | string | { en: string, fr: string }} value
 * @param {string | null} units
 * @param {boolean} measured
 * @param {boolean} [typed] whether it says to be metric
 */
function measure(value, units, measured, typed = true) {
  return {
    ...(typed && { unitType: both("metric") }),
    ...(units !== null && { units: both(units) }),
    ...(measured && { qaValue: both(100) }),
    value: typeof value === "object" ? value : both(value),
  };
}

/** @param {string} code in French */
function codesOf(code) {
  return { en: code.replaceAll("O", "W"), fr: code };
}

/**
 * @param {string} text
 * @param {boolean} night
 * @param {"gif" | "png"} format
 */
function pictureOf(text, night, format) {
  const found = PICTURES.find(([pattern]) => pattern.test(text));
  const value = found?.[night ? 2 : 1] ?? 10;
  return { format, value, url: `${ICONS}/${String(value).padStart(2, "0")}.gif` };
}

/** @param {number} degrees */
function sayDegrees(degrees) {
  if (degrees === 0) return { fr: "zéro", en: "zero" };
  const size = Math.abs(degrees);
  // « plus 4 », but « 6 »: near zero the sign is said.
  const sign = degrees < 0 ? ["moins ", "minus "] : size <= 5 ? ["plus ", "plus "] : ["", ""];
  return { fr: sign[0] + size, en: sign[1] + size };
}

/**
 * @param {(Text | undefined)[]} parts
 */
function join(parts) {
  const said = parts.filter((part) => part !== undefined).map(textOf);
  return { en: said.map(({ en }) => en).join(" "), fr: said.map(({ fr }) => fr).join(" ") };
}

// ── The page of a town ───────────────────────────────────────────────────────

/**
 * A Feature, as `/collections/citypageweather-realtime/items/{id}` gives it: Montréal in January, unless told.
 * @param {Page} page
 */
export function citypage(page) {
  const { id = "qc-147", name = "Montréal", lat = 45.52, lon = -73.65, zone = "America/Toronto" } = page;
  const { updated, issued, current = null, periods = [], normals = null, hours = null, warnings = [] } = page;
  const address = `${ORIGIN}/collections/citypageweather-realtime`;
  const sun = sunOf(lat, lon, localOf(Date.parse(stamp(updated)), zone).day);
  return {
    type: "Feature",
    properties: {
      lastUpdated: stamp(updated),
      identifier: id,
      name: both(name),
      region: textOf(page.region ?? { fr: `secteur de ${name}`, en: `${name} area` }),
      url: {
        en: `https://weather.gc.ca/en/location/index.html?coords=${lat},${lon}`,
        fr: `https://meteo.gc.ca/fr/location/index.html?coords=${lat},${lon}`,
      },
      ...(current !== null && { currentConditions: currentConditions(current, zone) }),
      ...(periods !== null && {
        forecastGroup: {
          timestamp: both(stamp(issued)),
          ...(normals !== null && { regionalNormals: normalsOf(normals) }),
          forecasts: forecastsOf({ ...page, periods, zone }),
        },
      }),
      ...(hours !== null && {
        hourlyForecastGroup: {
          timestamp: both(stamp(issued)),
          hourlyForecasts: hoursOf(hours, Date.parse(stamp(updated)), zone),
        },
      }),
      warnings: warnings.map(warningOf),
      ...(sun !== null && {
        riseSet: {
          disclaimer: {
            en: "These times are an estimate and may differ from the official ones.",
            fr: "Ces heures sont une estimation et peuvent différer des heures officielles.",
          },
          sunrise: both(minuteOf(sun[0])),
          sunset: both(minuteOf(sun[1])),
        },
      }),
    },
    geometry: { type: "Point", coordinates: [lon, lat] },
    id,
    links: [
      link("root", "application/json", "The landing page of this server as JSON", `${ORIGIN}?f=json`),
      link("self", "application/geo+json", "This document as JSON", `${address}/items/${id}?f=json`),
      link("alternate", "text/html", "This document as HTML", `${address}/items/${id}?f=html`),
      link("collection", "application/json", "City Page Weather [experimental]", address),
    ],
  };
}

/** @param {number} instant */
function minuteOf(instant) {
  return `${stamp(instant).slice(0, 17)}00Z`;
}

/**
 * @param {string} rel
 * @param {string} type
 * @param {string} title
 * @param {string} href
 */
function link(rel, type, title, href) {
  return { type, rel, title, href };
}

/**
 * @param {Current} current
 * @param {string} zone
 */
function currentConditions(current, zone) {
  const { at, temperature, dewpoint, humidity, pressure, wind, condition, chill } = current;
  const { hour } = localOf(Date.parse(stamp(at)), zone);
  const { name, code, lat, lon } = current.station ?? { name: { fr: "Aéroport du Bord-de-l'Eau", en: "Waterside" } };
  return {
    // Without a condition, the picture keeps its format only.
    iconCode: condition == null ? { format: "gif" } : pictureOf(textOf(condition).fr, hour < 6 || hour > 18, "gif"),
    timestamp: both(stamp(at)),
    ...(humidity != null && { relativeHumidity: measure(humidity, "%", true, false) }),
    ...(wind != null && { wind: observedWind(wind) }),
    ...(pressure != null && {
      pressure: {
        ...measure(pressure, "kPa", true),
        change: both(0.14),
        tendency: textOf(current.tendency ?? "à la baisse"),
      },
    }),
    ...(temperature != null && { temperature: measure(temperature, "C", true) }),
    ...(dewpoint != null && { dewpoint: measure(dewpoint, "C", true) }),
    station: {
      code: both(code ?? "xbe"),
      lat: both(`${(lat ?? 45.47).toFixed(2)}N`),
      lon: { en: `${Math.abs(lon ?? -73.75).toFixed(2)}W`, fr: `${Math.abs(lon ?? -73.75).toFixed(2)}O` },
      value: textOf(typeof name === "string" ? { fr: name, en: name } : name),
    },
    ...(condition != null && { condition: textOf(condition) }),
    ...(chill != null && { windChill: measure(chill, null, true) }),
  };
}

/** @param {Wind} wind */
function observedWind({ speed, direction, gust }) {
  return {
    speed: measure(speed === "calme" ? { en: "calm", fr: "calme" } : speed, "km/h", true),
    ...(direction != null && {
      direction: { qaValue: both(100), value: codesOf(direction) },
      bearing: measure(DIRECTIONS[direction][0], "degrees", true, false),
    }),
    ...(gust != null && { gust: measure(gust, "km/h", true) }),
  };
}

/** @param {{ high: number, low: number }} normals */
function normalsOf({ high, low }) {
  const [most, least] = [sayDegrees(high), sayDegrees(low)];
  return {
    textSummary: {
      en: `Low ${least.en}. High ${most.en}.`,
      fr: `Minimum ${least.fr}. Maximum ${most.fr}.`,
    },
    temperature: [classed("high", high), classed("low", low)],
  };
}

/**
 * The class is English in both languages.
 * @param {"high" | "low"} kind
 * @param {number} value
 */
function classed(kind, value) {
  return { ...measure(value, "C", false), class: both(kind) };
}

/**
 * Half-days, named after the day they belong to: no period carries a date.
 * @param {Page & { periods: Period[], zone: string }} page
 */
function forecastsOf({ issued, night, periods, zone }) {
  const { day, hour } = localOf(Date.parse(stamp(issued)), zone);
  const first = (night ?? (hour < 3 || hour >= 15)) ? 1 : 0;
  // Issued after midnight, a night is still that of the day before.
  const start = first === 1 && hour < 3 ? addDays(day, -1) : day;
  return periods.map((period, index) => {
    const half = index + first;
    return forecastOf(
      period,
      addDays(start, Math.floor(half / 2)),
      half % 2 === 1,
      half < 2,
      Date.parse(stamp(issued)),
    );
  });
}

/**
 * @param {Period} period
 * @param {string} day
 * @param {boolean} night
 * @param {boolean} today
 * @param {number} issued
 */
function forecastOf(period, day, night, today, issued) {
  const { sky, wind, visibility, chill, frost, humidex, uv, precip, accumulation } = period;
  const [english, french] = [WEEKDAYS_EN[weekdayOf(day)], WEEKDAYS_FR[weekdayOf(day)]];
  const name = !night
    ? { en: english, fr: french }
    : { en: `${english} night`, fr: today ? "ce soir et cette nuit" : `${french} soir et nuit` };
  const temperatures = temperaturesOf(period);
  const humidexText = humidex === undefined ? undefined : both(`Humidex ${humidex}.`);
  const index = uv === undefined ? undefined : uvOf(uv);
  const summary =
    period.text ??
    join([sky, frost, visibility, wind, temperatures?.textSummary, chill?.[1], humidexText, index?.textSummary]);
  const short = textOf(period.short ?? firstWords(textOf(summary)));
  return {
    ...((precip !== undefined || accumulation !== undefined) && {
      precipitation: precipitationOf(precip ?? [], accumulation, issued),
    }),
    ...(index !== undefined && { uv: index }),
    period: {
      textForecastName: today && !night ? { en: "Today", fr: "Aujourd'hui" } : today ? tonight() : capital(name),
      value: name,
    },
    ...(chill !== undefined && {
      windChill: { ...(chill[0] !== null && { calculated: both(String(chill[0])) }), textSummary: textOf(chill[1]) },
    }),
    ...(temperatures !== undefined && { temperatures }),
    ...(visibility !== undefined && { visibility: { cause: "other", textSummary: textOf(visibility) } }),
    ...((period.winds !== undefined || wind !== undefined) && {
      winds: {
        periods: (period.winds ?? []).map(forecastWind),
        ...(wind !== undefined && { textSummary: textOf(wind) }),
      },
    }),
    ...(frost !== undefined && { frost: { textSummary: textOf(frost) } }),
    cloudPrecip: textOf(sky ?? summary),
    relativeHumidity: measure(period.humidity ?? 70, "%", false, false),
    abbreviatedForecast: { icon: pictureOf(short.fr, night, "gif"), textSummary: short },
    ...(humidexText !== undefined && { humidex: { calculated: both(String(humidex)), textSummary: humidexText } }),
    textSummary: textOf(summary),
  };
}

function tonight() {
  return { en: "Tonight", fr: "Ce soir et cette nuit" };
}

/** @param {{ en: string, fr: string }} text */
function capital({ en, fr }) {
  return { en, fr: fr[0].toUpperCase() + fr.slice(1) };
}

/** @param {{ en: string, fr: string }} text */
function firstWords({ en, fr }) {
  return { en: en.split(".")[0], fr: fr.split(".")[0] };
}

/** @param {Period} period */
function temperaturesOf({ high, low, trend }) {
  const value = high ?? low;
  if (value === undefined) return trend === undefined ? undefined : { temperature: [], textSummary: textOf(trend) };
  const said = sayDegrees(value);
  const [kind, en, fr] = /** @type {["high" | "low", string, string]} */ (
    high === undefined ? ["low", "Low", "Minimum"] : ["high", "High", "Maximum"]
  );
  return {
    temperature: [classed(kind, value)],
    textSummary: textOf(trend ?? { en: `${en} ${said.en}.`, fr: `${fr} ${said.fr}.` }),
  };
}

/** Up to which index, and its name. @type {[upTo: number, english: string, french: string][]} */
const UV_CATEGORIES = [
  [2, "low", "bas"],
  [5, "moderate", "modéré"],
  [7, "high", "élevé"],
  [10, "very high", "très élevé"],
  [Number.POSITIVE_INFINITY, "extreme", "extrême"],
];

/**
 * The number is a string, in the source.
 * @param {number} index
 */
function uvOf(index) {
  const [, en, fr] = UV_CATEGORIES.find(([upTo]) => index <= upTo) ?? UV_CATEGORIES[4];
  return {
    index: both(String(index)),
    category: { en, fr },
    textSummary: { en: `UV index ${index} or ${en}.`, fr: `Indice UV de ${index} ou ${fr}.` },
  };
}

/**
 * In hours since midnight UTC of the day when the forecast was issued.
 * @param {NonNullable<Period["precip"]>} spans
 * @param {Period["accumulation"]} accumulation
 * @param {number} issued
 */
function precipitationOf(spans, accumulation, issued) {
  const midnight = Date.parse(stamp(issued).slice(0, 10));
  const hours = (/** @type {number | string} */ at) => both(Math.round((Date.parse(stamp(at)) - midnight) / HOUR));
  return {
    precipPeriods: spans.map(([from, to, kind]) => ({ start: hours(from), end: hours(to), value: textOf(kind) })),
    ...(accumulation !== undefined && {
      accumulation: {
        name: textOf(accumulation[0]),
        amount: measure(accumulation[1], accumulation[0] === "neige" ? "cm" : "mm", false),
      },
    }),
  };
}

/**
 * A gust of 0 is none, and the bearing is in tens of degrees.
 * @param {Wind} wind
 * @param {number} index
 */
function forecastWind({ speed, direction, gust }, index) {
  const code = direction ?? "VR";
  return {
    bearing: measure(Math.round(DIRECTIONS[code][0] / 10), "degrees", false, false),
    index: both(index + 1),
    rank: both(index < 2 ? "major" : "minor"),
    speed: measure(speed === "calme" ? 0 : speed, "km/h", false),
    gust: measure(gust ?? 0, "km/h", false),
    direction: codesOf(code),
  };
}

/**
 * @param {NonNullable<Page["hours"]>} hours
 * @param {number} updated
 * @param {string} zone
 */
function hoursOf(hours, updated, zone) {
  let at = Math.floor(updated / HOUR) * HOUR;
  const count = typeof hours === "function" ? 24 : hours.length;
  return Array.from({ length: count }, (_, index) => {
    at += HOUR;
    const hour = typeof hours === "function" ? hours(index, localOf(at, zone)) : hours[index];
    if (hour.at !== undefined) at = Date.parse(stamp(hour.at));
    return hourOf(hour, at, zone);
  });
}

/**
 * @param {Hour} hour
 * @param {number} at
 * @param {string} zone
 */
function hourOf({ condition, temperature, lop = 0, wind, chill, humidex, uv }, at, zone) {
  const { hour } = localOf(at, zone);
  const text = textOf(condition);
  return {
    ...(uv !== undefined && { uv: { index: { value: both(uv) } } }),
    condition: text,
    ...(chill !== undefined && { windChill: measure(chill, null, false) }),
    ...(humidex !== undefined && { humidex: measure(humidex, null, false) }),
    temperature: measure(temperature, "C", false),
    iconCode: pictureOf(text.fr, hour < 6 || hour > 18, "png"),
    lop: { ...measure(lop, "%", false, false), category: likelihoodOf(lop) },
    // A plain string, here only.
    timestamp: stamp(at),
    ...(wind != null && {
      wind: {
        speed: measure(wind.speed === "calme" ? { en: "calm", fr: "calme" } : wind.speed, "km/h", false),
        ...(wind.direction != null && { direction: hourlyDirection(wind.direction) }),
        ...(wind.gust != null && { gust: measure(wind.gust, "km/h", false) }),
      },
    }),
  };
}

/** @param {string} code */
function hourlyDirection(code) {
  const [, en, fr] = DIRECTIONS[code];
  return { windDirFull: { en, ...(fr !== "" && { fr }) }, value: codesOf(code) };
}

/** @param {number} lop */
function likelihoodOf(lop) {
  if (lop === 0) return { en: "Nil", fr: "Nulle" };
  if (lop <= 30) return { en: "Low", fr: "Basse" };
  return lop <= 60 ? { en: "Medium", fr: "Moyenne" } : { en: "High", fr: "Élevée" };
}

/** @param {Warning} warning */
function warningOf({ description, type, colour, issued, expires }) {
  return {
    type: textOf(type ?? { en: "warning", fr: "avertissement" }),
    description: textOf(description),
    alertColourLevel: textOf(colour ?? { en: "yellow", fr: "jaune" }),
    expiryTime: both(stamp(expires)),
    eventIssue: both(stamp(issued)),
    url: {
      en: "https://weather.gc.ca/warnings/report_e.html",
      fr: "https://meteo.gc.ca/warnings/report_f.html",
    },
  };
}

// ── Collections ──────────────────────────────────────────────────────────────

/**
 * A FeatureCollection, as `/collections/{name}/items` gives it.
 * @param {string} name
 * @param {Json[]} features
 * @param {{ query?: string, matched?: number, at?: number | string }} [more]
 */
export function collection(name, features, { query = "f=json", matched = features.length, at = 0 } = {}) {
  const address = `${ORIGIN}/collections/${name}`;
  return {
    type: "FeatureCollection",
    features,
    numberMatched: matched,
    numberReturned: features.length,
    links: [
      link("self", "application/geo+json", "This document as GeoJSON", `${address}/items?${query}`),
      link("alternate", "application/ld+json", "This document as RDF (JSON-LD)", `${address}/items?${query}`),
      link("collection", "application/json", name, address),
    ],
    timeStamp: new Date(at).toISOString().replace("Z", "000Z"),
  };
}

/**
 * What pygeoapi says when it can't answer, with a 400, a 404 or a 500.
 * @param {"NotFound" | "InvalidParameterValue" | "NoApplicableCode"} code
 * @param {string} [description]
 */
export function trouble(code, description = "identifier not found") {
  return { code, type: code, description };
}

// ── Alerts ───────────────────────────────────────────────────────────────────

/** @typedef {{ type: "Polygon", coordinates: number[][][] } | { type: "MultiPolygon", coordinates: number[][][][] }} Area */

/**
 * @typedef {object} Alert
 * @property {string} [code]
 * @property {"warning" | "watch" | "advisory" | "statement"} [type]
 * @property {string} [hazard] as in « avertissement de neige »
 * @property {Text} [name] instead of « avertissement de neige »
 * @property {"jaune" | "orange" | "rouge" | null} [colour]
 * @property {"émis" | "maintenu" | "terminé" | "annulé"} [status]
 * @property {Text | null} [confidence]
 * @property {Text | null} [impact]
 * @property {number | string} published
 * @property {number | string} [expires] of the bulletin: 16 hours after it was published, unless told
 * @property {number | string} [starts] of the event
 * @property {number | string | null} [ends] of the event
 * @property {Text} [text] paragraphs separated by an empty line
 * @property {Text} [zone] as in « Île de Montréal »
 * @property {string} [zoneId]
 * @property {string} [province]
 * @property {Area | null} [area]
 */

const COLOURS = { jaune: "yellow", orange: "orange", rouge: "red" };
const STATUSES = { émis: "issued", maintenu: "continued", terminé: "ended", annulé: "cancelled" };
const TYPES = { warning: "avertissement", watch: "veille", advisory: "avis", statement: "bulletin météorologique" };

/**
 * A Feature of `weather-alerts`: one alert in one zone. A yellow snow warning around Montréal, unless told.
 * @param {Alert} alert
 */
export function alert(alert) {
  const { type = "warning", hazard = "neige", status = "émis", colour = "jaune", published } = alert;
  const { code = "SNW", zoneId = "feaX-1470", area = around(45.52, -73.65), province = "QC" } = alert;
  const at = Date.parse(stamp(published));
  const name = textOf(
    alert.name ?? {
      en: `${WORDS[hazard] ?? hazard} ${type}`,
      fr: `${TYPES[type]} ${/^[aeiouhéêo]/.test(hazard) ? "d'" : "de "}${hazard}`,
    },
  );
  const zone = textOf(alert.zone ?? { fr: "Île de Montréal", en: "Montréal Island" });
  const text = textOf(alert.text ?? { fr: "De la neige est prévue.", en: "Snow is expected." });
  const confidence = alert.confidence === null ? null : textOf(alert.confidence ?? { fr: "élevée", en: "High" });
  const impact = alert.impact === null ? null : textOf(alert.impact ?? { fr: "modéré", en: "Moderate" });
  return {
    id: `${at}${hazard.length}${status.length}_${zoneId}`,
    type: "Feature",
    geometry: area,
    properties: {
      alert_code: code,
      alert_type: type,
      alert_name_en: name.en,
      alert_name_fr: name.fr,
      alert_short_name_en: WORDS[hazard] ?? hazard,
      alert_short_name_fr: hazard[0].toUpperCase() + hazard.slice(1),
      publication_datetime: new Date(at).toISOString(),
      expiration_datetime: new Date(alert.expires ?? at + 16 * HOUR).toISOString(),
      validity_datetime: new Date(alert.starts ?? at).toISOString(),
      event_end_datetime: alert.ends === null ? null : new Date(alert.ends ?? at + 20 * HOUR).toISOString(),
      alert_text_en: text.en,
      alert_text_fr: text.fr,
      risk_colour_en: colour === null ? null : COLOURS[colour],
      risk_colour_fr: colour,
      confidence_en: confidence?.en ?? null,
      confidence_fr: confidence?.fr ?? null,
      impact_en: impact?.en ?? null,
      impact_fr: impact?.fr ?? null,
      feature_name_en: zone.en,
      feature_name_fr: zone.fr,
      province,
      status_en: STATUSES[status],
      status_fr: status,
      feature_id: zoneId,
    },
  };
}

/**
 * @param {Json[]} features
 * @param {{ query?: string, at?: number | string }} [more]
 */
export function alerts(features, more = {}) {
  return collection("weather-alerts", features, more);
}

/**
 * A zone that holds the point, some 60 km across unless told: eight sides, longitude first.
 * @param {number} lat
 * @param {number} lon
 * @param {number} [reach] in degrees of latitude
 * @returns {Area}
 */
export function around(lat, lon, reach = 0.3) {
  const ring = Array.from({ length: 9 }, (_, corner) => {
    const angle = ((corner % 8) * Math.PI) / 4 + Math.PI / 8;
    return [round(lon + reach * 1.4 * Math.cos(angle)), round(lat + reach * Math.sin(angle))];
  });
  return { type: "Polygon", coordinates: [ring] };
}

/**
 * A zone that a small box around the point touches, and that doesn't hold the point: an L turned around it.
 * @param {number} lat
 * @param {number} lon
 * @returns {Area}
 */
export function beside(lat, lon) {
  const [near, far] = [0.02, 0.5];
  const corners = [
    [-far, -far],
    [far, -far],
    [far, -near],
    [-near, -near],
    [-near, far],
    [-far, far],
    [-far, -far],
  ];
  return { type: "Polygon", coordinates: [corners.map(([x, y]) => [round(lon + x), round(lat + y)])] };
}

/**
 * Several zones as one.
 * @param {Area[]} areas
 * @returns {Area}
 */
export function together(areas) {
  return {
    type: "MultiPolygon",
    coordinates: areas.flatMap((area) => (area.type === "Polygon" ? [area.coordinates] : area.coordinates)),
  };
}

/** @param {number} degrees */
function round(degrees) {
  return Math.round(degrees * 1e6) / 1e6;
}

// ── Air quality ──────────────────────────────────────────────────────────────

/**
 * @typedef {object} Community
 * @property {string} [id]
 * @property {Text} [name]
 * @property {number} [lat]
 * @property {number} [lon]
 * @property {string} [zone]
 */

/** @param {Community} community */
function communityOf({ id = "EXMTL", name = "Montréal", lat = 45.51, lon = -73.59, zone = "America/Toronto" }) {
  const names = typeof name === "string" ? both(name) : name;
  return { id, names, zone, geometry: { type: "Point", coordinates: [lon, lat] } };
}

/**
 * What a station measures, outside Québec.
 * @param {Community & { at: number | string, aqhi: number | null, latest?: boolean, notes?: Text }} observation
 */
export function aqhiObservation({ at, aqhi, latest = true, notes, ...community }) {
  const { id: place, names, zone, geometry } = communityOf(community);
  const id = `AQ_OBS-${place}-${compact(at)}`;
  const said = notes === undefined ? both("") : textOf(notes);
  const written = writtenTime(Date.parse(stamp(at)), zone);
  return {
    type: "Feature",
    id,
    geometry,
    properties: {
      id,
      aqhi_type: "AQHI-Observation",
      observation_type: "original",
      location_name_en: names.en,
      location_name_fr: names.fr,
      location_id: place,
      observation_datetime: stamp(at),
      observation_datetime_text_en: written.en,
      observation_datetime_text_fr: written.fr,
      aqhi,
      special_notes_en: said.en,
      special_notes_fr: said.fr,
      latest,
    },
  };
}

/**
 * One hour of a forecast.
 * @param {Community & { published: number | string, at: number | string, aqhi: number | null }} forecast
 */
export function aqhiForecast({ published, at, aqhi, ...community }) {
  const { id: place, names, zone, geometry } = communityOf(community);
  const id = `AQ_FCST-${place}-${compact(at)}-${compact(published)}`;
  const written = writtenTime(Date.parse(stamp(at)), zone);
  return {
    type: "Feature",
    id,
    geometry,
    properties: {
      id,
      aqhi_type: "AQHI-Forecast",
      forecast_type: "original",
      location_name_en: names.en,
      location_name_fr: names.fr,
      location_id: place,
      publication_datetime: stamp(published),
      forecast_datetime: stamp(at),
      forecast_datetime_text_en: written.en,
      forecast_datetime_text_fr: written.fr,
      aqhi,
    },
  };
}

/**
 * The hours of a forecast, from the next one after it was published.
 * @param {Community & { published: number | string, count?: number, aqhi: (index: number, local: { day: string, hour: number }) => number | null }} forecast
 */
export function aqhiHours({ published, count = 36, aqhi, ...community }) {
  const first = (Math.floor(Date.parse(stamp(published)) / HOUR) + 1) * HOUR;
  const zone = community.zone ?? "America/Toronto";
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * HOUR;
    return aqhiForecast({ ...community, published, at, aqhi: aqhi(index, localOf(at, zone)) });
  });
}

/**
 * The bulletin of a community, among its hours: half-days by rank, each with its name, without an hour.
 * @param {Community & { published: number | string, periods: [name: Text, aqhi: number | null, inSmoke?: number][] }} bulletin
 */
export function aqhiBulletin({ published, periods, ...community }) {
  const { id: place, names, geometry } = communityOf(community);
  const id = `AQ_FCST-${place}-${compact(published)}`;
  return {
    type: "Feature",
    id,
    geometry,
    properties: {
      id,
      aqhi_type: "AQHI-Forecast",
      forecast_type: "original",
      location_name_en: names.en,
      location_name_fr: names.fr,
      location_id: place,
      publication_datetime: stamp(published),
      forecast_period: Object.fromEntries(
        periods.map(([name, aqhi, inSmoke], index) => {
          const { en, fr } = textOf(name);
          const half = { forecast_period_en: en, forecast_period_fr: fr, aqhi };
          return [`period_${index + 1}`, inSmoke === undefined ? half : { ...half, aqhi_insmoke: inSmoke }];
        }),
      ),
    },
  };
}

/** @param {number | string} at */
function compact(at) {
  return stamp(at).replace(/[-:TZ]/g, "");
}

/**
 * « 5h00 AM HAE jeudi  1 octobre 2026 », never to be read aloud.
 * @param {number} instant
 * @param {string} zone
 */
function writtenTime(instant, zone) {
  const { day, hour, minute, weekday } = localOf(instant, zone);
  const [year, month, date] = day.split("-").map(Number);
  const [minutes, half] = [String(minute).padStart(2, "0"), hour < 12 ? "AM" : "PM"];
  const [clock, padded] = [hour % 12 || 12, String(date).padStart(2)];
  const zoneIn = (/** @type {string} */ language) =>
    new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: "short" })
      .formatToParts(instant)
      .find(({ type }) => type === "timeZoneName")?.value;
  return {
    en: `${clock}:${minutes} ${half} ${zoneIn("en-CA")} ${WEEKDAYS_EN[weekday]} ${padded} ${MONTHS_EN[month - 1]} ${year}`,
    fr: `${clock}h${minutes} ${half} ${zoneIn("fr-CA")} ${WEEKDAYS_FR[weekday]} ${padded} ${MONTHS_FR[month - 1]} ${year}`,
  };
}
