// The made-up responses against the real ones, and against what they promise.
import { describe, expect, inject, it } from "vitest";
import {
  alert,
  alerts,
  aqhiObservation,
  around,
  beside,
  citypage,
  collection,
  MUTATION_NAMES,
  mutate,
  openMeteo,
  SUMMER,
  summerPage,
  WINTER,
  winterPage,
} from "./payloads.ts";

type Json = Record<string, unknown>;
const recordings = inject("recordings");

/** The types that each path has, the elements of a list together: « properties.warnings[].url.fr string ». */
function shapeOf(values: unknown[]): Set<string> {
  const walk = (value: unknown, path: string): string[] => {
    if (value === null || typeof value !== "object") return [`${path} ${value === null ? "null" : typeof value}`];
    if (Array.isArray(value)) return [`${path} list`, ...value.flatMap((one) => walk(one, `${path}[]`))];
    // What begins with _ is a note of whoever kept the recording.
    const fields = Object.entries(value).filter(([key]) => !key.startsWith("_"));
    return [`${path} object`, ...fields.flatMap(([key, one]) => walk(one, `${path}.${key}`))];
  };
  return new Set(values.flatMap((value) => walk(value, "")));
}

const pages = [summerPage(), winterPage()];
const features = [...pages, ...pages.flatMap((page) => MUTATION_NAMES.map((name) => mutate(page, name)))];
const hours = () => ({ temperature: -1.5, code: 3 });
const ours: Record<string, unknown[]> = {
  ogc_citypage_huntingdon: features,
  ogc_citypage_ottawa: [collection("citypageweather-realtime", features)],
  ogc_citypage_toronto: [collection("citypageweather-realtime", features)],
  ogc_alerts: [alerts([]), alerts([alert({ published: WINTER })])],
  ogc_aqhi_observations: [collection("aqhi-observations-realtime", [aqhiObservation({ at: SUMMER, aqhi: 2.4 })])],
  "openmeteo_forecast_new-york": [openMeteo({ at: WINTER, hours })],
};

describe.skipIf(recordings === null)(
  `the shapes of the real responses${recordings === null ? " (skipped: RECORDINGS is not set)" : ""}`,
  () => {
    it.each(Object.entries(ours))("has every field of %s, of the same type", (name, values) => {
      const recorded = Object.entries(recordings ?? {}).filter(([file]) => file.startsWith(name));
      expect(recorded.length).toBeGreaterThan(0);
      const known = shapeOf(values);
      const real = shapeOf(recorded.map(([, body]) => body));
      expect([...real].filter((path) => !known.has(path))).toEqual([]);
    });
  },
);

describe("the builders", () => {
  it("change a page by each of the names", () => {
    for (const name of MUTATION_NAMES) {
      const changed = pages.filter((page) => JSON.stringify(mutate(page, name)) !== JSON.stringify(page));
      expect([name, changed.length > 0]).toEqual([name, true]);
    }
  });

  it("name half-days after the day they belong to, before and after midnight", () => {
    const named = (issued: string) =>
      citypage({ updated: issued, issued, periods: [{}, {}, {}] }).properties.forecastGroup?.forecasts.map(
        ({ period }) => [period.value.en, period.textForecastName.fr],
      );
    expect(named("2026-01-17T16:00:00Z")).toEqual([
      ["Saturday", "Aujourd'hui"],
      ["Saturday night", "Ce soir et cette nuit"],
      ["Sunday", "Dimanche"],
    ]);
    for (const issued of ["2026-01-17T20:45:00Z", "2026-01-18T06:10:00Z"]) {
      expect(named(issued)).toEqual([
        ["Saturday night", "Ce soir et cette nuit"],
        ["Sunday", "Dimanche"],
        ["Sunday night", "Dimanche soir et nuit"],
      ]);
    }
  });

  it("count 23 hours in a day of March and 25 in one of November", () => {
    const times = (at: string) => {
      const { hourly, daily } = openMeteo({ at, hours }) as unknown as Record<"hourly" | "daily", { time: string[] }>;
      return daily.time.map((day) => hourly.time.filter((time) => time.startsWith(day)));
    };
    const [march, november] = [times("2026-03-08T06:30:00Z"), times("2026-11-01T04:30:00Z")];
    expect([march.map((day) => day.length), november.map((day) => day.length)]).toEqual([
      [23, 24, 24, 24, 24, 24, 24],
      [25, 24, 24, 24, 24, 24, 24],
    ]);
    expect(march[0]).not.toContain("2026-03-08T02:00");
    expect(november[0].filter((time) => time === "2026-11-01T01:00")).toHaveLength(2);
  });

  it("put a point inside a zone, or only beside it", () => {
    const [lat, lon] = [46.8, -71.2];
    const holds = ({ coordinates }: Json) => {
      const [ring] = coordinates as [number, number][][];
      return ring.slice(1).filter(([x, y], index) => {
        const [left, low] = ring[index];
        return y > lat !== low > lat && lon < left + ((lat - low) / (y - low)) * (x - left);
      }).length;
    };
    expect([holds(around(lat, lon)) % 2, holds(beside(lat, lon)) % 2]).toEqual([1, 0]);
    const near = (beside(lat, lon).coordinates as [number, number][][])[0].filter(
      ([x, y]) => Math.abs(x - lon) < 0.05 && Math.abs(y - lat) < 0.05,
    );
    expect(near.length).toBeGreaterThan(0);
  });
});
