#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kbsim/base/time.hpp"
#include "kbsim/oplog/knowledge.hpp"

namespace kbsim::oplog {

/// One command of an agent, as the order of accesses sees it: what the agent knew when it issued it, who has
/// awaited it since, and what whoever awaits it learns. Accesses of one command never race.
class Issue {
 public:
  explicit Issue(AgentPtr by);
  ~Issue();
  Issue(const Issue&) = delete;
  Issue& operator=(const Issue&) = delete;

  [[nodiscard]] const AgentMarkPtr& by() const { return mark_; }

  /// It is done, and its agent, or another one, goes on with that.
  void awaited();
  void awaited_by(const AgentPtr& agent);
  [[nodiscard]] bool is_awaited() const { return awaited_ != nullptr; }
  /// To await it is to await this one, too.
  void includes(const std::shared_ptr<Issue>& other) { included_.push_back(other); }
  /// Whoever awaits it learns this, beside that it is done.
  void gives(const KnowledgePtr& more);
  [[nodiscard]] const KnowledgePtr& gift() const { return gift_; }
  /// What it does begins when this is known.
  void begins_after(const KnowledgePtr& more);
  /// Others may hear of its end before it is awaited, and then of what its agent knows now.
  void tells(Told by);
  /// What they know who do, and know `more`.
  [[nodiscard]] KnowledgePtr told_early(const KnowledgePtr& more = nullptr);

  /// Whether `later` was issued by somebody who knew that this was done.
  [[nodiscard]] bool comes_before(const Issue& later) const;
  /// By what the issuer of `later` was told of its agent after this was issued; Told::nothing if it wasn't.
  [[nodiscard]] Told told_to(const Issue& later) const;

  std::optional<Time> ended = {};    // when it was done
  KnowledgePtr knew_then = nullptr;  // of a barrier: what its agent knew when it came there

 private:
  [[nodiscard]] bool found_before(const Issue& later) const;

  AgentMarkPtr mark_;
  AgentPtr by_;  // until it is awaited, as what is known
  Epoch issued_;
  KnowledgePtr knew_;
  AgentMarkPtr awaited_;  // by whom; none so far
  Epoch awaited_at_ = 0;
  AgentMarkPtr early_;  // what stands for its end where it isn't awaited yet
  KnowledgePtr told_;   // what its agent knew, for those who hear of its end early
  Told told_by_ = Told::nothing;
  KnowledgePtr gift_;
  std::vector<std::shared_ptr<Issue>> included_;
};
using IssuePtr = std::shared_ptr<Issue>;

}  // namespace kbsim::oplog
