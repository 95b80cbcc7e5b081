// Random host programs against a reference without time: groups, collectives, messages, slices, launches,
// awaited at once or later. KBSIM_RANDOM_PROGRAMS=5000 runs that number of programs, KBSIM_RANDOM_SEED the
// program of that seed.
#include <cstdlib>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include "choosing.hpp"
#include "random_plan.hpp"
#include "sanitized.hpp"

namespace kbsim::host::test::random_programs {
namespace {

void run_program(std::uint64_t seed) {
  CAPTURE(seed);
  Plan plan = random_plan(seed);
  const std::optional<std::uint64_t> shuffle = seed % 2 == 0 ? std::optional{seed} : std::nullopt;
  Choosing program{machine(plan.ranks, 2, 1), shuffle};
  CHECK(program.error(random_main, &plan) == "");
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Task<> hundred_in_a_row(Rank& rk, int) {
  const int n = rk.dist.get_world_size();
  const Tensor x = co_await rk.torch.full({2, 8}, rk.index, f32, {.dp = kRows});
  std::vector<Distributed::Done> works;
  for (int i = 0; i < 50; ++i) {
    works.push_back(rk.dist.all_reduce(x, {.op = ReduceOp::max}));
    works.push_back(rk.dist.all_reduce(x, {.op = i == 49 ? ReduceOp::sum : ReduceOp::min}));
  }
  for (const auto& work : works) co_await work;
  co_await expect_reference(x, Values(16, (n - 1.0) * 2 * n));  // two cubes
  for (int i = 0; i < 100; ++i) co_await rk.dist.all_reduce(x, {.op = ReduceOp::max});
  co_await expect_reference(x, Values(16, (n - 1.0) * 2 * n));
}

Task<> hundred_main(Rank& main, int) {
  co_await main.dist.init_process_group({});
  co_await main.mp.spawn(hundred_in_a_row, 0, {.nprocs = main.dist.get_world_size()});
  co_await main.dist.destroy_process_group();
}

}  // namespace

TEST_CASE("Random programs: every tensor holds what an untimed reference says") {
  const std::uint64_t only = from_environment("KBSIM_RANDOM_SEED", 0);
  if (only > 0) return run_program(only);
  const std::uint64_t count = from_environment("KBSIM_RANDOM_PROGRAMS", kbsim::test::fewer(300));
  for (std::uint64_t seed = 1; seed <= count; ++seed) run_program(seed);
}

TEST_CASE("Random programs: a hundred collectives in a row, begun at once, then awaited one by one") {
  for (const int n : {1, 2, 3, 8, 16}) {
    if (kbsim::test::kSanitized && n > 3) continue;
    Program program{machine(n, 2, 1)};
    program.run(hundred_main, 0);
  }
}

}  // namespace kbsim::host::test::random_programs
