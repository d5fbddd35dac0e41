// The sun: computed without a call, against another way to compute it and the recorded times.
import { describe, expect, inject, it } from "vitest";
import { localOf } from "../upstream/zones.mjs";
import { geocoder, SUMMER, WINTER } from "./payloads.ts";
import { CANADIAN_NAMES, Source, WORLD_NAMES } from "./source.ts";

const recordings = inject("recordings");
const MINUTE = 60_000;
const WORLD = {
  Paris: { lat: 48.85, lon: 2.35, country: "France", countryCode: "FR", zone: "Europe/Paris", population: 2_100_000 },
  Tokyo: { lat: 35.69, lon: 139.69, country: "Japon", countryCode: "JP", zone: "Asia/Tokyo", population: 8_300_000 },
  Canberra: {
    lat: -35.28,
    lon: 149.13,
    country: "Australie",
    countryCode: "AU",
    zone: "Australia/Sydney",
    population: 367_000,
  },
};
const abroad = {
  [CANADIAN_NAMES]: { items: [] },
  [WORLD_NAMES]: ({ searchParams }: URL) => {
    const name = searchParams.get("name") as keyof typeof WORLD;
    return Response.json(geocoder(Object.hasOwn(WORLD, name) ? [{ name, ...WORLD[name] }] : []));
  },
};
const hear = (args: object = {}, at = SUMMER) => new Source(abroad).say("meteo_soleil", at, args);
const refuse = (date: string, at = SUMMER) => new Source(abroad).refuse("meteo_soleil", at, { date });
/** The words between the place and the verb: which day the answer is about. */
const dayOf = async (date: string | undefined, at = SUMMER) =>
  /^À Montréal, (.*?), le soleil /.exec(await hear({ date }, at))?.[1];

/** « vingt et une heures 7 », « midi 10 » : minutes since midnight. */
function minutesOf(clock: string): number {
  const [, hour, minute] = /^(\d+ heures|une heure|vingt et une heures|midi|minuit)(?: (\d+))?$/.exec(clock) ?? [];
  const hours: Record<string, number> = { "une heure": 1, "vingt et une heures": 21, midi: 12, minuit: 0 };
  return (hours[hour] ?? Number.parseInt(hour, 10)) * 60 + Number(minute ?? 0);
}

/** Rise and set as they are said, in minutes since midnight. */
function clocksOf(said: string): [rise: number, set: number] {
  const [, rise, set] = / (?:se lève|s'est levé) à (.*?) et (?:se couche|s'est couché) à (.*?)[,.]/.exec(said) ?? [];
  expect([said, rise === undefined]).toEqual([said, false]);
  return [minutesOf(rise), minutesOf(set)];
}

/** Degrees of the sun's centre above the horizon, after the Astronomical Almanac's low-precision formulas. */
function altitude(at: number, lat: number, lon: number): number {
  const [sin, cos] = [Math.sin, Math.cos].map((of) => (degrees: number) => of((degrees * Math.PI) / 180));
  const days = at / 86_400_000 - 10957.5;
  const anomaly = 357.528 + 0.9856003 * days;
  const longitude = 280.46 + 0.9856474 * days + 1.915 * sin(anomaly) + 0.02 * sin(2 * anomaly);
  const tilt = 23.439 - 0.0000004 * days;
  const ascension = (Math.atan2(cos(tilt) * sin(longitude), cos(longitude)) * 180) / Math.PI;
  const declination = (Math.asin(sin(tilt) * sin(longitude)) * 180) / Math.PI;
  const angle = (18.697374558 + 24.06570982441908 * days) * 15 + lon - ascension;
  const height = sin(lat) * sin(declination) + cos(lat) * cos(declination) * cos(angle);
  return (Math.asin(height) * 180) / Math.PI;
}

/** When the sun's edge crosses the horizon on a local day, minute by minute; null when it doesn't. */
function crossings(day: string, lat: number, lon: number, zone: string): (number | null)[] {
  const noon = Date.parse(`${day}T12:00Z`);
  const [up, down]: number[][] = [[], []];
  for (let at = noon - 1440 * MINUTE; at < noon + 1440 * MINUTE; at += MINUTE) {
    const [before, after] = [at, at + MINUTE].map((moment) => altitude(moment, lat, lon) > -0.833);
    const local = localOf(at, zone);
    if (before !== after && local.day === day) (after ? up : down).push(local.hour * 60 + local.minute);
  }
  return [up[0] ?? null, down.at(-1) ?? null];
}

describe("the hours of the sun", () => {
  it("says when it rises and sets today, and how long the day is, without any call", async () => {
    const source = new Source({});
    expect(await source.say("meteo_soleil", WINTER)).toMatch(
      /^À Montréal, aujourd'hui, le soleil s'est levé à (?:6 heures 59|7 heures(?: [12])?) et s'est couché à 17 heures 1\d\. Le jour dure 10 heures et 1\d minutes\.$/,
    );
    expect(source.calls).toEqual([]);
  });

  it.each([
    ["before sunrise", "2026-06-21T08:00:00Z", "se lève", "se couche"],
    ["by day", "2026-06-21T15:00:00Z", "s'est levé", "se couche"],
    ["after sunset", "2026-06-22T02:00:00Z", "s'est levé", "s'est couché"],
    ["past midnight", "2026-06-22T04:30:00Z", "se lève", "se couche"],
  ])("is in the tense of the moment: %s", async (_name, at, rises, sets) => {
    expect(await hear({}, at)).toMatch(new RegExp(`^À Montréal, aujourd'hui, le soleil ${rises} à .* et ${sets} à `));
  });

  it("is in the past for a day that is over, in the present for one to come", async () => {
    expect(await hear({ date: "2025-12-21" })).toMatch(/le soleil s'est levé à .* et s'est couché à /);
    expect(await hear({ date: "2027-12-21" })).toMatch(/le soleil se lève à .* et se couche à /);
  });

  const PLACES: [lieu: string, lat: number, lon: number, zone: string][] = [
    ["Montréal", 45.52, -73.65, "America/Toronto"],
    ["Québec", 46.81, -71.22, "America/Toronto"],
    ["Gaspé", 48.83, -64.48, "America/Toronto"],
    ["Rouyn-Noranda", 48.24, -79.02, "America/Toronto"],
    ["Ivujivik", 62.42, -77.91, "America/Toronto"],
    ["les Îles-de-la-Madeleine", 47.4, -61.78, "America/Halifax"],
    ["Blanc-Sablon", 51.43, -57.13, "America/Blanc-Sablon"],
    ["Vancouver", 49.25, -123.12, "America/Vancouver"],
    ["Saint-Jean, Terre-Neuve", 47.56, -52.71, "America/St_Johns"],
    ["Whitehorse", 60.72, -135.05, "America/Whitehorse"],
    ["Paris", 48.85, 2.35, "Europe/Paris"],
    ["Tokyo", 35.69, 139.69, "Asia/Tokyo"],
    ["Canberra", -35.28, 149.13, "Australia/Sydney"],
  ];
  // Solstices, equinoxes, both days when clocks change, a leap day, the ends of a year.
  const DAYS =
    "2026-06-21 2026-12-21 2026-03-20 2026-09-23 2026-03-08 2026-03-29 2026-11-01 2026-10-25 2028-02-29 2026-01-01 2025-12-31 1999-08-11 2050-05-05";

  it.each(PLACES)("is within two minutes of another way to compute it: %s", async (lieu, lat, lon, zone) => {
    for (const date of DAYS.split(" ")) {
      const said = clocksOf(await hear({ lieu, date }));
      crossings(date, lat, lon, zone).forEach((expected, side) => {
        const apart = Math.abs(said[side] - (expected ?? Number.NaN));
        expect([lieu, date, said[side], expected, apart <= 2]).toEqual([lieu, date, said[side], expected, true]);
      });
    }
  });

  it.each([
    // Almanac times for Montréal.
    ["2026-06-21", 5 * 60 + 6, 20 * 60 + 47],
    ["2026-12-21", 7 * 60 + 32, 16 * 60 + 14],
    ["2026-03-20", 6 * 60 + 58, 19 * 60 + 6],
    ["2026-09-23", 6 * 60 + 43, 18 * 60 + 49],
  ])("is that of the almanac in Montréal on %s, within two minutes", async (date, rise, set) => {
    const said = clocksOf(await hear({ date }));
    expect([Math.abs(said[0] - rise) <= 2, Math.abs(said[1] - set) <= 2, said]).toEqual([true, true, said]);
  });

  it("says a length that is what lies between the two hours", async () => {
    for (const [lieu] of PLACES) {
      const said = await hear({ lieu, date: "2026-12-20" });
      const [, hours, minutes] = /Le jour dure (\d+) heures(?: et (.*) minutes?)?\./.exec(said) ?? [];
      const UNITS: Record<string, number> = { une: 1, "vingt et une": 21, "trente et une": 31 };
      const [rise, set] = clocksOf(said);
      const length = Number(hours) * 60 + (UNITS[minutes] ?? Number.parseInt(minutes ?? "0", 10));
      expect([said, length]).toEqual([said, set - rise]);
    }
  });

  it("moves by an hour on the days when clocks change", async () => {
    const apart = async (before: string, after: string) => {
      const [one, other] = [clocksOf(await hear({ date: before })), clocksOf(await hear({ date: after }))];
      return other.map((clock, side) => Math.round((clock - one[side]) / 60));
    };
    expect(await apart("2026-03-07", "2026-03-08")).toEqual([1, 1]);
    expect(await apart("2026-10-31", "2026-11-01")).toEqual([-1, -1]);
  });

  it("says whose hour it is where it isn't that of Montréal", async () => {
    expect(await hear({ lieu: "les Îles-de-la-Madeleine" })).toMatch(
      /^Aux Îles-de-la-Madeleine, .*, heure des Maritimes\./,
    );
    expect(await hear({ lieu: "Vancouver" })).toContain(", heure locale.");
    expect(await hear({ lieu: "Paris" })).toContain(", heure locale.");
    for (const lieu of ["Québec", "Gaspé", "Ottawa"]) expect(await hear({ lieu })).not.toMatch(/heure (?:locale|des)/);
  });

  it("says it by the clock of the day that was asked for", async () => {
    for (const at of [SUMMER, WINTER]) {
      expect(await hear({ lieu: "Blanc-Sablon", date: "2026-12-21" }, at)).toContain(", heure des Maritimes.");
      expect(await hear({ lieu: "Blanc-Sablon", date: "2026-06-21" }, at)).not.toContain("heure des");
    }
  });

  it("is of the place's own day", async () => {
    // Already Wednesday in Tokyo, still Tuesday in Vancouver.
    const at = "2026-08-12T03:30:00Z";
    const rise = crossings("2026-08-12", 35.69, 139.69, "Asia/Tokyo")[0] as number;
    expect(Math.abs(clocksOf(await hear({ lieu: "Tokyo" }, at))[0] - rise)).toBeLessThanOrEqual(2);
    expect(await hear({ lieu: "Tokyo" }, at)).toMatch(/^À Tokyo, mercredi, le soleil s'est levé/);
    expect(await hear({ lieu: "Vancouver" }, at)).toMatch(/^À Vancouver, aujourd'hui, .* et se couche à/);
  });
});

describe("the polar night and day", () => {
  it.each(["Alert", "Resolute", "Grise Fiord"])("has no sunrise in December, no sunset in June: %s", async (lieu) => {
    expect(await hear({ lieu, date: "2026-12-21" })).toBe(`À ${lieu}, le lundi 21 décembre, le soleil ne se lève pas.`);
    expect(await hear({ lieu, date: "2027-06-21" })).toBe(
      `À ${lieu}, le lundi 21 juin 2027, le soleil ne se couche pas.`,
    );
  });

  it("is in the past for a day that is over", async () => {
    expect(await hear({ lieu: "Alert", date: "2025-12-21" })).toMatch(/, le soleil ne s'est pas levé\.$/);
    expect(await hear({ lieu: "Alert", date: "2026-06-21" })).toMatch(/, le soleil ne s'est pas couché\.$/);
  });

  it("rises and sets all the year at Ivujivik", async () => {
    for (const date of ["2026-12-21", "2027-06-21"]) {
      expect(await hear({ lieu: "Ivujivik", date })).toMatch(/le soleil se lève à .* et se couche à /);
    }
  });

  it("sets the day after, past midnight, at Dawson in June", async () => {
    expect(await hear({ lieu: "Dawson au Yukon", date: "2027-06-21" })).toMatch(
      /le soleil se lève à 3 heures \d\d et se couche à minuit \d\d le lendemain, heure locale\./,
    );
  });

  it("rises and sets at Resolute in March", async () => {
    expect(await hear({ lieu: "Resolute", date: "2027-03-20" })).toMatch(/le soleil se lève à .* et se couche à /);
  });
});

describe("the date that was said", () => {
  // A Tuesday, 11 August.
  it.each([
    [undefined, "aujourd'hui"],
    ["aujourd'hui", "aujourd'hui"],
    ["ce soir", "aujourd'hui"],
    ["ce matin", "aujourd'hui"],
    ["cet après-midi", "aujourd'hui"],
    ["à soir", "aujourd'hui"],
    ["cette nuit", "aujourd'hui"],
    ["la fin de semaine", "samedi"],
    ["en fin de semaine", "samedi"],
    ["maintenant", "aujourd'hui"],
    ["mardi", "aujourd'hui"],
    ["demain", "demain, mercredi"],
    ["demain matin", "demain, mercredi"],
    ["après-demain", "après-demain, jeudi"],
    ["samedi", "samedi"],
    ["samedi prochain", "samedi"],
    ["mardi prochain", "le mardi 18 août"],
    ["dans 3 jours", "vendredi"],
    ["hier", "le lundi 10 août"],
    ["avant-hier", "le dimanche 9 août"],
    ["samedi dernier", "le samedi 8 août"],
    ["samedi passé", "le samedi 8 août"],
    ["mardi dernier", "le mardi 4 août"],
    ["la fin de semaine passée", "le samedi 8 août"],
    ["Noël dernier", "le jeudi 25 décembre 2025"],
    ["le jour de l'An dernier", "le jeudi premier janvier 2026"],
    ["samedi 8 août dernier", "le samedi 8 août"],
    ["vendredi le 25 décembre", "le vendredi 25 décembre"],
    ["tantôt", "aujourd'hui"],
    ["le 21 juin dernier", "le dimanche 21 juin"],
    ["le 12 août dernier", "le mardi 12 août 2025"],
    ["le 29 février dernier", "le jeudi 29 février 2024"],
    ["21 juin 1999", "le lundi 21 juin 1999"],
    ["le 21 juin 2025", "le samedi 21 juin 2025"],
    ["il y a 3 jours", "le samedi 8 août"],
    ["il y a une semaine", "le mardi 4 août"],
    ["dans une semaine", "le mardi 18 août"],
    ["dans deux semaines", "le mardi 25 août"],
    ["le 21 juin", "le lundi 21 juin 2027"],
    ["le 20", "le jeudi 20 août"],
    ["le premier septembre", "le mardi premier septembre"],
    ["1er septembre", "le mardi premier septembre"],
    ["31 décembre", "le jeudi 31 décembre"],
    ["Noël", "le vendredi 25 décembre"],
    ["la veille de Noël", "le jeudi 24 décembre"],
    ["le jour de l'An", "le vendredi premier janvier"],
    ["la Saint-Jean", "le jeudi 24 juin 2027"],
    ["2026-12-21", "le lundi 21 décembre"],
    ["2026-02-01", "le dimanche premier février 2026"],
    ["2020-02-29", "le samedi 29 février 2020"],
    ["le 29 février", "le mardi 29 février 2028"],
    ["21 décembre 2027", "le mardi 21 décembre 2027"],
    ["vingt et un décembre", "le lundi 21 décembre"],
    ["vingt-cinq décembre", "le vendredi 25 décembre"],
    ["le vingt-neuf août", "le samedi 29 août"],
    ["trente septembre", "le mercredi 30 septembre"],
    ["le trente et un décembre", "le jeudi 31 décembre"],
    ["le trente-et-un décembre", "le jeudi 31 décembre"],
  ])("takes « %s » for %s", async (date, said) => {
    expect(await dayOf(date)).toBe(said);
  });

  it.each(["2027-02-29", "2026-02-30", "2026-13-01", "2026-00-10", "le 31 novembre", "30 février", "29 février 2027"])(
    "says that %s doesn't exist, and looks for nothing",
    async (date) => {
      expect(await refuse(date)).toBe(
        "Cette date n'existe pas dans le calendrier. Rien n'a été cherché. Vérifie le jour et le mois, et redemande.",
      );
    },
  );

  it.each([
    "samedi de la semaine passée",
    "le 21 juin de l'an dernier",
    "le 5 du mois passé",
    "cette année",
    "ce mois-ci",
    "cette semaine",
    "ce printemps",
    "blabla",
    "le solstice",
    "décembre",
    "la semaine prochaine",
    "un de ces jours",
    "le 21/06",
    "21/06/2027",
    "x".repeat(40),
  ])("doesn't take « %s » for today", async (date) => {
    expect(await refuse(date)).toBe(
      "Je n'ai pas compris la date. Je comprends « demain », « samedi », « hier », « le 21 juin », « Noël » ou « 2026-12-21 ». Rien n'a été cherché, et ça ne veut pas dire que le soleil ne se lève pas ce jour-là. Redemande avec une de ces façons de dire.",
    );
  });

  it("refuses a date that isn't of the weekday that was said with it", async () => {
    for (const date of ["lundi 25 décembre", "lundi 8 août dernier"]) {
      expect(await refuse(date)).toMatch(
        /^Le jour et la date ne vont pas ensemble : c'est le (?:vendredi 25|samedi 8) /,
      );
    }
  });

  it("reaches fifty years on either side", async () => {
    expect(await hear({ date: "1976-08-11" })).toContain("le mercredi 11 août 1976");
    expect(await hear({ date: "2076-08-11" })).toContain("le mardi 11 août 2076");
    for (const date of ["1975-08-11", "2077-08-11", "9999-12-31"]) {
      expect(await refuse(date)).toBe(
        "C'est trop loin : je calcule le soleil jusqu'à cinquante ans avant ou après aujourd'hui. Ça ne veut pas dire qu'il ne se lèvera pas. Demande une date plus proche.",
      );
    }
  });

  it("counts from the place's day, near midnight", async () => {
    // 23:50 on the 11th in Montréal, 0:50 on the 12th in the Îles.
    const at = "2026-08-12T03:50:00Z";
    expect(await dayOf("demain", at)).toBe("demain, mercredi");
    expect(await hear({ lieu: "les Îles", date: "demain" }, at)).toContain(", jeudi, ");
    expect(await dayOf("demain", "2026-08-12T04:10:00Z")).toBe("demain, jeudi");
    expect(await dayOf("demain", "2027-01-01T04:50:00Z")).toBe("demain, vendredi");
  });
});

describe.skipIf(recordings === null)(
  `the recorded hours of the sun${recordings === null ? " (skipped: RECORDINGS is not set)" : ""}`,
  () => {
    type Named = { en: string; fr?: string };
    type Page = { properties: { url: Named; riseSet: { sunrise: Named; sunset: Named } } };
    const pages = Object.entries(recordings ?? {})
      .filter(([file]) => file.startsWith("ogc_citypage"))
      .flatMap(([file, body]) => {
        const features = (body as { features?: Page[] }).features ?? [body as Page];
        return features.map(({ properties }) => [file, properties] as const);
      });

    it("are those of three pages", () => {
      expect(pages.length).toBeGreaterThanOrEqual(3);
    });

    it.each(pages)("are ours within two minutes: %s", async (_file, { url, riseSet }) => {
      const [, lat, lon] = /coords=([\d.]+),(-[\d.]+)/.exec(url.en) ?? [];
      const recorded = [riseSet.sunrise.en, riseSet.sunset.en].map((at) => localOf(Date.parse(at), "America/Toronto"));
      const said = clocksOf(await hear({ lieu: `${lat}, ${lon}`, date: recorded[0].day }));
      recorded.forEach(({ hour, minute }, side) => {
        expect(Math.abs(said[side] - (hour * 60 + minute))).toBeLessThanOrEqual(2);
      });
    });
  },
);
