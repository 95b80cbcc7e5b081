#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/explain/difference.hpp"
#include "kbsim/sweep/search.hpp"

#include "solve_target.hpp"
#include "trials.hpp"

namespace kbsim::app {

/// The settings of a search as trials, with their results.
class Solver {
 public:
  Solver(Trials& trials, std::vector<sweep::SearchAxis> axes, Target target);

  [[nodiscard]] Trial trial_of(const sweep::Point& point) const;
  [[nodiscard]] std::vector<sweep::Probe> simulate(const std::vector<sweep::Point>& points);
  /// The number of `to`, predicted by evaluating each term of the critical path of `from`, which was
  /// simulated.
  [[nodiscard]] double predicted(const sweep::Point& from, const sweep::Point& to) const;
  /// UsageError if neither the cheapest nor the dearest setting can be read.
  void require_readable() const;

  [[nodiscard]] const std::vector<sweep::SearchAxis>& axes() const { return axes_; }
  [[nodiscard]] const Target& target() const { return target_; }
  /// Why a point has no number; "" if it has one.
  [[nodiscard]] std::string message_of(const sweep::Point& point) const;
  [[nodiscard]] std::string command_of(const sweep::Point& point) const;
  [[nodiscard]] bool interrupted() const { return trials_.interrupted(); }

 private:
  struct Known {
    double number = 0.0;
    std::optional<explain::PathRecord> path = {};
  };
  sweep::Probe probe_of(const sweep::Point& point, const std::optional<TrialResult>& result);

  Trials& trials_;
  std::vector<sweep::SearchAxis> axes_;
  Target target_;
  std::map<sweep::Point, Known> known_;
  std::map<sweep::Point, std::string> refusals_;
};

}  // namespace kbsim::app
