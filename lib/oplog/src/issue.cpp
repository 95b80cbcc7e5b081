#include "kbsim/oplog/issue.hpp"

#include <array>
#include <utility>

namespace kbsim::oplog {
namespace {

// A query may ask for a kernel's group as long as for the kernel.
void keep(const AgentMarkPtr& agent, int n) {
  agent->issues += n;
  if (agent->group) agent->group->issues += n;
}

}  // namespace

Issue::Issue(AgentPtr by)
    : mark_{by->mark()}, by_{std::move(by)}, issued_{by_->epoch()}, knew_{by_->knows()} {
  keep(mark_, 1);
}

Issue::~Issue() {
  keep(mark_, -1);
  if (awaited_) keep(awaited_, -1);
  if (early_) keep(early_, -1);
}

// The first agent that awaits it counts: others learn it from that one. Knowledge from before isn't asked for
// any more.
void Issue::awaited_by(const AgentPtr& agent) {
  if (awaited_) return agent->learn(gift_);
  if (knew_then) {
    agent->learn_all(gift_, knew_then);
  } else {
    agent->learn(gift_);
  }
  awaited_ = agent->mark();
  awaited_at_ = agent->next();
  keep(awaited_, 1);
  for (const std::shared_ptr<Issue>& one : std::exchange(included_, {})) one->awaited_by(agent);
  for (KnowledgePtr* known : {&knew_, &published_, &knew_then}) known->reset();
  by_.reset();
}

void Issue::awaited() {
  if (by_) awaited_by(AgentPtr{by_});
}

void Issue::gives(const KnowledgePtr& more) { gift_ = joined(by_->tally(), gift_, more); }

void Issue::begins_after(const KnowledgePtr& more) {
  knew_ = joined(by_->tally(), knew_, more);
  gives(more);
}

void Issue::publishes(Handover by) {
  if (published_ || !by_) return;
  published_by_ = by;
  published_ = by_->publish(by);
  early_ = std::make_shared<AgentMark>(AgentMark{.number = ++by_->tally()->agents});
  keep(early_, 1);
}

KnowledgePtr Issue::published_early(const KnowledgePtr& more) {
  if (!published_) return more;
  return Knowledge::of(by_->tally(), {.agent = early_, .epoch = 1, .by = published_by_}, published_, more);
}

bool Issue::comes_before(const Issue& later) const {
  if (this == &later) return true;
  if (awaited_ == later.mark_ && awaited_at_ <= later.issued_) return true;
  return (awaited_ || early_) && later.by_ && later.knew_ && found_before(later);
}

// An agent needn't search again for what it has found: it forgets nothing.
bool Issue::found_before(const Issue& later) const {
  std::array<Sought, 3> any;
  std::size_t n = 0;
  if (awaited_) any[n++] = {.agent = awaited_.get(), .epoch = awaited_at_};
  if (awaited_ && awaited_->group) any[n++] = {.agent = awaited_->group.get(), .epoch = 1};
  if (early_) any[n++] = {.agent = early_.get(), .epoch = 1};
  Agent& who = *later.by_;
  Agent::Found* known = nullptr;
  if (awaited_) {
    known = &who.found[awaited_->number % who.found.size()];
    if (known->number == awaited_->number && known->epoch >= awaited_at_ && known->since <= later.issued_)
      return true;
  }
  if (!later.knew_->has_any(std::span{any}.first(n))) return false;
  if (known != nullptr && !early_)
    *known = {.number = awaited_->number, .epoch = awaited_at_, .since = later.issued_};
  return true;
}

Handover Issue::handover_to(const Issue& later) const {
  if (!later.knew_) return Handover::nothing;
  return later.knew_->observed_by({.agent = mark_.get(), .epoch = issued_});
}

}  // namespace kbsim::oplog
