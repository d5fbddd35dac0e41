import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOMAIN, deploy, house, lastLine, read, useHouse } from "./owned-house.ts";

/** The private door: its name alone sends it. */
const PRIVATE = "labo";

describe("npm run deploy -- labo", () => {
  useHouse();
  const AUD = "0123456789abcdef".repeat(4);
  /** What its owner has to say, bent; null takes a line away. */
  const own = (change: Record<string, string | null> = {}) => {
    const said: Record<string, string | null> = {
      ...{ ACCESS_TEAM: "cabanon", ACCESS_AUD: AUD, OWNER_EMAIL: `moi@${DOMAIN}` },
      ...change,
    };
    const text = Object.entries(said).reduce(
      (before, [name, value]) =>
        before.replace(new RegExp(`^${name} = .*\\n`, "m"), value === null ? "" : `${name} = "${value}"\n`),
      read("wrangler.toml"),
    );
    writeFileSync(join(house, "wrangler.toml"), text);
  };
  const replace = (before: string, after: string) => {
    const text = read("wrangler.toml");
    expect(text).toContain(before);
    writeFileSync(join(house, "wrangler.toml"), text.replace(before, after));
  };
  const addVars = (...lines: string[]) =>
    writeFileSync(
      join(house, "wrangler.toml"),
      read("wrangler.toml").replace("[env.labo.vars]\n", (title) => `${title}${lines.join("\n")}\n`),
    );

  it("builds it with its limits, and leaves it out of what all means", async () => {
    own();
    const { code, stdout, stderr } = await deploy([PRIVATE, "--dry-run"]);
    expect({ code, stderr, last: lastLine(stdout) }).toEqual({ code: 0, stderr: "", last: "Nothing was sent." });
    expect(stdout).toContain(`https://labo.${DOMAIN}/mcp\n`);
    for (const bound of ["BRAKE", "REGISTER_BRAKE", "REGISTER_BRAKE_ALL", "SPENT"]) {
      expect(stdout).toContain(`env.${bound} (`);
    }
    expect(stdout).not.toContain("server.json");
    expect(existsSync(join(house, "workers/labo/server.json"))).toBe(false);
    const all = await deploy(["all", "--dry-run"]);
    expect(all.code).toBe(0);
    expect(all.stdout).not.toContain(`labo.${DOMAIN}`);
  });

  it("says what is still the example's, and refuses to send it", async () => {
    const tried = await deploy([PRIVATE, "--dry-run"]);
    expect(tried.code).toBe(0);
    const { code, stdout, stderr } = await deploy([PRIVATE]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.match(/^wrangler\.toml: labo: (\w+)/gm)).toEqual(
      ["ACCESS_TEAM", "ACCESS_AUD", "OWNER_EMAIL"].map((name) => `wrangler.toml: labo: ${name}`),
    );
  });

  // Several in one deployment: each has a line of its own.
  it.each<Record<string, [value: string | null, said: string]>>([
    {
      ACCESS_TEAM: [null, "must be"],
      ACCESS_AUD: [null, "must be"],
      OWNER_EMAIL: ["moi", "must be"],
      LABO_TOOLS: [" , ", "must name"],
    },
    {
      ACCESS_TEAM: ["https://cabanon.cloudflareaccess.com", "must be"],
      ACCESS_AUD: ["", "must be"],
      OWNER_EMAIL: [`moi@${DOMAIN},toi@${DOMAIN}`, "must be"],
      LABO_TOOLS: ["labo_etat, labo_porte", "names what isn't a tool, labo_porte: choose"],
    },
    {
      ACCESS_TEAM: ["mon-equipe", "is still the example's"],
      ACCESS_AUD: ["labo", "must be"],
      OWNER_EMAIL: [`*@${DOMAIN}`, "must be"],
    },
    {
      ACCESS_TEAM: ["-", "must be"],
      ACCESS_AUD: ["f5c2…", "is still the example's"],
      OWNER_EMAIL: ["moi@cabanon", "must be"],
    },
    { ACCESS_AUD: ["0".repeat(64), "must be"], OWNER_EMAIL: ["You@Example.com", "is still the example's"] },
  ])("refuses what its owner has said wrong (%j)", async (said) => {
    own(Object.fromEntries(Object.entries(said).map(([name, [value]]) => [name, value])));
    const { code, stdout, stderr } = await deploy([PRIVATE]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    for (const [name, [, words]] of Object.entries(said)) {
      expect(lines.filter((line) => line.startsWith(`wrangler.toml: labo: ${name} ${words}`))).toHaveLength(1);
    }
    expect(lines).toHaveLength(Object.keys(said).length);
  });

  // Several in one deployment, where one doesn't hide another: the lock stops at its first, and two of them judge all alone.
  it.each<[string, () => void, RegExp[]]>([
    [
      "an instant that isn't one, a house without its scheme, and another address, in the singular",
      () => {
        addVars('MIN_IAT = "hier"', 'HOME_API = "maison.cabanon.quebec"');
        replace('main = "workers/labo/index.ts"', 'main = "workers/labo/index.ts"\nroute = "a.cabanon.quebec/*"');
      },
      [/MIN_IAT must be/, /HOME_API must be/, /routes must be empty/],
    ],
    [
      "an instant to come, half an Access pair, and no required secret",
      () => {
        addVars('MIN_IAT = "2999-01-01T00:00:00Z"', 'HOME_ACCESS_ID = "0123.access"');
        replace("[env.labo.secrets]\nrequired", "[env.labo.secrets]\n# required");
      },
      [/MIN_IAT must be/, /HOME_ACCESS/, /ROOT_TOK/],
    ],
    [
      "a family that can't be one, and a tool without its source",
      () => {
        addVars('DENY_FAM = "court"');
        own({ LABO_TOOLS: "labo_etat, taches_lister" });
      },
      [/DENY_FAM must be/, /JOBS_API/],
    ],
    [
      "a client that can't be one, and tools under a name that isn't read",
      () => {
        addVars('DENY_CLIENT = "bien trop long"');
        replace("LABO_TOOLS =", "LABO_TOOL =");
      },
      [/DENY_CLIENT must be/, /LABO_TOOLS must name/],
    ],
    ["a day that isn't one", () => addVars('MIN_IAT = "2026-02-30T00:00:00Z"'), [/MIN_IAT must be/]],
    [
      "no word of its lock but its secrets",
      () => own({ ACCESS_TEAM: null, ACCESS_AUD: null, OWNER_EMAIL: null, LABO_TOOLS: null }),
      [/ACCESS_TEAM must be/],
    ],
    [
      "no word of its lock at all",
      () => {
        own({ ACCESS_TEAM: null, ACCESS_AUD: null, OWNER_EMAIL: null, LABO_TOOLS: null });
        replace('required = ["ROOT_TOK", "ROOT_CLI"]', "required = []");
      },
      [/ROOT_TOK must be among/],
    ],
    [
      "a limit that counts with another",
      () => replace('namespace_id = "1007"', 'namespace_id = "1005"'),
      [/two limits have the namespace_id 1005/],
    ],
    ["a setting that is no text", () => addVars("DENY_FAM = { a = 1 }"), [/DENY_FAM must be a text/]],
  ])("refuses %s, and says no secret", async (_, prepare, said) => {
    own();
    prepare();
    const { code, stdout, stderr } = await deploy([PRIVATE]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^wrangler\.toml: /);
    for (const one of said) expect(stderr).toMatch(one);
    expect(stderr).not.toContain("canari");
  });

  it("refuses all that would loosen its lock, each in one line, and says no secret", async () => {
    own();
    replace('main = "workers/labo/index.ts"', 'main = "workers/meteo/index.ts"\nroutes = ["a.cabanon.quebec/*"]');
    replace("[env.labo.secrets]", '[env.labo.assets]\ndirectory = "shared-docs"\n\n[env.labo.secrets]');
    replace('required = ["ROOT_TOK", "ROOT_CLI"]', 'required = ["ROOT_CLI"]');
    replace("limit = 1, period = 60", "limit = 5, period = 60");
    replace('name = "REGISTER_BRAKE"', 'name = "AUTRE"');
    addVars('ROOT_TOK = \'{"k1":"canari"}\'', 'ROOT_TOK_OLD = \'{"k1":"canari"}\'');
    addVars('ACCESS_API = "https://access.cabanon.quebec"', 'CLOCK = "2025-10-08T23:21:51Z"');
    const { code, stdout, stderr } = await deploy([PRIVATE]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    for (const words of [
      "main must be workers/labo/index.ts",
      "routes must be empty",
      "assets must be taken away",
      "ROOT_TOK must be among",
      "SPENT must have the limit 1",
      "REGISTER_BRAKE must be bound",
      "ROOT_TOK is a secret",
      "ROOT_TOK_OLD is a secret",
      "ACCESS_API stands in",
      "CLOCK stops",
    ]) {
      expect(lines.filter((line) => line.startsWith(`wrangler.toml: labo: ${words}`))).toHaveLength(1);
    }
    expect(stderr).not.toContain("canari");
  });

  it("refuses every setting of a source that it wouldn't take, each in one line, and says no secret", async () => {
    own();
    const odd: Record<string, string> = {
      CLUSTER_URL: "https://radar.cabanon.quebec/mcp",
      JOBS_API: "http://cronicle.cabanon.quebec",
      HOSTS_API: "https://hotes.cabanon.quebec/lire",
      WEB_API: "https://canari@searx.cabanon.quebec",
      REPOS: "cabanon",
      DOC_REPO: "ludo/docs, ludo/autre",
      WORK_REPO: "ludo/docs, ludo/autre",
      HOME_CAMERAS: "camera.entree, entree",
      TIME_ZONE: "America/Chicoutimi",
    };
    for (const source of ["REPOS", "DOC", "HOME", "JOBS", "CLUSTER", "HOSTS", "WEB", "WORK"])
      odd[`${source}_KEY`] = "canari";
    for (const source of ["HOME", "JOBS", "CLUSTER", "HOSTS", "WEB"]) odd[`${source}_ACCESS_SECRET`] = "canari";
    addVars(...Object.entries(odd).map(([name, value]) => `${name} = "${value}"`));
    const { code, stdout, stderr } = await deploy([PRIVATE]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    for (const name of Object.keys(odd)) {
      expect(lines.filter((line) => line.startsWith(`wrangler.toml: labo: ${name} `))).toHaveLength(1);
    }
    expect(stderr).not.toContain("canari");
  });
});
