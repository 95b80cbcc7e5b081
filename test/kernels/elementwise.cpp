#include "kbsim/kernels/elementwise.hpp"

#include <doctest/doctest.h>

#include "../host/program.hpp"
#include "both.hpp"

using namespace kbsim;
using namespace kbsim::test;

namespace {

struct Copied {
  Numbers* result;
  int pes;
  std::int64_t per_pe;
};

Task<> copy_all(host::Rank& rk, Copied run) {
  const topology::DPPolicy split{.cube = topology::Split::row_wise, .pe = topology::Split::row_wise};
  const Shape shape{run.pes, run.per_pe};
  host::HostArray contents = host::generate(shape, f16, [](std::int64_t i) { return i % 2039; });
  host::Tensor src = co_await rk.torch.from_host(contents, {.dp = split});
  host::Tensor dst = co_await rk.torch.empty(shape, f16, {.dp = split});
  co_await rk.launch("va_copy", dst, VaCopyArgs{.src = src.ptr(), .dst = dst.ptr(), .per_pe = run.per_pe});
  const host::HostArray result = co_await dst.to_host();
  *run.result = result.to_doubles();
}

}  // namespace

TEST_CASE("vector_add: every element, whatever the size of blocks and the rest") {
  for (const std::int64_t n : {1, 2, 1000, 1024, 4097}) {
    for (const std::int64_t block : {1024, 333}) {
      CAPTURE(n);
      CAPTURE(block);
      const Array x = normal(n, f16, 1);
      const Array y = normal(n, f16, 2);
      Numbers sum;
      for (std::size_t i = 0; i < x.numbers.size(); ++i) sum.push_back(x.numbers[i] + y.numbers[i]);
      check_both({.kernel = "vector_add",
                  .in = {x, y},
                  .out = n,
                  .out_dtype = f16,
                  .arguments =
                      [&](const std::vector<Ptr>& in, Ptr out) {
                        return VectorAddArgs{.x = in[0], .y = in[1], .out = out, .n = n, .block = block};
                      }},
                 Array{sum, f16}.numbers, 0.0);
    }
  }
}

TEST_CASE("va_copy: each PE of each cube finds its own part") {
  for (const int cubes : {1, 2, 6}) {
    CAPTURE(cubes);
    Numbers result;
    host::test::Program program{host::test::machine(1, cubes, 1)};
    program.run(copy_all, Copied{.result = &result, .pes = 2 * cubes, .per_pe = 100});
    REQUIRE(result.size() == static_cast<std::size_t>(200 * cubes));
    for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == static_cast<double>(i % 2039));
  }
}
