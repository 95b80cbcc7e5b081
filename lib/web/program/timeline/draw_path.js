// The critical path: on top as a line of its own, and below the slices of the lines that it passes.
import {axisHeight, rowHeight} from "./place.js";

/** @param {import("./timeline.js").Chart} chart @param {(text: string, x: number, y: number, wide: number, ink: string) => void} drawName */
export function makePathDrawing({pen, view, state, place, colors}, drawName) {
  /** Parts in sight, but for those that a pixel has already. */
  function drawParts(parts, y, high, least, named) {
    let drawn = -1;
    for (const {from, to, color, text} of parts) {
      if (to < view.from || from > view.to) continue;
      const x = place.xOf(from), right = Math.max(x + least, place.xOf(to));
      if (right <= drawn + 0.3) continue;
      drawn = right;
      pen.fillStyle = color;
      pen.fillRect(x, y, right - x, high);
      if (named && right - x > 40) drawName(text, Math.max(x, place.left), y + 1, right - Math.max(x, place.left), "#111");
    }
  }
  return {
    /** The line on top. */
    drawTop() {
      if (!state.path) return;
      pen.save(); pen.beginPath(); pen.rect(place.left, axisHeight, place.width - place.left, rowHeight); pen.clip();
      drawParts(state.path, axisHeight, rowHeight, 0.5, true);
      pen.restore();
      pen.fillStyle = colors.text; pen.textAlign = "right";
      pen.fillText("critical path", place.left - 6, axisHeight + 13);
    },
    /** The path's parts that are of a line. @param {any[] | undefined} parts @param {number} y */
    drawIn(parts, y) { if (parts) drawParts(parts, y + rowHeight - 4, 4, 1, false); },
  };
}
