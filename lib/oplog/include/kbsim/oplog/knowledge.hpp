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

/// Counts an agent's actions: its awaits, and its messages to others.
using Epoch = std::uint32_t;

/// The kind of action by which an agent passes its knowledge to others.
enum class Handover : std::uint8_t { nothing, barrier, send, signal, launch, end };

/// Memory of the race check: bytes that it holds, the most that it held; and the number of agents so far.
struct RaceTally {
  std::size_t bytes = 0;
  std::size_t peak = 0;
  std::uint64_t agents = 0;
  void add(std::size_t n) { peak = std::max(peak, bytes += n); }
  void sub(std::size_t n) { bytes -= n; }
};

/// An agent as others know it: a run of a kernel, a process of the host, or one command whose end others
/// learn of before it is awaited; or a launch, the group of its kernels.
struct AgentMark {
  std::uint64_t number = 0;
  std::shared_ptr<AgentMark> group = nullptr;
  std::string_view kernel = {};  // outlives it
  int issues = 0;                // of it and of its group, those still kept
};
using AgentMarkPtr = std::shared_ptr<AgentMark>;

class Knowledge;
using KnowledgePtr = std::shared_ptr<const Knowledge>;

/// A query to a Knowledge: does it have this epoch of the agent, or a later one?
struct Sought {
  const AgentMark* agent = nullptr;
  Epoch epoch = 0;
};

/// An agent's knowledge at an instant: an epoch of each of some agents. A few are a list; more are a node of
/// a graph: its agent's epoch, the agent's knowledge before, and the knowledge that it received. Nodes are
/// shared, so memory grows with the messages between agents, not with the pairs of agents. When a search had
/// far to go, the node becomes a list.
class Knowledge {
 public:
  struct Entry {
    AgentMarkPtr agent;
    Epoch epoch = 0;
    Handover by = Handover::nothing;
  };
  using List = std::vector<Entry>;
  using Parents = std::array<KnowledgePtr, 2>;

  Knowledge(std::shared_ptr<RaceTally> tally, Entry own, List list, Parents parents);
  ~Knowledge();
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  /// Whether it has any of these.
  [[nodiscard]] bool has_any(std::span<const Sought> any) const;
  /// How it learned of that agent at that epoch or a later one; Told::nothing if it didn't.
  [[nodiscard]] Handover observed_by(const Sought& of) const;
  /// Becomes a list, without agents that no query can name any more.
  void summarize() const;

  /// The knowledge of `own` and of the others.
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

/// The knowledge of both.
[[nodiscard]] KnowledgePtr joined(const std::shared_ptr<RaceTally>& tally, const KnowledgePtr& a,
                                  const KnowledgePtr& b);

/// A party that issues accesses, awaits them, and exchanges knowledge with others.
class Agent {
 public:
  Agent(std::shared_ptr<RaceTally> tally, AgentMark mark, KnowledgePtr first);

  [[nodiscard]] const AgentMarkPtr& mark() const { return mark_; }
  [[nodiscard]] Epoch epoch() const { return epoch_; }
  /// Its knowledge of others.
  [[nodiscard]] const KnowledgePtr& knows() const { return knows_; }
  [[nodiscard]] const std::shared_ptr<RaceTally>& tally() const { return tally_; }

  /// The epoch of an await: its result is known from this epoch on.
  [[nodiscard]] Epoch next() { return ++epoch_; }
  void learn(const KnowledgePtr& published);
  /// Its present knowledge, itself included, for others.
  [[nodiscard]] KnowledgePtr publish(Handover by);
  /// Learns `told`, which includes `then`: if it still knows no more than `then`, `told` replaces its
  /// knowledge.
  void learn_all(const KnowledgePtr& published, const KnowledgePtr& then);

  /// The result of a search: commands issued from `since` on know this epoch of another agent.
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
