#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace kbsim::evaluate {

struct EvaluationRequest;

/// Why one row of an evaluation is as long as it is: the critical path of its last call.
struct RowPath {
  std::string text;
  boost::json::object document;  // explain.json
};
/// Puts it into a row, as `explanation`, until it is taken out: no table has it.
void add(boost::json::object& row, RowPath path);
/// Takes it out of the row that has it; none if none has.
[[nodiscard]] std::optional<RowPath> take_path(boost::json::array& rows);

/// UsageError, which says how many there are, if --of asks for a row that isn't among `rows`, or
/// --parallel-bound for that of several simulations.
void require_asked(const EvaluationRequest& request, std::size_t rows, std::size_t simulations);
inline void require_asked(const EvaluationRequest& request, std::size_t rows) {
  require_asked(request, rows, rows);
}

}  // namespace kbsim::evaluate
