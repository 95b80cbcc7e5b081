// The critical path: a bar of reasons that sums to the time, a band of waits, and who has which share.
import {button, colors, element, field} from "../dom.js";
import {exactTime, percent, timeText} from "../quantity.js";
import {sharesOf} from "../run.js";
import {toCsv} from "../csv.js";
import {sentenceOf, term} from "../words.js";

/** Colours of common reasons, the same on each page. @type {Record<string, number>} */
const ofReason = {"overhead": 0, "memory access": 1, "engine work": 2, "busy link": 3, "dispatch": 4, "wire": 5, "serialization": 6, "busy memory port": 7, "memory port": 8, "translation": 9, "busy engine": 10, "hop": 11};

/** The colour of a reason. */
export function colorOf(reason) {
  let sum = 0;
  for (const c of reason) sum += c.charCodeAt(0);
  return colors[(ofReason[reason] ?? sum) % colors.length];
}

/** A label, if a part `share` of `root` wide has room for it. */
const fitting = (label, share, root) => (share * (root.clientWidth || 1000) > 6.6 * label.length + 6 ? label : "");

/** The bar of a path, `most` ps wide; a click shows that reason alone. */
export function drawBar(root, path, app, most = path.length_ps) {
  root.replaceChildren();
  for (const share of path.reasons ?? []) {
    const label = `${share.name} ${percent(share.ps, path.length_ps)}`;
    const part = element("button", fitting(label, share.ps / Math.max(1, most), root), root,
                         {type: "button", class: "part", "data-ps": share.ps, "data-reason": share.name, "aria-pressed": app.reason === share.name, "aria-label": label,
                          title: `${share.name}: ${timeText(share.ps)} (${exactTime(share.ps)}), ${share.count} times. ${sentenceOf(share.name)}`});
    part.style.width = 100 * share.ps / Math.max(1, most) + "%";
    part.style.background = colorOf(share.name);
    if (app.reason !== null && app.reason !== share.name) part.classList.add("other");
    part.addEventListener("click", () => app.set(app.reason === share.name ? {reason: null} : {reason: share.name, picked: {kind: "reason", of: share.name}}));
  }
}

/** Below the reasons: parts of the path in which something waited. The rest of the line is empty. */
function drawWaits(root, path, app) {
  root.replaceChildren();
  const waits = path.waits ?? [];
  root.hidden = waits.length === 0;
  root.setAttribute("aria-label", waits.map(share => `waiting for ${share.name}: ${percent(share.ps, path.length_ps)}`).join(", "));
  for (const share of waits) {
    const label = `waiting for ${share.name} ${percent(share.ps, path.length_ps)}`;
    const part = button(fitting(label, share.ps / Math.max(1, path.length_ps), root), root, () => app.set({picked: {kind: "wait", of: share.name, ps: share.ps}}),
                         {class: "part wait", "aria-label": label, title: `waiting for ${share.name}: ${timeText(share.ps)}, within the same time. ${sentenceOf(share.name)}`});
    part.style.width = 100 * share.ps / Math.max(1, path.length_ps) + "%";
  }
}

function addShares(root, title, shares, path, swatch) {
  if (!shares.length) return;
  const box = element("div", null, root), table = element("table", null, box);
  box.prepend(element("h3", title));
  for (const share of shares.slice(0, 12)) {
    const row = element("tr", null, table), name = element("td", null, row);
    if (swatch) element("span", null, name, {class: "swatch"}).style.background = colorOf(share.name);
    term(share.name, name);
    element("td", timeText(share.ps), row, {class: "number", title: exactTime(share.ps)});
    element("td", percent(share.ps, path.length_ps), row, {class: "number"});
    element("td", share.count === 1 ? "once" : `${share.count} times`, row, {class: "number soft"});
  }
}

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), choice = field(line, "critical path of", {id: "path"}, "select");
  element("span", " click a part: map, timeline and tables show it alone; below it: waits, within the same time", line, {class: "soft"});
  const bar = element("div", null, root, {id: "bar", role: "group", "aria-label": "reasons"});
  const waits = element("div", null, root, {id: "waits", role: "img"});
  const fold = element("details", null, root);
  element("summary", "shares by reason, component, place and line", fold);
  const shares = element("div", null, fold, {id: "shares", class: "columns"});
  choice.addEventListener("change", () => app.set({path: +choice.value}));
  const list = name => (app.reason === null ? app.shownPath[{reason: "reasons", kind: "kinds", place: "places", line: "lines"}[name]] : sharesOf(app.segments, name)) ?? [];
  return {
    show() {
      const {paths, raw} = app.run, path = app.shownPath;
      choice.replaceChildren(...paths.map((one, i) => element("option", `${one.of}, ${timeText(one.length_ps)}`, null, {value: i})));
      choice.value = String(paths.indexOf(path));
      shares.replaceChildren();
      line.hidden = fold.hidden = !path;
      if (!path) {
        bar.replaceChildren(); waits.hidden = true;
        root.querySelector(".why-not")?.remove();
        if (raw.explain?.why_not) element("p", "Not explained: " + raw.explain.why_not, root, {class: "why-not"});
        return Boolean(raw.explain?.why_not);
      }
      drawBar(bar, path, app);
      drawWaits(waits, path, app);
      addShares(shares, "by reason", list("reason"), path, true);
      if (app.reason === null) addShares(shares, "waits, within the same time", path.waits ?? [], path, false);
      addShares(shares, "by kind of component", list("kind"), path, false);
      addShares(shares, "by place", list("place"), path, false);
      addShares(shares, "by line of a kernel", list("line"), path, false);
      if (path.short) element("p", "The segments of this path are left out: explain.json has them.", shares, {class: "soft"});
      return true;
    },
    csv: () => toCsv([["from_ps", "to_ps", "reason", "kind", "place", "key", "line", "operation", "count"],
                      ...app.segments.map(one => [one.from, one.to, one.reason, one.kind, one.place, one.key, one.line, one.op, one.count])]),
  };
}

/** @type {import("../page.js").ViewKind} */
export const why = {id: "why", title: "Critical path", sentence: sentenceOf("critical path"), make};
