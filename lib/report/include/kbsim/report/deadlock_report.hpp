#pragma once

#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/report/output_folder.hpp"
#include "kbsim/sim/wait_graph.hpp"

namespace kbsim::report {

/// For stderr: each cycle, its waits and then its processes; without a cycle, the processes that wait for
/// something that never happens. Then the host programs that wait for calls, one per line of code, and the
/// number of other waiting processes. Verbose: the deadlock's whole text.
[[nodiscard]] std::string to_text(const DeadlockReport& deadlock, bool verbose);

/// All waiting processes, every edge with its text ("to" is null if unknown), the edges of each cycle in
/// order ("cycle": of the first), and all counters.
[[nodiscard]] boost::json::object to_json(const DeadlockReport& deadlock);

/// Graphviz graph of waits, cycles in red. A dashed node has no process; "?" is an unknown one.
[[nodiscard]] std::string to_dot(const WaitGraph& graph);

/// One simulation of several, by a name for people.
struct NamedDeadlock {
  std::string simulation;
  DeadlockReport report;
};

/// Writes deadlock.json and deadlock.dot, or removes those of an earlier run.
void write_deadlock(const OutputFolder& folder, const DeadlockReport* deadlock);
/// The same for several: "deadlocks", an array of objects with "simulation", and one drawing after the other.
void write_deadlocks(const OutputFolder& folder, const std::vector<NamedDeadlock>& deadlocks);

}  // namespace kbsim::report
