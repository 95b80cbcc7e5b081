#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/row_path.hpp"
#include "kbsim/evaluate/row_records.hpp"

namespace kbsim::evaluate {

struct RecordedRows {
  std::unique_ptr<RowRecords> records;  // none: no row is recorded
  std::optional<RowPath> path;          // explain.json of the evaluation
};

/// The events of the rows of a run, by number.
[[nodiscard]] std::vector<RowCost> costs_of(const Simulated& simulated);

/// Whether changes of the explained row are tried: each repeats all rows, so a run with more events than are
/// recorded has to ask for it.
[[nodiscard]] bool tries_changes(const EvaluationRequest& request, const std::vector<RowCost>& costs);

/// Simulates rows again for a page and records them, as many as a page's time allows. `path` is the path that
/// the run was asked for; without one, the result has that of the last row, or why there is none. It has the
/// limits of all rows. Rows that fail here aren't recorded. After Ctrl-C: the rows that had ended.
[[nodiscard]] RecordedRows record_rows(const Evaluation& evaluation, const EvaluationRequest& request,
                                       const std::string& name, const Simulated& simulated,
                                       const std::vector<RowCost>& costs, std::optional<RowPath> path);

}  // namespace kbsim::evaluate
