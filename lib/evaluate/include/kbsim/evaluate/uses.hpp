#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/collective.hpp"
#include "kbsim/evaluate/algorithms.hpp"

namespace kbsim::evaluate {

/// The parts of a configuration that a command or bench uses.
struct Uses {
  std::string name;  // as in "--bench ccl"
  Algorithms algorithms = Algorithms::any;
  std::string none_because = "it runs no collective";  // for Algorithms::none
  std::optional<config::Collective> collective = {};   // algorithms for any other aren't run
  /// For Algorithms::any: names of the algorithms that run. The user's choice replaces the first. Empty: any
  /// may run.
  std::vector<std::string> named = {};
  /// For Algorithms::any: names of the algorithms that run, if an input file decides that.
  std::function<std::vector<std::string>(const config::CclSpec&)> runs = {};
  std::vector<UnusedKey> unused = {};
};

}  // namespace kbsim::evaluate
