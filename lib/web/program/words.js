// Labels in the field's words, each with a sentence that explains it.
import {element} from "./dom.js";

/** @type {Record<string, string>} */
const sentences = {
  "critical path": "The chain of causes that ends last: each part waits for the one before it, so the parts sum to the time.",
  "slack": "How much later this could have ended without a longer critical path, as long as no order flips.",
  "achieved of peak": "The work that was done, as a share of the work that the resource could do in the same time.",
  "bound": "The time that the busiest resource alone needs for its work: no order or overlap makes the run shorter.",
  "overhead": "Fixed latencies of components that a packet, command or instruction passes.",
  "wire": "Time of flight over wires: length times ns per mm.",
  "serialization": "Bytes divided by a link's bandwidth.",
  "memory access": "Time of a memory from a request to its data: row activation, column access, refresh.",
  "engine work": "Time in which a GEMM or vector engine computes.",
  "dispatch": "Time from the host's or CPU's command to its first action.",
  "host": "Time of the host's program and of its link.",
  "busy link": "Time in the queue of a link that carries other packets, of the same transfer or of others.",
  "busy memory port": "Time in the queue of a memory port that serves other accesses, of the same transfer or of others.",
  "memory port": "Bytes divided by the rate of a memory's port.",
  "translation": "Time of an MMU for an address.",
  "a free slot of the peer": "Credit stall, or backpressure: a sender waits until its receiver frees a slot.",
  "room among the DMA's requests in flight": "A DMA engine waits for answers before it may send more requests.",
  "busy engine": "Time in a queue in front of an engine.",
  "busy memory": "Time in a queue in front of a memory port.",
  "credit stall": "A sender waits until its receiver has a free slot: backpressure.",
  "exposed communication": "Communication that no computation overlaps.",
  "data from the peer": "A receiver waits for a message that its peer sends later.",
  "a free slot": "Credit stall: a sender waits until its receiver frees a slot.",
  "backpressure": "Senders wait until their receivers free a slot or a place in a queue: credit stalls.",
  "too few requests in flight": "A DMA engine waits for answers before it may send more requests.",
  "HBM-bound": "Most of the critical path is service of an HBM: its bandwidth and row timing set the time.",
  "TCM-bound": "Most of the critical path is transfer to or from a PE's memory.",
  "NOC-bound": "Most of the critical path is serialization on links of a die's network.",
  "UCIe-bound": "Most of the critical path is serialization on links between dies.",
  "package-link-bound": "Most of the critical path is serialization on links between packages.",
  "host-link-bound": "Most of the critical path is serialization on the host's link.",
  "DMA-bound": "Most of the critical path is a DMA engine's own rate.",
  "dispatch-bound": "Most of the critical path is a CPU that issues commands.",
  "compute-bound, GEMM": "Most of the critical path is work of a matrix engine.",
  "compute-bound, vector": "Most of the critical path is work of a vector engine.",
  "latency-bound": "Most of the critical path is fixed latency: overheads, wires, first accesses; more bandwidth wouldn't help.",
  "utilisation": "Share of the time in which a unit or link is busy.",
  "GEMM": "Matrix engines: busy time, of the time that is shown.",
  "vector": "Vector (math) engines: busy time, of the time that is shown.",
  "DMA": "DMA engines: time with a transfer under way, of the time that is shown.",
  "TCM": "Ports of the tightly coupled memories: busy time, of the time that is shown.",
  "HBM": "HBM channels: data and row preparation, of the time that is shown.",
  "SRAM": "Ports of shared SRAMs: busy time, of the time that is shown.",
  "NOC": "Links between routers and their units on a die: serialization, of the time that is shown.",
  "UCIe": "Links between the dies of a package: serialization, of the time that is shown.",
  "package links": "Links between packages and to the host: serialization, of the time that is shown.",
  "limit": "The resource with the longest least time: HBM, MACs, NOC or UCIe; latency if the operation takes more than twice that.",
  "least time": "The time of the busiest resource at its peak rate: no order or overlap makes the operation shorter.",
  "FLOP of peak": "FLOP a second, as a share of the engines' peak.",
  "HBM of peak": "Bytes a second of HBM, as a share of its bandwidth.",
  "latency": "Neither memory nor engines nor links are near their peak: fixed times and waits dominate.",
  "MACs": "Multiply-accumulates of the GEMM engines at their peak rate.",
  "slots": "Receive slots in use, of those that there are; the mark is the most in use at once.",
};

/** The sentence of a label; "" if there is none. @param {string} label */
export const sentenceOf = label => sentences[label] ?? "";

/** A label that explains itself on hover. @param {string} label @param {ParentNode} [parent] */
export function term(label, parent) {
  const sentence = sentenceOf(label);
  return element("span", label, parent, sentence ? {class: "term", title: sentence} : {});
}
