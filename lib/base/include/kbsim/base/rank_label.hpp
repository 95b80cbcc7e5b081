#pragma once

#include "kbsim/base/lasting_name.hpp"

namespace kbsim {

/// The label of a queue that leads to that rank of a group, "rank12": what kernels and wirings of any two
/// ranks call it. UsageError beyond the ranks that a machine can have.
[[nodiscard]] LastingName rank_label(int rank);

}  // namespace kbsim
