#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kbsim/hw/pe/dma_engine.hpp"
#include "kbsim/sim/pool_allocator.hpp"

#include "../i_link_claim.hpp"
#include "read_schedule.hpp"

namespace kbsim::hw {

/// Plans the reads of a DMA while it has nothing else to do: reads of up to a packet from one slice. Takes
/// over reads that are under way. When it ends, reads that have been sent go on by events.
class DmaReads final : private ILinkClaim {
 public:
  explicit DmaReads(DmaEngine& engine) : engine_{engine}, fabric_{engine.network()} {}

  [[nodiscard]] bool active() const { return schedule_ != nullptr && schedule_->active(); }
  /// Plans the reads that wait. False: it can't, or it wouldn't pay.
  [[nodiscard]] bool begin();
  /// Plans more of them. False: the plan has ended, and other traffic may be sent now.
  [[nodiscard]] bool go_on();
  /// Finishes transfers whose last answer has arrived, if `number` is that of the present plan.
  void is_due(Token number);
  [[nodiscard]] bool finishes(const TransferPtr& transfer) const;

 private:
  static constexpr auto kClass = static_cast<std::size_t>(TrafficClass::request);
  [[nodiscard]] DmaQueue& reads() { return engine_.queues()[kClass]; }
  [[nodiscard]] bool others_wait();
  void come_at(Time at);
  [[nodiscard]] bool takes_over(const ReadStream::Terms& terms, const ReadStream::Port& port);
  [[nodiscard]] static bool pays(const DmaQueue& queue);
  [[nodiscard]] bool is_mine(const Message& message) const;
  void follow_answers();
  void follow_packets(PoolVector<Packet*> packets);
  void record_contents(const ReadStream::ReservedTransfer& reserved, std::uint64_t end);
  void end(const Reached& reached);
  void goes_on(const TransferPtr& transfer, std::uint64_t index, const ReadLanes::Moving& where,
               const Reached& reached);
  void leave_port(const ReadStream::Port& port);
  [[nodiscard]] std::optional<Lane::Slot> yield(LiveLink& link, const Packet& packet, Time overhead) override;
  void flush() override;
  [[nodiscard]] Reached by_now() const;
  void break_off(const Reached& reached);

  DmaEngine& engine_;
  Fabric& fabric_;
  std::unique_ptr<ReadStream> schedule_;  // from the first plan on
  Token number_ = 0;                      // of the present plan
  std::uint32_t pause_ = 0;               // number of tries to skip before the next begins
  std::uint32_t broken_ = 0;              // the next pause is 2^broken_ long
};

}  // namespace kbsim::hw
