#pragma once

#include <string>
#include <vector>

#include "kbsim/oplog/log.hpp"
#include "kbsim/replay/replay.hpp"

namespace kbsim::replay {

/// The lines that kernels printed, in the order of simulated time and, within one time, of the lanes:
/// "[12.5 ns sip0.cube0.pe0] scores f32 [2, 2]: 1 2.5 nan -inf". A line has at most the first 64 elements.
/// Computes what isn't held yet; throws as Replay::evaluate().
[[nodiscard]] std::vector<std::string> prints(const oplog::OpLog& log, Replay& replay);

}  // namespace kbsim::replay
