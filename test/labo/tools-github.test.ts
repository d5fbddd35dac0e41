// The tools on GitHub: repositories that are read, a documentation that is written, work that is handed over.
import { describe, expect, it } from "vitest";
import type { Json } from "../protocol/exchange.ts";
import { commit, issue, makeWorld, pull, USUAL, usualWorld, type World } from "../upstream/world.mjs";
import { outgoing } from "./lab.ts";
import { Desk, deskOf } from "./sources.ts";

/** What was sent to be written, in order. */
const written = (): { method: string; path: string; body: Json }[] =>
  outgoing
    .filter(({ method }) => method !== "GET")
    .map(({ method, url, sent }) => ({
      method,
      path: new URL(url).pathname,
      body: JSON.parse(sent.split("\n\n").slice(1).join("\n\n")),
    }));
const utf8 = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64.replace(/\s/g, "")), (character) => character.charCodeAt(0)));

describe("the repositories", () => {
  it("are listed: those of the variable, and no other", async () => {
    const said = await deskOf().say("depots_lister");
    for (const name of ["cabanon", "serveur"]) expect(said).toContain(name);
    expect(said).not.toMatch(/docs|atelier/);
  });

  it.each(["depot_lire", "depot_activite", "depot_pr", "depot_problemes"] as const)(
    "are called by their whole name or by the end of it, and a third is refused: %s",
    async (tool) => {
      for (const depot of ["ludo/cabanon", "cabanon", "Cabanon", "LUDO/CABANON"]) {
        await deskOf().say(tool, { ...USUAL[tool], depot });
        for (const { url } of outgoing) expect(url).toContain("/repos/ludo/cabanon");
      }
      for (const depot of ["docs", "ludo/docs", "ludo/atelier", "torvalds/linux", "linux"]) {
        const text = await deskOf().refuse(tool, { ...USUAL[tool], depot });
        expect(text).toMatch(/cabanon.*serveur/);
        expect({ depot, asked: outgoing.map(({ url }) => url) }).toEqual({ depot, asked: [] });
      }
    },
  );

  it("say when something changed, at the owner's hour", async () => {
    const said = await deskOf().say("depot_activite", { depot: "cabanon" });
    expect(said).toContain("Hier à 22 heures 30");
    expect(said).toContain("Mercredi");
    expect(said).toContain("« Change le tuyau du poêle »");
    expect(said).not.toContain("Il était percé");
  });

  it.each([
    ["2026-11-29T14:58:00Z", /aujourd'hui à 9 heures 58/i],
    ["2026-11-29T05:00:00Z", /aujourd'hui à minuit/i],
    ["2026-11-29T04:59:59Z", /hier à 23 heures 59/i],
    ["2026-11-28T17:00:00Z", /hier à midi/i],
    ["2026-11-27T02:00:00Z", /jeudi à vingt et une heures(?! \d)/i],
    ["2026-11-01T03:30:00Z", /31 octobre(?! \d)/],
    ["2026-11-01T05:30:00Z", /premier novembre/],
    ["2026-07-14T03:59:00Z", /13 juillet/],
    ["2026-01-01T04:30:00Z", /31 décembre 2025/],
    ["2025-12-31T23:30:00-05:00", /31 décembre 2025/],
  ])("say %s as %s", async (date, said) => {
    const desk = deskOf((world) => {
      world.commits["ludo/cabanon"] = [commit("Un changement", date)];
    });
    expect(await desk.say("depot_activite", { depot: "cabanon" })).toMatch(said);
  });

  it("say it at another hour where the owner has set one", async () => {
    const desk = deskOf(undefined, { TIME_ZONE: "America/Halifax" });
    expect(await desk.say("depot_activite", { depot: "cabanon" })).toContain("Hier à 23 heures 30");
  });

  it.each(["hier", "2026-13-45T99:99:99Z", "", null, 0, -1, 1e300, "0001-01-01T00:00:00Z"])(
    "say nothing of an instant that is none: %j",
    async (date) => {
      const desk = deskOf((world) => {
        world.commits["ludo/cabanon"] = [commit("Un changement", date as string)];
      });
      const { text } = await desk.ask("depot_activite", { depot: "cabanon" });
      expect(text).not.toMatch(/Invalid|1970|1969/);
    },
  );

  it("don't count a pull request among the issues", async () => {
    const said = await deskOf().say("depot_problemes", { depot: "cabanon" });
    expect(said).toContain("« La porte gèle »");
    expect(said).not.toContain("Nouveau tuyau");
    expect(await deskOf().say("depot_pr", { depot: "cabanon" })).toContain("« Nouveau tuyau de poêle »");
  });

  it("tell one issue, one pull request, by its number", async () => {
    expect(await deskOf().say("depot_problemes", { depot: "cabanon", numero: 7 })).toMatch(
      /« La porte gèle »[\s\S]*« Ça arrive quand il neige\.? »/,
    );
    expect(await deskOf().say("depot_pr", { depot: "cabanon", numero: 12 })).toContain("« Nouveau tuyau de poêle »");
    for (const tool of ["depot_problemes", "depot_pr"] as const) {
      expect(await deskOf().refuse(tool, { depot: "cabanon", numero: 999 })).toContain("999");
      for (const numero of [0, -1, 1.5, 1e12])
        expect(await deskOf().refuse(tool, { depot: "cabanon", numero })).toContain("« numero »");
    }
  });

  it("that have nothing say so: none is not a failure", async () => {
    const empty = (world: World) => {
      world.issues["ludo/cabanon"] = [];
      world.pulls["ludo/cabanon"] = [];
      world.commits["ludo/cabanon"] = [];
      world.found = [];
    };
    for (const tool of ["depot_problemes", "depot_pr", "depot_activite"] as const) {
      expect(await deskOf(empty).say(tool, { depot: "cabanon" })).toMatch(/aucune?|pas d/i);
    }
    expect(await deskOf(empty).say("depot_chercher", { question: "introuvable" })).toMatch(/rien|aucun|pas/);
  });

  it("with many of them say a few, then how many there are", async () => {
    const desk = deskOf((world) => {
      world.issues["ludo/cabanon"] = Array.from({ length: 30 }, (_, index) =>
        issue(index + 1, `Problème ${index + 1}`),
      );
    });
    const said = await desk.say("depot_problemes", { depot: "cabanon" });
    expect(said.match(/« Problème \d+ »/g)?.length).toBeLessThanOrEqual(7);
    expect(said).toMatch(/\b(?:30|2[0-9])\b|plus de/);
  });

  it("are read a part at a time, down to the last word", async () => {
    const paragraphs = Array.from(
      { length: 60 },
      (_, index) => `Paragraphe ${index + 1} du document, qui dit bien des choses du cabanon et de son poêle.`,
    );
    const desk = deskOf((world) => {
      world.files["ludo/cabanon"]["long.md"] = `# Titre\n\n${paragraphs.join("\n\n")}\n`;
    });
    let heard = "";
    let partie = 1;
    for (; partie <= 40; partie++) {
      const { text, isError } = await desk.ask("depot_lire", { depot: "cabanon", fichier: "long.md", partie }, 60);
      if (isError) break;
      expect(text.length).toBeLessThanOrEqual(4_000);
      heard += ` ${text}`;
    }
    expect(partie).toBeGreaterThan(2);
    for (const index of [1, 2, 30, 59, 60]) expect(heard).toContain(`Paragraphe ${index} du document`);
  });

  it.each([
    ["a link", Response.json({ type: "symlink", target: "/etc/passwd", content: "", encoding: "base64", size: 1 })],
    ["a module", Response.json({ type: "submodule", content: "", size: 0 })],
    [
      "a file that is too big",
      Response.json({ type: "file", encoding: "none", content: "", size: 3_000_000, sha: "a" }),
    ],
    [
      "bytes",
      Response.json({ type: "file", encoding: "base64", content: btoa("\xff\xfe\x00\x01"), size: 4, sha: "a" }),
    ],
    ["no base64", Response.json({ type: "file", encoding: "base64", content: "@@@@", size: 4, sha: "a" })],
  ])("refuse to read %s", async (_, response) => {
    const desk = new Desk({ github: () => response.clone() }, {});
    const text = await desk.refuse("depot_lire", { depot: "cabanon", fichier: "x.md" });
    expect(text).not.toMatch(/passwd/);
  });

  it("say what is in a folder", async () => {
    const folder = Array.from({ length: 30 }, (_, index) => ({ type: "file", name: `${index}.md` }));
    const said = await new Desk({ github: () => Response.json(folder) }).say("depot_lire", { fichier: "docs" });
    expect(said).toContain("« 0.md »");
    expect(said.match(/\.md/g)?.length).toBeLessThan(20);
  });

  it("say that a file isn't there", async () => {
    expect(await deskOf().refuse("depot_lire", { depot: "cabanon", fichier: "absent.md" })).toContain("absent.md");
  });

  it("are searched, and what is found elsewhere is left out", async () => {
    const desk = deskOf((world) => {
      world.found.push({ name: "x.md", path: "secret.md", repository: { full_name: "ludo/secret" } });
    });
    const said = await desk.say("depot_chercher", { question: "onduleur" });
    expect(said).toContain("poele.md");
    expect(said).not.toMatch(/secret|routeur/);
    const documented = await desk.say("doc_chercher", { question: "sauvegarde" });
    expect(documented).toContain("routeur");
    expect(documented).not.toMatch(/secret|poele/);
  });

  it("that were renamed are followed on the same host, for a read, once", async () => {
    const world = makeWorld();
    for (const [hops, isError] of [
      [1, false],
      [2, true],
    ] as const) {
      const desk = new Desk({
        github(request) {
          const url = new URL(request.url);
          const hop = Number(url.searchParams.get("hop") ?? 0);
          if (hop === hops || request.method !== "GET") return world.github(request);
          url.searchParams.set("hop", String(hop + 1));
          return new Response(null, { status: 301, headers: { location: url.href } });
        },
      });
      expect((await desk.ask("depot_problemes", { depot: "cabanon" })).isError).toBe(isError);
    }
  });

  it("say of a pull request whether it is a draft, merged or closed", async () => {
    for (const [change, said] of [
      [{ draft: true }, /brouillon/],
      [{ state: "closed", merged_at: "2026-11-28T12:00:00Z", merged: true }, /fusionnée/],
      [{ state: "closed" }, /fermée/],
    ] as const) {
      const desk = deskOf((world) => {
        world.pulls["ludo/cabanon"] = [pull(12, "Tuyau", change)];
      });
      expect(await desk.say("depot_pr", { depot: "cabanon", numero: 12 })).toMatch(said);
    }
  });
});

describe("the documentation", () => {
  const FILE = "reseau/routeur.md";

  it("is added to: what was there stays, to the byte", async () => {
    const desk = deskOf();
    const said = await desk.say("doc_ecrire", USUAL.doc_ecrire);
    expect(said).toContain("routeur");
    const [{ method, path, body }, ...more] = written();
    expect({ method, path, more }).toEqual({ method: "PUT", path: `/repos/ludo/docs/contents/${FILE}`, more: [] });
    expect(body.sha).toBe("a");
    expect(utf8(body.content)).toBe("# Le routeur\n\nIl est au sous-sol.\n\nLe routeur du sous-sol a été changé.\n");
    expect(body.branch).toBeUndefined();
    expect(body.message).toMatch(/./);
  });

  it("is replaced only when asked", async () => {
    const desk = deskOf();
    await desk.say("doc_ecrire", { ...USUAL.doc_ecrire, mode: "remplacer" });
    expect(desk.world.files["ludo/docs"][FILE]).toBe("Le routeur du sous-sol a été changé.\n");
  });

  it("gets a file that wasn't there", async () => {
    const desk = deskOf();
    await desk.say("doc_ecrire", { fichier: "cabanon/poele.md", paragraphes: ["Un.", "Deux é."] });
    expect(written()[0].body.sha).toBeUndefined();
    expect(desk.world.files["ludo/docs"]["cabanon/poele.md"]).toBe("Un.\n\nDeux é.\n");
  });

  it("isn't written twice with the same end", async () => {
    const desk = deskOf();
    await desk.say("doc_ecrire", USUAL.doc_ecrire);
    const once = desk.world.files["ludo/docs"][FILE];
    await desk.say("doc_ecrire", USUAL.doc_ecrire);
    expect(written()).toEqual([]);
    expect(desk.world.files["ludo/docs"][FILE]).toBe(once);
  });

  it.each([
    ["too big to be read", { type: "file", encoding: "none", content: "", size: 3_000_000, sha: "a" }],
    ["a folder", [{ type: "file", name: "x" }]],
    [
      "a link",
      { type: "symlink", target: ".github/workflows/x.yml", content: btoa("x"), encoding: "base64", size: 1, sha: "a" },
    ],
    ["not text", { type: "file", encoding: "base64", content: btoa("\xff\xfe"), size: 2, sha: "a" }],
    ["without what says which version it is", { type: "file", encoding: "base64", content: btoa("x"), size: 1 }],
    ["something else", { bonjour: true }],
  ])("isn't written over what can't be kept: %s", async (_, json) => {
    const desk = new Desk({ github: () => Response.json(json) }, {});
    await desk.refuse("doc_ecrire", USUAL.doc_ecrire);
    expect(written()).toEqual([]);
  });

  it.each([
    "../x.md",
    "a/../../x.md",
    "/x.md",
    "-x.md",
    ".github/workflows/x.yml",
    ".GITHUB/workflows/x.yml",
    "a/.github/workflows/x.yml",
    ".git/config",
    "docs\\x.md",
    "x%2e%2e.md",
    "%2e%2e/x.md",
    "x?ref=main.md",
    "x#y.md",
    "x y.md",
    "é.md",
    "a//b.md",
    "a/./b.md",
    "a/",
    ".",
    "",
    "x".repeat(121),
  ])("is written nowhere else than in its files: %j", async (fichier) => {
    const text = await deskOf().refuse("doc_ecrire", { ...USUAL.doc_ecrire, fichier });
    expect(text).toMatch(/« fichier »|dépôt de documentation/);
    expect(outgoing).toEqual([]);
  });

  it("is in one repository, even if the key would open others", async () => {
    for (const depot of [
      "ludo/cabanon",
      "ludo/atelier",
      "torvalds/linux",
      "cabanon",
      "ludo/docs/..",
      "ludo/docs2",
      "ludo",
    ]) {
      expect(await deskOf().refuse("doc_ecrire", { ...USUAL.doc_ecrire, depot })).toContain("documentation");
      expect(outgoing).toEqual([]);
      expect(await deskOf().refuse("doc_chercher", { ...USUAL.doc_chercher, depot })).toContain("documentation");
      expect(outgoing).toEqual([]);
      // A path can't be a repository either.
      await deskOf().ask("doc_ecrire", { ...USUAL.doc_ecrire, repo: depot, fichier: `${depot}/x.md` });
      for (const { url } of outgoing) expect(new URL(url).pathname).toMatch(/^\/repos\/ludo\/docs\/contents\//);
    }
    for (const depot of ["ludo/docs", "docs", "LUDO/Docs"])
      await deskOf().say("doc_ecrire", { ...USUAL.doc_ecrire, depot });
  });

  it("is not written when another wrote at the same time: it says so, and tries no more", async () => {
    const world = makeWorld();
    const desk = new Desk(
      {
        github: (request) =>
          request.method === "PUT"
            ? Response.json({ message: "does not match" }, { status: 409 })
            : world.github(request),
      },
      {},
    );
    expect(await desk.refuse("doc_ecrire", USUAL.doc_ecrire)).toMatch(/n'a (?:pas|rien)|[Rr]ien n'a/);
    expect(written()).toHaveLength(1);
  });

  it.each([[[]], [[""]], [["  "]], [Array(500).fill("x")]])(
    "refuses paragraphs that are none, or too many",
    async (paragraphes) => {
      expect(await deskOf().refuse("doc_ecrire", { fichier: "x.md", paragraphes })).toContain("« paragraphes »");
      expect(outgoing).toEqual([]);
    },
  );
});

describe("the work for a coding agent", () => {
  const open =
    (count: number, change: Json = {}) =>
    (world: World) => {
      world.issues["ludo/atelier"] = Array.from({ length: count }, (_, index) =>
        issue(index + 1, `Tâche ${index + 1}`, { labels: [{ name: "claude-code" }], ...change }),
      );
    };

  it("is an issue with a label, in one repository, and nothing else", async () => {
    const said = await deskOf().say("confier_a_claude_code", USUAL.confier_a_claude_code);
    expect(said).toContain("« Réparer le lien brisé »");
    expect(said).toContain("40");
    expect(written()).toEqual([
      {
        method: "POST",
        path: "/repos/ludo/atelier/issues",
        body: expect.objectContaining({ title: "Réparer le lien brisé", labels: ["claude-code"] }),
      },
    ]);
    expect(written()[0].body.body).toContain("Le lien vers la page du poêle est brisé.");
    expect(Object.keys(written()[0].body).sort()).toEqual(["body", "labels", "title"]);
  });

  it("says that it runs nothing", async () => {
    expect(await deskOf().say("confier_a_claude_code", USUAL.confier_a_claude_code)).toMatch(
      /n'ai rien (?:lancé|exécuté)|rien n'est (?:lancé|parti)|ne lance rien|pas (?:encore )?(?:commencé|lancé)/,
    );
  });

  it("is at most three at once", async () => {
    for (const count of [0, 1, 2]) await deskOf(open(count)).say("confier_a_claude_code", USUAL.confier_a_claude_code);
    for (const count of [3, 4, 30]) {
      const text = await deskOf(open(count)).refuse("confier_a_claude_code", USUAL.confier_a_claude_code);
      expect(text).toMatch(/trois/);
      expect(written()).toEqual([]);
    }
  });

  it("counts neither what is closed, nor what has no label, nor a pull request", async () => {
    for (const change of [{ state: "closed" }, { labels: [] }, { pull_request: { url: "x" } }]) {
      await deskOf(open(5, change)).say("confier_a_claude_code", USUAL.confier_a_claude_code);
    }
  });

  it("counts the three behind pull requests that have the label", async () => {
    const world = usualWorld();
    const labelled = { labels: [{ name: "claude-code" }] };
    world.issues["ludo/atelier"] = [
      ...Array.from({ length: 40 }, (_, index) => issue(100 + index, "x", { ...labelled, pull_request: { url: "x" } })),
      ...Array.from({ length: 3 }, (_, index) => issue(index + 1, "y", labelled)),
    ];
    const usual = makeWorld(world);
    const desk = new Desk(
      {
        async github(request) {
          const response = await usual.github(request);
          const { pathname, searchParams } = new URL(request.url);
          if (request.method !== "GET" || !pathname.endsWith("/issues")) return response;
          const [size, page] = [Number(searchParams.get("per_page") ?? 30), Number(searchParams.get("page") ?? 1)];
          return Response.json((await response.json<Json[]>()).slice((page - 1) * size, page * size));
        },
      },
      {},
    );
    await desk.refuse("confier_a_claude_code", USUAL.confier_a_claude_code);
    expect(written()).toEqual([]);
  });

  it("is followed: how many are open, each by its title", async () => {
    const said = await deskOf(open(2)).say("suivi_claude_code");
    expect(said).toMatch(/« Tâche 1 »[\s\S]*« Tâche 2 »|« Tâche 2 »[\s\S]*« Tâche 1 »/);
    expect(await deskOf().say("suivi_claude_code")).toMatch(/aucun|rien/i);
    expect(await deskOf(open(2)).say("suivi_claude_code", { numero: 2 })).toContain("« Tâche 2 »");
  });

  it("isn't followed by the number of an issue that wasn't handed over", async () => {
    const desk = deskOf((world) => {
      world.issues["ludo/atelier"] = [issue(5, "Affaire privée")];
    });
    expect(await desk.refuse("suivi_claude_code", { numero: 5 })).not.toContain("Affaire privée");
  });

  it("has a title of one line", async () => {
    await deskOf().ask("confier_a_claude_code", { titre: "Un\ntitre", consigne: "Ligne une.\n\nLigne deux." });
    expect(written()[0].body.title).not.toContain("\n");
  });
});
