// Memory over time: tensors in HBM, SRAM or TCM of a package, and tiles in the TCM of a PE.
import {colors, drawn, element, field} from "../dom.js";
import {toCsv} from "../csv.js";
import {memoriesOf, tilesOf} from "../memory_use.js";
import {bytesText, exactTime, percent, timeText} from "../quantity.js";

/** @typedef {import("../memory_use.js").Memory} Memory */

const wide = 860, high = 220, left = 70, bottom = 24, top = 10, right = 10, shown = 11;

/** Bytes at a time. @param {import("../memory_use.js").Step[]} steps @param {number} at */
function bytesAt(steps, at) {
  let bytes = 0;
  for (const one of steps) { if (one.at > at) break; bytes = one.bytes; }
  return bytes;
}

/** Axes of a picture: time from `begin` to `end`, bytes to `most`. */
function axesOf(svg, begin, end, most) {
  const x = at => left + (wide - left - right) * (at - begin) / Math.max(1, end - begin), y = bytes => high - bottom - (high - top - bottom) * bytes / Math.max(1, most);
  const say = (text, at, anchor) => { drawn("text", {...at, "text-anchor": anchor}, svg).textContent = text; };
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    drawn("line", {x1: left, x2: wide - right, y1: y(part * most), y2: y(part * most), class: "grid"}, svg);
    if (part === 0 || part === 0.5 || part === 1) say(bytesText(part * most), {x: left - 6, y: y(part * most) + 4}, "end");
    say(timeText(begin + part * (end - begin)), {x: x(begin + part * (end - begin)), y: high - 6}, part === 0 ? "start" : part === 1 ? "end" : "middle");
  }
  return {x, y};
}

/** The range that other views show. */
function drawRange(svg, app, x) {
  const [from, to] = app.range.map(one => Math.min(wide - right, Math.max(left, x(one))));
  if (to > from) drawn("rect", {x: from, y: top, width: to - from, height: high - top - bottom, class: "range"}, svg);
}

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), choice = field(line, "tensors in", {id: "memory-of"}, "select"), says = element("span", null, line, {class: "soft"});
  const tensors = element("div", null, root, {id: "memory-tensors"}), line2 = element("p", null, root), pe = field(line2, "tiles in", {id: "memory-pe"}, "select"), says2 = element("span", null, line2, {class: "soft"});
  const tiles = element("div", null, root, {id: "memory-tiles"});
  let memories = /** @type {Memory[]} */ ([]), tcms = /** @type {ReturnType<typeof tilesOf>} */ ([]), madeOf = null;
  const pick = (memory, one) => app.set({picked: {kind: "facts", of: one.name, facts: [["memory", `${memory.memory} of ${memory.place}`], ["most at once", `${bytesText(one.most)} (${one.most} B)`], ["of the most in use", percent(one.most, memory.most)],
    ["allocated", one.count === 1 ? "once" : `${one.count} times`], ["first at", exactTime(one.firstAt)], ["at the end", bytesText(one.steps.at(-1)?.bytes ?? 0)]]}});

  /** Areas of tensors, one on the other; all beyond the largest ones together. */
  function drawAreas(svg, memory, x, y, end) {
    const times = [...new Set(memory.total.map(one => one.at))].concat(end), large = memory.tensors.slice(0, shown), rest = memory.tensors.slice(shown);
    const parts = large.map((one, i) => ({name: one.name, color: colors[i], one, at: time => bytesAt(one.steps, time)}));
    if (rest.length) parts.push({name: `${rest.length} smaller ones`, color: colors[shown], one: null, at: time => rest.reduce((sum, one) => sum + bytesAt(one.steps, time), 0)});
    const below = times.map(() => 0);
    for (const part of parts) {
      const heights = times.map(time => part.at(time)), upper = [], lower = [];
      for (let i = 0; i + 1 < times.length; ++i) {
        for (const at of [times[i], times[i + 1]]) { upper.push(`${x(at)},${y(below[i] + heights[i])}`); lower.push(`${x(at)},${y(below[i])}`); }
      }
      heights.forEach((bytes, i) => { below[i] += bytes; });
      const area = drawn("polygon", {points: [...upper, ...lower.reverse()].join(" "), fill: part.color, "data-name": part.name}, svg);
      drawn("title", {}, area).textContent = part.one ? `${part.name}: at most ${bytesText(part.one.most)}` : part.name;
      if (part.one) area.addEventListener("click", () => pick(memory, part.one));
    }
    return parts;
  }
  function drawTensors() {
    tensors.replaceChildren();
    const memory = memories[+choice.value];
    line.hidden = !memory;
    if (!memory) return;
    const end = Math.max(app.run.total, memory.total.at(-1)?.at ?? 0);
    says.textContent = ` at most ${bytesText(memory.most)}, from ${timeText(memory.mostAt)} on; replicas are in it`;
    const svg = drawn("svg", {viewBox: `0 0 ${wide} ${high}`, class: "memory", role: "img", "aria-label": `bytes of tensors over time, at most ${bytesText(memory.most)}`}, tensors);
    const {x, y} = axesOf(svg, 0, end, memory.most), parts = drawAreas(svg, memory, x, y, end);
    drawRange(svg, app, x);
    const legend = element("p", null, tensors);
    for (const part of parts) {
      const item = element(part.one ? "button" : "span", null, legend, part.one ? {type: "button", class: "link legend"} : {class: "legend"});
      element("span", null, item, {class: "swatch"}).style.background = part.color;
      item.append(part.one ? `${part.name} ${bytesText(part.one.most)}` : part.name);
      if (part.one) item.addEventListener("click", () => pick(memory, part.one));
    }
  }
  function drawTiles() {
    tiles.replaceChildren();
    const tcm = tcms[+pe.value], {uses} = app.run;
    line2.hidden = !tcm;
    if (!tcm) return;
    says2.textContent = ` at most ${bytesText(tcm.most)} of the ${bytesText(tcm.size)} that tiles may take (${percent(tcm.most, tcm.size)}); the most in each window of time`;
    const svg = drawn("svg", {viewBox: `0 0 ${wide} ${high}`, class: "memory", role: "img", "aria-label": `bytes of tiles in ${tcm.of} over time`}, tiles), {x, y} = axesOf(svg, uses.begin, uses.end, tcm.most);
    const at = i => (uses.window > 0 ? Math.min(uses.end, uses.begin + i * uses.window) : i ? uses.end : uses.begin);
    const points = tcm.values.flatMap((bytes, i) => [`${x(at(i))},${y(bytes)}`, `${x(at(i + 1))},${y(bytes)}`]);
    const area = drawn("polygon", {points: [`${x(at(0))},${y(0)}`, ...points, `${x(at(tcm.values.length))},${y(0)}`].join(" "), fill: colors[0], "data-of": tcm.of}, svg);
    area.addEventListener("click", () => app.set({picked: {kind: "unit", of: tcm.of}}));
    drawRange(svg, app, x);
  }
  choice.addEventListener("change", drawTensors);
  pe.addEventListener("change", drawTiles);
  return {
    show(changed) {
      const isOther = madeOf !== app.run;
      if (isOther) {
        madeOf = app.run;
        memories = memoriesOf(app.run.raw);
        tcms = tilesOf(app.run);
        choice.replaceChildren(...memories.map((one, i) => element("option", `${one.memory} of ${one.place}, ${bytesText(one.most)}`, null, {value: i})));
        pe.replaceChildren(...tcms.slice(0, 1000).map((one, i) => element("option", `${one.of}, ${bytesText(one.most)}`, null, {value: i})));
      }
      if (isOther || changed.has("range") || changed.has("path")) { drawTensors(); drawTiles(); }
      return memories.length + tcms.length > 0;
    },
    csv: () => toCsv([["place", "memory", "name", "most_bytes", "allocations"], ...memories.flatMap(memory => memory.tensors.map(one => [memory.place, memory.memory, one.name, one.most, one.count])),
                      ...tcms.map(one => [one.of, "tiles", "", one.most, ""])]),
    get memories() { return memories; },
    get tcms() { return tcms; },
  };
}

/** @type {import("../page.js").ViewKind} */
export const memory = {id: "memory", title: "Memory", sentence: "Bytes of tensors that the host's program allocated, and of tiles that kernels hold in TCM.", make};
