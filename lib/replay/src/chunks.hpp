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

/// The bytes of a chunk.
template <class Byte>
std::span<Byte> part(std::span<Byte> all, DType dtype, Eigen::Index first, Eigen::Index n) {
  const auto item = static_cast<std::size_t>(itemsize(dtype));
  return all.subspan(static_cast<std::size_t>(first) * item, static_cast<std::size_t>(n) * item);
}

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
      load<W>(part(bytes_.bytes(), dtype_, first, n), dtype_, {numbers_.data(), n});
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

template <class W>
using Chunk = Eigen::Array<W, Eigen::Dynamic, 1, 0, kChunk, 1>;

}  // namespace kbsim::replay
