#pragma once

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

/// Ends a kernel's sends, receives and waits for others when its launch is given up. Only pe_cpu catches it,
/// as the kernel's end.
class LaunchAborted : public Error {
 public:
  LaunchAborted() : Error{ExitCode::deadlock, "the launch was given up"} {}
};

}  // namespace kbsim::hw
