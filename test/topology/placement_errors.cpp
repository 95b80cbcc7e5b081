#include <limits>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/topology/placement.hpp"

using namespace kbsim;
using namespace kbsim::topology;

namespace {

void check_refused(const DPPolicy& policy, const Shape& shape, const std::string& text) {
  CHECK_THROWS_WITH_AS((void)resolve_dp_policy(policy, shape, 2, 8, 16, 0), text.c_str(), UsageError);
}

void check_refused(int itemsize, int num_pe, int num_cubes, int sip, const std::string& text) {
  CHECK_THROWS_WITH_AS((void)resolve_dp_policy({}, {4, 4}, itemsize, num_pe, num_cubes, sip), text.c_str(),
                       UsageError);
}

}  // namespace

TEST_CASE("resolve_dp_policy: more units than the machine has, or none, are refused") {
  check_refused({.num_pes = 9}, {4, 4}, "placement: DPPolicy.num_pes is 9, expected 1 to 8");
  check_refused({.num_pes = 0}, {4, 4}, "placement: DPPolicy.num_pes is 0, expected 1 to 8");
  check_refused({.num_cubes = 17}, {4, 4}, "placement: DPPolicy.num_cubes is 17, expected 1 to 16");
  check_refused({.num_cubes = -1}, {4, 4}, "placement: DPPolicy.num_cubes is -1, expected 1 to 16");
}

TEST_CASE("resolve_dp_policy: empty and uncountable tensors are refused") {
  check_refused({}, {0, 4}, "placement: shape [0, 4], expected 1 to 2^50 elements");
  check_refused({}, {4, -1}, "placement: shape [4, -1], expected 1 to 2^50 elements");
  check_refused({}, {1LL << 32, 1LL << 32},
                "placement: shape [4294967296, 4294967296], expected 1 to 2^50 elements");
  CHECK_THROWS_AS((void)resolve_dp_policy({}, {1LL << 31, 1LL << 31}, 2, 1, 1, 0), UsageError);
}

TEST_CASE("resolve_dp_policy: empty tiles are refused, tiles larger than the tensor aren't") {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  check_refused({.pe = Split::tiled_row_major, .tile = {.rows = 0}}, {4, 4},
                "placement: DPPolicy.tile.rows is 0, expected 1 to 9223372036854775807");
  check_refused({.pe = Split::tiled_row_major, .tile = {.cols = -2}}, {4, 4},
                "placement: DPPolicy.tile.cols is -2, expected 1 to 9223372036854775807");
  const DPPolicy policy{.pe = Split::tiled_row_major, .tile = {kHuge, kHuge}};
  CHECK(resolve_dp_policy(policy, {4, 4}, 2, 8, 1, 0).size() == 1);
}

TEST_CASE("resolve_dp_policy: a machine and a SIP that addresses can name") {
  check_refused(0, 8, 16, 0, "placement: itemsize is 0, expected 1 to 8");
  check_refused(2, 0, 16, 0, "placement: num_pe is 0, expected 1 to 1024");
  check_refused(2, 1025, 16, 0, "placement: num_pe is 1025, expected 1 to 1024");
  check_refused(2, 8, 33, 0, "placement: num_cubes is 33, expected 1 to 32");
  check_refused(2, 8, 16, 256, "placement: target_sip is 256, expected 0 to 255");
  check_refused(2, 8, 16, -1, "placement: target_sip is -1, expected 0 to 255");
}

TEST_CASE("scatter, gather: too few bytes are refused") {
  const auto shards = resolve_dp_policy({.pe = Split::column_wise}, {2, 4}, 2, 2, 1, 0);
  std::vector<std::byte> tensor(15);
  CHECK_THROWS_WITH_AS((void)scatter(tensor, shards[1]),
                       "placement: a tensor of 15 bytes, expected at least 16", UsageError);
  tensor.resize(16);
  const std::vector<std::byte> part(7);
  CHECK_THROWS_WITH_AS(gather(part, shards[1], tensor), "placement: a shard of 7 bytes, expected at least 8",
                       UsageError);
}
