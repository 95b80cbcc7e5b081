#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/hw/machine.hpp"
#include "kbsim/llm/llm_problem.hpp"
#include "kbsim/llm/llm_run.hpp"

namespace kbsim::inference {

/// Limit of an operation, from the critical path of its share of a step.
struct OperationLimit {
  std::string operation;
  std::string reason = {};  // "memory port 62 %", as explain::limited_by()
  std::string key = {};     // of the configuration: its terms take most of the path; "": none has any
  std::string unit = {};    // one of its value's
  double share = 0.0;       // of the path, that the key's terms take
  double slope_ns = 0.0;    // how many ns longer the path is for one more of the unit
  std::string part = {};    // the part that was run, if it isn't all of the operation
};

/// The part of a problem that is run with causes, packet by packet, to explain a phase: a layer of each kind,
/// one step, and a sixteenth of a large vocabulary, of the first
/// copy of a model and in one stage.
struct ExplainedPart {
  LlmProblem problem;
  std::vector<std::int64_t> layers;  // of the model, by layer of the part
  std::vector<std::int64_t> alike;   // how many layers of the model are of the same kind
  bool cut_vocabulary = false;
};
[[nodiscard]] ExplainedPart explained_part(const LlmProblem& problem, Phase phase);

inline constexpr std::string_view kBetweenOperations = "between operations";

/// Limits of all operations of a step of the part, whose run kept causes. Where layers of several kinds have
/// an operation, the one with the longest path stands for it. The last one is of kBetweenOperations: of the
/// gap between two operations that takes most of the step in all layers; `part` names the operation after it.
/// Without such a gap it has no reason.
[[nodiscard]] std::vector<OperationLimit> limits_of(const ExplainedPart& part, const StepRun& step,
                                                    const hw::Machine& machine);

}  // namespace kbsim::inference
