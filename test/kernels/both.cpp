#include "both.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/mock/world.hpp"

#include "../host/program.hpp"

namespace kbsim::test {
namespace {

struct Run {
  const Case* kernel;
  Numbers* result;
};

host::HostArray host_array(const Array& array) {
  return host::generate({static_cast<std::int64_t>(array.numbers.size())}, array.dtype,
                        [&](std::int64_t i) { return array.numbers[static_cast<std::size_t>(i)]; });
}

Task<> run_kernel(host::Rank& rk, Run run) {
  const topology::DPPolicy one{.num_cubes = 1, .num_pes = 1};
  std::vector<host::Tensor> tensors;
  std::vector<Ptr> in;
  for (const Array& array : run.kernel->in) {
    host::HostArray contents = host_array(array);
    host::Tensor tensor = co_await rk.torch.from_host(contents, {.dp = one});
    in.push_back(tensor.ptr());
    tensors.push_back(tensor);
  }
  host::Tensor out = co_await rk.torch.empty({run.kernel->out}, run.kernel->out_dtype, {.dp = one});
  std::any arguments = run.kernel->arguments(in, out.ptr());
  co_await rk.launch(run.kernel->kernel, out, arguments);
  const host::HostArray contents = co_await out.to_host();
  *run.result = contents.to_doubles();
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

Array::Array(Numbers contents, DType type) : dtype{type} {
  const auto n = static_cast<std::int64_t>(contents.size());
  numbers = host::generate({n}, type, [&](std::int64_t i) {
              return contents[static_cast<std::size_t>(i)];
            }).to_doubles();
}

Array normal(std::int64_t n, DType dtype, unsigned seed, double deviation) {
  std::mt19937 random{seed};
  std::normal_distribution<double> draw{0.0, deviation};
  Numbers numbers;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(draw(random));
  return {numbers, dtype};
}

Numbers in_mock(const Case& kernel) {
  mock::World world{{}};
  std::vector<Ptr> in;
  for (const Array& array : kernel.in) in.push_back(world.alloc(0, array.numbers, array.dtype));
  const Ptr out = world.alloc(0, kernel.out, kernel.out_dtype);
  world.run(kernel.kernel, kernel.arguments(in, out));
  return world.read(0, out, kernel.out);
}

Numbers in_machine(const Case& kernel) {
  Numbers result;
  host::test::Program program{host::test::machine(1, 1, 1)};
  program.run(run_kernel, Run{.kernel = &kernel, .result = &result});
  return result;
}

void check_both(const Case& kernel, const Numbers& reference, double tolerance) {
  const Numbers mock = in_mock(kernel);
  const Numbers machine = in_machine(kernel);
  REQUIRE(mock.size() == reference.size());
  REQUIRE(machine.size() == reference.size());
  double largest = 0.0;
  for (const double number : reference) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < reference.size(); ++i) {
    CAPTURE(i);
    REQUIRE(std::abs(mock[i] - reference[i]) <= tolerance * largest);
    REQUIRE(same(mock[i], machine[i]));
  }
}

}  // namespace kbsim::test
