import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, startDoor } from "./processes.ts";

/** A curl command in a fence of the documents, and what it prints in the fence after it. */
const TRANSCRIPT = /```sh\n([^`]*curl[^`]*?)```\n\n```(?:json|text)\n([^`]*?)\n```/g;

const transcripts = readdirSync("shared-docs").flatMap((file) =>
  [...readFileSync(`shared-docs/${file}`, "utf8").matchAll(TRANSCRIPT)].map(([, command, printed]) => {
    return { file, command, printed };
  }),
);

describe("the transcripts of the documents", () => {
  let door: Running;
  beforeAll(async () => {
    door = await startDoor("hockey", "--port", "0");
  });
  afterAll(() => door.stop());

  it("are there", () => {
    expect(transcripts.length).toBeGreaterThanOrEqual(5);
  });

  it.each(transcripts)("are what the door prints, in $file: $command", ({ command, printed }) => {
    const here = command.replaceAll("localhost:8787", `127.0.0.1:${door.port}`);
    expect(execFileSync("bash", ["-c", here], { encoding: "utf8" }).trim()).toBe(printed);
  });
});
