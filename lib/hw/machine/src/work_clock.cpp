#include "kbsim/hw/work_clock.hpp"

#include <algorithm>
#include <ctime>

namespace kbsim::hw {
namespace {

std::chrono::nanoseconds of_processor() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec};
}

}  // namespace

void WorkClock::mark() {
  processor_ = of_processor();
  marked_ = since_ = Clock::now();
}

std::chrono::nanoseconds WorkClock::pause() {
  paused_ = Clock::now();
  std::chrono::nanoseconds took = paused_ - since_;
  if (took > kLong) [[unlikely]] {
    const std::chrono::nanoseconds had = of_processor() - processor_ - (since_ - marked_);
    took = std::min(took, had);
    mark();
    paused_ = marked_;
  }
  return std::max(took, std::chrono::nanoseconds{1});
}

void WorkClock::resume() {
  since_ = Clock::now();
  if (since_ - paused_ > kLong) [[unlikely]]
    mark();
}

}  // namespace kbsim::hw
