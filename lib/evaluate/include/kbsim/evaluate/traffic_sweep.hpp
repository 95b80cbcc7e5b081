#pragma once

#include <vector>

#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::evaluate {

/// The fractions of the bound at which a load-latency curve is drawn; the last ones lie beyond it, so that
/// saturation shows. Those at which a source would have to send faster than its link are left out.
/// `fastest`: that of a source's link, in packets a service time.
[[nodiscard]] std::vector<double> sweep_loads(double bound, double fastest = 1.0);

/// One simulation a load, on `threads` threads (0: one a core); the results don't depend on their number.
/// After Ctrl-C only those of the points that have ended. `progress`: on stderr.
[[nodiscard]] std::vector<hw::TrafficResult> sweep_traffic(const topology::TrafficCase& traffic,
                                                           const hw::TrafficRequest& request,
                                                           const std::vector<double>& loads, unsigned threads,
                                                           bool progress);

}  // namespace kbsim::evaluate
