#include "kbsim/tl/kernel.hpp"

#include <doctest/doctest.h>

#include "kbsim/base/registry.hpp"
#include "kbsim/tl/collective_args.hpp"

#include "fake_pe.hpp"

namespace kbsim::test::kernel_test {

static_assert(std::is_aggregate_v<CollectiveArgs> && std::is_trivially_copyable_v<CollectiveArgs>);

namespace {

struct DoubleArgs {
  double value = 0.0;
};
struct OtherArgs {
  double value = 0.0;
};

Task<> fill_with(TL& tl, DoubleArgs args) {
  (void)tl.full({1}, args.value);
  co_return;
}
KBSIM_KERNEL(fill_with, "one tile of a value");

}  // namespace

TEST_CASE("Kernels: one is known by its name, and bound to arguments of its own type") {
  Simulation sim;
  FakePe pe{sim};
  TL tl{pe};
  const KernelEntry& entry = kernels().at("fill_with");
  CHECK(entry.doc == "one tile of a value");
  const KernelCall call = entry.bind(DoubleArgs{2.5});
  CHECK(call.name == "fill_with");
  for (int launch = 0; launch < 2; ++launch) sim.spawn("kernel", call.start(tl));
  sim.run();
  REQUIRE(pe.commands.size() == 2);
  CHECK(pe.commands[1].params.scalar == 2.5);
}

TEST_CASE("Kernels: arguments of another type are refused, even of the same members") {
  const KernelEntry& entry = kernels().at("fill_with");
  const char* text = "kernel 'fill_with' was given arguments of another kernel's type";
  CHECK_THROWS_WITH_AS((void)entry.bind(OtherArgs{2.5}), text, UsageError);
  CHECK_THROWS_WITH_AS((void)entry.bind({}), text, UsageError);
}

TEST_CASE("Kernels: an unknown name gives the nearest, and a second registration is an internal error") {
  CHECK_THROWS_WITH_AS((void)kernels().at("fil_with"), "unknown kernel 'fil_with', did you mean 'fill_with'?",
                       UsageError);
  CHECK_THROWS_AS(kernels().add("fill_with", {}), InternalError);
}

TEST_CASE("Kernels: a null pointer in place of one is refused with the line, or by its name") {
  Task<> (*const none)(TL&, DoubleArgs) = nullptr;
  CHECK_THROWS_WITH_AS((void)bind_kernel("none", none, DoubleArgs{}), doctest::Contains("kernel.cpp:"),
                       UsageError);
  CHECK_THROWS_WITH_AS(
      (void)bind_kernel("none", none, DoubleArgs{}),
      doctest::Contains(": bind_kernel of 'none': the function is a null pointer, expected one to run"),
      UsageError);
  CHECK(register_kernel("none", kernel_entry("none", "no kernel", none), KBSIM_ABI));
  CHECK_THROWS_WITH_AS((void)kernels().at("none"), "kernel 'none' was registered without a function",
                       UsageError);
}

}  // namespace kbsim::test::kernel_test
