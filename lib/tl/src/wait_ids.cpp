#include "kbsim/tl/wait_ids.hpp"

#include <fmt/format.h>

namespace kbsim {

std::string SendWait::text() const { return fmt::format("send {}", to.name()); }

std::string RecvWait::text() const {
  return from == Dir::any ? "recv of any" : fmt::format("recv {}", from.name());
}

std::string BarrierWait::text() const { return fmt::format("barrier {}", number); }

std::string SignalWait::text() const {
  return fmt::format("wait_signal at {:#x} for {}{}", va, until.exactly ? "" : "at least ", until.value);
}

}  // namespace kbsim
