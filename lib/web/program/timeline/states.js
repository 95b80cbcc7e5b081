// States over time: computing before communicating before waiting before idle. Those of a PE are made once, when a line needs them.

/** States in the order in which they count; a time with none of them is idle. */
export const states = [
  {name: "computing", color: "#d1590e", says: "an engine, a memory port or the issue of a command is busy"},
  {name: "communicating", color: "#3a85c9", says: "not computing, and a DMA transfer, a send or a link is under way"},
  {name: "waiting", color: "#8d8d93", says: "neither of them, and a wait or a receive has begun"},
  {name: "host", color: "#7b6fb0", says: "a rank is within a call or an order"},
];
const stateOfKind = {engine: 0, memory: 0, issue: 0, dma: 1, link: 1, wait: 2, call: 3, collective: 3, order: 3, launch: 3};

/** The state of a slice of a kind in a row; -1: idle. @param {string} kind @param {string} label */
export const stateOf = (kind, label) => (kind === "queue" ? (label.endsWith(" send") ? 1 : 2) : stateOfKind[kind] ?? -1);

/** @typedef {{starts: number[], ends: number[]}} Spans  of time, apart from each other, in ascending order */

/** Both of two lists. @param {Spans} a @param {Spans} b @returns {Spans} */
function united(a, b) {
  if (!a.starts.length) return b;
  if (!b.starts.length) return a;
  const starts = [], ends = [];
  let i = 0, j = 0;
  while (i < a.starts.length || j < b.starts.length) {
    const takesA = j >= b.starts.length || (i < a.starts.length && a.starts[i] <= b.starts[j]);
    const from = takesA ? a.starts[i] : b.starts[j], to = takesA ? a.ends[i++] : b.ends[j++];
    if (ends.length && from <= ends[ends.length - 1]) ends[ends.length - 1] = Math.max(to, ends[ends.length - 1]);
    else { starts.push(from); ends.push(to); }
  }
  return {starts, ends};
}

/** All of some lists. @param {Spans[]} lists @returns {Spans} */
function unitedAll(lists) {
  while (lists.length > 1) lists = lists.flatMap((one, i) => (i % 2 ? [] : i + 1 < lists.length ? united(one, lists[i + 1]) : one));
  return lists[0] ?? {starts: [], ends: []};
}

/** The parts of `a` outside of `b`. @param {Spans} a @param {Spans} b @returns {Spans} */
function without(a, b) {
  if (!a.starts.length || !b.starts.length) return a;
  const starts = [], ends = [];
  for (let i = 0, j = 0; i < a.starts.length; ++i) {
    let from = a.starts[i];
    while (j < b.starts.length && b.ends[j] <= from) ++j;
    for (let k = j; from < a.ends[i]; ++k) {
      const to = k < b.starts.length ? Math.min(a.ends[i], b.starts[k]) : a.ends[i];
      if (to > from) { starts.push(from); ends.push(to); }
      if (k >= b.starts.length) break;
      from = b.ends[k];
    }
  }
  return {starts, ends};
}

/** Spans of each state in one row. @param {import("./slices.js").Slices} slices @param {number} index @returns {Spans[]} */
function spansOfRow({rows, start, length, kind, kinds}, index) {
  const row = rows[index], of = kinds.map(one => stateOf(one.name, row.label));
  const all = states.map(() => ({starts: [], ends: []}));
  for (let i = row.first; i < row.last; ++i) {
    if (of[kind[i]] < 0 || length[i] === 0) continue;
    const {starts, ends} = all[of[kind[i]]], end = start[i] + length[i], last = ends.length - 1;
    if (last >= 0 && start[i] <= ends[last]) ends[last] = Math.max(end, ends[last]);
    else { starts.push(start[i]); ends.push(end); }
  }
  return all;
}

/** Sums of times before each. @param {Float64Array} times */
function sumsOf(times) {
  const sums = new Float64Array(times.length + 1);
  times.forEach((one, i) => { sums[i + 1] = sums[i] + one; });
  return sums;
}

/** Times of the starts or ends of many lists, in order. @param {number[][]} lists */
function sorted(lists) {
  const all = new Float64Array(lists.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const one of lists) { all.set(one, at); at += one.length; }
  return all.sort();
}

/** A function of ascending times: the sum of (time − t) over those t of `times` that are before it. @param {Float64Array} times @param {Float64Array} sums */
function ramp(times, sums) {
  let at = 0;  // the number of times before the last asked one
  return time => {
    let step = 1;
    while (at + step <= times.length && times[at + step - 1] < time) { at += step; step *= 2; }
    for (; step >= 1; step = step >> 1) if (at + step <= times.length && times[at + step - 1] < time) at += step;
    return time * at - sums[at];
  };
}

/** @param {import("./slices.js").Slices} slices @param {import("./tree.js").Tree} tree */
export function makeStates(slices, tree) {
  const ofWhole = new Map(), ofNode = new Map();

  /** Spans of each state of a PE, apart from each other. */
  function spansOf(whole) {
    if (ofWhole.has(whole)) return ofWhole.get(whole);
    const rows = tree.rowsOf(whole).map(index => spansOfRow(slices, index)), all = [];
    let taken = /** @type {Spans} */ ({starts: [], ends: []});
    for (let state = 0; state < states.length; ++state) {
      const own = unitedAll(rows.map(one => one[state]));
      all.push(without(own, taken));
      taken = united(taken, own);
    }
    ofWhole.set(whole, all);
    return all;
  }
  /** Starts and ends of each state of all that a node's shares are of. */
  function timesOf(node) {
    if (ofNode.has(node)) return ofNode.get(node);
    const wholes = tree.wholesOf(node), spans = wholes.map(spansOf);
    const of = states.map((_, state) => {
      const starts = sorted(spans.map(one => one[state].starts)), ends = sorted(spans.map(one => one[state].ends));
      return {starts, ends, startSums: sumsOf(starts), endSums: sumsOf(ends)};
    });
    const times = {count: wholes.length, wholes, of};
    ofNode.set(node, times);
    return times;
  }
  /**
   * Shares of each state in `count` equal bins from `from` to `to`, state after state.
   * @param {import("./tree.js").Node} node @param {number} from @param {number} to @param {number} count
   */
  function shares(node, from, to, count) {
    const {count: wholes, of} = timesOf(node), all = new Float32Array(states.length * count), wide = (to - from) / count;
    of.forEach(({starts, ends, startSums, endSums}, state) => {
      if (!starts.length) return;
      const begun = ramp(starts, startSums), ended = ramp(ends, endSums);
      let before = begun(from) - ended(from);
      for (let bin = 0; bin < count; ++bin) {
        const time = from + (bin + 1) * wide, now = begun(time) - ended(time);
        all[state * count + bin] = (now - before) / (wide * wholes);
        before = now;
      }
    });
    return all;
  }
  return {shares, wholes: node => timesOf(node).wholes};
}
