#pragma once

#include "kbsim/hw/pe/issue_queue.hpp"
#include "kbsim/hw/pe/pe_tile.hpp"
#include "kbsim/hw/pe/pe_units.hpp"
#include "kbsim/tl/backend.hpp"

namespace kbsim::hw {

/// Commands to the engines of the PE: products to pe_gemm, all other work to pe_math. Their operands all know
/// when they are ready, so a command's start and end are known at issue.
class EngineCommands {
 public:
  EngineCommands(const PeUnits& units, IssueQueue& turns) : units_{units}, turns_{turns} {}

  /// The operation that the command is recorded as, with a value of its own.
  [[nodiscard]] oplog::Op described(const EngineCommand& command) const;
  /// It is the command's turn. `result`: its tile, which takes its bytes now; null for reports.
  void start(const EngineCommand& command, oplog::Op&& op, PeTile* result);
  /// When the engines are done; not before `last`.
  [[nodiscard]] Time idle(Time last) const;

 private:
  [[nodiscard]] Time run(const EngineCommand& command, Time operands, const Cause& why, oplog::Op&& op);
  [[nodiscard]] Time note(Time operands, const Cause& why, oplog::Op&& op);

  const PeUnits& units_;
  IssueQueue& turns_;
};

}  // namespace kbsim::hw
