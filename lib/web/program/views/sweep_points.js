// All points that are shown, as a table.
import {element, field, shortened} from "../dom.js";
import {toCsv} from "../csv.js";
import {isBetter} from "../sweep.js";
import {makeTable, markRows} from "../table.js";

/** @typedef {import("../sweep_state.js").SweepApp} SweepApp */

/** The picked point's number. @param {SweepApp} app */
const numberOf = app => (app.choice.point === null ? "" : String(app.sweep.number(app.choice.point)));

/** Best first, and points without a number last. @param {SweepApp} app */
function sorted(app) {
  const {metric, larger} = app;
  if (!metric) return [...app.shown];
  const value = point => metric.of(point);
  return [...app.shown].sort((a, b) => (isFinite(value(a)) && isFinite(value(b)) ? (value(a) === value(b) ? a - b : isBetter(larger, value(a), value(b)) ? -1 : 1) : Number(isFinite(value(b))) - Number(isFinite(value(a))) || a - b));
}

/** @param {HTMLElement} root @param {SweepApp} app */
function make(root, app) {
  const {sweep} = app, search = field(root, "search", {id: "search", type: "search", placeholder: "value, reason or number"});
  const box = element("div", null, root);
  let table = /** @type {ReturnType<typeof makeTable> | null} */ (null);
  search.addEventListener("input", () => table?.search(search.value));
  /** Metrics that the page is about. */
  const metrics = () => [...new Set([app.metric, app.front.a, app.front.b])].filter(one => one && sweep.metrics.includes(one));
  return {
    show(changed) {
      if (!["metric", "goal", "hidden", "a", "b", "point", "all"].some(one => changed.has(one))) return sweep.count > 0;
      if (changed.size === 1 && changed.has("point")) { markRows(box, row => row === numberOf(app)); return true; }
      const shown = metrics(), order = table?.order(), top = box.querySelector(".scroll")?.scrollTop ?? 0;
      box.replaceChildren();
      const rows = sorted(app).map(point => [sweep.number(point), ...sweep.axes.map(axis => shortened(sweep.text(axis, point), 200)), ...shown.map(one => (isFinite(one.of(point)) ? +one.of(point).toPrecision(8) : "")), sweep.exit(point) ?? "", shortened(sweep.message(point), 200)]);
      table = makeTable(box, "points", ["point", ...sweep.axes.map(axis => axis.name), ...shown.map(one => (one.unit === "1" ? one.name : `${one.name} (${one.unit})`)), "exit", "reason"], rows,
        {...order, click: row => app.set({point: sweep.byNumber(row[0])}), marked: row => String(row[0]) === numberOf(app)});
      if (search.value) table.search(search.value);
      /** @type {HTMLElement} */ (box.querySelector(".scroll")).scrollTop = top;
      return sweep.count > 0;
    },
    csv: () => toCsv([["point", ...sweep.axes.map(axis => axis.name), ...sweep.metrics.map(one => one.name), "exit", "reason", "command"],
      ...app.shown.map(point => [sweep.number(point), ...sweep.axes.map(axis => sweep.text(axis, point)), ...sweep.metrics.map(one => (isFinite(one.of(point)) ? one.of(point) : "")), sweep.exit(point) ?? "", sweep.message(point), sweep.command(point)])]),
    table: () => table,
  };
}

export const sweepPoints = {id: "points", title: "Points", sentence: "A click on a row shows all of its metrics and its command.", make};
