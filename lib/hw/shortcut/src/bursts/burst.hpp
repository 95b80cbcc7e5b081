#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"

#include "burst_entry.hpp"

namespace kbsim::hw {

/// Packets of one message, or of two that alternate, at a steady distance: when they have their slots, leave
/// the port, and arrive at the unit and at the node after it.
struct Burst {
  static constexpr std::size_t kMostFlows = 2;

  // When the first and the last byte of a packet arrive at a place.
  struct Edge {
    Time head{};
    Time tail{};
    [[nodiscard]] Edge later(Time by) const { return {head + by, tail + by}; }
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
  // How far a burst has come, in packets.
  struct Progress {
    std::int64_t slots = 0;
    std::int64_t left = 0;     // that have crossed the first link
    std::int64_t arrived = 0;  // and the second
  };
  struct Lanes {
    Lane port;
    Lane first;
    std::array<Lane, kMostFlows> seconds;
  };
  // A server for each lane.
  struct Servers {
    Server port;
    Server first;
    std::array<Server, kMostFlows> seconds{};
  };

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
  [[nodiscard]] std::size_t flow_of(std::int64_t i) const { return static_cast<std::size_t>(i % flow_count); }
  // Number of packets of a flow among the first `n` of the burst.
  [[nodiscard]] std::int64_t among(std::int64_t n, std::size_t flow) const {
    return (n - static_cast<std::int64_t>(flow) + flow_count - 1) / flow_count;
  }
  [[nodiscard]] bool is_shorter(std::int64_t i) const { return shorter.size > 0_B && i == count - 1; }
  // When packet `i` has left the port.
  [[nodiscard]] Edge at_port(std::int64_t i) const {
    return {left.head + i * gap, left.tail + i * gap - (is_shorter(i) ? shorter.left : Time{0})};
  }
  // The first packet of a flow arrives at the unit.
  [[nodiscard]] Edge first_of(std::size_t flow) const {
    return arrived.later(static_cast<std::int64_t>(flow) * gap);
  }

  // Index of the flow that uses the link; the number of flows if none does.
  [[nodiscard]] std::size_t flow_on(const LiveLink& link) const;
  [[nodiscard]] BurstEntry entry_of(std::size_t flow) const;
  // The lanes before the burst, as servers of its packets.
  [[nodiscard]] Servers servers() const;
  // The batch in which packets arrive at the unit.
  [[nodiscard]] std::uint32_t arrival_batch() const;
  // Number of packets that have passed a place where the first is at `first_at`. One of now counts if
  // `present`.
  [[nodiscard]] std::int64_t passed(Time first_at, Time now, bool present) const;
  // Number of slots that are past, at least 1: the first is when the burst begins. One of now counts if
  // `present`.
  [[nodiscard]] std::int64_t slots_past(Time now, bool present) const;
  // True if a packet passes now, where the first is at `first_at`.
  [[nodiscard]] bool passes(Time first_at, Time now) const;
  // True if some packets have yet to arrive at the unit, or arrive now.
  [[nodiscard]] bool is_coming(Time now) const { return arrived.head + (count - 1) * gap >= now; }
};

}  // namespace kbsim::hw
