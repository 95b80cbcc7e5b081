#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/i_link_hold.hpp"
#include "kbsim/sim/pool_allocator.hpp"

namespace kbsim::hw {

struct RunEntry;

/// Packets that a unit sends from a memory beside it, one behind the other, each when its turn comes: they
/// pass the memory's port, cross a link to the unit, and one from there to a node that only passes packets
/// on. A run of them is told ahead, with no event before that node, while nobody else comes to the port or
/// to these links: then what hasn't happened by now is taken back.
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
  PacedRuns(Fabric& fabric, const Source& source, ILinkHold& holder)
      : fabric_{&fabric}, source_{source}, holder_{&holder} {}
  PacedRuns(const PacedRuns&) = delete;
  PacedRuns& operator=(const PacedRuns&) = delete;

  /// The next packets of an open message have turns from now on, `gap` apart: as many as can be told, of
  /// `most` at the most. The turns of earlier runs are past.
  [[nodiscard]] std::int64_t begin(Message& message, Bytes size, Time gap, std::int64_t most);
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
  /// When the last run's packet `i` has its turn, and when its last byte has passed the port.
  [[nodiscard]] Time turn(std::int64_t i) const { return runs_.back().turn + i * runs_.back().gap; }
  [[nodiscard]] Time left(std::int64_t i) const { return runs_.back().left.tail + i * runs_.back().gap; }

  /// What has happened by now is left as it is; packets that have had their turn go on by events, and the
  /// others have none. `packet`, if any, comes to the link `met` now, and crosses it next.
  void end(bool present, const LiveLink* met = nullptr, const Packet* packet = nullptr);
  /// Asks the holder to.
  void give_way() { holder_->settle(); }

 private:
  static constexpr Time kNever{-1};
  // When the first packet's first and last byte come to a place.
  struct Edge {
    Time head{};
    Time tail{};
  };
  struct Lanes {
    Lane port;
    Lane first;
    Lane second;
  };
  struct Run {
    Message* message = nullptr;
    Bytes size;
    std::uint32_t ordinal = 0;  // of its first packet
    std::int64_t count = 0;
    Time turn{};
    Time gap{1};
    Edge left{};              // the port
    Edge came{};              // to the unit
    Edge entered{};           // and the node behind it
    std::uint32_t batch = 0;  // of the time at which they come to the unit
    LiveLink* first = nullptr;
    LiveLink* second = nullptr;
    Lanes before;
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
  [[nodiscard]] Run run_of(Message& message, Bytes size) const;
  void pass_first(Run& run, Lanes& lanes) const;
  [[nodiscard]] static std::uint32_t batch_of(const Run& run);
  [[nodiscard]] bool paces(const Run& run, Lanes lanes) const;
  [[nodiscard]] Edge over_port(const Run& run, Lane& lane, Time turn) const;
  [[nodiscard]] Edge over_first(const Run& run, Lane& lane, const Edge& left) const;
  [[nodiscard]] Edge over_second(const Run& run, Lane& lane, const Edge& came) const;
  void goes_alone(Packet& packet, const Edge& left);
  [[nodiscard]] bool is_between(const Alone& one) const;
  [[nodiscard]] static RunEntry entry_of(const Run& run);
  void hold(const Run& run);
  PoolVector<Run> release();
  [[nodiscard]] std::int64_t turned(const Run& run, bool present) const;
  [[nodiscard]] std::int64_t by_now(const Run& run, Time first, bool present) const;
  [[nodiscard]] Reached reached(const Run& run, bool present, const LiveLink* met,
                                const Packet* packet) const;
  [[nodiscard]] bool comes_first(const Run& run, const Edge& at, std::uint32_t port,
                                 const Packet& packet) const;
  void reserve(const Run& run, const Reached& packets) const;
  void go_on(const Run& run, const Reached& from);
  void go_on(const Run& run, std::int64_t i, std::uint32_t hop, const Edge& from);

  Fabric* fabric_;
  Source source_;
  ILinkHold* holder_;
  PoolVector<Run> runs_;
  std::size_t place_ = 0;    // among the fabric's, if there are some
  PoolVector<Alone> alone_;  // in their order
  Time passing_ = kNever;    // when the last left of those that may not have come to the unit
};

}  // namespace kbsim::hw
