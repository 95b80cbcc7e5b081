// The tree of a timeline's rows: package, cube, PE, unit. Links stand in a group of the part that both ends are in.
import {unitOf} from "../uses.js";

/**
 * @typedef {{id: string, name: string, label: string, kind: "root" | "part" | "unit" | "link" | "links" | "alike",
 *            parent: Node | null, group: Node | null, children: Node[], rows: number[]}} Node
 *   `rows` are the lanes of the node itself, `group` the line of alike nodes that it is in
 * @typedef {ReturnType<typeof makeTree>} Tree
 */

/** @returns {Node} */
const nodeOf = (kind, id, name, label, parent) => ({id, name, label, kind, parent, group: null, children: [], rows: []});

const isLink = label => /^[^\s>]+>[^\s>]+( [^ ]*)?$/.test(label);

/** "sip0.cube1.pe2.pe_dma read" in at most four parts. @param {string} label */
function partsOf(label) {
  const parts = [];
  let from = 0;
  for (let dot = label.indexOf("."); dot >= 0 && parts.length < 3; dot = label.indexOf(".", from)) {
    parts.push(label.slice(from, dot));
    from = dot + 1;
  }
  return [...parts, label.slice(from)];
}

/** The cube or package that both ends of a link are in; "": none. @param {string} link */
export function commonPart(link) {
  const [a, b] = unitOf(link).split(">").map(partsOf);
  let same = 0;
  while (same < 2 && same < Math.min(a.length, b.length) - 1 && a[same] === b[same]) ++same;
  return a.slice(0, same).join(".");
}

/** The states of such a part stand for one thing. @param {Node} node */
export const isWhole = node => node.kind === "part" && /^(pe|rank)\d+$/.test(node.name);

/** Nodes of rows. @param {import("./slices.js").Row[]} rows */
export function makeTree(rows) {
  const root = nodeOf("root", "", "", "", null), byId = new Map(), last = [];

  function add(kind, id, name, label, parent, to = parent.children) {
    const node = nodeOf(kind, id, name, label, parent);
    byId.set(id, node);
    to.push(node);
    return node;
  }
  function partOf(parts) {
    let node = root, id = "";
    for (const name of parts) {
      id = id ? id + "." + name : name;
      node = byId.get(id) ?? add("part", id, name, id, node);
    }
    return node;
  }
  function linksOf(part) {
    const id = part + " links", above = partOf(part ? part.split(".") : []);
    if (byId.has(id)) return byId.get(id);
    const group = nodeOf("links", id, part ? "links" : "between packages", part ? id : "between packages", above);
    byId.set(id, group);
    last.push(group);
    return group;
  }
  function addLink(label) {
    const part = commonPart(label), group = linksOf(part);
    return add("link", label, part ? label.replaceAll(part + ".", "") : label, label, group);
  }
  function addUnit(label) {
    const parts = partsOf(label), name = parts.pop() ?? "";
    return add("unit", label, name, label, partOf(parts));
  }
  const ofRow = rows.map(({label}, i) => {
    const node = byId.get(label) ?? (isLink(label) ? addLink(label) : addUnit(label));
    node.rows.push(i);
    return node;
  });
  for (const group of last) group.parent.children.push(group);

  const all = new Map();
  /** Rows of a node and of all below it. @param {Node} node @returns {number[]} */
  function rowsOf(node) {
    if (!all.has(node)) all.set(node, node.kind === "root" ? rows.map((_, i) => i) : node.children.flatMap(rowsOf).concat(node.kind === "alike" ? [] : node.rows));
    return all.get(node);
  }
  /** The things that the node's shares of states are the mean of: its PEs, or its units. @param {Node} node @returns {Node[]} */
  function wholesOf(node) {
    const found = [], units = [];
    const visit = one => {
      if (isWhole(one)) return void found.push(one);
      if (one.rows.length && one.kind !== "alike") units.push(one);
      one.children.forEach(visit);
    };
    visit(node);
    return found.length ? found : units;
  }
  /** The node of a place of a path, or of the smallest part that holds it. @param {string} place @returns {Node} */
  function nodeAt(place) {
    const unit = place.replace(/\.pe_cpu$/, ".kernel");
    for (const one of [place, unit, ...["recv", "send", "read", "write"].map(port => `${unit} ${port}`)]) if (byId.has(one)) return byId.get(one);
    if (isLink(place)) return byId.get(commonPart(place) + " links") ?? root;
    for (let parts = partsOf(place); parts.length; parts.pop()) if (byId.has(parts.join("."))) return byId.get(parts.join("."));
    return byId.get(" links") ?? root;
  }
  return {root, byId, ofRow, rowsOf, wholesOf, nodeAt};
}
