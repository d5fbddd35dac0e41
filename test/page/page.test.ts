/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, HTTPResponse, Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Running, startDoor } from "../processes.ts";
import { buildBlog, serveFiles } from "../upstream/blog.mjs";
import { DAY, startEccc } from "../upstream/eccc.mjs";
import { NIGHT, startNhl } from "../upstream/nhl.mjs";
import { CHROMIUM, findFaults, type Look, openPage, startBrowser, type Watched } from "./browser.ts";

/** The first question of each door, another one with something to fill in, and a refusal. */
const DOORS = {
  hockey: {
    first: "match_lnh",
    other: { tool: "joueur_lnh", field: "nom", value: "Caufield", says: /^Cole Caufield/ },
    refused: { tool: "match_lnh", field: "equipe", value: "les Nordiques", says: /n'est pas une équipe canadienne/ },
  },
  meteo: {
    first: "meteo_actuelle",
    other: { tool: "meteo_soleil", field: "lieu", value: "Gaspé", says: /À Gaspé/ },
    refused: { tool: "meteo_actuelle", field: "lieu", value: "Xyzville", says: /Je n'ai pas trouvé « Xyzville »/ },
  },
  articles: {
    first: "articles_chercher",
    other: {
      tool: "articles_lister",
      field: "nombre",
      value: "2",
      says: /^Voici les 2 derniers articles/,
    },
    refused: {
      tool: "articles_lire",
      field: "article",
      value: "zzzzz",
      says: /^Je ne trouve aucun article qui s'appelle « zzzzz »/,
    },
  },
} as const;

type Name = keyof typeof DOORS;
const NAMES = Object.keys(DOORS) as Name[];
const ENDS: (() => unknown)[] = [];
const doors = {} as Record<Name, Running>;
let braked: Running;
let browser: Browser;

/** The made-up blog, whose articles have addresses: their links come with the answers. */
async function buildLinkedBlog(): Promise<Map<string, Buffer>> {
  const from = mkdtempSync(join(tmpdir(), "blog-"));
  try {
    cpSync(fileURLToPath(new URL("../fixtures/blog", import.meta.url)), from, { recursive: true });
    for (const slug of ["onduleurs-au-sous-sol", "serveur-dans-le-garde-robe", "poulailler-connecte"]) {
      const file = join(from, `fr/${slug}.${slug.startsWith("serveur") ? "mdx" : "md"}`);
      writeFileSync(file, readFileSync(file, "utf8").replace("---\n", `---\nurl: https://blogue.example/${slug}\n`));
    }
    return await buildBlog({ from });
  } finally {
    rmSync(from, { recursive: true });
  }
}

/** The voice of the browser, which a test plays: what it was given to say, and the end of each sentence. */
function stubVoice() {
  const said: { text: string; lang: string; voice: { lang: string } | null; onend?(): void; onerror?(): void }[] = [];
  const voices = ["en-US", "fr-FR", "fr-CA"].map((lang) => ({ lang, name: lang }));
  const synthesis = {
    getVoices: () => voices,
    speak: (utterance: (typeof said)[number]) => said.push(utterance),
    cancel: () => Object.assign(window, { cancelled: ((window as { cancelled?: number }).cancelled ?? 0) + 1 }),
  };
  Object.defineProperty(window, "speechSynthesis", { value: synthesis });
  Object.assign(window, {
    said,
    SpeechSynthesisUtterance: class {
      lang = "";
      voice = null;
      constructor(readonly text: string) {}
    },
  });
}

/** Ends all that the stub was given to say, as a voice does: in order. */
const endVoice = (page: Page) => page.evaluate("for (const one of said.splice(0)) one.onend();");
const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (node) => (node.textContent ?? "").replace(/\s+/g, " ").trim());
/** What the box shows, as the door wrote it. */
const answerOf = async (page: Page) => (await textOf(page, "#answer")).replaceAll("\u2019", "'");
const isShown = (page: Page, selector: string) => page.$eval(selector, (node) => node.checkVisibility());

/** Waits for the answer to what was just asked. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getElementById("answer")?.getAttribute("aria-busy") === "false");
}

/** Chooses a tool and fills one of its fields, with a mouse. */
async function fill(page: Page, { tool, field, value }: { tool: string; field: string; value: string }) {
  await page.select("#tool", tool);
  const input = `[id="${tool}.${field}"]`;
  await page.click(input, { count: 3 });
  await page.keyboard.press("Backspace");
  await page.type(input, value);
}

/** Presses the button, and gives back what was sent and what came. */
async function ask(page: Page) {
  const answered = page.waitForResponse((response: HTTPResponse) => response.url().endsWith("/mcp"));
  await page.click("button.main");
  const response = await answered;
  const sent = JSON.parse(response.request().postData() ?? "{}");
  const { result, error } = (await response.json()) as {
    result?: { content: { type: string; text: string }[]; isError?: boolean };
    error?: { message: string };
  };
  await settle(page);
  return {
    status: response.status(),
    sent,
    error,
    isError: result?.isError,
    texts: result?.content.map((one) => one.text) ?? [],
  };
}

/** One skipped group instead of each of them: its name is the reason that the last lines of a run print. */
function skipAll() {
  describe.skip("the human page: no chromium on the PATH, nor in CHROMIUM", () => {
    it("is seen in a browser", () => {});
  });
}

(CHROMIUM === null ? skipAll : describe)("the human page", () => {
  let opened: Watched[] = [];

  /** A door's page, which must neither complain nor fetch from elsewhere unless `expects` says so. */
  async function open(name: Name, look: Look = {}, prepare?: () => void, door = doors[name]) {
    const watched = await openPage(browser, new URL("/", door.url).href, look, prepare);
    opened.push(watched);
    return watched.page;
  }

  /** What the browser itself writes of a failed request, which a test provoked. */
  const forgive = () => {
    for (const { complaints } of opened) complaints.splice(0);
  };

  beforeAll(async () => {
    const [nhl, eccc, blog] = await Promise.all([
      startNhl({ speed: 1 }),
      startEccc(),
      buildLinkedBlog().then((files) => serveFiles(files)),
    ]);
    ENDS.push(nhl.close, eccc.close, blog.close);
    const at = (instant: number) => `CLOCK=${new Date(instant).toISOString()}`;
    const hockey = [`NHL_API=${nhl.url}`, `NHL_SEARCH_API=${nhl.url}`, at(NIGHT.starts)];
    const sources = ["ECCC_API", "OPEN_METEO_API", "GEO_API", "GEO_WORLD_API"].map((name) => `${name}=${eccc.url}`);
    const vars = { hockey, meteo: [...sources, at(DAY.starts)], articles: [`INDEX_URL=${blog.url}`] };
    const args = (name: Name) => [name, ...vars[name].flatMap((text) => ["--var", text])];
    for (const name of NAMES) doors[name] = await startDoor(...args(name));
    braked = await startDoor(...args("hockey"), "--brake");
    ENDS.push(...[...Object.values(doors), braked].map((door) => () => door.stop()));
    const started = await startBrowser();
    browser = started.browser;
    ENDS.unshift(started.stop);
  }, 120_000);

  afterAll(async () => {
    for (const end of ENDS) await end();
  }, 60_000);

  afterEach(async () => {
    const watched = opened;
    opened = [];
    for (const { page } of watched) await page.close();
    expect(watched.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(watched.flatMap(({ strangers }) => strangers)).toEqual([]);
  });

  describe.each(NAMES)("of %s", (name) => {
    const { first, other, refused } = DOORS[name];

    it("asks the first question as it stands, by a real call, and shows the sentence", async () => {
      const page = await open(name);
      const { status, sent, texts } = await ask(page);
      expect(status).toBe(200);
      expect(sent).toMatchObject({ jsonrpc: "2.0", method: "tools/call", params: { name: first } });
      const [said, link] = texts;
      // Printed as the page is: curved apostrophes, spaces that end no line.
      expect(await textOf(page, "#answer p")).toBe(said.replaceAll("'", "\u2019").replace(/\s+/g, " "));
      expect(await page.$eval("#answer p", (node) => node.textContent)).not.toMatch(/« | [»:;?!]/);
      expect(await page.$$eval("#answer a", (links) => links.map((one) => [one.href, one.textContent]))).toEqual(
        link === undefined ? [] : [[link, link]],
      );
      expect(link === undefined).toBe(name !== "articles");
      expect(await isShown(page, "#listen")).toBe(true);
    });

    it("asks for something else, and hides what isn't asked", async () => {
      const page = await open(name);
      await fill(page, other);
      expect(await page.$$eval("fieldset", (parts) => parts.filter((part) => part.checkVisibility()).length)).toBe(1);
      const { sent } = await ask(page);
      expect(sent.params.name).toBe(other.tool);
      expect(sent.params.arguments[other.field]).toBe(other.value);
      expect(await answerOf(page)).toMatch(other.says);
    });

    it("answers a phrase that is underlined, for every tool", async () => {
      const page = await open(name);
      const tools = await page.$$eval("#tool option", (options) => options.map(({ value }) => value));
      expect(await page.$$eval("[data-try] button", (buttons) => buttons.length)).toBe(tools.length);
      for (const tool of tools) {
        const answered = page.waitForResponse((response) => response.url().endsWith("/mcp"));
        await page.click(`[data-try="${tool}"] button`);
        const sent = JSON.parse((await answered).request().postData() ?? "{}");
        expect(sent.params.name).toBe(tool);
        await settle(page);
        expect(await page.$eval("#answer", (node) => document.activeElement === node)).toBe(true);
        expect(await answerOf(page)).not.toMatch(/L'argument|Il manque|brisé/);
      }
    });

    it("shows a refusal, which is heard too", async () => {
      const page = await open(name);
      await fill(page, refused);
      const { isError } = await ask(page);
      expect(isError).toBe(true);
      expect(await answerOf(page)).toMatch(refused.says);
      expect(await page.$eval("#answer", (node) => node.className)).toBe("fails");
      expect(await isShown(page, "#listen")).toBe(true);
    });

    it("is heard in the French of Québec, without the link, and is silenced", async () => {
      const page = await open(name, {}, stubVoice);
      const { texts } = await ask(page);
      await page.click("#listen");
      const said = (await page.evaluate("said.map(({ text, lang, voice }) => [text, lang, voice.lang])")) as string[][];
      expect(said.map(([text]) => text).join(" ")).toBe(texts[0]);
      for (const [, lang, voice] of said) expect([lang, voice]).toEqual(["fr-CA", "fr-CA"]);
      expect(await textOf(page, "#listen")).toBe("Arrêter");
      await endVoice(page);
      expect(await textOf(page, "#listen")).toBe("Écouter");
      await page.click("#listen");
      const before = (await page.evaluate("cancelled")) as number;
      await page.click("#listen");
      expect(await page.evaluate("cancelled")).toBe(before + 1);
      expect(await textOf(page, "#listen")).toBe("Écouter");
    });

    it.each([
      ["on paper", { scheme: "light" }],
      ["at night", { scheme: "dark" }],
      ["on a phone", { width: 390, height: 844 }],
      ["on a phone at night", { width: 390, height: 844, scheme: "dark" }],
    ] as [string, Look][])("has no fault that axe-core knows, %s, before and after an answer", async (_, look) => {
      const page = await open(name, look);
      expect(await findFaults(page)).toEqual([]);
      await ask(page);
      expect(await findFaults(page)).toEqual([]);
      await fill(page, refused);
      await ask(page);
      expect(await findFaults(page)).toEqual([]);
    });

    it.each([320, 390, 768, 1280])("fits in %d pixels", async (width) => {
      const page = await open(name, { width });
      await ask(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    });

    it("fits on a phone when what it quotes is one long word", async () => {
      const page = await open(name, { width: 390 });
      await fill(page, { ...refused, value: `https://www.exemple.ca/${"a".repeat(60)}` });
      await ask(page);
      expect(await answerOf(page)).toContain("exemple");
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    });

    it("fits on a phone whose letters are twice as large", async () => {
      const page = await open(name, { width: 390 });
      await page.evaluate(() => {
        document.documentElement.style.fontSize = "200%";
      });
      await ask(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    });

    it("shows the end of an answer that a phrase far below asked for", async () => {
      const page = await open(name, { width: 390 });
      const answered = page.waitForResponse((response: HTTPResponse) => response.url().endsWith("/mcp"));
      await page.$$eval("[data-try] button", (phrases) => (phrases.at(-1) as HTMLElement).click());
      await answered;
      await settle(page);
      const seen = () =>
        page.$eval("#answer", (node) => {
          const { top, bottom, height } = node.getBoundingClientRect();
          return height > innerHeight ? top <= innerHeight : top >= -1 && bottom <= innerHeight + 1;
        });
      await expect.poll(seen).toBe(true);
    });

    it("is read without JavaScript, except for the box", async () => {
      const page = await open(name, { script: false });
      expect(await isShown(page, "#form")).toBe(false);
      expect(await isShown(page, "noscript p")).toBe(true);
      const text = await textOf(page, "main");
      for (const said of [
        ...["a besoin de JavaScript", "Ce que tu peux demander", "Connecteurs", "coche aussi"],
        ...["curl -s http://127.0.0.1", "D’où viennent les réponses", "Ce qui est noté", doors[name].url],
      ]) {
        expect(text).toContain(said);
      }
      expect(await page.$$eval("button", (buttons) => buttons.filter((one) => one.checkVisibility()).length)).toBe(0);
      // For axe-core itself, which waits; the page's own script is not run for all that.
      await page.setJavaScriptEnabled(true);
      expect(await findFaults(page)).toEqual([]);
      expect(await isShown(page, "#form")).toBe(false);
    });

    it("has the same sign in its SVG, its PNG and its ICO", async () => {
      const page = await open(name);
      const drawn = await page.evaluate(async () => {
        const draw = async (src: string) => {
          const image = new Image();
          image.src = src;
          await image.decode();
          const canvas = document.createElement("canvas");
          canvas.width = canvas.height = 48;
          const context = canvas.getContext("2d") as CanvasRenderingContext2D;
          context.drawImage(image, 0, 0, 48, 48);
          return Array.from(context.getImageData(0, 0, 48, 48).data);
        };
        return Promise.all(["/favicon.svg", "/icon.png", "/favicon.ico"].map(draw));
      });
      const [svg, ...others] = drawn;
      for (const other of others) {
        // A palette of 16 colours is within a sixteenth of each of its pixels, transparency aside.
        const far = svg.filter((value, at) => svg[at - (at % 4) + 3] > 200 && Math.abs(value - other[at]) > 32);
        expect(far.length).toBeLessThan(svg.length / 100);
      }
    });
  });

  it("is used with the keyboard alone, and shows where one is", async () => {
    const page = await open("hockey", {}, stubVoice);
    const focus = () =>
      page.evaluate(() => {
        const { id, textContent } = document.activeElement as HTMLElement;
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement as HTMLElement);
        return { is: id || textContent, outline: `${outlineStyle} ${outlineWidth}` };
      });
    await page.keyboard.press("Tab");
    expect(await focus()).toEqual({ is: "tool", outline: "solid 3px" });
    await page.keyboard.type("La saison");
    await page.keyboard.press("Tab");
    expect(await focus()).toEqual({ is: "joueur_lnh.nom", outline: "solid 3px" });
    await page.keyboard.down("Control");
    await page.keyboard.press("A");
    await page.keyboard.up("Control");
    await page.keyboard.type("Suzuki");
    const answered = page.waitForResponse((response) => response.url().endsWith("/mcp"));
    await page.keyboard.press("Enter");
    await answered;
    await settle(page);
    expect(await answerOf(page)).toMatch(/^Nick Suzuki/);
    await page.keyboard.press("Tab");
    expect(await focus()).toEqual({ is: "Demander", outline: "solid 3px" });
    await page.keyboard.press("Tab");
    expect(await focus()).toEqual({ is: "listen", outline: "solid 3px" });
    await page.keyboard.press("Enter");
    expect(await page.evaluate("said.length")).toBeGreaterThan(0);
    await page.keyboard.press("Tab");
    expect((await focus()).is).toMatch(/^C’est quoi le score/);
  });

  it("says what is missing, and puts one there", async () => {
    const page = await open("hockey");
    await fill(page, { tool: "joueur_lnh", field: "nom", value: "  " });
    await page.click("button.main");
    expect(await answerOf(page)).toBe("Il manque une chose : le nom du joueur.");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("joueur_lnh.nom");
    const told = () =>
      page.$eval('[id="joueur_lnh.nom"]', (field) => [field.ariaInvalid, field.getAttribute("aria-describedby")]);
    expect(await told()).toEqual(["true", "answer joueur_lnh.nom.help"]);
    await page.type('[id="joueur_lnh.nom"]', "Caufield");
    await ask(page);
    expect(await told()).toEqual(["false", "joueur_lnh.nom.help"]);
    expect(await isShown(page, "#listen")).toBe(true);
  });

  it("leaves an empty number to the door, and says which numbers there are before it asks", async () => {
    const page = await open("articles");
    await fill(page, { tool: "articles_lister", field: "nombre", value: "" });
    expect((await ask(page)).isError).toBeUndefined();
    await fill(page, { tool: "articles_lister", field: "nombre", value: "40" });
    await page.click("button.main");
    expect(await answerOf(page)).toBe("Combien d'articles : il faut un nombre entier de 1 à 10.");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("articles_lister.nombre");
  });

  it("says in French that the brake holds", async () => {
    const page = await open("hockey", {}, undefined, braked);
    const body = JSON.stringify({
      ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
      params: { name: "match_lnh", arguments: { equipe: "les Nordiques" } },
    });
    const headers = { "content-type": "application/json" };
    let last = 0;
    for (let asked = 0; asked < 80 && last !== 429; asked++) {
      last = (await fetch(braked.url, { method: "POST", headers, body })).status;
    }
    const { status, error } = await ask(page);
    expect(status).toBe(429);
    expect(await answerOf(page)).toBe(error?.message);
    expect(error?.message).toContain("dix secondes");
    forgive();
  });

  it("says in French that nothing answers", async () => {
    const page = await open("hockey");
    await page.setOfflineMode(true);
    await page.click("button.main");
    await settle(page);
    expect(await answerOf(page)).toBe("La porte ne répond pas. Vérifie que tu es en ligne, et redemande.");
    expect(await isShown(page, "#listen")).toBe(false);
    await page.setOfflineMode(false);
    forgive();
    await ask(page);
    expect(await isShown(page, "#listen")).toBe(true);
  });

  it("says in French that a brake in front of the door holds", async () => {
    const page = await open("hockey");
    await page.setRequestInterception(true);
    page.on("request", (request) => request.respond({ status: 429, contentType: "text/html", body: "<p>1015</p>" }));
    await page.click("button.main");
    await settle(page);
    expect(await answerOf(page)).toBe("Trop de questions en peu de temps. Attends dix secondes et redemande.");
    forgive();
  });

  it.each([
    ["a page of an intermediary", 502, "text/html", "<title>Bad gateway</title>"],
    ["JSON that isn't an answer", 200, "application/json", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["null", 200, "application/json", "null"],
    [
      "an answer without a text",
      200,
      "application/json",
      '{"result":{"content":[null,{"type":"text"},{"type":"image"}]}}',
    ],
    ["an error without words", 200, "application/json", '{"error":{"message":""}}'],
    ["an error whose words are no text", 200, "application/json", '{"error":{"message":{"a":1}}}'],
  ])("says in French that the answer is %s", async (_, status, contentType, body) => {
    const page = await open("hockey");
    await page.setRequestInterception(true);
    page.on("request", (request) => request.respond({ status, contentType, body }));
    await page.click("button.main");
    await settle(page);
    expect(await answerOf(page)).toBe(
      `La porte a répondu autre chose qu'une phrase, avec le code ${status}. Redemande dans une minute.`,
    );
    forgive();
  });

  it("waits in silence, and moves only for who likes it", async () => {
    for (const [motion, moving] of [["no-preference", 1] as const, ["reduce", 0] as const]) {
      const page = await open("hockey", { motion });
      await page.setRequestInterception(true);
      const held = new Promise<() => Promise<void>>((resolve) => {
        page.on("request", (request) => resolve(() => request.continue()));
      });
      await page.click("button.main");
      const go = await held;
      expect(await answerOf(page)).toBe("Un instant…");
      expect(await page.$eval("#answer", (node) => node.getAttribute("aria-busy"))).toBe("true");
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(moving);
      await go();
      await settle(page);
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    }
  });

  it("shows the answer to the last of two questions, whichever comes last", async () => {
    const page = await open("hockey");
    await page.setRequestInterception(true);
    const held: (() => Promise<void>)[] = [];
    page.on("request", (request) => held.push(() => request.continue()));
    await fill(page, { tool: "match_lnh", field: "equipe", value: "Ottawa" });
    await page.click("button.main");
    await fill(page, { tool: "match_lnh", field: "equipe", value: "Toronto" });
    await page.click("button.main");
    await expect.poll(() => held.length).toBe(2);
    await held[1]();
    await settle(page);
    const shown = await answerOf(page);
    expect(shown).toContain("Toronto");
    const late = page.waitForResponse((response) => response.url().endsWith("/mcp"));
    await held[0]();
    await (await late).text();
    expect(await answerOf(page)).toBe(shown);
  });

  it("names the blog that the answers come from", async () => {
    const page = await open("articles");
    expect(await textOf(page, ".sources strong")).toBe("Le blogue Le cabanon numérique");
  });

  it("copies the address", async () => {
    const page = await open("meteo");
    const context = browser.defaultBrowserContext();
    await context.overridePermissions(new URL(doors.meteo.url).origin, ["clipboard-sanitized-write", "clipboard-read"]);
    await page.bringToFront();
    await page.click('[data-copy="address"]');
    await expect.poll(() => textOf(page, '[data-copy="address"]')).toBe("Copié");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(doors.meteo.url);
    await expect.poll(() => textOf(page, '[data-copy="address"]'), { timeout: 10_000 }).toBe("Copier");
    expect(await page.$eval('[data-copy="address"]', (node) => node.ariaLabel)).toBe("Copier l\u2019adresse");
  });

  it("doesn't offer a voice that the browser hasn't", async () => {
    const page = await open("hockey", {}, () => {
      Reflect.deleteProperty(window, "speechSynthesis");
      Reflect.deleteProperty(Window.prototype, "speechSynthesis");
    });
    await ask(page);
    expect(await isShown(page, "#listen")).toBe(false);
  });

  it("says that a voice failed", async () => {
    const page = await open("hockey", {}, stubVoice);
    await ask(page);
    await page.click("#listen");
    await page.evaluate("said[0].onerror()");
    expect(await textOf(page, "#listen")).toBe("Aucune voix");
    expect(await textOf(page, "#told")).toMatch(/^La lecture n’a pas marché/);
  });
});
