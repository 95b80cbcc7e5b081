// Timelines of two runs on one axis of time, which begins where their critical paths begin.
import {element} from "../dom.js";
import {makeTimeline} from "../timeline/timeline.js";
import {colorOf} from "../views/why.js";

/** The timeline with `begin` as its time 0. @param {any} spans @param {number} begin */
function movedTo(spans, begin) {
  const start = Array.from(spans.start);
  for (const row of spans.rows) if (row.last > row.first) start[row.first] -= begin;
  return {...spans, start, begin: spans.begin - begin, end: spans.end - begin,
          flows: spans.flows.map(([fromRow, from, toRow, to]) => [fromRow, from - begin, toRow, to - begin])};
}

/**
 * Two canvases; a zoom or pan of one moves the other.
 * @param {HTMLElement} root @param {import("../state.js").App} app @param {import("../run.js").Run[]} runs
 * @param {(import("../run.js").Path | undefined)[]} paths @param {string[]} heads
 */
export function twoTimelines(root, app, runs, paths, heads) {
  if (!runs.every(run => run.raw.spans?.rows)) return null;
  const begins = runs.map((run, i) => paths[i]?.begin_ps ?? run.raw.spans.begin), all = runs.map((run, i) => movedTo(run.raw.spans, begins[i]));
  const begin = Math.min(...all.map(one => one.begin)), end = Math.max(...all.map(one => one.end));
  element("h3", "timelines, on one axis from the beginning of each critical path", root);
  const made = /** @type {any[]} */ ([]);
  runs.forEach((_, i) => {
    element("p", heads[i], root, {class: "soft"});
    const canvas = element("canvas", null, root, {class: "timeline", tabindex: 0, "aria-label": `timeline of the ${heads[i]}`});
    made.push(makeTimeline(canvas, {...all[i], begin, end}, {wheel: "ctrl", details: document.getElementById("details") ?? undefined,
      moved: (from, to) => made[1 - i]?.show(from, to, false),
      picked: thing => app.set({at: i, picked: thing.from === undefined ? thing : {...thing, from: thing.from + begins[i], ...(thing.to === undefined ? {} : {to: thing.to + begins[i]})}})}));
  });
  const longest = Math.max(...paths.map((path, i) => path?.length_ps ?? all[i].end));
  made.forEach((one, i) => {
    const parts = (paths[i]?.segments ?? []).map(part => ({from: part.from - begins[i], to: part.to - begins[i], color: colorOf(part.reason), text: part.reason, place: part.place}));
    if (parts.length) one.setPath(parts);
    one.show(0, longest * 1.02, false);
  });
  return made;
}
