// A latency and an efficiency, fitted to one algorithm's times and judged by the others'.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/report/ranking.hpp"

namespace kbsim::report {
namespace {

using FitPoints = std::vector<const CorrelationPoint*>;

double mean_error(const FitPoints& points) {
  double sum = 0.0;
  for (const CorrelationPoint* point : points) sum += std::abs(point->error_percent());
  return sum / static_cast<double>(points.size());
}

// Weighted sums of r = a + b s, each divided by r.
std::pair<double, double> fit_line(const FitPoints& points) {
  double w = 0.0, ws = 0.0, wss = 0.0, wr = 0.0, wsr = 0.0;
  for (const CorrelationPoint* point : points) {
    const double weight = 1.0 / (point->reference * point->reference);
    w += weight;
    ws += weight * point->simulated;
    wss += weight * point->simulated * point->simulated;
    wr += weight * point->reference;
    wsr += weight * point->simulated * point->reference;
  }
  const double determinant = w * wss - ws * ws;
  const double slope = determinant > 1e-12 * w * wss ? (w * wsr - ws * wr) / determinant : 0.0;
  const double latency = slope > 0.0 ? (wr - slope * ws) / w : -1.0;
  return latency >= 0.0 ? std::pair{latency, slope} : std::pair{0.0, wsr / wss};
}

}  // namespace

Calibration calibrate(const Correlation& correlation, const std::string& algorithm) {
  FitPoints fitted;
  for (const CorrelationPoint& point : correlation.points) {
    if (point.algorithm == algorithm) fitted.push_back(&point);
  }
  if (fitted.empty())
    throw UsageError{
        fmt::format("--fit {}: no compared point is of this algorithm (both tables need a column "
                    "'algorithm', or the reference be given as NAME=FILE)",
                    algorithm)};
  const auto [latency, slope] = fit_line(fitted);
  std::vector<CorrelationPoint> all = correlation.points;
  for (CorrelationPoint& point : all) point.simulated = latency + slope * point.simulated;
  FitPoints own;
  FitPoints judged;
  for (const CorrelationPoint& point : all) (point.algorithm == algorithm ? own : judged).push_back(&point);
  if (judged.empty())
    throw UsageError{fmt::format("--fit {}: no point of another algorithm is left to judge by", algorithm)};
  const auto far = [](const CorrelationPoint* point) { return std::abs(point->error_percent()); };
  return {.algorithm = algorithm,
          .latency_us = latency,
          .efficiency = 1.0 / slope,
          .fitted = static_cast<int>(own.size()),
          .judged = static_cast<int>(judged.size()),
          .fitted_mape_percent = mean_error(own),
          .judged_mape_percent = mean_error(judged),
          .worst = **std::ranges::max_element(judged, {}, far)};
}

std::string to_text(const Calibration& c) {
  return fmt::format(
      " fitted on {} ({}): latency {:.3f} us, efficiency {:.3f}; mean error {:.2f} %\n"
      " judged on the others ({}): mean error {:.2f} %, worst {:+.2f} % at {:.0f} bytes of {}\n",
      c.algorithm, counted(c.fitted, "point"), c.latency_us, c.efficiency, c.fitted_mape_percent,
      counted(c.judged, "point"), c.judged_mape_percent, c.worst.error_percent(), c.worst.size, c.worst.of);
}

boost::json::object to_json(const Calibration& c) {
  return {
      {"algorithm", c.algorithm},
      {"latency_us", c.latency_us},
      {"efficiency", c.efficiency},
      {"fitted", c.fitted},
      {"judged", c.judged},
      {"fitted_mape_percent", c.fitted_mape_percent},
      {"judged_mape_percent", c.judged_mape_percent},
      {"worst", {{"curve", c.worst.of}, {"size", c.worst.size}, {"error_percent", c.worst.error_percent()}}}};
}

}  // namespace kbsim::report
