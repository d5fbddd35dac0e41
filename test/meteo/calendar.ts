// A page whose every number tells when it is: the maximum of a day is its date, the minimum of a night is the date under
// zero, and the temperature of an hour is the hour. An answer about another moment is heard.
import { addDays, instantOf, localOf } from "../upstream/zones.mjs";
import { alerts, citypage, type Page } from "./payloads.ts";
import { ALERTS, PAGE, Source } from "./source.ts";

const HOUR = 3_600_000;

/** The instant when a clock of that place shows it: « 2026-11-25 14:00 ». */
export function clock(at: string, zone = "America/Toronto"): string {
  const [day, time] = at.split(" ");
  return new Date(instantOf(day, time, zone)).toISOString();
}

const ISSUES = [5, 11, 15.75];

/**
 * The page that is read at an instant: issued at 5 h, 11 h or 15 h 45, the last of them, and written a few minutes ago.
 * The evening's begins with a night, and has 12 half-days; the others have 13.
 */
export function calendarPage(at: string, more: Partial<Page> = {}) {
  const zone = more.zone ?? "America/Toronto";
  const { day } = localOf(Date.parse(at), zone);
  const times = [-1, 0].flatMap((ahead) =>
    ISSUES.map((hour) => {
      const minutes = String((hour % 1) * 60).padStart(2, "0");
      return instantOf(addDays(day, ahead), `${String(Math.floor(hour)).padStart(2, "0")}:${minutes}`, zone);
    }),
  );
  const issued = times.filter((time) => time <= Date.parse(at)).at(-1) ?? times[0];
  const first = localOf(issued, zone);
  const night = first.hour >= 15;
  const periods = Array.from({ length: night ? 12 : 13 }, (_, index) => {
    const half = index + (night ? 1 : 0);
    const date = Number(addDays(first.day, Math.floor(half / 2)).slice(8));
    return half % 2 === 1 ? { sky: "Dégagé.", low: -date } : { sky: "Ensoleillé.", high: date };
  });
  return citypage({
    issued,
    updated: Date.parse(at) - 6 * 60_000,
    current: {
      at: Math.floor(Date.parse(at) / HOUR) * HOUR,
      temperature: 0.2,
      wind: { speed: "calme" },
      condition: "Nuageux",
    },
    hours: (_, { hour }) => ({ condition: "Nuageux", temperature: hour, wind: { speed: 20, direction: "O" } }),
    periods,
    ...more,
  });
}

/** What is said of a moment at Montréal, from the page of that instant. */
export async function ask(at: string, quand?: string, sentences = 3, more: Partial<Page> = {}): Promise<string> {
  return sourceAt(at, more).say("meteo_previsions", at, { quand }, {}, sentences);
}

/** The refusal of a moment. */
export async function refuse(at: string, quand: string): Promise<string> {
  return sourceAt(at).refuse("meteo_previsions", at, { quand });
}

function sourceAt(at: string, more: Partial<Page> = {}): Source {
  return new Source({ [PAGE("qc-147")]: calendarPage(at, more), [ALERTS]: alerts([]) });
}
