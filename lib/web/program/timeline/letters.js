// Texts on the canvas: they end where their room ends.
import {fitted} from "../canvas.js";

/** A label as one line from left to right: without marks that turn or break it. @param {string} text */
export const plain = text => text.slice(0, 300).replace(/[\u0000-\u001f\u007f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "·");

const widths = new Map();  // of texts in the pen's one font

function widthOf(pen, text) {
  let wide = widths.get(text);
  if (wide === undefined) {
    if (widths.size > 5000) widths.clear();
    widths.set(text, wide = pen.measureText(text).width);
  }
  return wide;
}

/** As much of a text as has room. @param {CanvasRenderingContext2D} pen @param {string} text @param {number} wide */
export function clipped(pen, text, wide) {
  const all = plain(text);
  return widthOf(pen, all) <= wide ? all : fitted(pen, all, wide);
}
