// A launch doesn't receive tiles that an earlier launch sent, unless the algorithm says so.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/tl/collective_args.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

const topology::DPPolicy kLeader{.num_cubes = 1, .num_pes = 1};

// Rank 0 sends `sends` tiles, numbered from `first`; each other rank receives `receives` and checks them.
struct FlowArgs {
  Ptr x;
  int sends = 1;
  int receives = 1;
  int first = 0;
};

Task<> flow(TL& tl, FlowArgs args) {
  if (tl.place().sip == 0) {
    for (int i = 0; i < args.sends; ++i)
      co_await tl.send({.dir = Dir::E, .src = tl.full({4}, args.first + i, f16)});
    co_return;
  }
  for (int i = 0; i < args.receives; ++i) {
    const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {4}, .dtype = f16});
    co_await tl.store(args.x, got);
  }
}
KBSIM_KERNEL(flow, "a number of tiles from rank 0 to rank 1");

// A collective that sends one tile more than is received.
Task<> one_too_many(TL& tl, CollectiveArgs args) {
  const Tile mine = co_await tl.load(args.data, {args.n_elem}, args.data.dtype);
  auto sent = tl.send({.dir = Dir::E, .src = mine});
  const Tile other = co_await tl.recv({.dir = Dir::W, .shape = {args.n_elem}, .dtype = mine.dtype()});
  co_await sent;
  if (args.rank == 1) co_await tl.send({.dir = Dir::E, .src = other});
}
KBSIM_KERNEL(one_too_many, "a shift of which rank 1 sends two");

config::AlgorithmSpec algorithm(const std::string& kernel, bool carries_over = false) {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = kernel;
  spec.topology = "ring_1d";
  spec.carries_over = carries_over;
  return spec;
}

struct Flows {
  std::vector<FlowArgs> launches;
  std::vector<double>* last = nullptr;
};

Task<> launch_flows(Rank& rk, Flows flows) {
  const Tensor x = co_await rk.torch.zeros({1, 4}, f16, {.dp = kLeader, .name = "x"});
  for (FlowArgs args : flows.launches) {
    args.x = x.ptr();
    co_await rk.launch("flow", x, args);
  }
  const HostArray after = co_await x.to_host();
  if (rk.index == 1) *flows.last = after.to_doubles();
}

Task<> spawn_flows(Rank& main, Flows flows) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(launch_flows, flows, {.nprocs = main.dist.get_world_size()});
}

Task<> collectives(Rank& rk, int times) {
  const Tensor x = co_await rk.torch.full({1, 8}, rk.index, f16, {.dp = kLeader, .name = "x"});
  for (int i = 0; i < times; ++i) co_await rk.dist.all_reduce(x);
}

Task<> spawn_collectives(Rank& main, int times) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(collectives, times, {.nprocs = main.dist.get_world_size()});
}

std::string fault_of(const std::vector<FlowArgs>& launches) {
  std::vector<double> last;
  Program program{machine(2, 1, 1), algorithm("flow")};
  return program.error(spawn_flows, Flows{launches, &last}, ExitCode::deadlock);
}

void check_says(const std::string& text, const std::vector<std::string>& parts) {
  CAPTURE(text);
  for (const std::string& part : parts) CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

}  // namespace

TEST_CASE("Leftovers: a tile that is never received is a fault at the end of the run") {
  check_says(fault_of({{.sends = 1, .receives = 0}}),
             {"sip0.cube0.pe0 sent [4] f16 to sip1.cube0.pe0 at leftovers.cpp:", "not received it from 'W'",
              "all kernels have ended"});
}

TEST_CASE("Leftovers: a launch that receives what an earlier one left is a fault there") {
  check_says(fault_of({{.sends = 2, .receives = 1}, {.sends = 1, .receives = 2, .first = 2}}),
             {"kernel flow on sip1.cube0.pe0", "sip0.cube0.pe0 sent [4] f16", "a later launch receives it"});
}

TEST_CASE("Leftovers: an algorithm that carries over says so") {
  for (const int left : {0, 1, 3}) {
    std::vector<double> last;
    Program program{machine(2, 1, 1), algorithm("flow", true)};
    program.run(
        spawn_flows,
        Flows{{{.sends = 1 + left, .receives = 1}, {.sends = 1, .receives = 1, .first = 100}}, &last});
    CHECK(last == std::vector<double>(4, left > 0 ? 1.0 : 100.0));
  }
}

TEST_CASE("Leftovers: of a collective each launch is looked at, though others are in the next one") {
  for (const int times : {1, 2, 5}) {
    Program program{machine(3, 1, 1), algorithm("one_too_many")};
    check_says(program.error(spawn_collectives, times, ExitCode::deadlock),
               {"sip1.cube0.pe0 sent [8] f16 to sip2.cube0.pe0 at leftovers.cpp:", "the launch has ended"});
  }
}

TEST_CASE("Leftovers: timing only finds them as well") {
  Session session{machine(3, 1, 1), algorithm("one_too_many"), {.timing_only = true}};
  World world;
  Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(spawn_collectives(main, 2)));
  CHECK_THROWS_WITH_AS(session.run(), doctest::Contains("the launch has ended"), Error);
}
