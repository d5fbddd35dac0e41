// npm run hammer: does a door's brake hold? Many quick tool calls, and how many of each status came back.
import { clip, readDoor, sayNoAnswer } from "./address.mjs";
import { command, UsageError } from "./command.mjs";

/** Enough to see both locks close, too few to hurt a door. */
const MOST = 200;
const BRAKED_AT = 30;
/** Quick enough for all of them to fall within 10 s from the other side of the world. */
const AT_ONCE = 8;
const TIMEOUT_MS = 10_000;
/** A tool that no door has: both locks count it, and no source is asked anything. */
const TOOL = "hammer";

const HELP = `npm run hammer -- URL [--count 40]

Sends that many quick tools/call to a public door of yours, ${AT_ONCE} at a time, and prints how many of each status came back. The
brake takes 30 in 10 s from one address: of 40, expect some ten to be refused with 429. Cloudflare counts in each of its
locations, a little late: a few more may pass. The tool called is one that no door has, so that no source is asked.

  URL            the address that ends in /mcp: https, or http on this machine
  --count N      how many, from 1 to ${MOST} (default 40)

Exit code 2 when an argument is wrong, 1 when a call had no answer at all, when none of more than ${BRAKED_AT} was refused,
or when one is no answer of a public door.`;

/** @type {import("./command.mjs").Options} */
const OPTIONS = { count: { type: "string", default: "40" } };

await command(HELP, OPTIONS, async (values, positionals) => {
  const url = readDoor(positionals);
  const count = /^\d{1,3}$/.test(values.count) ? Number(values.count) : 0;
  if (count < 1 || count > MOST) throw new UsageError(`--count ${values.count}: a number from 1 to ${MOST} is needed`);
  const answers = await hammer(url, count);
  console.log(`${count} tools/call to ${url}`);
  for (const [answer, times] of tally(answers)) console.log(`${String(times).padStart(5)} × ${answer}`);
  if (answers.some((answer) => answer.startsWith("no answer"))) process.exit(1);
  const braked = answers.some((answer) => answer.startsWith("429"));
  if (answers.includes("401")) {
    console.error("It asks for a token. A private door does: its brake counts only who has one.");
    process.exit(1);
  }
  if (answers.some((answer) => answer !== "200" && !answer.startsWith("429"))) {
    console.error("These aren't the answers of a door: npm run probe says more.");
    process.exit(1);
  }
  if (count > BRAKED_AT && !braked) {
    console.error("No 429: nothing brakes this address, or not yet.");
    process.exit(1);
  }
});

/**
 * @param {URL} url
 * @param {number} count
 * @returns {Promise<string[]>} what each call got, in words
 */
async function hammer(url, count) {
  /** @type {string[]} */
  const answers = [];
  let sent = 0;
  const one = async () => {
    while (sent < count) answers.push(await call(url, ++sent));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return answers;
}

/**
 * @param {URL} url
 * @param {number} id
 */
async function call(url, id) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: TOOL, arguments: {} } }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.status !== 429) return String(response.status);
    // The door answers in JSON; the rule of the zone, on the Free plan, can't.
    const byDoor = response.headers.get("content-type")?.startsWith("application/json");
    const wait = response.headers.get("retry-after");
    return `429 from ${byDoor ? "the door" : "in front of the door"}${wait === null ? "" : `, retry-after: ${clip(wait, 20)}`}`;
  } catch (error) {
    return sayNoAnswer(error);
  }
}

/**
 * How many of each, in the order of the statuses.
 * @param {string[]} answers
 */
function tally(answers) {
  const counts = new Map();
  for (const answer of answers.toSorted()) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  return counts;
}
