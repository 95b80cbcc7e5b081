// The Pareto front of two quantities: points that no other point beats in both.
import {colors, element} from "../dom.js";
import {chooser, goal, refill, toggle} from "../choice.js";
import {toCsv} from "../csv.js";
import {makePlane} from "../plane.js";
import {frontOf} from "../sweep.js";
import {exactText, metricText} from "../sweep_numbers.js";
import {makeTable, markRows} from "../table.js";
import {css} from "../canvas.js";

/** @typedef {import("../sweep_state.js").SweepApp} SweepApp */

/** The picked point's number. @param {SweepApp} app */
const numberOf = app => (app.choice.point === null ? "" : String(app.sweep.number(app.choice.point)));

/** The border of what the front leaves: steps from point to point. */
function stepsOf(front, a, b) {
  const all = [];
  front.forEach((point, i) => { if (i > 0) all.push([a.of(point), b.of(front[i - 1])]); all.push([a.of(point), b.of(point)]); });
  return all;
}

/** @param {HTMLElement} root @param {SweepApp} app */
function make(root, app) {
  const {sweep} = app, tools = element("p", null, root, {class: "choices"}), box = element("div", null, root), list = element("div", null, root, {id: "front-list"});
  const plane = makePlane(box, "Pareto front: arrows go from point to point, Enter picks", {
    pick: point => app.set({point}),
    hint: mark => { const {a, b} = app.front; return [`${a.name} = ${exactText(mark.x, a.unit)}`, `${b.name} = ${exactText(mark.y, b.unit)}`, ...sweep.varied.map(axis => `${axis.name} = ${sweep.text(axis, mark.point)}`), `point ${sweep.number(mark.point)}` + (front.includes(mark.point) ? ", on the front" : "")]; },
  });
  /** @type {number[]} */
  let front = [];
  function fillTools({a, b, largerA, largerB, logA, logB}) {
    const options = sweep.quantities.map(one => /** @type {[string, string]} */ ([one.name, one.unit === "1" ? one.name : `${one.name} (${one.unit})`]));
    const noLog = what => (app.shown.some(point => what.of(point) <= 0) ? "only positive values have a logarithm" : "");
    chooser(tools, "x", options, a.name, name => app.set({a: name}), {id: "a"});
    goal(tools, largerA, goal_a => app.set({goal_a}), {id: "goal-a"});
    toggle(tools, "log x", logA, log_a => app.set({log_a}), noLog(a), {id: "log-a"});
    chooser(tools, "y", options, b.name, name => app.set({b: name}), {id: "b"});
    goal(tools, largerB, goal_b => app.set({goal_b}), {id: "goal-b"});
    toggle(tools, "log y", logB, log_b => app.set({log_b}), noLog(b), {id: "log-b"});
  }
  function showFront({a, b, largerA, largerB, logA, logB}) {
    const on = new Set(front), points = app.shown.filter(point => isFinite(a.of(point)) && isFinite(b.of(point)));
    const scale = (what, larger, log) => ({label: `\u2068${what.name}\u2069, ${larger ? "larger" : "smaller"} is better`, log: log && !app.shown.some(point => what.of(point) <= 0), text: value => metricText(value, what.unit)});
    const mark = (point, color, shape) => ({x: a.of(point), y: b.of(point), point, color, shape});
    plane.show({
      x: scale(a, largerA, logA), y: scale(b, largerB, logB),
      lines: [{at: stepsOf(front, a, b), color: colors[1]}],
      marks: [...points.filter(point => !on.has(point)).map(point => mark(point, css("--soft"))), ...front.map(point => mark(point, colors[1], "ring"))],
      picked: app.choice.point,
    });
    list.replaceChildren();
    const axes = sweep.varied;
    makeTable(list, "points on the front", ["point", a.name, ...(b === a ? [] : [b.name]), ...axes.filter(axis => axis.name !== a.name && axis.name !== b.name).map(axis => axis.name)],
      front.map(point => [sweep.number(point), +a.of(point).toPrecision(8), ...(b === a ? [] : [+b.of(point).toPrecision(8)]), ...axes.filter(axis => axis.name !== a.name && axis.name !== b.name).map(axis => sweep.text(axis, point))]),
      {click: row => app.set({point: sweep.byNumber(row[0])}), marked: row => String(row[0]) === numberOf(app)});
  }
  return {
    show(changed) {
      const both = app.front;
      if (!both.a || !both.b || both.a === both.b && sweep.quantities.length < 2) return false;
      if (!["metric", "hidden", "a", "b", "goal_a", "goal_b", "log_a", "log_b", "point", "all"].some(one => changed.has(one))) return true;
      if (changed.size === 1 && changed.has("point")) { plane.pick(app.choice.point); markRows(list, row => row === numberOf(app)); return true; }
      front = frontOf(both.a, both.b, both.largerA, both.largerB, app.shown);
      refill(tools, () => fillTools(both));
      showFront(both);
      return true;
    },
    csv: () => { const {a, b} = app.front; return toCsv([["point", a.name, b.name, ...sweep.axes.map(axis => axis.name)], ...front.map(point => [sweep.number(point), a.of(point), b.of(point), ...sweep.axes.map(axis => sweep.text(axis, point))])]); },
    plane,
    front: () => front,
  };
}

export const sweepFront = {id: "front", title: "Pareto front", sentence: "Points that no other point beats in both quantities.", make};
