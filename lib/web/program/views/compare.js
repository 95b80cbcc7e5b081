// A second run beside the first.
import {element} from "../dom.js";
import {exactTime, percent, timeText} from "../quantity.js";
import {keysOf} from "../run.js";
import {makeTable} from "../table.js";
import {drawBar} from "./why.js";

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  return {
    show(changed) {
      if (app.runs.length < 2) return false;
      if (!["at", "path", "reason", "all"].some(one => changed.has(one))) return true;
      root.replaceChildren();
      const [a, b] = app.runs, pathOf = run => run.paths[app.path ?? run.measured] ?? run.paths[0], [one, two] = [pathOf(a), pathOf(b)];
      showTotals(element("div", null, root, {id: "differences"}), app, one, two);
      return true;
    },
  };
}

function showTotals(root, app, one, two) {
  const [a, b] = app.runs, row = (name, x, y) => [name, exactTime(x), exactTime(y), exactTime(y - x), percent(y - x, x) || "0.0 %"];
  if (one && two) {
    const change = two.length_ps - one.length_ps;
    element("p", change === 0 ? `Both take ${timeText(one.length_ps)}.` : `The second run takes ${timeText(two.length_ps)}, the first ${timeText(one.length_ps)}: ${percent(Math.abs(change), one.length_ps)} ${change > 0 ? "more" : "less"}.`, root, {class: "headline"});
  }
  makeTable(root, "totals", ["", "first run", "second run", "difference", "of the first"],
            [...(one && two && one.length_ps !== a.total ? [row(one.of, one.length_ps, two.length_ps)] : []), row("simulated", a.total, b.total)]);
  const [mine, others] = [keysOf(a.raw.config ?? ""), keysOf(b.raw.config ?? "")];
  const keys = [...new Set([...mine.keys(), ...others.keys()])].filter(key => mine.get(key) !== others.get(key))
    .map(key => [key, mine.get(key) ?? "(none)", others.get(key) ?? "(none)"]);
  if (keys.length) makeTable(root, "keys that differ", ["key", "first run", "second run"], keys);
  else element("p", "Their configurations are equal.", root);
  if (one && two) {
    element("h3", "critical paths, to one scale", root);
    const most = Math.max(one.length_ps, two.length_ps, 1);
    for (const path of [one, two]) drawBar(element("div", null, root, {class: "bar"}), path, app, most);
    for (const [list, name] of [["reasons", "reason"], ["kinds", "kind of component"], ["places", "place"], ["lines", "line of a kernel"]])
      joined(root, `by ${name}`, name, one[list], two[list]);
  }
  const busy = (run, label) => { const values = run.uses.utilisation.get(label); return values ? values.reduce((sum, v) => sum + v, 0) / values.length : 0; };
  const rows = [...new Set([...a.uses.utilisation.keys(), ...b.uses.utilisation.keys()])]
    .map(label => [label, +(100 * busy(a, label)).toFixed(2), +(100 * busy(b, label)).toFixed(2)])
    .map(([label, x, y]) => [label, x, y, +(y - x).toFixed(2), +Math.abs(y - x).toFixed(2)]).filter(one => one[4] > 0);
  if (rows.length) makeTable(root, "links and units: utilisation in %", ["name", "first run", "second run", "difference", "absolute difference"], rows, {order: 4});
}

function joined(root, title, name, mine = [], others = []) {
  const all = new Map();
  mine.forEach(share => all.set(share.name, [share.name, share.ps / 1000, 0]));
  others.forEach(share => { const row = all.get(share.name) ?? [share.name, 0, 0]; row[2] = share.ps / 1000; all.set(share.name, row); });
  const rows = [...all.values()].map(([label, x, y]) => [label, x, y, +(y - x).toFixed(3), +Math.abs(y - x).toFixed(3)]).filter(row => row[4] > 0);
  if (rows.length) makeTable(root, `${title}, in ns`, [name, "first run", "second run", "difference", "absolute difference"], rows, {order: 4});
}

/** @type {import("../page.js").ViewKind} */
export const compare = {id: "compare", title: "Against the other run", make};
