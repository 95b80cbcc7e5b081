#include "kbsim/explain/cause_graph.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kbsim/base/live_line.hpp"
#include "kbsim/base/stop.hpp"
#include "kbsim/sim/server_orders.hpp"

#include "cause_kinds.hpp"
#include "cause_times.hpp"

namespace kbsim::explain {
namespace {

// A rate's times are linear in its inverse, a latency's in its value.
double abscissa(const Term& key, double value) { return key.is_rate() ? 1.0 / value : value; }
double slope_in(const Term& key, double value, double slope_ns) {
  return key.is_rate() ? -slope_ns * value * value : slope_ns;
}

// Rounds to a whole picosecond towards `home`, where that is the grid of such values.
double on_grid(const Term& key, double value, double home) {
  if (key.is_rate() || grid_of(key.unit) != Grid::picoseconds) return value;
  const double ps = value * 1000.0;
  constexpr double kNoise = 1e-6;
  return (value > home ? std::floor(ps + kNoise) : std::ceil(ps - kNoise)) / 1000.0;
}

}  // namespace

// Makes the nodes, each after its causes.
class CauseGraph::Builder {
 public:
  Builder(CauseGraph& graph, const Causes& causes)
      : graph_{graph}, causes_{causes}, used_(graph.kinds_->size()) {
    graph_.places_.assign(causes.moments().peak() + 1, kNone);
  }

  void add_all(std::uint32_t end) {
    const Time last = causes_.moments()[end].at;
    for (const auto& [first, second] : causes_.orders().all()) {
      const Time came = causes_.moments()[second].at;
      if (causes_.moments()[first].at < graph_.begin_ || came > last || came < graph_.begin_) continue;
      add(first);
      add(second);
      graph_.orders_.emplace_back(places_[first], places_[second]);
    }
    add(end);
    // The end is last, even if something follows from it.
    graph_.nodes_.push_back({.at = last, .parent = places_[end]});
  }

 private:
  void add(std::uint32_t root) {
    open_.push_back(root);
    while (!open_.empty()) {
      const std::uint32_t id = open_.back();
      if (is_placed(id)) {
        open_.pop_back();
        continue;
      }
      if (!waits_for_causes(id)) {
        open_.pop_back();
        finish(id);
      }
    }
  }

  [[nodiscard]] bool is_placed(std::uint32_t id) const { return places_[id] != kNone; }

  [[nodiscard]] bool starts(const Moment& moment) const {
    return moment.parent == 0 || moment.at <= graph_.begin_;
  }

  bool waits_for_causes(std::uint32_t id) {
    const Moment& moment = causes_.moments()[id];
    if (starts(moment)) return false;
    const std::size_t before = open_.size();
    for (const std::uint32_t cause : {moment.stepped ? moment.other : moment.parent, moment.other}) {
      if (cause != 0 && !is_placed(cause)) open_.push_back(cause);
    }
    return open_.size() > before;
  }

  void finish(std::uint32_t id) {
    const Moment& moment = causes_.moments()[id];
    Node node{.at = moment.at};
    if (moment.stepped && !starts(moment)) {
      node.parent = places_[moment.other];
    } else if (!starts(moment)) {
      const Time parent = causes_.moments()[moment.parent].at;
      node.parent = places_[moment.parent];
      if (moment.other != 0) node.other = places_[moment.other];
      node.length = moment.at - parent;
      if (parent >= graph_.begin_ && node.length != Time{0}) node.kind = kind(moment, parent);
    }
    places_[id] = static_cast<std::uint32_t>(graph_.nodes_.size());
    graph_.nodes_.push_back(node);
  }

  std::uint32_t kind(const Moment& moment, Time parent) {
    CauseKinds& kinds = *graph_.kinds_;
    const std::uint32_t kind = kinds.of(moment, parent);
    if (kind >= used_.size()) used_.resize(kinds.size());
    if (used_[kind]) return kind;
    used_[kind] = true;
    for (const Term& term : kinds.terms(kinds[kind].cost)) graph_.keys_.emplace(term.key, term);
    return kind;
  }

  CauseGraph& graph_;
  const Causes& causes_;
  std::vector<std::uint32_t> open_;
  std::vector<std::uint32_t>& places_ = graph_.places_;
  std::vector<bool> used_;  // kinds
};

CauseGraph::CauseGraph(const Cause& end, Time begin, const hw::Machine& machine,
                       std::shared_ptr<CauseKinds> kinds)
    : machine_{machine}, begin_{begin}, kinds_{std::move(kinds)} {
  Builder{*this, *machine.sim().causes()}.add_all(end.id());
  tied_ = tied();
  latest_ = latest();
  times_ = std::make_shared<const Times>(*this);
}

CauseGraph::CauseGraph(const Cause& end, Time begin, const hw::Machine& machine)
    : CauseGraph{end, begin, machine, std::make_shared<CauseKinds>(machine)} {}

CauseGraph::CauseGraph(const Cause& end, Time begin, const CauseGraph& run)
    : CauseGraph{end, begin, run.machine_, run.kinds_} {}

std::uint32_t CauseGraph::cost(const Node& node) const { return (*kinds_)[node.kind].cost; }

// Time of each moment if costs change by `changes`.
std::vector<Time> CauseGraph::times(const std::vector<Time>& changes) const {
  std::vector<Time> at(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.parent == kNone) {
      at[i] = node.at;
      continue;
    }
    at[i] = at[node.parent];
    if (node.other != kNone) at[i] = std::max(at[i], at[node.other]);
    at[i] += node.length + changes[cost(node)];
  }
  return at;
}

Prediction CauseGraph::at(const std::string& key, double value) const {
  const std::vector<Time> then = times(kinds_->changes(key, value));
  Prediction prediction{.length = then.back() - begin_};
  for (const auto& [first, second] : orders_) {
    const bool was_tied = nodes_[first].at == nodes_[second].at;
    const bool flips = then[second] < then[first] || (then[second] == then[first] && !was_tied);
    prediction.flips += flips ? 1 : 0;
  }
  return prediction;
}

// The path to the end, and the paths tied with it.
std::vector<CauseGraph::Tied> CauseGraph::tied() const {
  const auto ties = [this](const Node& node) {
    return node.other != kNone && nodes_[node.other].at == nodes_[node.parent].at;
  };
  std::vector<std::uint32_t> numbers(nodes_.size(), kNone);
  numbers.back() = 0;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (numbers[i] == kNone || node.parent == kNone) continue;
    numbers[node.parent] = 0;
    if (ties(node)) numbers[node.other] = 0;
  }
  std::vector<Tied> all;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (numbers[i] == kNone) continue;
    const Node& node = nodes_[i];
    numbers[i] = static_cast<std::uint32_t>(all.size());
    Tied& last = all.emplace_back();
    if (node.parent == kNone) continue;
    last = {.parent = numbers[node.parent],
            .other = ties(node) ? numbers[node.other] : kNone,
            .cost = cost(node)};
  }
  return all;
}

// The greatest slope of the tied paths, or the least.
double CauseGraph::slope(const std::vector<double>& slopes, bool more) const {
  std::vector<double> sum(tied_.size());
  for (std::size_t i = 0; i < tied_.size(); ++i) {
    const Tied& one = tied_[i];
    if (one.parent == kNone) continue;
    sum[i] = sum[one.parent];
    if (one.other != kNone)
      sum[i] = more ? std::max(sum[i], sum[one.other]) : std::min(sum[i], sum[one.other]);
    sum[i] += slopes[one.cost];
  }
  return sum.back();
}

// The end with another value, and the slope of its path. It is called hundreds of times.
CauseGraph::Course CauseGraph::course(const std::string& key, double value) const {
  if (stop_signal() != 0) throw Interrupted{"interrupted while the run was explained"};
  tick();
  const std::vector<Time> then = times_->with(kinds_->changes(key, value));
  const std::vector<double> slope = kinds_->slopes(key, value);
  const auto at = [&](std::uint32_t node) { return then[times_->place(node)]; };
  std::uint32_t i = static_cast<std::uint32_t>(nodes_.size() - 1);
  Course found{.at = at(i)};
  while (nodes_[i].parent != kNone) {
    const Node& node = nodes_[i];
    found.slope_ns += slope[cost(node)];
    i = node.other != kNone && at(node.other) > at(node.parent) ? node.other : node.parent;
  }
  return found;
}

Sides CauseGraph::sides(const std::string& name, const Derivative* path) const {
  const Term& key = keys_.at(name);
  constexpr double kFar = 10.0;
  const double least = key.is_rate() ? key.value / kFar : 0.0;
  const double most = key.value > 0.0 ? kFar * key.value : kFar;
  const bool leads = std::ranges::any_of(kinds_->costs_of(name),
                                         [this](std::uint32_t cost) { return times_->has_cost(cost); });
  if (!leads && path == nullptr) return {.from = least == key.value ? std::optional{least} : std::nullopt};
  const std::vector<double> at_value = kinds_->slopes(name, key.value);
  return {.less_ns = slope(at_value, false),
          .more_ns = slope(at_value, true),
          .from = edge(key, path, least),
          .to = edge(key, path, most)};
}

// Finds where the path that overtakes at the limit meets the path, then the one that overtakes there, and so
// on: times are convex in the abscissa. For rates this is exact up to rounding.
std::optional<double> CauseGraph::edge(const Term& key, const Derivative* path, double limit) const {
  constexpr int kMost = 50;
  const Time length = nodes_.back().at;
  const bool is_exact = !key.is_rate() && grid_of(key.unit) == Grid::picoseconds;
  const double allowed = is_exact ? 0.0 : 0.01 + to_ns(length) * 1e-6;
  double value = limit;
  for (int i = 0; i < kMost && value != key.value; ++i) {
    const Course there = course(key.key, value);
    const double gap = to_ns(there.at - length - (path != nullptr ? path->change(value) : Time{0}));
    if (gap <= allowed) return value == limit ? std::nullopt : std::optional{value};
    const double own = path != nullptr ? path->slope_at(value) : 0.0;
    const double steeper = slope_in(key, value, there.slope_ns - own);
    const double x = abscissa(key, value);
    const double met = steeper != 0.0 ? x - gap / steeper : abscissa(key, key.value);
    const double next = on_grid(key, key.is_rate() ? 1.0 / met : met, key.value);
    const bool nearer =
        limit > key.value ? next < value && next >= key.value : next > value && next <= key.value;
    value = nearer ? next : key.value;
  }
  return key.value;
}

}  // namespace kbsim::explain
