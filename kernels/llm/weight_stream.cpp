#include "kbsim/kernels/llm/weight_stream.hpp"

namespace kbsim::llm {
namespace {

std::int64_t bytes_of(const WeightBlock& block) {
  return Shape{block.rows, block.cols}.bytes(block.at.dtype).count();
}

}  // namespace

Pending<Tile> WeightStream::load(const WeightBlock& block) const {
  const Shape shape{block.rows, block.cols};
  if (block.cols == block.row_stride) return tl_.load(block.at, shape, block.at.dtype);
  const Descriptor rows =
      tl_.make_desc({.base = block.at, .shape = shape, .strides = {block.row_stride, 1}, .block = shape});
  return rows.load({0, 0});
}

bool WeightStream::wants_more() const {
  return started_ < blocks_.size() && (bytes_ < kBytesAhead || under_way_.size() < kBlocksAhead);
}

void WeightStream::start() {
  while (wants_more()) {
    under_way_.push_back(load(blocks_[started_]));
    bytes_ += bytes_of(blocks_[started_]);
    ++started_;
  }
}

Task<Tile> WeightStream::next() {
  start();
  bytes_ -= bytes_of(blocks_[started_ - under_way_.size()]);
  const Tile block = co_await under_way_.front();
  under_way_.pop_front();
  start();
  co_return block;
}

}  // namespace kbsim::llm
