// The side panel: all that is known of the thing that was clicked.
import {placed} from "./state.js";
import {button, byId, element} from "./dom.js";
import {bandwidthsOf, busyOf} from "./meters.js";
import {recordsOf} from "./csv.js";
import {bytesText, exactTime, percent, rateText, share, timeText} from "./quantity.js";
import {bettered, changeOf, sharesOf} from "./run.js";
import {meanOver, mostOver, resourceOf, unitOf} from "./uses.js";
import {sentenceOf, term} from "./words.js";

/** @typedef {import("./state.js").App} App @typedef {import("./state.js").Thing} Thing */

const fact = (root, name, value, title = "") => {
  if (value === undefined || value === null || value === "") return;
  const line = element("tr", null, root);
  term(name, element("th", null, line, {scope: "row"}));
  const cell = element("td", null, line, title ? {title} : {});
  if (value instanceof Node) cell.append(value); else cell.textContent = value;
};

const isAt = (place, of) => place === of || place === unitOf(of) || place.startsWith(of + ".");

/** Shares of the path by one of its words. */
function listOf(root, title, segments, name, length, app) {
  const shares = sharesOf(segments, name).slice(0, 5);
  if (!shares.length) return;
  element("h3", title, root);
  const table = element("table", null, root);
  for (const one of shares) {
    const line = element("tr", null, table), cell = element("td", null, line);
    if (name === "place") button(one.name, cell, () => app.set(placed(one.name)), {class: "link"});
    else term(one.name, cell);
    element("td", timeText(one.ps), line, {class: "number", title: exactTime(one.ps)});
    element("td", percent(one.ps, length), line, {class: "number"});
  }
}

/** A slider for each key of these segments: the estimated time of the path with another value. */
function slidersOf(root, segments, app) {
  const path = app.shownPath, own = new Set(segments.map(one => one.key));
  const keys = (path?.keys ?? []).filter(key => own.has(key.key)).slice(0, 4);
  if (!keys.length) return;
  element("h3", "what if", root, {title: "estimated along this path; exact as long as no other cause overtakes"});
  for (const key of keys) {
    const box = element("p", null, root, {class: "key"});
    element("code", key.key, box);
    const line = element("label", null, box), slider = element("input", null, line, {type: "range", min: -50, max: 100, value: 0, step: 1, "aria-label": `${key.key} better by percent`});
    const says = element("output", null, line);
    const say = () => {
      const to = bettered(key, +slider.value), change = changeOf(key, to);
      says.textContent = ` ${+to.toPrecision(4)} ${key.unit}: ${timeText(path.length_ps + change)}` + (change === 0 ? "" : ` (${change < 0 ? "−" : "+"}${share(Math.abs(change) / Math.max(1, path.length_ps))})`);
    };
    slider.addEventListener("input", say);
    say();
  }
}

function showPath(root, segments, app) {
  const path = app.shownPath;
  if (!path) return;
  const sum = segments.reduce((all, one) => all + one.length, 0);
  const table = element("table", null, root);
  fact(table, "share of the critical path", sum > 0 ? `${percent(sum, path.length_ps)}, ${timeText(sum)}` : "not on it", exactTime(sum));
  listOf(root, "reasons there", segments, "reason", path.length_ps, app);
  listOf(root, "places", new Set(segments.map(one => one.place)).size > 1 ? segments : [], "place", path.length_ps, app);
  listOf(root, "lines", segments, "line", path.length_ps, app);
  slidersOf(root, segments, app);
}

/** A unit, a link, or a part of the machine that holds several. */
function showPlace(root, {of}, app) {
  const {uses, raw} = app.run, table = element("table", null, root), range = uses.loads ? null : app.range;
  const own = uses.utilisation.get(of) ?? uses.utilisation.get([...uses.utilisation.keys()].find(label => unitOf(label) === of) ?? "");
  fact(table, "kind", resourceOf(of));
  if (own) {
    fact(table, "utilisation", `${share(meanOver(own, uses, range))}, at most ${share(mostOver(own, uses, range))}`, "over the time that is shown, and in the busiest window of it");
    const rate = bandwidthsOf(raw).get(of);
    if (rate) fact(table, "achieved of peak", `${rateText(rate * meanOver(own, uses, range))} of ${rateText(rate)}`);
  }
  const held = uses.held.get(of), row0 = own ? null : raw.spans?.rows?.find(one => one.label === of);
  if (held) fact(table, "slots in use", `${share(meanOver(held, uses, range))} on average, at most ${share(mostOver(uses.full.get(of) ?? held, uses, range))}`);
  if (row0) fact(table, "busy", share(busyOf(raw.spans, row0, app.range)), "share of the time that is shown with a slice of it");
  const waiting = uses.waiting.get(of);
  if (waiting) fact(table, "waiting", `${meanOver(waiting, uses, range).toFixed(2)} packets or works, on average`);
  const row = recordsOf(raw.tables?.["links.csv"]).find(one => one.link === of) ?? recordsOf(raw.tables?.["units.csv"]).find(one => one.unit === of);
  if (row && isFinite(+row.bytes)) fact(table, "bytes", bytesText(+row.bytes), `${row.bytes} B in the whole run`);
  if (+(row?.waited_ns ?? 0) > 0) fact(table, "queued", timeText(1000 * +row.waited_ns), "sum over all packets or accesses of the whole run");
  const late = (app.shownPath?.slack ?? []).find(one => one.place === of || one.name === of);
  if (late) fact(table, "slack", timeText(late.ps), exactTime(late.ps));
  showPath(root, app.segments.filter(one => isAt(one.place, of)), app);
  if (of.includes(">") && !of.includes(" ")) {
    const back = of.split(">").reverse().join(">");
    if (uses.utilisation.has(back)) button(`other direction: ${share(meanOver(uses.utilisation.get(back), uses, range))}`, element("p", null, root), () => app.set({picked: {kind: "link", of: back}}), {class: "link"});
  }
}

function showSlice(root, thing, app) {
  const table = element("table", null, root);
  fact(table, "at", button(thing.row, null, () => app.set(placed(thing.row)), {class: "link"}));
  fact(table, "kind", thing.slice);
  fact(table, "from", timeText(thing.from), exactTime(thing.from));
  fact(table, "takes", timeText(thing.length), exactTime(thing.length));
  if (thing.bytes) { fact(table, "bytes", bytesText(thing.bytes), `${thing.bytes} B`); if (thing.length > 0) fact(table, "rate", rateText(1000 * thing.bytes / thing.length)); }
  fact(table, "line", thing.line);
  for (const other of thing.peers ?? []) fact(table, other.to ? "sends to" : "waits for", other.label);
  const place = unitOf(thing.row).replace(/\.kernel$/, ".pe_cpu");
  showPath(root, app.segments.filter(one => isAt(one.place, place) && one.from < thing.from + thing.length && one.to > thing.from), app);
}

/** Sums of the slices in a selection. */
function showSelection(root, thing, app) {
  const table = element("table", null, root);
  fact(table, "from", timeText(thing.from), exactTime(thing.from));
  fact(table, "length", timeText(thing.to - thing.from), exactTime(thing.to - thing.from));
  fact(table, "lines", thing.lines);
  button("show this time in all views", element("p", null, root), () => app.set({range: [thing.from, Math.max(thing.to, thing.from + 1)]}), {class: "link"});
  if (!thing.sums.length) return void element("p", "No slice is in the selection.", root);
  element("h3", "slices in the selection", root, {title: "Times are cut at the selection's ends. Bytes are those of whole slices."});
  const sums = element("table", null, root), head = element("tr", null, sums);
  for (const name of ["kind", "count", "time", "bytes"]) element("th", name, head, {class: name === "kind" ? "" : "number"});
  for (const one of thing.sums) {
    const line = element("tr", null, sums);
    element("td", one.kind, line);
    element("td", one.count, line, {class: "number"});
    element("td", timeText(one.ps), line, {class: "number", title: exactTime(one.ps)});
    element("td", one.bytes ? bytesText(one.bytes) : "", line, {class: "number", title: `${one.bytes} B`});
  }
}

function showRow(root, thing) {
  element("p", "This row's path and timeline weren't recorded: together the rows have more events than a page's budget. The command that shows them:", root);
  element("pre", thing.command, root, {class: "command"});
}

/** A finding: its gain and how that is known, its evidence, its place and key. */
function showFinding(root, thing, app) {
  element("p", thing.evidence, root);
  const table = element("table", null, root);
  if (thing.gain !== null && thing.gain !== undefined) fact(table, "gain", `${timeText(thing.gain)}, ${thing.simulated ? "simulated" : "estimated"}`, exactTime(thing.gain));
  fact(table, "formula", thing.formula);
  if (thing.place) fact(table, "place", button(thing.place, null, () => app.set(placed(thing.place)), {class: "link"}));
  fact(table, "key", thing.key);
  slidersOf(root, (app.shownPath?.segments ?? []).filter(one => thing.key && one.key === thing.key), app);
}

/** A wait of the path: its share, and the queues that were fullest. */
function showWait(root, thing, app) {
  const {uses} = app.run, table = element("table", null, root);
  element("p", sentenceOf(thing.of), root);
  fact(table, "share of the critical path", `${percent(thing.ps, app.shownPath?.length_ps ?? 0)}, ${timeText(thing.ps)}`, exactTime(thing.ps));
  const queues = [...uses.full].map(([label, values]) => ({label, most: mostOver(values, uses, app.range)})).filter(one => one.most > 0).sort((a, b) => b.most - a.most).slice(0, 5);
  if (!queues.length) return;
  element("h3", "fullest queues", root);
  const list = element("table", null, root);
  for (const {label, most} of queues) {
    const line = element("tr", null, list);
    button(label, element("td", null, line), () => app.set({picked: {kind: "unit", of: label}}), {class: "link"});
    element("td", share(most), line, {class: "number"});
  }
}

/** By the kind of thing. @type {Record<string, (root: HTMLElement, thing: Thing, app: App) => void>} */
const shows = {
  unit: showPlace,
  link: showPlace,
  slice: showSlice,
  selection: showSelection,
  row: showRow,
  wait: showWait,
  reason: (root, {of}, app) => showPath(root, (app.shownPath?.segments ?? []).filter(one => one.reason === of), app),
  key: (root, {of}, app) => showPath(root, (app.shownPath?.segments ?? []).filter(one => one.key === of), app),
  operation: (root, thing, app) => {
    const table = element("table", null, root);
    fact(table, "what", thing.what);
    fact(table, "line", thing.line);
    showPath(root, (app.shownPath?.segments ?? []).filter(one => one.op === thing.of), app);
  },
  finding: showFinding,
  facts: (root, thing) => { const table = element("table", null, root); for (const [name, value] of thing.facts) fact(table, name, value); },
};

/** @param {App} app */
export function makePanel(app) {
  const root = byId("panel");
  function show() {
    root.replaceChildren();
    const thing = app.picked;
    if (!thing) return void element("p", "Click a unit, link, slice, reason, row or operation: all that is known of it stands here.", root, {class: "soft"});
    const head = element("div", null, root, {class: "head"});
    element("h2", thing.of, head);
    button("✕", head, () => app.set({picked: null}), {class: "link", "aria-label": "close"});
    element("p", thing.kind, root, {class: "soft"});
    shows[thing.kind]?.(root, thing, app);
    if (getComputedStyle(root).position === "static") root.scrollIntoView({block: "nearest"});  // a small screen has it below
  }
  app.on(changed => { if (["picked", "at", "row", "path", "range", "reason", "all"].some(one => changed.has(one))) show(); });
}
