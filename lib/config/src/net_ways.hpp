#pragma once

#include <string>

#include "kbsim/config/net_spec.hpp"

#include "config_tree.hpp"

namespace kbsim::config {

/// "A>B".
[[nodiscard]] std::string arrow(const Net& net, int from, int to);

/// Checks the links against the routing: rows and columns complete, a route between any two endpoints. Adds
/// to a table the routes that are a single link. `file` is the place of missing entries.
void complete_ways(Net& net, const Place& file, Problems& problems);

}  // namespace kbsim::config
