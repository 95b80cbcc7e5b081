#pragma once

#include <array>
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

/// Rates for nodes without a duration: all units of a rank's package together.
struct ChakraRates {
  double operations_per_ns = 1.0;
  double bytes_per_ns = 1.0;
};

/// Times of one rank: its device, its CPU and its memory worked on a node, it communicated, and it
/// communicated while its device didn't compute (exposed).
struct ChakraRank {
  Time compute{};
  Time cpu{};
  Time memory{};
  Time communication{};
  Time exposed{};
  Time end{};  // of its last node
};

/// Runs a workload in simulated time. A node begins when all its dependencies have ended. A rank's device,
/// CPU and memory run one node at a time each, in file order. A communication begins on all its ranks at
/// once, when the last is ready, so none blocks a queue. It waits while its tensors don't fit beside those
/// under way. Collectives run on PE 0 of each package, messages there side by side.
class ChakraRun {
 public:
  ChakraRun(const inputs::chakra::Workload& work, hw::Machine& machine, ChakraRates rates,
            ChakraMemory::LargestFree largest_free);

  /// All ranks are ready: begins the nodes without dependencies.
  void begin();
  /// Starts nodes whenever others have ended. Decides in the late phase, after all ends of that time.
  [[nodiscard]] Task<> dispatch();

  [[nodiscard]] const inputs::chakra::Workload& work() const { return work_; }
  [[nodiscard]] bool done() const { return left_ == 0; }
  /// The event is set when a rank has communications to begin; take() returns them.
  [[nodiscard]] Event& wake(int rank) { return *wakes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::deque<std::uint32_t> take(int rank);
  /// A rank has made its tensors of a communication.
  void made(int rank, std::uint32_t communication);
  /// A rank's part of a communication has ended.
  void ended(int rank, std::uint32_t communication);

  [[nodiscard]] Time time() const { return end_ - begin_; }
  /// Number of communications that waited for memory.
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
    std::array<int, 4> under_way{};  // number of nodes, by kind; communication is the last that takes time
    [[nodiscard]] int& of(inputs::chakra::WorkKind kind) {
      return under_way.at(static_cast<std::size_t>(kind));
    }
  };

  void finish(std::uint32_t item);
  void make_ready(std::uint32_t item);
  void start_lanes();
  void start_communications();
  void start(std::uint32_t communication);
  [[nodiscard]] Task<> work_on(Lane lane, std::uint32_t item, Time duration);
  [[nodiscard]] Time duration_of(const inputs::chakra::WorkItem& item) const;
  void account(int rank);
  void change(int rank, inputs::chakra::WorkKind kind, int by);

  const inputs::chakra::Workload& work_;
  Simulation& sim_;
  const topology::Graph& graph_;
  ChakraRates rates_;
  std::size_t left_;
  std::vector<std::uint32_t> waiting_;  // by item: number of dependencies left
  std::vector<std::uint32_t> to_come_;  // by communication: number of ranks that aren't ready
  std::vector<std::uint32_t> instant_;  // items that take no time and end next
  std::map<Lane, LaneState> lanes_;
  std::set<std::uint32_t> complete_;                 // communications whose ranks are all ready
  ChakraMemory memory_;                              // of communications that have begun
  std::set<std::uint32_t> waited_;                   // communications that waited for memory
  std::vector<std::deque<std::uint32_t>> to_begin_;  // by rank
  std::vector<std::unique_ptr<Event>> wakes_;
  Event changed_;
  std::vector<Activity> activity_;
  std::vector<ChakraRank> ranks_;
  Time begin_{};
  Time end_{};
};

/// State that the ranks of a run share; it outlives them.
struct ChakraShared {
  ChakraRun* run = nullptr;
  std::map<config::Collective, std::string> algorithms = {};
  int there = 0;  // number of ranks whose groups are set up
};

/// A rank's program: begins the communications of its package when run->take() returns them.
[[nodiscard]] Task<> chakra_rank(host::Rank& rk, ChakraShared* shared);

}  // namespace kbsim::app
