// A rank's call on a tensor runs after the operations that still write the tensor, awaited or not.
#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::stream_order_test {
namespace {

HostArray all(double value) { return full({4, 8}, value, f16); }
std::vector<double> eights(double value) { return std::vector<double>(32, value); }

struct DoublesArgs {
  Ptr x;
};

// Much arithmetic before the store, so that a write that comes too early would be overwritten.
Task<> doubles_late(TL& tl, DoublesArgs args) {
  const Ptr row = args.x + tl.program_id(1) * 8;
  const Tile x = co_await tl.load(row, {8}, f16);
  Tile ones = tl.full({8}, 1.0, f16);
  for (int i = 0; i < 200; ++i) ones = ones * ones;
  co_await tl.store(row, (x + x) * ones);
}
KBSIM_KERNEL(doubles_late, "twice of what is there, late");

Task<> launches_after_a_copy(Rank& main, int) {
  const Tensor x = co_await main.torch.zeros({4, 8}, f16, {.dp = kRows, .name = "x"});
  const auto copied = x.copy_(all(7.0));
  const auto doubled = main.launch("doubles_late", x, DoublesArgs{x.ptr()});
  const auto again = main.launch("doubles_late", x, DoublesArgs{x.ptr()});
  co_await again;
  CHECK(copied.done());
  const HostArray now = co_await x.to_host();
  CHECK(now.to_doubles() == eights(28.0));
  co_await copied;
  co_await doubled;
}

Task<> copies_after_a_launch(Rank& main, int) {
  const Tensor x = co_await main.torch.full({4, 8}, 1.0, f16, {.dp = kRows, .name = "x"});
  const Tensor y = co_await main.torch.full({4, 8}, 3.0, f16, {.dp = kRows, .name = "y"});
  const auto doubled = main.launch("doubles_late", x, DoublesArgs{x.ptr()});
  const auto first = x.copy_(all(7.0));
  const auto second = x.copy_(y);
  co_await second;
  CHECK(doubled.done());
  CHECK(first.done());
  const HostArray now = co_await x.to_host();
  CHECK(now.to_doubles() == eights(3.0));
  co_await doubled;
  co_await first;
}

Task<> reduces_after_a_copy(Rank& rk, int) {
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  const auto copied = x.copy_(all(rk.index + 1.0));
  co_await rk.dist.all_reduce(x);
  const HostArray now = co_await x.to_host();
  CHECK(now.to_doubles() == eights(4 * (1.0 + 2.0)));  // of four cubes of each package
  co_await copied;
}

Task<> sends_after_a_copy(Rank& rk, int) {
  const Tensor x = co_await rk.torch.zeros({4, 8}, f16, {.dp = kRows});
  const auto copied = x.copy_(all(rk.index + 1.0));
  if (rk.index == 0) {
    co_await rk.dist.send(x, 1);
  } else {
    co_await rk.dist.recv(x, 0);
  }
  const HostArray now = co_await x.to_host();
  CHECK(now.to_doubles() == eights(1.0));
  co_await copied;
}

Task<> with_group(Rank& main, Task<> (*worker)(Rank&, int)) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(worker, 0, {.nprocs = 2});
}

struct Halves {
  bool together = false;
  Time* took = nullptr;
};

Task<> writes_halves(Rank& main, Halves halves) {
  const Tensor x = co_await main.torch.zeros({4, 4096}, f16, {.dp = kRows});
  const HostArray contents = full({2, 4096}, 5.0, f16);
  const Time before = main.session().sim().now();
  const auto first = x[IndexRange{0, 2}].copy_(contents);
  if (!halves.together) co_await first;
  const auto second = x[IndexRange{2, 4}].copy_(contents);
  co_await second;
  co_await first;
  *halves.took = main.session().sim().now() - before;
}

Time halves_take(bool together) {
  Time took{};
  Program{}.run(writes_halves, {.together = together, .took = &took});
  return took;
}

}  // namespace

TEST_CASE("Stream order: a launch, a collective and a message come after a copy_ that isn't awaited") {
  Program{}.run(launches_after_a_copy, 0);
  Program{}.run(with_group, reduces_after_a_copy);
  Program{}.run(with_group, sends_after_a_copy);
}

TEST_CASE("Stream order: a copy_ comes after launches and copies that write the same elements") {
  Program{}.run(copies_after_a_launch, 0);
}

TEST_CASE("Stream order: copies into parts of a tensor that don't overlap go side by side") {
  CHECK(halves_take(true) < halves_take(false));
}

}  // namespace kbsim::host::test::stream_order_test
