#include "kbsim/explain/cause_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "kbsim/base/stop.hpp"

#include "segments.hpp"

namespace kbsim::explain {
namespace {

// A rate's times are linear in its inverse, a latency's in its value.
double abscissa(const Term& key, double value) { return key.is_rate() ? 1.0 / value : value; }
double slope_in(const Term& key, double value, double slope_ns) {
  return key.is_rate() ? -slope_ns * value * value : slope_ns;
}

// To a whole picosecond in the direction of `home`, where that is the grid of such values.
double on_grid(const Term& key, double value, double home) {
  if (key.is_rate() || grid_of(key.unit) != Grid::picoseconds) return value;
  const double ps = value * 1000.0;
  constexpr double kNoise = 1e-6;
  return (value > home ? std::floor(ps + kNoise) : std::ceil(ps - kNoise)) / 1000.0;
}

}  // namespace

// Makes the nodes, each behind its causes.
class CauseGraph::Builder {
 public:
  Builder(CauseGraph& graph, const Causes& causes) : graph_{graph}, causes_{causes} {
    graph_.kinds_.emplace_back();
  }

  void add_all(std::uint32_t end) {
    const Time last = causes_.moment(end).at;
    for (const auto& [first, second] : causes_.orders()) {
      if (first.at() < graph_.begin_ || second.at() > last || second.at() < graph_.begin_) continue;
      add(first.id());
      add(second.id());
      graph_.orders_.emplace_back(places_.at(first.id()), places_.at(second.id()));
    }
    add(end);
    // The end is the last, even if something follows from it.
    graph_.nodes_.push_back({.at = last, .parent = places_.at(end)});
  }

 private:
  void add(std::uint32_t root) {
    open_.push_back(root);
    while (!open_.empty()) {
      const std::uint32_t id = open_.back();
      if (places_.contains(id)) {
        open_.pop_back();
        continue;
      }
      if (!waits_for_causes(id)) {
        open_.pop_back();
        finish(id);
      }
    }
  }

  [[nodiscard]] bool starts(const Moment& moment) const {
    return moment.parent == 0 || moment.at <= graph_.begin_;
  }

  bool waits_for_causes(std::uint32_t id) {
    const Moment& moment = causes_.moment(id);
    if (starts(moment)) return false;
    const std::size_t before = open_.size();
    for (const std::uint32_t cause : {moment.stepped ? moment.other : moment.parent, moment.other}) {
      if (cause != 0 && !places_.contains(cause)) open_.push_back(cause);
    }
    return open_.size() > before;
  }

  void finish(std::uint32_t id) {
    const Moment& moment = causes_.moment(id);
    Node node{.at = moment.at};
    if (moment.stepped && !starts(moment)) {
      node.parent = places_.at(moment.other);
    } else if (!starts(moment)) {
      const Time parent = causes_.moment(moment.parent).at;
      node.parent = places_.at(moment.parent);
      if (moment.other != 0) node.other = places_.at(moment.other);
      node.length = moment.at - parent;
      if (parent >= graph_.begin_ && node.length != Time{0}) node.kind = kind(moment, parent);
    }
    places_.emplace(id, static_cast<std::uint32_t>(graph_.nodes_.size()));
    graph_.nodes_.push_back(node);
  }

  std::uint32_t kind(const Moment& moment, Time parent) {
    const Key key{moment.why.reason, moment.why.place, moment.why.amount, moment.at - parent};
    const auto [known, fresh] = kinds_.try_emplace(key, static_cast<std::uint32_t>(graph_.kinds_.size()));
    if (!fresh) return known->second;
    Kind kind;
    for (const Segment& segment : segments_of(moment, parent, graph_.machine_)) {
      kind.segment = segment;
      std::ranges::move(terms_of(segment, graph_.machine_), std::back_inserter(kind.terms));
    }
    for (const Term& term : kind.terms) graph_.keys_.emplace(term.key, term);
    graph_.kinds_.push_back(std::move(kind));
    return known->second;
  }

  using Key = std::tuple<std::uint16_t, std::uint32_t, std::int64_t, Time>;
  CauseGraph& graph_;
  const Causes& causes_;
  std::vector<std::uint32_t> open_;
  Ids& places_ = graph_.places_;
  std::map<Key, std::uint32_t> kinds_;
};

CauseGraph::CauseGraph(const Cause& end, Time begin, const hw::Machine& machine)
    : machine_{machine}, begin_{begin} {
  Builder{*this, *machine.sim().causes()}.add_all(end.id());
}

std::vector<Time> CauseGraph::changes(const std::string& key, double value) const {
  std::vector<Time> all(kinds_.size());
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    for (const Term& term : kinds_[i].terms) {
      if (term.key == key) all[i] += term.change(value);
    }
  }
  return all;
}

std::vector<double> CauseGraph::slopes(const std::string& key, double value) const {
  std::vector<double> all(kinds_.size());
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    for (Term term : kinds_[i].terms) {
      if (term.key != key) continue;
      term.value = value;
      all[i] += term.slope_ns();
    }
  }
  return all;
}

// Each look at all of it takes milliseconds, and there are hundreds.
std::vector<Time> CauseGraph::times(const std::vector<Time>& changes) const {
  if (stop_signal() != 0) throw Interrupted{"interrupted while the run was explained"};
  std::vector<Time> at(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.parent == kNone) {
      at[i] = node.at;
      continue;
    }
    at[i] = at[node.parent];
    if (node.other != kNone) at[i] = std::max(at[i], at[node.other]);
    at[i] += node.length + changes[node.kind];
  }
  return at;
}

Prediction CauseGraph::at(const std::string& key, double value) const {
  const std::vector<Time> then = times(changes(key, value));
  Prediction prediction{.length = then.back() - begin_};
  for (const auto& [first, second] : orders_) {
    const bool was_tied = nodes_[first].at == nodes_[second].at;
    const bool flips = then[second] < then[first] || (then[second] == then[first] && !was_tied);
    prediction.flips += flips ? 1 : 0;
  }
  return prediction;
}

// The greatest of what ties, or the least.
double CauseGraph::slope(const std::vector<double>& slopes, bool more) const {
  std::vector<double> sum(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.parent == kNone) continue;
    sum[i] = sum[node.parent];
    if (node.other != kNone && nodes_[node.other].at == nodes_[node.parent].at)
      sum[i] = more ? std::max(sum[i], sum[node.other]) : std::min(sum[i], sum[node.other]);
    sum[i] += slopes[node.kind];
  }
  return sum.back();
}

// The end with another value, and the slope of the path that leads there.
CauseGraph::Course CauseGraph::course(const std::string& key, double value) const {
  const std::vector<Time> then = times(changes(key, value));
  const std::vector<double> slope = slopes(key, value);
  std::uint32_t i = static_cast<std::uint32_t>(nodes_.size() - 1);
  Course found{.at = then.back()};
  while (nodes_[i].parent != kNone) {
    const Node& node = nodes_[i];
    found.slope_ns += slope[node.kind];
    i = node.other != kNone && then[node.other] > then[node.parent] ? node.other : node.parent;
  }
  return found;
}

Sides CauseGraph::sides(const std::string& name, const Derivative* path) const {
  const Term& key = keys_.at(name);
  const std::vector<double> at_value = slopes(name, key.value);
  constexpr double kFar = 10.0;
  const double least = key.is_rate() ? key.value / kFar : 0.0;
  const double most = key.value > 0.0 ? kFar * key.value : kFar;
  return {.less_ns = slope(at_value, false),
          .more_ns = slope(at_value, true),
          .from = edge(key, path, least),
          .to = edge(key, path, most)};
}

// Where the path that overtakes at the limit meets the path, then the one that overtakes there, and so on:
// times are convex in the abscissa. Of rates up to what rounding makes.
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
