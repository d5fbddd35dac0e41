// What Open-Meteo answers, in its real shape around invented values: parallel arrays, and clocks without a zone.
import { addDays, HOUR, instantOf, localOf, naive, offsetOf, sunOf } from "./zones.mjs";

/** @typedef {Record<string, unknown>} Json */

/**
 * What the model says of an hour; each value can be null.
 * @typedef {object} Hour
 * @property {number | null} temperature
 * @property {number | null} [feels]
 * @property {number | null} [humidity]
 * @property {number | null} [probability]
 * @property {number | null} [precipitation] mm, melted
 * @property {number | null} [snowfall] cm
 * @property {number | null} [code] of the World Meteorological Organization
 * @property {number | null} [wind] km/h
 * @property {number | null} [direction] degrees
 * @property {number | null} [gust]
 */

/**
 * @typedef {object} Forecast
 * @property {number | string} at now
 * @property {string} [zone]
 * @property {number} [lat]
 * @property {number} [lon]
 * @property {number} [elevation]
 * @property {(local: { day: string, hour: number, index: number }) => Hour} hours
 * @property {Hour | null} [current] the hour under way, unless told; null is absent
 * @property {(day: string, index: number) => Json} [days] what differs from the hours, by the names of the source
 * @property {number} [uv]
 * @property {number} [count] of days
 */

const MODEL_STEP = 15 * 60_000;
const HOURLY = /** @type {[name: string, key: keyof Hour, unit: string][]} */ ([
  ["temperature_2m", "temperature", "°C"],
  ["apparent_temperature", "feels", "°C"],
  ["relative_humidity_2m", "humidity", "%"],
  ["precipitation_probability", "probability", "%"],
  ["precipitation", "precipitation", "mm"],
  ["snowfall", "snowfall", "cm"],
  ["weather_code", "code", "wmo code"],
  ["wind_speed_10m", "wind", "km/h"],
  ["wind_direction_10m", "direction", "°"],
  ["wind_gusts_10m", "gust", "km/h"],
]);
const DAILY_UNITS = /** @type {Record<string, string>} */ ({
  time: "iso8601",
  weather_code: "wmo code",
  temperature_2m_max: "°C",
  temperature_2m_min: "°C",
  apparent_temperature_max: "°C",
  apparent_temperature_min: "°C",
  sunrise: "iso8601",
  sunset: "iso8601",
  uv_index_max: "",
  precipitation_sum: "mm",
  snowfall_sum: "cm",
  precipitation_probability_max: "%",
  wind_speed_10m_max: "km/h",
  wind_gusts_10m_max: "km/h",
});

/** Every variable that this upstream knows; another one is an error, as in the real one. */
export const VARIABLES = {
  current: HOURLY.map(([name]) => name).filter((name) => name !== "precipitation_probability"),
  hourly: HOURLY.map(([name]) => name),
  daily: Object.keys(DAILY_UNITS).filter((name) => name !== "time"),
};

/**
 * `/v1/forecast` with `timezone=auto`: New York, unless told. The day of a clock change has 23 or 25 hours.
 * @param {Forecast} forecast
 */
export function openMeteo({ at, zone = "America/New_York", lat = 40.71, lon = -74.01, elevation = 12, ...more }) {
  const { hours, current, days = () => ({}), uv = 2, count = 7 } = more;
  const now = new Date(at).getTime();
  const today = localOf(now, zone).day;
  const [start, end] = [today, addDays(today, count)].map((day) => instantOf(day, "00:00", zone));
  const instants = Array.from({ length: (end - start) / HOUR }, (_, index) => start + index * HOUR);
  const said = instants.map((instant, index) => {
    const { day, hour } = localOf(instant, zone);
    return { day, ...filled(hours({ day, hour, index })) };
  });
  const present = current === null ? null : filled(current ?? said[Math.floor((now - start) / HOUR)]);
  const dates = Array.from({ length: count }, (_, index) => addDays(today, index));
  const summaries = dates.map((day, index) => ({
    ...summaryOf(
      said.filter((hour) => hour.day === day),
      day,
      { zone, lat, lon, uv },
    ),
    ...days(day, index),
  }));
  const offset = offsetOf(now, zone) / 1000;
  const column = (/** @type {string} */ name) => summaries.map((day) => /** @type {Json} */ (day)[name]);
  return {
    latitude: lat,
    longitude: lon,
    generationtime_ms: 0.42,
    utc_offset_seconds: offset,
    timezone: zone,
    timezone_abbreviation: `GMT${offset < 0 ? "-" : "+"}${Math.abs(offset) / 3600}`,
    elevation,
    ...(present !== null && {
      current_units: { time: "iso8601", interval: "seconds", ...unitsOf(VARIABLES.current) },
      current: {
        time: naive(Math.floor(now / MODEL_STEP) * MODEL_STEP, zone),
        interval: MODEL_STEP / 1000,
        ...Object.fromEntries(
          HOURLY.filter(([name]) => VARIABLES.current.includes(name)).map(([name, key]) => [name, present[key]]),
        ),
      },
    }),
    hourly_units: { time: "iso8601", ...unitsOf(VARIABLES.hourly) },
    hourly: {
      time: instants.map((instant) => naive(instant, zone)),
      ...Object.fromEntries(HOURLY.map(([name, key]) => [name, said.map((hour) => hour[key])])),
    },
    daily_units: DAILY_UNITS,
    daily: { time: dates, ...Object.fromEntries(VARIABLES.daily.map((name) => [name, column(name)])) },
  };
}

/**
 * What it says with a 400 or a 429.
 * @param {string} reason
 */
export function openMeteoError(reason) {
  return { error: true, reason };
}

/** @param {string[]} names */
function unitsOf(names) {
  return Object.fromEntries(HOURLY.filter(([name]) => names.includes(name)).map(([name, , unit]) => [name, unit]));
}

/**
 * An hour where everything has a value, unless it is said to have none.
 * @param {Hour} hour
 * @returns {Required<Hour>}
 */
function filled(hour) {
  const { temperature, wind = 12 } = hour;
  return {
    feels: temperature === null ? null : temperature - 2,
    humidity: 70,
    probability: 0,
    precipitation: 0,
    snowfall: 0,
    code: 2,
    direction: 270,
    gust: wind === null ? null : wind + 12,
    ...hour,
    temperature,
    wind,
  };
}

/**
 * A day, from its hours: the extremes, the sums, and the most serious code.
 * @param {Required<Hour>[]} hours
 * @param {string} day
 * @param {{ zone: string, lat: number, lon: number, uv: number }} place
 */
function summaryOf(hours, day, { zone, lat, lon, uv }) {
  const known = (/** @type {keyof Hour} */ key) => hours.map((hour) => hour[key]).filter((value) => value !== null);
  const most = (/** @type {keyof Hour} */ key) => (known(key).length === 0 ? null : Math.max(...known(key)));
  const least = (/** @type {keyof Hour} */ key) => (known(key).length === 0 ? null : Math.min(...known(key)));
  const sum = (/** @type {keyof Hour} */ key) =>
    known(key).length === 0 ? null : Math.round(known(key).reduce((total, one) => total + one, 0) * 100) / 100;
  const sun = sunOf(lat, lon, day);
  return {
    weather_code: most("code"),
    temperature_2m_max: most("temperature"),
    temperature_2m_min: least("temperature"),
    apparent_temperature_max: most("feels"),
    apparent_temperature_min: least("feels"),
    sunrise: sun === null ? `${day}T00:00` : naive(sun[0], zone),
    sunset: sun === null ? `${day}T00:00` : naive(sun[1], zone),
    uv_index_max: uv,
    precipitation_sum: sum("precipitation"),
    snowfall_sum: sum("snowfall"),
    precipitation_probability_max: most("probability"),
    wind_speed_10m_max: most("wind"),
    wind_gusts_10m_max: most("gust"),
  };
}
