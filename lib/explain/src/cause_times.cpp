#include "cause_times.hpp"

#include <algorithm>
#include <limits>

#include "cause_kinds.hpp"

namespace kbsim::explain {
namespace {

constexpr Time kAnyTime{std::numeric_limits<std::int64_t>::min()};

}  // namespace

CauseGraph::Times::Times(const CauseGraph& graph)
    : graph_{graph}, places_(graph.nodes_.size(), kNone), has_cost_(graph.kinds_->costs()) {
  const std::vector<bool> leads = leading();
  const std::vector<Node>& nodes = graph.nodes_;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (leads[i] && nodes[i].parent == kNone) places_[i] = place_root(nodes[i].at);
  }
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (!leads[i] || nodes[i].parent == kNone) continue;
    has_cost_[graph.cost(nodes[i])] = true;
    places_[i] = place_step(step_of(nodes[i]));
  }
}

// Whether each moment leads to the end.
std::vector<bool> CauseGraph::Times::leading() const {
  const std::vector<Node>& nodes = graph_.nodes_;
  std::vector<bool> leads(nodes.size());
  leads.back() = true;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (!leads[i] || nodes[i].parent == kNone) continue;
    leads[nodes[i].parent] = true;
    if (nodes[i].other != kNone) leads[nodes[i].other] = true;
  }
  return leads;
}

std::uint32_t CauseGraph::Times::place_root(Time at) {
  const auto [known, fresh] =
      root_numbers_.try_emplace(at.count(), static_cast<std::uint32_t>(roots_.size()));
  if (fresh) {
    roots_.push_back(at);
    least_.push_back(at);
  }
  return known->second;
}

CauseGraph::Times::Step CauseGraph::Times::step_of(const Node& node) {
  constexpr int kLooks = 3;
  Step step{.one = places_[node.parent], .other = places_[node.parent], .length = length_of(node)};
  if (node.other == kNone) return step;
  const std::uint32_t other = places_[node.other];
  if (is_never_later(other, step.one, kLooks)) return step;
  if (is_never_later(step.one, other, kLooks)) {
    step.one = step.other = other;
  } else {
    step.one = std::min(step.one, other);
    step.other = std::max(step.other, other);
  }
  return step;
}

std::uint32_t CauseGraph::Times::place_step(Step step) {
  const Length& length = lengths_[step.length];
  if (step.one == step.other && length.cost == 0 && length.length == Time{0}) return step.one;
  const auto fresh_place = static_cast<std::uint32_t>(roots_.size() + steps_.size());
  const auto [known, fresh] = step_numbers_.try_emplace(step, fresh_place);
  if (!fresh) return known->second;
  steps_.push_back(step);
  least_.push_back(length.grows ? std::max(least_[step.one], least_[step.other]) : kAnyTime);
  return fresh_place;
}

// Proves it if `than` is a root that is no earlier, or follows `one` within `steps` steps.
bool CauseGraph::Times::is_never_later(std::uint32_t one, std::uint32_t than, int steps) const {
  if (one == than) return true;
  if (one < roots_.size() && roots_[one] <= least_[than]) return true;
  if (steps == 0 || than < roots_.size() || than < one) return false;
  const Step& last = steps_[than - roots_.size()];
  if (!lengths_[last.length].grows) return false;
  return is_never_later(one, last.one, steps - 1) ||
         (last.other != last.one && is_never_later(one, last.other, steps - 1));
}

std::uint32_t CauseGraph::Times::length_of(const Node& node) {
  const std::uint32_t cost = graph_.cost(node);
  const auto [known, fresh] = length_numbers_.try_emplace(std::pair{node.length.count(), cost},
                                                          static_cast<std::uint32_t>(lengths_.size()));
  if (fresh) lengths_.push_back({.length = node.length, .cost = cost, .grows = grows(node, cost)});
  return known->second;
}

// True if no key's terms take more than the length.
bool CauseGraph::Times::grows(const Node& node, std::uint32_t cost) const {
  const std::vector<Term>& terms = graph_.kinds_->terms(cost);
  return node.length >= Time{0} && std::ranges::all_of(terms, [&](const Term& one) {
           Time of_key{};
           for (const Term& term : terms) {
             if (term.key == one.key) of_key += term.times * term.at(term.value);
           }
           return of_key <= node.length;
         });
}

std::vector<Time> CauseGraph::Times::with(const std::vector<Time>& changes) const {
  std::vector<Time> lengths;
  lengths.reserve(lengths_.size());
  for (const Length& one : lengths_) lengths.push_back(one.length + changes[one.cost]);
  std::vector<Time> at;
  at.reserve(roots_.size() + steps_.size());
  at.assign(roots_.begin(), roots_.end());
  at.resize(roots_.size() + steps_.size());
  const Time* const known = at.data();
  Time* next = at.data() + roots_.size();
  for (const Step& step : steps_)
    *next++ = std::max(known[step.one], known[step.other]) + lengths[step.length];
  return at;
}

}  // namespace kbsim::explain
