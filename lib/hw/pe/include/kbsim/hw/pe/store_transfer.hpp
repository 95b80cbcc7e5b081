#pragma once

#include "kbsim/hw/pe/pe_tile.hpp"
#include "kbsim/hw/pe/transfer.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

/// TCM to memory: done when the memory has acknowledged all of it. Bytes of the tile in no piece aren't
/// written.
class StoreTransfer final : public Transfer {
 public:
  StoreTransfer(Origin origin, Pieces to, TilePtr tile)
      : Transfer{std::move(origin), std::move(to)}, tile_{std::move(tile)} {}

  /// When the operand's bytes are ready.
  [[nodiscard]] Time ready() const { return static_cast<const PeTile&>(*tile_).ready(); }

  /// Cause of ready(), if causes are kept.
  [[nodiscard]] const Cause& why() const { return static_cast<const PeTile&>(*tile_).why(); }

  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override {
    return write(site, bytes, token);
  }
  void finish(const DmaSite& site, Time now) override {
    record(site, now, static_cast<const PeTile&>(*tile_));
    origin().pending->complete(nullptr, now);
  }
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override { return accesses(true); }

 private:
  TilePtr tile_;
};

}  // namespace kbsim::hw
