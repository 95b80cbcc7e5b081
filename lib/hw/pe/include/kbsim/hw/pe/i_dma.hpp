#pragma once

#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

/// What a DMA has done so far: for how long it had a transfer under way, and what it read from memories and
/// wrote to them.
struct DmaUse {
  Time busy{};
  Bytes read{};
  Bytes written{};
};

/// The unit of a PE that moves data between its TCM and any memory. It says itself in which order the
/// requests of its transfers leave. It waits for answers, never for one transfer before it begins another.
class IDma {
 public:
  virtual ~IDma() = default;

  /// Begins a transfer at `at`; transfers of one time begin in their order.
  virtual void submit(Time at, TransferPtr transfer) = 0;
  /// The data that a request asked for is in TCM at `at`.
  virtual void loaded(Time at, Token token, oplog::Slices contents) = 0;
  /// It has a turn in the present batch of late ones that is yet to come. TCM's read port serves that first,
  /// and then what others ask of TCM: ITcm::dma_has_read() is called behind the turn.
  [[nodiscard]] virtual bool reads_first() { return false; }
  /// Nothing of one that doesn't count.
  [[nodiscard]] virtual DmaUse moved() const { return {}; }
};

}  // namespace kbsim::hw
