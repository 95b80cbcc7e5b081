#include <algorithm>

#include "kbsim/hw/pe/composite_job.hpp"

namespace kbsim::hw {
namespace {

using Run = TilePlan::Run;

struct Stretch {
  std::int64_t first;
  std::int64_t size;
};

Stretch part(std::int64_t index, std::int64_t step, std::int64_t extent) {
  const std::int64_t first = index * step;
  return {.first = first, .size = std::min(step, extent - first)};
}

// The runs of a block of a row-major array, given by its rows and columns; adjoining rows are one run.
PoolVector<Run> block(const Stretch& rows, const Stretch& columns, std::int64_t width, std::int64_t item) {
  const std::int64_t first = rows.first * width + columns.first;
  if (columns.size == width) return {{.offset = first * item, .bytes = Bytes{rows.size * width * item}}};
  PoolVector<Run> runs;
  runs.reserve(static_cast<std::size_t>(rows.size));
  for (std::int64_t row = 0; row < rows.size; ++row)
    runs.emplace_back((first + row * width) * item, Bytes{columns.size * item});
  return runs;
}

}  // namespace

TilePlan::TilePlan(const CompositeCommand& command, GemmTile tile)
    : gemm_{command.op == Op::gemm},
      tile_{tile},
      rows_{gemm_ ? command.shape[0] : 1},
      depth_{gemm_ ? command.a.shape[1] : 1},
      columns_{gemm_ ? command.shape[1] : command.shape.elements()},
      in_size_{itemsize(command.a.dtype)},
      out_size_{itemsize(command.dtype)} {
  if (!gemm_) tile_ = {.m = 1, .k = 1, .n = tile.m * tile.n};
  m_ = ceil_div(rows_, tile_.m);
  n_ = ceil_div(columns_, tile_.n);
  k_ = ceil_div(depth_, tile_.k);
}

bool TilePlan::countable() const {
  std::int64_t all = 1;
  for (const std::int64_t factor : {m_, n_, k_, tile_.m, tile_.n, tile_.k}) {
    if (__builtin_mul_overflow(all, factor, &all)) return false;
  }
  return true;
}

bool TilePlan::first_use(int operand, std::int64_t tile) const {
  if (!gemm_) return true;
  return operand == 0 ? tile / k_ % n_ == 0 : tile / (k_ * n_) == 0;
}

Bytes TilePlan::operand_bytes(int operand) const {
  if (!gemm_) return Bytes{tile_.n * in_size_};
  return Bytes{(operand == 0 ? tile_.m : tile_.n) * tile_.k * in_size_};
}

PoolVector<Run> TilePlan::operand_runs(int operand, std::int64_t tile) const {
  const Stretch k = part(tile % k_, tile_.k, depth_);
  const Stretch n = part(tile / k_ % n_, tile_.n, columns_);
  const Stretch m = part(tile / (k_ * n_), tile_.m, rows_);
  if (!gemm_) return block(m, n, columns_, in_size_);
  return operand == 0 ? block(m, k, depth_, in_size_) : block(k, n, columns_, in_size_);
}

PoolVector<Run> TilePlan::output_runs(std::int64_t tile) const {
  const Stretch n = part(tile / k_ % n_, tile_.n, columns_);
  const Stretch m = part(tile / (k_ * n_), tile_.m, rows_);
  return block(m, n, columns_, out_size_);
}

Bytes scheduler_bytes(const CompositeCommand& command, const TilePlan& plan) {
  Bytes bytes{};
  if (!command.a.tile) bytes += plan.operand_bytes(0);
  if (!command.b.tile) bytes += plan.operand_bytes(1);
  if (command.out) bytes += Bytes{plan.output_elements() * itemsize(command.accumulator)};
  return bytes;
}

std::size_t stages_of(const CompositeCommand& command) {
  const bool in = !command.a.tile || !command.b.tile;
  return 2 + std::size_t{in} + std::size_t{!command.epilogue.empty()} + std::size_t{command.out.has_value()};
}

}  // namespace kbsim::hw
