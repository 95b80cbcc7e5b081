// A heat map: the metric over two axes, as a colour.
import {element, shortened} from "../dom.js";
import {begin, css, fitted, makeCanvas, ticksOf} from "../canvas.js";
import {chooser, refill, toggle} from "../choice.js";
import {toCsv} from "../csv.js";
import {hideHint, showHint} from "../hint.js";
import {bestOf, companions} from "../sweep.js";
import {exactText, metricText} from "../sweep_numbers.js";

/** @typedef {import("../sweep_state.js").SweepApp} SweepApp @typedef {import("../sweep.js").Axis} Axis */
/** @typedef {{xs: number[], ys: number[], at: Map<string, {point: number, count: number}>, low: number, high: number}} Cells  point: the best of a cell */

const stops = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];

/** A colour of viridis, which has an order without colours, too. @param {number} share */
function colorOf(share) {
  const at = Math.min(1, Math.max(0, share)) * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(at));
  return stops[i].map((from, k) => Math.round(from + (stops[i + 1][k] - from) * (at - i)));
}

/** Axes that neither x nor y says anything about. @param {SweepApp} app */
const otherAxes = app => app.sweep.groups.map(group => group[0]).filter(axis => !companions(app.sweep, app.mapX).includes(axis) && !companions(app.sweep, app.mapY).includes(axis));

/** @param {SweepApp} app @returns {Cells} */
function cellsOf(app) {
  const {sweep, metric, larger, mapX, mapY} = app, fixed = otherAxes(app).filter(axis => app.choice.fixed.has(axis.index));
  const points = app.shown.filter(point => fixed.every(axis => axis.at[point] === app.choice.fixed.get(axis.index)));
  const order = axis => { const used = [...new Set(points.map(point => axis.at[point]))]; return used.sort((a, b) => (axis.numbers ? axis.numbers[a] - axis.numbers[b] : a - b)); };
  /** @type {Map<string, number[]>} */
  const groups = new Map(), at = new Map();
  for (const point of points) {
    const key = mapX.at[point] + "," + mapY.at[point], one = groups.get(key);
    if (one) one.push(point); else groups.set(key, [point]);
  }
  let low = Infinity, high = -Infinity;
  for (const [key, all] of groups) {
    const best = bestOf(metric, larger, all), point = best >= 0 ? best : all.find(sweep.failed) ?? all[0];
    at.set(key, {point, count: all.length});
    if (best >= 0) { low = Math.min(low, metric.of(best)); high = Math.max(high, metric.of(best)); }
  }
  return {xs: order(mapX), ys: order(mapY), at, low, high};
}

/** Texts of values in as many digits as all cells have room for; none if one digit is too wide. */
function shortest(pen, values, unit, width) {
  for (const digits of width < 16 ? [] : [4, 3, 2]) {
    const text = value => metricText(+value.toPrecision(digits), unit);
    if (values.every(value => pen.measureText(text(value)).width <= width)) return text;
  }
  return () => "";
}

/** @param {HTMLCanvasElement} canvas @param {SweepApp} app @param {Cells} cells @param {{x: number, y: number} | null} here */
function drawMap(canvas, app, cells, here) {
  const {metric, mapX, mapY, sweep} = app, {xs, ys, at, low, high} = cells, rowHeight = Math.max(4, Math.min(34, 520 / Math.max(1, ys.length)));
  const {pen, width, height} = begin(canvas, Math.round(60 + rowHeight * ys.length + 44));
  const log = app.choice.log_map && low > 0, share = value => (high > low ? (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low)) : 0.5);
  const names = ys.map(i => fitted(pen, mapY.values[i], 150));
  const left = 34 + Math.max(20, ...names.map(name => pen.measureText(name).width)), right = width - 130, top = 12, bottom = height - 52;
  const wide = (right - left) / Math.max(1, xs.length), high1 = (bottom - top) / Math.max(1, ys.length);
  const rect = (i, j) => [left + i * wide, bottom - (j + 1) * high1, wide, high1];
  const textOf = shortest(pen, [...at.values()].map(cell => metric.of(cell.point)).filter(isFinite), metric.unit, wide - 5);
  pen.textAlign = "center"; pen.textBaseline = "middle";
  for (let j = 0; j < ys.length; ++j) for (let i = 0; i < xs.length; ++i) {
    const cell = at.get(xs[i] + "," + ys[j]), [x, y, w, h] = rect(i, j), value = cell ? metric.of(cell.point) : NaN;
    if (!cell) continue;
    const [r, g, b] = isFinite(value) ? colorOf(share(value)) : [0, 0, 0];
    pen.fillStyle = isFinite(value) ? `rgb(${r} ${g} ${b})` : css("--idle");
    pen.fillRect(x, y, Math.max(1, w - (w > 6 ? 1 : 0)), Math.max(1, h - (h > 6 ? 1 : 0)));
    const text = isFinite(value) ? textOf(value) : sweep.hasRun(cell.point) ? "✕" : "–";
    pen.fillStyle = isFinite(value) ? (0.299 * r + 0.587 * g + 0.114 * b > 130 ? "#000" : "#fff") : css("--bad");
    if (h >= 13 && w >= 13) pen.fillText(text, x + w / 2, y + h / 2);
  }
  const outline = (color, of) => {
    for (let j = 0; j < ys.length; ++j) for (let i = 0; i < xs.length; ++i)
      if (of(at.get(xs[i] + "," + ys[j]), i, j)) {
        const [x, y, w, h] = rect(i, j);
        for (const [wide, tone] of [[5, "#000"], [3, color]]) { pen.strokeStyle = tone; pen.lineWidth = wide; pen.strokeRect(x + 1, y + 1, Math.max(2, w - 3), Math.max(2, h - 3)); }
      }
  };
  outline("#fff", cell => cell && cell.point === app.best);
  outline(css("--mark"), (cell, i, j) => (cell && cell.point === app.choice.point) || (here && here.x === i && here.y === j));
  pen.fillStyle = css("--text");
  pen.textBaseline = "top";
  const every = Math.max(1, Math.ceil(36 / wide));
  xs.forEach((i, k) => { if (k % every === 0) pen.fillText(fitted(pen, mapX.values[i], wide * every - 4), left + (k + 0.5) * wide, bottom + 5); });
  pen.textAlign = "right"; pen.textBaseline = "middle";
  const each = Math.max(1, Math.ceil(13 / high1));
  names.forEach((name, k) => { if (k % each === 0) pen.fillText(name, left - 6, bottom - (k + 0.5) * high1); });
  pen.fillStyle = css("--soft"); pen.textAlign = "center"; pen.textBaseline = "top";
  pen.fillText(fitted(pen, mapX.name, right - left), (left + right) / 2, bottom + 26);
  pen.save(); pen.translate(2, (top + bottom) / 2); pen.rotate(-Math.PI / 2); pen.fillText(fitted(pen, mapY.name, Math.max(60, bottom - top)), 0, 0); pen.restore();
  if (isFinite(low)) drawBar(pen, {left: right + 20, top, bottom, low, high, log, share}, value => metricText(value, metric.unit));
  return {rect, cellAt: (x, y) => { const i = Math.floor((x - left) / wide), j = Math.floor((bottom - y) / high1); return i >= 0 && j >= 0 && i < xs.length && j < ys.length ? {x: i, y: j} : null; }};
}

/** The colours with their values. */
function drawBar(pen, {left, top, bottom, low, high, log, share}, text) {
  const steps = 60, tall = bottom - top;
  for (let i = 0; i < steps; ++i) {
    pen.fillStyle = `rgb(${colorOf((i + 0.5) / steps).join(" ")})`;
    pen.fillRect(left, bottom - (i + 1) * tall / steps, 14, tall / steps + 0.5);
  }
  pen.fillStyle = css("--text"); pen.textAlign = "left"; pen.textBaseline = "middle";
  const inner = high > low ? ticksOf(low, high, log, Math.max(1, Math.min(5, tall / 40))) : [];
  const ys = [];
  for (const value of [low, high, ...inner].filter(isFinite)) {
    const y = Math.min(bottom - 5, Math.max(top + 6, bottom - share(value) * tall));
    if (ys.some(one => Math.abs(one - y) < 13)) continue;
    ys.push(y);
    pen.fillText(text(value), left + 19, y);
  }
}

/** @param {HTMLElement} root @param {SweepApp} app */
function make(root, app) {
  const {sweep} = app, tools = element("p", null, root, {class: "choices"}), box = element("div", null, root);
  const canvas = makeCanvas(box, "heat map: arrows go from cell to cell, Enter picks");
  /** @type {Cells} */
  let cells = {xs: [], ys: [], at: new Map(), low: 0, high: 0};
  let here = /** @type {{x: number, y: number} | null} */ (null), place = /** @type {any} */ (null);
  const cellAt = spot => (spot ? cells.at.get(cells.xs[spot.x] + "," + cells.ys[spot.y]) : undefined);
  const draw = () => { if (app.metric && app.mapY) place = drawMap(canvas, app, cells, here); };
  function fillTools() {
    const {mapX, mapY} = app;
    const name = axis => /** @type {[string, string]} */ ([axis.name, axis.name]);
    chooser(tools, "x", sweep.varied.map(name), mapX.name, map_x => app.set({map_x, map_y: mapY && companions(sweep, mapY).some(axis => axis.name === map_x) ? mapX.name : app.choice.map_y}), {id: "map-x"});
    chooser(tools, "y", sweep.varied.filter(axis => !companions(sweep, mapX).includes(axis)).map(name), mapY.name, map_y => app.set({map_y}), {id: "map-y"});
    for (const axis of otherAxes(app)) {
      const value = app.choice.fixed.get(axis.index);
      chooser(tools, shortened(axis.name), [["", "the best"], ...axis.values.map((text, i) => /** @type {[string, string]} */ ([String(i), text]))], value === undefined ? "" : String(value), text => {
        const fixed = new Map(app.choice.fixed);
        if (text === "") fixed.delete(axis.index); else fixed.set(axis.index, Number(text));
        app.set({fixed});
      }, {id: `at-${axis.index}`, "data-axis": axis.name});
    }
    toggle(tools, "log colour", app.choice.log_map, log_map => app.set({log_map}), cells.low > 0 ? "" : "only positive values have a logarithm", {id: "log-map"});
  }
  function goTo(spot) {
    here = spot;
    draw();
    const cell = cellAt(spot);
    if (!cell) return hideHint();
    const [x, y, w, h] = place.rect(spot.x, spot.y), at = canvas.getBoundingClientRect(), value = app.metric.of(cell.point);
    const end = isFinite(value) ? `${app.metric.name} = ${exactText(value, app.metric.unit)}` : sweep.hasRun(cell.point) ? `failed: ${sweep.message(cell.point)}` : "hasn't run";
    showHint(at.left + x + w / 2, at.top + y + h / 2, [`${app.mapX.name} = ${app.mapX.values[cells.xs[spot.x]]}`, `${app.mapY.name} = ${app.mapY.values[cells.ys[spot.y]]}`, end,
      (cell.count > 1 ? `best of ${cell.count} points: ` : "") + `point ${sweep.number(cell.point)}`]);
  }
  const pick = spot => { const cell = cellAt(spot); if (cell) app.set({point: cell.point}); };
  const spotOf = event => { const at = canvas.getBoundingClientRect(); return place?.cellAt(event.clientX - at.left, event.clientY - at.top) ?? null; };
  canvas.addEventListener("mousemove", event => { const spot = spotOf(event); canvas.style.cursor = cellAt(spot) ? "pointer" : ""; if (spot?.x !== here?.x || spot?.y !== here?.y) goTo(spot); });
  for (const name of ["mouseleave", "blur"]) canvas.addEventListener(name, () => { if (here) goTo(null); });
  canvas.addEventListener("click", event => pick(spotOf(event)));
  canvas.addEventListener("keydown", event => {
    const by = (dx, dy) => goTo(here ? {x: Math.min(cells.xs.length - 1, Math.max(0, here.x + dx)), y: Math.min(cells.ys.length - 1, Math.max(0, here.y + dy))} : {x: 0, y: 0});
    const keys = {ArrowLeft: () => by(-1, 0), ArrowRight: () => by(1, 0), ArrowUp: () => by(0, 1), ArrowDown: () => by(0, -1), Enter: () => pick(here), Escape: () => goTo(null)};
    if (keys[event.key] && place) { event.preventDefault(); keys[event.key](); }
  });
  addEventListener("resize", draw);
  const table = () => cells.ys.map(j => cells.xs.map(i => { const cell = cells.at.get(i + "," + j), value = cell ? app.metric.of(cell.point) : NaN; return isFinite(value) ? value : ""; }));
  return {
    show(changed) {
      if (!app.metric || !app.mapX || !app.mapY) return false;
      const data = ["metric", "goal", "hidden", "map_x", "map_y", "fixed", "all"].some(one => changed.has(one));
      if (!data && !changed.has("log_map") && !changed.has("point")) return true;
      if (data) { cells = cellsOf(app); here = null; }
      if (data || changed.has("log_map")) refill(tools, fillTools);
      draw();
      return true;
    },
    csv: () => toCsv([[`${app.mapY.name} / ${app.mapX.name}`, ...cells.xs.map(i => app.mapX.values[i])], ...table().map((row, j) => [app.mapY.values[cells.ys[j]], ...row])]),
    canvas, table,
    middle: (i, j) => { const [x, y, w, h] = place.rect(i, j); return [x + w / 2, y + h / 2]; },
  };
}

export const sweepMap = {id: "map", title: "Heat map", sentence: "The metric over two axes. Of the other axes a cell has the best point, or the value that you choose.", make};
