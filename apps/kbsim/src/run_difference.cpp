// Differences that kbsim diff finds between two runs.
#include "run_difference.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "kbsim/base/wrap.hpp"
#include "kbsim/report/text_table.hpp"

#include "trials.hpp"

namespace kbsim::app {
namespace {

namespace json = boost::json;

std::vector<config::Difference> option_changes(const RunSide& was, const RunSide& is) {
  std::map<std::string, std::string> all = was.options;
  all.insert(is.options.begin(), is.options.end());
  const auto value = [](const RunSide& side, const std::string& name) {
    const auto found = side.options.find(name);
    return found == side.options.end() ? std::string{"nothing"} : found->second;
  };
  std::vector<config::Difference> found;
  for (const auto& [name, ignored] : all) {
    if (value(was, name) != value(is, name)) found.push_back({name, value(was, name), value(is, name)});
  }
  return found;
}

std::optional<double> value_in(const std::vector<sweep::Metric>& metrics, const std::string& name) {
  const sweep::Metric* metric = metric_named(metrics, name);
  return metric == nullptr ? std::nullopt : std::optional{metric->value};
}

void add_changes(const RunSide& names, const RunSide& was, const RunSide& is,
                 std::vector<MetricChange>& all) {
  for (const sweep::Metric& metric : names.metrics) {
    MetricChange change{.name = metric.name,
                        .unit = metric.unit,
                        .was = value_in(was.metrics, metric.name),
                        .is = value_in(is.metrics, metric.name)};
    const bool known = std::ranges::find(all, change.name, &MetricChange::name) != all.end();
    if (change.was != change.is && !known) all.push_back(std::move(change));
  }
}

// The simulated time comes first.
std::vector<MetricChange> metric_changes(const RunSide& was, const RunSide& is) {
  std::vector<MetricChange> all;
  add_changes(was, was, is, all);
  add_changes(is, was, is, all);
  std::ranges::sort(all, std::ranges::greater{},
                    [](const MetricChange& change) { return change.name == "run.simulated_ns"; });
  return all;
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "-";
}

std::string change_text(const MetricChange& change) {
  if (!change.was || !change.is || *change.was == 0.0) return "";
  return fmt::format("{:+.2f} %", 100.0 * (*change.is - *change.was) / *change.was);
}

std::string keys_text(const std::vector<config::Difference>& keys) {
  if (keys.empty()) return "";
  report::TextTable table{{{.title = "keys that differ", .is_text = true}, {.title = "A"}, {.title = "B"}},
                          report::Columns::usual};
  for (const config::Difference& key : keys) table.add({key.key, key.first, key.second});
  return table.text();
}

std::string metrics_text(const std::vector<MetricChange>& metrics) {
  constexpr std::size_t kMost = 20;
  if (metrics.empty()) return "";
  report::TextTable table{{{.title = "results that differ", .is_text = true},
                           {.title = "A"},
                           {.title = "B"},
                           {.title = "B against A"}},
                          report::Columns::usual};
  for (const MetricChange& one : std::span{metrics}.first(std::min(kMost, metrics.size())))
    table.add({one.unit == "1" ? one.name : fmt::format("{} ({})", one.name, one.unit), number_text(one.was),
               number_text(one.is), change_text(one)});
  std::string text = table.text();
  if (metrics.size() > kMost) text += fmt::format("  and {} more: see --json\n", metrics.size() - kMost);
  return text;
}

std::string note_of(const RunSide& was, const RunSide& is) {
  if (was.explained && is.explained) return "";
  if (was.keeps_no_paths || is.keeps_no_paths)
    return "paths aren't compared: an evaluation is many runs, and its rows keep no paths\n";
  return "paths aren't compared: one of the runs can't be explained (kbsim explain says why)\n";
}

json::value or_null(const std::optional<double>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

}  // namespace

RunDifference difference_of(const RunSide& was, const RunSide& is) {
  RunDifference all{.keys = option_changes(was, is), .metrics = metric_changes(was, is), .paths = {}};
  for (config::Difference& key :
       config::differences({.yaml = was.configuration, .name = "config.resolved.yaml of A"},
                           {.yaml = is.configuration, .name = "config.resolved.yaml of B"}))
    all.keys.push_back(std::move(key));
  if (was.explained && is.explained) all.paths = explain::path_changes(was.paths, is.paths);
  return all;
}

std::string to_text(const RunDifference& all, const RunSide& was, const RunSide& is) {
  const std::string end = note_of(was, is);
  if (all.empty()) return "no difference\n" + end;
  return fmt::format("A: {}\nB: {}\n{}{}{}{}", was.command, is.command, keys_text(all.keys),
                     metrics_text(all.metrics), explain::to_text(all.paths), wrapped(end, 2));
}

json::object to_json(const RunDifference& all, const RunSide& was, const RunSide& is) {
  json::array keys;
  for (const config::Difference& key : all.keys)
    keys.push_back(json::object{{"key", key.key}, {"a", key.first}, {"b", key.second}});
  json::array metrics;
  for (const MetricChange& one : all.metrics)
    metrics.push_back(json::object{
        {"name", one.name}, {"unit", one.unit}, {"a", or_null(one.was)}, {"b", or_null(one.is)}});
  json::array paths;
  for (const explain::PathChange& path : all.paths) paths.emplace_back(explain::to_json(path));
  return {{"schema_version", 1},
          {"a", was.command},
          {"b", is.command},
          {"same", all.empty()},
          {"explained", was.explained && is.explained},
          {"keys", std::move(keys)},
          {"metrics", std::move(metrics)},
          {"paths", std::move(paths)}};
}

}  // namespace kbsim::app
