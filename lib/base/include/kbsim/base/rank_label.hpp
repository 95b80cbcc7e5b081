#pragma once

#include "kbsim/base/lasting_name.hpp"

namespace kbsim {

/// The label of a queue to that rank of a group, "rank12", in the kernels and wirings of any two ranks.
/// UsageError beyond the ranks that a machine can have.
[[nodiscard]] LastingName rank_label(int rank);

}  // namespace kbsim
