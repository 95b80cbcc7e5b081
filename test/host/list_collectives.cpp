// scatter, gather, and the forms of all_gather and reduce_scatter with a tensor for each rank.
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct Lists {
  Shape shape{2, 5};
  topology::DPPolicy dp = {.num_cubes = 1, .num_pes = 1};
  DType dtype = f32;
  int root = 0;
};

Task<> expect_filled(Tensor x, double value) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(static_cast<std::size_t>(x.shape().elements()), value));
}

// A tensor for each rank, filled with 100 * this rank + that rank.
Task<std::vector<Tensor>> one_for_each(Rank* rk, Lists lists) {
  std::vector<Tensor> all;
  for (int rank = 0; rank < rk->dist.get_world_size(); ++rank) {
    const Tensor x = co_await rk->torch.full(lists.shape, 100.0 * rk->index + rank, lists.dtype,
                                             {.dp = lists.dp, .name = "x" + std::to_string(rank)});
    all.push_back(x);
  }
  co_return all;
}

Task<> scatters_and_gathers(Rank& rk, Lists lists) {
  const int n = rk.dist.get_world_size();
  std::vector<Tensor> mine = co_await one_for_each(&rk, lists);
  const Tensor x = co_await rk.torch.zeros(lists.shape, lists.dtype, {.dp = lists.dp});
  const bool is_root = rk.index == lists.root;
  co_await rk.dist.scatter(x, is_root ? mine : std::vector<Tensor>{}, lists.root);
  co_await expect_filled(x, 100.0 * lists.root + rk.index);

  const Tensor y = co_await rk.torch.full(lists.shape, rk.index + 7.0, lists.dtype, {.dp = lists.dp});
  co_await rk.dist.gather(y, is_root ? mine : std::vector<Tensor>{}, lists.root);
  for (int rank = 0; is_root && rank < n; ++rank)
    co_await expect_filled(mine[static_cast<std::size_t>(rank)], rank + 7.0);
  co_await expect_filled(y, rk.index + 7.0);
}

Task<> gathers_and_reduces_all(Rank& rk, Lists lists) {
  const int n = rk.dist.get_world_size();
  const std::vector<Tensor> mine = co_await one_for_each(&rk, lists);
  const Tensor out = co_await rk.torch.zeros(lists.shape, lists.dtype, {.dp = lists.dp});
  co_await rk.dist.reduce_scatter(out, mine);
  co_await expect_filled(out, 100.0 * n * (n - 1) / 2 + n * rk.index);
  co_await rk.dist.reduce_scatter(out, mine, ReduceOp::max);
  co_await expect_filled(out, 100.0 * (n - 1) + rk.index);
  co_await rk.dist.reduce_scatter(out, mine, ReduceOp::avg);
  co_await expect_filled(out, 100.0 * (n - 1) / 2 + rk.index);
  auto gathered = rk.dist.all_gather(mine, out);
  co_await gathered;
  for (int rank = 0; rank < n; ++rank)
    co_await expect_filled(mine[static_cast<std::size_t>(rank)], 100.0 * (n - 1) / 2 + rank);
}

// Rank r's part has r + 1 rows; rank 1's is of many messages.
Task<> uneven_parts(Rank& rk, Lists lists) {
  const int n = rk.dist.get_world_size();
  std::vector<Tensor> parts;
  for (int rank = 0; rank < n; ++rank) {
    const Shape shape{rank + 1, rank == 1 ? 3000 : 3};
    const Tensor part = co_await rk.torch.full(shape, 1.0 + rk.index, lists.dtype, {.dp = lists.dp});
    parts.push_back(part);
  }
  const Tensor own = parts[static_cast<std::size_t>(rk.index)];
  const Tensor out = co_await rk.torch.zeros(own.shape(), lists.dtype, {.dp = lists.dp});
  co_await rk.dist.reduce_scatter(out, parts);
  co_await expect_filled(out, n * (n + 1) / 2.0);
  co_await rk.dist.all_gather(parts, own);
  for (int rank = 0; rank < n; ++rank)
    co_await expect_filled(parts[static_cast<std::size_t>(rank)], 1.0 + rank);
}

Task<> in_a_group(Rank& rk, Lists lists) {
  const Group pair = co_await rk.dist.new_group({1, 2});
  if (rk.dist.get_rank(pair) < 0) co_return;
  std::vector<Tensor> two;
  for (int i = 0; i < 2; ++i) {
    const Tensor x = co_await rk.torch.full(lists.shape, 10.0 * rk.index + i, lists.dtype, {.dp = lists.dp});
    two.push_back(x);
  }
  const Tensor x = co_await rk.torch.zeros(lists.shape, lists.dtype, {.dp = lists.dp});
  co_await rk.dist.scatter(x, rk.index == 2 ? two : std::vector<Tensor>{}, 2, pair);
  co_await expect_filled(x, 20.0 + rk.dist.get_rank(pair));
}

// Calls that are refused, by case.
Task<> calls_wrongly(Rank& rk, int which) {
  std::vector<Tensor> all = co_await one_for_each(&rk, {});
  const Tensor x = all.front();
  std::vector<Tensor> fewer{all.begin(), all.end() - 1};
  const Tensor wider = co_await rk.torch.zeros({2, 6}, f32, {.dp = Lists{}.dp});
  const Tensor replicas = co_await rk.torch.zeros({2, 5}, f32, {.dp = {}, .name = "replicas"});
  std::vector<Tensor> odd{wider, wider};
  const bool first = rk.index == 0;
  if (which == 0) co_await rk.dist.scatter(x);
  if (which == 1) co_await rk.dist.scatter(x, all, 0);
  if (which == 2) co_await rk.dist.gather(x);
  if (which == 3) co_await rk.dist.gather(x, all, 1);
  if (which == 4) co_await rk.dist.scatter(x, first ? fewer : std::vector<Tensor>{});
  if (which == 5) co_await rk.dist.gather(x, first ? fewer : std::vector<Tensor>{});
  if (which == 6) co_await rk.dist.all_gather(fewer, x);
  if (which == 7) co_await rk.dist.reduce_scatter(x, fewer);
  if (which == 8) co_await rk.dist.scatter(x, first ? odd : std::vector<Tensor>{});
  if (which == 9) co_await rk.dist.scatter(first ? x : wider, first ? all : std::vector<Tensor>{});
  if (which == 10) co_await rk.dist.gather(first ? x : replicas, first ? all : std::vector<Tensor>{});
  if (which == 11) co_await rk.dist.scatter(x, first ? all : std::vector<Tensor>{}, 5);
}

template <class Args>
struct Work2 {
  Task<> (*worker)(Rank&, Args) = nullptr;
  Args args = {};
};

template <class Args>
Task<> lists_main(Rank& main, Work2<Args> work) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(work.worker, work.args, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

using ListWorker = Task<> (*)(Rank&, Lists);

void for_worlds(ListWorker worker, const Lists& lists) {
  for (const int n : {1, 2, 3, 8}) {
    CAPTURE(n);
    Program{machine(n, 2, 1)}.run(lists_main<Lists>, {.worker = worker, .args = lists});
  }
}

void refused(int which, const std::string& why, ExitCode exit = ExitCode::usage) {
  const std::string text =
      Program{machine(2, 2, 1)}.error(lists_main<int>, {.worker = calls_wrongly, .args = which}, exit);
  CAPTURE(text);
  CHECK_MESSAGE(text.find(why) != std::string::npos, why);
}

}  // namespace

TEST_CASE("Lists: scatter and gather, from and to any rank, on any placement") {
  for_worlds(scatters_and_gathers, {});
  for_worlds(scatters_and_gathers, {.dp = {}});
  for_worlds(scatters_and_gathers, {.shape = {5, 7}, .dp = kRows, .dtype = f16});
  for_worlds(scatters_and_gathers, {.shape = {1, 5000}});
  Program{machine(3, 2, 1)}.run(lists_main<Lists>, {.worker = scatters_and_gathers, .args = {.root = 2}});
}

TEST_CASE("Lists: all_gather and reduce_scatter with a tensor for each rank") {
  for_worlds(gathers_and_reduces_all, {});
  for_worlds(gathers_and_reduces_all, {.shape = {3, 7}, .dp = {}});
  for_worlds(gathers_and_reduces_all, {.shape = {3, 1000}, .dp = kRows});
}

TEST_CASE("Lists: parts may differ in size") { for_worlds(uneven_parts, {}); }

TEST_CASE("Lists: in a group, the root is a rank of the world, places are of the group") {
  Program{machine(4, 2, 1)}.run(lists_main<Lists>, {.worker = in_a_group, .args = {}});
}

TEST_CASE("Lists: what can't be is refused in PyTorch's words") {
  refused(0, "scatter: Argument ``scatter_list`` must be specified on source rank.");
  refused(1, "scatter: Argument ``scatter_list`` must NOT be specified on non-source ranks.");
  refused(2, "gather: Argument ``gather_list`` must be specified on destination rank.");
  refused(3, "gather: Argument ``gather_list`` must NOT be specified on non-destination ranks.");
  refused(4, "Incorrect input list size 1. Input list size should be 2, same as size of the process group.");
  refused(5,
          "Incorrect output list size 1. Output list size should be 2, same as size of the process group.");
  for (const int which : {6, 7})
    refused(which, "Tensor list input to scatter/gather must match number of collective participants");
  refused(8, "Tensors must have identical sizes");
  refused(11, "Global rank 5 is not part of group");
}

TEST_CASE("Lists: ranks whose shapes or shards differ are reported with both") {
  refused(9, "OpType=SCATTER, TensorShape=[2, 6]", ExitCode::deadlock);
  refused(10, "Detected mismatch between collectives on ranks", ExitCode::deadlock);
}
