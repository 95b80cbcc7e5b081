// The target, the axes and the costs of kbsim solve.
#include "solve_target.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "kbsim/base/error.hpp"
#include "kbsim/sweep/axis.hpp"

#include "trials.hpp"

namespace kbsim::app {
namespace {

struct Unit {
  std::string_view name;
  std::string_view kind;
  double factor;
};
constexpr std::array<Unit, 12> kUnits{{{"ps", "time", 1e-12},
                                       {"ns", "time", 1e-9},
                                       {"us", "time", 1e-6},
                                       {"ms", "time", 1e-3},
                                       {"s", "time", 1.0},
                                       {"GB/s", "rate", 1e9},
                                       {"MB/s", "rate", 1e6},
                                       {"TFLOP/s", "TFLOP/s", 1.0},
                                       {"B", "bytes", 1.0},
                                       {"elements", "elements", 1.0},
                                       {"%", "%", 1.0},
                                       {"1", "1", 1.0}}};

const Unit* unit_named(std::string_view name) {
  const auto* found = std::ranges::find(kUnits, name, &Unit::name);
  return found == kUnits.end() ? nullptr : found;
}

UsageError no_target(const std::string& text) {
  return UsageError{fmt::format(
      "--target {}: expected METRIC<=NUMBER or METRIC>=NUMBER with a unit, as latency<=20us", text)};
}

const sweep::Metric& metric_meant(const std::string& name, const std::vector<sweep::Metric>& metrics) {
  std::vector<std::string> names;
  std::ranges::transform(metrics, std::back_inserter(names), &sweep::Metric::name);
  const std::string meant = sweep::metric_meant(name, names);
  if (const sweep::Metric* metric = metric_named(metrics, meant)) return *metric;
  throw UsageError{
      fmt::format("--target: this bench has no metric '{}'{}", name, sweep::metric_hint(name, names))};
}

// The number in the metric's own unit.
double converted(const std::string& text, const std::string& number, const std::string& metric_unit) {
  std::size_t end = 0;
  double value = 0.0;
  try {
    value = std::stod(number, &end);
  } catch (const std::exception&) {
    throw no_target(text);
  }
  if (!std::isfinite(value)) throw no_target(text);
  const std::string given = number.substr(std::min(number.find_first_not_of(' ', end), number.size()));
  if (given.empty() && metric_unit == "1") return value;
  const Unit* from = unit_named(given);
  const Unit* to = unit_named(metric_unit);
  if (given == metric_unit) return value;
  if (from == nullptr || to == nullptr || from->kind != to->kind)
    throw UsageError{
        given.empty() ? fmt::format("--target {0}: expected a unit, as {0}{1}", text, metric_unit)
                      : fmt::format("--target {}: the metric is in {}, got '{}'", text, metric_unit, given)};
  const double in_metric = value * (from->factor / to->factor);
  if (!std::isfinite(in_metric)) throw no_target(text);
  return in_metric;
}

// Less of a latency costs more; macs_per_ns is a rate.
bool is_time(const std::string& key) {
  if (key.ends_with("_per_ns")) return false;
  return std::ranges::any_of(std::array{"_ns", "_cycles", "_nck", "_per_mm"},
                             [&](const char* end) { return key.ends_with(end); });
}

double usual_weight(const Varied& varied) {
  const auto [least, greatest] = std::ranges::minmax(varied.values);
  if (is_time(varied.key)) return greatest > 0.0 ? -1.0 / greatest : -1.0;
  return least > 0.0 ? 1.0 / least : 1.0;
}

std::map<std::string, double> weights_in(const std::vector<std::string>& cost) {
  std::map<std::string, double> weights;
  for (const std::string& text : cost) {
    const std::size_t equals = text.find('=');
    double weight = 0.0;
    if (equals == std::string::npos || equals == 0 || !sweep::read_number(text.substr(equals + 1), &weight) ||
        weight == 0.0)
      throw UsageError{fmt::format("--cost {}: expected KEY=WEIGHT, a number but 0", text)};
    if (!weights.emplace(text.substr(0, equals), weight).second)
      throw UsageError{fmt::format("--cost {}: the key has a weight already", text)};
  }
  return weights;
}

}  // namespace

Target target_in(const std::string& text, const std::vector<sweep::Metric>& metrics) {
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos || sign == 0) throw no_target(text);
  const bool at_least = text[sign] == '>';
  const std::size_t number = text.find('=', sign) == sign + 1 ? sign + 2 : text.size();
  if (number >= text.size()) throw no_target(text);
  std::string name = text.substr(0, sign);
  while (name.ends_with(' ')) name.pop_back();
  const sweep::Metric& metric = metric_meant(name, metrics);
  return {.metric = metric.name,
          .unit = metric.unit,
          .bound = {.value = converted(text, text.substr(number), metric.unit), .at_least = at_least}};
}

Varied varied_in(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError{fmt::format("--vary {}: expected KEY=VALUES, as cube.noc.link_bw_gbs=256..1024", text)};
  Varied varied{.key = text.substr(0, equals), .values = {}};
  for (const std::string& value : sweep::values_in(text.substr(equals + 1))) {
    double number = 0.0;
    if (!sweep::read_number(value, &number))
      throw UsageError{
          fmt::format("--vary {}: '{}' is no number, and has no cost; kbsim sweep takes it", text, value)};
    varied.values.push_back(number);
  }
  return varied;
}

std::vector<sweep::SearchAxis> axes_of(const std::vector<std::string>& vary,
                                       const std::vector<std::string>& cost) {
  std::map<std::string, double> weights = weights_in(cost);
  std::vector<sweep::SearchAxis> axes;
  for (const std::string& text : vary) {
    Varied varied = varied_in(text);
    if (std::ranges::find(axes, varied.key, &sweep::SearchAxis::name) != axes.end())
      throw UsageError{fmt::format("--vary {}: the key is there twice", text)};
    const auto given = weights.find(varied.key);
    const double weight = given == weights.end() ? usual_weight(varied) : given->second;
    axes.push_back(sweep::search_axis(varied.key, std::move(varied.values), weight));
    if (given != weights.end()) weights.erase(given);
  }
  if (!weights.empty())
    throw UsageError{fmt::format("--cost {}: --vary doesn't vary it", weights.begin()->first)};
  return axes;
}

}  // namespace kbsim::app
