// How busy units and links were, by window of time.
import {parseCsv} from "./csv.js";

/**
 * @typedef {Map<string, Float64Array>} Curves  by the name of a unit or link, a number for each window
 * @typedef {{utilisation: Curves, waiting: Curves, held: Curves, full: Curves, windows: number, window: number, begin: number, end: number, loads?: number[]}} Uses
 */

/** Numbers as spans.json has them: in thousandths, a run of n zeros as -n. @param {number[]} values */
function decoded(values) {
  const all = [];
  for (const value of values)
    if (value < 0) for (let i = 0; i < -value; ++i) all.push(0); else all.push(value / 1000);
  return Float64Array.from(all);
}

/** Under which choice of the machine's drawing a series is shown, by its measure. @type {Record<string, "utilisation" | "waiting" | "held" | "full">} */
const shownAs = {utilisation: "utilisation", waiting: "waiting", under_way: "waiting", free: "held", least_free: "full"};

const noCurves = () => ({utilisation: new Map(), waiting: new Map(), held: new Map(), full: new Map()});

/** The series of spans.json. @returns {Uses | null} */
export function usesOfSpans(spans) {
  if (!spans?.series) return null;
  const uses = noCurves();
  const windows = spans.window > 0 ? Math.max(1, Math.ceil((spans.end - spans.begin) / spans.window)) : 1;
  for (const one of spans.series) {
    const all = uses[shownAs[one.measure]];
    if (!all) continue;
    const values = all.get(one.of) ?? new Float64Array(windows), whole = one.all ?? 1;  // of free places the file has the used part
    decoded(one.values).subarray(0, windows).forEach((value, i) => { values[i] += value / whole; });
    all.set(one.of, values);
  }
  return {...uses, windows, window: spans.window, begin: spans.begin, end: spans.end};
}

/** Curves, and for what has none its mean over the whole run, from the tables. @param {Uses} uses @param {Uses} whole @returns {Uses} */
export function completed(uses, whole) {
  for (const measure of /** @type {const} */ (["utilisation", "waiting"]))
    for (const [label, values] of whole[measure]) if (!uses[measure].has(label)) uses[measure].set(label, values);
  return uses;
}

/** Of the whole run: links.csv and units.csv. @returns {Uses} */
export function usesOfTables(tables, total) {
  const uses = noCurves();
  for (const name of ["links.csv", "units.csv"]) {
    const table = parseCsv(tables?.[name] ?? "");
    const busy = table.columns.indexOf("utilization"), wanted = table.columns.indexOf("demand");
    for (const row of table.rows) {
      uses.utilisation.set(row[0], Float64Array.of(+row[busy]));
      uses.waiting.set(row[0], Float64Array.of(Math.max(0, +row[wanted] - +row[busy])));
    }
  }
  return {...uses, windows: 1, window: 0, begin: 0, end: total};
}

/** Links of a sweep of loads: utilisation, and demand beyond it, in the order of the loads. @returns {Uses | null} */
export function usesOfLoads(tables) {
  const {columns, rows} = parseCsv(tables?.["links.csv"] ?? "");
  const [load, link, busy, demand] = ["load", "link", "utilization", "demand"].map(name => columns.indexOf(name));
  if (load < 0 || link < 0 || busy < 0) return null;
  const loads = [...new Set(rows.map(row => +row[load]))].sort((a, b) => a - b), uses = noCurves();
  for (const row of rows) {
    const set = (all, value) => {
      if (!all.has(row[link])) all.set(row[link], new Float64Array(loads.length));
      all.get(row[link])[loads.indexOf(+row[load])] = value;
    };
    set(uses.utilisation, +row[busy]);
    set(uses.waiting, Math.max(0, +row[demand] - +row[busy]));
  }
  return {...uses, windows: loads.length, loads, window: 0, begin: 0, end: 0};
}

/**
 * The mean of a curve from `from` to `to`, windows at the ends in parts.
 * @param {Float64Array} values @param {Uses} uses @param {[number, number] | null} range null: all
 */
export function meanOver(values, uses, range) {
  if (values.length === 1 || range === null || !(uses.window > 0)) return values.reduce((sum, v) => sum + v, 0) / values.length;
  let sum = 0, time = 0;
  const [from, to] = range, first = Math.max(0, Math.floor((from - uses.begin) / uses.window));
  for (let i = first; i < values.length; ++i) {
    const begin = uses.begin + i * uses.window, end = Math.min(uses.end, begin + uses.window);
    if (begin >= to) break;
    const part = Math.min(end, to) - Math.max(begin, from);
    if (part <= 0) continue;
    sum += part * values[i];
    time += part;
  }
  return time > 0 ? sum / time : 0;
}

/** The greatest value from `from` to `to`. @param {Float64Array} values @param {Uses} uses @param {[number, number] | null} range */
export function mostOver(values, uses, range) {
  if (values.length === 1 || range === null || !(uses.window > 0)) return values.reduce((most, v) => Math.max(most, v), 0);
  const first = Math.max(0, Math.floor((range[0] - uses.begin) / uses.window)), last = Math.ceil((range[1] - uses.begin) / uses.window);
  return values.subarray(first, Math.max(first + 1, last)).reduce((most, v) => Math.max(most, v), 0);
}

/** A label without its port or queue: "sip0.cube0.pe0.pe_tcm read" is of pe_tcm. @param {string} label */
export const unitOf = label => label.replace(/ [^ ]*$/, "");

/** The kind of resource of a unit or link, as meters name it; "" for control paths. @param {string} label */
export function resourceOf(label) {
  const unit = unitOf(label), [from, to] = unit.split(">");
  if (to === undefined) {
    if (/\.pe_gemm$/.test(unit)) return "GEMM";
    if (/\.pe_math$/.test(unit)) return "vector";
    if (/\.pe_tcm$/.test(unit)) return "TCM";
    if (/\.hbm\d+$/.test(unit)) return "HBM";
    if (/\.sram$/.test(unit)) return "SRAM";
    if (/\.pe_ipcq$/.test(unit)) return "slots";
    return "";
  }
  if (/ucie/.test(from) && /ucie/.test(to)) return "UCIe";
  const isOutside = end => /^(host|switch\d*)$/.test(end) || /\.port_[a-z]+$/.test(end);
  if (isOutside(from) && isOutside(to)) return "package links";
  if (/^(host|switch)/.test(from) || /^(host|switch)/.test(to)) return "package links";
  return /noc\.r/.test(from) || /noc\.r/.test(to) ? "NOC" : "";
}
