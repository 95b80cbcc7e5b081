// Orders of a rank that another rank's failure ends: its kernels go on, and harm no other program.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/host_program.hpp"
#include "kbsim/host/tensor_operators.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::cancelled_orders_test {

namespace {

constexpr std::int64_t kMany = 1024;

struct ScaleArgs {
  Ptr x;
  std::int64_t n = 0;
};

Task<> cancelled_orders_scale(TL& tl, ScaleArgs args) {
  for (std::int64_t i = 0; i < args.n; i += 256) {
    const Tile x = co_await tl.load(args.x + i, {256}, args.x.dtype);
    co_await tl.store(args.x + i, x * 2.0);
  }
}
KBSIM_KERNEL(cancelled_orders_scale, "twice a vector, block by block");

enum class What { launch, operation, dma };

struct Case {
  What what = What::launch;
  Time fails{};  // after the order
  bool in_group = false;
};

Task<> ordering(Rank& rk, Case test) {
  const Tensor x = co_await rk.torch.full({kMany}, 1.0, f16, {.dp = kOnePe, .name = "x"});
  const Tensor y = co_await rk.torch.full({kMany}, 1.0, f16, {.dp = kOnePe, .name = "y"});
  if (rk.index == 0) co_await Event{rk.session().sim(), "what never comes"}.wait();
  if (test.what == What::launch) {
    const auto ran = rk.launch("cancelled_orders_scale", x, ScaleArgs{.x = x.ptr(), .n = kMany});
    co_await rk.session().sim().delay(test.fails);
    throw UsageError{"the rank fails"};
  }
  if (test.what == What::operation) {
    const auto sum = x + y;
    co_await rk.session().sim().delay(test.fails);
    throw UsageError{"the rank fails"};
  }
  const auto moved = rk.pe_dma({.from = x, .to = y});
  co_await rk.session().sim().delay(test.fails);
  throw UsageError{"the rank fails"};
}

// A third of a PE's memory.
Task<> launching_and_failing(Rank& rk) {
  const Tensor x = co_await rk.torch.empty({1 << 20, 1 << 10}, f16, {.dp = kOnePe, .name = "large"});
  const auto ran = rk.launch("cancelled_orders_scale", x, ScaleArgs{.x = x.ptr(), .n = kMany});
  throw UsageError{"the rank fails"};
}

Task<> does_nothing(Rank&) { co_return; }
// By then the kernels of the program before have ended.
Task<> spawns_what_fails(Rank& main) {
  co_await main.session().sim().delay(10_us);
  co_await main.mp.spawn(launching_and_failing, {.nprocs = 2});
}

Task<> scaling(Rank& rk, Case) {
  const Tensor x = co_await rk.torch.full({kMany}, 1.0, f16, {.dp = kOnePe, .name = "x"});
  co_await rk.launch("cancelled_orders_scale", x, ScaleArgs{.x = x.ptr(), .n = kMany});
  const HostArray twice = co_await x.to_host();
  CHECK(twice.to_doubles() == std::vector<double>(kMany, 2.0));
}

Task<> fails_and_goes_on(Rank& main, Case test) {
  if (test.in_group) co_await main.dist.init_process_group({});
  co_await fails_on_two(main, ordering, test);
  co_await main.mp.spawn(scaling, test, {.nprocs = 2});
}

}  // namespace

TEST_CASE("Cancelled orders: kernels of a rank that has ended find their tensors, whenever it ends") {
  for (const What what : {What::launch, What::operation, What::dma}) {
    for (const bool in_group : {false, true}) {
      for (Time fails{}; fails < 1000_ns; fails += 37_ns) {
        CAPTURE(what);
        CAPTURE(in_group);
        CAPTURE(fails.count());
        Program program{machine(2, 1, 1)};
        const Bytes before = free_memory(program.session);
        CHECK_NOTHROW(
            program.run(fails_and_goes_on, Case{.what = what, .fails = fails, .in_group = in_group}));
        if (!in_group) CHECK(free_memory(program.session) == before);
      }
    }
  }
}

TEST_CASE("Cancelled orders: their tensors' memory serves the programs that come after them") {
  HostProgram program{machine(2, 1, 1), config::CclSpec{}, {.replay_threads = 1}};
  const Bytes before = free_memory(program.session());
  for (int i = 0; i < 5; ++i) {
    CAPTURE(i);
    try {
      program.run(spawns_what_fails);
      FAIL("no rank failed");
    } catch (const Error& error) {
      CHECK_MESSAGE(std::string{error.what()}.find("the rank fails") != std::string::npos, error.what());
    }
  }
  program.run(does_nothing);
  CHECK(free_memory(program.session()) == before);
}

}  // namespace kbsim::host::test::cancelled_orders_test
