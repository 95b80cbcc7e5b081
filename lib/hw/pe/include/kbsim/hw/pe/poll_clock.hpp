#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::hw {

/// When pe_cpu looks again at the queues that its kernel waits for (backpressure: poll), and what that costs:
/// from begin() to end() a look each `period`, the first a period after begin(), each taking `cost`; those
/// that take longer than the period follow one another. They are counted, not simulated.
class PollClock {
 public:
  struct Rhythm {
    Time period{};
    Time cost{};
    NodeId queues = {};  // whose, and why it began, if causes are kept
    Cause why = {};
  };

  void begin(Time now, Rhythm rhythm) {
    settle(now);
    rhythm_ = std::move(rhythm);
    rhythm_.period = std::max(rhythm_.period, rhythm_.cost);
    begin_ = now;
    next_ = now + rhythm_.period;
  }
  /// The last look is now or was before.
  void end(Time now) {
    settle(now);
    next_ = kForever;
  }
  [[nodiscard]] bool under_way() const { return next_ != kForever; }
  [[nodiscard]] Time cost() const { return rhythm_.cost; }
  [[nodiscard]] Time period() const { return rhythm_.period; }
  /// How many periods after begin() the look is that is at that time, or was last.
  [[nodiscard]] std::int64_t number(Time look) const { return (look - begin_) / rhythm_.period; }
  /// Why that look is when it is, if somebody said why it began; else none.
  [[nodiscard]] Cause look(Causes& causes, std::int64_t number) const;
  /// The first look at or after `t`, while they are under way.
  [[nodiscard]] Time next(Time t) const;

  /// pe_cpu is free from `clock` on but for the looks until `now`: when it is free.
  [[nodiscard]] Time after(Time clock, Time now) const {
    return idle() ? clock : PollClock{*this}.spend(clock, now);
  }
  /// The same, and these looks are paid for: later calls count later looks.
  Time spend(Time clock, Time now);
  /// Looks until `now` that nobody has paid for yet, and when the last of them was over.
  struct Looks {
    std::int64_t count = 0;
    Time over{};
  };
  [[nodiscard]] Looks unpaid(Time now) const;

 private:
  void settle(Time now);
  [[nodiscard]] bool idle() const { return !under_way() && taken_ == Time::zero(); }

  Rhythm rhythm_;
  Time begin_{};
  Time next_ = kForever;  // the first that isn't in the two below
  Time taken_{};          // by looks that nobody has paid for yet
  Time over_{};           // when they were over, had pe_cpu had nothing else to do
};

}  // namespace kbsim::hw
