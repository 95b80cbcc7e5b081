#include "cause_delays.hpp"

#include <algorithm>
#include <bit>

#include "kbsim/base/live_line.hpp"
#include "kbsim/base/stop.hpp"

namespace kbsim::explain {
namespace {

constexpr std::uint32_t kWord = 64;

}  // namespace

CauseGraph::Delays::Delays(const CauseGraph& graph)
    : graph_{graph},
      followers_{lists([this](const auto& visit) {
        for (std::uint32_t i = 0; i < graph_.nodes_.size(); ++i) {
          const Node& node = graph_.nodes_[i];
          if (node.parent == kNone) continue;
          visit(node.parent, i);
          if (node.other != kNone) visit(node.other, i);
        }
      })},
      orders_{lists([this](const auto& visit) {
        for (const auto& [first, second] : graph_.orders_) visit(first, second);
      })},
      gaps_(graph.nodes_.size(), kForever),
      open_(graph.nodes_.size() / kWord + 1) {}

template <class ForEach>
CauseGraph::Delays::Lists CauseGraph::Delays::lists(const ForEach& for_each) const {
  Lists lists{.begin = std::vector<std::uint32_t>(graph_.nodes_.size() + 2), .all = {}};
  for_each([&](std::uint32_t from, std::uint32_t) { ++lists.begin[from + 2]; });
  for (std::size_t i = 2; i < lists.begin.size(); ++i) lists.begin[i] += lists.begin[i - 1];
  lists.all.resize(lists.begin.back());
  for_each([&](std::uint32_t from, std::uint32_t to) { lists.all[lists.begin[from + 1]++] = to; });
  return lists;
}

void CauseGraph::Delays::note(std::uint32_t node) const {
  open_[node / kWord] |= std::uint64_t{1} << node % kWord;
  last_open_ = std::max<std::size_t>(last_open_, node / kWord);
}

// Takes the first open node; kNone if there is none.
std::uint32_t CauseGraph::Delays::next() const {
  while (first_open_ <= last_open_ && open_[first_open_] == 0) ++first_open_;
  if (first_open_ > last_open_) return kNone;
  std::uint64_t& word = open_[first_open_];
  const auto bit = static_cast<std::uint32_t>(std::countr_zero(word));
  word &= word - 1;
  return static_cast<std::uint32_t>(first_open_) * kWord + bit;
}

void CauseGraph::Delays::follow(std::uint32_t node, Time bound) const {
  const Time begin = gaps_[node] - graph_.nodes_[node].at;
  for (std::uint32_t i = followers_.begin[node]; i < followers_.begin[node + 1]; ++i) {
    const std::uint32_t follower = followers_.all[i];
    const Time gap = begin + graph_.nodes_[follower].at - graph_.nodes_[follower].length;
    if (gap >= bound || gap >= gaps_[follower]) continue;
    if (gaps_[follower] == kForever) {
      note(follower);
      seen_.push_back(follower);
    }
    gaps_[follower] = gap;
  }
}

// Both nodes of a pair are later by the delay minus their gaps. The first catches up with the second as long
// as only the first is delayed.
Time CauseGraph::Delays::until_flip(std::uint32_t node) const {
  Time least = kForever;
  for (std::uint32_t i = orders_.begin[node]; i < orders_.begin[node + 1]; ++i) {
    const std::uint32_t second = orders_.all[i];
    const Time apart = graph_.nodes_[second].at - graph_.nodes_[node].at;
    const Time catches_up = gaps_[second] == kForever ? kForever : gaps_[second] - gaps_[node];
    if (apart == Time{0} && catches_up > Time{0}) least = std::min(least, gaps_[node]);
    if (apart > Time{0} && catches_up >= apart) least = std::min(least, gaps_[node] + apart - 1_ps);
  }
  return least;
}

// A gap of `bound` or more doesn't matter for delays below it.
Time CauseGraph::Delays::steady(std::uint32_t from, Time bound) const {
  if (bound <= Time{0}) return bound;
  if (stop_signal() != 0) throw Interrupted{"interrupted while the run was explained"};
  tick();
  first_open_ = last_open_ = from / kWord;
  gaps_[from] = Time{0};
  seen_.push_back(from);
  note(from);
  for (std::uint32_t node = next(); node != kNone; node = next()) follow(node, bound);
  Time least = bound;
  for (const std::uint32_t node : seen_) least = std::min(least, until_flip(node));
  for (const std::uint32_t node : seen_) gaps_[node] = kForever;
  seen_.clear();
  return least;
}

}  // namespace kbsim::explain
