// One run as the page has it: its critical paths, its curves, its tables. A row of an evaluation is a run, too.
import {completed, usesOfLoads, usesOfSpans, usesOfTables} from "./uses.js";

/**
 * @typedef {{from: number, to: number, length: number, count: number, reason: string, kind: string, place: string, key: string, line: string, op: string}} Segment  times in ps
 * @typedef {{name: string, ps: number, count: number}} Share
 * @typedef {{key: string, value: number, unit: string, ps: number, count: number, slope_ns?: number, bytes_share_times?: [number, number, number][]}} Key
 * @typedef {Record<string, any> & {of: string, begin_ps: number, end_ps: number, length_ps: number, segments: Segment[], keys?: Key[]}} Path
 * @typedef {{raw: any, paths: Path[], measured: number, uses: import("./uses.js").Uses, total: number, row: number | null, rows: Map<number, Run>}} Run
 */

/** Segments of a path, as one object each; their words are the file's. @returns {Segment[]} */
function segmentsOf(path, words) {
  const columns = path.path ?? {}, all = [];
  let from = path.begin_ps;
  (columns.length ?? []).forEach((length, i) => {
    const word = key => words[columns[key][i]] ?? "";
    all.push({from, to: from += length, length, count: columns.count[i], reason: word("reason"), kind: word("kind"),
              place: word("place"), key: word("key"), line: word("line"), op: word("op")});
  });
  return all;
}

/**
 * Segments summed up by one of their words, the longest first.
 * @param {Segment[]} segments @param {"reason" | "kind" | "place" | "line" | "op" | "key"} name
 * @returns {Share[]}
 */
export function sharesOf(segments, name) {
  /** @type {Map<string, Share>} */
  const all = new Map();
  for (const one of segments) {
    if (!one[name]) continue;
    const share = all.get(one[name]) ?? {name: one[name], ps: 0, count: 0};
    share.ps += one.length;
    share.count += one.count;
    all.set(one[name], share);
  }
  return [...all.values()].sort((a, b) => b.ps - a.ps || (a.name < b.name ? -1 : 1));
}

/** How much longer a path gets with another value of a key, in ps: each of its terms is rounded anew. @param {Key} key @param {number} to */
export function changeOf(key, to) {
  if (key.count > 0) return Math.round(key.count * (to - key.value) * 1000);
  const takes = (bytes, share, rate) => Math.ceil(bytes * 1000 / (rate * share) - 1e-9);
  return (key.bytes_share_times ?? []).reduce((sum, [bytes, share, times]) =>
    sum + times * (takes(bytes, share, to) - takes(bytes, share, key.value)), 0);
}

/** A latency is better by being less, a rate by being more. @param {Key} key @param {number} percents */
export const bettered = (key, percents) => (key.count > 0 ? key.value * (1 - percents / 100) : key.value * (1 + percents / 100));

/** "a:\n  b: 1" as {"a.b": "1"}. @param {string} yaml @returns {Map<string, string>} */
export function keysOf(yaml) {
  const all = new Map(), above = [];
  for (const line of yaml.split("\n")) {
    const match = /^(\s*)(?:- )?([\w.\-]+):\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const depth = match[1].length;
    while (above.length && above.at(-1).depth >= depth) above.pop();
    const key = [...above.map(one => one.name), match[2]].join(".");
    if (match[3] && !match[3].startsWith("#")) all.set(key, match[3].replace(/\s+#.*$/, ""));
    else above.push({depth, name: match[2]});
  }
  return all;
}

/** True for a page of kbsim traffic. */
export const isTraffic = raw => ["traffic", "fit"].includes(raw.run?.command?.[1]);

/** @param {any} raw what the page has of a folder @param {number | null} row @returns {Run} */
function runOf(raw, row) {
  const words = raw.explain?.words ?? [], total = raw.run?.run?.simulated_ps ?? raw.spans?.end ?? 0;
  const paths = (raw.explain?.paths ?? []).map(path => ({...path, segments: segmentsOf(path, words)}));
  const asked = raw.explain?.asked || raw.explain?.measured || 0;  // what was asked for, or what the run measures
  const whole = usesOfTables(raw.tables, total), curves = usesOfSpans(raw.spans);
  const uses = (isTraffic(raw) ? usesOfLoads(raw.tables) : null) ?? (curves ? completed(curves, whole) : whole);
  return {raw, paths, measured: Math.min(asked, Math.max(0, paths.length - 1)), uses, total, row, rows: new Map()};
}

/** What the page has of a folder, with the path, timeline, tables and machine of one of its rows. */
const ofRow = (raw, one) => ({...raw, explain: one.explain, spans: one.spans, tables: {...raw.tables, ...one.tables},
                              drawing: one.drawing === null || one.drawing === undefined ? raw.drawing : raw.drawings[one.drawing]});

/** A run, and its rows. Without a choice it has the timeline of the row whose path it has. @param {any} raw @returns {Run} */
export function makeRun(raw) {
  const rows = raw.rows ?? [], shown = rows.find(one => one.row === raw.explain?.row);
  const run = runOf(shown && !raw.spans ? {...ofRow(raw, shown), explain: raw.explain} : raw, null);
  for (const one of rows) run.rows.set(one.row, runOf(ofRow(raw, one), one.row));
  return run;
}

/** The command that ran, without its --out, and more words; with the quotes that a shell needs. @param {string[]} more */
export function commandOf(raw, more = []) {
  const words = (raw.run?.command ?? []).map(String), out = words.indexOf("--out");
  if (out >= 0) words.splice(out, 2);
  return [...words, ...more].map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}
