// report.html: all points in one page. Points are columns of numbers: axes as indices of values, commands and
// messages as parts, so that ten thousand points are a few megabytes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "kbsim/base/utf8.hpp"
#include "kbsim/sweep/analysis.hpp"
#include "kbsim/web/pages.hpp"

#include "quantity.hpp"

namespace kbsim::sweep {
namespace {

namespace json = boost::json;

// Beyond these a page would be larger than 10 MB.
constexpr std::size_t kMostMetrics = 60;
constexpr std::size_t kMostNumbers = 300'000;
constexpr std::size_t kMostOnPage = 100'000;
constexpr std::size_t kMostMessageBytes = 2'000'000;

bool is_rate(const std::string& unit) { return unit.ends_with("/s"); }

// The rows that a page has room for: the best, in their order.
std::vector<const Row*> rows_of(const Tables& tables, const std::string& metric) {
  std::vector<const Row*> rows;
  for (const Row& row : tables.rows) rows.push_back(&row);
  if (rows.size() <= kMostOnPage) return rows;
  const Quantity what = metric.empty() ? Quantity{} : quantity(tables, metric);
  const auto is_before = [&](const Row* one, const Row* other) {
    const std::optional<double> a = value_of(tables, *one, what);
    const std::optional<double> b = value_of(tables, *other, what);
    if (a && b && *a != *b) return is_better(what, *a, *b);
    return a.has_value() != b.has_value() ? a.has_value() : one->point < other->point;
  };
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(kMostOnPage);
  std::ranges::nth_element(rows, end, is_before);
  rows.erase(end, rows.end());
  std::ranges::sort(rows, {}, &Row::point);
  return rows;
}

// All metrics in the order in which points have them, the wanted ones first.
std::vector<Metric> metrics_of(const Tables& tables, const std::vector<std::string>& wanted) {
  std::vector<Metric> first;
  std::vector<Metric> others;
  std::unordered_set<std::string_view> seen;
  for (const Row& row : tables.rows) {
    for (const Metric& each : row.metrics) {
      if (!seen.insert(each.name).second) continue;
      const bool is_wanted = std::ranges::find(wanted, each.name) != wanted.end();
      (is_wanted ? first : others).push_back(each);
    }
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

json::array axes_of(const Plan& plan) {
  json::array axes;
  for (const Axis& axis : plan.axes) {
    const Plan alone{.bench = {}, .words = {}, .axes = {axis}, .points = {}};
    const std::size_t head = command_of(alone, {}).size();
    json::array values;
    json::array numbers;
    json::array words;
    for (std::uint32_t i = 0; i < axis.values.size(); ++i) {
      double number = 0.0;
      values.emplace_back(axis.values[i].text);
      numbers.push_back(read_number(axis.values[i].text, &number) ? json::value(number) : nullptr);
      words.emplace_back(command_of(alone, {i}).substr(head));
    }
    axes.push_back(json::object{{"name", axis.name},
                                {"values", std::move(values)},
                                {"numbers", std::move(numbers)},
                                {"words", std::move(words)}});
  }
  return axes;
}

// By axis: the indices of the axes that go with it, itself included.
json::array together_of(const Plan& plan) {
  std::vector<json::array> all;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) all.push_back(json::array{i});
  for (const std::vector<std::size_t>& group : together(plan)) {
    for (const std::size_t axis : group) all[axis] = json::array(group.begin(), group.end());
  }
  return json::array(all.begin(), all.end());
}

// By metric: a value by point, null where it has none.
json::array columns_of(const std::vector<const Row*>& rows, const std::vector<Metric>& metrics) {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const Metric& each : metrics) places.emplace(each.name, places.size());
  std::vector<json::array> columns(metrics.size(), json::array(rows.size(), nullptr));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i]->record == nullptr || rows[i]->record->exit != 0) continue;
    for (const Metric& each : rows[i]->metrics) {
      const auto place = places.find(each.name);
      if (place != places.end() && std::isfinite(each.value)) columns[place->second][i] = each.value;
    }
  }
  return json::array(columns.begin(), columns.end());
}

// Different messages, each once, up to a page's room.
class Messages {
 public:
  std::size_t place(const std::string& text) {
    const auto found = places_.find(text);
    if (found != places_.end()) return found->second;
    const bool fits = bytes_ + text.size() <= kMostMessageBytes;
    return fits ? add(text) : add("the page has no room for more messages: see points.csv");
  }
  [[nodiscard]] const json::array& texts() const { return texts_; }

 private:
  std::size_t add(const std::string& text) {
    const auto [place, is_new] = places_.emplace(text, texts_.size());
    if (!is_new) return place->second;
    bytes_ += text.size();
    texts_.emplace_back(text);
    return place->second;
  }

  std::map<std::string, std::size_t> places_;
  json::array texts_;
  std::size_t bytes_ = 0;
};

// Points as columns: number, index of each axis's value, exit (null: hasn't run) and message.
json::object points_of(const Tables& tables, const std::vector<const Row*>& rows,
                       const std::vector<Metric>& metrics) {
  json::array numbers;
  json::array exits;
  json::array reasons;
  Messages messages;
  std::vector<json::array> at(tables.plan.axes.size());
  for (const Row* row : rows) {
    numbers.emplace_back(row->point);
    exits.push_back(row->record == nullptr ? json::value(nullptr) : json::value(row->record->exit));
    reasons.emplace_back(messages.place(row->record == nullptr ? "hasn't run" : row->record->message));
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      at[axis].emplace_back(tables.plan.points[row->point][axis]);
  }
  return {{"number", std::move(numbers)}, {"at", json::array(at.begin(), at.end())},
          {"exit", std::move(exits)},     {"message", std::move(reasons)},
          {"messages", messages.texts()}, {"values", columns_of(rows, metrics)}};
}

json::value front_of(const std::optional<Front>& front) {
  if (!front) return nullptr;
  json::array both;
  for (const Quantity* each : {&front->first, &front->second})
    both.push_back(json::object{{"name", each->name}, {"larger", each->larger_is_better}});
  return both;
}

}  // namespace

std::string report_html(const Tables& tables, const std::string& metric, const std::optional<Front>& front) {
  std::vector<std::string> wanted{metric};
  if (front) wanted.insert(wanted.end(), {front->first.name, front->second.name});
  std::vector<Metric> metrics = metrics_of(tables, wanted);
  const std::vector<const Row*> rows = rows_of(tables, metric);
  const std::size_t all = metrics.size();
  const std::size_t room = std::clamp<std::size_t>(kMostNumbers / std::max<std::size_t>(1, rows.size()),
                                                   wanted.size(), kMostMetrics);
  metrics.resize(std::min(all, room));
  json::array names;
  for (const Metric& each : metrics)
    names.push_back(json::object{{"name", each.name}, {"unit", each.unit}, {"larger", is_rate(each.unit)}});
  const json::object sweep{{"bench", tables.plan.bench},
                           {"metric", metric},
                           {"front", front_of(front)},
                           {"why", metric.empty() ? failures_text(tables) : ""},
                           {"command", command_of(tables.plan, {})},
                           {"axes", axes_of(tables.plan)},
                           {"together", together_of(tables.plan)},
                           {"metrics", std::move(names)},
                           {"other_metrics", all - metrics.size()},
                           {"other_points", tables.rows.size() - rows.size()},
                           {"points", points_of(tables, rows, metrics)}};
  std::string page;
  web::write_report_page(json_in_script(json::serialize(json::object{{"sweep", sweep}})),
                         [&](std::string_view bytes) { page += bytes; });
  return page;
}

}  // namespace kbsim::sweep
