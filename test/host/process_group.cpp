#include <doctest/doctest.h>

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

Task<> init(Rank& rk, const char* backend) { co_await rk.dist.init_process_group({.backend = backend}); }

Task<> init_twice(Rank& rk, int) {
  co_await rk.dist.init_process_group({.backend = "ahbm"});
  co_await rk.dist.init_process_group({.backend = "ahbm"});
}

Task<> look_around(Rank& rk, int) {
  CHECK(!rk.dist.is_initialized());
  co_await rk.dist.init_process_group({});
  CHECK(rk.dist.is_initialized());
  CHECK(rk.dist.get_backend() == "ahbm");
  CHECK(rk.dist.get_world_size() == 2);
  CHECK(rk.dist.get_rank() == 0);
}

Task<> use(Rank& rk, int call) {
  Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  if (call == 0) static_cast<void>(rk.dist.get_world_size());
  if (call == 1) static_cast<void>(rk.dist.get_backend());
  if (call == 2) co_await rk.dist.all_reduce(x);
}

Task<> set_device(Rank& rk, int index) {
  CHECK(rk.accelerator.device_count() == 2);
  rk.ahbm.set_device(1);
  rk.ahbm.set_device(-1);
  CHECK(rk.accelerator.current_device() == 1);
  const Tensor x = co_await rk.torch.zeros({8}, f16, {});
  CHECK(x.sip() == 1);
  rk.ahbm.set_device(index);
}

Task<> nothing(Rank&, int) { co_return; }

Task<> spawn(Rank& rk, int nprocs) { co_await rk.mp.spawn(nothing, 0, {.nprocs = nprocs}); }

}  // namespace

TEST_CASE("Process group: after init it says its backend and size") { Program{}.run(look_around, 0); }

TEST_CASE("Process group: a second init is refused in PyTorch's words") {
  CHECK(Program{}
            .error(init_twice, 0, ExitCode::usage)
            .ends_with(": trying to initialize the default process group twice!"));
}

TEST_CASE("Process group: whatever is used before init is refused in PyTorch's words") {
  for (const int call : {0, 1, 2}) {
    CHECK(Program{}
              .error(use, call, ExitCode::usage)
              .ends_with(": Default process group has not been initialized, please make sure to call "
                         "init_process_group."));
  }
}

TEST_CASE("Process group: an unknown backend names those that are known") {
  CHECK(Program{}.error(init, "nccl", ExitCode::usage).ends_with(": unknown backend 'nccl' (known: ahbm)"));
}

TEST_CASE("Process group: a world_size of PEs that can't be ranks names both") {
  config::AlgorithmSpec algorithm = allreduce();
  algorithm.world_size = 3;
  Program program{machine(), algorithm};
  CHECK(program.error(init, "ahbm", ExitCode::usage)
            .ends_with(": world_size 3 of algorithm 'intercube_allreduce' on a machine of 2 SIPs: its ranks "
                       "are PEs, of whole cubes, which have 2 each"));
}

TEST_CASE("Process group: an algorithm with an unknown part leaves it uninitialized, and sends nothing") {
  for (std::string config::AlgorithmSpec::* const part :
       {&config::AlgorithmSpec::kernel, &config::AlgorithmSpec::topology, &config::AlgorithmSpec::mapper,
        &config::AlgorithmSpec::validator}) {
    config::AlgorithmSpec algorithm = allreduce();
    algorithm.*part = "nothing_like_it";
    Program program{machine(), algorithm};
    CHECK(program.error(init, "ahbm", ExitCode::usage).find("'nothing_like_it'") != std::string::npos);
    CHECK(!program.world.initialized());
    CHECK(program.session.sim().now() == Time{});
  }
}

TEST_CASE("Devices: a negative index changes nothing; one that isn't there is refused") {
  CHECK(Program{}
            .error(set_device, 2, ExitCode::usage)
            .ends_with(": invalid device ordinal 2: the machine has 2 devices (system.sips.count)"));
}

TEST_CASE("Spawn: from one process to one per SIP") {
  Program{}.run(spawn, 1);
  Program{}.run(spawn, 2);
  for (const int nprocs : {-1, 0, 3}) {
    CHECK(Program{}
              .error(spawn, nprocs, ExitCode::usage)
              .ends_with(": spawn of " + std::to_string(nprocs) +
                         " processes on a machine of 2 SIPs (system.sips.count); a rank is a SIP"));
  }
}
