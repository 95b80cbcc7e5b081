#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim {

/// A part of the simulated machine, by number; 0 for what belongs to none. Objects that are made while a part
/// is built (see Simulation::build) belong to it, and so do those that its processes start.
using PartId = std::uint16_t;

/// Called for each event that has run, with its time and part: that of the process that it resumed, or of the
/// mailbox at which it arrived. An event of neither (a handler of Asio's) has part 0.
class EventWatch {
 public:
  virtual void ran(Time when, PartId part) = 0;

 protected:
  ~EventWatch() = default;
};

}  // namespace kbsim
