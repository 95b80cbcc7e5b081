// Lines and marks over two axes, linear or logarithmic. A click or Enter picks a mark; arrows go from mark to mark.
import {begin, css, fitted, makeCanvas, ticksOf} from "./canvas.js";
import {hideHint, showHint} from "./hint.js";

/**
 * @typedef {{x: number, y: number, point: number, color: string, shape?: "dot" | "cross" | "ring", group?: number}} Mark  a y of NaN stands at the foot
 * @typedef {{label: string, log: boolean, zero?: boolean, ticks?: [number, string][], text(value: number): string}} Scale
 *   zero: a linear scale begins at 0; ticks: values with their texts, in place of round ones
 * @typedef {{x: Scale, y: Scale, lines: {at: [number, number][], color: string, dash?: number[], group?: number}[], marks: Mark[], height?: number, picked?: number | null, best?: number}} Scene
 *   lines have gaps where y is NaN
 */

/**
 * @param {HTMLElement} parent @param {string} label
 * @param {{pick(point: number): void, hint(mark: Mark): string[]}} does
 */
export function makePlane(parent, label, does) {
  const canvas = makeCanvas(parent, label);
  /** @type {Scene | null} */
  let scene = null;
  /** @type {ReturnType<typeof placed> | null} */
  let place = null;
  let lit = /** @type {number | null} */ (null), held = /** @type {number | null} */ (null), here = /** @type {Mark | null} */ (null);

  function draw() {
    if (!scene) return;
    const sheet = begin(canvas, scene.height ?? 420);
    place = placed(sheet, scene);
    drawScales(sheet.pen, place, scene);
    const group = lit ?? held;
    const small = scene.marks.length > 3000, bad = css("--bad");
    const layer = (is, alpha) => {
      sheet.pen.globalAlpha = alpha;
      for (const line of scene.lines) if (is(line.group)) drawLine(sheet.pen, place, line, group !== null && line.group === group);
      for (const mark of scene.marks) if (is(mark.group)) drawMark(sheet.pen, place, mark, small, bad);
    };
    layer(of => group !== null && of !== group && of !== undefined, 0.12);
    layer(of => group === null || of === group || of === undefined, 1);
    sheet.pen.globalAlpha = 1;
    for (const mark of scene.marks) {
      if (mark.point === scene.picked || mark === here) drawRing(sheet.pen, place, mark, css("--mark"));
      else if (mark.point === scene.best) drawRing(sheet.pen, place, mark, css("--good"));
    }
  }
  /** The mark nearest to a place of the canvas, within a few pixels. */
  function markAt(x, y) {
    let found = null, least = 14 * 14;
    for (const mark of scene?.marks ?? []) {
      if ((held ?? mark.group) !== mark.group && mark.group !== undefined) continue;
      const far = (place.x(mark.x) - x) ** 2 + (place.foot(mark.y) - y) ** 2;
      if (far < least) { least = far; found = mark; }
    }
    return found;
  }
  function goTo(mark) {
    here = mark;
    lit = mark?.group ?? null;
    draw();
    if (!mark) return hideHint();
    const box = canvas.getBoundingClientRect();
    showHint(box.left + place.x(mark.x), box.top + place.foot(mark.y), does.hint(mark));
  }
  /** The next mark in a direction: near to it, and little aside. */
  function step(dx, dy) {
    const from = here ?? scene?.marks[0], x = place.x(from?.x), y = place.foot(from?.y);
    let found = null, least = Infinity;
    for (const mark of scene?.marks ?? []) {
      const along = (place.x(mark.x) - x) * dx + (place.foot(mark.y) - y) * dy, aside = Math.abs((place.x(mark.x) - x) * dy) + Math.abs((place.foot(mark.y) - y) * dx);
      if (along > 0.5 && along + 2 * aside < least) { least = along + 2 * aside; found = mark; }
    }
    goTo(here ? found ?? here : from);
  }
  const at = event => { const box = canvas.getBoundingClientRect(); return markAt(event.clientX - box.left, event.clientY - box.top); };
  canvas.addEventListener("mousemove", event => { const mark = place && at(event); canvas.style.cursor = mark ? "pointer" : ""; if (mark !== here) goTo(mark); });
  canvas.addEventListener("mouseleave", () => { if (here) goTo(null); });
  canvas.addEventListener("blur", () => { if (here) goTo(null); });
  canvas.addEventListener("click", event => { const mark = place && at(event); if (mark) does.pick(mark.point); });
  canvas.addEventListener("keydown", event => {
    const keys = {ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
      Enter: () => { if (here) does.pick(here.point); }, Escape: () => goTo(null)};
    if (keys[event.key] && place) { event.preventDefault(); keys[event.key](); }
  });
  addEventListener("resize", draw);
  return {
    canvas,
    /** @param {Scene} next */
    show(next) { scene = next; here = null; lit = null; draw(); },
    /** Marks a point. @param {number | null} point */
    pick(point) { if (scene) { scene.picked = point; draw(); } },
    /** Lights one group of lines and dims the others; null: none. */
    light(group) { lit = group; draw(); },
    /** The same until it is let go. */
    hold(group) { held = group; lit = null; draw(); },
    get scene() { return scene; },
    /** Where a mark stands on the canvas. @param {Mark} mark */
    at: mark => [place.x(mark.x), place.foot(mark.y)],
  };
}

/** @param {Scale} scale @param {number[]} values */
function rangeOf(scale, values) {
  const all = values.filter(value => isFinite(value) && (!scale.log || value > 0));
  let low = Infinity, high = -Infinity;
  for (const value of all) { low = Math.min(low, value); high = Math.max(high, value); }
  if (!all.length) [low, high] = scale.log ? [1, 10] : [0, 1];
  if (scale.log) return low === high ? [low / 2, high * 2] : [low, high];
  if (scale.zero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (low === high) { const by = Math.abs(low) / 2 || 1; return [low - by, high + by]; }
  return [low, high];
}

function placed({pen, width, height}, scene) {
  const [x0, x1] = rangeOf(scene.x, scene.marks.map(mark => mark.x)), [y0, y1] = rangeOf(scene.y, scene.marks.map(mark => mark.y));
  const ticks = ticksOf(y0, y1, scene.y.log, 6), labels = ticks.map(scene.y.text);
  const left = 34 + Math.max(...labels.map(text => pen.measureText(text).width), 20), right = width - 24, top = 16, bottom = height - 46;
  const share = (value, low, high, log) => (log ? Math.log(Math.max(value, low * 1e-3) / low) / Math.log(high / low) : (value - low) / (high - low));
  const x = value => left + 14 + share(value, x0, x1, scene.x.log) * (right - left - 28);
  const y = value => bottom - share(value, y0, y1, scene.y.log) * (bottom - top - 8) - (scene.y.zero && !scene.y.log ? 0 : 8);
  return {x, y, foot: value => (isFinite(value) && !(scene.y.log && value <= 0) ? y(value) : bottom), left, right, top, bottom, ticks, labels, x0, x1};
}

function drawScales(pen, place, scene) {
  const {left, right, top, bottom} = place;
  pen.lineWidth = 1; pen.strokeStyle = css("--line"); pen.fillStyle = css("--text");
  pen.textAlign = "right"; pen.textBaseline = "middle";
  place.ticks.forEach((value, i) => {
    const y = Math.round(place.y(value)) + 0.5;
    pen.beginPath(); pen.moveTo(left, y); pen.lineTo(right, y); pen.stroke();
    pen.fillText(place.labels[i], left - 6, y);
  });
  const given = scene.x.ticks, ticks = given ?? ticksOf(place.x0, place.x1, scene.x.log, 8).map(value => [value, scene.x.text(value)]);
  const every = Math.max(1, Math.ceil(ticks.length / ((right - left) / 44))), room = Math.max(40, (right - left) / Math.max(1, Math.ceil(ticks.length / every)) - 8);
  pen.textAlign = "center"; pen.textBaseline = "top";
  let end = -Infinity;
  ticks.forEach(([value, name], i) => {
    const text = fitted(pen, name, room), half = pen.measureText(text).width / 2, line = Math.round(place.x(value)) + 0.5, x = Math.max(half + 2, Math.min(right + 22 - half, line));
    pen.beginPath(); pen.moveTo(line, top); pen.lineTo(line, bottom + 4); pen.stroke();
    if (i % every || x - half < end + 4) return;
    pen.fillText(text, x, bottom + 7); end = x + half;
  });
  pen.fillStyle = css("--soft");
  pen.fillText(fitted(pen, scene.x.label, right - left), (left + right) / 2, bottom + 26);
  pen.save();
  pen.translate(4, (top + bottom) / 2); pen.rotate(-Math.PI / 2);
  pen.fillText(fitted(pen, scene.y.label, bottom - top), 0, 0);
  pen.restore();
  pen.strokeStyle = css("--soft");
  pen.beginPath(); pen.moveTo(left + 0.5, top); pen.lineTo(left + 0.5, bottom + 0.5); pen.lineTo(right, bottom + 0.5); pen.stroke();
}

function drawLine(pen, place, line, strong) {
  pen.strokeStyle = line.color; pen.lineWidth = strong ? 3.5 : 2; pen.setLineDash(line.dash ?? []);
  pen.beginPath();
  let pending = true;
  for (const [x, y] of line.at) {
    if (!isFinite(y)) { pending = true; continue; }
    if (pending) pen.moveTo(place.x(x), place.foot(y)); else pen.lineTo(place.x(x), place.foot(y));
    pending = false;
  }
  pen.stroke();
  pen.setLineDash([]);
}

function drawMark(pen, place, mark, small, bad) {
  const x = place.x(mark.x), y = place.foot(mark.y);
  if (mark.shape === "cross" || !isFinite(mark.y)) {
    pen.strokeStyle = bad; pen.lineWidth = 2;
    pen.beginPath(); pen.moveTo(x - 4, y - 4); pen.lineTo(x + 4, y + 4); pen.moveTo(x + 4, y - 4); pen.lineTo(x - 4, y + 4); pen.stroke();
    return;
  }
  pen.fillStyle = mark.color;
  if (small && mark.shape !== "ring") return pen.fillRect(x - 1.5, y - 1.5, 3, 3);
  pen.beginPath(); pen.arc(x, y, mark.shape === "ring" ? 5 : 3.2, 0, 7); pen.fill();
}

function drawRing(pen, place, mark, color) {
  pen.strokeStyle = color; pen.lineWidth = 2.5;
  pen.beginPath(); pen.arc(place.x(mark.x), place.foot(mark.y), 8, 0, 7); pen.stroke();
}
