#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "kbsim/base/standing.hpp"

namespace kbsim {

/// The state of a simulation, as words of a line: "simulating: 81.42 us, 45.6 M events, 8.1 M events/s, 5 s
/// wall", "computing the numbers: 12 of 400 operations, 3 %, 7 s wall", "explaining the run, 9 s wall". Parts
/// without room are left out. The rate is that since the last text; without one, since the begin.
class StandingText {
 public:
  using Seconds = std::chrono::duration<double>;
  /// `counted`: the things that its simulation counts.
  explicit StandingText(std::string counted = "events") : counted_{std::move(counted)} {}
  [[nodiscard]] std::string operator()(const Standing& now, Seconds wall, std::size_t columns);

 private:
  [[nodiscard]] std::string rate(std::uint64_t events, Seconds wall);

  [[nodiscard]] std::string count(double n) const;

  std::string counted_;
  std::uint64_t events_ = 0;
  Seconds wall_{};
};

}  // namespace kbsim
