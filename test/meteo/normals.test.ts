// The forecast beside the normals of the season: the day's with the day's, the night's with the night's.
import { describe, expect, it } from "vitest";
import {
  badGateway,
  failing,
  MUTATION_NAMES,
  mutate,
  type Page,
  type Period,
  SUMMER,
  summerPage,
  trouble,
  truncated,
  WINTER,
  winterPage,
} from "./payloads.ts";
import { html, PAGE, Source } from "./source.ts";

const hear = (page: object, at = SUMMER) => new Source({ [PAGE("qc-147")]: page }).say("meteo_normales", at);
/** Today's maximum and tonight's minimum, and the normal ones. */
const pageOf = (high: number, low: number, normals: Page["normals"], more: Partial<Page> = {}) =>
  summerPage({
    normals,
    periods: [
      { sky: { fr: "Ensoleillé.", en: "Sunny." }, high },
      { sky: { fr: "Dégagé.", en: "Clear." }, low },
    ],
    ...more,
  });
const DAY = "À Montréal, aujourd'hui, le maximum prévu de";
const NIGHT = "Ce soir et cette nuit, le minimum prévu de";

describe("the forecast beside the normals", () => {
  it("says by how much today's maximum and tonight's minimum are above", async () => {
    expect(await hear(summerPage())).toBe(
      `${DAY} 29 dépasse de 3 degrés la normale, qui est de 26. ${NIGHT} 19 dépasse de 2 degrés la normale, qui est de 17.`,
    );
  });

  it.each([
    [31, 27, "31 dépasse de 4 degrés la normale, qui est de 27"],
    [29, 27, "29 dépasse de 2 degrés la normale, qui est de 27"],
    [28, 27, "28 est près de la normale, qui est de 27"],
    [27, 27, "27 correspond à la normale"],
    [26, 27, "26 est près de la normale, qui est de 27"],
    [25, 27, "25 est inférieur de 2 degrés à la normale, qui est de 27"],
    [0, -4, "zéro dépasse de 4 degrés la normale, qui est de moins 4"],
    [-4, 0, "moins 4 est inférieur de 4 degrés à la normale, qui est de zéro"],
    [-1, 1, "moins 1 est inférieur de 2 degrés à la normale, qui est de 1"],
    [-12, -3, "moins 12 est inférieur de 9 degrés à la normale, qui est de moins 3"],
    [-3, -12, "moins 3 dépasse de 9 degrés la normale, qui est de moins 12"],
    [-0.4, 0.4, "zéro correspond à la normale"],
    [4.6, 2.4, "5 dépasse de 3 degrés la normale, qui est de 2"],
    [12, -9, "12 dépasse de 21 degrés la normale, qui est de moins 9"],
  ])("says a maximum of %d beside %d: %s", async (high, normal, said) => {
    expect(await hear(pageOf(high, 0, { high: normal, low: 0 }))).toBe(
      `${DAY} ${said}. ${NIGHT} zéro correspond à la normale.`,
    );
  });

  it("compares the night's minimum with the normal minimum", async () => {
    expect(await hear(pageOf(5, -11, { high: 5, low: -5 }))).toContain(
      `${NIGHT} moins 11 est inférieur de 6 degrés à la normale, qui est de moins 5.`,
    );
  });

  it("never calls tomorrow's maximum today's, once today's is gone", async () => {
    expect(await hear(winterPage(), WINTER)).toBe(
      "À Montréal, ce soir et cette nuit, le minimum prévu de moins 11 est près de la normale, qui est de moins 12. " +
        "Demain, vendredi, le maximum prévu de moins 4 est près de la normale, qui est de moins 3.",
    );
  });

  it("keeps the night that is under way past midnight, then the day by its name", async () => {
    const night = winterPage({ updated: "2026-02-13T05:04:00Z" });
    expect(await hear(night, "2026-02-13T05:10:00Z")).toMatch(
      /^À Montréal, cette nuit, le minimum prévu de moins 11 est près de la normale, qui est de moins 12\. Aujourd'hui, le maximum prévu de moins 4 /,
    );
  });

  it("calls the coming night « la nuit prochaine » before the morning", async () => {
    const halves = [
      { sky: "Nuageux.", high: -4 },
      { sky: "Dégagé.", low: -13 },
    ];
    const page = winterPage({ updated: "2026-02-13T10:35:00Z", issued: "2026-02-13T10:30:00Z", periods: halves });
    expect(await hear(page, "2026-02-13T10:40:00Z")).toBe(
      "À Montréal, aujourd'hui, le maximum prévu de moins 4 est près de la normale, qui est de moins 3. " +
        "Ce soir et la nuit prochaine, le minimum prévu de moins 13 est près de la normale, qui est de moins 12.",
    );
  });

  it("names the days of a place where it is still the day before", async () => {
    // 21:20 on a Saturday in Vancouver, 0:20 on Sunday in Montréal.
    const page = winterPage({
      updated: "2026-02-15T05:04:00Z",
      issued: "2026-02-15T00:45:00Z",
      zone: "America/Vancouver",
    });
    const source = new Source({ [PAGE("bc-74")]: page });
    expect(await source.say("meteo_normales", "2026-02-15T05:20:00Z", { lieu: "Vancouver" })).toBe(
      "À Vancouver, samedi soir et durant la nuit, le minimum prévu de moins 11 est près de la normale, qui est de moins 12. " +
        "Dimanche, le maximum prévu de moins 4 est près de la normale, qui est de moins 3.",
    );
  });

  it("says nothing of a half-day without its maximum or minimum", async () => {
    const rising: Period[] = [
      { sky: { fr: "Nuageux.", en: "Cloudy." }, trend: { fr: "Températures à la hausse.", en: "Rising." } },
      { sky: { fr: "Dégagé.", en: "Clear." }, low: 19 },
    ];
    expect(await hear(summerPage({ periods: rising }))).toBe(
      "À Montréal, ce soir et cette nuit, le minimum prévu de 19 dépasse de 2 degrés la normale, qui est de 17.",
    );
  });

  it("names the place that it is about", async () => {
    const source = new Source({ [PAGE("qc-2")]: summerPage() });
    expect(await source.say("meteo_normales", SUMMER, { lieu: "Drummondville" })).toMatch(/^À Drummondville, /);
    const point = new Source({ [PAGE("qc-147")]: summerPage() });
    expect(await point.say("meteo_normales", SUMMER, { lieu: "45.5, -73.6" })).toMatch(
      /^Dans le secteur de Montréal, /,
    );
  });

  it("costs one call, and none while the page is fresh", async () => {
    const source = new Source({ [PAGE("qc-147")]: summerPage() });
    await source.say("meteo_normales", SUMMER);
    await source.say("meteo_normales", "2026-08-11T12:19:00Z");
    expect(source.calls).toHaveLength(1);
  });
});

describe("what is missing", () => {
  it("says that the normals aren't available when the page has none", async () => {
    const none = "Les normales ne sont pas disponibles à Montréal en ce moment.";
    expect(await hear(mutate(summerPage(), "no normals"))).toBe(none);
    expect(await hear(mutate(summerPage(), "no forecast"))).toBe(none);
    expect(await hear(summerPage({ normals: null }))).toBe(none);
  });

  it("says the normals alone when there is no forecast", async () => {
    for (const name of ["no half-day", "no list of half-days"] as const) {
      expect(await hear(mutate(summerPage(), name))).toBe(
        "À Montréal, la normale est de 26 degrés le jour et de 17 degrés la nuit; la prévision n'est pas disponible.",
      );
    }
    expect(await hear(mutate(summerPage({ normals: { high: 1, low: -1 } }), "no half-day"))).toBe(
      "À Montréal, la normale est de 1 degré le jour et de moins 1 degré la nuit; la prévision n'est pas disponible.",
    );
  });

  it("says something of every state of a page", async () => {
    for (const name of MUTATION_NAMES) {
      for (const [page, at] of [[summerPage(), SUMMER] as const, [winterPage(), WINTER] as const]) {
        expect(await hear(mutate(page, name), at)).not.toMatch(/-\d|moins zéro/);
      }
    }
  });

  it.each([
    ["an HTML 502", badGateway],
    ["HTML under 200", () => html("<!DOCTYPE html>")],
    ["a 500 in JSON", () => failing(trouble("NoApplicableCode"), 500)],
    ["a body cut in the middle", () => truncated(summerPage())],
    ["a page of nothing", () => Response.json({})],
  ])("refuses with what to do when Environment Canada is down: %s", async (_name, route) => {
    const source = new Source({ [PAGE("qc-147")]: route });
    expect(await source.refuse("meteo_normales", SUMMER)).toBe(
      "Environnement Canada est injoignable pour l'instant. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de normales. Redemande dans cinq minutes.",
    );
    expect(source.callsTo("OPEN_METEO_API")).toEqual([]);
  });

  it("refuses when the page doesn't exist", async () => {
    expect(await new Source({}).refuse("meteo_normales", SUMMER)).toContain("n'a pas de page pour cet endroit");
  });

  it("serves a page of two hours ago with its age when the source is down, then refuses", async () => {
    const source = new Source({ [PAGE("qc-147")]: summerPage() });
    await source.say("meteo_normales", SUMMER);
    source.routes = { [PAGE("qc-147")]: badGateway };
    expect(await source.say("meteo_normales", "2026-08-11T14:10:00Z")).toMatch(
      /^Au dernier relevé, il y a 2 heures : à Montréal, aujourd'hui, le maximum prévu de 29 dépasse de 3 degrés/,
    );
    expect(await source.refuse("meteo_normales", "2026-08-11T16:10:00Z")).toContain("est injoignable");
  });

  it("says the age of a page that is no longer written", async () => {
    expect(await hear(mutate(summerPage(), "a document of 4 hours ago"))).toMatch(
      /^Au dernier relevé, il y a 4 heures : à Montréal, aujourd'hui, le maximum prévu de 29 dépasse de 3 degrés/,
    );
  });

  it("has them for Canada only, without a call", async () => {
    const source = new Source({});
    expect(await source.refuse("meteo_normales", SUMMER, { lieu: "40.71, -74.01" })).toBe(
      "Je n'ai les normales que pour le Canada. Ça ne changera pas en redemandant. Demande un endroit du Canada, ou les prévisions de l'endroit voulu.",
    );
    expect(source.calls).toEqual([]);
  });
});
