#pragma once

#include <cstdint>

#include "kbsim/base/dtype.hpp"

namespace kbsim {

/// A virtual address of elements of one type. `p + n` and `p - n` move by elements, `p.bytes(n)` by bytes.
struct Ptr {
  std::uint64_t va = 0;
  DType dtype = f16;

  [[nodiscard]] constexpr Ptr bytes(std::int64_t n) const {
    return {va + static_cast<std::uint64_t>(n), dtype};
  }
  friend constexpr Ptr operator+(Ptr p, std::int64_t n) {  // addresses wrap, as on a machine
    return {p.va + static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(itemsize(p.dtype)), p.dtype};
  }
  friend constexpr Ptr operator-(Ptr p, std::int64_t n) {
    return {p.va - static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(itemsize(p.dtype)), p.dtype};
  }
  friend constexpr bool operator==(Ptr, Ptr) = default;
};

}  // namespace kbsim
