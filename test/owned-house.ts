// A checkout in which its owner has given each door its address, and the commands that are run there.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { makeHouse } from "./processes.ts";

export const DOMAIN = "cabanon.quebec";

/** A checkout whose owner changed the line of each address, and nothing else. */
function makeOwnedHouse(): string {
  const house = makeHouse();
  const settings = readFileSync(join(house, "wrangler.toml"), "utf8");
  const owned = settings.replace(
    /(^\[env\.(\w+)\.vars\]\n[^[]*?^PUBLIC_URL = )".*"$/gm,
    (_, before, name) => `${before}"https://${name}.${DOMAIN}"`,
  );
  writeFileSync(join(house, "wrangler.toml"), owned);
  return house;
}

/** The one of the test that runs. */
export let house: string;
/** Each test of the group has its own. */
export function useHouse(): void {
  beforeEach(() => {
    house = makeOwnedHouse();
  });
  afterEach(() => rmSync(house, { recursive: true }));
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Nobody is signed in on this machine, and its own settings are left out. */
function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(CLOUDFLARE|CF|WRANGLER)_/.test(name));
  const home = join(house, "home");
  mkdirSync(home, { recursive: true });
  return { ...Object.fromEntries(kept), HOME: home, XDG_CONFIG_HOME: home, NO_COLOR: "1", CI: "1", ...more };
}

/** Runs a program in it until it ends. */
export function run(command: string, args: string[], env = environment()): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: house, encoding: "utf8", env } as const;
    const child = execFile(command, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
    child.stdin?.end();
  });
}

export const deploy = (args: string[], more: Record<string, string> = {}) =>
  run(process.execPath, ["scripts/deploy.mjs", ...args], environment(more));
export const read = (file: string) => readFileSync(join(house, file), "utf8");
export const lastLine = (text: string) => text.trimEnd().split("\n").at(-1) ?? "";
