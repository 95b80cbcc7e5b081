#include <doctest/doctest.h>

#include "kbsim/tl/kernel.hpp"

#include "program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

constexpr std::int64_t kRowLength = 8;

struct NumberArgs {
  Ptr x;
};

// Each PE's row becomes the number of its cube.
Task<> number_rows(TL& tl, NumberArgs args) {
  const int cube = tl.program_id(1);
  co_await tl.store(args.x + cube * kRowLength, tl.full({kRowLength}, cube, args.x.dtype));
}
KBSIM_KERNEL(number_rows, "each row becomes its cube's number");

Task<> launches(Rank& main, std::vector<double>* numbers) {
  const Tensor x = co_await main.torch.zeros({4, kRowLength}, f16, {.dp = kRows});
  co_await main.launch("number_rows", x, NumberArgs{x.ptr()});
  const HostArray after = co_await x.to_host();
  *numbers = after.to_doubles();
}

Task<> launches_unknown(Rank& main, int) {
  const Tensor x = co_await main.torch.zeros({4, kRowLength}, f16, {.dp = kRows});
  co_await main.launch("number_row", x, NumberArgs{x.ptr()});
}

Task<> launches_with_others_args(Rank& main, int) {
  const Tensor x = co_await main.torch.zeros({4, kRowLength}, f16, {.dp = kRows});
  co_await main.launch("number_rows", x, 3);
}

}  // namespace

TEST_CASE("Launch: the kernel runs on every PE that owns a shard, and has ended when the await has") {
  Program program;
  std::vector<double> numbers;
  program.run(launches, &numbers);
  REQUIRE(numbers.size() == 4 * kRowLength);
  for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == static_cast<double>(i / kRowLength));
}

TEST_CASE("Launch: an unknown kernel, and arguments of another type, are refused") {
  Program unknown;
  CHECK(unknown.error(launches_unknown, 0, ExitCode::usage).find("did you mean 'number_rows'?") !=
        std::string::npos);
  Program others;
  CHECK(others.error(launches_with_others_args, 0, ExitCode::usage)
            .find("arguments of another kernel's type") != std::string::npos);
}
