// The linter itself: what it must hear, and what it must let through.
import { describe, expect, it } from "vitest";
import { faultsOf } from "./voice.ts";

describe("the linter of speech", () => {
  it.each([
    "Il fait moins zéro degré.",
    "Il fait plus 0.",
    "Il fait 0 degré.",
    "Il fait 1 degrés.",
    "Il fait zéro degrés.",
    "Il fait 12 degré.",
    "Il fait -12 degrés.",
    "Il fait − 12 degrés.",
    "Il fait 12°.",
    "Vents à 30 km/h.",
    "Visibilité de 2 km.",
    "Accumulation de 1 centimètres.",
    "Accumulation de 10 centimètre.",
    "Pression de 101 kPa.",
    "PdP de 40 pour cent.",
    "L'indice UV est de 8.",
    "La cote est N.D.",
    "La cote est N,D.",
    "Il y a 0 pour cent de probabilité.",
    "À 15 heures 05, il pleut.",
    "Émis à 15 h.",
    "Vents du ouest à 20 kilomètres à l'heure.",
    "Vents de est à 20 kilomètres à l'heure.",
    "Il pleut à à Montréal.",
    "Il pleut moins moins fort.",
    "Il pleut à .",
    "La neige de, puis la pluie.",
    "Demain : . Vents légers.",
    "Alertes (2) à Montréal.",
    "AVERTISSEMENT de neige.",
  ])("hears what is wrong in « %s »", (sentence) => {
    expect(faultsOf(sentence)).not.toEqual([]);
  });

  it.each([
    "Il fait zéro degré à Montréal.",
    "Il fait 1 degré, ressenti moins 1 avec le vent.",
    "Il fait moins 21 degrés sous un ciel dégagé.",
    "Vents de l'ouest à 1 kilomètre à l'heure, puis d'est à 20 kilomètres à l'heure.",
    "On annonce 0 virgule 5 centimètre de neige, puis 12 virgule 5 centimètres.",
    "L'indice U V est de 8, très élevé.",
    "Il y a 40 pour cent de probabilité d'averses entre 10 heures et midi.",
    "Le vent vient du sud-est, puis du nord-ouest.",
    "Le Canadien a gagné 3 à 0; il a 10 minutes de punition.",
    "Le maximum de 25 dépasse de 4 degrés la normale, qui est de 21.",
    "Il a dit « moins zéro, 12 km, N.D. » hier.",
  ])("lets « %s » through", (sentence) => {
    expect(faultsOf(sentence)).toEqual([]);
  });
});
