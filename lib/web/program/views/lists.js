// Tables of a run: operations by name, and the files' tables.
import {parseCsv, toCsv} from "../csv.js";
import {element, field} from "../dom.js";
import {makeTable} from "../table.js";
import {unitOf} from "../uses.js";

// Slices by kind, name and line: how often and how long.
function operationsOf(spans) {
  const all = new Map();
  (spans?.length ?? []).forEach((length, i) => {
    const key = [spans.kinds[spans.kind[i]].name, spans.strings[spans.name[i]], spans.strings[spans.at[i]]];
    const row = all.get(key.join("\n")) ?? [...key, 0, 0, 0, 0];
    row[3] += 1; row[4] += length - (spans.idle?.[i] ?? 0); row[5] = Math.max(row[5], length); row[6] += spans.bytes[i];
    all.set(key.join("\n"), row);
  });
  return [...all.values()].map(([kind, name, line, count, sum, longest, bytes]) =>
    [kind, name, line, count, +(sum / 1000).toFixed(3), +(longest / 1000).toFixed(3), bytes]);
}

const columns = ["kind", "name", "line", "count", "total_ns", "longest_ns", "bytes"];

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const find = field(element("p", null, root), "search in all", {id: "find", type: "search"}), box = element("div", null, root, {id: "tables"});
  let tables = [];
  const search = () => { for (const table of tables) table.search(find.value); };
  find.addEventListener("input", search);
  return {
    show(changed) {
      if (!["at", "row", "reason", "all"].some(one => changed.has(one))) return tables.length > 0;
      const {raw} = app.run, places = app.places(), own = raw.spans ? operationsOf(raw.spans) : [];
      box.replaceChildren();
      tables = [];
      if (own.length) tables.push(makeTable(box, "operations", columns, own, {order: 4}));
      for (const [name, text] of Object.entries(raw.tables ?? {})) {
        let {columns: names, rows} = parseCsv(text);
        const ofUnits = name === "links.csv" || name === "units.csv";
        if (places !== null && ofUnits) rows = rows.filter(row => places.has(row[0]) || places.has(unitOf(row[0])));
        const click = ofUnits ? row => app.set({picked: {kind: name === "links.csv" ? "link" : "unit", of: row[names[0] === "load" ? 1 : 0]}}) : undefined;
        if (rows.length) tables.push(makeTable(box, name, names, rows, {order: names.indexOf("utilization"), click}));
      }
      search();
      return tables.length > 0;
    },
    csv: () => toCsv([columns, ...(app.run.raw.spans ? operationsOf(app.run.raw.spans) : [])]),
    all: () => tables,
  };
}

/** @type {import("../page.js").ViewKind} */
export const lists = {id: "lists", title: "Tables", make};
