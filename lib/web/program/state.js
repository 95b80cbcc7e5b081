// What a reader has chosen: the run, row, path, reason, time range and thing; kept in the page's address.

/**
 * @typedef {{kind: string, of: string, [more: string]: any}} Thing  what was clicked: a unit, link, slice, reason, operation, row, key, finding or selection
 * @typedef {import("./run.js").Run} Run
 * @typedef {ReturnType<typeof makeApp>} App
 */

/** The choice of a unit or a link, by its name. @param {string} of */
export const placed = of => ({picked: {kind: of.includes(">") ? "link" : "unit", of}});

/** @param {Run[]} runs */
export function makeApp(runs) {
  /** @type {((changed: Set<string>) => void)[]} */
  const listeners = [];
  const chosen = {
    at: 0,                                          // the run that is shown
    row: /** @type {number | null} */ (null),       // of an evaluation
    path: /** @type {number | null} */ (null),      // null: of what the run measures
    reason: /** @type {string | null} */ (null),    // of the path, shown alone
    range: /** @type {[number, number] | null} */ (null),  // of time, in ps; null: the shown path's
    picked: /** @type {Thing | null} */ (null),
  };
  return {
    runs,
    get at() { return chosen.at; },
    get row() { return chosen.row; },
    get path() { return chosen.path; },
    get reason() { return chosen.reason; },
    get picked() { return chosen.picked; },
    /** The run, or the row of it that was chosen. @returns {Run} */
    get run() { const run = runs[chosen.at]; return (chosen.row !== null && run.rows.get(chosen.row)) || run; },
    get shownPath() { const run = this.run; return run.paths[chosen.path ?? run.measured] ?? run.paths[0]; },
    /** The time that all views show. @returns {[number, number]} */
    get range() {
      const path = this.shownPath, {uses} = this.run;
      return chosen.range ?? (path ? [path.begin_ps, path.end_ps] : [uses.begin, uses.end]);
    },
    get hasRange() { return chosen.range !== null; },
    /** Segments of the path that the chosen reason leaves. */
    get segments() {
      const all = this.shownPath?.segments ?? [];
      return chosen.reason === null ? all : all.filter(one => one.reason === chosen.reason);
    },
    /** Places of the chosen reason; null: no reason is chosen. */
    places() { return chosen.reason === null ? null : new Set(this.segments.map(one => one.place)); },
    /** Takes a choice, and shows it in all views. Another run, row or path has no reason and no range yet. @param {Partial<typeof chosen>} choice */
    set(choice) {
      const changed = new Set(Object.keys(choice));
      const reset = {at: ["row", "path", "reason", "range", "picked"], row: ["path", "reason", "range", "picked"], path: ["reason", "range"]};
      for (const [of, names] of Object.entries(reset))
        if (of in choice) for (const name of names) if (!(name in choice)) { chosen[name] = null; changed.add(name); }
      Object.assign(chosen, choice);
      for (const listener of listeners) listener(changed);
      const address = addressOf(chosen);
      try { history.replaceState(null, "", address || "#"); } catch { /* a frame without an address */ }
    },
    /** Calls `listener` with the names of each choice's changes. @param {(changed: Set<string>) => void} listener */
    on(listener) { listeners.push(listener); },
    /** The choice in an address, as set() wrote it; what doesn't fit these runs is passed over. @param {string} address */
    choiceIn(address) { return choiceOf(address, runs); },
  };
}

/** "#row=2&reason=wire" */
function addressOf(chosen) {
  const words = new URLSearchParams();
  for (const name of ["at", "row", "path", "reason"]) if (chosen[name] !== null && chosen[name] !== 0) words.set(name, String(chosen[name]));
  if (chosen.path === 0) words.set("path", "0");
  if (chosen.range) words.set("range", chosen.range.map(Math.round).join("-"));
  if (chosen.picked && ["unit", "link"].includes(chosen.picked.kind)) words.set(chosen.picked.kind, chosen.picked.of);
  const text = words.toString();
  return text && "#" + text;
}

/** @param {string} address @param {Run[]} runs */
function choiceOf(address, runs) {
  const words = new URLSearchParams(address.replace(/^#/, "")), choice = {};
  const number = (name, fits) => { const value = Number(words.get(name)); if (words.has(name) && Number.isInteger(value) && fits(value)) choice[name] = value; };
  number("at", at => at >= 0 && at < runs.length);
  const run = runs[choice.at ?? 0];
  number("row", row => run.rows.has(row));
  const shown = run.rows.get(choice.row) ?? run;
  number("path", path => path >= 0 && path < shown.paths.length);
  const reason = words.get("reason"), path = shown.paths[choice.path ?? shown.measured];
  if (reason !== null && path?.segments.some(one => one.reason === reason)) choice.reason = reason;
  const range = (words.get("range") ?? "").split("-").map(Number);
  if (range.length === 2 && range.every(isFinite) && range[1] > range[0]) choice.range = range;
  for (const kind of ["unit", "link"]) if (words.has(kind)) choice.picked = {kind, of: words.get(kind)};
  return choice;
}
