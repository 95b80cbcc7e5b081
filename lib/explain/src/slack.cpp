// How much later what isn't on a path could have ended.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "kbsim/base/stop.hpp"
#include "kbsim/explain/cause_graph.hpp"

namespace kbsim::explain {

// That of the place where a segment is.
Slack& CauseGraph::slack_at(const Segment& work, std::map<std::string, Slack>& by_place) const {
  const std::string place = place_name(work, machine_.graph());
  return by_place
      .try_emplace(place,
                   Slack{.place = place, .kind = place_kind(work, machine_.graph()), .least = kForever})
      .first->second;
}

// When each moment could come at the latest; kForever if the end doesn't follow from it.
std::vector<Time> CauseGraph::latest() const {
  std::vector<Time> latest(nodes_.size(), kForever);
  latest.back() = nodes_.back().at;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (latest[i] == kForever || node.parent == kNone) continue;
    const Time causes = latest[i] - node.length;
    for (const std::uint32_t cause : {node.parent, node.other}) {
      if (cause != kNone) latest[cause] = std::min(latest[cause], causes);
    }
  }
  return latest;
}

std::vector<Slack> CauseGraph::slacks() const {
  const std::vector<Time> latest = this->latest();
  std::map<std::string, Slack> by_place;
  std::vector<Slack*> of_kind(kinds_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (latest[i] == kForever || node.parent == kNone || node.kind == 0) continue;
    Slack*& known = of_kind[node.kind];
    if (known == nullptr) known = &slack_at(kinds_[node.kind].segment, by_place);
    known->least = std::min(known->least, latest[i] - node.at);
    ++known->works;
  }
  std::vector<Slack> all;
  for (auto& [place, slack] : by_place) {
    if (slack.least > Time{0}) all.push_back(std::move(slack));
  }
  std::ranges::sort(all, [](const Slack& a, const Slack& b) {
    return std::tie(a.least, a.place) < std::tie(b.least, b.place);
  });
  return all;
}

// What comes later by so much, beyond its gap as much later as `from`; kForever if it doesn't follow from it.
std::vector<Time> CauseGraph::gaps(std::uint32_t from) const {
  if (stop_signal() != 0) throw Interrupted{"interrupted while the run was explained"};
  std::vector<Time> gaps(nodes_.size(), kForever);
  gaps[from] = Time{0};
  for (std::size_t i = from + 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.parent == kNone) continue;
    for (const std::uint32_t cause : {node.parent, node.other}) {
      if (cause == kNone || gaps[cause] == kForever) continue;
      const Time waited = node.at - node.length - nodes_[cause].at;
      gaps[i] = std::min(gaps[i], gaps[cause] + waited);
    }
  }
  return gaps;
}

// A pair's first comes later than its gap says, its second likewise: the first catches up with the second
// while it alone does.
Time CauseGraph::steady(std::uint32_t from) const {
  const std::vector<Time> gaps = this->gaps(from);
  Time least = kForever;
  for (const auto& [first, second] : orders_) {
    if (gaps[first] == kForever) continue;
    const Time apart = nodes_[second].at - nodes_[first].at;
    const Time catches_up = gaps[second] == kForever ? kForever : gaps[second] - gaps[first];
    if (apart == Time{0} && catches_up > Time{0}) least = std::min(least, gaps[first]);
    if (apart > Time{0} && catches_up >= apart) least = std::min(least, gaps[first] + apart - 1_ps);
  }
  return least;
}

Margin CauseGraph::margin_of(const Cause& ended) const {
  const Time until = nodes_.back().at - ended.at();
  const auto place = places_.find(ended.id());
  if (place == places_.end()) return {.end = until, .steady = until};
  const Time gap = gaps(place->second).back();
  const Time end = std::min(until, gap);
  return {.end = end, .steady = std::min(end, steady(place->second))};
}

std::vector<OpSlack> CauseGraph::op_slacks(const OpMarks& marks, std::size_t most) const {
  struct Ended {
    Time slack{};
    oplog::ValueId id;
    std::uint32_t node = 0;
  };
  const Causes& causes = *machine_.sim().causes();
  const std::vector<Time> latest = this->latest();
  std::vector<Ended> all;
  for (const auto& [moment, node] : places_) {
    const std::uint32_t mark = causes.mark(moment);
    if (mark == 0 || latest[node] == kForever || latest[node] == nodes_[node].at) continue;
    if (nodes_[node].at <= begin_) continue;
    all.push_back({.slack = latest[node] - nodes_[node].at, .id = marks.id(mark), .node = node});
  }
  std::ranges::sort(
      all, [](const Ended& a, const Ended& b) { return std::tie(a.slack, a.id) < std::tie(b.slack, b.id); });
  all.resize(std::min(most, all.size()));
  std::vector<OpSlack> slacks;
  for (const auto& [slack, id, node] : all)
    slacks.push_back({.op = marks.name(id),
                      .what = marks.what(id),
                      .ended = nodes_[node].at,
                      .margin = {.end = slack, .steady = std::min(slack, steady(node))}});
  return slacks;
}

}  // namespace kbsim::explain
