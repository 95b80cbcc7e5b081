#pragma once

#include <string>
#include <string_view>

#include "config_tree.hpp"

namespace kbsim::config {

/// The source of a text. An override has no lines: its place is the option itself.
struct Origin {
  std::string name;
  bool has_lines = true;
  int layer = 0;
};

/// The one document of a YAML text. Aliases are copied; text, nodes and depth are bounded.
/// Duplicate keys go to `problems`; what isn't YAML or is too large throws ConfigError.
[[nodiscard]] Tree parse_yaml(std::string_view text, const Origin& origin, Problems& problems);

}  // namespace kbsim::config
