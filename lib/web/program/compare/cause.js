// Why two runs differ: the reason, place and key that account for most of it, in a sentence.
import {percent, timeText} from "../quantity.js";
import {keysOf} from "../run.js";

/** @typedef {{name: string, a: number, b: number, change: number}} Change  times in ps */

/** Shares of two paths joined by their names, the largest change first. @param {import("../run.js").Share[]} mine @param {import("../run.js").Share[]} others @returns {Change[]} */
export function changesOf(mine = [], others = []) {
  /** @type {Map<string, Change>} */
  const all = new Map();
  const of = name => { if (!all.has(name)) all.set(name, {name, a: 0, b: 0, change: 0}); return /** @type {Change} */ (all.get(name)); };
  for (const one of mine) of(one.name).a = one.ps;
  for (const one of others) of(one.name).b = one.ps;
  for (const one of all.values()) one.change = one.b - one.a;
  return [...all.values()].sort((x, y) => Math.abs(y.change) - Math.abs(x.change) || (x.name < y.name ? -1 : 1));
}

/** Keys of two configurations with different values. @returns {{key: string, a: string, b: string}[]} */
export function keysThatDiffer(a, b) {
  const [mine, others] = [a, b].map(one => keysOf(one.raw.config ?? ""));
  return [...new Set([...mine.keys(), ...others.keys()])].filter(key => mine.get(key) !== others.get(key))
    .map(key => ({key, a: mine.get(key) ?? "(none)", b: others.get(key) ?? "(none)"}));
}

/** "−120 ns" */
export const signed = ps => (ps < 0 ? "−" : ps > 0 ? "+" : "") + timeText(Math.abs(ps));

/** The change that goes the way of the whole, if there is one. */
const leading = (changes, whole) => changes.find(one => one.change * whole > 0);

/** Keys that differ, those with the greatest change of the path first. */
function keysOfChange(a, b, one, two) {
  const onPath = path => new Map((path.keys ?? []).map(key => [key.key, key.ps]));
  const [mine, others] = [onPath(one), onPath(two)];
  return keysThatDiffer(a, b).map(key => ({...key, change: (others.get(key.key) ?? 0) - (mine.get(key.key) ?? 0)}))
    .sort((x, y) => Math.abs(y.change) - Math.abs(x.change));
}

/**
 * The headline of a difference, after the two times.
 * @param {import("../run.js").Run} a @param {import("../run.js").Run} b @param {import("../run.js").Path} one @param {import("../run.js").Path} two
 */
export function causeOf(a, b, one, two) {
  const whole = two.length_ps - one.length_ps, parts = [];
  if (whole === 0) return "";
  const reason = leading(changesOf(one.reasons, two.reasons), whole);
  if (reason) parts.push(`${reason.name} ${signed(reason.change)} of ${signed(whole)}`);
  const place = leading(changesOf(one.places, two.places), whole), kind = leading(changesOf(one.kinds, two.kinds), whole);
  if (place) parts.push(`${kind ? `${kind.name} ${signed(kind.change)}, ` : ""}most at ${place.name} (${signed(place.change)})`);
  const keys = keysOfChange(a, b, one, two), moved = keys.filter(key => key.change !== 0);
  for (const key of (moved.length ? moved : keys).slice(0, 2)) parts.push(`${key.key} ${key.a} → ${key.b}`);
  if (!keys.length) parts.push("their configurations are equal");
  return parts.join("; ");
}

/** @param {number} x @param {number} y @param {string[]} heads */
export function timesText(x, y, heads) {
  if (x === y) return `Both take ${timeText(x)}`;
  return `The ${heads[1]} takes ${timeText(y)}, the ${heads[0]} ${timeText(x)}: ${percent(Math.abs(y - x), x)} ${y > x ? "more" : "less"}`;
}
