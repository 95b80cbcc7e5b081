#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/host/session.hpp"
#include "kbsim/host/work.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::host {

class Rank;

/// The wait for the end of a spawn.
struct RanksEnd {
  [[nodiscard]] static std::string text() { return "the ranks' end"; }
  friend auto operator<=>(const RanksEnd&, const RanksEnd&) = default;
};

/// The process of a rank's program.
struct RankProgram {
  int rank = 0;
  [[nodiscard]] std::string text() const;  // "rank 2"
  friend auto operator<=>(const RankProgram&, const RankProgram&) = default;
};

/// A collective that some ranks have begun and others haven't.
struct PartialCollective {
  std::vector<WorkId> begun;
  std::vector<int> missing;  // ranks
};

/// What a rank says of a collective that it begins; all ranks must say the same.
struct Fingerprint {
  std::string_view call;  // a literal: as the host program calls it
  std::string operation;
  std::string shape;
  std::string dtype;
  std::string details = {};
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// An algorithm that a process group can run, and the PEs that it runs on.
struct InstalledAlgorithm {
  config::AlgorithmSpec spec;
  std::vector<PeCoord> participants;
  Bytes tcm;  // what the rings of all algorithms leave of it, on the participant that has least
};

/// The default process group: its state and the check that its ranks agree.
class World {
 public:
  [[nodiscard]] bool initialized() const { return size_ > 0; }
  /// Throws UsageError with PyTorch's text unless initialized.
  void require_initialized() const;
  void require_uninitialized() const;
  void initialize(int size, std::string backend, std::vector<InstalledAlgorithm> algorithms);
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const std::string& backend() const { return backend_; }
  /// Those that it was initialized with, in the order in which they were named.
  [[nodiscard]] const std::vector<InstalledAlgorithm>& algorithms() const { return algorithms_; }

  /// The rank's next collective: its sequence number, from 0 on. KernelFault naming both calls if another
  /// rank began another one.
  std::uint64_t begin(int rank, const Fingerprint& what, const std::source_location& at);
  /// A rank's kernels of a collective are on their way; they have all ended.
  void launched() { ++under_way_; }
  void completed() { --under_way_; }
  /// The ranks have been given up. If any was in the midst of a collective, no other one can begin: its
  /// kernels still hold the queues.
  void abandon(int failed_rank);

  [[nodiscard]] std::vector<PartialCollective> partial_collectives() const;

 private:
  struct Call {
    int rank;
    Fingerprint what;
    std::source_location at;
    int ranks = 1;  // that have begun it
  };
  int size_ = 0;
  std::string backend_;
  std::vector<InstalledAlgorithm> algorithms_;
  std::map<int, std::uint64_t> sequences_;  // of each rank
  std::map<std::uint64_t, Call> calls_;     // the first rank's, by sequence, until all have begun it
  int under_way_ = 0;
  std::optional<int> failed_rank_;  // in the midst of a collective
};

/// The processes of one spawn; those that still run are cancelled with it.
class Ranks {
 public:
  /// UsageError unless there is a SIP for each.
  Ranks(Session& session, World& world, int count);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] Rank& rank(int index) { return *ranks_[static_cast<std::size_t>(index)]; }
  void start(int index, Task<> program);
  [[nodiscard]] Task<> join();

 private:
  struct Failure {
    int rank;
    std::exception_ptr error;
  };
  Task<> run(int index, Task<> program);
  void cancel();

  Session& session_;
  World& world_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<Process> processes_;
  std::optional<Failure> failure_;  // of the smallest rank
  int failures_ = 0;
  int running_ = 0;
  Event ended_;
};

}  // namespace kbsim::host
