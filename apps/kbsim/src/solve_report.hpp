#pragma once

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/sweep/search.hpp"

#include "solver.hpp"

namespace kbsim::app {

/// The answer and its reasons. At least one setting must have been simulated.
[[nodiscard]] std::string to_text(const Solver& solver, const sweep::SearchResult& found);
[[nodiscard]] boost::json::object to_json(const Solver& solver, const sweep::SearchResult& found);
/// One row per simulated setting.
[[nodiscard]] boost::json::array rows_of(const Solver& solver, const sweep::SearchResult& found);

}  // namespace kbsim::app
