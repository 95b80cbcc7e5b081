#pragma once

#include "kbsim/hw/pe/parts_read.hpp"
#include "kbsim/hw/pe/transfer.hpp"
#include "kbsim/sim/event.hpp"
#include "kbsim/tl/wait_ids.hpp"

namespace kbsim::hw {

/// A composite's transfer for one of its tiles: into the scheduler's part of the TCM, or out of it. The
/// composite waits for done(); parts() has the memory's contents, by offset in the operand.
class StreamTransfer final : public Transfer {
 public:
  enum class Direction { in, out };
  StreamTransfer(Simulation& sim, Origin origin, Direction direction, Pieces pieces)
      : Transfer{std::move(origin), std::move(pieces)},
        done_{sim, CommandWait{direction == Direction::in ? "tile of a composite" : "store of a composite"}},
        in_{direction == Direction::in} {}

  [[nodiscard]] Event& done() { return done_; }
  [[nodiscard]] const PartsRead& parts() const { return parts_; }

  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override {
    return in_ ? read(site, bytes, token) : write(site, bytes, token);
  }
  [[nodiscard]] bool only_reads() const override { return in_; }
  void answered(std::int64_t offset, const oplog::Slices& contents) override { parts_.add(offset, contents); }
  void finish(const DmaSite&, Time) override { done_.set(); }
  /// The race check sees the whole composite instead.
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override { return std::nullopt; }

 private:
  Event done_;
  bool in_;
  PartsRead parts_;
};

}  // namespace kbsim::hw
