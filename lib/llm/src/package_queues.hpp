#pragma once

#include <string>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/llm/rank_share.hpp"

namespace kbsim::inference {

/// The most bytes that queues to other packages take: those of collectives, one choice per phase, and those
/// of sends to the next stage. UsageError if they don't fit the SRAM of a cube.
[[nodiscard]] ccl::RingBytes queues_between(const RankShare& share, const config::MachineSpec& machine,
                                            const config::CclSpec& ccl);

}  // namespace kbsim::inference
