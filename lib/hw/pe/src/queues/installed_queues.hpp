#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/stable_vector.hpp>

#include "kbsim/base/error.hpp"
#include "kbsim/tl/queue_matcher.hpp"

#include "queue_pair.hpp"

namespace kbsim::hw {

/// The sets of queues of a PE; the running kernel has one set. Queues have an index each, which stays the
/// same while they are installed.
class InstalledQueues {
 public:
  struct Set {
    std::string name;
    QueueSettings settings;
    bool fetches = false;              // its rings aren't in TCM
    QueueTurns queues;                 // consecutive
    std::uint64_t ended_round = 0;     // the last round that has ended
    std::uint32_t aborted_before = 0;  // launches ordered before it are given up
    bool removed = false;
  };

  explicit InstalledQueues(const QueueUnit& unit) : unit_{unit} {}
  InstalledQueues(const InstalledQueues&) = delete;
  InstalledQueues& operator=(const InstalledQueues&) = delete;

  /// Adds sets; returns their queues. KernelFault for rings that overlap, aren't all in TCM or all elsewhere,
  /// or exceed TCM.
  [[nodiscard]] std::span<QueuePair> install(const InstallQueues& plan);
  /// Its queues take no messages any more, and its rings no TCM.
  void remove(Set& set);
  /// Forgets removed sets whose indices no other queue needs.
  void drop_removed();

  /// The set of this name; "": the first. None if there is none.
  [[nodiscard]] Set* find(std::string_view name);
  /// From here on the running kernel has the set of this name, or no queues if there is none.
  void select(std::string_view name);
  /// The running kernel's set.
  [[nodiscard]] Set& in_use() { return *in_use_; }
  [[nodiscard]] const Set& in_use() const { return *in_use_; }
  /// Its queue of this direction; see IQueueView.
  [[nodiscard]] std::size_t queue(std::string_view direction, Flow use) const;

  /// Launches ordered before this are given up in the sets of these names.
  void abort(const std::vector<std::string>& names, std::uint32_t before);
  [[nodiscard]] bool any_aborted() const { return any_aborted_; }
  [[nodiscard]] bool is_given_up(const QueuePair& pair, const LaunchId& launch) const {
    return launch.order < sets_[pair.set].aborted_before;
  }

  [[nodiscard]] auto& sets() { return sets_; }
  [[nodiscard]] const Set& set_of(const QueuePair& pair) const { return sets_[pair.set]; }
  [[nodiscard]] const QueueSettings& settings(const QueuePair& pair) const {
    return sets_[pair.set].settings;
  }
  [[nodiscard]] std::span<QueuePair> of(const Set& set) {
    return std::span{pairs_}.subspan(set.queues.first, set.queues.last - set.queues.first);
  }
  /// With those of removed sets.
  [[nodiscard]] std::span<QueuePair> all() { return pairs_; }
  [[nodiscard]] std::span<const QueuePair> all() const { return pairs_; }
  [[nodiscard]] QueuePair& operator[](std::size_t queue) { return pairs_[queue]; }
  [[nodiscard]] const QueuePair& operator[](std::size_t queue) const { return pairs_[queue]; }
  [[nodiscard]] bool is_there(const QueuePair& pair) const { return !sets_[pair.set].removed; }
  /// Its direction; with the set's name if the set isn't in use.
  [[nodiscard]] std::string label(const QueuePair& pair) const;
  /// TCM bytes that the rings of all sets take together.
  [[nodiscard]] Bytes rings_in_tcm() const { return rings_in_tcm_; }

 private:
  void add(const QueueSet& plan);
  void add_rings(Set& set);
  void require_disjoint(const QueuePair& a, const QueuePair& b) const;
  void require_room() const;
  [[nodiscard]] bool in_tcm(const QueuePair& pair) const;
  [[nodiscard]] KernelFault no_queue(std::string_view direction) const;

  const QueueUnit& unit_;
  std::vector<QueuePair> pairs_;
  Bytes rings_in_tcm_;
  boost::container::stable_vector<Set> sets_;  // addresses stay valid
  bool any_aborted_ = false;                   // of the sets, ever
  Set none_;                                   // of a kernel that has no queues
  Set* in_use_ = &none_;
};

}  // namespace kbsim::hw
