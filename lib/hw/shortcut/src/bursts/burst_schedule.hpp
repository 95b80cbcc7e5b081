#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/sim/pool_allocator.hpp"

#include "../i_link_claim.hpp"
#include "burst.hpp"

namespace kbsim::hw {

struct Reservations;

/// Bursts of a unit: packets that it sends from a memory next to it, in consecutive arbitration slots. They
/// pass the memory's port, a link to the unit, and a link to a node that only passes packets on. A burst of
/// one message, or of two that alternate, is reserved ahead: no events before that node. Another packet at
/// the port or on these links revokes the slots that are yet to come.
class BurstSchedule {
 public:
  /// A packet with its slot at t enters `port` at t + `latency`.
  struct Source {
    NodeId memory;
    NodeId unit;
    Lane* port = nullptr;
    Time latency{};
  };
  /// The holder calls end() when it must yield.
  BurstSchedule(Fabric& fabric, const Source& source, ILinkClaim& holder);
  BurstSchedule(const BurstSchedule&) = delete;
  BurstSchedule& operator=(const BurstSchedule&) = delete;

  /// Slots from now on, `gap` apart, for the next packets of one open message, or of two that alternate. The
  /// second of two has sent packets before. The last packet of a single message may be shorter; its slot
  /// follows the others.
  struct ArbitrationSlots {
    Message* message = nullptr;
    Message* other = nullptr;
    Bytes size;  // of each packet
    Time gap{};
    std::int64_t most = 0;
    Bytes shorter;  // none: 0
  };
  /// Reserves up to `most` packets, and then the shorter one; returns how many. The slots of earlier bursts
  /// must be past.
  [[nodiscard]] std::int64_t begin(const ArbitrationSlots& slots);
  /// Sends a packet of the message that is in no burst; it leaves the port in that slot.
  void send(Message& message, Bytes size, Lane::Slot slot);
  /// Other packets leave the port at that time.
  void pass(Time at) { passing_ = std::max(passing_, at); }

  /// True if a packet of a burst arrives at the unit at this time.
  [[nodiscard]] bool crosses_now() const;
  /// True if links are claimed. Bursts whose packets have all crossed claim none.
  [[nodiscard]] bool has_claim();
  /// Number of slots of the last burst that are past. A slot at this time counts if `present`.
  [[nodiscard]] std::int64_t slots_past(bool present) const {
    return bursts_.back().slots_past(fabric_->sim().now(), present);
  }
  /// When packet `i` of the last burst has its slot; left(): when its last byte has passed the port.
  [[nodiscard]] Time slot_time(std::int64_t i) const {
    return bursts_.back().first_slot + i * bursts_.back().gap;
  }
  [[nodiscard]] Time left(std::int64_t i) const { return bursts_.back().at_port(i).tail; }

  /// When a packet in no burst, which is at the unit now, crosses the second link of a burst after that
  /// overhead. nullopt if a packet of a burst might wait for it.
  [[nodiscard]] std::optional<Lane::Slot> between(LiveLink& link, const Packet& packet, Time overhead);
  /// Ends all bursts; everything that has happened by now stays. Packets that have had their slot continue
  /// by events; the others get none.
  void end(bool present);
  /// Asks the holder to end the bursts.
  void yield() { holder_->flush(); }
  /// Its index in Claims.
  void set_index(std::size_t index) { index_ = index; }

 private:
  using Edge = Burst::Edge;
  using Server = Burst::Server;
  static constexpr Time kNever{-1};
  // A packet in no burst, on its way to the node after both links.
  struct Alone {
    Packet* packet = nullptr;
    Message* message = nullptr;
    std::uint64_t sequence = 0;  // the message's
    std::uint32_t ordinal = 0;
    Edge left{};
  };

  void drop_past();
  [[nodiscard]] bool can_reserve(const Message& message) const;
  [[nodiscard]] bool takes_over();
  [[nodiscard]] bool takes_over(const Alone& alone);
  [[nodiscard]] Burst burst_of(const ArbitrationSlots& slots) const;
  void pass_first(Burst& burst, Burst::Servers& servers) const;
  void enter(Burst& burst, std::int64_t most);
  void enter_shorter(Burst& burst, Bytes size) const;
  [[nodiscard]] bool paces(const Burst& burst, Burst::Servers servers) const;
  [[nodiscard]] Edge over_port(Server& server, Time slot) const;
  [[nodiscard]] Edge over_first(const Burst& burst, Server& server, const Edge& left) const;
  [[nodiscard]] Edge over_second(const Burst::Flow& flow, Server& server, const Edge& arrived) const;
  void add_alone(Packet& packet, const Edge& left);
  [[nodiscard]] bool is_between(const Alone& one) const;
  void claim(const Burst& burst);
  void claim_links(const Burst& burst, ILinkClaim* holder);
  [[nodiscard]] Burst::Progress progress(const Burst& burst, bool present) const;
  [[nodiscard]] std::optional<Packet> present_one(const Burst& burst, const Edge& at,
                                                  std::uint32_t port) const;
  void reserve(const Burst& burst, const Burst::Progress& packets) const;
  void reserve_second(const Burst& burst, std::size_t flow, Lane& lane, std::int64_t crossed) const;
  static void pass(const Burst& burst, Lane& lane, const Edge& at, std::int64_t count, Time gap, Bytes last,
                   Time sooner);
  void continue_by_events(const Burst& burst, const Burst::Progress& from);
  void leave_out(const Burst& burst, std::size_t flow, std::int64_t from);
  void unsend(const Burst& burst, std::size_t flow, std::int64_t sent, std::int64_t of);
  void continue_packet(const Burst& burst, std::int64_t i, std::uint32_t hop, const Edge& from);

  Fabric* fabric_;
  Reservations* reservations_;
  Source source_;
  ILinkClaim* holder_;
  Time over_memory_;  // overhead of the memory
  Time over_unit_;
  PoolVector<Burst> bursts_;
  std::size_t index_ = 0;    // in Claims, unless bursts_ is empty
  PoolVector<Alone> alone_;  // in order of leaving the port
  Time passing_ = kNever;    // when the last of the others left that may not be at the unit yet
};

}  // namespace kbsim::hw
