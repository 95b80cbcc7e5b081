#include "kbsim/llm/step_table.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

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

// Work of one rank for a micro-batch.
void add_works(Works& works, const LlmPlan& plan, Phase phase, int part) {
  const models::ModelConfig& model = plan.problem.model;
  const models::Step step = plan.problem.part(part).step(phase);
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
  for (int stage = 0; stage < plan.problem.division.pp; ++stage) {
    for (int part = 0; part < plan.problem.micro_batches; ++part)
      add_works(works, plan.at({0, stage, copy}), phase, part);
  }
  return works;
}

Time at_rate(std::int64_t amount, double rate_of_pe, const PackageSite& site) {
  return from_ns(static_cast<double>(amount) / (rate_of_pe * site.grid.all()));
}

std::int64_t hbm_bytes(const Work& work) { return work.weight_bytes + work.cache_read + work.cache_written; }
std::int64_t macs(const Work& work) { return work.flop / 2; }

Time hbm_time(std::int64_t bytes, const PackageSite& site) { return at_rate(bytes, site.hbm_rate, site); }
Time macs_time(std::int64_t macs, const PackageSite& site) { return at_rate(macs, site.macs_rate, site); }

// The most of an amount that is worked on one after the other: a stage begins a micro-batch when it has ended
// the one before, and the stage before has ended this one.
std::int64_t most_in_turn(const DividedPlan& plan, const StepRun& step, std::int64_t (*amount)(const Work&)) {
  std::vector<std::int64_t> ended(static_cast<std::size_t>(plan.problem.micro_batches));
  for (int stage = 0; stage < plan.problem.division.pp; ++stage) {
    const LlmPlan& rank = plan.at({0, stage, step.copy});
    std::int64_t reached = 0;
    for (int part = 0; part < plan.problem.micro_batches; ++part) {
      Works works;
      add_works(works, rank, step.phase, part);
      std::int64_t& ended_here = ended[static_cast<std::size_t>(part)];
      reached = std::max(reached, ended_here);
      for (const auto& [operation, work] : works) reached += amount(work);
      ended_here = reached;
    }
  }
  return ended.back();
}

OperationRow& row_of(StepTable& table, const OperationSpan& span) {
  const auto found = std::ranges::find(table.rows, span.operation, &OperationRow::operation);
  if (found != table.rows.end()) return *found;
  table.rows.push_back(
      {.operation = std::string{span.operation}, .part = span.part, .communication = span.between_packages});
  return table.rows.back();
}

void add_span(OperationRow& row, const OperationSpan& span) {
  const hw::Activity& ran = span.activity;
  ++row.launches;
  row.span += ran.last_end - ran.first_start;
  row.moved += span.moved;
  row.gemm += ran.work.gemm;
}

// Stages work on several micro-batches at a time: then spans are taken in the order of their ends.
void add_times(StepTable& table, const StepRun& step, bool by_end) {
  std::vector<const OperationSpan*> spans;
  for (const OperationSpan& span : step.spans) {
    add_span(row_of(table, span), span);
    spans.push_back(&span);
  }
  const auto end_of = [](const OperationSpan* span) { return std::pair{span->activity.last_end, span}; };
  if (by_end) std::ranges::sort(spans, {}, end_of);
  Time reached = step.begin;
  for (const OperationSpan* span : spans) {
    const Time end = span->activity.last_end;
    if (end <= reached) continue;
    const Time from = std::max(reached, span->activity.first_start);
    table.between += from - reached;
    row_of(table, *span).path += end - from;
    reached = end;
  }
  table.between += step.end - reached;
}

}  // namespace

// Bytes between packages may still be under way at the end of the span, or before its begin.
Roofline OperationRow::roofline() const {
  const Time package = communication ? std::min(moved.package_busy, span) : moved.package_busy;
  return inference::roofline(
      {std::max(hbm, moved.hbm_busy), std::max(macs, engines), moved.noc_busy, moved.ucie_busy, package},
      span);
}

std::int64_t OperationRow::reread_bytes() const {
  return std::max<std::int64_t>(moved.weights_read - work.weight_bytes, 0) +
         std::max<std::int64_t>(moved.cache_read - work.cache_read, 0);
}

std::int64_t OperationRow::padding_flop(const PackageSite& site) const {
  const auto done = static_cast<std::int64_t>(2.0 * to_ns(gemm) * site.macs_rate);
  return std::max<std::int64_t>(done - work.flop, 0);
}

OperationRow& OperationRow::operator+=(const OperationRow& more) {
  launches += more.launches;
  span += more.span;
  path += more.path;
  work += more.work;
  moved += more.moved;
  gemm += more.gemm;
  hbm += more.hbm;
  macs += more.macs;
  engines += more.engines;
  return *this;
}

std::vector<OperationRow> StepTable::sums() const {
  std::vector<OperationRow> all{{.operation = "embedding", .part = ModelPart::embedding},
                                {.operation = "all layers", .part = ModelPart::layers},
                                {.operation = "head", .part = ModelPart::head}};
  OperationRow communication{.operation = "communication", .part = ModelPart::layers, .communication = true};
  for (const OperationRow& row : rows) {
    all[static_cast<std::size_t>(row.part)] += row;
    if (row.communication) communication += row;
  }
  if (communication.launches > 0) all.push_back(communication);
  return all;
}

StepTable table_of(const DividedPlan& plan, const StepRun& step) {
  StepTable table;
  add_times(table, step, plan.problem.micro_batches > 1);
  const PackageSite& site = plan.ranks.front().site;
  Works works = works_of(plan, step.phase, step.copy);
  for (OperationRow& row : table.rows) {
    row.work = works[row.operation];
    row.hbm = hbm_time(hbm_bytes(row.work), site);
    row.macs = macs_time(macs(row.work), site);
    row.engines = row.gemm / site.grid.all();
    table.work += row.work;
  }
  table.least = std::max(hbm_time(most_in_turn(plan, step, hbm_bytes), site),
                         macs_time(most_in_turn(plan, step, macs), site));
  return table;
}

}  // namespace kbsim::inference
