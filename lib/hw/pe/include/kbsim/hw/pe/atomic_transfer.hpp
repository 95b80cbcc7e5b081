#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "kbsim/hw/memory/memory_atomic.hpp"
#include "kbsim/hw/pe/kernel_context.hpp"
#include "kbsim/hw/pe/load_transfer.hpp"
#include "kbsim/tl/atomic.hpp"

namespace kbsim::hw {

/// Loads the old values of elements that a memory changes. It leaves in requests of one packet each, with the
/// operands, which stay in TCM while it is under way.
class AtomicTransfer final : public LoadTransfer {
 public:
  using Operands = std::array<TilePtr, 2>;
  AtomicTransfer(Origin origin, std::shared_ptr<const Atomic> atomic, std::shared_ptr<PeTile> into,
                 Operands operands);

  [[nodiscard]] Bytes next_bytes(Bytes /*largest*/) const override { return next_piece().memory.bytes; }
  [[nodiscard]] bool only_reads() const override { return false; }
  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override;
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override;

  /// When all operands are ready.
  [[nodiscard]] Time operands_ready() const;
  /// Cause of operands_ready(), if causes are kept.
  [[nodiscard]] Cause operands_why() const;

 private:
  std::shared_ptr<const Atomic> atomic_;
  Operands operands_;
};

/// The transfer of an atomic, in parts that memories serve whole; its tile's bytes aren't taken yet. `what`
/// names it in faults, `call` in races.
[[nodiscard]] std::shared_ptr<AtomicTransfer> atomic_transfer(KernelContext& pe, const AtomicCommand& command,
                                                              std::string_view what, std::string_view call,
                                                              PendingPtr done);

}  // namespace kbsim::hw
