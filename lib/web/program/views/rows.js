// An evaluation's rows: what each measured and what limits it. A click shows the row's path, timeline and machine.
import {makeTable} from "../table.js";
import {element} from "../dom.js";
import {commandOf} from "../run.js";
import {toCsv} from "../csv.js";

/** Cells of rows that are single values. */
function columnsOf(rows) {
  const names = [];
  for (const row of rows) for (const [name, value] of Object.entries(row)) if (typeof value !== "object" && !names.includes(name)) names.push(name);
  return names.filter(name => rows.some(row => row[name] !== rows[0][name]) || ["correct"].includes(name) || rows.length === 1);
}

/** Numbers in six digits; results.csv has all. */
const cellOf = value => (typeof value === "number" ? +value.toPrecision(6) : value ?? "");

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const whole = () => app.runs[app.at];
  const table = () => {
    const {raw} = whole(), rows = raw.summary?.rows ?? [], limits = raw.explain?.limits ?? [];
    const names = columnsOf(rows).filter(name => name !== "limited_by");
    const limit = i => limits[i] ?? rows[i].limited_by ?? "";
    const known = rows.some((_, i) => limit(i));
    return {columns: ["row", ...(known ? ["limited by"] : []), ...names], cells: rows.map((row, i) => [i + 1, ...(known ? [limit(i)] : []), ...names.map(name => cellOf(row[name]))])};
  };
  /** The row whose path is shown without a choice. */
  const standard = () => whole().raw.explain?.row ?? null;
  function choose(number) {
    if (app.row === null && number === standard()) return;
    if (whole().rows.has(number) || number === standard()) return app.set({row: whole().rows.has(number) ? number : null});
    app.set({picked: {kind: "row", of: `row ${number}`, command: commandOf(whole().raw, ["--explain", "--of", `row:${number}`, "--out", `row${number}`])}});
  }
  return {
    show(changed) {
      const {raw} = whole();
      if (!raw.summary?.rows?.length) return false;
      if (!changed.has("at") && !changed.has("row") && !changed.has("all")) return true;
      root.replaceChildren();
      const {columns, cells} = table(), shown = app.row ?? standard();
      if (shown !== null) element("p", `Path, timeline and machine on this page are of row ${shown} of ${cells.length}; click another row for its own.`, root, {class: "soft"});
      makeTable(root, "rows", columns, cells, {click: row => choose(row[0]), marked: row => row[0] === shown});
      return true;
    },
    csv: () => { const {columns, cells} = table(); return toCsv([columns, ...cells]); },
    choose,
  };
}

/** @type {import("../page.js").ViewKind} */
export const rows = {id: "rows", title: "Rows", make};
