// Data that a rank has sent to memory before its own or another rank's failure ends it. It harms no later
// tensor, and readers get it whole.
#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/rank.hpp"

#include "program.hpp"

namespace kbsim::host::test::cancelled_copies_test {

namespace {

constexpr std::int64_t kMany = 1 << 14;

enum class What { copy, copy_of_tensor, fill, to };

struct Case {
  What what = What::copy;
  Time fails{};                         // after the call
  std::vector<Tensor>* left = nullptr;  // to the main program
};

// The last link to a memory is slow: data is still under way long after orders are done.
config::MachineSpec narrow() {
  config::MachineSpec spec = machine(2, 1, 1);
  spec.cube.xbar_to_hbm = Bandwidth::gbs(1.0);
  return spec;
}

Task<> copying(Rank& rk, Case test) {
  if (rk.index == 1) co_await Event{rk.session().sim(), "what never comes"}.wait();
  const TensorOptions options{.dp = kOnePe, .name = "x"};
  std::any under_way;
  if (test.what == What::fill) {
    under_way = rk.torch.full({kMany}, 1.0, f16, options);
  } else {
    const Tensor x = co_await rk.torch.empty({kMany}, f16, options);
    if (test.left != nullptr) test.left->push_back(x);
    if (test.what == What::copy) under_way = x.copy_(full({kMany}, 1.0, f16));
    if (test.what == What::copy_of_tensor) under_way = x.copy_(x);
    if (test.what == What::to) under_way = x.to(kOnePe);
  }
  co_await rk.session().sim().delay(test.fails);
  throw UsageError{"the rank fails"};
}

// In the same memory.
Task<> resident(Rank& rk, Case) {
  const Tensor x =
      co_await rk.torch.full({2 * kMany}, 2.0, f16, {.dp = kOnePe, .name = "y", .resident = true});
  co_await rk.session().sim().delay(1000_us);
  const HostArray twos = co_await x.to_host();
  CHECK(twos.to_doubles() == std::vector<double>(2 * kMany, 2.0));
}

Task<> fails_and_goes_on(Rank& main, Case test) {
  co_await fails_on_two(main, copying, test);
  co_await main.session().sim().delay(2_us);
  co_await main.mp.spawn(resident, test, {.nprocs = 2});
}

Task<> fails_and_reads(Rank& main, Case test) {
  std::vector<Tensor> left;
  test.left = &left;
  co_await fails_on_two(main, copying, test);
  const HostArray ones = co_await left.front().to_host();
  CHECK(ones.to_doubles() == std::vector<double>(kMany, 1.0));
}

}  // namespace

TEST_CASE("Cancelled copies: what comes late changes no later tensor, and its memory is given back") {
  for (const What what : {What::copy, What::copy_of_tensor, What::fill, What::to}) {
    for (Time after{}; after < 40000_ns; after += 2370_ns) {
      CAPTURE(what);
      CAPTURE(after.count());
      Program program{narrow()};
      const Bytes before = free_memory(program.session);
      CHECK_NOTHROW(program.run(fails_and_goes_on, Case{.what = what, .fails = after}));
      CHECK(free_memory(program.session) == before);
    }
  }
}

TEST_CASE("Cancelled copies: a rank that still has the tensor reads the sent data, once it is there") {
  for (Time after{}; after < 40000_ns; after += 2370_ns) {
    CAPTURE(after.count());
    Program program{narrow()};
    CHECK_NOTHROW(program.run(fails_and_reads, Case{.what = What::copy, .fails = after}));
  }
}

}  // namespace kbsim::host::test::cancelled_copies_test
