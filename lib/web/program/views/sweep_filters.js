// Which points the views show: a check for each value of an axis.
import {button, element, shortened} from "../dom.js";

/** @typedef {import("../sweep_state.js").SweepApp} SweepApp @typedef {import("../sweep.js").Axis} Axis */

const few = 30;  // values of an axis that are shown without a click

/** @param {HTMLElement} root @param {SweepApp} app @param {Axis} axis */
function makeChecks(root, app, axis) {
  const box = element("fieldset", null, root, {"data-axis": axis.name});
  element("bdi", axis.name, element("legend", null, box));
  const tools = element("span", null, box, {class: "tools"});
  button("all", tools, () => app.keep(axis, () => true));
  button("none", tools, () => app.keep(axis, () => false));
  const list = element("div", null, box, {class: "checks"});
  /** @type {HTMLInputElement[]} */
  const checks = [];
  const hides = i => app.choice.hidden.get(axis.index)?.has(i) ?? false;
  const add = () => axis.values.slice(checks.length).forEach(text => {
    const i = checks.length, label = element("label", null, list, {title: "double-click: this value alone"}), check = element("input", null, label, {type: "checkbox"});
    check.checked = !hides(i);
    check.addEventListener("change", () => app.show(axis, i, check.checked));
    label.addEventListener("dblclick", () => app.keep(axis, one => one === i));
    element("bdi", shortened(text), label, text.length > 60 ? {title: text.slice(0, 1000)} : {});
    checks.push(check);
  });
  if (axis.values.length <= few) add();
  else {
    const more = button(`choose among ${axis.values.length} values`, box, () => { more.remove(); add(); });
    box.append(list);
  }
  return {update: () => checks.forEach((check, i) => { check.checked = !hides(i); })};
}

/** @param {HTMLElement} root @param {SweepApp} app */
function make(root, app) {
  const box = element("div", null, root, {id: "axes"});
  const all = app.sweep.varied.map(axis => makeChecks(box, app, axis));
  const count = element("p", "", root, {id: "count", "aria-live": "polite"});
  return {
    show(changed) {
      if (changed.has("hidden") || changed.has("all")) {
        all.forEach(one => one.update());
        count.textContent = `${app.shown.length} of ${app.sweep.count} points are shown`;
      }
      return all.length > 0;
    },
  };
}

export const sweepFilters = {id: "filters", title: "Filters", sentence: "Values without a check are left out of all views, also of the best point.", make};
