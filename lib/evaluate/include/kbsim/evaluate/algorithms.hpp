#pragma once

#include <string>
#include <vector>

namespace kbsim::evaluate {

/// Which algorithms of the ccl file run: none, the one that the user chooses, or those that a program names.
enum class Algorithms { none, one, any };

/// A key without effect, and the keys below it; `*` means any section. --set refuses such a key.
struct UnusedKey {
  std::string key;
  std::string why;
  std::string beside = {};                // only with this option of the bench's own; none: always
  std::vector<std::string> without = {};  // only where none of these options is given
};

}  // namespace kbsim::evaluate
