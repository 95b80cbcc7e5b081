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

/// Who knows of whose accesses: the processes of the host, the kernels of its orders, and what barriers and
/// messages between PEs tell. Nothing of it takes time. While nobody looks for races, all of it does nothing
/// and gives nullptr.
class OrderWatch {
 public:
  using Agent = oplog::AgentPtr;
  using Known = oplog::KnowledgePtr;

  explicit OrderWatch(Simulation& sim) : sim_{sim} {}
  /// Calls `all_known` when whoever goes on knows all that was done.
  void watch(std::shared_ptr<oplog::RaceTally> tally, std::function<void()> all_known);
  [[nodiscard]] bool on() const { return tally_ != nullptr; }

  /// The process of the host that runs just now.
  [[nodiscard]] Agent here();
  /// What it knows, for others.
  [[nodiscard]] Known told();
  /// What two knew.
  [[nodiscard]] Known both(const Known& a, const Known& b) const;
  /// It goes on with what somebody knew.
  void learn(const Known& known);
  /// It has started another one, which knows what it does.
  void fork(const Process& started);
  /// It ends: what it knew, for whoever awaits it; and somebody does.
  [[nodiscard]] Known ends();
  void joins(const Known& end);
  /// Nothing is left to happen: whoever comes next knows all.
  void quiet();

  /// While it lives, what the running process does is done by somebody who knows more.
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

  /// An order of launches or moves leaves the host, for so many PEs.
  void ordered(std::uint32_t order, int rank, std::size_t pes);
  /// A kernel of it begins; on its PE after those of its rank before it.
  [[nodiscard]] Agent kernel_begins(std::uint32_t order, PeCoord pe, std::string_view kernel);
  /// A move of it begins.
  [[nodiscard]] Agent move_begins(std::uint32_t order);
  void ends(std::uint32_t order, PeCoord pe, const Agent& kernel);
  void move_ends(std::uint32_t order, const Agent& move);
  /// The host hears that all have ended; and somebody goes on with that.
  void reported(std::uint32_t order);
  void learn_of(std::uint32_t order);

  /// A kernel comes to a barrier, and tells what it knows; those who have passed it know what all did.
  void reaches(std::uint32_t order, std::uint32_t barrier, Known known);
  [[nodiscard]] Known passed(std::uint32_t order, std::uint32_t barrier);

  /// A tile goes to a ring, and is received from there.
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
