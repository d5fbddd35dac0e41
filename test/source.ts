// Fake sources for the tests of a door: only `fetch` is replaced, and the clock is the door's own CLOCK.
import { expect, vi } from "vitest";
import door from "#door";
import { faultsOf } from "./voice.ts";

export type Responder = (url: URL, init?: RequestInit) => Response | Promise<Response>;
/** JSON to answer, a ready Response maker, or nothing: the path is then not found. */
export type Route = object | Responder;

export interface Answer {
  text: string;
  isError: boolean;
  /** The blocks after the one that is spoken, when there are any. */
  rest?: string[];
}

const hosts = new Map<string, Responder>();
let made = 0;

/** Sources on hosts of their own: the door caches by address, so two tests never share an answer. */
export class Sources {
  /** What was asked for, in order. */
  calls: string[] = [];
  /** Work that the door left under waitUntil. */
  pending: Promise<unknown>[] = [];

  /** Answers on a new host from now on, by the routes of the moment; `missing` answers for the other paths. */
  protected host(
    name: string,
    routes: () => Record<string, Route>,
    missing: Responder,
    log: (url: URL) => string,
  ): string {
    const origin = `http://${name}-${++made}.test`;
    hosts.set(origin, (url, init) => {
      this.calls.push(log(url));
      const route = routes()[url.pathname] ?? missing;
      return typeof route === "function" ? (route as Responder)(url, init) : Response.json(route);
    });
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const url = new URL(String(input));
      const answer = hosts.get(url.origin);
      if (answer === undefined) throw new TypeError(`no such host: ${url.origin}`);
      return answer(url, init);
    });
    return origin;
  }

  /** Calls a tool of the door, and lints what it says: at most `sentences` of them. */
  protected async callTool(
    tool: string,
    args: object,
    env: Record<string, unknown>,
    sentences: number,
  ): Promise<Answer> {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
    const request = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const response = await door.fetch(request, env, {
      waitUntil: (work) => this.pending.push(work),
      passThroughOnException() {},
      props: {},
    });
    expect(response.status).toBe(200);
    const { result } = await response.json<{ result: { content: { text: string }[]; isError?: boolean } }>();
    const [{ text }, ...rest] = result.content;
    expect({ text, faults: faultsOf(text, sentences) }).toEqual({ text, faults: [] });
    const after = rest.length === 0 ? {} : { rest: rest.map((block) => block.text) };
    return { text, isError: result.isError === true, ...after };
  }
}

export function html(body: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { "content-type": "text/html", ...headers } });
}

/** What a source that isn't a JSON server says of a path that it doesn't have. */
export const notFound: Responder = () => html("<!DOCTYPE html><title>404</title>", 404);
