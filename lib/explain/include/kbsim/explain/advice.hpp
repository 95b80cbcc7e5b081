#pragma once

#include <string>
#include <vector>

#include <boost/json/array.hpp>

#include "kbsim/base/time.hpp"

namespace kbsim::explain {

/// A change of one key that may shorten a path.
struct Candidate {
  std::string key;
  double value = 0.0;
  double to = 0.0;
  /// Predicted change of the path's length. For a count: as if latency during the waits became shorter as the
  /// count grows; service at a rate stays.
  Time estimated{};

  /// "KEY=VALUE", as --set takes it.
  [[nodiscard]] std::string setting() const;
};

/// The gain of a candidate.
struct Advice {
  Candidate change;
  Time gain{};             // by which the measured time gets shorter
  double share = 0.0;      // of the measured time
  bool simulated = false;  // else it is the estimate
  std::string command = {};
};

/// The best of each key, the greatest gain first, at most three. A larger change of a count stands only if it
/// gains a hundredth more of the time.
[[nodiscard]] std::vector<Advice> best_of(std::vector<Advice> all);

/// "  try  KEY=VALUE   47.2 % less, simulated" for each.
[[nodiscard]] std::string to_text(const std::vector<Advice>& all);
[[nodiscard]] boost::json::array to_json(const std::vector<Advice>& all);
[[nodiscard]] boost::json::array to_json(const std::vector<Candidate>& all);
[[nodiscard]] std::vector<Candidate> candidates_in(const boost::json::array& all);

}  // namespace kbsim::explain
