#include <algorithm>

#include <fmt/format.h>
#include <range/v3/view/zip.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/route.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::topology {
namespace {

class Loads {
 public:
  explicit Loads(const TrafficNetwork& network)
      : find_{network.graph}, loads_(network.graph.links().size()) {}

  void add(NodeId from, NodeId to, double packets) {
    if (packets == 0.0) return;
    for (const LinkId link : find_(from, to)) loads_[link.value()] += packets;
  }
  std::vector<double> take() { return std::move(loads_); }

 private:
  RouteFinder find_;
  std::vector<double> loads_;
};

// The rate of packets' own bytes over the link, in GB/s.
double rate_of(const Link& link, const std::vector<PacketShare>& sizes) {
  if (link.framing == nullptr || sizes.empty()) return link.bandwidth.gbs();
  double bytes = 0.0;
  double ns = 0.0;
  for (const auto& [size, share] : sizes) {
    const Time sent = link.framing->has_processor() ? link.framing->send_time() : Time{0};
    bytes += share * static_cast<double>(size.count());
    ns += share * to_ns(std::max(link.framing->service(size), sent));
  }
  return bytes / ns;
}

}  // namespace

std::vector<double> link_loads(const TrafficNetwork& network, const TrafficPattern& pattern, double reply) {
  Loads loads{network};
  for (const std::size_t i : pattern.active) {
    const double weight = pattern.weight(i);
    pattern.each_target(i, network.sinks.size(), [&](std::size_t sink, double share) {
      loads.add(network.sources[i], network.sinks[sink], weight * share);
      loads.add(network.sinks[sink], network.sources[i], weight * share * reply);
    });
  }
  return loads.take();
}

double rate_bound(const TrafficNetwork& network, const TrafficPattern& pattern,
                  const std::vector<double>& loads, const std::vector<PacketShare>& sizes) {
  const double service = network.service.gbs();
  double most = 0.0;
  for (const std::size_t source : pattern.active) most = std::max(most, pattern.weight(source));
  // A source's own link carries all its packets, independently of rounding in the sum.
  double largest = most * service / network.source_bandwidth().gbs();
  for (const auto& [load, link] : ranges::views::zip(loads, network.graph.links()))
    largest = std::max(largest, load * service / rate_of(link, sizes));
  return 1.0 / largest;
}

TrafficCase traffic_case(const config::MachineSpec& spec, const TrafficSetup& setup) {
  TrafficCase all{.network = setup.net ? traffic_network(spec, *setup.net, setup.endpoints)
                                       : traffic_network(spec, setup.scope, setup.endpoints)};
  if (setup.reply > 0.0 && all.network.sources != all.network.sinks)
    throw UsageError{fmt::format("--scope {}: replies have no way back", setup.scope)};
  all.pattern = traffic_pattern(all.network, setup);
  all.loads = link_loads(all.network, all.pattern, setup.reply);
  all.bound = rate_bound(all.network, all.pattern, all.loads, setup.sizes);
  return all;
}

TrafficCase traffic_case(const config::MachineSpec& spec, std::string_view scope, std::string_view pattern) {
  return traffic_case(spec, TrafficSetup{.scope = std::string{scope}, .pattern = std::string{pattern}});
}

}  // namespace kbsim::topology
