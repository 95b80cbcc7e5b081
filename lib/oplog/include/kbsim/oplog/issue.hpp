#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/oplog/knowledge.hpp"

namespace kbsim::oplog {

/// One command of an agent in the order of accesses: the agent's knowledge at its issue, the agent that has
/// awaited it since, and the knowledge that an await gives. Accesses of one command never race.
class Issue {
 public:
  explicit Issue(AgentPtr by);
  ~Issue();
  Issue(const Issue&) = delete;
  Issue& operator=(const Issue&) = delete;

  [[nodiscard]] const AgentMarkPtr& by() const { return mark_; }

  /// The command is done, and its agent, or another one, goes on with that.
  void awaited();
  void awaited_by(const AgentPtr& agent);
  [[nodiscard]] bool is_awaited() const { return awaited_ != nullptr; }
  /// An await of this one also awaits the other one.
  void includes(const std::shared_ptr<Issue>& other) { included_.push_back(other); }
  /// An agent that awaits it learns this, beside that it is done.
  void gives(const KnowledgePtr& more);
  [[nodiscard]] const KnowledgePtr& gift() const { return gift_; }
  /// Its work begins when this is known.
  void begins_after(const KnowledgePtr& more);
  /// Others may learn of its end before it is awaited, and then of its agent's knowledge now.
  void publishes(Handover by);
  /// The knowledge of those that learn so, and `more`.
  [[nodiscard]] KnowledgePtr published_early(const KnowledgePtr& more = nullptr);

  /// Whether the issuer of `later` knew that this was done.
  [[nodiscard]] bool comes_before(const Issue& later) const;
  /// How the issuer of `later` learned of its agent after this was issued; Told::nothing if it didn't.
  [[nodiscard]] Handover handover_to(const Issue& later) const;

  std::optional<Time> ended = {};    // when it was done
  KnowledgePtr knew_then = nullptr;  // for a barrier: its agent's knowledge on arrival

 private:
  [[nodiscard]] bool found_before(const Issue& later) const;

  AgentMarkPtr mark_;
  AgentPtr by_;  // until it is awaited, as knew_
  Epoch issued_;
  KnowledgePtr knew_;
  AgentMarkPtr awaited_;  // by this agent; null so far
  Epoch awaited_at_ = 0;
  AgentMarkPtr early_;      // stands for its end where it isn't awaited yet
  KnowledgePtr published_;  // its agent's knowledge, for those that learn of its end early
  Handover published_by_ = Handover::nothing;
  KnowledgePtr gift_;
  std::vector<std::shared_ptr<Issue>> included_;
};
using IssuePtr = std::shared_ptr<Issue>;

}  // namespace kbsim::oplog
