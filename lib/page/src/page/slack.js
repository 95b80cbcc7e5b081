// Launches and operations: how much of the path is theirs, and how much later they could have ended.
"use strict";
const inNs = ps => (ps === undefined || ps === null ? "" : +(ps / 1000).toFixed(3));

// On the path, as much as the chosen reason leaves; what isn't on it has a slack, if all causes were kept.
function operationRows(path, segments, filtered) {
  const known = new Map((path.ops ?? []).map(one => [one.op, one])), rows = [];
  const shares = filtered ? sharesOf(segments, "op") : (path.ops ?? []).map(one => ({name: one.op, ps: one.ps}));
  for (const {name, ps} of shares)
    rows.push([name, known.get(name)?.what ?? "", known.get(name)?.line ?? "", inNs(ps), +(100 * ps / Math.max(1, path.length_ps)).toFixed(2), 0, 0]);
  if (filtered) return rows;
  for (const one of path.op_slack ?? []) rows.push([one.op, one.what, one.line ?? "", 0, 0, inNs(one.ps), inNs(one.steady_ps)]);
  return rows;
}

function launchRows(paths) {
  return paths.filter(one => one.kernel).map(one =>
    [one.of, inNs(one.begin_ps), inNs(one.end_ps), inNs(one.length_ps), one.limited_by ?? "", inNs(one.own_slack?.ps), inNs(one.own_slack?.steady_ps)]);
}

function makeSlack(app) {
  let tables = [];
  function show() {
    const {paths} = app.runs[app.at], path = app.shownPath, root = byId("slacks");
    root.textContent = "";
    tables = [];
    const launches = launchRows(paths), operations = path ? operationRows(path, app.segments, app.reason !== null) : [];
    byId("slack").hidden = launches.length + operations.length === 0;
    if (byId("slack").hidden) return;
    const later = ["could end later by, ns", "exact up to, ns"];
    if (launches.length) tables.push(makeTable(root, "launches", ["launch", "from, ns", "to, ns", "takes, ns", "limited by", ...later], launches));
    if (operations.length) tables.push(makeTable(root, `operations of ${path.of}`, ["operation", "what", "line", "on the path, ns", "% of it", ...later], operations, 3));
    const told = paths.some(one => one.own_slack || one.op_slack?.length);
    if (!told) element("p", "How much later what isn't on the path could have ended is kept by kbsim explain.", root, {class: "soft"});
    if (path?.ops_left_out) element("p", "The end of this list is left out: explain.json has it.", root, {class: "soft"});
    search();
  }
  function search() { for (const table of tables) table.search(byId("findop").value); }
  byId("findop").addEventListener("input", search);
  return {show, all: () => tables};
}
