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

/// A key that has no effect, and those below it; `*` stands for any section. Given by --set it is refused.
struct UnusedKey {
  std::string key;
  std::string why;
  std::string beside = {};  // only beside this option of the bench's own; none: always
};

/// What a command or bench makes use of.
struct Uses {
  std::string name;  // as in "--bench ccl"
  Algorithms algorithms = Algorithms::any;
  std::optional<config::Collective> collective = {};  // algorithms for any other aren't run
  /// Of Algorithms::any: those that run, by name, the first unless the user names another in its place; none:
  /// any may.
  std::vector<std::string> named = {};
  /// Of Algorithms::any: those that run, by name, where a file of others says so.
  std::function<std::vector<std::string>(const config::CclSpec&)> runs = {};
  std::vector<UnusedKey> unused = {};
};

}  // namespace kbsim::evaluate
