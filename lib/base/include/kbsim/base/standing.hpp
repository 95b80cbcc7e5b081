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
  std::string_view doing{};  // empty while it simulates; else `done` of `all` things, if known
  std::string_view what{};
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  bool by_user = false;  // the work calls functions of the user's
};

/// Many things that a process does one after the other, or side by side. On request it reports "3 of 15
/// points have ended". A stage that begins within another, or beside it, isn't reported.
class Stage {
 public:
  /// `what`: the things that end, as "points".
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

/// Work of a simulation that takes no simulated time; standing() reports it. Work that begins within another,
/// or beside it, isn't reported.
class HostWork {
 public:
  enum class By : std::uint8_t { kbsim, user };  // whose functions do it
  /// `doing`: "making a tensor's numbers"; `what`: the things that are counted, as "elements", if known. Both
  /// outlive it.
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

/// A simulation reports now and then how far it is. May draw the LiveLine again.
void report_simulated(Time now, std::uint64_t events) noexcept;

/// The state of the process's only simulation. Not for a process that runs several side by side.
[[nodiscard]] Standing standing();

/// Prints the state of the process to stderr: its stage, else its simulation. Any thread may call it.
void say_standing();

}  // namespace kbsim
