#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/models/model_operations.hpp"

namespace kbsim::inference {

/// All launches of an operation in a step. Spans may overlap; paths don't.
struct OperationRow {
  std::string_view operation;
  std::int64_t launches = 0;
  Time span{};                // sum of the spans, from a launch's first command to its last completion
  Time path{};                // its share of the step's time
  models::Work work;          // by closed form, of all that the launches compute on the path's packages
  std::int64_t dma_read = 0;  // bytes that the PEs' DMAs read for it, from HBM and TCM
  Time hbm{};                 // its bytes of weights and cache at the effective rate of a package's slices
  Time macs{};                // its products at the full rate of a package's engines

  /// The longer of the two.
  [[nodiscard]] Time roofline() const { return hbm > macs ? hbm : macs; }
};

/// Paths of all operations and `between` sum to the step's time: an operation's path is the time from the end
/// of all operations before it, or from its own start if that is later, to its own end.
struct StepTable {
  std::vector<OperationRow> rows;  // in the order of their first launches
  Time between{};                  // no operation's span: launches and the way back
  Time communication{};            // paths of transfers between packages: what no other operation hides
  models::Work work;               // of the step
  Time roofline{};                 // of its bytes of weights and cache, and of its products
};

[[nodiscard]] StepTable table_of(const DividedPlan& plan, const StepRun& step);

}  // namespace kbsim::inference
