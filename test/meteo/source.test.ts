// How the sources are asked, and what is said when they fail.
import { describe, expect, inject, it } from "vitest";
import {
  alert,
  alerts,
  aqhiHours,
  badGateway,
  collection,
  edit,
  geocoder,
  geogratis,
  locate,
  openMeteo,
  SUMMER,
  summerPage,
  truncated,
} from "./payloads.ts";
import {
  ALERTS,
  AQHI_FORECASTS,
  AQHI_OBSERVATIONS,
  CANADIAN_NAMES,
  CANADIAN_PLACES,
  html,
  MODEL,
  PAGE,
  Source,
  WORLD_NAMES,
} from "./source.ts";

const MONTREAL = PAGE("qc-147");
const later = (seconds: number) => new Date(Date.parse(SUMMER) + seconds * 1000).toISOString();
const air = () =>
  collection("aqhi-forecasts-realtime", aqhiHours({ published: "2026-08-11T10:00:00Z", aqhi: () => 3 }));
const model = () =>
  openMeteo({ at: SUMMER, zone: "America/Toronto", lat: 45.52, lon: -73.65, hours: () => ({ temperature: 21 }) });
/** Everything answers. */
const well = () =>
  new Source({ [MONTREAL]: summerPage(), [ALERTS]: alerts([]), [AQHI_FORECASTS]: air(), [MODEL]: model() });
const count = ({ calls }: Source, path: string) => calls.filter((href) => new URL(href).pathname === path).length;
const hang = () => new Promise<Response>(() => {});
const TOOLS = [
  "meteo_actuelle",
  "meteo_previsions",
  "meteo_precipitations",
  "meteo_alertes",
  "meteo_air",
  "meteo_soleil",
  "meteo_normales",
];
const DOWN =
  "Environnement Canada est injoignable pour l'instant. Ça dure d'habitude quelques minutes et ça ne veut pas dire qu'il n'y a pas d'alerte. Redemande dans cinq minutes.";
const NORMALS_DOWN =
  "Environnement Canada est injoignable pour l'instant. Ça dure d'habitude quelques minutes, et ça ne veut pas dire qu'il n'y a pas de normales. Redemande dans cinq minutes.";
const OFF = { OPEN_METEO: "off" };

describe("how many calls a question costs", () => {
  it.each([
    ["meteo_actuelle", [MONTREAL, ALERTS]],
    ["meteo_previsions", [MONTREAL, ALERTS]],
    ["meteo_precipitations", [MONTREAL, ALERTS]],
    ["meteo_alertes", [ALERTS]],
    ["meteo_air", [AQHI_FORECASTS, MONTREAL]],
    ["meteo_soleil", []],
    ["meteo_normales", [MONTREAL]],
  ])("%s", async (tool, paths) => {
    const source = well();
    await source.say(tool, SUMMER);
    expect(source.calls.map((href) => new URL(href).pathname).toSorted()).toEqual(paths.toSorted());
  });

  it("reads one page for conditions, forecasts, precipitation, normals and the UV index", async () => {
    const source = well();
    for (const tool of TOOLS) await source.say(tool, SUMMER);
    for (const quand of ["demain", "samedi", "la fin de semaine", "à 15 heures"]) {
      await source.say("meteo_previsions", SUMMER, { quand }, {}, 5);
      await source.say("meteo_precipitations", SUMMER, { quand });
    }
    expect(count(source, MONTREAL)).toBe(1);
    expect(count(source, ALERTS)).toBe(1);
    expect(source.calls).toHaveLength(3);
  });

  const lost = { name: "Lac-Inconnu", lat: 46.02, lon: -74.01 };
  const town = {
    ...lost,
    country: "Canada",
    countryCode: "CA",
    region: "Québec",
    zone: "America/Toronto",
    population: 900,
  };
  const gazetteers: [name: string, routes: Record<string, object>, lieu: string][] = [
    ["found by Canada's names", { [CANADIAN_NAMES]: geogratis([lost]) }, "Lac-Inconnu"],
    ["found by the world's names", { [CANADIAN_NAMES]: geogratis([]), [WORLD_NAMES]: geocoder([town]) }, "Lac-Inconnu"],
    [
      "found by the world's names alone",
      { [CANADIAN_NAMES]: badGateway, [WORLD_NAMES]: geocoder([town]) },
      "Lac-Inconnu",
    ],
    ["found by its postal code", { [CANADIAN_PLACES]: locate([{ title: "J0K", lat: 46.02, lon: -74.01 }]) }, "J0K 1A0"],
    ["found by its coordinates", {}, "46.02, -74.01"],
    ["found nowhere", { [CANADIAN_NAMES]: geogratis([]), [WORLD_NAMES]: geocoder([]) }, "Lac-Inconnu"],
    ["found nowhere abroad", { [WORLD_NAMES]: geocoder([]) }, "Trou Perdu en France"],
    ["when no gazetteer answers", { [CANADIAN_NAMES]: badGateway, [WORLD_NAMES]: badGateway }, "Lac-Inconnu"],
  ];
  const weathers: [name: string, routes: Record<string, object>][] = [
    ["nothing else answers", {}],
    ["only the model answers", { [MODEL]: model() }],
    ["only the alerts answer", { [ALERTS]: alerts([]) }],
    ["only the air answers", { [AQHI_FORECASTS]: air() }],
    [
      "the air is empty",
      {
        [AQHI_FORECASTS]: collection("aqhi-forecasts-realtime", []),
        [AQHI_OBSERVATIONS]: collection("aqhi-observations-realtime", []),
      },
    ],
  ];

  it.each(gazetteers)("is at most four for any tool, with a place %s", async (_, names, lieu) => {
    for (const [, routes] of weathers) {
      for (const tool of TOOLS) {
        const source = new Source({ ...names, ...routes });
        await source.call(tool, SUMMER, { lieu });
        expect({ tool, calls: source.calls.length <= 4 ? "at most 4" : source.calls }).toEqual({
          tool,
          calls: "at most 4",
        });
      }
    }
  });

  it.each(["meteo_air", "meteo_actuelle"])("is at most four outside Québec: %s", async (tool) => {
    const ontario = { ...town, region: "Ontario", lat: 44.1, lon: -79.1 };
    const found: Record<string, object> = { [CANADIAN_NAMES]: geogratis([]), [WORLD_NAMES]: geocoder([ontario]) };
    for (const names of [found, {}]) {
      const source = new Source(names);
      await source.call(tool, SUMMER, { lieu: "Lac-Inconnu en Ontario" });
      expect(source.calls.length).toBeLessThanOrEqual(4);
    }
  });

  it("leaves a call for the model when two gazetteers were asked and the page is down", async () => {
    const source = new Source({ [CANADIAN_NAMES]: geogratis([]), [WORLD_NAMES]: geocoder([town]), [MODEL]: model() });
    expect(await source.say("meteo_previsions", SUMMER, { lieu: "Lac-Inconnu" })).toContain("selon le modèle");
    expect(source.calls).toHaveLength(4);
  });

  it("doesn't count against the source a call that was not made", async () => {
    const source = new Source({
      [CANADIAN_NAMES]: geogratis([]),
      [WORLD_NAMES]: geocoder([town]),
      [MODEL]: model(),
      [ALERTS]: alerts([]),
    });
    await source.say("meteo_previsions", SUMMER, { lieu: "Lac-Inconnu" });
    expect(count(source, ALERTS)).toBe(0);
    expect(await source.say("meteo_alertes", later(1), { lieu: "Lac-Inconnu" })).toMatch(
      /^Aucune alerte n'est en vigueur/,
    );
    expect(count(source, ALERTS)).toBe(1);
  });

  it("counts the hops of a redirect", async () => {
    const source = new Source({
      [MONTREAL]: () => new Response(null, { status: 307, headers: { location: `${MONTREAL}?f=json&lang=fr` } }),
      [ALERTS]: alerts([]),
      [MODEL]: model(),
    });
    await source.call("meteo_actuelle", SUMMER);
    expect(source.calls.length).toBeLessThanOrEqual(4);
  });
});

describe("what is kept, and for how long", () => {
  it("asks once for twenty people at the same time", async () => {
    const source = well();
    await Promise.all(Array.from({ length: 20 }, (_, index) => source.say(TOOLS[index % 3], SUMMER)));
    expect([count(source, MONTREAL), count(source, ALERTS), source.calls.length]).toEqual([1, 1, 2]);
  });

  it("keeps a page ten minutes and the alerts two", async () => {
    const source = well();
    const ask = async (seconds: number) => {
      await source.say("meteo_actuelle", later(seconds));
      return [count(source, MONTREAL), count(source, ALERTS)];
    };
    expect(await ask(0)).toEqual([1, 1]);
    expect(await ask(110)).toEqual([1, 1]);
    expect(await ask(130)).toEqual([1, 2]);
    expect(await ask(590)).toEqual([1, 3]);
    expect(await ask(610)).toEqual([2, 3]);
  });

  it("keeps the air half an hour, the model a quarter, and a place a month", async () => {
    const source = well();
    await source.say("meteo_air", SUMMER);
    await source.say("meteo_air", later(29 * 60));
    expect(count(source, AQHI_FORECASTS)).toBe(1);
    await source.say("meteo_air", later(31 * 60));
    expect(count(source, AQHI_FORECASTS)).toBe(2);
    const paris = {
      name: "Paris",
      lat: 48.85,
      lon: 2.35,
      country: "France",
      countryCode: "FR",
      zone: "Europe/Paris",
      population: 2_000_000,
    };
    const abroad = new Source({ [WORLD_NAMES]: geocoder([paris]), [MODEL]: model() });
    for (const minutes of [0, 14, 16, 29 * 24 * 60, 31 * 24 * 60]) {
      await abroad.call("meteo_actuelle", later(minutes * 60), { lieu: "Paris" });
    }
    expect([count(abroad, MODEL), count(abroad, WORLD_NAMES)]).toEqual([4, 2]);
  });

  it("asks once for two points of the same hundredth, and apart for two pages", async () => {
    const source = well();
    source.routes[PAGE("qc-133")] = summerPage({ id: "qc-133", name: "Québec", lat: 46.81, lon: -71.21 });
    await source.say("meteo_normales", SUMMER);
    expect(await source.say("meteo_normales", SUMMER, { lieu: "Québec" })).toContain("À Québec");
    expect(source.calls).toHaveLength(2);
  });

  it("never keeps a failure for a success", async () => {
    for (const fault of [
      badGateway,
      () => html("<html>"),
      () => truncated(summerPage()),
      {},
      { type: "Feature", properties: {} },
    ]) {
      const source = well();
      source.routes[MONTREAL] = fault;
      expect(await source.refuse("meteo_normales", SUMMER)).toBe(NORMALS_DOWN);
      source.routes[MONTREAL] = summerPage();
      expect(await source.say("meteo_normales", later(6))).toMatch(/^À Montréal, aujourd'hui, le maximum prévu/);
    }
  });

  it("never keeps a failed check of the alerts", async () => {
    const source = well();
    source.routes[ALERTS] = badGateway;
    expect(await source.refuse("meteo_alertes", SUMMER)).toMatch(/^Je n'ai pas pu vérifier les alertes\./);
    source.routes[ALERTS] = alerts([alert({ published: "2026-08-11T10:00:00Z", hazard: "chaleur" })]);
    expect(await source.say("meteo_alertes", later(6))).toMatch(/^Un avertissement jaune de chaleur est en vigueur/);
  });

  it("leaves the calls that are under way to whoever still waits", async () => {
    const source = well();
    await source.say("meteo_actuelle", SUMMER);
    expect(source.pending).toHaveLength(2);
    await expect(Promise.all(source.pending)).resolves.toHaveLength(2);
  });
});

describe("the last good page", () => {
  const failed = async (hours: number, tool: string, env: object = OFF) => {
    const source = well();
    // A page that is written every hour.
    await source.say(tool, SUMMER);
    source.routes[MONTREAL] = badGateway;
    return source.call(tool, later(hours * 3600), {}, env);
  };

  it.each(["meteo_actuelle", "meteo_previsions", "meteo_precipitations", "meteo_normales"])(
    "serves for %s for three hours, with its age",
    async (tool) => {
      expect(await failed(0.25, tool)).toMatchObject({
        text: expect.stringMatching(/^Au dernier relevé, il y a 15 minutes : /),
        isError: false,
      });
      expect(await failed(2.8, tool)).toMatchObject({
        text: expect.stringMatching(/^Au dernier relevé, il y a 3 heures : /),
        isError: false,
      });
      expect(await failed(3.1, tool)).toEqual({ text: tool === "meteo_normales" ? NORMALS_DOWN : DOWN, isError: true });
    },
  );

  it("gives way to the model after that", async () => {
    expect(await failed(2, "meteo_actuelle", {})).toMatchObject({
      text: expect.stringMatching(/^Au dernier relevé, il y a 2 heures : /),
    });
    expect(await failed(3.2, "meteo_actuelle", {})).toMatchObject({
      text: expect.stringContaining("selon le modèle"),
      isError: false,
    });
  });

  it("is not passed off as the weather of now", async () => {
    const { text } = await failed(2.8, "meteo_actuelle");
    expect(text).toMatch(/il faisait|à 8 heures|il y a 3 heures/);
    expect((await failed(2, "meteo_precipitations")).text).toMatch(/^Au dernier relevé, il y a 2 heures : peut-être/);
  });

  it("doesn't hold alerts for more than a quarter of an hour", async () => {
    const source = well();
    await source.say("meteo_alertes", SUMMER);
    source.routes[ALERTS] = badGateway;
    expect((await source.call("meteo_alertes", later(20 * 60))).text).not.toContain("Aucune alerte");
  });
});

describe("a source that fails", () => {
  const faults: [name: string, route: () => Response | Promise<Response>][] = [
    ["an HTML page with 200", () => html("<!DOCTYPE html><html></html>")],
    ["JSON that says it is HTML", () => html(JSON.stringify(summerPage()))],
    ["HTML that says it is JSON", () => html("<html></html>", 200, { "content-type": "application/json" })],
    ["a 500", () => html("oops", 500)],
    ["a 502", badGateway],
    ["a 503", () => html("oops", 503)],
    ["a 403 challenge", () => html("challenge", 403)],
    ["truncated JSON", () => truncated(summerPage())],
    ["an empty body", () => new Response("", { headers: { "content-type": "application/json" } })],
    ["a JSON array", () => Response.json([])],
    ["JSON null", () => Response.json(null)],
    ["an empty object", () => Response.json({})],
    ["properties that are a text", () => Response.json({ type: "Feature", properties: "none" })],
    ["an error under 200", () => Response.json({ code: "NoApplicableCode", description: "secret at /srv/geomet" })],
    ["a dead name", () => Promise.reject(new Error("internal error"))],
    [
      "a redirect to another host",
      () => new Response(null, { status: 302, headers: { location: "https://evil.example/" } }),
    ],
    ["a redirect to nowhere", () => new Response(null, { status: 302, headers: { location: "http://[" } })],
    ["a redirect without an address", () => new Response(null, { status: 307 })],
    ["50 MB", () => new Response(endless(), { headers: { "content-type": "application/json" } })],
  ];

  function endless(): ReadableStream {
    return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)) });
  }

  it.each(faults)("refuses with what to do, and says nothing of what was sent: %s", async (_, route) => {
    for (const tool of TOOLS.filter((tool) => tool !== "meteo_soleil")) {
      const source = new Source({
        [MONTREAL]: route,
        [ALERTS]: route,
        [AQHI_FORECASTS]: route,
        [AQHI_OBSERVATIONS]: route,
        [MODEL]: route,
      });
      const text = await source.refuse(tool, SUMMER);
      expect(text).toMatch(
        /^(?:Environnement Canada|Je n'ai pas pu vérifier les alertes).* ça ne veut pas dire .* Redemande /,
      );
    }
  });

  it.each(faults)("asks for the place again when no gazetteer helps: %s", async (_, route) => {
    const source = new Source({ [CANADIAN_NAMES]: route, [WORLD_NAMES]: route, [CANADIAN_PLACES]: route });
    expect(await source.refuse("meteo_actuelle", SUMMER, { lieu: "Lac-Inconnu" })).toContain("Lac-Inconnu");
    expect(source.calls.length).toBeLessThanOrEqual(4);
  });

  it.each(faults)("answers without the alerts, and without a word of them: %s", async (_, route) => {
    const source = well();
    const before = await source.say("meteo_actuelle", SUMMER);
    const without = well();
    without.routes[ALERTS] = route;
    expect(await without.say("meteo_actuelle", SUMMER)).toBe(before);
  });

  it("follows a redirect of the source to its own address", async () => {
    const source = well();
    source.routes[MONTREAL] = () => new Response(null, { status: 307, headers: { location: "/elsewhere" } });
    source.routes["/elsewhere"] = summerPage();
    expect(await source.say("meteo_normales", SUMMER)).toMatch(/^À Montréal/);
  });

  it("case 51: gives up on sources that hang within eight seconds", async () => {
    const source = new Source({ [MONTREAL]: hang, [ALERTS]: hang, [AQHI_FORECASTS]: hang, [MODEL]: hang });
    const lost = new Source({ [CANADIAN_NAMES]: hang, [WORLD_NAMES]: hang, [MODEL]: hang });
    const found = new Source({
      [CANADIAN_NAMES]: geogratis([{ name: "Lac-Inconnu", lat: 46.02, lon: -74.01 }]),
      [MODEL]: hang,
    });
    await found.call("meteo_normales", later(-60), { lieu: "Lac-Inconnu" });
    for (const href of found.calls.slice(1)) found.routes[new URL(href).pathname] = hang;
    found.routes[ALERTS] = hang;
    const start = performance.now();
    const answers = await Promise.all([
      ...TOOLS.filter((tool) => tool !== "meteo_soleil").map((tool) => source.call(tool, SUMMER)),
      ...TOOLS.map((tool) => lost.call(tool, SUMMER, { lieu: "Lac-Inconnu" })),
      ...TOOLS.filter((tool) => tool !== "meteo_soleil").map((tool) =>
        found.call(tool, SUMMER, { lieu: "Lac-Inconnu" }),
      ),
    ]);
    expect(performance.now() - start).toBeLessThan(8000);
    for (const { isError } of answers) expect(isError).toBe(true);
  }, 12_000);

  it("case 51: has the time to ask the model when the page hangs", async () => {
    const source = well();
    source.routes[MONTREAL] = hang;
    source.routes[ALERTS] = hang;
    expect(await source.say("meteo_actuelle", SUMMER)).toContain("selon le modèle d'Open-Meteo");
  }, 12_000);

  it("does not wait long for alerts that hang", async () => {
    const source = well();
    source.routes[ALERTS] = hang;
    expect(await source.say("meteo_actuelle", SUMMER)).toMatch(/^À Montréal, il fait 23 degrés/);
  }, 12_000);
});

describe("a source that asks to be left alone", () => {
  it("is not asked again for as long as it said, by any tool", async () => {
    const source = well();
    source.routes[MONTREAL] = () => html("slow down", 429, { "retry-after": "60" });
    expect(await source.refuse("meteo_normales", SUMMER)).toBe(NORMALS_DOWN);
    const asked = source.callsTo("ECCC_API").length;
    expect(await source.say("meteo_actuelle", later(30))).toContain("selon le modèle");
    await source.refuse("meteo_alertes", later(50));
    expect(source.callsTo("ECCC_API")).toHaveLength(asked);
    source.routes[MONTREAL] = summerPage();
    expect(await source.say("meteo_normales", later(61))).toMatch(/^À Montréal/);
  });

  it.each([
    ["a date", new Date(Date.parse(SUMMER) + 60_000).toUTCString(), 50, 61],
    ["nothing", "", 20, 31],
    ["an hour, but five minutes are enough", "3600", 290, 301],
    ["nonsense", "soon", 20, 31],
  ])("asks for %s", async (_, header, waiting, after) => {
    const source = well();
    source.routes[MONTREAL] = () => html("slow down", 429, header === "" ? {} : { "retry-after": header });
    await source.refuse("meteo_normales", SUMMER);
    await source.refuse("meteo_normales", later(waiting));
    expect(source.calls).toHaveLength(1);
    await source.refuse("meteo_normales", later(after));
    expect(source.calls).toHaveLength(2);
  });

  it("leaves Open-Meteo alone after a 429, for every place", async () => {
    const source = new Source({ [MODEL]: () => html("slow down", 429, { "retry-after": "60" }) });
    await source.refuse("meteo_actuelle", SUMMER, { lieu: "48.85, 2.35" });
    await source.refuse("meteo_actuelle", later(30), { lieu: "40.42, -3.70" });
    expect(source.calls).toHaveLength(1);
  });

  it("rests five seconds after any other failure: no storm of retries", async () => {
    const source = well();
    source.routes[MONTREAL] = badGateway;
    await source.refuse("meteo_normales", SUMMER);
    await source.refuse("meteo_normales", later(3));
    expect(source.calls).toHaveLength(1);
    await source.refuse("meteo_normales", later(6));
    expect(source.calls).toHaveLength(2);
  });
});

describe("what the sources are asked", () => {
  const seen = async (tool: string, args: object = {}, routes: Record<string, object> = {}) => {
    const asked: { url: URL; init: RequestInit }[] = [];
    const answers: Record<string, object> = {
      [MONTREAL]: summerPage(),
      [ALERTS]: alerts([]),
      [AQHI_FORECASTS]: air(),
      [MODEL]: model(),
      ...routes,
    };
    const source = new Source({});
    for (const [path, body] of Object.entries(answers)) {
      source.routes[path] = (url, init) => {
        asked.push({ url, init: init ?? {} });
        return Response.json(body);
      };
    }
    await source.call(tool, SUMMER, args, { PUBLIC_URL: "https://meteo.example" });
    return { asked, source };
  };

  it("case 33: names the box of the alerts with the longitude first", async () => {
    const { asked } = await seen("meteo_alertes");
    const [box] = asked.map(({ url }) => url.searchParams.get("bbox")?.split(",").map(Number) ?? []);
    expect(box).toHaveLength(4);
    const [west, south, east, north] = box;
    expect([west < -73.4, west > -73.8, south > 45.3, north < 45.7, east > west, north > south]).toEqual(
      Array(6).fill(true),
    );
    const { asked: inAir } = await seen("meteo_air");
    const boxed = inAir.map(({ url }) => url.searchParams.get("bbox")).filter((one) => one !== null);
    expect(boxed).toHaveLength(1);
    expect(Number(boxed[0].split(",")[0])).toBeLessThan(-70);
  });

  it("says who asks, in JSON, lets no redirect be followed for it, and never asks to skip a cache", async () => {
    const names = { [CANADIAN_NAMES]: geogratis([{ name: "Lac-Inconnu", lat: 46.02, lon: -74.01 }]) };
    for (const [tool, args, routes] of [
      ["meteo_actuelle", {}, {}],
      ["meteo_air", {}, {}],
      ["meteo_actuelle", { lieu: "48.85, 2.35" }, {}],
      ["meteo_actuelle", { lieu: "Lac-Inconnu" }, names],
    ] as [string, object, Record<string, object>][]) {
      const { asked } = await seen(tool, args, routes);
      expect(asked.length).toBeGreaterThan(0);
      for (const { init } of asked) {
        const headers = new Headers(init.headers);
        expect(headers.get("user-agent")).toBe("mcp-doors/1.0.0 (https://meteo.example)");
        expect(headers.get("accept")).toBe("application/json");
        expect([headers.get("cache-control"), headers.get("pragma"), init.cache, init.redirect]).toEqual([
          null,
          null,
          undefined,
          "manual",
        ]);
      }
    }
  });

  it("asks for JSON in French, bounded, and never the feed of the whole country", async () => {
    for (const tool of TOOLS) {
      const { asked } = await seen(tool);
      for (const { url } of asked.filter(({ url }) => url.pathname.startsWith("/collections/"))) {
        expect([url.searchParams.get("f"), url.searchParams.get("lang")]).toEqual(["json", "fr"]);
        const isBounded =
          url.pathname.includes("/items/") || (url.searchParams.has("bbox") && url.searchParams.has("limit"));
        expect({ path: url.href, isBounded }).toEqual({ path: url.href, isBounded: true });
      }
    }
  });

  it.each([
    ["Mont Inconnu", "Mont%20Inconnu"],
    ["Lac à l'Orignal Blanc", "Lac%20%C3%A0%20l'Orignal%20Blanc"],
    ["Pont & Port", "Pont%20%26%20Port"],
    ["Chute #3 = Rive", "Chute%20%233%20%3D%20Rive"],
  ])("case 45: writes the spaces and the signs of « %s » as codes, never as « + »", async (lieu, encoded) => {
    const { source } = await seen(
      "meteo_soleil",
      { lieu },
      { [CANADIAN_NAMES]: geogratis([]), [WORLD_NAMES]: geocoder([]) },
    );
    expect(source.calls.length).toBeGreaterThan(0);
    for (const href of source.calls) expect(href).not.toMatch(/[+ ]/);
    expect(source.calls.join(" ").replaceAll("%27", "'")).toContain(encoded);
  });

  it("sends three letters of a postal code and no more", async () => {
    const { source } = await seen(
      "meteo_soleil",
      { lieu: "J0K 1A0" },
      { [CANADIAN_PLACES]: locate([{ title: "J0K", lat: 46.02, lon: -74.01 }]) },
    );
    expect(source.callsTo("GEO_API")).toEqual(["/services/geolocation/fr/locate?q=J0K"]);
  });

  it("asks nobody where a postal code of Montréal or Laval is", async () => {
    for (const [lieu, where] of [
      ["H2X 1Y4", "Montréal"],
      ["h9x", "Montréal"],
      ["H7A 1A1", "Laval"],
    ]) {
      const { asked, source } = await seen("meteo_alertes", { lieu });
      expect(await source.say("meteo_alertes", SUMMER, { lieu })).toBe(`Aucune alerte n'est en vigueur pour ${where}.`);
      expect(asked.map(({ url }) => url.pathname)).toEqual([ALERTS]);
      expect(source.calls).toHaveLength(1);
    }
  });

  it("case 46: keeps the west of coordinates", async () => {
    const { source } = await seen("meteo_alertes", { lieu: "45.5, -73.6" });
    expect(source.callsTo("ECCC_API")[0]).toContain("bbox=-73.650,45.450,-73.550,45.550");
  });

  it("sends nothing that a person said to the page of a town", async () => {
    const { source } = await seen("meteo_actuelle", { lieu: "Montréal" });
    expect(source.callsTo("ECCC_API").filter((path) => path.includes("citypage"))).toEqual([
      `${MONTREAL}?f=json&lang=fr`,
    ]);
  });
});

describe("odd clocks", () => {
  it("asks again when the clock goes back by hours", async () => {
    const source = well();
    await source.say("meteo_normales", later(86_400 / 3));
    await source.call("meteo_normales", SUMMER);
    expect(count(source, MONTREAL)).toBe(2);
  });

  it("waits for no pause that a clock put in the future", async () => {
    const source = well();
    source.routes[MONTREAL] = () => html("slow down", 429, { "retry-after": "60" });
    await source.refuse("meteo_normales", later(86_400));
    source.routes[MONTREAL] = summerPage();
    expect(await source.say("meteo_normales", SUMMER)).toMatch(/^À Montréal/);
  });

  it.each(["2036-02-29T12:00:00Z", "2026-08-10T12:10:00Z", "2027-01-01T04:59:00Z", "1970-01-01T00:00:00Z"])(
    "says nothing false of a page of another day: %s",
    async (at) => {
      for (const tool of TOOLS) {
        const { text } = await well().call(tool, at, {}, OFF);
        expect({ tool, text }).toEqual({ tool, text: expect.not.stringMatching(/^Non/) });
      }
    },
  );

  it("says the same whatever the day of the year", async () => {
    for (const at of ["2026-12-31T23:30:00-05:00", "2027-01-01T00:30:00-05:00", "2028-02-29T08:10:00-05:00"]) {
      const instant = new Date(at).toISOString();
      const page = summerPage({ updated: instant, issued: instant });
      const source = new Source({ [MONTREAL]: page, [ALERTS]: alerts([]) });
      expect(await source.say("meteo_previsions", instant, { quand: "demain" })).toMatch(/^Demain, /);
    }
  });
});

const recordings = inject("recordings");

describe.skipIf(recordings === null)(
  `real recorded pages${recordings === null ? " (skipped: RECORDINGS is not set)" : ""}`,
  () => {
    const recorded = (file: string) => {
      const body = structuredClone(recordings?.[file]) as { features?: { id: string }[] };
      return body.features?.[0] ?? body;
    };

    it.each([
      ["ogc_citypage_huntingdon_hiver_2026-03-23.json", "Ottawa", "2026-03-23T01:10:00Z"],
      ["ogc_citypage_ottawa_ete_2026-07-17.json", "Ottawa", "2026-07-17T09:10:00Z"],
    ])("%s answers every question of rain", async (file, lieu, at) => {
      const page = recorded(file) as { properties: { identifier: string } };
      const source = new Source({ [ALERTS]: alerts([]), [PAGE(page.properties.identifier)]: page });
      for (const quand of [
        undefined,
        "maintenant",
        "cette nuit",
        "demain",
        "demain matin",
        "la fin de semaine",
        "sept jours",
      ]) {
        const said = await source.say("meteo_precipitations", at, { lieu, quand });
        expect({ quand, said }).toEqual({
          quand,
          said: expect.stringMatching(/^(?:Oui|Non|Peut-être|Probablement)\b/),
        });
        expect(said).toContain(lieu);
      }
    });

    it("says the amounts of a real page whose texts are changed", async () => {
      const page = edit(recorded("ogc_citypage_ottawa_ete_2026-07-17.json") as Record<string, unknown>, {
        "forecastGroup.forecasts.4.textSummary": { fr: "Neige. Accumulation de 10 à 15 cm. Maximum zéro." },
      }) as { properties: { identifier: string } };
      const source = new Source({ [ALERTS]: alerts([]), [PAGE(page.properties.identifier)]: page });
      expect(
        await source.say("meteo_precipitations", "2026-07-17T09:10:00Z", { lieu: "Ottawa", quand: "dimanche" }),
      ).toMatch(/^Oui, .* à Ottawa.* : neige\. On annonce de 10 à 15 centimètres de neige pour la journée\.$/);
    });
  },
);
