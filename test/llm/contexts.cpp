// --contexts: files and draws.
#include "kbsim/llm/contexts.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/llm/number_format.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::contexts {
namespace {

using Contexts = std::vector<std::int64_t>;

std::string written(const std::string& text) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "kbsim_test_llm_contexts.csv";
  std::ofstream{file} << text;
  return file.string();
}

void check_refused(const std::string& text, std::string_view says) {
  CAPTURE(text);
  try {
    (void)read_contexts(written(text), {});
    FAIL("it is accepted");
  } catch (const UsageError& error) {
    CAPTURE(error.what());
    CHECK(std::string_view{error.what()}.find(says) != std::string_view::npos);
  }
}

}  // namespace

TEST_CASE("--contexts: a file has a number a line, or a CSV a column of them") {
  CHECK(read_contexts(written("5\n 17 \n\n# longest\n100\n"), {}) == Contexts{5, 17, 100});
  CHECK(read_contexts(written("5\r\n17"), 2) == Contexts{5, 17});
  CHECK(read_contexts(written("name,context\na,5\nb, 17\n"), {}) == Contexts{5, 17});
  CHECK(read_contexts(written("context\n9\n"), {}) == Contexts{9});
}

TEST_CASE("--contexts: a line that is no context is refused with its place") {
  check_refused("5\nmany\n",
                "kbsim_test_llm_contexts.csv:2: found 'many', expected a whole number from 1 to 1048576");
  check_refused("5\n0\n", ":2: found '0'");
  check_refused("5\n-3\n", ":2: found '-3'");
  check_refused("5\n1.5\n", ":2: found '1.5'");
  check_refused("1048577\n", ":1: found '1048577'");
  check_refused("name,length\na,5\n", ":1: found 'name', expected a header with a column 'context'");
  check_refused("name,context\na\n", ":2: found ''");
  check_refused("", "no context, expected one a line");
  check_refused("context\n", "0 contexts, expected 1 to 256");
  CHECK_THROWS_AS((void)read_contexts(written("5\n6\n"), 3), UsageError);
}

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
