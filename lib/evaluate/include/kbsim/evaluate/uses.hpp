#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/collective.hpp"

namespace kbsim::evaluate {

/// Which algorithms of the ccl file run: none, the one that the user chooses, or those that a program names.
enum class Algorithms { none, one, any };

/// A key without effect, and the keys below it; `*` means any section. --set refuses such a key.
struct UnusedKey {
  std::string key;
  std::string why;
  std::string beside = {};  // only with this option of the bench's own; none: always
};

/// The parts of a configuration that a command or bench uses.
struct Uses {
  std::string name;  // as in "--bench ccl"
  Algorithms algorithms = Algorithms::any;
  std::optional<config::Collective> collective = {};  // algorithms for any other aren't run
  /// For Algorithms::any: names of the algorithms that run. The user's choice replaces the first. Empty: any
  /// may run.
  std::vector<std::string> named = {};
  /// For Algorithms::any: names of the algorithms that run, if an input file decides that.
  std::function<std::vector<std::string>(const config::CclSpec&)> runs = {};
  std::vector<UnusedKey> unused = {};
};

}  // namespace kbsim::evaluate
