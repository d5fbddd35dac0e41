// npm run door -- NAME --port N: one door alone, for checks and experiments.
import { existsSync, readdirSync } from "node:fs";
import { command, UsageError } from "./command.mjs";
import { serve } from "./workerd.mjs";

const HELP = `npm run door -- NAME [--port PORT] [--var NAME=VALUE]... [--brake]

Starts one door alone in workerd and prints "ready http://127.0.0.1:PORT/mcp" once it answers.

  NAME               a folder of workers/, for example hockey, meteo, articles or labo
  --port PORT        its port on 127.0.0.1 (default 0: any free one)
  --var NAME=VALUE   overrides a variable of wrangler.toml; may be repeated
                     CLOCK=2025-10-08T23:21:51Z starts the door's clock there; it runs from then on
                     NHL_API=http://127.0.0.1:9001 replaces a source of hockey, ECCC_API=... one of meteo
                     INDEX_URL=... is where articles finds another index, EMBED_URL=... the server that embeds its
                     questions, EMBED_PROTOCOL how it is spoken to (ollama, openai, tei, workers-ai) and EMBED_TOKEN
                     what it asks; SEARCH_FLOOR=0.45 and SEARCH_GAP=0.06 replace the thresholds of the index
                     PUBLIC_URL=https://labo.example is the issuer of labo, instead of the loopback address that is
                     called; ROOT_TOK and ROOT_CLI its secrets (npm run labo:keys), ACCESS_API=... its keys of Access
  --brake            binds the brake (30 tool calls per 10 s per address)

Exit code 2 when an argument is wrong or the port is taken, 1 when the index of articles can't be built.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = {
  port: { type: "string", default: "0" },
  var: { type: "string", multiple: true, default: [] },
  brake: { type: "boolean", default: false },
};

/** With its zone: without one, the instant would depend on the machine. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

await command(HELP, OPTIONS, async (values, [name, ...extra]) => {
  const doors = readdirSync("workers").filter((folder) => existsSync(`workers/${folder}/index.ts`));
  if (!doors.includes(name) || extra.length > 0) {
    throw new UsageError(
      `${name === undefined ? "no door named" : `unknown door "${[name, ...extra].join(" ")}"`}: choose one of ${doors.join(", ")}`,
    );
  }
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
  if (!(port <= 65535)) throw new UsageError(`--port ${values.port}: a number from 0 to 65535 is needed`);
  const vars = Object.fromEntries(values.var.map(readVar));
  const [url] = await serve([{ name, port, vars, brake: values.brake }]);
  console.log(`ready ${url}`);
});

/**
 * @param {string} text
 * @returns {[string, string]}
 */
function readVar(text) {
  const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--var ${text}: NAME=VALUE is needed, for example DEFAULT_TEAM=OTT`);
  if (name === "CLOCK" && (!INSTANT.test(value) || Number.isNaN(Date.parse(value)))) {
    throw new UsageError(`--var ${text}: an ISO instant is needed, for example CLOCK=2025-10-08T23:21:51Z`);
  }
  if (/_(API|URL)$/.test(name) && !/^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : "")) {
    throw new UsageError(`--var ${text}: an http address is needed, for example ${name}=http://127.0.0.1:9001`);
  }
  return [name, value];
}
