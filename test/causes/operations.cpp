// Operations: their paths sum, and an operation off the path may take longer by its slack.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "random_setup.hpp"
#include "slow_math.hpp"

namespace kbsim::test::causes::operations_test {
namespace {

constexpr std::size_t kAll = 1 << 22;

void check_whole(const Explanation& one) {
  CAPTURE(one.of);
  Time at = one.path.begin;
  for (const Segment& segment : one.path.segments) {
    CHECK(segment.from == at);
    at = segment.to;
  }
  CHECK(at == one.path.end);
  CHECK(sum(one.reasons) == one.path.length());
  Time of_ops{};
  for (const explain::OpShare& share : one.ops) of_ops += share.time;
  CHECK(of_ops <= one.path.length());
}

const Outcome::Ended& named(const Outcome& outcome, const std::string& name) {
  return *std::ranges::find(outcome.ops, name, &Outcome::Ended::name);
}

Time total_with(const Setup& setup, oplog::ValueId op, Time by) {
  const SlowOp slow{op, by};
  return run(setup, false).total;
}

}  // namespace

TEST_CASE("Operation: its path goes from its kernel's call to its end, and sums") {
  std::mt19937_64 draw{17};
  int slow = 0;
  for (std::uint64_t seed = 1; seed <= draws(12); ++seed) {
    CAPTURE(seed);
    Setup setup = random_setup(seed);
    const Outcome first = run(setup);
    REQUIRE(!first.ops.empty());
    for (int i = 0; i < 3; ++i) {
      const Outcome::Ended& op = first.ops[draw() % first.ops.size()];
      setup.asked = op.id;
      const Outcome asked = run(setup);
      CHECK(asked.digest.value() == first.digest.value());
      REQUIRE(asked.asked.has_value());
      CHECK(asked.asked->path.begin == op.called);
      CHECK(asked.asked->path.end == op.end);
      check_whole(*asked.asked);
      // Its last segment is its own.
      REQUIRE(!asked.asked->ops.empty());
      slow += asked.asked->path.segments.back().op != 0 ? 1 : 0;
    }
  }
  CHECK(slow > 0);
}

TEST_CASE("Operation: shares of a run are those between calls and ends on its path") {
  for (std::uint64_t seed = 31; seed < 31 + draws(6); ++seed) {
    CAPTURE(seed);
    const Outcome outcome = run(random_setup(seed));
    const Explanation& path = outcome.paths.front();
    CHECK(!path.ops.empty());
    for (const explain::OpShare& share : path.ops) {
      const Outcome::Ended& op = named(outcome, share.op);
      CHECK(share.time > Time{0});
      CHECK(share.time <= op.end - op.called);
    }
  }
}

TEST_CASE("Operation: those of one line that make the same are one row of the text") {
  const auto share = [](const char* op, const char* what, int ps, const char* line) {
    return explain::OpShare{.op = op, .what = what, .time = Time{ps}, .count = 1, .line = line};
  };
  Explanation one{.of = "the run", .path = {.begin = Time{0}, .end = Time{100}, .segments = {}}};
  one.ops = {share("pe0:7", "add f16 [8]", 30, ""), share("pe0:1", "copy f16 [8]", 20, "k.cpp:3"),
             share("pe1:1", "copy f16 [8]", 15, "k.cpp:3"), share("pe0:2", "copy f16 [8]", 5, "k.cpp:4")};
  const std::string text = to_text(text_of(one), {}, {});
  const auto at = [&](const std::string& line) { return text.find(line); };
  CHECK(at("copy f16 [8] at k.cpp:3") < at("add f16 [8] "));
  CHECK(at("0.035 ns  35.0 %    2  pe0:1\n") != std::string::npos);
  CHECK(at("copy f16 [8] at k.cpp:4") != std::string::npos);
}

TEST_CASE("Slack: an operation that takes longer by it changes nothing, where no order flips") {
  int checked = 0;
  for (std::uint64_t seed = 41; seed < 41 + draws(12); ++seed) {
    Setup setup = random_setup(seed);
    setup.overrides.push_back(slow_math());
    setup.all_causes = kAll;
    const Outcome outcome = run(setup);
    REQUIRE(!outcome.gave_up);
    int of_this = 0;
    for (const explain::OpSlack& slack : outcome.paths.front().op_slacks) {
      CHECK(slack.margin.steady <= slack.margin.end);
      const Outcome::Ended& op = named(outcome, slack.op);
      if (!op.by_math || slack.margin.steady == Time{0} || ++of_this > 4) continue;
      CAPTURE(seed);
      CAPTURE(setup.algorithm);
      CAPTURE(slack.op);
      CAPTURE(slack.margin.end.count());
      CAPTURE(slack.margin.steady.count());
      CHECK(total_with(setup, op.id, slack.margin.steady) == outcome.total);
      ++checked;
    }
  }
  MESSAGE(checked, " operations");
  CHECK(checked > 0);
}

TEST_CASE("Slack: of an operation on the path is none, and it is asked for likewise") {
  for (std::uint64_t seed = 61; seed < 61 + draws(5); ++seed) {
    CAPTURE(seed);
    Setup setup = random_setup(seed);
    setup.all_causes = kAll;
    const Outcome outcome = run(setup);
    const Explanation& path = outcome.paths.front();
    for (const explain::OpShare& share : path.ops)
      CHECK(std::ranges::find(path.op_slacks, share.op, &explain::OpSlack::op) == path.op_slacks.end());
    if (path.op_slacks.empty()) continue;
    const explain::OpSlack& slack = path.op_slacks[path.op_slacks.size() / 2];
    setup.asked = named(outcome, slack.op).id;
    const Outcome again = run(setup);
    REQUIRE(again.asked->margin.has_value());
    CHECK(again.asked->margin->end == slack.margin.end);
    CHECK(again.asked->margin->steady == slack.margin.steady);
  }
}

}  // namespace kbsim::test::causes::operations_test
