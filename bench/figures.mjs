// From samples to figures: medians, ratios, tables, and what is reached. Nothing here measures.

/**
 * What a lane gave: a sample for each round of the load, for each start, for each process (memory), or one (size); in the
 * same order for all the lanes of a group; null where the system doesn't tell.
 * @typedef {Record<Measure, (number | null)[]>} Samples
 * @typedef {"rps" | "p50" | "p99" | "start" | "work" | "cpu" | "memory" | "size"} Measure
 *
 * @typedef {{ name: string, samples: Samples, rival?: { ours: string, within: number } }} MeasuredLane
 * @typedef {{ name: string, lanes: MeasuredLane[], targets: { rps?: number, start?: number, size?: number } }} MeasuredGroup
 *
 * `line`: what is asked of which lane; `measure`: the title of the one in which ours is compared with a peer's.
 * @typedef {{ line: string, measure: string | null, found: string, asked: string, reached: boolean }} Verdict
 */

/** Each measure: its title, what a sample is printed as, and whether more is better. */
export const MEASURES = {
  rps: { title: "requests per second", digits: 0, more: true },
  p50: { title: "p50, ms", digits: 2, more: false },
  p99: { title: "p99, ms", digits: 2, more: false },
  start: { title: "from the start of workerd to a first answer, ms", digits: 1, more: false },
  work: { title: "CPU of workerd for a start and a first answer, ms", digits: 1, more: false },
  cpu: { title: "CPU of workerd for a request, µs", digits: 0, more: false },
  memory: { title: "memory of workerd after the load, MiB", digits: 0, more: false },
  size: { title: "bundle, kB compressed", digits: 1, more: false },
};

const NAMES = /** @type {Measure[]} */ (Object.keys(MEASURES));

/** @returns {Samples} */
export function noSamples() {
  return { rps: [], p50: [], p99: [], start: [], work: [], cpu: [], memory: [], size: [] };
}

/**
 * The middle one; null when there is none.
 * @param {(number | null)[]} values
 */
export function median(values) {
  const known = values.filter((value) => value !== null).toSorted((one, other) => one - other);
  if (known.length === 0) return null;
  return (known[(known.length - 1) >> 1] + known[known.length >> 1]) / 2;
}

/**
 * How many times another lane's figure, round by round: what slows a machine down slows both.
 * @param {(number | null)[]} values
 * @param {(number | null)[]} others
 */
export function ratio(values, others) {
  return median(values.map((value, round) => quotient(value, others[round] ?? null)));
}

/** @param {number | null} value @param {number | null} other */
function quotient(value, other) {
  return value === null || other === null || other === 0 ? null : value / other;
}

/**
 * How much more than another lane's figure, round by round.
 * @param {(number | null)[]} values
 * @param {(number | null)[]} others
 */
export function difference(values, others) {
  return median(values.map((value, round) => minus(value, others[round] ?? null)));
}

/** @param {number | null} value @param {number | null} other */
function minus(value, other) {
  return value === null || other === null ? null : value - other;
}

/** @param {number | null} value @param {number} digits */
function show(value, digits) {
  return value === null ? "not measured" : value.toFixed(digits);
}

/**
 * A table for each measure: the figure of every lane, as a ratio to its floor and to our own lane.
 * @param {MeasuredGroup[]} groups the first lane of each is its floor
 * @returns {string} Markdown
 */
export function makeTables(groups) {
  return NAMES.map((name) => {
    const { title, digits } = MEASURES[name];
    const rows = groups.flatMap(({ lanes }) => {
      const [floor, ...others] = lanes;
      const given = (/** @type {MeasuredLane} */ lane) => lane.samples[name];
      return others.map((lane) => {
        const ours = others.find((one) => one.name === lane.rival?.ours);
        return [
          lane.name,
          show(median(given(lane)), digits),
          show(median(given(floor)), digits),
          show(ratio(given(lane), given(floor)), 2),
          ours === undefined ? "" : show(ratio(given(lane), given(ours)), 2),
        ];
      });
    });
    return `${title}\n\n${makeTable(["", "figure", "floor", "to the floor", "to ours"], rows)}`;
  }).join("\n\n");
}

/**
 * A table in Markdown, its columns aligned.
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function makeTable(head, rows) {
  const widths = head.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column].length)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/**
 * What was asked of every lane, and whether it is reached: of ours by the group's targets, of a peer's that ours be ahead.
 * @param {MeasuredGroup[]} groups
 * @returns {Verdict[]}
 */
export function judge(groups) {
  return groups.flatMap(({ lanes: [floor, ...lanes], targets }) => {
    const ours = lanes.filter(({ rival }) => rival === undefined);
    return [
      ...ours.flatMap((lane) => judgeOurs(lane, floor, targets)),
      ...lanes.flatMap((lane) => judgePeer(lane, lanes)),
    ];
  });
}

/** @param {MeasuredLane} lane @param {MeasuredLane} floor @param {MeasuredGroup["targets"]} targets @returns {Verdict[]} */
function judgeOurs({ name, samples }, floor, { rps, start, size }) {
  const share = ratio(samples.rps, floor.samples.rps);
  const later = difference(samples.start, floor.samples.start);
  const bytes = median(samples.size);
  /** @type {Verdict[]} */
  const verdicts = [];
  const add = (
    /** @type {string} */ what,
    /** @type {string} */ found,
    /** @type {string} */ asked,
    /** @type {boolean} */ reached,
  ) => verdicts.push({ line: `${name}: ${what}`, measure: null, found, asked, reached });
  if (rps !== undefined) {
    add("throughput, to the floor", show(share, 2), `at least ${rps.toFixed(2)}`, share !== null && share >= rps);
  }
  if (start !== undefined) {
    add("start, over the floor, ms", show(later, 1), `at most ${start}`, later !== null && later <= start);
  }
  if (size !== undefined) {
    add("bundle, kB compressed", show(bytes, 1), `under ${size}`, bytes !== null && bytes < size);
  }
  return verdicts;
}

/** @param {MeasuredLane} peer @param {MeasuredLane[]} lanes @returns {Verdict[]} */
function judgePeer({ name, samples, rival }, lanes) {
  const ours = lanes.find((lane) => lane.name === rival?.ours);
  if (rival === undefined || ours === undefined) return [];
  return NAMES.flatMap((measure) => {
    const { title, more } = MEASURES[measure];
    const times = ratio(ours.samples[measure], samples[measure]);
    // Where the system doesn't tell, nobody is ahead.
    if (times === null) return [];
    const { within } = rival;
    const asked = more ? `at least ${(1 / within).toFixed(2)}` : `at most ${within.toFixed(2)}`;
    const reached = more ? times >= 1 / within : times <= within;
    return [{ line: `ours to ${name}`, measure: title, found: times.toFixed(2), asked, reached }];
  });
}

/**
 * A line for each target of ours; then our lanes as ratios to the peers', a line for each peer.
 * @param {Verdict[]} verdicts
 * @returns {string} Markdown
 */
export function makeVerdicts(verdicts) {
  const say = (/** @type {boolean} */ reached) => (reached ? "pass" : "short");
  const [own, against] = [
    verdicts.filter(({ measure }) => measure === null),
    verdicts.filter(({ measure }) => measure !== null),
  ];
  const rows = own.map(({ line, found, asked, reached }) => [line, found, asked, say(reached)]);
  const titles = NAMES.map((name) => MEASURES[name].title);
  const lines = [...new Set(against.map(({ line }) => line))];
  const cells = lines.map((line) => [
    line,
    ...titles.map((title) => {
      const one = against.find((verdict) => verdict.line === line && verdict.measure === title);
      return one === undefined ? "not measured" : `${one.found} ${say(one.reached)}`;
    }),
  ]);
  const tables = [makeTable(["", "found", "target", ""], rows), makeTable(["", ...NAMES], cells)];
  return tables.join("\n\n");
}
