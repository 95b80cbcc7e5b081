// Findings about the run, by their gain: a title, evidence and a place each.
import {element} from "../dom.js";
import {toCsv} from "../csv.js";
import {findingsOf} from "../diagnoses.js";
import {exactTime, percent, timeText} from "../quantity.js";

/** @typedef {import("../diagnoses.js").Finding} Finding */

/** Things to do about a finding, by its id. @type {Record<string, string>} */
const remedies = {
  credit_stall: "more or larger slots (n_slots, slot_size of the algorithm)",
  router_backpressure: "larger queues or more virtual channels of routers",
  hot_link: "spread the traffic over other links, or raise the rate of this kind of link",
  straggler: "give this rank as much work as the others have: the gain is without its surplus, so work that moves to other ranks takes some of it",
  late_rank: "let the rank begin earlier: its host or the order before it holds it up",
  exposed_communication: "overlap messages with computing: smaller tiles, more slots, asynchronous sends",
  small_messages: "send fewer and larger messages, or lower the latency of components on the way",
  tile_padding: "smaller tiles, or larger batches",
  hbm_refresh: "spread accesses over more channels; refresh takes its time in any case",
  idle_packages: "more micro-batches, so that stages work at the same time",
};

/** @param {HTMLElement} root @param {import("../state.js").App} app @returns {import("../page.js").View} */
function make(root, app) {
  /** @type {Finding[]} */
  let all = [];
  let madeOf = null;
  const list = element("ol", null, root, {id: "findings-list"});
  const pick = one => app.set({picked: {...one, kind: "finding", of: one.title}});
  function line(one) {
    const length = app.run.paths[app.run.measured]?.length_ps ?? app.run.total;
    const row = element("li", null, list, {class: "clicks", tabindex: 0, "data-id": one.id});
    element("b", one.title, row);
    if (one.gain !== null) {
      row.append(": ");
      element("span", `${timeText(one.gain)}${length > 0 ? ` (${percent(one.gain, length)})` : ""} less`, row, {title: exactTime(one.gain), class: "gain"});
      row.append(", ");
      element("span", one.simulated ? "simulated" : "estimated", row, {class: one.simulated ? "good" : "soft", title: one.formula});
    }
    element("div", one.evidence, row, {class: "soft"});
    if (remedies[one.id]) element("div", `Remedy: ${remedies[one.id]}.`, row);
    row.addEventListener("click", () => pick(one));
    row.addEventListener("keydown", event => { if (event.key === "Enter") pick(one); });
  }
  return {
    show() {
      if (madeOf === app.run) return all.length > 0;
      madeOf = app.run;
      all = findingsOf(app.run);
      list.replaceChildren();
      all.forEach(line);
      return all.length > 0;
    },
    csv: () => toCsv([["id", "title", "gain_ps", "simulated", "place", "key", "evidence", "formula"],
                      ...all.map(one => [one.id, one.title, one.gain ?? "", String(one.simulated), one.place, one.key, one.evidence, one.formula])]),
    get all() { return all; },
  };
}

/** @type {import("../page.js").ViewKind} */
export const findings = {id: "findings", title: "Findings", sentence: "Causes of lost time, the one with the greatest gain first. Gains don't add up: two may be of the same time.", make};
