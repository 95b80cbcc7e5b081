// Launches and operations: how much of the path is theirs, and how much later they could have ended.
import {toCsv} from "../csv.js";
import {element, field} from "../dom.js";
import {inNs} from "../quantity.js";
import {sharesOf} from "../run.js";
import {makeTable} from "../table.js";

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

const later = ["slack, ns", "slack if no order flips, ns"];
const ofLaunches = ["launch", "from, ns", "to, ns", "takes, ns", "limited by", ...later];
const ofOperations = ["operation", "what", "line", "on the path, ns", "% of it", ...later];

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), find = field(line, "search", {id: "findop", type: "search", placeholder: "operation, line"});
  element("span", " slack: how much later it could have ended with an equally long path, as long as no order flips", line, {class: "soft"});
  const box = element("div", null, root, {id: "slacks"});
  let tables = [], last = [];
  const search = () => { for (const table of tables) table.search(find.value); };
  find.addEventListener("input", search);
  return {
    show(changed) {
      if (!["at", "row", "path", "reason", "all"].some(one => changed.has(one))) return tables.length > 0;
      const {paths} = app.run, path = app.shownPath;
      box.replaceChildren();
      tables = [];
      const launches = launchRows(paths), operations = path ? operationRows(path, app.segments, app.reason !== null) : [];
      last = operations;
      if (launches.length + operations.length === 0) return false;
      if (launches.length) tables.push(makeTable(box, "launches", ofLaunches, launches, {click: row => { const at = paths.findIndex(one => one.of === row[0]); if (at >= 0) app.set({path: at}); }}));
      if (operations.length) tables.push(makeTable(box, `operations of ${path.of}`, ofOperations, operations, {order: 3, click: row => app.set({picked: {kind: "operation", of: row[0], what: row[1], line: row[2]}})}));
      if (!paths.some(one => one.own_slack || one.op_slack?.length)) element("p", "Slacks of what isn't on the path are in the page of kbsim explain.", box, {class: "soft"});
      if (path?.ops_left_out) element("p", "The end of this list is left out: explain.json has it.", box, {class: "soft"});
      search();
      return true;
    },
    csv: () => toCsv([ofOperations, ...last]),
    all: () => tables,
  };
}

/** @type {import("../page.js").ViewKind} */
export const slack = {id: "slack", title: "Launches and operations", make};
