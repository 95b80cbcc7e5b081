// Estimates of products by closed forms, against their own machine's limits and against simulations.
#include <algorithm>
#include <array>

#include <doctest/doctest.h>

#include "kbsim/llm/step_table.hpp"

#include "small_models.hpp"

namespace kbsim::inference::test::product_estimates {
namespace {

constexpr std::array kMappings{"columns", "blocks"};

Product product_of(std::int64_t rows) {
  return {.name = "a product", .rows = {rows}, .k = 1024, .n = 1024, .dtype = bf16};
}

Time estimate_of(const std::string& mapping, const Product& product, const config::MachineSpec& machine) {
  const PackageSite site = site_of(machine, Place::package, 1);
  return map_product(mapping, product, site, site.tcm).chosen.estimate();
}

models::ModelConfig one_layer() {
  models::ModelConfig model = odd_model(bf16);
  model.hidden_size = 256;
  model.num_attention_heads = 8;
  model.head_dim = 32;
  model.intermediate_size = 512;
  model.num_hidden_layers = 1;
  return model;
}

}  // namespace

TEST_CASE("Products: an estimate is at least the time of the weights and of the engine's tiles") {
  const config::MachineSpec machine = package(2, 2, 4);
  const PackageSite site = site_of(machine, Place::package, 1);
  for (const std::string mapping : kMappings) {
    for (const std::int64_t rows : {1, 32, 512}) {
      const double least_weights = 1024.0 * 1024 * 2 / 16 / site.hbm_rate;
      const double least_engine =
          std::max<double>(static_cast<double>(rows), 32) * 1024 * 1024 / 16 / site.macs_rate;
      CAPTURE(mapping);
      CAPTURE(rows);
      CHECK(to_ns(estimate_of(mapping, product_of(rows), machine)) >= std::max(least_weights, least_engine));
    }
  }
}

TEST_CASE("Products: more rows, slower links, memories or CPUs never lower an estimate") {
  for (const std::string mapping : kMappings) {
    CAPTURE(mapping);
    Time before{};
    for (const std::int64_t rows : {1, 2, 8, 32, 64, 128, 512}) {
      CAPTURE(rows);
      const Time now = estimate_of(mapping, product_of(rows), package(2, 2, 4));
      CHECK(now >= before);
      before = now;
    }
    const auto slower = [&](auto change, std::int64_t rows) {
      config::MachineSpec machine = package(2, 2, 4);
      change(machine);
      return estimate_of(mapping, product_of(rows), machine) >
             estimate_of(mapping, product_of(rows), package(2, 2, 4));
    };
    CHECK(slower([](auto& m) { m.cube.xbar_to_hbm = Bandwidth::gbs(32.0); }, 1));
    CHECK(slower([](auto& m) { m.sip.ucie_link.bandwidth = Bandwidth::gbs(4.0); }, 128));
    CHECK(slower([](auto& m) { m.pe.pe_cpu.attrs["dispatch_cycles"] = std::int64_t{400}; }, 1));
    CHECK(slower([](auto& m) { m.pe.pe_gemm.attrs["macs_per_ns"] = 64.0; }, 128));
  }
}

TEST_CASE("Products: weights that stay in TCM are read once in an estimate") {
  const PackageSite site = site_of(package(1, 1, 2), Place::package, 1);
  const Product product = product_of(4096);
  for (const std::string mapping : kMappings) {
    const MappedProduct whole = map_product(mapping, product, site, site.tcm).chosen;
    const MappedProduct little = map_product(mapping, product, site, Bytes{1}).chosen;
    CAPTURE(mapping);
    REQUIRE(!little.steps.front().keeps_weights);
    CHECK(little.steps.front().chunks > whole.steps.front().chunks);
    CHECK(little.estimate() > whole.estimate());
  }
}

TEST_CASE("Products: estimates are within a quarter of simulated times") {
  for (const std::string mapping : kMappings) {
    for (const std::int64_t rows : {1, 16, 64}) {
      const LlmProblem problem{
          .model = one_layer(), .phases = {Phase::prefill}, .prompt = rows, .mapping = mapping};
      const Outcome outcome = outcome_of(problem, package(2, 2, 4), true);
      const LlmPlan& plan = outcome.plan.ranks.front();
      Time estimated{};
      for (const auto& [name, product] : plan.products) estimated += product.chosen.estimate();
      Time simulated{};
      for (const OperationRow& row : table_of(outcome.plan, outcome.run.steps.front()).rows) {
        const bool is_product = std::ranges::any_of(
            plan.products, [&](const auto& product) { return to_string(product.first) == row.operation; });
        if (is_product) simulated += row.path;
      }
      CAPTURE(mapping);
      CAPTURE(rows);
      CAPTURE(to_ns(estimated));
      CAPTURE(to_ns(simulated));
      CHECK(to_ns(estimated) >= 0.75 * to_ns(simulated));
      CHECK(to_ns(estimated) <= 1.25 * to_ns(simulated));
    }
  }
}

}  // namespace kbsim::inference::test::product_estimates
