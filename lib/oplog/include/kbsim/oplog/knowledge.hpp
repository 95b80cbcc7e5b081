#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kbsim::oplog {

/// Counts what an agent does: its awaits, and what it tells others.
using Epoch = std::uint32_t;

/// By what an agent has told others what it knows.
enum class Told : std::uint8_t { nothing, barrier, send, signal, launch, end };

/// What the look for races has made: bytes that it holds, the most that it held, and agents so far.
struct RaceTally {
  std::size_t bytes = 0;
  std::size_t peak = 0;
  std::uint64_t agents = 0;
  void add(std::size_t n) { peak = std::max(peak, bytes += n); }
  void sub(std::size_t n) { bytes -= n; }
};

/// An agent as others know it: a run of a kernel, a process of the host, one command whose end others hear of
/// before it is awaited; or a launch, the group of its kernels.
struct AgentMark {
  std::uint64_t number = 0;
  std::shared_ptr<AgentMark> group = nullptr;
  std::string_view kernel = {};  // outlives it
  int issues = 0;                // of it and of its group, that are still kept
};
using AgentMarkPtr = std::shared_ptr<AgentMark>;

class Knowledge;
using KnowledgePtr = std::shared_ptr<const Knowledge>;

/// What is asked of a Knowledge: that it has this epoch of the agent, or a later one.
struct Sought {
  const AgentMark* agent = nullptr;
  Epoch epoch = 0;
};

/// What somebody knew at an instant: an epoch of each of some agents. A few are a list; more are a node of a
/// graph: its agent's epoch, what the agent knew before, and what it was told. Whoever gets it shares it, so
/// that memory grows with what agents tell one another, not with the pairs of them. When a search had far to
/// go, it becomes a list.
class Knowledge {
 public:
  struct Entry {
    AgentMarkPtr agent;
    Epoch epoch = 0;
    Told by = Told::nothing;
  };
  using List = std::vector<Entry>;
  using Parents = std::array<KnowledgePtr, 2>;

  Knowledge(std::shared_ptr<RaceTally> tally, Entry own, List list, Parents parents);
  ~Knowledge();
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  /// Whether it has any of these.
  [[nodiscard]] bool has_any(std::span<const Sought> any) const;
  /// How it heard of that agent at that epoch or a later one; Told::nothing if it didn't.
  [[nodiscard]] Told heard_by(const Sought& of) const;
  /// Becomes a list without those that nobody can ask for any more.
  void summarize() const;

  /// What `own` knows that knew the others.
  [[nodiscard]] static KnowledgePtr of(const std::shared_ptr<RaceTally>& tally, const Entry& own,
                                       const KnowledgePtr& a, const KnowledgePtr& b = nullptr);

 private:
  [[nodiscard]] bool is_list() const { return !parents_[0] && !parents_[1]; }
  [[nodiscard]] bool has_here(std::span<const Sought> any) const;
  void add_to(List& list) const;
  template <class Visit>
  std::size_t visit(const Visit& visit) const;

  std::shared_ptr<RaceTally> tally_;
  Entry own_;          // none, if it only joins others
  mutable List list_;  // by number
  mutable Parents parents_;
};

/// What both know.
[[nodiscard]] KnowledgePtr joined(const std::shared_ptr<RaceTally>& tally, const KnowledgePtr& a,
                                  const KnowledgePtr& b);

/// Somebody who issues accesses, awaits them, tells others, and is told.
class Agent {
 public:
  Agent(std::shared_ptr<RaceTally> tally, AgentMark mark, KnowledgePtr first);

  [[nodiscard]] const AgentMarkPtr& mark() const { return mark_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  /// Of others.
  [[nodiscard]] const KnowledgePtr& knows() const { return knows_; }
  [[nodiscard]] const std::shared_ptr<RaceTally>& tally() const { return tally_; }

  /// It awaits something: what it knows from this epoch on.
  [[nodiscard]] Epoch next() { return ++epoch_; }
  void learn(const KnowledgePtr& told);
  /// What it knows now, itself included, for others.
  [[nodiscard]] KnowledgePtr tell(Told by);
  /// What it was told last includes all that it knew when it knew `then`.
  void learn_all(const KnowledgePtr& told, const KnowledgePtr& then);

  /// That it has these of another agent, as a search has shown for what it issues from `since` on.
  struct Found {
    std::uint64_t number = 0;
    Epoch epoch = 0;
    Epoch since = 0;
  };
  std::array<Found, 4> found = {};  // by number

 private:
  std::shared_ptr<RaceTally> tally_;
  AgentMarkPtr mark_;
  KnowledgePtr knows_;
  Epoch epoch_ = 1;
};
using AgentPtr = std::shared_ptr<Agent>;

}  // namespace kbsim::oplog
