// Curves over numbers, drawn by uPlot.
import {colors} from "./dom.js";

/**
 * A chart of lines.
 * @param {HTMLElement} parent
 * @param {{title?: string, x?: string, y?: string, log_x?: boolean, log_y?: boolean, bound?: number}} figure
 * @param {number[]} xs
 * @param {{label: string, values: (number | null)[], dots?: boolean}[]} lines
 * @param {number} width
 */
export function plot(parent, figure, xs, lines, width) {
  const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = label => ({label, stroke: () => css("--text"), grid: {stroke: () => css("--line")}, ticks: {stroke: () => css("--line")}});
  const isBound = label => /bound|limit|roof|link:|ideal|peak/i.test(label);
  return new uPlot({
    title: figure.title, width, height: 320,
    scales: {x: {time: false, distr: figure.log_x ? 3 : 1}, y: {distr: figure.log_y ? 3 : 1, range: figure.log_y ? undefined : (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.08 : 1]}},
    axes: [axis(figure.x), axis(figure.y)],
    hooks: figure.bound ? {draw: [chart => drawBound(chart, figure.bound, css("--soft"))]} : {},
    series: [{label: figure.x || "x"}, ...lines.map((line, i) => ({label: line.label, stroke: colors[i % colors.length], width: 2, dash: isBound(line.label) ? [8, 5] : [], ...(line.dots ? {paths: () => null, points: {show: true, size: 5}} : {points: {show: xs.length < 60}})}))],
  }, [xs, ...lines.map(line => line.values)], parent);
}

/** An upright line where the load is as much as can be. */
function drawBound(chart, bound, color) {
  const x = chart.valToPos(bound, "x", true), {left, top, width, height} = chart.bbox, pen = chart.ctx;
  if (x < left || x > left + width) return;
  pen.save();
  pen.strokeStyle = pen.fillStyle = color; pen.setLineDash([8, 5]); pen.lineWidth = 2;
  pen.beginPath(); pen.moveTo(x, top); pen.lineTo(x, top + height); pen.stroke();
  pen.textAlign = "right"; pen.fillText("bound", x - 6, top + 14);
  pen.restore();
}

