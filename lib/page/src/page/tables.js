// Tables that are sorted and searched, and curves.
"use strict";
const isNumber = text => text !== "" && isFinite(text);

// columns: names; rows: arrays of cells. Shows the first 300 that the search leaves.
function makeTable(parent, name, columns, rows, order = -1) {
  const most = 300, box = element("div", null, parent), title = element("h3", name, box);
  const scroll = element("div", null, box, {class: "scroll", tabindex: 0});
  const table = element("table", null, scroll), head = element("tr", null, element("thead", null, table)), body = element("tbody", null, table);
  const numeric = columns.map((_, i) => rows.length > 0 && rows.every(row => isNumber(row[i] ?? "") || row[i] === "NaN"));
  let down = order >= 0, word = "";
  columns.forEach((column, i) => {
    const cell = element("th", null, head, {class: numeric[i] ? "number" : "", scope: "col"});
    element("button", column, cell).addEventListener("click", () => { down = order === i ? !down : numeric[i]; order = i; draw(); });
  });
  const compare = (a, b) => {
    const x = a[order], y = b[order];
    const result = numeric[order] ? (isNumber(x) ? +x : -Infinity) - (isNumber(y) ? +y : -Infinity) : String(x).localeCompare(String(y));
    return down ? -result : result;
  };
  function draw() {
    const shown = rows.filter(row => word === "" || row.some(cell => String(cell).toLowerCase().includes(word)));
    if (order >= 0) shown.sort(compare);
    [...head.children].forEach((cell, i) => cell.setAttribute("aria-sort", i !== order ? "none" : down ? "descending" : "ascending"));
    body.replaceChildren(...shown.slice(0, most).map(row => {
      const line = element("tr");
      row.forEach((cell, i) => element("td", cell, line, {class: numeric[i] ? "number" : ""}));
      return line;
    }));
    title.textContent = `${name}: ${shown.length < rows.length ? `${shown.length} of ` : ""}${rows.length}` + (shown.length > most ? `, the first ${most} are shown` : "");
  }
  draw();
  return {box, search: text => { word = text.toLowerCase(); draw(); }, rows: () => [...body.children].map(line => [...line.children].map(cell => cell.textContent))};
}

// What ran, by kind, name and line: how often and how long.
function operationsOf(spans) {
  const all = new Map();
  (spans?.length ?? []).forEach((length, i) => {
    const key = [spans.kinds[spans.kind[i]].name, spans.strings[spans.name[i]], spans.strings[spans.at[i]]];
    const row = all.get(key.join("\n")) ?? [...key, 0, 0, 0, 0];
    row[3] += 1; row[4] += length - (spans.idle?.[i] ?? 0); row[5] = Math.max(row[5], length); row[6] += spans.bytes[i];
    all.set(key.join("\n"), row);
  });
  return [...all.values()].map(([kind, name, line, count, sum, longest, bytes]) =>
    [kind, name, line, count, +(sum / 1000).toFixed(3), +(longest / 1000).toFixed(3), bytes]);
}

function makeTables(app) {
  let tables = [];
  function show() {
    const raw = app.runs[app.at].raw, root = byId("tables"), places = app.places();
    root.textContent = "";
    tables = [];
    const own = raw.spans ? operationsOf(raw.spans) : [];
    if (own.length) tables.push(makeTable(root, "operations", ["kind", "name", "line", "count", "total_ns", "longest_ns", "bytes"], own, 4));
    for (const [name, text] of Object.entries(raw.tables ?? {})) {
      let {columns, rows} = parseCsv(text);
      if (places !== null && (name === "links.csv" || name === "units.csv")) rows = rows.filter(row => places.has(row[0]) || places.has(unitOf(row[0])));
      if (rows.length) tables.push(makeTable(root, name, columns, rows, columns.indexOf("utilization")));
    }
    search();
  }
  function search() { for (const table of tables) table.search(byId("find").value); }
  byId("find").addEventListener("input", search);
  return {show, all: () => tables};
}

// A chart of lines over numbers: {title, x, y, log_x, log_y}.
function plot(parent, figure, xs, lines, width) {
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = label => ({label, stroke: () => css("--text"), grid: {stroke: () => css("--line")}, ticks: {stroke: () => css("--line")}});
  const isBound = label => /bound|limit|roof|link:|ideal|peak/i.test(label);
  return new uPlot({
    title: figure.title, width, height: 320,
    scales: {x: {time: false, distr: figure.log_x ? 3 : 1}, y: {distr: figure.log_y ? 3 : 1, range: figure.log_y ? undefined : (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1]}},
    axes: [axis(figure.x), axis(figure.y)],
    hooks: figure.bound ? {draw: [chart => drawBound(chart, figure.bound, css("--soft"))]} : {},
    series: [{label: figure.x || "x"}, ...lines.map((line, i) => ({label: line.label, stroke: colors[i % colors.length], width: 2, dash: isBound(line.label) ? [8, 5] : [], ...(line.dots ? {paths: () => null, points: {show: true, size: 5}} : {points: {show: xs.length < 60}})}))],
  }, [xs, ...lines.map(line => line.values)], parent);
}

// An upright line where the load is as much as can be.
function drawBound(chart, bound, color) {
  const x = chart.valToPos(bound, "x", true), {left, top, width, height} = chart.bbox, pen = chart.ctx;
  if (x < left || x > left + width) return;
  pen.save();
  pen.strokeStyle = pen.fillStyle = color; pen.setLineDash([8, 5]); pen.lineWidth = 2;
  pen.beginPath(); pen.moveTo(x, top); pen.lineTo(x, top + height); pen.stroke();
  pen.textAlign = "right"; pen.fillText("bound", x - 6, top + 14);
  pen.restore();
}

function showFigure(root, figure) {
  const {columns, rows} = parseCsv(figure.csv), box = element("div", null, root, {class: "chart figure"});
  const positive = value => (isNumber(value) ? +value : null);
  if (columns.length < 2 || rows.length < 2 || !rows.every(row => isNumber(row[0])))
    return void makeTable(box, figure.title || figure.name, columns, rows);
  rows.sort((a, b) => a[0] - b[0]);
  const numeric = columns.map((_, i) => i).slice(1).filter(i => rows.some(row => isNumber(row[i] ?? "")));
  const lines = numeric.map(i => ({label: columns[i], values: rows.map(row => positive(row[i] ?? ""))}));
  const fits = side => side.every(value => value === null || value > 0);
  const xs = rows.map(row => +row[0]);
  plot(box, {...figure, title: figure.title || figure.name, log_x: figure.log_x && fits(xs), log_y: figure.log_y && lines.every(line => fits(line.values))}, xs, lines, 640);
}

function showFigures(app) {
  if (isTraffic(app.runs[app.at].raw)) return showTraffic(app);
  const root = byId("figures"), all = app.runs.flatMap(run => run.raw.figures ?? []);
  root.textContent = "";
  const shown = app.runs[app.at].raw.figures ?? [];
  for (const figure of shown) showFigure(root, figure);
  byId("curves").hidden = all.length === 0;
}
