// The roofline: what was achieved at each FLOP per byte, below the engines' peak and the HBM's bandwidth.
import {colors, drawn, element} from "../dom.js";
import {toCsv} from "../csv.js";
import {countText, rateText, share} from "../quantity.js";
import {factsThing, worksOf} from "../work_done.js";

/** @typedef {import("../work_done.js").Work} Work */

const wide = 860, high = 400, left = 70, bottom = 44, top = 14, right = 14;
const flopText = rate => `${countText(rate)}FLOP/s`;
const intensity = one => one.flop / one.bytes;

/** What the roofs leave at a point. @param {Work} one */
const roofAt = one => Math.min(one.peak || Infinity, one.bandwidth > 0 ? one.bandwidth * intensity(one) : Infinity);

/** A logarithmic axis from whole decades to whole decades. @param {number[]} values @param {number} from @param {number} to */
function axisOf(values, from, to) {
  const low = Math.floor(Math.log10(Math.min(...values))), high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {low, high, at: value => from + (to - from) * (Math.log10(value) - low) / (high - low)};
}

function drawAxes(svg, x, y) {
  const line = (x1, y1, x2, y2) => drawn("line", {x1, y1, x2, y2, class: "grid"}, svg), say = (text, at, more) => { drawn("text", {...at, ...more}, svg).textContent = text; };
  for (let power = x.low; power <= x.high; ++power) { const at = x.at(10 ** power); line(at, top, at, high - bottom); say(countText(10 ** power).trim(), {x: at, y: high - bottom + 16}, {"text-anchor": "middle"}); }
  for (let power = y.low; power <= y.high; ++power) { const at = y.at(10 ** power); line(left, at, wide - right, at); say(countText(10 ** power), {x: left - 6, y: at + 4}, {"text-anchor": "end"}); }
  say("FLOP per byte", {x: (left + wide) / 2, y: high - 8}, {"text-anchor": "middle"});
  say("FLOP/s", {x: left + 6, y: top + 12}, {});
}

/** Roofs of each set of peaks; they meet where both limit. */
function drawRoofs(svg, all, x, y) {
  const sets = new Map(all.map(one => [`${one.peak} ${one.bandwidth}`, one]));
  for (const {peak, bandwidth} of [...sets.values()].slice(0, 4)) {
    if (!(peak > 0)) continue;
    const ridge = bandwidth > 0 ? peak / bandwidth : 10 ** x.low, from = 10 ** x.low, bend = Math.min(Math.max(ridge, from), 10 ** x.high);
    const flat = drawn("line", {x1: x.at(bend), y1: y.at(peak), x2: wide - right, y2: y.at(peak), class: "roof", "data-peak": peak}, svg);
    drawn("title", {}, flat).textContent = `peak of the engines: ${flopText(peak)}`;
    drawn("text", {x: wide - right - 4, y: y.at(peak) - 5, "text-anchor": "end"}, svg).textContent = `engines: ${flopText(peak)}`;
    if (!(bandwidth > 0)) continue;
    const begin = Math.max(from, 10 ** y.low / bandwidth), slope = drawn("line", {x1: x.at(begin), y1: y.at(begin * bandwidth), x2: x.at(bend), y2: y.at(bend * bandwidth), class: "roof", "data-bandwidth": bandwidth}, svg);
    drawn("title", {}, slope).textContent = `bandwidth of HBM: ${rateText(bandwidth / 1e9)}`;
    const middle = Math.sqrt(begin * bend);
    drawn("text", {x: x.at(middle) + 10, y: y.at(middle * bandwidth) + 14}, svg).textContent = `HBM: ${rateText(bandwidth / 1e9)}`;
  }
}

/** Names next to dots, as long as they don't cover another. */
function drawNames(svg, dots) {
  const taken = dots.map(({x, y}) => [x - 5, y - 5, x + 5, y + 5]);
  for (const {x, y, one} of dots) {
    const width = 6.2 * one.name.length, box = [x + 7, y - 9, x + 7 + width, y + 4];
    if (box[2] > wide - right || taken.some(([a, b, c, d]) => a < box[2] && c > box[0] && b < box[3] && d > box[1])) continue;
    taken.push(box);
    drawn("text", {x: x + 7, y: y + 4}, svg).textContent = one.name;
  }
}

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  /** @type {Work[]} */
  let all = [];
  let madeOf = null;
  const pick = one => app.set(factsThing(one.name, {...one.row, "FLOP per byte": +intensity(one).toPrecision(6), achieved: flopText(one.rate), "of the roof": share(one.rate / roofAt(one))}));
  function dot(svg, one, x, y, color) {
    const mark = drawn("circle", {cx: x, cy: y, r: 5, fill: color, class: "dot", tabindex: 0, role: "button", "data-name": one.name, "data-x": intensity(one), "data-y": one.rate}, svg);
    const says = `${one.name} (${one.group}): ${flopText(one.rate)}, ${share(one.rate / roofAt(one))} of the roof at ${countText(intensity(one)).trim()} FLOP per byte${one.limit ? `; limit: ${one.limit}` : ""}`;
    mark.setAttribute("aria-label", says);
    drawn("title", {}, mark).textContent = says;
    mark.addEventListener("click", () => pick(one));
    mark.addEventListener("keydown", event => { if (event.key === "Enter") pick(one); });
    return {x, y, one};
  }
  function redraw() {
    root.replaceChildren();
    if (!all.length) return;
    const groups = [...new Set(all.map(one => one.group))], color = one => colors[groups.indexOf(one.group) % colors.length];
    const legend = element("p", null, root, {class: "soft"});
    groups.slice(0, 12).forEach((name, i) => { element("span", null, legend, {class: "swatch"}).style.background = colors[i]; legend.append(name + "  "); });
    const svg = drawn("svg", {viewBox: `0 0 ${wide} ${high}`, class: "roofline", role: "group", "aria-label": "roofline"}, root);
    const ridges = all.flatMap(one => (one.peak > 0 && one.bandwidth > 0 ? [one.peak / one.bandwidth] : []));
    const x = axisOf([...all.map(intensity), ...ridges], left, wide - right), y = axisOf(all.flatMap(one => [one.rate, ...(one.peak > 0 ? [1.5 * one.peak] : [])]), high - bottom, top);
    drawAxes(svg, x, y);
    drawRoofs(svg, all, x, y);
    drawNames(svg, all.map(one => dot(svg, one, x.at(intensity(one)), y.at(one.rate), color(one))));
  }
  return {
    show() {
      const {raw} = app.runs[app.at];
      if (madeOf !== raw) { madeOf = raw; all = worksOf(raw).slice(0, 2000); redraw(); }
      return all.length > 0;
    },
    csv: () => toCsv([["name", "group", "flop", "bytes", "flop_per_byte", "flop_per_s", "peak_flop_per_s", "peak_bytes_per_s", "limit"],
                      ...all.map(one => [one.name, one.group, one.flop, one.bytes, intensity(one), one.rate, one.peak, one.bandwidth, one.limit])]),
    get all() { return all; },
  };
}

/** @type {import("../page.js").ViewKind} */
export const roofline = {id: "roofline", title: "Roofline", sentence: "The rate of each operation against its FLOP per byte of memory. No operation gets above the lines: the HBM's bandwidth, and the engines' peak.", make};
