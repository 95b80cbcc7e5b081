#pragma once

#include "kbsim/hw/pe/parts_read.hpp"
#include "kbsim/hw/pe/pe_tile.hpp"
#include "kbsim/hw/pe/transfer.hpp"
#include "kbsim/tl/pending_state.hpp"

namespace kbsim::hw {

/// Memory to TCM: done when the last byte is in TCM. The rest of the tile is padding, which costs nothing.
class LoadTransfer : public Transfer {
 public:
  struct Padding {
    oplog::ValueId value;  // reserved; none if there is no rest
    double pad = 0.0;
  };
  /// `from` in ascending order of offset.
  LoadTransfer(Origin origin, Pieces from, std::shared_ptr<PeTile> into, Padding padding)
      : Transfer{std::move(origin), std::move(from)}, into_{std::move(into)}, padding_{padding} {}
  LoadTransfer(Origin origin, Pieces from, std::shared_ptr<PeTile> into)
      : LoadTransfer{std::move(origin), std::move(from), std::move(into), {}} {}

  [[nodiscard]] PeTile& into() const { return *into_; }

  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override {
    return read(site, bytes, token);
  }
  [[nodiscard]] bool only_reads() const override { return true; }
  void answered(std::int64_t offset, const oplog::Slices& contents) override { parts_.add(offset, contents); }
  void finish(const DmaSite& site, Time now) override;
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override { return accesses(false); }

 protected:
  /// The tile is there: recorded, ready.
  void deliver(const DmaSite& site, Time now);
  void complete(Time now) { origin().pending->complete(into_, now); }

 private:
  [[nodiscard]] oplog::Operand loaded(const DmaSite& site) const;

  std::shared_ptr<PeTile> into_;
  Padding padding_;
  PartsRead parts_;
};

}  // namespace kbsim::hw
