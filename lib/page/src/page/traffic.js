// Synthetic traffic: latency and accepted rate against the offered one, and a network without a machine.
"use strict";
const isTraffic = raw => raw.run?.command?.[1] === "traffic";

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
  const points = trafficPoints(raw), last = points.at(-1), first = points[0];
  if (!last?.bound) return "";
  const most = Math.max(...points.map(point => point.accepted)), short = value => +value.toPrecision(4);
  const least = points.length > 1 ? `, ${short(first.latency_mean_ns)} ns at ${short(first.offered)}` : "";
  return `The network accepts up to ${short(most)} of a bound of ${short(last.bound)} packets a service time and source; ` +
    `mean latency ${short(last.latency_mean_ns)} ns at an offered ${short(last.offered)}${least}.`;
}

// Two charts over the offered rate, the bound a line upright.
function showTraffic(app) {
  const raw = app.runs[app.at].raw, points = trafficPoints(raw), root = byId("figures");
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

// A drawing of nodes and links, made node by node: names are text whatever they are.
function networkDrawing(network) {
  const pitch = 90, size = 34, make = (name, attributes, parent) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    parent?.append(one);
    return one;
  };
  const {nodes, links} = network, routers = nodes.filter(node => !node.endpoint);
  const shown = routers.length ? routers : nodes, order = name => {
    const all = [...new Set(shown.map(node => node[name]))].sort((a, b) => a - b);
    return new Map(all.map((value, i) => [value, i]));
  };
  const [columns, lines] = [order("x_mm"), order("y_mm")], place = new Map();
  const own = new Set(shown.map(node => `${node.x_mm} ${node.y_mm}`)).size === shown.length;
  const radius = Math.max(1, shown.length / 5);
  shown.forEach((node, i) => {
    const angle = 2 * Math.PI * i / shown.length;
    place.set(node, own ? [columns.get(node.x_mm), lines.get(node.y_mm)] : [radius * (1 + Math.cos(angle)), radius * (1 + Math.sin(angle))]);
  });
  // Endpoints stand at the corner of the first node that they are joined to.
  const at = node => place.get(node).map(value => 50 + pitch * value), joined = new Map();
  for (const {from, to} of links) {
    const [a, b] = [nodes[from], nodes[to]];
    if (!place.has(a) && place.has(b)) joined.set(a, joined.get(a) ?? b);
    if (!place.has(b) && place.has(a)) joined.set(b, joined.get(b) ?? a);
  }
  const all = [...place.keys()].map(at), most = axis => Math.max(...all.map(point => point[axis])) + 50;
  const svg = make("svg", {viewBox: `0 0 ${most(0)} ${most(1)}`, role: "img", "aria-label": "network"});
  svg.style.maxWidth = 1.6 * most(0) + "px";
  const seen = new Set();
  for (const {from, to, wraps} of links) {
    const [a, b] = [nodes[from], nodes[to]], key = [from, to].sort((x, y) => x - y).join();
    if (seen.has(key) || !place.has(a) || !place.has(b)) continue;
    seen.add(key);
    const [x, y] = at(a), [u, v] = at(b), bend = wraps ? 0.28 * pitch : 0;
    make("path", {"data-of": `${a.name}|${b.name}`, d: `M${x} ${y}Q${(x + u) / 2 + (x === u ? bend : 0)} ${(y + v) / 2 + (y === v ? bend : 0)} ${u} ${v}`,
                  fill: "none", stroke: "#bbb", "stroke-width": 7}, svg);
  }
  const box = (node, x, y, wide) => make("rect", {"data-of": node.name, x: x - wide / 2, y: y - wide / 2, width: wide, height: wide, rx: 3, fill: "#e8eaed", stroke: "#888"}, svg);
  for (const node of place.keys()) {
    const [x, y] = at(node);
    box(node, x, y, size);
    make("text", {x, y: y + 3, "text-anchor": "middle", "font-size": 9, "pointer-events": "none"}, svg).textContent = node.name;
  }
  for (const [node, router] of joined) { const [x, y] = at(router); box(node, x + size * 0.7, y - size * 0.7, size / 3); }
  return svg;
}
