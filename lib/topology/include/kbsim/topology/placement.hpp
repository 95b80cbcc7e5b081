#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"

namespace kbsim::topology {

/// The division of a matrix among units. The tiled ones cut it into tiles and assign these to units in turn:
/// tiled_column_major goes along the columns first (the tiles of a row one after the other), tiled_row_major
/// along the rows first.
enum class Split : std::uint8_t { replicate, row_wise, column_wise, tiled_row_major, tiled_column_major };
[[nodiscard]] std::string_view to_string(Split split);

struct TileShape {
  std::int64_t rows = 32;
  std::int64_t cols = 32;
};

/// The placement of a tensor in one SIP: divided among its cubes, then each cube's part among the cube's PEs.
struct DPPolicy {
  Split cube = Split::replicate;
  Split pe = Split::replicate;
  std::optional<int> num_cubes = {};  // the first ones; all of them if not given
  std::optional<int> num_pes = {};    // of each cube
  TileShape tile = {};                // of the tiled splits
};

/// A part of a matrix: rows [row0, row0 + rows), columns [col0, col0 + cols).
struct Block {
  std::int64_t row0 = 0;
  std::int64_t rows = 0;
  std::int64_t col0 = 0;
  std::int64_t cols = 0;

  [[nodiscard]] constexpr std::int64_t elements() const { return rows * cols; }
  friend constexpr bool operator==(const Block&, const Block&) = default;
};

/// One PE's part of a tensor: a block, row-major and contiguous. The tensor is seen as a matrix whose columns
/// are its last axis; a vector or scalar is one row.
struct ShardSpec {
  PeCoord at;
  std::int64_t offset_bytes = 0;  // in the tensor's virtual range
  Bytes nbytes{};
  Block block;
  std::int64_t tensor_cols = 0;  // of the whole matrix

  /// Bytes of an element; 0 for a shard without elements, which no placement has.
  [[nodiscard]] constexpr std::int64_t element_bytes() const {
    return block.elements() == 0 ? 0 : nbytes.count() / block.elements();
  }

  /// Bytes before its first element in the whole row-major tensor, wherever it lies in the virtual range.
  [[nodiscard]] constexpr std::int64_t position_bytes() const {
    return (block.row0 * tensor_cols + block.col0) * element_bytes();
  }

  friend constexpr bool operator==(const ShardSpec&, const ShardSpec&) = default;
};

/// Sorts shards in the order in which a tiled split assigns its tiles, whatever their PEs: tiled_row_major
/// goes down the columns of tiles, every other split along the rows. Replicas are equal.
struct TileOrder {
  Split split = Split::tiled_column_major;

  [[nodiscard]] constexpr bool operator()(const ShardSpec& a, const ShardSpec& b) const {
    const auto key = [this](const Block& tile) {
      return split == Split::tiled_row_major ? std::pair{tile.col0, tile.row0}
                                             : std::pair{tile.row0, tile.col0};
    };
    return key(a.block) < key(b.block);
  }
};

/// The shards of a tensor on `target_sip`, of a machine with `num_cubes` cubes per SIP and `num_pe` PEs per
/// cube. Uneven splits give the first units one row or column more. An empty unit has no shard; a unit of a
/// tiled split has one shard per tile. In the virtual range, shards follow each other in this order; copies
/// share their place. UsageError names the impossible size or count.
[[nodiscard]] std::vector<ShardSpec> resolve_dp_policy(const DPPolicy& policy, const Shape& shape,
                                                       int itemsize, int num_pe, int num_cubes,
                                                       int target_sip);

/// The bytes of a shard, taken from those of the whole row-major tensor.
[[nodiscard]] std::vector<std::byte> scatter(std::span<const std::byte> tensor, const ShardSpec& shard);

/// Copies a shard's bytes to their place in the whole row-major tensor.
void gather(std::span<const std::byte> bytes, const ShardSpec& shard, std::span<std::byte> tensor);

}  // namespace kbsim::topology
