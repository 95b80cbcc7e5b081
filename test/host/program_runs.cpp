// Several runs of one HostProgram; some of them fail.
#include <string>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/host/host_program.hpp"
#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

namespace kbsim::host::test::program_runs_test {

namespace {

struct TwiceArgs {
  Ptr x;
  bool fails = false;
};

Task<> program_runs_twice(TL& tl, TwiceArgs args) {
  const Tile x = co_await tl.load(args.x, {4}, args.x.dtype);
  if (args.fails) throw KernelFault{"the kernel fails"};
  co_await tl.store(args.x, x * 2.0);
}
KBSIM_KERNEL(program_runs_twice, "twice four numbers");

enum class Goes { well, kernel_fails, throws_with_work };

Task<> launches(Rank& main, Goes goes) {
  const Tensor x = co_await main.torch.full({4}, 1.0, f16, {.dp = kOnePe, .name = "x"});
  const auto ran =
      main.launch("program_runs_twice", x, TwiceArgs{.x = x.ptr(), .fails = goes == Goes::kernel_fails});
  if (goes == Goes::throws_with_work) throw UsageError{"the program throws"};
  co_await ran;
  const HostArray y = co_await x.to_host();
  CHECK(y.to_doubles() == std::vector<double>(4, 2.0));
}

Task<> waits_for_ever(Rank& main) {
  Event never{main.session().sim(), "what never comes"};
  co_await never.wait();
}

std::string refused(HostProgram& program) {
  try {
    program.run(launches, Goes::well);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("HostProgram: runs one program after another, also after one that threw with work under way") {
  HostProgram program{machine(1, 1, 1)};
  program.run(launches, Goes::well);
  CHECK_THROWS_WITH_AS(program.run(launches, Goes::throws_with_work), doctest::Contains("the program throws"),
                       Error);
  program.run(launches, Goes::well);
}

TEST_CASE("HostProgram: after a run that stopped in the midst of its program the next one is refused") {
  const std::string why =
      ": HostProgram::run: an earlier run stopped in the midst of its program, as its error said; make a new "
      "HostProgram";
  HostProgram faulty{machine(1, 1, 1)};
  CHECK_THROWS_WITH_AS(faulty.run(launches, Goes::kernel_fails), doctest::Contains("the kernel fails"),
                       Error);
  CHECK(refused(faulty).starts_with("program_runs.cpp:"));
  CHECK(refused(faulty).ends_with(why));
  HostProgram stuck{machine(1, 1, 1)};
  CHECK_THROWS_AS(stuck.run(waits_for_ever), DeadlockReport);
  CHECK(refused(stuck).ends_with(why));
}

}  // namespace kbsim::host::test::program_runs_test
