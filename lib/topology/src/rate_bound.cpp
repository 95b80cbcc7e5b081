#include <algorithm>
#include <cstdint>

#include "kbsim/topology/route.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::topology {
namespace {

class Loads {
 public:
  explicit Loads(const TrafficNetwork& network) : graph_{network.graph}, loads_(graph_.links().size()) {}

  void add(NodeId from, NodeId to, double packets) {
    if (packets == 0.0) return;
    for (const LinkId link : find_route(graph_, from, to)) loads_[link.value()] += packets;
  }
  std::vector<double> take() { return std::move(loads_); }

 private:
  const Graph& graph_;
  std::vector<double> loads_;
};

}  // namespace

std::vector<double> link_loads(const TrafficNetwork& network, const TrafficPattern& pattern) {
  Loads loads{network};
  const double rest = (1.0 - pattern.focus) / static_cast<double>(network.sinks.size());
  for (const std::size_t i : pattern.active) {
    const NodeId from = network.sources[i];
    if (pattern.focus > 0.0) loads.add(from, network.sinks[pattern.favourite[i]], pattern.focus);
    if (pattern.focus == 1.0) continue;
    for (const NodeId to : network.sinks) loads.add(from, to, rest);
  }
  return loads.take();
}

double rate_bound(const TrafficNetwork& network, const std::vector<double>& loads) {
  const double service = network.source_bandwidth().gbs();
  double largest = 1.0;  // a source's own link carries all that it sends, whatever the sum is rounded to
  for (std::uint32_t i = 0; i < loads.size(); ++i)
    largest = std::max(largest, loads[i] * service / network.graph.link(LinkId{i}).bandwidth.gbs());
  return 1.0 / largest;
}

TrafficCase traffic_case(const config::MachineSpec& spec, std::string_view scope, std::string_view pattern) {
  TrafficCase all{.network = traffic_network(spec, scope)};
  all.pattern = traffic_pattern(all.network, pattern);
  all.loads = link_loads(all.network, all.pattern);
  all.bound = rate_bound(all.network, all.loads);
  return all;
}

}  // namespace kbsim::topology
