#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kbsim/sweep/failure_rates.hpp"
#include "kbsim/sweep/sweep_plan.hpp"

namespace kbsim::sweep {

/// Guesses a point's events from those of alike points, by least squares of their logarithm over the axes. A
/// number enters by its logarithm and its square, a name by itself.
class CostModel {
 public:
  explicit CostModel(const std::vector<Axis>& axes);

  void learn(const Point& point, double events);
  /// Later guesses use all that was learned. False if that is too little.
  bool fit();
  /// 1 before the first fit.
  [[nodiscard]] double guess(const Point& point) const;

 private:
  void features_of(const Point& point, std::vector<double>& row) const;
  std::vector<std::vector<std::vector<double>>> features_;  // by axis, by value
  std::size_t columns_ = 1;
  std::size_t learned_ = 0;
  std::vector<double> products_;  // columns x columns
  std::vector<double> sums_;
  std::vector<double> weights_;
  double least_ = 0.0;  // logarithms of what was learned
  double most_ = 0.0;
};

/// A running point, and its time so far.
struct Running {
  std::size_t point = 0;
  double spent = 0.0;                     // seconds
  std::optional<std::size_t> ahead = {};  // the next one of its worker
};

/// Chooses the point that runs next: some that are spread over the plan first, then the longest.
class Schedule {
 public:
  Schedule(const Plan& plan, std::vector<std::size_t> points);

  /// Learns from a point that has ended, in this sweep or an earlier one. 0 events: it wasn't simulated. 0
  /// seconds: unknown.
  void learn(std::size_t point, double events, double seconds);
  [[nodiscard]] std::optional<std::size_t> next();
  void put_back(std::size_t point);
  [[nodiscard]] std::size_t pending() const { return pending_.size(); }
  /// Orders the pending points by all that was learned.
  void refit();
  /// Seconds until all points have ended on `workers` workers with these running points; 0 before anything
  /// was learned.
  [[nodiscard]] double seconds_left(std::size_t workers, std::span<const Running> running) const;

 private:
  struct Pending {
    std::size_t point = 0;
    double events = 1.0;   // by the last fit
    double failing = 0.0;  // how likely
  };
  [[nodiscard]] Pending guessed(std::size_t point) const;
  [[nodiscard]] double seconds_of(double events) const;
  [[nodiscard]] double expected(const Pending& point) const;  // seconds

  const Plan& plan_;
  std::vector<Pending> pending_;  // the next one last
  CostModel model_;
  FailureRates failures_;
  double failed_ = 0.0;          // points
  double failed_seconds_ = 0.0;  // of them
  bool fitted_ = false;
  std::size_t learned_ = 0;
  std::size_t next_fit_ = 6;
  double n_ = 0.0, events_ = 0.0, seconds_ = 0.0, squares_ = 0.0, products_ = 0.0;  // of seconds over events
};

}  // namespace kbsim::sweep
