#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/report/correlation.hpp"

namespace kbsim::report {

/// The algorithms that both sides have at one size, fastest first; at equal times by name.
struct SizeRanking {
  std::string of;  // values of the columns beside the algorithm
  double size = 0.0;
  std::vector<std::string> simulated;
  std::vector<std::string> reference;
  std::string simulated_text;  // "tree, mesh = ring"
  std::string reference_text;
  bool same_winner = false;  // one of them is the fastest, or among the fastest, of both sides
};

/// Sizes where one of two algorithms overtakes the other, on a straight line between logarithmic points.
struct Crossovers {
  std::string of;
  std::string first;  // the two, by name
  std::string second;
  std::vector<double> simulated;
  std::vector<double> reference;
};

/// Whether both sides choose the same algorithms; this needs no calibration.
struct Ranking {
  std::vector<SizeRanking> sizes;  // none unless two algorithms are compared at some size
  std::vector<Crossovers> crossovers;
  int concordant = 0;  // pairs of algorithms at a size in the same order on both sides
  int discordant = 0;
  int tied_simulated = 0;  // pairs with equal times on this side only
  int tied_reference = 0;

  /// Kendall's tau-b: 1 if all pairs are in the same order, -1 if none is; a pair tied on one side counts
  /// against it. None where a side ties all pairs.
  [[nodiscard]] std::optional<double> tau() const;
  /// Number of sizes with the same fastest algorithm on both sides.
  [[nodiscard]] int equal_winners() const;
};
[[nodiscard]] Ranking rank(const Correlation& correlation);
[[nodiscard]] std::string to_text(const Ranking& ranking);
[[nodiscard]] boost::json::object to_json(const Ranking& ranking);

/// reference = latency + simulated / efficiency, fitted to one algorithm's points by least squares of the
/// relative errors; and the remaining errors, on those points and on all others.
struct Calibration {
  std::string algorithm;
  double latency_us = 0.0;  // not negative
  double efficiency = 1.0;
  int fitted = 0;
  int judged = 0;
  double fitted_mape_percent = 0.0;
  double judged_mape_percent = 0.0;
  CorrelationPoint worst;  // of the points judged, `simulated` after the fit
};
/// UsageError if no point is of that algorithm, or no point is of another.
[[nodiscard]] Calibration calibrate(const Correlation& correlation, const std::string& algorithm);
[[nodiscard]] std::string to_text(const Calibration& calibration);
[[nodiscard]] boost::json::object to_json(const Calibration& calibration);

}  // namespace kbsim::report
