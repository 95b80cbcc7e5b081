#pragma once

#include "kbsim/hw/memory/slot_messages.hpp"
#include "kbsim/hw/pe/pe_tile.hpp"
#include "kbsim/hw/pe/transfer.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

/// TCM to a slot of a neighbour's ring, as one request: done when the last byte has left TCM.
class SlotTransfer final : public Transfer {
 public:
  struct Slot {
    topology::PhysRange memory;
    NodeId receiver;  // the pe_ipcq that waits for it
    SlotHeader header;
    Bytes vc_chunk;  // as in QueueSet
  };
  SlotTransfer(Origin origin, const Slot& slot, TilePtr tile)
      : Transfer{std::move(origin), {{.memory = slot.memory}}}, slot_{slot}, tile_{std::move(tile)} {}

  [[nodiscard]] TrafficClass traffic_class() const override { return TrafficClass::ipcq; }
  [[nodiscard]] Bytes vc_chunk() const override { return slot_.vc_chunk; }
  [[nodiscard]] Bytes next_bytes(Bytes /*largest*/) const override { return next_piece().memory.bytes; }
  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override;
  void finish(const DmaSite& site, Time now) override {
    record(site, now, static_cast<const PeTile&>(*tile_));
    origin().pending->complete(nullptr, now);
  }
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override { return std::nullopt; }

 private:
  Slot slot_;
  TilePtr tile_;
};

}  // namespace kbsim::hw
