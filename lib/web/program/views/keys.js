// What if: each key of the path, better by some percent.
import {toCsv} from "../csv.js";
import {element, field} from "../dom.js";
import {bettered, changeOf} from "../run.js";
import {makeTable} from "../table.js";

const columns = ["key", "value", "unit", "changed value", "time on the path (ns)", "slope (ns per unit)", "change (ns)", "new time (ns)", "gain (%)"];

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), better = field(line, "each key better by", {id: "better", type: "number", min: -90, max: 900, value: 10, step: "any"});
  line.append(" % ");
  element("span", "estimated along this path, each term rounded anew; exact as long as no other cause overtakes. kbsim explain gives the range", line, {class: "soft"});
  const changes = element("div", null, root, {id: "tried"}), box = element("div", null, root, {id: "derivatives"});
  function cells() {
    const path = app.shownPath, percents = +better.value, own = new Set(app.segments.map(one => one.key));
    return (path?.keys ?? []).filter(key => app.reason === null || own.has(key.key)).map(key => {
      const to = bettered(key, percents), change = changeOf(key, to);
      return [key.key, key.value, key.unit, +to.toPrecision(6), +(key.ps / 1000).toFixed(3), +(key.slope_ns ?? 0).toPrecision(6), +(change / 1000).toFixed(3),
              +((path.length_ps + change) / 1000).toFixed(3), +(-100 * change / Math.max(1, path.length_ps)).toFixed(2)];
    });
  }
  function draw() {
    box.replaceChildren();
    changes.replaceChildren();
    const path = app.shownPath;
    if (!path?.keys?.length) return false;
    const tried = app.run.raw.explain?.try ?? [];
    if (tried.length) makeTable(changes, "changes that were tried", ["key", "value", "changed value", "gain (%)", "by"], tried.map(one => [one.key, one.value, one.to, +(100 * one.share).toFixed(2), one.simulated ? "simulation" : "estimate"]));
    makeTable(box, `keys on the path of ${path.of}`, columns, cells(), {order: 8, click: row => app.set({picked: {kind: "key", of: row[0]}})});
    return true;
  }
  better.addEventListener("input", () => { if (better.value !== "" && isFinite(+better.value)) draw(); });
  return {show: changed => (["at", "row", "path", "reason", "all"].some(one => changed.has(one)) ? draw() : box.childElementCount > 0), csv: () => toCsv([columns, ...cells()])};
}

/** @type {import("../page.js").ViewKind} */
export const keys = {id: "keys", title: "What if", make};
