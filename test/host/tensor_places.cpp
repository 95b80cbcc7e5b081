// Tensors in a PE's TCM and in a cube's SRAM.
#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using topology::Region;

namespace {

HostArray small_numbers() {
  return generate({4, 8}, f16, [](std::int64_t i) { return static_cast<double>(i); });
}

struct TripleRowArgs {
  Ptr x, y;
};

Task<> triple_row(TL& tl, TripleRowArgs args) {
  const std::int64_t mine = tl.program_id(1) * 8;
  const Tile row = co_await tl.load(args.x + mine, {8}, args.x.dtype);
  co_await tl.store(args.y + mine, row + row + row);
}
KBSIM_KERNEL(triple_row, "a row of y is three times that of x");

struct Tripled {
  Region memory = Region::tcm;
  bool resident = false;
  Time kernel{};
};

Task<> triples_in(Rank& main, Tripled* tripled) {
  const TensorOptions options{.dp = kRows, .mem_kind = tripled->memory, .resident = tripled->resident};
  const Tensor x = co_await main.torch.from_host(small_numbers(), options);
  const Tensor y = co_await main.torch.zeros({4, 8}, f16, options);
  CHECK(x.shards().front().pa.decode().region == tripled->memory);
  const hw::Activity activity = co_await main.launch("triple_row", {x, y}, TripleRowArgs{x.ptr(), y.ptr()});
  tripled->kernel = activity.last_end - activity.first_start;
  const HostArray before = co_await x.to_host();
  const HostArray after = co_await y.to_host();
  CHECK(before.bytes() == small_numbers().bytes());
  std::vector<double> expected = small_numbers().to_doubles();
  for (double& number : expected) number *= 3;
  CHECK(after.to_doubles() == expected);
}

struct FillTcmArgs {
  Bytes tile;
};

Task<> hold_tile(TL& tl, FillTcmArgs args) {
  const Tile held = tl.zeros({args.tile.count() / 2}, f16);
  [[maybe_unused]] const Tile twice = held;
  co_return;
}
KBSIM_KERNEL(hold_tile, "holds a tile");

struct Crowded {
  Region memory = Region::tcm;
  Bytes tensor;
  Bytes tile;
};

Task<> holds_beside_a_tensor(Rank& main, Crowded crowded) {
  const topology::DPPolicy one{.num_cubes = 1, .num_pes = 1};
  const Tensor x = co_await main.torch.empty({crowded.tensor.count() / 2}, f16,
                                             {.dp = one, .mem_kind = crowded.memory, .resident = true});
  co_await main.launch("hold_tile", x, FillTcmArgs{crowded.tile});
}

Task<> in_queues(Rank& main, int) {
  [[maybe_unused]] const Tensor x =
      co_await main.torch.empty({4, 8}, f16, {.dp = kRows, .name = "x", .mem_kind = Region::ipcq});
}

Task<> goes_elsewhere(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(small_numbers(), {.dp = kRows, .name = "x"});
  const Tensor one = co_await x.to({.sip = 1, .cube = 2, .target_pe = 1, .mem_kind = Region::tcm});
  REQUIRE(one.shards().size() == 1);
  CHECK(one.shards().front().spec.at == PeCoord{1, 2, 1});
  CHECK(one.shards().front().pa.decode().region == Region::tcm);
  const Tensor rows = co_await x.to(
      {.placement = topology::DPPolicy{.cube = topology::Split::row_wise, .num_cubes = 2, .num_pes = 1},
       .cube = 1,
       .target_pe = 1});
  REQUIRE(rows.shards().size() == 2);
  CHECK(rows.shards().back().spec.at == PeCoord{0, 2, 1});
  const Tensor again = co_await rows.to(1);
  CHECK(again.shards().back().spec.at == PeCoord{1, 2, 1});
  for (const Tensor& tensor : {one, rows, again}) {
    const HostArray numbers = co_await tensor.data();
    CHECK(numbers.bytes() == small_numbers().bytes());
  }
}

Task<> goes_beyond(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(small_numbers(), {.dp = kRows, .name = "x"});
  [[maybe_unused]] const Tensor beyond = co_await x.to({.cube = 1, .target_pe = 2});
}

}  // namespace

TEST_CASE("Checklist 6: .to(placement, sip, cube, target_pe, mem_kind), and .data()") {
  Program{}.run(goes_elsewhere, 0);
  CHECK(Program{}
            .error(goes_beyond, 0, ExitCode::usage)
            .find("tensor 'x' on sip0.cube1.pe2: the machine has 4 cubes of 2 PEs a package") !=
        std::string::npos);
}

TEST_CASE(
    "Checklist 6: tensors lie in TCM or SRAM as well, sent there or resident, for kernels and the host") {
  std::map<Region, Time> times;
  for (const Region memory : {Region::hbm, Region::tcm, Region::sram}) {
    for (const bool resident : {false, true}) {
      Tripled tripled{.memory = memory, .resident = resident};
      Program program;
      const Bytes tcm = program.session.allocators().pe({0, 0, 0}).tcm.free_bytes();
      program.run(triples_in, &tripled);
      CHECK(program.session.allocators().pe({0, 0, 0}).tcm.free_bytes() == tcm);
      CAPTURE(topology::to_string(memory));
      const auto [first, fresh] = times.emplace(memory, tripled.kernel);
      CHECK(tripled.kernel == first->second);
    }
  }
  CHECK(times[Region::tcm] < times[Region::hbm]);
}

TEST_CASE("Checklist 6: what tensors take of a TCM, tiles can't have") {
  const config::MemorySpec memory = machine().cube.memory;
  const Bytes room = memory.tcm - memory.tcm_scheduler;
  const Bytes half{room.count() / 4 * 2};
  Program{}.run(holds_beside_a_tensor, Crowded{Region::tcm, half, room - half});
  Program{}.run(holds_beside_a_tensor, Crowded{Region::hbm, half, room});
  const std::string text = Program{}.error(holds_beside_a_tensor,
                                           Crowded{Region::tcm, half, room - half + 2_B}, ExitCode::deadlock);
  CHECK(text.find("hold_tile") != std::string::npos);
  CHECK_THROWS_WITH_AS(Program{}.run(holds_beside_a_tensor, Crowded{Region::tcm, room + 64_B, 2_B}),
                       doctest::Contains("sip0.cube0.pe0 tcm"), std::exception);
}

TEST_CASE("Tensor: one in a memory that isn't for tensors is refused") {
  CHECK(Program{}.error(in_queues, 0, ExitCode::usage).find("tensor 'x' can't be in ipcq") !=
        std::string::npos);
}
