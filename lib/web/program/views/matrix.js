// Who sends how much to whom: bytes between packages, cubes or PEs as a heat map with totals.
import {element, field} from "../dom.js";
import {toCsv} from "../csv.js";
import {carriedBetween, matrixOf, messagesOf, partOf} from "../flows.js";
import {bytesText, exactTime} from "../quantity.js";

/** @typedef {import("../flows.js").Flow} Flow */

const most = 64;  // rows of a table
const levels = ["", "packages", "cubes", "PEs"];

/** From pale to red, dark text legible on each. */
const heat = at => `hsl(${Math.round(52 - 40 * at)} ${Math.round(50 + 40 * at)}% ${Math.round(90 - 30 * at)}%)`;
const total = cells => cells.reduce((sum, one) => sum + one.bytes, 0);

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), source = field(line, "bytes of", {id: "matrix-source"}, "select"), level = field(line, "between", {id: "matrix-level"}, "select");
  const says = element("span", null, line, {class: "soft"}), box = element("div", null, root, {class: "scroll", tabindex: 0, role: "region", "aria-label": "bytes by sender and receiver"});
  let messages = /** @type {Flow[]} */ ([]), carried = messages, shown = matrixOf([], 1), madeOf = null;

  function pick(from, to, cell) {
    if (cell.via.size === 1 && source.value === "links") return app.set({picked: {kind: "link", of: [...cell.via][0]}});
    const facts = [["bytes", `${bytesText(cell.bytes)} (${cell.bytes} B)`], [source.value, cell.count], ["received at", [...cell.via].slice(0, 8).join(", ") + (cell.via.size > 8 ? ` and ${cell.via.size - 8} more` : "")]];
    if (source.value === "messages") facts.push(["first arrives", exactTime(cell.first)], ["last arrives", exactTime(cell.last)]);
    app.set({picked: {kind: "facts", of: `${from} → ${to}`, facts}});
  }
  function cellOf(row, from, to, cell, top) {
    const one = element("td", cell.bytes ? bytesText(cell.bytes) : "", row, {class: "number", "data-bytes": cell.bytes, title: `${from} → ${to}: ${cell.bytes} B in ${cell.count} ${source.value}`});
    if (!cell.count) return;
    one.style.background = heat(cell.bytes / Math.max(1, top));
    one.classList.add("heated");
    one.tabIndex = 0;
    one.addEventListener("click", () => pick(from, to, cell));
    one.addEventListener("keydown", event => { if (event.key === "Enter") pick(from, to, cell); });
  }
  /** A time that a reader chose leaves the messages that arrive in it. */
  function flows() {
    if (source.value === "links") return carried;
    const [from, to] = app.range;
    return app.hasRange ? messages.filter(one => one.at >= from && one.at <= to) : messages;
  }
  function draw() {
    const all = flows();
    shown = matrixOf(all, source.value === "links" ? 1 : +level.value);
    level.parentElement.hidden = source.value === "links";
    const {names, cells} = shown, size = Math.min(names.length, most), top = Math.max(0, ...cells.flat().map(one => one.bytes)), sum = total(cells.flat());
    const cut = app.run.raw.spans?.is_cut || app.run.raw.spans?.left_out?.length;
    says.textContent = ` ${bytesText(sum)} in ${all.length} ${source.value}` + (source.value === "links" ? "; headers and what passes through a package are in them" : app.hasRange ? " that arrive in the time shown" : "") +
      (source.value === "messages" && cut ? "; the timeline leaves out a part of the run, and messages in it" : "") + (names.length > size ? `; the first ${size} of ${names.length} ${levels[+level.value]} are shown` : "");
    box.replaceChildren();
    const table = element("table", null, box, {id: "matrix-table", class: size > 8 ? "dense" : ""}), head = element("tr", null, table);
    element("th", "from ↓ to →", head);
    for (const name of names.slice(0, size)) element("th", name, head, {class: "number", scope: "col"});
    element("th", "sent", head, {class: "number", scope: "col"});
    names.slice(0, size).forEach((name, i) => {
      const row = element("tr", null, table);
      element("th", name, row, {scope: "row"});
      names.slice(0, size).forEach((to, j) => cellOf(row, name, to, cells[i][j], top));
      const sent = total(cells[i]);
      element("td", bytesText(sent), row, {class: "number sum", title: `${sent} B`});
    });
    const last = element("tr", null, table, {class: "marked"});
    element("th", "received", last, {scope: "row"});
    names.slice(0, size).forEach((_, j) => { const got = total(cells.map(row => row[j])); element("td", bytesText(got), last, {class: "number sum", title: `${got} B`}); });
    element("td", bytesText(sum), last, {class: "number sum", title: `${sum} B`, "data-total": sum});
  }
  /** Kinds of bytes and levels that this run has; the first level at which something flows between two is chosen. */
  function offer() {
    messages = messagesOf(app.run.raw.spans);
    carried = carriedBetween(app.run.raw);
    source.replaceChildren();
    if (messages.length) element("option", "messages", source, {value: "messages"});
    if (carried.length) element("option", "links of packages, host and switches", source, {value: "links"});
    const fit = [1, 2, 3].filter(one => new Set(messages.flatMap(flow => [partOf(flow.from, one), partOf(flow.to, one)])).size > 1);
    level.replaceChildren(...fit.map(one => element("option", levels[one], null, {value: one})));
    const across = fit.find(one => messages.some(flow => partOf(flow.from, one) !== partOf(flow.to, one)));
    level.value = String(across ?? fit[0] ?? 1);
  }
  source.addEventListener("change", draw);
  level.addEventListener("change", draw);
  return {
    show(changed) {
      const isOther = madeOf !== app.run;
      if (isOther) { madeOf = app.run; offer(); }
      if (!messages.length && !carried.length) return false;
      if (isOther || (changed.has("range") && source.value === "messages")) draw();
      return true;
    },
    csv: () => toCsv([["from", "to", "bytes", source.value], ...shown.names.flatMap((from, i) => shown.names.flatMap((to, j) => (shown.cells[i][j].count ? [[from, to, shown.cells[i][j].bytes, shown.cells[i][j].count]] : [])))]),
    get shown() { return shown; },
  };
}

/** @type {import("../page.js").ViewKind} */
export const matrix = {id: "matrix", title: "Traffic between parts", sentence: "Bytes from each sender (row) to each receiver (column).", make};
