#include "solver.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <boost/json/object.hpp>
#include <fmt/format.h>

namespace kbsim::app {

Solver::Solver(Trials& trials, std::vector<sweep::SearchAxis> axes, Target target)
    : trials_{trials}, axes_{std::move(axes)}, target_{std::move(target)} {}

Trial Solver::trial_of(const sweep::Point& point) const {
  Trial trial;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::string setting = fmt::format("{}={:.12g}", axes_[i].name, axes_[i].values[point[i]]);
    trial.name += (trial.name.empty() ? "" : " ") + setting;
    trial.words.insert(trial.words.end(), {"--set", setting});
  }
  return trial;
}

std::vector<sweep::Probe> Solver::simulate(const std::vector<sweep::Point>& points) {
  std::vector<Trial> all;
  for (const sweep::Point& point : points) all.push_back(trial_of(point));
  const std::vector<std::optional<TrialResult>> results = trials_.run(all);
  std::vector<sweep::Probe> probes;
  for (std::size_t i = 0; i < points.size(); ++i) probes.push_back(probe_of(points[i], results[i]));
  return probes;
}

double Solver::predicted(const sweep::Point& from, const sweep::Point& to) const {
  const Known& known = known_.at(from);
  if (!known.path || known.path->length <= Time{0}) return known.number;
  Time change{};
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto key = std::ranges::find(known.path->keys, axes_[i].name, &explain::Derivative::key);
    if (from[i] != to[i] && key != known.path->keys.end()) change += key->change(axes_[i].values[to[i]]);
  }
  const double times = std::max(1e-3, 1.0 + to_ns(change) / to_ns(known.path->length));
  return target_.bound.at_least ? known.number / times : known.number * times;
}

void Solver::require_readable() const {
  const sweep::Point cheapest(axes_.size(), 0);
  sweep::Point dearest;
  for (const sweep::SearchAxis& axis : axes_)
    dearest.push_back(static_cast<std::uint32_t>(axis.values.size() - 1));
  const std::string why = trials_.why_refused(trial_of(cheapest));
  if (!why.empty() && !trials_.why_refused(trial_of(dearest)).empty()) throw UsageError{why};
}

std::string Solver::message_of(const sweep::Point& point) const {
  const auto found = refusals_.find(point);
  return found == refusals_.end() ? "" : found->second;
}

std::string Solver::command_of(const sweep::Point& point) const {
  return trials_.command_of(trial_of(point));
}

sweep::Probe Solver::probe_of(const sweep::Point& point, const std::optional<TrialResult>& result) {
  if (!result) return {.ended = false};
  const sweep::Metric* metric = metric_named(result->metrics, target_.metric);
  if (result->exit != 0 || metric == nullptr) {
    refusals_[point] =
        fmt::format("exit code {}: {}", result->exit, result->message.substr(0, result->message.find('\n')));
    return {};
  }
  Known known{.number = metric->value};
  if (const boost::json::value* explanation = result->document.if_contains("explain")) {
    std::vector<explain::PathRecord> paths = explain::paths_in(*explanation, "a run");
    if (!paths.empty()) known.path = std::move(paths.front());
  }
  known_[point] = std::move(known);
  return {.number = metric->value};
}

}  // namespace kbsim::app
