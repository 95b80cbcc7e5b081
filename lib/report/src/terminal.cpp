#include "kbsim/report/terminal.hpp"

#include <chrono>
#include <ctime>

#include <sys/ioctl.h>
#include <unistd.h>

#include "kbsim/base/say.hpp"

namespace kbsim::report {

namespace {

// Some milliseconds late, at a fourth of the cost.
LiveLine::Clock::time_point coarse_now() {
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return LiveLine::Clock::time_point{std::chrono::seconds{now.tv_sec} +
                                     std::chrono::nanoseconds{now.tv_nsec}};
}

}  // namespace

std::optional<std::size_t> terminal_width(int descriptor) {
  constexpr std::size_t kUsual = 80;
  if (isatty(descriptor) == 0) return std::nullopt;
  struct winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

std::optional<LiveLine::Terminal> terminal_of_stderr() {
  if (isatty(STDERR_FILENO) == 0) return std::nullopt;
  return LiveLine::Terminal{.now = coarse_now,
                            .columns = [] { return terminal_width(STDERR_FILENO).value_or(1); },
                            .in_foreground = [] { return tcgetpgrp(STDERR_FILENO) == getpgrp(); },
                            .in_place = say_in_place};
}

}  // namespace kbsim::report
