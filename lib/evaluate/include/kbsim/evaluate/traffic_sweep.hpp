#pragma once

#include <optional>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::evaluate {

/// The fractions of the bound at which a load-latency curve is drawn; the last ones lie beyond it, so that
/// saturation shows. Those at which a source would have to send faster than its link are left out.
/// `fastest`: that of a source's link, in packets a service time.
[[nodiscard]] std::vector<double> sweep_loads(double bound, double fastest = 1.0);

struct TrafficSweep {
  std::vector<hw::TrafficResult> points;  // that have ended, in the order of their loads
  std::optional<Error> failed = {};       // of the first that has failed, if any has
};

/// One simulation a load, on `threads` threads (0: one a core); the results don't depend on their number.
/// One that fails costs its own point alone. After Ctrl-C only those of the points that have ended.
/// `progress`: on stderr.
[[nodiscard]] TrafficSweep sweep_traffic(const topology::TrafficCase& traffic,
                                         const hw::TrafficRequest& request, const std::vector<double>& loads,
                                         unsigned threads, bool progress);

}  // namespace kbsim::evaluate
