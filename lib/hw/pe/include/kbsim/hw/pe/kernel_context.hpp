#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include <boost/intrusive/list.hpp>

#include "kbsim/base/flow.hpp"
#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/launch_id.hpp"
#include "kbsim/hw/pe/issue_queue.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/oplog/evaluator.hpp"
#include "kbsim/oplog/log.hpp"
#include "kbsim/sim/process.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/block.hpp"

namespace kbsim::hw {

class IGemm;
class IIpcq;
class IMath;
class IMmu;
class IScheduler;

/// Who tells a launch's other PEs that its kernel here has come to a barrier.
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
/// An engine command's operands all know when they are ready, so its start and end are known when it is
/// issued; what leaves the PE is handed to the scheduler at max(issue clock, operand ready), a send not
/// before those of its direction that were issued earlier.
class KernelContext : public PeBackend, public std::enable_shared_from_this<KernelContext> {
 public:
  /// `agent` is what it is in the look for races, if somebody looks.
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

  /// All PEs of the launch have come to this barrier.
  void passed(std::uint32_t number);
  /// Others of the launch were given up: barriers and signals that it waits for, now or later, end with
  /// LaunchAborted.
  void give_up();
  /// It waits for what another kernel of the launch does.
  void needs_others(const PendingPtr& pending);
  /// Adds the barriers that it has come to and not passed.
  void add_barriers(std::vector<std::uint32_t>& numbers) const;
  /// It has asked for this barrier, behind a command that waits for room in the TCM.
  [[nodiscard]] bool stalled_before(std::uint32_t barrier) const {
    return barrier > reached_ && in_barrier_.contains(barrier);
  }

  /// What tiles hold; a tile that goes is free from `when` on.
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
  /// Of a command, by pe_cpu.
  [[nodiscard]] Time dispatch() const { return units_.dispatch; }
  [[nodiscard]] bool machine_runs() const { return *units_.machine_runs; }

  /// The rest is for those who carry out kinds of commands. What one makes is reserved in program order, when
  /// the kernel asks; what it does begins when it is its turn.
  [[nodiscard]] const PeUnits& units() const { return units_; }
  [[nodiscard]] PendingPtr pending(const Identity& what, std::source_location at);
  /// The same, of one that sync() waits for.
  [[nodiscard]] PendingPtr under_way(const Identity& what, std::source_location at);
  /// Where a block lies. KernelFault that names the call, for what isn't mapped.
  void require_in_one_block(const Block& block, std::string_view call, const std::source_location& at) const;
  [[nodiscard]] Pieces translate(const Block& block, std::string_view call,
                                 const std::source_location& at) const;
  /// KernelFault if this run computes no numbers.
  void require_numbers(std::string_view call, const std::source_location& at) const;
  [[nodiscard]] oplog::ValueId reserve() { return units_.log->reserve(units_.lane); }
  /// Of a transfer that carries out a command.
  [[nodiscard]] Transfer::Origin origin(std::string_view call, PendingPtr done);
  /// The tile that a command makes; it takes its bytes of the TCM when told to.
  [[nodiscard]] std::shared_ptr<PeTile> coming(oplog::ValueId value, Shape shape, DType dtype,
                                               const std::source_location& at);
  /// A send of so many bytes, its tile to be filled in; it has its place in the program's order.
  [[nodiscard]] SendCommand outgoing(Dir dir, Bytes n, int tag, PendingPtr done);
  /// It leaves with the tile that `loaded` gives, and those of its direction behind it after it.
  void leave_with(PendingPtr loaded, SendCommand&& send);
  /// Whether a command that takes so much of the TCM may be issued now.
  [[nodiscard]] bool may_issue(Bytes n, const std::source_location& at) { return commands_.may_issue(n, at); }
  /// Likewise; the tile that it makes is named where there is no room.
  [[nodiscard]] bool may_issue(Bytes n, const TileType& tile, const std::source_location& at) {
    return commands_.may_issue(n, tile, at);
  }
  /// Calls `issue` when it is its turn: now if it may.
  template <class Issue>
  void in_order(bool now, Bytes n, const std::source_location& at, Issue issue) {
    now ? issue() : commands_.stall(shared_from_this(), n, at, std::move(issue));
  }
  template <class Issue>
  void in_order(const std::source_location& at, Issue issue) {
    in_order(may_issue({}, at), {}, at, std::move(issue));
  }
  /// A command takes its turn: when it reaches its unit.
  [[nodiscard]] Time take_turn(const std::source_location& at);
  /// Where causes are kept: why clock() is what it is.
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
    std::shared_ptr<Event> loaded;  // of one from memory: it has left
    Cause why = {};                 // at `at`, if causes are kept
  };
  std::map<std::size_t, LastSend> last_send_;  // by queue
  // A command that sync() waits for, as long as anybody has it.
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

/// What this machine does for each kind of memory command: a file a kind.
[[nodiscard]] MemoryOps<KernelContext>& memory_ops();

}  // namespace kbsim::hw
