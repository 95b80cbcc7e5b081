#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kbsim/explain/finding.hpp"
#include "kbsim/hw/pe/composite_job.hpp"

namespace kbsim::explain {

// Parts of paths and launches that findings are made from.

/// Time of the path's segments that match.
[[nodiscard]] Time time_of(const Path& path, const std::function<bool(const Segment&)>& matches);
/// Work during waits for peers: for their data, and for their free slots.
[[nodiscard]] ClassTimes during_peer_waits(const Path& path);
/// The name of the node at which most of these waits were; "" if there were none.
[[nodiscard]] std::string longest_waiter(const FindingScene& scene, hw::Reason wait);
/// "72.0 %" of the path.
[[nodiscard]] std::string share_text(Time part, const Path& path);
/// The number of the package; -1: outside of all packages.
[[nodiscard]] int package_of(const Segment& segment, const topology::Graph& graph);

/// Finished composites that were under way during the path.
[[nodiscard]] std::vector<const hw::CompositeRecord*> composites_on(const Path& path,
                                                                    const hw::Machine& machine);

/// The n-th launches of a kernel by its ranks, all of them under way during the path; at least two ranks.
using RankLaunches = std::vector<const hw::OrderRecord*>;
[[nodiscard]] std::vector<RankLaunches> rounds_of(const FindingScene& scene);

/// Mean of all values but one.
[[nodiscard]] double mean_of_others(const std::map<int, double>& values, int but);
/// The key with the greatest value, the first if there are several. `values` has an element.
[[nodiscard]] int greatest(const std::map<int, double>& values);
[[nodiscard]] Time rounded_time(double ps);

}  // namespace kbsim::explain
