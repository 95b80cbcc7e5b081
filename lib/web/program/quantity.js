// Numbers with units: rounded to what matters, exact on hover.

/** @param {number} value @param {number} digits */
const rounded = (value, digits) => String(+value.toPrecision(digits));

/** `value` with the unit of the largest step below it. @param {number} value @param {[number, string][]} steps */
function scaled(value, steps, digits) {
  const [step, unit] = steps.find(([one]) => Math.abs(value) >= one) ?? steps[steps.length - 1];
  return `${rounded(value / step, digits)} ${unit}`;
}

/** @type {[number, string][]} */
const times = [[1e12, "s"], [1e9, "ms"], [1e6, "µs"], [1e3, "ns"], [1, "ps"]];
/** @type {[number, string][]} */
const sizes = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
/** @type {[number, string][]} */
const rates = [[1e6, "PB/s"], [1e3, "TB/s"], [1, "GB/s"], [1e-3, "MB/s"], [1e-6, "KB/s"]];
/** @type {[number, string][]} */
const counts = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

/** A time in four digits, with its unit. @param {number} ps */
export const timeText = ps => (ps === 0 ? "0 ns" : scaled(ps, times, 4));
/** All of a time's digits, in ns. @param {number} ps */
export const exactTime = ps => `${+(ps / 1000).toFixed(3)} ns`;
/** @param {number} bytes */
export const bytesText = bytes => (bytes === 0 ? "0 B" : scaled(bytes, sizes, 4));
/** @param {number} gbs in 10^9 bytes a second */
export const rateText = gbs => (gbs === 0 ? "0 GB/s" : scaled(gbs, rates, 3));
/** A number with a prefix: "12.3 T". @param {number} count */
export const countText = count => (Math.abs(count) < 1e4 ? rounded(count, 4) : scaled(count, counts, 3));
/** @param {number} part @param {number} all */
export const percent = (part, all) => (all > 0 ? share(part / all) : "");
/** A share of 1 in percent. @param {number} one */
export const share = one => (one !== 0 && Math.abs(one) < 0.001 ? "< 0.1 %" : (100 * one).toFixed(1) + " %");
/** A time in ns without a unit, for tables; "" if there is none. @param {number | null | undefined} ps */
export const inNs = ps => (ps === undefined || ps === null ? "" : +(ps / 1000).toFixed(3));
