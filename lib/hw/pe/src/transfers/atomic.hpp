#pragma once

#include <array>

#include "kbsim/hw/memory/atomic.hpp"

#include "load.hpp"

namespace kbsim::hw {

/// Loads what elements of a memory were before the memory made something else of them. It leaves in requests
/// of one packet each, with the operands, which stay in TCM as long as it is under way.
class AtomicTransfer final : public LoadTransfer {
 public:
  using Operands = std::array<TilePtr, 2>;
  AtomicTransfer(Origin origin, std::shared_ptr<const Atomic> atomic, std::shared_ptr<PeTile> into,
                 Operands operands);

  [[nodiscard]] Bytes next_bytes(Bytes /*largest*/) const override { return next_piece().memory.bytes; }
  [[nodiscard]] bool only_reads() const override { return false; }
  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override;
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override;

  /// When all operands are.
  [[nodiscard]] Time operands_ready() const;
  /// Where causes are kept: why they are.
  [[nodiscard]] Cause operands_why() const;

 private:
  std::shared_ptr<const Atomic> atomic_;
  Operands operands_;
};

}  // namespace kbsim::hw
