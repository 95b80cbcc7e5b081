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
/// on any PEs that hold shards. First the ones whose `chosen_up_to` is at least `bytes` (per rank), smallest
/// first; then by steps · 68 ns + bytes that cross a link between packages / its bandwidth (docs/adr/0035).
[[nodiscard]] std::vector<Candidate> candidates(const config::CclSpec& declared,
                                                const config::MachineSpec& machine,
                                                config::Collective collective, Bytes bytes);

}  // namespace kbsim::ccl
