// Starts the doors that real clients call, each as `npm run door` does, on the made-up sources of the demo.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { FLEET } from "../../scripts/workerd.mjs";
import { joinCore } from "../fixture-door.ts";
import { makeHouse, type Running, startDoorIn } from "../processes.ts";
import { NIGHT } from "../upstream/nhl.mjs";
import { startSources } from "../upstream/sources.mjs";

export type Name = keyof typeof FLEET;
export const NAMES = Object.keys(FLEET) as Name[];

/** The name of the door that only has fixture tools. */
const FIXTURE = "essai";

export interface Doors {
  running: Record<Name, Running>;
  /** One more door, as `joinCore` makes it. */
  startFixture(...source: Parameters<typeof joinCore>): Promise<Running>;
  stop(): Promise<void>;
}

/** In a checkout of their own; when the evening of hockey is over, so that a score stays what it is. */
export async function startDoors(): Promise<Doors> {
  const house = makeHouse();
  const sources = await startSources({ clock: NIGHT.ends });
  const doors: Running[] = [];
  const start = async (name: string, vars: Record<string, string>) => {
    const given = Object.entries(vars).flatMap(([key, value]) => ["--var", `${key}=${value}`]);
    const door = await startDoorIn(house, name, "--port", "0", ...given);
    doors.push(door);
    return door;
  };
  const stop = async () => {
    await Promise.all(doors.map((door) => door.stop()));
    await sources.close();
    rmSync(house, { recursive: true });
  };
  const startFixture = (...source: Parameters<typeof joinCore>) => {
    mkdirSync(`${house}/workers/${FIXTURE}`);
    writeFileSync(`${house}/workers/${FIXTURE}/index.ts`, joinCore(...source));
    appendFileSync(`${house}/wrangler.toml`, `\n[env.${FIXTURE}]\nmain = "workers/${FIXTURE}/index.ts"\n`);
    return start(FIXTURE, {});
  };
  const running = {} as Doors["running"];
  const starts = NAMES.map(async (name) => {
    running[name] = await start(name, sources.vars[name]);
  });
  // One that fails ends the others, once they have started.
  const failure = (await Promise.allSettled(starts)).find((one) => one.status === "rejected");
  if (failure === undefined) return { running, startFixture, stop };
  await stop();
  throw failure.reason;
}
