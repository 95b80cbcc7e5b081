#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::inference {

/// A launch of a step, when it ran, and the bytes that its commands moved.
struct OperationSpan {
  std::string_view operation;  // "qkv"
  std::int64_t layer = -1;     // none: beside the layers
  hw::Activity activity;
  MovedBytes moved;
};

/// A prefill, or the second of two equal decodes: from the call of the first launch to the tokens in the
/// host's memory.
struct StepRun {
  Phase phase{};
  Time begin{};
  Time end{};
  std::vector<OperationSpan> spans;  // in the order of the calls
  Cause why = {};                    // of the end, if causes are kept
  std::int64_t hbm_bytes = 0;        // of all slices, read and written
  std::vector<std::int64_t> tokens;  // none in runs without values
  replay::Comparison logits;         // with the undivided model in f64

  [[nodiscard]] Time time() const { return end - begin; }
};

struct LlmRun {
  std::vector<StepRun> steps;
};

/// The program of the main rank: makes the plan's tensors, installs the queues, and runs the phases. The
/// session's algorithm is queues_of() its machine. The plan outlives it.
[[nodiscard]] Task<> run_llm(host::Rank& main, const LlmPlan* plan, LlmRun* run);

}  // namespace kbsim::inference
