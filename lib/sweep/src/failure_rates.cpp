#include "kbsim/sweep/failure_rates.hpp"

#include <algorithm>
#include <cmath>

namespace kbsim::sweep {
namespace {

constexpr std::size_t kMostKnown = 256;
constexpr double kOtherName = 0.1;  // likeness of points that differ in a name
constexpr double kReach = 0.3;      // of numbers, in parts of their axis

// By logarithm along numbers; none if one isn't a positive number.
std::vector<double> places_along(const Axis& axis) {
  std::vector<double> places;
  for (const AxisValue& value : axis.values) {
    double number = 0.0;
    if (!read_number(value.text, &number) || !(number > 0.0)) return {};
    places.push_back(std::log(number));
  }
  const auto [least, most] = std::ranges::minmax(places);
  for (double& place : places) place = (place - least) / std::max(most - least, 1e-9);
  return places;
}

}  // namespace

FailureRates::FailureRates(const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) places_.push_back(places_along(axis));
}

void FailureRates::learn(const Point& point, bool failed) {
  points_ += 1.0;
  failed_ += failed ? 1.0 : 0.0;
  if (known_.size() < kMostKnown) known_.push_back({.point = point, .failed = failed});
}

double FailureRates::likeness(const Point& a, const Point& b) const {
  double all = 1.0;
  for (std::size_t axis = 0; axis < a.size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    if (places_[axis].empty()) {
      all *= kOtherName;
    } else {
      const double away = (places_[axis][a[axis]] - places_[axis][b[axis]]) / kReach;
      all *= std::exp(-away * away);
    }
  }
  return all;
}

// Without an alike point, the share of all points counts.
double FailureRates::of(const Point& point) const {
  constexpr double kPrior = 0.05;
  if (failed_ == 0.0) return 0.0;
  double weights = kPrior;
  double failures = kPrior * failed_ / points_;
  for (const Known& known : known_) {
    const double weight = likeness(point, known.point);
    weights += weight;
    failures += known.failed ? weight : 0.0;
  }
  return failures / weights;
}

}  // namespace kbsim::sweep
