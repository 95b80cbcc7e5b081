#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/tl/waits.hpp"

namespace kbsim {

/// A barrier that PEs still wait in when no event is left. The first one of a launch is number 1.
struct StandingBarrier {
  /// Why a PE of the launch has not reached it.
  enum class Absence : std::uint8_t { elsewhere, ended, queued, stalled };
  struct Missing {
    PeCoord pe;
    Absence why = Absence::elsewhere;
  };

  std::uint32_t number = 0;
  std::vector<PeCoord> come;
  std::vector<Missing> missing;
};

/// "\nbarriers:" and a line each: "barrier 2: sip0.cube0.pe0 has come; missing: sip0.cube1.pe0"; or nothing.
[[nodiscard]] std::string describe_barriers(const std::vector<StandingBarrier>& barriers);

/// A PE in a barrier waits for each missing PE: "sip0.cube0.pe0 barrier 2 ← sip0.cube1.pe0: has not come". A
/// missing PE whose kernel has ended is a node of its own, "sip0.cube1.pe0 (ended)", whatever runs there now.
void add_barrier_waits(Waits& waits, const std::vector<StandingBarrier>& barriers);

}  // namespace kbsim
