#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>

#include "kbsim/base/dtype.hpp"
#include "kbsim/base/error.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/shape.hpp"
#include "kbsim/base/watched.hpp"
#include "kbsim/hw/fabric/reasons.hpp"
#include "kbsim/hw/pe/poll_clock.hpp"
#include "kbsim/hw/pe/tcm_budget.hpp"
#include "kbsim/sim/causes.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/sim/task.hpp"

namespace kbsim::hw {

class Fabric;

/// A tile's shape and type; null: unknown.
struct TileType {
  const Shape* shape = nullptr;
  DType dtype = DType::f16;
};

/// Issues the commands of one run of a kernel in program order. Each takes `dispatch` of the issue clock,
/// which may run ahead of simulated time. A tile takes TCM at issue. If only released tiles are in the way,
/// the issue clock waits; else, with `may_stall`, this command and all after it wait.
class IssueQueue {
 public:
  struct Settings {
    PeCoord at;
    NodeId cpu;
    NodeId memory;  // the pe_tcm of the tiles; none: its level isn't shown
    std::string kernel;
    Time dispatch{};                 // of one command, by pe_cpu
    std::int64_t max_commands = 0;   // more are an endless loop
    Bytes tcm;                       // that tiles may take
    bool may_stall = false;          // else a command without room is a KernelFault
    const Fabric* fabric = nullptr;  // whose spans show the turns
  };
  IssueQueue(Simulation& sim, PollClock& poll_clock, Settings settings);

  /// When the next command would be issued.
  [[nodiscard]] Time clock() const;
  /// When the last command was issued, or the kernel resumed after an await.
  [[nodiscard]] Time last() const { return clock_; }
  /// Cause of clock(), if causes are kept.
  [[nodiscard]] Cause why() const;
  /// The next event has the later cause of `why` and the issue clock; the clock's if they are equal.
  void because_of(const Cause& why) const {
    if (Causes* const causes = sim_.causes()) [[unlikely]]
      causes->because(causes->latest(this->why(), why));
  }
  /// The kernel has observed the end of work at `t`.
  void observe(Time t);

  /// Whether a command that takes `n` bytes of the TCM may be issued now. KernelFault if it never fits, or
  /// has to wait and may not.
  [[nodiscard]] bool may_issue(Bytes n, const std::source_location& at) { return may_issue(n, {}, at); }
  /// Likewise for a command that makes a tile: the fault names its type.
  [[nodiscard]] bool may_issue(Bytes n, const TileType& tile, const std::source_location& at);
  /// Calls `issue` when it is its turn and there is room for `n` bytes; `owner` lives until then.
  void stall(std::shared_ptr<void> owner, Bytes n, const std::source_location& at,
             std::function<void()> issue);
  /// Issues a command; returns the time at which it reaches its unit.
  [[nodiscard]] Time issue(const std::source_location& at);
  /// The CPU works for `time`, as a command that goes to no unit.
  void work(Time time, const std::source_location& at);
  /// A call that takes no time; it counts as a command.
  void count(const std::source_location& at) { note(at), require_commands(commands_++, at); }
  /// The line of the last command or call.
  [[nodiscard]] const WatchedProgram::LastCommand& last_command() const { return last_command_; }

  /// A tile takes its bytes, and gives them back: they are free from `when` on.
  void take(TcmBudget::Hold& hold);
  void give(const TcmBudget::Hold& hold, Time when, const Cause& why);

  /// Waits until no command is stalled.
  [[nodiscard]] Task<> drained();

 private:
  // A command that waits for room in the TCM, or for one before it that does.
  struct Stalled {
    Bytes bytes;
    std::source_location at;
    std::function<void()> issue;
  };
  using Stalls = std::deque<Stalled>;

  void explain(Time observed);
  [[nodiscard]] Cause seen(Time observed) const;
  [[nodiscard]] Cause after_looks() const;
  void note(const std::source_location& at) { last_command_.store(at, std::memory_order_relaxed); }
  void show_level(Time at, std::int64_t taken) const;
  void spend(Time time, Reason reason, const std::source_location& at);
  void require_commands(std::int64_t before, const std::source_location& at) const;
  Task<> issue_stalled(std::shared_ptr<void> owner, std::shared_ptr<Stalls> stalled);
  [[nodiscard]] std::string no_room(Bytes n, const TileType& tile = {}) const;
  void wait_for_room(Time until);

  Simulation& sim_;
  PollClock& poll_clock_;
  Settings settings_;
  Time clock_;
  Cause clock_why_;  // if causes are kept
  std::int64_t commands_ = 0;
  WatchedProgram::LastCommand last_command_{std::source_location{}};
  TcmBudget tcm_;
  std::weak_ptr<Stalls> stalled_;  // owned by the process that issues them
  Process stalling_;
  std::unique_ptr<Event> let_go_;  // what the first of them waits for
};

/// A fault at a line of the kernel.
[[nodiscard]] KernelFault fault_at(const std::source_location& at, std::string_view text);

}  // namespace kbsim::hw
