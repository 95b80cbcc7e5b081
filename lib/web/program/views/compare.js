// A second run beside the first: why they differ, and each view's difference.
import {placed} from "../state.js";
import {element} from "../dom.js";
import {toCsv} from "../csv.js";
import {causeOf, changesOf, keysThatDiffer, timesText} from "../compare/cause.js";
import {joinedRows, rowsTable} from "../compare/joined_rows.js";
import {headsOf} from "../compare/run_names.js";
import {twoTimelines} from "../compare/two_timelines.js";
import {metersOf} from "../meters.js";
import {exactTime, percent, share} from "../quantity.js";
import {makeTable} from "../table.js";
import {term} from "../words.js";
import {drawBar} from "./why.js";

/** @typedef {import("../state.js").App} App @typedef {import("../run.js").Run} Run @typedef {import("../run.js").Path} Path */

/** Both runs, their heads and what is compared of each: rows of evaluations if both have the chosen one. @param {App} app */
function pairOf(app) {
  const {row} = app, runs = row !== null && app.runs.every(run => run.rows.has(row)) ? app.runs.map(run => /** @type {Run} */ (run.rows.get(row))) : app.runs;
  return {runs, heads: headsOf(app.runs), paths: runs.map(run => run.paths[app.path ?? run.measured] ?? run.paths[0])};
}

const inNs = ps => +(ps / 1000).toFixed(3);

function showHeadline(root, {runs: [a, b], heads, paths: [one, two]}) {
  const known = one && two, [x, y] = known ? [one.length_ps, two.length_ps] : [a.total, b.total];
  const cause = known ? causeOf(a, b, one, two) : "";
  element("p", `first run: ${a.raw.folder}; second run: ${b.raw.folder}`, root, {class: "soft", id: "order"});
  element("p", timesText(x, y, heads) + (cause ? `; ${cause}.` : "."), root, {class: "headline"});
}

/** Meters of both, each over its own critical path. */
function showMeters(root, {runs, heads, paths}, app) {
  const all = runs.map((run, i) => new Map(metersOf(run, paths[i] ? [paths[i].begin_ps, paths[i].end_ps] : [run.uses.begin, run.uses.end]).map(one => [one.resource, one])));
  const names = [...new Set(all.flatMap(one => [...one.keys()]))];
  if (!names.length) return;
  const table = element("table", null, root, {id: "both-meters", "aria-label": "achieved of peak"}), head = element("tr", null, table);
  for (const text of ["achieved of peak", heads[0], heads[1], "difference in points"]) term(text, element("th", null, head, {scope: "col", ...(text.startsWith("diff") ? {class: "number"} : {})}));
  for (const name of names) {
    const line = element("tr", null, table, {"data-of": name}), values = all.map(one => one.get(name)?.most ?? 0);
    term(name, element("td", null, line));
    values.forEach((value, i) => {
      const cell = element("td", null, line, {class: "metered"}), bar = element("div", null, cell, {class: "meter", title: all[i].get(name)?.of ?? "not in use"});
      element("i", null, bar).style.width = 100 * value + "%";
      element("span", share(value), cell);
    });
    element("td", (100 * (values[1] - values[0])).toFixed(1), line, {class: "number"});
    line.classList.add("clicks");
    line.addEventListener("click", () => { const {of} = all[app.at].get(name) ?? all[1 - app.at].get(name); app.set(placed(of)); });
  }
}

function showTotals(root, {runs: [a, b], heads, paths: [one, two]}) {
  const row = (name, x, y) => [name, exactTime(x), exactTime(y), exactTime(y - x), percent(y - x, x) || "0.0 %"];
  makeTable(root, "totals", ["", ...heads, "difference", "of the first"],
            [...(one && two && one.length_ps !== a.total ? [row(one.of, one.length_ps, two.length_ps)] : []), row("simulated", a.total, b.total)]);
  const keys = keysThatDiffer(a, b);
  if (keys.length) makeTable(root, "keys that differ", ["key", ...heads], keys.map(one => [one.key, one.a, one.b]));
  else element("p", "Their configurations are equal.", root);
}

/** Numbers and words of the results that differ, and the digests. @returns {any[][]} */
function resultsOf(a, b) {
  const facts = ({raw}) => ({...raw.summary?.result, digest: raw.run?.run?.digest});
  const [mine, others] = [facts(a), facts(b)], isScalar = value => value === undefined || typeof value !== "object";
  return [...new Set([...Object.keys(mine), ...Object.keys(others)])].filter(name => isScalar(mine[name]) && isScalar(others[name]) && mine[name] !== others[name])
    .map(name => [name, mine[name] ?? "", others[name] ?? "", typeof mine[name] === "number" && typeof others[name] === "number" ? +(others[name] - mine[name]).toPrecision(9) : ""]);
}

function showBars(root, {heads, paths}, app) {
  if (!paths.every(Boolean)) return;
  element("h3", "critical paths, to one scale", root);
  const most = Math.max(...paths.map(path => path.length_ps), 1);
  paths.forEach((path, i) => {
    element("span", `${heads[i]}: ${exactTime(path.length_ps)}`, root, {class: "soft"});
    drawBar(element("div", null, root, {class: "bar"}), path, app, most);
  });
}

/** Shares of both paths by one of their words; rows that differ. */
function showShares(root, {heads, paths: [one, two]}, app) {
  if (!one || !two) return;
  for (const [list, name] of [["reasons", "reason"], ["waits", "wait"], ["kinds", "kind of component"], ["places", "place"], ["lines", "line of a kernel"]]) {
    const rows = changesOf(one[list], two[list]).filter(row => row.change !== 0).map(row => [row.name, inNs(row.a), inNs(row.b), inNs(row.change), inNs(Math.abs(row.change))]);
    const click = list === "places" ? row => app.set(placed(row[0])) : list === "reasons" ? row => app.set({picked: {kind: "reason", of: row[0]}}) : undefined;
    if (rows.length) makeTable(root, `by ${name}, in ns`, [name, ...heads, "difference", "absolute difference"], rows, {order: 4, click});
  }
}

/** Utilisation of links and units in both, in the whole run. @returns {any[][]} */
function usesThatDiffer([a, b]) {
  const busy = (run, label) => { const values = run.uses.utilisation.get(label); return values ? values.reduce((sum, v) => sum + v, 0) / values.length : 0; };
  return [...new Set([...a.uses.utilisation.keys(), ...b.uses.utilisation.keys()])]
    .map(label => [label, +(100 * busy(a, label)).toFixed(2), +(100 * busy(b, label)).toFixed(2)])
    .map(([label, x, y]) => [label, x, y, +(y - x).toFixed(2), +Math.abs(y - x).toFixed(2)]).filter(one => one[4] > 0);
}

function showRows(root, {heads}, app) {
  const [a, b] = app.runs.map(run => run.raw.summary?.rows ?? []);
  if (!a.length || !b.length) return;
  const joined = joinedRows(a, b), {columns, rows} = rowsTable(joined, heads);
  const choose = row => { const number = row[app.at]; if (app.runs[app.at].rows.has(number)) app.set({row: number}); };
  makeTable(root, "rows, joined by their inputs", columns, rows, {click: choose});
  joined.alone.forEach((count, i) => { if (count > 0) element("p", `${count} ${count === 1 ? "row is" : "rows are"} in the ${heads[i]} alone.`, root, {class: "soft"}); });
}

/** True if nothing that a page has of the two differs. */
function areEqual({runs: [a, b], paths: [one, two]}) {
  const same = name => JSON.stringify(a.raw[name] ?? null) === JSON.stringify(b.raw[name] ?? null);
  return a.total === b.total && one?.length_ps === two?.length_ps && ["config", "spans", "explain", "tables"].every(same) && resultsOf(a, b).length === 0;
}

/** @param {HTMLElement} root @param {App} app @returns {import("../page.js").View} */
function make(root, app) {
  const view = {timelines: /** @type {any[] | null} */ (null)};
  let shown = /** @type {any[]} */ ([]), bars = root;
  function redraw(pair) {
    root.replaceChildren();
    const box = element("div", null, root, {id: "differences"}), equal = areEqual(pair);
    showHeadline(box, pair);
    if (equal) element("p", "The runs are equal: their times, paths, timelines, tables and configurations are the same.", box, {id: "equal"});
    showMeters(box, pair, app);
    showTotals(box, pair);
    const results = resultsOf(pair.runs[0], pair.runs[1]), uses = usesThatDiffer(pair.runs);
    if (results.length) makeTable(box, "results that differ", ["result", ...pair.heads, "difference"], results);
    showRows(box, pair, app);
    bars = element("div", null, box);
    showBars(bars, pair, app);
    view.timelines = twoTimelines(box, app, pair.runs, pair.paths, pair.heads);
    showShares(box, pair, app);
    if (uses.length) makeTable(box, "links and units: utilisation in %", ["name", ...pair.heads, "difference", "absolute difference"], uses, {order: 4, click: row => app.set(placed(row[0]))});
  }
  return {
    show(changed) {
      if (app.runs.length < 2) return false;
      const pair = pairOf(app), key = [...pair.runs, ...pair.paths];
      if (key.some((one, i) => one !== shown[i])) { shown = key; redraw(pair); }
      else if (changed.has("reason")) { bars.replaceChildren(); showBars(bars, pair, app); }
      return true;
    },
    csv: () => {
      const {heads, paths: [one, two]} = pairOf(app);
      return toCsv([["of", "name", ...heads.map(head => head + ", ns"), "difference_ns"],
                    ...["reasons", "kinds", "places", "lines"].flatMap(list => changesOf(one?.[list], two?.[list]).map(row => [list, row.name, inNs(row.a), inNs(row.b), inNs(row.change)]))]);
    },
    get timelines() { return view.timelines; },
  };
}

/** @type {import("../page.js").ViewKind} */
export const compare = {id: "compare", title: "Against the other run", make};
