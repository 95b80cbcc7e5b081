#include <map>

#include <fmt/format.h>

#include "kbsim/topology/link_class.hpp"

#include "finding_parts.hpp"

namespace kbsim::explain {
namespace {

constexpr std::size_t kLeastPeers = 4;
constexpr double kMuchBusier = 2.0;

// Busy times of a class's links that carried packets.
struct LinkLoad {
  std::size_t links = 0;
  Time sum{};
  Time most{};
  LinkId busiest;
};

std::map<topology::LinkClass, LinkLoad> loads_of(const hw::Machine& machine) {
  std::map<topology::LinkClass, LinkLoad> all;
  const std::vector<hw::LiveLink>& links = machine.fabric().links();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const Time busy = links[i].lane.busy();
    if (busy == Time{0}) continue;
    LinkLoad& load = all[topology::link_class(machine.graph(), machine.graph().link(LinkId{i}))];
    ++load.links;
    load.sum += busy;
    if (busy <= load.most) continue;
    load.most = busy;
    load.busiest = LinkId{i};
  }
  return all;
}

Finding hot(const FindingScene& scene, topology::LinkClass link_class, const LinkLoad& load) {
  const double mean = static_cast<double>(load.sum.count()) / static_cast<double>(load.links);
  const auto most = static_cast<double>(load.most.count());
  const Time on_path = time_of(scene.what.path, [&](const Segment& one) {
    return one.reason == hw::Reason::serialization && one.place == load.busiest.value();
  });
  const std::string name = scene.machine.graph().link_name(load.busiest);
  return {.gain = rounded_time(static_cast<double>(on_path.count()) * (1.0 - mean / most)),
          .evidence =
              fmt::format("{} is busy {}, {:.1f} times the mean of the {} links of its class ({}) in use; "
                          "the path is {} at it",
                          name, to_string(load.most), most / mean, load.links,
                          topology::to_string(link_class), to_string(on_path)),
          .place = name};
}

std::optional<Finding> hot_link(const FindingScene& scene) {
  std::optional<Finding> best;
  for (const auto& [link_class, load] : loads_of(scene.machine)) {
    const auto mean = static_cast<double>(load.sum.count()) / static_cast<double>(load.links);
    if (load.links < kLeastPeers || static_cast<double>(load.most.count()) < kMuchBusier * mean) continue;
    Finding found = hot(scene, link_class, load);
    if (!best || found.gain > best->gain) best = std::move(found);
  }
  return best;
}
KBSIM_FINDING(hot_link, {.title = "hot link: much busier than its peers",
                         .doc = "transfer on the path at the link x (1 - mean / most busy time of its class)",
                         .look = hot_link});

}  // namespace
}  // namespace kbsim::explain
