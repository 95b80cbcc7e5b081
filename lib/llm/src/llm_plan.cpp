#include "kbsim/llm/llm_plan.hpp"

#include <algorithm>
#include <utility>

#include "llm_shapes.hpp"
#include "package_queues.hpp"
#include "plan_room.hpp"
#include "plan_tensors.hpp"

namespace kbsim::inference {
namespace {

using models::ModelConfig;
using topology::Region;
using topology::Split;

constexpr Bytes kMostStage = 2_MiB;  // of each PE

Product product_of(const LlmProblem& problem, ProductName name) {
  const ModelConfig& model = problem.model;
  std::vector<std::int64_t> rows;
  for (const Phase phase : problem.phases) rows.push_back(problem.rows_at_once(phase));
  Product product{.name = to_string(name),
                  .rows = std::move(rows),
                  .dtype = model.torch_dtype,
                  .adds_up = problem.overlap.contains(to_string(name))};
  const auto is = [&](std::int64_t k, std::int64_t n) {
    product.k = k;
    product.n = n;
  };
  switch (name) {
    case ProductName::qkv: is(model.hidden_size, qkv_width(model)); break;
    case ProductName::output:
      is(model.q_width(), model.hidden_size);
      product.residual = problem.division.tp == 1;
      break;
    case ProductName::gate_up:
      is(model.hidden_size, model.intermediate_size);
      product.gated = model.gated();
      break;
    case ProductName::down:
      is(model.intermediate_size, model.hidden_size);
      product.residual = problem.division.tp == 1;
      break;
  }
  return product;
}

// The rows of the table of learned positions.
std::vector<std::int64_t> places_of(const LlmPlan& plan, Phase phase, int part) {
  const LlmProblem problem = plan.problem.part(part);
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < plan.share.own_rows(phase); ++i) {
    const std::int64_t row = plan.share.whole_row(phase, plan.site.grid, i);
    const LlmProblem::RowPlace at = problem.row_place(phase, row);
    places.push_back(problem.model.first_position_row + problem.context_of(phase, at.sequence) + at.row);
  }
  return places;
}

// Only PEs with rows have a part of the activation that is summed up over ranks or sent to another.
TensorId add_x(LlmPlan& plan, const std::string& name, std::int64_t rows) {
  const TensorId x = add_activation(plan, name, rows, plan.problem.model.hidden_size);
  if (rows >= plan.site.grid.pes) return x;
  PlannedTensor& tensor = plan.tensors[static_cast<std::size_t>(x)];
  tensor.shape = {plan.site.grid.cubes() * rows, tensor.shape[1]};
  tensor.dp.num_pes = static_cast<int>(rows);
  return x;
}

TensorId add_ids(LlmPlan& plan, Phase phase) {
  const bool goes_on = phase == Phase::decode && plan.problem.has(Phase::prefill);
  if (goes_on && !plan.share.host_chooses()) return plan.phases.front().tokens;
  const auto id = [numbers = plan.numbers, phase, share = plan.share, grid = plan.site.grid,
                   own = plan.share.own_rows(phase), all = plan.problem.rows_at_once(phase)](std::int64_t i) {
    const std::int64_t row = i / own * all + share.whole_row(phase, grid, i % own);
    const LlmProblem::RowPlace at = share.problem.row_place(phase, row);
    return static_cast<double>(numbers.token(share.first_sequence + at.sequence, at.row));
  };
  return add_tensor(plan, {.name = fmt::format("{} ids", to_string(phase)),
                           .shape = {plan.share.own_rows(phase) * plan.problem.micro_batches},
                           .dtype = i32,
                           .dp = {},
                           .element = id});
}

void add_choice(LlmPlan& plan, Phase phase, PhaseTensors& tensors) {
  const ModelConfig& model = plan.problem.model;
  const std::int64_t rows = plan.problem.rows_at_once(phase);
  const std::int64_t last = plan.problem.part(0).step(phase).logit_rows();
  const std::string name{to_string(phase)};
  const auto add_row = [&](const char* called, DType dtype) {
    return add_tensor(plan, {.name = name + called,
                             .shape = {last * plan.problem.micro_batches},
                             .dtype = dtype,
                             .dp = {.num_cubes = 1, .num_pes = 1},
                             .shared = true});
  };
  tensors.all_x = plan.share.divides_rows() ? tensors.all_normal : tensors.x;
  tensors.last =
      last == rows ? tensors.all_x : add_activation(plan, name + " last rows", last, model.hidden_size);
  for (int part = 0; part < plan.problem.micro_batches; ++part) {
    const std::string number = part == 0 ? "" : fmt::format(" {}", part);
    tensors.logits.push_back(
        add_tensor(plan, {.name = name + " logits" + number,
                          .shape = {last, model.vocab_size},
                          .dtype = model.torch_dtype,
                          .dp = {.cube = Split::column_wise, .pe = Split::column_wise}}));
  }
  tensors.tokens = add_row(" tokens", i32);
  if (plan.share.division.tp > 1) tensors.largest = add_row(" largest logits", model.torch_dtype);
}

void add_phase(LlmPlan& plan, Phase phase) {
  const ModelConfig& model = plan.problem.model;
  const std::int64_t rows = plan.problem.rows_at_once(phase);
  const std::int64_t own = plan.share.own_rows(phase);
  const std::string name{to_string(phase)};
  PhaseTensors tensors;
  const auto add = [&](const char* called, std::int64_t of_rows, std::int64_t columns) {
    return add_activation(plan, name + called, of_rows, columns);
  };
  const bool divides = plan.share.divides_rows();
  tensors.x = add_x(plan, name + " x", own);
  tensors.normal = add(" normal", own, model.hidden_size);
  tensors.all_normal = divides ? add(" all normal", rows, model.hidden_size) : tensors.normal;
  tensors.sum = divides ? add(" sum", rows, model.hidden_size) : tensors.x;
  tensors.qkv = add(" qkv", rows, qkv_width(model));
  tensors.attended = add(" attended", rows, model.q_width());
  tensors.inner = add(" inner", rows, model.intermediate_size);
  if (plan.share.last_stage()) add_choice(plan, phase, tensors);
  if (plan.share.first_stage()) tensors.ids = add_ids(plan, phase);
  for (int part = 0; model.positions == models::Positions::learned && part < plan.problem.micro_batches;
       ++part)
    tensors.places.push_back(places_of(plan, phase, part));
  plan.phases.push_back(tensors);
}

// Slots of all splits that a prefill stages at a time.
void add_stage(LlmPlan& plan) {
  if (!plan.problem.has(Phase::prefill) && !plan.problem.has(Phase::mixed)) return;
  const llm::KvCache cache = cache_of(plan);
  const std::int64_t slot = 2 * cache.heads_per_pe() * cache.d * itemsize(plan.problem.model.torch_dtype);
  const std::int64_t blocks = std::max<std::int64_t>(kMostStage.count() / (slot * llm::kCacheBlock), 1);
  const std::int64_t needed = (cache.slots() + llm::kCacheBlock - 1) / llm::kCacheBlock;
  plan.stage_slots = std::min(blocks, std::max<std::int64_t>(needed, 1)) * llm::kCacheBlock;
  plan.stage = add_tcm(plan, "stage", 2 * cache.heads_per_pe() * plan.stage_slots * cache.d,
                       plan.problem.model.torch_dtype);
}

Bytes tcm_of_activations(const LlmPlan& plan) {
  Bytes sum;
  for (const PlannedTensor& tensor : plan.tensors) {
    if (tensor.region == Region::tcm) sum += Bytes{tensor.shape[1] * itemsize(tensor.dtype) + 64};
  }
  return sum;
}

// The room that the largest scratch and the most tiles take, which may be those of different products.
Bytes taken_by_products(const LlmPlan& plan) {
  return Bytes{plan.scratch_size * itemsize(plan.problem.model.torch_dtype)} + plan.tiles;
}

void choose_within(LlmPlan& plan, Bytes room) {
  plan.products.clear();
  plan.tiles = 0_B;
  plan.scratch_size = 1;
  for (const ProductName name :
       {ProductName::qkv, ProductName::output, ProductName::gate_up, ProductName::down}) {
    const Product asked = product_of(plan.problem, name);
    ChosenProduct product =
        map_product(plan.problem.mapping_of(std::string{asked.name}), asked, plan.site, room);
    for (const ProductStep& step : product.chosen.steps) {
      plan.scratch_size = std::max(plan.scratch_size, step.scratch);
      plan.tiles = std::max(plan.tiles, step.tiles);
    }
    plan.products.emplace(name, std::move(product));
  }
  for (const Phase phase : plan.problem.phases)
    plan.scratch_size = std::max(
        plan.scratch_size, plan.problem.part(0).step(phase).logit_rows() * plan.problem.model.hidden_size);
}

void choose_products(LlmPlan& plan) {
  constexpr int kTries = 16;
  const Bytes used = tcm_of_activations(plan) + kOtherTiles;
  const Bytes all = plan.site.tcm > used ? plan.site.tcm - used : 0_B;
  Bytes room = all;
  for (int i = 0; i < kTries; ++i) {
    choose_within(plan, room);
    if (taken_by_products(plan) <= all || room == 0_B) return;
    room = std::max(room - std::max(taken_by_products(plan) - all, room / 16), 0_B);
  }
}

}  // namespace

const std::vector<std::string>& product_names() {
  static const std::vector<std::string> names{"qkv", "output", "gate/up", "down"};
  return names;
}

const std::string& to_string(ProductName name) { return product_names()[static_cast<std::size_t>(name)]; }

const std::vector<std::string>& summed_products() {
  static const std::vector<std::string> names{to_string(ProductName::output), to_string(ProductName::down)};
  return names;
}

// It lies on the plan's PEs alone, which are the first ones.
TensorId add_tensor(LlmPlan& plan, PlannedTensor tensor) {
  if (!tensor.dp.num_cubes) tensor.dp.num_cubes = plan.site.grid.cubes();
  if (!tensor.dp.num_pes) tensor.dp.num_pes = plan.site.grid.pes;
  plan.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(plan.tensors.size() - 1);
}

TensorId add_tcm(LlmPlan& plan, const std::string& name, std::int64_t elements_of_pe, DType dtype) {
  return add_tensor(plan, {.name = name,
                           .shape = {plan.site.grid.all(), elements_of_pe},
                           .dtype = dtype,
                           .dp = {.cube = Split::row_wise, .pe = Split::row_wise},
                           .region = Region::tcm,
                           .shared = true});
}

TensorId add_activation(LlmPlan& plan, const std::string& name, std::int64_t rows, std::int64_t columns) {
  return add_tcm(plan, name, activation_of(plan.site.grid, rows, columns).stride,
                 plan.problem.model.torch_dtype);
}

LlmPlan plan_of(const LlmProblem& problem, const config::MachineSpec& machine, const config::CclSpec& ccl,
                RankPlace at) {
  require_supported(problem);
  const std::int64_t kv_heads =
      std::max<std::int64_t>(problem.model.num_key_value_heads / problem.division.tp, 1);
  PackageSite site = site_of(machine, problem.on, kv_heads, !problem.overlap.empty());
  require_divisible(problem, machine.system.sips.count, site.grid);
  const RankShare share = share_of(problem, at);
  const ccl::RingBytes queues = queues_between(share, machine, ccl);
  site.tcm = std::max(site.tcm - queues.tcm, 0_B);
  site.hbm = std::max(site.hbm - queues.hbm, 0_B);
  LlmPlan plan{
      .problem = share.problem, .share = share, .site = site, .numbers = {problem.model, problem.seed}};
  require_least_room(plan);
  for (const Phase phase : problem.phases) add_phase(plan, phase);
  add_stage(plan);
  require_activations_fit(plan);
  choose_products(plan);
  plan.scratch = add_tcm(plan, "scratch", plan.scratch_size, problem.model.torch_dtype);
  add_ends(plan);
  add_layers(plan);
  require_room(plan);
  return plan;
}

DividedPlan divided_plan_of(const LlmProblem& problem, const config::MachineSpec& machine,
                            const config::CclSpec& ccl) {
  DividedPlan plan{.problem = problem, .ranks = {}};
  for (int rank = 0; rank < problem.division.ranks(); ++rank)
    plan.ranks.push_back(plan_of(problem, machine, ccl, problem.division.place_of(rank)));
  return plan;
}

}  // namespace kbsim::inference
