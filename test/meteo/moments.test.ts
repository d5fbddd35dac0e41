// « Quand »: what a person says of a moment, and the moment that is answered. The pages tell their dates by their numbers.
import { describe, expect, it } from "vitest";
import { ask, clock, refuse } from "./calendar.ts";

/** A Wednesday of November, at these hours. */
const at = (time: string) => clock(`2026-11-25 ${time}`);
const JUST_PAST_MIDNIGHT = clock("2026-11-26 00:10");
/** The maximum of each day that a week tells. */
const maximums = (said: string) => [...said.matchAll(/ : ensoleillé, (\d+) degrés?(?=[;.])/g)].map(([, date]) => date);

describe("a part of a day", () => {
  it.each([
    ["ce soir", "14:00", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["à soir", "22:00", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["en soirée", "09:10", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["après le souper", "14:00", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["cette nuit", "14:00", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["cette nuit", "22:00", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["cette nuit", "23:50", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["demain soir", "23:50", "Demain soir et durant la nuit à Montréal : dégagé. Minimum de moins 26 degrés."],
  ])("understands %s at %s", async (quand, time, said) => {
    expect(await ask(at(time), quand)).toBe(said);
  });

  it.each([
    ["cette nuit", "Cette nuit à Montréal : dégagé. Minimum de moins 25 degrés."],
    ["ce soir", "Ce soir et la nuit prochaine à Montréal : dégagé. Minimum de moins 26 degrés."],
    ["aujourd'hui", "Aujourd'hui à Montréal : ensoleillé. Maximum de 26 degrés."],
    ["demain", "Demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés."],
  ])("past midnight, understands %s from the new day", async (quand, said) => {
    expect(await ask(JUST_PAST_MIDNIGHT, quand)).toBe(said);
  });

  it.each([
    ["cet après-midi", "09:10", "Cet après-midi à Montréal : nuageux, entre 12 et 17 degrés."],
    ["à matin", "09:10", "Ce matin à Montréal : nuageux, environ 11 degrés."],
    ["demain matin", "14:00", "Demain matin à Montréal : nuageux, entre 6 et 11 degrés."],
    ["demain après-midi", "23:50", "Demain après-midi à Montréal : nuageux, entre 12 et 17 degrés."],
    ["tantôt", "09:10", "Cet après-midi à Montréal : nuageux, entre 12 et 17 degrés."],
    ["tantôt", "14:00", "Cet après-midi à Montréal : nuageux, entre 14 et 17 degrés."],
  ])("tells %s at %s from the hours that are known", async (quand, time, said) => {
    expect(await ask(at(time), quand)).toBe(`${said} Vents d'ouest à 20 kilomètres à l'heure.`);
  });
});

describe("a day", () => {
  it.each([
    ["demain", "23:50", "Demain, jeudi, à Montréal : ensoleillé. Maximum de 26 degrés."],
    ["après-demain", "14:00", "Après-demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés."],
    ["mercredi", "09:10", "Aujourd'hui à Montréal : ensoleillé. Maximum de 25 degrés."],
    ["jeudi", "09:10", "Demain, jeudi, à Montréal : ensoleillé. Maximum de 26 degrés."],
    ["vendredi", "22:00", "Après-demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés."],
    ["samedi", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["samedi prochain", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["SAMEDI", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["dimanche", "23:50", "Dimanche à Montréal : ensoleillé. Maximum de 29 degrés."],
    ["lundi", "09:10", "Lundi à Montréal : ensoleillé. Maximum de 30 degrés."],
    ["mardi", "09:10", "Mardi à Montréal : ensoleillé. Maximum de 1 degré."],
    ["dans trois jours", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["2026-11-28", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["samedi 28 novembre", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["samedi le 28", "14:00", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["le premier décembre", "14:00", "Mardi à Montréal : ensoleillé. Maximum de 1 degré."],
    ["le 1er décembre", "14:00", "Mardi à Montréal : ensoleillé. Maximum de 1 degré."],
    ["le 1", "14:00", "Mardi à Montréal : ensoleillé. Maximum de 1 degré."],
  ])("understands %s at %s", async (quand, time, said) => {
    expect(await ask(at(time), quand)).toBe(said);
  });

  it.each([
    ["le trente novembre", "Lundi à Montréal : ensoleillé. Maximum de 30 degrés."],
    ["LE TRENTE NOVEMBRE", "Lundi à Montréal : ensoleillé. Maximum de 30 degrés."],
    ["vingt-huit novembre", "Samedi à Montréal : ensoleillé. Maximum de 28 degrés."],
    ["le vingt neuf", "Dimanche à Montréal : ensoleillé. Maximum de 29 degrés."],
  ])("reads the number of %s in letters", async (quand, said) => {
    expect(await ask(at("14:00"), quand)).toBe(said);
  });

  it("reads « trente et un » as 31, not as the first", async () => {
    const said = await ask(clock("2026-12-28 14:00"), "le trente et un décembre");
    expect(said).toBe("Jeudi à Montréal : ensoleillé. Maximum de 31 degrés.");
  });
});

describe("an hour", () => {
  const hourly = (label: string, hour: string) =>
    `${label} à Montréal : nuageux, ${hour}. Vents d'ouest à 20 kilomètres à l'heure.`;

  it.each([
    ["à 15 heures", "09:10", "À 15 heures", "15 degrés"],
    ["à quinze heures", "09:10", "À 15 heures", "15 degrés"],
    ["à 16 heures", "15:40", "À 16 heures", "16 degrés"],
    ["à 15 heures", "16:10", "Demain à 15 heures", "15 degrés"],
    ["à 5 heures", "14:00", "À 17 heures", "17 degrés"],
    ["à 3 heures et demie", "09:10", "À 15 heures 30", "15 degrés"],
    ["ce soir à 2h du matin", "14:00", "Demain à 2 heures", "2 degrés"],
    ["ce soir à une heure du matin", "14:00", "Demain à une heure", "1 degré"],
    ["17h30", "14:00", "À 17 heures 30", "17 degrés"],
    ["17:30", "14:00", "À 17 heures 30", "17 degrés"],
    ["17 heures 30", "22:00", "Demain à 17 heures 30", "17 degrés"],
    ["quinze heures trente", "09:10", "À 15 heures 30", "15 degrés"],
    ["quatre heures moins quart", "09:10", "À 15 heures 45", "15 degrés"],
    ["5 heures moins 10", "14:00", "À 16 heures 50", "16 degrés"],
    ["à midi", "09:10", "À midi", "12 degrés"],
    ["à midi", "14:00", "Demain à midi", "12 degrés"],
    ["midi et demi", "09:10", "À midi 30", "12 degrés"],
    ["ce midi", "09:10", "À midi", "12 degrés"],
    ["minuit", "14:00", "À minuit", "zéro degré"],
    ["à minuit", "23:50", "À minuit", "zéro degré"],
    ["minuit et quart", "22:00", "À minuit 15", "zéro degré"],
    ["ce soir à 0h30", "22:00", "À minuit 30", "zéro degré"],
    ["9 heures du soir", "14:00", "À vingt et une heures", "21 degrés"],
    ["9 heures du soir", "22:30", "Demain à vingt et une heures", "21 degrés"],
    ["ce soir à 8 heures", "14:00", "À 20 heures", "20 degrés"],
    ["à 11 heures cette nuit", "14:00", "À 23 heures", "23 degrés"],
    ["à 2 heures cette nuit", "22:00", "Demain à 2 heures", "2 degrés"],
    ["demain à 8 heures", "14:00", "Demain à 8 heures", "8 degrés"],
    ["demain après-midi à 2 heures", "23:50", "Demain à 14 heures", "14 degrés"],
    ["5 pm", "14:00", "À 17 heures", "17 degrés"],
    ["5:30 p.m.", "14:00", "À 17 heures 30", "17 degrés"],
    ["2026-11-26T08:00", "14:00", "Demain à 8 heures", "8 degrés"],
    ["jeudi à 8 heures 30", "22:00", "Demain à 8 heures 30", "8 degrés"],
    ["à 8 heures 30 jeudi le 26 novembre", "22:00", "Demain à 8 heures 30", "8 degrés"],
  ])("understands %s at %s", async (quand, time, label, degrees) => {
    expect(await ask(at(time), quand)).toBe(hourly(label, degrees));
  });

  it.each([
    ["à 2 heures cette nuit", "À 2 heures", "2 degrés"],
    ["à 3 heures et demie", "À 3 heures 30", "3 degrés"],
    ["à minuit", "À minuit", "zéro degré"],
  ])("past midnight, understands %s from the new day", async (quand, label, degrees) => {
    expect(await ask(JUST_PAST_MIDNIGHT, quand)).toBe(hourly(label, degrees));
  });

  it.each([
    [
      "vendredi à 17 heures 30",
      "Après-demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés. L'heure précise n'est pas encore prévue.",
    ],
    [
      "vendredi 17:30",
      "Après-demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés. L'heure précise n'est pas encore prévue.",
    ],
    [
      "vendredi soir à 8 heures",
      "Vendredi soir et durant la nuit à Montréal : dégagé. Minimum de moins 27 degrés. L'heure précise n'est pas encore prévue.",
    ],
    [
      "vendredi à 3 heures du matin",
      "Demain soir et durant la nuit à Montréal : dégagé. Minimum de moins 26 degrés. L'heure précise n'est pas encore prévue.",
    ],
    [
      "demain soir à 1 heure",
      "Demain soir et durant la nuit à Montréal : dégagé. Minimum de moins 26 degrés. L'heure précise n'est pas encore prévue.",
    ],
  ])("tells the half-day of %s, beyond the hours that are known", async (quand, said) => {
    expect(await ask(at("14:00"), quand)).toBe(said);
  });

  it.each(["à 9h", "à 9 heures", "ce matin à 9 heures", "mercredi à 9 heures"])(
    "is what is seen now when it is under way: %s",
    async (quand) => {
      expect(await ask(at("09:20"), quand)).toBe(
        "À Montréal, il fait zéro degré, sous un ciel nuageux. Les vents sont calmes.",
      );
    },
  );
});

describe("a length of time", () => {
  const hourly = (label: string, range: string) =>
    `${label} à Montréal : nuageux, ${range}. Vents d'ouest à 20 kilomètres à l'heure.`;

  it.each([
    ["dans 2 heures", "14:00", "À 16 heures", "16 degrés"],
    ["dans deux heures", "14:50", "À 17 heures", "17 degrés"],
    ["dans une heure", "09:10", "À 10 heures", "10 degrés"],
    ["dans 2 heures", "23:50", "Demain à 2 heures", "2 degrés"],
    ["dans une demi-heure", "14:00", "D'ici 15 heures", "14 degrés"],
    ["dans 20 minutes", "14:00", "D'ici 15 heures", "14 degrés"],
    ["dans un instant", "14:00", "D'ici 15 heures", "14 degrés"],
    ["la prochaine heure", "14:00", "D'ici 15 heures", "14 degrés"],
    ["d'ici 3 heures", "14:00", "D'ici 17 heures", "entre 14 et 16 degrés"],
    ["les prochaines heures", "14:00", "D'ici 17 heures", "entre 14 et 16 degrés"],
    ["les 6 prochaines heures", "14:00", "D'ici 20 heures", "entre 14 et 19 degrés"],
    ["d'ici 3 heures", "22:00", "D'ici une heure cette nuit", "entre zéro et 23 degrés"],
    ["d'ici 12 heures", "22:00", "D'ici 10 heures demain matin", "entre zéro et 23 degrés"],
    ["d'ici 18 heures", "14:00", "D'ici 18 heures", "entre 14 et 17 degrés"],
    ["d'ici midi", "09:10", "D'ici midi", "environ 11 degrés"],
    ["d'ici minuit", "14:00", "D'ici minuit", "entre 14 et 23 degrés"],
    ["d'ici ce soir", "14:00", "D'ici minuit", "entre 14 et 23 degrés"],
    ["d'ici demain matin", "22:00", "D'ici midi demain", "entre zéro et 23 degrés"],
  ])("understands %s at %s", async (quand, time, label, range) => {
    expect(await ask(at(time), quand)).toBe(hourly(label, range));
  });

  it.each([
    ["entre 14 et 17 heures", "09:10", "Entre 14 et 17 heures", "entre 14 et 16 degrés"],
    ["de 14h à 17h", "09:10", "Entre 14 et 17 heures", "entre 14 et 16 degrés"],
    ["entre 2 et 5 heures", "13:10", "Entre 14 et 17 heures", "entre 14 et 16 degrés"],
    ["entre 14 et 17 heures", "15:10", "D'ici 17 heures", "16 degrés"],
    ["entre 14 et 17 heures", "22:00", "Demain entre 14 et 17 heures", "entre 14 et 16 degrés"],
    ["demain de 8 heures à midi", "22:00", "Demain entre 8 heures et midi", "entre 8 et 11 degrés"],
    ["ce soir entre 7 et 9 heures", "14:00", "Entre 19 et vingt et une heures", "environ 20 degrés"],
    ["entre 22 heures et minuit", "14:00", "Entre 22 heures et minuit", "environ 23 degrés"],
  ])("understands %s at %s", async (quand, time, label, range) => {
    expect(await ask(at(time), quand)).toBe(hourly(label, range));
  });

  it("tells the half-day of some hours beyond those that are known", async () => {
    expect(await ask(at("14:00"), "vendredi entre 14 et 17 heures")).toBe(
      "Après-demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés.",
    );
  });

  it("past midnight, « d'ici 3 heures » doesn't end at 3 hours of another day", async () => {
    expect(await ask(JUST_PAST_MIDNIGHT, "d'ici 3 heures")).toBe(
      hourly("D'ici 3 heures cette nuit", "environ 2 degrés"),
    );
  });

  it.each(["les 24 prochaines heures", "d'ici 24 heures", "d'ici demain"])("tells %s by half-days", async (quand) => {
    const said = await ask(at("14:00"), quand);
    expect(said).toContain("Aujourd'hui : ensoleillé, 25 degrés; moins 25 la nuit. ");
    expect(said).toContain("Demain, jeudi : ensoleillé, 26 degrés; moins 26 la nuit.");
    expect(said).not.toContain("vendredi");
  });

  it("tells every day up to the one that « d'ici » names", async () => {
    const said = await ask(at("14:00"), "d'ici vendredi", 4);
    expect(maximums(said)).toEqual(["25", "26", "27"]);
  });
});

describe("what could be another day", () => {
  it.each([
    ["la nuit de samedi à dimanche", "Samedi soir et durant la nuit à Montréal : dégagé. Minimum de moins 28 degrés."],
    ["dans la nuit de vendredi", "Vendredi soir et durant la nuit à Montréal : dégagé. Minimum de moins 27 degrés."],
    ["dimanche soir", "Dimanche soir et durant la nuit à Montréal : dégagé. Minimum de moins 29 degrés."],
  ])("takes %s for the first day of it", async (quand, said) => {
    expect(await ask(at("14:00"), quand)).toContain(said);
  });

  it.each([
    ["samedi et dimanche", ["28", "29"]],
    ["demain et après-demain", ["26", "27"]],
    ["aujourd'hui pis demain", ["25", "26"]],
    ["de vendredi à lundi", ["27", "28", "29", "30"]],
    ["jeudi, vendredi et samedi", ["26", "27", "28"]],
    ["dimanche à mardi", ["29", "30", "1"]],
  ])("tells each day of « %s »", async (quand, dates) => {
    const said = await ask(at("14:00"), quand, 6);
    expect(maximums(said)).toEqual(dates);
  });

  it.each([
    ["ce soir ou demain", "14:00", ["moins 25", "ensoleillé, 26 degrés"]],
    ["cette nuit ou demain matin", "09:10", ["moins 25", "ensoleillé, 26 degrés"]],
    ["cette nuit ou demain matin", "14:00", ["Entre vingt et une heures et midi", "entre zéro et 23 degrés"]],
    ["demain soir et après-demain", "14:00", ["moins 26", "ensoleillé, 27 degrés"]],
    ["cet après-midi et ce soir", "09:10", ["Entre midi et minuit", "entre 12 et 23 degrés"]],
    ["ce matin et cet après-midi", "09:10", ["D'ici 18 heures", "entre 10 et 17 degrés"]],
    ["demain matin et demain soir", "14:00", ["ensoleillé, 26 degrés", "moins 26"]],
    ["samedi soir et dimanche", "14:00", ["moins 28", "ensoleillé, 29 degrés"]],
    ["vendredi soir et samedi matin", "14:00", ["moins 27", "ensoleillé, 28 degrés"]],
    ["lundi-mardi", "14:00", ["ensoleillé, 30 degrés", "ensoleillé, 1 degré"]],
  ])("tells both moments of « %s » at %s", async (quand, time, told) => {
    const said = await ask(at(time), quand, 5);
    expect({ said, missing: told.filter((one) => !said.includes(one)) }).toEqual({ said, missing: [] });
  });

  it("begins no earlier than the first of two moments", async () => {
    expect(await ask(at("14:00"), "demain soir et après-demain", 5)).not.toMatch(/ 26 degrés.*moins 26/);
    expect(await ask(at("14:00"), "samedi soir et dimanche", 5)).not.toContain(" 28 degrés; ");
  });

  it.each([
    ["demain avant 8 heures", "Demain entre minuit et 8 heures", "entre zéro et 7 degrés"],
    ["avant minuit", "D'ici minuit", "entre 14 et 23 degrés"],
    ["après 17 heures", "Entre 17 heures et minuit", "entre 17 et 23 degrés"],
    ["à partir de 18 heures", "Entre 18 et 6 heures", "entre zéro et 23 degrés"],
  ])("takes « %s » for an interval", async (quand, label, range) => {
    expect(await ask(at("14:00"), quand)).toBe(
      `${label} à Montréal : nuageux, ${range}. Vents d'ouest à 20 kilomètres à l'heure.`,
    );
  });

  it.each([
    ["à partir de demain", 26],
    ["dès demain", 26],
    ["à partir de samedi", 28],
  ])("begins « %s » with that day", async (quand, date) => {
    expect(await ask(at("14:00"), quand, 9)).toMatch(
      new RegExp(`[Ee]nsoleillé[^m]* ${date} degrés|Maximum de ${date} degrés`),
    );
  });

  it("says in the morning what « am » says", async () => {
    expect(await ask(at("14:00"), "demain am")).toBe(await ask(at("14:00"), "demain matin"));
  });

  it.each([
    "mercredi le 4",
    "demain vendredi",
    "demain matin samedi",
    "vendredi le 4",
    "après-demain samedi",
    "aujourd'hui jeudi",
  ])("refuses « %s », or says that it is far", async (quand) => {
    expect(await refuse(at("14:00"), quand)).toMatch(
      /^(?:Le jour et la date ne vont pas ensemble|Cette date n'existe pas|C'est trop loin)/,
    );
  });

  it("takes the weekday of the next week for that one, never for the one of this week", async () => {
    expect(await refuse(at("14:00"), "jeudi de la semaine prochaine")).toMatch(/^C'est trop loin/);
    expect(await ask(at("14:00"), "lundi de la semaine prochaine")).toBe(
      "Lundi à Montréal : ensoleillé. Maximum de 30 degrés.",
    );
    expect(await ask(clock("2026-11-29 14:00"), "jeudi de la semaine prochaine")).toBe(
      "Jeudi à Montréal : ensoleillé. Maximum de 3 degrés.",
    );
  });

  it("refuses a date that isn't of the weekday said with it, and says which it is", async () => {
    const said =
      "Le jour et la date ne vont pas ensemble : c'est le samedi 28 novembre. Rien n'a été cherché. Redemande avec l'un ou l'autre.";
    expect(await refuse(at("14:00"), "dimanche 28 novembre")).toBe(said);
    expect(await refuse(at("14:00"), "dimanche 2026-11-28")).toBe(said);
  });

  it.each([
    ["demain matin", "Demain, vendredi, pour la journée à Montréal : ensoleillé. Maximum de 27 degrés."],
    ["demain soir", "Vendredi soir et durant la nuit à Montréal : dégagé. Minimum de moins 27 degrés."],
    ["demain à 15 heures", "Demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés."],
    ["la nuit prochaine", "Ce soir et la nuit prochaine à Montréal : dégagé. Minimum de moins 26 degrés."],
  ])("past midnight, names the weekday of « %s »", async (quand, said) => {
    expect(await ask(JUST_PAST_MIDNIGHT, quand)).toContain(said);
  });

  it("past midnight, calls the morning of the next date by its weekday", async () => {
    const before6 = clock("2026-11-26 05:50");
    expect(await ask(before6, "demain à 4 heures")).toContain("Vendredi à 4 heures à Montréal : nuageux, 4 degrés.");
  });
});

describe("a moment that is over", () => {
  const PAST =
    "Ce moment est passé : je ne garde pas le temps qu'il a fait. Ça ne changera pas en redemandant, et ça ne veut pas dire que la suite est inconnue. Demande le temps de maintenant, ou un moment à venir.";

  it.each([
    ["hier", "14:00"],
    ["hier soir", "14:00"],
    ["avant-hier", "14:00"],
    ["samedi passé", "14:00"],
    ["la semaine dernière", "14:00"],
    ["il y a deux jours", "14:00"],
    ["la nuit passée", "09:10"],
    ["ce matin", "14:00"],
    ["à matin", "22:00"],
    ["ce midi", "14:00"],
    ["cet après-midi", "20:00"],
    ["cet après-midi à 3 heures", "20:00"],
    ["2026-11-24", "14:00"],
    ["le 5 décembre 2020", "14:00"],
  ])("says that %s is over at %s", async (quand, time) => {
    expect(await refuse(at(time), quand)).toBe(PAST);
  });

  it("doesn't say it of what will happen, or of « passé midi »", async () => {
    expect(await ask(at("09:10"), "ce qui va se passer demain")).toContain("Demain, jeudi");
    expect(await ask(at("09:10"), "passé midi")).toContain("À midi");
  });

  it("takes the weekday of today for the next one when that part of it is over", async () => {
    expect(await refuse(at("14:00"), "mercredi matin")).toContain("C'est trop loin");
    expect(await ask(at("09:10"), "mercredi matin")).toContain("Ce matin à Montréal");
  });

  it.each(["tantôt", "plus tard", "tout à l'heure"])("in the evening, takes %s for the rest of it", async (quand) => {
    expect(await ask(at("20:00"), quand)).toBe(
      "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 25 degrés.",
    );
  });
});

describe("a moment that the forecast doesn't reach", () => {
  const FAR =
    "C'est trop loin : les prévisions ne vont qu'à six ou sept jours d'avance. Ça ne veut pas dire qu'il fera beau ou mauvais. Redemande quelques jours avant, ou demande les sept prochains jours.";

  it.each([
    "à Noël",
    "le premier janvier",
    "le jour de l'an",
    "le premier de l'an",
    "la Saint-Jean",
    "samedi 5 décembre",
    "2026-12-05",
    "dans une semaine",
    "dans dix jours",
    "vendredi en huit",
    "le mois prochain",
    "le 20",
  ])("says how far it goes for %s", async (quand) => {
    expect(await refuse(at("14:00"), quand)).toBe(FAR);
  });

  it("names the last half-day when the moment is just after it", async () => {
    expect(await refuse(at("14:00"), "mercredi prochain")).toBe(
      "C'est trop loin : les prévisions pour Montréal vont jusqu'à mardi en fin de journée. Ça ne veut pas dire qu'il fera beau ou mauvais. Demande un moment d'ici là, ou redemande demain.",
    );
  });

  it("understands the 5 December once it is near", async () => {
    const tuesday = clock("2026-12-01 14:00");
    for (const quand of ["le 5 décembre", "2026-12-05", "samedi 5 décembre", "le cinq", "samedi"]) {
      expect(await ask(tuesday, quand)).toBe("Samedi à Montréal : ensoleillé. Maximum de 5 degrés.");
    }
  });

  it.each(["le 31 novembre", "le 30 février", "2026-11-31", "2026-13-01", "le 45 décembre"])(
    "says that %s doesn't exist",
    async (quand) => {
      expect(await refuse(at("14:00"), quand)).toBe(
        "Cette date n'existe pas dans le calendrier. Rien n'a été cherché. Vérifie le jour et le mois, et redemande.",
      );
    },
  );
});

describe("several days", () => {
  it.each([
    ["lundi", "2026-11-23", ["28", "29"]],
    ["mardi", "2026-11-24", ["28", "29"]],
    ["mercredi", "2026-11-25", ["28", "29"]],
    ["jeudi", "2026-11-26", ["28", "29"]],
    ["vendredi", "2026-11-27", ["28", "29"]],
    ["samedi", "2026-11-28", ["28", "29"]],
    ["dimanche", "2026-11-29", ["29", "5"]],
  ])("understands « la fin de semaine » on a %s", async (_, day, dates) => {
    for (const quand of ["la fin de semaine", "en fin de semaine", "le week-end", "le weekend"]) {
      expect(maximums(await ask(clock(`${day} 14:00`), quand, 4))).toEqual(dates);
    }
  });

  it("on a Sunday, tells what is left of the week-end, and that the next one is beyond", async () => {
    expect(await ask(clock("2026-11-29 14:00"), "la fin de semaine")).toBe(
      "Voici ce qui reste de la fin de semaine à Montréal. Aujourd'hui : ensoleillé, 29 degrés; moins 29 la nuit. Samedi prochain : ensoleillé, 5 degrés; le dimanche n'est pas encore annoncé.",
    );
    expect(await ask(clock("2026-11-29 20:00"), "la fin de semaine")).toBe(
      "Voici ce qui reste de la fin de semaine à Montréal. Ce soir et cette nuit : dégagé; minimum de moins 29 degrés. Samedi prochain : ensoleillé, 5 degrés; le dimanche n'est pas encore annoncé.",
    );
  });

  it("on a Saturday evening too, tells what is left of the week-end", async () => {
    expect(await ask(clock("2026-11-28 20:00"), "la fin de semaine")).toBe(
      "Voici ce qui reste de la fin de semaine à Montréal. Ce soir et cette nuit : dégagé; minimum de moins 28 degrés. Demain, dimanche : ensoleillé, 29 degrés; moins 29 la nuit.",
    );
    expect(await ask(clock("2026-11-28 14:00"), "la fin de semaine")).toMatch(/^Voici la fin de semaine à Montréal\. /);
  });

  it("on a Sunday whose forecast stops before Saturday, says that the next week-end isn't known", async () => {
    const periods = Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0 ? { sky: "Ensoleillé.", high: 29 } : { sky: "Dégagé.", low: -29 },
    );
    expect(await ask(clock("2026-11-29 14:00"), "la fin de semaine", 3, { periods })).toBe(
      "Voici ce qui reste de la fin de semaine à Montréal. Aujourd'hui : ensoleillé, 29 degrés; moins 29 la nuit. La fin de semaine prochaine n'est pas encore dans les prévisions.",
    );
  });

  it("on a Sunday, tells the Saturday of the next week-end, and that the forecast stops there", async () => {
    expect(await ask(clock("2026-11-29 14:00"), "la fin de semaine prochaine")).toBe(
      "Voici la fin de semaine à Montréal. Samedi : ensoleillé, 5 degrés. Les prévisions s'arrêtent à samedi.",
    );
  });

  it("on a Saturday, the next week-end is too far", async () => {
    expect(await refuse(clock("2026-11-28 14:00"), "la fin de semaine prochaine")).toContain("vont jusqu'à vendredi");
  });

  it.each(["sept jours", "7 jours", "les sept prochains jours", "la semaine", "cette semaine"])(
    "tells seven days for %s, a sentence each",
    async (quand) => {
      const said = await ask(at("14:00"), quand, 8);
      expect(maximums(said)).toEqual(["25", "26", "27", "28", "29", "30", "1"]);
      expect(said).not.toContain("s'arrêtent");
    },
  );

  it("says that fifteen days are more than the forecast has", async () => {
    const said = await ask(at("14:00"), "les quinze prochains jours", 9);
    expect(maximums(said)).toEqual(["25", "26", "27", "28", "29", "30", "1"]);
    expect(said).toMatch(/ Les prévisions s'arrêtent à mardi\.$/);
  });

  it.each(["trois jours", "les trois prochains jours", "les 3 jours", "dans les trois prochains jours"])(
    "tells three days for %s",
    async (quand) => {
      expect(maximums(await ask(at("14:00"), quand, 4))).toEqual(["25", "26", "27"]);
    },
  );

  it("begins « la semaine prochaine » on Monday, and says where the forecast stops", async () => {
    expect(await ask(at("14:00"), "la semaine prochaine", 4)).toBe(
      "Voici la semaine prochaine à Montréal. Lundi : ensoleillé, 30 degrés; moins 30 la nuit. Mardi : ensoleillé, 1 degré. Les prévisions s'arrêtent à mardi.",
    );
    expect(maximums(await ask(clock("2026-11-29 14:00"), "la semaine prochaine", 8))).toEqual(
      "30 1 2 3 4 5".split(" "),
    );
    expect(await refuse(clock("2026-11-23 14:00"), "la semaine prochaine")).toContain("vont jusqu'à dimanche");
  });
});

describe("what isn't a moment", () => {
  const UNKNOWN =
    "Je n'ai pas compris le moment. Je comprends « maintenant », « ce soir », « cette nuit », « demain matin », « samedi », « la fin de semaine », « sept jours », « à 15 heures » ou « le 5 décembre ». " +
    "Rien n'a été cherché, et ça ne veut pas dire qu'il n'y a pas de prévisions. Redemande avec une de ces façons de dire.";

  it.each([
    "n'importe quoi",
    "tomorrow",
    "tonight",
    "on Saturday",
    "25 heures",
    "17h75",
    "décembre",
    "42",
    "🌧️",
    "<script>alert(1)</script>",
    "a".repeat(60),
    "1".repeat(60),
    "h".repeat(60),
    `${"un ".repeat(19)}un`,
    "99999-99-99",
    "vendredy soir",
    "vend soir",
    "samdi soir",
    "demin soir",
    "demain, pas ce soir",
    "demain mais pas ce soir",
    "dans -3 heures",
    "dans −3 heures",
    "dans moins 3 heures",
  ])("says what is understood when it hears %s, and asks nothing of the source", async (quand) => {
    expect(await refuse(at("14:00"), quand)).toBe(UNKNOWN);
  });

  it("says that a text of more than sixty characters is too long", async () => {
    expect(await refuse(at("14:00"), "b".repeat(61))).toContain("« quand »");
  });

  it("hears a moment among other words, in capitals or without accents", async () => {
    expect(await ask(at("14:00"), "ÇA VA ÊTRE COMMENT DEMAIN ?")).toContain("Demain, jeudi");
    expect(await ask(at("14:00"), "apres-demain")).toContain("Après-demain, vendredi");
    expect(await ask(at("14:00"), "aujourd’hui")).toContain("Aujourd'hui à Montréal");
  });

  it.each(["maintenant", "en ce moment", "tout de suite", "présentement"])(
    "takes %s for the conditions",
    async (quand) => {
      expect(await ask(at("14:00"), quand)).toContain("À Montréal, il fait zéro degré, sous un ciel nuageux.");
    },
  );
});
