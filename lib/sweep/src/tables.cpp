#include "kbsim/sweep/tables.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kbsim/report/csv.hpp"

#include "plan_copy.hpp"

namespace kbsim::sweep {
namespace {

std::string cells(const std::vector<std::string>& texts_of) {
  std::string line;
  for (const std::string& text : texts_of) line += report::csv_cell(text) + ",";
  return line;
}

std::string names(const Plan& plan) {
  std::string line;
  for (const Axis& axis : plan.axes) line += report::csv_cell(axis.name) + ",";
  return line;
}

Row row_of(const Plan& plan, std::size_t i, const Record* record) {
  return {.point = i,
          .values = values_of(plan, plan.points[i]),
          .command = command_of(plan, plan.points[i]),
          .key = record == nullptr ? "" : record->key,
          .record = record,
          .metrics = record == nullptr ? std::vector<Metric>{} : metrics_in(record->document)};
}

std::string exit_text(const Row& row) {
  return row.record == nullptr ? "" : std::to_string(row.record->exit);
}

}  // namespace

const Metric* Row::find(std::string_view metric) const {
  const auto found = std::ranges::find(metrics, metric, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

Tables read_tables(const std::filesystem::path& out) {
  Tables tables{.plan = {}, .cache = Cache{out}, .rows = {}};
  const std::vector<std::string> requests = read_plan_copy(out, tables.plan);
  for (std::size_t i = 0; i < requests.size(); ++i)
    tables.rows.push_back(row_of(tables.plan, i, tables.cache.of_request(requests[i])));
  return tables;
}

std::string points_csv(const Tables& tables) {
  std::string text = "point," + names(tables.plan) + "key,exit,message,command\n";
  for (const Row& row : tables.rows)
    text += fmt::format("{},{}{},{},{},{}\n", row.point, cells(row.values), row.key, exit_text(row),
                        report::csv_cell(row.record == nullptr ? "hasn't run" : row.record->message),
                        report::csv_cell(row.command));
  return text;
}

std::string results_csv(const Tables& tables) {
  std::string text = "point," + names(tables.plan) + "metric,unit,value,key\n";
  for (const Row& row : tables.rows) {
    const std::string head = fmt::format("{},{}", row.point, cells(row.values));
    for (const Metric& metric : row.metrics)
      text += fmt::format("{}{},{},{:.12g},{}\n", head, report::csv_cell(metric.name), metric.unit,
                          metric.value, row.key);
  }
  return text;
}

}  // namespace kbsim::sweep
