#pragma once

#include <array>
#include <vector>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/reserved.hpp"
#include "kbsim/hw/memory/i_memory_timing.hpp"

namespace kbsim::hw {

/// How long a memory's ports were busy, though they reserve their slots ahead. The bytes of a request count
/// as they are done: the last at the end of its slot.
class MemoryUse {
 public:
  MemoryUse(const Simulation& sim, IMemoryTiming& timing)
      : sim_{sim}, timing_{timing}, is_lanes_{timing.lanes() > 0} {}

  /// The request has this slot.
  void book(const MemoryRequest& request, const Lane::Slot& slot) {
    if (!is_lanes_) reserve_ahead(request, slot);
  }
  /// The use by port until now, from that of all reservations: one port, or reads and writes apart.
  [[nodiscard]] std::vector<UnitUse> until_now(std::vector<UnitUse> reserved) const;

 private:
  void reserve_ahead(const MemoryRequest& request, const Lane::Slot& slot);
  [[nodiscard]] Time done(const UnitUse& use, bool write, bool both) const;

  const Simulation& sim_;
  IMemoryTiming& timing_;
  bool is_lanes_;                  // Lanes keep their own reservations
  std::array<Reserved, 2> ahead_;  // without Lanes: reserved ahead, of reads and of writes
};

}  // namespace kbsim::hw
