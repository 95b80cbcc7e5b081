#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "kbsim/hw/pe/engine_commands.hpp"
#include "kbsim/sim/task.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

/// The commands of a kernel that it can await, and what its end waits for.
class PendingCommands {
 public:
  PendingCommands(PeBackend& kernel, const PeUnits& units, IssueQueue& turns, const EngineCommands& engines)
      : kernel_{kernel}, units_{units}, turns_{turns}, engines_{engines} {}

  [[nodiscard]] PendingPtr pending(const Identity& what, std::source_location at);
  /// The same, for a command that sync() waits for.
  [[nodiscard]] PendingPtr under_way(const Identity& what, std::source_location at);
  /// The commands for which a sync waits if it is asked for at this time. The race check learns that it
  /// includes all.
  [[nodiscard]] std::vector<PendingPtr> before(const PendingState& sync);

  /// See PeBackend.
  void dropped(const PendingState& pending) noexcept;
  void detached(PendingPtr pending) { detached_.push_back(std::move(pending)); }

  /// The kernel has returned: waits for what it detached and for the PE's engines. KernelFault if it
  /// dropped something that it never awaited.
  [[nodiscard]] Task<> finish();
  /// The kernel was stopped: waits for what it has under way and for the PE's engines.
  [[nodiscard]] Task<> wind_down();

 private:
  // A command that sync() waits for, as long as it has an owner.
  struct UnderWay
      : PendingState,
        std::enable_shared_from_this<UnderWay>,
        boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    using PendingState::PendingState;
  };

  PeBackend& kernel_;
  const PeUnits& units_;
  IssueQueue& turns_;
  const EngineCommands& engines_;
  boost::intrusive::list<UnderWay, boost::intrusive::constant_time_size<false>> under_way_;
  std::optional<std::string> dropped_;
  std::vector<PendingPtr> detached_;
};

}  // namespace kbsim::hw
