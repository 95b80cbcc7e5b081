// Units, links, slices and spans of time that a reader picks on a timeline.
import {unitOf} from "../uses.js";
import {rowHeight} from "./place.js";
import {peersOf, sumsOf} from "./sums.js";

/** @param {import("./timeline.js").Chart} chart @param {(thing: any) => void} picked */
export function makePicking({slices, lines, view, state, place}, picked) {
  const {rows, start, length, kind, name, at, bytes, strings, kinds, data} = slices;

  /** The thing that a name stands for. */
  function pickNode(node) {
    const of = node.kind === "alike" ? node.children[0] : node, isLink = of.kind === "link";
    const unit = of.kind === "links" ? of.parent.label : isLink ? of.label : unitOf(of.label).replace(/\.kernel$/, ".pe_cpu");
    if (unit) picked({kind: isLink ? "link" : "unit", of: unit});
  }
  function pickSlice(i) {
    const row = slices.rowOf(i);
    picked({kind: "slice", of: strings[name[i]], row: rows[row].label, slice: kinds[kind[i]].name, from: start[i], length: length[i],
            bytes: bytes[i], line: strings[at[i]] ?? "", peers: peersOf(slices, i, row)});
  }
  /** Selects a span of time on the lines between two heights; null: on all lines. */
  function select(from, to, ys, isEnd) {
    const clip = time => Math.round(Math.max(data.begin, Math.min(data.end, time)));
    const indexOf = y => Math.max(view.top, Math.min(lines.all.length - 1, view.top + Math.floor((y - place.firstY) / rowHeight)));
    const isBelow = ys !== null && ys[1] >= place.firstY;
    state.selection = {from: clip(from), to: clip(to), lines: isBelow ? [indexOf(Math.max(ys[0], place.firstY)), indexOf(ys[1])] : null};
    if (!isEnd) return;
    const below = isBelow ? lines.all.slice(state.selection.lines[0], state.selection.lines[1] + 1) : [];
    const isPinIn = (_, i) => place.pinsY + i * rowHeight < ys[1] && place.pinsY + (i + 1) * rowHeight > ys[0];
    const among = ys === null ? lines.all : [...below, ...lines.pinned.slice(0, place.pins).filter(isPinIn)];
    const chosen = new Set(among.flatMap(lines.rowsOf)), labels = [...new Set(among.map(one => one.node.label))];
    picked({kind: "selection", of: "selection", from: state.selection.from, to: state.selection.to,
            lines: labels.length > 1 ? `${labels.length}: ${labels[0]} … ${labels[labels.length - 1]}` : labels[0] ?? "none",
            sums: sumsOf(slices, chosen, state.selection.from, state.selection.to)});
  }
  return {pickNode, pickSlice, select};
}
