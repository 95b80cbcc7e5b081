// Recorded NOC traces: barriers as predicted against as measured; and a memory's slice: latencies of its accesses.
import {plot} from "../chart.js";
import {parseCsv} from "../csv.js";
import {element} from "../dom.js";
import {isTraffic} from "../run.js";
import {makeTable} from "../table.js";
export const isRecorded = raw => isTraffic(raw) && raw.run.command.includes("--trace");
export const isSlice = raw => isTraffic(raw) && Boolean(raw.tables?.["latencies.csv"]);
const ofLoops = raw => Object.entries(raw.summary?.result ?? {}).filter(([, one]) => one?.traces);

// The mean error of a column: of the traces of the fit and of the judged ones, by their numbers.
function errorOf(column) {
  const halves = [column.fitted, column.judged].filter(half => half?.barriers > 0), all = halves.reduce((sum, half) => sum + half.barriers, 0);
  return {barriers: all, mean: all ? halves.reduce((sum, half) => sum + half.mean * half.barriers, 0) / all : 0};
}

/** The error of a trace's prediction. */
export function recordedSentence(raw) {
  const loops = ofLoops(raw).map(([name, column]) => ({name, error: errorOf(column)}));
  if (!loops.length || !loops[0].error.barriers) return "No barrier of these traces is judged.";
  return `Mean error over ${loops[0].error.barriers} judged barriers: ` + loops.map(({name, error}) => `${(100 * error.mean).toFixed(1)} % in ${name}`).join(", ") + ".";
}

/** The scatter of barriers, and tables. False: there is nothing to draw. */
export function showRecorded(root, raw) {
  if (!ofLoops(raw).length) return false;
  const figure = (raw.figures ?? []).find(one => one.name === "barriers_scatter"), {rows} = parseCsv(figure?.csv ?? "");
  if (rows.length) {
    rows.sort((a, b) => +a[1] - +b[1]);
    const xs = rows.map(row => +row[1]), of = half => ({label: half, dots: true, values: rows.map(row => (row[0] === half ? +row[2] : null))});
    plot(element("div", null, root, {class: "chart figure"}), {title: figure.title, x: "measured (cycles)", y: "predicted (cycles)", log_x: xs[0] > 0, log_y: rows.every(row => +row[2] > 0)},
         xs, [of("fitted"), of("judged"), {label: "ideal: as measured", values: xs}], 640);
  }
  const percents = share => +(100 * share).toFixed(2), worst = [];
  const lines = ofLoops(raw).flatMap(([name, {traces}]) => traces.map(one =>
    [name, one.trace, one.half, one.barriers, percents(one.mean), percents(one.median), percents(one.p95), percents(one.worst)]));
  makeTable(root, "errors of traces", ["loop", "trace", "half", "barriers", "mean, %", "median, %", "p95, %", "worst, %"], lines, {order: 4});
  const traces = (raw.summary.traces ?? []).map(one => [one.trace, one.events, one.processors, one.transfers, one.bytes, +one.cycles.toFixed(1), one.most_live]);
  makeTable(root, "traces", ["trace", "events", "processors", "transfers", "bytes", "cycles", "most under way"], traces);
  for (const [name, {worst: one}] of ofLoops(raw))
    if (one) worst.push([name, one.trace, one.node, one.first_cycle, one.measured_cycles, +one.predicted_cycles.toFixed(1), percents(one.error)]);
  if (worst.length) makeTable(root, "worst barriers", ["loop", "trace", "node", "first cycle", "measured, cycles", "predicted, cycles", "error, %"], worst);
  return true;
}

/** The rate and latencies of a memory's slice. */
export function sliceSentence(raw) {
  const result = raw.summary?.result;
  if (result?.raw_gbs === undefined) return "";
  const latency = (name, of) => (of?.accesses ? `; ${name} take ${+of.mean.toFixed(2)} ns on the average, 99 % of them ${+of.p99.toFixed(2)} ns or less` : "");
  return `The slice moves ${+result.rate_gbs.toFixed(2)} of ${+result.raw_gbs.toFixed(2)} GB/s, ${(100 * result.efficiency).toFixed(1)} %` +
    latency("reads", result.read_latency_ns) + latency("writes", result.write_latency_ns) + ".";
}

/** The share of accesses that take no longer than so long. */
export function showSlice(root, raw) {
  const {rows} = parseCsv(raw.tables["latencies.csv"]), kinds = [...new Set(rows.map(row => row[0]))];
  if (!rows.length) return false;
  const shares = [...new Set(rows.map(row => +row[1]))].sort((a, b) => a - b);
  const line = kind => { const own = new Map(rows.filter(row => row[0] === kind).map(row => [+row[1], +row[2]])); return {label: kind, values: shares.map(share => own.get(share) ?? null)}; };
  plot(element("div", null, root, {class: "chart figure"}), {title: "latency of accesses", x: "share of the accesses that take no longer", y: "ns"}, shares, kinds.map(line), 640);
  return true;
}
