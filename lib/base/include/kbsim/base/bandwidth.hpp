#pragma once

#include <compare>
#include <cstdint>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/time.hpp"

namespace kbsim {

/// A rate in bytes a second, kept as a reduced ratio of picoseconds to bytes, so that
/// serialization(n, bw) = ceil(1000 n / GBps) is exact and costs one 64-bit division.
class Bandwidth {
 public:
  constexpr Bandwidth() = default;

  /// From GB/s, 1 GB = 1e9 bytes; resolved to 1 kB/s. Throws UsageError unless positive and finite.
  [[nodiscard]] static Bandwidth gbs(double gigabytes_per_second);

  [[nodiscard]] constexpr double gbs() const {
    return 1000.0 * static_cast<double>(bytes_) / static_cast<double>(ps_);
  }

  friend constexpr bool operator==(Bandwidth, Bandwidth) = default;
  friend constexpr std::strong_ordering operator<=>(Bandwidth a, Bandwidth b) {
    return static_cast<__int128>(a.bytes_) * b.ps_ <=> static_cast<__int128>(b.bytes_) * a.ps_;
  }

  /// The time that `n` bytes occupy a server of this rate, rounded up to a picosecond.
  [[nodiscard]] constexpr Time serialization(Bytes n) const {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(n.count(), ps_, &product)) return wide_serialization(n);
    return Time{ceil_div(product, bytes_)};
  }

 private:
  constexpr Bandwidth(std::int64_t ps, std::int64_t bytes) : ps_{ps}, bytes_{bytes} {}
  [[nodiscard]] constexpr Time wide_serialization(Bytes n) const {
    const __int128 product = static_cast<__int128>(n.count()) * ps_;
    return Time{static_cast<std::int64_t>((product + bytes_ - 1) / bytes_)};
  }

  std::int64_t ps_ = 1;     // ps_ picoseconds carry
  std::int64_t bytes_ = 1;  // bytes_ bytes
};

/// ser(n, bw) of the timing model.
[[nodiscard]] constexpr Time serialization(Bytes n, Bandwidth bw) { return bw.serialization(n); }

}  // namespace kbsim
