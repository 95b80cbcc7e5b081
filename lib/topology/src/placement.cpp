#include "kbsim/topology/placement.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/cartesian_product.hpp>
#include <range/v3/view/drop.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/stride.hpp>
#include <range/v3/view/transform.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::topology {
namespace {

namespace views = ranges::views;

using Blocks = std::vector<Block>;

struct Extent {
  std::int64_t first;
  std::int64_t count;
};

/// Part i of n; the first parts are one longer where n doesn't divide it.
Extent part(Extent whole, int i, int n) {
  const std::int64_t longer = whole.count % n;
  return {.first = whole.first + whole.count / n * i + std::min<std::int64_t>(i, longer),
          .count = whole.count / n + (i < longer ? 1 : 0)};
}

std::vector<Extent> cut(Extent whole, std::int64_t length) {
  return views::iota(std::int64_t{0}, ceil_div(whole.count, length)) | views::transform([=](std::int64_t i) {
           return Extent{.first = whole.first + i * length,
                         .count = std::min(length, whole.count - i * length)};
         }) |
         ranges::to<std::vector>;
}

Extent rows_of(const Block& b) { return {.first = b.row0, .count = b.rows}; }
Extent cols_of(const Block& b) { return {.first = b.col0, .count = b.cols}; }
Block block(Extent rows, Extent cols) {
  return {.row0 = rows.first, .rows = rows.count, .col0 = cols.first, .cols = cols.count};
}

Blocks tiles(const Block& whole, Split order, TileShape tile) {
  const auto rows = cut(rows_of(whole), tile.rows);
  const auto cols = cut(cols_of(whole), tile.cols);
  if (order == Split::tiled_column_major) {
    return views::cartesian_product(rows, cols) |
           views::transform([](const auto& t) { return block(std::get<0>(t), std::get<1>(t)); }) |
           ranges::to<std::vector>;
  }
  return views::cartesian_product(cols, rows) |
         views::transform([](const auto& t) { return block(std::get<1>(t), std::get<0>(t)); }) |
         ranges::to<std::vector>;
}

/// What unit i of n gets of `whole`.
Blocks share(const Blocks& whole, Split split, int i, int n, TileShape tile) {
  const auto of_each = [&](auto divide) {
    return whole | views::transform(divide) | views::filter(&Block::elements) | ranges::to<std::vector>;
  };
  switch (split) {
    case Split::replicate: return whole;
    case Split::row_wise:
      return of_each([=](const Block& b) { return block(part(rows_of(b), i, n), cols_of(b)); });
    case Split::column_wise:
      return of_each([=](const Block& b) { return block(rows_of(b), part(cols_of(b), i, n)); });
    case Split::tiled_row_major:
    case Split::tiled_column_major: break;
  }
  const auto all = whole | views::transform([=](const Block& b) { return tiles(b, split, tile); }) |
                   ranges::to<std::vector>;
  return all | views::join | views::drop(i) | views::stride(n) | ranges::to<std::vector>;
}

/// One tensor on its way into the cubes of one SIP.
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

void check(std::string_view name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw UsageError{fmt::format("placement: {} is {}, expected {} to {}", name, value, least, most)};
  }
}

void check_policy(const DPPolicy& policy, int num_pe, int num_cubes) {
  constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  check("num_pe", num_pe, 1, kMaxPes);
  check("num_cubes", num_cubes, 1, kMaxCubes);
  check("DPPolicy.num_pes", policy.num_pes.value_or(num_pe), 1, num_pe);
  check("DPPolicy.num_cubes", policy.num_cubes.value_or(num_cubes), 1, num_cubes);
  check("DPPolicy.tile.rows", policy.tile.rows, 1, kAny);
  check("DPPolicy.tile.cols", policy.tile.cols, 1, kAny);
}

/// The tensor as one block; UsageError if it is empty or its bytes can't be counted.
Block matrix(const Shape& shape, int itemsize) {
  check("itemsize", itemsize, 1, 8);
  std::int64_t bytes = itemsize;
  for (const std::int64_t extent : shape.extents()) {
    if (extent < 1 || __builtin_mul_overflow(bytes, extent, &bytes)) {
      throw UsageError{fmt::format("placement: no tensor has shape {}", to_string(shape))};
    }
  }
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
  check("target_sip", target_sip, 0, kMaxSips - 1);
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
