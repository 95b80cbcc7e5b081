// Ranks that chose another package than their own use it in collectives.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "choosing.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct Chosen {
  std::vector<int> devices;  // by rank
};

Task<> expect_elements(Tensor x, std::vector<double> values) {
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == values);
}

Task<> everything_elsewhere(Rank& rk, Chosen chosen) {
  const int n = rk.dist.get_world_size();
  rk.accelerator.set_device_index(chosen.devices[static_cast<std::size_t>(rk.index)]);
  co_await rk.dist.cooperative_yield();
  const topology::DPPolicy on_one{.num_cubes = 1, .num_pes = 1};
  const Tensor x = co_await rk.torch.full({1, 6}, rk.index + 1.0, f32, {.dp = on_one});
  const Tensor all = co_await rk.torch.zeros({n, 6}, f32, {.dp = on_one});
  CHECK(x.sip() == chosen.devices[static_cast<std::size_t>(rk.index)]);
  co_await rk.dist.all_gather_into_tensor(all, x);
  std::vector<double> in_turn;
  for (int rank = 0; rank < n; ++rank) in_turn.insert(in_turn.end(), 6, rank + 1.0);
  co_await expect_elements(all, in_turn);  // by rank, not by package
  co_await rk.dist.all_reduce(x, {.algorithm = "ring"});
  co_await expect_elements(x, std::vector<double>(6, n * (n + 1) / 2.0));
  co_await rk.dist.barrier();
  if (rk.index == 0) co_await rk.dist.send(all, n - 1);
  if (rk.index == n - 1) co_await rk.dist.recv(all, 0);
  const Tensor copy = co_await rk.torch.full({1, 6}, rk.index + 1.0, f32, {.dp = on_one});
  co_await rk.dist.broadcast(copy, {.src = n - 1});
  co_await expect_elements(copy, std::vector<double>(6, n * 1.0));
}

// First at home, then elsewhere, then at home again.
Task<> moves(Rank& rk, Chosen chosen) {
  const int n = rk.dist.get_world_size();
  for (const int device : {rk.index, chosen.devices[static_cast<std::size_t>(rk.index)], rk.index}) {
    rk.accelerator.set_device_index(device);
    const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f32, {.dp = {}});
    co_await rk.dist.all_reduce(x);
    co_await expect_elements(x, std::vector<double>(32, n));
  }
}

Task<> one_moves_late(Rank& rk, Chosen) {
  const Tensor x = co_await rk.torch.full({1, 6}, 1.0, f32, {.dp = {.num_cubes = 1, .num_pes = 1}});
  if (rk.index == 0) {
    co_await rk.dist.all_reduce(x);
    co_return;
  }
  co_await rk.session().sim().delay(1_us);
  rk.accelerator.set_device_index(3 - rk.index);
  const Tensor y = co_await rk.torch.full({1, 6}, 1.0, f32, {.dp = {.num_cubes = 1, .num_pes = 1}});
  co_await rk.dist.all_reduce(y);
}

Task<> both_on_one(Rank& rk, Chosen) {
  rk.accelerator.set_device_index(0);
  const Tensor x = co_await rk.torch.full({1, 6}, 1.0, f32, {.dp = {.num_cubes = 1, .num_pes = 1}});
  co_await rk.dist.all_reduce(x);
}

struct ChosenBy {
  Task<> (*worker)(Rank&, Chosen) = nullptr;
  Chosen chosen = {};
};

Task<> chosen_main(Rank& main, ChosenBy by) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(by.worker, by.chosen, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

}  // namespace

TEST_CASE("checklist 8: a rank that chose another package uses it in collectives, barriers and messages") {
  for (const auto& devices :
       std::vector<std::vector<int>>{{1, 0}, {1, 2, 0}, {2, 1, 0}, {3, 0, 2, 1}, {7, 6, 5, 4, 3, 2, 1, 0}}) {
    const int n = static_cast<int>(devices.size());
    Choosing{n}.run(chosen_main, {.worker = everything_elsewhere, .chosen = {devices}});
  }
}

TEST_CASE("checklist 8: a rank goes to another package and comes back") {
  Choosing{3}.run(chosen_main, {.worker = moves, .chosen = {{2, 0, 1}}});
}

TEST_CASE("checklist 8: two ranks on one package are reported, in a collective") {
  const std::string text = Choosing{2}.error(chosen_main, {.worker = both_on_one});
  CHECK(text.find("Duplicate device detected : rank 0 and rank 1 both on device 0") != std::string::npos);
}

TEST_CASE("checklist 8: a rank that moves after another one has begun is a mismatch, with the devices") {
  const std::string text = Choosing{3}.error(chosen_main, {.worker = one_moves_late});
  CAPTURE(text);
  CHECK(text.find("Detected mismatch between collectives on ranks") != std::string::npos);
  CHECK(text.find(", devices 0, 2, 1)") != std::string::npos);
}
