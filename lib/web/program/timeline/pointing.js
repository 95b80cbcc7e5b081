// Things at a point of a timeline, and the texts that say what they are.
import {share, timeText} from "../quantity.js";
import {axisHeight, rowHeight} from "./place.js";
import {states} from "./states.js";

/** @param {import("./timeline.js").Chart} chart @param {(node: import("./tree.js").Node, x: number) => {from: number, to: number, of: number[]}} sharesAt */
export function makePointing({slices, lines, view, state, place, states: known}, sharesAt) {
  const {rows, start, length, kind, name, at, bytes, strings, kinds, data} = slices;

  /** The line at `y`, pinned ones as well. */
  function lineAt(y) {
    if (y >= place.firstY) return lines.all[view.top + Math.floor((y - place.firstY) / rowHeight)] ?? null;
    const pin = Math.floor((y - place.pinsY) / rowHeight);
    return y >= place.pinsY && pin < place.pins ? lines.pinned[pin] ?? null : null;
  }
  function sliceAt(x, y) {
    const line = lineAt(y);
    return !line || line.row < 0 || x < place.left ? -1 : slices.sliceIn(rows[line.row], place.timeOf(x), 2 / place.scale);
  }
  function partAt(x, y) {
    if (!state.path || y < axisHeight || y >= place.pinsY || x < place.left) return null;
    const time = place.timeOf(x);
    return state.path.find(part => part.from <= time && time < part.to) ?? null;
  }
  function textOf(i) {
    return [strings[name[i]], kinds[kind[i]].name + " on " + rows[slices.rowOf(i)].label,
            timeText(start[i]) + ", for " + timeText(length[i]),
            bytes[i] ? bytes[i] + " B" : "", data.idle?.[i] ? "busy for " + timeText(length[i] - data.idle[i]) + " of it" : "", strings[at[i]]].filter(Boolean).join("\n");
  }
  function sharesText({node}, x) {
    const {from, to, of} = sharesAt(node, x), count = known.wholes(node).length, parts = of.map((one, i) => [one, states[i].name]);
    parts.push([Math.max(0, 1 - of.reduce((sum, one) => sum + one, 0)), "idle"]);
    return [node.label, `${count} ${count === 1 ? "part" : "parts"}, ${timeText(from)} to ${timeText(to)}`,
            ...parts.filter(([one]) => one > 0.0005).map(([one, name]) => `${share(one)} ${name}`)].join("\n");
  }
  function textAt(x, y) {
    const part = partAt(x, y), line = lineAt(y);
    if (part) return part.text + "\n" + part.place + "\n" + timeText(part.from) + ", for " + timeText(part.to - part.from);
    if (!line) return "";
    if (x < place.left) return line.node.label;
    if (line.folded) return sharesText(line, x);
    const i = sliceAt(x, y);
    return i < 0 ? "" : textOf(i);
  }
  return {lineAt, sliceAt, partAt, textOf, textAt};
}
