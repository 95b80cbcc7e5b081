#include <doctest/doctest.h>

#include "kbsim/topology/placement.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> result;
  for (const int v : values) result.push_back(static_cast<std::byte>(v));
  return result;
}

}  // namespace

TEST_CASE("scatter: a column shard is a row-major sub-matrix of the tensor") {
  const auto tensor = bytes({1, 2, 3, 4, 5, 6, 7, 8});  // [2, 4] of bytes
  const auto shards = resolve_dp_policy({.pe = Split::column_wise}, {2, 4}, 1, 2, 1, 0);
  CHECK(scatter(tensor, shards[0]) == bytes({1, 2, 5, 6}));
  CHECK(scatter(tensor, shards[1]) == bytes({3, 4, 7, 8}));
}

TEST_CASE("scatter: elements of several bytes stay whole") {
  const auto tensor = bytes({1, 2, 3, 4, 5, 6, 7, 8});  // [2, 2] of two bytes
  const auto shards = resolve_dp_policy({.pe = Split::column_wise}, {2, 2}, 2, 2, 1, 0);
  CHECK(scatter(tensor, shards[0]) == bytes({1, 2, 5, 6}));
}

TEST_CASE("gather: writes the shard's block and nothing else") {
  auto tensor = bytes({0, 0, 0, 0, 0, 0, 0, 0});
  const auto shards = resolve_dp_policy({.pe = Split::column_wise}, {2, 4}, 1, 2, 1, 0);
  gather(bytes({3, 4, 7, 8}), shards[1], tensor);
  CHECK(tensor == bytes({0, 0, 3, 4, 0, 0, 7, 8}));
}

TEST_CASE("scatter, gather: a shard without rows or columns has no bytes, and no place") {
  auto tensor = bytes({1, 2, 3, 4});
  for (const Block& none : {Block{.row0 = 1, .rows = 0, .col0 = 0, .cols = 2}, Block{.row0 = 0, .rows = 2}}) {
    const ShardSpec shard{.block = none, .tensor_cols = 2};
    CHECK(shard.element_bytes() == 0);
    CHECK(shard.position_bytes() == 0);
    CHECK(scatter(tensor, shard).empty());
    gather({}, shard, tensor);
    CHECK(tensor == bytes({1, 2, 3, 4}));
  }
}
