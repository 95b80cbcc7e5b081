// Contexts of each sequence.
#include "kbsim/llm/contexts.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/llm/number_format.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::contexts {
namespace {

using Contexts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("--drawn-contexts: draws lie between the bounds, both included, and the seed decides") {
  const Contexts drawn = draw_contexts("10-12", 200, 7);
  CHECK(drawn.size() == 200);
  CHECK(std::ranges::min(drawn) == 10);
  CHECK(std::ranges::max(drawn) == 12);
  CHECK(draw_contexts("10-12", 200, 7) == drawn);
  CHECK(draw_contexts("10-12", 200, 8) != drawn);
  CHECK(draw_contexts("9-9", 1, 1) == Contexts{9});
  for (const char* wrong : {"", "5", "5-", "-5", "9-5", "0-5", "a-b", "5-9-12"})
    CHECK_THROWS_AS((void)draw_contexts(wrong, 2, 1), UsageError);
  CHECK(draw_contexts("99-99", 1, 1, 100) == Contexts{99});
  CHECK_THROWS_WITH_AS(
      (void)draw_contexts("10-100", 1, 1, 100),
      "--drawn-contexts: found '10-100', expected a range such as 100-2000, from 1 to 99 (one "
      "position less than max_position_embeddings)",
      UsageError);
}

TEST_CASE("llm: contexts that are equal run as one context of all does") {
  const auto time = [](const LlmProblem& problem) {
    return outcome_of(problem, package(2, 1, 2), true).run.steps.front().time();
  };
  LlmProblem problem{.model = odd_model(), .phases = {Phase::decode}, .context = 37, .batch = 3};
  const Time common = time(problem);
  problem.contexts = {37, 37, 37};
  CHECK(time(problem) == common);
  problem.contexts = {37, 500, 37};
  CHECK(time(problem) > common);
}

TEST_CASE("--weights, --kv: formats of 16 and 32 bits; others are refused by their option") {
  CHECK(number_format("weights", "bf16") == bf16);
  CHECK(number_format("weights", "f16") == f16);
  CHECK(number_format("kv", "f32") == f32);
  CHECK_THROWS_WITH_AS((void)number_format("kv", "fp8"), doctest::Contains("--kv fp8: formats of fewer"),
                       Unsupported);
  CHECK_THROWS_WITH_AS((void)number_format("weights", "bf15"), doctest::Contains("did you mean 'bf16'"),
                       UsageError);
}

}  // namespace kbsim::inference::test::contexts
