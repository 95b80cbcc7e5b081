#include "kbsim/sweep/readable.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/sweep/shares.hpp"

namespace kbsim::sweep {
namespace {

// The place in the plan that a point's mistake is about.
std::string place_of(const Plan& plan, const ConfigError& error) {
  for (const ConfigProblem& problem : error.problems()) {
    const auto axis = std::ranges::find(plan.axes, problem.key, &Axis::name);
    if (axis != plan.axes.end() && axis->at.line > 0)
      return fmt::format("{}: axis {}: ", to_string(axis->at), axis->name);
  }
  return "";
}

// Requires that at least one of some points can be read.
void require_one(const Plan& plan, const CheckPoint& check) {
  constexpr std::size_t kTried = 5;
  std::optional<std::string> first;
  for (const std::size_t i : spread(plan.points.size(), kTried)) {
    try {
      check(words_of(plan, plan.points[i]));
      return;
    } catch (const NoEffect&) {
      return;  // counted below
    } catch (const ConfigError& error) {
      if (!first) first = place_of(plan, error) + error.what();
    } catch (const Error& error) {
      if (error.exit_code() != ExitCode::usage && error.exit_code() != ExitCode::unsupported) return;
      if (!first) first = error.what();
    }
  }
  throw UsageError{*first};
}

void require_effect(const Plan& plan, const CheckPoint& check) {
  constexpr std::size_t kTried = 256;
  const std::vector<std::size_t> tried = spread(plan.points.size(), kTried);
  std::size_t without = 0;
  std::string first;
  for (const std::size_t i : tried) {
    if (stop_signal() != 0) throw Interrupted{"interrupted while points are checked: none has run"};
    try {
      check(words_of(plan, plan.points[i]));
    } catch (const NoEffect& error) {
      if (without++ == 0) first = place_of(plan, error) + error.what();
    } catch (const Error&) {  // a point's own result
    }
  }
  if (without == 0) return;
  throw UsageError{fmt::format(
      "{}\n  {} of {} points{} have a setting without effect; leave the axis out, or the points (--where)",
      first, without, tried.size(), tried.size() < plan.points.size() ? " that were looked at" : "")};
}

}  // namespace

void require_readable(const Plan& plan, const CheckPoint& check) {
  require_one(plan, check);
  require_effect(plan, check);
}

}  // namespace kbsim::sweep
