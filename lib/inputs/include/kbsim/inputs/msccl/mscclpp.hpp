#pragma once

#include "kbsim/ccl/plan.hpp"
#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// A collective's plan in MSCCL++'s JSON, with puts, signals and reads of other ranks' memory as messages.
/// InputError, with line and column, if it isn't such a plan, has a wait that never ends, or steps that wait
/// for each other in a cycle. Unsupported, with the place, for operations that need a reducing switch, and
/// others that can't be translated. The file's size and its counts are limited.
[[nodiscard]] ccl::Plan parse_mscclpp(const Text& text);

}  // namespace kbsim::inputs
