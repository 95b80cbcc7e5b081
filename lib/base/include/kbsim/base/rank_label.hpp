#pragma once

#include <string_view>

namespace kbsim {

/// The label of a queue that leads to that rank of a group, "rank12": what kernels and wirings of any two
/// ranks call it. It lives as long as the program. UsageError beyond the ranks that a machine can have.
[[nodiscard]] std::string_view rank_label(int rank);

}  // namespace kbsim
