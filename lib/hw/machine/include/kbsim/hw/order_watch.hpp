#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/oplog/knowledge.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/address.hpp"

namespace kbsim::hw {

/// The happens-before order of accesses: between the processes of the host and the kernels of its orders, by
/// barriers and by messages between PEs. It takes no simulated time. Without race detection all functions do
/// nothing and return nullptr.
class OrderWatch {
 public:
  using Agent = oplog::AgentPtr;
  using Known = oplog::KnowledgePtr;

  explicit OrderWatch(Simulation& sim) : sim_{sim} {}
  /// Calls `all_known` when everything so far happens before everything that follows.
  void watch(std::shared_ptr<oplog::RaceTally> tally, std::function<void()> all_known);
  [[nodiscard]] bool on() const { return tally_ != nullptr; }

  /// The process of the host that runs just now.
  [[nodiscard]] Agent here();
  /// Its vector clock, to be passed on.
  [[nodiscard]] Known published();
  /// The join of two vector clocks.
  [[nodiscard]] Known both(const Known& a, const Known& b) const;
  /// Joins `known` into the running process's vector clock.
  void learn(const Known& known);
  /// It has started another process, which inherits its vector clock.
  void fork(const Process& started);
  /// It ends: its final vector clock, for joins() in a process that awaits it.
  [[nodiscard]] Known ends();
  void joins(const Known& end);
  /// No work is pending: everything so far happens before everything that follows.
  void quiet();

  /// During its lifetime the running process acts with `more` joined into its vector clock.
  class Knowing {
   public:
    Knowing(OrderWatch& orders, std::span<const Known> more);
    ~Knowing() { orders_.acting_ = std::move(before_); }
    Knowing(const Knowing&) = delete;
    Knowing& operator=(const Knowing&) = delete;

   private:
    OrderWatch& orders_;
    Agent before_;
  };

  /// An order of launches or moves for `pes` PEs leaves the host.
  void ordered(std::uint32_t order, int rank, std::size_t pes);
  /// A kernel of the order begins; it follows earlier kernels of its rank on its PE.
  [[nodiscard]] Agent kernel_begins(std::uint32_t order, PeCoord pe, std::string_view kernel);
  /// A move of the order begins.
  [[nodiscard]] Agent move_begins(std::uint32_t order);
  void ends(std::uint32_t order, PeCoord pe, const Agent& kernel);
  void move_ends(std::uint32_t order, const Agent& move);
  /// The host observes that all have ended (reported); one of its processes continues with that (learn_of).
  void reported(std::uint32_t order);
  void learn_of(std::uint32_t order);

  /// A kernel arrives at a barrier with its vector clock; the kernels that pass it get the join of all.
  void reaches(std::uint32_t order, std::uint32_t barrier, Known known);
  [[nodiscard]] Known passed(std::uint32_t order, std::uint32_t barrier);

  /// A tile is sent to a ring, and is received from there.
  void sent(topology::PhysAddr ring, std::uint64_t sequence, Known known);
  [[nodiscard]] Known received(topology::PhysAddr ring, std::uint64_t sequence);

 private:
  struct Strand {
    Process process;
    Agent agent;
  };
  struct Barrier {
    std::vector<Known> come = {};
    Known all = nullptr;
    std::size_t passed = 0;
  };
  struct Order {
    int rank = 0;
    std::size_t pes = 0;
    Agent group;
    Known known;
    std::vector<Known> ended = {};
    std::map<std::uint32_t, Barrier> barriers = {};
    Known end = nullptr;
  };
  using Turn = std::pair<PeCoord, int>;  // of a rank's kernels on a PE
  struct Last {
    oplog::AgentMarkPtr launch;
    Known end;
  };

  [[nodiscard]] Agent made(oplog::AgentMark mark, Known first) const;
  [[nodiscard]] Known after_last(const Turn& turn, const Known& launch);
  [[nodiscard]] Known all_of(const std::vector<Known>& known) const;
  [[nodiscard]] bool is_alone();

  Simulation& sim_;
  std::shared_ptr<oplog::RaceTally> tally_;
  std::function<void()> all_known_;
  std::unordered_map<const void*, Strand> strands_;
  Agent acting_;                 // instead of the running process
  std::set<Known> not_awaited_;  // ends of processes
  std::map<std::uint32_t, Order> orders_;
  std::map<Turn, Last> last_;                                          // kernel of each
  std::map<std::pair<std::uint64_t, std::uint64_t>, Known> messages_;  // by ring and sequence
  std::set<std::string, std::less<>> kernels_;                         // names, which outlive kernels
};

}  // namespace kbsim::hw
