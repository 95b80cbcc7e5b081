#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "kbsim/hw/pe/dma_engine.hpp"

#include "../i_link_claim.hpp"
#include "burst.hpp"

namespace kbsim::hw {

/// Plans the turns of a message's packets while no other class may send, or of two messages that take turns
/// packet by packet.
class DmaBursts final : private ILinkClaim {
 public:
  explicit DmaBursts(DmaEngine& engine) : engine_{engine}, fabric_{engine.network()} {}

  /// True if planned turns are yet to come.
  [[nodiscard]] bool active() const { return run_.count > 0; }
  /// True if planned packets are yet to cross their links.
  [[nodiscard]] bool holds() { return paced_ != nullptr && paced_->holds(); }
  /// True if a planned packet passes the DMA now.
  [[nodiscard]] bool passes_now() const { return paced_ != nullptr && paced_->crosses_now(); }
  /// See IDmaPlan::plan_burst().
  [[nodiscard]] std::optional<Time> plan(DmaQueue& queue, Bytes size, Time gap);
  /// Counts the turns that are past; one of this time is past if `present`.
  void take_turns(bool present);
  /// True if a class outside the burst may send.
  [[nodiscard]] bool has_rival();
  /// True if the first transfer of the class is all sent when the burst has had its turns.
  [[nodiscard]] bool ends(const DmaQueue& queue) const;
  /// Revokes the turns that are yet to come.
  void end(bool present);
  void send(Message& message, Bytes size, Lane::Slot slot);
  void leave(Time at);
  void before_read();

 private:
  struct ReservedPart {
    DmaQueue* queue = nullptr;
    std::int64_t left = 0;  // turns that the queue hasn't counted yet
    bool all = false;       // the transfer is all sent then
  };
  struct ReservedRun {
    std::array<ReservedPart, 2> parts{};
    std::int64_t ways = 1;  // number of parts
    Bytes size;             // of each packet
    std::int64_t count = 0;
    std::int64_t taken = 0;  // turns that the queues have counted
    Bytes less;              // bytes that the last is shorter, if one class has them
  };
  [[nodiscard]] PacedRuns* paced();
  void follow(DmaQueue& queue, DmaQueue* other, const ReservedRun& reserved);
  [[nodiscard]] DmaQueue* rival_of(const DmaQueue& queue, const DmaQueue* but = nullptr);
  [[nodiscard]] bool takes_turns(const DmaQueue& queue, const DmaQueue& other, Bytes size);
  [[nodiscard]] bool had_turn() const;
  [[nodiscard]] std::optional<Lane::Slot> yield(LiveLink& link, const Packet& packet, Time overhead) override;
  void flush() override;

  DmaEngine& engine_;
  Fabric& fabric_;
  ReservedRun run_;                   // whose turns are to come
  std::unique_ptr<PacedRuns> paced_;  // from the first on
  Token ends_ = 0;                    // number of bursts that end a transfer
};

}  // namespace kbsim::hw
