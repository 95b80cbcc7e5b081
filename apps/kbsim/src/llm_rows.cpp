#include "llm_rows.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/llm/step_table.hpp"

namespace kbsim::app {
namespace {

using inference::DividedPlan;
using inference::LlmPlan;
using inference::OperationLimit;
using inference::OperationRow;
using inference::Phase;
using inference::StepRun;

double us(Time time) { return to_ns(time) / 1000.0; }
double per(double amount, Time time) { return time > Time{} ? amount / to_ns(time) : 0.0; }

// The mapping that computes an operation; "" if it is no product.
std::string mapping_of(const LlmPlan& plan, std::string_view operation) {
  for (const auto& [name, product] : plan.products) {
    if (operation == to_string(name)) return product.chosen.mapping;
  }
  return "";
}

boost::json::object operation_json(const LlmPlan& plan, const OperationRow& row, Time step) {
  const inference::Roofline bound = row.roofline();
  const double flop_per_s = 1e9 * per(static_cast<double>(row.work.flop), row.span);
  const double hbm_per_s = 1e9 * per(static_cast<double>(row.moved.hbm()), row.span);
  const int pes = plan.site.grid.all();
  return {{"operation", row.operation},
          {"mapping", mapping_of(plan, row.operation)},
          {"launches", row.launches},
          {"span_us", us(row.span)},
          {"path_us", us(row.path)},
          {"share", per(to_ns(row.path), step)},
          {"flop", row.work.flop},
          {"hbm_bytes", row.moved.hbm()},
          {"noc_bytes", row.moved.noc},
          {"ucie_bytes", row.moved.ucie},
          {"package_bytes", row.moved.package},
          {"tcm_bytes", row.moved.tcm_read + row.moved.tcm_written},
          {"flop_per_s", flop_per_s},
          {"flop_of_peak", flop_per_s / (2e9 * plan.site.macs_rate * pes)},
          {"hbm_bytes_per_s", hbm_per_s},
          {"hbm_of_peak", hbm_per_s / (1e9 * plan.site.hbm_rate * pes)},
          {"roofline", std::string{to_string(bound.bound)}},
          {"roofline_us", us(bound.time)},
          {"of_roofline", per(to_ns(bound.time), row.span)},
          {"weight_bytes", row.work.weight_bytes},
          {"cache_read_bytes", row.work.cache_read},
          {"cache_written_bytes", row.work.cache_written},
          {"least_us", us(row.least())},
          {"reread_bytes", row.reread_bytes()},
          {"activation_bytes", row.activation_bytes()},
          {"padding_flop", row.padding_flop(plan.site)}};
}

// Why each product has its mapping: the estimates of a launch in this phase, and what the chosen one took.
boost::json::array choices_json(const LlmPlan& plan, const StepRun& step, const inference::StepTable& table) {
  const auto phase = static_cast<std::size_t>(std::ranges::find(plan.problem.phases, step.phase) -
                                              plan.problem.phases.begin());
  boost::json::array choices;
  for (const auto& [name, product] : plan.products) {
    const auto row = std::ranges::find(table.rows, to_string(name), &OperationRow::operation);
    if (row == table.rows.end()) continue;
    boost::json::object estimates;
    for (const inference::MappedProduct& candidate : product.candidates)
      estimates[candidate.mapping] = us(candidate.steps.at(phase).estimate);
    choices.push_back(
        boost::json::object{{"operation", to_string(name)},
                            {"mapping", product.chosen.mapping},
                            {"estimates_us", std::move(estimates)},
                            {"simulated_us", us(row->span) / static_cast<double>(row->launches)}});
  }
  return choices;
}

void add_limit(boost::json::object& row, const std::vector<OperationLimit>& limits) {
  const auto found =
      std::ranges::find(limits, std::string{row.at("operation").as_string()}, &OperationLimit::operation);
  const OperationLimit limit = found == limits.end() ? OperationLimit{} : *found;
  row["limited_by"] = limit.reason;
  row["limiting_key"] = limit.key;
  row["limiting_key_share"] = limit.share;
  row["limiting_key_ns_per_unit"] = limit.slope_ns;
  row["limiting_key_unit"] = limit.unit;
  row["explained_part"] = limit.part;
}

boost::json::object step_json(const DividedPlan& plan, const StepRun& step,
                              const inference::StepTable& table) {
  const inference::LlmProblem& problem = plan.problem;
  const LlmPlan& first = plan.ranks.front();
  const auto only_of = [&](Phase phase) {
    return step.phase == phase ? boost::json::value(us(step.time())) : boost::json::value{};
  };
  const bool decodes = step.phase != Phase::prefill;
  const double time_s = to_ns(step.time()) / 1e9;
  const auto rows = static_cast<double>(problem.rows(step.phase));
  return {{"phase", std::string{to_string(step.phase)}},
          {"layers", problem.model.num_hidden_layers},
          {"rows", problem.rows(step.phase)},
          {"batch", problem.batch},
          {"prompt", step.phase == Phase::decode ? 0 : problem.prompt},
          {"context", decodes ? problem.decode_context() : problem.before},
          {"contexts", boost::json::value_from(decodes ? problem.contexts : std::vector<std::int64_t>{})},
          {"dtype", std::string{to_string(problem.model.torch_dtype)}},
          {"dtype_assumed", problem.model.dtype_assumed},
          {"mapping", problem.mapping},
          {"pes", first.site.grid.all()},
          {"cubes", first.site.grid.cubes()},
          {"on", std::string{to_string(problem.on)}},
          {"place", to_text(first.site, problem.on)},
          {"tp", problem.division.tp},
          {"pp", problem.division.pp},
          {"dp", problem.division.dp},
          {"micro_batches", problem.micro_batches},
          {"sequence_parallel", problem.division.sequence_parallel},
          {"slowest_copy", step.copy},
          {"peak_flop_per_s", 2e9 * first.site.macs_rate * first.site.grid.all()},
          {"peak_hbm_bytes_per_s", 1e9 * first.site.hbm_rate * first.site.grid.all()},
          {"ttft_us", only_of(Phase::prefill)},
          {"tpot_us", only_of(Phase::decode)},
          {"step_us", only_of(Phase::mixed)},
          {"tokens_per_s", rows / time_s},
          {"tokens_per_s_user", (decodes ? 1.0 : static_cast<double>(problem.prompt)) / time_s},
          {"between_us", us(table.between)},
          {"least_us", us(table.least)},
          {"flop", table.work.flop},
          {"weight_bytes", table.work.weight_bytes},
          {"cache_bytes", table.work.cache_read + table.work.cache_written},
          {"hbm_bytes_simulated", step.hbm_bytes}};
}

}  // namespace

boost::json::object llm_row(const DividedPlan& plan, const StepRun& step,
                            const std::vector<OperationLimit>& limits, bool values) {
  const inference::StepTable table = table_of(plan, step);
  boost::json::object row = step_json(plan, step, table);
  boost::json::array operations;
  for (const OperationRow& operation : table.rows) {
    boost::json::object cells = operation_json(plan.ranks.front(), operation, step.time());
    if (!limits.empty()) add_limit(cells, limits);
    operations.push_back(std::move(cells));
  }
  row["operations"] = std::move(operations);
  if (!limits.empty()) {
    boost::json::object between{{"operation", std::string{inference::kBetweenOperations}}};
    add_limit(between, limits);
    row["between"] = std::move(between);
  }
  boost::json::array sums;
  for (const OperationRow& sum : table.sums())
    sums.push_back(operation_json(plan.ranks.front(), sum, step.time()));
  row["sums"] = std::move(sums);
  row["choices"] = choices_json(plan.ranks.front(), step, table);
  row["max_error"] = values ? boost::json::value(step.logits.max_abs) : nullptr;
  row["correct"] = values ? boost::json::value(step.logits.ok) : nullptr;
  return row;
}

boost::json::array llm_operations(const boost::json::array& rows) {
  boost::json::array all;
  for (const boost::json::value& step : rows) {
    for (const boost::json::value& operation : step.at("operations").as_array()) {
      boost::json::object cells{{"phase", step.at("phase")}};
      for (const auto& cell : operation.as_object()) cells[cell.key()] = cell.value();
      all.push_back(std::move(cells));
    }
  }
  return all;
}

}  // namespace kbsim::app
