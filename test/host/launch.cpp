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

struct StrideArgs {
  Ptr x;
  std::int64_t n = 0;
};

// Element i becomes 100 i + the number of programs.
Task<> grid_stride(TL& tl, StrideArgs args) {
  for (std::int64_t i = tl.program_id(0); i < args.n; i += tl.num_programs(0))
    co_await tl.store(args.x + i, tl.full({1}, 100 * i + tl.num_programs(0), args.x.dtype));
}
KBSIM_KERNEL(grid_stride, "elements in turn");

struct OfPes {
  int owners = 1;
  IndexRange rows = {};  // of its one-row shards, if not all
  std::optional<int> target_pe = {};
  std::vector<double> numbers = {};
};

// Every PE sees all of the tensor, which has a row on each owner.
Task<> strides_over(Rank& main, OfPes* of) {
  const topology::DPPolicy rows{.pe = topology::Split::row_wise, .num_cubes = 1, .num_pes = of->owners};
  const Tensor all =
      co_await main.torch.zeros({of->owners, 5}, f32, {.dp = rows, .name = "x", .shared = true});
  const Tensor x = of->rows.end == 0 ? all : all[of->rows];
  co_await main.launch("grid_stride", std::vector{x}, StrideArgs{x.ptr(), x.shape().elements()},
                       LaunchOptions{.target_pe = of->target_pe});
  const HostArray after = co_await x.to_host();
  of->numbers = after.to_doubles();
}

config::MachineSpec four_pes() {
  config::MachineSpec spec = machine(1, 1, 1);
  spec.cube.pe_layout = {.corners = {config::Corner::NW, config::Corner::SE}, .pe_per_corner = 2};
  return spec;
}

std::vector<double> strided(OfPes of) {
  Program{four_pes()}.run(strides_over, &of);
  return of.numbers;
}

std::vector<double> all_with(std::size_t n, int programs) {
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = 100.0 * static_cast<double>(i) + programs;
  return numbers;
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
  const std::string text = unknown.error(launches_unknown, 0, ExitCode::usage);
  CHECK(text.find("did you mean 'number_rows'?") != std::string::npos);
  CHECK_MESSAGE(text.find("launch.cpp:") < text.find(": launch: unknown kernel"), text);
  Program others;
  CHECK(others.error(launches_with_others_args, 0, ExitCode::usage)
            .find("arguments of another kernel's type") != std::string::npos);
}

TEST_CASE("Checklist 4: programs are the PEs of a cube that own shards, so a grid stride skips nothing") {
  for (const int owners : {1, 2, 3, 4}) {
    CAPTURE(owners);
    CHECK(strided({.owners = owners}) == all_with(static_cast<std::size_t>(owners) * 5, owners));
  }
  // A slice that PEs 1 and 2 own.
  CHECK(strided({.owners = 4, .rows = {1, 3}}) == all_with(10, 2));
}

TEST_CASE("Checklist 4: target_pe runs one program of those that own shards") {
  const std::vector<double> numbers = strided({.owners = 3, .target_pe = 2});
  for (std::size_t i = 0; i < numbers.size(); ++i)
    CHECK(numbers[i] == (i % 3 == 2 ? 100.0 * static_cast<double>(i) + 3 : 0.0));
  OfPes none{.owners = 3, .target_pe = 3};
  const std::string text = Program{four_pes()}.error(strides_over, &none, ExitCode::usage);
  CHECK(text.find("launch of grid_stride: 'x' has no shard on PE 3 of a cube (target_pe)") !=
        std::string::npos);
}
