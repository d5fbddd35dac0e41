// The load, in a process of its own: it is told what to ask and answers how long each answer took. Started by
// bench/runtime.mjs.
import autocannon from "autocannon";

/** How many ask at once. */
const CONNECTIONS = 16;
/** How often autocannon looks whether it is over, in ms. */
const TICK_MS = 10;

/**
 * Asks the same thing `amount` times, and waits for all the answers.
 * @param {{ url: string, headers: Record<string, string>, body: string, amount: number, expected: string, refused?: string }}
 *   asked `expected`: what every answer has in it; `refused`: what none may have
 * @returns {Promise<{ seconds: number, latencies: number[], wrong: number }>} milliseconds, in order
 */
async function load({ url, headers, body, amount, expected, refused }) {
  const latencies = [];
  let wrong = 0;
  const start = performance.now();
  let end = start;
  const verifyBody = (text) => text.includes(expected) && !(refused && text.includes(refused));
  const options = { url, method: "POST", headers, body, amount, verifyBody };
  const run = autocannon({ ...options, connections: CONNECTIONS, sampleInt: TICK_MS, timeout: 10 });
  run.on("response", (_, status, __, ms) => {
    latencies.push(ms);
    if (status !== 200) wrong++;
    end = performance.now();
  });
  const { mismatches, errors, timeouts } = await run;
  latencies.sort((one, other) => one - other);
  return { seconds: (end - start) / 1000, latencies, wrong: wrong + mismatches + errors + timeouts };
}

process.on("message", async (asked) => {
  const said = await load(asked).then(
    (measured) => ({ measured }),
    (error) => ({ error: String(error) }),
  );
  process.send(said);
});
process.on("disconnect", () => process.exit());
