// Tensors that are in their memories at no simulated time.
#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;
using topology::Split;

namespace {

HostArray counted(Shape shape) {
  return generate(shape, f16, [](std::int64_t i) { return static_cast<double>(i % 2039); });
}

struct DoubleRowArgs {
  Ptr x;
  Ptr y;
  std::int64_t columns = 0;
};

Task<> double_row(TL& tl, DoubleRowArgs args) {
  const std::int64_t mine = tl.program_id(1) * args.columns;
  const Tile row = co_await tl.load(args.x + mine, {args.columns}, args.x.dtype);
  co_await tl.store(args.y + mine, row + row);
}
KBSIM_KERNEL(double_row, "a row of y is twice that of x");

struct Seen {
  Time made{};
  std::uint64_t events = 0;
  std::vector<double> numbers;
  hw::Activity kernel;
};

struct Wish {
  bool resident = true;
  Seen* seen = nullptr;
};

Task<> double_rows(Rank& main, Wish wish) {
  const HostArray contents = counted({4, 8});
  const std::uint64_t before = main.session().sim().events();
  const Tensor x =
      co_await main.torch.from_host(contents, {.dp = kRows, .name = "x", .resident = wish.resident});
  const Tensor y =
      co_await main.torch.empty({4, 8}, f16, {.dp = kRows, .name = "y", .resident = wish.resident});
  wish.seen->made = main.session().sim().now();
  wish.seen->events = main.session().sim().events() - before;
  wish.seen->kernel = co_await main.launch("double_row", y, DoubleRowArgs{x.ptr(), y.ptr(), 8});
  const HostArray after = co_await y.to_host();
  if (after.has_numbers()) wish.seen->numbers = after.to_doubles();
}

Task<> round_trips(Rank& main, int) {
  for (const Split split : {Split::replicate, Split::row_wise, Split::column_wise, Split::tiled_row_major}) {
    const HostArray contents = counted({5, 7});
    const Tensor x = co_await main.torch.from_host(
        contents, {.dp = {.cube = split, .pe = split, .tile = {.rows = 2, .cols = 3}}, .resident = true});
    const HostArray back = co_await x.to_host();
    CHECK(back.bytes() == contents.bytes());
  }
}

Task<> resident_makers(Rank& main, int) {
  const Tensor zeros = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows, .resident = true});
  const Tensor threes = co_await main.torch.full({4, 8}, 3.0, f16, {.dp = kRows, .resident = true});
  CHECK(main.session().sim().now() == Time{});
  CHECK(main.session().resident() == 2 * Shape{4, 8}.bytes(f16));
  const HostArray zero = co_await zeros.to_host();
  const HostArray three = co_await threes.to_host();
  CHECK(zero.to_doubles() == std::vector<double>(32, 0.0));
  CHECK(three.to_doubles() == std::vector<double>(32, 3.0));
  co_await threes.copy_(counted({4, 8}));
  const HostArray written = co_await threes.to_host();
  CHECK(written.bytes() == counted({4, 8}).bytes());
}

Task<> replicas(Rank& main, std::size_t* values) {
  const Tensor x = co_await main.torch.full({3, 5}, 1.0, f16, {.resident = true});
  CHECK(main.session().resident() == 8 * Shape{3, 5}.bytes(f16));  // four cubes of two PEs
  *values = main.session().log().ops(main.session().lane(0)).size();
}

Task<> gone_and_used(Rank& main, int) {
  Ptr dangling;
  const Tensor y = co_await main.torch.empty({4, 8}, f16, {.dp = kRows, .resident = true});
  {
    const Tensor x = co_await main.torch.full({4, 8}, 1.0, f16, {.dp = kRows, .resident = true});
    dangling = x.ptr();
  }
  co_await main.launch("double_row", y, DoubleRowArgs{dangling, y.ptr(), 8});
}

Task<> without_elements(Rank& main, Shape shape) {
  [[maybe_unused]] const Tensor x = co_await main.torch.full(shape, 1.0, f16, {.resident = true});
}

Task<> too_large_to_reside(Rank& main, int) {
  [[maybe_unused]] const Tensor x = co_await main.torch.empty({1 << 20, 1 << 14}, f16, {.resident = true});
}

}  // namespace

TEST_CASE("Resident tensor: it is there at time 0, without an event, and kernels see what others see") {
  Seen uploaded;
  Seen resident;
  Program before;
  before.run(double_rows, Wish{false, &uploaded});
  CHECK(before.session.resident() == Bytes{});
  Program program;
  program.run(double_rows, Wish{true, &resident});
  CHECK(uploaded.made > Time{});
  CHECK(resident.made == Time{});
  CHECK(resident.events == 0);
  REQUIRE(resident.numbers.size() == 32);
  for (std::size_t i = 0; i < 32; ++i) CHECK(resident.numbers[i] == 2.0 * static_cast<double>(i));
  CHECK(resident.numbers == uploaded.numbers);
  CHECK(resident.kernel.last_end - resident.kernel.first_start ==
        uploaded.kernel.last_end - uploaded.kernel.first_start);
  CHECK(program.session.resident() == Shape{4, 8}.bytes(f16));  // of x; y has no contents
}

TEST_CASE("Resident tensor: timing only takes the same time") {
  Seen with;
  Program{}.run(double_rows, Wish{true, &with});
  Session session{machine(), allreduce(), {.timing_only = true}};
  World world;
  Rank main{session, world, 0};
  Seen without;
  (void)session.sim().spawn("main", main.run(double_rows(main, {true, &without})));
  session.run();
  CHECK(without.kernel.last_end == with.kernel.last_end);
  CHECK(session.resident() == Shape{4, 8}.bytes(f16));
}

TEST_CASE("Resident tensor: what is placed is read back, whatever the split") {
  Program{}.run(round_trips, 0);
}

TEST_CASE("Resident tensor: zeros and full reside too, and can be written later") {
  Program{}.run(resident_makers, 0);
}

TEST_CASE("Resident tensor: each replica has its bytes, and all are one value") {
  std::size_t values = 0;
  Program{}.run(replicas, &values);
  CHECK(values == 1);
}

TEST_CASE("Resident tensor: memory and addresses come back when it goes, and it isn't mapped any more") {
  Program program;
  const Bytes hbm = program.session.allocators().pe({0, 0, 0}).hbm.free_bytes();
  const Bytes va = program.session.virtual_memory(0).free_bytes();
  program.run(resident_makers, 0);
  CHECK(program.session.allocators().pe({0, 0, 0}).hbm.free_bytes() == hbm);
  CHECK(program.session.virtual_memory(0).free_bytes() == va);
  CHECK(Program{}.error(gone_and_used, 0, ExitCode::deadlock).find("is not mapped on sip0.cube0.pe0") !=
        std::string::npos);
}

TEST_CASE("Resident tensor: one without elements or room is refused as others are") {
  for (const Shape shape : {Shape{0}, Shape{4, 0}, Shape{-1}})
    CHECK(!Program{}.error(without_elements, shape, ExitCode::usage).empty());
  CHECK_THROWS_AS(Program{}.run(too_large_to_reside, 0), std::exception);
}
