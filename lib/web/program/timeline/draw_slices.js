// Slices of one row: wide ones as boxes with names, narrow ones as pixels of a strip.
import {inkOn, paleOf, pixelOf} from "./colors.js";
import {plain} from "./letters.js";
import {rowHeight} from "./place.js";
import {blockSize} from "./slices.js";

const narrowBelow = 5;

/** @param {import("./timeline.js").Chart} chart */
export function makeSliceDrawing({pen, slices, view, state, place, colors}) {
  const {start, length, kind, depth, longest, name, strings, kinds} = slices;
  const pixels = kinds.map(one => pixelOf(one.color)), pale = pixels.map(paleOf), inks = pixels.map(inkOn);
  let strip = null, strips = null;  // the narrow slices of a row, and of all that are shown

  function drawName(text, x, y, wide, ink) {
    const letters = Math.floor((wide - 4) / 6);
    pen.fillStyle = ink; pen.textAlign = "left";
    pen.fillText(plain(text.length > letters ? text.slice(0, letters) : text), x + 3, y + 12, wide - 4);
  }

  /** Prepares for `shown` lines. @param {number} shown */
  function begin(shown) {
    const wide = Math.max(1, Math.ceil(place.width - place.left));
    if (strip?.width !== wide) strip = new ImageData(wide, 1);
    if (strips?.canvas.width !== wide || strips.canvas.height < shown)
      strips = new OffscreenCanvas(wide, Math.max(1, shown)).getContext("2d");
  }

  /** Blocks of slices that are narrower than a pixel are passed over. True: there was a slice. */
  function drawRow(row, y, line) {
    const {left, width, scale, xOf} = place, {marks, dim} = state;
    const last = new Float64Array(256).fill(-1);  // what is drawn so far, in pixels, by depth
    const pixel = 1 / scale, narrow = new Uint32Array(strip.data.buffer), chosen = state.found[state.current];
    let color = -1, alpha = -1, narrows = false, any = false;
    narrow.fill(0);
    for (let i = slices.firstAt(row, view.from); i < row.last && start[i] < view.to; ++i) {
      if (i % blockSize === 0 && !marks?.inBlock[i / blockSize] && i + blockSize < row.last && longest[i / blockSize] < pixel) {
        const right = xOf(start[i + blockSize - 1]) + 1;
        if (right <= last[depth[i]] + 0.5) { i += blockSize - 1; continue; }
      }
      const end = start[i] + length[i];
      if (end < view.from) continue;
      any = true;
      const inset = depth[i], right = Math.min(width, left + (end - view.from) * scale);
      const found = marks !== null && marks.isFound[i] === 1, weak = (marks !== null && !found) || (dim !== null && dim[kind[i]] === 1);
      if (right <= last[inset] + 0.5 && !found) continue;
      const x = Math.max(left, left + (start[i] - view.from) * scale), wide = Math.max(0.6, right - x);
      if (wide < narrowBelow && (!found || i !== chosen)) {
        const column = x - left | 0, end = Math.max(column + 1, Math.round(right - left));
        if (!weak) narrow.fill(pixels[kind[i]], column, end);
        else for (let at = column; at < end; ++at) if (narrow[at] === 0) narrow[at] = pale[kind[i]];
        last[inset] = left + end;
        narrows = true;
        continue;
      }
      last[inset] = x + wide;
      const shade = weak ? 0.25 : 1;
      if (alpha !== shade) pen.globalAlpha = alpha = shade;
      if (color !== kind[i]) { color = kind[i]; pen.fillStyle = kinds[color].color; }
      const lower = Math.min(inset, 4);
      pen.fillRect(x, y + 1 + lower, wide, rowHeight - 2 - 2 * lower);
      if (i === chosen) {
        pen.globalAlpha = 1; pen.strokeStyle = colors.mark; pen.lineWidth = 2;
        pen.strokeRect(x, y + 1, wide, rowHeight - 2); pen.lineWidth = 1; alpha = -1;
      }
      if (wide > 30 && !weak) { drawName(strings[name[i]], x, y, wide, inks[kind[i]]); color = -1; }
    }
    pen.globalAlpha = 1;
    if (narrows) {
      strips.putImageData(strip, 0, line);
      pen.imageSmoothingEnabled = false;
      pen.drawImage(strips.canvas, 0, line, strip.width, 1, left, y + 2, strip.width, rowHeight - 4);
    }
    return any;
  }
  return {begin, drawRow, drawName};
}
