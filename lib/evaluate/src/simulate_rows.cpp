#include "kbsim/evaluate/simulate_rows.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/base/thrown.hpp"
#include "kbsim/evaluate/row_records.hpp"

namespace kbsim::evaluate {
namespace {

// The reason why a row is missing, if it is.
using Failure = std::variant<std::monostate, DeadlockReport, FailedSimulation>;

// The exception that is being handled; a signal's exception is thrown again.
Failure failure_of(const std::string& simulation) {
  try {
    throw;
  } catch (const DeadlockReport& deadlock) {
    return deadlock;
  } catch (const Error& error) {
    if (error.exit_code() == ExitCode::interrupted) throw;
    return FailedSimulation{.simulation = simulation, .exit = error.exit_code(), .text = error.what()};
  } catch (const std::bad_alloc&) {
    return FailedSimulation{.simulation = simulation,
                            .exit = ExitCode::limit,
                            .text = "out of memory; a smaller machine or smaller sizes may fit"};
  } catch (...) {
    return FailedSimulation{
        .simulation = simulation, .exit = ExitCode::internal, .text = "internal error: " + thrown_text()};
  }
}

std::vector<std::size_t> first_rows(std::size_t n) {
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

Simulated simulate_rows(std::size_t n, const Parallel& how, BeginWith begin_with,
                        const std::function<boost::json::object(std::size_t)>& row, const std::string& what,
                        const std::function<std::string(std::size_t)>& name) {
  return simulate_rows(first_rows(n), how, begin_with, row, what, name);
}

std::vector<std::size_t> wanted_rows(const EvaluationRequest& request, std::vector<std::size_t> which) {
  if (request.records != nullptr)
    std::erase_if(which, [&](std::size_t i) { return !request.records->has(i + 1); });
  return which;
}

std::vector<std::size_t> wanted_rows(const EvaluationRequest& request, std::size_t n) {
  return wanted_rows(request, first_rows(n));
}

Simulated simulate_rows(const std::vector<std::size_t>& which, const Parallel& how, BeginWith begin_with,
                        const std::function<boost::json::object(std::size_t)>& row, const std::string& what,
                        const std::function<std::string(std::size_t)>& name) {
  const std::size_t n = which.size();
  const bool backwards = begin_with == BeginWith::last;
  const auto name_of = [&](std::size_t i) {
    return name ? name(which[i]) : fmt::format("{} of {}", i + 1, n);
  };
  std::vector<boost::json::object> rows(n);
  std::vector<Failure> failures(n);
  std::vector<bool> ended = in_parallel(n, what, how, [&](std::size_t i) {
    const std::size_t job = backwards ? n - 1 - i : i;
    try {
      rows[job] = row(which[job]);
    } catch (...) {
      failures[job] = failure_of(name_of(job));
    }
  });
  if (backwards) std::reverse(ended.begin(), ended.end());
  Simulated result{.rows = {}, .whole = std::ranges::count(ended, true) == std::ssize(ended)};
  for (std::size_t i = 0; i < n; ++i) {
    if (auto* deadlock = std::get_if<DeadlockReport>(&failures[i]))
      result.deadlocks.push_back({.simulation = name_of(i), .report = std::move(*deadlock)});
    else if (auto* failure = std::get_if<FailedSimulation>(&failures[i]))
      result.failures.push_back(std::move(*failure));
    else if (ended[i]) {
      result.rows.emplace_back(std::move(rows[i]));
      result.numbers.push_back(which[i] + 1);
    }
  }
  return result;
}

}  // namespace kbsim::evaluate
