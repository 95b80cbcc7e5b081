#pragma once

#include "kbsim/ccl/plan.hpp"

#include "program.hpp"

namespace kbsim::inputs::mscclpp {

/// The program as a plan. What a thread block does to another rank's memory is done there by a thread block
/// that stands for that memory: it stores what comes, and sends back what is asked for, in order. A signal, a
/// request and an acknowledgement are messages of no chunks. InputError or Unsupported, with the operation's
/// place, for one that can't be translated.
[[nodiscard]] ccl::Plan translated(const Program& program, const std::string& file);

}  // namespace kbsim::inputs::mscclpp
