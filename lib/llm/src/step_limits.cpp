#include "kbsim/llm/step_limits.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "kbsim/explain/explanation.hpp"
#include "kbsim/explain/path.hpp"

namespace kbsim::inference {
namespace {

constexpr std::int64_t kWholeVocabulary = 16384;  // a smaller one isn't cut
constexpr std::int64_t kCut = 16;

// Part of a step's time that an operation takes alone; its span, if others hide it.
struct Stretch {
  Time begin{};
  Time path{};
  const OperationSpan* span = nullptr;
  int launches = 1;  // in its layer, of the same operation
};

int launches_like(const StepRun& step, const OperationSpan& span) {
  return static_cast<int>(std::ranges::count_if(step.spans, [&](const OperationSpan& other) {
    return other.operation == span.operation && other.layer == span.layer;
  }));
}

std::vector<Stretch> stretches_of(const StepRun& step) {
  std::vector<Stretch> all;
  Time reached = step.begin;
  for (const OperationSpan& span : step.spans) {
    const hw::Activity& ran = span.activity;
    const Time begin = std::max(reached, ran.first_start);
    const bool hidden = ran.last_end <= begin;
    all.push_back({.begin = hidden ? ran.first_start : begin,
                   .path = hidden ? Time{} : ran.last_end - begin,
                   .span = &span,
                   .launches = launches_like(step, span)});
    reached = std::max(reached, ran.last_end);
  }
  return all;
}

std::string part_text(const ExplainedPart& part, const Stretch& stretch) {
  const OperationSpan& span = *stretch.span;
  if (stretch.path == Time{}) return "hidden by others: of its own span";
  if (stretch.launches > 1) return fmt::format("of the longest of {} launches in a layer", stretch.launches);
  if (span.layer >= 0 && part.layers.size() > 1)
    return fmt::format("of layer {}", part.layers.at(static_cast<std::size_t>(span.layer)));
  if (span.operation == "head" && part.cut_vocabulary)
    return fmt::format("of a {}th of its columns per PE", kCut);
  return "";
}

OperationLimit limit_of(OperationLimit limit, explain::Path path, const hw::Machine& machine) {
  const explain::Explanation what = explain::explain(limit.operation, std::move(path), machine);
  limit.reason = explain::limited_by(what);
  if (what.keys.empty() || what.path.length() == Time{}) return limit;
  const explain::Derivative& key = what.keys.front();
  limit.key = key.key;
  limit.unit = explain::one_of(key.unit);
  limit.share = to_ns(key.time) / to_ns(what.path.length());
  limit.slope_ns = key.slope_ns;
  return limit;
}

OperationLimit limit_of(const ExplainedPart& part, const Stretch& stretch, const hw::Machine& machine) {
  const OperationSpan& span = *stretch.span;
  const OperationLimit limit{.operation = std::string{span.operation}, .part = part_text(part, stretch)};
  if (!span.activity.why) return limit;
  return limit_of(limit, explain::path_to(span.activity.why, stretch.begin, machine), machine);
}

// Time in which no operation runs, before one or at the end of the step.
struct Gap {
  Time begin{};
  Time end{};
  Cause why = {};  // of a moment at or after the end
  std::string before;
  std::int64_t launches = 1;  // of the whole model, that have such a gap before them

  [[nodiscard]] Time in_all() const { return (end - begin) * launches; }
};

std::int64_t layers_like(const ExplainedPart& part, const OperationSpan& span) {
  return span.layer < 0 ? 1 : part.alike.at(static_cast<std::size_t>(span.layer));
}

// The gap before an operation that takes most of all layers' time.
Gap longest_gap(const ExplainedPart& part, const StepRun& step) {
  Time reached = step.begin;
  Gap longest;
  const auto see = [&](const Gap& gap) {
    if (gap.why && gap.end > gap.begin && gap.in_all() > longest.in_all()) longest = gap;
  };
  for (const OperationSpan& span : step.spans) {
    see({.begin = reached,
         .end = span.activity.first_start,
         .why = span.activity.why,
         .before = fmt::format("before {}", span.operation),
         .launches = layers_like(part, span)});
    reached = std::max(reached, span.activity.last_end);
  }
  see({.begin = reached, .end = step.end, .why = step.why, .before = "after the last operation"});
  return longest;
}

OperationLimit limit_between(const ExplainedPart& part, const StepRun& step, const hw::Machine& machine) {
  const Gap gap = longest_gap(part, step);
  const OperationLimit limit{.operation = std::string{kBetweenOperations}, .part = gap.before};
  if (!gap.why) return limit;
  return limit_of(limit, explain::part_before(gap.end, explain::path_to(gap.why, gap.begin, machine)),
                  machine);
}

}  // namespace

ExplainedPart explained_part(const LlmProblem& problem, Phase phase) {
  ExplainedPart part{.problem = problem};
  LlmProblem& cut = part.problem;
  cut.phases = {phase};
  cut.context = problem.decode_context();
  cut.warm = false;
  cut.batch = llm::part_of(problem.batch, 0, problem.division.dp).size / problem.micro_batches;
  cut.micro_batches = 1;
  if (!cut.contexts.empty()) cut.contexts.resize(static_cast<std::size_t>(cut.batch));
  cut.division.pp = cut.division.dp = 1;
  models::ModelConfig& model = cut.model;
  model.layer_kinds.clear();
  const auto all = std::views::iota(std::int64_t{0}, problem.model.num_hidden_layers);
  for (const std::int64_t layer : all) {
    const models::LayerKind kind = problem.model.layer_kind(layer);
    if (std::ranges::find(model.layer_kinds, kind) != model.layer_kinds.end()) continue;
    model.layer_kinds.push_back(kind);
    part.layers.push_back(layer);
    part.alike.push_back(std::ranges::count_if(
        all, [&](std::int64_t other) { return problem.model.layer_kind(other) == kind; }));
  }
  model.num_hidden_layers = std::ssize(model.layer_kinds);
  part.cut_vocabulary = model.vocab_size > kWholeVocabulary;
  if (part.cut_vocabulary) model.vocab_size = (model.vocab_size + kCut - 1) / kCut;
  return part;
}

std::vector<OperationLimit> limits_of(const ExplainedPart& part, const StepRun& step,
                                      const hw::Machine& machine) {
  std::vector<Stretch> longest;  // by operation
  for (const Stretch& stretch : stretches_of(step)) {
    const auto same = [&](const Stretch& other) { return other.span->operation == stretch.span->operation; };
    const auto found = std::ranges::find_if(longest, same);
    if (found == longest.end())
      longest.push_back(stretch);
    else if (stretch.path > found->path)
      *found = stretch;
  }
  std::vector<OperationLimit> limits;
  for (const Stretch& stretch : longest) limits.push_back(limit_of(part, stretch, machine));
  limits.push_back(limit_between(part, step, machine));
  return limits;
}

}  // namespace kbsim::inference
