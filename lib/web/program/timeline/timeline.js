// The canvas of a timeline: a tree of lines of slices to fold, zoom, pan, search, filter and select.
import {share, timeText} from "../quantity.js";
import {unitOf} from "../uses.js";
import {makeDrawing} from "./draw.js";
import {pinWidth} from "./draw_names.js";
import {listen} from "./input.js";
import {makeLegend} from "./legend.js";
import {makeLines, noChoices} from "./lines.js";
import {axisHeight, makePlace, rowHeight} from "./place.js";
import {decode, searched} from "./slices.js";
import {makeStates, states as allStates} from "./states.js";
import {peersOf, sumsOf} from "./sums.js";
import {makeTree} from "./tree.js";

export {noChoices} from "./lines.js";

/**
 * @typedef {ReturnType<typeof makeChart>} Chart
 * @typedef {{details?: HTMLElement, range?: HTMLElement, found?: HTMLElement, legend?: HTMLElement, status?: HTMLElement, filter?: HTMLInputElement,
 *            kept?: import("./lines.js").Kept, wheel?: "ctrl", moved?: (from: number, to: number) => void, picked?: (thing: any) => void}} Hooks
 *   details shows what the pointer is at; range, found and status show texts; legend gets the legend; filter is the field of the filter;
 *   kept are open and pinned lines; moved() gets the times in view after a zoom or pan, picked() what was clicked or selected
 */

/** What drawing and input share. */
function makeChart(canvas, data, kept) {
  const slices = decode(data), tree = makeTree(slices.rows), lines = makeLines(slices, tree, kept);
  const view = {from: data.begin, to: Math.max(data.end, data.begin + 1), top: 0};
  const state = {
    found: /** @type {number[]} */ ([]), current: -1, marks: /** @type {ReturnType<typeof searched>} */ (null),
    path: /** @type {any[] | null} */ (null), pathLines: new Map(), pathPins: new Map(),
    dim: /** @type {Uint8Array | null} */ (null), dimStates: /** @type {boolean[] | null} */ (null),
    focus: /** @type {string | null} */ (null), hover: /** @type {string | null} */ (null),
    selection: /** @type {{from: number, to: number, lines: [number, number] | null} | null} */ (null),
    frames: 0, arrows: 0, empty: "",
  };
  const place = makePlace(canvas, view, () => ({path: state.path, pinned: lines.pinned.length}));
  return {canvas, pen: canvas.getContext("2d"), slices, tree, lines, view, state, place, states: makeStates(slices, tree), colors: /** @type {Record<string, string>} */ ({})};
}

/** The parts of a path by the line that shows each. */
function pathOf({tree, lines, state}) {
  const nodes = new Map(), add = (all, node, part) => { if (!all.has(node)) all.set(node, []); all.get(node).push(part); };
  state.pathLines = new Map();
  state.pathPins = new Map();
  for (const part of state.path ?? []) {
    if (!nodes.has(part.place)) {
      const node = tree.nodeAt(part.place), line = lines.all[lines.lineOf(node)], around = new Set();
      for (let one = node; one; one = one.parent) { around.add(one); if (one.group) around.add(one.group); }
      nodes.set(part.place, {line: line?.node, pins: lines.pinned.filter(one => one.isFirst && around.has(one.node)).map(one => one.node)});
    }
    const {line, pins} = nodes.get(part.place);
    if (line) add(state.pathLines, line, part);
    for (const pin of pins) add(state.pathPins, pin, part);
  }
}

/** @param {HTMLCanvasElement} canvas @param {any} data what write_page_data() wrote @param {Hooks} hooks */
export function makeTimeline(canvas, data, hooks = {}) {
  const chart = makeChart(canvas, data, hooks.kept ?? noChoices()), {slices, tree, lines, view, state, place, pen} = chart;
  const {rows, start, length, kind, depth, name, at, bytes, strings, kinds} = slices;
  const drawing = makeDrawing(chart);
  let pending = false;

  function draw() {
    pending = false;
    drawing.draw();
    if (hooks.range) hooks.range.textContent = timeText(view.from) + " to " + timeText(view.to);
  }
  function redraw() { if (!pending) { pending = true; requestAnimationFrame(draw); } }

  function zoom(factor, time) {
    const least = 100, from = time - (time - view.from) * factor, to = time + (view.to - time) * factor;
    if (to - from >= least) show(from, to);
  }
  /** Shows a range of time; `says`: the reader did it. */
  function show(from, to, says = true) {
    const all = data.end - data.begin, wide = Math.max(1, Math.min(to - from, Math.max(1, all * 1.1)));
    from = Math.min(Math.max(from, data.begin - all * 0.05), data.end + all * 0.05 - wide);
    view.from = from; view.to = from + wide;
    if (says) hooks.moved?.(view.from, view.to);
    redraw();
  }
  function scrollTo(top) {
    view.top = Math.max(0, Math.min(lines.all.length - 1, top));
    redraw();
  }
  /** Lines stand anew. */
  function relaid() {
    scrollTo(view.top);
    pathOf(chart);
    state.selection = null;
  }

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
    const {from, to, of} = drawing.sharesAt(node, x), count = chart.states.wholes(node).length, parts = of.map((one, i) => [one, allStates[i].name]);
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

  function search(text) {
    state.marks = searched(slices, text);
    state.found = state.marks?.found ?? [];
    state.current = -1;
    if (hooks.found) hooks.found.textContent = text ? state.found.length + " found" : "";
    redraw();
  }
  /** Opens the tree to a slice. Its line is the first in sight, or in the middle if it `stays` in sight where possible. */
  function reveal(slice, stays = false) {
    const row = slices.rowOf(slice);
    if (row < 0) return;
    lines.open(row);
    if (hooks.filter) hooks.filter.value = lines.kept.filter;
    relaid();
    const line = lines.lineOfRow[row];
    if (!stays) scrollTo(line);
    else if (line < view.top || line >= view.top + place.shown) scrollTo(line - (place.shown >> 1));
  }
  function next() {
    if (!state.found.length) return;
    state.current = (state.current + 1) % state.found.length;
    const i = state.found[state.current], half = Math.max(length[i] * 2, (view.to - view.from) / 2);
    reveal(i, true);
    show(start[i] + length[i] / 2 - half, start[i] + length[i] / 2 + half);
  }
  /** The critical path on top: parts {from, to, color, text, place} in the order of time; null: none. */
  function setPath(parts) {
    state.path = parts;
    pathOf(chart);
    redraw();
  }
  function filter(text) {
    lines.filter(text);
    view.top = 0;
    relaid();
  }
  function pin(node) { lines.pin(node); relaid(); }
  function fold(node, open) { lines.fold(node, open); relaid(); }

  /** The thing that a name stands for. */
  function pickNode(node) {
    const of = node.kind === "alike" ? node.children[0] : node, isLink = of.kind === "link";
    const unit = of.kind === "links" ? of.parent.label : isLink ? of.label : unitOf(of.label).replace(/\.kernel$/, ".pe_cpu");
    if (unit) hooks.picked?.({kind: isLink ? "link" : "unit", of: unit});
  }
  function pickSlice(i) {
    const row = slices.rowOf(i);
    hooks.picked?.({kind: "slice", of: strings[name[i]], row: rows[row].label, slice: kinds[kind[i]].name, from: start[i], length: length[i],
                    bytes: bytes[i], line: strings[at[i]] ?? "", peers: peersOf(slices, i, row)});
  }
  function click(x, y) {
    const line = lineAt(y), part = partAt(x, y);
    state.selection = null;
    redraw();
    if (part) return hooks.picked?.({kind: "reason", of: part.text});
    if (!line) return;
    const isPinned = y < place.firstY, {node} = line;
    if (x < place.left) return clickName(node, x, isPinned);
    const i = sliceAt(x, y);
    if (i >= 0) pickSlice(i); else if (line.folded) pickNode(node);
  }
  function clickName(node, x, isPinned) {
    focus(node);
    if (x < pinWidth) return pin(node);
    if (!isPinned) fold(node);
    pickNode(node);
  }

  /** Selects a span of time on the lines between two heights; null: on all lines. */
  function select(from, to, ys, isEnd) {
    const clip = time => Math.round(Math.max(data.begin, Math.min(data.end, time)));
    const indexOf = y => Math.max(view.top, Math.min(lines.all.length - 1, view.top + Math.floor((y - place.firstY) / rowHeight)));
    const isBelow = ys !== null && ys[1] >= place.firstY;
    state.selection = {from: clip(from), to: clip(to), lines: isBelow ? [indexOf(Math.max(ys[0], place.firstY)), indexOf(ys[1])] : null};
    redraw();
    if (!isEnd) return;
    const among = ys === null ? lines.all : [...(isBelow ? lines.all.slice(state.selection.lines[0], state.selection.lines[1] + 1) : []),
      ...lines.pinned.slice(0, place.pins).filter((_, i) => place.pinsY + i * rowHeight < ys[1] && place.pinsY + (i + 1) * rowHeight > ys[0])];
    const chosen = new Set(among.flatMap(lines.rowsOf)), labels = [...new Set(among.map(one => one.node.label))];
    hooks.picked?.({kind: "selection", of: "selection", from: state.selection.from, to: state.selection.to,
                    lines: labels.length > 1 ? `${labels.length}: ${labels[0]} … ${labels[labels.length - 1]}` : labels[0] ?? "none",
                    sums: sumsOf(slices, chosen, state.selection.from, state.selection.to)});
  }

  function focus(node) {
    state.focus = node?.id ?? null;
    if (hooks.status) hooks.status.textContent = node ? `${node.label.slice(0, 200)}${lines.isFoldable(node) ? (lines.isOpen(node) ? ", open" : ", folded") : ""}` : "";
    redraw();
  }
  const focused = () => (state.focus === null ? null : lines.nodeById(state.focus));
  /** Moves the focus up or down, to a line with a name. */
  function moveFocus(step) {
    const node = focused();
    let index = node ? lines.all.findIndex(one => one.node === node) : view.top - step;
    if (node && index < 0) index = lines.lineOf(node) - step;
    do index += step; while (lines.all[index] && !lines.all[index].isFirst);
    if (!lines.all[index]) return;
    focus(lines.all[index].node);
    if (index < view.top) scrollTo(index); else if (index >= view.top + place.shown) scrollTo(index - place.shown + 1);
  }
  /** Unfolds the focused line, or goes to the first below it; folds it, or goes to the one around it. */
  function turn(open) {
    const node = focused();
    if (lines.isFoldable(node) && lines.isOpen(node) !== open) { fold(node, open); return focus(node); }
    if (open) { if (lines.isFoldable(node) && node.children.length) moveFocus(1); return; }
    const around = node.group ?? node.parent;
    if (around && around.kind !== "root") { focus(around); scrollToLine(around); }
  }
  function scrollToLine(node) {
    const index = lines.lineOf(node);
    if (index >= 0 && (index < view.top || index >= view.top + place.shown)) scrollTo(index);
  }

  const pan = share => () => { const step = (view.to - view.from) * share; show(view.from + step, view.to + step); };
  const middle = () => (view.from + view.to) / 2, withFocus = act => () => { const node = focused(); if (node) act(node); };
  const left = pan(-0.1), right = pan(0.1);
  const keys = {
    ArrowLeft: () => (focused() ? turn(false) : left()), ArrowRight: () => (focused() ? turn(true) : right()),
    "Shift+ArrowLeft": left, "Shift+ArrowRight": right,
    ArrowUp: () => moveFocus(-1), ArrowDown: () => moveFocus(1), PageUp: () => scrollTo(view.top - place.shown), PageDown: () => scrollTo(view.top + place.shown),
    "+": () => zoom(0.8, middle()), "-": () => zoom(1.25, middle()), "0": () => show(data.begin, data.end),
    Enter: () => { if (state.found.length) next(); else withFocus(pickNode)(); }, " ": withFocus(node => { fold(node); focus(node); }), p: withFocus(pin),
    Escape: () => { state.selection = null; focus(null); },
  };
  listen(chart, {
    show, zoom, scrollTo, click, select, keys,
    open(x, y) { const i = sliceAt(x, y); if (i >= 0) show(start[i] - length[i] * 0.1 - 50, start[i] + length[i] * 1.1 + 50); },
    hover(x, y, event) {
      const over = x < place.left ? lineAt(y)?.node.id ?? null : null;
      if (over !== state.hover) { state.hover = over; redraw(); }
      if (hooks.details) showDetails(hooks.details, textAt(x, y), event);
    },
    leave() {
      if (hooks.details) hooks.details.style.display = "none";
      if (state.hover !== null) { state.hover = null; redraw(); }
    },
  }, hooks.wheel === "ctrl");
  if (hooks.legend) makeLegend(hooks.legend, slices, dim => { state.dim = dim?.kinds ?? null; state.dimStates = dim?.states ?? null; redraw(); });
  if (hooks.filter) hooks.filter.value = lines.kept.filter;
  window.addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener?.("change", redraw);
  return {data, rows, start, length, name, at, kind, depth, view, state, pen, canvas, tree, lines, place, states: chart.states, firstY: () => place.firstY, xOf: place.xOf, timeOf: place.timeOf,
          timeText, draw, redraw, zoom, show, scrollTo, sliceAt, lineAt, rowOf: slices.rowOf, textOf, textAt, search, next, reveal, setPath, filter, pin, fold, focus};
}

function showDetails(details, text, event) {
  details.textContent = text;
  details.style.display = text ? "block" : "none";
  details.style.left = Math.min(event.clientX + 14, window.innerWidth - 280) + "px";
  details.style.top = Math.min(event.clientY + 14, window.innerHeight - 90) + "px";
}
