// The best point of a sweep: its values, how much better it is, what each axis does alone, and what failed.
import {button, element, shortened} from "../dom.js";
import {toCsv} from "../csv.js";
import {labelOf, medianOf, reasonsOf} from "../sweep.js";
import {changeText, comparedText, exactText, metricText} from "../sweep_numbers.js";

/** @typedef {import("../sweep_state.js").SweepApp} SweepApp */

const counted = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

function showBest(root, app) {
  const {sweep, metric, best, shown} = app;
  if (best < 0) return void element("p", sweep.count === 0 ? "The sweep has no points." : shown.length === 0 ? "The filters leave no point." : "No point that is shown has a number.", root, {class: "headline"});
  const line = element("p", null, root, {class: "result"}), value = metric.of(best), have = shown.filter(point => isFinite(metric.of(point))).length;
  element("span", metricText(value, metric.unit), line, {class: "big", title: exactText(value, metric.unit)});
  element("bdi", shortened(metric.name, 200), element("b", null, line));
  line.append(`: the best of ${have < shown.length ? `${have} of ` : ""}${counted(shown.length, "point")}, ${app.larger ? "larger" : "smaller"} is better. `);
  button(`point ${sweep.number(best)}`, line, () => app.set({point: best}), {class: "link", id: "best"});
  const table = element("table", null, root, {id: "best-values", "aria-label": "axes of the best point"});
  for (const axis of sweep.axes) {
    const row = element("tr", null, table);
    element("bdi", axis.name, element("th", null, row, {scope: "row"}));
    element("bdi", shortened(sweep.text(axis, best), 300), element("td", null, row));
  }
  const than = element("p", null, root, {id: "than"});
  const first = shown.find(point => isFinite(metric.of(point))), middle = medianOf(metric, shown);
  if (have > 1) {
    than.append(`${comparedText(value, middle)} the median, ${metricText(middle, metric.unit)}`);
    if (first !== undefined && first !== best) {
      than.append(`; ${comparedText(value, metric.of(first))} `);
      button(`point ${sweep.number(first)}`, than, () => app.set({point: first}), {class: "link"});
      than.append(`, the first, ${metricText(metric.of(first), metric.unit)}`);
    }
    than.append(".");
  }
}

function showFailures(root, app) {
  const reasons = reasonsOf(app.sweep, app.shown, app.metric), most = 20;
  if (!reasons.length) return;
  const count = reasons.reduce((sum, one) => sum + one.points.length, 0);
  const failed = app.shown.filter(app.sweep.failed).length;
  element("h3", `${count} of ${counted(app.shown.length, "point")} without a number` + (failed ? `, ${failed} failed` : ""), root, {id: "failed"});
  const table = element("table", null, root, {id: "reasons", "aria-label": "reasons of failed points"}), head = element("tr", null, table);
  for (const name of ["points", "exit code", "reason", ""]) element("th", name, head, {scope: "col"});
  for (const one of reasons.slice(0, most)) {
    const row = element("tr", null, table);
    element("td", one.points.length, row, {class: "number"});
    element("td", one.exit ?? "", row, {class: "number"});
    element("bdi", shortened(one.text, 300), element("td", null, row, {class: "reason"}));
    button(`point ${app.sweep.number(one.points[0])}`, element("td", null, row), () => app.set({point: one.points[0]}), {class: "link"});
  }
  if (reasons.length > most) element("p", `and ${reasons.length - most} more reasons: see points.csv`, root, {class: "soft"});
}

/** By group of axes: points that differ from the best in these axes alone. @param {SweepApp} app */
function alone(app) {
  const {sweep, best} = app;
  if (best < 0) return [];
  return sweep.groups.map(group => {
    const others = sweep.varied.filter(axis => !group.includes(axis));
    return {group, points: app.shown.filter(point => others.every(axis => axis.at[point] === axis.at[best]))};
  }).filter(one => one.points.length > 1);
}

function showAlone(root, app) {
  const {sweep, metric, best} = app, groups = alone(app), most = 20;
  if (!groups.length) return;
  element("h3", "each axis alone, the others as in the best point", root);
  for (const {group, points} of groups) {
    const table = element("table", null, root, {class: "alone"}), head = element("tr", null, table);
    element("bdi", shortened(group.map(axis => axis.name).join(", "), 120), element("th", null, head, {scope: "col"}));
    element("bdi", shortened(metric.name, 40), element("th", null, head, {class: "number", scope: "col"}));
    element("th", "change", head, {class: "number", scope: "col"});
    const every = Math.ceil(points.length / most);
    for (const point of points.filter((one, i) => i % every === 0 || one === best)) {
      const row = element("tr", null, table, point === best ? {class: "marked"} : {}), value = metric.of(point);
      const text = group.map(axis => sweep.text(axis, point)).join(", ");
      element("bdi", shortened(text), button(null, element("td", null, row), () => app.set({point}), {class: "link", title: text.slice(0, 1000)}));
      element("td", isFinite(value) ? metricText(value, metric.unit) : sweep.hasRun(point) ? "failed" : "hasn't run", row, {class: "number"});
      element("td", point === best ? "" : changeText(value, metric.of(best)), row, {class: "number"});
    }
    if (every > 1) element("p", `each ${every} of ${points.length} values`, root, {class: "soft"});
  }
}

/** @param {HTMLElement} root @param {SweepApp} app */
function make(root, app) {
  const left = element("div", null, root, {id: "answer"}), right = element("div", null, root, {id: "alone"});
  return {
    show(changed) {
      if (!["metric", "goal", "hidden", "all"].some(one => changed.has(one))) return true;
      left.replaceChildren(); right.replaceChildren();
      showBest(left, app);
      const {raw} = app.sweep;
      if (raw.other_points) element("p", `The page has the best ${app.sweep.count} of ${app.sweep.count + raw.other_points} points; results.csv has all.`, left, {class: "soft", id: "left-out"});
      if (raw.other_metrics) element("p", `${raw.other_metrics} more metrics are in results.csv: the page has no room for them.`, left, {class: "soft"});
      showFailures(left, app);
      if (raw.why && !app.metric) element("pre", raw.why, left, {id: "why"});
      showAlone(right, app);
      return true;
    },
    csv: () => toCsv([["axis", "value", app.metric?.name ?? "", "point"], ...alone(app).flatMap(({group, points}) => points.map(point => [group.map(axis => axis.name).join(" "), labelOf(app.sweep, point, group), app.metric.of(point), app.sweep.number(point)]))]),
  };
}

export const sweepResult = {id: "result", title: "Result", make};
