// The timeline of the run, the critical path on top.
import {byId, element, field} from "../dom.js";
import {makeTimeline, noChoices} from "../timeline/timeline.js";
import {colorOf} from "./why.js";

const helpTexts = [
  "Drag: pan. Shift and drag, or drag along the times: select a span, and sum up its slices. Ctrl and wheel, or two fingers: zoom. Double click: zoom to a slice.",
  "Click a name: fold or unfold it, and show its unit at the side. Click the pin in front of it: keep it on top. Click a kind in the legend: the others become pale.",
  "Keys in the picture: ↑ ↓ choose a line, ← → fold and unfold it, p pins it, Esc chooses none. Without a line ← → pan; Shift ← → always do. + and − zoom, 0 shows all, Enter goes to the next one found.",
];

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), search = field(line, "search", {id: "search", type: "search", placeholder: "name, line or track"});
  const found = element("span", null, line, {id: "found", "aria-live": "polite"});
  const filter = field(line, "filter", {id: "lines", type: "search", placeholder: "sip0.cube3 or *.pe_dma", title: "only lines with such a label, and those around them"});
  const range = element("span", null, line, {id: "range"}), status = element("span", null, line, {id: "focused", role: "status", class: "soft"});
  const box = element("div", null, root), legend = element("div", null, root, {id: "legend"});
  const help = element("details", null, root);
  element("summary", "mouse, touch and keys", help);
  for (const text of helpTexts) element("p", text, help, {class: "soft"});
  const view = {timeline: /** @type {any} */ (null)}, kept = noChoices();
  let shownOf = null, last = null;
  filter.addEventListener("input", () => view.timeline?.filter(filter.value));
  search.addEventListener("input", () => view.timeline?.search(search.value));
  search.addEventListener("keydown", event => { if (event.key === "Enter") view.timeline?.next(); });
  function remake() {
    const {raw} = app.run, canvas = element("canvas", null, null, {id: "canvas", tabindex: 0, "aria-label": "timeline"});
    box.replaceChildren(canvas);
    view.timeline = makeTimeline(canvas, raw.spans, {details: byId("details"), range, found, legend, status, filter, kept, wheel: "ctrl",
      moved: (from, to) => { last = [from, to]; app.set({range: last}); },
      picked: thing => app.set({picked: thing})});
    shownOf = app.run;
    last = null;
  }
  return {
    show(changed) {
      if (!app.run.raw.spans) return false;
      if (shownOf !== app.run) remake();
      const parts = app.segments.map(one => ({from: one.from, to: one.to, color: colorOf(one.reason), text: one.reason, place: one.place}));
      if (["all", "at", "row", "path", "reason"].some(one => changed.has(one))) view.timeline.setPath(parts.length ? parts : null);
      const [from, to] = app.range;
      if (last === null || last[0] !== from || last[1] !== to) { last = [from, to]; view.timeline.show(from, to, false); }
      view.timeline.redraw();
      return true;
    },
    get timeline() { return view.timeline; },
  };
}

/** @type {import("../page.js").ViewKind} */
export const timeline = {id: "timeline", title: "Timeline", make};
