#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kbsim/base/bandwidth.hpp"
#include "kbsim/base/bytes.hpp"
#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/message_body.hpp"
#include "kbsim/hw/fabric/message_trace.hpp"
#include "kbsim/sim/inbox.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::config {
struct ChipLinkSpec;
}

namespace kbsim::hw {

/// Classes of traffic. Where queues are finite each has virtual channels of its own, so that a full queue of
/// one can't stop another. Classes share links, and take turns at a DMA.
enum class TrafficClass : std::uint8_t { request, response, ipcq, credit };
inline constexpr int kTrafficClasses = 4;

/// Names a request at its requester; the answer carries it back.
using Token = std::uint32_t;

/// A route, its costs that are the same for every message, and the bytes that have arrived by it. The members
/// that each message needs are in one cache line.
struct alignas(64) Path {
  /// Consecutive shadowed links from a hop on; each is shadowed by the link before it
  /// (docs/explanation/shortcut.md).
  struct Shadow {
    Time takes{};
    std::uint32_t port = 0;  // input port of the node after them
    std::uint16_t hop = 0;
    std::uint16_t links = 0;
  };
  /// The links between two nodes that store packets.
  struct Part {
    Bandwidth slowest;
    const config::ChipLinkSpec* framing = nullptr;
  };
  std::span<const LinkId> route;
  Time overhead{};  // of the nodes before each link
  Time wire{};
  Bandwidth slowest;
  const config::ChipLinkSpec* framing = nullptr;  // of its slowest link with frames
  Bytes delivered;
  bool taken = false;                    // messages have used it, or may
  std::uint32_t shadows_ended = 0;       // number of no longer shadowed links when `shadows` was filled
  std::vector<Shadow> shadows;           // those looked up so far
  std::uint32_t next_shadow = 0;         // index in `shadows` of the likely next look-up
  std::span<const std::uint8_t> phases;  // by hop; empty if there is only one
  std::span<const Part> parts;           // empty: no node on the way stores packets

  /// How long a message occupies the slowest link, in packets of this size. Where nodes store packets, also
  /// how long its last packet takes in each of the other parts of the way.
  [[nodiscard]] Time drain(Bytes size, Bytes packet) const {
    if (!parts.empty()) return stored_drain(size, packet);
    const Time plain = serialization(size, slowest);
    return framing == nullptr ? plain : std::max(plain, framed_drain(size, packet));
  }

 private:
  [[nodiscard]] Time framed_drain(Bytes size, Bytes packet) const;
  [[nodiscard]] Time stored_drain(Bytes size, Bytes packet) const;
};

/// Information that one component sends to another through the fabric, in one or more packets.
struct Message {
  NodeId from;
  NodeId to;
  Bytes size;  // on the wire
  TrafficClass traffic_class = TrafficClass::request;
  std::uint32_t origin = 0;    // which of several senders at `from`; orders their messages of one time
  std::uint64_t sequence = 0;  // number among all messages from `from`
  Path* path = nullptr;
  std::span<const LinkId> route;  // the path's
  Time sent{};                    // when the first byte was at its source
  Time source_tail{};             // when the last byte was there
  std::uint32_t packets = 0;      // all of them
  std::uint32_t injected = 0;     // so far
  std::int64_t packets_left = 0;  // not yet arrived
  Time served{};                  // when the memory it writes to has served its packets so far
  bool cut_through = false;       // the receiver takes a packet at its head, not when its tail is there
  bool in_order = true;           // overtakes no other of its source and target
  std::vector<Hop> hops;          // of its last packet, if messages are traced
  MessageBody body;
};

class Fabric;
/// Gives a message back to the fabric's pool.
struct Recycle {
  Fabric* fabric = nullptr;
  void operator()(Message* message) const;
};
using MessagePtr = std::unique_ptr<Message, Recycle>;

/// Packets of one message, without its last, whose arrival is unobserved. They are alike, each `gap` after
/// the one before it.
struct UnobservedPackets {
  Message* message = nullptr;
  Bytes size;
  Time head{};  // of the first
  Time tail{};
  Time gap{};
  std::uint32_t ordinal = 0;  // of the first, in its message
  std::uint32_t count = 1;

  /// Adds the next packets of the same message if they follow at the same distance; else returns false.
  [[nodiscard]] bool join(const UnobservedPackets& next) {
    if (next.message != message || next.ordinal != ordinal + count || next.size != size) return false;
    const Time step = count > 1 ? gap : next.head - head;
    if (next.head != head + count * step || next.tail != tail + count * step) return false;
    if (next.count > 1 && next.gap != step) return false;
    gap = step;
    count += next.count;
    return true;
  }
  /// Removes the first `n`.
  void drop(std::uint32_t n) {
    head += n * gap;
    tail += n * gap;
    ordinal += n;
    count -= n;
  }
};

/// A part of a message on its way. `head` and `tail`: when its first and last byte reach the node where it is
/// now. A Packet without a message only wakes its node.
struct Packet {
  Posted<Packet> posted{};
  Message* message = nullptr;
  Bytes size;
  Time head{};
  Time tail{};
  std::uint32_t hop = 0;      // the next link of the route
  std::uint32_t port = 0;     // ingress port; 0: it starts here
  std::uint32_t ordinal = 0;  // in its message
  std::uint8_t noted = 0;     // recorders of its hops: traces, spans
  std::uint8_t late = 0;      // 0: sent before its arrival time; else in batch late - 1 of that time
  bool leads = false;         // first of a train: the rest of its message follows at once
  bool in_burst = false;      // of a burst, at the node where that is reserved from
  Time injected{};            // when its first byte was at its source
  // Where queues are finite:
  std::uint32_t channel = 0;  // of its ingress link
  std::uint32_t causes = 0;   // its place in FabricCauses, if causes are kept
  Time ready{};               // when its head has passed the node's pipeline
  Packet* next = nullptr;     // the next in its queue
};

}  // namespace kbsim::hw
