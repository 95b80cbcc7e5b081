#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/explain/cause_graph.hpp"

namespace kbsim::explain {

/// A run with another value of a key: as predicted, and as simulated.
struct KeyTrial {
  std::string key;
  std::string unit;
  double value = 0.0;
  double to = 0.0;
  bool small = false;                      // a step at which no order should flip
  std::optional<Time> predicted = {};      // none: not all causes were kept
  std::optional<std::int64_t> flips = {};  // orders that flip in the prediction, likewise
  std::optional<Time> simulated = {};      // none: the run was refused
  std::string refused = {};                // the reason
  [[nodiscard]] bool is_done() const { return simulated.has_value() || !refused.empty(); }
  /// Simulated minus predicted; none if either is unknown.
  [[nodiscard]] std::optional<Time> off() const {
    return simulated && predicted ? std::optional{*simulated - *predicted} : std::nullopt;
  }
};

/// Trials of the keys that the text shows: one picosecond and a tenth, less and more; for rates a thousandth
/// and a tenth. Without a graph of all causes there are no predictions.
[[nodiscard]] std::vector<KeyTrial> trials_of(const Explanation& run, const CauseGraph* graph);
/// Runs each with its setting, "KEY=VALUE". An Error of a run refuses that trial; Interrupted passes through.
void simulate(std::vector<KeyTrial>& trials, const std::function<Time(const std::string& setting)>& run);

/// The greatest difference between prediction and simulation of small steps; none if no small step has both.
[[nodiscard]] std::optional<Time> noise_of(const std::vector<KeyTrial>& trials);
[[nodiscard]] std::string to_text(const std::vector<KeyTrial>& trials, Time length);
[[nodiscard]] boost::json::array to_json(const std::vector<KeyTrial>& trials);
/// UsageError if there are some and none could run: nothing was checked.
void require_one_ran(const std::vector<KeyTrial>& trials);

}  // namespace kbsim::explain
