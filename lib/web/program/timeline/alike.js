// Siblings whose slices are alike stand as one line: "pe0 … pe7 (8 alike)".

/** @typedef {import("./tree.js").Node} Node */

export const withoutNumbers = name => name.replace(/\d+/g, "#");

/** @param {Node[]} members @returns {Node} */
function groupOf(members) {
  const first = members[0], last = members[members.length - 1];
  const name = of => (members.length === 2 ? `${first[of]}, ${last[of]}` : `${first[of]} … ${last[of]}`) + ` (${members.length} alike)`;
  /** @type {Node} */
  const group = {id: "alike " + first.id, name: name("name"), label: name("label"), kind: "alike", parent: first.parent, group: null, children: members, rows: []};
  for (const one of members) one.group = group;
  return group;
}

/** Finds alike nodes of a tree, when they are asked for. @param {import("./slices.js").Slices} slices */
export function makeAlike(slices) {
  const signs = new Map(), shown = new Map();

  /** Count, summed length, and all kinds and starts of a row, the latter as two sums. */
  function signOfRow(index) {
    const {first, last} = slices.rows[index], {start, length, kind} = slices;
    let sum = 0, a = 17, b = 5381;
    for (let i = first; i < last; ++i) {
      const low = start[i] % 4294967296 | 0, word = low ^ (start[i] / 4294967296 | 0) * 2654435761 ^ kind[i] << 24;
      sum += length[i];
      a = Math.imul(a ^ word, 16777619);
      b = Math.imul(b, 33) + word | 0;
    }
    return `${last - first},${sum},${a},${b}`;
  }
  /** Equal for nodes that look the same, but for their own names. @param {Node} node @returns {string} */
  function signOf(node) {
    if (!signs.has(node)) {
      const below = node.children.map(one => one.name + ":" + signOf(one)).join(";");
      signs.set(node, `${node.kind} ${node.rows.map(signOfRow).join("|")} {${below}}`);
    }
    return signs.get(node);
  }
  const areAlike = (a, b) => withoutNumbers(a.name) === withoutNumbers(b.name) && signOf(a) === signOf(b);

  /** The nodes below a node as they stand: alike neighbours as one. @param {Node} node @returns {Node[]} */
  return function childrenOf(node) {
    if (node.kind === "alike") return node.children;
    if (shown.has(node)) return shown.get(node);
    const all = [];
    for (let i = 0; i < node.children.length;) {
      let end = i + 1;
      while (end < node.children.length && areAlike(node.children[i], node.children[end])) ++end;
      all.push(end - i > 1 ? groupOf(node.children.slice(i, end)) : node.children[i]);
      i = end;
    }
    shown.set(node, all);
    return all;
  };
}
