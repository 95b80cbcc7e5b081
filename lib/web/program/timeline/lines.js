// Lines of a timeline: the nodes of the tree as far as it is open, and those that a reader has pinned.
import {makeAlike, withoutNumbers} from "./alike.js";
import {filtered} from "./filter.js";

/**
 * @typedef {import("./tree.js").Node} Node
 * @typedef {{node: Node, row: number, depth: number, folded: boolean, isFirst: boolean}} Line
 *   `row` is the lane that it shows; −1: shares of states if it is folded, else nothing
 * @typedef {{open: Set<string> | null, pins: Set<string>, filter: string}} Kept  a reader's choices, which another timeline may take over
 */

/** Lines that stand at first, at most. */
const mostAtFirst = 46;
/** A unit of more lanes is folded. */
const mostLanes = 3;

/** @returns {Kept} */
export const noChoices = () => ({open: null, pins: new Set(), filter: ""});

/** @param {import("./slices.js").Slices} slices @param {import("./tree.js").Tree} tree @param {Kept} kept */
export function makeLines(slices, tree, kept) {
  const childrenOf = makeAlike(slices), lineOfRow = new Int32Array(slices.rows.length);
  const closed = new Set();  // nodes that the filter opened and the reader has folded
  let stands = null, /** @type {Line[]} */ lines = [], /** @type {Line[]} */ pinned = [];

  const isFoldable = node => node.children.length > 0 || node.rows.length > mostLanes;
  const isOpen = node => !isFoldable(node) || (stands?.get(node) === "opened" ? !closed.has(node.id) : kept.open.has(node.id));
  const lanesOf = node => (node.kind === "alike" ? node.children[0].rows : node.rows);

  /** Opens level by level, ranks before packages, as long as not too many lines stand: all ranks or one, packages one by one, cubes and PEs all or none. */
  function openFirst() {
    kept.open = new Set();
    const linesOf = nodes => nodes.reduce((sum, one) => sum + (isFoldable(one) ? 1 : one.rows.length), 0);
    let level = childrenOf(tree.root), count = linesOf(level);
    for (let isTop = true; level.length; isTop = false) {
      const next = [], byName = new Map();
      for (const node of level) {
        const name = withoutNumbers(node.name);
        if (isFoldable(node) && node.kind !== "links" && node.kind !== "alike" && !(node.children.length === 1 && node.children[0].kind === "links")) byName.set(name, [...(byName.get(name) ?? []), node]);
      }
      const ranks = byName.get("rank#") ?? [], others = [...byName].filter(([name]) => name !== "rank#").map(([, nodes]) => nodes);
      for (const nodes of [ranks, ranks.slice(0, 1), ...(isTop ? others.flat().map(one => [one]) : others)]) {
        if (!nodes.length || kept.open.has(nodes[0].id)) continue;
        const more = nodes.reduce((sum, one) => sum + (one.children.length ? linesOf(childrenOf(one)) : one.rows.length), 0);
        if (count + more > mostAtFirst) continue;
        count += more;
        for (const node of nodes) { kept.open.add(node.id); next.push(...childrenOf(node)); }
      }
      level = next;
    }
  }

  function add(node, depth, all) {
    const fits = all || stands === null || stands.get(node) === "fits";
    if (!fits && !stands.has(node)) return;
    const open = isOpen(node), folded = !open && !isSingle(node), at = lines.length;
    const rows = folded || (open && node.kind === "alike") ? [] : lanesOf(node);
    if (folded || !rows.length) lines.push({node, row: -1, depth, folded, isFirst: true});
    rows.forEach((row, i) => { lineOfRow[row] = lines.length; lines.push({node, row, depth, folded: false, isFirst: i === 0}); });
    if (!open) for (const row of tree.rowsOf(node)) lineOfRow[row] = at;
    else for (const one of childrenOf(node)) add(one, depth + 1, fits && stands !== null);
  }
  /** Alike units, of one lane or a few, stand as the first of them. */
  const isSingle = node => node.kind === "alike" && node.children[0].children.length === 0 && node.children[0].rows.length <= mostLanes;

  function lay() {
    if (kept.open === null) openFirst();
    stands = filtered(tree.root, childrenOf, kept.filter);
    lines = [];
    lineOfRow.fill(-1);
    for (const one of childrenOf(tree.root)) add(one, 0, false);
    pinned = [...kept.pins].map(nodeById).filter(Boolean).flatMap(node => {
      const rows = node.rows.length <= mostLanes && !node.children.length ? node.rows : isSingle(node) ? lanesOf(node) : [];
      const folded = rows.length === 0;
      return (folded ? [-1] : rows).map((row, i) => ({node, row, depth: 0, folded, isFirst: i === 0}));
    });
  }
  /** A node by its id, alike ones as well. @param {string} id @returns {Node | null} */
  function nodeById(id) {
    const isGroup = id.startsWith("alike "), node = tree.byId.get(isGroup ? id.slice(6) : id);
    if (!node || node === tree.root) return null;
    aboveOf(node);
    return isGroup ? node.group : node;
  }
  /** The nodes around a node, the outermost first. @param {Node} node */
  function aboveOf(node) {
    const all = [];
    for (let one = node.kind === "alike" ? node.parent : node; one; one = one.parent) all.unshift(one);
    const around = [];
    for (const one of all) {
      if (one.kind !== "root") { if (one.group) around.push(one.group); if (one !== node) around.push(one); }
      childrenOf(one);
    }
    return around;
  }
  lay();
  return {
    get all() { return lines; },
    get pinned() { return pinned; },
    /** By row: its line, or the folded line that it is in; −1: the filter hides it. */
    lineOfRow, childrenOf, isFoldable, isOpen, nodeById, lay, kept,
    /** Rows of the slices that a line stands for. @param {Line} line @returns {number[]} */
    rowsOf: line => (line.folded || (line.node.kind === "alike" && !isOpen(line.node)) ? tree.rowsOf(line.node) : line.row >= 0 ? [line.row] : []),
    /** The line that a node is in: its own, or that of a folded node around it; −1: none. @param {Node} node */
    lineOf(node) {
      const around = [...aboveOf(node), node];
      const shown = around.find(one => !isOpen(one)) ?? node;
      return lines.findIndex(one => one.node === shown);
    },
    /** Folds or unfolds a node. @param {Node} node @param {boolean} [open] */
    fold(node, open = !isOpen(node)) {
      if (!isFoldable(node) || open === isOpen(node)) return;
      if (stands?.get(node) === "opened") { if (open) closed.delete(node.id); else closed.add(node.id); }
      else if (open) kept.open.add(node.id);
      else kept.open.delete(node.id);
      lay();
    },
    /** Opens all that is around a row, and its own lanes; a filter that hides it ends. @param {number} row */
    open(row) {
      const node = tree.ofRow[row];
      if (lineOfRow[row] < 0) kept.filter = "";
      for (const one of [...aboveOf(node), node]) { closed.delete(one.id); if (isFoldable(one)) kept.open.add(one.id); }
      lay();
    },
    /** Keeps a node on top, or doesn't any more. @param {Node} node */
    pin(node) { if (!kept.pins.delete(node.id)) kept.pins.add(node.id); lay(); },
    /** @param {string} text */
    filter(text) { kept.filter = text; closed.clear(); lay(); },
  };
}
