// Bytes that flowed between parts of a machine: messages of a timeline, or what links carried.
import {recordsOf} from "./csv.js";
import {unitOf} from "./uses.js";

/** @typedef {{from: string, to: string, bytes: number, at: number, via: string}} Flow  at: when it arrived, in ps; via: the link, or the port that received it */

/** The first slice of a row that may end at a time, by the order of the starts. */
function bytesAt(spans, row, starts, time) {
  for (let i = row.first; i < row.last; ++i) {
    const start = starts[i];
    if (start > time) break;
    if (spans.bytes[i] > 0 && (start + spans.length[i] === time || start === time)) return spans.bytes[i];
  }
  return 0;
}

/** Messages that one PE sent to another. @param {any} spans @returns {Flow[]} */
export function messagesOf(spans) {
  if (!spans?.flows?.length) return [];
  const starts = new Float64Array(spans.start.length);
  for (const row of spans.rows) for (let i = row.first, time = 0; i < row.last; ++i) starts[i] = time += spans.start[i];
  const all = [];
  for (const [fromRow, , toRow, at] of spans.flows) {
    const [from, to] = [spans.rows[fromRow]?.label ?? "", spans.rows[toRow]?.label ?? ""];
    if (!from.endsWith(" send") || !to.endsWith(" recv")) continue;
    all.push({from: unitOf(from).replace(/\.pe_ipcq$/, ""), to: unitOf(to).replace(/\.pe_ipcq$/, ""), bytes: bytesAt(spans, spans.rows[toRow], starts, at), at, via: unitOf(to)});
  }
  return all;
}

/** Bytes of links between packages, host and switches: headers and what passes through are in them. @param {any} raw @returns {Flow[]} */
export function carriedBetween(raw) {
  const outer = name => name.split(".")[0];
  return recordsOf(raw.tables?.["links.csv"]).filter(row => row.load === undefined && +row.bytes > 0 && row.link.includes(">")).flatMap(row => {
    const [from, to] = row.link.split(">");
    return outer(from) === outer(to) ? [] : [{from: outer(from), to: outer(to), bytes: +row.bytes, at: 0, via: row.link}];
  });
}

/** The part of a PE's name at a level: 1 package, 2 cube, 3 PE. @param {string} name @param {number} level */
export const partOf = (name, level) => name.split(".").slice(0, level).join(".");

/**
 * Flows summed up by the parts that sent and received them.
 * @param {Flow[]} flows @param {number} level
 */
export function matrixOf(flows, level) {
  const byName = (a, b) => a.localeCompare(b, undefined, {numeric: true});
  const names = [...new Set(flows.flatMap(one => [partOf(one.from, level), partOf(one.to, level)]))].sort(byName), index = new Map(names.map((name, i) => [name, i]));
  const cells = names.map(() => names.map(() => ({bytes: 0, count: 0, first: Infinity, last: 0, via: /** @type {Set<string>} */ (new Set())})));
  for (const one of flows) {
    const cell = cells[/** @type {number} */ (index.get(partOf(one.from, level)))][/** @type {number} */ (index.get(partOf(one.to, level)))];
    cell.bytes += one.bytes; cell.count += 1; cell.first = Math.min(cell.first, one.at); cell.last = Math.max(cell.last, one.at); cell.via.add(one.via);
  }
  return {names, cells};
}
