// Synthetic traffic: latency and accepted rate against the offered one, and a network without a machine.
"use strict";
const isTraffic = raw => ["traffic", "fit"].includes(raw.run?.command?.[1]);

// Links by load, in the order of the loads: utilisation, and demand beyond it.
function trafficUses(raw) {
  const {columns, rows} = parseCsv(raw.tables?.["links.csv"] ?? "");
  const [load, link, busy, demand] = ["load", "link", "utilization", "demand"].map(name => columns.indexOf(name));
  if (load < 0 || link < 0 || busy < 0) return null;
  const loads = [...new Set(rows.map(row => +row[load]))].sort((a, b) => a - b), uses = {utilisation: new Map(), waiting: new Map(), held: new Map(), full: new Map()};
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

function trafficPoints(raw) {
  const {columns, rows} = parseCsv(raw.tables?.["results.csv"] ?? "");
  return rows.map(row => Object.fromEntries(columns.map((name, i) => [name, +row[i]]))).sort((a, b) => a.offered - b.offered);
}

function trafficSentence(raw) {
  if (isRecorded(raw)) return recordedSentence(raw);
  const points = trafficPoints(raw), last = points.at(-1), first = points[0], short = value => +value.toPrecision(4);
  if (!last?.bound) return sliceSentence(raw);
  const bound = `a bound of ${short(last.bound)} packets a service time and source`;
  const latency = `mean latency ${short(last.latency_mean_ns)} ns`;
  if (points.length === 1) return `Of an offered ${short(last.offered)} the network accepts ${short(last.accepted)}, under ${bound}; ${latency}.`;
  const most = Math.max(...points.map(point => point.accepted));
  return `The network accepts up to ${short(most)} of ${bound}; ${latency} at an offered ${short(last.offered)}, ` +
    `${short(first.latency_mean_ns)} ns at ${short(first.offered)}.`;
}

// Two charts over the offered rate, the bound a line upright.
function showTraffic(app) {
  const raw = app.runs[app.at].raw, points = trafficPoints(raw), root = byId("figures");
  if (isRecorded(raw)) return showRecorded(root, raw);
  if (isSlice(raw)) return showSlice(root, raw);
  byId("curves").hidden = !(points.length > 1 && points[0].bound);
  root.textContent = "";
  if (byId("curves").hidden) return;
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
}
