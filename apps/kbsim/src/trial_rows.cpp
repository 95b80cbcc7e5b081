// The output of kbsim whatif.
#include "trial_rows.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/wrap.hpp"

namespace kbsim::app {
namespace {

namespace json = boost::json;

std::vector<std::string> settings_of(const Trial& trial) {
  std::vector<std::string> all;
  for (const std::string& word : trial.words) {
    if (word != "--set") all.push_back(word);
  }
  return all;
}

// Simulated time of one simulation, or the sum over an evaluation's simulations.
std::optional<double> total_of(const std::vector<sweep::Metric>& metrics) {
  if (const sweep::Metric* run = metric_named(metrics, "run.simulated_ns")) return run->value;
  std::optional<double> sum;
  for (const sweep::Metric& metric : metrics) {
    if (metric.name == "simulated_ns" || metric.name.starts_with("simulated_ns["))
      sum = sum.value_or(0.0) + metric.value;
  }
  return sum;
}

// The limits in an evaluation's rows, if the rows have them.
std::string limits_of(const json::object& document) {
  std::vector<std::string> all;
  const json::value* rows = document.if_contains("rows");
  if (rows == nullptr || !rows->is_array()) return "";
  for (const json::value& row : rows->get_array()) {
    const json::value* limit = row.is_object() ? row.get_object().if_contains("limited_by") : nullptr;
    if (limit == nullptr || !limit->is_string()) continue;
    std::string text{limit->get_string()};
    if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
  }
  constexpr std::size_t kPrinted = 3;
  const std::size_t more = all.size() - std::min(kPrinted, all.size());
  all.resize(all.size() - more);
  return fmt::format("{}{}", fmt::join(all, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

// Index of the path that --of asks about.
std::size_t asked_in(const json::value& explanation) {
  const json::value* asked =
      explanation.is_object() ? explanation.get_object().if_contains("asked") : nullptr;
  return asked == nullptr ? 0 : asked->to_number<std::size_t>();
}

std::string limit_title(const TrialRow& base) {
  return base.asked ? fmt::format("limited by ({})", base.path->of) : "limited by";
}

// For rates, more is better.
std::optional<double> speed_up(const TrialRow& base, const TrialRow& row) {
  if (!base.value || !row.value || *base.value <= 0.0 || *row.value <= 0.0) return std::nullopt;
  return base.unit.ends_with("/s") ? *row.value / *base.value : *base.value / *row.value;
}

std::optional<double> total_speed_up(const TrialRow& base, const TrialRow& row) {
  if (!base.total_ns || !row.total_ns || *row.total_ns <= 0.0) return std::nullopt;
  return *base.total_ns / *row.total_ns;
}

std::string number(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

std::string fault_of(const TrialRow& row) {
  if (row.exit == 0) return "";
  return fmt::format("exit code {}: {}", row.exit, row.message.substr(0, row.message.find('\n')));
}

std::vector<std::string> cells_of(const TrialRow& base, const TrialRow& row) {
  if (row.exit != 0) return {row.name, "", "", "", "", ""};
  return {row.name,
          number(row.total_ns, 3),
          number(total_speed_up(base, row), 3),
          number(row.value, 3),
          number(speed_up(base, row), 3),
          row.limited_by};
}

std::vector<report::TextTable::Column> columns_of(const TrialRow& base, bool explains) {
  constexpr std::size_t kLongestName = 24;
  return {{.title = "what if", .is_text = true, .most = kLongestName},
          {.title = "total"},
          {.title = "speed-up", .is_wide = true},
          {.title = base.metric},
          {.title = "speed-up"},
          {.title = explains ? limit_title(base) : "", .is_text = true}};
}

std::string path_line(const TrialRow& base, const TrialRow& row) {
  constexpr std::size_t kMost = 3;
  if (!base.path || !row.path || row.exit != 0) return "";
  const std::string moved = explain::share_changes(*base.path, *row.path, kMost);
  return moved.empty() ? "" : wrapped(fmt::format("      path: {}\n", moved), 12);
}

json::value number_or_null(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::object flat_row(const TrialRow& base, const TrialRow& row) {
  return {{"name", row.name},
          {"settings", fmt::format("{}", fmt::join(row.settings, " "))},
          {"exit", row.exit},
          {"total_ns", number_or_null(row.total_ns)},
          {"total_speed_up", number_or_null(total_speed_up(base, row))},
          {"metric", row.metric},
          {"unit", row.unit},
          {"value", number_or_null(row.value)},
          {"speed_up", number_or_null(speed_up(base, row))},
          {"limited_by", row.limited_by},
          {"path", base.path && row.path ? explain::share_changes(*base.path, *row.path, 3) : ""},
          {"message", row.message.substr(0, row.message.find('\n'))},
          {"command", row.command}};
}

json::array reasons_of(const TrialRow& base, const TrialRow& row) {
  json::array all;
  for (const explain::TimeChange& one : explain::changes(base.path->reasons, row.path->reasons))
    all.push_back(json::object{{"name", one.name}, {"was_ps", one.was.count()}, {"is_ps", one.is.count()}});
  return all;
}

}  // namespace

TrialRow row_of(const Trial& trial, const std::string& command, const TrialResult& result,
                const std::string& metric) {
  TrialRow row{.name = trial.name,
               .settings = settings_of(trial),
               .command = command,
               .exit = result.exit,
               .message = result.message,
               .metric = metric};
  if (result.exit != 0) return row;
  row.total_ns = total_of(result.metrics);
  if (const sweep::Metric* found = metric_named(result.metrics, metric))
    row.value = found->value, row.unit = found->unit;
  row.limited_by = limits_of(result.document);
  const json::value* explanation = result.document.if_contains("explain");
  if (explanation == nullptr) return row;
  const std::vector<explain::PathRecord> paths = explain::paths_in(*explanation, "a run");
  const std::size_t asked = asked_in(*explanation);
  if (asked >= paths.size()) return row;
  row.path = paths[asked];
  row.limited_by = row.path->limited_by;
  row.asked = asked > 0 || explanation->get_object().contains("row");
  return row;
}

std::string to_text(const std::vector<TrialRow>& rows, bool explains, report::Columns columns) {
  const TrialRow& base = rows.front();
  const std::string unit = base.unit == "1" || base.unit.empty() ? "" : " in " + base.unit;
  std::string text = fmt::format("{}\n  total in ns, {}{}\n", base.command, base.metric, unit);
  report::TextTable table{columns_of(base, explains), columns};
  for (const TrialRow& row : rows) table.add(cells_of(base, row), fault_of(row), path_line(base, row));
  text += table.text();
  for (const TrialRow& row : rows) {
    const std::string settings = fmt::format("{}", fmt::join(row.settings, " "));
    if (&row != &base && settings != row.name)
      text += wrapped(fmt::format("{}: {}\n", row.name, settings), 2);
  }
  if (!explains) text += "this run can't be explained (kbsim explain says why): what limits isn't known\n";
  return text;
}

json::array flat_rows(const std::vector<TrialRow>& rows) {
  json::array all;
  for (const TrialRow& row : rows) all.push_back(flat_row(rows.front(), row));
  return all;
}

json::object to_json(const std::vector<TrialRow>& rows, bool explains) {
  json::array all = flat_rows(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json::object& row = all[i].as_object();
    row["settings"] = json::array(rows[i].settings.begin(), rows[i].settings.end());
    row["message"] = rows[i].message;
    if (rows.front().path && rows[i].path) row["reasons"] = reasons_of(rows.front(), rows[i]);
  }
  return {{"schema_version", 1}, {"explained", explains}, {"rows", std::move(all)}};
}

}  // namespace kbsim::app
