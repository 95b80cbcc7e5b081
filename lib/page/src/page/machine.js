// The machine's drawing, coloured by what its units and links did.
"use strict";
const unitOf = label => label.replace(/ [^ ]*$/, "");  // without a port or a queue of it

// Labels by the node that they belong to, at each level, and of links by the two nodes that they join.
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

// From pale over yellow to red; of a difference from blue to red.
function heat(share) {
  const at = Math.max(0, Math.min(1, share));
  return `hsl(${Math.round(52 - 52 * at)} ${Math.round(45 + 45 * at)}% ${Math.round(86 - 36 * at)}%)`;
}
function difference(change) {
  const at = Math.max(-1, Math.min(1, change));
  return `hsl(${at < 0 ? 215 : 5} ${Math.round(90 * Math.abs(at))}% ${Math.round(82 - 32 * Math.abs(at))}%)`;
}

function makeMachine(app) {
  const root = byId("drawing");
  let shapes = [], picked = null, cube = "", drawn = "", chart = null, title = null;
  const isCube = of => /^sip\d+\.cube\d+$/.test(of);
  const run = () => app.runs[app.at];

  function usesNow() {
    const measure = byId("measure").value;
    if (measure !== "difference") return run().uses[measure];
    const [a, b] = app.runs.map(one => one.uses.utilisation), all = new Map();
    const mean = values => (values ? values.reduce((sum, v) => sum + v, 0) / values.length : 0);
    for (const label of new Set([...a.keys(), ...b.keys()])) all.set(label, Float64Array.of(mean(b.get(label)) - mean(a.get(label))));
    return all;
  }

  const at = values => {
    const window = +byId("time").value;
    if (window < 0 && byId("measure").value === "full") return values.reduce((most, v) => Math.max(most, v), 0);
    if (window < 0 || values.length === 1) return values.reduce((sum, v) => sum + v, 0) / values.length;
    return values[window] ?? 0;
  };

  // What stands at a shape: its labels, the busiest first.
  function labelsOf(shape) {
    const found = index.get(shape.of.replaceAll("@", cube)) ?? new Set();
    return [...found].map(label => [label, at(uses.get(label))]).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  }

  let uses = new Map(), index = new Map();
  function prepare() {
    uses = usesNow();
    index = indexOf(uses.keys());
  }

  // Shares are drawn on a fixed scale, from 0 to 100 %; numbers of waits up to the largest one, in the whole run
  // or in any window.
  function scaleOf() {
    if (byId("measure").value !== "waiting") return 1;
    let most = 1e-9;
    const whole = +byId("time").value < 0;
    for (const values of uses.values()) {
      if (whole) most = Math.max(most, Math.abs(at(values)));
      else for (const v of values) most = Math.max(most, v);
    }
    return most;
  }
  const valueText = v => (byId("measure").value === "waiting" ? v.toFixed(2) : (100 * v).toFixed(1) + (byId("measure").value === "difference" ? " points" : " %"));

  function paint() {
    const places = app.places(), compared = byId("measure").value === "difference", most = scaleOf();
    byId("scale").textContent = compared ? "blue: less, red: more" : `grey: idle; ${valueText(0)} to ${valueText(most)}`;
    byId("heatbar").hidden = compared;
    for (const shape of shapes) {
      const labels = labelsOf(shape), value = labels.length ? labels[0][1] : 0;
      const color = labels.length === 0 || value === 0 ? "" : compared ? difference(value / most) : heat(value / most);
      shape.node.style[shape.line ? "stroke" : "fill"] = color;
      shape.node.classList.toggle("idle", !compared && labels.length > 0 && value === 0);
      shape.node.dataset.value = value.toFixed(4);
      shape.node.classList.toggle("apart", places !== null && !labels.some(([label]) => places.has(unitOf(label)) || places.has(label)) && !has(places, shape));
      shape.tip.textContent = `${shape.of.replaceAll("@", cube)}\n` +
        labels.slice(0, 5).map(([label, v]) => `${label}: ${valueText(v)}`).join("\n");
    }
    const window = +byId("time").value, known = run().uses;
    byId("window").textContent = known.loads ? `${+(100 * known.loads[Math.max(0, window)]).toFixed(2)} % of the bound` : window < 0 ? "the whole run" :
      timeText(known.begin + window * known.window) + " to " + timeText(Math.min(known.end, known.begin + (window + 1) * known.window));
  }

  // Places of a path that are in a node, without a label of their own there.
  function has(places, shape) {
    const of = shape.of.replaceAll("@", cube);
    if (of.includes("|")) return false;
    for (const place of places) if (place === of || place.startsWith(of + ".")) return true;
    return false;
  }

  function curve(labels, name) {
    chart?.destroy();
    chart = null;
    const known = run().uses, box = byId("curve");
    box.textContent = "";
    const shown = labels.slice(0, 6).filter(label => uses.has(label));
    if (!shown.length) return element("p", `${name}: nothing was recorded of it`, box, {class: "soft"});
    if (known.windows < 2) return element("p", `${name}: ${shown.map(label => `${label} ${valueText(at(uses.get(label)))}`).join(", ")}`, box);
    const xs = known.loads ?? Array.from({length: known.windows}, (_, i) => (known.begin + (i + 0.5) * known.window) / 1000);
    chart = plot(box, {title: `${name}: ${byId("measure").value}`, x: known.loads ? "load" : "time (ns)", y: "", log_x: false, log_y: false}, xs,
                 shown.map(label => ({label, values: Array.from(uses.get(label))})), Math.min(1200, root.clientWidth || 1000));
  }

  function pick(shape) {
    picked?.node.classList.remove("picked");
    picked = shape;
    shape.node.classList.add("picked");
    const of = shape.of.replaceAll("@", cube);
    if (isCube(of) && of !== cube) choose(of);
    curve(labelsOf(shape).map(([label]) => label), of);
  }

  function choose(name) {
    cube = name;
    byId("cube").value = name;
    if (title) title.textContent = `${name}, enlarged`;
    for (const {node, of} of shapes.filter(shape => isCube(shape.of))) {
      node.classList.toggle("here", of === name);
      node.classList.toggle("cube", of !== name);
    }
    const wedge = root.querySelector(".zoom");  // leads from the cube that the drawing was made with
    if (wedge) wedge.style.visibility = name === drawn ? "" : "hidden";
    paint();
  }

  function show() {
    const raw = run().raw;
    root.innerHTML = raw.network ? "" : raw.drawing ?? "";
    if (raw.network) root.append(networkDrawing(raw.network));
    else if (!raw.drawing) element("p", "There is no drawing of this machine.", root);
    title = root.querySelector("text.enlarged");
    shapes = [...root.querySelectorAll("[data-of]")].map(node => {
      const shape = {node, of: node.dataset.of, line: node.tagName === "path"};
      shape.tip = document.createElementNS("http://www.w3.org/2000/svg", "title");
      node.append(shape.tip);
      node.addEventListener("click", () => pick(shape));
      return shape;
    });
    const cubes = shapes.map(shape => shape.of).filter(isCube);
    drawn = root.querySelector(".here")?.dataset.of ?? "";
    byId("cube").replaceChildren(...cubes.map(name => element("option", name)));
    const slider = byId("time"), known = run().uses;
    slider.min = known.loads ? 0 : -1;
    slider.max = known.windows > 1 ? known.windows - 1 : slider.min;
    slider.value = known.loads ? slider.max : -1;
    byId("over").textContent = known.loads ? "load" : "time";
    byId("cube").parentElement.hidden = !!raw.network;
    slider.disabled = known.windows < 2;
    prepare();
    byId("units").replaceChildren(...[...uses.keys()].slice(0, 5000).map(label => element("option", null, null, {value: label})));
    choose(busiestCube(cubes));
  }
  function busiestCube(cubes) {
    let best = cubes[0] ?? "", most = -1;
    for (const name of cubes) {
      let sum = 0;
      for (const label of index.get(name) ?? []) sum += Math.abs(at(uses.get(label)));
      if (sum > most) { most = sum; best = name; }
    }
    return best;
  }

  byId("time").addEventListener("input", paint);
  byId("measure").addEventListener("change", () => { prepare(); paint(); });
  byId("cube").addEventListener("change", event => choose(event.target.value));
  byId("unit").addEventListener("change", event => {
    const name = event.target.value;
    curve(uses.has(name) ? [name] : [...(index.get(name) ?? [])], name);
  });
  return {show, paint, pick: of => { const shape = shapes.find(one => one.of === of); if (shape) pick(shape); return shape; }};
}
