#include "panels.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "wide.hpp"

namespace kbsim::replay {
namespace panels {
namespace {

constexpr std::int64_t kRows = 4;             // of a, multiplied at a time
constexpr std::int64_t kWidth = 32;           // columns of b, multiplied at a time
constexpr std::int64_t kRowsAtOnce = 64;      // of a: their panels stay in near caches
constexpr std::int64_t kColumnsAtOnce = 512;  // of b: likewise

/// `count` elements of a matrix from (row, column) on, as floats.
void load_row(const FloatMatrix& from, std::int64_t row, std::int64_t column, std::span<float> to) {
  const std::int64_t item = itemsize(from.dtype);
  const auto first = static_cast<std::size_t>((row * from.columns + column) * item);
  const std::span<const std::byte> bytes =
      from.bytes.subspan(first, to.size() * static_cast<std::size_t>(item));
  load<float>(bytes, from.dtype, {to.data(), static_cast<Eigen::Index>(to.size())});
}

/// Sums of products of kRows rows with kWidth columns.
using Tile = std::array<std::array<float, kWidth>, kRows>;

/// Each sum in ascending order of k: rows of `a` are `depth` apart, those of `b` kWidth.
template <class Vector>
[[gnu::always_inline]] inline void multiply(const float* a, const float* b, std::int64_t depth, Tile& tile) {
  constexpr std::size_t kLanes = sizeof(Vector) / sizeof(float);
  constexpr std::size_t kVectors = 2;
  for (std::size_t column = 0; column < kWidth; column += kVectors * kLanes) {
    std::array<std::array<Vector, kVectors>, kRows> sums{};
    for (std::int64_t k = 0; k < depth; ++k) {
      std::array<Vector, kVectors> right;
      __builtin_memcpy(right.data(), b + k * kWidth + column, sizeof right);
      for (std::size_t row = 0; row < kRows; ++row) {
        for (std::size_t i = 0; i < kVectors; ++i)
          sums[row][i] += a[static_cast<std::int64_t>(row) * depth + k] * right[i];
      }
    }
    for (std::size_t row = 0; row < kRows; ++row)
      __builtin_memcpy(tile[row].data() + column, sums[row].data(), sizeof sums[row]);
  }
}

using Multiply = void (*)(const float* a, const float* b, std::int64_t depth, Tile& tile);

#if defined(__x86_64__)
using Eight [[gnu::vector_size(32)]] = float;
using Sixteen [[gnu::vector_size(64)]] = float;

[[gnu::target("avx")]] void multiply_eight(const float* a, const float* b, std::int64_t depth, Tile& tile) {
  multiply<Eight>(a, b, depth, tile);
}
[[gnu::target("avx512f")]] void multiply_sixteen(const float* a, const float* b, std::int64_t depth,
                                                 Tile& tile) {
  multiply<Sixteen>(a, b, depth, tile);
}

Multiply by_processor() {
  if (__builtin_cpu_supports("avx512f")) return multiply_sixteen;
  return __builtin_cpu_supports("avx") ? multiply_eight : nullptr;
}
#else
Multiply by_processor() { return nullptr; }
#endif

Multiply own_multiply() {
  static const Multiply own = by_processor();
  return own;
}

struct Range {
  std::int64_t first;
  std::int64_t count;
};

/// Calls f(range) for each `most` of `all`.
template <class F>
void for_each_range(std::int64_t all, std::int64_t most, const F& f) {
  for (std::int64_t first = 0; first < all; first += most) f(Range{first, std::min(most, all - first)});
}

std::vector<float> room(std::int64_t rows, std::int64_t columns) {
  return std::vector<float>(static_cast<std::size_t>(rows * columns));
}

/// Panels of up to kColumnsAtOnce columns of b and kRowsAtOnce rows of a, and what they add to a product.
class Panels {
 public:
  Panels(const FloatMatrix& a, const FloatMatrix& b, std::span<float> sum)
      : a_{a},
        b_{b},
        sum_{sum},
        rows_{static_cast<std::int64_t>(sum.size()) / b.columns},
        left_{room(ceil_to(std::min(rows_, kRowsAtOnce), kRows), std::min(a.columns, kPanel))},
        right_{room(std::min(a.columns, kPanel), ceil_to(std::min(b.columns, kColumnsAtOnce), kWidth))},
        row_{room(1, ceil_to(std::min(b.columns, kColumnsAtOnce), kWidth))} {}

  void add_all() {
    for_each_range(b_.columns, kColumnsAtOnce, [&](Range columns) {
      for_each_range(a_.columns, kPanel, [&](Range k) {
        load_b(k, columns);
        for_each_range(rows_, kRowsAtOnce, [&](Range rows) { add_rows(rows, k, columns); });
      });
    });
  }

 private:
  static std::int64_t ceil_to(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

  // Each kWidth columns lie together.
  void load_b(Range k, Range columns) {
    for (std::int64_t i = 0; i < k.count; ++i) {
      load_row(b_, k.first + i, columns.first, {row_.data(), static_cast<std::size_t>(columns.count)});
      for (std::int64_t j = 0; j < columns.count; j += kWidth)
        std::copy_n(row_.data() + j, kWidth, right_.data() + j * k.count + i * kWidth);
    }
  }

  void add_rows(Range rows, Range k, Range columns) {
    for (std::int64_t i = 0; i < rows.count; ++i)
      load_row(a_, rows.first + i, k.first, {left_.data() + i * k.count, static_cast<std::size_t>(k.count)});
    Tile tile;
    for_each_range(columns.count, kWidth, [&](Range some) {
      for_each_range(rows.count, kRows, [&](Range few) {
        own_multiply()(left_.data() + few.first * k.count, right_.data() + some.first * k.count, k.count,
                       tile);
        add(tile, {rows.first + few.first, few.count}, {columns.first + some.first, some.count});
      });
    });
  }

  // Adds the part of a tile that lies in the product. The rest of the tile is left over from other rows and
  // columns.
  void add(const Tile& tile, Range rows, Range columns) {
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const std::array<float, kWidth>& from = tile[static_cast<std::size_t>(i)];
      float* const to = sum_.data() + (rows.first + i) * b_.columns + columns.first;
      for (std::int64_t j = 0; j < columns.count; ++j) to[j] += from[static_cast<std::size_t>(j)];
    }
  }

  FloatMatrix a_;
  FloatMatrix b_;
  std::span<float> sum_;
  std::int64_t rows_;
  std::vector<float> left_;
  std::vector<float> right_;
  std::vector<float> row_;
};

}  // namespace
}  // namespace panels

// Without fused operations Eigen takes eight columns at a time, each sum in ascending order of k. It adds the
// columns that are left in another order, and also vectors and very small matrices.
bool can_add_panels(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kLeast = 20;
  return rows > 1 && columns % 8 == 0 && rows + columns >= kLeast && panels::own_multiply() != nullptr;
}

void add_panels(const FloatMatrix& a, const FloatMatrix& b, std::span<float> sum) {
  panels::Panels{a, b, sum}.add_all();
}

}  // namespace kbsim::replay
