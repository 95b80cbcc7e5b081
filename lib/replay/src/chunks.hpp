#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "kbsim/oplog/op.hpp"

#include "aligned.hpp"
#include "move.hpp"
#include "wide.hpp"

namespace kbsim::replay {

inline constexpr Eigen::Index kChunk = 1024;  // elements: a few operands' stay in the nearest cache

/// An operand of an elementwise operation, broadcast to its result's shape, in chunks of numbers of W.
template <class W>
class Chunks {
 public:
  Chunks(const oplog::Operand& what, std::span<const std::byte> bytes, const Shape& to)
      : dtype_{what.dtype}, bytes_{broadcast_to(what, bytes, to)} {
    single_ = what.shape.elements() == 1;
    if (single_) numbers().setConstant(first());
  }

  /// The n <= kChunk elements from `first` on; valid until the next call.
  ConstArray<W> at(Eigen::Index first, Eigen::Index n) {
    if (!single_) {
      const auto item = static_cast<std::size_t>(itemsize(dtype_));
      const auto part =
          bytes_.bytes().subspan(static_cast<std::size_t>(first) * item, static_cast<std::size_t>(n) * item);
      load<W>(part, dtype_, {numbers_.data(), n});
    }
    return {numbers_.data(), n};
  }

 private:
  MutableArray<W> numbers() { return {numbers_.data(), kChunk}; }
  W first() {
    load<W>(bytes_.bytes(), dtype_, {numbers_.data(), 1});
    return numbers_[0];
  }

  DType dtype_;
  Aligned bytes_;
  bool single_ = false;
  alignas(16) std::array<W, kChunk> numbers_;
};

/// Calls `f(first, n)` for each chunk of `elements`.
template <class F>
void for_each_chunk(std::int64_t elements, const F& f) {
  for (std::int64_t first = 0; first < elements; first += kChunk) {
    f(Eigen::Index{first}, std::min<Eigen::Index>(kChunk, elements - first));
  }
}

/// The bytes of a chunk of a result.
inline std::span<std::byte> part(std::span<std::byte> out, DType dtype, Eigen::Index first, Eigen::Index n) {
  const auto item = static_cast<std::size_t>(itemsize(dtype));
  return out.subspan(static_cast<std::size_t>(first) * item, static_cast<std::size_t>(n) * item);
}

template <class W>
using Chunk = Eigen::Array<W, Eigen::Dynamic, 1, 0, kChunk, 1>;

}  // namespace kbsim::replay
