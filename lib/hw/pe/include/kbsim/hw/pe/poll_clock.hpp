#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/i_repeatable.hpp"
#include "kbsim/sim/causes.hpp"

namespace kbsim::hw {

/// Times and costs of pe_cpu's looks at the queues that its kernel waits for (backpressure: poll). From
/// begin() to end() there is a look each `period`, the first a period after begin(), each taking `cost`.
/// Looks that take longer than the period are back to back. Looks are counted, not simulated.
class PollClock {
 public:
  struct Rhythm {
    Time period{};
    Time cost{};
    NodeId queues = {};  // whose queues; `why`: cause of begin(), if causes are kept
    Cause why = {};
  };

  void begin(Time now, Rhythm rhythm) {
    settle(now);
    rhythm_ = std::move(rhythm);
    rhythm_.period = std::max(rhythm_.period, rhythm_.cost);
    begin_ = now;
    next_ = now + rhythm_.period;
  }
  /// The last look is at `now` or earlier.
  void end(Time now) {
    settle(now);
    next_ = kForever;
  }
  [[nodiscard]] bool under_way() const { return next_ != kForever; }
  /// As IRepeatable.
  void visit(RepeatVisitor& visitor) {
    visitor.rests(!under_way());
    visitor.state(taken_);
    visitor.busy_until(over_);
  }
  [[nodiscard]] Time cost() const { return rhythm_.cost; }
  [[nodiscard]] Time period() const { return rhythm_.period; }
  /// Periods from begin() to the look at this time, or to the last one before it.
  [[nodiscard]] std::int64_t number(Time look) const { return (look - begin_) / rhythm_.period; }
  /// Cause of that look; none if begin() got no cause.
  [[nodiscard]] Cause look(Causes& causes, std::int64_t number) const;
  /// The first look at or after `t`, while they are under way.
  [[nodiscard]] Time next(Time t) const;

  /// When pe_cpu is free: `clock`, plus the unpaid looks until `now`.
  [[nodiscard]] Time after(Time clock, Time now) const {
    return idle() ? clock : PollClock{*this}.spend(clock, now);
  }
  /// The same, and these looks are paid: later calls count later looks.
  Time spend(Time clock, Time now);
  /// Unpaid looks until `now`, and when the last of them was over.
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
  Time next_ = kForever;  // the first look that isn't in the two below
  Time taken_{};          // by unpaid looks
  Time over_{};           // when they would be over if pe_cpu had no other work
};

}  // namespace kbsim::hw
