// Five seconds: the measured result and its bound, what limits it, what to try, and how busy each resource was.
import {placed} from "../state.js";
import {findingsOf} from "../diagnoses.js";
import {button, element} from "../dom.js";
import {boundOf, metersOf} from "../meters.js";
import {exactTime, percent, share, timeText} from "../quantity.js";
import {isTraffic, sharesOf} from "../run.js";
import {sentenceOf, term} from "../words.js";
import {trafficSentence} from "./traffic.js";

/** @typedef {import("../state.js").App} App */

/** A time that shows all its digits on hover. */
const time = (ps, parent, attributes = {}) => element("span", timeText(ps), parent, {title: exactTime(ps), ...attributes});

/** The simulated time of the row that is shown, in ps; undefined for a run of one simulation. */
function rowTotal(app) {
  const {raw, row} = app.run, number = row ?? raw.explain?.row, ns = raw.summary?.rows?.[number - 1]?.simulated_ns;
  return isFinite(ns) ? Math.round(1000 * ns) : undefined;
}

function showResult(root, app, meters) {
  const path = app.shownPath, {total, raw} = app.run, length = path?.length_ps ?? (isTraffic(raw) ? 0 : total);
  const line = element("p", null, root, {class: "result"}), all = rowTotal(app) ?? total;
  if (length) time(length, line, {class: "big"});
  const bound = path && boundOf(meters, length);
  if (bound && bound.ps > 0) {
    line.append(" of "); element("b", path.of, line); line.append(`; ${(length / bound.ps).toPrecision(3)} × its `);
    term("bound", line); line.append(" of "); time(bound.ps, line);
    element("span", ` (${bound.meter.resource} alone: ${share(bound.meter.most)} busy at ${bound.meter.of})`, line, {class: "soft"});
  } else if (path) { line.append(" of "); element("b", path.of, line); }
  if (path && all > length) element("span", `; set-up and host besides: ${timeText(all - length)}`, line, {class: "soft", title: `${exactTime(all)} are simulated in all`});
  const sentence = path ? path.sentence ?? `critical path of ${path.of}, ${timeText(path.length_ps)}: ${path.limited_by}` : isTraffic(raw) ? trafficSentence(raw) : "";
  element("p", sentence, root, {id: "answer-sentence"});
}

/** A place to click. */
const placeButton = (place, line, app) => button(place, line, () => app.set(placed(place)), {class: "link"});

/** Where the limit is: the place and line with most of its reason; of a reason that is spread, its kinds of component. */
function showWhere(line, path, segments, app) {
  const most = 0.1 * path.length_ps, place = sharesOf(segments, "place")[0], code = sharesOf(segments, "line")[0];
  if (place?.ps >= most) { line.append(", most of all at "); placeButton(place.name, line, app); line.append(` (${percent(place.ps, path.length_ps)} of the path)`); }
  else if (place) line.append(", spread over " + sharesOf(segments, "kind").slice(0, 3).map(one => `${one.name} ${percent(one.ps, path.length_ps)}`).join(", "));
  if (code?.ps >= most) { line.append(", line "); element("code", code.name, line); line.append(` (${percent(code.ps, path.length_ps)})`); }
}

/** What limits the path, and where. */
function showLimit(root, path, app, meters) {
  const line = element("p", null, root, {id: "limit"});
  if (!path?.limited_by) return;
  const name = path.limited_by.replace(/ [\d.]+ %$/, ""), slots = meters.find(one => one.resource === "slots");
  element("b", "Limited by ", line);
  element("span", path.limited_by, line, {class: "limit", title: sentenceOf(name)});
  if (path.bound) { line.append(" ("); term(path.bound, line); line.append(")"); }
  const segments = path.segments.filter(one => one.reason === name);
  if (segments.length) showWhere(line, path, segments, app);
  else if (path.bound === "backpressure" && slots) { line.append(", fullest queue: "); placeButton(slots.of, line, app); line.append(` (${share(slots.most)} of its slots in use)`); }
}

/** A command to see, to select and to copy. */
function showCommand(line, command) {
  const copy = button("copy command", line, () => {
    if (!line.querySelector("code.command")) element("code", command, line, {class: "command"});
    navigator.clipboard?.writeText(command).catch(() => {});
    copy.textContent = "copied";
  });
}

/** The first finding, if it gains more than each change that was tried. */
function showFound(root, app, all) {
  const found = findingsOf(app.run)[0], best = Math.max(0, ...all.map(one => one.gain_ps ?? 0));
  if (!found?.gain || found.gain <= best) return;
  const line = element("p", null, root, {id: "found-first"});
  element("b", "Found: ", line);
  button(found.title, line, () => app.set({picked: {...found, kind: "finding", of: found.title}}), {class: "link"});
  line.append(`, ${percent(found.gain, app.shownPath?.length_ps ?? 0)} less, ${found.simulated ? "simulated" : "estimated"}: ${found.evidence}`);
}

/** Changes that shorten what the run measures, with a command each. */
function showTry(root, app) {
  const all = app.run.raw.explain?.try ?? [];
  showFound(root, app, all);
  const box = element("div", null, root, {id: "try"});
  if (!all.length && app.row !== null && app.runs[app.at].raw.explain?.try) element("p", "Changes are tried for one row of an evaluation: that of the page's first path.", box, {class: "soft"});
  if (!all.length) return;
  const list = element("ul", null, box);
  for (const one of all) {
    const line = element("li", null, list);
    element("b", `Try ${one.key} = ${one.to}`, line);
    line.append(` (now ${one.value}): ${(100 * one.share).toFixed(1)} % less time, `);
    element("span", one.simulated ? "simulated" : "estimated", line, {class: one.simulated ? "good" : "soft", title: one.simulated ? "a run with this change took so much less" : "from the critical path; no run with this change was made"});
    line.append(" ");
    showCommand(line, one.command);
  }
}

/** A bar for each resource: the mean of those in use, and a mark for the busiest one. */
function showMeters(root, meters, app) {
  if (!meters.length) return;
  const table = element("table", null, root, {id: "meters", "aria-label": "achieved of peak"});
  const head = element("tr", null, table);
  term("achieved of peak", element("th", null, head, {colspan: 2}));
  element("th", "busiest", head, {class: "number"});
  element("th", "mean in use", head, {class: "number", title: "mean of the units and links that did something"});
  const peaks = meters.some(one => one.peak);
  if (peaks) element("th", "peak of one", head, {class: "number", title: "of the busiest"});
  for (const meter of meters) {
    const line = element("tr", null, table, {"data-of": meter.of});
    term(meter.resource, element("td", null, line));
    const bar = element("div", null, element("td", null, line), {class: "meter"});
    element("i", null, bar).style.width = 100 * meter.mean + "%";
    element("b", null, bar).style.left = 100 * meter.most + "%";
    const cell = element("td", null, line, {class: "number"});
    element("button", share(meter.most), cell, {type: "button", class: "link", title: meter.of});  // its click is the line's
    element("td", share(meter.mean), line, {class: "number", title: `${meter.used} in use`});
    if (peaks) element("td", meter.peak, line, {class: "number soft"});
    line.classList.add("clicks");
    line.addEventListener("click", () => app.set(placed(meter.of)));
  }
}

/** @param {HTMLElement} root @param {App} app @returns {import("../page.js").View} */
function make(root, app) {
  const left = element("div", null, root, {id: "answer"}), right = element("div", null, root);
  return {
    show(changed) {
      if (!["at", "row", "path", "range", "all"].some(one => changed.has(one))) return true;
      const meters = metersOf(app.run, app.range), path = app.shownPath;
      const whole = path && app.hasRange ? metersOf(app.run, [path.begin_ps, path.end_ps]) : meters;  // the bound is of the whole path
      left.replaceChildren(); right.replaceChildren();
      showResult(left, app, whole);
      showLimit(left, path, app, whole);
      showTry(left, app);
      showMeters(right, meters, app);
      return left.textContent.length + meters.length > 0;
    },
    csv: () => "resource,busiest,busiest_share,mean_share,in_use,peak\n" + metersOf(app.run, app.range).map(one => [one.resource, one.of, one.most, one.mean, one.used, one.peak].join(",") + "\n").join(""),
  };
}

/** @type {import("../page.js").ViewKind} */
export const answer = {id: "result", title: "Result", make};
