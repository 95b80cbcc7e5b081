#pragma once

#include <string>

#include "kbsim/ccl/plan.hpp"
#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// A collective's plan in MSCCL's XML. InputError, with line and column, if it isn't a plan: numbers out of
/// range; missing steps, buffers or peers; unmatched sends and receives; missing dependencies; steps that
/// wait for each other in a cycle. The file's size and its counts are limited.
/// Unsupported, naming the package, if kbsim was built without pugixml.
[[nodiscard]] ccl::Plan parse_msccl(const Text& text);

/// The plan as such a file; parse_msccl() returns an equal one.
[[nodiscard]] std::string to_msccl(const ccl::Plan& plan);

}  // namespace kbsim::inputs
