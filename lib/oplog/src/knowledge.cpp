#include "kbsim/oplog/knowledge.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

namespace kbsim::oplog {
namespace {

constexpr std::size_t kFar = 256;  // nodes of a search
constexpr std::size_t kFew = 16;   // entries

bool has(const Knowledge::Entry& entry, const Sought& one) {
  return one.agent == entry.agent.get() && one.epoch <= entry.epoch;
}

// Keeps the later of two entries of one agent, and none that no query can ask for.
void add(Knowledge::List& list, const Knowledge::Entry& entry) {
  if (!entry.agent || entry.agent->issues == 0) return;
  const auto number = [](const Knowledge::Entry& one) { return one.agent->number; };
  const auto place = std::ranges::lower_bound(list, entry.agent->number, {}, number);
  if (place == list.end() || place->agent != entry.agent) {
    list.insert(place, entry);
  } else if (place->epoch < entry.epoch) {
    *place = entry;
  }
}

}  // namespace

Knowledge::Knowledge(std::shared_ptr<RaceTally> tally, Entry own, List list, Parents parents)
    : tally_{std::move(tally)}, own_{std::move(own)}, list_{std::move(list)}, parents_{std::move(parents)} {
  tally_->add(sizeof(Knowledge) + list_.capacity() * sizeof(Entry));
}

// Long chains are destroyed one by one, not recursively.
Knowledge::~Knowledge() {
  tally_->sub(sizeof(Knowledge) + list_.capacity() * sizeof(Entry));
  std::vector<KnowledgePtr> going;
  const auto take = [&](Parents& parents) {
    for (KnowledgePtr& parent : parents) {
      if (parent.use_count() == 1) going.push_back(std::move(parent));
    }
  };
  take(parents_);
  while (!going.empty()) {
    const KnowledgePtr last = std::move(going.back());
    going.pop_back();
    take(last->parents_);
  }
}

// Calls visit(node) for each node, until it returns true; returns the number of nodes.
template <class Visit>
std::size_t Knowledge::visit(const Visit& visit) const {
  std::vector<const Knowledge*> next{this};
  std::unordered_set<const Knowledge*> seen{this};
  while (!next.empty()) {
    const Knowledge* const node = next.back();
    next.pop_back();
    if (visit(*node)) break;
    for (const KnowledgePtr& parent : node->parents_) {
      if (parent && seen.insert(parent.get()).second) next.push_back(parent.get());
    }
  }
  return seen.size();
}

bool Knowledge::has_here(std::span<const Sought> any) const {
  const auto number = [](const Entry& entry) { return entry.agent->number; };
  return std::ranges::any_of(any, [&](const Sought& one) {
    if (has(own_, one)) return true;
    const auto found = std::ranges::lower_bound(list_, one.agent->number, {}, number);
    return found != list_.end() && has(*found, one);
  });
}

// Most queries are answered near.
bool Knowledge::has_any(std::span<const Sought> any) const {
  const Knowledge* near = this;
  while (!near->has_here(any)) {
    if (near->is_list()) return false;
    if (near->parents_[0] && near->parents_[1]) break;
    near = (near->parents_[0] ? near->parents_[0] : near->parents_[1]).get();
  }
  bool found = false;
  const std::size_t seen = near->visit([&](const Knowledge& node) { return found = node.has_here(any); });
  if (seen > kFar) summarize();
  return found;
}

Handover Knowledge::observed_by(const Sought& of) const {
  Entry first;
  const auto look = [&](const Entry& entry) {
    if (has(entry, of) && (!first.agent || entry.epoch < first.epoch)) first = entry;
  };
  (void)visit([&](const Knowledge& node) {
    look(node.own_);
    std::ranges::for_each(node.list_, look);
    return false;
  });
  return first.by;
}

void Knowledge::add_to(List& list) const {
  add(list, own_);
  for (const Entry& entry : list_) add(list, entry);
}

// If a launch has ended as a whole, its kernels need no entries.
void Knowledge::summarize() const {
  if (is_list()) return;
  std::map<std::uint64_t, Entry> all;
  const auto note = [&](const Entry& entry) {
    if (!entry.agent || entry.agent->issues == 0) return;
    Entry& known = all.try_emplace(entry.agent->number, entry).first->second;
    if (known.epoch < entry.epoch) known = entry;
  };
  (void)visit([&](const Knowledge& node) {
    if (&node != this) note(node.own_);
    std::ranges::for_each(node.list_, note);
    return false;
  });
  List list;
  for (const auto& [number, entry] : all) {
    const AgentMarkPtr& group = entry.agent->group;
    const bool ended = group && (all.contains(group->number) || own_.agent == group);
    if (!ended) list.push_back(entry);
  }
  list.shrink_to_fit();
  tally_->sub(list_.capacity() * sizeof(Entry));
  list_ = std::move(list);
  tally_->add(list_.capacity() * sizeof(Entry));
  parents_ = {};
}

KnowledgePtr Knowledge::of(const std::shared_ptr<RaceTally>& tally, const Entry& own, const KnowledgePtr& a,
                           const KnowledgePtr& b) {
  const auto is_short = [](const KnowledgePtr& one) {
    return !one || (one->is_list() && one->list_.size() < kFew);
  };
  List list;
  if (!is_short(a) || !is_short(b))
    return std::make_shared<const Knowledge>(tally, own, std::move(list), Parents{a, b});
  list.reserve((a ? a->list_.size() + 1 : 0) + (b ? b->list_.size() + 1 : 0));
  if (a) a->add_to(list);
  if (b) b->add_to(list);
  return std::make_shared<const Knowledge>(tally, own, std::move(list), Parents{});
}

KnowledgePtr joined(const std::shared_ptr<RaceTally>& tally, const KnowledgePtr& a, const KnowledgePtr& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  return Knowledge::of(tally, {}, a, b);
}

Agent::Agent(std::shared_ptr<RaceTally> tally, AgentMark mark, KnowledgePtr first)
    : tally_{std::move(tally)},
      mark_{std::make_shared<AgentMark>(std::move(mark))},
      knows_{std::move(first)} {
  mark_->number = ++tally_->agents;
}

void Agent::learn(const KnowledgePtr& published) {
  if (!published || published == knows_) return;
  ++epoch_;
  knows_ = joined(tally_, knows_, published);
}

void Agent::learn_all(const KnowledgePtr& published, const KnowledgePtr& then) {
  if (!published || knows_ != then) return learn(published);
  ++epoch_;
  knows_ = published;
}

KnowledgePtr Agent::publish(Handover by) {
  const Epoch published = epoch_++;
  return Knowledge::of(tally_, {.agent = mark_, .epoch = published, .by = by}, knows_);
}

}  // namespace kbsim::oplog
