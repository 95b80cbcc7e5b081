#include "window_stops.hpp"

#include <chrono>

#include "kbsim/base/counted.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/process_memory.hpp"
#include "kbsim/base/standing.hpp"
#include "kbsim/base/stop.hpp"

namespace kbsim::detail {
namespace {

std::int64_t milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

bool WindowStops::may_go_on(std::uint64_t windows, std::uint64_t events) {
  constexpr std::uint64_t kLookEvery = 256;
  constexpr std::uint64_t kLookAfter = 1 << 16;  // events
  if (windows % kLookEvery != 0 && events - looked_at_ < kLookAfter) return true;
  looked_at_ = events;
  try {
    look(events);
    return true;
  } catch (...) {
    given_up_ = std::current_exception();
    return false;
  }
}

void WindowStops::look(std::uint64_t events) {
  constexpr std::int64_t kBetweenLooksAtMemory = 20;
  const Time latest = graph_.latest();
  report_simulated(latest, events);
  if (stop_signal() != 0)
    throw Interrupted{"interrupted; simulated time stands at " + to_string(latest) + ", after " +
                      counted(events, "event")};
  const std::int64_t now = milliseconds();
  if (now - memory_looked_ < kBetweenLooksAtMemory) return;
  memory_looked_ = now;
  const Bytes held = resident_memory();
  if (held <= memory_limit()) return;
  throw LimitError{"stopped at " + to_string(latest) + " after " + counted(events, "event") +
                       ": kbsim holds " + about(held) + " of memory, the limit is " + about(memory_limit()) +
                       " (--max-memory)",
                   graph_.waiting()};
}

void WindowStops::rethrow() const {
  if (given_up_) std::rethrow_exception(given_up_);
}

}  // namespace kbsim::detail
