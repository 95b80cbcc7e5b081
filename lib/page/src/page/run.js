// One run as the page has it: its critical paths, its series, its tables.
"use strict";
const element = (name, text, parent, attributes = {}) => {
  const one = document.createElement(name);
  if (text !== undefined && text !== null) one.textContent = text;
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  if (parent) parent.append(one);
  return one;
};
const byId = id => document.getElementById(id);
const colors = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#bab0ac", "#8cd17d", "#d4a6c8"];

function timeText(ps) {
  const ns = ps / 1000;
  return Math.abs(ns) >= 1e6 ? +(ns / 1e6).toFixed(4) + " ms" : Math.abs(ns) >= 1e4 ? +(ns / 1e3).toFixed(4) + " µs" : +ns.toFixed(3) + " ns";
}
const percent = (part, all) => (all > 0 ? (100 * part / all).toFixed(1) + " %" : "");

// "size,sum\n1,2\n" as {columns, rows}; cells of our tables have no commas in quotes but those of lists.
function parseCsv(text) {
  const cells = line => (line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []).slice(0, -1).concat()
    .map(cell => cell.replace(/,$/, "").replace(/^"(.*)"$/, "$1").replaceAll('""', '"'));
  const lines = text.split("\n").filter(Boolean);
  if (!lines.length) return {columns: [], rows: []};
  const split = line => (line.includes('"') ? cells(line + ",") : line.split(","));
  return {columns: split(lines[0]), rows: lines.slice(1).map(split)};
}

function decoded(values) {
  const all = [];
  for (const value of values)
    if (value < 0) for (let i = 0; i < -value; ++i) all.push(0); else all.push(value / 1000);
  return Float64Array.from(all);
}

// Segments of a path, as one object each; their words are the file's.
function segmentsOf(path, words) {
  const columns = path.path ?? {}, all = [];
  let from = path.begin_ps;
  (columns.length ?? []).forEach((length, i) => {
    const word = key => words[columns[key][i]] ?? "";
    all.push({from, to: from += length, length, count: columns.count[i], reason: word("reason"), kind: word("kind"),
              place: word("place"), key: word("key"), line: word("line"), op: word("op")});
  });
  return all;
}

// A list as explain.json has them, of some segments.
function sharesOf(segments, name) {
  const all = new Map();
  for (const one of segments) {
    if (!one[name]) continue;
    const share = all.get(one[name]) ?? {name: one[name], ps: 0, count: 0};
    share.ps += one.length;
    share.count += one.count;
    all.set(one[name], share);
  }
  return [...all.values()].sort((a, b) => b.ps - a.ps || (a.name < b.name ? -1 : 1));
}

// How much longer a path gets with another value of a key, in ps: each of its terms is rounded anew.
function changeOf(key, to) {
  if (key.count > 0) return Math.round(key.count * (to - key.value) * 1000);
  const takes = (bytes, share, rate) => Math.ceil(bytes * 1000 / (rate * share) - 1e-9);
  return (key.bytes_share_times ?? []).reduce((sum, [bytes, share, times]) =>
    sum + times * (takes(bytes, share, to) - takes(bytes, share, key.value)), 0);
}
const bettered = (key, percents) => (key.count > 0 ? key.value * (1 - percents / 100) : key.value * (1 + percents / 100));

// Under which choice of the machine's drawing a series is shown, by its measure.
const shownAs = {utilisation: "utilisation", waiting: "waiting", under_way: "waiting", free: "held", least_free: "full"};

// How busy each unit and link was, by window: of the spans' series, or else of the whole run's tables.
function usesOf(raw) {
  const traffic = trafficUses(raw);
  if (traffic) return traffic;
  const uses = {utilisation: new Map(), waiting: new Map(), held: new Map(), full: new Map()};
  const windows = raw.spans?.window > 0 ? Math.max(1, Math.ceil((raw.spans.end - raw.spans.begin) / raw.spans.window)) : 1;
  for (const one of raw.spans?.series ?? []) {
    const all = uses[shownAs[one.measure]];
    if (!all) continue;
    const values = all.get(one.of) ?? new Float64Array(windows), whole = one.all ?? 1;  // of what is free the file has the rest
    decoded(one.values).subarray(0, windows).forEach((value, i) => { values[i] += value / whole; });
    all.set(one.of, values);
  }
  if (raw.spans?.series) return {...uses, windows, window: raw.spans.window, begin: raw.spans.begin, end: raw.spans.end};
  for (const name of ["links.csv", "units.csv"]) {
    const table = parseCsv(raw.tables?.[name] ?? "");
    const busy = table.columns.indexOf("utilization"), wanted = table.columns.indexOf("demand");
    for (const row of table.rows) {
      uses.utilisation.set(row[0], Float64Array.of(+row[busy]));
      uses.waiting.set(row[0], Float64Array.of(Math.max(0, +row[wanted] - +row[busy])));
    }
  }
  return {...uses, windows: 1, window: 0, begin: 0, end: raw.run?.run?.simulated_ps ?? 0};
}

// "a:\n  b: 1" as {"a.b": "1"}.
function keysOf(yaml) {
  const all = new Map(), above = [];
  for (const line of yaml.split("\n")) {
    const match = /^(\s*)(?:- )?([\w.\-]+):\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const depth = match[1].length;
    while (above.length && above.at(-1).depth >= depth) above.pop();
    const key = [...above.map(one => one.name), match[2]].join(".");
    if (match[3] && !match[3].startsWith("#")) all.set(key, match[3].replace(/\s+#.*$/, ""));
    else above.push({depth, name: match[2]});
  }
  return all;
}

function makeRun(raw) {
  const words = raw.explain?.words ?? [];
  const paths = (raw.explain?.paths ?? []).map(path => ({...path, segments: segmentsOf(path, words)}));
  // The path whose length is the run's result; or the one that was asked for.
  const asked = raw.explain?.asked || raw.explain?.measured || 0;
  return {raw, paths, measured: Math.min(asked, Math.max(0, paths.length - 1)), uses: usesOf(raw), total: raw.run?.run?.simulated_ps ?? raw.spans?.end ?? 0};
}
