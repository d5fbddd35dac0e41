// Fakes of the four sources for the tests: Environment Canada, Open-Meteo, and the gazetteers of Canada and of the world.
import { expect } from "vitest";
import { type Answer, notFound, type Responder, type Route, Sources } from "../source.ts";
import { trouble } from "../upstream/geomet.mjs";

export { html } from "../source.ts";

/** The variables that say where a source is, each with a host of its own here. */
export type Kind = "ECCC_API" | "OPEN_METEO_API" | "GEO_API" | "GEO_WORLD_API";
const HOSTS: Record<Kind, string> = {
  ECCC_API: "eccc",
  OPEN_METEO_API: "open-meteo",
  GEO_API: "geo",
  GEO_WORLD_API: "geo-world",
};

/** The paths that the door asks for. */
export const PAGE = (id: string) => `/collections/citypageweather-realtime/items/${id}`;
export const ALERTS = "/collections/weather-alerts/items";
export const AQHI_FORECASTS = "/collections/aqhi-forecasts-realtime/items";
export const AQHI_OBSERVATIONS = "/collections/aqhi-observations-realtime/items";
export const MODEL = "/v1/forecast";
export const CANADIAN_NAMES = "/services/geoname/fr/geonames.json";
export const CANADIAN_PLACES = "/services/geolocation/fr/locate";
export const WORLD_NAMES = "/v1/search";

const missing: Responder = () => Response.json(trouble("NotFound"), { status: 404 });

/**
 * `calls`: whole addresses, with their query. A path without a route is a 404: in JSON from Environment Canada, in HTML
 * from the others.
 */
export class Source extends Sources {
  readonly origins: Record<Kind, string>;

  constructor(public routes: Record<string, Route>) {
    super();
    const host = (kind: Kind) =>
      this.host(
        HOSTS[kind],
        () => this.routes,
        kind === "ECCC_API" ? missing : notFound,
        ({ href }) => href,
      );
    this.origins = {
      ECCC_API: host("ECCC_API"),
      OPEN_METEO_API: host("OPEN_METEO_API"),
      GEO_API: host("GEO_API"),
      GEO_WORLD_API: host("GEO_WORLD_API"),
    };
  }

  /** What one source was asked for, in order: path and query. */
  callsTo(kind: Kind): string[] {
    const origin = `${this.origins[kind]}/`;
    return this.calls.filter((href) => href.startsWith(origin)).map((href) => href.slice(origin.length - 1));
  }

  /** Calls a tool at an instant, without a place at Montréal, and lints what it says: at most `sentences` of them. */
  async call(tool: string, at: string, args: object = {}, env: object = {}, sentences = 3): Promise<Answer> {
    return this.callTool(tool, args, { ...this.origins, CLOCK: at, DEFAULT_PLACE: "Montréal", ...env }, sentences);
  }

  /** What is said, for the tests that expect an answer. */
  async say(tool: string, at: string, args: object = {}, env: object = {}, sentences = 3): Promise<string> {
    const { text, isError } = await this.call(tool, at, args, env, sentences);
    expect({ text, isError }).toEqual({ text, isError: false });
    return text;
  }

  /** What is said, for the tests that expect a refusal. */
  async refuse(tool: string, at: string, args: object = {}, env: object = {}, sentences = 4): Promise<string> {
    const { text, isError } = await this.call(tool, at, args, env, sentences);
    expect({ text, isError }).toEqual({ text, isError: true });
    return text;
  }
}
