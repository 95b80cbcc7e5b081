#pragma once

#include <vector>

#include "kbsim/topology/graph.hpp"

namespace kbsim::hw::test {

/// A lone flow of tiles through an IPCQ whose slots lie in a memory with one port. Its receiver asks for all
/// tiles before the first is sent, and its DMA may have any number of packets in flight.
struct QueueFlow {
  PeCoord from;
  PeCoord to;
  NodeId memory;
  int slots = 1;
  Bytes tile;
  Bytes credit;
  std::vector<Time> issued;  // when each tile is handed to pe_ipcq
  bool apart = false;        // as if reads had a port of their own
};

/// When each tile is in the receiver's TCM: the equations of packets on links and at ports, worked out one by
/// one in the order of arrivals; a port serves writes and reads in that order. No word here asks lib/hw.
[[nodiscard]] std::vector<Time> reference_flow(const topology::Graph& graph, const QueueFlow& flow);

}  // namespace kbsim::hw::test
