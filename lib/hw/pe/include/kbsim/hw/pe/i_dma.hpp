#pragma once

#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

class IMoveWatch;

/// A DMA's work so far: the time with a transfer under way, bytes read from memories and bytes written to
/// them.
struct DmaUse {
  Time busy{};
  Bytes read{};
  Bytes written{};
};

/// The unit of a PE that moves data between its TCM and any memory. It chooses the order in which the
/// requests of its transfers leave. It waits for answers, but never for the end of one transfer before it
/// begins another.
class IDma {
 public:
  virtual ~IDma() = default;

  /// Begins a transfer at `at`; transfers of one time begin in their order.
  virtual void submit(Time at, TransferPtr transfer) = 0;
  /// The data that a request asked for is in TCM at `at`.
  virtual void loaded(Time at, Token token, oplog::Slices contents) = 0;
  /// True if its turn in the present late batch is yet to come. TCM's read port then serves the DMA first,
  /// and other readers after that turn, when the DMA calls ITcm::dma_has_read().
  [[nodiscard]] virtual bool reads_first() { return false; }
  /// Zero if the DMA doesn't count.
  [[nodiscard]] virtual DmaUse moved() const { return {}; }
  /// `watch` sees transfers from now on, and outlives the run; nullptr: nothing does. A DMA without it shows
  /// none.
  virtual void show_moves_to(IMoveWatch* /*watch*/) {}
};

}  // namespace kbsim::hw
