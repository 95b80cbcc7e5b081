// Sums of slices: those in a span of time by kind, and the flows that begin and end at one.

/** @typedef {import("./slices.js").Slices} Slices */

/**
 * Slices of rows within a span of time, by the name of their kind, the longest sum first. Times are cut at the
 * span's ends, bytes are those of whole slices. A slice without a length counts if it starts within.
 * @param {Slices} slices @param {Iterable<number>} rows @param {number} from @param {number} to
 * @returns {{kind: string, count: number, ps: number, bytes: number}[]}
 */
export function sumsOf(slices, rows, from, to) {
  const {start, length, kind, bytes, kinds} = slices, all = new Map();
  for (const index of rows) {
    const row = slices.rows[index];
    for (let i = slices.firstAt(row, from); i < row.last && start[i] < to; ++i) {
      const end = start[i] + length[i];
      if (end < from || (end === from && length[i] > 0)) continue;
      const {name} = kinds[kind[i]], sum = all.get(name) ?? {kind: name, count: 0, ps: 0, bytes: 0};
      sum.count += 1;
      sum.ps += Math.min(end, to) - Math.max(start[i], from);
      sum.bytes += bytes[i] || 0;
      all.set(name, sum);
    }
  }
  return [...all.values()].sort((a, b) => b.ps - a.ps || b.count - a.count);
}

/** The slice of a row at which a flow begins or ends: the outermost that ends, or starts, at its time. */
function sliceOfFlow(slices, index, time, begins) {
  const {start, length, kind, depth, kinds} = slices, row = slices.rows[index];
  let best = -1, bestRank = Infinity;
  for (let i = slices.firstAt(row, time); i < row.last && start[i] <= time; ++i) {
    const atStart = start[i] === time, atEnd = start[i] + length[i] === time;
    if (!atStart && !atEnd) continue;
    const isUsual = begins && kinds[kind[i]].name !== "launch" ? atEnd : atStart;
    const rank = (isUsual ? 0 : 1000) + depth[i];
    if (rank < bestRank) { best = i; bestRank = rank; }
  }
  return best;
}

/** Other ends of the flows of a slice. @param {Slices} slices @param {number} slice @param {number} row @returns {{to: boolean, label: string}[]} */
export function peersOf(slices, slice, row) {
  const first = slices.start[slice], last = first + slices.length[slice], peers = [];
  const isOwn = (index, time, begins) => index === row && (time === first || time === last) && sliceOfFlow(slices, row, time, begins) === slice;
  for (const [fromRow, fromTime, toRow, toTime] of slices.data.flows) {
    if (isOwn(fromRow, fromTime, true)) peers.push({to: true, label: slices.rows[toRow].label});
    if (isOwn(toRow, toTime, false)) peers.push({to: false, label: slices.rows[fromRow].label});
  }
  return peers;
}
