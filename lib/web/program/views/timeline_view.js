// The timeline of the run, the critical path on top.
import {byId, element, field} from "../dom.js";
import {makeTimeline} from "../timeline/timeline.js";
import {colorOf} from "./why.js";

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const line = element("p", null, root), search = field(line, "search", {id: "search", type: "search", placeholder: "name, line or track"});
  const found = element("span", null, line, {id: "found", "aria-live": "polite"}), range = element("span", null, line, {id: "range"});
  element("span", " drag: pan · Ctrl and wheel: zoom · in the picture arrows, + and −, 0: all, Enter: next one found", line, {class: "soft"});
  const box = element("div", null, root);
  const view = {timeline: /** @type {any} */ (null)};
  let shownOf = null, last = null;
  search.addEventListener("input", () => view.timeline?.search(search.value));
  search.addEventListener("keydown", event => { if (event.key === "Enter") view.timeline?.next(); });
  function remake() {
    const {raw} = app.run, canvas = element("canvas", null, null, {id: "canvas", tabindex: 0, "aria-label": "timeline"});
    box.replaceChildren(canvas);
    view.timeline = makeTimeline(canvas, raw.spans, {details: byId("details"), range, found, wheel: "ctrl",
      moved: (from, to) => { last = [from, to]; app.set({range: last}); },
      picked: thing => app.set({picked: thing})});
    shownOf = app.run;
    last = null;
  }
  return {
    show(changed) {
      if (!app.run.raw.spans) return false;
      if (shownOf !== app.run) remake();
      const parts = app.segments.map(one => ({from: one.from, to: one.to, color: colorOf(app, one.reason), text: one.reason, place: one.place}));
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
