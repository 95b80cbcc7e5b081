#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include <boost/intrusive/list.hpp>

#include "kbsim/base/flow.hpp"
#include "kbsim/base/tensor_layout.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/launch_id.hpp"
#include "kbsim/hw/pe/issue_queue.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/block.hpp"
#include "kbsim/tl/memory_ops.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

class IGemm;
class IIpcq;
class IMath;
class IMmu;
class IScheduler;

/// Reports that a launch's kernel here has reached a barrier, for the launch's other PEs.
class BarrierLine {
 public:
  virtual ~BarrierLine() = default;
  virtual void reached(Time at, std::uint32_t number) = 0;
};

/// The units of one PE, as a kernel's commands find them.
struct PeUnits {
  PeCoord at;
  Simulation* sim = nullptr;
  const Fabric* fabric = nullptr;
  NodeId cpu = {};
  const config::MachineSpec* spec = nullptr;
  oplog::OpLog* log = nullptr;
  std::uint32_t lane = 0;
  Time dispatch{};  // of one command
  IScheduler* scheduler = nullptr;
  IMath* math = nullptr;
  IGemm* gemm = nullptr;
  IMmu* mmu = nullptr;
  IIpcq* ipcq = nullptr;
  BarrierLine* barriers = nullptr;
  RaceWatch* races = nullptr;
  const oplog::Evaluator* evaluator = nullptr;
  std::int64_t max_commands = 0;             // of one run of a kernel
  std::shared_ptr<const bool> machine_runs;  // false once the machine is being taken down
};

/// One run of a kernel on a PE: its tiles, its commands, and the queue that issues them.
///
/// An engine command's operands all know when they are ready, so its start and end are known at issue.
/// Commands that leave the PE go to the scheduler at max(issue clock, operand ready); sends of one direction
/// stay in the order of their issue.
class KernelContext : public PeBackend, public std::enable_shared_from_this<KernelContext> {
 public:
  /// `agent` is its thread in the race check, if races are looked for.
  KernelContext(const PeUnits& units, std::string kernel, LaunchId launch,
                std::optional<ProgramPlace> programs, oplog::AgentPtr agent);

  [[nodiscard]] const ProgramPlace& grid() const override { return programs_; }
  [[nodiscard]] PeCoord place() const override { return units_.at; }
  [[nodiscard]] MachineShape machine() const override;
  [[nodiscard]] std::shared_ptr<const TensorLayout> layout(std::uint64_t va) const override;
  [[nodiscard]] Time clock() const override { return commands_.clock(); }
  void observe(Time t) override { commands_.observe(t); }
  void awaited(const PendingState& pending, Time done) override;

  void count(const std::source_location& at) override { commands_.count(at); }
  [[nodiscard]] TilePtr execute(const EngineCommand& command) override;
  [[nodiscard]] TilePtr view(const TilePtr& tile, Shape shape, DType dtype) override;
  void range(std::string_view name, Time begin, Time end) override;
  [[nodiscard]] PendingPtr issue(const MemoryCommand& command) override;
  [[nodiscard]] PendingPtr send(Dir dir, const TilePtr& tile, int tag, std::source_location at) override;
  [[nodiscard]] PendingPtr recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) override;
  void dropped(const PendingState& pending) noexcept override;
  void detached(PendingPtr pending) override { detached_.push_back(std::move(pending)); }

  [[nodiscard]] PendingPtr composite(const CompositeCommand& command) override;
  [[nodiscard]] PendingPtr barrier(std::source_location at) override;
  [[nodiscard]] PendingPtr sync(std::source_location at) override;
  [[nodiscard]] PendingPtr item(const TilePtr& tile, std::int64_t element, std::source_location at) override;

  /// All PEs of the launch have reached this barrier.
  void passed(std::uint32_t number);
  /// Others of the launch were given up: barriers and signals that it waits for, now or later, end with
  /// LaunchAborted.
  void give_up();
  /// `pending` waits for another kernel of the launch.
  void needs_others(const PendingPtr& pending);
  /// Adds the barriers that it has reached and not passed.
  void add_barriers(std::vector<std::uint32_t>& numbers) const;
  /// It has asked for this barrier, after a command that waits for room in the TCM.
  [[nodiscard]] bool stalled_before(std::uint32_t barrier) const {
    return barrier > reached_ && in_barrier_.contains(barrier);
  }

  /// A tile takes its bytes, and gives them back: they are free from `when` on.
  void take_tcm(TcmBudget::Hold& hold) { commands_.take(hold); }
  void give_tcm(const TcmBudget::Hold& hold, Time when, const Cause& why) { commands_.give(hold, when, why); }

  /// The kernel has returned: waits for what it detached and for the PE's engines. KernelFault if it
  /// dropped something that it never awaited.
  [[nodiscard]] Task<> finish();
  /// The kernel was stopped: waits for what it has under way and for the PE's engines.
  [[nodiscard]] Task<> wind_down();
  [[nodiscard]] const std::string& kernel() const { return kernel_; }
  [[nodiscard]] const WatchedProgram::LastCommand& last_command() const { return commands_.last_command(); }
  [[nodiscard]] const LaunchId& launch() const { return launch_; }
  [[nodiscard]] const oplog::AgentPtr& agent() const { return agent_; }
  /// Time that pe_cpu takes to issue a command.
  [[nodiscard]] Time dispatch() const { return units_.dispatch; }
  [[nodiscard]] bool machine_runs() const { return *units_.machine_runs; }

  /// The rest is for implementations of commands. A command's values are reserved in program order, when the
  /// kernel asks; its work begins when it is its turn.
  [[nodiscard]] const PeUnits& units() const { return units_; }
  [[nodiscard]] PendingPtr pending(const Identity& what, std::source_location at);
  /// The same, for a command that sync() waits for.
  [[nodiscard]] PendingPtr under_way(const Identity& what, std::source_location at);
  /// A block's place in memory. KernelFault that names the call for unmapped addresses.
  void require_in_one_block(const Block& block, std::string_view call, const std::source_location& at) const;
  [[nodiscard]] Pieces translate(const Block& block, std::string_view call,
                                 const std::source_location& at) const;
  /// KernelFault if this run computes no numbers.
  void require_numbers(std::string_view call, const std::source_location& at) const;
  [[nodiscard]] oplog::ValueId reserve() { return units_.log->reserve(units_.lane); }
  /// For a transfer that carries out a command.
  [[nodiscard]] Transfer::Origin origin(std::string_view call, PendingPtr done);
  /// The tile that a command makes; it takes its bytes of the TCM by PeTile::take().
  [[nodiscard]] std::shared_ptr<PeTile> coming(oplog::ValueId value, Shape shape, DType dtype,
                                               const std::source_location& at);
  /// A send of `n` bytes, without its tile yet; it has its place in program order.
  [[nodiscard]] SendCommand outgoing(Dir dir, Bytes n, int tag, PendingPtr done);
  /// It leaves with the tile that `loaded` gives; later sends of its direction leave after it.
  void leave_with(PendingPtr loaded, SendCommand&& send);
  /// Whether a command that takes `n` bytes of the TCM may be issued now.
  [[nodiscard]] bool may_issue(Bytes n, const std::source_location& at) { return commands_.may_issue(n, at); }
  /// Likewise for a command that makes a tile: the fault names its type.
  [[nodiscard]] bool may_issue(Bytes n, const TileType& tile, const std::source_location& at) {
    return commands_.may_issue(n, tile, at);
  }
  /// Calls `issue` when it is its turn: at once if `now`.
  template <class Issue>
  void in_order(bool now, Bytes n, const std::source_location& at, Issue issue) {
    now ? issue() : commands_.stall(shared_from_this(), n, at, std::move(issue));
  }
  template <class Issue>
  void in_order(const std::source_location& at, Issue issue) {
    in_order(may_issue({}, at), {}, at, std::move(issue));
  }
  /// A command takes its turn; returns when it reaches its unit.
  [[nodiscard]] Time take_turn(const std::source_location& at);
  /// Cause of clock(), if causes are kept.
  [[nodiscard]] Cause clock_why() const { return commands_.why(); }
  void explain_tile(const PendingState& pending, Time done) const;

 private:
  void start(const EngineCommand& command, oplog::Op&& op, PeTile* result);
  void begin_accesses(const CompositeJob& job);
  static Task<> wait_idle(Simulation* sim, PendingPtr done, std::vector<PendingPtr> before, Time engines,
                          Cause why);
  Task<> evaluate(std::shared_ptr<KernelContext> self, PendingPtr done, oplog::Operand element, Time at,
                  Cause why);
  [[nodiscard]] oplog::Op described(const EngineCommand& command);
  [[nodiscard]] Time run(const EngineCommand& command, Time operands, const Cause& why, oplog::Op&& op);
  void because_of(const Cause& why) const;
  [[nodiscard]] Cause next_step() const;
  [[nodiscard]] Time idle(Time last);
  void leave(Time at, SendCommand&& send);
  void leave_in_turn(Time at, SendCommand&& send);
  Task<> leave_after(std::shared_ptr<KernelContext> self, std::shared_ptr<Event> before, Time at,
                     SendCommand send);
  Task<> leave_when_loaded(std::shared_ptr<KernelContext> self, PendingPtr loaded,
                           std::shared_ptr<Event> before, std::shared_ptr<Event> left, SendCommand send);
  [[nodiscard]] std::int64_t in_flight(const CompositeCommand& command) const;
  [[nodiscard]] std::optional<std::size_t> queue(Dir dir, Bytes n, Flow use,
                                                 const std::source_location& at) const;
  [[nodiscard]] KernelFault fault(const std::source_location& at, std::string_view text) const;

  PeUnits units_;
  std::string kernel_;
  LaunchId launch_;
  ProgramPlace programs_;
  IssueQueue commands_;
  oplog::AgentPtr agent_;
  oplog::IssuePtr issue_;  // the command that is being issued
  std::uint64_t order_ = 0;
  struct LastSend {
    Time at{};
    std::shared_ptr<Event> loaded;  // a send from memory has left
    Cause why = {};                 // of `at`, if causes are kept
  };
  std::map<std::size_t, LastSend> last_send_;  // by queue
  // A command that sync() waits for, as long as it has an owner.
  struct UnderWay
      : PendingState,
        std::enable_shared_from_this<UnderWay>,
        boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    using PendingState::PendingState;
  };
  boost::intrusive::list<UnderWay, boost::intrusive::constant_time_size<false>> under_way_;
  std::uint32_t barriers_ = 0;                      // so far
  std::uint32_t reached_ = 0;                       // of these, issued
  std::map<std::uint32_t, PendingPtr> in_barrier_;  // by number
  std::vector<std::weak_ptr<PendingState>> needing_others_;
  bool given_up_ = false;
  std::optional<std::string> dropped_;
  std::vector<PendingPtr> detached_;
};

/// The implementation of each kind of memory command: one file per kind.
[[nodiscard]] MemoryOps<KernelContext>& memory_ops();

}  // namespace kbsim::hw
