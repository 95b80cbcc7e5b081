#pragma once

#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/step_limits.hpp"

namespace kbsim::app {

/// A step as a row of --bench llm: its times, its `operations` in their order, and `sums`. `limits` are of
/// its operations; empty without --explain.
[[nodiscard]] boost::json::object llm_row(const inference::DividedPlan& plan, const inference::StepRun& step,
                                          const std::vector<inference::OperationLimit>& limits, bool values);

/// The operations of all rows with their phase, for operations.csv.
[[nodiscard]] boost::json::array llm_operations(const boost::json::array& rows);

}  // namespace kbsim::app
