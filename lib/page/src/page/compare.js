// A second run beside the first.
"use strict";
function showDifferences(app) {
  const section = byId("compare"), root = byId("differences");
  section.hidden = app.runs.length < 2;
  if (section.hidden) return;
  root.textContent = "";
  const [a, b] = app.runs;
  const totals = [["simulated", timeText(a.total), timeText(b.total), timeText(b.total - a.total), percent(b.total - a.total, a.total)]];
  const pathOf = run => run.paths[app.path] ?? run.paths[0];
  const [one, two] = [pathOf(a), pathOf(b)];
  if (one && two && app.path > 0) totals.push([one.of, timeText(one.length_ps), timeText(two.length_ps), timeText(two.length_ps - one.length_ps), percent(two.length_ps - one.length_ps, one.length_ps)]);
  makeTable(root, "totals", ["", "first run", "second run", "difference", "of the first"], totals);
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
    .map(([label, x, y]) => [label, x, y, +(y - x).toFixed(2), +Math.abs(y - x).toFixed(2)]).filter(row => row[4] > 0);
  if (rows.length) makeTable(root, "links and units: utilisation in %", ["name", "first run", "second run", "difference", "absolute difference"], rows, 4);
}

function joined(root, title, name, mine = [], others = []) {
  const all = new Map();
  mine.forEach(share => all.set(share.name, [share.name, share.ps / 1000, 0]));
  others.forEach(share => { const row = all.get(share.name) ?? [share.name, 0, 0]; row[2] = share.ps / 1000; all.set(share.name, row); });
  const rows = [...all.values()].map(([label, x, y]) => [label, x, y, +(y - x).toFixed(3), +Math.abs(y - x).toFixed(3)]).filter(row => row[4] > 0);
  if (rows.length) makeTable(root, `${title}, in ns`, [name, "first run", "second run", "difference", "absolute difference"], rows, 4);
}
