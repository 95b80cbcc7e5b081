// The drawing of a network without a machine: nodes where their file says, or in layers.
import {drawn} from "./dom.js";

// Nodes that a link joins, by the number of a node.
function neighboursOf({nodes, links}, shown) {
  const among = new Set(shown), next = new Map(shown.map(node => [node, new Set()]));
  for (const {from, to} of links) {
    const [a, b] = [nodes[from], nodes[to]];
    if (a === b || !among.has(a) || !among.has(b)) continue;
    next.get(a).add(b); next.get(b).add(a);
  }
  return next;
}

// How many links lie between a node and each that it reaches.
function distancesFrom(root, next) {
  const far = new Map([[root, 0]]), queue = [root];
  for (const node of queue)
    for (const other of next.get(node))
      if (!far.has(other)) { far.set(other, far.get(node) + 1); queue.push(other); }
  return far;
}

// In the midst of what it reaches: its farthest is nearest; of several the one with most links, the first of these.
function middleOf(nodes, next) {
  let best = null;
  for (const node of nodes) {
    const rank = [Math.max(...distancesFrom(node, next).values()), -next.get(node).size];
    if (!best || rank[0] < best.rank[0] || (rank[0] === best.rank[0] && rank[1] < best.rank[1])) best = {node, rank};
  }
  return best.node;
}

// Rows of nodes: by their distance from the middle of their part, a long layer in several, each node near those above.
function layersOf(network, shown) {
  const next = neighboursOf(network, shown), left = new Set(shown), rows = [], most = Math.max(4, Math.ceil(2 * Math.sqrt(shown.length)));
  while (left.size) {
    const part = [...distancesFrom([...left][0], next).keys()], far = distancesFrom(middleOf(part, next), next), layers = [];
    for (const node of shown) if (far.has(node)) (layers[far.get(node)] ??= []).push(node);
    const column = new Map();
    for (const layer of layers) {
      const above = node => { const xs = [...next.get(node)].filter(one => column.has(one)).map(one => column.get(one)); return xs.length ? xs.reduce((a, b) => a + b, 0) / xs.length : 0; };
      const order = new Map(layer.map(node => [node, above(node)]));
      layer.sort((a, b) => order.get(a) - order.get(b));
      for (let i = 0; i < layer.length; i += most) rows.push(layer.slice(i, i + most));
      layer.forEach((node, i) => column.set(node, i - (layer.length - 1) / 2));
    }
    for (const node of part) left.delete(node);
  }
  return rows;
}

// A row in which links pass over nodes isn't one: its file says no columns.
function isNoRow({nodes, links}, shown) {
  if (shown.length < 3 || new Set(shown.map(node => node.y_mm)).size > 1) return false;
  const place = new Map([...shown].sort((a, b) => a.x_mm - b.x_mm).map((node, i) => [node, i]));
  return links.some(({from, to, wraps}) => !wraps && Math.abs(place.get(nodes[from]) - place.get(nodes[to])) > 1);
}

// Column and line of each node that is shown.
function placesOf(network, shown) {
  const order = name => new Map([...new Set(shown.map(node => node[name]))].sort((a, b) => a - b).map((value, i) => [value, i]));
  const own = new Set(shown.map(node => `${node.x_mm} ${node.y_mm}`)).size === shown.length;
  if (own && !isNoRow(network, shown)) {
    const [columns, lines] = [order("x_mm"), order("y_mm")];
    return new Map(shown.map(node => [node, [columns.get(node.x_mm), lines.get(node.y_mm)]]));
  }
  const rows = layersOf(network, shown), wide = Math.max(...rows.map(row => row.length)), place = new Map();
  rows.forEach((row, y) => row.forEach((node, i) => place.set(node, [i + (wide - row.length) / 2, y])));
  return place;
}

/** A drawing of nodes and links, made node by node: every name is text. */
export function networkDrawing(network) {
  const pitch = 90, size = 34, make = drawn;
  const {nodes, links} = network, routers = nodes.filter(node => !node.endpoint);
  const shown = routers.length ? routers : nodes, place = placesOf(network, shown);
  // Endpoints stand at the corner of the first node that they are joined to.
  const at = node => place.get(node).map(value => 50 + pitch * value), joined = new Map();
  for (const {from, to} of links) {
    const [a, b] = [nodes[from], nodes[to]];
    if (!place.has(a) && place.has(b)) joined.set(a, joined.get(a) ?? b);
    if (!place.has(b) && place.has(a)) joined.set(b, joined.get(b) ?? a);
  }
  const all = [...place.keys()].map(at), most = axis => Math.max(...all.map(point => point[axis])) + 50;
  const svg = make("svg", {viewBox: `0 0 ${most(0)} ${most(1)}`, role: "img", "aria-label": "network"});
  svg.style.maxWidth = 1.6 * most(0) + "px";
  const seen = new Set();
  for (const {from, to, wraps} of links) {
    const [a, b] = [nodes[from], nodes[to]], key = [from, to].sort((x, y) => x - y).join();
    if (seen.has(key) || !place.has(a) || !place.has(b)) continue;
    seen.add(key);
    const [x, y] = at(a), [u, v] = at(b), far = Math.max(Math.abs(x - u), Math.abs(y - v)) > 1.5 * pitch;
    const bend = wraps || (far && (x === u || y === v)) ? 0.28 * pitch : 0;  // around the nodes between them
    make("path", {"data-of": `${a.name}|${b.name}`, d: `M${x} ${y}Q${(x + u) / 2 + (x === u ? bend : 0)} ${(y + v) / 2 + (y === v ? bend : 0)} ${u} ${v}`,
                  fill: "none", stroke: "#bbb", "stroke-width": 7}, svg);
  }
  const box = (node, x, y, wide) => make("rect", {"data-of": node.name, x: x - wide / 2, y: y - wide / 2, width: wide, height: wide, rx: 3, fill: "#e8eaed", stroke: "#888"}, svg);
  for (const node of place.keys()) {
    const [x, y] = at(node);
    box(node, x, y, size);
    make("text", {x, y: y + 3, "text-anchor": "middle", "font-size": 9, "pointer-events": "none"}, svg).textContent = node.name;
  }
  for (const [node, router] of joined) { const [x, y] = at(router); box(node, x + size * 0.7, y - size * 0.7, size / 3); }
  return svg;
}
