// The machine's drawing, coloured by what its units and links did in the range of time that is shown.
import {placed} from "../state.js";
import {byId, button, drawn, element, field} from "../dom.js";
import {networkDrawing} from "../network.js";
import {share, timeText} from "../quantity.js";
import {plot} from "../chart.js";
import {toCsv} from "../csv.js";
import {busiestOf} from "../meters.js";
import {meanOver, mostOver, unitOf} from "../uses.js";
import {drawStuck} from "../stuck.js";
import {zoomable} from "../zoom.js";

/** Labels by the node that they belong to, at each level, and of links by the two nodes that they join. */
function indexOf(labels) {
  const index = new Map();
  const prefixes = name => name.split(".").map((_, i, parts) => parts.slice(0, i + 1).join("."));
  const add = (key, label) => { if (!index.has(key)) index.set(key, new Set()); index.get(key).add(label); };
  for (const label of labels) {
    const [from, to] = unitOf(label).split(">");
    for (const a of prefixes(from)) {
      add(a, label);
      if (to === undefined) continue;
      for (const b of prefixes(to)) if (a !== b) { add(a + "|" + b, label); add(b + "|" + a, label); }
    }
  }
  return index;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** From pale (dark in dark mode) over yellow to red; of a difference from blue to red. */
function heat(share) {
  const at = Math.max(0, Math.min(1, share)), [from, to] = dark.matches ? [28, 48] : [86, 62];
  return `hsl(${Math.round(52 - 52 * at)} ${Math.round(45 + 45 * at)}% ${Math.round(from + (to - from) * at)}%)`;
}
function difference(change) {
  const at = Math.max(-1, Math.min(1, change));
  return `hsl(${at < 0 ? 215 : 5} ${Math.round(90 * Math.abs(at))}% ${Math.round(82 - 32 * Math.abs(at))}%)`;
}

const isCube = of => /^sip\d+\.cube\d+$/.test(of);
const measures = [["utilisation", "utilisation"], ["waiting", "waiting or under way"], ["held", "slots, credits and TCM in use"], ["full", "most slots, credits and TCM in use"]];

/** Places of a path within a node, without a label of their own there. */
function holds(places, of) {
  if (of.includes("|")) return false;
  for (const place of places) if (place === of || place.startsWith(of + ".")) return true;
  return false;
}

/** Curves of the difference of two runs: the mean of the second minus the first's. */
function differences(runs) {
  const [a, b] = runs.map(one => one.uses.utilisation), all = new Map();
  const mean = values => (values ? values.reduce((sum, v) => sum + v, 0) / values.length : 0);
  for (const label of new Set([...a.keys(), ...b.keys()])) all.set(label, Float64Array.of(mean(b.get(label)) - mean(a.get(label))));
  return all;
}

/** @param {HTMLElement} root @param {import("../state.js").App} app */
function make(root, app) {
  const line = element("p", null, root);
  const measure = field(line, "coloured by", {id: "measure"}, "select");
  for (const [value, label] of measures) element("option", label, measure, {value});
  if (app.runs.length > 1) element("option", "difference of the runs", measure, {value: "difference"});
  const over = element("span", "time", element("label", null, line), {id: "over"});
  const slider = element("input", null, over.parentElement, {id: "time", type: "range", min: -1, max: -1, value: -1, step: 1, "aria-label": "time"});
  const span = element("output", null, line, {id: "window"}), scale = element("span", null, line, {id: "scale", class: "soft"});
  const bar = element("span", null, line, {id: "heatbar", "aria-hidden": "true"});
  const cubes = field(line, "cube", {id: "cube"}, "select"), box = element("div", null, root, {class: "beside"});
  const drawing = element("div", null, box, {id: "drawing"}), hottest = element("div", null, box, {id: "hottest"});
  const unit = field(line, "find", {id: "unit", list: "units", placeholder: "unit or link"}), units = element("datalist", null, line, {id: "units"});
  const zoom = zoomable(drawing), curves = element("div", null, root, {id: "curve", class: "chart"});
  button("all", line, () => zoom.reset(), {title: "show the whole drawing (wheel with Ctrl: zoom, drag: pan)"});
  let shapes = [], picked = null, cube = "", original = "", chart = null, title = null, uses = new Map(), index = new Map();

  const value = values => {
    const {uses: known} = app.run;
    if (known.loads) return values[+slider.value] ?? 0;
    if (measure.value === "difference") return values[0];
    return measure.value === "full" ? mostOver(values, known, app.range) : meanOver(values, known, app.range);
  };
  const at = label => value(uses.get(label));
  const nameOf = shape => shape.of.replaceAll("@", cube);
  const valueText = v => (measure.value === "waiting" ? v.toFixed(2) : measure.value === "difference" ? (100 * v).toFixed(1) + " points" : share(v));

  /** What stands at a shape: its labels, the busiest first. */
  function labelsOf(shape) {
    return [...(index.get(nameOf(shape)) ?? [])].map(label => [label, at(label)]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  }
  function prepare() {
    uses = measure.value === "difference" ? differences(app.runs) : app.run.uses[measure.value];
    index = indexOf(uses.keys());
  }
  /** Shares have a fixed scale, 0 to 100 %; numbers of waits end at the largest. */
  function most() {
    if (measure.value !== "waiting") return 1;
    let all = 1e-9;
    for (const values of uses.values()) all = Math.max(all, Math.abs(value(values)));
    return all;
  }

  function paint() {
    const places = app.places(), compared = measure.value === "difference", top = most();
    scale.textContent = compared ? "blue: less, red: more" : `grey: idle; ${valueText(0)} to ${valueText(top)}`;
    bar.hidden = compared;
    for (const shape of shapes) {
      const labels = labelsOf(shape), v = labels.length ? labels[0][1] : 0;
      const color = labels.length === 0 || v === 0 ? "" : compared ? difference(v / top) : heat(v / top);
      shape.node.style[shape.line ? "stroke" : "fill"] = color;
      shape.node.classList.toggle("idle", !compared && v === 0);
      shape.node.dataset.value = v.toFixed(4);
      shape.node.classList.toggle("apart", places !== null && !labels.some(([label]) => places.has(unitOf(label)) || places.has(label)) && !holds(places, nameOf(shape)));
      shape.tip.textContent = `${nameOf(shape)}\n` + labels.slice(0, 5).map(([label, one]) => `${label}: ${valueText(one)}`).join("\n");
    }
    paintArrows();
    showSpan();
    showHottest();
  }

  // An arrow for each direction of a link between the nodes of a pair, in the colour of that direction.
  function paintArrows() {
    const top = most(), compared = measure.value === "difference";
    for (const {shape, marks} of shapes.filter(one => one.marks).map(one => ({shape: one, marks: one.marks}))) {
      const [a, b] = nameOf(shape).split("|"), labels = labelsOf(shape);
      marks.forEach((mark, back) => {
        const [from, to] = back ? [b, a] : [a, b];
        const own = labels.find(([label]) => { const [x, y] = unitOf(label).split(">"); return within(x, from) && within(y ?? "", to); });
        mark.style.fill = own && own[1] !== 0 ? (compared ? difference(own[1] / top) : heat(own[1] / top)) : "";
        mark.classList.toggle("idle", !own || own[1] === 0);
        mark.dataset.of = own?.[0] ?? "";
        mark.firstChild.textContent = own ? `${own[0]}: ${valueText(own[1])}` : "";
      });
    }
  }
  const within = (name, node) => name === node || name.startsWith(node + ".");

  function showSpan() {
    const known = app.run.uses, [from, to] = app.range;
    span.textContent = known.loads ? `${+(100 * known.loads[Math.max(0, +slider.value)]).toFixed(2)} % of the bound` : known.window > 0 ? `${timeText(from)} to ${timeText(to)}` : "the whole run";
  }
  function showHottest() {
    hottest.replaceChildren();
    if (measure.value !== "utilisation") return;
    const known = app.run.uses, load = +slider.value;
    const all = known.loads ? [...known.utilisation].map(([label, values]) => ({label, value: values[load] ?? 0})).sort((a, b) => b.value - a.value).slice(0, 10) : busiestOf(app.run, app.range);
    if (!all.length) return;
    element("h3", "hottest links", hottest);
    const table = element("table", null, hottest);
    for (const {label, value: v} of all) {
      const row = element("tr", null, table);
      button(label, element("td", null, row), () => app.set({picked: {kind: "link", of: label}}), {class: "link"});
      element("td", share(v), row, {class: "number"}).style.boxShadow = `inset ${Math.round(-60 * v)}px 0 ${"var(--heat)"}`;
    }
  }

  function curve(labels, name) {
    chart?.destroy();
    chart = null;
    const known = app.run.uses;
    curves.textContent = "";
    const shown = labels.slice(0, 6).filter(label => uses.has(label));
    if (!shown.length) return void element("p", `${name}: nothing was recorded of it`, curves, {class: "soft"});
    if (known.windows < 2) return void element("p", `${name}: ${shown.map(label => `${label} ${valueText(at(label))}`).join(", ")}`, curves);
    const xs = known.loads ?? Array.from({length: known.windows}, (_, i) => (known.begin + (i + 0.5) * known.window) / 1000);
    chart = plot(curves, {title: `${name}: ${measure.value}`, x: known.loads ? "load" : "time (ns)", y: "", log_x: false, log_y: false}, xs,
                 shown.map(label => ({label, values: Array.from(uses.get(label))})), Math.min(1200, root.clientWidth || 1000));
  }

  function pick(shape) {
    picked?.node.classList.remove("picked");
    picked = shape;
    shape.node.classList.add("picked");
    const of = nameOf(shape), labels = labelsOf(shape);
    if (isCube(of) && of !== cube) enlarge(of);
    curve(labels.map(([label]) => label), of);
    app.set({picked: {kind: of.includes("|") ? "link" : "unit", of: of.includes("|") && labels.length ? labels[0][0] : of}});
  }

  /** Outlines what was picked anywhere on the page, and enlarges its cube. */
  function mark(thing) {
    picked?.node.classList.remove("picked");
    picked = null;
    if (!thing || !["unit", "link"].includes(thing.kind)) return;
    const own = /^sip\d+\.cube\d+/.exec(thing.of)?.[0];
    if (own && own !== cube && shapes.some(shape => shape.of === own)) enlarge(own);
    const name = unitOf(thing.of);
    picked = shapes.find(shape => nameOf(shape) === name) ?? shapes.find(shape => shape.line && index.get(nameOf(shape))?.has(thing.of))
      ?? shapes.find(shape => !shape.of.includes("|") && name.startsWith(nameOf(shape) + ".") && nameOf(shape).split(".").length >= 3) ?? null;
    picked?.node.classList.add("picked");
  }

  function enlarge(name) {
    cube = name;
    cubes.value = name;
    if (title) title.textContent = `${name}, enlarged`;
    for (const {node, of} of shapes.filter(shape => isCube(shape.of))) {
      node.classList.toggle("here", of === name);
      node.classList.toggle("cube", of !== name);
    }
    const wedge = drawing.querySelector(".zoom");  // leads from the cube that the drawing was made with
    if (wedge) wedge.style.visibility = name === original ? "" : "hidden";
    paint();
    drawStuck(drawing, shapes, nameOf, app.run.raw);
  }

  function shapeOf(node) {
    const shape = {node, of: node.dataset.of, line: node.tagName === "path", tip: drawn("title", {}), marks: null};
    node.append(shape.tip);
    node.addEventListener("click", () => pick(shape));
    if (shape.line && shape.of.includes("|")) shape.marks = arrowsOn(node, of => app.set({picked: {kind: "link", of}}));
    return shape;
  }

  function redraw() {
    const {raw, uses: known} = app.run;
    drawing.innerHTML = raw.network ? "" : raw.drawing ?? "";
    if (raw.network) drawing.append(networkDrawing(raw.network));
    else if (!raw.drawing) element("p", "There is no drawing of this machine.", drawing);
    title = drawing.querySelector("text.enlarged");
    shapes = [...drawing.querySelectorAll("[data-of]")].map(shapeOf);
    const names = shapes.map(shape => shape.of).filter(isCube);
    original = drawing.querySelector(".here")?.dataset.of ?? "";
    cubes.replaceChildren(...names.map(name => element("option", name)));
    slider.min = known.loads ? 0 : -1;
    slider.max = known.windows > 1 ? known.windows - 1 : slider.min;
    slider.value = known.loads ? slider.max : -1;
    over.textContent = known.loads ? "load" : "time";
    cubes.parentElement.hidden = !!raw.network || names.length < 2;
    slider.disabled = known.windows < 2;
    prepare();
    units.replaceChildren(...[...uses.keys()].slice(0, 5000).map(label => element("option", null, null, {value: label})));
    zoom.reset();
    enlarge(busiest(names));
  }
  function busiest(names) {
    let best = names[0] ?? "", sums = -1;
    for (const name of names) {
      let sum = 0;
      for (const label of index.get(name) ?? []) sum += Math.abs(at(label));
      if (sum > sums) { sums = sum; best = name; }
    }
    return best;
  }

  /** The slider chooses one window of the run; -1: the range of the path. */
  function slid() {
    const {uses: known} = app.run, at = +slider.value;
    if (known.loads) return paint();
    app.set({range: at < 0 ? null : [known.begin + at * known.window, Math.min(known.end, known.begin + (at + 1) * known.window)]});
  }

  slider.addEventListener("input", slid);
  measure.addEventListener("change", () => { prepare(); paint(); });
  cubes.addEventListener("change", () => enlarge(cubes.value));
  unit.addEventListener("change", () => {
    const name = unit.value;
    curve(uses.has(name) ? [name] : [...(index.get(name) ?? [])], name);
    app.set(placed(name));
  });
  let drawnOf = null;
  return {
    show(changed) {
      const {raw} = app.run;
      byId("machine").querySelector("h2").textContent = raw.network ? "Network" : "Machine";
      if ((!raw.drawing && !raw.network) || raw.tables?.["latencies.csv"]) return false;
      if (drawnOf !== app.run) { drawnOf = app.run; redraw(); }
      else if (changed.has("picked")) mark(app.picked);
      if (["reason", "range", "path"].some(one => changed.has(one))) {
        if (!app.hasRange && !app.run.uses.loads) slider.value = -1;
        paint();
      }
      return true;
    },
    csv: () => toCsv([["unit_or_link", measure.value], ...[...uses].map(([label, values]) => [label, value(values)])]),
    pick: of => { const shape = shapes.find(one => one.of === of); if (shape) pick(shape); return shape; },
    paint,
  };
}

/** Arrow heads on a link's line: two, one for each direction, or one where the link has only one. */
function arrowsOn(path, choose) {
  if (!path.getTotalLength || !path.getTotalLength()) return null;
  const length = path.getTotalLength(), width = parseFloat(path.getAttribute("stroke-width") ?? getComputedStyle(path).strokeWidth) || 2, size = Math.max(3, 0.9 * width);
  return (path.classList.contains("one-way") ? [false] : [false, true]).map(back => {
    const at = (back ? 0.38 : 0.62) * length, step = Math.min(1, length / 10) * (back ? -1 : 1);
    const tip = path.getPointAtLength(at), before = path.getPointAtLength(at - step), angle = Math.atan2(tip.y - before.y, tip.x - before.x);
    const corner = turn => `${tip.x + size * Math.cos(angle + turn)},${tip.y + size * Math.sin(angle + turn)}`;
    const mark = drawn("polygon", {points: [0, 2.4, -2.4].map(corner).join(" "), class: "arrow"});
    drawn("title", {}, mark);
    mark.addEventListener("click", event => { if (mark.dataset.of) { event.stopPropagation(); choose(mark.dataset.of); } });
    path.after(mark);
    return mark;
  });
}

/** @type {import("../page.js").ViewKind} */
export const machine = {id: "machine", title: "Machine", make};
