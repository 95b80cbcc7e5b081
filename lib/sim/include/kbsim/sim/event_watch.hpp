#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim {

/// A part of what is simulated, by number; 0 is what belongs to none. What is made while a part is built (see
/// Simulation::build) belongs to it, and so does what its processes start.
using PartId = std::uint16_t;

/// Told of each event that has run: when it was, and to which part belongs the process that it resumed, or
/// the mailbox at which it came. An event of neither (a handler of Asio's) is of part 0.
class EventWatch {
 public:
  virtual void ran(Time when, PartId part) = 0;

 protected:
  ~EventWatch() = default;
};

}  // namespace kbsim
