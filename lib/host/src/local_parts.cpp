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

LocalPart part_at(const Tensor& tensor, const Shard& shard, const Block& block) {
  return {.pe = shard.spec.at,
          .block = block,
          .memory = {.at = tensor.ptr().bytes(shard.spec.offset_bytes), .row_stride = block.cols}};
}

// The shards of one copy are rows that follow each other.
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
  const Block matrix = matrix_of(tensor.shape());
  const bool whole = tensor.shape().elements() == tensor.state()->shape.elements();
  const bool same_rows = whole && matrix.cols == matrix_of(tensor.state()->shape).cols;
  for (const Shard& shard : tensor.shards()) {
    const Block block = same_rows ? shard.spec.block : matrix;
    if (shard.spec.block.elements() == block.elements()) all_.push_back(part_at(tensor, shard, block));
  }
  if (all_.size() != tensor.shards().size())
    throw UsageError{fmt::format(
        "{} of tensor '{}' of {}: its elements lie on several PEs; copy it to a "
        "tensor of its own",
        kbsim::to_string(tensor.shape()), tensor.name(), kbsim::to_string(tensor.state()->shape))};
  if (everywhere_ && in_rows(all_)) all_ = {LocalPart{all_.front().pe, matrix, {tensor.ptr(), matrix.cols}}};
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

std::string to_string(const topology::DPPolicy& policy) {
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
