// What operations, layers and launches did: FLOP, bytes and time, with the peaks of what they ran on.
import {recordsOf} from "./csv.js";
import {keysOf} from "./run.js";

/**
 * @typedef {{name: string, group: string, flop: number, bytes: number, rate: number, limit: string, peak: number, bandwidth: number, row: Record<string, any>}} Work
 *   rate in FLOP/s; peak in FLOP/s and bandwidth in B/s of the engines and HBM channels that it ran on, 0 if unknown
 */

/** Operations of a model, as operations.csv or the rows have them. @param {any} raw @returns {Record<string, any>[]} */
export function operationsOf(raw) {
  const table = recordsOf(raw.tables?.["operations.csv"]);
  return table.length ? table : (raw.summary?.rows ?? []).flatMap(row => (Array.isArray(row.operations) ? row.operations.map(one => ({phase: row.phase, ...one})) : []));
}

/** Peaks of one PE by the resolved configuration. */
function peaksOf(raw) {
  const keys = keysOf(raw.config ?? ""), of = name => Number(keys.get(name)) || 0;
  return {flop: 2e9 * of("pe.pe_gemm.macs_per_ns"), bytes: 1e9 * of("cube.xbar_to_hbm_bw_gbs") * (of("cube.hbm_ctrl.efficiency") || 1)};
}

/** @param {any} raw @returns {Work[]} */
function ofModel(raw) {
  const phases = new Map((raw.summary?.rows ?? []).map(row => [row.phase, row]));
  return operationsOf(raw).map(row => {
    const of = phases.get(row.phase) ?? {};
    return {name: row.operation, group: row.phase, flop: +row.flop, bytes: +row.hbm_bytes, rate: +row.flop_per_s, limit: row.roofline,
            peak: of.peak_flop_per_s ?? 0, bandwidth: of.peak_hbm_bytes_per_s ?? 0, row};
  });
}

/** Layers of --bench gemm. @param {any} raw @returns {Work[]} */
function ofLayers(raw) {
  const one = peaksOf(raw);
  return (raw.summary?.rows ?? []).filter(row => row.macs_simulated > 0 && row.hbm_bytes_simulated > 0 && row.time_us > 0)
    .map(row => ({name: row.layer, group: row.kind, flop: 2 * row.macs_simulated, bytes: row.hbm_bytes_simulated, rate: 2e6 * row.macs_simulated / row.time_us, limit: row.roofline,
                  peak: one.flop * row.pes, bandwidth: one.bytes * row.pes, row}));
}

/** Kernels of a run: MACs by the utilisation of their engines, bytes that they loaded and stored. @param {any} raw @returns {Work[]} */
export function ofLaunches(raw) {
  const one = peaksOf(raw);
  if (!(one.flop > 0)) return [];
  return recordsOf(raw.tables?.["launches.csv"]).filter(row => +row.gemm_utilization > 0).map(row => {
    const peak = one.flop * +row.pes, rate = peak * +row.gemm_utilization;
    return {name: row.kernel, group: `rank ${row.rank}`, flop: rate * +row.duration_ns * 1e-9, bytes: +row.read_bytes + +row.written_bytes, rate, limit: "", peak, bandwidth: one.bytes * +row.pes, row};
  });
}

/** All that has FLOP, bytes and a time. @param {any} raw */
export function worksOf(raw) {
  const kinds = [ofModel, ofLayers, ofLaunches];
  for (const kind of kinds) {
    const all = kind(raw).filter(one => one.flop > 0 && one.bytes > 0 && one.rate > 0);
    if (all.length) return all;
  }
  return [];
}

/** What a click on an operation shows: all that its file says of it. @param {string} name @param {Record<string, any>} row */
export const factsThing = (name, row) => ({picked: {kind: "facts", of: name, facts: Object.entries(row).filter(([, value]) => value !== "" && typeof value !== "object")}});
