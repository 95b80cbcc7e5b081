#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::evaluate {

/// Which rows begin first: the last, if they take longest.
enum class BeginWith { first, last };

/// Rows 0 to n - 1 of an evaluation, each a simulation of its own, by in_parallel(); after Ctrl-C the
/// finished rows, in order. A simulation that fails costs only its own row. `what`: name of n rows, for the
/// progress; `name`: name of row i, else its number.
[[nodiscard]] Simulated simulate_rows(std::size_t n, const Parallel& how, BeginWith begin_with,
                                      const std::function<boost::json::object(std::size_t)>& row,
                                      const std::string& what = "simulations",
                                      const std::function<std::string(std::size_t)>& name = {});

/// The same for some rows in ascending order, each by its index.
[[nodiscard]] Simulated simulate_rows(const std::vector<std::size_t>& which, const Parallel& how,
                                      BeginWith begin_with,
                                      const std::function<boost::json::object(std::size_t)>& row,
                                      const std::string& what = "simulations",
                                      const std::function<std::string(std::size_t)>& name = {});

/// The rows of `which` that a request wants: those to be recorded, or all.
[[nodiscard]] std::vector<std::size_t> wanted_rows(const EvaluationRequest& request,
                                                   std::vector<std::size_t> which);
[[nodiscard]] std::vector<std::size_t> wanted_rows(const EvaluationRequest& request, std::size_t n);

}  // namespace kbsim::evaluate
