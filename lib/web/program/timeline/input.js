// Mouse, touch and keys of a timeline.
import {axisHeight, rowHeight} from "./place.js";

/** A press that moves no farther, in pixels, is a click. */
const still = 4;

/**
 * @typedef {{
 *   show(from: number, to: number): void, zoom(factor: number, time: number): void, scrollTo(top: number): void,
 *   click(x: number, y: number): void, open(x: number, y: number): void, hover(x: number, y: number, event: PointerEvent): void, leave(): void,
 *   select(from: number, to: number, ys: [number, number] | null, isEnd: boolean): void, keys: Record<string, () => void>,
 * }} Acts  what input does
 * @param {import("./timeline.js").Chart} chart @param {Acts} acts @param {boolean} scrollsPage the wheel and one finger scroll the page
 */
export function listen({canvas, view, place}, acts, scrollsPage) {
  const touches = new Map();
  let held = null, pinch = null;

  const middleOf = () => {
    const [a, b] = [...touches.values()];
    return {x: (a.x + b.x) / 2, apart: Math.max(10, Math.hypot(a.x - b.x, a.y - b.y))};
  };
  function press(event) {
    const x = event.offsetX, y = event.offsetY, isTouch = event.pointerType === "touch";
    if (event.button > 0) return;
    try { canvas.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
    if (isTouch) touches.set(event.pointerId, {x, y});
    if (touches.size === 2) {
      const {x: middle, apart} = middleOf();
      pinch = {time: place.timeOf(middle), apart, wide: view.to - view.from};
      held = null;
      return;
    }
    const selects = x >= place.left && (event.shiftKey || y < axisHeight);
    held = {x, y, from: view.from, to: view.to, top: view.top, moves: false, selects, ofLines: y >= axisHeight, isTouch, time: place.timeOf(x)};
  }
  function select(event, isEnd) {
    const times = [held.time, place.timeOf(Math.max(event.offsetX, place.left))].sort((a, b) => a - b);
    const ys = [held.y, event.offsetY].sort((a, b) => a - b);
    acts.select(times[0], times[1], held.ofLines ? [ys[0], ys[1]] : null, isEnd);
  }
  function drag(event) {
    held.moves ||= Math.max(Math.abs(event.offsetX - held.x), Math.abs(event.offsetY - held.y)) >= still;
    if (!held.moves) return;
    if (held.selects) return select(event, false);
    if (!(held.isTouch && scrollsPage)) acts.scrollTo(held.top + Math.round((held.y - event.offsetY) / rowHeight));
    const moved = (held.x - event.offsetX) / place.scale;
    if (held.x >= place.left) acts.show(held.from + moved, held.to + moved);
  }
  function pinched() {
    const {x, apart} = middleOf(), wide = pinch.wide * pinch.apart / apart;
    const from = pinch.time - wide * (x - place.left) / Math.max(1, place.width - place.left);
    acts.show(from, from + wide);
  }
  function release(event) {
    touches.delete(event.pointerId);
    if (touches.size < 2) pinch = null;
    if (!held) return;
    if (!held.moves) acts.click(event.offsetX, event.offsetY);
    else if (held.selects) select(event, true);
    held = null;
  }

  canvas.addEventListener("wheel", event => {
    if (scrollsPage && !event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    if (event.shiftKey) return acts.scrollTo(view.top + Math.sign(event.deltaY || event.deltaX));
    acts.zoom(event.deltaY > 0 ? 1.25 : 0.8, place.timeOf(event.offsetX));
  }, {passive: false});
  canvas.addEventListener("pointerdown", press);
  canvas.addEventListener("pointermove", event => {
    if (touches.has(event.pointerId)) touches.set(event.pointerId, {x: event.offsetX, y: event.offsetY});
    if (pinch && touches.size === 2) return pinched();
    if (held) return drag(event);
    if (event.pointerType !== "touch") acts.hover(event.offsetX, event.offsetY, event);
  });
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", event => { touches.delete(event.pointerId); held = pinch = null; });
  canvas.addEventListener("dblclick", event => acts.open(event.offsetX, event.offsetY));
  canvas.addEventListener("pointerleave", acts.leave);
  canvas.addEventListener("keydown", event => {
    if (event.altKey || event.metaKey || (event.ctrlKey && !["+", "-", "0"].includes(event.key))) return;
    const name = (event.shiftKey ? "Shift+" : "") + event.key, act = acts.keys[name] ?? (event.key.length === 1 ? acts.keys[event.key] : undefined);
    if (!act) return;
    event.preventDefault();
    act();
  });
}
