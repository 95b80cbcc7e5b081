#pragma once

#include <cstdint>

#include "kbsim/topology/address.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::hw {

/// A byte of a memory: the component that serves it, and where it is there.
struct MemoryAddress {
  NodeId memory;
  std::int64_t address = 0;
};

/// The component of a physical address. A PE's private ranges are all in its TCM. Throws KernelFault for an
/// address that the machine doesn't have.
[[nodiscard]] MemoryAddress locate(const topology::Graph& graph, topology::PhysAddr at);

/// The number of the first bytes of a stretch that are in one memory without a gap: shared memory channels
/// take turns.
[[nodiscard]] Bytes together(const topology::Graph& graph, const topology::PhysRange& bytes);

/// Calls `visit` with each part of a stretch that is in one memory without a gap, and the part's offset.
template <class Visit>
void for_each_part(const topology::Graph& graph, topology::PhysRange bytes, Visit visit) {
  if (!graph.spec().shares_hbm()) return visit(bytes, Bytes{});
  for (Bytes offset{}; bytes.bytes > Bytes{};) {
    const topology::PhysRange part{.pa = bytes.pa, .bytes = together(graph, bytes)};
    visit(part, offset);
    offset += part.bytes;
    bytes = {.pa = bytes.pa + part.bytes, .bytes = bytes.bytes - part.bytes};
  }
}

}  // namespace kbsim::hw
