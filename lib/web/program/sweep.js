// A sweep: axes, metrics, and points as columns.
import {arePowers, median, quoted} from "./sweep_numbers.js";

/**
 * @typedef {{name: string, values: string[], numbers: (number | null)[], words: string[]}} RawAxis
 * @typedef {{bench: string, metric: string, front: {name: string, larger: boolean}[] | null, why: string, command: string, axes: RawAxis[], together: number[][],
 *   metrics: {name: string, unit: string, larger: boolean}[], other_metrics: number, other_points: number,
 *   points: {number: number[], at: number[][], exit: (number | null)[], message: number[], messages: string[], values: (number | null)[][]}}} RawSweep
 *   exit: null of a point that hasn't run; message: an index of messages; at, values: a column by axis, by metric
 * @typedef {{name: string, values: string[], numbers: number[] | null, words: string[], isVaried: boolean, arePowers: boolean, index: number, at: number[]}} Axis
 *   numbers: null if a value isn't a number; at: by point, the index of its value
 * @typedef {{name: string, unit: string, larger: boolean, arePowers: boolean, of(point: number): number}} Quantity
 *   a metric, or an axis with numbers; of(): NaN if the point has none
 * @typedef {ReturnType<typeof makeSweep>} Sweep
 */

/** @param {RawSweep} raw */
export function makeSweep(raw) {
  const {points} = raw, count = points.number.length;
  /** @type {Axis[]} */
  const axes = raw.axes.map((axis, index) => {
    const at = points.at[index], used = new Set(at);
    const numbers = axis.numbers.every(one => one !== null) ? /** @type {number[]} */ (axis.numbers) : null;
    return {...axis, index, at, numbers, isVaried: used.size > 1, arePowers: numbers !== null && arePowers([...used].map(one => numbers[one]))};
  });
  /** @type {Quantity[]} */
  const metrics = raw.metrics.map((metric, i) => ({...metric, arePowers: false, of: point => points.values[i][point] ?? NaN}));
  /** @type {Quantity[]} */
  const numeric = axes.filter(axis => axis.isVaried && axis.numbers).map(axis => ({name: axis.name, unit: "1", larger: false, arePowers: axis.arePowers, of: point => (points.exit[point] === 0 ? axis.numbers[axis.at[point]] : NaN)}));
  const quantities = [...metrics, ...numeric.filter(one => !metrics.some(other => other.name === one.name))];
  const sweep = {
    raw, axes, metrics, count,
    /** Metrics, and axes with numbers. */
    quantities,
    all: Array.from({length: count}, (_, i) => i),
    varied: axes.filter(axis => axis.isVaried),
    /** @param {string | null} name */
    quantity: name => quantities.find(one => one.name === name),
    number: point => points.number[point],
    /** The point of a number of points.csv; -1 if there is none. */
    byNumber: number => points.number.indexOf(number),
    text: (axis, point) => axis.values[axis.at[point]] ?? "",
    hasRun: point => points.exit[point] !== null,
    failed: point => points.exit[point] !== null && points.exit[point] !== 0,
    exit: point => points.exit[point],
    message: point => points.messages[points.message[point]] ?? "",
    /** The command that repeats a point, with other words after "kbsim run". @param {number} point @param {string[]} [more] */
    command(point, more = []) {
      const words = axes.map(axis => axis.words[axis.at[point]] ?? "").join("");
      return raw.command.replace(/^kbsim run/, () => ["kbsim run", ...more.map(quoted)].join(" ")) + words;
    },
    /** Varied axes, those that go together as one. @type {Axis[][]} */
    groups: [],
  };
  const seen = new Set();
  for (const axis of sweep.varied) {
    if (seen.has(axis.index)) continue;
    const group = (raw.together[axis.index] ?? [axis.index]).filter(one => axes[one].isVaried);
    group.forEach(one => seen.add(one));
    sweep.groups.push(group.map(one => axes[one]));
  }
  return sweep;
}

/** Axes that go with this one, itself included. @param {Sweep} sweep @param {Axis} axis */
export const companions = (sweep, axis) => sweep.groups.find(group => group.includes(axis)) ?? [axis];

/** @param {boolean} larger @param {number} a @param {number} b */
export const isBetter = (larger, a, b) => (larger ? a > b : a < b);

/** The best of these points, the first of equal ones; -1 if none has the quantity. @param {Quantity | undefined} what @param {boolean} larger @param {number[]} points */
export function bestOf(what, larger, points) {
  let best = -1;
  if (!what) return best;
  for (const point of points) {
    const value = what.of(point);
    if (isFinite(value) && (best < 0 || isBetter(larger, value, what.of(best)))) best = point;
  }
  return best;
}

/**
 * Points that no other beats in one quantity and equals or beats in the other, sorted by the first; one of equal points.
 * @param {Quantity} a @param {Quantity} b @param {boolean} largerA @param {boolean} largerB @param {number[]} points
 */
export function frontOf(a, b, largerA, largerB, points) {
  const all = points.filter(point => isFinite(a.of(point)) && isFinite(b.of(point)));
  const order = (larger, x, y) => (x === y ? 0 : isBetter(larger, x, y) ? -1 : 1);
  all.sort((p, q) => order(largerA, a.of(p), a.of(q)) || order(largerB, b.of(p), b.of(q)) || p - q);
  const front = [];
  for (const point of all)
    if (!front.length || isBetter(largerB, b.of(point), b.of(front.at(-1)))) front.push(point);
  return front;
}

/** @param {Quantity} what @param {number[]} points */
export const medianOf = (what, points) => median(points.map(what.of));

/** Reasons of points without a number, each with its points, most frequent first. @param {Sweep} sweep @param {number[]} points @param {Quantity | undefined} what */
export function reasonsOf(sweep, points, what) {
  /** @type {Map<string, {exit: number | null, text: string, points: number[]}>} */
  const all = new Map();
  for (const point of points) {
    if (sweep.exit(point) === 0 && (!what || isFinite(what.of(point)))) continue;
    const text = sweep.exit(point) === 0 ? `has no ${what?.name}` : sweep.message(point), key = sweep.exit(point) + " " + text;
    const one = all.get(key) ?? {exit: sweep.exit(point), text, points: []};
    one.points.push(point);
    all.set(key, one);
  }
  return [...all.values()].sort((a, b) => b.points.length - a.points.length);
}

/** "link_bw_gbs" beside other names: a key's last part, as long as it alone names the axis. @param {Sweep} sweep @param {Axis} axis */
export function shortName(sweep, axis) {
  const parts = axis.name.split(".");
  for (let from = parts.length - 1; from > 0; --from) {
    const end = parts.slice(from).join(".");
    if (sweep.axes.every(one => one === axis || !one.name.endsWith(end))) return end;
  }
  return axis.name;
}

/** "link_bw_gbs 256, ring": numbers with their axes' names. @param {Sweep} sweep @param {number} point @param {Axis[]} axes */
export const labelOf = (sweep, point, axes) => axes.map(axis => (axis.numbers ? `${shortName(sweep, axis)} ` : "") + sweep.text(axis, point)).join(", ");
