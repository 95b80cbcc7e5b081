#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/host/rank.hpp"
#include "kbsim/llm/equal_segments.hpp"
#include "kbsim/llm/llm_plan.hpp"
#include "kbsim/llm/operation_span.hpp"
#include "kbsim/replay/compare_values.hpp"

namespace kbsim::inference {

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
  SegmentCounts segments;  // of all steps, also of the first of two equal decodes
};

/// The program of the main rank: makes the plan's tensors, installs the queues, and runs the phases. The
/// session's algorithm is queues_of() its machine. The plan outlives it. A segment that
/// equals an earlier one isn't simulated again, unless values are computed.
[[nodiscard]] Task<> run_llm(host::Rank& main, const LlmPlan* plan, OnRepeat on, LlmRun* run);

}  // namespace kbsim::inference
