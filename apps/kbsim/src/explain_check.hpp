#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/explain/cause_graph.hpp"

#include "commands.hpp"

namespace kbsim::app {

/// A run with another value of a key: as predicted, and as simulated.
struct KeyTrial {
  std::string key;
  std::string unit;
  double value = 0.0;
  double to = 0.0;
  bool small = false;  // a step that no order should flip at
  Time predicted{};
  std::int64_t flips = 0;              // orders that flip in the prediction, if it knows
  std::optional<Time> simulated = {};  // none: it can't run so
  std::string refused = {};            // why not
  [[nodiscard]] bool is_done() const { return simulated.has_value() || !refused.empty(); }
  [[nodiscard]] Time off() const { return simulated ? *simulated - predicted : Time{0}; }
};

/// A picosecond and a tenth, less and more, of the keys that the text shows; rates a thousandth and a tenth.
/// Without a graph the path alone predicts.
[[nodiscard]] std::vector<KeyTrial> trials_of(const explain::Explanation& run,
                                              const explain::CauseGraph* graph);
/// Runs them, with the arguments of the run. Interrupted on Ctrl-C.
void simulate(std::vector<KeyTrial>& trials, const Arguments& arguments);

/// The greatest difference between predicted and simulated of small steps.
[[nodiscard]] Time noise_of(const std::vector<KeyTrial>& trials);
[[nodiscard]] std::string to_text(const std::vector<KeyTrial>& trials, Time length);
[[nodiscard]] boost::json::array to_json(const std::vector<KeyTrial>& trials);

}  // namespace kbsim::app
