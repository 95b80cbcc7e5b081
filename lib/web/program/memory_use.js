// Memory over time: of tensors, by package and memory, and of tiles, by PE.
import {recordsOf} from "./csv.js";

/**
 * @typedef {{at: number, bytes: number}} Step  bytes from `at` (in ps) on
 * @typedef {{name: string, steps: Step[], most: number, count: number, firstAt: number}} Held
 * @typedef {{place: string, memory: string, tensors: Held[], total: Step[], most: number, mostAt: number}} Memory
 */

/** Bytes of a name, from changes in the order of time. @param {{at: number, by: number}[]} changes @returns {Step[]} */
function stepsOf(changes) {
  const steps = /** @type {Step[]} */ ([]);
  let bytes = 0;
  for (const {at, by} of changes) {
    bytes += by;
    const last = steps.at(-1);
    if (last?.at === at) last.bytes = bytes; else steps.push({at, bytes});
  }
  return steps;
}

const peak = steps => steps.reduce((most, one) => (one.bytes > most.bytes ? one : most), {at: 0, bytes: 0});

/** Memories of packages that tensors are in, the fullest first. @param {any} raw @returns {Memory[]} */
export function memoriesOf(raw) {
  /** @type {Map<string, {name: string, at: number, by: number}[]>} */
  const all = new Map();
  for (const row of recordsOf(raw.tables?.["memory.csv"])) {
    const key = `sip${row.sip}\n${row.memory}`;
    if (!all.has(key)) all.set(key, []);
    all.get(key)?.push({name: row.name, at: Math.round(1000 * +row.time_ns), by: (row.change === "free" ? -1 : 1) * +row.bytes});
  }
  return [...all].map(([key, changes]) => {
    const [place, memory] = key.split("\n"), total = stepsOf(changes), names = [...new Set(changes.map(one => one.name))];
    const tensors = names.map(name => {
      const own = changes.filter(one => one.name === name), steps = stepsOf(own);
      return {name, steps, most: peak(steps).bytes, count: own.filter(one => one.by > 0).length, firstAt: own[0].at};
    }).sort((a, b) => b.most - a.most || (a.name < b.name ? -1 : 1));
    return {place, memory, tensors, total, most: peak(total).bytes, mostAt: peak(total).at};
  }).sort((a, b) => b.most - a.most || (a.place < b.place ? -1 : 1));
}

/** TCMs that tiles were in, with their size and the most bytes in each window, the fullest first. @param {import("./run.js").Run} run @returns {{of: string, size: number, most: number, values: number[]}[]} */
export function tilesOf(run) {
  const sizes = new Map((run.raw.spans?.series ?? []).filter(one => one.measure === "least_free" && one.of.endsWith(".pe_tcm")).map(one => [one.of, one.all]));
  return [...sizes].map(([of, size]) => {
    const values = [...(run.uses.full.get(of) ?? [])].map(share => Math.round(share * size));
    return {of, size, values, most: Math.max(0, ...values)};
  }).filter(one => one.most > 0).sort((a, b) => b.most - a.most || (a.of < b.of ? -1 : 1));
}
