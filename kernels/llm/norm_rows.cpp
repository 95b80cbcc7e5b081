// Normalisation of each row of an activation, whose columns all cubes share: they exchange sums of rows.
#include "kbsim/kernels/llm/norm_rows.hpp"

#include <algorithm>

#include "kbsim/kernels/llm/chunk_rows.hpp"
#include "kbsim/kernels/llm/row_sums.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::llm::norms {
namespace {

constexpr std::int64_t kMostRows = 256;  // at once, and so many elements
constexpr std::int64_t kMostElements = 32768;

// This PE's part of the activations.
struct Own {
  Part rows, columns;
  Ptr x, y;
  [[nodiscard]] Ptr row(Ptr of, const Part& some) const { return of + some.begin * columns.size; }
};
Own own_part(const NormArgs& args, PePlace at) {
  return {.rows = {0, args.x.rows_of(args.grid, at.pe).size},
          .columns = args.x.columns_of(args.grid, at.cube),
          .x = args.x.part(args.grid, at),
          .y = args.y.part(args.grid, at)};
}

// Blocks of rows, alike on the same PE of all cubes. Their sums fit a slot.
std::vector<Part> blocks_of(const NormArgs& args, Part rows) {
  const std::int64_t of_slot = std::max<std::int64_t>(args.grid.slot_bytes / itemsize(f32), 1);
  const std::int64_t columns = std::max<std::int64_t>(args.x.columns_of(args.grid, 0).size, 1);
  const std::int64_t of_elements = std::max<std::int64_t>(kMostElements / columns, 1);
  return cut_evenly(rows, std::min({of_slot, of_elements, kMostRows}));
}

// The mean of each row [rows, 1] over the columns of all cubes. A PE without columns gives an empty tile.
Task<Tile> mean_of(TL& tl, NormArgs args, std::int64_t rows, Tile x) {
  const Tile own = x.empty() ? tl.zeros({rows, 1}) : tl.sum(x, {.axis = 1, .keep_dims = true});
  const Tile sum = co_await sum_over_cubes(tl, args.grid, own);
  co_return sum / static_cast<double>(args.x.cols);
}

Tile squares(const Tile& x) { return x.empty() ? x : x * x; }

// Empty without columns, or without a vector.
Task<Tile> load_vector(TL& tl, bool has, Ptr from, Part columns) {
  if (!has || columns.size == 0) co_return Tile{};
  const Tile vector = co_await tl.load(from + columns.begin, {1, columns.size}, from.dtype);
  co_return vector.to(f32);
}

Task<Tile> load_weight(TL& tl, NormArgs args, Part columns) {
  const Tile weight = co_await load_vector(tl, args.has_weight, args.weight, columns);
  co_return args.plus_one && !weight.empty() ? weight + 1.0 : weight;
}

Tile times(const Tile& x, const Tile& weight) { return weight.empty() ? x : x * weight; }
Tile plus(const Tile& x, const Tile& bias) { return bias.empty() ? x : x + bias; }

Task<Tile> load_rows(TL& tl, Own own, Part rows) {
  if (own.columns.size == 0) co_return Tile{};
  const Tile x = co_await tl.load(own.row(own.x, rows), {rows.size, own.columns.size}, own.x.dtype);
  co_return x.to(f32);
}

Task<> rms_norm_rows(TL& tl, NormArgs args) {
  const Own own = own_part(args, place_of(tl));
  const Tile weight = co_await load_weight(tl, args, own.columns);
  for (const Part rows : blocks_of(args, own.rows)) {
    const Tile x = co_await load_rows(tl, own, rows);
    const Tile mean = co_await mean_of(tl, args, rows.size, squares(x));
    if (x.empty()) continue;
    const Tile result = times(x * tl.rsqrt(mean + args.eps), weight);
    co_await tl.store(own.row(own.y, rows), result.to(own.y.dtype));
  }
}
KBSIM_KERNEL(rms_norm_rows, "root-mean-square normalisation of each row, on all PEs of a package");

Task<> layer_norm_rows(TL& tl, NormArgs args) {
  const Own own = own_part(args, place_of(tl));
  const Tile weight = co_await load_weight(tl, args, own.columns);
  const Tile bias = co_await load_vector(tl, args.has_bias, args.bias, own.columns);
  for (const Part rows : blocks_of(args, own.rows)) {
    const Tile x = co_await load_rows(tl, own, rows);
    const Tile mean = co_await mean_of(tl, args, rows.size, x);
    const Tile centred = x.empty() ? x : x - mean;
    const Tile variance = co_await mean_of(tl, args, rows.size, squares(centred));
    if (x.empty()) continue;
    const Tile normal = centred * tl.rsqrt(variance + args.eps);
    const Tile result = plus(times(normal, weight), bias);
    co_await tl.store(own.row(own.y, rows), result.to(own.y.dtype));
  }
}
KBSIM_KERNEL(layer_norm_rows, "layer normalisation of each row, on all PEs of a package");

}  // namespace
}  // namespace kbsim::llm::norms
