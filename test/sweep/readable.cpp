#include "kbsim/sweep/readable.hpp"

#include <csignal>
#include <stdexcept>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"

namespace kbsim::sweep::test::readable_test {
namespace {

Plan plan_of_six() {
  Draft draft{.bench = "b"};
  parse_plan("bench: b\naxes:\n  x.y: 1..6\n", "plan.yaml", &draft);
  return plan_of(draft);
}

}  // namespace

TEST_CASE("require_readable: one point that can be read is enough") {
  int asked = 0;
  require_readable(plan_of_six(), [&](const std::vector<std::string>& words) {
    ++asked;
    if (words.back() != "x.y=6") throw UsageError{"not this"};
  });
  CHECK(asked == 5 + 6);
}

TEST_CASE("require_readable: a setting without effect in some points is refused, with how many") {
  const auto refuse = [](const std::vector<std::string>& words) {
    if (words.back() == "x.y=2" || words.back() == "x.y=4")
      throw NoEffect{{.file = "--set x.y=2"}, "x.y", "has no effect on b: it has no x"};
  };
  std::string text;
  try {
    require_readable(plan_of_six(), refuse);
  } catch (const UsageError& error) {
    text = error.what();
  }
  CHECK(text.find("plan.yaml:3:3: axis x.y: ") == 0);
  CHECK(text.find("has no effect on b: it has no x") != std::string::npos);
  CHECK(
      text.find("2 of 6 points have a setting without effect; leave the axis out, or the points (--where)") !=
      std::string::npos);
}

TEST_CASE("require_readable: a signal ends it, and no further point is checked") {
  const Stoppable stoppable;
  int asked = 0;
  const auto check = [&](const std::vector<std::string>&) {
    if (++asked == 3) ask_to_stop(SIGINT);
  };
  CHECK_THROWS_AS(require_readable(plan_of_six(), check), Interrupted);
  CHECK(asked == 3);
}

TEST_CASE("require_readable: a mistake of all points is reported once, with its axis") {
  const auto refuse = [](const std::vector<std::string>&) { throw ConfigError{{}, "x.y", "unknown key"}; };
  CHECK_THROWS_WITH_AS(require_readable(plan_of_six(), refuse),
                       doctest::Contains("plan.yaml:3:3: axis x.y: "), UsageError);
}

TEST_CASE("require_readable: what only running shows is no mistake of the plan") {
  require_readable(plan_of_six(),
                   [](const std::vector<std::string>&) { throw Error{ExitCode::limit, "too long"}; });
}

}  // namespace kbsim::sweep::test::readable_test
