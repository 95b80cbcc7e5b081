#pragma once

#include <string>

#include "kbsim/config/net_spec.hpp"

#include "tree.hpp"

namespace kbsim::config {

/// "A>B".
[[nodiscard]] std::string arrow(const Net& net, int from, int to);

/// Holds the links against the routing: rows and columns whole, a way between any two endpoints. A table gets
/// the ways that are a single link. `file` is the place of what is missing.
void complete_ways(Net& net, const Place& file, Problems& problems);

}  // namespace kbsim::config
