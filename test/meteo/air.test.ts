// The air and the UV: a forecast in Québec, a fresh measure elsewhere, and nothing that isn't known.
import { describe, expect, inject, it } from "vitest";
import {
  aqhiBulletin,
  aqhiHours,
  aqhiObservation,
  badGateway,
  both,
  collection,
  edit,
  failing,
  mutate,
  SUMMER,
  summerPage,
  truncated,
  WINTER,
  winterPage,
} from "./payloads.ts";
import { AQHI_FORECASTS, AQHI_OBSERVATIONS, html, PAGE, Source } from "./source.ts";

type Hours = Partial<Parameters<typeof aqhiHours>[0]>;
const recordings = inject("recordings");
/** Published at 6 hours in Montréal, asked for at 8:10. */
const hours = (more: Hours = {}) => aqhiHours({ published: "2026-08-11T10:00:00Z", aqhi: () => 3, ...more });
const forecasts = (features: object[]) => collection("aqhi-forecasts-realtime", features as never);
const observations = (features: object[]) => collection("aqhi-observations-realtime", features as never);
const TORONTO = { id: "FEXTO", name: "centre-ville de Toronto", lat: 43.68, lon: -79.4 };
const measured = (more: Partial<Parameters<typeof aqhiObservation>[0]> = {}) =>
  aqhiObservation({ ...TORONTO, at: "2026-08-11T12:00:00Z", aqhi: 2.51, ...more });

const AIR = "À Montréal, en ce moment, la cote air santé prévue est de 3, risque faible.";
const NO_AIR = "La cote air santé n'est pas disponible à Montréal.";
const UV = "L'indice U V prévu aujourd'hui est de 8, très élevé.";
const NO_UV = "Aucun indice U V n'est prévu à Montréal.";

/** What is said at Montréal with these forecasts of the air. */
const hear = (features: object[], at = SUMMER, page: object = summerPage()) =>
  new Source({ [AQHI_FORECASTS]: forecasts(features), [PAGE("qc-147")]: page }).say("meteo_air", at);
/** What is said at Toronto with these measures and these forecasts. */
const hearOntario = (features: object[], foreseen: object[] = []) =>
  new Source({
    [AQHI_OBSERVATIONS]: observations(features),
    [AQHI_FORECASTS]: forecasts(foreseen),
    [PAGE("on-143")]: summerPage(),
  }).say("meteo_air", SUMMER, { lieu: "Toronto" });

describe("the air in Québec", () => {
  it("is said to be a forecast, with its risk, then the UV of the day", async () => {
    expect(await hear(hours())).toBe(`${AIR} ${UV}`);
  });

  // Case 37.
  it("is never a measure, even where a station claims one (case 37)", async () => {
    const source = new Source({
      [AQHI_OBSERVATIONS]: observations([
        measured({ id: "EXMTL", name: "Montréal", lat: 45.51, lon: -73.59, aqhi: 7 }),
      ]),
      [AQHI_FORECASTS]: forecasts([]),
      [PAGE("qc-147")]: summerPage(),
    });
    expect(await source.say("meteo_air", SUMMER)).toBe(`${NO_AIR} ${UV}`);
    expect(source.calls.some((call) => call.includes("observations"))).toBe(false);
  });

  it("is never that of an Ontario town, however near (case 37)", async () => {
    const ottawa = hours({ id: "FEXOT", name: "Ottawa", lat: 45.47, lon: -75.69, aqhi: () => 8 });
    const gatineau = hours({ id: "EXGAT", name: "Gatineau", lat: 45.5, lon: -75.6 });
    const hearAt = (lieu: string, features: object[]) =>
      new Source({
        [AQHI_FORECASTS]: forecasts(features),
        [AQHI_OBSERVATIONS]: observations([
          measured({ id: "FEXOT", name: "Ottawa", lat: 45.47, lon: -75.69, aqhi: 8 }),
        ]),
        [PAGE("qc-126")]: summerPage(),
        [PAGE("on-118")]: summerPage(),
      }).say("meteo_air", SUMMER, { lieu });
    expect(await hearAt("Gatineau", [...ottawa, ...gatineau])).toBe(
      `À Gatineau, en ce moment, la cote air santé prévue est de 3, risque faible. ${UV}`,
    );
    expect(await hearAt("Gatineau", ottawa)).toBe(`La cote air santé n'est pas disponible à Gatineau. ${UV}`);
    expect(await hearAt("Ottawa", gatineau)).toContain("À Ottawa, la cote air santé est de 8, risque élevé.");
    const source = new Source({ [AQHI_FORECASTS]: forecasts(gatineau), [PAGE("on-118")]: summerPage() });
    expect(await source.say("meteo_air", SUMMER, { lieu: "Ottawa" })).toContain(
      "La cote air santé n'est pas disponible",
    );
  });

  it("is that of the hour under way", async () => {
    const rising = hours({ aqhi: (_, { hour }) => (hour === 8 ? 5 : 2) });
    expect(await hear(rising)).toContain("en ce moment, la cote air santé prévue est de 5, risque modéré.");
    expect(await hear(rising, "2026-08-11T13:00:00Z")).toContain(
      "en ce moment, la cote air santé prévue est de 2, risque faible.",
    );
    expect(await hear(rising, "2026-08-11T11:59:00Z")).toContain(
      "en ce moment, la cote air santé prévue est de 2, risque faible.",
    );
  });

  it("is that of the newest publication, in any order", async () => {
    const old = hours({ published: "2026-08-10T21:00:00Z", aqhi: () => 9 });
    for (const order of [
      [...old, ...hours()],
      [...hours(), ...old],
    ])
      expect(await hear(order)).toBe(`${AIR} ${UV}`);
  });

  it("says at which hour it begins when that is later today", async () => {
    const late = hours({ published: "2026-08-11T12:05:00Z" });
    expect(await hear(late)).toBe(`À Montréal, la cote air santé prévue à 9 heures est de 3, risque faible. ${UV}`);
  });

  it("says that it is tomorrow's when nothing is known before", async () => {
    const late = hours({ aqhi: (_, { day, hour }) => (day === "2026-08-12" && hour >= 6 ? 5 : null) });
    expect(await hear(late)).toBe(
      `À Montréal, la cote air santé prévue demain à 6 heures est de 5, risque modéré. ${UV}`,
    );
  });

  it("doesn't take the bulletin of half-days for an hour", async () => {
    const bulletin = aqhiBulletin({ published: "2026-08-11T10:00:00Z", periods: [["Aujourd'hui", 7, 9]] });
    expect(await hear([bulletin, ...hours()])).toBe(`${AIR} ${UV}`);
    expect(await hear([bulletin])).toBe(`${NO_AIR} ${UV}`);
  });

  it("is not a forecast whose hours are all past", async () => {
    expect(await hear(hours({ published: "2026-08-08T10:00:00Z" }))).toBe(`${NO_AIR} ${UV}`);
  });

  it.each([
    [1, "de 1, risque faible"],
    [3, "de 3, risque faible"],
    [4, "de 4, risque modéré"],
    [6, "de 6, risque modéré"],
    [7, "de 7, risque élevé"],
    [10, "de 10, risque élevé"],
    [11, "de plus de 10, risque très élevé"],
    [27, "de plus de 10, risque très élevé"],
    [3.4, "de 3, risque faible"],
    [3.6, "de 4, risque modéré"],
    [10.4, "de 10, risque élevé"],
    [0.4, "de 1, risque faible"],
  ])("says %d as « %s »", async (aqhi, said) => {
    expect(await hear(hours({ aqhi: () => aqhi }))).toBe(
      `À Montréal, en ce moment, la cote air santé prévue est ${said}. ${UV}`,
    );
  });

  it.each([null, 0, -1, "", "null", "N/D", {}, Number.MAX_SAFE_INTEGER])(
    "has no value for %j, never 1",
    async (value) => {
      const features = hours();
      for (const { properties } of features) Object.assign(properties, { aqhi: value });
      expect(await hear(features)).toBe(`${NO_AIR} ${UV}`);
    },
  );

  it("is never read from the text of the hour (case 58)", async () => {
    expect(await hear(hours({ published: "2026-08-11T13:00:00Z" }))).not.toMatch(/HAE|AM|PM|\dh/);
  });

  it("has none when no town publishes around (case 39)", async () => {
    expect(await hear([])).toBe(`${NO_AIR} ${UV}`);
    expect(await hear(hours({ id: "EXVDR", name: "Val-d'Or", lat: 48.1, lon: -77.79 }))).toBe(`${NO_AIR} ${UV}`);
  });

  it("names a town that isn't near, with its distance", async () => {
    const source = new Source({
      [AQHI_FORECASTS]: forecasts(hours({ id: "EXALM", name: "Alma", lat: 48.55, lon: -71.65 })),
      [PAGE("qc-166")]: summerPage(),
    });
    expect(await source.say("meteo_air", SUMMER, { lieu: "Saguenay" })).toMatch(
      /^À Saguenay, d'après Alma, à \d\d kilomètres, en ce moment, la cote air santé prévue est de 3, risque faible\. /,
    );
  });

  it("takes the nearest of several towns", async () => {
    const far = hours({ id: "EXSJE", name: "Saint-Jérôme", lat: 45.78, lon: -74.0, aqhi: () => 9 });
    for (const order of [
      [...far, ...hours()],
      [...hours(), ...far],
    ])
      expect(await hear(order)).toBe(`${AIR} ${UV}`);
  });

  it("asks for the newest publications in a box, longitude first, and for the page: two calls", async () => {
    const source = new Source({ [AQHI_FORECASTS]: forecasts(hours()), [PAGE("qc-147")]: summerPage() });
    await source.say("meteo_air", SUMMER);
    await source.say("meteo_air", "2026-08-11T12:15:00Z");
    expect(source.calls).toHaveLength(2);
    const query = new URL(source.calls.find((call) => call.includes("aqhi")) ?? "").searchParams;
    const [west, south, east, north] = (query.get("bbox") ?? "").split(",").map(Number);
    expect([west < east, east < -70, south < north, south > 40]).toEqual([true, true, true, true]);
    expect(query.get("sortby")).toBe("-publication_datetime");
    expect(Number(query.get("limit"))).toBeGreaterThanOrEqual(100);
  });
});

describe("the air elsewhere in Canada", () => {
  it("is a measure, rounded, without « prévue »", async () => {
    expect(await hearOntario([measured()])).toBe(`À Toronto, la cote air santé est de 3, risque faible. ${UV}`);
  });

  it("says the hour of a measure of more than an hour ago", async () => {
    expect(await hearOntario([measured({ at: "2026-08-11T10:00:00Z" })])).toBe(
      `À Toronto, la cote air santé, mesurée à 6 heures, est de 3, risque faible. ${UV}`,
    );
  });

  // Case 38: `latest` once came with a value of seven hours before.
  it.each(["2026-08-11T05:00:00Z", "2026-08-11T09:00:00Z", "2026-08-10T12:00:00Z", "2026-08-11T14:00:00Z"])(
    "rejects a measure of %s, though it says that it is the latest (case 38)",
    async (at) => {
      const source = await hearOntario([measured({ at, aqhi: 9 })]);
      expect(source).toBe(`La cote air santé n'est pas disponible à Toronto. ${UV}`);
    },
  );

  it("is a forecast, and said so, when no measure is fresh", async () => {
    expect(await hearOntario([measured({ at: "2026-08-11T05:00:00Z", aqhi: 9 })], hours(TORONTO))).toBe(
      `À Toronto, en ce moment, la cote air santé prévue est de 3, risque faible. ${UV}`,
    );
  });

  it.each([null, 0, -2])("has no value for %j, never 1", async (aqhi) => {
    expect(await hearOntario([measured({ aqhi })])).toBe(`La cote air santé n'est pas disponible à Toronto. ${UV}`);
  });

  it("is the fresh one of the nearest station", async () => {
    const others = [
      measured({ at: "2026-08-11T11:00:00Z", aqhi: 8 }),
      measured({ id: "FEXNO", name: "Toronto Nord", lat: 43.9, lon: -79.4, aqhi: 6 }),
    ];
    expect(await hearOntario([...others, measured()])).toContain("À Toronto, la cote air santé est de 3,");
  });

  it("names the days of a place where it is still the day before", async () => {
    // 21:20 on a Tuesday in Vancouver, 0:20 on Wednesday in Montréal.
    const there = { id: "JAFGL", name: "Vancouver", lat: 49.25, lon: -123.12 };
    const evening = summerPage({
      updated: "2026-08-12T04:04:00Z",
      issued: "2026-08-11T23:45:00Z",
      zone: "America/Vancouver",
      periods: [
        { sky: { fr: "Dégagé.", en: "Clear." }, low: 16 },
        { sky: { fr: "Ensoleillé.", en: "Sunny." }, high: 27, uv: 6 },
      ],
    });
    // From 7 hours there.
    const foreseen = hours({ ...there, published: "2026-08-12T13:00:00Z" });
    const source = new Source({
      [AQHI_OBSERVATIONS]: observations([]),
      [AQHI_FORECASTS]: forecasts(foreseen),
      [PAGE("bc-74")]: evening,
    });
    expect(await source.say("meteo_air", "2026-08-12T04:20:00Z", { lieu: "Vancouver" })).toBe(
      "À Vancouver, la cote air santé prévue mercredi à 7 heures est de 3, risque faible. L'indice U V prévu mercredi est de 6, élevé.",
    );
  });

  it("is asked for with `latest`: without it come three days", async () => {
    const source = new Source({ [AQHI_OBSERVATIONS]: observations([measured()]), [PAGE("on-143")]: summerPage() });
    await source.say("meteo_air", SUMMER, { lieu: "Toronto" });
    expect(source.calls.find((call) => call.includes("observations"))).toContain("latest=true");
  });
});

describe("the air that can't be read", () => {
  const faults: [string, () => Response | Promise<Response>][] = [
    ["an HTML 502", badGateway],
    ["HTML under 200", () => html("<!DOCTYPE html>")],
    ["a 503", () => failing({ code: "NoApplicableCode" }, 503)],
    ["a body cut in the middle (case 38)", () => truncated(forecasts(hours()))],
    ["no list", () => Response.json({ type: "FeatureCollection" })],
    ["a list that is a text", () => Response.json({ features: "none" })],
    ["a call that times out", () => Promise.reject(new DOMException("The operation timed out", "TimeoutError"))],
  ];

  it.each(faults)("is said to be unread, never absent, and the UV is still said: %s", async (_name, route) => {
    const source = new Source({ [AQHI_FORECASTS]: route, [PAGE("qc-147")]: summerPage() });
    expect(await source.say("meteo_air", SUMMER)).toBe(`Je n'ai pas pu lire la cote air santé à Montréal. ${UV}`);
  });

  it.each(faults)("refuses with what to do when the page fails too: %s", async (_name, route) => {
    const source = new Source({ [AQHI_FORECASTS]: route, [PAGE("qc-147")]: badGateway });
    expect(await source.refuse("meteo_air", SUMMER)).toBe(
      "Environnement Canada ne répond pas pour l'air en ce moment. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'air est bon. Redemande dans cinq minutes.",
    );
  });

  it("says the air, and that the UV is unread, when only the page fails", async () => {
    const source = new Source({ [AQHI_FORECASTS]: forecasts(hours()), [PAGE("qc-147")]: badGateway });
    expect(await source.say("meteo_air", SUMMER)).toBe(`${AIR} Je n'ai pas pu lire l'indice U V.`);
  });

  it("survives readings without a place, an hour or anything at all", async () => {
    const [good] = hours().slice(2);
    const odd = [
      null,
      {},
      { ...good, geometry: null },
      { ...good, geometry: { type: "Point", coordinates: [null, null] } },
      { ...good, properties: null },
      { ...good, properties: { ...good.properties, forecast_datetime: "demain", aqhi: 9 } },
    ];
    expect(await hear([...odd, ...hours()] as object[])).toBe(`${AIR} ${UV}`);
    // Without coordinates, it is in the square that was asked for; the rest is nothing.
    expect(await hear(odd as object[])).toBe(await hear([good]));
    expect(await hear(odd.filter((_, index) => index !== 2 && index !== 3) as object[])).toBe(`${NO_AIR} ${UV}`);
  });

  it("refuses abroad, without a call", async () => {
    const source = new Source({});
    expect(await source.refuse("meteo_air", SUMMER, { lieu: "40.71, -74.01" })).toBe(
      "La cote air santé n'existe qu'au Canada. Ça ne changera pas en redemandant, et ça ne dit rien de l'air ailleurs. Demande un endroit du Canada, ou les prévisions de l'endroit voulu.",
    );
    expect(source.calls).toEqual([]);
  });

  it("serves a forecast of two hours ago when the source is down, then says that it can't be read", async () => {
    const source = new Source({ [AQHI_FORECASTS]: forecasts(hours()), [PAGE("qc-147")]: summerPage() });
    await source.say("meteo_air", SUMMER);
    source.routes = { [AQHI_FORECASTS]: badGateway, [PAGE("qc-147")]: summerPage({ updated: "2026-08-11T14:00:00Z" }) };
    expect(await source.say("meteo_air", "2026-08-11T14:10:00Z")).toBe(`${AIR} ${UV}`);
    expect(await source.say("meteo_air", "2026-08-11T15:30:00Z")).toContain("Je n'ai pas pu lire la cote air santé");
  });
});

describe("the UV", () => {
  const withUv = (index: unknown) =>
    hear(hours(), SUMMER, edit(summerPage(), { "forecastGroup.forecasts.0.uv.index": both(index as string) }));

  it.each([
    ["0", "de zéro, bas"],
    ["1", "de 1, bas"],
    ["2", "de 2, bas"],
    ["3", "de 3, modéré"],
    ["5", "de 5, modéré"],
    [6, "de 6, élevé"],
    ["7", "de 7, élevé"],
    ["8", "de 8, très élevé"],
    ["10", "de 10, très élevé"],
    ["11", "de 11, extrême"],
  ])("says an index of %j as « %s »", async (index, said) => {
    expect(await withUv(index)).toBe(`${AIR} L'indice U V prévu aujourd'hui est ${said}.`);
  });

  it("is that of the hours when no half-day has it", async () => {
    expect(await hear(hours(), SUMMER, mutate(summerPage(), "no half-day"))).toBe(
      `${AIR} L'indice U V prévu aujourd'hui est de 7, élevé.`,
    );
  });

  // Case 10.
  it("isn't foreseen when nothing has it, rather than zero (case 10)", async () => {
    const late = "2026-08-12T02:00:00Z";
    expect(await hear(hours({ published: "2026-08-11T21:00:00Z" }), late, mutate(summerPage(), "no UV"))).toBe(
      `${AIR} ${NO_UV}`,
    );
    for (const index of ["", null, "élevé", -1, 99]) expect(await withUv(index)).not.toMatch(/ est de (?:-|zéro|99)/);
  });

  it("isn't foreseen in winter", async () => {
    expect(await hear([], WINTER, winterPage())).toBe(`${NO_AIR} ${NO_UV}`);
  });

  it("isn't that of a day that is over, on a page that is late", async () => {
    // The page of the morning has 8 for the 11th, 4 for the 12th.
    const air = hours({ published: "2026-08-11T21:00:00Z" });
    const tomorrow = "L'indice U V prévu demain est de 4, modéré.";
    expect(await hear(air, "2026-08-11T21:50:00Z")).toContain(UV);
    expect(await hear(air, "2026-08-11T22:10:00Z")).toContain(tomorrow);
    expect(await hear(air, "2026-08-12T03:50:00Z")).toContain(tomorrow);
    const today = "L'indice U V prévu aujourd'hui est de 4, modéré.";
    expect(await hear(air, "2026-08-12T04:10:00Z")).toContain(today);
  });

  it("is tomorrow's in the evening, and said so", async () => {
    const evening = summerPage({
      updated: "2026-08-12T00:04:00Z",
      issued: "2026-08-11T19:45:00Z",
      periods: [
        { sky: { fr: "Dégagé.", en: "Clear." }, low: 16 },
        { sky: { fr: "Ensoleillé.", en: "Sunny." }, high: 27, uv: 6 },
      ],
    });
    const air = hours({ published: "2026-08-11T21:00:00Z" });
    expect(await hear(air, "2026-08-12T00:10:00Z", evening)).toBe(`${AIR} L'indice U V prévu demain est de 6, élevé.`);
  });
});

describe.skipIf(recordings === null)(
  `the recorded measures of Toronto${recordings === null ? " (skipped: RECORDINGS is not set)" : ""}`,
  () => {
    type Recorded = { features: { properties: { observation_datetime: string; aqhi: number } }[] };
    const [, body] = Object.entries(recordings ?? {}).find(([file]) => file.startsWith("ogc_aqhi")) ?? [];

    it("says a fresh one, never the one left from seven hours before, nor an hour as it is written", async () => {
      const values = (body as Recorded).features.map(({ properties }) => properties);
      const newest = values
        .map(({ observation_datetime }) => observation_datetime)
        .toSorted()
        .at(-1) as string;
      const fresh = values.filter(({ observation_datetime }) => observation_datetime === newest);
      const now = new Date(Date.parse(newest) + 20 * 60_000).toISOString();
      const source = new Source({ [AQHI_OBSERVATIONS]: body as object });
      const said = await source.say("meteo_air", now, { lieu: "Toronto" });
      const [, value] = /^À Toronto, la cote air santé est de (\d+), risque faible\./.exec(said) ?? [];
      expect(fresh.map(({ aqhi }) => String(Math.round(aqhi)))).toContain(value);
      expect(said).not.toMatch(/HAE|AM|\dh/);
    });
  },
);
