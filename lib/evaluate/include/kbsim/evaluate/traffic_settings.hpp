#pragma once

#include <functional>
#include <string>

#include "kbsim/config/load.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::evaluate {

/// Synthetic traffic on a machine that overrides change.
struct TrafficChoice {
  topology::TrafficSetup setup;
  config::Overrides set;
  std::function<config::MachineSpec(const config::Overrides&)> machine;  // with these overrides
};

/// ConfigError with each override that changes no packet's route, routers or links. An override that repeats
/// the value in the file isn't reported.
void require_met(const TrafficChoice& choice, const topology::TrafficCase& traffic);

}  // namespace kbsim::evaluate
