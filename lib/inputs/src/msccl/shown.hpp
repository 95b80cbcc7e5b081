#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kbsim::inputs::msccl {

/// The beginning of an input file's text, for an error.
[[nodiscard]] inline std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string all;
  for (const char c : text.substr(0, kMost)) all += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kMost ? all + "..." : all;
}

}  // namespace kbsim::inputs::msccl
