#pragma once

#include <chrono>
#include <cstdint>

namespace kbsim::detail {

/// Ticks of a clock with several ticks per nanosecond, which is read in a few. For comparing work.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// In a loop that waits for another thread.
inline void rest() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace kbsim::detail
