#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace kbsim {

/// "1 rank", "2 ranks", "3 processes": a number and what it counts; `more` where no s makes the plural.
[[nodiscard]] std::string counted(std::integral auto n, std::string_view one, std::string_view more = {}) {
  if (n == 1) return fmt::format("1 {}", one);
  return more.empty() ? fmt::format("{} {}s", n, one) : fmt::format("{} {}", n, more);
}

/// "there is 1 row", "there are 2 rows".
[[nodiscard]] std::string there_are(std::integral auto n, std::string_view one, std::string_view more = {}) {
  return fmt::format("there {} {}", n == 1 ? "is" : "are", counted(n, one, more));
}

}  // namespace kbsim
