#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kbsim/base/bytes.hpp"
#include "kbsim/base/dtype.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/llm/drawn_weights.hpp"
#include "kbsim/llm/llm_problem.hpp"
#include "kbsim/llm/moved_bytes.hpp"
#include "kbsim/llm/package_site.hpp"
#include "kbsim/llm/product_mapping.hpp"
#include "kbsim/llm/rank_share.hpp"
#include "kbsim/topology/address.hpp"
#include "kbsim/topology/placement.hpp"

namespace kbsim::inference {

/// A tensor of the program. `element` is its contents by index; without it the tensor is empty.
struct PlannedTensor {
  std::string name;
  Shape shape;
  DType dtype = f16;
  topology::DPPolicy dp;
  topology::Region region = topology::Region::hbm;
  bool shared = false;
  Held held = Held::other;
  std::function<double(std::int64_t)> element = {};
  Bytes most{};             // on the PE that has most of it
  std::int64_t layer = -1;  // of the whole model; none: beside the layers
};

/// Its place in LlmPlan::tensors.
enum class TensorId : std::size_t { none = static_cast<std::size_t>(-1) };

struct NormTensors {
  TensorId weight = TensorId::none;
  TensorId bias = TensorId::none;
};
struct ProductTensors {
  TensorId weight = TensorId::none;
  TensorId up = TensorId::none;
  TensorId bias = TensorId::none;
  TensorId up_bias = TensorId::none;
};
struct LayerTensors {
  NormTensors input_norm, post_norm;
  TensorId q_norm = TensorId::none, k_norm = TensorId::none;
  ProductTensors qkv, output, gate_up, down;
  TensorId keys{}, values{};
};
/// Activations of a phase. `x` and `normal` have the rank's own rows; `all_normal` and `sum`, a product's
/// part of the sum over ranks, have all: they are `normal` and `x` unless rows are divided. `all_x` are all
/// rows that the head chooses from, `last` those whose logits are asked for, and `largest` their largest
/// logits. Micro-batches use the same activations, one after the other; `ids`, `tokens` and `largest` have
/// the rows of all.
struct PhaseTensors {
  TensorId ids = TensorId::none, x{}, normal{}, all_normal{}, sum{}, qkv{}, attended{}, inner{},
           all_x = TensorId::none, last = TensorId::none, tokens = TensorId::none, largest = TensorId::none;
  std::vector<TensorId> logits;                   // of each micro-batch, of the last stage
  std::vector<std::vector<std::int64_t>> places;  // likewise, of own rows in the table of learned positions
};

enum class ProductName : std::uint8_t { qkv, output, gate_up, down };
/// "qkv", "output", "gate/up", "down": as tables and files of mappings name them.
[[nodiscard]] const std::vector<std::string>& product_names();
[[nodiscard]] const std::string& to_string(ProductName name);
/// "output" and "down": a layer's sums over packages.
[[nodiscard]] const std::vector<std::string>& summed_products();

/// Where each tensor of a rank's share of a model lies on the PEs that run it, and how each product is
/// computed.
struct LlmPlan {
  LlmProblem problem;  // of the rank's share
  RankShare share;
  PackageSite site;
  DrawnWeights numbers;
  std::vector<PlannedTensor> tensors;
  TensorId embedding = TensorId::none, head = TensorId::none;  // of the first and the last stage
  TensorId head_bias = TensorId::none;
  TensorId positions = TensorId::none, cos = TensorId::none, sin = TensorId::none;
  NormTensors final_norm;
  TensorId scratch{}, stage = TensorId::none;
  std::int64_t scratch_size = 1;  // elements per PE
  std::int64_t stage_slots = 0;
  std::vector<LayerTensors> layers;
  std::vector<PhaseTensors> phases;
  std::map<ProductName, ChosenProduct> products;
  Bytes hbm_used{}, tcm_used{};  // on the PE that has most
  Bytes tiles{};                 // the most that a product holds at once beside its tensors

  [[nodiscard]] const PlannedTensor& tensor(TensorId id) const {
    return tensors[static_cast<std::size_t>(id)];
  }
};

/// UsageError for a tensor that doesn't fit HBM or TCM: how much it lacks, and what would make it fit; and
/// for an impossible division. `ccl` has the algorithms of collectives, whose queues take TCM.
[[nodiscard]] LlmPlan plan_of(const LlmProblem& problem, const config::MachineSpec& machine,
                              const config::CclSpec& ccl = {}, RankPlace at = {});

/// Lines for people: where tensors lie, bytes per PE, and the estimates of each product's mappings.
[[nodiscard]] std::string to_text(const LlmPlan& plan);

/// A model divided over packages: the plan of each rank.
struct DividedPlan {
  LlmProblem problem;  // undivided
  std::vector<LlmPlan> ranks;

  [[nodiscard]] const LlmPlan& at(RankPlace place) const {
    return ranks[static_cast<std::size_t>(problem.division.rank_of(place))];
  }
};
[[nodiscard]] DividedPlan divided_plan_of(const LlmProblem& problem, const config::MachineSpec& machine,
                                          const config::CclSpec& ccl = {});
/// The plans of ranks that differ in more than their numbers: those of each stage.
[[nodiscard]] std::string to_text(const DividedPlan& plan);

}  // namespace kbsim::inference
