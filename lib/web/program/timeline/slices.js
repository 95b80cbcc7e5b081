// Slices of a timeline. A row's stand together, in ascending order of their starts.

/** Slices of a block: those that are narrower than a pixel are passed over block by block. */
export const blockSize = 64;

/**
 * @typedef {{label: string, first: number, last: number, longest: number}} Row  its slices are [first, last)
 * @typedef {ReturnType<typeof decode>} Slices
 */

/** The slices of `data`, which has the differences of a row's starts. @param {any} data what write_page_data() wrote */
export function decode(data) {
  const {name, at, bytes, strings, kinds} = data, /** @type {Row[]} */ rows = data.rows;
  const start = new Float64Array(data.start.length), length = Float64Array.from(data.length);
  const kind = Uint8Array.from(data.kind), depth = Uint8Array.from(data.depth);
  for (const row of rows)
    for (let i = row.first, time = 0; i < row.last; ++i) start[i] = time += data.start[i];
  const longest = new Float64Array(Math.ceil(start.length / blockSize));  // of blocks
  length.forEach((one, i) => { const block = i / blockSize | 0; if (one > longest[block]) longest[block] = one; });

  /** The first of a row's slices that may reach to `time`. @param {Row} row @param {number} time */
  function firstAt(row, time) {
    let low = row.first, high = row.last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (start[middle] < time - row.longest) low = middle + 1; else high = middle;
    }
    return low;
  }
  /** The innermost slice of a row at `time`, at most `near` away; -1: none. @param {Row} row @param {number} time @param {number} near */
  function sliceIn(row, time, near) {
    let best = -1;
    for (let i = firstAt(row, time - near); i < row.last && start[i] <= time + near; ++i)
      if (start[i] + length[i] >= time - near && (best < 0 || depth[i] >= depth[best])) best = i;
    return best;
  }
  /** The row of a slice; -1: none. @param {number} slice */
  function rowOf(slice) {
    let low = 0, high = rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rows[middle].last <= slice) low = middle + 1; else high = middle;
    }
    return low < rows.length && slice >= rows[low].first ? low : -1;
  }
  return {data, rows, start, length, kind, depth, longest, name, at, bytes, strings, kinds, firstAt, sliceIn, rowOf};
}

/**
 * Slices with `text` in their name, source line or row, and marks of them by slice and by block; null: no text.
 * @param {Slices} slices @param {string} text
 */
export function searched({rows, start, longest, strings, name, at}, text) {
  const wanted = text.toLowerCase(), /** @type {number[]} */ found = [];
  if (!wanted) return null;
  const fits = strings.map(one => one.toLowerCase().includes(wanted));
  const isFound = new Uint8Array(start.length), inBlock = new Uint8Array(longest.length);
  for (const row of rows) {
    const whole = row.label.toLowerCase().includes(wanted);
    for (let i = row.first; i < row.last; ++i)
      if (whole || fits[name[i]] || (at[i] && fits[at[i]])) { isFound[i] = inBlock[i / blockSize | 0] = 1; found.push(i); }
  }
  return {found, isFound, inBlock};
}
