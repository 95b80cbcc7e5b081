#include "kbsim/base/stop.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "kbsim/base/say.hpp"

namespace kbsim {
namespace {

constexpr std::array<int, 3> kStops{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> living = 0;
std::atomic<int> first = 0;              // the signal
std::atomic<std::int64_t> first_at = 0;  // milliseconds

std::int64_t milliseconds() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// A terminal that closes and timeout(1) send their signal twice: only Ctrl-C ends at once, and not within the
// time that it takes to press it again.
void ask(int signal) {
  constexpr std::int64_t kPressedTwice = 250;
  const int errno_before = errno;
  int none = 0;
  if (first.compare_exchange_strong(none, signal)) {
    first_at = milliseconds();
  } else if (signal == SIGINT && milliseconds() - first_at >= kPressedTwice) {
    say_in_place({});
    (void)std::signal(SIGINT, SIG_DFL);
    (void)std::raise(SIGINT);
  }
  errno = errno_before;
}

}  // namespace

StopSignals::StopSignals() {
  if (living++ > 0) return;
  first = 0;
  for (std::size_t i = 0; i < kStops.size(); ++i) {
    (void)sigaction(kStops[i], nullptr, &before_[i]);
    if (kStops[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = ask;
    action.sa_flags = SA_RESTART;
    (void)sigaction(kStops[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  if (--living > 0) return;
  for (std::size_t i = 0; i < kStops.size(); ++i) (void)sigaction(kStops[i], &before_[i], nullptr);
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
