#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/replay/numbers.hpp"

namespace kbsim::replay {

using Numbers = std::vector<double>;

inline constexpr std::array<DType, 6> kFloats{f16, bf16, f32, f64, DType::f8e4m3, DType::f8e5m2};
inline constexpr std::array<DType, 5> kIntegers{DType::i8, DType::i16, i32, DType::i64, DType::u8};

/// Random shapes and numbers of a printed seed.
class Samples {
 public:
  explicit Samples(unsigned seed) : random_{seed} {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  /// An extent of 1, a prime, or any other.
  std::int64_t extent() {
    constexpr std::array<int, 8> kExtents{1, 2, 3, 5, 7, 8, 13, 17};
    return kExtents[static_cast<std::size_t>(below(8))];
  }
  Shape shape(int rank) {
    std::array<std::int64_t, Shape::kMaxRank> extents{};
    for (int i = 0; i < rank; ++i) extents[static_cast<std::size_t>(i)] = extent();
    return Shape::of(std::span{extents}.first(static_cast<std::size_t>(rank)));
  }

  /// Values of a dtype: mostly numbers of middle size; one in four is an extreme, a denormal or no number.
  Numbers numbers(std::int64_t n, DType dtype) {
    Numbers all(static_cast<std::size_t>(n));
    for (double& x : all) x = below(4) == 0 ? special() : std::ldexp(signed_unit(), below(24) - 12);
    return to_doubles(from_doubles(all, dtype), dtype);
  }
  /// Whole numbers of small size, which every dtype holds.
  Numbers small(std::int64_t n, int limit) {
    Numbers all(static_cast<std::size_t>(n));
    for (double& x : all) x = below(limit);
    return all;
  }
  double signed_unit() { return std::uniform_real_distribution<double>{-1.0, 1.0}(random_); }

 private:
  double special() {
    constexpr std::array<double, 14> kSpecial{0.0,  -0.0, INFINITY, -INFINITY, NAN,  1e-45,  -1e-40,
                                              6e-8, 3e-5, 65504.0,  3e38,      -0.5, 1e-310, 88.8};
    return kSpecial[static_cast<std::size_t>(below(14))];
  }
  std::mt19937 random_;
};

}  // namespace kbsim::replay
