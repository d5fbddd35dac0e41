// What forecasters write, as it is heard: nothing lost, nothing added, no sign and no short form.
import { describe, expect, inject, it } from "vitest";
import { alert, alerts, both, edit, SUMMER, summerPage } from "./payloads.ts";
import { ALERTS, PAGE, Source } from "./source.ts";

const shared = inject("shared");
const UNSHARED = shared === null ? " (skipped: no shared cases beside RECORDINGS)" : "";

const HALVES = "forecastGroup.forecasts";
/** The half-days that can hold a text, as one asks for them on the Tuesday of SUMMER. */
const MOMENTS: [index: number, quand: string, label: string][] = [
  [2, "mercredi", "Demain, mercredi, à Montréal : "],
  [3, "mercredi soir", "Demain soir et durant la nuit à Montréal : "],
  [4, "jeudi", "Après-demain, jeudi, à Montréal : "],
  [5, "jeudi soir", "Jeudi soir et durant la nuit à Montréal : "],
  [6, "vendredi", "Vendredi à Montréal : "],
  [7, "vendredi soir", "Vendredi soir et durant la nuit à Montréal : "],
  [8, "samedi", "Samedi à Montréal : "],
  [9, "samedi soir", "Samedi soir et durant la nuit à Montréal : "],
  [10, "dimanche", "Dimanche à Montréal : "],
  [11, "dimanche soir", "Dimanche soir et durant la nuit à Montréal : "],
  [12, "lundi", "Lundi à Montréal : "],
];

/** A page on which those half-days say these texts, and nothing else. */
function saying(texts: string[]): Source {
  const changes = Object.fromEntries(
    texts.flatMap((text, place) => {
      const half = `${HALVES}.${MOMENTS[place][0]}`;
      return [
        [`${half}.textSummary`, both(text)],
        [`${half}.winds`, undefined],
        [`${half}.temperatures`, undefined],
        [`${half}.precipitation`, undefined],
      ];
    }),
  );
  return new Source({ [PAGE("qc-147")]: edit(summerPage(), changes), [ALERTS]: alerts([]) });
}

/** What is said of tomorrow when its official text is this one. */
async function official(text: string): Promise<string> {
  const said = await saying([text]).say("meteo_previsions", SUMMER, { quand: "mercredi" });
  expect(said).toContain(MOMENTS[0][2]);
  return said.slice(MOMENTS[0][2].length);
}

/** Sentences, however they are joined. */
function folded(text: string): string {
  return text.replace(/\.$/, "").replace(/[.] /g, "; ").toLowerCase();
}

/** Figures of a text, in order of size; « zéro » and hours in letters apart. */
function figures(text: string): string[] {
  return (text.match(/\d+/g) ?? []).filter((figure) => Number(figure) !== 0).sort();
}

describe("an official half-day", () => {
  it.each([
    ["Ensoleillé. Maximum 31.", "ensoleillé. Maximum de 31 degrés."],
    ["Nuageux. Maximum -3 °C", "nuageux. Maximum de moins 3 degrés."],
    ["Nuageux. Minimum -1.", "nuageux. Minimum de moins 1 degré."],
    ["Dégagé. Minimum 0.", "dégagé. Minimum de zéro degré."],
    ["Dégagé. Minimum moins 0.", "dégagé. Minimum de zéro degré."],
    ["Dégagé. Minimum plus 1.", "dégagé. Minimum de 1 degré."],
    ["Ensoleillé. Maximum près de 26.", "ensoleillé. Maximum près de 26 degrés."],
    ["Ensoleillé. Maximum 23 à 27.", "ensoleillé. Maximum de 23 à 27 degrés."],
    ["Ensoleillé. Maximum 28 sauf 18 au bord du lac.", "ensoleillé. Maximum de 28 degrés sauf 18 au bord du lac."],
    [
      "Dégagé. Minimum moins 5 sauf plus 3 le long du fleuve.",
      "dégagé. Minimum de moins 5 degrés sauf 3 au-dessus de zéro le long du fleuve.",
    ],
    [
      "Nuageux. Maximum plus 2 sauf moins 3 sur les collines.",
      "nuageux. Maximum de 2 degrés sauf moins 3 sur les collines.",
    ],
    // Case 19: a trend is not a maximum.
    [
      "Températures à la baisse pour atteindre moins 3 cet après-midi.",
      "températures à la baisse pour atteindre moins 3 degrés cet après-midi.",
    ],
    ["Pluie. Températures stables près de plus 1.", "pluie. Températures stables près de 1 degré."],
    ["Pluie. Temp. à la baisse jusqu'à -5 ce soir.", "pluie. Températures à la baisse jusqu'à moins 5 degrés ce soir."],
    ["Dégagé. Minimum zéro avec gel par endroits.", "dégagé. Minimum de zéro degré avec gel par endroits."],
    [
      "Ensoleillé. Maximum 30. Humidex 39 en après-midi.",
      "ensoleillé. Maximum de 30 degrés; humidex de 39 en après-midi.",
    ],
    [
      "Neige. Maximum moins 15. Refroidissement éolien -28. Risque d'engelures.",
      "neige. Maximum de moins 15 degrés; température ressentie de moins 28; risque d'engelures.",
    ],
    [
      "Dégagé. Refroidissement éolien moins 19 tôt ce matin et moins 8 en mi-journée.",
      "dégagé. Température ressentie de moins 19 tôt ce matin, et de moins 8 en mi-journée.",
    ],
    ["Ensoleillé. Indice UV de 11 ou extrême.", "ensoleillé. Indice U V de 11, extrême."],
    [
      "Neige. Vents du SO de 20-40 km/h avec rafales à 70 augmentant à 50 en soirée.",
      "neige. Vents du sud-ouest de 20 à 40 kilomètres à l'heure, avec des rafales à 70, augmentant à 50 en soirée.",
    ],
    ["Averses. Rafales jusqu'à 90 km/h.", "averses. Rafales allant jusqu'à 90 kilomètres à l'heure."],
    ["Averses. VENTS DU NO DE 80 KM/H.", "averses. Vents du nord-ouest de 80 kilomètres à l'heure."],
    ["Averses. Vents d'ONO de 1 km/h.", "averses. Vents d'ouest-nord-ouest de 1 kilomètre à l'heure."],
    ["Neige. Accumulation de 0,5 cm par endroits.", "neige; accumulation de 0 virgule 5 centimètre par endroits."],
    ["Pluie. Hauteur prévue de 10 à 20 mm.", "pluie; quantité prévue de 10 à 20 millimètres de pluie."],
    ["Nuageux avec 40 % de probabilité d'averses.", "nuageux avec 40 pour cent de probabilité d'averses."],
    ["Brouillard. Visibilité de 1 km ou moins.", "brouillard; visibilité de 1 kilomètre ou moins."],
    ["Neige/pluie (2-4 cm).", "neige ou pluie, 2 à 4 centimètres."],
    ["Neige de 1 h à 21 h.", "neige d'une heure à vingt et une heures."],
    ["Pluie débutant à 0 h 30.", "pluie débutant à minuit 30."],
    ["Averses près de Ste-Zélie et de St-Zébulon.", "averses près de Sainte-Zélie et de Saint-Zébulon."],
    ["Averses d’été, puis dégagement", "averses d'été, puis dégagement."],
    ["Fumée. Cote air santé : N,D.", "fumée; cote air santé, non disponible."],
    ["Devenant venteux. Fumée par endroits. Risque de gel.", "fumée par endroits. Devenant venteux. Risque de gel."],
    ["Giboulée mauve à l'aube", "giboulée mauve à l'aube."],
  ])("« %s » is heard whole", async (text, said) => {
    expect(await official(text)).toBe(said);
  });

  it.each([
    ["Venteux.", "venteux."],
    ["Vents légers.", "vents légers."],
    ["Devenant venteux en soirée.", "devenant venteux en soirée."],
    ["Maximum 12. Vents du nord de 20 km/h.", "maximum de 12 degrés. Vents du nord de 20 kilomètres à l'heure."],
  ])("« %s », without a sky, begins with what it has", async (text, said) => {
    expect(await official(text)).toBe(said);
    for (const [tool, quand] of [
      ["meteo_previsions", "sept jours"],
      ["meteo_previsions", "la fin de semaine"],
      ["meteo_precipitations", "mercredi"],
      ["meteo_previsions", undefined],
    ]) {
      const source = saying(MOMENTS.map(() => text));
      await source.say(`${tool}`, SUMMER, { quand }, {}, 9);
    }
  });
});

describe("the chance of something", () => {
  it("says « de » once, whatever it is of", async () => {
    const source = saying(
      MOMENTS.map(() => "Nuageux avec 40 pour cent de probabilité d'averses de pluie ou de neige."),
    );
    expect(await source.say("meteo_precipitations", SUMMER, { quand: "cette nuit" })).not.toMatch(/de de |d'd'/);
    const page = edit(summerPage(), {
      "hourlyForecastGroup.hourlyForecasts.*.condition": both("Possibilité d'averses de pluie ou de neige"),
      "hourlyForecastGroup.hourlyForecasts.*.lop.value": both(40),
    });
    const likely = new Source({ [PAGE("qc-147")]: page, [ALERTS]: alerts([]) });
    expect(await likely.say("meteo_precipitations", SUMMER, { quand: "cet après-midi" })).toContain(
      "40 pour cent de probabilité d'averses de pluie ou de neige cet après-midi à Montréal",
    );
  });
});

describe("a condition", () => {
  /** The sky of an observation, as it is heard. */
  async function sky(condition: string): Promise<string> {
    const page = edit(summerPage(), { "currentConditions.condition": both(condition) });
    const text = await new Source({ [PAGE("qc-147")]: page, [ALERTS]: alerts([]) }).say("meteo_actuelle", SUMMER);
    const first = text.slice(0, text.indexOf(". "));
    return first.slice(first.search(/(?:selon les prévisions, |sous |avec |par )/));
  }

  it.each([
    [
      "sous un ciel",
      "ensoleillé|dégagé|nuageux|couvert|brumeux|partiellement nuageux|généralement nuageux|généralement dégagé",
    ],
    [
      "avec de la",
      "pluie|pluie faible|neige|neige forte|neige en grains|bruine faible|brume|brume sèche|fumée|poussière",
    ],
    ["avec de la", "poudrerie|poudrerie basse|pluie verglaçante|grêle|neige fondante|cendre volcanique"],
    ["avec du", "brouillard|brouillard givrant|grésil|verglas|blizzard"],
    [
      "avec des",
      "averses|averses de neige|cristaux de glace|granules de glace|nappes de brouillard|passages nuageux|précipitations|orages",
    ],
    [
      "avec une",
      "averse|averse de pluie|faible averse de neige|forte averse de pluie|faible pluie verglaçante|bourrasque de neige|tornade",
    ],
    ["avec une", "tempête de sable"],
    ["avec un", "orage|orage violent|fort orage"],
    ["avec", "quelques averses|quelques nuages"],
  ])("is heard « %s … »", async (head, conditions) => {
    for (const condition of conditions.split("|")) {
      const written = `${condition[0].toUpperCase()}${condition.slice(1)}`;
      expect(await sky(written)).toBe(`${head} ${condition}`);
    }
  });

  it.each([
    ["Neige faible et Poudrerie élevée", "avec de la neige faible et de la poudrerie"],
    ["Poudrerie  élevée", "avec de la poudrerie"],
    ["Bruine faible et Brouillard", "avec de la bruine faible et du brouillard"],
    ["Pluie et neige faibles", "avec de la pluie et de la neige faibles"],
    ["Pluie ou neige", "avec de la pluie ou de la neige"],
    ["Averses et orages", "avec des averses et des orages"],
    ["Orage avec grêle", "avec un orage et de la grêle"],
    ["Orage avec forte pluie", "avec un orage et une forte pluie"],
    ["Orage avec averses de pluie", "avec un orage et des averses de pluie"],
    ["Précipitation inconnue", "avec des précipitations"],
    ["Précipitations", "avec des précipitations"],
    ["Ciel voilé", "sous un ciel voilé"],
    ["Venteux", "par temps venteux"],
    ["Alternance de soleil et de nuages", "avec du soleil et des nuages"],
    ["Ennuagement", "sous un ciel qui se couvre"],
    ["Dégagement", "sous un ciel qui se dégage"],
    ["NUAGEUX", "sous un ciel nuageux"],
  ])("« %s » is heard « %s »", async (condition, said) => {
    expect(await sky(condition)).toBe(said);
  });

  it.each(["N.D.", "N,D.", "Non disponible", "Inconnue", "Non observé", "", " ", "..."])(
    "« %s » is none: the sky is the forecast's, and said to be",
    async (condition) => {
      expect(await sky(condition)).toBe("selon les prévisions, il y a du soleil et des nuages");
    },
  );

  // What may fall is not what one sees.
  it.each(["Possibilité d'averses", "Possibilité d'averses de pluie ou de neige", "Risque d'orages"])(
    "« %s » isn't a sky that one sees: the sky is the forecast's, and said to be",
    async (condition) => {
      expect(await sky(condition)).toBe("selon les prévisions, il y a du soleil et des nuages");
    },
  );
});

describe("the official text of an alert", () => {
  /** What is quoted when the alert says this. */
  async function quoted(text: string): Promise<string> {
    const issued = alert({ published: SUMMER, text: { fr: text, en: "" } });
    const source = new Source({ [PAGE("qc-147")]: summerPage(), [ALERTS]: alerts([issued]) });
    const said = await source.say("meteo_alertes", SUMMER, {}, {}, 9);
    return /« (.*) »/s.exec(said)?.[1] ?? "";
  }

  it.each([
    [
      "Cette veille vise la côte en raison des dangers suivants :\n- Vagues fortes\n- Glace en mouvement\n- Niveau d'eau élevé",
      "Cette veille vise la côte en raison des dangers suivants : vagues fortes, glace en mouvement, et niveau d'eau élevé.",
    ],
    ["Dangers :\n\n• VENTS FORTS\n• Grêle;", "Dangers : vents forts et grêle."],
    [
      "Mesures :\n- Restez au sec. Appelez vos voisins.\n- Reportez vos sorties",
      "Mesures : Restez au sec. Appelez vos voisins. Reportez vos sorties.",
    ],
    [
      "Quoi :\nRafales de 95 km/h.\n\nQuand :\nDès 14h, jusqu'à 18 h 30.",
      "Quoi : Rafales de 95 kilomètres à l'heure. Quand : Dès 14 heures, jusqu'à 18 heures 30.",
    ],
    // Case 32: a paragraph that comes back is read once; a zone tells two hours of one moment apart.
    [
      "Il neigera de 5 à 15 cm d'ici 6 h HAE (7 h HAA).\n\nIl neigera de 5 à 15 cm d'ici 6 h HAE (7 h HAA).\n\nRalentissez.",
      "Il neigera de 5 à 15 centimètres d'ici 6 heures, heure avancée de l'Est, 7 heures, heure avancée de l'Atlantique. Ralentissez.",
    ],
    [
      "Ralentissez.\n\nÉcrivez à tempete@exemple.ca.\n\nPubliez avec #NeigeQC.\n\nVoyez https://exemple.ca.",
      "Ralentissez.",
    ],
    // Case 60.
    ["AVERTISSEMENT DE VENT EN VIGUEUR POUR LA CÔTE.", "Avertissement de vent en vigueur pour la côte."],
    [
      "Danger(s) possible(s) le samedi 3 octobre 2026 dès 0h05",
      "Dangers possibles le samedi 3 octobre 2026 dès minuit 5.",
    ],
    ["Visibilité < 500 m et froid de -42 °C.", "Visibilité moins de 500 mètres et froid de moins 42 degrés."],
    [
      "Une ligne coupée\nau milieu d'une phrase.\nUn autre paragraphe.",
      "Une ligne coupée au milieu d'une phrase. Un autre paragraphe.",
    ],
  ])("is read whole and in order: %#", async (text, said) => {
    expect(await quoted(text)).toBe(said);
  });
});

/** The texts that half-days have in the shared templates, with numbers of every kind in them. */
function filled(template: string, turn: number): string {
  const values = [3, 1, 12, 0, 40, 21, 5, 60, 31, 2, 100, 11];
  let index = turn * 5;
  return template.replace(/#/g, () => `${values[index++ % values.length]}`);
}

/** Every text, eleven to a page, heard in each kind of answer; `check` gets the answer for one half-day. */
async function hear(texts: string[], check: (text: string, said: string) => void): Promise<void> {
  for (let start = 0; start < texts.length; start += MOMENTS.length) {
    const some = texts.slice(start, start + MOMENTS.length);
    const source = saying(some);
    for (const [place, text] of some.entries()) {
      const [, quand, label] = MOMENTS[place];
      const said = await source.say("meteo_previsions", SUMMER, { quand });
      expect(said.slice(0, label.length)).toBe(label);
      check(text, said.slice(label.length));
      await source.say("meteo_precipitations", SUMMER, { quand });
    }
    await source.say("meteo_previsions", SUMMER, { quand: "sept jours" }, {}, 9);
    await source.say("meteo_precipitations", SUMMER, { quand: "sept jours" }, {}, 9);
  }
}

const plural = /(?<!\d|virgule )\b(?:[01]|zéro) (?:degré|kilomètre|centimètre|millimètre|mètre)s\b/;

describe.skipIf(shared === null)(`the shared wordings${UNSHARED}`, () => {
  const templates = JSON.parse(shared?.["meteo-gabarits.json"] ?? '{"S":[],"cond":[]}') as {
    S: [string, number][];
    cond: [string, number][];
  };

  it("says each pair of the list as it should be heard", async () => {
    const pairs = (shared?.["meteo-paroles.tsv"] ?? "")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split("\t"));
    expect(pairs.length).toBeGreaterThan(20);
    for (const [text, expected] of pairs) {
      const said = folded(await official(text));
      // One colon in a sentence: the half-day's own.
      for (const sentence of folded(expected).replaceAll(" : ", ", ").split("; ")) {
        expect({ text, said: `; ${said}; ` }).toEqual({ text, said: expect.stringContaining(`; ${sentence}; `) });
      }
    }
  });

  it.each([0, 1, 2])(
    "says every template with its numbers, all of them, without a sign (%i)",
    async (turn) => {
      expect(templates.S.length).toBe(1570);
      await hear(
        templates.S.map(([template]) => filled(template, turn)),
        (text, said) => {
          expect({ text, figures: figures(said) }).toEqual({ text, figures: figures(text) });
          expect({ text, plural: plural.exec(said) }).toEqual({ text, plural: null });
        },
      );
    },
    60_000,
  );

  it("says every condition of the list, and no other", async () => {
    expect(templates.cond.length).toBe(30);
    for (const [condition] of templates.cond) {
      const page = edit(summerPage(), { "currentConditions.condition": both(condition) });
      const text = await new Source({ [PAGE("qc-147")]: page, [ALERTS]: alerts([]) }).say("meteo_actuelle", SUMMER);
      expect({ condition, text }).toEqual({
        condition,
        text: expect.stringMatching(/, (?:sous un ciel|avec (?:de la|du|des|une?)) /),
      });
      expect({ condition, text }).toEqual({
        condition,
        text: expect.not.stringMatching(/\b(?:du|un) (?:faible averse|faible pluie|averse)/),
      });
      expect(text).not.toContain("selon les prévisions");
    }
  });

  const bulletins = JSON.parse(shared?.["eccc_bulletins_fr_en_2018-2019.json"] ?? "[]") as { fr: string }[];
  const feeds = Object.entries(shared ?? {}).filter(([file]) => file.startsWith("atom_"));

  it("says the half-days of a hundred bulletins, with all their numbers", async () => {
    expect(bulletins.length).toBe(100);
    const texts = bulletins.flatMap(({ fr }) =>
      fr.split(/\n(?! )/).flatMap((part) => / : (.*)$/.exec(part.replace(/\s+/g, " "))?.[1] ?? []),
    );
    expect(texts.length).toBeGreaterThan(200);
    await hear(texts, (text, said) =>
      expect({ text, figures: figures(said) }).toEqual({ text, figures: figures(text) }),
    );
  }, 60_000);

  it("says the half-days of the recorded pages of 2016, with all their numbers", async () => {
    expect(feeds.length).toBeGreaterThan(10);
    const texts = feeds.flatMap(([, feed]) =>
      [...feed.matchAll(/<category term="Prévisions météo"\/>\s*<summary type="html">([^<]+) Prévisions émises/g)].map(
        ([, text]) => text,
      ),
    );
    expect(texts.length).toBeGreaterThan(200);
    await hear(texts, (text, said) =>
      expect({ text, figures: figures(said) }).toEqual({ text, figures: figures(text) }),
    );
  }, 60_000);
});
