// How much later work off the path could have ended.
#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "kbsim/explain/cause_graph.hpp"

#include "cause_delays.hpp"
#include "cause_kinds.hpp"
#include "segments.hpp"

namespace kbsim::explain {

// The slack of the segment's place.
Slack& CauseGraph::slack_at(const Segment& work, std::map<std::string, Slack>& by_place) const {
  const std::string place = place_name(work, machine_.graph());
  return by_place
      .try_emplace(place,
                   Slack{.place = place, .kind = place_kind(work, machine_.graph()), .least = kForever})
      .first->second;
}

// The latest possible time of each moment; kForever if the end doesn't follow from it.
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
  std::map<std::string, Slack> by_place;
  std::vector<Slack*> of_kind(kinds_->size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    if (latest_[i] == kForever || node.parent == kNone || node.kind == 0) continue;
    Slack*& known = of_kind[node.kind];
    if (known == nullptr) known = &slack_at((*kinds_)[node.kind].segment, by_place);
    known->least = std::min(known->least, latest_[i] - node.at);
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

const CauseGraph::Delays& CauseGraph::delays() const {
  if (!delays_) delays_ = std::make_shared<const Delays>(*this);
  return *delays_;
}

Margin CauseGraph::margin_of(const Cause& ended) const {
  const Time until = nodes_.back().at - ended.at();
  const std::uint32_t place = places_[ended.id()];
  if (place == kNone) return {.end = until, .steady = until};
  const Time gap = latest_[place] == kForever ? kForever : latest_[place] - nodes_[place].at;
  const Time end = std::min(until, gap);
  return {.end = end, .steady = delays().steady(place, end)};
}

namespace {

// The last kernel line that led to the operation's end, unless another operation ended in between.
std::uint32_t line_of(const Causes& causes, std::uint32_t end, Time called) {
  for (std::uint32_t id = end; id != 0 && causes.moments()[id].at > called;
       id = causes.moments()[id].parent) {
    if (id != end && causes.moments().mark(id) != 0) return 0;
    if (causes.moments()[id].why.line != 0) return causes.moments()[id].why.line;
  }
  return 0;
}

}  // namespace

std::vector<OpSlack> CauseGraph::op_slacks(const OpMarks& marks, std::size_t most) const {
  struct Ended {
    Time slack{};
    oplog::ValueId id;
    std::uint32_t node = 0;
    std::uint32_t moment = 0;
  };
  const Causes& causes = *machine_.sim().causes();
  std::vector<Ended> all;
  for (std::uint32_t moment = 0; moment < places_.size(); ++moment) {
    const std::uint32_t node = places_[moment];
    if (node == kNone || latest_[node] == kForever || latest_[node] == nodes_[node].at) continue;
    const std::uint32_t mark = causes.moments().mark(moment);
    if (mark == 0 || nodes_[node].at <= begin_) continue;
    all.push_back(
        {.slack = latest_[node] - nodes_[node].at, .id = marks.id(mark), .node = node, .moment = moment});
  }
  std::ranges::sort(
      all, [](const Ended& a, const Ended& b) { return std::tie(a.slack, a.id) < std::tie(b.slack, b.id); });
  all.resize(std::min(most, all.size()));
  std::vector<OpSlack> slacks;
  for (const auto& [slack, id, node, moment] : all)
    slacks.push_back({.op = marks.name(id),
                      .what = marks.what(id),
                      .ended = nodes_[node].at,
                      .margin = {.end = slack, .steady = delays().steady(node, slack)},
                      .line = line_name(causes, line_of(causes, moment, marks.called(id)))});
  return slacks;
}

}  // namespace kbsim::explain
