#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_link_hold.hpp"
#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

struct RunEntry;

/// Packets that a unit sends from a memory beside it, one behind the other, each when its turn comes: they
/// pass the memory's port, cross a link to the unit, and one from there to a node that only passes packets
/// on. A run of them, of one message or of two that take turns, is told ahead, with no event before that
/// node, while nobody else comes to the port or to these links: then what hasn't happened by now is taken
/// back.
class PacedRuns {
 public:
  /// `port` takes what has its turn at t at t + `latency`.
  struct Source {
    NodeId memory;
    NodeId unit;
    Lane* port = nullptr;
    Time latency{};
  };
  /// The holder calls end() when it is to give way.
  PacedRuns(Fabric& fabric, const Source& source, ILinkHold& holder);
  PacedRuns(const PacedRuns&) = delete;
  PacedRuns& operator=(const PacedRuns&) = delete;

  /// Open messages whose next packets have turns from now on, `gap` apart: one, or two in turn, of which the
  /// second has sent some. The last of one message may be shorter, and has its turn behind them.
  struct Turns {
    Message* message = nullptr;
    Message* other = nullptr;
    Bytes size;  // of each packet
    Time gap{};
    std::int64_t most = 0;
    Bytes shorter;  // none: 0
  };
  /// As many as can be told. The turns of earlier runs are past.
  [[nodiscard]] std::int64_t begin(const Turns& turns);
  /// A packet of it leaves the port in that slot: of no run.
  void send(Message& message, Bytes size, Lane::Slot slot);
  /// Others leave the port then.
  void pass(Time at) { passing_ = std::max(passing_, at); }

  /// One comes to the unit now, or has.
  [[nodiscard]] bool crosses_now() const;
  /// Whether links are held: no more those that all have crossed.
  [[nodiscard]] bool holds();
  /// Of the last run: so many have had their turn, with one whose turn is now if `present`.
  [[nodiscard]] std::int64_t turned(bool present) const { return turned(runs_.back(), present); }
  /// When packet `i` of these has its turn, and when its last byte has passed the port.
  [[nodiscard]] Time turn(std::int64_t i) const { return runs_.back().turn + i * runs_.back().gap; }
  [[nodiscard]] Time left(std::int64_t i) const { return runs_.back().at_port(i).tail; }

  /// When a packet of no run, which is at the unit now, crosses the second link of a run, behind that
  /// overhead: if nobody waits for it.
  [[nodiscard]] std::optional<Lane::Slot> between(LiveLink& link, const Packet& packet, Time overhead);
  /// What has happened by now is left as it is; packets that have had their turn go on by events, and the
  /// others have none.
  void end(bool present);
  /// Asks the holder to.
  void give_way() { holder_->settle(); }

 private:
  static constexpr Time kNever{-1};
  // When the first packet's first and last byte come to a place.
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
  // When a lane is free, as its packets pass it.
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
  // The packets of one message, every so many of a run's.
  struct Part {
    Message* message = nullptr;
    LiveLink* second = nullptr;
    std::uint32_t ordinal = 0;  // of its first packet
    Time tail{};                // of the last that was sent before, at the source
    Edge entered{};             // the node behind the unit
    std::int64_t settled = 0;   // so many have crossed, as the run's `before` has it
  };
  // The last of a run of one message may have fewer bytes: its tail is so much sooner than another's would
  // be.
  struct Shorter {
    Bytes size;   // none: 0
    Time left{};  // the port
    Time came{};  // to the unit
  };
  struct Run {
    std::array<Part, kMostParts> parts{};
    std::int64_t ways = 1;  // parts
    Bytes size;
    std::int64_t count = 0;
    Time turn{};
    Time gap{1};
    Edge left{};  // the port
    Edge came{};  // to the unit
    Shorter shorter;
    std::uint32_t batch = 0;  // of the time at which they come to the unit
    LiveLink* first = nullptr;
    Lanes before;

    [[nodiscard]] std::span<Part> all() { return {parts.data(), static_cast<std::size_t>(ways)}; }
    [[nodiscard]] std::span<const Part> all() const { return {parts.data(), static_cast<std::size_t>(ways)}; }
    [[nodiscard]] std::size_t part(std::int64_t i) const { return static_cast<std::size_t>(i % ways); }
    // Of a part's packets, those among the run's first `n`.
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
    std::int64_t left = 0;  // have crossed the first link
    std::int64_t came = 0;  // and the second
  };

  // On its way to the node behind both links.
  struct Alone {
    Packet* packet = nullptr;
    Message* message = nullptr;
    std::uint64_t sequence = 0;  // the message's
    std::uint32_t ordinal = 0;
    Edge left{};
  };

  void drop_past();
  [[nodiscard]] bool can_tell(const Message& message) const;
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
  static void hold_links(const Run& run, ILinkHold* holder);
  void leave_fabric();
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
  Source source_;
  ILinkHold* holder_;
  Time over_memory_;  // what these take
  Time over_unit_;
  PoolVector<Run> runs_;
  std::size_t place_ = 0;    // among the fabric's, if there are some
  PoolVector<Alone> alone_;  // in their order
  Time passing_ = kNever;    // when the last left of those that may not have come to the unit
};

}  // namespace kbsim::hw
