// The page: what its views have in common, and those that are short.
"use strict";
const app = {
  runs: JSON.parse(byId("data").textContent).map(makeRun),
  at: 0,         // the run that is shown
  path: null,    // its critical path; null: of what the run measures
  reason: null,  // of the path, that is shown alone
  get shownPath() { const run = this.runs[this.at]; return run.paths[this.path ?? run.measured] ?? run.paths[0]; },
  get segments() {
    const all = this.shownPath?.segments ?? [];
    return this.reason === null ? all : all.filter(one => one.reason === this.reason);
  },
  // Where the chosen reason lies; null: all are shown.
  places() { return this.reason === null ? null : new Set(this.segments.map(one => one.place)); },
};

function colorOf(reason) {
  const known = (app.runs[0].paths[0]?.reasons ?? []).findIndex(share => share.name === reason);
  if (known >= 0) return colors[known % colors.length];
  let sum = 0;
  for (const c of reason) sum += c.charCodeAt(0);
  return colors[sum % colors.length];
}

// A view that can't be shown says so, and the others stand.
function shown(id, show) {
  try { show(); } catch (error) { element("p", `This view can't be shown: ${error.message}`, byId(id), {class: "bad"}); }
}

function drawBar(root, path, of, most = path.length_ps) {
  root.textContent = "";
  for (const share of path.reasons ?? []) {
    const part = element("button", `${share.name} ${percent(share.ps, path.length_ps)}`, root,
                         {class: "part", "data-ps": share.ps, "data-reason": share.name, "aria-pressed": of.reason === share.name,
                          title: `${share.name}: ${timeText(share.ps)}, ${share.count} times`});
    part.style.width = 100 * share.ps / Math.max(1, most) + "%";
    part.style.background = colorOf(share.name);
    if (of.reason !== null && of.reason !== share.name) part.classList.add("other");
    part.addEventListener("click", () => choose(share.name));
  }
}

// Below the reasons: the parts of the path in which something waited. The rest of the line is empty.
function drawWaits(root, path) {
  root.textContent = "";
  const waits = path.waits ?? [];
  root.hidden = waits.length === 0;
  root.setAttribute("aria-label", waits.map(share => `waiting for ${share.name}: ${percent(share.ps, path.length_ps)}`).join(", "));
  for (const share of waits) {
    const part = element("span", `waiting for ${share.name} ${percent(share.ps, path.length_ps)}`, root, {title: `waiting for ${share.name}: ${timeText(share.ps)}, within the same time`});
    part.style.width = 100 * share.ps / Math.max(1, path.length_ps) + "%";
  }
}

function choose(reason) {
  app.reason = reason === app.reason ? null : reason;
  showChoice();
}

function showShares(path) {
  const root = byId("shares");
  root.textContent = "";
  const list = name => (app.reason === null ? path[{reason: "reasons", kind: "kinds", place: "places", line: "lines"}[name]] : sharesOf(app.segments, name)) ?? [];
  const add = (title, shares, swatch) => {
    if (!shares.length) return;
    const box = element("div", null, root), table = element("table", null, box);
    box.prepend(element("h3", title));
    for (const share of shares.slice(0, 12)) {
      const row = element("tr", null, table), name = element("td", null, row);
      if (swatch) element("span", null, name, {class: "swatch"}).style.background = colorOf(share.name);
      name.append(share.name);
      element("td", timeText(share.ps), row, {class: "number"});
      element("td", percent(share.ps, path.length_ps), row, {class: "number"});
      element("td", share.count === 1 ? "once" : `${share.count} times`, row, {class: "number soft"});
    }
  };
  add("by reason", list("reason"), true);
  if (app.reason === null) add("waits, within the same time", path.waits ?? [], false);
  add("by kind of component", list("kind"), false);
  add("by place", list("place"), false);
  add("by line of a kernel", list("line"), false);
  if (path.short) element("p", "The segments of this path are left out: explain.json has them.", root, {class: "soft"});
  const {raw} = app.runs[app.at], rows = raw.summary?.rows?.length;
  if (rows && raw.explain?.row) element("p", `This is the path of row ${raw.explain.row} of ${rows}. Another row's: run it with --explain --of row:N.`, root, {class: "soft"});
  showRowLimits(root, raw.explain?.limits ?? []);
}

// Of an evaluation: what limits each row.
function showRowLimits(root, limits) {
  if (!limits.length) return;
  const box = element("div", null, root), table = element("table", null, box);
  box.prepend(element("h3", "rows are limited by"));
  limits.slice(0, 40).forEach((limit, i) => {
    const line = element("tr", null, table);
    element("td", `row ${i + 1}`, line);
    element("td", limit, line);
  });
}

function showWhy() {
  const {paths, raw} = app.runs[app.at], path = app.shownPath;
  byId("path").replaceChildren(...paths.map((one, i) => element("option", `${one.of}, ${timeText(one.length_ps)}`, null, {value: i})));
  byId("path").value = paths.indexOf(path);
  byId("why").hidden = paths.length === 0 && !raw.explain?.why_not;
  if (path) { drawBar(byId("bar"), path, app); drawWaits(byId("waits"), path); showShares(path); }
  else byId("shares").textContent = "Not explained: " + (raw.explain?.why_not ?? "");
}

function showKeys() {
  const path = app.shownPath, root = byId("derivatives");
  byId("keys").hidden = !(path?.keys?.length);
  if (byId("keys").hidden) return;
  root.textContent = "";
  const better = +byId("better").value, own = new Set(app.segments.map(one => one.key));
  const rows = path.keys.filter(key => app.reason === null || own.has(key.key)).map(key => {
    const to = bettered(key, better), change = changeOf(key, to);
    return [key.key, key.value, key.unit, +to.toPrecision(6), +(key.ps / 1000).toFixed(3), +(key.slope_ns ?? 0).toPrecision(6), +(change / 1000).toFixed(3),
            +((path.length_ps + change) / 1000).toFixed(3), +(-100 * change / Math.max(1, path.length_ps)).toFixed(2)];
  });
  makeTable(root, `keys on the path of ${path.of}`, ["key", "value", "unit", "changed value", "time on the path (ns)", "slope (ns per unit)", "change (ns)", "new time (ns)", "gain (%)"], rows, 8);
}

function showTimeline() {
  const {raw} = app.runs[app.at];
  byId("timeline").hidden = !raw.spans;
  if (!raw.spans) return;
  const old = byId("canvas");
  if (app.timelineOf !== app.at) {
    const canvas = old.cloneNode(false);
    old.replaceWith(canvas);
    app.timeline = makeTimeline(canvas, raw.spans, {details: byId("details"), range: byId("range"), found: byId("found"), wheel: "ctrl"});
    app.timelineOf = app.at;
  }
  const parts = app.segments.map(one => ({from: one.from, to: one.to, color: colorOf(one.reason), text: one.reason, place: one.place}));
  app.timeline.setPath(parts.length ? parts : null);
  app.timeline.draw();
}

function showFacts() {
  const {raw, total} = app.runs[app.at], {run, summary, failure} = raw, table = byId("facts"), notes = byId("notes");
  table.textContent = ""; notes.textContent = ""; byId("failure").textContent = "";
  const row = (name, value) => { if (value === undefined || value === null || value === "") return; const line = element("tr", null, table); element("th", name, line, {scope: "row"}); element("td", value, line); };
  const result = summary?.result ?? {};
  row("command", run?.command?.join(" "));
  row("folder", raw.folder);
  row("version", run?.version ?? summary?.version);
  row("simulated", total ? timeText(total) : "");
  for (const [name, value] of Object.entries(result)) if (typeof value !== "object") row(name, value);
  row("digest", run?.run?.digest);
  row("host", run?.run?.host ? `${(+run.run.host.wall_s).toFixed(2)} s, ${(run.run.host.peak_memory_bytes / 2 ** 20).toFixed(0)} MiB` : "");
  const part = isSlice(raw) ? "cube.hbm_ctrl." : raw.network ? "cube.noc.router." : "";  // what took part
  const models = [...keysOf(raw.config ?? "")].filter(([key]) => key.startsWith(part) && key.endsWith(".impl")).map(([key, value]) => `${key.slice(0, -5)}: ${value}`);
  row("models", models.join(", "));
  if (failure) {
    element("p", `It ended with exit code ${failure.exit_code} (${failure.meaning}).`, byId("failure"), {class: "bad"});
    element("pre", failure.error, byId("failure"));
  }
  if (raw.deadlock) showDeadlock(raw.deadlock);
  const note = text => element("li", text, notes);
  if (raw.partial) note("PARTIAL: the run hasn't ended, was interrupted or failed. What is here is what had ended until then.");
  if (summary?.checked === false) note("No values were recorded (--timing-only): the numbers are not checked.");
  if (summary?.races > 0) note(`${summary.races} data races: accesses of one place that nothing orders.`);
  for (const what of raw.spans?.left_out ?? []) note(`Left out of the timeline: ${what}.`);
  if (raw.spans?.is_cut) note(raw.spans.title);
  for (const what of raw.left_out ?? []) note(`Left out of this page: ${what}.`);
  if (raw.explain?.why_not) note(`Not explained: ${raw.explain.why_not}.`);
  if (summary?.rows?.[0]?.limited_by !== undefined && !raw.explain) note("Its rows say what limits them. The critical path of one of them: run it with --explain --of row:N.");
  if (!raw.spans && !summary?.rows && !isTraffic(raw)) note("No spans were recorded: there is no timeline, and utilisation is of the whole run.");
  if (app.shownPath?.ties > 0) note(`At ${app.shownPath.ties} moments of the critical path another cause came at the same time: more of a key may cost more, less of it save less.`);
}

function showDeadlock(all) {
  const root = byId("failure");
  for (const one of (all.deadlocks ?? [all]).slice(0, 20)) {
    element("h3", one.simulation ? `Deadlock of ${one.simulation}` : "Deadlock", root);
    const list = element("ul", null, root, {class: "cycles"});
    for (const cycle of one.cycles ?? [])
      element("li", "cycle: " + cycle.map(i => one.waits[i]?.why).join("; "), list);
    for (const wait of (one.waiting ?? []).slice(0, 30)) element("li", `${wait.process} waits for ${wait.waits_for} since ${wait.since_ns} ns, at ${(wait.at ?? []).join(", ")}`, list);
  }
}

// What limits the path that is shown, where, and at which line.
function showLimit(path) {
  const root = byId("limit");
  root.textContent = "";
  if (!path?.limited_by) return;
  element("b", "Limited by ", root);
  root.append(`${path.limited_by}` + (path.places?.length ? `, the longest part at ${path.places[0].name}` : "") + (path.lines?.length ? `, ${path.lines[0].name}` : ""));
}

// Changes that shorten what the run measures, with a command each.
function showTry(raw) {
  const root = byId("try"), all = raw.explain?.try ?? [];
  root.textContent = "";
  if (!all.length) return;
  const list = element("ul", null, root);
  for (const one of all) {
    const line = element("li", null, list);
    element("b", `Try ${one.key} = ${one.to} `, line);
    line.append(`(now ${one.value}): ${(100 * one.share).toFixed(1)} % less time, ${one.simulated ? "simulated" : "estimated"} `);
    const copy = element("button", "command", line);
    copy.addEventListener("click", () => {
      copy.replaceWith(element("code", one.command));  // to see and to select, if the browser gives no clipboard
      navigator.clipboard?.writeText(one.command).catch(() => {});
    });
  }
}

function showVerdict() {
  const {raw, total} = app.runs[app.at], {summary, failure, run} = raw, box = byId("verdict"), path = app.shownPath;
  const name = summary?.bench ?? summary?.title ?? raw.spans?.title ?? run?.command?.slice(0, 4).join(" ") ?? raw.folder;
  const measured = app.runs[app.at].paths[app.runs[app.at].measured]?.length_ps ?? total;
  byId("title").textContent = document.title = `kbsim ${String(name).replace(/^kbsim /, "")}` + (measured ? `, ${timeText(measured)}` : "");
  byId("answer").textContent = path ? path.sentence ?? `critical path of ${path.of}, ${timeText(path.length_ps)}: ${path.limited_by}` : isTraffic(raw) ? trafficSentence(raw) : "";
  if (measured !== total && total) element("span", ` ${timeText(total)} are simulated, with set-up and host.`, byId("answer"), {class: "soft"});
  showLimit(path);
  showTry(raw);
  box.textContent = "";
  const say = (text, look) => element("span", text + " ", box, {class: look});
  if (failure) say(`failed: exit code ${failure.exit_code}, ${failure.meaning}.`, "bad");
  else if (raw.partial) say("not whole.", "bad");
  if (summary?.correct === true) say("All numbers are right.", "good");
  else if (summary?.correct === false) say("Wrong numbers.", "bad");
  else if (!isTraffic(raw)) say("Numbers are not checked.", "soft");
  if (run?.run?.digest) say(`digest ${run.run.digest}`, "soft");
}

function showChoice() {
  const box = byId("chosen");
  box.hidden = app.reason === null;
  box.textContent = "";
  if (app.reason !== null) element("button", `only: ${app.reason} ✕`, box).addEventListener("click", () => choose(app.reason));
  shown("why", showWhy);
  shown("machine", () => machine.paint());
  shown("timeline", showTimeline);
  shown("keys", showKeys);
  shown("slack", () => slack.show());
  shown("lists", () => tables.show());
}

function showViews() {
  const nav = byId("views");
  nav.textContent = "";
  if (app.runs.length > 1)
    app.runs.forEach((run, i) => {
      const button = element("button", `${i ? "second" : "first"} run: ${run.raw.folder}`, nav, {"aria-pressed": i === app.at});
      button.addEventListener("click", () => { app.at = i; app.path = null; app.reason = null; showAll(); });
    });
  for (const section of document.querySelectorAll("main > section"))
    if (!section.hidden) element("a", section.querySelector("h2").textContent, nav, {href: "#" + section.id});
}

function showAll() {
  shown("ran", showFacts);
  showVerdict();
  const {drawing, network} = app.runs[app.at].raw;
  byId("machine").hidden = (!drawing && !network) || isSlice(app.runs[app.at].raw);
  byId("machine").querySelector("h2").textContent = network ? "The network" : "The machine";
  shown("machine", () => machine.show());
  shown("curves", () => showFigures(app));
  shown("compare", () => showDifferences(app));
  showChoice();
  showViews();
}

const machine = makeMachine(app), tables = makeTables(app), slack = makeSlack(app);
if (app.runs.length > 1) element("option", "difference of the runs", byId("measure"), {value: "difference"});
byId("path").addEventListener("change", event => { app.path = +event.target.value; app.reason = null; showVerdict(); showChoice(); });
byId("better").addEventListener("input", () => shown("keys", showKeys));
byId("search").addEventListener("input", event => app.timeline?.search(event.target.value));
byId("search").addEventListener("keydown", event => { if (event.key === "Enter") app.timeline?.next(); });
showAll();
