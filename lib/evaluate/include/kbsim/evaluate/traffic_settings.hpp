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

/// ConfigError with each override without which every packet would take the same route over the same routers
/// and links. One that says what the file says, too, is none of these.
void require_met(const TrafficChoice& choice, const topology::TrafficCase& traffic);

}  // namespace kbsim::evaluate
