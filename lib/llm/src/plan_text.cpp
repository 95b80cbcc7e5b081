// The plan as --dry-run prints it.
#include <fmt/format.h>

#include "kbsim/llm/llm_plan.hpp"

namespace kbsim::inference {
namespace {

std::string place_text(const PlannedTensor& tensor) {
  std::string text = fmt::format("{} over cubes, {} over their PEs", topology::to_string(tensor.dp.cube),
                                 topology::to_string(tensor.dp.pe));
  if (tensor.dp.num_cubes == 1 && tensor.dp.num_pes == 1) text = "PE 0 of cube 0";
  return text;
}

// Tensors of the first layer stand for those of all.
bool is_shown(const PlannedTensor& tensor, std::int64_t first_layer) {
  return tensor.layer < 0 || tensor.layer == first_layer;
}

std::string tensor_line(const PlannedTensor& tensor) {
  return fmt::format("  {:<22} {:<18} {:<5} {:<4} {:>12}  {}\n", tensor.name, kbsim::to_string(tensor.shape),
                     kbsim::to_string(tensor.dtype), tensor.region == topology::Region::hbm ? "HBM" : "TCM",
                     kbsim::to_string(tensor.most), place_text(tensor));
}

std::string product_line(const ChosenProduct& product, std::string_view name) {
  std::string text = fmt::format("  {:<10} {:<8}", name, product.chosen.mapping);
  for (const MappedProduct& candidate : product.candidates) {
    text += fmt::format("  {} {:.3f} us", candidate.mapping, to_ns(candidate.estimate()) / 1000.0);
    for (const ProductStep& step : candidate.steps) text += fmt::format(", chunks {}", step.chunks);
  }
  if (product.chosen.adds_up) text += "  adds up over packages";
  return text + "\n";
}

}  // namespace

std::string to_text(const LlmPlan& plan) {
  const PackageSite& site = plan.site;
  std::string text = fmt::format(
      " plan on {} in {}{}: a PE has {} of {} HBM in use, and {} of {} TCM with tiles\n"
      "  tensor                 shape              dtype mem    most of a PE  divided\n",
      to_text(site, plan.problem.on), kbsim::to_string(plan.problem.model.torch_dtype),
      plan.problem.model.dtype_assumed ? models::kAssumedDtype : "", kbsim::to_string(plan.hbm_used),
      kbsim::to_string(site.hbm), kbsim::to_string(plan.tcm_used + plan.tiles), kbsim::to_string(site.tcm));
  for (const PlannedTensor& tensor : plan.tensors) {
    if (is_shown(tensor, plan.share.first_layer)) text += tensor_line(tensor);
  }
  if (plan.layers.size() > 1)
    text += fmt::format("  {} more layers as layer {}\n", plan.layers.size() - 1, plan.share.first_layer);
  text += fmt::format(" mapping {}: of each product, estimates by closed form\n", plan.problem.mapping);
  for (const auto& [name, product] : plan.products) text += product_line(product, to_string(name));
  return text;
}

}  // namespace kbsim::inference
