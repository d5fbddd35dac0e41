import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { faultOf, prepareServerJson, readFleet, type Settings } from "../scripts/server-json.mjs";
import { runCommand } from "./commands.ts";
import { DOMAIN, deploy, house, lastLine, read, run, useHouse } from "./owned-house.ts";
import { runNpm } from "./processes.ts";
import { ACCOUNT, startWorkersApi, TOKEN } from "./upstream/workers-api.mjs";

const DOORS = ["hockey", "meteo", "articles"];
/** The private one: its name alone sends it. */
const PRIVATE = "labo";
const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

const fleet = await readFleet();

const card = (name: string) => JSON.parse(read(`workers/${name}/server.json`));

/** Adds lines under `[env.hockey.vars]`. */
const setVars = (...lines: string[]) =>
  writeFileSync(
    join(house, "wrangler.toml"),
    read("wrangler.toml").replace("[env.hockey.vars]\n", (title) => `${title}${lines.join("\n")}\n`),
  );

describe("the settings", () => {
  it("describe the doors of workers/", () => {
    expect([...fleet.keys()]).toEqual([...DOORS, PRIVATE]);
  });

  it.each([...DOORS, PRIVATE])("close every other address of %s", (name) => {
    const { workers_dev, preview_urls, routes, route } = fleet.get(name) as Settings;
    expect({ workers_dev, preview_urls, routes, route }).toEqual({
      workers_dev: false,
      preview_urls: false,
      routes: undefined,
      route: undefined,
    });
  });

  it.each([...DOORS, PRIVATE])("log the lines that %s writes, all of them, and none that Cloudflare would", (name) => {
    expect(fleet.get(name)?.observability).toMatchObject({
      enabled: true,
      head_sampling_rate: 1,
      logs: { enabled: true, head_sampling_rate: 1, invocation_logs: false },
    });
  });
});

describe("npm run deploy -- --dry-run", () => {
  useHouse();

  it("builds and checks every door on a machine without a network or an account, and sends nothing", async () => {
    const alone = ["-rn", process.execPath, "scripts/deploy.mjs", "all", "--dry-run"];
    let command = "unshare";
    try {
      execFileSync(command, ["-rn", "true"], { stdio: "ignore" });
    } catch {
      command = String(alone.splice(0, 2)[1]);
    }
    const { code, stdout, stderr } = await run(command, alone);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const name of DOORS) {
      expect(stdout).toContain(`${name} ${card(name).version}  https://${name}.${DOMAIN}/mcp\n`);
      expect(stdout).toContain(`env.PUBLIC_URL ("https://${name}.${DOMAIN}")`);
      expect(stdout).toContain(`workers/${name}/server.json: it will be rewritten\n`);
      expect(card(name).remotes[0].url).not.toContain(DOMAIN);
    }
    expect(stdout.match(/env\.BRAKE \(30 requests\/10s\)/g)).toHaveLength(DOORS.length);
    expect(stdout).toMatch(
      /\n {2}its index: la documentation des portes, \d+ article\(s\), of \d{4}-\d\d-\d\d, words only\n/,
    );
    expect(existsSync(join(house, "workers/articles/assets/index.json"))).toBe(true);
    expect(lastLine(stdout)).toBe("Nothing was sent.");
  });

  it("tries all the rest before there is a domain, and says so", async () => {
    writeFileSync(
      join(house, "wrangler.toml"),
      read("wrangler.toml").replace(`hockey.${DOMAIN}`, "hockey.example.com"),
    );
    const { code, stdout, stderr } = await deploy(["hockey", "--dry-run"]);
    expect(stderr).toMatch(
      /^wrangler\.toml: hockey: PUBLIC_URL has a host that can't be yours, hockey\.example\.com: .+; a deployment will be refused\n$/,
    );
    expect({ code, last: lastLine(stdout) }).toEqual({ code: 0, last: "Nothing was sent." });
  });

  it("judges and builds the one door that is asked for", async () => {
    writeFileSync(join(house, "wrangler.toml"), read("wrangler.toml").replace(`meteo.${DOMAIN}`, "meteo.example.com"));
    const { code, stdout, stderr } = await deploy(["hockey", "--dry-run"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`https://hockey.${DOMAIN}/mcp`);
    expect(stdout).not.toContain("meteo");
    expect(existsSync(join(house, "workers/articles/assets"))).toBe(false);
  });

  it("says that the code of a door can't be built", async () => {
    writeFileSync(
      join(house, "workers/hockey/index.ts"),
      `${read("workers/hockey/index.ts")}\nimport "./absent.ts";\n`,
    );
    const { code, stderr } = await deploy(["hockey", "--dry-run"]);
    expect(code).toBe(1);
    expect(stderr).toContain("absent.ts");
    expect(lastLine(stderr)).toMatch(/^workers\/hockey\/index\.ts: it can't be built/);
  });
});

describe("npm run deploy", () => {
  useHouse();

  let api: Awaited<ReturnType<typeof startWorkersApi>>;
  const signedIn = () => ({
    CLOUDFLARE_API_BASE_URL: `${api.url}/client/v4`,
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
  });

  describe("every door", () => {
    beforeAll(async () => {
      api = await startWorkersApi();
    });
    afterAll(() => api.close());

    it("sends each one to its host alone, with its brake, its log and its index", async () => {
      const { code, stdout, stderr } = await deploy(["all"], signedIn());
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(api.strangers).toEqual([]);
      expect(Object.keys(api.deployed).filter((name) => DOORS.includes(name))).toEqual(DOORS);
      for (const name of DOORS) {
        const { code: sent, metadata, subdomain, hosts } = api.deployed[name];
        expect({ hosts, subdomain }).toEqual({
          hosts: [`${name}.${DOMAIN}`],
          subdomain: { enabled: false, previews_enabled: false },
        });
        expect(metadata.bindings).toContainEqual({
          name: "PUBLIC_URL",
          type: "plain_text",
          text: `https://${name}.${DOMAIN}`,
        });
        expect(metadata.bindings).toContainEqual(
          expect.objectContaining({ name: "BRAKE", type: "ratelimit", simple: { limit: 30, period: 10 } }),
        );
        expect(metadata.observability).toEqual(fleet.get(name)?.observability);
        expect(sent).toContain(`name:"${name}"`);
        expect(stdout).toContain(`  npm run probe -- https://${name}.${DOMAIN}/mcp\n`);
        expect(stdout).toContain(`workers/${name}/server.json: rewritten, to be committed\n`);
        expect(card(name)).toMatchObject({
          name: `quebec.cabanon/${name}`,
          remotes: [{ type: "streamable-http", url: `https://${name}.${DOMAIN}/mcp` }],
        });
      }
      expect(api.deployed.articles.files).toContain("/index.json");
      expect(stdout).not.toContain(TOKEN);
    });
  });

  describe("when one is refused", () => {
    beforeAll(async () => {
      api = await startWorkersApi({ refused: "meteo" });
    });
    afterAll(() => api.close());

    it("stops there, says what is deployed, and leaves the rest as it was", async () => {
      const { code, stderr } = await deploy(["all"], signedIn());
      expect(code).toBe(1);
      expect(stderr).toContain("not a door");
      expect(lastLine(stderr)).toBe(
        `meteo isn't deployed: Wrangler says why above. Deployed before it: https://hockey.${DOMAIN}/mcp`,
      );
      expect(Object.keys(api.deployed)).not.toContain("articles");
      expect(card("hockey").remotes[0].url).toContain(DOMAIN);
      expect(card("meteo").remotes[0].url).not.toContain(DOMAIN);
    });

    it("says that the token isn't one", async () => {
      const { code, stderr } = await deploy(["hockey"], { ...signedIn(), CLOUDFLARE_API_TOKEN: "another" });
      expect(code).toBe(1);
      expect(stderr).toMatch(/authenticat/i);
      expect(lastLine(stderr)).toBe("hockey isn't deployed: Wrangler says why above");
    });
  });

  it("says how to sign in when nobody is", async () => {
    const { code, stderr } = await deploy(["hockey"]);
    expect(code).toBe(1);
    expect(lastLine(stderr)).toMatch(/^hockey isn't deployed: .+npx wrangler login.+CLOUDFLARE_API_TOKEN$/);
  });
});

describe("npm run deploy refuses", () => {
  useHouse();
  const BRAKE = 'ratelimits = [{ name = "BRAKE", namespace_id = "9", simple = { limit = 30, period = 10 } }]';

  /** A door by its fault: its variables, what its one line says, its other settings. */
  const FAULTS: Record<string, [vars: string[], said: RegExp, more?: string]> = {
    placeholder: [['PUBLIC_URL = "https://hockey.example.com"'], /hockey\.example\.com/],
    test: [['PUBLIC_URL = "https://hockey.test"'], /hockey\.test/],
    here: [['PUBLIC_URL = "https://localhost"'], /localhost/],
    dotless: [['PUBLIC_URL = "https://hockey"'], /hockey/],
    number: [['PUBLIC_URL = "https://192.0.2.7"'], /192\.0\.2\.7/],
    six: [['PUBLIC_URL = "https://[2001:db8::7]"'], /2001:db8::7/],
    workersdev: [['PUBLIC_URL = "https://hockey.moi.workers.dev"'], /workers\.dev/],
    nowhere: [['DEFAULT_TEAM = "MTL"'], /PUBLIC_URL .+it isn't there/],
    words: [['PUBLIC_URL = "ma porte"'], /PUBLIC_URL .+ma porte/],
    path: [[`PUBLIC_URL = "https://path.${DOMAIN}/mcp"`], /PUBLIC_URL .+\/mcp/],
    slash: [[`PUBLIC_URL = "https://slash.${DOMAIN}/"`], /PUBLIC_URL .+nothing after/],
    port: [[`PUBLIC_URL = "https://port.${DOMAIN}:8443"`], /PUBLIC_URL .+8443/],
    plain: [[`PUBLIC_URL = "http://plain.${DOMAIN}"`], /PUBLIC_URL .+http.+https is needed/],
    clock: [[`PUBLIC_URL = "https://clock.${DOMAIN}"`, 'CLOCK = "2025-10-08T23:21:51Z"'], /CLOCK/],
    emptyclock: [[`PUBLIC_URL = "https://emptyclock.${DOMAIN}"`, 'CLOCK = ""'], /CLOCK/],
    source: [[`PUBLIC_URL = "https://source.${DOMAIN}"`, 'NHL_API = "HTTP://127.0.0.1:9001"'], /NHL_API .+9001/],
    underscore: [[`PUBLIC_URL = "https://a_b.${DOMAIN}"`], /a_b\..+letters, digits and hyphens/],
    guide: [['PUBLIC_URL = "https://hockey.ton-domaine.ca"'], /can't be yours/],
    capitals: [[`PUBLIC_URL = "https://Capitals.${DOMAIN}"`], /written https:\/\/capitals\./],
    accents: [[`PUBLIC_URL = "https://été.${DOMAIN}"`], /written https:\/\/xn--/],
    traces: [
      [`PUBLIC_URL = "https://traces.${DOMAIN}"`],
      /traces/,
      `observability = { enabled = true, logs = { invocation_logs = false }, traces = { enabled = true } }\n${BRAKE}`,
    ],
    push: [[`PUBLIC_URL = "https://push.${DOMAIN}"`], /logpush/, `logpush = true\n${BRAKE}`],
    star: [[`PUBLIC_URL = "https://*.${DOMAIN}"`], /\*\..+letters, digits and hyphens/],
    long: [[`PUBLIC_URL = "https://${"a".repeat(64)}.${DOMAIN}"`], /aaaa\..+letters, digits and hyphens/],
    unbraked: [[`PUBLIC_URL = "https://unbraked.${DOMAIN}"`], /BRAKE/, ""],
    elsewhere: [[`PUBLIC_URL = "https://elsewhere.${DOMAIN}"`], /workers_dev/, `workers_dev = true\n${BRAKE}`],
    preview: [[`PUBLIC_URL = "https://preview.${DOMAIN}"`], /preview_urls/, `preview_urls = true\n${BRAKE}`],
    logging: [
      [`PUBLIC_URL = "https://logging.${DOMAIN}"`],
      /invocation_logs/,
      `observability = { enabled = true, logs = { enabled = true } }\n${BRAKE}`,
    ],
  };

  it("every setting that can't be deployed, each in one line, and sends no door of those asked", async () => {
    const doors = Object.entries(FAULTS).map(
      ([name, [vars, , more = BRAKE]]) =>
        `[env.${name}]\nmain = "workers/hockey/index.ts"\n${more}\n[env.${name}.vars]\n${vars.join("\n")}\n`,
    );
    writeFileSync(join(house, "wrangler.toml"), `${read("wrangler.toml")}\n${doors.join("\n")}`);
    const { code, stdout, stderr } = await deploy(["all"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => line.split(": ")[1])).toEqual(Object.keys(FAULTS));
    for (const [index, [, said]] of Object.values(FAULTS).entries()) {
      expect(lines[index]).toMatch(/^wrangler\.toml: /);
      expect(lines[index].split(": ").slice(2).join(": ")).toMatch(said);
    }
  });

  it("all the faults of one door", async () => {
    setVars('CLOCK = "2025-10-08T23:21:51Z"', 'NHL_API = "http://127.0.0.1:9001"');
    const { code, stderr } = await deploy(["hockey"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^wrangler\.toml: hockey: CLOCK .+\nwrangler\.toml: hockey: NHL_API .+\n$/);
  });

  const change = (file: string, from: string | RegExp, to: string) => () =>
    writeFileSync(join(house, file), read(file).replace(from, to));
  it.each<[string, string, () => void, RegExp]>([
    [
      "two doors of one address",
      "all",
      change("wrangler.toml", `//meteo.${DOMAIN}`, `//hockey.${DOMAIN}`),
      /hockey\.cab/,
    ],
    ["two doors of one name", "all", change("wrangler.toml", 'name = "meteo"', 'name = "hockey"'), /name, hockey/],
    [
      "settings that aren't TOML",
      "hockey",
      change("wrangler.toml", "[env.hockey]", "[env.hockey"),
      /^wrangler\.toml: /,
    ],
    [
      "a setting of the wrong type",
      "hockey",
      change("wrangler.toml", "workers_dev = false", "workers_dev = 1"),
      /workers_dev/,
    ],
    [
      "a server.json that isn't JSON",
      "hockey",
      change("workers/hockey/server.json", "{", ""),
      /hockey\/server\.json: /,
    ],
    [
      "a server.json that is a list",
      "hockey",
      change("workers/hockey/server.json", /.*/s, "[]"),
      /hockey\/server\.json: /,
    ],
    [
      "a description that the registry wouldn't take",
      "hockey",
      change("workers/hockey/server.json", /"description": ".*"/, `"description": "${"é".repeat(101)}"`),
      /hockey\/server\.json: "description" .+100/,
    ],
    [
      "no server.json at all",
      "hockey",
      () => rmSync(join(house, "workers/hockey/server.json")),
      /hockey\/server\.json: "description" /,
    ],
    [
      "documents that can't be indexed",
      "articles",
      () => writeFileSync(join(house, "shared-docs/brise.md"), "---\ntitle: [\n---\n\nUn.\n"),
      /^shared-docs\/brise\.md:2: /,
    ],
  ])("%s, in one line that says what", async (_, name, prepare, said) => {
    prepare();
    const { code, stdout, stderr } = await deploy([name, "--dry-run"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(said);
  });
});

describe("the arguments of npm run deploy", () => {
  it.concurrent.each([
    ["no door", [], "hockey, meteo, articles, labo, all"],
    ["an unknown door", ["curling"], "curling"],
    ["two doors", ["hockey", "meteo"], "hockey meteo"],
    ["a value for --dry-run", ["hockey", "--dry-run=no"], "--dry-run"],
  ])("may not be %s: one line that says what, exit code 2", async (_, args, what) => {
    const { code, stdout, stderr } = await runCommand("deploy", args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain(what);
  });

  it("keep their exit code through npm, and have a help", async () => {
    const wrong = await runNpm("deploy", ["curling"]);
    expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 2, stdout: "" });
    const { code, stdout, stderr } = await runNpm("deploy", ["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["NAME|all", "--dry-run", "PUBLIC_URL", "CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"]) {
      expect(stdout).toContain(word);
    }
  });
});

describe("server.json", () => {
  const files = DOORS.map((name) => [name, JSON.parse(readFileSync(`workers/${name}/server.json`, "utf8"))] as const);

  it.each(files)("of %s is what the settings and the door say: npm run server-json", async (name) => {
    const { isCurrent, file } = await prepareServerJson(name, fleet.get(name) as Settings);
    expect({ file, isCurrent }).toEqual({ file: `workers/${name}/server.json`, isCurrent: true });
  });

  it.each(files)("of %s is one of 2025-12-11 that the registry takes", (name, { $schema, ...file }) => {
    expect($schema).toBe(SCHEMA);
    expect(file).toEqual({
      name: expect.stringMatching(/^[a-z0-9-]+(\.[a-z0-9-]+)+\/[a-z-]+$/),
      title: expect.stringMatching(/^.{1,100}$/),
      description: expect.stringMatching(/^\p{Lu}.{1,99}$/u),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      remotes: [{ type: "streamable-http", url: `${fleet.get(name)?.vars.PUBLIC_URL}/mcp` }],
    });
  });

  it.each([
    ["https://hockey.cabanon.quebec", "quebec.cabanon/hockey"],
    ["https://hockey.portes.cabanon.quebec", "quebec.cabanon.portes/hockey"],
    ["https://nhl.cabanon.quebec", "quebec.cabanon.nhl/hockey"],
    ["https://cabanon.quebec", "quebec.cabanon/hockey"],
    ["https://hockey.quebec", "quebec.hockey/hockey"],
    ["https://hockey.chez-zoé.example", "example.xn--chez-zo-hya/hockey"],
  ])("is named after the host: %s is %s", async (PUBLIC_URL, name) => {
    const settings = { vars: { PUBLIC_URL } } as unknown as Settings;
    const { card, isCurrent } = await prepareServerJson("hockey", settings);
    expect({ name: card.name, isCurrent }).toEqual({ name, isCurrent: false });
    expect(faultOf(card)).toBeNull();
  });

  const [[, good]] = files;
  const remote = good.remotes[0];
  it.each<[string, object]>([
    ["another schema", { $schema: SCHEMA.replace("2025-12-11", "2025-10-17") }],
    ["no schema", { $schema: undefined }],
    ["no slash", { name: "com.example.hockey" }],
    ["two slashes", { name: "com.example/portes/hockey" }],
    ["a namespace that is no domain", { name: "example/hockey" }],
    ["a name of 201 characters", { name: `com.${"a".repeat(190)}/hockey` }],
    ["an empty title", { title: "" }],
    ["a title of 101 characters", { title: "a".repeat(101) }],
    ["no description", { description: undefined }],
    ["a description of 101 characters", { description: "a".repeat(101) }],
    ["a description that is no text", { description: 12 }],
    ["a version that is a range", { version: "^1.0.0" }],
    ["the latest version", { version: "latest" }],
    ["no remote", { remotes: [] }],
    ["a remote of another type", { remotes: [{ ...remote, type: "sse" }] }],
    ["a remote in plain http", { remotes: [{ ...remote, url: remote.url.replace("https:", "http:") }] }],
    ["a remote elsewhere than /mcp", { remotes: [{ ...remote, url: `${remote.url}/sse` }] }],
    ["two remotes", { remotes: [remote, remote] }],
  ])("may not have %s", (_, change) => {
    expect(faultOf(good)).toBeNull();
    expect(faultOf({ ...good, ...change })).toContain(`"${Object.keys(change)[0]}" must be `);
  });

  it("is refused an argument, with exit code 2, and a help is there", async () => {
    const { code, stderr } = await runCommand("server-json", ["hockey"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^"hockey" .+\n$/) });
    expect((await runCommand("server-json", ["--help"])).stdout).toContain("PUBLIC_URL");
  });
});

describe("npm run server-json", () => {
  useHouse();

  it("writes each file, and keeps what a hand added", async () => {
    const file = "workers/hockey/server.json";
    const repository = { url: "https://git.cabanon.quebec/portes", source: "cabanon" };
    writeFileSync(join(house, file), JSON.stringify({ repository, description: "La LNH.", version: "0.0.1" }));
    const { code, stdout, stderr } = await runNpm("server-json", [], house);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(DOORS.map((name) => `workers/${name}/server.json: written\n`).join(""));
    expect(card("hockey")).toEqual({
      $schema: SCHEMA,
      name: "quebec.cabanon/hockey",
      title: "Hockey canadien",
      description: "La LNH.",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      remotes: [{ type: "streamable-http", url: `https://hockey.${DOMAIN}/mcp` }],
      repository,
    });
    expect((await runNpm("server-json", [], house)).stdout).toBe(
      DOORS.map((name) => `workers/${name}/server.json: nothing to change\n`).join(""),
    );
  });
});
