// The page of a sweep: reads its data, makes its views, shows what the address says.
import {button, byId, element, shortened} from "./dom.js";
import {chooser, goal, refill} from "./choice.js";
import {makeViews} from "./page.js";
import {makeSweep} from "./sweep.js";
import {metricText} from "./sweep_numbers.js";
import {makeSweepPanel} from "./sweep_panel.js";
import {makeSweepApp} from "./sweep_state.js";
import {sweepCurves} from "./views/sweep_curves.js";
import {sweepFilters} from "./views/sweep_filters.js";
import {sweepFront} from "./views/sweep_front.js";
import {sweepMap} from "./views/sweep_map.js";
import {sweepPoints} from "./views/sweep_points.js";
import {sweepResult} from "./views/sweep_result.js";

/** Views in their order on the page. */
const kinds = [sweepResult, sweepFilters, sweepCurves, sweepMap, sweepFront, sweepPoints];

/** @param {import("./sweep_state.js").SweepApp} app */
function showVerdict(app) {
  const {sweep, best, metric} = app, {raw} = sweep, box = byId("verdict"), failed = sweep.all.filter(sweep.failed).length, left = sweep.all.filter(point => !sweep.hasRun(point)).length;
  const count = sweep.count + raw.other_points;
  const name = shortened(raw.bench, 200), end = `, ${count} point${count === 1 ? "" : "s"}` + (best >= 0 ? `, best ${metricText(metric.of(best), metric.unit)}` : ""), title = byId("title");
  document.title = `kbsim sweep ${name}${end}`;
  title.replaceChildren("kbsim sweep ");
  element("bdi", name, title);
  title.append(end);
  box.replaceChildren();
  if (failed) element("span", `${failed} failed. `, box, {class: "bad"});
  if (left) element("span", `${left} haven't run. `, box, {class: "soft"});
  if (!failed && !left && sweep.count) element("span", "All points ran.", box, {class: "good"});
}

/** The metric, and what the filters leave, in sight at all times. @param {import("./sweep_state.js").SweepApp} app */
function showChosen(app) {
  const box = byId("chosen"), {metric} = app;
  box.hidden = !metric && !app.choice.hidden.size;
  refill(box, () => fillChosen(box, app));
}

function fillChosen(box, app) {
  const {sweep, metric} = app;
  if (metric) {
    chooser(box, "metric", sweep.metrics.map(one => [one.name, one.unit === "1" ? one.name : `${one.name} (${one.unit})`]), metric.name, name => app.set({metric: name}), {id: "metric"});
    goal(box, app.larger, better => app.set({goal: better}), {id: "goal"});
  }
  for (const [index, values] of app.choice.hidden) {
    const axis = sweep.axes[index];
    button(`${shortened(axis.name)}: ${axis.values.length - values.size} of ${axis.values.length} ✕`, box, () => app.keep(axis, () => true), {class: "filter", title: "show all values"});
  }
}

/** @param {import("./sweep.js").RawSweep} raw */
export function makeSweepPage(raw) {
  const app = makeSweepApp(makeSweep(raw));
  app.on(() => showVerdict(app));
  const views = makeViews(/** @type {any} */ (app), /** @type {any} */ (kinds));
  makeSweepPanel(app);
  app.on(changed => { if (["metric", "goal", "hidden", "all"].some(one => changed.has(one))) showChosen(app); });
  addEventListener("hashchange", () => app.set({...app.choiceIn(location.hash), all: true}));
  /** For tests and for a reader's console. */
  /** @type {any} */ (globalThis).kbsim = {app, views, byId, ...views};
  app.set({...app.choiceIn(location.hash), all: true});
}
