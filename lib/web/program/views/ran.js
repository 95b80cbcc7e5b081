// The run itself: command, folder, version, results, models; failures and notes.
import {element} from "../dom.js";
import {exactTime, timeText} from "../quantity.js";
import {isTraffic, keysOf} from "../run.js";
import {toCsv} from "../csv.js";

/** Names and values of the run's facts. @param {import("../run.js").Run} run @returns {[string, string][]} */
function factsOf({raw, total}) {
  const {run, summary} = raw, all = [];
  const fact = (name, value) => { if (value !== undefined && value !== null && value !== "") all.push([name, String(value)]); };
  fact("command", run?.command?.join(" "));
  fact("folder", raw.folder);
  fact("version", run?.version ?? summary?.version);
  fact("simulated", total ? `${timeText(total)} (${exactTime(total)})` : "");
  for (const [name, value] of Object.entries(summary?.result ?? {})) if (typeof value !== "object") fact(name, value);
  fact("digest", run?.run?.digest);
  fact("host", run?.run?.host ? `${(+run.run.host.wall_s).toFixed(2)} s, ${(run.run.host.peak_memory_bytes / 2 ** 20).toFixed(0)} MiB` : "");
  const part = raw.tables?.["latencies.csv"] ? "cube.hbm_ctrl." : raw.network ? "cube.noc.router." : "";  // the parts that took part
  fact("models", [...keysOf(raw.config ?? "")].filter(([key]) => key.startsWith(part) && key.endsWith(".impl")).map(([key, value]) => `${key.slice(0, -5)}: ${value}`).join(", "));
  return all;
}

/** @param {import("../state.js").App} app */
function notesOf(app) {
  const {raw} = app.run, {summary} = raw, all = [], path = app.shownPath;
  if (raw.partial) all.push("PARTIAL: the run hasn't ended, was interrupted or failed. This page has its results until then.");
  if (summary?.checked === false) all.push("No values were recorded (--timing-only): the numbers are not checked.");
  if (summary?.races > 0) all.push(`${summary.races} data races: accesses of one place that nothing orders.`);
  for (const what of raw.spans?.left_out ?? []) all.push(`Left out of the timeline: ${what}.`);
  if (raw.spans?.is_cut) all.push(raw.spans.title);
  for (const what of raw.left_out ?? []) all.push(`Left out of this page: ${what}.`);
  if (raw.explain?.why_not) all.push(`Not explained: ${raw.explain.why_not}.`);
  if (summary?.rows?.[0]?.limited_by !== undefined && !raw.explain) all.push("Its rows say what limits them. The critical path of one of them: run it with --explain --of row:N.");
  if (!raw.spans && !summary?.rows && !isTraffic(raw)) all.push("No spans were recorded: there is no timeline, and utilisation is of the whole run.");
  if (path?.ties > 0) all.push(`At ${path.ties} moments of the critical path another cause came at the same time: a worse key may cost more, a better one save less.`);
  return all;
}

function showDeadlocks(root, all) {
  for (const one of (all.deadlocks ?? [all]).slice(0, 20)) {
    element("h3", one.simulation ? `Deadlock of ${one.simulation}` : "Deadlock", root);
    const list = element("ul", null, root, {class: "cycles"});
    for (const cycle of one.cycles ?? []) element("li", "cycle: " + cycle.map(i => one.waits[i]?.why).join("; "), list);
    for (const wait of (one.waiting ?? []).slice(0, 30)) element("li", `${wait.process} waits for ${wait.waits_for} since ${wait.since_ns} ns, at ${(wait.at ?? []).join(", ")}`, list);
  }
}

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  const failure = element("div", null, root, {id: "failure"}), table = element("table", null, root, {id: "facts"}), notes = element("ul", null, root, {id: "notes"});
  return {
    show() {
      const {raw} = app.run;
      for (const one of [failure, table, notes]) one.replaceChildren();
      for (const [name, value] of factsOf(app.run)) {
        const line = element("tr", null, table);
        element("th", name, line, {scope: "row"});
        element("td", value, line);
      }
      if (raw.failure) {
        element("p", `It ended with exit code ${raw.failure.exit_code} (${raw.failure.meaning}).`, failure, {class: "bad"});
        element("pre", raw.failure.error, failure);
      }
      if (raw.deadlock) showDeadlocks(failure, raw.deadlock);
      for (const note of notesOf(app)) element("li", note, notes);
    },
    csv: () => toCsv([["name", "value"], ...factsOf(app.run)]),
  };
}

/** @type {import("../page.js").ViewKind} */
export const ran = {id: "ran", title: "Run", make};
