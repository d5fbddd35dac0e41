// Chance that can be had again: the same words give the same numbers.
import { createHash } from "node:crypto";

/**
 * A number from 0 to 1, 1 excluded, that depends on nothing but `parts`.
 * @param {...(string | number)} parts
 */
export function chance(...parts) {
  return createHash("sha256").update(parts.join("\n")).digest().readUInt32BE() / 2 ** 32;
}

/**
 * One of them, as likely as its weight.
 * @template {string} T
 * @param {Record<T, number>} weights
 * @param {number} at from 0 to 1
 * @returns {T}
 */
export function weighted(weights, at) {
  const entries = /** @type {[T, number][]} */ (Object.entries(weights));
  let left = at * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [name, weight] of entries) {
    left -= weight;
    if (left < 0) return name;
  }
  return entries[entries.length - 1][0];
}

/**
 * @template T
 * @param {readonly T[]} list
 * @param {number} at from 0 to 1, 1 excluded
 */
export function pick(list, at) {
  return list[Math.floor(at * list.length)];
}

/**
 * The seed of a run: what was asked, or any.
 * @param {string | undefined} text
 * @returns {number | null} null: not a seed
 */
export function readSeed(text) {
  if (text === undefined) return Math.floor(Math.random() * 2 ** 31);
  const seed = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return seed < 2 ** 31 ? seed : null;
}
