// A kernel in the mock by one call: ranks, a topology by its name, inputs and outputs by rank.
#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/mock/run.hpp"
#include "kbsim/tl/kernel.hpp"

namespace kbsim::test::mock_run_test {
namespace {

using Rows = std::vector<std::vector<double>>;

// Rank r has r + 1, r + 2, ...
Rows rows(int ranks, std::int64_t n) {
  Rows all(static_cast<std::size_t>(ranks), std::vector<double>(static_cast<std::size_t>(n)));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    std::iota(all[rank].begin(), all[rank].end(), static_cast<double>(rank + 1));
  return all;
}

Rows summed(const Rows& of) {
  std::vector<double> sum(of.front().size());
  for (const std::vector<double>& row : of) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += row[i];
  }
  return Rows(of.size(), sum);
}

struct ScaleRankArgs {
  mock::RankData of;
};

Task<> scales_by_rank(TL& tl, ScaleRankArgs args) {
  tl.check(tl.program_id(1) * tl.num_programs(0) + tl.program_id(0) == args.of.rank, "numbered flat");
  const Tile x = co_await tl.load(args.of.data, {args.of.n_elem}, args.of.data.dtype);
  co_await tl.store(args.of.data, x * static_cast<double>(args.of.rank));
}
KBSIM_KERNEL(scales_by_rank, "each rank's numbers times the rank");

struct NothingArgs {};
Task<> sends_north(TL& tl, NothingArgs) { co_await tl.send({.dir = Dir::N, .src = tl.zeros({1}, f16)}); }
KBSIM_KERNEL(sends_north, "sends N, whatever is there");

}  // namespace

TEST_CASE("checklist 24: all-reduces in one call, over a ring, a mesh and a tree of PEs") {
  const Rows eight = rows(8, 16);
  CHECK(mock::run({.kernel = "ring_allreduce", .world_size = 8, .inputs = eight}) == summed(eight));
  const Rows four = rows(4, 16);
  CHECK(mock::run({.kernel = "mesh_allreduce", .world_size = 4, .topology = "mesh_2d", .inputs = four}) ==
        summed(four));
  const Rows seven = rows(7, 16);
  CHECK(
      mock::run({.kernel = "tree_allreduce", .world_size = 7, .topology = "tree_binary", .inputs = seven}) ==
      summed(seven));
  CHECK(mock::run({.kernel = "ring_allreduce", .inputs = rows(1, 3)}) == rows(1, 3));
}

TEST_CASE("checklist 24: ranks go over cubes, in any dtype, with the number of slots asked for") {
  const Rows sixteen = rows(16, 5);
  CHECK(mock::run({.kernel = "ring_allreduce",
                   .world_size = 16,
                   .inputs = sixteen,
                   .pes_per_cube = 8,
                   .dtype = f32,
                   .queues = {.slots = 1}}) == summed(sixteen));
}

TEST_CASE("checklist 24: hello_send in a ring of PEs gives each rank the one's before") {
  Rows expected = rows(8, 8);
  std::ranges::rotate(expected, expected.end() - 1);
  CHECK(mock::run({.kernel = "hello_send", .world_size = 8, .inputs = rows(8, 8)}) == expected);
}

TEST_CASE("checklist 24: a kernel of any arguments gets its rank's data; memory is what it stored") {
  const auto args = [](const mock::RankData& of) -> std::any { return ScaleRankArgs{of}; };
  const Rows outputs = mock::run({.kernel = "scales_by_rank",
                                  .world_size = 3,
                                  .topology = "none",
                                  .inputs = {{1, 2}, {3}, {4, 5, 6}},
                                  .args = args,
                                  .pes_per_cube = 2});
  CHECK(outputs == Rows{{0, 0}, {3}, {8, 10, 12}});
}

TEST_CASE("checklist 24: wrong numbers of inputs, unknown names and directions are reported") {
  CHECK_THROWS_WITH_AS((void)mock::run({.kernel = "ring_allreduce", .world_size = 3, .inputs = rows(2, 1)}),
                       doctest::Contains("inputs of 2 ranks, but world_size=3"), UsageError);
  CHECK_THROWS_WITH_AS(
      (void)mock::run(
          {.kernel = "ring_allreduce", .world_size = 2, .topology = "ring_2d", .inputs = rows(2, 1)}),
      doctest::Contains("unknown neighbour topology 'ring_2d'"), UsageError);
  CHECK_THROWS_WITH_AS((void)mock::run({.kernel = "sends_north",
                                        .world_size = 2,
                                        .inputs = rows(2, 1),
                                        .args = [](const auto&) -> std::any { return NothingArgs{}; }}),
                       doctest::Contains("send: no queue 'N' on sip0.cube0.pe0; installed: E, W"), Error);
}

}  // namespace kbsim::test::mock_run_test
