#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "kbsim/hw/pe/dma_engine.hpp"

#include "../i_link_claim.hpp"
#include "burst_schedule.hpp"

namespace kbsim::hw {

/// Reserves a DMA's arbitration slots: for packets of one message while no other class may send, or of two
/// messages that alternate packet by packet.
class DmaBursts final : private ILinkClaim {
 public:
  explicit DmaBursts(DmaEngine& engine) : engine_{engine}, fabric_{engine.network()} {}

  /// True if reserved slots are yet to come.
  [[nodiscard]] bool active() const { return burst_.count > 0; }
  /// True if packets of a burst are yet to cross the links that it claims.
  [[nodiscard]] bool has_claim() { return schedule_ != nullptr && schedule_->has_claim(); }
  /// True if a packet of a burst arrives at the DMA now.
  [[nodiscard]] bool passes_now() const { return schedule_ != nullptr && schedule_->crosses_now(); }
  /// See IDmaPlan::plan_burst().
  [[nodiscard]] std::optional<Time> plan(DmaQueue& queue, Bytes size, Time gap);
  /// Counts the slots that are past; one of this time is past if `present`.
  void take_turns(bool present);
  /// True if a class outside the burst may send.
  [[nodiscard]] bool has_rival();
  /// True if all of the class's first transfer is sent with the burst's last slot.
  [[nodiscard]] bool ends(const DmaQueue& queue) const;
  /// Revokes the slots that are yet to come.
  void end(bool present);
  void send(Message& message, Bytes size, Lane::Slot slot);
  void leave(Time at);
  void before_read();

 private:
  struct PlannedFlow {
    DmaQueue* queue = nullptr;
    std::int64_t left = 0;  // slots that the queue hasn't counted yet
    bool all = false;       // all of the transfer is sent then
  };
  struct PlannedBurst {
    std::array<PlannedFlow, 2> flows{};
    std::int64_t flow_count = 1;
    Bytes size;  // of each packet
    std::int64_t count = 0;
    std::int64_t taken = 0;  // slots that the queues have counted
    Bytes less;              // the last packet is shorter by this
  };
  [[nodiscard]] BurstSchedule* schedule();
  void follow(DmaQueue& queue, DmaQueue* other, const PlannedBurst& reserved);
  [[nodiscard]] DmaQueue* rival_of(const DmaQueue& queue, const DmaQueue* but = nullptr);
  [[nodiscard]] bool takes_turns(const DmaQueue& queue, const DmaQueue& other, Bytes size);
  [[nodiscard]] bool had_turn() const;
  [[nodiscard]] std::optional<Lane::Slot> yield(LiveLink& link, const Packet& packet, Time overhead) override;
  void flush() override;

  DmaEngine& engine_;
  Fabric& fabric_;
  PlannedBurst burst_;                       // some of its slots are yet to come
  std::unique_ptr<BurstSchedule> schedule_;  // from the first burst on
  Token ends_ = 0;                           // number of bursts that end a transfer
};

}  // namespace kbsim::hw
