// Elements of a page, made of text alone: no string of a file becomes markup.

/**
 * An element with a text and attributes, appended to `parent` if there is one.
 * @param {string} name
 * @param {string | number | null} [text]
 * @param {ParentNode | null} [parent]
 * @param {Record<string, unknown>} [attributes]
 * @returns {any}
 */
export function element(name, text, parent, attributes = {}) {
  const one = document.createElement(name);
  if (text !== undefined && text !== null) one.textContent = String(text);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, String(value));
  if (parent) parent.append(one);
  return one;
}

/** The same in SVG. @param {string} name @param {Record<string, unknown>} attributes @param {Node} [parent] @returns {any} */
export function drawn(name, attributes, parent) {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, String(value));
  parent?.appendChild(one);
  return one;
}

/** @param {string} id @returns {any} */
export const byId = id => document.getElementById(id);

/** A button that runs `act`. @returns {any} */
export function button(text, parent, act, attributes = {}) {
  const one = element("button", text, parent, {type: "button", ...attributes});
  one.addEventListener("click", act);
  return one;
}

/** A field with a label: `add(parent, "filter", {id, type, placeholder})`. @returns {any} */
export function field(parent, label, attributes, name = "input") {
  const box = element("label", label + " ", parent);
  return element(name, null, box, attributes);
}

/** A text of at most so many letters. @param {string} text @param {number} [most] */
export const shortened = (text, most = 60) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

export const colors = ["#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#bab0ac", "#8cd17d", "#d4a6c8"];
