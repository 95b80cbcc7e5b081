// The legend of a timeline: kinds of its slices, and states of folded lines. A click dims all others.
import {button, element} from "../dom.js";
import {states, stateOf} from "./states.js";

/** States that slices of a kind may have. */
const statesOf = name => [stateOf(name, ""), stateOf(name, " send")];

/**
 * @param {HTMLElement} root @param {import("./slices.js").Slices} slices
 * @param {(dim: {kinds: Uint8Array, states: boolean[]} | null) => void} dimmed  gets the kinds and states that are dimmed; null: none
 */
export function makeLegend(root, {kinds, kind}, dimmed) {
  const has = new Set(kind), names = [...new Set(kinds.filter((_, i) => has.has(i)).map(one => one.name))];
  const hasState = states.map((_, at) => names.some(name => statesOf(name).includes(at)));
  const buttons = [];
  let chosen = null;
  root.replaceChildren();

  function add(parent, text, colors, title, dim) {
    const one = button("", parent, () => choose(one, dim), {class: "kind", "aria-pressed": false, title});
    for (const color of colors) element("span", null, one, {class: "swatch"}).style.background = color;
    one.append(text);
    buttons.push(one);
  }
  function choose(one, dim) {
    chosen = chosen === one ? null : one;
    for (const other of buttons) other.setAttribute("aria-pressed", String(other === chosen));
    dimmed(chosen ? dim : null);
  }
  if (!names.length) return;
  const line = element("p", "folded: ", root, {class: "legend"});
  states.forEach(({name, color, says}, at) => {
    if (!hasState[at]) return;
    add(line, name, [color], `share of PEs, or of units or links: ${says}`,
        {kinds: Uint8Array.from(kinds.map(one => Number(!statesOf(one.name).includes(at)))), states: states.map((_, other) => other !== at)});
  });
  element("span", "idle", line, {class: "kind", title: "none of these"}).prepend(element("span", null, null, {class: "swatch idle"}));
  const own = element("p", "slices: ", root, {class: "legend"});
  for (const name of names)
    add(own, name, [...new Set(kinds.filter((one, i) => one.name === name && has.has(i)).map(one => one.color))], "click: others become pale",
        {kinds: Uint8Array.from(kinds.map(one => Number(one.name !== name))), states: states.map((_, at) => !statesOf(name).includes(at))});
}
