// Operations of a model by their time: a bar, what limits each, and what it achieved of the peaks.
import {element} from "../dom.js";
import {toCsv} from "../csv.js";
import {percent, share, timeText} from "../quantity.js";
import {factsThing, operationsOf} from "../work_done.js";
import {term} from "../words.js";

const ps = us => 1e6 * us;
const columns = ["operation", "", "time", "of the phase", "limit", "least time", "FLOP of peak", "HBM of peak"];

/** The time of a phase, of which operations are a part. */
const phaseTime = row => [row?.ttft_us, row?.step_us, row?.tpot_us].find(value => value > 0);

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  /** @type {Record<string, any>[]} */
  let all = [];
  let madeOf = null;
  function line(table, row, most, whole) {
    const one = element("tr", null, table, {class: "clicks", tabindex: 0, "data-name": row.operation, "data-us": row.path_us});
    element("td", row.operation + (row.mapping ? ` (${row.mapping})` : ""), one);
    const bar = element("div", null, element("td", null, one), {class: "meter wide", title: `least time at the peaks: ${timeText(ps(row.roofline_us))}`});
    element("i", null, bar).style.width = 100 * row.path_us / most + "%";
    element("b", null, bar).style.left = 100 * Math.min(1, row.roofline_us / most) + "%";
    element("td", timeText(ps(row.path_us)), one, {class: "number", title: `${row.path_us} µs of the step; from its first to its last event ${row.span_us} µs, in ${row.launches} launches`});
    element("td", percent(+row.path_us, whole), one, {class: "number"});
    term(row.roofline, element("td", null, one));
    element("td", timeText(ps(row.roofline_us)), one, {class: "number"});
    for (const name of ["flop_of_peak", "hbm_of_peak"]) element("td", share(+row[name]), one, {class: "number"});
    const pick = () => app.set(factsThing(row.operation, row));
    one.addEventListener("click", pick);
    one.addEventListener("keydown", event => { if (event.key === "Enter") pick(); });
  }
  function showPhase(phase, row) {
    const own = all.filter(one => one.phase === phase).sort((a, b) => b.path_us - a.path_us), sum = own.reduce((total, one) => total + +one.path_us, 0);
    const most = Math.max(...own.map(one => +one.path_us)), whole = phaseTime(row) ?? sum;
    element("h3", `${phase}: ${timeText(ps(whole))}, operations take ${timeText(ps(sum))} of it` + (row?.between_us > 0 ? `, ${timeText(ps(row.between_us))} are between them` : ""), root, {"data-phase": phase, "data-us": sum});
    const scroll = element("div", null, root, {class: "scroll", tabindex: 0, role: "region", "aria-label": phase}), table = element("table", null, scroll), head = element("tr", null, table);
    for (const name of columns) term(name, element("th", null, head, {scope: "col", class: ["operation", "", "limit"].includes(name) ? "" : "number"}));
    for (const one of own) line(table, one, most, whole);
  }
  return {
    show() {
      const {raw} = app.runs[app.at];
      if (madeOf === raw) return all.length > 0;
      madeOf = raw;
      all = operationsOf(raw);
      root.replaceChildren();
      const rows = new Map((raw.summary?.rows ?? []).map(row => [row.phase, row]));
      for (const phase of new Set(all.map(one => one.phase))) showPhase(phase, rows.get(phase));
      return all.length > 0;
    },
    csv: () => (all.length ? toCsv([Object.keys(all[0]), ...all.map(row => Object.values(row))]) : ""),
  };
}

/** @type {import("../page.js").ViewKind} */
export const operations = {id: "operations", title: "Operations of the model", sentence: "Each operation's part of the time to the first token or to one more token.", make};
