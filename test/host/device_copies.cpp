// Copies between tensors that don't pass the host.
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "kbsim/hw/conformance/machine_outcome.hpp"
#include "kbsim/hw/control/i_host.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"
#include "random_views.hpp"

namespace kbsim::host::test::device_copies_test {
namespace {

using topology::Region;
using topology::Split;

HostArray counted(Shape shape, double first = 0.0) {
  return generate(shape, f32, [first](std::int64_t i) { return first + static_cast<double>(i); });
}

struct CopyCase {
  Shape shape = {64};
  TensorOptions from = {.dp = kOnePe, .name = "from", .resident = true};
  TensorOptions to = {.dp = kOnePe, .name = "to", .resident = true};
  int device = 0;  // of `to`
};

Task<> copies(Rank& main, CopyCase how) {
  const Tensor from = co_await main.torch.from_host(counted(how.shape), how.from);
  main.ahbm.set_device(how.device);
  const Tensor to = co_await main.torch.zeros(how.shape, f32, how.to);
  co_await to.copy_(from);
}

hw::OrderRecord only_move(Program& program) {
  std::vector<hw::OrderRecord> all = hw::host_of(program.session.machine()).orders();
  std::erase_if(all, [](const hw::OrderRecord& order) { return order.phase != hw::OrderPhase::pe_dma; });
  REQUIRE(all.size() == 1);
  return all.front();
}

// Bytes of the links at the host.
Bytes host_traffic(Program& program) {
  const topology::Graph& graph = program.session.machine().graph();
  const hw::MachineOutcome outcome = hw::outcome_of(program.session.machine());
  Bytes sum;
  for (std::size_t i = 0; i < outcome.links.size(); ++i) {
    const topology::Link& link = graph.links()[i];
    if (link.from == graph.host() || link.to == graph.host()) sum += outcome.links[i].bytes;
  }
  return sum;
}

struct MixedArgs {
  Ptr x;
};

Task<> doubles_one_row(TL& tl, MixedArgs args) {
  const Ptr row = args.x + tl.program_id(1) * 8;
  const Tile x = co_await tl.load(row, {8}, f32);
  co_await tl.store(row, x + x);
}
KBSIM_KERNEL(doubles_one_row, "twice of a row");

// A launch that would change either tensor early, or a copy that would start early, changes the numbers.
Task<> in_program_order(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(counted({4, 8}), {.dp = kRows, .name = "x"});
  const Tensor y = co_await main.torch.zeros({4, 8}, f32, {.dp = {.cube = Split::column_wise}, .name = "y"});
  const Tensor z = co_await main.torch.zeros({4, 8}, f32, {.dp = kRows, .name = "z"});
  const auto first = main.launch("doubles_one_row", x, MixedArgs{x.ptr()});
  const auto to_y = y.copy_(x);
  const auto to_z = z.copy_(y);
  const auto second = main.launch("doubles_one_row", x, MixedArgs{x.ptr()});
  const auto third = main.launch("doubles_one_row", z, MixedArgs{z.ptr()});
  const HostArray of_y = co_await y.to_host();
  const HostArray of_x = co_await x.to_host();
  const HostArray of_z = co_await z.to_host();
  for (const auto& launched : {first, second, third}) co_await launched;
  for (const auto& copied : {to_y, to_z}) co_await copied;
  for (std::size_t i = 0; i < 32; ++i) {
    const auto original = static_cast<double>(i);
    CHECK(of_y.to_doubles()[i] == 2 * original);
    CHECK(of_x.to_doubles()[i] == 4 * original);
    CHECK(of_z.to_doubles()[i] == 4 * original);
  }
}

Task<> side_by_side(Rank& main, Time* took) {
  const Tensor x = co_await main.torch.from_host(counted({1 << 16}), {.dp = kOnePe, .resident = true});
  const TensorOptions elsewhere{.dp = kOnePe, .name = "there", .resident = true};
  main.ahbm.set_device(1);
  std::vector<Tensor> there;
  for (int i = 0; i < 2; ++i) {
    const Tensor made = co_await main.torch.empty({1 << 16}, f32, elsewhere);
    there.push_back(made);
  }
  const Time start = main.session().sim().now();
  std::vector<Tensor::Done> copied;
  for (const Tensor& one : there) copied.push_back(one.copy_(x));
  co_await copied[0];
  took[0] = main.session().sim().now() - start;
  co_await copied[1];
  took[1] = main.session().sim().now() - start;
}

Task<> overlaps(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(counted({8, 4}), {.dp = kRows, .name = "x"});
  co_await x.copy_(x);
  co_await x[IndexRange{0, 4}].copy_(x[IndexRange{4, 8}]);
  const HostArray now = co_await x.to_host();
  for (std::size_t i = 0; i < 32; ++i) CHECK(now.to_doubles()[i] == static_cast<double>(16 + i % 16));
  (void)x[IndexRange{0, 4}].copy_(x[IndexRange{3, 7}]);
}

struct Drawn {
  std::uint64_t seed = 0;
  int cases = 0;
};

TensorOptions random_options(Random& random, std::string_view name) {
  TensorOptions options{.dp = random_policy(random), .name = std::string{name}};
  options.resident = random.below(2) == 0;
  options.shared = random.below(4) == 0;
  if (options.shared) options.dp = {.cube = topology::Split::row_wise, .num_pes = 1};
  constexpr std::array kMemories{Region::hbm, Region::hbm, Region::tcm, Region::sram};
  if (!options.shared) options.mem_kind = kMemories[random.below(kMemories.size())];
  return options;
}

// Any elements of one tensor go to as many of another one; its other elements stay.
Task<> random_copies(Rank& main, Drawn drawn) {
  Random random{drawn.seed};
  for (int i = 0; i < drawn.cases; ++i) {
    const Shape shape = random_shape(random);
    CAPTURE(drawn.seed);
    CAPTURE(i);
    CAPTURE(to_string(shape));
    main.ahbm.set_device(static_cast<int>(random.below(2)));
    const Tensor from = co_await main.torch.from_host(counted(shape), random_options(random, "from"));
    main.ahbm.set_device(static_cast<int>(random.below(2)));
    const Tensor to = co_await main.torch.from_host(counted(shape, 1000.0), random_options(random, "to"));
    Random same = random;
    Random again = random;
    const Tensor source = random_part(from, random);
    const Tensor target = random_part(to, same);
    const View elements = random_part(View{shape}, again);
    const auto copied = target.copy_(source);
    std::vector<double> expected = counted(shape, 1000.0).to_doubles();
    for (const Stretch& stretch : elements.stretches()) {
      for (std::int64_t e = stretch.first; e < stretch.first + stretch.count; ++e)
        expected[static_cast<std::size_t>(e)] = static_cast<double>(e);
    }
    const HostArray read = co_await to.to_host();
    co_await copied;
    CHECK(read.to_doubles() == expected);
  }
}

}  // namespace

TEST_CASE("Copies of tensors: the bytes don't pass the host, within a package and between packages") {
  for (const int device : {0, 1}) {
    std::vector<Bytes> traffic;
    for (const std::int64_t elements : {1, 4096}) {
      Program program;
      program.run(copies, {.shape = {elements}, .device = device});
      traffic.push_back(host_traffic(program));
    }
    CHECK(traffic[0] == traffic[1]);
  }
}

TEST_CASE("Copies of tensors: each PE writes what it has") {
  Program program;
  program.run(copies, {.shape = {8, 64}, .from = {.dp = kRows, .resident = true}, .device = 1});
  const hw::OrderRecord move = only_move(program);
  CHECK(move.pes == 4);
  CHECK(move.cubes == 4);
  CHECK(move.sip == 0);
}

// A target that has its own replica of the source is served by its own PE.
TEST_CASE("Copies of tensors: the nearest replica is copied") {
  const TensorOptions everywhere{.dp = {}, .resident = true};
  Program program;
  program.run(copies, {.shape = {64}, .from = everywhere, .to = everywhere});
  CHECK(only_move(program).pes == 8);
  Program one;
  one.run(copies, {.shape = {64}, .from = everywhere, .to = {.dp = kOnePe, .resident = true}});
  CHECK(only_move(one).pes == 1);
}

// Without a translation a copy on one PE takes two translations less than pe_dma's move.
TEST_CASE("Copies of tensors: memories are named, so no part passes the MMU") {
  Program program;
  program.run(copies, {.shape = {64}});
  const Time copy = only_move(program).kernel();
  Program moved;
  const auto by_pe_dma = [](Rank& main, int) -> Task<> {
    const Tensor from = co_await main.torch.zeros({64}, f32, {.dp = kOnePe, .resident = true});
    const Tensor to = co_await main.torch.zeros({64}, f32, {.dp = kOnePe, .resident = true});
    co_await main.pe_dma({.from = from, .to = to});
  };
  moved.run(+by_pe_dma, 0);
  CHECK(only_move(moved).kernel() == copy + 2_ns);
}

TEST_CASE("Copies of tensors: run after writers, before later launches on either") {
  Program{}.run(in_program_order, 0);
}

TEST_CASE("Copies of tensors: two copies of one source are under way at a time") {
  std::array<Time, 2> took{};
  Program{}.run(side_by_side, took.data());
  CHECK(took[1] - took[0] < took[0] / 4);
}

TEST_CASE("Copies of tensors: elements that are read and written are refused") {
  const std::string text = Program{}.error(overlaps, 0, ExitCode::usage);
  CHECK_MESSAGE(text.ends_with("copy_ within tensor 'x': some of its elements are read and written; copy the "
                               "source by .to(placement) first"),
                text);
}

TEST_CASE("Copies of tensors: any elements, placements, memories and packages, by definition") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Program program{machine(), allreduce(), {.shuffle_ties = seed}};
    program.run(random_copies, {.seed = seed, .cases = 40});
  }
}

}  // namespace kbsim::host::test::device_copies_test
