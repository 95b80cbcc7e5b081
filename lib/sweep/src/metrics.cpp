// Numbers of a run's JSON, by name.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kbsim/base/names.hpp"
#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {
namespace {

namespace json = boost::json;

constexpr std::string_view kWholeRun = "run.simulated_ns";

using Units = std::pair<std::string_view, std::string_view>;

// Columns of nccl-tests have no unit in their names; the others end with it.
constexpr auto kNamed = std::to_array<Units>({{"time", "us"},
                                              {"alg_bw", "GB/s"},
                                              {"bus_bw", "GB/s"},
                                              {"size", "B"},
                                              {"count", "elements"},
                                              {"bytes", "B"},
                                              {"flop", "FLOP"}});
// After a unit that a name ends with: hbm_bytes_simulated, tokens_per_s_user.
constexpr auto kQualifiers = std::to_array<std::string_view>({"_simulated", "_user"});
// Ends of a rate's name; before it is what is counted: tokens_per_s.
constexpr auto kRates = std::to_array<Units>({{"_per_s", "/s"}, {"_per_us", "/us"}, {"_per_ns", "/ns"}});
constexpr auto kSuffixes = std::to_array<Units>({{"_ns", "ns"},
                                                 {"_us", "us"},
                                                 {"_ps", "ps"},
                                                 {"_s", "s"},
                                                 {"_gbs", "GB/s"},
                                                 {"_bytes", "B"},
                                                 {"_tflops", "TFLOP/s"},
                                                 {"_flop", "FLOP"},
                                                 {"_percent", "%"}});

// Unit of the last word before "_per_": B of peak_hbm_bytes, tokens.
std::string counted_unit(std::string_view name) {
  const std::string_view word = name.substr(name.rfind('_') + 1);
  const auto* named = std::ranges::find(kNamed, word, &Units::first);
  return std::string{named == kNamed.end() ? word : named->second};
}

std::string unit_of(std::string_view name) {
  for (const std::string_view qualifier : kQualifiers) {
    if (name.ends_with(qualifier)) name.remove_suffix(qualifier.size());
  }
  const auto* named = std::ranges::find(kNamed, name, &Units::first);
  if (named != kNamed.end()) return std::string{named->second};
  const auto ends_with = [&](const Units& each) { return name.ends_with(each.first); };
  if (const auto* rate = std::ranges::find_if(kRates, ends_with); rate != kRates.end())
    return counted_unit(name.substr(0, name.size() - rate->first.size())) + std::string{rate->second};
  const auto* suffix = std::ranges::find_if(kSuffixes, ends_with);
  return suffix == kSuffixes.end() ? "1" : std::string{suffix->second};
}

void add(const std::string& prefix, const json::object& object, const std::string& label,
         std::vector<Metric>& all) {
  for (const auto& [key, value] : object) {
    const std::string name = prefix + std::string{key};
    if (const json::object* inner = value.if_object()) {
      add(name + ".", *inner, label, all);
    } else if (value.is_number()) {
      all.push_back({.name = name + label, .unit = unit_of(key), .value = value.to_number<double>()});
    }
  }
}

std::string text_of(const json::value& value) {
  return value.is_string() ? std::string{value.get_string()} : json::serialize(value);
}

bool is_measured(std::string_view name) {
  constexpr std::array<std::string_view, 5> kMeasured{"ns", "us", "ps", "s", "%"};
  const std::string unit = unit_of(name);
  return unit.ends_with("/s") || std::ranges::find(kMeasured, unit) != kMeasured.end();
}

// The columns that describe a row: those before the first measured number.
std::vector<std::string> inputs_of(const json::object& row) {
  std::vector<std::string> inputs;
  for (const auto& [key, value] : row) {
    if (is_measured(key)) break;
    if (key != "correct" && !value.is_structured()) inputs.emplace_back(key);
  }
  return inputs;
}

// " key=value" of a row that has such a column.
std::string part_of(const json::value& row, const std::string& column) {
  const json::value* value = row.is_object() ? row.get_object().if_contains(column) : nullptr;
  return value == nullptr ? "" : fmt::format(" {}={}", column, text_of(*value));
}

std::size_t different(const std::vector<std::string>& labels) {
  return std::set<std::string>{labels.begin(), labels.end()}.size();
}

// Labels rows by the first input that distinguishes all of them, else by inputs that do so together, else by
// their numbers.
std::vector<std::string> labels_of(const json::array& rows) {
  std::vector<std::string> together(rows.size());
  if (rows.size() < 2) return together;
  const auto with = [&](std::vector<std::string> labels, const std::string& column) {
    for (std::size_t i = 0; i < rows.size(); ++i) labels[i] += part_of(rows[i], column);
    return labels;
  };
  const json::object* first = rows.front().if_object();
  for (const std::string& column : first == nullptr ? std::vector<std::string>{} : inputs_of(*first)) {
    std::vector<std::string> alone = with(std::vector<std::string>(rows.size()), column);
    if (different(alone) == rows.size()) return alone;
    std::vector<std::string> more = with(together, column);
    if (different(more) > different(together)) together = std::move(more);
  }
  if (different(together) < rows.size())
    for (std::size_t i = 0; i < rows.size(); ++i) together[i] = fmt::format(" row={}", i);
  return together;
}

void add_rows(const json::array& rows, std::vector<Metric>& all) {
  const std::vector<std::string> labels = labels_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json::object* row = rows[i].if_object();
    if (row == nullptr) continue;
    add("", *row, labels[i].empty() ? "" : fmt::format("[{}]", labels[i].substr(1)), all);
  }
}

// One of several launches of a bench without a number of its own: a single launch isn't the run.
bool is_of_a_launch(const std::string& name) { return name.find("[launch=") != std::string::npos; }

// The first row's names, if there are several rows.
std::vector<std::string> without_other_rows(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  std::vector<std::string> few;
  std::ranges::copy_if(names, std::back_inserter(few), [&](const std::string& name) {
    return seen.insert(name.substr(0, name.find('['))).second;
  });
  return few;
}

}  // namespace

std::vector<Metric> metrics_in(const std::string& document) {
  std::vector<Metric> all;
  boost::system::error_code error;
  const json::value parsed = json::parse(document, error);
  if (error || !parsed.is_object()) return all;
  const json::object& object = parsed.get_object();
  if (const json::value* result = object.if_contains("result"); result != nullptr && result->is_object())
    add("", result->get_object(), "", all);
  for (const char* name : {"rows", "launches"}) {
    const json::value* rows = object.if_contains(name);
    if (rows != nullptr && rows->is_array()) add_rows(rows->get_array(), all);
  }
  if (const json::value* messages = object.if_contains("messages");
      messages != nullptr && messages->is_object())
    add("messages.", messages->get_object(), "", all);
  if (const json::value* run = object.if_contains("run"); run != nullptr && run->is_object()) {
    const json::value* time = run->get_object().if_contains("simulated_ps");
    if (time != nullptr && time->is_number())
      all.push_back(
          {.name = std::string{kWholeRun}, .unit = "ns", .value = time->to_number<double>() / 1000.0});
  }
  return all;
}

std::string usual_metric(const std::vector<std::string>& names) {
  const auto first = [&](const auto& is_it) {
    const auto found = std::ranges::find_if(
        names, [&](const std::string& name) { return is_it(name.substr(0, name.find('['))); });
    return found == names.end() ? std::string{} : *found;
  };
  for (const std::string_view usual : {"latency_ns", "time", "time_us", "duration_ns", "time_ns", "kernel_ns",
                                       "pe_window_ns", "ttft_us", "tpot_us", "step_us", "simulated_ns"}) {
    std::string found = first([&](std::string_view name) { return name == usual; });
    if (is_of_a_launch(found) && std::ranges::find(names, kWholeRun) != names.end())
      return std::string{kWholeRun};
    if (!found.empty()) return found;
  }
  std::string time =
      first([](std::string_view name) { return name.ends_with("_ns") && !name.starts_with("messages."); });
  return time.empty() && !names.empty() ? names.front() : time;
}

std::string metric_meant(const std::string& asked, const std::vector<std::string>& names) {
  const auto is_there = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_there(asked)) return asked;
  const std::size_t label = std::min(asked.find('['), asked.size());
  for (const auto& [suffix, unit] : kSuffixes) {
    const std::string name = fmt::format("{}{}{}", asked.substr(0, label), suffix, asked.substr(label));
    if (is_there(name)) return name;
  }
  return {};
}

std::string metric_hint(const std::string& asked, const std::vector<std::string>& names) {
  const std::vector<std::string> few = without_other_rows(names);
  const std::string all = name_hint(asked, names);
  if (few.size() == names.size() || !all.ends_with(')')) return all;
  return fmt::format(" (known, of several rows those of the first: {})", fmt::join(few, ", "));
}

}  // namespace kbsim::sweep
