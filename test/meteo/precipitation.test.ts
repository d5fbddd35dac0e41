// « Va-t-il pleuvoir ? Combien de neige ? »: yes, no or perhaps first, then when, then how much.
import { describe, expect, it } from "vitest";
import { alert, alerts, citypage, edit, mutate, SUMMER, summerPage, WINTER, winterPage } from "./payloads.ts";
import { ALERTS, PAGE, Source } from "./source.ts";

const HALVES = "forecastGroup.forecasts";
const HOURS = "hourlyForecastGroup.hourlyForecasts";
const source = (page: object, ...inForce: Record<string, unknown>[]) =>
  new Source({ [PAGE("qc-147")]: page, [ALERTS]: alerts(inForce) });
const ask = (page: object, quand?: string, at = SUMMER, env: object = {}) =>
  source(page).say("meteo_precipitations", at, { quand }, env);

/** So many hours of the same, by the hour since midnight: 26 is 2 in the night. */
function from(start: number, end: number, condition: string, lop: number | null = 90) {
  return Array.from({ length: end - start }, (_, index) => ({ hour: start + index, condition, lop }));
}

/** Montréal, the Tuesday of August at 8:10, cloudy and dry but in the hours that are told, from 9 on. */
function hourly(told: ReturnType<typeof from>, temperature = 15, more: Parameters<typeof summerPage>[0] = {}) {
  const page = summerPage({
    hours: (index) => {
      const found = told.findLast(({ hour }) => hour === index + 9);
      return { condition: found?.condition ?? "Nuageux", temperature, lop: found?.lop ?? 0 };
    },
    ...more,
  });
  const unknown = told.filter(({ lop }) => lop === null);
  return edit(
    page,
    Object.fromEntries(unknown.map(({ hour }) => [`${HOURS}.${hour - 9}.lop.value`, { en: null, fr: null }])),
  );
}

/** The summer page, where the text of a half-day is another: 0 is today, 1 tonight, 2 tomorrow, 4 Thursday, 5 its night. */
function texts(said: Record<number, string>) {
  return edit(
    summerPage(),
    Object.fromEntries(
      Object.entries(said).map(([index, fr]) => [`${HALVES}.${index}.textSummary`, { fr, en: "[not French]" }]),
    ),
  );
}

describe("yes, no or perhaps, by the likelihood of each hour", () => {
  it.each([
    [0, "Non, pas de pluie prévue cet après-midi à Montréal; il fera environ 15 degrés."],
    [10, "Non, c'est peu probable cet après-midi à Montréal; il fera environ 15 degrés."],
    [20, "Non, c'est peu probable cet après-midi à Montréal; il fera environ 15 degrés."],
  ])("says « non » at %i", async (lop, expected) => {
    const said = await ask(hourly(from(12, 18, "Nuageux", lop)), "cet après-midi");
    expect(said).toBe(`${expected} Demain, mercredi, des averses sont prévues.`);
  });

  it.each([
    [30, "Peut-être : 30 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 14 heures."],
    [40, "Peut-être : 40 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 14 heures."],
    [50, "Peut-être : 50 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 14 heures."],
    [60, "Probablement : 60 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 14 heures."],
    [70, "Probablement : 70 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 14 heures."],
  ])("says the number at %i", async (lop, expected) => {
    expect(await ask(hourly(from(14, 18, "Possibilité d'averses", lop)), "cet après-midi")).toBe(expected);
  });

  it.each([80, 90, 100])("says « oui » without a number at %i", async (lop) => {
    const said = await ask(hourly(from(14, 18, "Averses", lop)), "cet après-midi");
    expect(said).toBe("Oui, des averses sont prévues cet après-midi à Montréal, à partir de 14 heures.");
  });

  it("trusts a condition that states rain beside a likelihood of zero", async () => {
    const said = await ask(hourly(from(14, 18, "Pluie", 0)), "cet après-midi");
    expect(said).toBe("Oui, de la pluie est prévue cet après-midi à Montréal, à partir de 14 heures.");
    const everywhere = await ask(mutate(summerPage(), "rain at a flat zero"));
    expect(everywhere).toMatch(/^Oui, de la pluie est prévue d'ici demain matin à Montréal/);
  });

  it("trusts a condition that states rain beside no likelihood at all", async () => {
    const said = await ask(hourly(from(14, 18, "Pluie", null)), "cet après-midi");
    expect(said).toBe("Oui, de la pluie est prévue cet après-midi à Montréal, à partir de 14 heures.");
  });

  it.each([null, 0])("says « peut-être » without a number for a possibility with a likelihood of %s", async (lop) => {
    const said = await ask(hourly(from(14, 18, "Possibilité d'averses", lop)), "cet après-midi");
    expect(said).toBe("Peut-être : possibilité d'averses cet après-midi à Montréal, à partir de 14 heures.");
    const later = await ask(hourly(from(14, 18, "Possibilité d'averses", lop)), "ce matin");
    expect(later).toContain("Cet après-midi, possibilité d'averses.");
  });

  it("takes no hour without a sky or a likelihood for a dry one: the official text answers", async () => {
    const page = hourly(from(9, 33, "Nuageux", 0));
    const unknown = Object.fromEntries(
      [5, 6].flatMap((index) => ["condition", "lop"].map((key) => [`${HOURS}.${index}.${key}`, undefined])),
    );
    expect(await ask(edit(page, unknown), "cet après-midi")).toMatch(
      /^Peut-être, cet après-midi à Montréal : alternance de soleil et de nuages avec 40 pour cent/,
    );
    const missing = edit(page, { [HOURS]: (hours: unknown[]) => hours.filter((_, index) => index < 4 || index > 6) });
    expect(await ask(missing, "cet après-midi")).toMatch(/^Peut-être, cet après-midi à Montréal : /);
  });
});
