#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/hw/control/control.hpp"
#include "kbsim/hw/machine.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/oplog/race.hpp"
#include "kbsim/replay/replay.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/allocator.hpp"
#include "kbsim/topology/memory_change.hpp"
#include "kbsim/topology/virtual_memory.hpp"

namespace kbsim::host {

class Rank;

/// Times of one collective on one rank. dispatch + kernel + report = latency.
struct CollectiveTiming {
  int rank = 0;
  Time called{};
  Time first_start{};  // of a PE's kernel
  Time last_end{};
  Time done{};
  std::string algorithm;
  std::string_view call = {};  // the host program's name for it; custom: its plan names no collective
  std::int64_t elements = 0;   // of its input on this rank
  DType dtype = DType::f16;
  int group = 0;
  int ranks = 0;
  Bytes read{};             // by the DMAs of this rank's PEs
  std::uint32_t order = 0;  // hw::LaunchId::order of its kernels on this rank
  Cause why = {};           // of last_end, if causes are kept

  [[nodiscard]] Time latency() const { return done - called; }
  [[nodiscard]] Time dispatch() const { return first_start - called; }
  [[nodiscard]] Time kernel() const { return last_end - first_start; }
  [[nodiscard]] Time report() const { return done - last_end; }
};

/// When the PEs of a rank worked on an isend, an irecv, a batch of them, or a barrier.
struct MessageTiming {
  int rank = 0;
  hw::Activity activity;
};

/// Whether KBSIM_CCL_TRACE=1 or KERNBENCH_CCL_TRACE=1 is set: a line on stderr for each tile that a PE sends
/// or receives. UsageError for another value than 0 and 1.
[[nodiscard]] bool queues_are_traced();

struct SessionOptions {
  SimulationOptions simulation;
  unsigned replay_threads = 0;  // 0: all threads of the host
  oplog::RaceMode races = oplog::RaceMode::off;
  bool timing_only = false;  // no values: races and other results that need values aren't reported
  // Simulate packages in parallel unless Session::one_thread_because() gives a reason. Only for programs that
  // use messages alone to reach the machine. Unsupported for programs that read its state while it runs.
  unsigned threads = 1;
  bool exact_packets = false;    // an event for each packet at each hop, for comparisons
  config::CclSpec ccl;           // algorithms that programs may name beside the session's own
  std::FILE* choices = nullptr;  // output for a line per algorithm that a collective chooses itself
};

/// A machine and the state that host programs share: one simulated run.
class Session {
 public:
  Session(config::MachineSpec machine, config::AlgorithmSpec algorithm, SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const config::MachineSpec& spec() const { return *spec_; }
  /// The algorithm of the constructor.
  [[nodiscard]] const config::AlgorithmSpec& algorithm() const { return algorithm_; }
  /// The constructor's algorithm, or one of SessionOptions::ccl. UsageError with the nearest name.
  [[nodiscard]] const config::AlgorithmSpec& algorithm(std::string_view name) const {
    return name == algorithm_.name ? algorithm_ : ccl_.resolve(name);
  }
  [[nodiscard]] const config::CclSpec& ccl() const { return ccl_; }
  /// SessionOptions::choices.
  [[nodiscard]] std::FILE* choices() const { return choices_; }
  [[nodiscard]] Simulation& sim() { return sim_; }
  [[nodiscard]] hw::Machine& machine() { return *machine_; }
  /// Happens-before order of the host's processes.
  [[nodiscard]] hw::OrderWatch& orders() { return machine_->races().orders(); }
  [[nodiscard]] oplog::OpLog& log() { return log_; }
  [[nodiscard]] replay::Replay& replay() { return replay_; }
  /// False with timing_only: to_host() gives arrays without numbers, and a kernel that asks for one faults.
  [[nodiscard]] bool has_values() const { return log_.keeps_operations(); }
  [[nodiscard]] topology::MachineAllocators& allocators() { return allocators_; }
  /// Each package has a virtual space of its own: two packages' tensors may have equal addresses.
  [[nodiscard]] topology::VirtualAllocator& virtual_memory(int sip) {
    return va_[static_cast<std::size_t>(sip)];
  }
  /// The op log's lane of writes by a rank's program.
  [[nodiscard]] std::uint32_t lane(int rank) const {
    return first_rank_lane_ + static_cast<std::uint32_t>(rank);
  }
  /// The id of the next operation `call` that a rank's program starts.
  [[nodiscard]] WorkId next_work(std::string_view call, int rank) {
    return {.call = call, .sequence = started_[{rank, call}]++, .rank = rank};
  }
  /// Bytes of tensors that were placed in the machine's memories at no simulated time, replicas included.
  [[nodiscard]] Bytes resident() const { return resident_; }
  void add_resident(Bytes more) { resident_ += more; }
  /// Memory of tensors, as it is allocated and freed.
  [[nodiscard]] std::vector<topology::MemoryChange>& memory_changes() { return memory_changes_; }
  [[nodiscard]] std::vector<CollectiveTiming>& collectives() { return collectives_; }
  /// As they end.
  [[nodiscard]] std::vector<MessageTiming>& messages() { return messages_; }

  /// Sets the observer of calls of host programs made from now on; null: none. It must outlive the programs.
  void watch_calls(ICallWatch* calls) { calls_ = calls; }
  [[nodiscard]] ICallWatch* calls() const { return calls_; }

  /// Host programs that may wait, for the report of a deadlock.
  void enter(const Rank& rank) { ranks_.push_back(&rank); }
  void leave(const Rank& rank) { std::erase(ranks_, &rank); }

  /// Why one thread simulates although options ask for more; empty if several do, or one was asked for.
  [[nodiscard]] const std::string& one_thread_because() const { return one_thread_because_; }

  /// True while host programs may still start operations.
  [[nodiscard]] bool open() const { return open_; }

  /// Runs until no event is left. Throws DeadlockReport, with the circle of waits if there is one, and
  /// Interrupted, with the simulated time, if a signal has asked for the end (StopSignals).
  void simulate();
  /// The same; then KernelFault for the first tile check of a kernel that fails.
  void run();

 private:
  bool open_ = true;
  std::shared_ptr<const config::MachineSpec> spec_;
  config::AlgorithmSpec algorithm_;
  config::CclSpec ccl_;
  std::FILE* choices_;
  Simulation sim_;
  topology::Graph graph_;
  oplog::OpLog log_;
  unsigned threads_;
  std::string one_thread_because_;
  std::unique_ptr<hw::Machine> machine_;
  replay::Replay replay_;
  topology::MachineAllocators allocators_;
  std::vector<topology::VirtualAllocator> va_;
  std::uint32_t first_rank_lane_ = 0;
  std::map<std::pair<int, std::string_view>, std::uint64_t> started_;
  Bytes resident_{};
  std::vector<topology::MemoryChange> memory_changes_;
  std::vector<CollectiveTiming> collectives_;
  std::vector<MessageTiming> messages_;
  std::vector<const Rank*> ranks_;
  ICallWatch* calls_ = nullptr;
};

}  // namespace kbsim::host
