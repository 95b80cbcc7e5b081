#include "kbsim/llm/step_table.hpp"

#include <algorithm>
#include <map>

namespace kbsim::inference {
namespace {

using models::Operation;
using models::OperationKind;
using models::Work;

// The launch that computes an operation. The first residual of a layer is part of output, the second of down,
// unless rows are divided.
std::string_view launch_of(OperationKind kind, bool after_mlp, bool rows_divided) {
  switch (kind) {
    case OperationKind::residual:
      if (rows_divided) return "residual";
      return after_mlp ? "down" : "output";
    case OperationKind::rotary:
    case OperationKind::qk_norm: return "attention";
    case OperationKind::choice: return "head";
    default: return models::to_string(kind);
  }
}

using Works = std::map<std::string_view, Work>;

void add_all(Works& works, const std::vector<Operation>& operations, bool rows_divided) {
  bool after_mlp = false;
  for (const Operation& operation : operations) {
    after_mlp = after_mlp || operation.kind == OperationKind::down;
    works[launch_of(operation.kind, after_mlp, rows_divided)] += operation.work;
  }
}

// Work of one rank.
void add_works(Works& works, const LlmPlan& plan, Phase phase) {
  const models::ModelConfig& model = plan.problem.model;
  const models::Step step = plan.problem.step(phase);
  const std::int64_t element = itemsize(model.torch_dtype);
  const models::Storage storage{.weight = element, .cache = element, .activation = element};
  const bool divided = plan.share.divides_rows();
  if (plan.share.first_stage()) {
    const models::Step own = divided ? models::prefill_step(plan.share.own_rows(phase)) : step;
    add_all(works, embedding_operations(model, own, storage), divided);
  }
  for (std::int64_t layer = 0; layer < model.num_hidden_layers; ++layer)
    add_all(works, layer_operations(model, model.layer_kind(layer), step, storage), divided);
  if (plan.share.last_stage()) add_all(works, head_operations(model, step, storage), divided);
}

// Work of the first rank of each stage.
Works works_of(const DividedPlan& plan, Phase phase, int copy) {
  Works works;
  for (int stage = 0; stage < plan.problem.division.pp; ++stage)
    add_works(works, plan.at({0, stage, copy}), phase);
  return works;
}

Time at_rate(std::int64_t amount, double rate_of_pe, const PackageSite& site) {
  return from_ns(static_cast<double>(amount) / (rate_of_pe * site.grid.all()));
}

Time hbm_time(const Work& work, const PackageSite& site) {
  return at_rate(work.weight_bytes + work.cache_read + work.cache_written, site.hbm_rate, site);
}
Time macs_time(const Work& work, const PackageSite& site) {
  return at_rate(work.flop / 2, site.macs_rate, site);
}

OperationRow& row_of(StepTable& table, std::string_view operation) {
  const auto found = std::ranges::find(table.rows, operation, &OperationRow::operation);
  if (found != table.rows.end()) return *found;
  table.rows.push_back({.operation = operation});
  return table.rows.back();
}

void add_times(StepTable& table, const StepRun& step) {
  Time reached = step.begin;
  for (const OperationSpan& span : step.spans) {
    const hw::Activity& ran = span.activity;
    OperationRow& row = row_of(table, span.operation);
    ++row.launches;
    row.span += ran.last_end - ran.first_start;
    row.dma_read += ran.work.read.count();
    if (ran.last_end <= reached) continue;
    const Time from = std::max(reached, ran.first_start);
    table.between += from - reached;
    row.path += ran.last_end - from;
    if (span.between_packages) table.communication += ran.last_end - from;
    reached = ran.last_end;
  }
  table.between += step.end - reached;
}

}  // namespace

StepTable table_of(const DividedPlan& plan, const StepRun& step) {
  StepTable table;
  add_times(table, step);
  const PackageSite& site = plan.ranks.front().site;
  Works works = works_of(plan, step.phase, step.copy);
  for (OperationRow& row : table.rows) {
    row.work = works[row.operation];
    row.hbm = hbm_time(row.work, site);
    row.macs = macs_time(row.work, site);
    table.work += row.work;
  }
  table.roofline = std::max(hbm_time(table.work, site), macs_time(table.work, site));
  return table;
}

}  // namespace kbsim::inference
