#pragma once

#include <optional>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::evaluate {

/// Fractions of the bound for the points of a load-latency curve. The last ones exceed the bound, so that
/// saturation shows. Loads at which a source would exceed its link are left out. `fastest`: rate of a
/// source's link, in packets per service time.
[[nodiscard]] std::vector<double> sweep_loads(double bound, double fastest = 1.0);

struct TrafficSweep {
  std::vector<hw::TrafficResult> points;  // finished ones, in the order of their loads
  std::optional<Error> failed = {};       // the error of the first failed point
};

/// One simulation per load, on `threads` threads (0: one per core); the results don't depend on their number.
/// A failure costs only its own point. After Ctrl-C: the finished points. `progress`: on stderr.
[[nodiscard]] TrafficSweep sweep_traffic(const topology::TrafficCase& traffic,
                                         const hw::TrafficRequest& request, const std::vector<double>& loads,
                                         unsigned threads, bool progress);

}  // namespace kbsim::evaluate
