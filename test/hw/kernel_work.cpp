// Work of a PE's CPU that is no command: tl.work().
#include <doctest/doctest.h>

#include "harness.hpp"

namespace kbsim::hw::test::kernel_work_test {
namespace {

constexpr PeCoord kPe{0, 0, 0};
constexpr Ptr kHere{.va = kVa, .dtype = f16};

struct WorkArgs {
  Time before{};  // of work ahead of a load
  Time after{};   // and after it
  Time* took = nullptr;
};

Task<> works(TL& tl, WorkArgs args) {
  const Time start = tl.clock();
  tl.work(args.before);
  auto load = tl.load(kHere, {64}, f16);
  tl.work(args.after);
  co_await load;
  *args.took = tl.clock() - start;
}

Task<> works_backwards(TL& tl, WorkArgs) {
  tl.work(-1_ns);
  co_return;
}

Time took(Time before, Time after) {
  Rig rig{small_machine()};
  Time time{};
  rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe, 0),
                         bind_kernel("works", works, WorkArgs{before, after, &time})));
  return time;
}

}  // namespace

TEST_CASE("Work: commands after it are issued so much later; a load goes on meanwhile") {
  const Time load = took(Time{0}, Time{0});
  CHECK(took(100_ns, Time{0}) == load + 100_ns);
  CHECK(took(Time{0}, 1_ns) == load);
  const Time issued = took(Time{0}, 10'000_ns) - 10'000_ns;  // the load is over by then
  CHECK(issued > Time{0});
  CHECK(issued < load);
  CHECK(took(7_ns, 20'000_ns) == issued + 20'007_ns);
}

TEST_CASE("Work: a negative time is the kernel's fault") {
  Rig rig{small_machine()};
  Time time{};
  CHECK_THROWS_WITH(rig.run(map_and_launch(&rig, kPe, in_hbm(*rig.spec, kPe, 0),
                                           bind_kernel("works", works_backwards, WorkArgs{{}, {}, &time}))),
                    doctest::Contains("work: a time of -1 ns is negative"));
}

}  // namespace kbsim::hw::test::kernel_work_test
