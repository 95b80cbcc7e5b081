// A folded line: shares of states over time, stacked.
import {paleOf, pixelOf} from "./colors.js";
import {rowHeight} from "./place.js";
import {states} from "./states.js";

/** Pixels of a bin's width, and of the height of a line's shares, which stand in the line's middle. */
const binWidth = 2, high = rowHeight - 4;

/** All folded lines of a frame are one picture: a picture for each would be copied for each. @param {import("./timeline.js").Chart} chart */
export function makeShareDrawing({pen, view, state, place, states: known}) {
  const pixels = states.map(one => pixelOf(one.color)), pale = pixels.map(paleOf);
  let image = null, dots = null, picture = null, bins = 1;

  /** Prepares for `shown` lines. @param {number} shown */
  function begin(shown) {
    bins = Math.max(1, Math.ceil((place.width - place.left) / binWidth));
    if (image?.width !== bins || image.height !== Math.max(1, shown) * rowHeight) {
      image = new ImageData(bins, Math.max(1, shown) * rowHeight);
      dots = new Uint32Array(image.data.buffer);
      picture = new OffscreenCanvas(image.width, image.height).getContext("2d");
    }
    dots.fill(0);
  }
  /** Time of a bin's border. */
  const borderOf = bin => view.from + bin * binWidth / place.scale;

  /** Puts the shares of a node into the picture. True: there were some. @param {import("./tree.js").Node} node @param {number} line */
  function add(node, line) {
    const all = known.shares(node, view.from, borderOf(bins), bins), bottom = line * rowHeight + rowHeight - 3;
    let any = false;
    for (let bin = 0; bin < bins; ++bin) {
      let sum = 0, below = 0;
      for (let at = 0; at < states.length; ++at) {
        const part = all[at * bins + bin];
        if (part <= 0) continue;
        sum += part;
        let top = Math.min(high, Math.round(sum * high));
        if (top === below && part > 0.002 && top < high) ++top;  // a little is seen, too
        const dot = state.dimStates?.[at] ? pale[at] : pixels[at];
        for (; below < top; ++below) dots[(bottom - below) * bins + bin] = dot;
      }
      any ||= below > 0;
    }
    return any;
  }
  /** The picture is whole. */
  function end() { picture.putImageData(image, 0, 0); }
  /** Shows lines [first, last) of the picture at `y`. @param {number} first @param {number} last @param {number} y */
  function show(first, last, y) {
    const top = first * rowHeight, tall = (last - first) * rowHeight;
    pen.imageSmoothingEnabled = false;
    if (tall > 0) pen.drawImage(picture.canvas, 0, top, bins, tall, place.left, y, bins * binWidth, tall);
  }
  /** Shares of the bin at `x`, by state. @param {import("./tree.js").Node} node @param {number} x */
  function sharesAt(node, x) {
    const bin = Math.floor((x - place.left) / binWidth), all = known.shares(node, borderOf(bin), borderOf(bin + 1), 1);
    return {from: borderOf(bin), to: borderOf(bin + 1), of: [...all]};
  }
  return {begin, add, end, show, sharesAt};
}
