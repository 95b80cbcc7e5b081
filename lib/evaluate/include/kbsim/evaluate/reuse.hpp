// The rows of an earlier run of an evaluation, in place of simulating them again.
#pragma once

#include <boost/json/object.hpp>

#include "kbsim/evaluate/evaluation.hpp"
#include "kbsim/evaluate/run_evaluation.hpp"

namespace kbsim::evaluate {

/// An evaluation's own options that its rows hang on, for run.json.
[[nodiscard]] boost::json::object row_options(const Evaluation& evaluation, const EvaluationRequest& request);

/// The rows in the folder of `options`; UsageError if there are none of this evaluation.
[[nodiscard]] Rows earlier_rows(const EvaluateOptions& options);

/// UsageError naming the first key or option that the rows in the folder were made with another value of, or
/// if there are no rows.
void require_same_run(const Evaluation& evaluation, const EvaluationRequest& request,
                      const EvaluateOptions& options);

}  // namespace kbsim::evaluate
