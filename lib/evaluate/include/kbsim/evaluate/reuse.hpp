// The rows of an earlier run of an evaluation, in place of simulating them again.
#pragma once

#include <boost/json/object.hpp>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"

namespace kbsim::evaluate {

/// The evaluation's own options that its rows depend on, for run.json.
[[nodiscard]] boost::json::object row_options(const Evaluation& evaluation, const EvaluationRequest& request);

/// The rows in the folder of `options`; UsageError if it has no rows of this evaluation.
[[nodiscard]] Rows earlier_rows(const EvaluateOptions& options);

/// UsageError if there are no rows, or naming the first key or option that had another value when the rows in
/// the folder were made.
void require_same_run(const Evaluation& evaluation, const EvaluationRequest& request,
                      const EvaluateOptions& options);

}  // namespace kbsim::evaluate
