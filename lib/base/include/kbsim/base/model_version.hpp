#pragma once

#include <string_view>

namespace kbsim {

/// Version of the timing model, in every result. It rises when a simulated time of test/golden/times.txt
/// changes: results of one model version may be compared.
inline constexpr std::string_view kModelVersion = "1";

}  // namespace kbsim
