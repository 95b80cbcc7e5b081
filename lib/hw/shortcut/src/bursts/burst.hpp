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
struct RunEntry;

/// Bursts: packets that a unit sends from a memory next to it, one after another, in arbitration slots. They
/// pass the port of the memory, a link to the unit, and a link from there to a node that only passes packets
/// on. A burst of one message, or of two that alternate, is reserved ahead, without events before that node.
/// Another packet at the port or on these links revokes what has not happened by then.
class PacedRuns {
 public:
  /// A packet with its turn at t enters `port` at t + `latency`.
  struct Source {
    NodeId memory;
    NodeId unit;
    Lane* port = nullptr;
    Time latency{};
  };
  /// The holder calls end() when it must yield.
  PacedRuns(Fabric& fabric, const Source& source, ILinkClaim& holder);
  PacedRuns(const PacedRuns&) = delete;
  PacedRuns& operator=(const PacedRuns&) = delete;

  /// Open messages whose next packets have turns from now on, `gap` apart: one message, or two that
  /// alternate. The second of two has sent packets before. The last packet of a single message may be
  /// shorter; its turn follows the others.
  struct Turns {
    Message* message = nullptr;
    Message* other = nullptr;
    Bytes size;  // of each packet
    Time gap{};
    std::int64_t most = 0;
    Bytes shorter;  // none: 0
  };
  /// Reserves up to `most` packets, and then the shorter one; returns how many. The turns of earlier bursts
  /// must be past.
  [[nodiscard]] std::int64_t begin(const Turns& turns);
  /// Sends a packet of the message that is in no burst; it leaves the port in that slot.
  void send(Message& message, Bytes size, Lane::Slot slot);
  /// Other packets leave the port at that time.
  void pass(Time at) { passing_ = std::max(passing_, at); }

  /// True if a packet of a burst arrives at the unit at this time.
  [[nodiscard]] bool crosses_now() const;
  /// True if links are claimed. Bursts whose packets have all crossed claim none.
  [[nodiscard]] bool holds();
  /// Number of packets of the last burst that have had their turn. A turn at this time counts if `present`.
  [[nodiscard]] std::int64_t turned(bool present) const { return turned(runs_.back(), present); }
  /// When packet `i` of the last burst has its turn; left(): when its last byte has passed the port.
  [[nodiscard]] Time turn(std::int64_t i) const { return runs_.back().turn + i * runs_.back().gap; }
  [[nodiscard]] Time left(std::int64_t i) const { return runs_.back().at_port(i).tail; }

  /// When a packet in no burst, which is at the unit now, crosses the second link of a burst after that
  /// overhead. nullopt if a packet of a burst might wait for it.
  [[nodiscard]] std::optional<Lane::Slot> between(LiveLink& link, const Packet& packet, Time overhead);
  /// Ends all bursts; everything that has happened by now stays. Packets that have had their turn go on by
  /// events; the others get no turn.
  void end(bool present);
  /// Asks the holder to end the bursts.
  void yield() { holder_->flush(); }
  /// Its place in Claims.
  void moves_to(std::size_t place) { place_ = place; }

 private:
  static constexpr Time kNever{-1};
  // When the first and the last byte of the first packet arrive at a place.
  struct Edge {
    Time head{};
    Time tail{};
  };
  static constexpr std::size_t kMostParts = 2;
  struct Lanes {
    Lane port;
    Lane first;
    std::array<Lane, kMostParts> seconds;
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
    std::array<Server, kMostParts> seconds{};
  };
  // The packets of one message in a burst: every `ways`-th.
  struct Part {
    Message* message = nullptr;
    LiveLink* second = nullptr;
    std::uint32_t ordinal = 0;  // of its first packet
    Time tail{};                // tail of the packet sent before, at the source
    Edge entered{};             // first arrival at the node after the unit
    std::int64_t settled = 0;   // packets that have crossed, by the run's `before`
  };
  // The last packet of a burst of one message may have fewer bytes. Its tail is earlier than that of a full
  // packet by these times.
  struct Shorter {
    Bytes size;   // none: 0
    Time left{};  // at the port
    Time came{};  // at the unit
  };
  struct Run {
    std::array<Part, kMostParts> parts{};
    std::int64_t ways = 1;  // number of parts
    Bytes size;
    std::int64_t count = 0;
    Time turn{};
    Time gap{1};
    Edge left{};  // the first packet leaves the port
    Edge came{};  // and arrives at the unit
    Shorter shorter;
    std::uint32_t batch = 0;  // of the time at which they arrive at the unit
    LiveLink* first = nullptr;
    Lanes before;

    [[nodiscard]] std::span<Part> all() { return {parts.data(), static_cast<std::size_t>(ways)}; }
    [[nodiscard]] std::span<const Part> all() const { return {parts.data(), static_cast<std::size_t>(ways)}; }
    [[nodiscard]] std::size_t part(std::int64_t i) const { return static_cast<std::size_t>(i % ways); }
    // Number of packets of a part among the first `n` of the run.
    [[nodiscard]] std::int64_t among(std::int64_t n, std::size_t part) const {
      return (n - static_cast<std::int64_t>(part) + ways - 1) / ways;
    }
    [[nodiscard]] bool is_shorter(std::int64_t i) const { return shorter.size > 0_B && i == count - 1; }
    // When packet `i` has left the port.
    [[nodiscard]] Edge at_port(std::int64_t i) const {
      return {left.head + i * gap, left.tail + i * gap - (is_shorter(i) ? shorter.left : Time{0})};
    }
  };
  struct Reached {
    std::int64_t turned = 0;
    std::int64_t left = 0;  // packets that have crossed the first link
    std::int64_t came = 0;  // and the second
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
  [[nodiscard]] Run run_of(const Turns& turns) const;
  [[nodiscard]] static Servers servers_of(const Run& run);
  void pass_first(Run& run, Servers& servers) const;
  void enter(Run& run, std::int64_t most);
  void enter_shorter(Run& run, Bytes size) const;
  [[nodiscard]] static std::uint32_t batch_of(const Run& run);
  [[nodiscard]] bool paces(const Run& run, Servers servers) const;
  [[nodiscard]] Edge over_port(Server& server, Time turn) const;
  [[nodiscard]] Edge over_first(const Run& run, Server& server, const Edge& left) const;
  [[nodiscard]] Edge over_second(const Part& part, Server& server, const Edge& came) const;
  [[nodiscard]] static Edge later(const Edge& edge, Time by) { return {edge.head + by, edge.tail + by}; }
  void goes_alone(Packet& packet, const Edge& left);
  [[nodiscard]] bool is_between(const Alone& one) const;
  [[nodiscard]] static RunEntry entry_of(const Run& run, std::size_t part);
  void hold(const Run& run);
  void hold_links(const Run& run, ILinkClaim* holder);
  [[nodiscard]] std::int64_t turned(const Run& run, bool present) const;
  [[nodiscard]] std::int64_t by_now(const Run& run, Time first, bool present) const;
  [[nodiscard]] Reached reached(const Run& run, bool present) const;
  [[nodiscard]] std::optional<Packet> present_one(const Run& run, const Edge& at, std::uint32_t port) const;
  void reserve(const Run& run, const Reached& packets) const;
  void reserve_second(const Run& run, std::size_t part, Lane& lane, std::int64_t crossed) const;
  [[nodiscard]] static std::size_t part_of(const Run& run, const LiveLink& link);
  static void pass(const Run& run, Lane& lane, const Edge& at, std::int64_t count, Time gap, Bytes last,
                   Time sooner);
  void go_on(const Run& run, const Reached& from);
  void leave_out(const Run& run, std::size_t part, std::int64_t from);
  void unsend(const Run& run, std::size_t part, std::int64_t sent, std::int64_t of);
  void go_on(const Run& run, std::int64_t i, std::uint32_t hop, const Edge& from);

  Fabric* fabric_;
  Reservations* reservations_;
  Source source_;
  ILinkClaim* holder_;
  Time over_memory_;  // overhead of the memory
  Time over_unit_;
  PoolVector<Run> runs_;
  std::size_t place_ = 0;    // in Claims, unless runs_ is empty
  PoolVector<Alone> alone_;  // in order of leaving the port
  Time passing_ = kNever;    // when the last of the others left that may not be at the unit yet
};

}  // namespace kbsim::hw
