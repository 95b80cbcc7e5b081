// Synthetic traffic: latency and accepted rate against the offered one, and a network without a machine.
import {plot} from "../chart.js";
import {recordsOf} from "../csv.js";
import {element} from "../dom.js";
import {share} from "../quantity.js";
import {isRecorded, isSlice, recordedSentence, showRecorded, showSlice, sliceSentence} from "./recorded.js";

/** The points of a sweep of loads, as numbers, the least load first. @returns {Record<string, number>[]} */
function trafficPoints(raw) {
  return recordsOf(raw.tables?.["results.csv"]).map(row => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, +value]))).sort((a, b) => a.offered - b.offered);
}

/** The hottest links at the greatest load: "r7_7>r6_7 (99.2 %)". */
function hottestText(raw) {
  const links = recordsOf(raw.tables?.["links.csv"]), load = Math.max(...links.map(one => +one.load));
  return links.filter(one => +one.load === load).sort((a, b) => +b.utilization - +a.utilization || (a.link < b.link ? -1 : 1)).slice(0, 4)
    .map(one => `${one.link} (${share(+one.utilization)})`).join(", ");
}

/** A sentence that answers: how much the network accepts of its bound, at which latency, and its hottest links. */
export function trafficSentence(raw) {
  if (isRecorded(raw)) return recordedSentence(raw);
  const points = trafficPoints(raw), last = points.at(-1), first = points[0], short = value => +value.toPrecision(4);
  if (!last?.bound) return sliceSentence(raw);
  const bound = `a bound of ${short(last.bound)} packets a service time and source`, hottest = hottestText(raw);
  const links = hottest ? ` Hottest links: ${hottest}.` : "";
  if (points.length === 1) return `The network accepts ${short(last.accepted)} of an offered ${short(last.offered)}, under ${bound}; mean latency ${short(last.latency_mean_ns)} ns.${links}`;
  const most = Math.max(...points.map(point => point.accepted));
  return `Saturation throughput: ${short(most)} of ${bound}; mean latency ${short(last.latency_mean_ns)} ns at an offered ${short(last.offered)}, ` +
    `${short(first.latency_mean_ns)} ns at ${short(first.offered)}.${links}`;
}

/** Two charts over the offered rate, the bound a line upright. False: there is nothing to draw. */
export function showTraffic(root, raw) {
  const points = trafficPoints(raw);
  if (isRecorded(raw)) return showRecorded(root, raw);
  if (isSlice(raw)) return showSlice(root, raw);
  if (!(points.length > 1 && points[0].bound)) return false;
  const xs = points.map(point => point.offered), bound = points[0].bound;
  const line = (label, value) => ({label, values: points.map(point => { const one = value(point); return isFinite(one) ? one : null; })});
  const add = (figure, lines) => plot(element("div", null, root, {class: "chart figure"}), {x: "offered (packets a service time and source)", bound, ...figure}, xs, lines, 640);
  const latencies = [["mean", "latency_mean_ns"], ["p50", "latency_p50_ns"], ["p99", "latency_p99_ns"], ["zero load", "zero_load_ns"]]
    .map(([label, name]) => line(label, point => point[name]));
  const positive = latencies.every(one => one.values.every(value => value === null || value > 0));
  add({title: "latency", y: "ns", log_y: positive}, latencies);
  add({title: "accepted", y: "packets a service time and source"}, [
    line("accepted", point => point.accepted), line("least of a source", point => point.source_min),
    line("bound", point => Math.min(point.offered, bound))]);
  return true;
}
