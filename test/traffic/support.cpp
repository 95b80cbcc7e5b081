#include "support.hpp"

#include <algorithm>

using namespace kbsim;

config::MachineSpec spec_of(const Machine& machine) {
  config::MachineSpec spec;
  spec.cube.noc.router.attrs["overhead_ns"] = machine.router_overhead_ns;
  spec.cube.noc.link = Bandwidth::gbs(machine.noc_gbs);
  spec.cube.noc.w = machine.noc_w;
  spec.cube.noc.h = machine.noc_h;
  spec.system.sips.count = machine.sips;
  return spec;
}

Case::Case(std::string_view scope, std::string_view pattern_text, const Machine& machine)
    : network{topology::traffic_network(spec_of(machine), scope)},
      pattern{topology::traffic_pattern(network, pattern_text)},
      bound{topology::rate_bound(network, topology::link_loads(network, pattern))} {}

hw::TrafficResult Case::run(const hw::TrafficRequest& request) const {
  return hw::run_traffic(network, pattern, request);
}

double mean_wait(const hw::TrafficResult& result) {
  return mean(result.waits) / static_cast<double>(result.service.count());
}

double wait_quantile(const hw::TrafficResult& result, double p) {
  const Time wait = nearest_rank<Time>(result.waits, p);
  return static_cast<double>(wait.count()) / static_cast<double>(result.service.count());
}

double largest_utilization(const hw::TrafficResult& result) { return std::ranges::max(result.utilization); }
