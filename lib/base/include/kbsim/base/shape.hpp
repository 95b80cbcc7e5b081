#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"

namespace kbsim {

/// The most elements of anything: beyond any memory, and so few that sizes in bytes, their sums and their
/// small multiples don't overflow.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 50;

/// The extents of a tensor or tile, outermost first, at most kMaxRank of them; rank 0 is a scalar.
/// Trivially copyable and without initializer_list, so that `{M, K}` is safe in any co_await.
class Shape {
 public:
  static constexpr int kMaxRank = 5;

  constexpr Shape() = default;
  template <std::integral... Extents>
    requires(sizeof...(Extents) >= 1 && sizeof...(Extents) <= kMaxRank)
  constexpr Shape(Extents... extents)  // NOLINT(google-explicit-constructor): `{M, K}` is its literal
      : extents_{static_cast<std::int64_t>(extents)...}, rank_{sizeof...(Extents)} {}

  /// At most kMaxRank extents.
  [[nodiscard]] static constexpr Shape of(std::span<const std::int64_t> extents) {
    Shape shape;
    for (std::size_t i = 0; i < extents.size(); ++i) shape.extents_[i] = extents[i];
    shape.rank_ = static_cast<int>(extents.size());
    return shape;
  }

  [[nodiscard]] constexpr int rank() const { return rank_; }
  [[nodiscard]] constexpr std::int64_t operator[](int axis) const {
    return extents_[static_cast<std::size_t>(axis)];
  }
  [[nodiscard]] constexpr std::span<const std::int64_t> extents() const {
    return {extents_.data(), static_cast<std::size_t>(rank_)};
  }
  /// None for more than kMostElements, by their size.
  [[nodiscard]] constexpr std::optional<std::int64_t> count() const {
    std::int64_t n = 1;
    for (const std::int64_t extent : extents()) {
      if (__builtin_mul_overflow(n, extent, &n) || n > kMostElements || n < -kMostElements) return {};
    }
    return n;
  }
  /// UsageError for more than kMostElements; where a user gives a shape, count() is asked first.
  [[nodiscard]] constexpr std::int64_t elements() const {
    const std::optional<std::int64_t> n = count();
    if (!n) [[unlikely]]
      refuse();
    return *n;
  }
  [[nodiscard]] constexpr Bytes bytes(DType t) const { return Bytes{elements() * itemsize(t)}; }

  friend constexpr bool operator==(const Shape& a, const Shape& b) = default;

 private:
  [[noreturn]] void refuse() const;

  std::array<std::int64_t, kMaxRank> extents_{};  // 0 from rank_ on
  int rank_ = 0;
};

[[nodiscard]] std::string to_string(const Shape& shape);  // "[16, 8]"

}  // namespace kbsim
