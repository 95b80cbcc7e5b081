// Fields with which a reader chooses: lists of names, and buttons that are on or off.
import {button, byId, element, shortened} from "./dom.js";

/** Fills a box anew; the field that had the focus has it afterwards. @param {HTMLElement} root @param {() => void} fill */
export function refill(root, fill) {
  const id = root.contains(document.activeElement) ? document.activeElement.id : "";
  root.replaceChildren();
  fill();
  if (id) byId(id)?.focus();
}

/**
 * A list of names.
 * @param {HTMLElement} parent @param {string} label @param {[string, string][]} options values with texts
 * @param {string} value @param {(value: string) => void} act
 */
export function chooser(parent, label, options, value, act, attributes = {}) {
  const box = element("label", label + " ", parent), list = element("select", null, box, attributes);
  for (const [one, text] of options) element("option", shortened(text, 80), list, {value: one, title: text});
  list.value = value;
  list.addEventListener("change", () => act(list.value));
  return list;
}

/** @param {HTMLElement} parent @param {string} text @param {boolean} on @param {(on: boolean) => void} act @param {string} why if it can't be on */
export function toggle(parent, text, on, act, why = "", attributes = {}) {
  const one = button(text, parent, () => act(!on), {class: "toggle", "aria-pressed": on && !why, ...(why ? {disabled: "", title: why} : {}), ...attributes});
  return one;
}

/** Which of two values is better. @param {HTMLElement} parent @param {boolean} larger @param {(goal: "max" | "min") => void} act */
export const goal = (parent, larger, act, attributes = {}) =>
  button(larger ? "larger is better" : "smaller is better", parent, () => act(larger ? "min" : "max"), {class: "toggle", title: "click for the opposite", ...attributes});
