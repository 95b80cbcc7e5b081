#pragma once

#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/llm/rank_share.hpp"

namespace kbsim::inference {

/// The most TCM of a PE that queues to other packages take: those of collectives, one choice a phase, and
/// those of sends to the next stage.
[[nodiscard]] Bytes queues_between(const RankShare& share, const config::MachineSpec& machine,
                                   const config::CclSpec& ccl);

}  // namespace kbsim::inference
