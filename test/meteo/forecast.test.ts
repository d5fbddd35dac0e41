// The forecast: which calendar day a half-day is, what is left of today, and what is said when something is missing.
import { describe, expect, it } from "vitest";
import { ask, calendarPage, clock } from "./calendar.ts";
import {
  alert,
  alerts,
  badGateway,
  citypage,
  edit,
  geocoder,
  mutate,
  openMeteo,
  SUMMER,
  summerPage,
  WINTER,
  winterPage,
} from "./payloads.ts";
import { ALERTS, MODEL, PAGE, Source, WORLD_NAMES } from "./source.ts";

const forecast = (page: object, at: string, quand?: string, sentences = 3) =>
  new Source({ [PAGE("qc-147")]: page, [ALERTS]: alerts([]) }).say("meteo_previsions", at, { quand }, {}, sentences);

const PARIS = {
  name: "Paris",
  country: "France",
  countryCode: "FR",
  zone: "Europe/Paris",
  lat: 48.85,
  lon: 2.35,
  population: 2_100_000,
};

describe("the day of a half-day", () => {
  // Each issue, asked just after it and until the next one.
  it.each([
    ["2026-11-25 05:10", "Aujourd'hui à Montréal : ensoleillé. Maximum de 25 degrés.", 25],
    ["2026-11-25 10:50", "Aujourd'hui à Montréal : ensoleillé. Maximum de 25 degrés.", 25],
    ["2026-11-25 11:05", "Aujourd'hui à Montréal : ensoleillé. Maximum de 25 degrés.", 25],
    ["2026-11-25 15:50", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés.", 25],
    ["2026-11-25 23:50", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés.", 25],
    ["2026-11-26 00:10", "Cette nuit à Montréal : dégagé. Minimum de moins 25 degrés.", 26],
    ["2026-11-26 04:50", "Cette nuit à Montréal : dégagé. Minimum de moins 25 degrés.", 26],
  ])(
    "case 11: at %s, begins with the half-day under way, and « demain » is the next date",
    async (at, first, today) => {
      expect(await ask(clock(at))).toContain(first);
      expect(await ask(clock(at), "demain")).toContain(`Maximum de ${today + 1} degrés.`);
    },
  );

  it("case 13: pairs each night with the day before it when the first half-day is a night", async () => {
    expect(await ask(clock("2026-11-25 20:00"), "sept jours", 8)).toBe(
      "Voici les prochains jours à Montréal. Ce soir et cette nuit : dégagé; minimum de moins 25 degrés. " +
        "Demain, jeudi : ensoleillé, 26 degrés; moins 26 la nuit. " +
        "Après-demain, vendredi : ensoleillé, 27 degrés; moins 27 la nuit. " +
        "Samedi : ensoleillé, 28 degrés; moins 28 la nuit. " +
        "Dimanche : ensoleillé, 29 degrés; moins 29 la nuit. " +
        "Lundi : ensoleillé, 30 degrés; moins 30 la nuit. Mardi : ensoleillé, 1 degré.",
    );
  });

  it("goes from one year to the next on 31 December", async () => {
    const eve = clock("2026-12-31 22:00");
    expect(await ask(eve)).toBe(
      "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 31 degrés. Demain, vendredi : ensoleillé; maximum de 1 degré.",
    );
    expect(await ask(eve, "le premier janvier")).toBe("Demain, vendredi, à Montréal : ensoleillé. Maximum de 1 degré.");
    expect(await ask(eve, "à minuit")).toContain("À minuit à Montréal : nuageux, zéro degré.");
    expect(await ask(clock("2027-01-01 00:10"), "cette nuit")).toBe(
      "Cette nuit à Montréal : dégagé. Minimum de moins 31 degrés.",
    );
    expect(await ask(clock("2027-01-01 00:10"), "aujourd'hui")).toBe(
      "Aujourd'hui à Montréal : ensoleillé. Maximum de 1 degré.",
    );
  });

  it.each([
    [
      "the night when the hour goes back",
      "2026-11-01 00:30",
      "moins 31",
      "Maximum de 1 degré.",
      "Maximum de 2 degrés.",
    ],
    ["the hour that comes twice", "2026-11-01 01:30", "moins 31", "Maximum de 1 degré.", "Maximum de 2 degrés."],
    ["the evening before it", "2026-10-31 23:50", "moins 31", "Maximum de 31 degrés.", "Maximum de 1 degré."],
    [
      "the night when the hour goes forward",
      "2026-03-08 01:30",
      "moins 7",
      "Maximum de 8 degrés.",
      "Maximum de 9 degrés.",
    ],
    ["just after it went forward", "2026-03-08 03:10", "moins 7", "Maximum de 8 degrés.", "Maximum de 9 degrés."],
  ])("keeps its dates in %s", async (_, at, night, today, tomorrow) => {
    expect(await ask(clock(at), "cette nuit")).toContain(`Minimum de ${night} degrés.`);
    if (!at.includes("23:50")) expect(await ask(clock(at), "aujourd'hui")).toContain(today);
    expect(await ask(clock(at), "demain")).toContain(tomorrow);
  });

  it("keeps its hours in both nights: 5 hours is 5 hours, and 2 hours of 8 March is 3", async () => {
    for (const at of ["2026-11-01 00:30", "2026-03-08 01:30"]) {
      expect(await ask(clock(at), "à 5 heures")).toContain("À 5 heures à Montréal : nuageux, 5 degrés.");
      expect(await ask(clock(at), "ce matin")).toContain("entre 6 et 11 degrés.");
      expect(await ask(clock(at), "à 15 heures")).toContain("À 15 heures à Montréal : nuageux, 15 degrés.");
    }
    expect(await ask(clock("2026-03-08 01:30"), "à 2 heures")).toContain("À 3 heures à Montréal : nuageux, 3 degrés.");
    expect(await ask(clock("2026-03-08 01:30"), "dans 2 heures")).toMatch(
      /^À (\d) heures à Montréal : nuageux, \1 degrés/,
    );
    expect(await ask(clock("2026-11-01 00:30"), "dans 5 heures")).toMatch(
      /^À (\d) heures à Montréal : nuageux, \1 degrés/,
    );
  });

  it("believes the weekday of the first half-day when the issue is dated of the day before, or is missing", async () => {
    const at = clock("2026-11-26 05:10");
    const page = calendarPage(at);
    for (const timestamp of [{ en: clock("2026-11-25 23:30") }, undefined, { fr: "" }]) {
      const changed = edit(page, { "forecastGroup.timestamp": timestamp });
      expect(await forecast(changed, at, "aujourd'hui")).toContain("Maximum de 26 degrés.");
      expect(await forecast(changed, at, "demain")).toContain("Maximum de 27 degrés.");
    }
  });

  it("case 18: tells half-days that come twice only once", async () => {
    const said = await forecast(mutate(summerPage(), "half-days twice"), SUMMER, "sept jours", 8);
    expect(said).toBe(await forecast(summerPage(), SUMMER, "sept jours", 8));
  });

  it("case 17: leaves out a half-day without a name or a text, and keeps the dates of the others", async () => {
    const page = mutate(summerPage(), "a half-day without a name");
    expect(await forecast(page, SUMMER, "jeudi")).toContain(
      "Après-demain, jeudi, à Montréal : ensoleillé. Maximum de 25 degrés",
    );
    expect(await forecast(page, SUMMER, "samedi")).toContain(
      "60 pour cent de probabilité d'averses et risque d'un orage",
    );
  });

  it("never answers « demain » with today when tomorrow is missing", async () => {
    const page = mutate(summerPage(), "a half-day without a name");
    expect(await forecast(page, SUMMER, "demain")).toBe(
      "Demain, mercredi, à Montréal, les prévisions ne sont pas disponibles en ce moment. Demain soir et durant la nuit : dégagement; minimum de 14 degrés.",
    );
    expect(await forecast(page, SUMMER, "demain matin")).toBe(
      "Demain matin à Montréal, les prévisions ne sont pas disponibles en ce moment.",
    );
  });

  it("follows the clock of the place: the Îles-de-la-Madeleine are an hour ahead, Vancouver three behind", async () => {
    const ask = (id: string, lieu: string, zone: string, at: string, quand: string) =>
      new Source({ [PAGE(id)]: calendarPage(at, { id, zone }), [ALERTS]: alerts([]) }).say("meteo_previsions", at, {
        lieu,
        quand,
      });
    const islands = (at: string, quand: string) =>
      ask("qc-103", "les Îles-de-la-Madeleine", "America/Halifax", at, quand);
    const vancouver = (at: string, quand: string) => ask("bc-74", "Vancouver", "America/Vancouver", at, quand);
    // 23:30 in Montréal on the 25th: the 26th has begun on the islands, not in Vancouver.
    const late = clock("2026-11-25 23:30");
    expect(await islands(late, "aujourd'hui")).toContain("Maximum de 26 degrés.");
    expect(await islands(late, "demain")).toContain(
      "Vendredi aux Îles-de-la-Madeleine : ensoleillé. Maximum de 27 degrés.",
    );
    expect(await vancouver(late, "demain")).toContain("Demain, jeudi, à Vancouver : ensoleillé. Maximum de 26 degrés.");
    const noon = clock("2026-11-25 12:10");
    expect(await islands(noon, "à 15 heures")).toBe(
      "À 15 heures, heure des Maritimes, aux Îles-de-la-Madeleine : nuageux, 15 degrés. Vents d'ouest à 20 kilomètres à l'heure.",
    );
    expect(await vancouver(noon, "à 15 heures")).toBe(
      "À 15 heures, heure locale, à Vancouver : nuageux, 15 degrés. Vents d'ouest à 20 kilomètres à l'heure.",
    );
    expect(await islands(noon, "cet après-midi")).toContain(
      "Cet après-midi aux Îles-de-la-Madeleine : nuageux, entre 14 et 17 degrés.",
    );
  });

  it("names the days by their weekdays where it is another day than in Montréal", async () => {
    // Saturday 19:30 in Montréal, Sunday 1:30 in Paris.
    const late = clock("2026-11-28 19:30");
    const hours = ({ hour }: { hour: number }) => ({ temperature: hour, code: 3 });
    const paris = (quand?: string) =>
      new Source({ [MODEL]: openMeteo({ at: late, ...PARIS, hours }), [WORLD_NAMES]: geocoder([PARIS]) }).say(
        "meteo_previsions",
        late,
        { lieu: "Paris", quand },
      );
    const model = "à Paris, selon le modèle d'Open-Meteo";
    expect(await paris("aujourd'hui")).toContain(`Dimanche ${model} : nuageux. `);
    expect(await paris("demain")).toContain(`Lundi ${model} : nuageux. `);
    expect(await paris("après-demain")).toContain(`Mardi ${model} : nuageux. `);
    expect(await paris("cette nuit")).toContain(`Dans la nuit de samedi à dimanche ${model} : nuageux. `);
    expect(await paris("ce soir")).toContain(`Dimanche soir et durant la nuit ${model} : nuageux. `);
    expect(await paris("cet après-midi")).toContain(`Dimanche après-midi ${model} : nuageux, entre 12 et 17 degrés.`);
    expect(await paris("à 15 heures")).toContain(`Dimanche à 15 heures, heure locale, ${model} : nuageux, 15 degrés.`);
    expect(await paris()).toMatch(
      /^Dans la nuit de samedi à dimanche à Paris, .* Dimanche : nuageux; maximum de 17 degrés\.$/,
    );
    // Sunday 0:30 in Montréal, Saturday 21:30 in Vancouver.
    const early = clock("2026-11-29 00:30");
    const vancouver = (quand?: string) =>
      new Source({
        [PAGE("bc-74")]: calendarPage(early, { id: "bc-74", zone: "America/Vancouver" }),
        [ALERTS]: alerts([]),
      }).say("meteo_previsions", early, { lieu: "Vancouver", quand });
    const night = "Samedi soir et durant la nuit à Vancouver : dégagé";
    for (const quand of ["aujourd'hui", "ce soir", "cette nuit"]) {
      expect(await vancouver(quand)).toBe(`${night}. Minimum de moins 28 degrés.`);
    }
    expect(await vancouver()).toBe(
      `${night}. Minimum de moins 28 degrés. Dimanche : ensoleillé; maximum de 29 degrés.`,
    );
    expect(await vancouver("demain")).toBe("Dimanche à Vancouver : ensoleillé. Maximum de 29 degrés.");
    expect(await vancouver("à 23 heures")).toContain("Samedi à 23 heures, heure locale, à Vancouver : ");
  });

  it("ends « d'ici demain matin » on a weekday where it is another day than in Montréal", async () => {
    // Sunday 0:30 in Montréal, Saturday 21:30 in Vancouver.
    const at = clock("2026-11-29 00:30");
    const page = calendarPage(at, { id: "bc-74", zone: "America/Vancouver" });
    const source = new Source({ [PAGE("bc-74")]: page, [ALERTS]: alerts([]) });
    expect(await source.say("meteo_previsions", at, { lieu: "Vancouver", quand: "d'ici demain matin" })).toMatch(
      /^D'ici midi dimanche, heure locale, à Vancouver : /,
    );
  });

  it("follows the clock of a place abroad, whose times say no zone (case 22)", async () => {
    const hours = ({ day, hour }: { day: string; hour: number }) => ({
      temperature: hour,
      code: day.endsWith("26") ? 0 : 3,
    });
    // 17:30 in Montréal, 23:30 in Paris.
    const at = "2026-11-25T22:30:00Z";
    const paris = (quand: string) =>
      new Source({ [MODEL]: openMeteo({ at, ...PARIS, hours }), [WORLD_NAMES]: geocoder([PARIS]) }).say(
        "meteo_previsions",
        at,
        {
          lieu: "Paris",
          quand,
        },
      );
    expect(await paris("demain")).toContain("Demain, jeudi, à Paris, selon le modèle d'Open-Meteo : ensoleillé. ");
    expect(await paris("à 15 heures")).toContain(
      "Demain à 15 heures, heure locale, à Paris, selon le modèle d'Open-Meteo : ensoleillé, 15 degrés.",
    );
  });

  it("case 22: the model's hour that a March night skips isn't told, and the others keep theirs", async () => {
    const at = "2026-03-08T06:30:00Z";
    const hours = ({ hour }: { hour: number }) => ({ temperature: hour, code: 3 });
    const model = (quand: string) =>
      new Source({
        [PAGE("qc-147")]: badGateway,
        [MODEL]: openMeteo({ at, zone: "America/Toronto", hours }),
        [ALERTS]: alerts([]),
      }).say("meteo_previsions", at, { quand });
    expect(await model("à 2 heures")).toContain("À 3 heures à Montréal");
    expect(await model("à 2 heures")).toContain("nuageux, 3 degrés");
    expect(await model("à 15 heures")).toContain("nuageux, 15 degrés");
  });

  it("case 14: an hour at 20:00 UTC in July is 16 hours in Montréal", async () => {
    const at = "2026-07-17T16:10:00Z";
    const page = citypage({
      updated: at,
      issued: "2026-07-17T15:00:00Z",
      hours: [
        {
          at: "2026-07-17T20:00:00Z",
          condition: "Averses",
          temperature: 24,
          lop: 90,
          wind: { speed: 10, direction: "S" },
        },
      ],
    });
    expect(await forecast(page, at, "à 16 heures")).toContain("À 16 heures à Montréal : averses, 24 degrés.");
  });
});

describe("the hours that are known", () => {
  const flurries = (told: (index: number) => [condition: string, temperature: number, lop: number]) =>
    winterPage({
      hours: (index) => {
        const [condition, temperature, lop] = told(index);
        return { condition, temperature, lop, wind: { speed: 30, direction: "NE" } };
      },
    });
  const WIND = "Vents du nord-est à 30 kilomètres à l'heure.";

  it("are told with the chance first, and not again by the sky that it is of", async () => {
    const page = flurries((index) =>
      index < 3 ? ["Nuageux", -7, 10] : index < 5 ? ["Possibilité d'averses de neige", -7, 60] : ["Neige", -7, 90],
    );
    expect(await forecast(page, WINTER, "à vingt et une heures")).toBe(
      `À vingt et une heures à Montréal : 60 pour cent de probabilité d'averses de neige, moins 7 degrés. ${WIND}`,
    );
    expect(await forecast(page, WINTER, "d'ici 23 heures")).toBe(
      `D'ici 23 heures à Montréal : 60 pour cent de probabilité d'averses de neige, nuageux, moins 7 degrés. ${WIND}`,
    );
    // What is sure has no number: the sky says it.
    expect(await forecast(page, WINTER, "à 23 heures")).toBe(`À 23 heures à Montréal : neige, moins 7 degrés. ${WIND}`);
  });

  it("say one degree for a range of one, and both ends of a wider one", async () => {
    const between = (low: number, high: number) =>
      forecast(
        flurries((index) => ["Nuageux", index === 0 ? low : high, 0]),
        WINTER,
        "d'ici 22 heures",
      );
    expect(await between(-9, -8)).toContain(" : nuageux, environ moins 8 degrés. ");
    expect(await between(-1, 0)).toContain(" : nuageux, environ zéro degré. ");
    expect(await between(-8, -8)).toContain(" : nuageux, moins 8 degrés. ");
    expect(await between(-10, -8)).toContain(" : nuageux, entre moins 10 et moins 8 degrés. ");
  });
});

describe("a week", () => {
  it("tells the night by its minimum only, and by its sky when something falls", async () => {
    expect(await forecast(summerPage(), SUMMER, "trois jours", 4)).toBe(
      "Voici les prochains jours à Montréal. " +
        "Aujourd'hui : alternance de soleil et de nuages avec 40 pour cent de probabilité d'averses tard cet après-midi, 29 degrés; " +
        "ce soir et cette nuit, nuageux avec 40 pour cent de probabilité d'averses en soirée; passages nuageux par la suite, 19 degrés. " +
        "Demain, mercredi : averses; quantité prévue de 10 à 20 millimètres de pluie, 23 degrés; 14 la nuit. " +
        "Après-demain, jeudi : ensoleillé, 25 degrés; 15 la nuit.",
    );
    expect(await forecast(summerPage(), SUMMER, "la fin de semaine")).toBe(
      "Voici la fin de semaine à Montréal. " +
        "Samedi : nuageux avec 60 pour cent de probabilité d'averses et risque d'un orage, 26 degrés; " +
        "le soir et la nuit, nuageux avec 30 pour cent de probabilité d'averses, 18 degrés. " +
        "Dimanche : alternance de soleil et de nuages, 26 degrés; 16 la nuit.",
    );
  });

  it("past midnight, tells the coming night from the one under way", async () => {
    const at = clock("2026-11-26 00:10");
    const page = edit(calendarPage(at), {
      "forecastGroup.forecasts.2.textSummary": { fr: "Neige. Minimum moins 26.", en: "[…]" },
    });
    expect(await forecast(page, at, "trois jours", 4)).toContain(
      " Aujourd'hui : ensoleillé, 26 degrés; ce soir et la nuit prochaine, neige, moins 26 degrés. ",
    );
  });

  it("by the model, says at the end why the model speaks", async () => {
    const hours = () => ({ temperature: 20, code: 3 });
    for (const [page, why] of [
      [badGateway, /[.;] Environnement Canada ne répond pas en ce moment\.$/],
      [mutate(summerPage(), "a document of 4 hours ago"), /[.;] [Ll]a page d'Environnement Canada n'est pas à jour\.$/],
    ] as const) {
      const model = openMeteo({ at: SUMMER, zone: "America/Toronto", hours });
      const source = new Source({ [PAGE("qc-147")]: page, [ALERTS]: alerts([]), [MODEL]: model });
      const said = await source.say("meteo_previsions", SUMMER, { quand: "la fin de semaine" }, {}, 4);
      expect(said).toMatch(/^Voici la fin de semaine à Montréal, selon le modèle d'Open-Meteo\. Samedi : /);
      expect(said).toMatch(why);
    }
  });
});

describe("what is left of today", () => {
  it.each([
    [
      "2026-11-25 16:10",
      "D'ici 18 heures à Montréal : nuageux, 17 degrés. Ce soir et cette nuit : dégagé; minimum de moins 25 degrés.",
    ],
    ["2026-11-25 19:10", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["2026-11-25 23:50", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
  ])("at %s, is told from the hours, then the night, never tomorrow's maximum", async (at, said) => {
    expect(await ask(clock(at), "aujourd'hui")).toBe(said);
    expect(await ask(clock(at), "mercredi")).toBe(said);
  });

  it("is the night alone when the hours are missing", async () => {
    const at = clock("2026-11-25 16:10");
    expect(await ask(at, "aujourd'hui", 3, { hours: null })).toBe(
      "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés.",
    );
  });
});

describe("the official sentences", () => {
  it("tells today and tonight when no moment is said", async () => {
    expect(await forecast(summerPage(), SUMMER)).toBe(
      "Aujourd'hui à Montréal : alternance de soleil et de nuages avec 40 pour cent de probabilité d'averses tard cet après-midi. " +
        "Vents du sud-ouest de 20 kilomètres à l'heure, avec des rafales à 40; maximum de 29 degrés; humidex de 36; indice U V de 8, très élevé. " +
        "Ce soir et cette nuit : nuageux avec 40 pour cent de probabilité d'averses en soirée; passages nuageux par la suite; minimum de 19 degrés.",
    );
  });

  it("cases 20, 53 and 56: keeps the range of an amount, says « moins », and « kilomètres à l'heure »", async () => {
    expect(await forecast(winterPage(), WINTER, "demain")).toBe(
      "Demain, vendredi, à Montréal : neige cessant tard en après-midi puis nuageux; accumulation de 10 à 15 centimètres; poudrerie par endroits. " +
        "Vents du nord-est de 30 kilomètres à l'heure, avec des rafales à 50. Maximum de moins 4 degrés; température ressentie de moins 15.",
    );
  });

  it("case 15: adds no probability to a text that has none", async () => {
    const page = (text: string) =>
      edit(summerPage(), { "forecastGroup.forecasts.2.textSummary": { fr: text, en: "[…]" } });
    expect(await forecast(page("Averses. Maximum 12."), SUMMER, "demain")).toContain("à Montréal : averses. ");
    for (const text of ["Averses. Maximum 12.", "Ensoleillé. Maximum 12."]) {
      expect(await forecast(page(text), SUMMER, "demain")).not.toMatch(/pour cent|probabilit/);
    }
  });

  it("case 19: a falling temperature is said as it is written, and isn't a maximum", async () => {
    const fr = "Nuageux. Températures à la baisse pour atteindre moins 2 cet après-midi.";
    const page = edit(summerPage(), {
      "forecastGroup.forecasts.0.textSummary": { fr, en: "[…]" },
      "forecastGroup.forecasts.0.temperatures": undefined,
      "forecastGroup.forecasts.0.winds": undefined,
    });
    const first =
      "Aujourd'hui à Montréal : nuageux. Températures à la baisse pour atteindre moins 2 degrés cet après-midi.";
    expect(await forecast(page, SUMMER, "aujourd'hui")).toBe(first);
    for (const quand of [undefined, "sept jours", "aujourd'hui"]) {
      expect((await forecast(page, SUMMER, quand, 8)).split("Ce soir")[0]).not.toMatch(/Aujourd'hui[^.]*maximum/i);
    }
  });

  it.each([
    ["Vents du nord de 30 km/h.", "vents du nord de 30 kilomètres à l'heure."],
    ["Maximum 12.", "maximum de 12 degrés."],
    ["Venteux. Maximum plus 4.", "maximum de 4 degrés. Venteux."],
    ["Indice UV de 8 ou très élevé.", "indice U V de 8, très élevé."],
  ])("tells a half-day that has only « %s »", async (fr, said) => {
    const page = edit(summerPage(), {
      "forecastGroup.forecasts.0.textSummary": { fr, en: "[…]" },
      "forecastGroup.forecasts.0.winds": undefined,
    });
    expect(await forecast(page, SUMMER, "aujourd'hui")).toBe(`Aujourd'hui à Montréal : ${said}`);
    expect(await forecast(page, SUMMER, "sept jours", 8)).toContain("Aujourd'hui : ");
    await forecast(page, SUMMER);
  });

  it("cases 55 and 54: spells the units and the decimals of a text", async () => {
    const fr = "Ensoleillé. Vents jusqu'à 30 km/h. Maximum 18,8 °C. Humidité de 40 %.";
    const page = edit(summerPage(), { "forecastGroup.forecasts.0.textSummary": { fr, en: "[…]" } });
    const said = await forecast(page, SUMMER, "aujourd'hui");
    expect(said).toContain("Vents allant jusqu'à 30 kilomètres à l'heure.");
    expect(said).toContain("40 pour cent");
    expect(said).toContain("18 virgule 8 degrés");
  });

  it("never speaks the English of a half-day that has no French", async () => {
    const page = edit(summerPage(), {
      "forecastGroup.forecasts.0.textSummary": { en: "Sunny." },
      "forecastGroup.forecasts.0.cloudPrecip": { en: "Sunny." },
    });
    expect(await forecast(page, SUMMER)).toContain("Ce soir et cette nuit à Montréal : nuageux");
  });
});

describe("what is missing", () => {
  it.each(["no forecast", "no half-day", "no list of half-days"] as const)(
    "says that there is %s, then what is known",
    async (name) => {
      for (const quand of [undefined, "demain", "ce soir", "la fin de semaine", "sept jours"]) {
        expect(await forecast(mutate(summerPage(), name), SUMMER, quand)).toBe(
          "Les prévisions ne sont pas disponibles à Montréal en ce moment. À Montréal, il fait 23 degrés, humidex de 29, sous un ciel partiellement nuageux; vents du sud-ouest à 11 kilomètres à l'heure.",
        );
      }
    },
  );

  it.each(["no hours", "an empty list of hours"] as const)(
    "with %s, tells the half-day and that the hour isn't known",
    async (name) => {
      const page = mutate(summerPage(), name);
      expect(await forecast(page, SUMMER, "à 15 heures")).toMatch(
        /^Aujourd'hui à Montréal : .* L'heure précise n'est pas disponible\.$/,
      );
      expect(await forecast(page, SUMMER, "d'ici 3 heures")).toMatch(/^Aujourd'hui à Montréal : /);
      expect(await forecast(page, SUMMER, "cet après-midi")).toMatch(/^Aujourd'hui à Montréal : /);
    },
  );

  it("doesn't tell an hour that has neither sky nor temperature", async () => {
    const page = edit(summerPage(), {
      "hourlyForecastGroup.hourlyForecasts.*.condition": undefined,
      "hourlyForecastGroup.hourlyForecasts.*.temperature": undefined,
    });
    expect(await forecast(page, SUMMER, "à 15 heures")).toMatch(/L'heure précise n'est pas disponible\.$/);
  });

  it("doesn't tell a week-end that the page doesn't have", async () => {
    const page = edit(summerPage(), {
      "forecastGroup.forecasts": (all: unknown[]) => all.slice(0, 4).concat(all.slice(12)),
    });
    expect(await forecast(page, SUMMER, "vendredi")).toContain("les prévisions ne sont pas disponibles en ce moment.");
  });
});

describe("an alert", () => {
  const snow = alert({ published: "2026-02-12T20:00:00Z", ends: "2026-02-14T02:00:00Z" });
  const warned = (quand?: string, sentences = 3) =>
    new Source({ [PAGE("qc-147")]: winterPage(), [ALERTS]: alerts([snow]) }).say(
      "meteo_previsions",
      WINTER,
      { quand },
      {},
      sentences,
    );

  it("is said first, and the whole stays within three sentences", async () => {
    for (const quand of [
      undefined,
      "demain",
      "ce soir",
      "à 21 heures",
      "cette nuit",
      "aujourd'hui",
      "lundi à 8 heures",
    ]) {
      expect(await warned(quand)).toMatch(
        /^Un avertissement jaune de neige est en vigueur pour l'île de Montréal, jusqu'à demain soir\. /,
      );
    }
    expect(await warned("la fin de semaine", 4)).toMatch(
      /^Un avertissement jaune de neige .*\. Voici la fin de semaine/,
    );
  });

  it("isn't mentioned when it couldn't be checked", async () => {
    const failing = new Source({ [PAGE("qc-147")]: winterPage(), [ALERTS]: badGateway });
    expect(await failing.say("meteo_previsions", WINTER, { quand: "demain" })).toBe(
      await forecast(winterPage(), WINTER, "demain"),
    );
  });
});
