// A collective on tensors that no installed algorithm fits picks one of the declared algorithms.
#include <cstdio>
#include <vector>

#include <doctest/doctest.h>

#include "choosing.hpp"
#include "sanitized.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct Placed {
  Shape shape;
  topology::DPPolicy dp;
};

double sum_of_ranks(int n) { return n * (n + 1) / 2.0; }

Task<> expect_values(Tensor x, std::vector<double> values) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == values);
}

std::vector<double> times(std::int64_t count, double value) {
  return std::vector<double>(static_cast<std::size_t>(count), value);
}

Task<> sums_anywhere(Rank& rk, Placed placed) {
  const int n = rk.dist.get_world_size();
  const Tensor x = co_await rk.torch.full(placed.shape, rk.index + 1.0, f32, {.dp = placed.dp});
  const Tensor y = co_await rk.torch.full(placed.shape, rk.index + 1.0, f32, {.dp = placed.dp});
  const auto first = rk.dist.all_reduce(x);
  const auto second = rk.dist.all_reduce(y, {.op = ReduceOp::max});
  co_await second;
  co_await first;
  co_await expect_values(x, times(placed.shape.elements(), sum_of_ranks(n)));
  co_await expect_values(y, times(placed.shape.elements(), n));
  co_await rk.dist.broadcast(y, {.src = n - 1});
  co_await rk.dist.all_reduce(x);
  co_await expect_values(x, times(placed.shape.elements(), n * sum_of_ranks(n)));
  const std::vector<int> ends = n == 1 ? std::vector{0} : std::vector{0, n - 1};
  const Group some = co_await rk.dist.new_group(ends);
  if (rk.dist.get_rank(some) >= 0) co_await rk.dist.all_reduce(y, {.group = some});
}

Task<> sums_what_is_placed(Rank& rk, Placed placed) {
  const Tensor x = co_await rk.torch.full(placed.shape, 1.0, f32, {.dp = placed.dp, .name = "x"});
  co_await rk.dist.all_reduce(x);
}

Task<> gathers_anywhere(Rank& rk, Placed placed) {
  const int n = rk.dist.get_world_size();
  const Tensor part = co_await rk.torch.full({3}, rk.index + 1.0, f32, {.dp = placed.dp});
  const Tensor whole = co_await rk.torch.zeros({3 * n}, f32, {.dp = placed.dp});
  co_await rk.dist.all_gather_into_tensor(whole, part);
  std::vector<double> expected;
  for (int rank = 0; rank < n; ++rank) expected.insert(expected.end(), 3, rank + 1.0);
  co_await expect_values(whole, expected);
  co_await rk.dist.reduce_scatter_tensor(part, whole);
  co_await expect_values(part, times(3, n * (rk.index + 1.0)));
}

Task<> exchanges_what_cannot_be_divided(Rank& rk, Placed placed) {
  const Tensor x = co_await rk.torch.full(placed.shape, 1.0, f32, {.dp = placed.dp, .name = "x"});
  const Tensor y = co_await rk.torch.full(placed.shape, 1.0, f32, {.dp = placed.dp, .name = "y"});
  co_await rk.dist.all_to_all_single(y, x);
}

// From one PE of each of four cubes to both PEs of two.
Task<> gathers_elsewhere(Rank& rk, Placed placed) {
  const int n = rk.dist.get_world_size();
  const Tensor x = co_await rk.torch.full(placed.shape, 1.0, f32, {.dp = placed.dp, .name = "x"});
  const topology::DPPolicy elsewhere{
      .cube = topology::Split::row_wise, .pe = topology::Split::row_wise, .num_cubes = 2};
  const Tensor y =
      co_await rk.torch.zeros({n * placed.shape[0], placed.shape[1]}, f32, {.dp = elsewhere, .name = "y"});
  co_await rk.dist.all_gather_into_tensor(y, x);
}

struct WithPlaced {
  Task<> (*worker)(Rank&, Placed) = nullptr;
  Placed placed = {};
};

Task<> choosing_main(Rank& main, WithPlaced with) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(with.worker, with.placed, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

}  // namespace

TEST_CASE("Choice: any placement of one shard a PE is reduced right: replicas, uneven and column-wise ones") {
  const std::vector<Placed> placements{
      {.shape = {4, 8}, .dp = {}},
      {.shape = {5, 8}, .dp = kRows},
      {.shape = {5, 7}, .dp = {.cube = topology::Split::column_wise, .pe = topology::Split::row_wise}},
      {.shape = {3, 2000}, .dp = {.cube = topology::Split::replicate, .pe = topology::Split::row_wise}},
      {.shape = {7}, .dp = kOnePe},
  };
  for (const int n : {1, 2, 3, 8}) {
    if (kbsim::test::kSanitized && n > 3) continue;
    for (const Placed& placed : placements) {
      CAPTURE(n);
      CAPTURE(to_string(placed.shape));
      Choosing{n}.run(choosing_main, {.worker = sums_anywhere, .placed = placed});
    }
  }
}

TEST_CASE("Choice: all-gather and reduce-scatter on one PE and on replicas") {
  for (const topology::DPPolicy& dp : {kOnePe, topology::DPPolicy{}})
    Choosing{3}.run(choosing_main, {.worker = gathers_anywhere, .placed = {.shape = {3}, .dp = dp}});
}

TEST_CASE("Choice: whatever the order of simultaneous events, a program takes the same time") {
  const auto time = [](std::optional<std::uint64_t> seed) {
    Choosing choosing{3, seed};
    choosing.run(choosing_main, {.worker = sums_anywhere, .placed = {.shape = {4, 8}, .dp = {}}});
    return choosing.session.sim().now();
  };
  const Time expected = time({});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) CHECK(time(seed) == expected);
}

TEST_CASE("Choice: it is reported, with the alternatives and their predicted times") {
  std::FILE* const file = std::tmpfile();
  Choosing{3, {}, file}.run(choosing_main,
                            {.worker = gathers_anywhere, .placed = {.shape = {3}, .dp = kOnePe}});
  std::rewind(file);
  std::string text(1 << 12, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  (void)std::fclose(file);
  CHECK(text.starts_with(
      "CCL INFO all_gather_into_tensor of 'tensor', 12 B a rank on 1 PE, 3 ranks: gather 136."));
}

TEST_CASE("Choice: a tensor counts with the bytes of all its PEs") {
  std::FILE* const file = std::tmpfile();
  Choosing{3, {}, file}.run(choosing_main,
                            {.worker = sums_what_is_placed, .placed = {.shape = {5, 8}, .dp = kRows}});
  std::rewind(file);
  std::string text(1 << 12, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  (void)std::fclose(file);
  CHECK_MESSAGE(text.starts_with("CCL INFO all_reduce of 'x', 160 B a rank on 4 PEs, 3 ranks: "), text);
}

TEST_CASE("Choice: where a PE has several shards none is picked, and the installed one says what it needs") {
  const Placed tiles{
      .shape = {8, 8},
      .dp = {.cube = topology::Split::tiled_row_major, .num_pes = 1, .tile = {.rows = 2, .cols = 2}}};
  const std::string text = Choosing{3}.error(choosing_main, {.worker = sums_what_is_placed, .placed = tiles});
  CHECK_MESSAGE(text.find("needs one shard on each participating PE") != std::string::npos, text);
}

TEST_CASE("Choice: none is picked where a part can't be divided among the ranks, or lies on other PEs") {
  const std::string odd = Choosing{3}.error(
      choosing_main, {.worker = exchanges_what_cannot_be_divided, .placed = {.shape = {7}, .dp = kOnePe}});
  CHECK_MESSAGE(
      odd.find("all_to_all_single of 'x': no algorithm for all_to_all is installed") != std::string::npos,
      odd);
  const std::string elsewhere = Choosing{3}.error(
      choosing_main, {.worker = gathers_elsewhere, .placed = {.shape = {4, 8}, .dp = kRows}});
  CHECK_MESSAGE(elsewhere.find("all_gather_into_tensor of 'x': no algorithm for all_gather is installed") !=
                    std::string::npos,
                elsewhere);
}

TEST_CASE("Choice: an installed algorithm that fits comes first, at the times that it had") {
  const auto time = [](config::CclSpec ccl) {
    Session session{machine(2), allreduce(), {.replay_threads = 1, .ccl = std::move(ccl)}};
    World world;
    Rank main{session, world, 0};
    (void)session.sim().spawn("main", main.run(choosing_main(main, {.worker = [](Rank& rk, Placed) -> Task<> {
                                                               const Tensor x = co_await rk.torch.full(
                                                                   {4, 8}, 1.0, f16, {.dp = kRows});
                                                               co_await rk.dist.all_reduce(x);
                                                             }})));
    session.run();
    return session.sim().now();
  };
  CHECK(time({}) == time(declared()));
}
