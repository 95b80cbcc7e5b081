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

double mean_wait(const hw::TrafficResult& result) {
  return mean(result.waits) / static_cast<double>(result.service.count());
}

double wait_quantile(const hw::TrafficResult& result, double p) {
  const Time wait = nearest_rank<Time>(result.waits, p);
  return static_cast<double>(wait.count()) / static_cast<double>(result.service.count());
}

double largest_utilization(const hw::TrafficResult& result) { return std::ranges::max(result.utilization); }
