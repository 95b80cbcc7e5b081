#include "kbsim/tl/kernel_waits.hpp"

#include <fmt/format.h>

namespace kbsim {
namespace {

// The process that will put the word isn't known before the put.
void add_signal_waits(Waits& waits) {
  for (const Waits::Process& process : waits.processes()) {
    const auto* signal = process.waiting.awaits.as<SignalWait>();
    if (signal == nullptr) continue;
    waits.add_unknown(process.who, fmt::format("{} {} ← no PE is known: no put to it is under way",
                                               process.name, signal->text()));
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
