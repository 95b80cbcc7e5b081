#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

// Busy time of the engines of each package's busiest PE, in ps, of the whole run.
std::map<int, double> longest_pes(const FindingScene& scene) {
  std::map<int, double> by_package;
  std::map<PeCoord, double> by_pe;
  const topology::Graph& graph = scene.machine.graph();
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    const topology::Node& node = graph.node(NodeId{i});
    const bool is_engine =
        node.kind == topology::NodeKind::pe_gemm || node.kind == topology::NodeKind::pe_math;
    if (!is_engine) continue;
    double& sum = by_pe[node.at];
    for (const hw::UnitUse& use : scene.machine.component(NodeId{i}).use())
      sum += static_cast<double>(use.busy.count());
    by_package[node.at.sip] = std::max(by_package[node.at.sip], sum);
  }
  return by_package;
}

double engines_of(const hw::OrderRecord& launch) {
  return static_cast<double>((launch.activity.work.gemm + launch.activity.work.math).count());
}

// The part of the package's engine work that these launches are.
double part_of(const FindingScene& scene, int package, const std::set<const hw::OrderRecord*>& chosen) {
  double all = 0.0;
  double part = 0.0;
  for (const hw::OrderRecord& launch : scene.launches) {
    if (launch.sip != package) continue;
    all += engines_of(launch);
    if (chosen.contains(&launch)) part += engines_of(launch);
  }
  return all > 0.0 ? part / all : 0.0;
}

struct RankLoads {
  std::map<int, int> ranks;       // by package
  std::map<int, double> engines;  // ps of the busiest PE's engines, by package
  std::map<int, double> bytes;    // that its DMAs moved, likewise
};

// Loads of the ranks in the rounds of the path. Empty if packages have several ranks.
RankLoads loads_of_ranks(const FindingScene& scene) {
  RankLoads loads;
  std::set<const hw::OrderRecord*> chosen;
  for (const RankLaunches& round : rounds_of(scene)) {
    for (const hw::OrderRecord* launch : round) {
      const auto [known, fresh] = loads.ranks.try_emplace(launch->sip, launch->rank);
      if (known->second != launch->rank) return {};
      chosen.insert(launch);
      loads.bytes[launch->sip] +=
          static_cast<double>((launch->activity.work.read + launch->activity.work.written).count());
    }
  }
  const std::map<int, double> longest = longest_pes(scene);
  for (const auto& [package, rank] : loads.ranks)
    loads.engines[package] = longest.at(package) * part_of(scene, package, chosen);
  return loads;
}

Time path_at(const FindingScene& scene, int package, WorkClass work) {
  return time_of(scene.what.path, [&](const Segment& one) {
    return class_of(one.reason) == work && one.reason != hw::Reason::given &&
           package_of(one, scene.machine.graph()) == package;
  });
}

std::optional<Finding> of_engines(const FindingScene& scene, const RankLoads& loads) {
  const int package = greatest(loads.engines);
  const double mean = mean_of_others(loads.engines, package);
  const double own = loads.engines.at(package);
  const Time on_path = path_at(scene, package, WorkClass::work);
  const Time gain = std::min(rounded_time(own - mean), on_path);
  if (gain <= Time{0}) return std::nullopt;
  return Finding{
      .gain = gain,
      .evidence = fmt::format("rank {} computes {}, the other {} {} on average; the path has {} of its "
                              "engines and dispatch",
                              loads.ranks.at(package), to_string(rounded_time(own)), loads.ranks.size() - 1,
                              to_string(rounded_time(mean)), to_string(on_path)),
      .place = fmt::format("sip{}", package)};
}

std::optional<Finding> of_memory(const FindingScene& scene, const RankLoads& loads) {
  const int package = greatest(loads.bytes);
  const double mean = mean_of_others(loads.bytes, package);
  const double own = loads.bytes.at(package);
  const Time on_path = path_at(scene, package, WorkClass::memory);
  if (own <= mean || on_path == Time{0}) return std::nullopt;
  return Finding{
      .gain = rounded_time(static_cast<double>(on_path.count()) * (1.0 - mean / own)),
      .evidence = fmt::format("rank {} moves {:.0f} bytes, the other {} {:.0f} on average; the path has "
                              "{} of its memory's service",
                              loads.ranks.at(package), own, loads.ranks.size() - 1, mean, to_string(on_path)),
      .place = fmt::format("sip{}", package)};
}

std::optional<Finding> straggler(const FindingScene& scene) {
  const RankLoads loads = loads_of_ranks(scene);
  if (loads.ranks.size() < 2) return std::nullopt;
  const std::optional<Finding> engines = of_engines(scene, loads);
  const std::optional<Finding> memory = of_memory(scene, loads);
  return !engines || (memory && memory->gain > engines->gain) ? memory : engines;
}
KBSIM_FINDING(straggler,
              {.title = "load imbalance: one rank has more work",
               .doc = "work of the longest rank - mean of the others, at most its part of the path",
               .of_ranks = true,
               .look = straggler});

}  // namespace
}  // namespace kbsim::explain
