#pragma once

#include "kbsim/hw/launch_id.hpp"
#include "kbsim/hw/pe/transfer.hpp"

namespace kbsim::hw {

/// Sees each transfer of a kernel once, as its DMA begins it, with all of its pieces: reads if only_reads(),
/// else writes. It doesn't change the run.
class IMoveWatch {
 public:
  virtual ~IMoveWatch() = default;
  virtual void begins(const DmaSite& site, const LaunchId& launch, const Transfer& transfer) = 0;
};

}  // namespace kbsim::hw
