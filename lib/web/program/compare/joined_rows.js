// Rows of two evaluations, joined by their inputs.

const isMeasure = name => /(^|_)(us|ns|time)$|^time/.test(name);
const isScalar = value => typeof value !== "object" || value === null;

/** Columns before the first time: inputs, as long as the two runs share values of them. */
function inputsOf(a, b) {
  const names = Object.keys(a[0]).filter(name => isScalar(a[0][name])), first = names.findIndex(isMeasure);
  const values = (rows, name) => new Set(rows.map(row => String(row[name])));
  return names.slice(0, first < 0 ? names.length : first).filter(name => {
    const others = values(b, name);
    return [...values(a, name)].some(one => others.has(one));
  });
}

/**
 * @param {Record<string, any>[]} a @param {Record<string, any>[]} b
 * @returns {{inputs: string[], measures: string[], pairs: [number, number, Record<string, any>, Record<string, any>][], alone: [number, number]}}
 *   pairs have both rows' numbers and the rows; alone: how many rows of each have no partner
 */
export function joinedRows(a, b) {
  const inputs = inputsOf(a, b), key = row => inputs.map(name => String(row[name])).join("\n");
  /** @type {Map<string, number[]>} */
  const waiting = new Map(), pairs = /** @type {[number, number, Record<string, any>, Record<string, any>][]} */ ([]);
  b.forEach((row, i) => { const of = key(row); waiting.set(of, [...(waiting.get(of) ?? []), i]); });
  a.forEach((row, i) => {
    const other = waiting.get(key(row))?.shift();
    if (other !== undefined) pairs.push([i + 1, other + 1, row, b[other]]);
  });
  const names = Object.keys(a[0]).filter(name => !inputs.includes(name) && name in b[0] && pairs.some(([, , x]) => typeof x[name] === "number"));
  const differing = names.filter(name => pairs.some(([, , x, y]) => x[name] !== y[name]));
  const times = names.filter(isMeasure).slice(0, 1), measures = [...new Set([...times, ...differing.filter(isMeasure), ...differing])].slice(0, 6);
  return {inputs, measures, pairs, alone: [a.length - pairs.length, b.length - pairs.length]};
}

/** The pairs as a table: numbers of the rows, inputs that vary, and each measure of both with its change in %. @param {ReturnType<typeof joinedRows>} joined @param {string[]} heads */
export function rowsTable({inputs, measures, pairs}, heads) {
  const vary = inputs.filter(name => pairs.length === 1 || pairs.some(([, , x]) => String(x[name]) !== String(pairs[0][2][name])));
  const number = value => (typeof value === "number" ? +value.toPrecision(9) : "");
  const change = (x, y) => (typeof x === "number" && typeof y === "number" && x !== 0 ? +(100 * (y - x) / Math.abs(x)).toFixed(2) : "");
  return {
    columns: ["row of the first", "row of the second", ...vary, ...measures.flatMap(name => [`${name}, ${heads[0]}`, `${name}, ${heads[1]}`, `${name}, difference in %`])],
    rows: pairs.map(([i, j, x, y]) => [i, j, ...vary.map(name => x[name]), ...measures.flatMap(name => [number(x[name]), number(y[name]), change(x[name], y[name])])]),
  };
}
