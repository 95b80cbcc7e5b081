#include "kbsim/topology/placement.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <range/v3/numeric/accumulate.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/address.hpp"

#include "block_split.hpp"

namespace kbsim::topology {
namespace {

/// State of placing one tensor in the cubes of one SIP.
struct Layout {
  Block tensor;
  int itemsize;
  DPPolicy policy;

  [[nodiscard]] std::int64_t bytes(const Blocks& blocks) const {
    return ranges::accumulate(blocks, std::int64_t{0}, {}, &Block::elements) * itemsize;
  }

  /// Divides a cube's blocks among its PEs, from `offset` on.
  void place(const Blocks& in_cube, PeCoord at, int pes, std::int64_t offset,
             std::vector<ShardSpec>& to) const {
    for (at.pe = 0; at.pe < pes; ++at.pe) {
      const Blocks blocks = share(in_cube, policy.pe, at.pe, pes, policy.tile);
      append(blocks, at, offset, to);
      if (policy.pe != Split::replicate) offset += bytes(blocks);
    }
  }

  void append(const Blocks& blocks, PeCoord at, std::int64_t offset, std::vector<ShardSpec>& to) const {
    for (const Block& b : blocks) {
      const Bytes nbytes{b.elements() * itemsize};
      to.push_back(
          {.at = at, .offset_bytes = offset, .nbytes = nbytes, .block = b, .tensor_cols = tensor.cols});
      offset += nbytes.count();
    }
  }
};

void check_policy(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw UsageError{fmt::format("placement: {} is {}, expected {} to {}", name, value, least, most)};
  }
}

void check_policy(const DPPolicy& policy, int num_pe, int num_cubes) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  check_policy("num_pe", num_pe, 1, kMaxPes);
  check_policy("num_cubes", num_cubes, 1, kMaxCubes);
  check_policy("DPPolicy.num_pes", policy.num_pes.value_or(num_pe), 1, num_pe);
  check_policy("DPPolicy.num_cubes", policy.num_cubes.value_or(num_cubes), 1, num_cubes);
  check_policy("DPPolicy.tile.rows", policy.tile.rows, 1, kAny);
  check_policy("DPPolicy.tile.cols", policy.tile.cols, 1, kAny);
}

/// The tensor as one block; UsageError if it is empty or has too many elements.
Block matrix(const Shape& shape, int itemsize) {
  check_policy("itemsize", itemsize, 1, 8);
  const bool positive = std::ranges::all_of(shape.extents(), [](std::int64_t extent) { return extent > 0; });
  if (!positive || !shape.count())
    throw UsageError{fmt::format("placement: shape {}, expected 1 to 2^50 elements", to_string(shape))};
  const std::int64_t cols = shape.rank() == 0 ? 1 : shape[shape.rank() - 1];
  return {.rows = shape.elements() / cols, .cols = cols};
}

}  // namespace

std::string_view to_string(Split split) {
  constexpr std::array<std::string_view, 5> kNames{"replicate", "row_wise", "column_wise", "tiled_row_major",
                                                   "tiled_column_major"};
  return kNames[static_cast<std::size_t>(split)];
}

std::vector<ShardSpec> resolve_dp_policy(const DPPolicy& policy, const Shape& shape, int itemsize, int num_pe,
                                         int num_cubes, int target_sip) {
  check_policy("target_sip", target_sip, 0, kMaxSips - 1);
  check_policy(policy, num_pe, num_cubes);
  const Layout layout{.tensor = matrix(shape, itemsize), .itemsize = itemsize, .policy = policy};
  const int cubes = policy.num_cubes.value_or(num_cubes);
  const int pes = policy.num_pes.value_or(num_pe);
  std::vector<ShardSpec> shards;
  std::int64_t offset = 0;
  for (int cube = 0; cube < cubes; ++cube) {
    const Blocks blocks = share({layout.tensor}, policy.cube, cube, cubes, policy.tile);
    layout.place(blocks, {.sip = target_sip, .cube = cube}, pes, offset, shards);
    if (policy.cube != Split::replicate) offset += layout.bytes(blocks);
  }
  return shards;
}

}  // namespace kbsim::topology
