// The side panel of a sweep: all that is known of the point that was picked.
import {button, byId, element} from "./dom.js";
import {toCsv} from "./csv.js";
import {save} from "./save.js";
import {comparedText, exactText, metricText} from "./sweep_numbers.js";

/** @typedef {import("./sweep_state.js").SweepApp} SweepApp */

/** A command to see and to copy. @param {HTMLElement} root @param {string} command @param {string} label */
export function showCommand(root, command, label) {
  element("pre", command, root, {class: "command", tabindex: 0, "aria-label": label});
  const copy = button("copy", root, () => { navigator.clipboard?.writeText(command).catch(() => {}); copy.textContent = "copied"; });
}

/** Folder of this page, as a command of a shell on this computer needs it; "" if the page isn't a file. */
function folderHere() {
  if (location.protocol !== "file:") return "";
  const path = decodeURIComponent(location.pathname);
  return path.slice(0, path.lastIndexOf("/") + 1);
}

function line(table, name, value, look, title = "") {
  const one = element("tr", null, table);
  element("bdi", name, element("th", null, one, {scope: "row"}));
  element("bdi", value, element("td", null, one, {class: look, ...(title ? {title} : {})}));
}

function showEnd(root, app, point) {
  const {sweep} = app;
  if (!sweep.hasRun(point)) return element("p", "hasn't run", root, {class: "bad"});
  if (!sweep.failed(point)) return undefined;
  element("p", `failed: exit code ${sweep.exit(point)}`, root, {class: "bad"});
  return element("pre", sweep.message(point), root, {class: "reason"});
}

function showMetrics(root, app, point) {
  const {sweep, metric, best} = app, value = metric?.of(point) ?? NaN;
  if (isFinite(value)) {
    const head = element("p", null, root, {class: "result"});
    element("span", metricText(value, metric.unit), head, {class: "big", title: exactText(value, metric.unit)});
    element("bdi", metric.name, head);
    if (best >= 0) element("p", point === best ? "the best point" : `${comparedText(value, metric.of(best))} the best point's ${metricText(metric.of(best), metric.unit)}`, root, {class: point === best ? "good" : "soft"});
  }
  const all = sweep.metrics.filter(one => isFinite(one.of(point)));
  if (!all.length) return;
  element("h3", "metrics", root);
  const table = element("table", null, root, {id: "point-metrics"});
  for (const one of all) line(table, one.name, metricText(one.of(point), one.unit), "number", exactText(one.of(point), one.unit));
  if (sweep.raw.other_metrics) element("p", `${sweep.raw.other_metrics} more metrics are in results.csv.`, root, {class: "soft"});
  button("CSV", root, () => save(new Blob([toCsv([["metric", "unit", "value"], ...all.map(one => [one.name, one.unit, one.of(point)])])], {type: "text/csv"}), `point${sweep.number(point)}.csv`), {title: "save these metrics"});
}

function showPoint(root, app, point) {
  const {sweep} = app, name = `point${sweep.number(point)}`;
  showEnd(root, app, point);
  element("h3", "axes", root);
  const table = element("table", null, root, {id: "point-axes"});
  for (const axis of sweep.axes) line(table, axis.name, sweep.text(axis, point), "value");
  showMetrics(root, app, point);
  element("h3", "command", root);
  showCommand(root, sweep.command(point), "command of this point");
  element("h3", "its own page", root, {title: "A sweep keeps the numbers of its points, not their pages."});
  element("p", "With --out the run writes critical path, machine and timeline as a page:", root);
  showCommand(root, sweep.command(point, ["--out", folderHere() + name]), "command that makes the point's page");
  const open = element("p", null, root);
  element("a", `open ${name}/report.html`, open, {href: `${name}/report.html`, target: "_blank", rel: "noopener"});
  element("span", " once that command has run", open, {class: "soft"});
}

/** @param {SweepApp} app */
export function makeSweepPanel(app) {
  const root = byId("panel");
  app.on(changed => {
    if (!["point", "metric", "goal", "hidden", "all"].some(one => changed.has(one))) return;
    const {point} = app.choice;
    root.replaceChildren();
    if (point === null) return void element("p", "Click a point, cell or row: its values, metrics and command stand here.", root, {class: "soft"});
    const head = element("div", null, root, {class: "head"});
    element("h2", `point ${app.sweep.number(point)}`, head);
    button("✕", head, () => app.set({point: null}), {class: "link", "aria-label": "close"});
    showPoint(root, app, point);
  });
}
