// How far a long work is.
// @ts-expect-error: it has no types.
import progress from "cli-progress";

/**
 * A progress bar on a terminal; elsewhere, a line every tenth.
 * @param {string} what in a word, for example `embedding`
 * @param {number} total
 * @param {(line: string) => void} [say] where the lines go: stderr, unless told
 */
export function startBar(what, total, say = console.error) {
  if (process.stderr.isTTY) {
    const format = `${what} [{bar}] {percentage} %, {value} of {total}, {eta_formatted} left`;
    const bar = new progress.SingleBar({ format, hideCursor: true }, progress.Presets.shades_classic);
    bar.start(total, 0);
    // A command that ends in the middle gives the terminal its cursor back.
    process.once("exit", () => bar.stop());
    return { advance: (/** @type {number} */ count) => bar.increment(count), stop: () => bar.stop() };
  }
  let [done, said] = [0, 0];
  const advance = (/** @type {number} */ count) => {
    done += count;
    const tenth = Math.floor((10 * done) / total);
    if (tenth > said) say(`${what}: ${tenth * 10} %, ${done} of ${total}`);
    said = tenth;
  };
  return { advance, stop() {} };
}
