#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::report {

/// All who wait, every edge with its words ("to" is null if nobody is known), the edges of a circle in its
/// order, and all counters.
[[nodiscard]] boost::json::object to_json(const DeadlockReport& deadlock);

/// Graphviz: who waits for whom, the circle in red; a dashed node is one where nothing runs,
/// "?" that nobody is known.
[[nodiscard]] std::string to_dot(const WaitGraph& graph);

}  // namespace kbsim::report
