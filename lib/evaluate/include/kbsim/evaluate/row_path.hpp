#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/finding.hpp"

namespace kbsim::evaluate {

struct EvaluationRequest;

/// Why one row of an evaluation is as long as it is: the critical path of its last call.
struct RowPath {
  explain::ExplanationText text;
  boost::json::object document;                     // explain.json
  std::vector<explain::Candidate> candidates = {};  // changes that may shorten it
  Time length{};
  std::vector<explain::Advice> advice = {};

  /// Takes the gains of changes, and adds them to the document.
  void advise(std::vector<explain::Advice> gains);
  /// Findings of the document.
  [[nodiscard]] std::vector<explain::Finding> findings() const;
};
/// Puts a path into a row, as `explanation`. take_path() removes it before tables are made.
void add(boost::json::object& row, const RowPath& path);
/// Takes the path out of the row that has one; none if no row has.
[[nodiscard]] std::optional<RowPath> take_path(boost::json::array& rows);

/// UsageError with their number if --of asks for a row that isn't among `rows`, or if --parallel-bound is
/// asked of several simulations.
void require_asked(const EvaluationRequest& request, std::size_t rows, std::size_t simulations);
inline void require_asked(const EvaluationRequest& request, std::size_t rows) {
  require_asked(request, rows, rows);
}

}  // namespace kbsim::evaluate
