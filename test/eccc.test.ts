// The made-up day of weather that the demo plays.
import { afterEach, describe, expect, it } from "vitest";
import { answerAt, DAY, startEccc } from "./upstream/eccc.mjs";

type Json = Record<string, unknown>;
interface Bilingual<T = string> {
  fr: T;
}
interface Page {
  currentConditions: {
    timestamp: Bilingual;
    condition?: Bilingual;
    temperature: { value: Bilingual<number> };
    windChill?: { value: Bilingual<number> };
    wind: { speed: { value: Bilingual<number | string> } };
  };
  forecastGroup: {
    timestamp: Bilingual;
    forecasts: { period: { value: { en: string } }; textSummary: Bilingual }[];
  };
  hourlyForecastGroup: {
    hourlyForecasts: { timestamp: string; condition: Bilingual; lop: { value: Bilingual<number> } }[];
  };
}

const HOUR = 3_600_000;
const PAGES = "/collections/citypageweather-realtime/items";
const bodyAt = (path: string, now = DAY.starts): Json => JSON.parse(answerAt(path, now).text);
const pageAt = (id: string, now = DAY.starts) => bodyAt(`${PAGES}/${id}?f=json`, now).properties as Page;
const alertsNear = (lat: number, lon: number) => {
  const bbox = [lon - 0.05, lat - 0.05, lon + 0.05, lat + 0.05].join(",");
  const { features } = bodyAt(`/collections/weather-alerts/items?f=json&bbox=${bbox}`) as {
    features: { properties: Json }[];
  };
  return features.map(
    ({ properties }) => `${properties.alert_name_fr} ${properties.risk_colour_fr} ${properties.status_fr}`,
  );
};

describe("the day", () => {
  it("gives the same bytes for the same instant, at any hour", () => {
    for (let now = DAY.starts - 40 * HOUR; now < DAY.starts + 200 * HOUR; now += 5.5 * HOUR) {
      for (const id of ["qc-147", "qc-103", "bc-74", "qc-a1"]) {
        const path = `${PAGES}/${id}`;
        expect(answerAt(path, now)).toEqual(answerAt(path, now));
        const { currentConditions, forecastGroup, hourlyForecastGroup } = pageAt(id, now);
        expect(Date.parse(forecastGroup.timestamp.fr)).toBeLessThanOrEqual(now);
        expect(now - Date.parse(currentConditions.timestamp.fr)).toBeLessThan(1.1 * HOUR);
        expect(Date.parse(hourlyForecastGroup.hourlyForecasts[0].timestamp)).toBeGreaterThan(now - 0.1 * HOUR);
        expect(JSON.stringify(forecastGroup.forecasts)).not.toMatch(/NaN|undefined|"\[/);
      }
    }
  });

  it("snows at Montréal in the afternoon, is cold at Saguenay, calm at Gatineau and wet at Gaspé", () => {
    const montreal = pageAt("qc-147");
    expect(montreal.forecastGroup.timestamp.fr).toBe("2026-01-17T16:00:00Z");
    expect(montreal.currentConditions).toMatchObject({
      timestamp: { fr: "2026-01-17T18:00:00Z" },
      condition: { fr: "Nuageux" },
    });
    expect(montreal.forecastGroup.forecasts[0].textSummary.fr).toContain("Accumulation de 10 à 15 cm.");
    const snow = montreal.hourlyForecastGroup.hourlyForecasts.filter(({ condition }) => condition.fr === "Neige");
    expect([snow[0].timestamp, snow[0].lop.value.fr]).toEqual(["2026-01-17T20:00:00Z", 90]);
    expect(pageAt("qc-166").currentConditions.windChill?.value.fr).toBeLessThan(-30);
    expect(pageAt("qc-68").currentConditions).not.toHaveProperty("condition");
    expect(pageAt("qc-126").currentConditions.wind.speed.value.fr).toBe("calme");
    expect(pageAt("qc-101").currentConditions.condition?.fr).toBe("Pluie");
    // Issued at 11 by the clock of the islands.
    expect(pageAt("qc-103").forecastGroup.timestamp.fr).toBe("2026-01-17T15:00:00Z");
  });

  it("warns Montréal of snow and not Québec, and has nothing where latitude comes first", () => {
    expect(alertsNear(45.52, -73.65)).toEqual(["avertissement de neige jaune émis"]);
    expect(alertsNear(46.82, -71.22)).toEqual([]);
    expect(alertsNear(-73.65, 45.52)).toEqual([]);
    expect(alertsNear(48.42, -71.07)).toEqual(["avertissement de blizzard jaune terminé"]);
  });

  it("gives a page to any town that may exist, save the one that is down", () => {
    for (const id of ["qc-1", "qc-d4", "nu-22", "yt-16"])
      expect(answerAt(`${PAGES}/${id}`, DAY.starts).status).toBe(200);
    for (const id of ["zz-1", "qc-0", "world-1"]) expect(answerAt(`${PAGES}/${id}`, DAY.starts).status).toBe(404);
    expect(answerAt(`${PAGES}/qc-130`, DAY.starts)).toMatchObject({ status: 503, type: "text/html; charset=utf-8" });
  });

  it("has a model that agrees with the story, and answers only what it is asked", () => {
    const ask = (query: string) => answerAt(`/v1/forecast?latitude=46.35&longitude=-72.58&${query}`, DAY.starts);
    const { hourly, daily, ...more } = JSON.parse(
      ask("hourly=snowfall&daily=snowfall_sum&timezone=auto").text,
    ) as Record<string, Json>;
    expect(more).not.toHaveProperty("current");
    expect([Object.keys(hourly), Object.keys(daily)]).toEqual([
      ["time", "snowfall"],
      ["time", "snowfall_sum"],
    ]);
    expect((daily.snowfall_sum as number[])[0]).toBeGreaterThan(10);
    for (const query of ["daily=snowfall_sum", "hourly=colour&timezone=auto"]) {
      expect(ask(query)).toMatchObject({ status: 400, text: expect.stringContaining('"error":true') });
    }
  });
});

describe("the upstream of the day", () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  it("serves the four sources over HTTP, at the instant that it is told", async () => {
    const server = await startEccc({ now: () => DAY.starts });
    open.push(server);
    for (const path of [
      `${PAGES}/qc-147`,
      "/v1/search?name=Paris",
      "/services/geoname/fr/geonames.json?q=saint-tite",
    ]) {
      const response = await fetch(server.url + path);
      expect([response.status, await response.text()]).toEqual([200, answerAt(path, DAY.starts).text]);
    }
    expect(server.calls).toHaveLength(3);
  });
});
