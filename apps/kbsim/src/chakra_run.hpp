#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/host/rank.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/inputs/chakra/workload.hpp"
#include "kbsim/sim/event.hpp"

#include "chakra_memory.hpp"

namespace kbsim::app {

/// How fast a rank is at what has no duration: all units of its package together.
struct ChakraRates {
  double operations_per_ns = 1.0;
  double bytes_per_ns = 1.0;
};

/// What one rank did: times in which its device computed, something was sent, and that without computing.
struct ChakraRank {
  Time compute{};
  Time communication{};
  Time exposed{};
  Time end{};  // of its last node
};

/// A workload on its way through simulated time. A node begins when all that it depends on have ended. A
/// rank's device, its CPU and its memory work on one node at a time each, the first of the file first. A
/// communication begins on all its ranks at once, when the last of them has come to it: so none can wait in a
/// queue behind one that it must let go. Those for whose tensors a rank has no room beside the ones that are
/// on their way wait for these. Collectives run on the machine on PE 0 of each package, messages there side
/// by side.
class ChakraRun {
 public:
  ChakraRun(const inputs::chakra::Workload& work, hw::Machine& machine, ChakraRates rates,
            ChakraMemory::LargestFree largest_free);

  /// All ranks are there: nodes without dependencies begin.
  void begin();
  /// Decides, whenever nodes have ended, which begin: in the late phase, when all that end now have.
  [[nodiscard]] Task<> dispatch();

  [[nodiscard]] const inputs::chakra::Workload& work() const { return work_; }
  [[nodiscard]] bool done() const { return left_ == 0; }
  /// The communications that a rank is to begin now.
  [[nodiscard]] Event& wake(int rank) { return *wakes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::deque<std::uint32_t> take(int rank);
  /// This rank has made its tensors of a communication.
  void made(int rank, std::uint32_t communication);
  /// This rank's part of a communication has ended.
  void ended(int rank, std::uint32_t communication);

  [[nodiscard]] Time time() const { return end_ - begin_; }
  /// Communications that waited for room.
  [[nodiscard]] std::size_t waited() const { return waited_.size(); }
  [[nodiscard]] const std::vector<ChakraRank>& ranks() const { return ranks_; }

 private:
  using Lane = std::pair<int, inputs::chakra::WorkKind>;  // of a rank: its device, CPU or memory
  struct LaneState {
    std::set<std::uint32_t> ready;
    bool busy = false;
  };
  struct Activity {
    Time since{};
    int computing = 0;
    int communicating = 0;
  };

  void finish(std::uint32_t item);
  void make_ready(std::uint32_t item);
  void start_lanes();
  void start_communications();
  void start(std::uint32_t communication);
  [[nodiscard]] Task<> work_on(Lane lane, std::uint32_t item, Time duration);
  [[nodiscard]] Time duration_of(const inputs::chakra::WorkItem& item) const;
  void account(int rank);
  void change(int rank, int computing, int communicating);

  const inputs::chakra::Workload& work_;
  Simulation& sim_;
  const topology::Graph& graph_;
  ChakraRates rates_;
  std::size_t left_;
  std::vector<std::uint32_t> waiting_;  // by item: what it still depends on
  std::vector<std::uint32_t> to_come_;  // by communication: ranks that aren't there yet
  std::vector<std::uint32_t> instant_;  // that take no time, and are about to end
  std::map<Lane, LaneState> lanes_;
  std::set<std::uint32_t> complete_;                 // communications whose ranks are all there
  ChakraMemory memory_;                              // of those that have begun
  std::set<std::uint32_t> waited_;                   // for memory
  std::vector<std::deque<std::uint32_t>> to_begin_;  // by rank
  std::vector<std::unique_ptr<Event>> wakes_;
  Event changed_;
  std::vector<Activity> activity_;
  std::vector<ChakraRank> ranks_;
  Time begin_{};
  Time end_{};
};

/// What the ranks of a run share; it outlives them.
struct ChakraShared {
  ChakraRun* run = nullptr;
  std::map<config::Collective, std::string> algorithms = {};
  int there = 0;  // ranks whose groups are set up
};

/// The program of a rank: it begins the communications of its package when it is their turn.
[[nodiscard]] Task<> chakra_rank(host::Rank& rk, ChakraShared* shared);

}  // namespace kbsim::app
