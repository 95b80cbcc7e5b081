// Names of lines at the left, as deep as they stand in the tree, with marks that fold and pin.
import {clipped} from "./letters.js";
import {rowHeight} from "./place.js";

/** Of a name: where its pin stands, its indent, and the room of ▸. */
export const pinWidth = 16, indent = 11, foldWidth = 13;

/** @param {import("./timeline.js").Chart} chart */
export function makeNameDrawing({pen, lines, state, place, colors}) {
  function drawPin(x, y, isPinned) {
    pen.beginPath();
    pen.arc(x + 8, y + 7, 3, 0, 2 * Math.PI);
    pen.moveTo(x + 8, y + 10); pen.lineTo(x + 8, y + 15);
    pen.strokeStyle = pen.fillStyle = isPinned ? colors.mark : colors.soft;
    pen.stroke();
    if (isPinned) pen.fill();
  }
  function drawFold(x, y, isOpen) {
    pen.fillStyle = colors.text;
    pen.beginPath();
    for (const [dx, dy] of isOpen ? [[0, 5], [8, 5], [4, 11]] : [[1, 4], [1, 12], [7, 8]]) pen.lineTo(x + dx, y + dy);
    pen.fill();
  }
  /** @param {import("./lines.js").Line} line @param {number} y @param {boolean} isPinned on top */
  return function drawLineName(line, y, isPinned) {
    const {node, isFirst} = line, {left} = place, isFocused = state.focus === node.id && !isPinned;
    if (isFocused) { pen.fillStyle = colors.band; pen.fillRect(0, y, left - 2, rowHeight); }
    if (isFocused && isFirst) { pen.strokeStyle = colors.mark; pen.strokeRect(0.5, y + 0.5, left - 3, rowHeight - 1); }
    if (!isFirst) return;
    const pins = lines.kept.pins.has(node.id);
    if (pins || isFocused || state.hover === node.id) drawPin(0, y, pins);
    const x = pinWidth + indent * Math.min(line.depth, 8) + foldWidth, isPart = node.children.length > 0;
    if (lines.isFoldable(node) && !isPinned) drawFold(x - foldWidth, y + 1, lines.isOpen(node));
    pen.font = isPart ? "600 11px sans-serif" : "11px sans-serif";
    pen.fillStyle = colors.text; pen.textAlign = "left";
    pen.fillText(clipped(pen, isPinned ? node.label : node.name, left - 6 - x), x, y + 13);
    pen.font = "11px sans-serif";
  };
}
