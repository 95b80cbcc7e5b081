// The users' documents record a tile's shard with its row-major position in the tensor, tile after tile.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "kbsim/topology/placement.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

// Their example: 1024 x 512 of f16 in tiles of 256 x 128, dealt out to 8 PEs.
constexpr std::int64_t kRowBytes = 512 * 2;
constexpr std::int64_t kTileBytes = 256 * 128 * 2;

std::vector<ShardSpec> shards_of_example(Split split) {
  return resolve_dp_policy({.pe = split, .tile = {.rows = 256, .cols = 128}}, {1024, 512}, 2, 8, 1, 0);
}

std::vector<ShardSpec> in_tile_order(std::vector<ShardSpec> shards, Split split) {
  std::ranges::sort(shards, TileOrder{split});
  return shards;
}

}  // namespace

TEST_CASE("checklist 7: in tile order a shard's position is its tile's, and PEs take turns") {
  for (const Split split : {Split::tiled_column_major, Split::tiled_row_major}) {
    CAPTURE(to_string(split));
    const std::vector<ShardSpec> shards = in_tile_order(shards_of_example(split), split);
    REQUIRE(shards.size() == 16);
    for (int i = 0; i < 16; ++i) {
      CAPTURE(i);
      const ShardSpec& shard = shards[static_cast<std::size_t>(i)];
      const bool along_rows = split == Split::tiled_column_major;
      const std::int64_t mi = along_rows ? i / 4 : i % 4;
      const std::int64_t ki = along_rows ? i % 4 : i / 4;
      CHECK(shard.position_bytes() == mi * 256 * kRowBytes + ki * 128 * 2);
      CHECK(shard.at == PeCoord{.pe = i % 8});
      CHECK(shard.nbytes == Bytes{kTileBytes});
    }
    const Bytes all = std::accumulate(shards.begin(), shards.end(), 0_B,
                                      [](Bytes sum, const ShardSpec& shard) { return sum + shard.nbytes; });
    CHECK(all == Bytes{1024 * kRowBytes});
  }
}

TEST_CASE("checklist 7: as virtual addresses, these positions of one PE's tiles would overlap") {
  const std::vector<ShardSpec> shards = shards_of_example(Split::tiled_row_major);
  REQUIRE(shards[1].at == shards[0].at);
  CHECK(shards[1].position_bytes() - shards[0].position_bytes() == 2 * 128 * 2);
  CHECK(shards[1].offset_bytes - shards[0].offset_bytes == kTileBytes);
}

TEST_CASE("checklist 7: a tile at the edge is as large as what there is, and positions are of f32, too") {
  const DPPolicy policy{.pe = Split::tiled_column_major, .tile = {.rows = 2, .cols = 3}};
  const std::vector<ShardSpec> shards =
      in_tile_order(resolve_dp_policy(policy, {3, 5}, 4, 2, 1, 0), Split::tiled_column_major);
  REQUIRE(shards.size() == 4);
  CHECK(shards[0].position_bytes() == 0);
  CHECK(shards[1].position_bytes() == 3 * 4);
  CHECK(shards[2].position_bytes() == 2 * 5 * 4);
  CHECK(shards[3].position_bytes() == (2 * 5 + 3) * 4);
  CHECK(shards[3].nbytes == 8_B);
}

TEST_CASE("checklist 7: of splits without tiles the positions are those of their first elements") {
  const auto columns = resolve_dp_policy({.pe = Split::column_wise}, {4, 6}, 2, 3, 1, 0);
  CHECK(columns[2].position_bytes() == 4 * 2);
  CHECK(columns[2].offset_bytes == 2 * 4 * 2 * 2);
  const auto rows = resolve_dp_policy({.pe = Split::row_wise}, {4, 6}, 2, 2, 1, 0);
  CHECK(rows[1].position_bytes() == rows[1].offset_bytes);
  const auto copies = resolve_dp_policy({}, {4, 6}, 2, 2, 1, 0);
  CHECK(copies[1].position_bytes() == 0);
  CHECK_FALSE(TileOrder{}(copies[0], copies[1]));
}
