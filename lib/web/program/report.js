// The page of runs: reads its data, makes its views, shows what the address says. Data of a sweep makes its page.
import {button, byId, element} from "./dom.js";
import {makeViews} from "./page.js";
import {makePanel} from "./panel.js";
import {timeText} from "./quantity.js";
import {bettered, changeOf, isTraffic, makeRun} from "./run.js";
import {makeApp} from "./state.js";
import {makeSweepPage} from "./sweep_page.js";
import {makeTimeline} from "./timeline/timeline.js";
import {answer} from "./views/answer.js";
import {compare} from "./views/compare.js";
import {curves} from "./views/curves.js";
import {findings} from "./views/findings.js";
import {keys} from "./views/keys.js";
import {lists} from "./views/lists.js";
import {machine} from "./views/machine.js";
import {matrix} from "./views/matrix.js";
import {memory} from "./views/memory.js";
import {operations} from "./views/operations.js";
import {ran} from "./views/ran.js";
import {roofline} from "./views/roofline.js";
import {rows} from "./views/rows.js";
import {slack} from "./views/slack.js";
import {timeline} from "./views/timeline_view.js";
import {why} from "./views/why.js";

/** Views in their order on the page. */
const kinds = [answer, compare, why, rows, findings, operations, roofline, machine, timeline, matrix, memory, keys, slack, curves, lists, ran];

const data = JSON.parse(byId("data").textContent), app = makeApp(data.sweep ? [] : data.map(makeRun));

function showVerdict() {
  const {raw, total} = app.run, {summary, failure, run} = raw, box = byId("verdict");
  const name = summary?.bench ?? summary?.title ?? raw.spans?.title ?? run?.command?.slice(0, 4).join(" ") ?? raw.folder;
  const length = app.run.paths[app.run.measured]?.length_ps ?? (isTraffic(raw) ? 0 : total);
  byId("title").textContent = document.title = `kbsim ${String(name).replace(/^kbsim /, "")}` + (app.row !== null ? `, row ${app.row}` : "") + (length ? `, ${timeText(length)}` : "");
  box.replaceChildren();
  const say = (text, look) => element("span", text + " ", box, {class: look});
  if (failure) say(`failed: exit code ${failure.exit_code}, ${failure.meaning}.`, "bad");
  else if (raw.partial) say("PARTIAL: not whole.", "bad");
  if (summary?.correct === true) say("All numbers are right.", "good");
  else if (summary?.correct === false) say("Wrong numbers.", "bad");
  else if (!isTraffic(raw)) say("Numbers are not checked.", "soft");
  if (run?.run?.digest) say(`digest ${run.run.digest}`, "soft");
  if (app.runs.length > 1)
    app.runs.forEach((one, i) => button(`${i ? "second" : "first"} run: ${one.raw.folder}`, box, () => app.set({at: i}), {class: "run", "aria-pressed": i === app.at}));
}

function showChosen() {
  const box = byId("chosen");
  box.hidden = app.reason === null && !app.hasRange && app.row === null;
  box.replaceChildren();
  if (app.reason !== null) button(`only: ${app.reason} ✕`, box, () => app.set({reason: null}));
  if (app.hasRange) button(`time: ${app.range.map(timeText).join(" to ")} ✕`, box, () => app.set({range: null}), {class: "range"});
  if (app.row !== null) button(`row ${app.row} ✕`, box, () => app.set({row: null}));
}

function showRuns() {
  app.on(showVerdict);
  const views = makeViews(app, kinds);
  makePanel(app);
  app.on(showChosen);
  /** For tests and for a reader's console. */
  /** @type {any} */ (globalThis).kbsim = {app, views, byId, changeOf, bettered, makeTimeline, ...views};
  app.set({...app.choiceIn(location.hash), ...{all: true}});
}

if (data.sweep) makeSweepPage(data.sweep); else showRuns();
