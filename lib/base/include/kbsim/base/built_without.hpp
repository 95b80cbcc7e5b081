#pragma once

#include <string_view>

#include "kbsim/base/error.hpp"

namespace kbsim {

/// The refusal of a feature whose libraries were missing when kbsim was built. It names their Debian packages
/// and the remedy: "plans in XML need libpugixml-dev, ...".
[[nodiscard]] Unsupported built_without(std::string_view feature, std::string_view packages);

}  // namespace kbsim
