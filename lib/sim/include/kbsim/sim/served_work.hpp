#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"
#include "kbsim/sim/moment.hpp"

namespace kbsim {

/// Names a server of one work at a time by its kind and its number, both from 0 on.
struct ServerId {
  std::uint16_t kind = 0;
  std::uint32_t number = 0;
};

/// A work of a server, whose head and tail arrive for one cause each. `came` follows from the head's cause
/// by `passed`, `tail` from the tail's by `tail_passed`. The work is served from `start` to `end`, for the
/// reason `work`. If it arrived before `start`, `waited` is the reason why it waited.
struct ServedWork {
  Time came{};
  Why passed;
  Time tail{};
  Why tail_passed;
  Time start{};
  Time end{};
  Why waited;
  Why work;
};

}  // namespace kbsim
