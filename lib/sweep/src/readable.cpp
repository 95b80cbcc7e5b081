#include "kbsim/sweep/readable.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/shares.hpp"

namespace kbsim::sweep {
namespace {

// Where the plan says what a point's mistake is about.
std::string place_of(const Plan& plan, const ConfigError& error) {
  for (const ConfigProblem& problem : error.problems()) {
    const auto axis = std::ranges::find(plan.axes, problem.key, &Axis::name);
    if (axis != plan.axes.end() && axis->at.line > 0)
      return fmt::format("{}: axis {}: ", to_string(axis->at), axis->name);
  }
  return "";
}

}  // namespace

void require_readable(const Plan& plan, const CheckPoint& check) {
  constexpr std::size_t kTried = 5;
  std::optional<std::string> first;
  for (const std::size_t i : spread(plan.points.size(), kTried)) {
    try {
      check(words_of(plan, plan.points[i]));
      return;
    } catch (const ConfigError& error) {
      if (!first) first = place_of(plan, error) + error.what();
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::usage && error.exit_code() != ExitCode::unsupported) return;
      if (!first) first = error.what();
    }
  }
  throw UsageError{*first};
}

}  // namespace kbsim::sweep
