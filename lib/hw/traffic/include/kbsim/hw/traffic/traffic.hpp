#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/base/digest.hpp"
#include "kbsim/hw/fabric/unit_use.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/traffic_pattern.hpp"

namespace kbsim::hw {

/// When a source sends: at random times, with a chance every service time, or whenever its link is free.
enum class Arrivals { poisson, bernoulli, saturated };
/// UsageError with the nearest name if it is none of the three.
[[nodiscard]] Arrivals arrivals_named(std::string_view name);

/// Rates are in packets a service time and source; the service time is that of a packet on the link by
/// which a source sends.
struct TrafficRequest {
  Arrivals arrivals = Arrivals::poisson;
  double rate = 0.5;  // above 0, at most 1; not used if saturated
  Bytes packet{256};
  std::int64_t packets = 100'000;  // as many as are sent, on average, while it is measured
  std::int64_t warmup = 10'000;    // as many before, and as many after
  std::uint64_t seed = 1;
  SimulationOptions simulation;
};

/// Of the packets that were sent while it was measured; `accepted`, `utilization` and `demand` are of that
/// time.
struct TrafficResult {
  double offered = 0.0;
  double accepted = 0.0;
  Time service{};
  std::vector<Time> latencies;      // ascending
  std::vector<Time> waits;          // ascending: latency without overhead, wire and serialization
  std::vector<double> utilization;  // by LinkId
  std::vector<double> demand;       // by LinkId: the mean number of packets on it or waiting for it
  std::vector<UnitUse> use;         // by LinkId, of the whole run
  std::vector<Time> blocked;        // by LinkId, likewise: it was free, but nobody had room ahead
  std::uint64_t hops = 0;           // links crossed, in the whole run
  std::uint64_t events = 0;
  Time simulated{};
  Digest digest;
};

/// Runs synthetic traffic to its end. UsageError if the request is out of range; the fabric's audit holds.
[[nodiscard]] TrafficResult run_traffic(const topology::TrafficCase& traffic, const TrafficRequest& request);

}  // namespace kbsim::hw
