#include "kbsim/hw/pe/poll_clock.hpp"

#include "kbsim/base/bytes.hpp"
#include "kbsim/hw/fabric/reasons.hpp"

namespace kbsim::hw {

Time PollClock::next(Time t) const {
  const std::int64_t looks = ceil_div((t - begin_).count(), rhythm_.period.count());
  return begin_ + std::max<std::int64_t>(looks, 1) * rhythm_.period;
}

Cause PollClock::look(Causes& causes, std::int64_t number) const {
  if (!rhythm_.why || number == 0) return rhythm_.why;
  return causes.make(begin_ + number * rhythm_.period, rhythm_.why,
                     why(Reason::poll, rhythm_.queues, Bytes{number}));
}

PollClock::Looks PollClock::unpaid(Time now) const {
  PollClock then{*this};
  then.settle(now);
  if (then.taken_ == Time::zero()) return {};
  return {.count = then.taken_ / then.rhythm_.cost, .over = then.over_};
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
