#pragma once

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

namespace kbsim::hw {

/// Classes of traffic that must never wait for one another.
enum class TrafficClass : std::uint8_t { request, response, ipcq, credit };
inline constexpr int kTrafficClasses = 4;

/// Names a request at the one who asked; comes back with the answer.
using Token = std::uint32_t;

/// A route, what it costs every message alike, and the bytes that have arrived by it: what each message asks
/// for is one line of the cache.
struct alignas(64) Path {
  /// The links from a hop on that trail the one before it (ADR 0098), one after the other.
  struct Trail {
    Time takes{};
    std::uint32_t port = 0;  // of the node behind them
    std::uint16_t hop = 0;
    std::uint16_t links = 0;
  };
  std::span<const LinkId> route;
  Time overhead{};  // of the nodes before each link
  Time wire{};
  Bandwidth slowest;
  Bytes delivered;
  bool taken = false;                    // something has gone by it, or may
  std::uint32_t trails_ended = 0;        // when so many links trailed no more,
  std::vector<Trail> trails;             // those that were asked for
  std::uint32_t next_trail = 0;          // of these, which is asked for next, mostly
  std::span<const std::uint8_t> phases;  // by hop; empty where one will do
};

/// Something that one component tells another through the fabric, in one or more packets.
struct Message {
  NodeId from;
  NodeId to;
  Bytes size;  // on the wire
  TrafficClass traffic_class = TrafficClass::request;
  std::uint32_t origin = 0;    // who of several speakers at `from`; orders what they say at one time
  std::uint64_t sequence = 0;  // of all that `from` has sent
  Path* path = nullptr;
  std::span<const LinkId> route;  // the path's
  Time sent{};                    // when the first byte was at its source
  Time source_tail{};             // and the last
  std::uint32_t packets = 0;      // all of them
  std::uint32_t injected = 0;     // so far
  std::int64_t packets_left = 0;  // not yet arrived
  Time served{};                  // by the memory it writes to, so far
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

/// Packets of a message that have come to its end, none of them its last, and of which nobody has heard:
/// alike, each `gap` behind the one before it.
struct UnheardPackets {
  Message* message = nullptr;
  Bytes size;
  Time head{};  // of the first
  Time tail{};
  Time gap{};
  std::uint32_t ordinal = 0;  // of the first, in its message
  std::uint32_t count = 1;

  /// Those of the same message that come next, too, if they follow at one distance; else false.
  [[nodiscard]] bool join(const UnheardPackets& next) {
    if (next.message != message || next.ordinal != ordinal + count || next.size != size) return false;
    const Time step = count > 1 ? gap : next.head - head;
    if (next.head != head + count * step || next.tail != tail + count * step) return false;
    if (next.count > 1 && next.gap != step) return false;
    gap = step;
    count += next.count;
    return true;
  }
  /// Without the first `n`.
  void drop(std::uint32_t n) {
    head += n * gap;
    tail += n * gap;
    ordinal += n;
    count -= n;
  }
};

/// A part of a message on its way. `head` and `tail`: when its first and last byte reach the node where
/// it is now. One without a message is no packet: it wakes its node.
struct Packet {
  Posted<Packet> posted{};
  Message* message = nullptr;
  Bytes size;
  Time head{};
  Time tail{};
  std::uint32_t hop = 0;      // the next link of the route
  std::uint32_t port = 0;     // by which it came in; 0: it starts here
  std::uint32_t ordinal = 0;  // in its message
  std::uint8_t noted = 0;     // for whom its hops are: of traces, of spans
  std::uint8_t late = 0;      // it was sent here at the time at which it comes: in batch late - 1 of that
  bool leads = false;         // a train: the rest of its message comes right behind it
  bool paced = false;         // of a paced run, where that is told from
  Time injected{};            // when its first byte was at its source
  // Where queues are finite:
  std::uint32_t channel = 0;  // of the link by which it came in
  std::uint32_t causes = 0;   // its place in FabricCauses, if causes are kept
  Time ready{};               // when its head has passed the node's pipeline
  Packet* next = nullptr;     // behind it in its queue
};

}  // namespace kbsim::hw
