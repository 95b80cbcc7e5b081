#include "kbsim/hw/pe/poll_clock.hpp"

#include "kbsim/base/bytes.hpp"

namespace kbsim::hw {

Time PollClock::next(Time t) const {
  const std::int64_t looks = ceil_div((t - begin_).count(), rhythm_.period.count());
  return begin_ + std::max<std::int64_t>(looks, 1) * rhythm_.period;
}

Time PollClock::spend(Time clock, Time now) {
  settle(now);
  const Time free = taken_ == Time::zero() ? clock : std::max(clock + taken_, over_);
  taken_ = over_ = Time::zero();
  return free;
}

void PollClock::settle(Time now) {
  if (!under_way() || now < next_) return;
  const std::int64_t looks = 1 + (now - next_) / rhythm_.period;
  const Time last = next_ + (looks - 1) * rhythm_.period;
  taken_ += looks * rhythm_.cost;
  over_ = std::max(over_ + looks * rhythm_.cost, last + rhythm_.cost);
  next_ = last + rhythm_.period;
}

}  // namespace kbsim::hw
