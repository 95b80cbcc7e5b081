#pragma once

#include "kbsim/ccl/plan.hpp"

#include "program.hpp"

namespace kbsim::inputs::mscclpp {

/// The program as a plan. Operations on another rank's memory are performed there by a thread block that
/// represents the memory: it stores what arrives and returns what is requested, in order. A signal, a request
/// and an acknowledgement are messages of no chunks. InputError or Unsupported, with the operation's place,
/// if one can't be translated.
[[nodiscard]] ccl::Plan translated(const Program& program, const std::string& file);

}  // namespace kbsim::inputs::mscclpp
