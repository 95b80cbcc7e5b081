#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <boost/json/object.hpp>

#include "kbsim/evaluate/evaluation.hpp"

namespace kbsim::evaluate {

/// Which rows are begun first; the last, where those take longest.
enum class BeginWith { first, last };

/// Rows 0 to n - 1 of an evaluation, each a simulation of its own, by in_parallel(); after Ctrl-C those that
/// have ended, in their order. A simulation that fails, by whatever it throws, costs its own row alone.
/// `what`: what n rows are, for the progress; `name`: what row i is of, else its number.
[[nodiscard]] Simulated simulate_rows(std::size_t n, const Parallel& how, BeginWith begin_with,
                                      const std::function<boost::json::object(std::size_t)>& row,
                                      const std::string& what = "simulations",
                                      const std::function<std::string(std::size_t)>& name = {});

}  // namespace kbsim::evaluate
