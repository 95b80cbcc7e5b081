#pragma once

#include <string>

#include "kbsim/base/bytes.hpp"

namespace kbsim::app {

/// The size that an option is given, as "4KiB". UsageError, which names the option, if it is none.
[[nodiscard]] Bytes size_given(const std::string& option, const std::string& text);

}  // namespace kbsim::app
