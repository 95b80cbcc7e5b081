#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "kbsim/base/time.hpp"

namespace kbsim {

/// How far the simulation of this process is, or other work that belongs to it.
struct Standing {
  Time simulated{};
  std::uint64_t events = 0;
  std::string_view doing{};  // empty while it simulates; else `done` of `all` things, where that is known
  std::string_view what{};
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  bool by_user = false;  // what it does calls functions of the user's
};

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
  /// "3 of 15 points have ended".
  [[nodiscard]] std::string text() const;

 private:
  std::string what_;
  std::uint64_t all_;
  std::atomic<std::uint64_t> done_ = 0;
};

/// Work of a simulation that takes no simulated time, which standing() tells of. One that begins within
/// another, or beside it, isn't told of.
class HostWork {
 public:
  enum class By : std::uint8_t { kbsim, user };  // whose functions do it
  /// `doing`: "making a tensor's numbers"; `what`: what it does so many of, as "elements", if that is known.
  /// Both outlive it.
  explicit HostWork(std::string_view doing, std::string_view what = {}, std::uint64_t all = 0,
                    By by = By::kbsim);
  ~HostWork();
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;
  /// May draw the LiveLine again.
  void ended(std::uint64_t n = 1);

 private:
  friend Standing standing();
  std::string_view doing_;
  std::string_view what_;
  std::uint64_t all_;
  By by_;
  std::atomic<std::uint64_t> done_ = 0;
};

/// A simulation tells now and then how far it is. May draw the LiveLine again.
void tell_simulated(Time now, std::uint64_t events) noexcept;

/// Where the process's only simulation stands; whoever runs several side by side doesn't ask.
[[nodiscard]] Standing standing();

/// Says on stderr where the process stands: its stage, else its simulation. Any thread may.
void say_standing();

}  // namespace kbsim
