#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kbsim/base/ids.hpp"
#include "kbsim/ccl/install_plan.hpp"
#include "kbsim/config/ccl_spec.hpp"
#include "kbsim/config/machine_spec.hpp"
#include "kbsim/host/tensor.hpp"
#include "kbsim/host/work.hpp"

namespace kbsim::host {

struct QueueSetup;

/// A collective that some ranks have begun and others haven't.
struct PartialCollective {
  std::vector<WorkId> begun;
  std::vector<int> missing;  // ranks
};

/// Arguments of a collective that must match on all ranks.
struct Fingerprint {
  std::string_view call;  // a literal: the host program's name for it
  std::string operation;
  std::string shape;
  std::string dtype;
  std::string details = {};
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// An algorithm that a process group can run, and the PEs that it runs on.
struct InstalledAlgorithm {
  config::AlgorithmSpec spec;
  std::string queues;  // name of its set of queues
  std::vector<PeCoord> participants;
};

/// One side of a message between two ranks of a group.
struct P2pCall {
  bool sends = true;  // else it receives
  int from = 0;       // ranks of the world
  int to = 0;
  std::string shape;
  std::string dtype;
  std::vector<std::pair<PeCoord, Bytes>> parts = {};  // PEs of package 0
  std::vector<int> devices = {};                      // of the group's members
  std::source_location at = {};
  std::uint64_t exchange = 0;  // the collective that it is part of, from 1; 0: it is a message of its own
};

/// Ranks that do collectives together, and the check that their calls match. A rank of the group is its index
/// among the members; messages name the world's ranks.
class ProcessGroup {
 public:
  /// Per rank that waits for a collective: a text with the collective and the rank that ended without it.
  using LeftAlone = std::map<int, std::string>;

  /// Values of a collective that all ranks share. The first rank that begins it sets them.
  struct Agreed {
    std::uint64_t sequence = 0;
    std::uint64_t round = 0;  // as in hw::Launch
    Bytes tcm;                // for its kernels, on the participant that has least
  };

  /// Number 0 is the default group. Its ranks are its members or, unless `pes` is 0, `pes` PEs on their
  /// packages; each member acts for the PEs on its own package.
  ProcessGroup(int number, std::vector<int> members, config::MachineSpec machine, int pes = 0);

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }
  [[nodiscard]] const std::vector<int>& members() const { return members_; }
  [[nodiscard]] bool ranks_are_pes() const { return pes_ > 0; }
  [[nodiscard]] int ranks() const { return pes_ > 0 ? pes_ : size(); }
  /// The machine as collectives see it: one package per rank.
  [[nodiscard]] config::MachineSpec machine_of_ranks() const;
  /// The rank of a PE: its own if ranks are PEs, else its member's.
  [[nodiscard]] int rank_at(PeCoord pe) const;
  /// The rank in the group of a rank of the world, if it is a member.
  [[nodiscard]] std::optional<int> rank_of(int world_rank) const;
  /// The machine with the members' packages only: each rank of the group is a package.
  [[nodiscard]] const config::MachineSpec& machine() const { return machine_; }

  [[nodiscard]] const std::deque<InstalledAlgorithm>& algorithms() const { return algorithms_; }
  void add(InstalledAlgorithm algorithm) { algorithms_.push_back(std::move(algorithm)); }
  /// The name of a set of queues that is this group's own.
  [[nodiscard]] std::string set_name(const std::string& of) const {
    return number_ == 0 ? of : "group" + std::to_string(number_) + "." + of;
  }

  /// Begins the rank's next collective. `tcm` is called for the first rank that begins it. KernelFault naming
  /// both calls if another rank's call differs, or naming a rank whose program has ended without it.
  Agreed begin(
      int rank, const Fingerprint& what, const std::source_location& at,
      const std::function<Bytes()>& tcm = [] { return Bytes{}; });
  /// A rank's program has ended. Gives the ranks that wait for it.
  [[nodiscard]] LeftAlone leave(int rank);
  /// All ranks run again.
  void enter_all() { gone_.clear(); }
  /// A rank's kernels of a collective have been launched; they have all ended.
  void launched() { ++under_way_; }
  void completed() { --under_way_; }
  [[nodiscard]] int under_way() const { return under_way_; }
  /// The ranks are abandoned. True if kernels may wait forever and must be aborted: not all ranks had begun a
  /// call, `launches_lost`, or a rank ran a kernel of its own. Collectives that all had begun end normally.
  [[nodiscard]] bool abandon(bool launches_lost);
  /// The same for kernels that a rank launches by itself.
  void kernel_launched() { ++kernels_; }
  void kernel_ended() { --kernels_; }

  [[nodiscard]] std::vector<PartialCollective> partial_collectives() const;

  /// Adds one side of a message and pairs it with the oldest one of the other side. KernelFault naming both
  /// if they differ.
  void post(const P2pCall& call);
  /// KernelFault for the first message that was sent and not received.
  void require_received() const;

  /// The call that made the group.
  struct Maker {
    int rank = 0;
    std::string call;
    std::source_location at;
  };
  Maker made_by;
  std::map<std::string, InstalledAlgorithm> chosen;  // algorithms that calls chose, by name
  std::vector<ccl::InstallPlan> plans;               // of all the group's queues
  std::vector<Tensor> kept;  // tensors of cancelled ranks' collectives: kernels may use them
  std::map<std::pair<std::string, PeCoord>, std::shared_ptr<QueueSetup>> setups;  // queues made on demand
  std::shared_ptr<QueueSetup> recovery;  // after ranks failed, until its kernels have been aborted

 private:
  struct Caller {
    int rank;
    std::source_location at;
  };
  struct Call {
    Fingerprint what;  // the first rank's
    Bytes tcm;
    std::vector<Caller> callers;  // in the order of their calls
    [[nodiscard]] const Caller& by(int rank) const {
      return *std::ranges::find(callers, rank, &Caller::rank);
    }
  };
  int number_;
  std::vector<int> members_;
  config::MachineSpec machine_;
  int pes_;
  std::deque<InstalledAlgorithm> algorithms_;  // stable addresses: collectives under way refer to elements
  std::map<int, std::uint64_t> sequences_;     // by rank
  std::map<std::uint64_t, Call> calls_;        // the first rank's, by sequence, until all have begun it
  std::set<int> gone_;                         // ranks whose programs have ended
  std::uint64_t first_round_ = 1;              // of the sequence 0
  int under_way_ = 0;
  int kernels_ = 0;
  using Between = std::tuple<std::uint64_t, int, int>;  // P2pCall::exchange, from, to
  std::map<Between, std::deque<P2pCall>> sends_;        // without a recv yet
  std::map<Between, std::deque<P2pCall>> recvs_;
};

/// Holds the tensors of a launch: of a collective, or of a kernel that a rank launches by itself with the
/// queues of the default group. If it is destroyed before the kernels have ended, its rank was cancelled.
/// Then the group keeps the tensors until the group is destroyed.
class InUse {
 public:
  enum class By { collective, kernel };
  InUse(std::shared_ptr<ProcessGroup> group, std::vector<Tensor> tensors, By by = By::collective)
      : group_{std::move(group)}, tensors_{std::move(tensors)}, by_{by} {
    by_ == By::collective ? group_->launched() : group_->kernel_launched();
  }
  InUse(InUse&&) noexcept = default;
  InUse& operator=(InUse&&) = delete;
  ~InUse() {
    if (group_) group_->kept.insert(group_->kept.end(), tensors_.begin(), tensors_.end());
  }
  void ended() {
    by_ == By::collective ? group_->completed() : group_->kernel_ended();
    group_.reset();
  }

 private:
  std::shared_ptr<ProcessGroup> group_;
  std::vector<Tensor> tensors_;
  By by_;
};

/// A handle of a process group for host programs. Without arguments, it is the default group.
class Group {
 public:
  Group() = default;
  explicit Group(std::shared_ptr<ProcessGroup> group) : group_{std::move(group)} {}
  [[nodiscard]] const std::shared_ptr<ProcessGroup>& get() const { return group_; }

 private:
  std::shared_ptr<ProcessGroup> group_;
};

}  // namespace kbsim::host
