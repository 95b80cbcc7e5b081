#pragma once

#include <string>

#include "kbsim/base/field.hpp"

namespace kbsim::config {

/// A value as in a file: the shortest decimal that reads back the same, "16 MiB", "[NW, NE]".
[[nodiscard]] std::string to_text(const Scalar& value, const Field& field);

}  // namespace kbsim::config
