// Open-Meteo, where Environment Canada doesn't reach or doesn't answer: always « selon le modèle ».
import { describe, expect, it } from "vitest";
import {
  alert,
  alerts,
  badGateway,
  edit,
  failing,
  mutate,
  openMeteo,
  openMeteoError,
  SUMMER,
  summerPage,
  trouble,
  truncated,
} from "./payloads.ts";
import { ALERTS, html, MODEL, PAGE, Source, WORLD_NAMES } from "./source.ts";

type Told = Parameters<typeof openMeteo>[0];
const PARIS = {
  name: "Paris",
  latitude: 48.85,
  longitude: 2.35,
  country_code: "FR",
  country: "France",
  admin1: "Île-de-France",
  population: 2_100_000,
  timezone: "Europe/Paris",
};
const DOWN =
  "Le modèle d'Open-Meteo, qui sert pour cet endroit, est injoignable pour l'instant. Ça dure d'habitude quelques minutes, et ça ne veut pas dire que l'endroit n'existe pas. Redemande dans cinq minutes.";
const TOOLS = [
  "meteo_actuelle",
  "meteo_previsions",
  "meteo_precipitations",
  "meteo_alertes",
  "meteo_air",
  "meteo_soleil",
  "meteo_normales",
];
const WEATHER = TOOLS.slice(0, 3);
const ECCC_DOWN =
  "Environnement Canada est injoignable pour l'instant. Ça dure d'habitude quelques minutes et ça ne veut pas dire qu'il n'y a pas d'alerte. Redemande dans cinq minutes.";

/** Some hours of today, counted from midnight, differ from a fair weather of 20 degrees. */
const during = (start: number, end: number, told: object) => (local: { index: number }) => ({
  temperature: 20,
  ...(local.index >= start && local.index < end ? told : {}),
});
/** Paris, the Tuesday of August at 14:10 there. */
const paris = (hours: Told["hours"], more: Partial<Told> = {}) =>
  openMeteo({ at: SUMMER, zone: "Europe/Paris", lat: 48.85, lon: 2.35, hours, ...more });
const abroad = (model: object) => new Source({ [WORLD_NAMES]: { results: [PARIS] }, [MODEL]: model });
const ask = (model: object, quand?: string, at = SUMMER) =>
  abroad(model).say("meteo_precipitations", at, { lieu: "Paris", quand });
const RAIN = during(16, 20, { code: 63, probability: 64, precipitation: 1.4 });
/** Montréal, where the page of the town is anything, and the model has showers. */
const home = (page: object, inForce: object = alerts([])) =>
  new Source({
    [PAGE("qc-147")]: page,
    [ALERTS]: inForce,
    [MODEL]: openMeteo({ at: SUMMER, zone: "America/Toronto", hours: RAIN }),
  });

describe("a place abroad", () => {
  it("is told by the model, which is named", async () => {
    const source = abroad(paris(RAIN));
    expect(await source.say("meteo_actuelle", SUMMER, { lieu: "Paris" })).toBe(
      "À Paris, selon le modèle d'Open-Meteo, il fait 20 degrés, avec du soleil et des nuages. Vents d'ouest à 12 kilomètres à l'heure, avec des rafales à 24.",
    );
    expect(await source.say("meteo_previsions", SUMMER, { lieu: "Paris", quand: "demain" })).toBe(
      "Demain, mercredi, à Paris, selon le modèle d'Open-Meteo : alternance de soleil et de nuages. Vents d'ouest à 12 kilomètres à l'heure, avec des rafales à 24. Maximum de 20 degrés.",
    );
    expect(await source.say("meteo_precipitations", SUMMER, { lieu: "Paris", quand: "aujourd'hui" })).toBe(
      "Probablement : 60 pour cent de probabilité de pluie aujourd'hui à Paris, entre 16 et 20 heures, heure locale, selon le modèle d'Open-Meteo. On annonce environ 6 millimètres de pluie.",
    );
    expect(source.callsTo("OPEN_METEO_API")).toHaveLength(1);
    expect(source.callsTo("ECCC_API")).toEqual([]);
  });

  it.each([
    [
      "meteo_alertes",
      /^Environnement Canada n'émet d'alertes que pour le Canada\. Ça ne veut pas dire qu'il n'y a pas de danger/,
    ],
    ["meteo_air", /^La cote air santé n'existe qu'au Canada\./],
    ["meteo_normales", /^Je n'ai les normales que pour le Canada\./],
  ])("has no %s, and costs no call to the weather", async (tool, expected) => {
    const source = abroad(paris(RAIN));
    expect(await source.refuse(tool, SUMMER, { lieu: "Paris" })).toMatch(expected);
    expect(source.calls).toHaveLength(1);
  });

  it("asks for its units, and for no more than a week", async () => {
    const source = abroad(paris(RAIN));
    await source.say("meteo_actuelle", SUMMER, { lieu: "Paris" });
    const [path] = source.callsTo("OPEN_METEO_API");
    const asked = new URLSearchParams(path.split("?")[1]);
    expect(Object.fromEntries(asked)).toMatchObject({
      latitude: "48.85",
      longitude: "2.35",
      timezone: "auto",
      wind_speed_unit: "kmh",
      temperature_unit: "celsius",
      precipitation_unit: "mm",
      forecast_days: "7",
    });
  });

  it("lives in the zone that the model gives to coordinates", async () => {
    const madrid = new Source({ [MODEL]: openMeteo({ at: SUMMER, zone: "Europe/Madrid", hours: RAIN }) });
    const said = await madrid.say("meteo_precipitations", SUMMER, { lieu: "40.42, -3.70", quand: "aujourd'hui" });
    expect(said).toContain("entre 16 et 20 heures, heure locale");
    expect(await madrid.say("meteo_precipitations", SUMMER, { lieu: "40.42, -3.70", quand: "à 17 heures" })).toMatch(
      /^Probablement : 60 pour cent de probabilité de pluie à 17 heures/,
    );
    expect(await madrid.say("meteo_precipitations", SUMMER, { lieu: "40.42, -3.70", quand: "à 15 heures" })).toMatch(
      /^Non, pas de pluie prévue à 15 heures/,
    );
  });
});

describe("rain and snow, by the model", () => {
  it("doesn't call rain the water of a snow that it doesn't measure", async () => {
    const cold = { temperature: -5, code: 71, probability: 90, precipitation: 0.4, snowfall: null };
    expect(await ask(paris(during(16, 20, cold)), "aujourd'hui")).toMatch(
      /^Oui, de la neige faible est prévue aujourd'hui à Paris, entre 16 et 20 heures, heure locale, selon le modèle d'Open-Meteo\.$/,
    );
  });

  it("is not believed once all its days are over", async () => {
    const model = paris(RAIN);
    for (const tool of WEATHER) {
      expect(await abroad(model).refuse(tool, "2026-10-01T12:00:00Z", { lieu: "Paris" })).toBe(DOWN);
    }
  });

  it("case 24: says the probability beside an amount of zero, and nothing of an unknown one", async () => {
    expect(await ask(paris(during(16, 20, { code: 3, probability: 60, precipitation: 0 })), "aujourd'hui")).toBe(
      "Probablement : 60 pour cent de probabilité de précipitations aujourd'hui à Paris, entre 16 et 20 heures, heure locale, selon le modèle d'Open-Meteo.",
    );
    const unknown = paris(during(16, 20, { code: 63, probability: null, precipitation: 1.4 }));
    const said = await ask(unknown, "aujourd'hui");
    expect(said).toMatch(/^Oui, de la pluie est prévue aujourd'hui à Paris/);
    expect(said).not.toContain("pour cent");
  });

  it.each([0, 4, 12, 24])("believes a small probability more than the rain beside it: %i", async (probability) => {
    const model = paris(during(16, 20, { code: 63, probability, precipitation: 0.2 }));
    expect(await ask(model, "aujourd'hui")).toMatch(/^Non, la pluie est peu probable aujourd'hui à Paris/);
    const said = await abroad(model).say("meteo_previsions", SUMMER, { lieu: "Paris", quand: "à 17 heures" });
    expect(said).toMatch(/^À 17 heures, heure locale, à Paris, selon le modèle d'Open-Meteo : nuageux, 20 degrés\./);
  });

  it("says the hours before whose they are, then what may fall until then", async () => {
    const hours = ({ index }: { index: number }) =>
      index < 20
        ? during(16, 20, { code: 73, probability: 60, precipitation: 1 })({ index })
        : during(20, 24, { code: 63, probability: 95, precipitation: 1 })({ index });
    expect(await ask(paris(hours), "aujourd'hui")).toMatch(
      /^Oui, de la pluie est prévue aujourd'hui à Paris, à partir de 20 heures, heure locale, selon le modèle d'Open-Meteo; avant ça, 60 pour cent de probabilité de neige\. On annonce /,
    );
  });

  it("never says « 100 pour cent »", async () => {
    const model = paris(during(16, 20, { code: 81, probability: 100, precipitation: 3 }));
    for (const quand of ["aujourd'hui", "sept jours", "à 17 heures"]) {
      expect(await ask(model, quand)).toMatch(/^Oui, (?!.*pour cent)/);
    }
  });

  it("case 21: says centimetres of snow and millimetres of rain, those of the hours that were asked about", async () => {
    const snow = during(17, 23, { code: 73, probability: 95, precipitation: 1, snowfall: 0.7 });
    expect(await ask(paris(snow), "aujourd'hui")).toMatch(/ On annonce environ 4 centimètres de neige\.$/);
    expect(await ask(paris(snow), "ce soir")).toMatch(/ On annonce environ 4 centimètres de neige\.$/);
    const both = (local: { index: number }) =>
      local.index < 20
        ? during(16, 20, { code: 63, probability: 90, precipitation: 2 })(local)
        : during(20, 24, { code: 73, probability: 90, precipitation: 1, snowfall: 0.7 })(local);
    expect(await ask(paris(both), "aujourd'hui")).toMatch(
      /^Oui, on prévoit de la pluie, puis de la neige .* On annonce environ 3 centimètres de neige et environ 8 millimètres de pluie\.$/,
    );
    expect(await ask(paris(both), "ce soir")).toMatch(
      / On annonce environ 3 centimètres de neige et environ 4 millimètres de pluie\.$/,
    );
  });

  it("case 21: a little snow is a trace, and a little rain less than a millimetre", async () => {
    const trace = paris(during(16, 18, { code: 71, probability: 95, precipitation: 0.1, snowfall: 0.1 }));
    expect(await ask(trace, "aujourd'hui")).toMatch(/ On annonce une trace de neige\.$/);
    const drizzle = paris(during(16, 18, { code: 51, probability: 95, precipitation: 0.2 }));
    expect(await ask(drizzle, "aujourd'hui")).toMatch(/ On annonce moins d'un millimètre de pluie\.$/);
  });

  it("does not announce the rain that has fallen already", async () => {
    const morning = paris(during(6, 10, { code: 65, probability: 100, precipitation: 8 }));
    expect(await ask(morning, "aujourd'hui")).toMatch(/^Non, pas de pluie prévue aujourd'hui à Paris/);
    const today = await abroad(morning).say("meteo_previsions", SUMMER, { lieu: "Paris", quand: "aujourd'hui" });
    expect(today).toMatch(/^Aujourd'hui à Paris, selon le modèle d'Open-Meteo : alternance de soleil et de nuages\./);
    const both = paris(during(6, 18, { code: 65, probability: 100, precipitation: 2 }));
    expect(await ask(both, "aujourd'hui")).toMatch(
      / et ça continue jusqu'à 18 heures, heure locale, selon le modèle d'Open-Meteo\. On annonce environ 8 millimètres/,
    );
  });

  it.each([
    // The sun of Paris: from 6:41 to 21:12 in August, from 8:41 to 16:56 in December.
    ["2026-08-11", "à vingt et une heures", "ensoleillé"],
    ["2026-08-11", "à 22 heures", "dégagé"],
    ["2026-08-11", "demain à 6 heures", "dégagé"],
    ["2026-08-11", "demain à 7 heures", "ensoleillé"],
    ["2026-12-22", "à 16 heures", "ensoleillé"],
    ["2026-12-22", "à 18 heures", "dégagé"],
    ["2026-12-22", "demain à 8 heures", "dégagé"],
    ["2026-12-22", "demain à 10 heures", "ensoleillé"],
  ])("on %s, tells a clear sky by the sun that is up or not, %s", async (day, quand, sky) => {
    const at = `${day}T12:10:00Z`;
    const clear = openMeteo({
      at,
      zone: "Europe/Paris",
      lat: 48.85,
      lon: 2.35,
      hours: () => ({ temperature: 9, code: 0 }),
    });
    expect(await abroad(clear).say("meteo_previsions", at, { lieu: "Paris", quand })).toContain(
      `à Paris, selon le modèle d'Open-Meteo : ${sky}, 9 degrés`,
    );
  });

  it("keeps the maximum of a day whose hottest hour is past", async () => {
    const evening = "2026-08-11T15:30:00Z";
    const model = openMeteo({
      at: evening,
      zone: "Europe/Paris",
      hours: ({ hour }) => ({ temperature: hour === 14 ? 31 : 20 }),
    });
    const said = await abroad(model).say("meteo_previsions", evening, { lieu: "Paris" });
    expect(said).toContain("maximum de 31 degrés");
  });

  it("names the days of a week-end, not the hours of one of them", async () => {
    const model = paris(({ day, hour }) => ({
      temperature: 20,
      ...(day === "2026-08-15" && hour >= 14 && hour < 17 && { code: 80, probability: 70, precipitation: 2 }),
    }));
    expect(await ask(model, "la fin de semaine")).toBe(
      "Probablement, en fin de semaine à Paris, selon le modèle d'Open-Meteo : samedi, 70 pour cent de probabilité d'averses. On annonce environ 6 millimètres de pluie.",
    );
    expect(await ask(model, "samedi")).toMatch(
      /^Probablement : 70 .* samedi à Paris, entre 14 et 17 heures, heure locale, selon le modèle d'Open-Meteo\./,
    );
  });
});

describe("clocks without a zone", () => {
  it.each([
    ["2026-03-08T05:10:00Z", 23, 3, 5, /entre 3 et 5 heures/],
    ["2026-11-01T04:10:00Z", 25, 3, 5, /entre 3 et 5 heures/],
  ])(
    "case 22: the day of a clock change from %s, of %i hours, is read as written",
    async (at, count, start, end, expected) => {
      const model = openMeteo({
        at,
        zone: "America/New_York",
        hours: ({ day, hour }) => ({
          temperature: 10,
          ...(day === at.slice(0, 10) &&
            hour >= start &&
            hour < end && { code: 63, probability: 90, precipitation: 1 }),
        }),
      });
      expect(model.hourly.time.filter((time) => time.startsWith(at.slice(0, 10)))).toHaveLength(count);
      const source = new Source({ [MODEL]: model });
      const said = await source.say("meteo_precipitations", at, { lieu: "40.71, -74.01", quand: "aujourd'hui" });
      expect(said).toMatch(expected);
    },
  );

  it("case 22: an hour that doesn't exist, when it is given all the same, moves no other", async () => {
    const at = "2026-03-08T05:10:00Z";
    const model = openMeteo({
      at,
      zone: "America/New_York",
      hours: ({ day, hour }) => ({
        temperature: 10,
        ...(day === "2026-03-08" && hour >= 8 && hour < 10 && { code: 63, probability: 90, precipitation: 1 }),
      }),
    });
    const { time, ...columns } = model.hourly as unknown as Record<string, unknown[]> & { time: string[] };
    const gap = time.indexOf("2026-03-08T03:00");
    const hourly = {
      time: time.toSpliced(gap, 0, "2026-03-08T02:00"),
      ...Object.fromEntries(
        Object.entries(columns).map(([name, values]) => [name, values.toSpliced(gap, 0, values[gap])]),
      ),
    };
    const source = new Source({ [MODEL]: { ...model, hourly } });
    const said = await source.say("meteo_precipitations", at, { lieu: "40.71, -74.01", quand: "aujourd'hui" });
    expect(said).toContain("entre 8 et 10 heures");
  });
});

describe("values that are missing", () => {
  const nothing = { temperature: null, code: null, probability: null, precipitation: null, snowfall: null };
  const calm = { wind: null, gust: null, direction: null };

  it("takes nothing unknown for zero", async () => {
    const empty = paris(() => ({ ...nothing, ...calm }));
    for (const tool of WEATHER) {
      expect(await abroad(empty).refuse(tool, SUMMER, { lieu: "Paris" })).toBe(DOWN);
    }
    const unknown = paris(({ day }) => (day === "2026-08-12" ? { ...nothing, ...calm } : { temperature: 20 }));
    expect(await ask(unknown, "demain")).toBe(
      "Je ne peux pas le dire : la prévision n'est pas disponible demain, mercredi, à Paris, selon le modèle d'Open-Meteo.",
    );
    const warm = paris(({ day }) => (day === "2026-08-12" ? { ...nothing, temperature: 24 } : { temperature: 20 }));
    expect(await ask(warm, "demain")).toMatch(/^Je ne peux pas le dire : /);
    expect(await abroad(warm).say("meteo_previsions", SUMMER, { lieu: "Paris", quand: "demain" })).toMatch(
      /^Demain, mercredi, à Paris, selon le modèle d'Open-Meteo : maximum de 24 degrés\./,
    );
  });

  it("goes without the conditions of the moment", async () => {
    const said = await abroad(paris(RAIN, { current: null })).say("meteo_actuelle", SUMMER, { lieu: "Paris" });
    expect(said).toMatch(/^L'observation n'est pas disponible à Paris en ce moment\. Selon les prévisions, /);
  });

  it.each(["current", "hourly", "daily"])("survives without « %s »", async (part) => {
    const { [part]: _, ...rest } = paris(RAIN) as Record<string, unknown>;
    for (const tool of WEATHER) await abroad(rest).call(tool, SUMMER, { lieu: "Paris" });
  });
});

describe("a model that can't be believed, or doesn't answer", () => {
  const faults: [name: string, model: object][] = [
    ["a 400 with its reason", () => failing(openMeteoError("Parameter latitude is missing"), 400)],
    ["a reason under a good status", () => Response.json(openMeteoError("Internal error"))],
    ["a 429", () => failing(openMeteoError("Minutely API request limit exceeded"), 429)],
    ["a 500", () => failing(openMeteoError("oops"), 500)],
    ["a 502 in HTML", badGateway],
    ["a 404 in HTML", () => html("<h1>Not found</h1>", 404)],
    ["a body that is cut", () => truncated(paris(RAIN))],
    ["an empty object", {}],
    ["a dead name", () => Promise.reject(new TypeError("dns"))],
    ["case 52: degrees Fahrenheit", { ...paris(RAIN), current_units: { temperature_2m: "°F" } }],
    ["case 52: hours in Fahrenheit", { ...paris(RAIN), hourly_units: { temperature_2m: "°F" } }],
    ["case 52: metres a second", { ...paris(RAIN), hourly_units: { wind_speed_10m: "m/s" } }],
    ["case 52: gusts in knots", { ...paris(RAIN), hourly_units: { wind_gusts_10m: "kn" } }],
    ["case 52: inches of rain", { ...paris(RAIN), hourly_units: { precipitation: "inch" } }],
    ["case 52: inches of snow", { ...paris(RAIN), hourly_units: { snowfall: "inch" } }],
  ];

  it.each(faults)("is refused without a word of what it sent: %s", async (_, model) => {
    for (const tool of WEATHER) {
      const source = abroad(model);
      expect(await source.refuse(tool, SUMMER, { lieu: "Paris" })).toBe(DOWN);
      expect(source.callsTo("OPEN_METEO_API").length).toBeLessThanOrEqual(1);
    }
  });
});

describe("Environment Canada doesn't answer", () => {
  const faults: [name: string, page: object][] = [
    ["case 50: a 404 in HTML", () => html("<!DOCTYPE html><h1>404</h1>", 404)],
    ["a 404 in JSON", () => failing(trouble("NotFound"), 404)],
    ["a 500", () => failing(trouble("NoApplicableCode"), 500)],
    ["a 502 in HTML", badGateway],
    ["HTML under 200", () => html("<!DOCTYPE html>")],
    ["a body that is cut", () => truncated(summerPage())],
    ["an empty object", {}],
    ["a page without properties", { type: "Feature", properties: {} }],
    ["a dead name", () => Promise.reject(new TypeError("dns"))],
  ];

  it.each(faults)("the model answers and says why: %s", async (_, page) => {
    for (const tool of WEATHER) {
      const said = await home(page).say(tool, SUMMER);
      expect(said).toMatch(
        /Montréal,.* selon le modèle d'Open-Meteo.*; Environnement Canada ne répond pas en ce moment\.$/,
      );
    }
  });

  it.each(faults)("a Refusal comes from what the model can't replace: %s", async (_, page) => {
    expect(await home(page).refuse("meteo_normales", SUMMER)).toMatch(/^Environnement Canada .* Redemande /);
  });

  it("an alert in force is still said first", async () => {
    const inForce = alerts([
      alert({ published: "2026-08-11T10:00:00Z", hazard: "chaleur", ends: "2026-08-12T02:00:00Z" }),
    ]);
    expect(await home(badGateway, inForce).say("meteo_precipitations", SUMMER)).toMatch(
      /^Un avertissement jaune de chaleur est en vigueur .* Probablement : 60 pour cent de probabilité de pluie d'ici demain matin à Montréal, entre 16 et 20 heures, selon le modèle d'Open-Meteo\. .*; Environnement Canada ne répond pas en ce moment\.$/,
    );
  });

  it("a page that nobody writes any more gives way to the model", async () => {
    const old = mutate(summerPage(), "a document of 4 hours ago");
    for (const tool of WEATHER) {
      expect(await home(old).say(tool, SUMMER)).toMatch(
        /Montréal,.* selon le modèle d'Open-Meteo.*; la page d'Environnement Canada n'est pas à jour\.$/,
      );
    }
  });

  it("a page without what was asked for gives way to the model", async () => {
    const bare = mutate(summerPage(), "no forecast", "no hours");
    expect(await home(bare).say("meteo_previsions", SUMMER, { quand: "demain" })).toContain("selon le modèle");
    expect(await home(bare).say("meteo_actuelle", SUMMER)).toMatch(/^À Montréal, il fait 23 degrés/);
    const unobserved = mutate(summerPage(), "no observation", "no hours");
    expect(await home(unobserved).say("meteo_actuelle", SUMMER)).toContain("selon le modèle");
  });

  it("says the age of a page that nobody writes, when the model fails too", async () => {
    const old = mutate(summerPage(), "a document of 4 hours ago");
    const source = home(old);
    source.routes[MODEL] = badGateway;
    for (const tool of WEATHER)
      expect(await source.say(tool, SUMMER)).toMatch(/^Au dernier relevé, il y a 4 heures : /);
    expect(await source.say("meteo_normales", SUMMER)).toMatch(/^Au dernier relevé, il y a 4 heures : /);
  });
});

describe("a page that is buried", () => {
  const written = (hours: number) =>
    edit(summerPage(), { lastUpdated: new Date(Date.parse(SUMMER) - hours * 3_600_000).toISOString() });

  it.each([...WEATHER, "meteo_normales"])("is refused after 12 hours when the model is down too: %s", async (tool) => {
    for (const hours of [12.5, 30, 200]) {
      const source = home(written(hours));
      source.routes[MODEL] = badGateway;
      expect(await source.refuse(tool, SUMMER)).toMatch(/^Environnement Canada est injoignable/);
      expect(await home(written(hours)).refuse(tool, SUMMER, {}, { OPEN_METEO: "off" })).toMatch(
        /^Environnement Canada/,
      );
    }
    const source = home(written(4));
    source.routes[MODEL] = badGateway;
    expect(await source.say(tool, SUMMER)).toMatch(/^Au dernier relevé, il y a 4 heures : /);
  });
});

describe("OPEN_METEO=off", () => {
  const off = { OPEN_METEO: "off" };

  it("is never asked, and a place abroad is refused with the reason", async () => {
    const source = abroad(paris(RAIN));
    for (const tool of WEATHER) {
      expect(await source.refuse(tool, SUMMER, { lieu: "Paris" }, off)).toBe(
        "Cet endroit est hors de portée d'Environnement Canada, et le modèle qui le couvrirait est fermé ici. Ça ne changera pas en redemandant. Demande un endroit du Canada.",
      );
    }
    expect(source.callsTo("OPEN_METEO_API")).toEqual([]);
  });

  it("gives the official page with its age, or a Refusal when there is none", async () => {
    const old = home(mutate(summerPage(), "a document of 4 hours ago"));
    for (const tool of WEATHER)
      expect(await old.say(tool, SUMMER, {}, off)).toMatch(/^Au dernier relevé, il y a 4 heures : /);
    const down = home(badGateway);
    for (const tool of WEATHER) expect(await down.refuse(tool, SUMMER, {}, off)).toBe(ECCC_DOWN);
    expect([...old.callsTo("OPEN_METEO_API"), ...down.callsTo("OPEN_METEO_API")]).toEqual([]);
  });

  it("gives the nearest page with its distance where the model would have been nearer", async () => {
    const page = summerPage({ id: "qc-a4", name: "Lebel-sur-Quévillon" });
    const far = { lieu: "50.9, -77.0" };
    const source = new Source({
      [ALERTS]: alerts([]),
      [MODEL]: openMeteo({ at: SUMMER, zone: "America/Toronto", hours: RAIN }),
    });
    expect(await source.say("meteo_actuelle", SUMMER, far)).toContain("selon le modèle d'Open-Meteo");
    const closed = new Source({ [ALERTS]: alerts([]) });
    await closed.call("meteo_actuelle", SUMMER, far, off);
    const [path] = closed.callsTo("ECCC_API").filter((call) => call.includes("citypage"));
    closed.routes[path.split("?")[0]] = page;
    expect(await closed.say("meteo_actuelle", "2026-08-11T12:11:00Z", far, off)).toMatch(
      /, d'après .*, à \d+ kilomètres, il fait/,
    );
    expect(closed.callsTo("OPEN_METEO_API")).toEqual([]);
  });
});
