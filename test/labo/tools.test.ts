// Which tools a deployment opens with no source set, and how labo_etat says which sources answer.
import { describe, expect, it } from "vitest";
import { modern } from "../protocol/exchange.ts";
import { makeWorld } from "../upstream/world.mjs";
import { faultsOf } from "../voice.ts";
import { answerFor, calling, Lab, LIST, outgoing, Team } from "./lab.ts";
import { Desk, SOURCES } from "./sources.ts";

interface Listed {
  name: string;
}

const TOOL = "labo_etat";

describe("LABO_TOOLS", () => {
  const names = async (LABO_TOOLS: unknown): Promise<string[]> => {
    const lab = new Lab({ LABO_TOOLS });
    const { json } = await lab.mcp(await lab.accessToken(), LIST);
    return json.result.tools.map(({ name }: Listed) => name);
  };

  it.each([TOOL, ` ${TOOL} `, `autre,${TOOL}`, `${TOOL}, autre`, `,${TOOL},`])(
    "opens what it names: %j",
    async (text) => {
      expect(await names(text)).toEqual([TOOL]);
    },
  );

  it.each([
    undefined,
    "",
    " ",
    "*",
    "labo",
    "LABO_ETAT",
    "labo_etat_",
    "labo etat",
    "constructor",
    "__proto__",
    "tools",
  ])("opens nothing else: %j", async (text) => {
    expect(await names(text)).toEqual([]);
  });

  it.each([
    ["legacy", (name: string) => ({ headers: {}, body: calling(name) })],
    ["modern", (name: string) => modern("tools/call", { name, arguments: {} })],
  ])("answers of a closed tool what it answers of one that never was, to the byte (%s)", async (_, ask) => {
    const lab = new Lab({ LABO_TOOLS: "autre" });
    const token = await lab.accessToken();
    outgoing.length = 0;
    const call = (name: string) => {
      const { headers, body } = ask(name);
      return lab.mcp(token, body, headers);
    };
    const closed = await call(TOOL);
    const never = await call("labo_rien");
    const of = ({ status, headers, text }: typeof closed, name: string) => {
      return { status, headers: [...headers], text: text.replaceAll(name, "NOM") };
    };
    expect(of(closed, TOOL)).toEqual(of(never, "labo_rien"));
    expect(closed).toMatchObject({ status: 200, json: { error: { code: -32602 } } });
    // Named in the variable, but no tool of the door: the same again.
    expect(of(await call("autre"), "autre")).toEqual(of(never, "labo_rien"));
    expect(outgoing).toEqual([]);
  });

  it("is looked at before the arguments are", async () => {
    const lab = new Lab({ LABO_TOOLS: "" });
    const token = await lab.accessToken();
    const { json } = await lab.mcp(token, calling(TOOL, "pas un objet"));
    expect(json.error).toEqual({ code: -32602, message: `Outil inconnu : ${TOOL}` });
  });

  it("is the same list for the page where the owner consents", async () => {
    expect((await new Lab().page()).text).toContain("un outil, qui ne fait que lire");
    expect((await new Lab({ LABO_TOOLS: "" }).page()).text).toContain("aucun outil");
    expect((await new Lab({ LABO_TOOLS: "autre" }).page()).text).toContain("aucun outil");
  });

  it("keeps the list for its owner: no cache may share it", async () => {
    const lab = new Lab();
    const { headers, body } = modern("tools/list");
    const { json } = await lab.mcp(await lab.accessToken(), body, headers);
    expect(json.result.cacheScope).toBe("private");
  });
});

describe("labo_etat", () => {
  let made = 0;
  type Health = "answers" | "refuses" | "moves" | "isn't it" | "fails" | "is silent" | "isn't there";
  const STATUSES: Partial<Record<Health, number>> = { moves: 302, refuses: 401, "isn't it": 404, fails: 503 };

  /** A host that is as well as a test says. */
  function hostOf(health: Health): string {
    const host = `source-${++made}.test`;
    if (health === "answers") answerFor(host, () => new Response("ok"));
    const status = STATUSES[health];
    if (status !== undefined) answerFor(host, () => new Response("non", { status }));
    if (health === "is silent")
      answerFor(host, () => {
        throw new DOMException("timed out", "TimeoutError");
      });
    return `https://${host}`;
  }

  async function ask(github: Health, home: Health | null, access: Health = "answers"): Promise<string> {
    const team = new Team();
    const lab = new Lab({ GITHUB_API: hostOf(github), HOME_API: home === null ? undefined : hostOf(home) }, team);
    const token = await lab.accessToken();
    if (access !== "answers") team.failure = () => new Response("non", { status: STATUSES[access] });
    const { status, json } = await lab.mcp(token, calling(TOOL));
    expect({ status, isError: json.result.isError }).toEqual({ status: 200 });
    expect(json.result.content).toHaveLength(1);
    const [{ text }] = json.result.content;
    const isUp = (health: Health | null, refusal: boolean) =>
      health === null || health === "answers" || (refusal && (STATUSES[health] ?? 500) < 500);
    const silent = [isUp(github, true), isUp(home, false), isUp(access, false)].filter((up) => !up).length;
    // Two sentences for each that is silent, after the one that says which.
    expect({ text, faults: faultsOf(text, 1 + 2 * silent) }).toEqual({ text, faults: [] });
    return text;
  }

  it("says in one sentence that all answers", async () => {
    expect(await ask("answers", "answers")).toBe("Au labo, tout répond : Cloudflare Access, GitHub et Home Assistant.");
  });

  it("says nothing of a source that this deployment doesn't have", async () => {
    expect(await ask("answers", null)).toBe("Au labo, tout répond : Cloudflare Access et GitHub.");
  });

  it("takes a refusal of GitHub's for an answer: it brought no key", async () => {
    for (const health of ["refuses", "moves", "isn't it"] as const) {
      expect(await ask(health, null)).toMatch(/^Au labo, tout répond/);
    }
  });

  it("takes nothing but what it asked for as an answer of Home Assistant's or of Access's", async () => {
    for (const health of ["refuses", "moves", "isn't it"] as const) {
      expect(await ask("answers", health)).toMatch(/^Au labo, Home Assistant ne répond pas; /);
      expect(await ask("answers", "answers", health)).toMatch(/^Au labo, Cloudflare Access ne répond pas; /);
    }
  });

  /** What usually happens, how long, what it doesn't mean, what to do instead. */
  const PARTS = [/d'habitude/, /ça dure/, /ça ne veut pas dire/, /(?:[Rr]edemande|[Rr]éessaie) dans/];

  it.each<[string, Health, Health | null, Health]>([
    ["GitHub", "fails", "answers", "answers"],
    ["GitHub", "is silent", "answers", "answers"],
    ["GitHub", "isn't there", null, "answers"],
    ["Home Assistant", "answers", "fails", "answers"],
    ["Cloudflare Access", "answers", "answers", "fails"],
  ])("says of %s, when it %s, the four things", async (name, github, home, access) => {
    const text = await ask(github, home, access);
    expect(text).toContain(`Au labo, ${name} ne répond pas; `);
    for (const part of PARTS) expect(text).toMatch(part);
    expect(text.split(". ")).toHaveLength(3);
  });

  it("says them for each when several are silent, and what still answers first", async () => {
    const text = await ask("fails", "is silent");
    expect(text).toMatch(/^Au labo, GitHub et Home Assistant ne répondent pas; Cloudflare Access répond\. /);
    for (const part of PARTS) expect(text.match(new RegExp(part, "g"))?.length).toBe(2);
    const all = await ask("fails", "fails", "fails");
    expect(all).toMatch(/^Au labo, Cloudflare Access, GitHub et Home Assistant ne répondent pas\. /);
    for (const part of PARTS) expect(all.match(new RegExp(part, "g"))?.length).toBe(3);
  });

  it("asks each source once for two questions in a row, and again later", async () => {
    const lab = new Lab({ GITHUB_API: hostOf("answers") });
    const token = await lab.accessToken();
    const asked = () => outgoing.filter(({ url }) => url.includes("source-")).length;
    await Promise.all([lab.mcp(token, calling(TOOL)), lab.mcp(token, calling(TOOL))]);
    await lab.mcp(token, calling(TOOL));
    expect(asked()).toBe(1);
    await lab.later(60).mcp(token, calling(TOOL));
    expect(asked()).toBe(2);
  });

  it("knows that a source is back as soon as it looks again", async () => {
    const origin = hostOf("fails");
    const lab = new Lab({ GITHUB_API: origin });
    const token = await lab.accessToken();
    expect((await lab.mcp(token, calling(TOOL))).json.result.content[0].text).toMatch(/GitHub ne répond pas/);
    answerFor(new URL(origin).host, () => new Response("ok"));
    expect((await lab.later(60).mcp(token, calling(TOOL))).json.result.content[0].text).toMatch(/tout répond/);
  });

  it("follows no source elsewhere, and brings it no key", async () => {
    const origin = hostOf("answers");
    answerFor(
      new URL(origin).host,
      () => new Response(null, { status: 302, headers: { location: "https://evil.test/" } }),
    );
    const lab = new Lab({ GITHUB_API: origin });
    await lab.mcp(await lab.accessToken(), calling(TOOL));
    expect(outgoing.map(({ url }) => url).join()).not.toContain("evil");
    for (const { sent } of outgoing) expect(sent).not.toMatch(/authorization|cookie|cf-access/i);
  });

  describe("with every source", () => {
    const PRIVATE = {
      home: "Home Assistant",
      jobs: "Cronicle",
      cluster: "Radar",
      hosts: "le relais des machines",
      web: "SearXNG",
    } as const;
    type Private = keyof typeof PRIVATE;
    const NAMES = Object.entries(PRIVATE) as [Private, string][];
    const down = () => new Response("non", { status: 503 });
    const ask = (desk: Desk) => desk.say("labo_etat");
    /** All that is set, those named answering 503. */
    const without = (...silent: (Private | "github")[]) =>
      new Desk({ ...makeWorld(), ...Object.fromEntries(silent.map((server) => [server, down])) });

    it("names them all when all answer", async () => {
      const said = await ask(without());
      expect(said).toMatch(/^Au labo, tout répond : /);
      for (const name of ["Cloudflare Access", "GitHub", ...Object.values(PRIVATE)]) expect(said).toContain(name);
    });

    it("asks each once, with its own Access pair and no key", async () => {
      const desk = without();
      await ask(desk);
      for (const [server] of NAMES) {
        const { env } = desk.lab;
        const { pair } = SOURCES[server];
        const sent = outgoing.filter(({ url }) => url.startsWith(desk.origins[server]));
        expect(sent).toHaveLength(1);
        expect(sent[0].sent).toContain(`cf-access-client-secret: ${env[`${pair}_SECRET`]}`);
      }
      for (const { sent } of outgoing) {
        for (const { key } of Object.values(SOURCES)) expect(sent).not.toContain(desk.lab.env[key]);
      }
    });

    it.each(NAMES)("says of %s, alone to be silent, the four things", async (server, name) => {
      const said = await ask(without(server));
      expect(said).toMatch(new RegExp(`^Au labo, ${name} ne répond pas; .* répondent\\. `));
      for (const part of PARTS) expect(said).toMatch(part);
    });

    it("says them once, of what they share, when most are silent: a minute of the same words isn't heard", async () => {
      const said = await ask(without("home", "jobs", "cluster", "hosts", "web"));
      for (const name of Object.values(PRIVATE)) expect(said.split(".")[0]).toContain(name);
      for (const part of PARTS) expect(said.match(new RegExp(part, "gi"))?.length).toBe(1);
      expect(said.split(" ").length).toBeLessThan(110);
      expect((await ask(without("github", "home", "jobs", "cluster", "hosts", "web"))).split(" ").length).toBeLessThan(
        110,
      );
    });

    it.each(NAMES)(
      "takes nothing else for an answer of %s: not Access in its place, not a way elsewhere",
      async (server, name) => {
        for (const answer of [
          () => new Response(null, { status: 302, headers: { location: "https://equipe.cloudflareaccess.com/" } }),
          () => new Response("non", { status: 403 }),
          () => new Response("non", { status: 530 }),
        ]) {
          const said = await ask(new Desk({ ...makeWorld(), [server]: answer }));
          expect(said).toMatch(new RegExp(`^Au labo, ${name} ne répond pas; `));
          expect(outgoing.map(({ url }) => url).join()).not.toContain("equipe.");
        }
      },
    );

    it.each(NAMES)("says nothing of %s where it isn't set, or half set", async (server, name) => {
      const { address, pair } = SOURCES[server];
      for (const vars of [
        { [address]: undefined },
        { [address]: "http://maison.test" },
        { [`${pair}_ID`]: undefined },
      ]) {
        expect(await ask(new Desk(makeWorld(), vars))).not.toContain(name);
      }
    });
  });
});
