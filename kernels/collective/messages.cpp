#include "kbsim/kernels/messages.hpp"

#include <algorithm>

namespace kbsim::collective {
namespace {

// Some operations of two bf16 give f32: the vector keeps its dtype.
Tile narrowed(const Tile& tile, DType dtype) { return tile.dtype() == dtype ? tile : tile.to(dtype); }

std::int64_t index_of(TL& tl, const CollectiveArgs& args) {
  return std::int64_t{tl.program_id(1)} * args.pes + tl.program_id(0);
}

}  // namespace

Slice chunk_of(Slice whole, int index, int count) {
  const std::int64_t least = whole.size / count;
  const std::int64_t larger = whole.size % count;
  const auto start = [&](std::int64_t i) { return i * least + std::min(i, larger); };
  return {.first = whole.first + start(index), .size = start(index + 1) - start(index)};
}

Slices cut(Slice whole, std::int64_t most) {
  if (whole.size == 0) return {};
  Slices slices;
  const auto count = most > 0 ? static_cast<int>((whole.size + most - 1) / most) : 1;
  for (int i = 0; i < count; ++i) slices.push_back(chunk_of(whole, i, count));
  return slices;
}

Slices shifted(Slices slices, std::int64_t by) {
  for (Slice& slice : slices) slice.first += by;
  return slices;
}

Ptr own_data(TL& tl, const CollectiveArgs& args) { return args.data + index_of(tl, args) * args.n_elem; }

Ptr own_out(TL& tl, const CollectiveArgs& args, std::int64_t out_elems) {
  return args.out + index_of(tl, args) * out_elems;
}

Tile contribution(const Combination& to, const Tile& own) {
  if (to.op != Reduction::avg || to.count == 1) return own;
  return narrowed(own / static_cast<double>(to.count), own.dtype());
}

Tile combine(TL& tl, Reduction op, const Tile& a, const Tile& b) {
  if (a.dtype() == DType::boolean) return op == Reduction::min || op == Reduction::prod ? a & b : a | b;
  switch (op) {
    case Reduction::sum:
    case Reduction::avg: return narrowed(a + b, a.dtype());
    case Reduction::max: return narrowed(tl.maximum(a, b), a.dtype());
    case Reduction::min: return narrowed(tl.minimum(a, b), a.dtype());
    case Reduction::prod: return narrowed(a * b, a.dtype());
  }
  return {};
}

std::vector<std::pair<Slice, Tile>> paired(const Slices& slices, Tiles tiles) {
  std::vector<std::pair<Slice, Tile>> pairs;
  for (std::size_t i = 0; i < slices.size(); ++i) pairs.emplace_back(slices[i], std::move(tiles[i]));
  return pairs;
}

}  // namespace kbsim::collective
