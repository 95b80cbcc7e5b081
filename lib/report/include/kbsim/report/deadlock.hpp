#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/report/output_folder.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::report {

/// For stderr: each cycle by itself, its waits and then its processes; without one, those that wait for what
/// never comes. Then the host programs that wait for calls, each line of a call once, and how many wait
/// besides. Verbose: all, the deadlock's own text.
[[nodiscard]] std::string to_text(const DeadlockReport& deadlock, bool verbose);

/// All who wait, every edge with its words ("to" is null if nobody is known), the edges of each cycle in its
/// order ("cycle": of the first), and all counters.
[[nodiscard]] boost::json::object to_json(const DeadlockReport& deadlock);

/// Graphviz: who waits for whom, cycles in red; a dashed node is one where nothing runs,
/// "?" that nobody is known.
[[nodiscard]] std::string to_dot(const WaitGraph& graph);

/// One simulation of several, by a name for people.
struct NamedDeadlock {
  std::string simulation;
  DeadlockReport report;
};

/// Writes deadlock.json and deadlock.dot, or takes those of an earlier run away.
void write_deadlock(const OutputFolder& folder, const DeadlockReport* deadlock);
/// The same of several: "deadlocks", an array of objects with "simulation"; a drawing after the other.
void write_deadlocks(const OutputFolder& folder, const std::vector<NamedDeadlock>& deadlocks);

}  // namespace kbsim::report
