#pragma once

#include <string>

#include "kbsim/base/bytes.hpp"

namespace kbsim::app {

/// The size in an option's text, as "4KiB". UsageError, which names the option, if the text is no size.
[[nodiscard]] Bytes size_given(const std::string& option, const std::string& text);

}  // namespace kbsim::app
