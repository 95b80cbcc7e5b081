#pragma once

#include "kbsim/base/error.hpp"

namespace kbsim::hw {

/// What a kernel's sends and receives end with when its launch is given up. pe_cpu takes it for the kernel's
/// end; nobody else sees it.
class LaunchAborted : public Error {
 public:
  LaunchAborted() : Error{ExitCode::deadlock, "the launch was given up"} {}
};

}  // namespace kbsim::hw
