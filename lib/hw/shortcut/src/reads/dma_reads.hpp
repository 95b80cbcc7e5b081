#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kbsim/hw/pe/dma_engine.hpp"
#include "kbsim/sim/pool_allocator.hpp"

#include "../i_link_claim.hpp"
#include "read_schedule.hpp"

namespace kbsim::hw {

/// Reserves a DMA's reads of up to a packet from one slice, while it has no other work. Takes over the reads
/// that are under way. When the schedule ends, reads that have been sent continue hop by hop.
class DmaReads final : private ILinkClaim {
 public:
  explicit DmaReads(DmaEngine& engine) : engine_{engine}, fabric_{engine.network()} {}

  [[nodiscard]] bool active() const { return schedule_ != nullptr && schedule_->active(); }
  /// Begins a schedule for the reads that wait. False: it can't, or too few wait.
  [[nodiscard]] bool begin();
  /// Reserves more of them. False: the schedule has ended, and other traffic may be sent now.
  [[nodiscard]] bool go_on();
  /// Finishes transfers whose last answer has arrived, if `number` is that of the present schedule.
  void is_due(Token number);
  [[nodiscard]] bool finishes(const TransferPtr& transfer) const;

 private:
  static constexpr auto kClass = static_cast<std::size_t>(TrafficClass::request);
  [[nodiscard]] DmaQueue& reads() { return engine_.queues()[kClass]; }
  [[nodiscard]] bool others_wait();
  void wake_at(Time at);
  [[nodiscard]] bool take_over(const ReadSchedule::Terms& terms, const ReadSchedule::Port& port);
  [[nodiscard]] static bool pays(const DmaQueue& queue);
  [[nodiscard]] bool is_mine(const Message& message) const;
  void add_answers();
  void add_packets(PoolVector<Packet*> packets);
  void record_contents(const ReadSchedule::ReservedTransfer& reserved, std::uint64_t end);
  void end(const Cut& cut);
  void continue_read(const TransferPtr& transfer, std::uint64_t index, const ReadPath::ReadState& where,
                     const Cut& cut);
  void leave_port(const ReadSchedule::Port& port);
  [[nodiscard]] std::optional<Lane::Slot> yield(LiveLink& link, const Packet& packet, Time overhead) override;
  void flush() override;
  [[nodiscard]] Cut by_now() const;
  void break_off(const Cut& cut);

  DmaEngine& engine_;
  Fabric& fabric_;
  std::unique_ptr<ReadSchedule> schedule_;  // from the first reads on
  Token number_ = 0;                        // of the present schedule
  std::uint32_t pause_ = 0;                 // number of tries to skip before the next begins
  std::uint32_t broken_ = 0;                // the next pause is 2^broken_ long
};

}  // namespace kbsim::hw
