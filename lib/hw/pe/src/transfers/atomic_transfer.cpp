#include "kbsim/hw/pe/atomic_transfer.hpp"

#include <algorithm>

#include "kbsim/hw/locate.hpp"

namespace kbsim::hw {
namespace {

Pieces pieces_of(const Atomic& atomic) {
  Pieces pieces;
  for (const AtomicPart& part : atomic.parts)
    pieces.push_back({.memory = part.memory, .offset = part.offset});
  return pieces;
}

}  // namespace

AtomicTransfer::AtomicTransfer(Origin origin, std::shared_ptr<const Atomic> atomic,
                               std::shared_ptr<PeTile> into, Operands operands)
    : LoadTransfer{std::move(origin), pieces_of(*atomic), std::move(into)},
      atomic_{std::move(atomic)},
      operands_{std::move(operands)} {}

DmaRequest AtomicTransfer::next_request(const DmaSite& site, Bytes /*bytes*/, Token token) const {
  const MemoryAddress at = locate(*site.graph, next_piece().memory.pa);
  return {.to = at.memory,
          .body = AtomicRequest{.address = at.address,
                                .atomic = atomic_,
                                .part = next_index(),
                                .reply_to = site.tcm,
                                .token = token},
          .payload = atomic_->request_size(atomic_->parts[next_index()]),
          .whole = true};
}

std::optional<oplog::MemoryAccess> AtomicTransfer::access() const {
  oplog::MemoryAccess access = accesses(true);
  access.atomic = true;
  return access;
}

Cause AtomicTransfer::operands_why() const {
  Cause last;
  for (const TilePtr& operand : operands_) {
    if (operand) last = later(last, static_cast<const PeTile&>(*operand).why());
  }
  return last;
}

Time AtomicTransfer::operands_ready() const {
  Time ready{};
  for (const TilePtr& operand : operands_) {
    if (operand) ready = std::max(ready, static_cast<const PeTile&>(*operand).ready());
  }
  return ready;
}

}  // namespace kbsim::hw
