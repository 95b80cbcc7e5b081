// The filter of a timeline's lines: a text, or a glob with * and ?.

/** True if the whole of `text` fits `glob`. @param {string} glob @param {string} text */
export function fitsGlob(glob, text) {
  let at = 0, in_ = 0, star = -1, kept = 0;
  while (in_ < text.length) {
    if (at < glob.length && glob[at] === "*") { star = at++; kept = in_; }
    else if (at < glob.length && (glob[at] === "?" || glob[at] === text[in_])) { ++at; ++in_; }
    else if (star >= 0) { at = star + 1; in_ = ++kept; }
    else return false;
  }
  while (glob[at] === "*") ++at;
  return at === glob.length;
}

/**
 * Nodes that stand with a filter: "fits" with all below it, "opened" because a node below fits; null: no filter.
 * @param {import("./tree.js").Node} root @param {(node: import("./tree.js").Node) => import("./tree.js").Node[]} childrenOf @param {string} text
 * @returns {Map<import("./tree.js").Node, "fits" | "opened"> | null}
 */
export function filtered(root, childrenOf, text) {
  const wanted = text.trim().toLowerCase(), stands = new Map();
  if (!wanted) return null;
  const isGlob = /[*?]/.test(wanted);
  const fits = node => { const label = node.label.toLowerCase(); return isGlob ? fitsGlob(wanted, label) : label.includes(wanted); };
  const visit = node => {
    if (node.kind !== "root" && node.kind !== "alike" && fits(node)) return void stands.set(node, "fits");
    const below = childrenOf(node);
    below.forEach(visit);
    if (node.kind === "alike" && below.every(one => stands.get(one) === "fits")) stands.set(node, "fits");
    else if (below.some(one => stands.has(one))) stands.set(node, "opened");
  };
  visit(root);
  return stands;
}
