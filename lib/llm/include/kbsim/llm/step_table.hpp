#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/llm_run.hpp"
#include "kbsim/llm/model_part.hpp"
#include "kbsim/llm/moved_bytes.hpp"
#include "kbsim/llm/operation_bound.hpp"
#include "kbsim/models/model_operations.hpp"

namespace kbsim::inference {

/// All launches of an operation in a step. Spans may overlap; paths don't.
struct OperationRow {
  std::string operation;
  ModelPart part{};
  std::int64_t launches = 0;
  Time span{};                 // sum of the spans, from a launch's first command to its last completion
  Time path{};                 // its share of the step's time
  bool communication = false;  // between packages
  models::Work work;           // by closed form, of all that the launches compute on the path's packages
  MovedBytes moved;
  Time gemm{};     // that the matrix engines of all PEs were busy
  Time hbm{};      // its bytes of weights and cache at the effective rate of a package's slices
  Time macs{};     // its products at the full rate of a package's engines
  Time engines{};  // the same with rows and columns that fill their tiles

  /// Least time by closed form.
  [[nodiscard]] Time least() const { return hbm > macs ? hbm : macs; }
  /// The longest of the times that its MACs, with those that fill tiles, its bytes, and the bytes over links
  /// need.
  [[nodiscard]] Roofline roofline() const;
  /// Bytes of weights and cache read from HBM beyond the closed form: read again, or by several PEs.
  [[nodiscard]] std::int64_t reread_bytes() const;
  /// Bytes of activations, logits, ids and tables that pass through HBM.
  [[nodiscard]] std::int64_t activation_bytes() const { return moved.other_read + moved.other_written; }
  /// FLOP beyond the closed form at which the engines were busy: rows and columns that fill their tiles.
  [[nodiscard]] std::int64_t padding_flop(const PackageSite& site) const;

  /// Adds all but the name.
  OperationRow& operator+=(const OperationRow& more);
};

/// Paths of all operations and `between` sum to the step's time: an operation's path is the time from the end
/// of all operations before it, or from its own start if that is later, to its own end. Operations come in
/// the order of their calls, stage by stage; with micro-batches, in the order of their ends, since stages
/// overlap.
struct StepTable {
  std::vector<OperationRow> rows;  // in the order of their first launches
  Time between{};                  // no operation's span: launches and the way back
  models::Work work;               // of the step
  Time least{};  // of its bytes of weights and cache, and of its products; stages work at the same time

  /// "embedding", "all layers", "head", and "communication" between packages if there is any, which the
  /// others contain: its path is the time that no other operation hides.
  [[nodiscard]] std::vector<OperationRow> sums() const;
};

[[nodiscard]] StepTable table_of(const DividedPlan& plan, const StepRun& step);

}  // namespace kbsim::inference
