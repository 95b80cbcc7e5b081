#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kbsim/base/statistics.hpp"
#include "kbsim/hw/traffic/traffic.hpp"

namespace kbsim::report {

inline constexpr double kPerNs = 1000.0;

/// The figures of one point that a user reads.
struct TrafficFigures {
  double load, mean, p50, p95, p99, max, zero_load, service, wait, gbps;

  TrafficFigures(const topology::TrafficCase& traffic, const hw::TrafficResult& result)
      : load{result.offered / traffic.bound},
        mean{kbsim::mean(result.latencies) / kPerNs},
        p50{quantile(result, 0.50)},
        p95{quantile(result, 0.95)},
        p99{quantile(result, 0.99)},
        max{to_ns(result.latencies.back())},
        zero_load{mean - kbsim::mean(result.waits) / kPerNs},
        service{to_ns(result.service)},
        wait{kbsim::mean(result.waits) / static_cast<double>(result.service.count())},
        gbps{static_cast<double>(result.bytes.count()) / to_ns(result.measured)} {}

 private:
  static double quantile(const hw::TrafficResult& result, double p) {
    return to_ns(nearest_rank<Time>(result.latencies, p));
  }
};

/// How evenly the sources are served.
struct SourceShares {
  double least, mean, most, fairness;

  explicit SourceShares(const hw::TrafficResult& result)
      : least{std::ranges::min(result.each, {}, &hw::SourceResult::accepted).accepted},
        mean{result.accepted},
        most{std::ranges::max(result.each, {}, &hw::SourceResult::accepted).accepted},
        fairness{hw::fairness(result.each)} {}
};

/// NaN if there are no times.
[[nodiscard]] inline double mean_ns(const std::vector<Time>& times) {
  return times.empty() ? std::nan("") : kbsim::mean(times) / kPerNs;
}

[[nodiscard]] inline double quantile_ns(const std::vector<Time>& ascending, double p) {
  return ascending.empty() ? std::nan("") : to_ns(nearest_rank<Time>(ascending, p));
}

/// The links that a pattern uses.
[[nodiscard]] inline std::vector<LinkId> used_links(const topology::TrafficCase& traffic) {
  std::vector<LinkId> used;
  for (std::uint32_t i = 0; i < traffic.loads.size(); ++i) {
    if (traffic.loads[i] > 0.0) used.emplace_back(i);
  }
  return used;
}

}  // namespace kbsim::report
