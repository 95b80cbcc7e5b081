// How often products read their weights.
#include <doctest/doctest.h>

#include "small_models.hpp"

namespace kbsim::inference::test::product_traffic {
namespace {

// The sizes of a model of 8 billion parameters.
models::ModelConfig large_model() {
  models::ModelConfig model = odd_model(bf16);
  model.hidden_size = 4096;
  model.num_attention_heads = 32;
  model.num_key_value_heads = 8;
  model.head_dim = 128;
  model.intermediate_size = 14336;
  model.num_hidden_layers = 1;
  return model;
}

// Times that weights are read if half of the TCM is for sums in f32.
std::int64_t least_reads(const config::MachineSpec& machine, std::int64_t rows, std::int64_t columns) {
  const Bytes half = (machine.cube.memory.tcm - machine.cube.memory.tcm_scheduler) / 2;
  const std::int64_t at_once = half.count() / (4 * columns);
  return (rows + at_once - 1) / at_once;
}

}  // namespace

TEST_CASE("Products: weights are read no more often than sums in half of the TCM ask for") {
  const config::MachineSpec machine;
  for (const std::int64_t rows : {1, 32, 512, 4096}) {
    for (const std::string mapping : {"columns", "blocks"}) {
      const LlmProblem problem{
          .model = large_model(), .phases = {Phase::prefill}, .prompt = rows, .mapping = mapping};
      const LlmPlan plan = plan_of(problem, machine);
      for (const auto& [name, product] : plan.products) {
        CAPTURE(rows);
        CAPTURE(mapping);
        CAPTURE(static_cast<int>(name));
        const ProductStep& step = product.chosen.steps.front();
        const bool gated = name == ProductName::gate_up;
        const std::int64_t n = name == ProductName::qkv ? 6144 : gated ? 2 * 14336 : 4096;
        const std::int64_t columns =
            n / (mapping == "columns" ? plan.site.grid.all() : plan.site.grid.cubes());
        CHECK((step.keeps_weights ? 1 : step.chunks) <= least_reads(machine, rows, columns));
      }
    }
  }
}

}  // namespace kbsim::inference::test::product_traffic
