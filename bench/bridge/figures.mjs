// From the samples of npm run bench:bridge to its table and its verdicts. Nothing here measures.
import { median } from "../figures.mjs";

/**
 * What a run took, in ms: p50 and p95 of each line that was measured.
 * @typedef {{ p50: number, p95: number }} Spread
 * @typedef {Record<string, Spread>} Run by the key of a line
 *
 * @typedef {{ line: string, found: string, asked: string, reached: boolean | null }} Verdict `reached`: null when not measured
 */

/** The lines of the table; `original`: p50 and p95 of the bridge that ours takes after, in ms (Python, Apple M1). */
export const LINES = [
  { key: "start", title: "start", original: [1.2, 2.69] },
  { key: "handshake", title: "handshake, 3 POST", original: [1.82, 4.98] },
  { key: "allowed", title: "call allowed", original: [0.41, 1.06] },
  { key: "refused", title: "call refused", original: [0.41, 1.08] },
  { key: "wrong", title: "wrong token", original: [0.4, 1.09] },
  { key: "stop", title: "stop (Python: poll of 10 ms)", original: [10.88, 11.07] },
  { key: "slowStop", title: "stop (Python: its own poll of 500 ms)", original: [500.91, 501.98] },
];

/** A stop must be under this, in ms. */
const STOP_MS = 1;
/** A refusal and a call that is allowed may differ by this part. */
const APART = 0.1;

/**
 * The p50 and p95 of samples.
 * @param {number[]} samples at least one
 * @returns {Spread}
 */
export function spread(samples) {
  const sorted = samples.toSorted((one, other) => one - other);
  const at = (/** @type {number} */ part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  return { p50: at(0.5), p95: at(0.95) };
}

/**
 * The median over the runs of a line's p50 or p95; null where the line wasn't measured.
 * @param {Run[]} runs
 * @param {string} key
 * @param {keyof Spread} part
 */
function over(runs, key, part) {
  return median(runs.map((run) => run[key]?.[part] ?? null));
}

/** @param {number | null} value in ms */
function show(value) {
  return value === null ? "–" : value.toFixed(value < 0.1 ? 3 : 2);
}

/**
 * Ours has no poll to wait for: its stop stands on both lines.
 * @param {Run[]} ours
 * @param {string} key
 * @param {keyof Spread} part
 */
function ourFigure(ours, key, part) {
  return over(ours, key === "slowStop" ? "stop" : key, part);
}

/**
 * The table: ours, Python's beside it, the original's.
 * @param {Run[]} ours
 * @param {Run[]} theirs empty without Python
 */
export function makeTable(ours, theirs) {
  const rows = LINES.map(({ key, title, original: [p50, p95] }) => [
    title,
    ...[ourFigure(ours, key, "p50"), ourFigure(ours, key, "p95")].map(show),
    ...[over(theirs, key, "p50"), over(theirs, key, "p95")].map(show),
    ...[p50, p95].map(show),
  ]);
  return align([["ms", "ours p50", "p95", "Python p50", "p95", "original p50", "p95"], ...rows]);
}

/**
 * Each target and whether it is reached.
 * @param {Run[]} ours
 * @param {Run[]} theirs of the same rounds, in the same order; empty without Python
 * @returns {Verdict[]}
 */
export function judge(ours, theirs) {
  const faster = LINES.map(({ key, title }) => {
    // In the same round: what slows a machine down slows both.
    const quotients = theirs.map((run, round) => {
      const own = ours[round]?.[key === "slowStop" ? "stop" : key];
      return own === undefined || run[key] === undefined ? null : own.p50 / run[key].p50;
    });
    const found = median(quotients);
    const said =
      found === null
        ? "not measured"
        : `${found < 0.01 ? Number(found.toPrecision(1)) : found.toFixed(2)} of Python's p50`;
    return { line: title, found: said, asked: "under 1", reached: found === null ? null : found < 1 };
  });
  const stop = over(ours, "stop", "p50");
  const ratio = median(ours.map(({ refused, allowed }) => refused.p50 / allowed.p50));
  return [
    ...faster,
    {
      line: "stop",
      found: `${show(stop)} ms`,
      asked: `under ${STOP_MS} ms`,
      reached: stop === null ? null : stop < STOP_MS,
    },
    {
      line: "refused to allowed",
      found: ratio === null ? "not measured" : ratio.toFixed(2),
      asked: `${(1 - APART).toFixed(2)} to ${(1 + APART).toFixed(2)}`,
      reached: ratio === null ? null : Math.abs(ratio - 1) <= APART,
    },
  ];
}

/** @param {Verdict[]} verdicts */
export function makeVerdicts(verdicts) {
  const word = (/** @type {boolean | null} */ reached) =>
    reached === null ? "not measured" : reached ? "reached" : "missed";
  const rows = verdicts.map(({ line, found, asked, reached }) => [line, found, asked, word(reached)]);
  return align([["target", "found", "asked", ""], ...rows]);
}

/** A Markdown table. @param {string[][]} rows the first one is its head */
function align([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)));
  const line = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(" | ")} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
