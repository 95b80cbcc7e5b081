#pragma once

#include <optional>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"

namespace kbsim::ccl {

/// An algorithm that could do a call, and how long that would take.
struct Candidate {
  config::AlgorithmSpec algorithm;
  std::optional<Time> estimate = {};  // none for a kernel that the tuner doesn't know
};

/// The declared algorithms for a collective whose wiring joins the same PE of all packages, so that they run
/// on whatever PEs hold shards. First those with a `chosen_up_to` that `bytes` of a rank are within, smallest
/// first; then by steps · 68 ns + bytes that cross a link between packages / its bandwidth (docs/adr/0035).
[[nodiscard]] std::vector<Candidate> candidates(const config::CclSpec& declared,
                                                const config::MachineSpec& machine,
                                                config::Collective collective, Bytes bytes);

}  // namespace kbsim::ccl
