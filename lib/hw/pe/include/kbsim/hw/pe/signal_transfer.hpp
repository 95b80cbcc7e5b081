#pragma once

#include "kbsim/hw/pe/load_transfer.hpp"
#include "kbsim/tl/signal.hpp"

namespace kbsim::hw {

/// Loads a word when it meets the condition; if the launch was given up, no command gets it. It takes no room
/// in the DMA's window: the signal that it waits for may have to leave by the same DMA.
class SignalTransfer final : public LoadTransfer {
 public:
  SignalTransfer(Origin origin, const Piece& word, std::shared_ptr<PeTile> into, const Condition& until)
      : LoadTransfer{std::move(origin), {word}, std::move(into)}, until_{until} {}

  [[nodiscard]] bool only_reads() const override { return false; }
  [[nodiscard]] DmaRequest next_request(const DmaSite& site, Bytes bytes, Token token) const override;
  [[nodiscard]] std::optional<oplog::MemoryAccess> access() const override;
  void finish(const DmaSite& site, Time now) override;

 private:
  Condition until_;
};

}  // namespace kbsim::hw
