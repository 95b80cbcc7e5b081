#pragma once

#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/sweep/search.hpp"

#include "solver.hpp"

namespace kbsim::app {

/// The answer, and what it rests on. Something was simulated.
[[nodiscard]] std::string to_text(const Solver& solver, const sweep::SearchResult& found);
[[nodiscard]] boost::json::object to_json(const Solver& solver, const sweep::SearchResult& found);
/// A row for each setting that was simulated.
[[nodiscard]] boost::json::array rows_of(const Solver& solver, const sweep::SearchResult& found);

}  // namespace kbsim::app
