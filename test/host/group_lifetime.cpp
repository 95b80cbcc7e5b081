// A process group from init to destroy, what ranks await in it, and how a spawn ends.
#include <vector>

#include <doctest/doctest.h>

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

Task<> sums_once(Rank& rk, int) {
  const Tensor x = co_await rk.torch.full({4, 8}, rk.index + 1.0, f16, {.dp = kRows});
  co_await rk.dist.all_reduce(x);
  const int n = rk.dist.get_world_size();
  const HostArray read = co_await x.to_host();
  CHECK(read.to_doubles() == std::vector<double>(32, 4.0 * n * (n + 1) / 2));
}

Task<> init_and_destroy(Rank& main, int times) {
  for (int i = 0; i < times; ++i) {
    co_await main.dist.init_process_group({});
    co_await main.mp.spawn(sums_once, 0, {.nprocs = main.dist.get_world_size()});
    co_await main.dist.destroy_process_group();
    CHECK(!main.dist.is_initialized());
  }
}

Task<> destroys_in_rank(Rank& rk, int) {
  co_await sums_once(rk, 0);
  co_await rk.session().sim().delay(1_us * rk.index);
  co_await rk.dist.destroy_process_group();
  CHECK(!rk.dist.is_initialized());
}

Task<> destroys_under_way(Rank& rk, int) {
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  const auto sum = rk.dist.all_reduce(x);
  co_await rk.dist.destroy_process_group();
  co_await sum;
}

Task<> spawn_both(Rank& main, Task<> (*worker)(Rank&, int)) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, 0, {.nprocs = main.dist.get_world_size()});
}

Task<> asks_rank(Rank& rk, int) {
  static_cast<void>(rk.dist.get_rank());
  co_return;
}

struct Passed {
  Time* came;
  Time* left;
  int rounds = 1;
};

Task<> comes_late(Rank& rk, Passed passed) {
  for (int round = 0; round < passed.rounds; ++round) {
    const int n = rk.dist.get_world_size();
    const auto place = static_cast<std::size_t>(round * n + rk.index);
    co_await rk.session().sim().delay(10_us * ((rk.index + round) % n));
    passed.came[place] = rk.session().sim().now();
    co_await rk.dist.barrier();
    passed.left[place] = rk.session().sim().now();
  }
}

Task<> meet(Rank& main, Passed passed) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(comes_late, passed, {.nprocs = main.dist.get_world_size()});
}

Task<> barrier_or_sum(Rank& rk, int) {
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  if (rk.index == 0) {
    co_await rk.dist.barrier();
  } else {
    co_await rk.dist.all_reduce(x);
  }
}

Task<> sums_then_fails(Rank& rk, bool fails) {
  const Tensor x = co_await rk.torch.full({4, 8}, 1.0, f16, {.dp = kRows});
  for (int i = 0; i < 3; ++i) co_await rk.dist.all_reduce(x);
  co_await rk.dist.barrier();
  if (fails && rk.index == 1) throw UsageError{"afterwards"};
  co_await rk.session().sim().delay(1_us);
}

Task<> fails_after(Rank& main, int) {
  co_await main.dist.init_process_group({});
  co_await fails_on_two(main, sums_then_fails, true);
  co_await main.mp.spawn(sums_then_fails, false, {.nprocs = 2});
  co_await main.mp.spawn(sums_once, 0, {.nprocs = 2});
  co_await main.dist.destroy_process_group();
}

Task<> fails_inside(Rank& rk, Time at) {
  const Tensor x = co_await rk.torch.full({4, 64}, 1.0, f16, {.dp = kRows});
  auto first = rk.dist.all_reduce(x);
  auto second = rk.dist.barrier();
  if (rk.index == 1) {
    co_await rk.session().sim().delay(at);
    throw UsageError{"inside"};
  }
  co_await second;
  co_await first;
}

// Whenever it fails, the next spawn runs.
Task<> goes_on_after(Rank& main, Time fails_at) {
  co_await main.dist.init_process_group({});
  std::string why;
  try {
    co_await main.mp.spawn(fails_inside, fails_at, {.nprocs = 2});
  } catch (const Error& error) {
    why = error.what();
  }
  CHECK(why == "\n-- Process 1 terminated with the following error:\ninside");
  co_await main.mp.spawn(sums_once, 0, {.nprocs = 2});
}

Task<> some_fail(Rank& rk, int) {
  co_await rk.session().sim().delay(5_ns);
  if (rk.index > 1) throw UsageError{"no " + std::to_string(rk.index)};
  co_await rk.session().sim().delay(5_ns);
}

Task<> reads_spawn_error(Rank& main, int) {
  bool caught = false;
  try {
    co_await main.mp.spawn(some_fail, 0, {.nprocs = 4});
  } catch (const SpawnException& error) {
    caught = true;
    CHECK(error.summary() == "spawn failed on ranks [2, 3]: rank 2 raised no 2");
    CHECK(std::string{error.what()} ==
          "\n-- Process 2 terminated with the following error:\nno 2\n(1 more failed at the same time)");
    CHECK(error.errors().size() == 2);
    CHECK_THROWS_WITH_AS(std::rethrow_exception(error.errors().at(3)), "no 3", UsageError);
  }
  CHECK(caught);
}

Task<> device_index(Rank& rk, int) {
  rk.accelerator.set_device_index(1);
  CHECK(rk.accelerator.current_device_index() == 1);
  CHECK(rk.ahbm.current_device() == 1);
  rk.accelerator.set_device_index(-1);
  CHECK(rk.accelerator.current_device_index() == 1);
  co_return;
}

Task<> yields(Rank& rk, std::vector<int>* order) {
  for (int i = 0; i < 3; ++i) {
    order->push_back(i);
    co_await rk.dist.cooperative_yield();
  }
}

Task<> spawn_yields(Rank& main, std::vector<int>* order) {
  co_await main.mp.spawn(yields, order, {.nprocs = 3});
}

Bytes free_tcm(Session& session) {
  Bytes all;
  const config::MachineSpec& spec = session.spec();
  for (int sip = 0; sip < spec.system.sips.count; ++sip) {
    for (int cube = 0; cube < spec.cubes_per_sip(); ++cube) {
      for (int pe = 0; pe < spec.pes_per_cube(); ++pe) {
        const topology::PeAllocator& memory = session.allocators().pe({sip, cube, pe});
        all += memory.tcm.free_bytes() + memory.ipcq.free_bytes() + memory.hbm.free_bytes();
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("Process group: after destroy a new one works as the first did, and memory is as before") {
  Program program;
  const Bytes before = free_tcm(program.session);
  program.run(init_and_destroy, 5);
  CHECK(free_tcm(program.session) == before);
}

TEST_CASE("Process group: rings in HBM and SRAM are given back, too") {
  for (const config::BufferKind kind : {config::BufferKind::hbm, config::BufferKind::sram}) {
    config::AlgorithmSpec algorithm = allreduce();
    algorithm.buffer_kind = kind;
    Program program{machine(3), algorithm};
    const Bytes before = free_tcm(program.session);
    program.run(init_and_destroy, 3);
    CHECK(free_tcm(program.session) == before);
  }
}

TEST_CASE("Process group: all ranks may destroy it, the last one that comes does") {
  Program program{machine(3)};
  const Bytes before = free_tcm(program.session);
  program.run(spawn_both, destroys_in_rank);
  CHECK(free_tcm(program.session) == before);
}

TEST_CASE("Process group: it isn't destroyed while a collective is under way") {
  CHECK(Program{machine(1)}
            .error(spawn_both, destroys_under_way, ExitCode::usage)
            .ends_with(": destroy_process_group while 1 collective of its ranks is under way; await their "
                       "Works first"));
}

TEST_CASE("checklist 8: get_rank before init is refused in PyTorch's words") {
  CHECK(Program{}
            .error(asks_rank, 0, ExitCode::usage)
            .ends_with(": Default process group has not been initialized, please make sure to call "
                       "init_process_group."));
}

TEST_CASE("checklist 8: set_device_index and current_device_index are set_device and current_device") {
  Program{}.run(device_index, 0);
}

TEST_CASE("Barrier: none leaves before the last one has arrived") {
  for (const int n : {1, 2, 3, 8, 16}) {
    for (const int rounds : {1, 3}) {
      CAPTURE(n);
      std::vector<Time> came(static_cast<std::size_t>(n * rounds));
      std::vector<Time> left = came;
      Program{machine(n, 1, 1)}.run(meet, {.came = came.data(), .left = left.data(), .rounds = rounds});
      for (int round = 0; round < rounds; ++round) {
        Time last{};
        for (int rank = 0; rank < n; ++rank)
          last = std::max(last, came[static_cast<std::size_t>(round * n + rank)]);
        for (int rank = 0; rank < n; ++rank) CHECK(left[static_cast<std::size_t>(round * n + rank)] > last);
      }
    }
  }
}

TEST_CASE("Barrier: one that others don't call is a mismatch with both calls") {
  const std::string text = Program{}.error(spawn_both, barrier_or_sum, ExitCode::deadlock);
  CAPTURE(text);
  CHECK(text.find("Detected mismatch between collectives on ranks. Rank ") != std::string::npos);
  CHECK(text.find("OpType=BARRIER, TensorShape=[]") != std::string::npos);
  CHECK(text.find("OpType=ALLREDUCE, TensorShape=[4, 8]") != std::string::npos);
}

TEST_CASE("Failures: ranks that had done collectives before they failed leave a group that works") {
  Program{}.run(fails_after, 0);
}

TEST_CASE("Failures: a rank that fails inside a collective leaves a group that works") {
  for (int ns = 0; ns < 4000; ns += 250) {
    CAPTURE(ns);
    Program{}.run(goes_on_after, 1_ns * ns);
  }
}

TEST_CASE("checklist 9: a SpawnException has the errors of the ranks that failed first") {
  Program{machine(4)}.run(reads_spawn_error, 0);
}

TEST_CASE("checklist 9: cooperative_yield lets the others run at the same time") {
  std::vector<int> order;
  Program program{machine(3)};
  program.run(spawn_yields, &order);
  CHECK(order == std::vector{0, 0, 0, 1, 1, 1, 2, 2, 2});
  CHECK(program.session.sim().now() == Time{});
}
