#pragma once

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::hw {

class IDma;
class IIpcq;
class Machine;
class QueueTrace;

/// A pe_ipcq, and the units that its parts use. Pointers are set once all components exist.
struct QueueUnit {
  Fabric& fabric;
  NodeId id;
  IIpcq* ipcq = nullptr;
  Machine* machine = nullptr;
  IDma* dma = nullptr;
  oplog::MemoryImage* tcm = nullptr;
  QueueTrace* trace = nullptr;

  [[nodiscard]] Simulation& sim() const { return fabric.sim(); }
  [[nodiscard]] const topology::Graph& graph() const { return fabric.graph(); }
  [[nodiscard]] PeCoord at() const { return graph().node(id).at; }
  [[nodiscard]] const std::string& name() const { return graph().node(id).name; }
};

}  // namespace kbsim::hw
