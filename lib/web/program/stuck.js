// A deadlock on the machine's drawing: its nodes are marked, and an arrow leads from each to the one it waits for.
import {drawn} from "./dom.js";
import {cyclesOf} from "./diagnoses.js";

/** The shape of a node, or of the nearest part of the machine around it. @param {{node: any, of: string}[]} shapes @param {string} name @param {(shape: any) => string} nameOf */
function shapeAt(shapes, name, nameOf) {
  for (let of = name; of; of = of.includes(".") ? of.slice(0, of.lastIndexOf(".")) : "") {
    const found = shapes.find(shape => nameOf(shape) === of);
    if (found) return found;
  }
  return null;
}

const cubeOf = name => name.split(".").slice(0, 2).join(".");

/** Names of an arrow's ends: PEs of one cube, or two cubes. */
const ends = (from, to) => (cubeOf(from) === cubeOf(to) ? [from, to] : [cubeOf(from), cubeOf(to)]);

const middleOf = node => { const box = node.getBBox(); return {x: box.x + box.width / 2, y: box.y + box.height / 2, half: Math.min(box.width, box.height) / 2}; };

/** An arrow between two shapes that bends to its left, so that two opposite ones stand apart. */
function arrow(svg, a, b, title) {
  const [one, two] = [middleOf(a), middleOf(b)], dx = two.x - one.x, dy = two.y - one.y, length = Math.hypot(dx, dy);
  if (!(length > 0)) return;
  const unit = {x: dx / length, y: dy / length}, bend = Math.max(12, Math.min(0.25 * length, 40)), size = 9, aside = 0.5 * Math.min(one.half, two.half);
  const moved = (at, by) => ({x: at.x + by * unit.x - aside * unit.y, y: at.y + by * unit.y + aside * unit.x});
  const from = moved(one, 0.6 * one.half), to = moved(two, -0.6 * two.half);
  const middle = {x: (from.x + to.x) / 2 - bend * unit.y, y: (from.y + to.y) / 2 + bend * unit.x}, angle = Math.atan2(to.y - middle.y, to.x - middle.x);
  const group = drawn("g", {class: "stuck-arrow"}, svg), corner = turn => `${to.x + size * Math.cos(angle + turn)},${to.y + size * Math.sin(angle + turn)}`;
  drawn("title", {}, group).textContent = title;
  drawn("path", {d: `M ${from.x} ${from.y} Q ${middle.x} ${middle.y} ${to.x} ${to.y}`}, group);
  drawn("polygon", {points: [`${to.x},${to.y}`, corner(2.7), corner(-2.7)].join(" ")}, group);
}

/**
 * Marks the nodes of a run's deadlocks (class "stuck") and draws who waits for whom.
 * @param {HTMLElement} drawing @param {{node: any, of: string}[]} shapes @param {(shape: any) => string} nameOf @param {any} raw
 */
export function drawStuck(drawing, shapes, nameOf, raw) {
  drawing.querySelectorAll(".stuck-arrow").forEach(one => one.remove());
  for (const {node} of shapes) node.classList.remove("stuck");
  const svg = drawing.querySelector("svg");
  if (!svg) return;
  for (const {from, to, why} of cyclesOf(raw).flat()) {
    for (const name of [from, to]) shapeAt(shapes, name, nameOf)?.node.classList.add("stuck");
    const [a, b] = ends(from, to).map(name => shapeAt(shapes, name, nameOf));
    for (const shape of [a, b]) shape?.node.classList.add("stuck");
    if (a && b) arrow(svg, a.node, b.node, `${from} waits for ${to}: ${why}`);
  }
}
