#include "plan_room.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/error.hpp"

#include "kernel_tiles.hpp"
#include "llm_shapes.hpp"

namespace kbsim::inference {
namespace {

using topology::Region;

using Remedies = std::vector<std::string>;

// Rounded up to a tenth of its unit.
std::string shown(double bytes) {
  if (bytes < 1024.0) return fmt::format("{:.0f} B", bytes);
  const bool small = bytes < 1048576.0;
  return fmt::format("{:.1f} {}", std::ceil(10.0 * bytes / (small ? 1024.0 : 1048576.0)) / 10.0,
                     small ? "KiB" : "MiB");
}
std::string shown(Bytes bytes) { return shown(static_cast<double>(bytes.count())); }

std::string make_it_fit(Remedies all) {
  if (all.size() == 1) return all.front() + " makes it fit";
  const std::string last = std::move(all.back());
  all.pop_back();
  return fmt::format("{} or {} make it fit", fmt::join(all, ", "), last);
}

// Options that say how many rows and positions there are.
void add_shorter(const LlmProblem& problem, bool caches, Remedies& all) {
  const bool fills = problem.has(Phase::prefill) || problem.has(Phase::mixed);
  if (fills) all.emplace_back("a shorter --prompt");
  const bool decodes_alone = !problem.has(Phase::prefill) && problem.contexts.empty();
  if (caches && !problem.contexts.empty()) all.emplace_back("shorter --contexts");
  if (caches && (problem.before > 0 || decodes_alone)) all.emplace_back("a shorter --context");
  if (problem.batch > 1) all.emplace_back("a smaller --batch");
}

std::string tcm_remedy(const LlmPlan& plan) {
  Remedies all;
  add_shorter(plan.problem, false, all);
  if (plan.share.division.tp * plan.share.division.pp > 1)
    all.emplace_back("a smaller ccl.defaults.slot_size");
  all.emplace_back("more cube.memory.tcm_bytes");
  return make_it_fit(std::move(all));
}

// Weights alone need fewer layers or elements; with their caches, fewer positions help, too. `hbm` is the
// setting that helps.
std::string hbm_remedy(const LlmProblem& problem, const std::string& layers, bool weights_fit,
                       std::string hbm) {
  Remedies all;
  if (!layers.empty()) all.push_back(layers);
  if (weights_fit) add_shorter(problem, true, all);
  all.emplace_back("more --tp or --pp");
  if (problem.model.torch_dtype == f32) all.emplace_back("--weights bf16");
  all.push_back(std::move(hbm));
  return make_it_fit(std::move(all));
}

// Bytes of a region per PE, as tensors are added in their order.
class Room {
 public:
  Room(const LlmPlan& plan, Region region, Bytes size)
      : plan_{plan},
        region_{region},
        size_{size},
        used_(static_cast<std::size_t>(plan.site.grid.all())),
        weights_(used_.size()) {}

  /// The tensor's most bytes on a PE.
  Bytes take(const PlannedTensor& tensor) {
    const auto shards = topology::resolve_dp_policy(tensor.dp, tensor.shape, itemsize(tensor.dtype),
                                                    plan_.site.grid.pes, plan_.site.grid.cubes(), 0);
    Bytes most;
    for (const topology::ShardSpec& shard : shards) {
      const auto pe = static_cast<std::size_t>(shard.at.cube * plan_.site.grid.pes + shard.at.pe);
      const Bytes taken{(shard.nbytes.count() + 63) / 64 * 64};
      Bytes& used = used_[pe];
      used += taken;
      if (tensor.held == Held::weights) weights_[pe] += taken;
      most = std::max(most, shard.nbytes);
      if (used > size_ && without_room_ == nullptr) without_room_ = &tensor;
    }
    return most;
  }
  [[nodiscard]] Bytes used() const { return *std::ranges::max_element(used_); }

  /// UsageError that names the first tensor without room.
  void require_all_fit() const {
    if (without_room_ == nullptr) return;
    throw UsageError{fmt::format(
        "--model: no room for {} {} {} in a PE's {}: all tensors take {} of {}, {} too many; {}",
        without_room_->name, kbsim::to_string(without_room_->shape), kbsim::to_string(without_room_->dtype),
        region_ == Region::hbm ? "HBM" : "TCM", shown(used()), shown(size_), shown(used() - size_),
        region_ == Region::hbm ? remedy_of_hbm() : tcm_remedy(plan_))};
  }

 private:
  // Layers are the last tensors.
  [[nodiscard]] std::string remedy_of_hbm() const {
    const std::int64_t layer = without_room_->layer;
    return hbm_remedy(
        plan_.problem, layer > 0 ? fmt::format("--layers {}", layer) : "",
        *std::ranges::max_element(weights_) <= size_,
        fmt::format("cube.memory.hbm_bytes_per_pe={}MiB", ceil_div(used().count(), Bytes{1_MiB}.count())));
  }

  const LlmPlan& plan_;
  Region region_;
  Bytes size_;
  std::vector<Bytes> used_;
  std::vector<Bytes> weights_;
  const PlannedTensor* without_room_ = nullptr;
};

void require_tiles(const LlmPlan& plan, std::string_view of, Bytes tiles) {
  const Bytes needed = plan.tcm_used + tiles;
  if (needed <= plan.site.tcm) return;
  throw UsageError{
      fmt::format("--model: no room for tiles of {} in a PE's TCM: with all tensors they take {} of {}, {} "
                  "too many; {}",
                  of, shown(needed), shown(plan.site.tcm), shown(needed - plan.site.tcm), tcm_remedy(plan))};
}

// Above this, placements (2^50 elements) and sums of bytes in 64 bits may fail.
constexpr double kManyElements = 0x1p49;

double weights_of_layer(const models::ModelConfig& model) {
  const auto hidden = static_cast<double>(model.hidden_size);
  return hidden * static_cast<double>(qkv_width(model) + model.q_width()) +
         (model.gated() ? 3.0 : 2.0) * hidden * static_cast<double>(model.intermediate_size);
}

double cache_of_layer(const LlmProblem& problem) {
  return 2.0 * static_cast<double>(problem.sequences()) * static_cast<double>(problem.capacity()) *
         static_cast<double>(problem.model.kv_width());
}

double row_of(const models::ModelConfig& model) {
  return static_cast<double>(model.q_width() + qkv_width(model) + model.intermediate_size);
}

// Elements that are divided evenly over the PEs of a plan, which no division makes less.
class Least {
 public:
  Least(const LlmPlan& plan, double elements)
      : elements_{elements},
        bytes_{elements * static_cast<double>(itemsize(plan.problem.model.torch_dtype)) /
               plan.site.grid.all()} {}
  [[nodiscard]] bool exceeds(Bytes size) const {
    return elements_ > kManyElements && bytes_ > static_cast<double>(size.count());
  }
  void refuse(std::string_view what, std::string_view memory, Bytes size, const std::string& remedy) const {
    throw UsageError{fmt::format("--model: no room for {} in a PE's {}: at least {} of {}; {}", what, memory,
                                 shown(bytes_), shown(size), remedy)};
  }

 private:
  double elements_;
  double bytes_;
};

}  // namespace

void require_least_room(const LlmPlan& plan) {
  const LlmProblem& problem = plan.problem;
  const auto layers = static_cast<double>(problem.model.num_hidden_layers);
  const std::string fewer = layers > 1.0 ? "fewer --layers" : "";
  const std::string more = "more cube.memory.hbm_bytes_per_pe";
  const Least weights{plan, layers * weights_of_layer(problem.model)};
  if (weights.exceeds(plan.site.hbm))
    weights.refuse("the weights of its layers", "HBM", plan.site.hbm,
                   hbm_remedy(problem, fewer, false, more));
  const Least caches{plan, layers * cache_of_layer(problem)};
  if (caches.exceeds(plan.site.hbm))
    caches.refuse("the caches of its layers", "HBM", plan.site.hbm, hbm_remedy(problem, fewer, true, more));
  for (const Phase phase : problem.phases) {
    const Least rows{plan, static_cast<double>(problem.rows_at_once(phase)) * row_of(problem.model)};
    if (rows.exceeds(plan.site.tcm))
      rows.refuse(fmt::format("the rows of a {}", to_string(phase)), "TCM", plan.site.tcm, tcm_remedy(plan));
  }
}

void require_activations_fit(const LlmPlan& plan) {
  Room tcm{plan, Region::tcm, plan.site.tcm};
  for (const PlannedTensor& tensor : plan.tensors) {
    if (tensor.region == Region::tcm) (void)tcm.take(tensor);
  }
  tcm.require_all_fit();
}

void require_room(LlmPlan& plan) {
  Room hbm{plan, Region::hbm, plan.site.hbm};
  Room tcm{plan, Region::tcm, plan.site.tcm};
  for (PlannedTensor& tensor : plan.tensors)
    tensor.most = tensor.region == Region::hbm ? hbm.take(tensor) : tcm.take(tensor);
  hbm.require_all_fit();
  tcm.require_all_fit();
  plan.hbm_used = hbm.used();
  plan.tcm_used = tcm.used();
  require_tiles(plan, "products", plan.tiles + kOtherTiles);
  require_tiles(plan, "attention", tiles_of_attention(plan));
  require_tiles(plan, "the head", tiles_of_head(plan));
}

}  // namespace kbsim::inference
