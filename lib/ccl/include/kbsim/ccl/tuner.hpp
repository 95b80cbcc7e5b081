#pragma once

#include <optional>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// An algorithm that could do a call, and its estimated time.
struct Candidate {
  config::AlgorithmSpec algorithm;
  std::optional<Time> estimate = {};  // none for a kernel without a cost formula
};

/// The declared algorithms for a collective whose wiring joins the same PE of all packages, so that they run
/// on any PEs that hold shards. First the ones with a limit that holds here (`chosen_up_to`, `chosen`),
/// smallest first; then, unless they are `picked: by_limit`, by the estimate: latencies of messages one after
/// the other, and the time of the busiest link (docs/adr/0035, docs/adr/0118). `bytes` are those of a rank's
/// input.
[[nodiscard]] std::vector<Candidate> candidates(const config::CclSpec& declared,
                                                const config::MachineSpec& machine,
                                                config::Collective collective, Bytes bytes);

}  // namespace kbsim::ccl
