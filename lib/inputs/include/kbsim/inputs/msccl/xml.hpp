#pragma once

#include <string>

#include "kbsim/ccl/plan.hpp"
#include "kbsim/inputs/text.hpp"

namespace kbsim::inputs {

/// A collective's plan in MSCCL's XML. InputError, with line and column, for what isn't a plan: numbers that
/// don't fit, steps, buffers and peers that aren't there, sends and receives that don't match, dependencies
/// on nothing, and steps that wait for each other in a circle. The file's size and its counts are limited.
[[nodiscard]] ccl::Plan parse_msccl(const Text& text);

/// The plan as such a file; parse_msccl() gives an equal one back.
[[nodiscard]] std::string to_msccl(const ccl::Plan& plan);

}  // namespace kbsim::inputs
