// « Quand »: what a person says of a moment, and the moment that is answered. The pages tell their dates by their numbers.
import { describe, expect, it } from "vitest";
import { ask, clock } from "./calendar.ts";

/** A Wednesday of November, at these hours. */
const at = (time: string) => clock(`2026-11-25 ${time}`);
const JUST_PAST_MIDNIGHT = clock("2026-11-26 00:10");

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
    ["ce soir", "Ce soir et cette nuit à Montréal : dégagé. Minimum de moins 26 degrés."],
    ["aujourd'hui", "Aujourd'hui à Montréal : ensoleillé. Maximum de 26 degrés."],
    ["demain", "Demain, vendredi, à Montréal : ensoleillé. Maximum de 27 degrés."],
  ])("past midnight, understands %s from the new day", async (quand, said) => {
    expect(await ask(JUST_PAST_MIDNIGHT, quand)).toBe(said);
  });

  it.each([
    ["cet après-midi", "09:10", "Cet après-midi à Montréal : nuageux, entre 12 et 17 degrés."],
    ["à matin", "09:10", "Ce matin à Montréal : nuageux, entre 10 et 11 degrés."],
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
    ["à 15 heures", "15:40", "À 15 heures", "16 degrés"],
    ["à 15 heures", "16:10", "Demain à 15 heures", "15 degrés"],
    ["à 5 heures", "14:00", "À 17 heures", "17 degrés"],
    ["à 3 heures et demie", "09:10", "À 15 heures 30", "15 degrés"],
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
  ])("tells the half-day of %s, beyond the hours that are known", async (quand, said) => {
    expect(await ask(at("14:00"), quand)).toBe(said);
  });
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
    ["d'ici midi", "09:10", "D'ici midi", "entre 10 et 11 degrés"],
    ["d'ici minuit", "14:00", "D'ici minuit", "entre 14 et 23 degrés"],
    ["d'ici ce soir", "14:00", "D'ici minuit", "entre 14 et 23 degrés"],
    ["d'ici demain matin", "22:00", "D'ici midi demain", "entre zéro et 23 degrés"],
  ])("understands %s at %s", async (quand, time, label, range) => {
    expect(await ask(at(time), quand)).toBe(hourly(label, range));
  });

  it("past midnight, « d'ici 3 heures » doesn't end at 3 hours of another day", async () => {
    expect(await ask(JUST_PAST_MIDNIGHT, "d'ici 3 heures")).toBe(
      hourly("D'ici 3 heures cette nuit", "entre 1 et 3 degrés"),
    );
  });

  it.each(["les 24 prochaines heures", "d'ici 24 heures", "d'ici demain"])("tells %s by half-days", async (quand) => {
    const said = await ask(at("14:00"), quand);
    expect(said).toContain("Aujourd'hui : ensoleillé, maximum de 25 degrés; minimum de moins 25 degrés la nuit. ");
    expect(said).toContain("Demain, jeudi : ensoleillé, maximum de 26 degrés; minimum de moins 26 degrés la nuit.");
    expect(said).not.toContain("vendredi");
  });

  it("tells every day up to the one that « d'ici » names", async () => {
    const said = await ask(at("14:00"), "d'ici vendredi", 4);
    expect(said.match(/maximum de \d+/g)).toEqual(["maximum de 25", "maximum de 26", "maximum de 27"]);
  });
});
