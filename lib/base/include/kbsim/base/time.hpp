#pragma once

#include <cstdint>
#include <limits>
#include <ratio>
#include <string>

// A third of what a kernel's file takes to compile is the calendar of <chrono>, which libstdc++ has apart.
#if __has_include(<bits/chrono.h>)
#include <bits/chrono.h>
#else
#include <chrono>
#endif

namespace kbsim {

/// Simulated time and its differences: a whole number of picoseconds, about 106 days in all.
using Time = std::chrono::duration<std::int64_t, std::pico>;

inline constexpr Time kForever{std::numeric_limits<std::int64_t>::max()};

inline namespace literals {
constexpr Time operator""_ps(unsigned long long n) { return Time{static_cast<std::int64_t>(n)}; }
constexpr Time operator""_ns(unsigned long long n) { return Time{static_cast<std::int64_t>(n) * 1000}; }
constexpr Time operator""_us(unsigned long long n) { return Time{static_cast<std::int64_t>(n) * 1000'000}; }
}  // namespace literals

/// The nearest whole number of picoseconds. Throws UsageError beyond what Time can hold.
[[nodiscard]] Time from_ns(double ns);

/// `n` times as long, and `t` after `start`; UsageError beyond what Time can hold.
[[nodiscard]] Time times(std::int64_t n, Time t);
[[nodiscard]] Time later(Time start, Time t);

[[nodiscard]] constexpr double to_ns(Time t) { return static_cast<double>(t.count()) / 1000.0; }

/// Exact, shortest decimal of nanoseconds with its unit: "12.345 ns", "0.001 ns", "7 ns".
[[nodiscard]] std::string to_string(Time t);

}  // namespace kbsim
