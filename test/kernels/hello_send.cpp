#include "kbsim/kernels/hello_send.hpp"

#include <doctest/doctest.h>

#include "kbsim/mock/wiring.hpp"

#include "../host/program.hpp"

using namespace kbsim;
using namespace kbsim::host;
using namespace kbsim::host::test;

namespace {

struct Case {
  std::int64_t n;
  DType dtype;
};

// Cube 0 has 1, 2, 3, ..., cube 1 negative numbers.
double before(const Case& c, std::int64_t i) {
  return static_cast<double>(i < c.n ? i % 100 + 1 : -(i - c.n) % 100 - 1);
}

std::vector<double> expected(const Case& c) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < 2 * c.n; ++i) numbers.push_back(before(c, i % c.n));
  return numbers;
}

struct Args {
  Case c;
  std::vector<double>* after;
};

Task<> says_hello(Rank& main, Args args) {
  co_await main.dist.init_process_group({});
  const HostArray contents =
      generate({2, args.c.n}, args.c.dtype, [&](std::int64_t i) { return before(args.c, i); });
  const Tensor x = co_await main.torch.from_host(contents, {.dp = kRows});
  co_await main.launch("hello_send", x, HelloArgs{x.ptr(), args.c.n});
  const HostArray after = co_await x.to_host();
  *args.after = after.to_doubles();
}

const std::vector<Case> kCases{{1, f32}, {7, f16}, {1024, f32}, {2048, f16}, {4096, DType::i8}};

}  // namespace

TEST_CASE("hello_send: cube 1 ends with what cube 0 has, on the machine and in the mock") {
  for (const Case& c : kCases) {
    CAPTURE(c.n);
    std::vector<double> after;
    Program program{machine(1, 2, 1)};
    program.run(says_hello, Args{c, &after});
    CHECK(after == expected(c));

    mock::World world{mock::like(machine(1, 2, 1), allreduce())};
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < 2 * c.n; ++i) numbers.push_back(before(c, i));
    const Ptr x = world.alloc(0, numbers, c.dtype);
    world.run("hello_send", HelloArgs{x, c.n});
    CHECK(world.read(0, x, 2 * c.n) == expected(c));
  }
}

TEST_CASE("hello_send: more than a slot holds is refused, on the machine and in the mock") {
  const Case large{2049, f16};
  std::vector<double> after;
  Program program{machine(1, 2, 1)};
  const std::string text = program.error(says_hello, Args{large, &after}, ExitCode::deadlock);
  CHECK(text.find("4098 B do not fit a slot of 4 KiB") != std::string::npos);
  mock::World world{mock::like(machine(1, 2, 1), allreduce())};
  const Ptr x = world.alloc(0, 2 * large.n, f16);
  CHECK_THROWS_WITH(world.run("hello_send", HelloArgs{x, large.n}),
                    doctest::Contains("4098 B do not fit a slot of 4 KiB"));
}
