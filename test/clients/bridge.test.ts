// The official clients as the child of a run of the bridge, in both eras: they list, call, are refused, and end the run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Place, TOOLS } from "../bridge/run.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${HERE}package.json`, "utf8"));

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.clear());

const ASKED = [
  { name: "memory_search", arguments: { query: "chalet" } },
  { name: "execute_command", arguments: { cmd: "rm -rf ~/work" } },
  { name: "memory_search", arguments: { query: "contrat", workspace_id: "ws-client" } },
  { name: "picture", arguments: {} },
  { name: "broken", arguments: {} },
];
const REFUSED = "tool 'execute_command' is not available to this agent";

const CLIENTS: [title: string, file: string, mode: string, thrown: string][] = [
  [
    `@modelcontextprotocol/sdk ${dependencies["@modelcontextprotocol/sdk"]}`,
    "sdk-1.mjs",
    "",
    `MCP error -32601: ${REFUSED}`,
  ],
  ...["legacy", "auto", "2026-07-28"].map((mode): [string, string, string, string] => {
    const version = dependencies["@modelcontextprotocol/client"];
    return [`@modelcontextprotocol/client ${version}, ${mode}`, "sdk-2.mjs", mode, REFUSED];
  }),
];

describe.each(CLIENTS)("%s", (_, file, mode, thrown) => {
  it("lists the run's tools, calls them, is refused the others, and its end is the run's", async () => {
    const options = ["--allow", "memory_search,picture,broken", "--tools", TOOLS, "--workspace", "ws-personal"];
    // Only the child knows the address.
    const line = 'exec "$0" "$1" "$LABO_MCP_URL" "$2" "$3"';
    const client = ["sh", "-c", line, process.execPath, join(HERE, file), JSON.stringify(ASKED), mode];
    const { status, stdout, stderr } = await place.finish([...options, "--audit", place.audit, "--", ...client]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const { tools, answers } = JSON.parse(stdout);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(["memory_search", "picture", "broken"]);
    expect(answers.slice(0, 4)).toEqual([
      { said: ["Le chalet est loué du 3 au 10 août."], isError: false },
      { thrown, code: -32601 },
      { said: ["Rien trouvé."], isError: false },
      { said: ["Voici.", "image"], isError: false },
    ]);
    expect(answers[4]).toEqual({ said: [expect.not.stringContaining("hunter2")], isError: true });
    expect(place.record.map(({ tool, workspace }) => [tool, workspace])).toEqual([
      ["memory_search", "ws-personal"],
      ["memory_search", "ws-personal"],
      ["picture", "ws-personal"],
      ["broken", "ws-personal"],
    ]);
    expect(place.audited.map(({ tool, decision }) => [tool, decision])).toContainEqual(["execute_command", "deny"]);
  });

  it("can't open a run with another one's token", async () => {
    const run = await place.hold(["--allow", "memory_search"]);
    const other = ["--allow", "memory_search", "--tools", TOOLS];
    const line = 'exec "$0" "$1" "$2" "[]" "$3"';
    const client = ["sh", "-c", line, process.execPath, join(HERE, file), run.url, mode];
    const { status, stdout, stderr } = await place.finish([...other, "--", ...client]);
    expect(status).not.toBe(0);
    expect(stdout).toBe("");
    expect(stderr).not.toContain(run.token);
    await run.end();
  });
});
