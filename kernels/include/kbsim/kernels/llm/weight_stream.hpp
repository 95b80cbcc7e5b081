#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "kbsim/tl/tl.hpp"

namespace kbsim::llm {

/// A block of a matrix in this PE's memory whose rows have `row_stride` elements.
struct WeightBlock {
  Ptr at;
  std::int64_t rows = 0, cols = 0;
  std::int64_t row_stride = 0;
};

/// Loads blocks in their order, ahead of their use. The loads under way cover the latency of the memory and
/// little more, since later loads of the PE wait for them.
class WeightStream {
 public:
  WeightStream(TL& tl, std::vector<WeightBlock> blocks) : tl_{tl}, blocks_{std::move(blocks)} {}
  /// Blocks under way at a time, at least.
  static constexpr std::size_t kBlocksAhead = 2;

  /// Begins with the first loads.
  void start();
  /// The next block.
  [[nodiscard]] Task<Tile> next();

 private:
  static constexpr std::int64_t kBytesAhead = 49152;

  [[nodiscard]] Pending<Tile> load(const WeightBlock& block) const;
  [[nodiscard]] bool wants_more() const;

  TL& tl_;
  std::vector<WeightBlock> blocks_;
  std::size_t started_ = 0;
  std::int64_t bytes_ = 0;  // under way
  std::deque<Pending<Tile>> under_way_;
};

}  // namespace kbsim::llm
