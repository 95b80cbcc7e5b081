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

/// A prefill, or the second of two equal decodes: from the call of the first launch, or of the upload of the
/// tokens that the host chose, to the tokens of all copies in the host's memory. Spans and bytes are those of
/// the first rank of each stage of the slowest copy, one stage after the other.
struct StepRun {
  Phase phase{};
  Time begin{};
  Time end{};
  int copy = 0;                      // the slowest
  std::vector<OperationSpan> spans;  // in the order of the calls
  Cause why = {};                    // of the end, if causes are kept
  std::int64_t hbm_bytes = 0;        // of all slices of those packages, read and written
  std::vector<std::int64_t> tokens;  // none in runs without values
  replay::Comparison logits;         // with the undivided model in f64

  [[nodiscard]] Time time() const { return end - begin; }
};

struct LlmRun {
  std::vector<StepRun> steps;
  SegmentCounts segments;  // of all steps, also of the first of two equal decodes
};

/// The program of the main rank: installs the queues, and spawns a rank for each package, which makes its
/// plan's tensors and runs the phases. The session's algorithm is the queues of the plan's site, its ccl
/// collectives_of() what is declared. The plan outlives it. A segment that equals an earlier one isn't
/// simulated again, unless values are computed.
[[nodiscard]] Task<> run_llm(host::Rank& main, const DividedPlan* plan, OnRepeat on, LlmRun* run);

/// The session's algorithms: the declared ones, of all-reduces only `all_reduce` unless it is "".
[[nodiscard]] config::CclSpec collectives_of(config::CclSpec declared, const std::string& all_reduce = "");

}  // namespace kbsim::inference
