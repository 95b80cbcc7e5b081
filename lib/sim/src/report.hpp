#pragma once

#include <vector>

#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/detail/list.hpp"

namespace kbsim::detail {

/// The spawned processes of the list that wait, or if there are none, the components.
[[nodiscard]] std::vector<Waiting> waiting_among(const List& processes);

}  // namespace kbsim::detail
