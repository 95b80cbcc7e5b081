#include "kbsim/base/stop.hpp"

#include <atomic>
#include <mutex>

namespace kbsim {
namespace {

std::mutex beginning;  // guards the number, and what begins and ends with the outermost
std::uint64_t stoppables = 0;
std::atomic<int> living = 0;
std::atomic<std::uint64_t> outermost_living = 0;
std::atomic<int> first = 0;

}  // namespace

Stoppable::Stoppable() {
  const std::scoped_lock lock{beginning};
  if (living++ > 0) return;
  first = 0;
  outermost_living = ++stoppables;
}

Stoppable::~Stoppable() {
  const std::scoped_lock lock{beginning};
  if (--living == 0) outermost_living = 0;
}

std::uint64_t Stoppable::outermost() noexcept { return outermost_living; }

void ask_to_stop(int signal) noexcept {
  int none = 0;
  (void)first.compare_exchange_strong(none, signal);
}

int stop_signal() noexcept { return living > 0 ? first.load() : 0; }

int last_stop_signal() noexcept { return first; }

int exit_status(ExitCode exit) noexcept {
  constexpr int kSignals = 128;
  const bool good = exit == ExitCode::ok || exit == ExitCode::interrupted;
  const int signal = last_stop_signal();
  return good && signal != 0 ? kSignals + signal : static_cast<int>(exit);
}

}  // namespace kbsim
