// Values of metrics with their units, and the rules of a sweep: which value is better, which axis is of powers.
import {bytesText, countText, rateText, timeText} from "./quantity.js";

/** @type {Record<string, number>} */
const picoseconds = {ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12};

/** "818.7 ns", "1.2 TFLOP/s". @param {number} value @param {string} unit */
export function metricText(value, unit) {
  if (!isFinite(value)) return "";
  if (unit in picoseconds) return timeText(value * picoseconds[unit]);
  if (unit === "B") return bytesText(value);
  if (unit === "GB/s") return rateText(value);
  if (unit === "B/s") return rateText(value / 1e9);
  if (unit === "TFLOP/s") return counted(value * 1e12, "FLOP/s");
  return unit === "1" ? countText(value) : unit === "%" ? `${+value.toPrecision(4)} %` : counted(value, unit);
}

/** A prefix stands at its unit: "12.3 TFLOP/s". */
function counted(value, unit) {
  const [number, prefix] = countText(value).split(" ");
  return `${number} ${prefix ?? ""}${unit}`;
}

/** All of a value's digits, in its own unit. @param {number} value @param {string} unit */
export const exactText = (value, unit) => `${+value.toPrecision(12)}${unit === "1" ? "" : " " + unit}`;

/** "+12.3 %" of a base; "" without one. @param {number} value @param {number} base */
export function changeText(value, base) {
  if (!isFinite(value) || !isFinite(base) || base === 0) return "";
  const percents = 100 * (value - base) / Math.abs(base);
  return `${percents < 0 ? "−" : "+"}${Math.abs(percents) < 1e4 ? Math.abs(percents).toFixed(1) : Math.abs(percents).toExponential(1)} %`;
}

/** "12.3 % less than" a base. @param {number} value @param {number} base */
export function comparedText(value, base) {
  const change = changeText(value, base);
  if (value === base) return "equal to";
  return change ? `${change.slice(1)} ${value < base ? "less" : "more"} than` : "beside";
}

/** True for three or more positive numbers that are powers of 2 or 10 times the least, or go by one factor. @param {number[]} numbers */
export function arePowers(numbers) {
  const all = [...new Set(numbers)].sort((a, b) => a - b);
  if (all.length < 3 || !(all[0] > 0) || !all.every(isFinite)) return false;
  const whole = value => Math.abs(value - Math.round(value)) < 1e-9;
  if (all.every(one => whole(Math.log2(one / all[0]))) || all.every(one => whole(Math.log10(one / all[0])))) return true;
  const factor = all[1] / all[0];
  return all.every((one, i) => i === 0 || Math.abs(one / all[i - 1] / factor - 1) < 1e-9);
}

/** The middle value; NaN of none. @param {number[]} values */
export function median(values) {
  const all = values.filter(isFinite).sort((a, b) => a - b), half = all.length >> 1;
  return all.length === 0 ? NaN : all.length % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

/** A word of a shell's command. @param {string} word */
export const quoted = word => (/^[\w.,:=/+@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
