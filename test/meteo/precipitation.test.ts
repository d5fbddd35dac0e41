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
    [10, "Non, la pluie est peu probable cet après-midi à Montréal; il fera environ 15 degrés."],
    [20, "Non, la pluie est peu probable cet après-midi à Montréal; il fera environ 15 degrés."],
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

  it.each([
    [-3, "la neige est peu probable"],
    [3, "les précipitations sont peu probables"],
  ])("names what is unlikely at %i degrees", async (degrees, expected) => {
    const said = await ask(hourly(from(12, 18, "Nuageux", 20), degrees), "cet après-midi");
    expect(said).toMatch(new RegExp(`^Non, ${expected} cet après-midi à Montréal; il fera environ `));
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
      /^Peut-être, cet après-midi à Montréal : 40 pour cent de probabilité d'averses tard cet après-midi\.$/,
    );
    const missing = edit(page, { [HOURS]: (hours: unknown[]) => hours.filter((_, index) => index < 4 || index > 6) });
    expect(await ask(missing, "cet après-midi")).toMatch(/^Peut-être, cet après-midi à Montréal : /);
  });
});

describe("yes, no or perhaps, where the hours don't know", () => {
  it.each([
    ["without a likelihood", undefined],
    ["with a likelihood that is null", null],
    ["with a null value", { en: null, fr: null }],
    ["with an empty value", { en: "", fr: "" }],
    ["with a mistake", { en: 999, fr: 999 }],
  ])("takes no hour %s under a dry sky for a « non »: the official text answers", async (_, lop) => {
    const unknown = edit(
      hourly([]),
      lop == null ? { [`${HOURS}.*.lop`]: lop } : { [`${HOURS}.*.lop`]: { units: {}, value: lop } },
    );
    expect(await ask(unknown, "cet après-midi")).toBe(
      "Peut-être, cet après-midi à Montréal : 40 pour cent de probabilité d'averses tard cet après-midi.",
    );
    expect(await ask(unknown, "demain matin")).toMatch(/^Oui, demain matin à Montréal : averses\./);
    expect(await ask(unknown)).toMatch(/^Peut-être, d'ici demain matin à Montréal : /);
  });

  const dry = { 0: "Ensoleillé.", 1: "Dégagé.", 2: "Ensoleillé.", 3: "Dégagé." };
  /** The page whose hours are all dry, at zero, while a text says more. */
  const dryHours = (said: Record<number, string>) =>
    edit(texts({ ...dry, ...said }), {
      [`${HOURS}.*.lop.value`]: { en: 0, fr: 0 },
      [`${HOURS}.*.condition`]: { en: "Cloudy", fr: "Nuageux" },
    });

  it.each([undefined, "ce soir", "aujourd'hui", "à 20 heures"])(
    "says « peut-être » of a risk that only the text tells: %s",
    async (quand) => {
      const page = dryHours({ 1: "Nuageux. Risque de bruine verglaçante ce soir. Minimum moins 2." });
      expect(await ask(page, quand)).toMatch(/^Peut-être, .*risque de bruine verglaçante ce soir\./);
    },
  );

  it.each([
    [undefined, 1],
    ["ce soir", 1],
    ["cette nuit", 1],
    ["demain matin", 2],
    ["demain", 2],
  ])("doesn't let hours at zero deny a text that is sure over a half-day to come: %s", async (quand, index) => {
    const page = dryHours({ [index]: "Neige. Accumulation de 5 à 10 cm. Minimum moins 3." });
    const said = await ask(page, quand);
    expect(said).toMatch(/^Oui, .*neige/);
    expect(said).toContain("n annonce de 5 à 10 centimètres de neige");
  });

  it.each([79.6, 75.2])("says a likelihood of %s as the tens it is near", async (lop) => {
    const page = edit(hourly(from(12, 18, "Averses")), { [`${HOURS}.*.lop.value`]: { en: lop, fr: lop } });
    expect(await ask(page, "cet après-midi")).toBe("Oui, des averses sont prévues cet après-midi à Montréal.");
  });
});

describe("two moments in one question", () => {
  // The half-days of the page: 0 is today, 1 tonight, 2 tomorrow Wednesday, 8 Saturday, 12 Monday.
  it.each([
    ["ce soir ou demain", [1, 2, 3]],
    ["ce soir et demain", [1, 2, 3]],
    ["ce soir pis demain matin", [1, 2]],
    ["cette nuit ou demain matin", [1, 2]],
    ["demain soir et après-demain", [3, 4, 5]],
    ["cet après-midi et ce soir", [0, 1]],
    ["ce matin et cet après-midi", [0]],
    ["demain matin et demain soir", [2, 3]],
    ["samedi soir et dimanche", [9, 10, 11]],
    ["vendredi-samedi", [6, 7, 8, 9]],
    ["lundi-mardi", [12]],
  ])("is answered for both and for no other half-day: %s", async (quand, covered) => {
    const all = Array.from({ length: 13 }, (_, index) => index);
    for (const wet of all) {
      const said = Object.fromEntries(all.map((index) => [index, index === wet ? "Averses." : "Ensoleillé."]));
      const answer = await ask(edit(texts(said), { hourlyForecastGroup: undefined }), quand);
      expect({ quand, wet, isYes: /^Oui, /.test(answer), answer }).toMatchObject({ isYes: covered.includes(wet) });
    }
  });
});

describe("on one side of an hour", () => {
  it.each([
    ["avant minuit", [16, 19, 23], [24, 26]],
    ["après 17 heures", [17, 23], [16]],
    ["à partir de 18 heures", [18, 23], [17]],
    ["demain avant 8 heures", [25, 31], [23, 32]],
    ["avant demain", [16, 23], [25]],
  ])("reads « %s » as an interval", async (quand, inside, outside) => {
    for (const hour of [...inside, ...outside]) {
      const page = edit(hourly(from(hour, hour + 1, "Pluie")), {
        [`${HALVES}.*.textSummary`]: { fr: "Ensoleillé.", en: "Sunny." },
      });
      const said = await ask(page, quand);
      expect({ quand, hour, isYes: /^Oui, /.test(said), said }).toMatchObject({ isYes: inside.includes(hour) });
    }
  });
});

describe("what falls, by its name", () => {
  it("names the rain, then the snow that it turns to", async () => {
    const said = await ask(hourly([...from(14, 18, "Pluie"), ...from(18, 22, "Neige")], 1));
    expect(said).toBe(
      "Oui, on prévoit de la pluie, puis de la neige d'ici demain matin à Montréal, entre 14 et 22 heures.",
    );
  });

  it("never hides two hours of freezing rain behind six of rain", async () => {
    const said = await ask(hourly([...from(10, 16, "Pluie"), ...from(16, 18, "Pluie verglaçante")], 0), "aujourd'hui");
    expect(said).toBe(
      "Oui, on prévoit de la pluie, puis de la pluie verglaçante aujourd'hui à Montréal, entre 10 et 18 heures.",
    );
  });

  it("says both when they alternate, and one when only its strength changes", async () => {
    const turns = [...from(12, 14, "Neige"), ...from(14, 16, "Pluie"), ...from(16, 18, "Neige")];
    expect(await ask(hourly(turns, 1), "cet après-midi")).toBe(
      "Oui, on prévoit de la neige et de la pluie cet après-midi à Montréal.",
    );
    const stronger = [
      ...from(12, 13, "Neige faible", 60),
      ...from(13, 17, "Neige", 70),
      ...from(17, 18, "Neige forte", 60),
    ];
    expect(await ask(hourly(stronger, -3), "cet après-midi")).toBe(
      "Probablement : 70 pour cent de probabilité de neige cet après-midi à Montréal.",
    );
  });

  it.each([
    ["Averses de neige", 90, "Oui, des averses de neige sont prévues"],
    ["Pluie ou neige", 90, "Oui, on prévoit de la pluie ou de la neige"],
    ["Bruine verglaçante", 90, "Oui, de la bruine verglaçante est prévue"],
    ["Grésil", 90, "Oui, du grésil est prévu"],
    ["Neige et poudrerie élevée", 90, "Oui, de la neige est prévue"],
    ["Neige fondante", 90, "Oui, de la neige fondante est prévue"],
    ["Précipitation inconnue", 90, "Oui, des précipitations sont prévues"],
    ["Nuageux", 90, "Oui, des précipitations sont prévues"],
    ["Possibilité de pluie ou de neige", 60, "Probablement : 60 pour cent de probabilité de pluie ou de neige"],
    ["Averses ou orages", 60, "Probablement : 60 pour cent de probabilité d'averses ou d'orages"],
    ["Possibilité d'averses et risque d'orages", 40, "Peut-être : 40 pour cent de probabilité d'averses et d'orages"],
    ["Possibilité de pluie verglaçante", 30, "Peut-être : 30 pour cent de probabilité de pluie verglaçante"],
  ])("names %s at %i", async (condition, lop, expected) => {
    const said = await ask(hourly(from(12, 18, condition, lop), 0), "cet après-midi");
    expect(said).toBe(`${expected} cet après-midi à Montréal.`);
  });

  it.each(["Poudrerie élevée", "Brouillard givrant", "Brume", "Fumée", "Brumeux"])(
    "takes %s for a dry sky",
    async (sky) => {
      const said = await ask(hourly(from(12, 18, sky, 0), -5), "cet après-midi");
      expect(said).toMatch(/^Non, on ne prévoit ni pluie ni neige cet après-midi à Montréal/);
    },
  );

  it("says no rain when it is mild, and neither rain nor snow when it may be either", async () => {
    expect(await ask(hourly([], 15), "cet après-midi")).toMatch(/^Non, pas de pluie prévue cet après-midi à Montréal/);
    expect(await ask(hourly([], 3), "cet après-midi")).toMatch(
      /^Non, on ne prévoit ni pluie ni neige cet après-midi à Montréal; il fera environ 3 degrés/,
    );
  });
});

describe("when it falls", () => {
  it.each([
    [14, 17, "entre 14 et 17 heures"],
    [9, 12, "entre 9 heures et midi"],
    [12, 15, "entre midi et 15 heures"],
    [21, 23, "entre vingt et une heures et 23 heures"],
    [19, 21, "entre 19 et vingt et une heures"],
    [22, 24, "entre 22 heures et minuit"],
    [23, 25, "entre 23 heures et une heure du matin"],
    [24, 26, "entre minuit et 2 heures"],
    [25, 28, "entre une heure et 4 heures"],
    [15, 16, "vers 15 heures"],
    [12, 13, "vers midi"],
    [24, 25, "vers minuit"],
    [16, 30, "à partir de 16 heures"],
    [25, 30, "à partir d'une heure"],
  ])("from %i to %i: « %s »", async (start, end, expected) => {
    const said = await ask(hourly(from(start, end, "Pluie")));
    expect(said).toBe(`Oui, de la pluie est prévue d'ici demain matin à Montréal, ${expected}.`);
  });

  it("says until when, and nothing of the hour when it is all along", async () => {
    expect(await ask(hourly(from(12, 16, "Pluie")), "cet après-midi")).toBe(
      "Oui, de la pluie est prévue cet après-midi à Montréal, jusqu'à 16 heures.",
    );
    expect(await ask(hourly(from(12, 18, "Pluie")), "cet après-midi")).toBe(
      "Oui, de la pluie est prévue cet après-midi à Montréal.",
    );
  });

  it("says two spells, and « par moments » beyond", async () => {
    const two = [...from(10, 12, "Averses", 60), ...from(15, 17, "Averses", 60)];
    expect(await ask(hourly(two), "aujourd'hui")).toBe(
      "Probablement : 60 pour cent de probabilité d'averses aujourd'hui à Montréal, entre 10 heures et midi, puis entre 15 et 17 heures.",
    );
    const three = [...from(10, 11, "Averses", 60), ...from(14, 15, "Averses", 60), ...from(19, 20, "Averses", 60)];
    expect(await ask(hourly(three), "aujourd'hui")).toBe(
      "Probablement : 60 pour cent de probabilité d'averses aujourd'hui à Montréal, par moments.",
    );
  });

  it("says the hours that are as sure as the answer, and what may fall before them", async () => {
    const page = (sky: string, lop: number) => hourly([...from(12, 16, sky, lop), ...from(16, 18, "Pluie", 90)]);
    expect(await ask(page("Possibilité d'averses", 60), "cet après-midi")).toBe(
      "Oui, de la pluie est prévue cet après-midi à Montréal, à partir de 16 heures; avant ça, 60 pour cent de probabilité d'averses.",
    );
    expect(await ask(page("Possibilité d'averses", 0), "cet après-midi")).toBe(
      "Oui, de la pluie est prévue cet après-midi à Montréal, à partir de 16 heures; avant ça, possibilité d'averses.",
    );
    expect(await ask(page("Nuageux", 20), "cet après-midi")).toBe(
      "Oui, de la pluie est prévue cet après-midi à Montréal, à partir de 16 heures.",
    );
    const likely = hourly([...from(12, 16, "Possibilité d'averses", 40), ...from(16, 18, "Possibilité d'averses", 60)]);
    expect(await ask(likely, "cet après-midi")).toBe(
      "Probablement : 60 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 16 heures.",
    );
  });

  it("says what may fall after the sure hours too", async () => {
    const page = hourly([...from(12, 14, "Pluie", 90), ...from(14, 18, "Possibilité d'averses", 70)]);
    expect(await ask(page, "cet après-midi")).toBe(
      "Oui, de la pluie est prévue cet après-midi à Montréal, jusqu'à 14 heures; ensuite, 70 pour cent de probabilité d'averses.",
    );
  });

  it("answers for one hour without telling it twice", async () => {
    expect(await ask(hourly(from(14, 18, "Possibilité d'averses", 40)), "à 15 heures")).toBe(
      "Peut-être : 40 pour cent de probabilité d'averses à 15 heures à Montréal.",
    );
    expect(await ask(hourly(from(14, 18, "Possibilité d'averses", 40)), "à midi")).toBe(
      "Non, pas de pluie prévue à midi à Montréal; il fera environ 15 degrés. Cet après-midi, 40 pour cent de probabilité d'averses.",
    );
  });

  it.each([
    ["ce soir", "ce soir"],
    ["cette nuit", "cette nuit"],
    ["aujourd'hui", "aujourd'hui"],
    ["demain matin", "demain matin"],
  ])("names the moment that was asked: %s", async (quand, expected) => {
    const said = await ask(hourly([]), quand);
    expect(said).toMatch(new RegExp(`^(?:Non, pas de pluie prévue|Oui,) ?${expected} à Montréal`));
  });

  it("calls « aujourd'hui » « ce soir » from 18 hours on", async () => {
    const at = (updated: string) => hourly([], 15, { updated, issued: "2026-08-11T19:45:00Z", night: true });
    for (const quand of ["aujourd'hui", "mardi"]) {
      expect(await ask(at("2026-08-11T22:04:00Z"), quand, "2026-08-11T22:10:00Z")).toMatch(
        /^Non, pas de pluie prévue ce soir à Montréal; /,
      );
      expect(await ask(at("2026-08-11T21:04:00Z"), quand, "2026-08-11T21:50:00Z")).toMatch(
        /^Non, pas de pluie prévue aujourd'hui à Montréal; /,
      );
    }
  });

  it("past midnight, tells the coming night from the one under way", async () => {
    const page = summerPage({ updated: "2026-08-12T04:04:00Z", issued: "2026-08-11T19:45:00Z", night: true });
    const wet = edit(page, {
      [`${HALVES}.*.textSummary`]: { fr: "Ensoleillé.", en: "Sunny." },
      [`${HALVES}.2.textSummary`]: { fr: "Averses. Minimum 12.", en: "[not French]" },
      hourlyForecastGroup: undefined,
    });
    expect(await ask(wet, "cette nuit", "2026-08-12T04:10:00Z")).toMatch(/^Non, .* cette nuit à Montréal/);
    expect(await ask(wet, "la nuit prochaine", "2026-08-12T04:10:00Z")).toMatch(
      /^Oui, (?!cette nuit).*nuit.* à Montréal : averses\.$/,
    );
  });

  it("is about the end of the night when no moment is said, and past midnight about the day", async () => {
    expect(await ask(hourly([]))).toMatch(/^Non, pas de pluie prévue d'ici demain matin à Montréal/);
    const late = summerPage({ updated: "2026-08-12T05:04:00Z" });
    const said = await ask(late, undefined, "2026-08-12T05:10:00Z");
    expect(said).toMatch(/d'ici ce soir à Montréal/);
  });
});

describe("the next time that something may fall", () => {
  it("is the first spell that may be, not the surest", async () => {
    const two = [...from(14, 16, "Possibilité d'averses", 40), ...from(27, 30, "Pluie", 90)];
    expect(await ask(hourly(two), "ce matin")).toBe(
      "Non, pas de pluie prévue ce matin à Montréal; il fera environ 15 degrés. Cet après-midi, 40 pour cent de probabilité d'averses.",
    );
    expect(await ask(hourly(from(27, 30, "Pluie", 90)), "ce matin")).toMatch(
      / Vers 3 heures cette nuit, de la pluie est prévue\.$/,
    );
    expect(await ask(hourly(from(19, 22, "Orages", 70)), "cet après-midi")).toMatch(
      / Ce soir, 70 pour cent de probabilité d'orages\.$/,
    );
  });

  it("is told by its hour in the part of the day under way", async () => {
    const at = "2026-08-11T17:10:00Z";
    const afternoon = (start: number) =>
      summerPage({
        updated: "2026-08-11T17:04:00Z",
        issued: "2026-08-11T15:00:00Z",
        hours: (_, { hour }) => ({
          condition: hour === start ? "Possibilité d'averses" : "Nuageux",
          temperature: 15,
          lop: hour === start ? 40 : 0,
        }),
      });
    const dry = "Non, pas de pluie prévue à 14 heures à Montréal; il fera environ 15 degrés.";
    expect(await ask(afternoon(16), "à 14 heures", at)).toBe(
      `${dry} Vers 16 heures, 40 pour cent de probabilité d'averses.`,
    );
    expect(await ask(afternoon(19), "à 14 heures", at)).toBe(`${dry} Ce soir, 40 pour cent de probabilité d'averses.`);
  });

  it("isn't told more than 24 hours ahead after an hour or a part of a day, only after days or no moment", async () => {
    const dry = texts({ 0: "Ensoleillé.", 1: "Dégagé.", 2: "Ensoleillé." });
    const page = edit(dry, { hourlyForecastGroup: undefined });
    for (const quand of ["ce matin", "à 10 heures", "ce soir", "d'ici midi", "demain matin", "jeudi soir"]) {
      expect(await ask(page, quand)).toMatch(/^Non, pas de pluie prévue [^.]* à Montréal\.$/);
    }
    for (const quand of ["aujourd'hui", "jeudi", "trois jours", undefined]) {
      expect(await ask(page, quand)).toMatch(
        /^Non, pas de pluie prévue [^.]* à Montréal\. Samedi, 60 pour cent de probabilité d'averses\.$/,
      );
    }
  });

  it.each([
    ["demain matin", 2, "Averses débutant en après-midi.", "Demain, mercredi, averses débutant en après-midi."],
    [
      "demain matin",
      2,
      "Ennuagement en matinée. 40 pour cent de probabilité d'averses en après-midi avec risque d'un orage.",
      "Demain, mercredi, 40 pour cent de probabilité d'averses en après-midi avec risque d'un orage.",
    ],
    ["ce soir", 1, "Averses débutant après minuit.", "Ce soir et cette nuit, averses débutant après minuit."],
  ])(
    "after « %s », is told by the words of the half-day that goes on: %i, « %s »",
    async (quand, index, text, next) => {
      const page = texts({ 0: "Ensoleillé.", 1: "Dégagé.", 2: "Ensoleillé.", [index]: `${text} Maximum 20.` });
      expect(await ask(edit(page, { hourlyForecastGroup: undefined }), quand)).toBe(
        `Non, pas de pluie prévue ${quand} à Montréal. ${next}`,
      );
    },
  );

  it("comes from the official text beyond the known hours, with its day", async () => {
    const dry = { 0: "Ensoleillé.", 1: "Dégagé.", 2: "Ensoleillé." };
    const page = (said: Record<number, string>) => edit(texts({ ...dry, ...said }), { hourlyForecastGroup: undefined });
    expect(await ask(page({}))).toBe(
      "Non, pas de pluie prévue d'ici demain matin à Montréal. Samedi, 60 pour cent de probabilité d'averses.",
    );
    expect(await ask(page({ 3: "Averses. Minimum 12." }), "aujourd'hui")).toMatch(
      / Demain soir et durant la nuit, des averses sont prévues\.$/,
    );
    expect(await ask(page({ 4: "Ensoleillé avec risque d'un orage. Maximum 28." }), "demain")).toMatch(
      / Après-demain, jeudi, risque d'orage\.$/,
    );
  });

  it("is silent when nothing is forecast any more", async () => {
    const dry = edit(summerPage(), { [`${HALVES}.*.textSummary`]: { fr: "Ensoleillé.", en: "Sunny." } });
    expect(await ask(edit(dry, { hourlyForecastGroup: undefined }), "demain")).toMatch(
      /^Non, (?:pas de pluie prévue|on ne prévoit ni pluie ni neige) demain, mercredi, à Montréal\.$/,
    );
  });
});

describe("beyond the known hours, by the official text", () => {
  it.each([
    ["Ensoleillé. Maximum 24.", "Non, pas de pluie prévue après-demain, jeudi, à Montréal."],
    [
      "Nuageux avec 20 pour cent de probabilité d'averses. Maximum 24.",
      "Non, la pluie est peu probable après-demain, jeudi, à Montréal.",
    ],
    [
      "Nuageux avec 30 pour cent de probabilité d'averses. Maximum 24.",
      "Peut-être, après-demain, jeudi, à Montréal : 30 pour cent de probabilité d'averses.",
    ],
    [
      "Nuageux avec 50 pour cent de probabilité d'averses. Maximum 24.",
      "Peut-être, après-demain, jeudi, à Montréal : 50 pour cent de probabilité d'averses.",
    ],
    [
      "Ensoleillé avec risque d'un orage. Maximum 24.",
      "Peut-être, après-demain, jeudi, à Montréal : ensoleillé avec risque d'un orage.",
    ],
    [
      "Nuageux avec 70 pour cent de probabilité de pluie ou de neige. Maximum plus 3.",
      "Probablement, après-demain, jeudi, à Montréal : 70 pour cent de probabilité de pluie ou de neige. Aucune accumulation n'est annoncée.",
    ],
    [
      "Nuageux avec 100 pour cent de probabilité d'averses. Maximum 24.",
      "Oui, après-demain, jeudi, à Montréal : averses.",
    ],
    [
      "Pluie se changeant en neige en après-midi. Maximum plus 3.",
      "Oui, après-demain, jeudi, à Montréal : pluie se changeant en neige en après-midi. Aucune accumulation n'est annoncée.",
    ],
  ])("case 15: of « %s »", async (text, expected) => {
    const dry = { 4: text, 5: "Dégagé. Minimum 14.", 8: "Ensoleillé. Maximum 26.", 9: "Dégagé. Minimum 18." };
    expect(await ask(texts(dry), "jeudi")).toBe(expected);
  });

  it("says « suivi d'averses » of a chance that is as good as sure", async () => {
    const said = await ask(
      texts({ 4: "Nuageux suivi de 90 pour cent de probabilité d'averses en après-midi." }),
      "jeudi",
    );
    expect(said).toBe("Oui, après-demain, jeudi, à Montréal : nuageux suivi d'averses en après-midi.");
  });

  it("keeps the part of the day of a sky that has a chance", async () => {
    const said = await ask(
      texts({ 4: "Ensoleillé. Nuageux en après-midi avec 40 pour cent de probabilité d'averses.", 5: "Dégagé." }),
      "jeudi",
    );
    expect(said).toBe(
      "Peut-être, après-demain, jeudi, à Montréal : nuageux en après-midi avec 40 pour cent de probabilité d'averses.",
    );
  });

  it("goes on past the midnight of a day", async () => {
    for (const quand of ["mercredi", "demain"]) {
      const page = texts({ 2: "Ensoleillé.", 3: "Ennuagement. Pluie débutant après minuit. Minimum 12." });
      expect(await ask(page, quand)).toBe(
        "Oui, demain, mercredi, à Montréal : le soir et la nuit, pluie débutant après minuit.",
      );
    }
    const evening = texts({ 5: "Pluie débutant après minuit. Minimum 12." });
    expect(await ask(evening, "jeudi soir")).toMatch(/^Non, /);
    expect(await ask(evening, "vendredi")).toMatch(/^Non, /);
  });

  it("says that the hour isn't told when a whole day answers for a part of it", async () => {
    const page = edit(texts({ 2: "Averses." }), { hourlyForecastGroup: undefined });
    expect(await ask(page, "demain matin")).toBe("Oui, demain matin à Montréal : averses. L'heure n'est pas précisée.");
    const told = edit(texts({ 2: "Averses le matin." }), { hourlyForecastGroup: undefined });
    expect(await ask(told, "demain matin")).toBe("Oui, demain matin à Montréal : averses le matin.");
  });

  it("doesn't lose what falls before a sky that has a chance of its own", async () => {
    const text = "Averses cessant en matinée puis nuageux avec 40 pour cent de probabilité d'averses.";
    const page = texts({ 4: `${text} Maximum 12.`, 5: "Dégagé. Minimum 4." });
    expect(await ask(page, "jeudi")).toMatch(/^Oui, après-demain, jeudi, à Montréal : averses cessant en matinée/);
    const dry = { 0: "Ensoleillé. Maximum 25.", 1: "Dégagé. Minimum 14.", 2: "Ensoleillé. Maximum 25.", 3: "Dégagé." };
    const late = texts({ ...dry, 4: `${text} Maximum 12.`, 5: "Dégagé. Minimum 4." });
    expect(await ask(late, "trois jours")).toMatch(/ après-demain, jeudi, averses cessant en matinée/);
  });

  it("says neither rain nor snow for a cold day", async () => {
    expect(await ask(edit(winterPage(), { hourlyForecastGroup: undefined }), "samedi", WINTER)).toMatch(
      /^Non, on ne prévoit ni pluie ni neige après-demain, samedi, à Montréal\./,
    );
  });

  it("case 15: a text of showers without a number is a yes, never « zéro pour cent »", async () => {
    const said = await ask(texts({ 4: "Averses. Maximum 12.", 5: "Dégagé. Minimum 4." }), "jeudi");
    expect(said).toBe("Oui, après-demain, jeudi, à Montréal : averses.");
  });

  it.each([
    ["jeudi matin", "Averses débutant en après-midi.", "Non, pas de pluie prévue jeudi matin à Montréal."],
    [
      "jeudi après-midi",
      "Averses débutant en après-midi.",
      "Oui, jeudi après-midi à Montréal : averses débutant en après-midi.",
    ],
    [
      "jeudi matin",
      "Averses cessant en matinée puis dégagement.",
      "Oui, jeudi matin à Montréal : averses cessant en matinée puis dégagement.",
    ],
    [
      "jeudi après-midi",
      "Averses cessant en matinée puis dégagement.",
      "Non, pas de pluie prévue jeudi après-midi à Montréal.",
    ],
    [
      "jeudi matin",
      "Ennuagement en matinée. 40 pour cent de probabilité d'averses en après-midi avec risque d'un orage.",
      "Non, pas de pluie prévue jeudi matin à Montréal.",
    ],
    [
      "jeudi à 10 heures",
      "Averses le matin et en après-midi.",
      "Oui, jeudi à 10 heures à Montréal : averses le matin et en après-midi.",
    ],
    [
      "jeudi matin",
      "Averses se changeant en pluie en après-midi.",
      "Oui, jeudi matin à Montréal : averses se changeant en pluie en après-midi.",
    ],
    ["jeudi matin", "Averses tôt le matin.", "Oui, jeudi matin à Montréal : averses tôt le matin."],
  ])("of « %s », reads when it falls in « %s »", async (quand, text, expected) => {
    expect(await ask(texts({ 4: `${text} Maximum 20.` }), quand)).toBe(expected);
  });

  it.each([
    ["jeudi soir", "Averses débutant après minuit.", /^Non, pas de pluie prévue jeudi soir à Montréal\.$/],
    ["jeudi soir", "Averses cessant en soirée.", /^Oui, jeudi soir à Montréal : averses cessant en soirée\.$/],
    ["vendredi à 3 heures", "Averses cessant en soirée.", /^Non, pas de pluie prévue/],
    ["vendredi à 3 heures", "Averses débutant tard en soirée et cessant en fin de nuit.", /^Oui, /],
    [
      "jeudi soir",
      "Ennuagement en soirée suivi de 60 pour cent de probabilité d'averses en fin de nuit.",
      /^Non, pas de pluie prévue jeudi soir/,
    ],
  ])("of « %s », reads when it falls in the night of « %s »", async (quand, text, expected) => {
    expect(await ask(texts({ 5: `${text} Minimum 12.` }), quand)).toMatch(expected);
  });

  it("tells the evening and the night of a day apart from its daylight", async () => {
    const said = await ask(texts({ 4: "Neige. Maximum zéro.", 5: "Averses de neige. Minimum moins 4." }), "jeudi");
    expect(said).toBe(
      "Oui, après-demain, jeudi, à Montréal : neige; le soir et la nuit, averses de neige. Aucune accumulation n'est annoncée.",
    );
  });

  it("answers from the text when the hours are gone, by the part of the day", async () => {
    const page = mutate(summerPage(), "no hours");
    expect(await ask(page, "cet après-midi")).toBe(
      "Peut-être, cet après-midi à Montréal : 40 pour cent de probabilité d'averses tard cet après-midi.",
    );
    expect(await ask(page, "ce matin")).toMatch(
      /^Non, pas de pluie prévue ce matin à Montréal\. Aujourd'hui, .*tard cet après-midi\.$/,
    );
    expect(await ask(mutate(summerPage(), "an empty list of hours"))).toMatch(
      /^Peut-être, d'ici demain matin à Montréal : /,
    );
  });
});

describe("under the rain", () => {
  const seen = (sky: string, told: ReturnType<typeof from> = [], minutes = 10) =>
    edit(hourly(told), {
      "currentConditions.condition": { fr: sky, en: "[not French]" },
      "currentConditions.timestamp": { fr: new Date(Date.parse(SUMMER) - minutes * 60_000).toISOString() },
    });

  it("is told that it rains, whatever the hours say", async () => {
    expect(await ask(seen("Pluie faible"), "maintenant")).toBe(
      "Oui, il y a de la pluie faible en ce moment à Montréal. Demain, mercredi, des averses sont prévues.",
    );
    expect(await ask(seen("Averse de pluie", from(9, 12, "Averses")), "maintenant")).toBe(
      "Oui, il y a une averse de pluie en ce moment à Montréal. Ça devrait durer jusqu'à midi.",
    );
    expect(await ask(seen("Neige faible", from(9, 33, "Neige")), "maintenant")).toBe(
      "Oui, il y a de la neige faible en ce moment à Montréal.",
    );
  });

  it("is told the hour of an observation that is getting old, and the forecast beyond two hours", async () => {
    expect(await ask(seen("Pluie", [], 70), "maintenant")).toMatch(
      /^Oui, il y a de la pluie en ce moment à Montréal, selon l'observation de 7 heures\./,
    );
    expect(await ask(seen("Pluie", [], 130), "maintenant")).toMatch(
      /^Non, pas de pluie prévue en ce moment à Montréal/,
    );
  });

  it("hears « non » when nothing is seen to fall, and what is coming", async () => {
    expect(await ask(seen("Nuageux", from(9, 12, "Pluie")), "maintenant")).toBe(
      "Non, il ne tombe rien en ce moment à Montréal. Vers 9 heures, de la pluie est prévue.",
    );
  });

  it("is never told « non » first for a moment that has begun", async () => {
    expect(await ask(seen("Pluie faible"))).toBe(
      "Oui, il y a de la pluie faible en ce moment à Montréal. Ensuite, pas de pluie prévue d'ici demain matin. Demain, mercredi, des averses sont prévues.",
    );
    expect(await ask(seen("Pluie faible", from(13, 15, "Possibilité d'averses", 40)), "aujourd'hui")).toBe(
      "Oui, il y a de la pluie faible en ce moment à Montréal. Ensuite, 40 pour cent de probabilité d'averses aujourd'hui, entre 13 et 15 heures.",
    );
    expect(await ask(seen("Pluie faible", from(9, 11, "Pluie")))).toBe(
      "Oui, il y a déjà de la pluie faible à Montréal, et ça continue jusqu'à 11 heures.",
    );
    expect(await ask(seen("Pluie faible", from(13, 15, "Pluie")))).toBe(
      "Oui, il y a de la pluie faible en ce moment à Montréal, puis de la pluie entre 13 et 15 heures.",
    );
    expect(await ask(seen("Pluie faible"), "cet après-midi")).toMatch(/^Non, pas de pluie prévue cet après-midi/);
  });

  it.each(["à 8 heures", "à 8h", "ce matin à 8 heures", "aujourd'hui à 8h05"])(
    "is told what is seen for the hour under way, never the next one: %s",
    async (quand) => {
      expect(await ask(seen("Nuageux", from(9, 12, "Pluie")), quand)).toBe(
        "Non, il ne tombe rien en ce moment à Montréal. Vers 9 heures, de la pluie est prévue.",
      );
      expect(await ask(seen("Pluie faible"), quand)).toMatch(
        /^Oui, il y a de la pluie faible en ce moment à Montréal\./,
      );
    },
  );

  it("asks the forecast when the sky isn't told", async () => {
    for (const name of ["no condition", "an empty condition", "no observation"] as const) {
      expect(await ask(mutate(hourly(from(9, 12, "Pluie")), name), "maintenant")).toMatch(
        /^Oui, de la pluie est prévue/,
      );
    }
  });
});

describe("over several days", () => {
  it("tells each half-day by its name, and the others by their names only", async () => {
    expect(await ask(winterPage(), "sept jours", WINTER)).toBe(
      "Oui, d'ici mercredi soir à Montréal : ce soir et cette nuit, neige débutant après minuit; demain, vendredi, neige cessant tard en après-midi puis nuageux; demain soir et durant la nuit, 40 pour cent de probabilité d'averses de neige; lundi soir et durant la nuit, 60 pour cent de probabilité de neige; possible aussi mardi et mardi soir et durant la nuit. On annonce de 12 à 17 centimètres de neige d'ici demain soir.",
    );
    expect(await ask(summerPage(), "la fin de semaine")).toBe(
      "Probablement, en fin de semaine à Montréal : samedi, 60 pour cent de probabilité d'averses et risque d'orage; samedi soir et durant la nuit, 30 pour cent de probabilité d'averses.",
    );
  });

  it("says the day of the only amount", async () => {
    expect(await ask(summerPage(), "trois jours")).toMatch(
      / On annonce de 10 à 20 millimètres de pluie pour demain, mercredi\.$/,
    );
  });

  it("never answers « non » for days that the forecast doesn't reach", async () => {
    expect(await ask(summerPage(), "la semaine prochaine")).toBe(
      "Non, pas de pluie prévue la semaine prochaine à Montréal. Les prévisions s'arrêtent à lundi.",
    );
    expect(await ask(winterPage(), "la semaine prochaine", WINTER)).toMatch(
      /^Oui, la semaine prochaine à Montréal : lundi soir .*; les prévisions s'arrêtent à mercredi\.$/,
    );
    const refused = await source(summerPage()).refuse("meteo_precipitations", SUMMER, { quand: "dans dix jours" });
    expect(refused).toMatch(/^C'est trop loin : .* Ça ne veut pas dire qu'il fera beau ou mauvais\./);
  });

  it("answers for all that comes before the end that was said", async () => {
    expect(await ask(winterPage(), "d'ici vendredi soir", WINTER)).toMatch(
      /^Oui, d'ici demain soir à Montréal : ce soir et cette nuit, neige .* On annonce de 12 à 17 centimètres de neige d'ici demain soir\.$/,
    );
    expect(await ask(hourly(from(14, 20, "Averses", 60)), "d'ici 15 heures")).toMatch(
      /^Probablement : 60 pour cent de probabilité d'averses d'ici 15 heures à Montréal, à partir de 14 heures\./,
    );
    expect(await ask(hourly(from(14, 20, "Averses", 60)), "entre 10 heures et midi")).toMatch(
      /^Non, pas de pluie prévue entre 10 heures et midi à Montréal; .* Cet après-midi, 60 pour cent de probabilité d'averses\.$/,
    );
  });

  it("says that a forecast is missing, never that nothing is coming", async () => {
    const off = { OPEN_METEO: "off" };
    expect(await ask(mutate(summerPage(), "no forecast"), "samedi", SUMMER, off)).toBe(
      "Je ne peux pas le dire : la prévision n'est pas disponible samedi à Montréal.",
    );
    expect(await ask(mutate(summerPage(), "no forecast", "no hours"), undefined, SUMMER, off)).toBe(
      "Je ne peux pas le dire : la prévision n'est pas disponible d'ici demain matin à Montréal.",
    );
    expect(await ask(mutate(summerPage(), "no half-day"), "cet après-midi", SUMMER, off)).toMatch(
      /^Peut-être : 40 pour cent de probabilité d'averses cet après-midi à Montréal, à partir de 16 heures\.$/,
    );
  });

  it("skips a half-day without a name, and tells one given twice once", async () => {
    expect(await ask(mutate(summerPage(), "a half-day without a name"), "demain")).toBe(
      "Je ne peux pas le dire : la prévision n'est pas disponible demain, mercredi, à Montréal.",
    );
    expect(await ask(mutate(summerPage(), "half-days twice"), "la fin de semaine")).toBe(
      await ask(summerPage(), "la fin de semaine"),
    );
  });
});

describe("how much", () => {
  const snow = (said: Record<number, string>, quand: string) =>
    ask(edit(texts({ 4: "Ensoleillé.", 5: "Dégagé.", ...said }), { hourlyForecastGroup: undefined }), quand);

  it.each([
    ["Neige. Accumulation de 5 à 10 cm.", "de 5 à 10 centimètres de neige pour la journée"],
    ["Neige. Accumulation de 5 cm.", "5 centimètres de neige pour la journée"],
    ["Neige. Accumulation de 1 cm.", "1 centimètre de neige pour la journée"],
    ["Neige. Accumulation de moins de 2 cm.", "jusqu'à 2 centimètres de neige pour la journée"],
    ["Pluie. Hauteur prévue de 15 à 25 mm.", "de 15 à 25 millimètres de pluie pour la journée"],
    ["Pluie. Hauteur de pluie prévue de 10 mm.", "10 millimètres de pluie pour la journée"],
    ["Averses. Hauteur prévue de 5 mm par endroits.", "5 millimètres de pluie par endroits pour la journée"],
    [
      "Pluie se changeant en neige. Hauteur de pluie prévue de 5 à 10 mm. Accumulation de neige de 2 à 4 cm.",
      "de 5 à 10 millimètres de pluie et de 2 à 4 centimètres de neige pour la journée",
    ],
  ])("case 20: reads the range of « %s », never its middle", async (text, expected) => {
    expect(await snow({ 4: `${text} Maximum zéro.` }, "jeudi")).toContain(` On annonce ${expected}.`);
  });

  it("case 20: reads the text, not the rounded number beside it", async () => {
    const page = edit(texts({ 4: "Neige. Accumulation de 5 à 10 cm. Maximum zéro." }), {
      [`${HALVES}.4.precipitation`]: {
        precipPeriods: [],
        accumulation: { name: { en: "snow", fr: "neige" }, amount: { units: { fr: "cm" }, value: { en: 8, fr: 8 } } },
      },
    });
    const said = await ask(page, "jeudi");
    expect(said).toContain("On annonce de 5 à 10 centimètres de neige");
    expect(said).not.toMatch(/\b8\b/);
  });

  it("adds the ranges of the half-days, low with low and high with high", async () => {
    const said = await snow(
      { 4: "Neige. Accumulation de 5 à 10 cm. Maximum zéro.", 5: "Neige. Accumulation de 2 à 4 cm. Minimum zéro." },
      "jeudi",
    );
    expect(said).toContain(" On annonce de 7 à 14 centimètres de neige d'ici vendredi matin.");
  });

  it("without a moment, doesn't say again until when", async () => {
    const page = edit(hourly(from(12, 33, "Neige"), -3), {
      [`${HALVES}.0.textSummary.fr`]: "Neige. Accumulation de 5 à 10 cm. Maximum zéro.",
      [`${HALVES}.1.textSummary.fr`]: "Neige. Accumulation de 2 à 4 cm. Minimum moins 3.",
    });
    expect(await ask(page)).toBe(
      "Oui, de la neige est prévue d'ici demain matin à Montréal, à partir de midi. On annonce de 7 à 14 centimètres de neige.",
    );
  });

  it("tells snow that nobody measures yet from snow too far ahead, and says zero of neither", async () => {
    expect(await snow({ 4: "Neige. Maximum zéro." }, "jeudi")).toMatch(/ Aucune accumulation n'est annoncée\.$/);
    expect(await snow({ 10: "Neige. Maximum zéro." }, "dimanche")).toMatch(/ La quantité n'est pas encore annoncée\.$/);
    expect(await snow({ 4: "Nuageux avec 30 pour cent de probabilité d'averses de neige." }, "jeudi")).not.toMatch(
      /accumulation|quantité/,
    );
    expect(await snow({ 4: "Averses. Maximum 12." }, "jeudi")).not.toMatch(/accumulation|quantité/);
  });

  it("says the amount after the hours, and not for one hour", async () => {
    expect(await ask(winterPage(), undefined, WINTER)).toBe(
      "Oui, de la neige est prévue d'ici demain matin à Montréal, à partir de 2 heures. On annonce 2 centimètres de neige pour la soirée et la nuit.",
    );
    expect(await ask(winterPage(), "cette nuit à 3 heures", WINTER)).toMatch(
      /^Oui, de la neige est prévue [^,.]*à 3 heures à Montréal\.$/,
    );
  });
});

describe("the alert in force", () => {
  it("is said first, and the answer stays short", async () => {
    const inForce = alert({ published: "2026-02-12T20:00:00Z", ends: "2026-02-14T05:00:00Z" });
    const said = await source(winterPage(), inForce).say("meteo_precipitations", WINTER);
    expect(said).toMatch(
      /^Un avertissement jaune de neige est en vigueur pour l'île de Montréal, .*\. Oui, de la neige est prévue /,
    );
  });

  const warned = (page: object, more: Partial<Parameters<typeof alert>[0]>, quand = "cet après-midi") =>
    source(page, alert({ published: "2026-08-11T10:00:00Z", ends: "2026-08-12T02:00:00Z", ...more })).say(
      "meteo_precipitations",
      SUMMER,
      { quand },
    );

  it.each(["neige", "pluie", "pluie verglaçante", "verglas", "orages violents", "tempête hivernale"])(
    "of %s is not followed by a bare « non » while it lasts",
    async (hazard) => {
      expect(await warned(hourly([], -2), { hazard })).toMatch(
        / est en vigueur [^.]*\. Malgré l'alerte, on ne prévoit ni pluie ni neige cet après-midi à Montréal; /,
      );
      expect(await warned(hourly([], 15), { hazard })).toMatch(
        /\. Malgré l'alerte, pas de pluie prévue cet après-midi à Montréal; /,
      );
      expect(await warned(hourly(from(12, 18, "Nuageux", 20), -2), { hazard })).toMatch(
        /\. Malgré l'alerte, la neige est peu probable cet après-midi à Montréal; /,
      );
      const text = edit(texts({ 0: "Ensoleillé.", 1: "Dégagé." }), { hourlyForecastGroup: undefined });
      expect(await warned(text, { hazard }, "aujourd'hui")).toMatch(
        /\. Malgré l'alerte, pas de pluie prévue aujourd'hui à Montréal\. /,
      );
    },
  );

  it.each([
    ["of wind", { hazard: "vent" }],
    ["of cold", { hazard: "froid extrême" }],
    ["that ends before", { ends: "2026-08-11T15:00:00Z" }],
    ["that starts after", { starts: "2026-08-12T02:00:00Z", ends: "2026-08-12T12:00:00Z" }],
  ])("%s leaves the « non » as it is", async (_, more) => {
    expect(await warned(hourly([], -2), more)).toMatch(
      / est en vigueur [^.]*\. Non, on ne prévoit ni pluie ni neige cet après-midi à Montréal; /,
    );
  });

  it("is not missed aloud when it can't be checked", async () => {
    const down = new Source({ [PAGE("qc-147")]: winterPage(), [ALERTS]: () => new Response("no", { status: 503 }) });
    expect(await down.say("meteo_precipitations", WINTER)).toMatch(/^Oui, de la neige est prévue/);
  });
});

describe("the hours of the place", () => {
  /** Issued in the night of a clock change, and cloudy but in some of its hours, counted from the first one. */
  const night = (updated: string, issued: string, wet: number[]) =>
    citypage({
      updated,
      issued,
      night: true,
      hours: (index) => ({
        condition: wet.includes(index) ? "Pluie" : "Nuageux",
        temperature: 6,
        lop: wet.includes(index) ? 90 : 0,
      }),
      periods: [
        { sky: "Nuageux.", low: 5 },
        { sky: "Nuageux.", high: 8 },
        { sky: "Nuageux.", low: 3 },
      ],
    });
  const november = (wet: number[]) => night("2026-11-01T04:04:00Z", "2026-10-31T19:45:00Z", wet);
  const march = (wet: number[]) => night("2026-03-08T06:04:00Z", "2026-03-07T20:45:00Z", wet);

  it.each([
    [[0, 1], "cette nuit", "Oui, de la pluie est prévue cette nuit à Montréal, jusqu'à 2 heures."],
    [[1], "cette nuit", "Oui, de la pluie est prévue cette nuit à Montréal, vers une heure."],
    [[2, 3], "cette nuit", "Oui, de la pluie est prévue cette nuit à Montréal, entre 2 et 4 heures."],
    [[3], "à 3 heures", "Oui, de la pluie est prévue à 3 heures à Montréal."],
    [[20, 21, 22], "aujourd'hui", "Oui, de la pluie est prévue aujourd'hui à Montréal, entre 20 et 23 heures."],
    [[5, 6], undefined, "Oui, de la pluie est prévue d'ici ce soir à Montréal, entre 5 et 7 heures."],
  ])("are right the night when one o'clock comes twice: %j", async (wet, quand, expected) => {
    expect(await ask(november(wet), quand, "2026-11-01T04:30:00Z")).toBe(expected);
  });

  it.each([
    [[0, 1], "cette nuit", "Oui, de la pluie est prévue cette nuit à Montréal, jusqu'à 5 heures."],
    [[1], "cette nuit", "Oui, de la pluie est prévue cette nuit à Montréal, vers 4 heures."],
    [[0], "à 3 heures", "Oui, de la pluie est prévue à 3 heures à Montréal."],
    [[2, 3], undefined, "Oui, de la pluie est prévue d'ici ce soir à Montréal, entre 5 et 7 heures."],
  ])("are right the night when two o'clock doesn't come: %j", async (wet, quand, expected) => {
    expect(await ask(march(wet), quand, "2026-03-08T06:30:00Z")).toBe(expected);
  });

  it.each([
    ["2026-08-12T03:50:00Z", "2026-08-12T03:04:00Z", /d'ici demain matin à Montréal/],
    ["2026-08-12T04:10:00Z", "2026-08-12T04:04:00Z", /d'ici ce soir à Montréal/],
    ["2026-08-12T09:59:00Z", "2026-08-12T09:04:00Z", /d'ici ce soir à Montréal/],
    ["2026-08-12T10:01:00Z", "2026-08-12T09:04:00Z", /d'ici demain matin à Montréal/],
  ])(
    "without a moment, are those until morning, and past midnight those of the day: at %s",
    async (at, updated, expected) => {
      expect(await ask(summerPage({ updated }), undefined, at)).toMatch(expected);
    },
  );

  it("are those of the Maritimes at the Îles-de-la-Madeleine, and say so", async () => {
    const page = citypage({
      id: "qc-103",
      zone: "America/Halifax",
      updated: "2026-08-11T12:04:00Z",
      issued: "2026-08-11T09:00:00Z",
      hours: (_, { hour }) => ({
        condition: hour >= 15 && hour < 18 ? "Pluie" : "Nuageux",
        temperature: 16,
        lop: hour >= 15 && hour < 18 ? 90 : 0,
      }),
      periods: [
        { sky: "Pluie.", high: 18 },
        { sky: "Nuageux.", low: 12 },
      ],
    });
    const islands = new Source({ [PAGE("qc-103")]: page, [ALERTS]: alerts([]) });
    const said = await islands.say("meteo_precipitations", SUMMER, {
      lieu: "aux Îles-de-la-Madeleine",
      quand: "aujourd'hui",
    });
    expect(said).toBe(
      "Oui, de la pluie est prévue aujourd'hui aux Îles-de-la-Madeleine, entre 15 et 18 heures, heure des Maritimes.",
    );
  });
});

describe("a place where it is another day", () => {
  // Saturday 21:30 in Vancouver, Sunday in Montréal.
  const at = "2026-11-29T05:30:00Z";
  const page = citypage({
    id: "bc-74",
    zone: "America/Vancouver",
    updated: "2026-11-29T05:04:00Z",
    issued: "2026-11-28T23:45:00Z",
    night: true,
    hours: () => ({ condition: "Nuageux", temperature: 9, lop: 0 }),
    periods: [
      { sky: "Nuageux.", low: 5 },
      { sky: "Nuageux.", high: 8 },
      { sky: "Averses.", low: 3 },
    ],
  });
  const vancouver = (quand?: string) =>
    new Source({ [PAGE("bc-74")]: page, [ALERTS]: alerts([]) }).say("meteo_precipitations", at, {
      lieu: "Vancouver",
      quand,
    });
  const next = "il fera environ 9 degrés. Dimanche soir et durant la nuit, des averses sont prévues.";

  it("says no « ce soir » and no « demain »: the days have their names", async () => {
    for (const [quand, named] of [
      ["aujourd'hui", "samedi"],
      ["ce soir", "samedi soir"],
      ["cette nuit", "dans la nuit de samedi à dimanche"],
      ["demain matin", "dimanche matin"],
    ]) {
      expect(await vancouver(quand)).toBe(`Non, pas de pluie prévue ${named} à Vancouver; ${next}`);
    }
    expect(await vancouver("demain")).toBe("Oui, dimanche à Vancouver : le soir et la nuit, averses.");
  });

  it("names the day until which it answers when no moment is said", async () => {
    expect(await vancouver()).toBe(`Non, pas de pluie prévue d'ici dimanche matin à Vancouver; ${next}`);
  });
});

describe("an hour that was asked in another zone", () => {
  it("says whose it is", async () => {
    const page = summerPage({ id: "bc-74", name: "Vancouver", zone: "America/Vancouver" });
    const vancouver = new Source({ [PAGE("bc-74")]: page, [ALERTS]: alerts([]) });
    expect(await vancouver.say("meteo_precipitations", SUMMER, { lieu: "Vancouver", quand: "à 15 heures" })).toMatch(
      /^[^.]* à 15 heures, heure locale, à Vancouver/,
    );
  });
});
