// Each kind of resource: how much of its peak was achieved in a range of time.
import {recordsOf} from "./csv.js";
import {keysOf} from "./run.js";
import {countText, rateText} from "./quantity.js";
import {meanOver, mostOver, resourceOf} from "./uses.js";

/**
 * @typedef {{resource: string, mean: number, most: number, of: string, used: number, peak: string}} Meter
 *   mean over the units or links that did something; the busiest one is `of`; its peak rate as a text, or "".
 */

const order = ["GEMM", "vector", "DMA", "TCM", "SRAM", "HBM", "NOC", "UCIe", "package links", "slots"];

/** Share of [from, to] in which a row of a timeline has a slice. Starts are differences. */
export function busyOf(spans, row, [from, to]) {
  let busy = 0, until = from;
  for (let i = row.first, time = 0; i < row.last; ++i) {
    time += spans.start[i];
    const begin = Math.max(until, time), end = Math.min(to, time + spans.length[i]);
    if (end > begin) { busy += end - begin; until = end; }
  }
  return busy / Math.max(1, to - from);
}

/** DMA engines have no curve of their own: their slices say when they had a transfer. */
function addEngines(all, spans, range) {
  for (const row of spans?.rows ?? [])
    if (row.label.endsWith(".pe_dma") && !row.label.includes(">")) add(all, "DMA", row.label, busyOf(spans, row, range));
}

function add(all, resource, label, value, most = value) {
  if (!(most > 0)) return;
  const meter = all.get(resource) ?? {resource, mean: 0, most: 0, of: "", used: 0, peak: ""};
  meter.mean += value;
  meter.used += 1;
  if (most > meter.most || meter.of === "") { meter.most = most; meter.of = label; }
  all.set(resource, meter);
}

/** False for a mean of the whole run among curves: it says nothing of a range. */
const hasRange = (uses, values) => uses.windows < 2 || values.length > 1;

/** Bandwidths of links, by their names. @param {any} raw @returns {Map<string, number>} */
export function bandwidthsOf(raw) {
  return new Map(recordsOf(raw.tables?.["links.csv"]).map(row => [row.link, +row.bw_GBps]));
}

function peakOf(meter, run, bandwidths) {
  const rate = bandwidths.get(meter.of);
  if (rate > 0) return rateText(rate);
  const macs = Number(keysOf(run.raw.config ?? "").get("pe.pe_gemm.macs_per_ns"));
  return meter.resource === "GEMM" && macs > 0 ? countText(2e9 * macs) + "FLOP/s" : "";
}

/**
 * Meters of resources that did something, in a fixed order.
 * @param {import("./run.js").Run} run @param {[number, number]} range
 * @returns {Meter[]}
 */
export function metersOf(run, range) {
  /** @type {Map<string, Meter>} */
  const all = new Map();
  const {uses} = run;
  if (uses.loads) return [];
  for (const [label, values] of uses.utilisation) {
    if (!hasRange(uses, values)) continue;
    const resource = resourceOf(label);
    if (resource && resource !== "slots") add(all, resource, label, meanOver(values, uses, range));
  }
  for (const [label, values] of uses.held)
    if (resourceOf(label) === "slots") add(all, "slots", label, meanOver(values, uses, range), mostOver(uses.full.get(label) ?? values, uses, range));
  addEngines(all, run.raw.spans, range);
  const bandwidths = bandwidthsOf(run.raw);
  for (const meter of all.values()) {
    meter.mean = Math.min(1, meter.mean / meter.used);
    meter.most = Math.min(1, meter.most);
    meter.peak = peakOf(meter, run, bandwidths);
  }
  return order.filter(name => all.has(name)).map(name => /** @type {Meter} */ (all.get(name)));
}

/**
 * The least time for the work in a range: the busiest resource alone would need it. DMA engines are left out,
 * since a transfer under way may wait; so are slots.
 * @param {Meter[]} meters @param {number} length in ps
 * @returns {{ps: number, meter: Meter} | null}
 */
export function boundOf(meters, length) {
  const busiest = meters.filter(one => !["DMA", "slots"].includes(one.resource)).sort((a, b) => b.most - a.most)[0];
  return busiest ? {ps: busiest.most * length, meter: busiest} : null;
}

/** Units and links by their utilisation in a range, the busiest first. @param {import("./run.js").Run} run @param {[number, number]} range */
export function busiestOf(run, range, fits = label => label.includes(">"), most = 10) {
  const all = [];
  for (const [label, values] of run.uses.utilisation) if (fits(label) && hasRange(run.uses, values)) all.push({label, value: meanOver(values, run.uses, run.uses.loads ? null : range)});
  return all.filter(one => one.value > 0).sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1)).slice(0, most);
}

