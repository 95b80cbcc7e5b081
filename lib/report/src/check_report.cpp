#include "kbsim/report/check_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ranges>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <range/v3/view/enumerate.hpp>

#include "kbsim/base/role.hpp"
#include "kbsim/report/text_table.hpp"

namespace kbsim::report {
namespace {

namespace json = boost::json;
using Leaf = std::pair<std::string, const json::value*>;

void add_leaves(const std::string& place, const json::value& value, std::vector<Leaf>& leaves) {
  if (const json::object* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      const std::string name{key};
      add_leaves(place.empty() ? name : place + "." + name, member, leaves);
    }
  } else if (const json::array* array = value.if_array()) {
    for (const auto& [i, element] : ranges::views::enumerate(*array))
      add_leaves(fmt::format("{}[{}]", place, i), element, leaves);
  } else {
    leaves.emplace_back(place, &value);
  }
}

std::vector<Leaf> leaves_of(const json::value& document) {
  std::vector<Leaf> leaves;
  add_leaves("", document, leaves);
  return leaves;
}

std::string text_of(const json::value* value) {
  if (value == nullptr) return "";
  return value->is_string() ? std::string{value->get_string()} : json::serialize(*value);
}

bool is_digest(const std::string& what) { return what.ends_with("digest"); }

Compared compared(const std::string& what, const json::value* was, const json::value* is, double tolerance) {
  Compared result{.what = what, .was = text_of(was), .is = text_of(is)};
  result.same = was != nullptr && is != nullptr && *was == *is;
  if (was == nullptr || is == nullptr) return result;
  if (was->is_number() && is->is_number()) {
    const auto before = was->to_number<double>();
    const auto now = is->to_number<double>();
    result.change = now == before ? 0.0 : (now - before) / std::abs(before);
    result.same = std::abs(now - before) <= tolerance * std::abs(before);
  } else if (tolerance > 0.0 && is_digest(what)) {
    result.same = true;
  }
  return result;
}

// Differences, and the results that a reader looks for first.
bool is_printed(const Compared& one) {
  constexpr std::array<std::string_view, 3> kFirst{"run.simulated_ps", "run.digest", "correct"};
  return !one.same || one.was != one.is || std::ranges::find(kFirst, one.what) != kFirst.end();
}

std::string change_of(const Compared& one) {
  if (one.was == one.is) return "same";
  const std::string change = one.change ? fmt::format("{:+.4g} %", 100.0 * *one.change) : "differs";
  return change + (one.same ? ", allowed" : "");
}

std::string shown(const std::string& text) {
  constexpr std::size_t kMost = 24;
  if (text.empty()) return "-";
  return text.size() <= kMost ? text : text.substr(0, kMost - 3) + "...";
}

}  // namespace

std::size_t Check::different() const {
  return static_cast<std::size_t>(std::ranges::count(results, false, &Compared::same));
}

Check compare(const json::value& was, const json::value& is, double tolerance) {
  Check check{.results = {}, .tolerance = tolerance};
  std::map<std::string, const json::value*> now;
  for (const auto& [what, value] : leaves_of(is)) now.emplace(what, value);
  for (const auto& [what, value] : leaves_of(was)) {
    const auto found = now.find(what);
    check.results.push_back(compared(what, value, found == now.end() ? nullptr : found->second, tolerance));
    if (found != now.end()) now.erase(found);
  }
  for (const auto& [what, value] : now) check.results.push_back(compared(what, nullptr, value, tolerance));
  return check;
}

std::string to_text(const Check& check) {
  constexpr std::size_t kMany = 40;
  std::vector<Compared> described;
  std::ranges::copy_if(check.results, std::back_inserter(described), is_printed);
  TextTable table{{{.title = "result", .is_text = true},
                   {.title = "was"},
                   {.title = "is"},
                   {.title = "change", .is_text = true}},
                  Columns::usual};
  for (const Compared& one : described | std::views::take(kMany))
    table.add({one.what, shown(one.was), shown(one.is), change_of(one)});
  std::string text = table.text();
  if (described.size() > kMany) text += fmt::format("  and {} more\n", described.size() - kMany);
  const std::size_t different = check.different();
  const std::string within =
      check.tolerance > 0.0 ? fmt::format(" within {:g} %", 100.0 * check.tolerance) : "";
  if (different == 0)
    return text + in_role(Role::good,
                          fmt::format("all {} results are what they were{}\n", check.results.size(), within));
  return text + in_role(Role::bad, fmt::format("{} of {} results aren't what they were{}\n", different,
                                               check.results.size(), within));
}

json::object to_json(const Check& check) {
  json::array differences;
  for (const Compared& one : check.results) {
    if (one.was == one.is && one.same) continue;
    differences.push_back({{"result", one.what},
                           {"was", one.was},
                           {"is", one.is},
                           {"change", one.change && std::isfinite(*one.change) ? json::value(*one.change)
                                                                               : json::value(nullptr)},
                           {"allowed", one.same}});
  }
  return {{"schema_version", 1},
          {"same", check.different() == 0},
          {"tolerance", check.tolerance},
          {"compared", check.results.size()},
          {"different", check.different()},
          {"differences", std::move(differences)}};
}

}  // namespace kbsim::report
