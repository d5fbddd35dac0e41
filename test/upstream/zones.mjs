// Wall clocks of time zones, and the sun over a place: what the made-up weather of the tests and of the demo is told in.

const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A format costs far more to make than to use. @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();

/** @param {string} zone */
function formatOf(zone) {
  const made = formats.get(zone);
  if (made !== undefined) return made;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  });
  formats.set(zone, format);
  return format;
}

/**
 * `day` is « 2026-01-17 », `weekday` 0 on Sunday.
 * @param {number} instant in ms since 1970
 * @param {string} zone IANA
 * @returns {{ day: string, hour: number, minute: number, weekday: number }}
 */
export function localOf(instant, zone) {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const day = `${parts.year}-${parts.month}-${parts.day}`;
  return { day, hour: Number(parts.hour), minute: Number(parts.minute), weekday: weekdayOf(day) };
}

/**
 * What a clock on the wall shows, without its zone: « 2026-01-17T13:00 ».
 * @param {number} instant
 * @param {string} zone
 */
export function naive(instant, zone) {
  const { day, hour, minute } = localOf(instant, zone);
  return `${day}T${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/**
 * In ms, positive to the east.
 * @param {number} instant
 * @param {string} zone
 */
export function offsetOf(instant, zone) {
  return Date.parse(`${naive(instant, zone)}Z`) - Math.floor(instant / MINUTE) * MINUTE;
}

/**
 * The instant when a clock on the wall shows `day` and `time` (« 15:45 »): the first one, when it does twice.
 * @param {string} day
 * @param {string} time
 * @param {string} zone
 */
export function instantOf(day, time, zone) {
  const wall = Date.parse(`${day}T${time}Z`);
  const offsets = [wall - DAY, wall + DAY].map((instant) => offsetOf(instant, zone));
  return wall - (offsetOf(wall - offsets[0], zone) === offsets[0] ? offsets[0] : offsets[1]);
}

/**
 * @param {string} day
 * @param {number} count
 */
export function addDays(day, count) {
  return new Date(Date.parse(day) + count * DAY).toISOString().slice(0, 10);
}

/**
 * @param {string} from
 * @param {string} to
 */
export function daysBetween(from, to) {
  return (Date.parse(to) - Date.parse(from)) / DAY;
}

/**
 * 0 on Sunday.
 * @param {string} day
 */
export function weekdayOf(day) {
  return new Date(day).getUTCDay();
}

/**
 * « 2026-01-17T18:00:00Z », as every source but the alerts writes an instant.
 * @param {number | string} instant
 */
export function stamp(instant) {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

/**
 * Sunrise and sunset of a day, to a minute or two; null where the sun doesn't do it that day.
 * @param {number} lat
 * @param {number} lon
 * @param {string} day
 * @returns {[rise: number, set: number] | null}
 */
export function sunOf(lat, lon, day) {
  const radians = Math.PI / 180;
  const noon = Date.parse(`${day}T12:00Z`) - lon * 4 * MINUTE;
  // Days since 1 January 2000 at noon, then the mean anomaly, the longitude on the ecliptic and the declination.
  const since = (noon - Date.parse("2000-01-01T12:00Z")) / DAY;
  const anomaly = (357.5291 + 0.98560028 * since) * radians;
  const centre = 1.9148 * Math.sin(anomaly) + 0.02 * Math.sin(2 * anomaly);
  const longitude = anomaly + (centre + 282.9372) * radians;
  const declination = Math.asin(Math.sin(longitude) * Math.sin(23.44 * radians));
  const transit = noon + (0.0053 * Math.sin(anomaly) - 0.0069 * Math.sin(2 * longitude)) * DAY;
  const cosine =
    (Math.sin(-0.833 * radians) - Math.sin(lat * radians) * Math.sin(declination)) /
    (Math.cos(lat * radians) * Math.cos(declination));
  if (Math.abs(cosine) > 1) return null;
  const half = (Math.acos(cosine) / (2 * Math.PI)) * DAY;
  return [transit - half, transit + half];
}
