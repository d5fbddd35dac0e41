// npm run core: one hand copies. Every door carries the same blocks, to the byte; the model is edited, the rest follows.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { command, UsageError } from "./command.mjs";

const MODEL = "workers/hockey/index.ts";
/** The blocks that doors share, by the name in their marks. Every door has the first one. */
const BLOCKS = ["core", "page", "words", "speech", "source"];

const HELP = `npm run core -- [--check] [MODEL COPY...]

Copies the blocks of the model (${BLOCKS.join(", ")}), each from // <NAME> to // </NAME>, into the other doors.
Every door has the ${BLOCKS[0]}; one that has no mark of another block does without it.

  --check          writes nothing; exit code 1 when a block differs, with the command that repairs it
  MODEL COPY...    files to use instead of ${MODEL} and the other workers/*/index.ts`;

await command(HELP, { check: { type: "boolean", default: false } }, async ({ check }, files) => {
  const [model, ...copies] = files.length > 0 ? files : doors();
  // All are read before one is written: a file that is refused leaves the others as they were.
  const sources = new Map([model, ...copies].map((file) => [file, read(file)]));
  let [blocks, drifted] = [0, 0];
  for (const name of BLOCKS) {
    const { text } = blockOf(model, sources, name);
    const holders = copies.filter((copy) => name === BLOCKS[0] || isMarked(copy, sources, name));
    blocks += 1 + holders.length;
    for (const copy of holders) {
      const found = blockOf(copy, sources, name);
      if (found.text === text) continue;
      drifted++;
      sources.set(copy, found.before + text + found.after);
      if (check)
        console.error(`${copy}: its ${name} block (${print(found.text)}) isn't the one of ${model} (${print(text)})`);
    }
  }
  if (check && drifted > 0) {
    console.error(`Run "npm run core" to copy the model's blocks, after moving there what is worth keeping.`);
    process.exit(1);
  }
  for (const copy of check ? [] : copies) writeFileSync(copy, sources.get(copy) ?? "");
  console.log(check ? `core: ${blocks} block(s), all the same` : `core: ${drifted} of ${blocks} block(s) rewritten`);
});

function doors() {
  const others = readdirSync("workers")
    .map((folder) => `workers/${folder}/index.ts`)
    .filter((file) => file !== MODEL);
  return [MODEL, ...others.sort()];
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Whether a file has any mark of that name: one alone is a block that lost its other end.
 * @param {string} file
 * @param {Map<string, string>} sources
 * @param {string} name
 */
function isMarked(file, sources, name) {
  return [`// <${name}>`, `// </${name}>`].some((mark) => sources.get(file)?.includes(mark));
}

/**
 * The one block of that name in a file, and what stands around it.
 * @param {string} file
 * @param {Map<string, string>} sources
 * @param {string} name
 */
function blockOf(file, sources, name) {
  const [start, end] = [`// <${name}>\n`, `// </${name}>\n`];
  const [before, rest, more] = (sources.get(file) ?? "").split(start);
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
