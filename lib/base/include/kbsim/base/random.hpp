#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace kbsim {

/// Seeded draws that are the same with every standard library. Streams of one seed are independent.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : engine_{mix(seed ^ mix(stream + 1))} {}

  /// In [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// In [0, n), for n > 0.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(engine_()) * n >> 64);
  }

  /// The gap to the next arrival of a Poisson process with one arrival per unit of time.
  double exponential() { return -std::log1p(-uniform()); }

  /// The number of trials up to the first success; each succeeds with probability p in (0, 1].
  std::int64_t geometric(double p) {
    if (p >= 1.0) return 1;
    return 1 + static_cast<std::int64_t>(std::log1p(-uniform()) / std::log1p(-p));
  }

 private:
  static std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
    x += 0x9e37'79b9'7f4a'7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebULL;
    return x ^ (x >> 31);
  }
  std::mt19937_64 engine_;
};

}  // namespace kbsim
