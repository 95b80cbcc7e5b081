#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "kbsim/hw/launch_id.hpp"
#include "kbsim/hw/pe/engine_commands.hpp"
#include "kbsim/hw/pe/issue_queue.hpp"
#include "kbsim/hw/pe/kernel_addresses.hpp"
#include "kbsim/hw/pe/pe_commands.hpp"
#include "kbsim/hw/pe/pe_units.hpp"
#include "kbsim/hw/pe/peer_waits.hpp"
#include "kbsim/hw/pe/pending_commands.hpp"
#include "kbsim/hw/pe/send_turns.hpp"
#include "kbsim/tl/backend.hpp"
#include "kbsim/tl/memory_ops.hpp"

namespace kbsim::hw {

/// One run of a kernel on a PE, as the backend of its calls. A command's values and its bytes of the TCM are
/// reserved when the kernel asks; its work begins when it is its turn. Commands that leave the PE go to the
/// scheduler at max(issue clock, operand ready).
class KernelContext : public PeBackend, public std::enable_shared_from_this<KernelContext> {
 public:
  /// `agent` is its thread in the race check, if races are looked for.
  KernelContext(const PeUnits& units, const std::string& kernel, LaunchId launch,
                std::optional<ProgramPlace> programs, oplog::AgentPtr agent);

  [[nodiscard]] const ProgramPlace& grid() const override { return programs_; }
  [[nodiscard]] PeCoord place() const override { return units_.at; }
  [[nodiscard]] MachineShape machine() const override;
  [[nodiscard]] std::shared_ptr<const TensorLayout> layout(std::uint64_t va) const override {
    return addresses_.layout(va);
  }
  [[nodiscard]] Time clock() const override { return turns_.clock(); }
  void observe(Time t) override { turns_.observe(t); }
  void awaited(const PendingState& pending, Time done) override;

  void count(const std::source_location& at) override { turns_.count(at); }
  void work(Time time, const std::source_location& at) override {
    in_order(at, [this, time, at] { turns_.work(time, at); });
  }
  [[nodiscard]] TilePtr execute(const EngineCommand& command) override;
  [[nodiscard]] TilePtr view(const TilePtr& tile, Shape shape, DType dtype) override;
  void range(std::string_view name, Time begin, Time end) override;
  [[nodiscard]] PendingPtr issue(const MemoryCommand& command) override;
  [[nodiscard]] PendingPtr send(Dir dir, const TilePtr& tile, int tag, std::source_location at) override;
  [[nodiscard]] PendingPtr recv(Dir dir, Shape shape, DType dtype, int tag, std::source_location at) override;
  void dropped(const PendingState& pending) noexcept override { commands_.dropped(pending); }
  void detached(PendingPtr pending) override { commands_.detached(std::move(pending)); }

  [[nodiscard]] PendingPtr composite(const CompositeCommand& command) override;
  [[nodiscard]] PendingPtr barrier(std::source_location at) override;
  [[nodiscard]] PendingPtr sync(std::source_location at) override;
  [[nodiscard]] PendingPtr item(const TilePtr& tile, std::int64_t element, std::source_location at) override;

  [[nodiscard]] const LaunchId& launch() const { return launch_; }
  [[nodiscard]] const PeUnits& units() const { return units_; }
  /// Turns of its commands, and the TCM that they may take.
  [[nodiscard]] IssueQueue& turns() { return turns_; }
  [[nodiscard]] const IssueQueue& turns() const { return turns_; }
  [[nodiscard]] PendingCommands& commands() { return commands_; }
  [[nodiscard]] PeerWaits& peers() { return peers_; }
  [[nodiscard]] const PeerWaits& peers() const { return peers_; }
  [[nodiscard]] const KernelAddresses& addresses() const { return addresses_; }
  [[nodiscard]] SendTurns& sends() { return sends_; }

  /// The rest is for implementations of commands. For a transfer that carries out a command.
  [[nodiscard]] Transfer::Origin origin(std::string_view call, PendingPtr done);
  /// The tile that a command makes; it takes its bytes of the TCM by PeTile::take().
  [[nodiscard]] std::shared_ptr<PeTile> coming(oplog::ValueId value, Shape shape, DType dtype,
                                               const std::source_location& at);
  /// A send of `n` bytes, without its tile yet; it has its place in program order.
  [[nodiscard]] SendCommand outgoing(Dir dir, Bytes n, int tag, PendingPtr done);
  /// Calls `issue` when it is its turn and there is room for `n` bytes: at once if `now`.
  template <class Issue>
  void in_order(bool now, Bytes n, const std::source_location& at, Issue issue) {
    now ? issue() : turns_.stall(shared_from_this(), n, at, std::move(issue));
  }
  template <class Issue>
  void in_order(const std::source_location& at, Issue issue) {
    in_order(turns_.may_issue({}, at), {}, at, std::move(issue));
  }

 private:
  PeUnits units_;
  std::string kernel_;
  LaunchId launch_;
  ProgramPlace programs_;
  oplog::AgentPtr agent_;
  oplog::IssuePtr issue_;  // the command that is being issued
  std::uint64_t order_ = 0;
  IssueQueue turns_;
  KernelAddresses addresses_{units_};
  EngineCommands engines_{units_, turns_};
  PendingCommands commands_{*this, units_, turns_, engines_};
  PeerWaits peers_{units_, launch_, agent_};
  SendTurns sends_{units_};
};

/// The implementation of each kind of memory command: one file per kind.
[[nodiscard]] MemoryOps<KernelContext>& memory_ops();

}  // namespace kbsim::hw
