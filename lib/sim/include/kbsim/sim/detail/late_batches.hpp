#pragma once

#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim::detail {

/// The batches of lates: after the arrivals of a time have run, the lates that are queued by then run as one
/// batch, and so on.
class LateBatches {
 public:
  /// The next batch begins, at `now`.
  void begin(Time now) {
    of_time_ = of(now) + 1;
    at_ = now;
    ++count_;
  }
  /// A batch has begun at this time: all its arrivals have run.
  [[nodiscard]] bool begun(Time now) const { return at_ == now; }
  /// Batches that have begun, at all times.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The same, at the present time.
  [[nodiscard]] std::uint32_t of(Time now) const { return begun(now) ? of_time_ : 0; }

 private:
  Time at_ = kForever;  // when the last one began
  std::uint64_t count_ = 0;
  std::uint32_t of_time_ = 0;  // at that time
};

}  // namespace kbsim::detail
