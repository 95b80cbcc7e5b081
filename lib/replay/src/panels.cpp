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
constexpr std::int64_t kRowsAtOnce = 64;      // of a, and
constexpr std::int64_t kColumnsAtOnce = 512;  // of b: their panels stay in near caches

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

/// Each sum in ascending order of k: rows of `a` are kPanel apart, those of `b` kWidth.
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
        for (std::size_t i = 0; i < kVectors; ++i) sums[row][i] += a[row * kPanel + k] * right[i];
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

/// Panels of up to kColumnsAtOnce columns of b and kRowsAtOnce rows of a, which are multiplied.
class Panels {
 public:
  Panels(const FloatMatrix& a, const FloatMatrix& b, std::span<float> sum) : a_{a}, b_{b}, sum_{sum} {}

  void add_all() {
    for (std::int64_t column = 0; column < b_.columns; column += kColumnsAtOnce)
      add_columns(column, std::min(kColumnsAtOnce, b_.columns - column));
  }

 private:
  void add_columns(std::int64_t column, std::int64_t columns) {
    const std::int64_t rows = static_cast<std::int64_t>(sum_.size()) / b_.columns;
    for (std::int64_t k = 0; k < a_.columns; k += kPanel) {
      const std::int64_t depth = std::min(kPanel, a_.columns - k);
      load_b(k, depth, column, columns);
      for (std::int64_t row = 0; row < rows; row += kRowsAtOnce)
        add_rows(row, std::min(kRowsAtOnce, rows - row), k, depth, column, columns);
    }
  }

  // Each kWidth columns lie together.
  void load_b(std::int64_t k, std::int64_t depth, std::int64_t column, std::int64_t columns) {
    for (std::int64_t i = 0; i < depth; ++i) {
      load_row(b_, k + i, column, std::span{row_}.first(static_cast<std::size_t>(columns)));
      for (std::int64_t j = 0; j < columns; j += kWidth)
        std::copy_n(row_.data() + j, kWidth, right_.data() + j * kPanel + i * kWidth);
    }
  }

  void add_rows(std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t depth, std::int64_t column,
                std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i)
      load_row(
          a_, row + i, k,
          std::span{left_}.subspan(static_cast<std::size_t>(i * kPanel), static_cast<std::size_t>(depth)));
    Tile tile;
    for (std::int64_t j = 0; j < columns; j += kWidth) {
      for (std::int64_t i = 0; i < rows; i += kRows) {
        own_multiply()(left_.data() + i * kPanel, right_.data() + j * kPanel, depth, tile);
        add(tile, row + i, std::min(kRows, rows - i), column + j, std::min(kWidth, columns - j));
      }
    }
  }

  // What of a tile lies in the product; what was multiplied beside that is left over from other rows.
  void add(const Tile& tile, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
    for (std::int64_t i = 0; i < rows; ++i) {
      float* const to = sum_.data() + (row + i) * b_.columns + column;
      for (std::int64_t j = 0; j < columns; ++j)
        to[j] += tile[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }

  FloatMatrix a_;
  FloatMatrix b_;
  std::span<float> sum_;
  std::vector<float> left_ = std::vector<float>(kRowsAtOnce * kPanel);
  std::vector<float> right_ = std::vector<float>(kPanel * kColumnsAtOnce);
  std::vector<float> row_ = std::vector<float>(kColumnsAtOnce);
};

}  // namespace
}  // namespace panels

// Without fused operations Eigen takes eight columns at a time, each sum in ascending order of k; what is
// left of the columns it adds in another order, as it does vectors and very small matrices.
bool can_add_panels(std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kLeast = 20;
  return rows > 1 && columns % 8 == 0 && rows + columns >= kLeast && panels::own_multiply() != nullptr;
}

void add_panels(const FloatMatrix& a, const FloatMatrix& b, std::span<float> sum) {
  panels::Panels{a, b, sum}.add_all();
}

}  // namespace kbsim::replay
