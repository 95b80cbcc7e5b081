#pragma once

#include <string>

#include "kbsim/base/field.hpp"

namespace kbsim::config {

/// The accepted values of a field, in words: "an integer from 1 to 64", "one of tcm, hbm, sram".
[[nodiscard]] std::string expectation(const Field& field);

/// Its range alone: " from 1 to 64", " of at least 0", or "".
[[nodiscard]] std::string range_of(const Field& field);

}  // namespace kbsim::config
