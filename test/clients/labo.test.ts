// The official clients at the private door, over HTTP: each finds where to sign in, signs in, asks, and comes back when its
// token is over.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeHouse, type Running, startDoorIn } from "../processes.ts";
import { startLab } from "../upstream/lab.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DOCUMENT = "https://claude.ai/oauth/claude-code-client-metadata";
const SENTENCE = "Au labo, Home Assistant ne répond pas; Cloudflare Access et GitHub répondent. ";

let house: string;
let lab: Awaited<ReturnType<typeof startLab>>;
let door: Running;
let front: Awaited<ReturnType<typeof lab.access.startFront>>;
beforeAll(async () => {
  house = makeHouse();
  lab = await startLab();
  const vars = Object.entries(lab.vars).flatMap(([name, value]) => ["--var", `${name}=${value}`]);
  door = await startDoorIn(house, "labo", "--port", "0", ...vars);
  front = await lab.access.startFront(0, new URL(door.url).origin);
});
afterAll(async () => {
  await front?.close();
  await door?.stop();
  await lab?.close();
  rmSync(house, { recursive: true });
});

interface Conversation {
  tools: { name: string }[];
  answers: { said?: string[]; isError?: boolean; thrown?: string; code?: number }[];
}

/** A whole session of a client of this folder, on the front that stands before the door. */
function converse(file: string, mode: string): Promise<Conversation> {
  const questions = [
    { name: "labo_etat", arguments: {} },
    { name: "outil_invente", arguments: {} },
  ];
  const args = [`${HERE}${file}`, `${front.url}/mcp`, JSON.stringify(questions), mode];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: 50_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout));
      else reject(new Error(stderr));
    });
  });
}

/** The lines of the lock since `from`, and that number for the next time. */
function visits(from: number): { route: string; status: number; reason: string | null }[] {
  const lines = door.stderr.split("\n").filter((line) => line.startsWith('{"door":') && line.includes('"route":'));
  return lines.slice(from).map((line) => JSON.parse(line));
}

describe.each([
  ["the first official client", "labo-1.mjs"],
  ["the second official client", "labo-2.mjs"],
])("%s", (_, file) => {
  it.each([
    ["with its own document", DOCUMENT, 0],
    ["after it has registered", "", 1],
  ])("signs in %s, asks, and refreshes its tokens", async (_, document, registrations) => {
    const before = visits(0).length;
    const { tools, answers } = await converse(file, `${lab.vars.OWNER_EMAIL} ${document}`.trim());
    expect(tools.map(({ name }) => name)).toEqual(["labo_etat"]);
    const [state, unknown] = answers;
    expect(state).toEqual({ said: [expect.stringContaining(SENTENCE)], isError: false });
    expect(unknown).toMatchObject({ thrown: expect.stringContaining("Outil inconnu"), code: -32602 });
    const seen = visits(before);
    const count = (route: string, status: number) =>
      seen.filter((visit) => visit.route === route && visit.status === status).length;
    expect(count("/register", 201)).toBe(registrations);
    // A code, then a refresh for each of the two calls whose token was over.
    expect(count("/token", 200)).toBe(3);
    expect(seen.filter(({ route, reason }) => route === "/mcp" && reason === "invalid")).toHaveLength(2);
    expect(seen.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it("gets nothing for a stranger", async () => {
    const before = visits(0).length;
    await expect(converse(file, `stranger@example.com ${DOCUMENT}`)).rejects.toThrow(/403/);
    expect(visits(before).filter(({ route }) => route === "/token")).toEqual([]);
  });
});

it("never logs what it was given", () => {
  expect(door.stderr).not.toMatch(/eyJ|stranger|ludo|code=|Bearer/);
});
