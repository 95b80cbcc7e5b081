#include "kbsim/base/tensor_layout.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace kbsim {

TensorLayout::TensorLayout(std::uint64_t va, DType dtype, Shape shape, std::string name,
                           std::vector<LayoutBlock> blocks)
    : va_{va}, dtype_{dtype}, shape_{shape}, name_{std::move(name)}, blocks_{std::move(blocks)} {
  std::erase_if(blocks_, [](const LayoutBlock& block) { return block.elements() == 0; });
  std::ranges::sort(
      blocks_, {}, [](const LayoutBlock& block) { return std::tuple{block.row0, block.col0, block.offset}; });
  const auto same = std::ranges::unique(
      blocks_, {}, [](const LayoutBlock& block) { return std::pair{block.row0, block.col0}; });
  blocks_.erase(same.begin(), same.end());
  by_offset_ = blocks_;
  std::ranges::sort(by_offset_, {}, &LayoutBlock::offset);
}

const LayoutBlock* TensorLayout::block_at(std::uint64_t va) const {
  if (va < va_) return nullptr;
  const auto element = static_cast<std::int64_t>(va - va_) / itemsize(dtype_);
  const auto after = std::ranges::upper_bound(by_offset_, element, {}, &LayoutBlock::offset);
  if (after == by_offset_.begin()) return nullptr;
  const LayoutBlock& block = *std::prev(after);
  return element < block.offset + block.elements() ? &block : nullptr;
}

void TensorLayout::row(std::int64_t row, std::int64_t first_col, std::int64_t count, const Run& run) const {
  const std::int64_t end = first_col + count;
  // Blocks of one row of blocks have the same rows, so the last one that begins no later has this row.
  auto block = std::ranges::upper_bound(blocks_, std::pair{row, first_col}, {},
                                        [](const LayoutBlock& one) { return std::pair{one.row0, one.col0}; });
  if (block == blocks_.begin()) return;
  const std::int64_t band = std::prev(block)->row0;
  block = std::ranges::upper_bound(blocks_, std::pair{band, first_col}, {},
                                   [](const LayoutBlock& one) { return std::pair{one.row0, one.col0}; });
  for (--block; block != blocks_.end() && block->row0 == band && block->col0 < end; ++block) {
    const std::int64_t from = std::max(first_col, block->col0);
    const std::int64_t to = std::min(end, block->col0 + block->cols);
    if (from < to) run(block->offset + (row - block->row0) * block->cols + from - block->col0, to - from);
  }
}

}  // namespace kbsim
