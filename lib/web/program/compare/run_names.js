// Names of two runs, so that first and second can't be mistaken.

/** The end of a path by which a reader knows a folder. @param {string[]} folders @returns {string[]} */
export function namesOf(folders) {
  const parts = folders.map(one => String(one ?? "").split("/").filter(Boolean));
  for (let count = 1; count <= Math.max(...parts.map(one => one.length)); ++count) {
    const names = parts.map(one => one.slice(-count).join("/"));
    if (new Set(names).size === names.length) return names;
  }
  return parts.map(one => one.at(-1) ?? "");  // one folder twice
}

/** "first run (main)", "second run (fast)". @param {import("../run.js").Run[]} runs */
export function headsOf(runs) {
  const names = namesOf(runs.map(one => one.raw.folder));
  return ["first run", "second run"].map((word, i) => `${word} (${names[i].length > 24 ? "…" + names[i].slice(-23) : names[i]})`);
}
