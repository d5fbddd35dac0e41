// A fake api-web.nhle.com for the tests.
import { expect } from "vitest";
import { type Answer, notFound, type Route, Sources } from "../source.ts";

export { html } from "../source.ts";

/** `calls`: paths. A path without a route is a 404 in HTML, as the real source's. */
export class Source extends Sources {
  readonly origin: string;

  constructor(public routes: Record<string, Route>) {
    super();
    this.origin = this.host(
      "nhl",
      () => this.routes,
      notFound,
      ({ pathname }) => pathname,
    );
  }

  /** Asks match_lnh at an instant, and lints what it says. */
  async ask(at: string, equipe?: unknown, env: Record<string, unknown> = {}): Promise<Answer> {
    return this.call("match_lnh", at, { equipe }, env);
  }

  /** Calls a tool at an instant, and lints what it says: at most `sentences` of them. */
  async call(tool: string, at: string, args: object = {}, env: object = {}, sentences = 4): Promise<Answer> {
    const vars = { NHL_API: this.origin, NHL_SEARCH_API: this.origin, CLOCK: at, DEFAULT_TEAM: "MTL", ...env };
    return this.callTool(tool, args, vars, sentences);
  }

  /** What is said, for the tests that expect an answer. */
  async say(at: string, equipe?: unknown, env: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.ask(at, equipe, env);
    expect({ text, isError }).toEqual({ text, isError: false });
    return text;
  }
}
