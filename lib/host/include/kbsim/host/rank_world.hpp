#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "kbsim/base/error.hpp"
#include "kbsim/host/process_group.hpp"
#include "kbsim/host/queue_setup.hpp"
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

/// The process groups of a program, and the ranks that run.
class World {
 public:
  [[nodiscard]] bool initialized() const { return !groups_.empty(); }
  /// Throws UsageError with PyTorch's text unless initialized.
  void require_initialized() const;
  void require_uninitialized() const;
  /// `all` is the default group.
  void initialize(std::shared_ptr<ProcessGroup> all, std::string backend);
  /// Removes all groups.
  void finalize();
  [[nodiscard]] int size() const { return all()->size(); }
  [[nodiscard]] const std::string& backend() const { return backend_; }
  [[nodiscard]] const std::shared_ptr<ProcessGroup>& all() const { return groups_.begin()->second; }
  /// The default group's algorithms, in the order in which they were named.
  [[nodiscard]] const std::deque<InstalledAlgorithm>& algorithms() const { return all()->algorithms(); }

  /// By their numbers; the default group is the first.
  [[nodiscard]] const std::map<int, std::shared_ptr<ProcessGroup>>& groups() const { return groups_; }
  /// Number of groups so far, including removed ones.
  [[nodiscard]] int group_numbers() const { return group_numbers_; }
  void add(std::shared_ptr<ProcessGroup> group);
  void remove(int number) { groups_.erase(number); }

  /// Ranks that run side by side; 0: the main program alone, which acts for all of them.
  [[nodiscard]] int spawned() const { return *spawned_; }
  /// Their number, which spawn sets back to 0. It outlives the world if ranks do: ranks in a deadlock are
  /// destroyed with the session.
  [[nodiscard]] const std::shared_ptr<int>& spawned_ranks() const { return spawned_; }
  /// Ends all ranks that run side by side with this rank's error, even if its program catches it.
  void fail(int rank, const std::exception_ptr& error) const {
    if (*failing_) (*failing_)(rank, error);
  }
  using Failing = std::function<void(int rank, const std::exception_ptr& error)>;
  /// The action of fail(), while ranks run. It may outlive the world, as their number does.
  [[nodiscard]] const std::shared_ptr<Failing>& failing() const { return failing_; }
  /// The ranks are abandoned: waits of their kernels are aborted, by messages. The next users of the queues
  /// await that.
  void abandon(Session& session);
  /// A rank's program has ended. Gives the ranks of all groups that wait for it.
  [[nodiscard]] ProcessGroup::LeftAlone leave(int rank);
  /// All ranks run again.
  void enter_all();
  /// A rank's package is its own unless it has chosen another one. Others see the choice from the next
  /// instant on, so that results don't depend on the order of simultaneous events.
  void choose_device(int rank, int device, Time now);
  [[nodiscard]] std::vector<int> devices_of(std::vector<int> ranks, Time now) const;
  void forget_devices() { devices_.clear(); }
  /// All ranks have returned. KernelFault for a message that was sent and not received.
  void require_received() const;

  [[nodiscard]] std::vector<PartialCollective> partial_collectives() const;
  [[nodiscard]] QueueSetups& queue_setups() { return setups_; }
  /// Number of members that have called destroy_process_group, and the event that they await.
  struct Leaving {
    int ranks = 0;
    std::shared_ptr<QueueSetup> done;
  };
  std::map<int, Leaving> leaving;  // by the group's number

 private:
  struct Device {
    Time since;
    int before;
    int now;
  };
  std::string backend_;
  std::map<int, Device> devices_;  // of ranks that have chosen one
  std::map<int, std::shared_ptr<ProcessGroup>> groups_;
  int group_numbers_ = 0;
  std::shared_ptr<int> spawned_ = std::make_shared<int>(0);
  std::shared_ptr<Failing> failing_ = std::make_shared<Failing>();
  QueueSetups setups_;
};

/// The error of a spawn: the ranks that failed at the earliest time, with their errors. Its text is the
/// smallest rank's, in PyTorch's form.
class SpawnException : public Error {
 public:
  using Errors = std::map<int, std::exception_ptr>;
  SpawnException(ExitCode exit, const std::string& text, Errors errors)
      : Error{exit, text}, errors_{std::move(errors)} {}

  [[nodiscard]] const Errors& errors() const { return errors_; }
  /// "spawn failed on ranks [2, 3]: rank 2 raised <its text>"
  [[nodiscard]] std::string summary() const;

 private:
  Errors errors_;
};

/// The processes of one spawn. Processes that still run are cancelled with it.
class Ranks {
 public:
  /// UsageError, with the line of the spawn, unless there is a SIP for each rank.
  Ranks(Session& session, World& world, int count, const std::source_location& at);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  [[nodiscard]] int count() const { return static_cast<int>(ranks_.size()); }
  [[nodiscard]] Rank& rank(int index) { return *ranks_[static_cast<std::size_t>(index)]; }
  void start(int index, Task<> program);
  /// SpawnException if any has failed; the others are cancelled.
  [[nodiscard]] Task<> join();

 private:
  Task<> run(int index, Task<> program);
  void note_end(Causes& causes);
  void cancel();

  Session& session_;
  World& world_;
  std::shared_ptr<int> spawned_;
  std::shared_ptr<World::Failing> failing_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<Process> processes_;
  std::vector<oplog::KnowledgePtr> known_;  // vector clocks at their ends
  SpawnException::Errors failures_;
  int running_ = 0;
  Event ended_;
};

}  // namespace kbsim::host
