// npm run core: one hand copies. Every door carries the same blocks, to the byte; the model is edited, the rest follows.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { command, UsageError } from "./command.mjs";

const MODEL = "workers/hockey/index.ts";
/** The blocks that doors share, by the name in their marks. */
const BLOCKS = ["core"];

const HELP = `npm run core -- [--check] [MODEL COPY...]

Copies the marked blocks of the model (${BLOCKS.map((name) => `// <${name}> to // </${name}>`).join(", ")}) into the other doors.

  --check          writes nothing; exit code 1 when a block differs, with the command that repairs it
  MODEL COPY...    files to use instead of ${MODEL} and the other workers/*/index.ts`;

await command(HELP, { check: { type: "boolean", default: false } }, async ({ check }, files) => {
  const [model, ...copies] = files.length > 0 ? files : doors();
  let drifted = 0;
  for (const name of BLOCKS) {
    const good = block(model, name);
    for (const copy of copies) {
      const found = block(copy, name);
      if (found.text === good.text) continue;
      drifted++;
      if (check) console.error(`${copy}: its ${name} block (${print(found.text)}) isn't the one of ${model} (${print(good.text)})`);
      else writeFileSync(copy, found.before + good.text + found.after);
    }
  }
  const blocks = BLOCKS.length * (copies.length + 1);
  if (check && drifted > 0) {
    console.error(`Run "npm run core" to copy the model's block, after moving there what is worth keeping.`);
    process.exit(1);
  }
  console.log(check ? `core: ${blocks} block(s), all the same` : `core: ${drifted} of ${blocks} block(s) rewritten`);
});

function doors() {
  const others = readdirSync("workers")
    .map((folder) => `workers/${folder}/index.ts`)
    .filter((file) => file !== MODEL);
  return [MODEL, ...others.sort()];
}

/**
 * The one block of that name in a file, and what stands around it.
 * @param {string} file
 * @param {string} name
 */
function block(file, name) {
  const source = readFileSync(file, "utf8");
  const [start, end] = [`// <${name}>\n`, `// </${name}>\n`];
  const [before, rest, more] = source.split(start);
  const [inside, after, extra] = (rest ?? "").split(end);
  if (rest === undefined || more !== undefined || after === undefined || extra !== undefined) {
    throw new UsageError(`${file}: exactly one block from "${start.trim()}" to "${end.trim()}" is needed`);
  }
  return { before, text: start + inside + end, after };
}

/** @param {string} text */
function print(text) {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
