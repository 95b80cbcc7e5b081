#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/config/describe.hpp"
#include "kbsim/explain/difference.hpp"

#include "run_side.hpp"

namespace kbsim::app {

/// A number that differs between two runs; nullopt for a run that lacks it.
struct MetricChange {
  std::string name;
  std::string unit;
  std::optional<double> was;
  std::optional<double> is;
};

/// Differences between two runs.
struct RunDifference {
  std::vector<config::Difference> keys;  // of the configuration, and options of the bench
  std::vector<MetricChange> metrics;
  std::vector<explain::PathChange> paths;  // of paths that both sides have

  [[nodiscard]] bool empty() const { return keys.empty() && metrics.empty() && paths.empty(); }
};
/// Its paths point into the sides, which must outlive it.
[[nodiscard]] RunDifference difference_of(const RunSide& was, const RunSide& is);

[[nodiscard]] std::string to_text(const RunDifference& all, const RunSide& was, const RunSide& is);
[[nodiscard]] boost::json::object to_json(const RunDifference& all, const RunSide& was, const RunSide& is);

}  // namespace kbsim::app
