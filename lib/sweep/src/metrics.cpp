// Numbers of a run's JSON, by name.
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "kbsim/sweep/tables.hpp"

namespace kbsim::sweep {
namespace {

namespace json = boost::json;

// Columns of nccl-tests have no unit in their names; the others end with it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNamed{
    {{"time", "us"}, {"alg_bw", "GB/s"}, {"bus_bw", "GB/s"}, {"size", "B"}, {"count", "elements"}}};
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSuffixes{{{"_ns", "ns"},
                                                                                  {"_us", "us"},
                                                                                  {"_ps", "ps"},
                                                                                  {"_s", "s"},
                                                                                  {"_gbs", "GB/s"},
                                                                                  {"_bytes", "B"},
                                                                                  {"_tflops", "TFLOP/s"},
                                                                                  {"_percent", "%"}}};

std::string unit_of(std::string_view name) {
  const auto* named = std::ranges::find(kNamed, name, &decltype(kNamed)::value_type::first);
  if (named != kNamed.end()) return std::string{named->second};
  const auto* suffix =
      std::ranges::find_if(kSuffixes, [&](const auto& each) { return name.ends_with(each.first); });
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

// The first column whose values differ in all rows; "" if none does.
std::string telling_column(const json::array& rows) {
  if (rows.empty() || !rows.front().is_object()) return {};
  for (const auto& [key, first] : rows.front().get_object()) {
    std::set<std::string> values;
    for (const json::value& row : rows) {
      const json::value* value = row.is_object() ? row.get_object().if_contains(key) : nullptr;
      if (value != nullptr) values.insert(text_of(*value));
    }
    if (values.size() == rows.size()) return std::string{key};
  }
  return {};
}

void add_rows(const json::array& rows, std::vector<Metric>& all) {
  const std::string column = rows.size() > 1 ? telling_column(rows) : "";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json::object* row = rows[i].if_object();
    if (row == nullptr) continue;
    const std::string label = rows.size() == 1 ? ""
                              : column.empty() ? fmt::format("[row={}]", i)
                                               : fmt::format("[{}={}]", column, text_of(row->at(column)));
    add("", *row, label, all);
  }
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
      all.push_back({.name = "run.simulated_ns", .unit = "ns", .value = time->to_number<double>() / 1000.0});
  }
  return all;
}

}  // namespace kbsim::sweep
