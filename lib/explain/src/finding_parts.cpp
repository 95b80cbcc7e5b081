#include "finding_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kbsim/hw/pe/i_scheduler.hpp"

#include "segments.hpp"

namespace kbsim::explain {

Time time_of(const Path& path, const std::function<bool(const Segment&)>& matches) {
  Time sum{};
  for (const Segment& segment : path.segments) {
    if (matches(segment)) sum += segment.length();
  }
  return sum;
}

ClassTimes during_peer_waits(const Path& path) {
  ClassTimes sum = during(path, hw::Reason::peer_sent);
  sum += during(path, hw::Reason::slot_free);
  return sum;
}

std::string longest_waiter(const FindingScene& scene, hw::Reason wait) {
  std::string name;
  Time longest{};
  for (const auto& [where, times] : scene.what.path.during_waits) {
    if (where.first != wait || times.all() <= longest) continue;
    longest = times.all();
    name = scene.machine.graph().node(NodeId{where.second}).name;
  }
  return name;
}

std::string share_text(Time part, const Path& path) {
  return fmt::format("{:.1f} %",
                     100.0 * static_cast<double>(part.count()) / static_cast<double>(path.length().count()));
}

int package_of(const Segment& segment, const topology::Graph& graph) {
  using hw::Reason;
  const bool is_link = segment.reason == Reason::wire || segment.reason == Reason::serialization ||
                       segment.reason == Reason::port_time;
  const NodeId node = is_link ? graph.link(LinkId{segment.place}).from : NodeId{segment.place};
  return graph.node(node).at.sip;
}

std::vector<const hw::CompositeRecord*> composites_on(const Path& path, const hw::Machine& machine) {
  std::vector<const hw::CompositeRecord*> all;
  const topology::Graph& graph = machine.graph();
  for (std::uint32_t i = 0; i < graph.nodes().size(); ++i) {
    if (graph.node(NodeId{i}).kind != topology::NodeKind::pe_scheduler) continue;
    const auto* const scheduler = machine.component(NodeId{i}).offers<hw::IScheduler>();
    if (scheduler == nullptr) continue;
    for (const hw::CompositeRecord& one : scheduler->composites()) {
      if (one.end > path.begin && one.start < path.end) all.push_back(&one);
    }
  }
  return all;
}

std::vector<RankLaunches> rounds_of(const FindingScene& scene) {
  std::map<std::pair<std::string, int>, int> so_far;  // launches of a kernel by a rank
  std::map<std::pair<std::string, int>, RankLaunches> by_round;
  for (const hw::OrderRecord& launch : scene.launches) {
    const int round = so_far[{launch.kernel_name, launch.rank}]++;
    by_round[{launch.kernel_name, round}].push_back(&launch);
  }
  std::vector<RankLaunches> all;
  const Path& path = scene.what.path;
  for (auto& [name, launches] : by_round) {
    const bool is_on_path = std::ranges::all_of(launches, [&](const hw::OrderRecord* one) {
      return one->sent < path.end && one->reported > path.begin;
    });
    if (launches.size() > 1 && is_on_path) all.push_back(std::move(launches));
  }
  return all;
}

double mean_of_others(const std::map<int, double>& values, int but) {
  double sum = 0.0;
  for (const auto& [key, value] : values) sum += key == but ? 0.0 : value;
  return values.size() > 1 ? sum / static_cast<double>(values.size() - 1) : 0.0;
}

int greatest(const std::map<int, double>& values) {
  return std::ranges::max_element(values, {},
                                  [](const auto& one) { return std::pair{one.second, -one.first}; })
      ->first;
}

Time rounded_time(double ps) { return Time{std::llround(ps)}; }

}  // namespace kbsim::explain
