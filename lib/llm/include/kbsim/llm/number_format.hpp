#pragma once

#include <string>
#include <string_view>

#include "kbsim/base/dtype.hpp"

namespace kbsim::inference {

/// The dtype of numbers of 16 or 32 bits that an option names: f16, bf16 or f32. Unsupported, with the
/// option's name, for a format of fewer bits; UsageError for any other name.
[[nodiscard]] DType number_format(std::string_view option, const std::string& name);

}  // namespace kbsim::inference
