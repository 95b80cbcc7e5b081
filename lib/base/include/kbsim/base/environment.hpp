#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kbsim {

/// The value of an environment variable, "" if it isn't set; UsageError with its name, its value and all of
/// `expected` (at least one) if it is none of them.
[[nodiscard]] std::string environment_choice(const char* name, const std::vector<std::string_view>& expected);

}  // namespace kbsim
