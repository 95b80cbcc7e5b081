#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {

/// A point of two sweeps.
struct PointPair {
  std::string point;  // "cube.w=4 algorithm=ring", by the axes that both sweeps have
  double was = 0.0;
  double is = 0.0;
  [[nodiscard]] std::optional<double> ratio() const;  // is / was; of positive numbers
};

/// A metric of the points that two sweeps have in common.
struct SweepComparison {
  std::string metric;
  std::string unit;
  std::vector<PointPair> points;  // in the order of the first sweep
  std::size_t only_first = 0;     // points that have no number of the metric in the other sweep
  std::size_t only_second = 0;
  std::optional<double> geometric_mean;  // of the ratios

  [[nodiscard]] bool same() const;  // no number differs, and both have all
};
/// Points are matched by the values of the axes that both sweeps have. UsageError if these don't distinguish
/// the points of a sweep, or for a metric that neither has.
[[nodiscard]] SweepComparison compare(const Tables& first, const Tables& second, const std::string& metric);

[[nodiscard]] std::string to_text(const SweepComparison& comparison);
[[nodiscard]] boost::json::object to_json(const SweepComparison& comparison);

}  // namespace kbsim::sweep
