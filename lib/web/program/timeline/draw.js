// A frame of a timeline.
import {timeText} from "../quantity.js";
import {pageColors} from "./colors.js";
import {makeNameDrawing} from "./draw_names.js";
import {makePathDrawing} from "./draw_path.js";
import {makeShareDrawing} from "./draw_shares.js";
import {makeSliceDrawing} from "./draw_slices.js";
import {axisHeight, rowHeight} from "./place.js";

const mostArrows = 500;  // more hide the slices

function stepOf(all) {
  const power = 10 ** Math.floor(Math.log10(all / 8));
  return [1, 2, 5, 10].map(step => step * power).find(step => step * 8 >= all);
}

/** @param {import("./timeline.js").Chart} chart */
export function makeDrawing(chart) {
  const {pen, slices, lines, view, state, place, colors} = chart;
  const boxes = makeSliceDrawing(chart), shares = makeShareDrawing(chart), drawLineName = makeNameDrawing(chart);
  const path = makePathDrawing(chart, boxes.drawName);

  function drawAxis() {
    const step = Math.max(1, stepOf(view.to - view.from));
    pen.strokeStyle = colors.line; pen.fillStyle = colors.text; pen.textAlign = "center";
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = place.xOf(time);
      if (x < place.left) continue;
      pen.beginPath(); pen.moveTo(x, axisHeight - 4); pen.lineTo(x, place.height); pen.stroke();
      pen.fillText(timeText(time), x, 14);
    }
  }

  function drawBand(y) { pen.globalAlpha = 0.5; pen.fillStyle = colors.band; pen.fillRect(0, y, place.width, rowHeight); pen.globalAlpha = 1; }

  /** A line's slices, path and name. True: there were slices. */
  function drawLine(line, y, number, isPinned) {
    pen.save(); pen.beginPath(); pen.rect(place.left, y, place.width, rowHeight); pen.clip();
    const any = line.row >= 0 && boxes.drawRow(slices.rows[line.row], y, number);
    if (line.isFirst) path.drawIn(isPinned ? state.pathPins.get(line.node) : state.pathLines.get(line.node), y);
    pen.restore();
    drawLineName(line, y, isPinned);
    return any;
  }
  /** Lines from `y` on, numbered from `first` on in this frame. */
  function drawAll(all, y, first, isPinned) {
    all.forEach((_, i) => { if (i % 2) drawBand(y + i * rowHeight); });
    shares.show(first, first + all.length, y);
    return all.reduce((any, line, i) => drawLine(line, y + i * rowHeight, first + i, isPinned) || any, false);
  }
  /** True: something is to be seen on them. */
  function drawLines() {
    const shown = lines.all.slice(view.top, view.top + Math.max(1, Math.ceil((place.height - place.firstY) / rowHeight)));
    const pinned = lines.pinned.slice(0, place.pins), all = [...shown, ...pinned];
    boxes.begin(all.length);
    shares.begin(all.length);
    let any = all.reduce((any, line, i) => (line.folded && shares.add(line.node, i)) || any, false);
    shares.end();
    any = drawAll(shown, place.firstY, 0, false) || any;
    if (!pinned.length) return any;
    pen.fillStyle = colors.back; pen.fillRect(0, place.pinsY, place.width, place.firstY - place.pinsY);
    any = drawAll(pinned, place.pinsY, shown.length, true) || any;
    pen.fillStyle = colors.line; pen.fillRect(0, place.firstY - 3, place.width, 2);
    return any;
  }
  /** Says why nothing is to be seen. */
  function drawEmpty() {
    const text = !slices.start.length ? "This timeline has no slices." : !lines.all.length ? "No line fits the filter." : "No slices on these lines in this time.";
    pen.fillStyle = colors.text; pen.textAlign = "center";
    pen.fillText(state.empty = text, (place.left + place.width) / 2, Math.min(place.height - 8, place.firstY + 40));
  }
  function drawScroll() {
    const high = place.height - place.firstY, all = lines.all.length;
    if (all <= place.shown) return;
    pen.fillStyle = colors.soft;
    pen.fillRect(place.width - 4, place.firstY + high * view.top / all, 3, Math.max(12, high * place.shown / all));
  }

  /** Arrows between different lines; an end in a folded part is at its line. */
  function drawFlows() {
    const yOf = line => place.firstY + (line - view.top) * rowHeight + rowHeight / 2;
    pen.strokeStyle = colors.text; pen.globalAlpha = 0.35;
    let drawn = 0;
    pen.beginPath();
    for (const [fromRow, fromTime, toRow, toTime] of slices.data.flows) {
      if (toTime < view.from || fromTime > view.to) continue;
      const one = lines.lineOfRow[fromRow], other = lines.lineOfRow[toRow];
      if (one === other || !(one >= 0) || !(other >= 0)) continue;
      const a = yOf(one), b = yOf(other);
      if ((a < place.firstY && b < place.firstY) || (a > place.height && b > place.height)) continue;
      if (++drawn > mostArrows) break;
      const x = place.xOf(toTime), from = place.xOf(fromTime), angle = Math.atan2(b - a, x - from);
      pen.moveTo(from, a); pen.lineTo(x, b);
      for (const side of [-0.4, 0.4]) {
        pen.moveTo(x, b); pen.lineTo(x - 6 * Math.cos(angle + side), b - 6 * Math.sin(angle + side));
      }
    }
    pen.stroke();
    pen.globalAlpha = 1;
    state.arrows = Math.min(drawn, mostArrows);
  }
  function drawSelection() {
    const {selection} = state;
    if (!selection) return;
    const x = Math.max(place.left, place.xOf(selection.from)), right = Math.max(x + 1, place.xOf(selection.to));
    const y = selection.lines ? Math.max(place.firstY, place.firstY + (selection.lines[0] - view.top) * rowHeight) : axisHeight;
    const bottom = selection.lines ? place.firstY + (selection.lines[1] + 1 - view.top) * rowHeight : place.height;
    if (bottom <= y || right <= place.left) return;
    pen.fillStyle = pen.strokeStyle = colors.mark;
    pen.globalAlpha = 0.12; pen.fillRect(x, y, right - x, bottom - y); pen.globalAlpha = 1;
    pen.strokeRect(x + 0.5, y + 0.5, right - x - 1, bottom - y - 1);
  }

  function draw() {
    ++state.frames;
    place.measure(pen);
    Object.assign(colors, pageColors());
    pen.font = "11px sans-serif"; pen.direction = "ltr";
    pen.fillStyle = colors.back;
    pen.fillRect(0, 0, place.width, place.height);
    state.empty = "";
    if (!(place.scale > 0)) return;
    drawAxis();
    if (!drawLines()) drawEmpty();
    path.drawTop();
    pen.save(); pen.beginPath(); pen.rect(place.left, place.firstY, place.width, place.height); pen.clip();
    drawFlows();
    pen.restore();
    drawScroll();
    drawSelection();
  }
  return {draw, sharesAt: shares.sharesAt};
}
