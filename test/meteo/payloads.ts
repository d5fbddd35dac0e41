// Responses of the four sources in their real shapes, with invented values: the builders, two pages ready to use, and
// what goes wrong with a page. Instants are ISO; the words of a page follow the clock of its zone.
import { alert, around, beside, both, citypage, textOf, together } from "../upstream/geomet.mjs";

export { geocoder, geogratis, locate } from "../upstream/gazetteers.mjs";
export type { Alert, Current, Hour, Page, Period, Text, Wind } from "../upstream/geomet.mjs";
export {
  alert,
  alerts,
  aqhiBulletin,
  aqhiForecast,
  aqhiHours,
  aqhiObservation,
  around,
  beside,
  both,
  citypage,
  collection,
  textOf,
  together,
  trouble,
} from "../upstream/geomet.mjs";
export { openMeteo, openMeteoError } from "../upstream/openmeteo.mjs";

import type { Alert, Page } from "../upstream/geomet.mjs";

type Json = Record<string, unknown>;

// ── Two pages ────────────────────────────────────────────────────────────────

/** When to ask for the summer page: a Tuesday, 8:10 in Montréal. */
export const SUMMER = "2026-08-11T12:10:00Z";
/** When to ask for the winter page: a Thursday, 17:20 in Montréal. */
export const WINTER = "2026-02-12T22:20:00Z";

/** Montréal, a Tuesday morning of August: 13 half-days from « Aujourd'hui », heat and showers, no alert. */
export function summerPage(more: Partial<Page> = {}) {
  return citypage({
    updated: "2026-08-11T12:04:00Z",
    issued: "2026-08-11T09:00:00Z",
    normals: { high: 26, low: 17 },
    current: {
      at: "2026-08-11T12:00:00Z",
      temperature: 22.6,
      dewpoint: 18.1,
      humidity: 76,
      pressure: 101.1,
      wind: { speed: 11, direction: "SO" },
      condition: "Partiellement nuageux",
    },
    hours: (index, { hour }) => ({
      condition: index < 7 ? "Alternance de soleil et de nuages" : index < 12 ? "Possibilité d'averses" : "Nuageux",
      temperature: hour > 9 && hour < 19 ? 28 : 23,
      lop: index < 4 ? 0 : index < 7 ? 20 : index < 12 ? 40 : 10,
      wind: { speed: 20, direction: "SO" },
      ...(hour > 10 && hour < 20 && { humidex: 35 }),
      ...(hour > 7 && hour < 18 && { uv: 7 }),
    }),
    periods: [
      {
        sky: {
          fr: "Alternance de soleil et de nuages avec 40 pour cent de probabilité d'averses tard cet après-midi.",
          en: "A mix of sun and cloud with 40 percent chance of showers late in the afternoon.",
        },
        short: "Possibilité d'averses",
        wind: {
          fr: "Vents du sud-ouest de 20 km/h avec rafales à 40.",
          en: "Wind southwest 20 km/h gusting to 40.",
        },
        winds: [{ speed: 20, gust: 40, direction: "SO" }],
        high: 29,
        humidex: 36,
        uv: 8,
        precip: [["2026-08-11T20:00:00Z", "2026-08-11T22:00:00Z", "pluie"]],
      },
      {
        sky: {
          fr: "Nuageux avec 40 pour cent de probabilité d'averses en soirée. Passages nuageux par la suite.",
          en: "Cloudy with 40 percent chance of showers in the evening. Cloudy periods after that.",
        },
        short: "Possibilité d'averses",
        winds: [{ speed: 10, direction: "O" }],
        low: 19,
        precip: [["2026-08-11T22:00:00Z", "2026-08-12T04:00:00Z", "pluie"]],
      },
      {
        sky: {
          fr: "Averses. Hauteur prévue de 10 à 20 mm.",
          en: "Showers. Amount 10 to 20 mm.",
        },
        wind: {
          fr: "Vents du nord-ouest de 30 km/h devenant légers en soirée.",
          en: "Wind northwest 30 km/h becoming light in the evening.",
        },
        winds: [{ speed: 30, direction: "NO" }],
        high: 23,
        uv: 4,
        precip: [["2026-08-12T10:00:00Z", "2026-08-12T22:00:00Z", "pluie"]],
        accumulation: ["pluie", 15],
      },
      { sky: { fr: "Dégagement.", en: "Clearing." }, low: 14 },
      { sky: { fr: "Ensoleillé.", en: "Sunny." }, high: 25, uv: 7 },
      { sky: { fr: "Dégagé.", en: "Clear." }, low: 15 },
      { sky: { fr: "Généralement ensoleillé.", en: "Mainly sunny." }, high: 27 },
      { sky: { fr: "Passages nuageux.", en: "Cloudy periods." }, low: 17 },
      {
        sky: {
          fr: "Nuageux avec 60 pour cent de probabilité d'averses et risque d'un orage.",
          en: "Cloudy with 60 percent chance of showers and risk of a thunderstorm.",
        },
        short: "Possibilité d'averses",
        high: 26,
      },
      {
        sky: {
          fr: "Nuageux avec 30 pour cent de probabilité d'averses.",
          en: "Cloudy with 30 percent chance of showers.",
        },
        short: "Possibilité d'averses",
        low: 18,
      },
      { sky: { fr: "Alternance de soleil et de nuages.", en: "A mix of sun and cloud." }, high: 26 },
      { sky: { fr: "Dégagé.", en: "Clear." }, low: 16 },
      { sky: { fr: "Ensoleillé.", en: "Sunny." }, high: 28 },
    ],
    ...more,
  });
}

/** Montréal, a Thursday evening of February: 12 half-days from « Ce soir et cette nuit », snow tomorrow, then cold. */
export function winterPage(more: Partial<Page> = {}) {
  return citypage({
    updated: "2026-02-12T22:04:00Z",
    issued: "2026-02-12T20:45:00Z",
    normals: { high: -3, low: -12 },
    current: {
      at: "2026-02-12T22:00:00Z",
      temperature: -9.4,
      dewpoint: -14.2,
      humidity: 68,
      pressure: 101.9,
      wind: { speed: 19, gust: 35, direction: "NE" },
      condition: "Généralement nuageux",
      chill: -17,
    },
    hours: (index) => ({
      condition: index < 8 ? "Nuageux" : index < 20 ? "Neige" : "Possibilité d'averses de neige",
      temperature: -10 + Math.floor(index / 4),
      lop: index < 6 ? 0 : index < 8 ? 20 : index < 20 ? 90 : 40,
      wind: { speed: 30, direction: "NE", ...(index > 10 && { gust: 50 }) },
      chill: -19 + Math.floor(index / 4),
    }),
    periods: [
      {
        sky: {
          fr: "Ennuagement en soirée. Neige débutant après minuit. Accumulation de 2 cm.",
          en: "Increasing cloudiness in the evening. Snow beginning after midnight. Amount 2 cm.",
        },
        wind: {
          fr: "Vents du nord-est de 20 km/h augmentant à 30 avec rafales à 50 au cours de la nuit.",
          en: "Wind northeast 20 km/h increasing to 30 gusting to 50 overnight.",
        },
        winds: [
          { speed: 20, direction: "NE" },
          { speed: 30, gust: 50, direction: "NE" },
        ],
        low: -11,
        chill: [
          -19,
          {
            fr: "Refroidissement éolien moins 16 ce soir et moins 19 au cours de la nuit.",
            en: "Wind chill minus 16 this evening and minus 19 overnight.",
          },
        ],
        precip: [["2026-02-13T05:00:00Z", "2026-02-13T11:00:00Z", "neige"]],
        accumulation: ["neige", 2],
        short: "Neige",
      },
      {
        sky: {
          fr: "Neige cessant tard en après-midi puis nuageux. Accumulation de 10 à 15 cm.",
          en: "Snow ending late in the afternoon then cloudy. Amount 10 to 15 cm.",
        },
        visibility: { fr: "Poudrerie par endroits.", en: "Local blowing snow." },
        wind: {
          fr: "Vents du nord-est de 30 km/h avec rafales à 50.",
          en: "Wind northeast 30 km/h gusting to 50.",
        },
        winds: [{ speed: 30, gust: 50, direction: "NE" }],
        high: -4,
        chill: [null, { fr: "Refroidissement éolien moins 15.", en: "Wind chill minus 15." }],
        precip: [["2026-02-13T11:00:00Z", "2026-02-13T22:00:00Z", "neige"]],
        accumulation: ["neige", 13],
        short: "Neige",
      },
      {
        sky: {
          fr: "Nuageux avec 40 pour cent de probabilité d'averses de neige.",
          en: "Cloudy with 40 percent chance of flurries.",
        },
        winds: [{ speed: 15, direction: "NO" }],
        low: -13,
        short: "Possibilité d'averses de neige",
      },
      {
        sky: { fr: "Alternance de soleil et de nuages.", en: "A mix of sun and cloud." },
        high: -8,
        chill: [null, { fr: "Refroidissement éolien moins 22 le matin.", en: "Wind chill minus 22 in the morning." }],
        uv: 2,
      },
      { sky: { fr: "Dégagé.", en: "Clear." }, low: -21 },
      { sky: { fr: "Ensoleillé.", en: "Sunny." }, high: -12 },
      { sky: { fr: "Passages nuageux.", en: "Cloudy periods." }, low: -18 },
      { sky: { fr: "Ennuagement.", en: "Increasing cloudiness." }, high: -6 },
      {
        sky: { fr: "Nuageux avec 60 pour cent de probabilité de neige.", en: "Cloudy with 60 percent chance of snow." },
        trend: {
          fr: "Températures à la hausse pour atteindre moins 1 au cours de la nuit.",
          en: "Temperature rising to minus 1 overnight.",
        },
        short: "Neige",
      },
      { sky: { fr: "Pluie ou neige.", en: "Rain or snow." }, high: 2 },
      { sky: { fr: "Averses de neige.", en: "Flurries." }, low: -7 },
      { sky: { fr: "Alternance de soleil et de nuages.", en: "A mix of sun and cloud." }, high: -5 },
    ],
    ...more,
  });
}

// ── What goes wrong with a page ──────────────────────────────────────────────

/**
 * A copy of a page, changed by paths under its `properties`: « currentConditions.temperature.value », where « * » is
 * every element of a list. Undefined takes the field away; a function gives the new value from the one before.
 */
export function edit(page: Json, changes: Record<string, unknown>): Json {
  const copy = structuredClone(page);
  for (const [path, value] of Object.entries(changes)) change(copy.properties, path.split("."), value);
  return copy;
}

function change(inside: unknown, [key, ...rest]: string[], value: unknown): void {
  if (typeof inside !== "object" || inside === null) return;
  const here = inside as Json;
  for (const name of key === "*" ? Object.keys(here) : [key]) {
    if (rest.length > 0) change(here[name], rest, value);
    else if (value === undefined) delete here[name];
    else here[name] = typeof value === "function" ? value(here[name]) : value;
  }
}

const [NOW, HOURS, HALVES] = ["currentConditions", "hourlyForecastGroup.hourlyForecasts", "forecastGroup.forecasts"];

/** So many hours earlier. */
const earlier = (hours: number) => (value: unknown) => {
  const { fr } = value as { fr: string };
  return both(new Date(Date.parse(fr) - hours * 3_600_000).toISOString().replace(".000Z", "Z"));
};

/** A warning in the list of the page, which may be over. */
const listed = (french: string, english: string, [kindFr, kindEn]: string[], [colourFr, colourEn]: string[]) => ({
  type: { en: kindEn, fr: kindFr },
  description: { en: english, fr: french },
  alertColourLevel: { en: colourEn, fr: colourFr },
  expiryTime: both("2026-12-31T23:00:00Z"),
  eventIssue: both("2026-01-01T11:00:00Z"),
  url: both("https://meteo.gc.ca/warnings/report_f.html"),
});

const MUTATIONS = {
  "no observation": { [NOW]: undefined },
  "an empty observation": { [NOW]: {} },
  "no condition": { [`${NOW}.condition`]: undefined, [`${NOW}.iconCode`]: { format: "gif" } },
  "an empty condition": { [`${NOW}.condition`]: both("") },
  "no temperature": { [`${NOW}.temperature`]: undefined },
  "a temperature without a value": { [`${NOW}.temperature.value`]: undefined },
  "a null temperature": { [`${NOW}.temperature.value`]: null },
  "a temperature null in both languages": { [`${NOW}.temperature.value`]: both(null) },
  "no humidity, dew point or pressure": {
    [`${NOW}.relativeHumidity`]: undefined,
    [`${NOW}.dewpoint`]: undefined,
    [`${NOW}.pressure`]: undefined,
  },
  "a calm wind": {
    [`${NOW}.wind`]: (wind: Json) => ({ speed: { ...(wind.speed as Json), value: { en: "calm", fr: "calme" } } }),
  },
  "no wind": { [`${NOW}.wind`]: undefined },
  "a null gust": { [`${NOW}.wind.gust`]: { value: { en: null } } },
  "a gust left from another hour": { [`${NOW}.wind.speed.value`]: both(5), [`${NOW}.wind.gust`]: { value: both(41) } },
  "a wind chill left from another season": {
    [`${NOW}.temperature.value`]: both(16.2),
    [`${NOW}.windChill`]: { unitType: both("metric"), value: both(-3), qaValue: both(100) },
  },
  "an observation of 2 hours ago": { [`${NOW}.timestamp`]: earlier(2) },
  "an observation of 4 hours ago": { [`${NOW}.timestamp`]: earlier(4) },
  "an observation of 9 hours ago": { [`${NOW}.timestamp`]: earlier(9) },
  "an observation of yesterday": { [`${NOW}.timestamp`]: earlier(26) },
  "minus 40.4": { [`${NOW}.temperature.value`]: both(-40.4) },
  "zero exactly": { [`${NOW}.temperature.value`]: both(0) },
  "a little under zero": { [`${NOW}.temperature.value`]: both(-0.4) },
  "a damp heat": { [`${NOW}.temperature.value`]: both(29.6), [`${NOW}.dewpoint.value`]: both(22) },
  "an unknown precipitation": {
    [`${NOW}.condition`]: { en: "Unknown precipitation", fr: "Précipitation inconnue" },
    [`${NOW}.iconCode.value`]: 0,
  },
  "no French": {
    [`${NOW}.station.value.fr`]: undefined,
    [`${NOW}.dewpoint.value.fr`]: undefined,
    [`${NOW}.temperature.value.fr`]: undefined,
    "forecastGroup.timestamp.fr": undefined,
  },
  "no forecast": { forecastGroup: undefined },
  "no half-day": { [HALVES]: [] },
  "no list of half-days": { [HALVES]: undefined },
  "half-days twice": { [HALVES]: (halves: unknown[]) => halves.flatMap((half) => [half, half]) },
  "a half-day without a name": { [`${HALVES}.2.period`]: {}, [`${HALVES}.2.textSummary`]: null },
  "no wind, UV or humidex to come": {
    [`${HALVES}.*.winds`]: undefined,
    [`${HALVES}.*.uv`]: undefined,
    [`${HALVES}.*.humidex`]: undefined,
  },
  "no UV": { [`${HALVES}.*.uv`]: undefined, [`${HOURS}.*.uv`]: undefined },
  "no humidex": { [`${HALVES}.*.humidex`]: undefined, [`${HOURS}.*.humidex`]: undefined },
  "snow first": {
    [`${HALVES}.0.textSummary`]: {
      en: "Snow. Amount 10 to 15 cm. Low minus 6.",
      fr: "Neige. Accumulation de 10 à 15 cm. Minimum moins 6.",
    },
    [`${HALVES}.0.cloudPrecip`]: { en: "Snow. Amount 10 to 15 cm.", fr: "Neige. Accumulation de 10 à 15 cm." },
  },
  "no normals": { "forecastGroup.regionalNormals": undefined },
  "no hours": { hourlyForecastGroup: undefined },
  "an empty list of hours": { [HOURS]: [] },
  "rain at a flat zero": {
    [`${HOURS}.*.lop`]: { units: both("%"), category: { en: "Nil", fr: "Nulle" }, value: both(0) },
    [`${HOURS}.*.condition`]: textOf("Pluie"),
  },
  "the sun of October": {
    "riseSet.sunrise": both("2025-10-03T10:52:00Z"),
    "riseSet.sunset": both("2025-10-03T22:29:00Z"),
  },
  "no sun": { riseSet: undefined },
  "an ended warning": {
    warnings: [
      listed("AVERTISSEMENT DE VENT TERMINÉ", "WIND WARNING ENDED", ["terminé", "ended"], ["jaune", "yellow"]),
    ],
  },
  "an orange warning": {
    warnings: [
      listed(
        "AVERTISSEMENT ORANGE - VERGLAS",
        "ORANGE WARNING - ICE STORM",
        ["avertissement", "warning"],
        ["orange", "orange"],
      ),
    ],
  },
  "no list of warnings": { warnings: undefined },
  "a document of 4 hours ago": { lastUpdated: (at: string) => earlier(4)({ fr: at }).fr },
} satisfies Record<string, Record<string, unknown>>;

/** Every state in which a real page was seen, or may be: a door says something true of each. */
export type Mutation = keyof typeof MUTATIONS;
export const MUTATION_NAMES = Object.keys(MUTATIONS) as Mutation[];

/** A copy of a page to which that happened. */
export function mutate(page: Json, ...names: Mutation[]): Json {
  return names.reduce<Json>((changed, name) => edit(changed, MUTATIONS[name]), page);
}

// ── What goes wrong with alerts ──────────────────────────────────────────────

/** One alert in three zones, as the source sends it: one holds the point, one touches its box, one is far. */
export function inThreeZones(more: Alert, lat = 45.52, lon = -73.65) {
  return [
    alert({ ...more, area: around(lat + 3, lon), zoneId: "feaX-1", zone: { fr: "Parc lointain", en: "Far park" } }),
    alert({ ...more, area: beside(lat, lon), zoneId: "feaX-2", zone: { fr: "Rive voisine", en: "Next shore" } }),
    alert({ ...more, area: around(lat, lon), zoneId: "feaX-3" }),
  ];
}

/** A zone in two pieces, the second of which holds the point. */
export function inTwoPieces(lat = 45.52, lon = -73.65) {
  return together([around(lat - 2, lon), around(lat, lon)]);
}

// ── What isn't JSON ──────────────────────────────────────────────────────────

/** What a proxy says in front of a server that is down. */
export function badGateway(): Response {
  return new Response("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", {
    status: 502,
    headers: { "content-type": "text/html" },
  });
}

/** A body cut in the middle, under a good status. */
export function truncated(body: Json): Response {
  const text = JSON.stringify(body);
  return new Response(text.slice(0, text.length / 2), { headers: { "content-type": "application/geo+json" } });
}

/** JSON with another status: an error of the source. */
export function failing(body: Json, status: number): Response {
  return Response.json(body, { status });
}
