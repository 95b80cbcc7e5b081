#include "kbsim/topology/placement.hpp"

#include <type_traits>

#include <doctest/doctest.h>

using namespace kbsim;
using namespace kbsim::topology;

namespace {

constexpr int kF16 = 2;  // bytes

struct Placed {
  int cube, pe;
  std::int64_t offset;
  Block block;
};

/// Checks the shards of SIP 0 of a tensor with `cols` columns against the whole expected list.
void check_shards(const std::vector<ShardSpec>& shards, std::int64_t cols,
                  const std::vector<Placed>& expected) {
  REQUIRE(shards.size() == expected.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    CAPTURE(i);
    const Placed& e = expected[i];
    CHECK(shards[i] == ShardSpec{.at = {.sip = 0, .cube = e.cube, .pe = e.pe},
                                 .offset_bytes = e.offset,
                                 .nbytes = Bytes{e.block.elements() * kF16},
                                 .block = e.block,
                                 .tensor_cols = cols});
  }
}

}  // namespace

TEST_CASE("resolve_dp_policy: replicate gives every PE a copy at the same place") {
  const Block all{0, 4, 0, 6};
  check_shards(resolve_dp_policy({}, {4, 6}, kF16, 2, 2, 0), 6,
               {{0, 0, 0, all}, {0, 1, 0, all}, {1, 0, 0, all}, {1, 1, 0, all}});
}

TEST_CASE("resolve_dp_policy: row_wise over cubes and PEs follows the tensor's own order") {
  check_shards(resolve_dp_policy({.cube = Split::row_wise, .pe = Split::row_wise}, {4, 6}, kF16, 2, 2, 0), 6,
               {{0, 0, 0, {0, 1, 0, 6}},
                {0, 1, 12, {1, 1, 0, 6}},
                {1, 0, 24, {2, 1, 0, 6}},
                {1, 1, 36, {3, 1, 0, 6}}});
}

TEST_CASE("resolve_dp_policy: column_wise shards are sub-matrices, laid out one after the other") {
  check_shards(resolve_dp_policy({.pe = Split::column_wise}, {4, 6}, kF16, 3, 1, 0), 6,
               {{0, 0, 0, {0, 4, 0, 2}}, {0, 1, 16, {0, 4, 2, 2}}, {0, 2, 32, {0, 4, 4, 2}}});
}

TEST_CASE("resolve_dp_policy: an uneven split gives the first units one more") {
  check_shards(resolve_dp_policy({.pe = Split::row_wise}, {8, 1}, kF16, 3, 1, 0), 1,
               {{0, 0, 0, {0, 3, 0, 1}}, {0, 1, 6, {3, 3, 0, 1}}, {0, 2, 12, {6, 2, 0, 1}}});
  check_shards(resolve_dp_policy({.cube = Split::column_wise}, {1, 5}, kF16, 1, 2, 0), 5,
               {{0, 0, 0, {0, 1, 0, 3}}, {1, 0, 6, {0, 1, 3, 2}}});
}

TEST_CASE("resolve_dp_policy: a unit that gets nothing has no shard") {
  check_shards(resolve_dp_policy({.pe = Split::row_wise}, {2, 3}, kF16, 4, 1, 0), 3,
               {{0, 0, 0, {0, 1, 0, 3}}, {0, 1, 6, {1, 1, 0, 3}}});
}

TEST_CASE("resolve_dp_policy: the PEs split what their cube holds") {
  check_shards(
      resolve_dp_policy({.cube = Split::row_wise, .pe = Split::column_wise}, {2, 4}, kF16, 2, 2, 0), 4,
      {{0, 0, 0, {0, 1, 0, 2}}, {0, 1, 4, {0, 1, 2, 2}}, {1, 0, 8, {1, 1, 0, 2}}, {1, 1, 12, {1, 1, 2, 2}}});
  check_shards(
      resolve_dp_policy({.cube = Split::replicate, .pe = Split::row_wise}, {2, 4}, kF16, 2, 2, 0), 4,
      {{0, 0, 0, {0, 1, 0, 4}}, {0, 1, 8, {1, 1, 0, 4}}, {1, 0, 0, {0, 1, 0, 4}}, {1, 1, 8, {1, 1, 0, 4}}});
  check_shards(
      resolve_dp_policy({.cube = Split::row_wise, .pe = Split::replicate}, {2, 4}, kF16, 2, 2, 0), 4,
      {{0, 0, 0, {0, 1, 0, 4}}, {0, 1, 0, {0, 1, 0, 4}}, {1, 0, 8, {1, 1, 0, 4}}, {1, 1, 8, {1, 1, 0, 4}}});
}

TEST_CASE("resolve_dp_policy: num_cubes and num_pes keep to the first units") {
  const DPPolicy policy{.cube = Split::row_wise, .num_cubes = 2, .num_pes = 1};
  check_shards(resolve_dp_policy(policy, {4, 2}, kF16, 8, 16, 0), 2,
               {{0, 0, 0, {0, 2, 0, 2}}, {1, 0, 8, {2, 2, 0, 2}}});
}

TEST_CASE("resolve_dp_policy: tiles are dealt in turn, columns first or rows first") {
  DPPolicy policy{.pe = Split::tiled_column_major, .tile = {.rows = 2, .cols = 2}};
  const Block nw{0, 2, 0, 2};
  const Block ne{0, 2, 2, 1};
  const Block sw{2, 1, 0, 2};
  const Block se{2, 1, 2, 1};
  check_shards(resolve_dp_policy(policy, {3, 3}, kF16, 2, 1, 0), 3,
               {{0, 0, 0, nw}, {0, 0, 8, sw}, {0, 1, 12, ne}, {0, 1, 16, se}});
  policy.pe = Split::tiled_row_major;
  check_shards(resolve_dp_policy(policy, {3, 3}, kF16, 2, 1, 0), 3,
               {{0, 0, 0, nw}, {0, 0, 8, ne}, {0, 1, 12, sw}, {0, 1, 16, se}});
}

TEST_CASE("resolve_dp_policy: tiles of the cubes are dealt on to their PEs") {
  const DPPolicy policy{.cube = Split::tiled_column_major, .pe = Split::tiled_column_major, .tile = {1, 1}};
  check_shards(resolve_dp_policy(policy, {1, 6}, kF16, 2, 2, 0), 6,
               {{0, 0, 0, {0, 1, 0, 1}},
                {0, 0, 2, {0, 1, 4, 1}},
                {0, 1, 4, {0, 1, 2, 1}},
                {1, 0, 6, {0, 1, 1, 1}},
                {1, 0, 8, {0, 1, 5, 1}},
                {1, 1, 10, {0, 1, 3, 1}}});
}

TEST_CASE("resolve_dp_policy: vectors are one row, leading axes are flattened into rows") {
  check_shards(resolve_dp_policy({}, {7}, kF16, 1, 1, 0), 7, {{0, 0, 0, {0, 1, 0, 7}}});
  check_shards(resolve_dp_policy({}, {}, kF16, 1, 1, 0), 1, {{0, 0, 0, {0, 1, 0, 1}}});
  check_shards(resolve_dp_policy({.pe = Split::row_wise}, {2, 3, 5}, kF16, 2, 1, 0), 5,
               {{0, 0, 0, {0, 3, 0, 5}}, {0, 1, 30, {3, 3, 0, 5}}});
  static_assert(!std::is_constructible_v<Shape, int, int, int, int, int, int>,
                "a tensor has at most five axes");
}

TEST_CASE("Split: prints its name") {
  CHECK(to_string(Split::replicate) == "replicate");
  CHECK(to_string(Split::row_wise) == "row_wise");
  CHECK(to_string(Split::column_wise) == "column_wise");
  CHECK(to_string(Split::tiled_row_major) == "tiled_row_major");
  CHECK(to_string(Split::tiled_column_major) == "tiled_column_major");
}
