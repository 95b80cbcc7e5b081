#include "local_parts.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

#include "tensor_state.hpp"

namespace kbsim::host {
namespace {

using topology::Block;

bool contains(const Block& outer, const Block& inner) {
  return outer.row0 <= inner.row0 && inner.row0 + inner.rows <= outer.row0 + outer.rows &&
         outer.col0 <= inner.col0 && inner.col0 + inner.cols <= outer.col0 + outer.cols;
}

// Whether the shards of one copy are rows that follow each other.
bool in_rows(const std::vector<LocalPart>& parts) {
  const Block& first = parts.front().block;
  std::int64_t row = 0;
  return std::ranges::all_of(parts, [&](const LocalPart& part) {
    const bool next = part.block.row0 == row && part.block.cols == first.cols;
    row += part.block.rows;
    return next;
  });
}

}  // namespace

Block matrix_of(const Shape& shape) {
  const std::int64_t cols = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  return {.rows = shape.elements() / cols, .cols = cols};
}

LocalParts::LocalParts(const Tensor& tensor) : everywhere_{tensor.state()->shared} {
  if (!add_shards(tensor) && !add_rows(tensor) && !add_part(tensor))
    throw UsageError{fmt::format(
        "{} of tensor '{}' of {}: its elements lie on several PEs; copy it to a "
        "tensor of its own",
        kbsim::to_string(tensor.shape()), tensor.name(), kbsim::to_string(tensor.state()->shape))};
  const Block matrix = matrix_of(tensor.shape());
  if (everywhere_ && all_.size() > 1 && in_rows(all_))
    all_ = {LocalPart{all_.front().pe, matrix, {tensor.ptr(), matrix.cols}}};
}

// The whole tensor, under a shape with the same rows.
bool LocalParts::add_shards(const Tensor& tensor) {
  const Tensor::State& state = *tensor.state();
  if (!tensor.elements().whole()) return false;
  if (matrix_of(tensor.shape()).cols != matrix_of(state.shape).cols) return false;
  for (const Shard& shard : state.shards)
    all_.push_back(
        {.pe = shard.spec.at,
         .block = shard.spec.block,
         .memory = {.at = tensor.ptr().bytes(shard.spec.offset_bytes), .row_stride = shard.spec.block.cols}});
  return true;
}

// Evenly spaced rows of a tensor that is whole on each of its PEs.
bool LocalParts::add_rows(const Tensor& tensor) {
  const Tensor::State& state = *tensor.state();
  const auto whole = [&](const Shard& shard) {
    return shard.spec.block.elements() == state.shape.elements();
  };
  const std::optional<StridedRows> rows = tensor.elements().rows();
  if (!rows || !std::ranges::all_of(state.shards, whole)) return false;
  for (const Shard& shard : state.shards) {
    const Ptr first = Ptr{.va = *state.va, .dtype = state.dtype}.bytes(shard.spec.offset_bytes) + rows->first;
    all_.push_back({.pe = shard.spec.at,
                    .block = matrix_of(tensor.shape()),
                    .memory = {.at = first, .row_stride = rows->row_stride}});
  }
  return true;
}

// Consecutive elements that are all on each PE.
bool LocalParts::add_part(const Tensor& tensor) {
  if (!tensor.elements().contiguous()) return false;
  const Block matrix = matrix_of(tensor.shape());
  for (const Shard& shard : tensor.shards()) {
    if (shard.spec.block.elements() != matrix.elements()) return false;
    all_.push_back(
        {.pe = shard.spec.at,
         .block = matrix,
         .memory = {.at = tensor.ptr().bytes(shard.spec.offset_bytes), .row_stride = matrix.cols}});
  }
  return true;
}

std::optional<MatrixPart> LocalParts::at(PeCoord pe, const Block& block) const {
  const auto has = [&](const LocalPart& part) {
    return (everywhere_ || part.pe == pe) && contains(part.block, block);
  };
  const auto found = std::ranges::find_if(all_, has);
  if (found == all_.end()) return std::nullopt;
  const std::int64_t stride = found->memory.row_stride;
  const std::int64_t first = (block.row0 - found->block.row0) * stride + (block.col0 - found->block.col0);
  return MatrixPart{.at = found->memory.at + first, .row_stride = stride};
}

std::string text_of(const topology::DPPolicy& policy) {
  std::vector<std::string> fields;
  using topology::Split;
  if (policy.cube != Split::replicate) fields.push_back(fmt::format(".cube = {}", to_string(policy.cube)));
  if (policy.pe != Split::replicate) fields.push_back(fmt::format(".pe = {}", to_string(policy.pe)));
  if (fields.empty()) fields.emplace_back("replicate");
  if (policy.num_cubes) fields.push_back(fmt::format(".num_cubes = {}", *policy.num_cubes));
  if (policy.num_pes) fields.push_back(fmt::format(".num_pes = {}", *policy.num_pes));
  return fmt::format("{{{}}}", fmt::join(fields, ", "));
}

}  // namespace kbsim::host
