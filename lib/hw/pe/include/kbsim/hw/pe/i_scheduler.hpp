#pragma once

#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/hw/pe/composite_job.hpp"
#include "kbsim/hw/pe/i_gemm.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"

namespace kbsim::hw {

/// How a scheduler cuts composites: its tile, and the time to fetch a tile's operands from TCM.
struct Tiling {
  GemmTile tile;
  Time fetch{};  // latency
  Bandwidth fetch_rate;
  [[nodiscard]] Time fetch_time(Bytes operands) const { return fetch + fetch_rate.serialization(operands); }
};

/// The unit of a PE that takes a kernel's commands and hands each to its unit. It streams composites itself.
class IScheduler {
 public:
  virtual ~IScheduler() = default;

  virtual void submit(Time at, PeCommand&& command) = 0;
  [[nodiscard]] virtual Tiling tiling() const = 0;
  /// Finished composites, oldest end first.
  [[nodiscard]] virtual const std::vector<CompositeRecord>& composites() const = 0;
};

}  // namespace kbsim::hw
