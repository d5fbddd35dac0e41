// `articles_lister`: the latest articles, by date.
import { describe, expect, it } from "vitest";
import { Blog, blogFiles, EMBED, type Header, readHeader, withHeader } from "./source.ts";

const FILES = blogFiles();
const ARTICLES: Header[] = readHeader(FILES).articles;
const latestIn = (lang: string) =>
  ARTICLES.filter((article) => article.lang === lang)
    .toSorted((one, other) => (one.date < other.date ? 1 : -1))
    .map(({ title }) => title);

const list = (args: object = {}, files = FILES, env: object = {}) =>
  new Blog(files).say("articles_lister", args, env, 13);
const refuse = (args: object) => new Blog(FILES).refuse("articles_lister", args);
/** What stands between quotation marks: titles, in the order in which they are said. */
const quotesIn = (said: string) => [...said.matchAll(/« ([^»]*) »/g)].map(([, quoted]) => quoted);

/** An index of these articles, in French unless they say otherwise. */
function blogOf(...articles: Header[]) {
  return withHeader(FILES, (header) => {
    header.articles = articles.map((article, at) => {
      return { ...ARTICLES[at], lang: "fr", description: "", tags: [], first: 0, chunks: 1, ...article };
    });
  });
}

const HENS = "Le poulailler connecté : sept poules, une porte et un raton laveur";
const BEES = "Bees and scales: what a hive weighs at night";

describe("the latest", () => {
  it("says three when no count is asked, the newest first", async () => {
    expect(await list()).toBe(
      `Voici les 3 derniers articles du blogue Le cabanon numérique. « ${HENS} », le 30 août 2026. « La caméra aux oiseaux, un an de mangeoire en direct », le 16 août 2026. « Domotique vocale : parler à la maison avec l'accent d'ici », le 12 mars 2026.`,
    );
  });

  it.each([2, 3, 9, 10])("says %i of them", async (nombre) => {
    const said = await list({ nombre });
    expect(said).toMatch(new RegExp(`^Voici les ${nombre} derniers articles du blogue Le cabanon numérique\\. `));
    expect(quotesIn(said)).toEqual(latestIn("fr").slice(0, nombre));
  });

  it("says what the last one is about, when it is alone", async () => {
    expect(await list({ nombre: 1 })).toBe(
      `Le dernier article du blogue Le cabanon numérique est « ${HENS} », paru le 30 août 2026. En bref : « Une porte automatique, un abreuvoir qui ne prend pas en glace et un compteur d’œufs, racontés par celle qui nettoie derrière ».`,
    );
    expect(await list({ nombre: 1 }, blogOf({ title: "Seul", date: "2026-03-01" }))).toBe(
      "Le dernier article du blogue Le cabanon numérique est « Seul », paru le premier mars 2026.",
    );
  });

  it("takes a count in figures, and null or an empty text as none", async () => {
    expect(await list({ nombre: "2" })).toBe(await list({ nombre: 2 }));
    expect(await list({ nombre: null, etiquette: null, langue: null })).toBe(await list());
    expect(await list({ etiquette: " ", langue: "" })).toBe(await list());
  });

  it.each([0, 11, -1, 2.5, "deux", "", true])("refuses %j as a count", async (nombre) => {
    expect(await refuse({ nombre })).toBe(
      "L'argument « nombre » ne convient pas : il faut un nombre entier de 1 à 10. Rien n'a été cherché; corrige-le et rappelle l'outil.",
    );
  });

  it("says each article of the index once, in its own language", async () => {
    for (const [langue, lang] of [
      ["français", "fr"],
      ["anglais", "en"],
    ]) {
      const said = quotesIn(await list({ nombre: 10, langue }));
      expect(said).toEqual(latestIn(lang).slice(0, 10));
      expect(new Set(said).size).toBe(said.length);
    }
  });

  it("gives the first one's link alone, after what is said", async () => {
    const url = "https://cabanon.example.org/blog/un/";
    const files = blogOf({ title: "Un", date: "2026-01-02", url }, { title: "Deux", date: "2026-01-01" });
    for (const nombre of [1, 2]) {
      const { text, rest } = await new Blog(files).call("articles_lister", { nombre });
      expect(rest).toEqual([url]);
      expect(text).not.toContain("http");
    }
  });

  it("says that there are fewer than what was asked", async () => {
    const two = blogOf({ title: "Un", date: "2026-01-02" }, { title: "Deux", date: "2026-01-01" });
    expect(await list({ nombre: 5 }, two)).toBe(
      "Voici les 2 seuls articles du blogue Le cabanon numérique. « Un », le 2 janvier 2026. « Deux », le premier janvier 2026.",
    );
    expect(await list({ nombre: 5 }, blogOf({ title: "Seul", date: "2026-01-02" }))).toBe(
      "Il y a un seul article du blogue Le cabanon numérique : « Seul », paru le 2 janvier 2026.",
    );
  });

  it("never opens the words, the vectors or the texts, and never embeds", async () => {
    const blog = new Blog(FILES, { [EMBED]: {} });
    await blog.say("articles_lister", { etiquette: "domotique" });
    await blog.say("articles_lister", { nombre: 1, langue: "anglais" });
    expect(blog.opened).toEqual(["index.json"]);
    expect(blog.calls).toEqual([]);
  });

  it("answers « le dernier article » in the reading too without words, vectors or embedding", async () => {
    const blog = new Blog(FILES, { [EMBED]: {} });
    await blog.say("articles_lire", { article: "le dernier article" }, {}, 40);
    expect(blog.opened).toEqual(["index.json", expect.stringMatching(/^[0-9a-f]+\.json$/)]);
    expect(blog.calls).toEqual([]);
  });
});

describe("dates", () => {
  it.each([
    ["2026-03-01", "le premier mars 2026"],
    ["2025-12-31", "le 31 décembre 2025"],
    ["2026-01-01", "le premier janvier 2026"],
    ["2024-02-29", "le 29 février 2024"],
    ["1999-08-09", "le 9 août 1999"],
  ])("says %j as %j", async (date, said) => {
    const files = blogOf({ title: "Un", date }, { title: "Deux", date });
    expect(await list({ nombre: 2 }, files)).toBe(
      `Voici les 2 derniers articles du blogue Le cabanon numérique. « Un », ${said}. « Deux », ${said}.`,
    );
  });

  it.each(["2026-13-01", "2026-00-10", "2026-01-32", "hier", "2026-1-2", 20260102, null])(
    "calls none the last one of a blog where they are dated %j, and says so",
    async (date) => {
      const files = blogOf({ title: "Un", date }, { title: "Deux", date });
      expect(await list({ nombre: 2 }, files)).toBe(
        "Voici 2 articles du blogue Le cabanon numérique, sans date. « Un ». « Deux ».",
      );
      expect(await list({ nombre: 1 }, files)).toBe("Voici un article du blogue Le cabanon numérique : « Un ».");
      expect(await list({ nombre: 3 }, files)).toMatch(/^Voici les 2 seuls articles du blogue Le cabanon numérique\. /);
      expect(await list({ nombre: 2 }, blogOf({ title: "Seul", date }))).toBe(
        "Il y a un seul article du blogue Le cabanon numérique : « Seul ».",
      );
    },
  );

  it("says last those that have no date, and keeps the order of the index between equals", async () => {
    const files = blogOf(
      { title: "Sans date", date: null },
      { title: "Matin", date: "2026-01-02" },
      { title: "Soir", date: "2026-01-02" },
      { title: "Vieux", date: "2020-01-01" },
      { title: "Sans date non plus", date: "bientôt" },
    );
    expect(quotesIn(await list({ nombre: 5 }, files))).toEqual([
      "Matin",
      "Soir",
      "Vieux",
      "Sans date",
      "Sans date non plus",
    ]);
  });

  it("says an article that is dated of tomorrow as it is dated", async () => {
    const files = blogOf({ title: "Hier", date: "2026-11-28" }, { title: "Demain", date: "2026-11-30" });
    expect(await list({ nombre: 2 }, files)).toMatch(
      /« Demain », le 30 novembre 2026\. « Hier », le 28 novembre 2026\.$/,
    );
  });

  it.each([
    ["2026-10-01T12:00:00Z", " Mon index date du premier octobre 2026."],
    ["2026-10-30T14:59:00Z", " Mon index date du 30 octobre 2026."],
    ["2026-10-30T15:01:00Z", ""],
    ["2026-11-29T00:00:00Z", ""],
    ["2027-01-01T00:00:00Z", ""],
    ["bientôt", ""],
    [null, ""],
    [{}, ""],
  ])("of an index made on %j, says %j", async (generated, age) => {
    const files = withHeader(FILES, (header) => Object.assign(header, { generated }));
    expect((await list({}, files)).split("le 12 mars 2026.")[1]).toBe(age);
    expect(await list({ nombre: 1 }, files)).toMatch(new RegExp(`derrière »\\.${age}$`));
  });
});

describe("tags", () => {
  it.each([
    ["réseau", "réseau"],
    ["Réseaux", "réseau"],
    ["RESEAU", "réseau"],
    ["érables", "érable"],
    ["domotiques", "domotique"],
    ["vélos", "vélo"],
    ["vie privée", "vie-privée"],
    ["impression 3D", "impression-3d"],
    ["NAS", "nas"],
    ["capteur", "capteurs"],
    ["antennes", "antenne"],
    ["antene", "antenne"],
    ["les capteurs", "capteurs"],
    ["la vie privée", "vie-privée"],
    ["l'érable", "érable"],
    ["le réseau", "réseau"],
  ])("takes %j for %j", async (etiquette, tag) => {
    expect(await list({ etiquette })).toContain(` avec l'étiquette « ${tag} »`);
  });

  it.each(["c++", "c", "c#", "R"])("tells %j from other tags of one letter", async (etiquette) => {
    const files = withHeader(blogFiles(), ({ articles }) => {
      for (const [at, tag] of ["c++", "c", "c#", "R"].entries()) articles[at].tags = [tag];
    });
    expect(await new Blog(files).say("articles_lister", { etiquette })).toContain(` avec l'étiquette « ${etiquette} »`);
  });

  it.each(["auto", "toutes", "any", "peu importe"])("takes %j for no language in particular", async (langue) => {
    expect(await list({ langue })).toBe(await list({}));
  });

  it("says the latest that have it, and only them", async () => {
    expect(quotesIn(await list({ etiquette: "domotique", nombre: 10 }))).toEqual([
      "domotique",
      HENS,
      "Domotique vocale : parler à la maison avec l'accent d'ici",
      "Neuf thermostats Zigbee et un hiver plus doux",
      "Le café connecté, ou comment compliquer la seule chose simple",
    ]);
    expect(await list({ etiquette: "wifi" })).toMatch(
      /^Il y a un seul article du blogue Le cabanon numérique avec l'étiquette « wifi » : « Un réseau Wi-Fi maillé jusqu'à la cabane », paru le 3 juillet 2024\. En bref : /,
    );
  });

  it("finds a tag that only the articles of another language have, and says which", async () => {
    expect(await list({ etiquette: "bees" })).toMatch(
      /^Il y a un seul article du blogue Le cabanon numérique en anglais avec l'étiquette « bees » : « Bees and scales: /,
    );
  });

  it("says the most frequent ones instead of one that it doesn't know", async () => {
    const end = "Un article peut quand même en parler : cherche le sujet avec « articles_chercher ».";
    expect(await refuse({ etiquette: "hypothèque" })).toBe(
      `Aucun article n'a l'étiquette « hypothèque ». Les plus fréquentes sont « capteurs », « jardin », « domotique », « serveur », « électronique » et « homelab ». ${end}`,
    );
    expect(await refuse({ etiquette: "domotique", langue: "anglais" })).toMatch(
      /^Aucun article en anglais n'a l'étiquette « domotique »\. Les plus fréquentes sont « homelab », /,
    );
    const one = new Blog(blogOf({ title: "Seul", tags: ["bois"] }));
    expect(await one.refuse("articles_lister", { etiquette: "fer" })).toBe(
      `Aucun article n'a l'étiquette « fer ». La seule est « bois ». ${end}`,
    );
    const six = new Blog(
      blogOf({ title: "Un", tags: ["a1", "b2", "c3"] }, { title: "Deux", tags: ["d4", "e5", "f6"] }),
    );
    expect(await six.refuse("articles_lister", { etiquette: "fer" })).toBe(
      `Aucun article n'a l'étiquette « fer ». Les seules sont « a1 », « b2 », « c3 », « d4 », « e5 » et « f6 ». ${end}`,
    );
    const none = new Blog(blogOf({ title: "Seul", tags: "bois" }));
    expect(await none.refuse("articles_lister", { etiquette: "bois" })).toBe(
      `Ces articles n'ont pas d'étiquettes. ${end}`,
    );
  });

  it.each(["😀", "hasOwnProperty", "constructor", "« »", "../..", "x".repeat(80), "12"])(
    "refuses the tag %j",
    async (etiquette) => {
      expect(await refuse({ etiquette })).toMatch(
        /^Aucun article n'a l'étiquette « .* »\. Les plus fréquentes sont « capteurs »/,
      );
    },
  );
});

describe("languages", () => {
  it.each(["anglais", "en anglais", "Anglais", "english", "EN", "l'anglais", "en-US", "en_CA", "eng"])(
    "lists in English for %j",
    async (langue) => {
      const said = await list({ nombre: 2, langue });
      expect(said).toMatch(/^Voici les 2 derniers articles du blogue Le cabanon numérique en anglais\. /);
      expect(quotesIn(said)[0]).toBe(BEES);
    },
  );

  it("says the language that was asked for, be it the blog's own", async () => {
    expect(await list({ nombre: 1, langue: "français" })).toMatch(
      /^Le dernier article du blogue Le cabanon numérique en français est/,
    );
  });

  const end = "J'en ai en français et en anglais. Redemande avec une de ces langues, ou sans préciser la langue.";

  it.each(["klingon", "__proto__", "constructor", "😀"])("refuses %j and says which there are", async (langue) => {
    expect(await refuse({ langue })).toBe(`Je ne connais pas de langue qui s'appelle « ${langue} ». ${end}`);
  });

  it.each(["allemand", "German"])("refuses %j, which it knows, by its name", async (langue) => {
    expect(await refuse({ langue })).toBe(`Je n'ai pas d'articles en allemand. ${end}`);
  });
});
