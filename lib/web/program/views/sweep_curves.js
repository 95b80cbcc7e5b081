// The metric along an axis, a line for each combination of the other axes.
import {button, colors, element, shortened} from "../dom.js";
import {chooser, refill, toggle} from "../choice.js";
import {toCsv} from "../csv.js";
import {makePlane} from "../plane.js";
import {companions, labelOf} from "../sweep.js";
import {exactText, metricText} from "../sweep_numbers.js";

/** @typedef {import("../sweep_state.js").SweepApp} SweepApp */

const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3]], styles = ["solid", "dashed", "dotted", "double"];
const mostNames = 1000;  // of a legend

/** Lines in the order of their first points; a line keeps its colour whichever others are hidden. @param {SweepApp} app */
function linesOf(app) {
  const {sweep, x, metric} = app, others = sweep.varied.filter(axis => !companions(sweep, x).includes(axis));
  /** @type {Map<string, number[]>} */
  const all = new Map();
  const shown = new Set(app.shown);
  for (const point of sweep.all) {
    const key = others.map(axis => axis.at[point]).join(), one = all.get(key) ?? [];
    all.set(key, one);
    if (shown.has(point)) one.push(point);
  }
  const at = point => (x.numbers ? x.numbers[x.at[point]] : x.at[point]);
  return [...all.values()].map((points, i) => ({
    label: points.length ? labelOf(sweep, points[0], others) || metric.name : "", points: points.sort((a, b) => at(a) - at(b)),
    color: colors[i % colors.length], style: Math.floor(i / colors.length) % dashes.length,
  })).filter(line => line.points.length > 0);
}

function sceneOf(app, lines) {
  const {sweep, x, metric} = app, log = app.logX && x.numbers.every((value, i) => value > 0 || !x.at.includes(i));
  const at = point => (x.numbers ? x.numbers[x.at[point]] : x.at[point]);
  const used = [...new Set(app.shown.map(point => x.at[point]))].sort((a, b) => a - b);
  const ticks = !x.numbers || used.length <= 24 ? used.map(i => /** @type {[number, string]} */ ([x.numbers ? x.numbers[i] : i, x.values[i]])).sort((a, b) => a[0] - b[0]) : undefined;
  const marks = lines.flatMap((line, group) => line.points.map(point => ({x: at(point), y: metric.of(point), point, color: line.color, group})));
  return {
    x: {label: x.name, log, ticks, text: value => String(+value.toPrecision(4))},
    y: {label: metric.name, log: app.choice.log_y, zero: true, text: value => metricText(value, metric.unit)},
    lines: lines.map((line, group) => ({at: line.points.map(point => [at(point), metric.of(point)]), color: line.color, dash: dashes[line.style], group})),
    marks, picked: app.choice.point, best: app.best, sweep,
  };
}

function showLegend(root, lines, plane) {
  root.replaceChildren();
  let held = /** @type {any} */ (null);
  lines.slice(0, mostNames).forEach((line, i) => {
    const one = button(null, root, () => {
      const off = held === one;
      held?.setAttribute("aria-pressed", "false");
      held = off ? null : one;
      one.setAttribute("aria-pressed", String(!off));
      plane.hold(off ? null : i);
    }, {class: "entry", "aria-pressed": "false", title: line.label.slice(0, 1000)});
    element("i", null, one).style.borderTop = `3px ${styles[line.style]} ${line.color}`;
    element("bdi", shortened(line.label, 200), one);
    for (const name of ["mouseenter", "focus"]) one.addEventListener(name, () => plane.light(i));
    for (const name of ["mouseleave", "blur"]) one.addEventListener(name, () => plane.light(null));
  });
  if (lines.length > mostNames) element("p", `${lines.length - mostNames} more lines are drawn`, root, {class: "soft"});
}

/** @param {HTMLElement} root @param {SweepApp} app */
function make(root, app) {
  const {sweep} = app, tools = element("p", null, root, {class: "choices"}), both = element("div", null, root, {class: "beside"});
  const box = element("div", null, both), legend = element("div", null, both, {class: "legend", role: "group", "aria-label": "lines"});
  const plane = makePlane(box, "curves: arrows go from point to point, Enter picks", {
    pick: point => app.set({point}),
    hint: mark => [`${app.x.name} = ${sweep.text(app.x, mark.point)}`, lines[mark.group].label,
      isFinite(mark.y) ? `${app.metric.name} = ${exactText(mark.y, app.metric.unit)}` : sweep.hasRun(mark.point) ? `failed: ${sweep.message(mark.point)}` : "hasn't run", `point ${sweep.number(mark.point)}`],
  });
  const said = element("p", "", root, {class: "soft", id: "gaps"});
  /** @type {ReturnType<typeof linesOf>} */
  let lines = [];
  function fillTools() {
    const {x, metric} = app;
    chooser(tools, "along", sweep.varied.map(axis => [axis.name, axis.name]), x.name, name => app.set({x: name}), {id: "x"});
    const positive = x.numbers?.every((value, i) => value > 0 || !x.at.includes(i));
    toggle(tools, "log x", app.logX, log_x => app.set({log_x}), positive ? "" : "only an axis of positive numbers has a logarithm", {id: "log-x"});
    toggle(tools, "log y", app.choice.log_y, log_y => app.set({log_y}), app.shown.some(point => metric.of(point) <= 0) ? "only positive values have a logarithm" : "", {id: "log-y"});
  }
  return {
    show(changed) {
      if (!app.metric || !app.x) return false;
      if (!["metric", "goal", "hidden", "x", "log_x", "log_y", "point", "all"].some(one => changed.has(one))) return true;
      if (["metric", "hidden", "x", "all"].some(one => changed.has(one))) { lines = linesOf(app); plane.hold(null); showLegend(legend, lines, plane); }
      if (changed.size === 1 && changed.has("point")) { plane.pick(app.choice.point); return true; }
      refill(tools, fillTools);
      const log = app.choice.log_y && !app.shown.some(point => app.metric.of(point) <= 0), scene = sceneOf(app, lines);
      scene.y.log = log;
      plane.show(scene);
      const gaps = app.shown.filter(point => !isFinite(app.metric.of(point))).length;
      said.textContent = `${lines.length} line${lines.length === 1 ? "" : "s"}` + (gaps ? `; ${gaps} point${gaps === 1 ? "" : "s"} without a number: ✕ at the foot` : "");
      return true;
    },
    csv: () => toCsv([["point", ...sweep.axes.map(axis => axis.name), "line", app.metric.name], ...lines.flatMap(line => line.points.map(point => [sweep.number(point), ...sweep.axes.map(axis => sweep.text(axis, point)), line.label, isFinite(app.metric.of(point)) ? app.metric.of(point) : ""]))]),
    plane,
    lines: () => lines,
  };
}

export const sweepCurves = {id: "curves", title: "Curves", sentence: "The metric along an axis; each combination of the other axes is a line.", make};
