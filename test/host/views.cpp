// Slices and other shapes of a tensor, and copies between tensors.
#include <doctest/doctest.h>

#include "kbsim/base/random.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"
#include "random_views.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using topology::Split;

namespace {

HostArray numbered(Shape shape, DType dtype = f32) {
  return generate(shape, dtype, [](std::int64_t i) { return static_cast<double>(i % 113); });
}

std::vector<double> elements_of(const View& view, const std::vector<double>& tensor) {
  std::vector<double> all;
  for (const Stretch& stretch : view.stretches()) {
    const auto from = tensor.begin() + stretch.first;
    all.insert(all.end(), from, from + stretch.count);
  }
  return all;
}

struct Drawn {
  std::uint64_t seed = 0;
  int cases = 0;
};

Task<> random_round_trips(Rank& main, Drawn drawn) {
  Random random{drawn.seed};
  for (int i = 0; i < drawn.cases; ++i) {
    const Shape shape = random_shape(random);
    const auto dtype = static_cast<DType>(random.below(kDTypes.size()));
    const topology::DPPolicy dp = random_policy(random);
    CAPTURE(drawn.seed);
    CAPTURE(i);
    CAPTURE(to_string(shape));
    CAPTURE(to_string(dp.cube));
    CAPTURE(to_string(dp.pe));
    const HostArray contents = numbered(shape, dtype);
    const Tensor x = co_await main.torch.from_host(contents, {.dp = dp, .resident = random.below(2) == 0});
    const HostArray back = co_await x.to_host();
    CHECK(back.bytes() == contents.bytes());
    const Tensor moved = co_await x.to(random_policy(random));
    const HostArray again = co_await moved.to_host();
    CHECK(again.bytes() == contents.bytes());
  }
}

// Writes to a slice are in the tensor, and nothing outside the slice changes.
Task<> random_slices(Rank& main, Drawn drawn) {
  Random random{drawn.seed};
  for (int i = 0; i < drawn.cases; ++i) {
    const Shape shape = random_shape(random);
    const topology::DPPolicy dp = random_policy(random);
    CAPTURE(drawn.seed);
    CAPTURE(i);
    CAPTURE(to_string(shape));
    CAPTURE(to_string(dp.cube));
    CAPTURE(to_string(dp.pe));
    std::vector<double> expected = numbered(shape).to_doubles();
    const Tensor x = co_await main.torch.from_host(numbered(shape), {.dp = dp, .resident = true});
    Random same = random;
    const Tensor part = random_part(x, random);
    const View view = random_part(View{shape}, same);
    REQUIRE(part.shape() == view.shape());
    CAPTURE(to_string(part.shape()));
    const HostArray read = co_await part.to_host();
    CHECK(read.to_doubles() == elements_of(view, expected));

    co_await part.copy_(host::full(part.shape(), -1.0, f32));
    for (const Stretch& stretch : view.stretches())
      std::fill_n(expected.begin() + stretch.first, stretch.count, -1.0);
    const HostArray after = co_await x.to_host();
    CHECK(after.to_doubles() == expected);
  }
}

Task<> indices(Rank& main, int) {
  const Tensor x =
      co_await main.torch.arange(24, f32, {.dp = {.cube = Split::column_wise}, .resident = true});
  const Tensor cube = x.reshape({2, 3, 4});
  const HostArray row = co_await cube[1][-1].to_host();
  CHECK(row.shape() == Shape{4});
  CHECK(row.to_doubles() == std::vector<double>{20, 21, 22, 23});
  const HostArray one = co_await cube[0][1][2].to_host();
  CHECK(one.shape() == Shape{});
  CHECK(one.to_doubles() == std::vector<double>{6});
  const HostArray rows = co_await cube[0][IndexRange{1, 3}].to_host();
  CHECK(rows.to_doubles() == std::vector<double>{4, 5, 6, 7, 8, 9, 10, 11});
  const HostArray columns = co_await cube.slice(-1, {1, 3}).to_host();
  CHECK(columns.shape() == Shape{2, 3, 2});
  CHECK(columns.to_doubles() == std::vector<double>{1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22});
  CHECK(cube.ptr() == x.ptr());
  CHECK(cube.shards().size() == x.shards().size());
}

struct DoubleInPlaceArgs {
  Ptr x;
  std::int64_t n = 0;
};

Task<> double_in_place(TL& tl, DoubleInPlaceArgs args) {
  const Tile part = co_await tl.load(args.x, {args.n}, args.x.dtype);
  co_await tl.store(args.x, part + part);
}
KBSIM_KERNEL(double_in_place, "twice a PE's part");

// Row 2 is cube 2's: the kernel runs there alone, on that row.
Task<> launches_on_a_row(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(numbered({4, 8}), {.dp = kRows});
  const Tensor row = x[2];
  REQUIRE(row.shards().size() == 1);
  CHECK(row.shards().front().spec.at == PeCoord{0, 2, 0});
  CHECK(row.ptr().va == x.ptr().va + 2 * 8 * 4);
  co_await main.launch("double_in_place", row, DoubleInPlaceArgs{row.ptr(), 8});
  std::vector<double> expected = numbered({4, 8}).to_doubles();
  for (std::size_t i = 16; i < 24; ++i) expected[i] *= 2;
  const HostArray after = co_await x.to_host();
  CHECK(after.to_doubles() == expected);
}

Task<> columns_have_no_address(Rank& main, int) {
  const Tensor x = co_await main.torch.from_host(numbered({4, 8}), {.dp = kRows, .name = "x"});
  const Tensor columns = x.slice(1, {2, 5});
  CHECK_THROWS_WITH_AS((void)columns.ptr(),
                       doctest::Contains("a slice [4, 3] of tensor 'x' of [4, 8] has no address of its own"),
                       UsageError);
  CHECK_THROWS_AS((void)columns.shards(), UsageError);
  CHECK_THROWS_WITH_AS((void)columns.view({12}), doctest::Contains("aren't contiguous"), UsageError);
  CHECK_THROWS_WITH_AS((void)x.view({3, 11}), doctest::Contains("shape [3, 11] is invalid for [4, 8]"),
                       UsageError);
  CHECK_THROWS_WITH_AS((void)x[4], doctest::Contains("index 4 is out of bounds for dimension 0 with size 4"),
                       UsageError);
  CHECK_THROWS_AS((void)x[-5], UsageError);
  CHECK_THROWS_AS((void)x.slice(2, {0, 1}), UsageError);
  CHECK_THROWS_AS((void)(x[IndexRange{2, 2}]), UsageError);
  CHECK_THROWS_AS((void)(x[IndexRange{3, 5}]), UsageError);
  CHECK_THROWS_AS((void)x[0][0][0], UsageError);
}

Task<> between_tensors(Rank& main, int) {
  const Tensor x =
      co_await main.torch.from_host(numbered({6, 4}), {.dp = {.cube = Split::row_wise}, .name = "x"});
  main.ahbm.set_device(1);
  const Tensor y = co_await main.torch.zeros({3, 4}, f32, {.dp = {.cube = Split::column_wise}, .name = "y"});
  const auto copied = y.copy_(x[IndexRange{3, 6}]);
  const HostArray read = co_await y.to_host();  // waits for it
  CHECK(copied.done());
  co_await copied;
  std::vector<double> expected = numbered({6, 4}).to_doubles();
  expected.erase(expected.begin(), expected.begin() + 12);
  CHECK(read.to_doubles() == expected);

  const Tensor z = co_await x.to(1);
  CHECK(z.sip() == 1);
  CHECK(z.shards().size() == x.shards().size());
  const HostArray there = co_await z.to_host();
  CHECK(there.to_doubles() == numbered({6, 4}).to_doubles());
  CHECK_THROWS_WITH_AS((void)x.to(2), doctest::Contains("invalid device ordinal 2"), UsageError);
  CHECK_THROWS_WITH_AS((void)y.copy_(x),
                       doctest::Contains("copy_ of tensor 'x' of [6, 4] f32 into tensor 'y' of [3, 4] f32"),
                       UsageError);
}

Task<> prints(Rank& main, int) {
  const Tensor x = co_await main.torch.full({4, 8}, 1.5, f16, {.dp = kRows, .name = "x"});
  const std::string text = co_await x.text();
  CHECK(text == "tensor(name=x, shape=[4, 8], dtype=f16, mean=1.5, norm=8.485)");
}

Task<> prints_without_numbers(Rank& main, int) {
  const Tensor x = co_await main.torch.full({4, 8}, 1.5, f16, {.dp = kRows, .name = "x"});
  const std::string text = co_await x.text();
  CHECK(text == "tensor(name=x, shape=[4, 8], dtype=f16)");
}

Task<> drawn_numbers(Rank& main, int) {
  const Tensor a = co_await main.torch.rand({100}, f32, 7, {.resident = true});
  const Tensor b = co_await main.torch.rand({100}, f32, 7, {});
  const Tensor c = co_await main.torch.rand({100}, f32, 8, {});
  const HostArray of_a = co_await a.to_host();
  const HostArray of_b = co_await b.to_host();
  const HostArray of_c = co_await c.to_host();
  CHECK(of_a.bytes() == of_b.bytes());
  CHECK(of_a.bytes() != of_c.bytes());
  for (const double number : of_a.to_doubles()) {
    CHECK(number >= 0.0);
    CHECK(number <= 1.0);
  }
}

}  // namespace

TEST_CASE("View: stretches are joined, and cover what index, slice and reshape say") {
  const View all{Shape{4, 6}};
  CHECK(all.stretches() == std::vector<Stretch>{{0, 24}});
  CHECK(all.at(-1).stretches() == std::vector<Stretch>{{18, 6}});
  CHECK(all.slice(0, {1, 3}).stretches() == std::vector<Stretch>{{6, 12}});
  CHECK(all.slice(1, {2, 4}).stretches() == std::vector<Stretch>{{2, 2}, {8, 2}, {14, 2}, {20, 2}});
  CHECK(all.slice(1, {2, 4}).at(1).at(1).stretches() == std::vector<Stretch>{{9, 1}});
  CHECK(all.slice(0, {1, 3}).reshaped({3, 4}).slice(0, {1, 2}).stretches() == std::vector<Stretch>{{10, 4}});
  CHECK(!all.slice(1, {2, 4}).contiguous());
  CHECK(all.reshaped({2, 2, 6}).whole());
}

TEST_CASE("View: the pieces of a block are in its order, and join over whole rows of it") {
  const topology::ShardSpec left{
      .at = {}, .nbytes = Bytes{32}, .block = {.row0 = 1, .rows = 2, .col0 = 0, .cols = 4}, .tensor_cols = 8};
  const View all{Shape{4, 8}};
  CHECK(all.pieces(left) == std::vector<Piece>{{.in_shard = 0, .in_view = 8, .count = 4},
                                               {.in_shard = 4, .in_view = 16, .count = 4}});
  CHECK(all.slice(1, {0, 4}).pieces(left) == std::vector<Piece>{{.in_shard = 0, .in_view = 4, .count = 8}});
  CHECK(all.at(3).pieces(left).empty());
}

TEST_CASE("Checklist 6: what is placed anyhow is read back, and copied to any other placement") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) Program{}.run(random_round_trips, Drawn{seed, 30});
}

TEST_CASE("Tensor slices: reading gives their elements, writing changes no others, across any shards") {
  for (const std::uint64_t seed : {11, 12, 13, 14}) Program{}.run(random_slices, Drawn{seed, 30});
}

TEST_CASE("Checklist 6: indices, ranges and reshapes of a tensor are handles of its memory") {
  Program{}.run(indices, 0);
}

TEST_CASE("Tensor slices: a kernel is launched on those PEs alone that have a part") {
  Program{}.run(launches_on_a_row, 0);
}

TEST_CASE("Tensor slices: what can't be is refused by name; columns have no address of their own") {
  Program{}.run(columns_have_no_address, 0);
}

TEST_CASE("Checklist 6: copy_ takes a tensor, .to() a placement or a device") {
  Program{}.run(between_tensors, 0);
}

TEST_CASE("Checklist 6: a tensor's text has name, shape, dtype, mean and norm") {
  Program{}.run(prints, 0);
  Session session{machine(), allreduce(), {.timing_only = true}};
  World world;
  Rank main{session, world, 0};
  (void)session.sim().spawn("main", main.run(prints_without_numbers(main, 0)));
  session.run();
}

TEST_CASE("Tensor: rand is the same for the same seed") { Program{}.run(drawn_numbers, 0); }
