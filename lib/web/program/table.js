// Tables that are sorted and searched.
import {button, element} from "./dom.js";
import {isNumber} from "./csv.js";
import {sentenceOf} from "./words.js";

/**
 * Shows the first 300 rows that the search leaves.
 * @param {HTMLElement} parent @param {string} name @param {string[]} columns @param {any[][]} rows
 * @param {{order?: number, down?: boolean, click?: (row: any[]) => void, marked?: (row: any[]) => boolean}} [how]
 *   order: the column that sorts, descending if down isn't false; click: what a click on a row does; marked: rows that stand out
 */
export function makeTable(parent, name, columns, rows, how = {}) {
  const most = 300, box = element("div", null, parent), title = element("h3", name, box);
  const scroll = element("div", null, box, {class: "scroll", tabindex: 0, role: "region", "aria-label": name});
  const table = element("table", null, scroll), head = element("tr", null, element("thead", null, table)), body = element("tbody", null, table);
  const numeric = columns.map((_, i) => rows.length > 0 && rows.every(row => isNumber(row[i] ?? "") || row[i] === "NaN" || row[i] === "") && rows.some(row => isNumber(row[i] ?? "")));
  let order = how.order ?? -1, down = how.down ?? order >= 0, word = "";
  columns.forEach((column, i) => {
    const cell = element("th", null, head, {class: numeric[i] ? "number" : "", scope: "col", title: sentenceOf(column)});
    button(column, cell, () => { down = order === i ? !down : numeric[i]; order = i; draw(); });
  });
  const compare = (a, b) => {
    const x = a[order], y = b[order];
    const result = numeric[order] ? (isNumber(x) ? +x : -Infinity) - (isNumber(y) ? +y : -Infinity) : String(x).localeCompare(String(y));
    return down ? -result : result;
  };
  function line(row) {
    const one = element("tr");
    row.forEach((cell, i) => element("td", cell, one, {class: numeric[i] ? "number" : ""}));
    if (how.marked?.(row)) one.classList.add("marked");
    if (!how.click) return one;
    one.classList.add("clicks");
    one.tabIndex = 0;
    one.addEventListener("click", () => how.click?.(row));
    one.addEventListener("keydown", event => { if (event.key === "Enter") how.click?.(row); });
    return one;
  }
  function draw() {
    const shown = rows.filter(row => word === "" || row.some(cell => String(cell).toLowerCase().includes(word)));
    if (order >= 0) shown.sort(compare);
    [...head.children].forEach((cell, i) => cell.setAttribute("aria-sort", i !== order ? "none" : down ? "descending" : "ascending"));
    body.replaceChildren(...shown.slice(0, most).map(line));
    title.textContent = `${name}: ${shown.length < rows.length ? `${shown.length} of ` : ""}${rows.length}` + (shown.length > most ? `, the first ${most} are shown` : "");
  }
  draw();
  return {box, order: () => ({order, down}), search: text => { word = text.toLowerCase(); draw(); }, rows: () => [...body.children].map(one => [...one.children].map(cell => cell.textContent))};
}

/** Marks rows by the text of their first cell. @param {ParentNode} box @param {(first: string) => boolean} marked */
export function markRows(box, marked) {
  for (const row of box.querySelectorAll("tbody tr")) row.classList.toggle("marked", marked(row.children[0]?.textContent ?? ""));
}
