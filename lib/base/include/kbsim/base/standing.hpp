#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "kbsim/base/time.hpp"

namespace kbsim {

/// Many things that a process does one after the other, or side by side: "3 of 15 points have ended" is what
/// it says when it is asked. One that begins within another, or beside it, isn't told of.
class Stage {
 public:
  /// `what`: what has ended, as "points".
  Stage(std::string what, std::uint64_t all);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  void ended() { done_.fetch_add(1, std::memory_order_relaxed); }

 private:
  friend void say_standing() noexcept;
  std::string what_;
  std::uint64_t all_;
  std::atomic<std::uint64_t> done_ = 0;
};

/// A simulation tells now and then how far it is.
void tell_simulated(Time now, std::uint64_t events) noexcept;

/// Says on stderr where the process stands: its stage, else its simulation. Fit for a signal handler.
void say_standing() noexcept;

}  // namespace kbsim
