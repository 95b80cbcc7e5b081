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

namespace kbsim::hw {

class Reservations;
struct BurstEntry;

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
  [[nodiscard]] std::int64_t slots_past(bool present) const { return slots_past(bursts_.back(), present); }
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
  static constexpr Time kNever{-1};
  // When the first and the last byte of the first packet arrive at a place.
  struct Edge {
    Time head{};
    Time tail{};
  };
  static constexpr std::size_t kMostFlows = 2;
  struct Lanes {
    Lane port;
    Lane first;
    std::array<Lane, kMostFlows> seconds;
  };
  // When a lane is free, while the packets of a burst pass it.
  struct Server {
    Time free{};
    Time service{};  // of each
    Edge pass(Time head, Time tail) {
      const Time start = std::max(head, free);
      free = std::max(start + service, tail);
      return {start, free};
    }
  };
  struct Servers {
    Server port;
    Server first;
    std::array<Server, kMostFlows> seconds{};
  };
  // The packets of one message in a burst: every `flow_count`-th.
  struct Flow {
    Message* message = nullptr;
    LiveLink* second = nullptr;
    std::uint32_t ordinal = 0;  // of its first packet
    Time tail{};                // tail of the packet sent before, at the source
    Edge entered{};             // first arrival at the node after the unit
    std::int64_t counted = 0;   // packets that have crossed, counted in the burst's `before`
  };
  // The last packet of a burst of one message may have fewer bytes. Its tail is earlier than that of a full
  // packet by these times.
  struct Shorter {
    Bytes size;      // none: 0
    Time left{};     // at the port
    Time arrived{};  // at the unit
  };
  struct Burst {
    std::array<Flow, kMostFlows> flows{};
    std::int64_t flow_count = 1;
    Bytes size;
    std::int64_t count = 0;
    Time first_slot{};
    Time gap{1};
    Edge left{};     // the first packet leaves the port
    Edge arrived{};  // and arrives at the unit
    Shorter shorter;
    std::uint32_t batch = 0;  // of the time at which they arrive at the unit
    LiveLink* first = nullptr;
    Lanes before;

    [[nodiscard]] std::span<Flow> all() { return {flows.data(), static_cast<std::size_t>(flow_count)}; }
    [[nodiscard]] std::span<const Flow> all() const {
      return {flows.data(), static_cast<std::size_t>(flow_count)};
    }
    [[nodiscard]] std::size_t flow_of(std::int64_t i) const {
      return static_cast<std::size_t>(i % flow_count);
    }
    // Number of packets of a flow among the first `n` of the burst.
    [[nodiscard]] std::int64_t among(std::int64_t n, std::size_t flow) const {
      return (n - static_cast<std::int64_t>(flow) + flow_count - 1) / flow_count;
    }
    [[nodiscard]] bool is_shorter(std::int64_t i) const { return shorter.size > 0_B && i == count - 1; }
    // When packet `i` has left the port.
    [[nodiscard]] Edge at_port(std::int64_t i) const {
      return {left.head + i * gap, left.tail + i * gap - (is_shorter(i) ? shorter.left : Time{0})};
    }
  };
  // How far a burst has come.
  struct Progress {
    std::int64_t slots = 0;    // packets that have had their slot
    std::int64_t left = 0;     // packets that have crossed the first link
    std::int64_t arrived = 0;  // and the second
  };

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
  [[nodiscard]] static Servers servers_of(const Burst& burst);
  void pass_first(Burst& burst, Servers& servers) const;
  void enter(Burst& burst, std::int64_t most);
  void enter_shorter(Burst& burst, Bytes size) const;
  [[nodiscard]] static std::uint32_t batch_of(const Burst& burst);
  [[nodiscard]] bool paces(const Burst& burst, Servers servers) const;
  [[nodiscard]] Edge over_port(Server& server, Time slot) const;
  [[nodiscard]] Edge over_first(const Burst& burst, Server& server, const Edge& left) const;
  [[nodiscard]] Edge over_second(const Flow& flow, Server& server, const Edge& arrived) const;
  [[nodiscard]] static Edge later(const Edge& edge, Time by) { return {edge.head + by, edge.tail + by}; }
  void add_alone(Packet& packet, const Edge& left);
  [[nodiscard]] bool is_between(const Alone& one) const;
  [[nodiscard]] static BurstEntry entry_of(const Burst& burst, std::size_t flow);
  void claim(const Burst& burst);
  void claim_links(const Burst& burst, ILinkClaim* holder);
  [[nodiscard]] std::int64_t slots_past(const Burst& burst, bool present) const;
  [[nodiscard]] std::int64_t by_now(const Burst& burst, Time first, bool present) const;
  [[nodiscard]] Progress progress(const Burst& burst, bool present) const;
  [[nodiscard]] std::optional<Packet> present_one(const Burst& burst, const Edge& at,
                                                  std::uint32_t port) const;
  void reserve(const Burst& burst, const Progress& packets) const;
  void reserve_second(const Burst& burst, std::size_t flow, Lane& lane, std::int64_t crossed) const;
  [[nodiscard]] static std::size_t flow_on(const Burst& burst, const LiveLink& link);
  static void pass(const Burst& burst, Lane& lane, const Edge& at, std::int64_t count, Time gap, Bytes last,
                   Time sooner);
  void continue_by_events(const Burst& burst, const Progress& from);
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
