// The canvas of a timeline: a tree of lines of slices to fold, zoom, pan, search, filter and select.
import {timeText} from "../quantity.js";
import {makeDrawing} from "./draw.js";
import {pinWidth} from "./draw_names.js";
import {makeFocus} from "./focus.js";
import {listen} from "./input.js";
import {makeLegend} from "./legend.js";
import {makeLines, noChoices} from "./lines.js";
import {makePicking} from "./picking.js";
import {makePlace} from "./place.js";
import {makePointing} from "./pointing.js";
import {decode, searched} from "./slices.js";
import {makeStates} from "./states.js";
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
  const {rows, start, length, kind, depth, name, at} = slices;
  const drawing = makeDrawing(chart), {lineAt, sliceAt, partAt, textOf, textAt} = makePointing(chart, drawing.sharesAt);
  const {pickNode, pickSlice, select} = makePicking(chart, thing => hooks.picked?.(thing));
  const {focus, focused, moveFocus, turn} = makeFocus(chart, {fold, scrollTo, say: text => { if (hooks.status) hooks.status.textContent = text; redraw(); }});
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
  function fold(node, open = undefined) { lines.fold(node, open); relaid(); }

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
    if (x < pinWidth) pin(node); else if (!isPinned) fold(node);
    focus(node);
    if (x >= pinWidth) pickNode(node);
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
    show, zoom, scrollTo, click, keys,
    select(from, to, ys, isEnd) { select(from, to, ys, isEnd); redraw(); },
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
