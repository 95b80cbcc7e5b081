#pragma once

#include <string>
#include <string_view>

#include "kbsim/base/statistics.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

/// The default machine with the given keys changed.
struct Machine {
  double router_overhead_ns = 1.0;
  double noc_gbs = 256.0;
  int noc_w = 4;
  int noc_h = 4;
  int sips = 2;
};
[[nodiscard]] kbsim::config::MachineSpec spec_of(const Machine& machine = {});

struct Case : kbsim::topology::TrafficCase {
  Case(std::string_view scope, std::string_view pattern, const Machine& machine = {})
      : Case{spec_of(machine), scope, pattern} {}
  Case(const kbsim::config::MachineSpec& spec, std::string_view scope, std::string_view pattern)
      : TrafficCase{kbsim::topology::traffic_case(spec, scope, pattern)} {}
  [[nodiscard]] kbsim::hw::TrafficResult run(const kbsim::hw::TrafficRequest& request) const {
    return kbsim::hw::run_traffic(*this, request);
  }
};

/// In service times.
[[nodiscard]] double mean_wait(const kbsim::hw::TrafficResult& result);
[[nodiscard]] double wait_quantile(const kbsim::hw::TrafficResult& result, double p);
/// Utilization of the busiest link.
[[nodiscard]] double largest_utilization(const kbsim::hw::TrafficResult& result);
