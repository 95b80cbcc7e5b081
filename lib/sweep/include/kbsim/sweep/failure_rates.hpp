#pragma once

#include <cstddef>
#include <vector>

#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// How likely a point is to end without a simulation, as one with refused settings: the share of alike points
/// that did. Points with near numbers and equal names are alike.
class FailureRates {
 public:
  explicit FailureRates(const std::vector<Axis>& axes);

  void learn(const Point& point, bool failed);
  /// 0 to 1; 0 before any has failed.
  [[nodiscard]] double of(const Point& point) const;

 private:
  struct Known {
    Point point;
    bool failed = false;
  };
  [[nodiscard]] double likeness(const Point& a, const Point& b) const;

  std::vector<std::vector<double>> places_;  // by axis, by value: 0 to 1; empty for an axis of names
  std::vector<Known> known_;                 // the first few hundred
  double points_ = 0.0;
  double failed_ = 0.0;
};

}  // namespace kbsim::sweep
