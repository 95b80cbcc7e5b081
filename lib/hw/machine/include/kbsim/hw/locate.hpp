#pragma once

#include <cstdint>

#include "kbsim/topology/address.hpp"
#include "kbsim/topology/graph.hpp"

namespace kbsim::hw {

/// A byte of a memory: the component that serves it, and where it is there.
struct MemoryAddress {
  NodeId memory;
  std::int64_t address = 0;
};

/// The component of a physical address. A PE's private ranges are all in its TCM. Throws KernelFault for an
/// address that the machine doesn't have.
[[nodiscard]] MemoryAddress locate(const topology::Graph& graph, topology::PhysAddr at);

}  // namespace kbsim::hw
