// The plan of a divided model as --dry-run prints it: ranks of one stage differ in little.
#include <fmt/format.h>

#include "kbsim/base/counted.hpp"
#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {
namespace {

std::string layers_text(const LlmPlan& plan) {
  const std::int64_t first = plan.share.first_layer;
  const std::int64_t layers = plan.problem.model.num_hidden_layers;
  if (layers == 1) return fmt::format("layer {}", first);
  return fmt::format("layers {} to {}", first, first + layers - 1);
}

std::string packages_text(const Division& division, int stage) {
  const int first = division.rank_of({0, stage, 0});
  if (division.tp == 1) return fmt::format("package {}", first);
  return fmt::format("packages {} to {}, among them {}", first, first + division.tp - 1, first);
}

}  // namespace

std::string to_text(const DividedPlan& plan) {
  const Division& division = plan.problem.division;
  if (division.ranks() == 1) return to_text(plan.ranks.front());
  std::string text = fmt::format(
      " {} run: --tp {} packages divide each layer, --pp {} the layers, --dp {} the "
      "batch; numbered in this order\n",
      counted(division.ranks(), "package"), division.tp, division.pp, division.dp);
  for (int stage = 0; stage < division.pp; ++stage) {
    const LlmPlan& rank = plan.at({0, stage, 0});
    text += fmt::format(" stage {}, {}, on {}:\n", stage, layers_text(rank), packages_text(division, stage));
    text += to_text(rank);
  }
  if (division.dp > 1)
    text += fmt::format(" {} alike\n", counted(division.dp - 1, "more copy", "more copies"));
  return text;
}

}  // namespace kbsim::inference
