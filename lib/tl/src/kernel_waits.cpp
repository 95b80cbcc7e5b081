#include "kbsim/tl/kernel_waits.hpp"

#include <string_view>

#include <fmt/format.h>

namespace kbsim {
namespace {

// Who would have to put the word isn't known before it does.
void add_signal_waits(Waits& waits) {
  constexpr std::string_view kEvent = "event ";
  for (const Waits::Process& process : waits.processes()) {
    const std::string_view what = process.waiting.what;
    if (!what.starts_with("event wait_signal at ")) continue;
    waits.add_unknown(process.name, fmt::format("{} {} ← nobody is known: no put to it is under way",
                                                process.name, what.substr(kEvent.size())));
  }
}

}  // namespace

void add_kernel_waits(Waits& waits, const std::vector<QueueEnd>& ends,
                      const std::vector<StandingBarrier>& barriers) {
  add_queue_waits(waits, ends);
  add_barrier_waits(waits, barriers);
  add_signal_waits(waits);
  add_queue_counters(waits, ends);
}

}  // namespace kbsim
