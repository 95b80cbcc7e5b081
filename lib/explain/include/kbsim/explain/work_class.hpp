#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kbsim/base/time.hpp"

namespace kbsim::explain {

/// The kind of cost that a segment of a path is: work of a processor or an engine; service of a memory;
/// transfer of bytes at a rate; or latency, which other work may hide.
enum class WorkClass : std::uint8_t { work, memory, transfer, latency };
inline constexpr std::size_t kWorkClasses = 4;

/// Time of a path by such a class.
struct ClassTimes {
  std::array<Time, kWorkClasses> of{};

  Time& operator[](WorkClass one) { return of[static_cast<std::size_t>(one)]; }
  [[nodiscard]] Time operator[](WorkClass one) const { return of[static_cast<std::size_t>(one)]; }
  [[nodiscard]] Time all() const {
    Time sum{};
    for (const Time each : of) sum += each;
    return sum;
  }
  ClassTimes& operator+=(const ClassTimes& other) {
    for (std::size_t i = 0; i < kWorkClasses; ++i) of[i] += other.of[i];
    return *this;
  }
};

}  // namespace kbsim::explain
