// Where tensors of a model lie, and what can't be.
#include <algorithm>

#include <doctest/doctest.h>

#include "kbsim/base/error.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::plans {
namespace {

const PlannedTensor& named(const LlmPlan& plan, std::string_view name) {
  const auto found = std::ranges::find(plan.tensors, name, &PlannedTensor::name);
  REQUIRE(found != plan.tensors.end());
  return *found;
}

template <class Wrong>
void check_refused(const LlmProblem& problem, const config::MachineSpec& machine, std::string_view word) {
  try {
    (void)plan_of(problem, machine);
    FAIL("it is accepted");
  } catch (const Wrong& error) {
    CAPTURE(error.what());
    CHECK(std::string_view{error.what()}.find(word) != std::string_view::npos);
  }
}

LlmProblem with(auto change) {
  LlmProblem problem{.model = odd_model()};
  change(problem);
  return problem;
}

}  // namespace

TEST_CASE("LlmPlan: bytes per PE of weights, caches and activations") {
  const LlmProblem problem{.model = odd_model(), .prompt = 100, .mapping = "columns"};
  const LlmPlan plan = plan_of(problem, package(2, 1, 2));
  CHECK(named(plan, "layer 0 qkv").most == Bytes{46 * 25 * 4});  // of 100 columns
  CHECK(named(plan, "layer 1 down").most == Bytes{75 * 12 * 4});
  CHECK(named(plan, "layer 0 input norm").most == Bytes{23 * 4});
  CHECK(named(plan, "embedding").most == Bytes{26 * 46 * 4});     // of 101 rows
  CHECK(named(plan, "layer 0 keys").most == Bytes{53 * 10 * 4});  // of 101 positions, by blocks of 16
  CHECK(named(plan, "prefill x").most == Bytes{50 * 23 * 4});
}

TEST_CASE("LlmPlan: the same weights by blocks; auto takes the lower estimate") {
  LlmProblem problem{.model = odd_model(), .mapping = "blocks"};
  CHECK(named(plan_of(problem, package(2, 1, 2)), "layer 0 qkv").most == Bytes{23 * 50 * 4});
  problem.mapping = "auto";
  const LlmPlan plan = plan_of(problem, package(2, 1, 2));
  for (const auto& [name, product] : plan.products) {
    CHECK(product.candidates.size() >= 2);
    for (const MappedProduct& other : product.candidates)
      CHECK(product.chosen.estimate() <= other.estimate());
  }
}

TEST_CASE("LlmPlan: rows of a product are cut to what the TCM holds") {
  config::MachineSpec machine = package(2, 1, 2);
  machine.cube.memory.tcm = 7680_KiB;
  for (const char* mapping : {"columns", "blocks", "auto"}) {
    const LlmPlan plan = plan_of({.model = odd_model(), .prompt = 2500, .mapping = mapping}, machine);
    CHECK(plan.tcm_used + plan.tiles <= plan.site.tcm);
    if (std::string_view{mapping} == "columns")
      CHECK(plan.products.at(ProductName::gate_up).chosen.steps.front().chunks > 1);
  }
}

TEST_CASE("LlmPlan: what doesn't fit is refused by the tensor, what it lacks, and what makes it fit") {
  config::MachineSpec machine = package(2, 1, 2);
  machine.cube.memory.hbm_per_pe = 32_KiB;
  check_refused<UsageError>({.model = odd_model()}, machine, "cube.memory.hbm_bytes_per_pe");
  check_refused<UsageError>({.model = odd_model(), .prompt = 60000}, package(2, 1, 2),
                            "cube.memory.tcm_bytes");
}

TEST_CASE("LlmPlan: formats of fewer than 16 bits, unknown mappings and too many positions are refused") {
  const config::MachineSpec machine = package(2, 1, 2);
  check_refused<Unsupported>(with([](auto& p) { p.model.torch_dtype = DType::f8e4m3; }), machine,
                             "torch_dtype");
  check_refused<UsageError>(with([](auto& p) { p.mapping = "column"; }), machine, "columns");
  const auto positions = [](LlmProblem problem) {
    problem.model.max_positions = 64;
    return problem;
  };
  CHECK_NOTHROW((void)plan_of(positions({.model = odd_model(), .prompt = 63}), machine));
  check_refused<UsageError>(positions({.model = odd_model(), .prompt = 64}), machine,
                            "--prompt 64: 65 positions of a sequence, and the model has 64");
  check_refused<UsageError>(
      positions({.model = odd_model(), .phases = {Phase::decode}, .batch = 2, .contexts = {3, 64}}), machine,
      "--contexts 64");
}

TEST_CASE("LlmPlan: on a cube or a PE, all tensors lie there, and the estimates are of its PEs") {
  LlmProblem problem{.model = odd_model(), .prompt = 9, .mapping = "columns", .on = Place::cube};
  LlmPlan plan = plan_of(problem, package(2, 1, 2));
  CHECK(plan.site.grid.all() == 2);
  CHECK(named(plan, "layer 0 qkv").most == Bytes{46 * 50 * 4});
  problem.on = Place::pe;
  plan = plan_of(problem, package(2, 1, 2));
  CHECK(named(plan, "layer 0 qkv").most == Bytes{46 * 100 * 4});
  for (const PlannedTensor& tensor : plan.tensors) {
    CHECK(tensor.dp.num_cubes == 1);
    CHECK(tensor.dp.num_pes == 1);
  }
}

TEST_CASE("LlmPlan: a cache per sequence, with room for the longest context") {
  const LlmProblem problem{
      .model = odd_model(), .phases = {Phase::decode}, .batch = 3, .contexts = {5, 100, 17}};
  CHECK(problem.step(Phase::decode).keys_touched(0) == 6 + 101 + 18);
  const LlmPlan plan = plan_of(problem, package(2, 1, 2));
  CHECK(named(plan, "layer 0 keys").most == Bytes{3 * 53 * 10 * 4});  // of 101 positions, by blocks of 16
}

}  // namespace kbsim::inference::test::plans
