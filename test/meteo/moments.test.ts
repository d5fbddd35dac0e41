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
