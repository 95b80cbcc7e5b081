#pragma once

#include <string>
#include <utility>

namespace kbsim::sweep {

/// The two halves of "A,B".
[[nodiscard]] inline std::pair<std::string, std::string> halves(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) return {text, ""};
  return {text.substr(0, comma), text.substr(comma + 1)};
}

}  // namespace kbsim::sweep
