#pragma once

#include <span>
#include <string>
#include <vector>

#include "kbsim/sim/deadlock.hpp"
#include "kbsim/sim/detail/list.hpp"

namespace kbsim::detail {

/// The spawned processes of the list that wait, or if there are none, the components.
[[nodiscard]] std::vector<Waiting> waiting_among(const List& processes);
/// The same for several lists.
[[nodiscard]] std::vector<Waiting> waiting_among(std::span<const List* const> processes);

/// The beginning of a deadlock's text.
[[nodiscard]] std::string headline(Time at, const std::vector<Waiting>& waiting);

/// A line for each of the first fifty, then how many more there are.
[[nodiscard]] std::string lines(const std::vector<Waiting>& waiting);

}  // namespace kbsim::detail
