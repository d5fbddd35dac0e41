// How near a passage must be to a question, for a model and a blog: cosines mean nothing by themselves.
import { cosine } from "./pack.mjs";

/**
 * Best cosine under `floor`: nothing is said about it; under `sure`: the answer opens with doubt. `gap`: how far under the
 * best a passage may be. Null: not known.
 * @typedef {{ floor: number | null, sure: number | null, gap: number | null }} Thresholds
 *
 * @typedef {import("./pack.mjs").Quantized} Quantized
 */

/** Questions that no such blog answers: how near they come is what nearness means nothing. */
export const OFF_TOPIC = [
  "En quelle année est tombée la Bastille ?",
  "Comment réussir une béchamel sans grumeaux ?",
  "Quels sont les symptômes de l'appendicite ?",
  "Qui a gagné la Coupe du monde de soccer en 1998 ?",
  "Comment conjuguer le verbe résoudre au subjonctif ?",
  "Quelle est la capitale de la Mongolie ?",
  "Quand faut-il tailler les rosiers ?",
  "Qui a peint La Jeune Fille à la perle ?",
  "When did the Roman Empire fall?",
  "How long should I roast a chicken?",
  "What are the side effects of ibuprofen?",
  "Who holds the record for the men's marathon?",
  "What is the plot of Romeo and Juliet?",
  "How do I write a will?",
  "Which planet has the most moons?",
  "How do I teach my toddler to sleep alone?",
];

/**
 * What near means for this model and this blog: half of what is off topic is under `floor`, all of it under `sure`; an
 * article's own subject says how much of the rest is worth `gap`.
 * @param {Float64Array[]} others questions that no article answers
 * @param {Float64Array[]} topics one for each article, that it answers
 * @param {Quantized[]} vectors those of the passages
 * @returns {Thresholds} cosines
 */
export function calibrate(others, topics, vectors) {
  const best = (/** @type {Float64Array} */ query) =>
    vectors.reduce((most, vector) => Math.max(most, cosine(query, vector)), -1);
  const [far, near] = [others, topics].map((queries) => queries.map(best).toSorted((one, other) => one - other));
  const round = (/** @type {number} */ number) => Math.round(number * 10_000) / 10_000;
  const [floor, sure] = [median(far), far[far.length - 1]];
  return { floor: round(floor), sure: round(sure), gap: round(Math.max(0.01, 0.3 * (median(near) - floor))) };
}

/** @param {number[]} sorted */
function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
