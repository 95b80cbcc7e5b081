#include "kbsim/base/environment.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

namespace kbsim {

std::string environment_choice(const char* name, const std::vector<std::string_view>& expected) {
  const char* const value = std::getenv(name);
  const std::string chosen = value == nullptr ? "" : value;
  if (chosen.empty() || std::ranges::find(expected, chosen) != expected.end()) return chosen;
  throw UsageError{
      fmt::format("{}={} in the environment: expected {}", name, chosen, fmt::join(expected, " or "))};
}

}  // namespace kbsim
