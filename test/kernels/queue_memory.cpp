// Sends from memory and receives into it, without tiles: the same kernel in the mock and on a machine.
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/mock/mock_wiring.hpp"
#include "kbsim/mock/world.hpp"
#include "kbsim/tl/kernel.hpp"

#include "../host/program.hpp"

namespace kbsim::test::queue_memory_test {
namespace {

constexpr int kPes = 8;
constexpr std::int64_t kShard = 8;  // elements of a PE

struct PassOnArgs {
  Ptr from;
  Ptr to;
};

// Copies this PE's memory to the PE to the east, without a tile.
Task<> passes_memory_on(TL& tl, PassOnArgs args) {
  const std::int64_t own = tl.program_id(0) * kShard;
  auto sent = tl.send({.dir = Dir::E, .src = args.from + own, .shape = {kShard}});
  const Tile got = co_await tl.recv({.dir = Dir::W, .shape = {kShard}, .dst = args.to + own});
  tl.check(got.empty(), "it is in memory");
  co_await sent;
}
KBSIM_KERNEL(passes_memory_on, "memory to the east's memory, around a ring of PEs");

// Memory and tiles take turns in each direction, while the issue clock runs ahead of the engines.
Task<> mixes_memory_and_tiles(TL& tl, PassOnArgs args) {
  const std::int64_t own = tl.program_id(0) * kShard;
  Tile x = tl.full({kShard}, tl.program_id(0), f16);
  for (int round = 0; round < 4; ++round) {
    auto memory = tl.send({.dir = Dir::E, .src = args.from + own, .shape = {kShard}});
    auto tile = tl.send({.dir = Dir::E, .src = x});
    auto back = tl.send({.dir = Dir::W, .src = args.from + own, .shape = {kShard}});
    auto into = tl.recv({.dir = Dir::W, .shape = {kShard}, .dst = args.to + own});
    auto got = tl.recv({.dir = Dir::W, .shape = {kShard}});
    for (int i = 0; i < 50; ++i) x += 1.0;
    const Tile from_east = co_await tl.recv({.dir = Dir::E, .shape = {kShard}});
    const Tile from_west = co_await got;
    x = from_east + from_west;
    co_await tl.wait(memory, tile, back, into);
  }
  co_await tl.store(args.from + own, x);
}
KBSIM_KERNEL(mixes_memory_and_tiles, "sends and receives of both kinds, both ways");

// Element i of PE r, and where it ends up.
double element(int pe, std::int64_t i) { return static_cast<double>(10 * (pe + 1) + i); }

std::vector<double> shards_of(int shift) {
  std::vector<double> all;
  for (int pe = 0; pe < kPes; ++pe) {
    for (std::int64_t i = 0; i < kShard; ++i) all.push_back(element((pe + kPes - shift) % kPes, i));
  }
  return all;
}

struct OnMachineArgs {
  const char* kernel;
  std::vector<double>* after;
};

Task<> on_machine(host::Rank& main, OnMachineArgs args) {
  co_await main.dist.init_process_group({});
  const topology::DPPolicy by_pe{.pe = topology::Split::column_wise, .num_cubes = 1};
  const std::vector<double> before = shards_of(0);
  const host::HostArray contents = host::generate(
      {1, kPes * kShard}, f16, [&](std::int64_t i) { return before[static_cast<std::size_t>(i)]; });
  host::Tensor from = co_await main.torch.from_host(contents, {.dp = by_pe});
  host::Tensor to = co_await main.torch.zeros({1, kPes * kShard}, f16, {.dp = by_pe});
  std::vector<host::Tensor> tensors{to, from};
  co_await main.launch(args.kernel, tensors, PassOnArgs{.from = from.ptr(), .to = to.ptr()});
  const host::HostArray result = co_await to.to_host();
  *args.after = result.to_doubles();
}

config::AlgorithmSpec ring_of_pes(config::BufferKind slots) {
  config::AlgorithmSpec spec;
  spec.name = spec.kernel = "ring_allreduce";
  spec.topology = "hierarchical_3level";  // the PEs of a cube in a ring
  spec.mapper = "all_pes";
  spec.buffer_kind = slots;
  spec.n_slots = 1;
  return spec;
}

config::MachineSpec one_cube() {
  config::MachineSpec machine;
  machine.system.sips.count = 1;
  machine.sip.cube_mesh = {.w = 1, .h = 1};
  return machine;
}

}  // namespace

TEST_CASE("checklist 22: a send from an address and a recv into a destination, around a ring in the mock") {
  mock::World world{{.pes = kPes, .wiring = mock::ring(kPes), .queues = {.slots = 1}}};
  const Ptr from = world.alloc(0, shards_of(0), f16);
  const Ptr to = world.alloc(0, kPes * kShard, f16);
  world.run("passes_memory_on", PassOnArgs{.from = from, .to = to});
  CHECK(world.read(0, to, kPes * kShard) == shards_of(1));
  CHECK(world.read(0, from, kPes * kShard) == shards_of(0));
}

TEST_CASE("checklist 22: the same on a machine, with slots in any memory") {
  for (const config::BufferKind slots :
       {config::BufferKind::tcm, config::BufferKind::hbm, config::BufferKind::sram}) {
    std::vector<double> after;
    host::test::Program program{one_cube(), ring_of_pes(slots)};
    program.run(on_machine, {"passes_memory_on", &after});
    CHECK(after == shards_of(1));
  }
}

TEST_CASE("checklist 22: no order of ties changes a time of memory and tiles that take turns") {
  for (const config::BufferKind slots : {config::BufferKind::tcm, config::BufferKind::hbm}) {
    std::vector<Digest> digests;
    for (const std::optional<std::uint64_t> seed :
         {std::optional<std::uint64_t>{}, {1}, {2}, {3}, {4}, {5}}) {
      std::vector<double> after;
      host::test::Program program{one_cube(), ring_of_pes(slots), {.shuffle_ties = seed}};
      program.run(on_machine, {"mixes_memory_and_tiles", &after});
      CHECK(after == shards_of(1));
      digests.push_back(program.session.machine().digest());
      CHECK(digests.back().value() == digests.front().value());
    }
  }
}

TEST_CASE("checklist 22: tl.cdiv rounds up, as Triton's") {
  CHECK(TL::cdiv(0, 4) == 0);
  CHECK(TL::cdiv(1, 4) == 1);
  CHECK(TL::cdiv(8, 4) == 2);
  CHECK(TL::cdiv(9, 4) == 3);
  CHECK(TL::cdiv(-9, 4) == -2);
  CHECK(TL::cdiv(std::numeric_limits<std::int64_t>::max(), 1) == std::numeric_limits<std::int64_t>::max());
  CHECK_THROWS_WITH_AS((void)TL::cdiv(1, 0), doctest::Contains("cdiv: 1 by 0: the divisor must be positive"),
                       KernelFault);
}

}  // namespace kbsim::test::queue_memory_test
