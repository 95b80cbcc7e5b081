#pragma once

#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/oplog/log_memory.hpp"

namespace kbsim::hw {

/// The memory private to a PE, as the PE's units reach it without the fabric.
class ITcm {
 public:
  virtual ~ITcm() = default;

  /// Reads `n` bytes from `at` on; returns the times at which they pass the read port.
  virtual Lane::Slot read_port(Time at, Bytes n) = 0;
  /// The DMA has had the turn that goes first: see IDma::reads_first().
  virtual void dma_has_read() = 0;
  /// How long the read port takes for `n` bytes.
  [[nodiscard]] virtual Time pace(Bytes n) const = 0;
  [[nodiscard]] virtual oplog::MemoryImage& image() = 0;
};

}  // namespace kbsim::hw
