// Findings that the page makes from what it has: each has evidence, and a gain by a formula that it states.
import {recordsOf} from "./csv.js";
import {percent, share, timeText} from "./quantity.js";
import {meanOver, resourceOf} from "./uses.js";
import {ofLaunches} from "./work_done.js";

/**
 * @typedef {{id: string, title: string, gain: number | null, simulated: boolean, evidence: string, place: string, key: string, formula: string}} Finding
 *   gain in ps; null: it can't be said
 * @typedef {import("./run.js").Run} Run
 * @typedef {import("./run.js").Path} Path
 */

const worth = 0.005;  // of the path's length
const sumOf = values => values.reduce((sum, one) => sum + one, 0);
const meanOf = values => sumOf(values) / values.length;

/** @param {Partial<Finding>} parts @returns {Finding} */
const finding = parts => ({id: "", title: "", gain: null, simulated: false, evidence: "", place: "", key: "", formula: "", ...parts});

/** Links of each kind with their utilisation in a range. @param {Run} run @param {[number, number] | null} range */
function linksByKind(run, range) {
  /** @type {Map<string, {link: string, value: number}[]>} */
  const all = new Map(), last = run.uses.loads?.length;
  for (const [link, values] of run.uses.utilisation) {
    const kind = resourceOf(link);
    if (!link.includes(">") || !kind) continue;
    if (!all.has(kind)) all.set(kind, []);
    all.get(kind)?.push({link, value: last ? values[last - 1] : meanOver(values, run.uses, range)});
  }
  return all;
}

/** A link that is much busier than the mean of its kind. @param {Run} run @param {Path | undefined} path @returns {Finding[]} */
function hotLinks(run, path) {
  const all = [];
  for (const [kind, links] of linksByKind(run, path ? [path.begin_ps, path.end_ps] : null)) {
    const hottest = links.reduce((most, one) => (one.value > most.value ? one : most)), mean = meanOf(links.map(one => one.value));
    if (links.length < 2 || hottest.value < 0.2 || hottest.value < 2 * mean) continue;
    const there = (path?.segments ?? []).filter(one => one.place === hottest.link && ["serialization", "busy link"].includes(one.reason));
    const spent = sumOf(there.map(one => one.length));
    all.push(finding({id: `hot ${kind}`, title: `Hot link: ${hottest.link}`, place: hottest.link, gain: path ? Math.round(spent * (1 - mean / hottest.value)) : null,
      evidence: `${hottest.link} is busy for ${share(hottest.value)} of the time, the ${links.length} links of its kind (${kind}) for ${share(mean)} on average; ` +
        (path ? `the critical path spends ${timeText(spent)} on it.` : "there is no critical path to say how much it costs."),
      formula: "time of the critical path in serialization and queues of this link × (1 − mean ÷ its utilisation): its load spread evenly"}));
  }
  return all;
}

/** Launches that ranks made together: the same kernel, for the same time on each rank. @param {any} raw */
function launchesOf(raw) {
  /** @type {Map<string, {kernel: string, nth: number, launches: Record<string, string>[]}>} */
  const groups = new Map(), seen = new Map();
  for (const row of recordsOf(raw.tables?.["launches.csv"])) {
    const of = `${row.kernel}\n${row.rank}`, nth = (seen.get(of) ?? 0) + 1, key = `${row.kernel}\n${nth}`;
    seen.set(of, nth);
    if (!groups.has(key)) groups.set(key, {kernel: row.kernel, nth, launches: []});
    groups.get(key)?.launches.push(row);
  }
  return [...groups.values()];
}

/** The kernel of which one rank takes much longer, or begins much later, than ranks do on average. @param {Run} run @returns {Finding[]} */
function unevenRanks(run) {
  const groups = launchesOf(run.raw).filter(one => one.launches.length > 1);
  const slowest = worst(groups, "duration_ns"), latest = worst(groups, "start_ns"), all = [];
  const launch = one => `${one.kernel}${one.nth > 1 ? ` (launch ${one.nth} of it)` : ""}`;
  if (slowest && slowest.gain > 0.05 * slowest.mean)
    all.push(finding({id: "slow rank", title: `Rank ${slowest.row.rank} is slower than the others`, place: `sip${slowest.row.sip}`, gain: Math.round(1000 * slowest.gain),
      evidence: `${launch(slowest)}: rank ${slowest.row.rank} takes ${timeText(1000 * slowest.most)} from ${timeText(1000 * +slowest.row.start_ns)} on; ` +
        `${slowest.count} ranks take ${timeText(1000 * slowest.mean)} on average.`, formula: "longest − mean duration of the kernel: work divided evenly"}));
  const length = latest ? meanOf(latest.launches.map(one => +one.duration_ns)) : 0;
  if (latest && latest.gain > 0.05 * length)
    all.push(finding({id: "late rank", title: `Rank ${latest.row.rank} comes late`, place: `sip${latest.row.sip}`, gain: Math.round(1000 * latest.gain),
      evidence: `${launch(latest)}: rank ${latest.row.rank} begins at ${timeText(1000 * latest.most)} and takes ${timeText(1000 * +latest.row.duration_ns)}; ` +
        `${latest.count} ranks begin at ${timeText(1000 * latest.mean)} on average.`, formula: "latest − mean start of the kernel: all begin together"}));
  return all;
}

/** The group whose largest value is furthest above its mean. */
function worst(groups, column) {
  let found = null;
  for (const {kernel, nth, launches} of groups) {
    const values = launches.map(one => +one[column]), most = Math.max(...values), mean = meanOf(values);
    if (found === null || most - mean > found.gain) found = {kernel, nth, launches, row: launches[values.indexOf(most)], most, mean, gain: most - mean, count: launches.length};
  }
  return found;
}

/** Times in which at least one GEMM or vector engine computes, as ascending pairs. @param {any} spans @returns {[number, number][]} */
export function computingOf(spans) {
  /** @type {[number, number][]} */
  const all = [], joined = [];
  for (const row of spans?.rows ?? []) {
    if (!/\.pe_(gemm|math)$/.test(row.label)) continue;
    for (let i = row.first, time = 0; i < row.last; ++i) { time += spans.start[i]; all.push([time, time + spans.length[i]]); }
  }
  for (const [from, to] of all.sort((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to); else joined.push([from, to]);
  }
  return joined;
}

/** How much of [from, to] the pairs cover. */
export const coveredBy = (pairs, from, to) => pairs.reduce((sum, [a, b]) => sum + Math.max(0, Math.min(b, to) - Math.max(a, from)), 0);

const waits = ["data from the peer", "credit stall", "busy link"];

/** Segments of a path on links and in waits for other ranks, in which no engine computes. @param {Run} run @param {Path | undefined} path @returns {Finding[]} */
function exposed(run, path) {
  const computing = computingOf(run.raw.spans);
  if (!path || !computing.length) return [];
  const parts = path.segments.filter(one => one.place.includes(">") || one.kind === "ucie" || waits.includes(one.reason));
  const alone = sumOf(parts.map(one => one.length - coveredBy(computing, one.from, one.to))), work = coveredBy(computing, path.begin_ps, path.end_ps);
  if (alone < 0.1 * path.length_ps) return [];
  return [finding({id: "exposed", title: "Exposed communication", gain: Math.round(Math.min(alone, work)),
    evidence: `For ${percent(alone, path.length_ps)} of the critical path (${timeText(alone)}) something is on a link or waits for it while no GEMM or vector engine computes; engines compute for ${timeText(work)} of its time.`,
    formula: "the lesser of that time and the engines' time: no overlap hides more"})];
}

/** The launch that loses most by MACs that wait for more than HBM's bandwidth. @param {Run} run @returns {Finding[]} */
function lowUse(run) {
  const all = ofLaunches(run.raw).filter(one => +one.row.gemm_utilization < 0.5)
    .map(one => ({...one, least: Math.max(+one.row.gemm_utilization, one.bandwidth > 0 ? 1e9 * one.bytes / one.bandwidth / +one.row.duration_ns : 0)}));
  const lost = one => +one.row.duration_ns * Math.max(0, 1 - one.least), most = all.sort((a, b) => lost(b) - lost(a))[0];
  if (!most) return [];
  const {row} = most;
  return [finding({id: "low MAC utilisation", title: `Low MAC utilisation: ${row.kernel}`, place: `sip${row.sip}`, gain: Math.round(1000 * lost(most)),
    evidence: `${row.kernel} of rank ${row.rank} uses ${share(+row.gemm_utilization)} of the MACs of its ${row.pes} ${+row.pes === 1 ? "PE" : "PEs"} over ${timeText(1000 * +row.duration_ns)}; its bytes alone would take ${share(+row.duration_ns > 0 && most.bandwidth > 0 ? 1e9 * most.bytes / most.bandwidth / +row.duration_ns : 0)} of that at HBM's bandwidth.`,
    formula: "duration − the longer of its FLOP at the engines' peak and its bytes at HBM's bandwidth"})];
}

/** Operations of a model whose products are padded. @param {Run} run @returns {Finding[]} */
function padded(run) {
  const peaks = new Map((run.raw.summary?.rows ?? []).map(row => [row.phase, row.peak_flop_per_s]));
  const all = recordsOf(run.raw.tables?.["operations.csv"]).filter(row => +row.padding_flop > 0 && peaks.get(row.phase) > 0)
    .map(row => ({row, ps: 1e12 * +row.padding_flop / peaks.get(row.phase)})).sort((a, b) => b.ps - a.ps);
  if (!all.length) return [];
  const {row, ps} = all[0], part = +row.padding_flop / (+row.flop + +row.padding_flop);
  return [finding({id: "padding", title: `Padding: ${row.operation} of ${row.phase}`, gain: Math.round(ps),
    evidence: `${share(part)} of the FLOP of ${row.operation} are padding of its tiles; ${all.length} ${all.length === 1 ? "operation is" : "operations are"} padded.`,
    formula: "padding's FLOP ÷ the peak rate: the least time that engines spend on zeros"})];
}

/** Cycles of a deadlock, each a list of {from, to, why}. @param {any} raw @returns {{from: string, to: string, why: string}[][]} */
export function cyclesOf(raw) {
  const all = raw.deadlock?.deadlocks ?? (raw.deadlock ? [raw.deadlock] : []);
  return all.flatMap(one => (one.cycles ?? []).map(cycle => cycle.map(i => one.waits?.[i]).filter(Boolean))).filter(cycle => cycle.length > 0);
}

/** @param {any} raw @returns {Finding[]} */
function deadlocks(raw) {
  return cyclesOf(raw).map((cycle, i) => finding({id: `deadlock ${i + 1}`, title: "Deadlock", place: cycle[0].from,
    evidence: cycle.map(one => one.why).join("; ") + ".", formula: "a deadlocked run has no end to compare with"}));
}

/** Findings of a file, as the page's. @returns {Finding[]} */
const recorded = raw => (raw.explain?.findings ?? []).map(one => finding({...one, gain: one.gain_ps ?? null, key: one.key ?? "", place: one.place ?? "", evidence: String(one.evidence ?? ""),
  formula: one.simulated ? "a run with this change took so much less" : "from the critical path"}));

/**
 * Deadlocks, then explain.json's findings or the page's own, by gain.
 * @param {Run} run
 * @returns {Finding[]}
 */
export function findingsOf(run) {
  const path = run.paths[run.measured], whole = path?.length_ps ?? run.total;
  let all = recorded(run.raw);
  if (!all.length) {
    all = [...hotLinks(run, path), ...unevenRanks(run), ...exposed(run, path), ...lowUse(run), ...padded(run)]
      .map(one => ({...one, gain: one.gain !== null && whole > 0 ? Math.min(one.gain, whole) : one.gain}))
      .filter(one => one.gain === null || one.gain >= worth * whole);
  }
  return [...deadlocks(run.raw), ...all.sort((a, b) => (b.gain ?? -1) - (a.gain ?? -1))];
}
