#pragma once

#include <cstdint>
#include <memory>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/credits.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/port_processor.hpp"
#include "kbsim/sim/merge.hpp"

namespace kbsim::hw {

class FabricBorder;
class ISwitch;
struct LinkAhead;

/// Members that few links need: those into finite queues, after a switch, between processes, or at ports that
/// store packets or have a processor.
struct RareLink {
  std::unique_ptr<Credits> credits;          // of the queues at its far end, if they are finite
  std::unique_ptr<Credits> slots;            // likewise, of a link between chips: in packets, not bytes
  bool bubble = false;                       // a packet enters its ring only with two free slots
  Time queued{};                             // service time of the packets in the switch that wait for it
  Time blocked{};                            // time when it was free, but no packet had room ahead
  Time blocked_since = kForever;             // start of the present such time; kForever: not blocked
  FabricBorder* border = nullptr;            // carries its packets to its end in another process
  ISwitch* from_switch = nullptr;            // decides which packet goes next
  std::uint32_t output = 0;                  // number at from_switch; 0 is the first
  bool stores = false;                       // the node at its end takes packets whole
  Time stored{};                             // from heads to tails of the packets stored there, in total
  std::unique_ptr<PortProcessor> processor;  // of the port at its beginning, if it has one
  PortProcessor* receiver = nullptr;         // likewise at its end
  bool after_port = false;                   // packets that cross it may have come by a link with a receiver
};

/// One direction of a link of the running machine; two cache lines.
struct alignas(64) LiveLink {
  Lane lane;
  Time wire{};
  NodeId from;
  NodeId to;
  std::uint32_t port = 0;  // input port of `to`; 1 is the first
  // IShortcut's:
  std::uint32_t reserved : 30 = 0;    // number of its reservations, for packets yet to arrive
  std::uint32_t merges : 1 = 0;       // unobserved packets may arrive at `from` and cross it
  std::uint32_t claimed : 1 = 0;      // a unit knows ahead which packets will cross it
  Merge<Packet>* arrivals = nullptr;  // at `to`, if it has any
  std::unique_ptr<RareLink> rare;
  LinkAhead* ahead = nullptr;  // IShortcut's state of its reservations, from first use on

  /// IShortcut decides what happens before the next packet crosses.
  [[nodiscard]] bool is_reserved() const { return reserved != 0 || merges != 0 || claimed != 0; }

  /// nullptr: packets cross in the order in which their heads arrive.
  [[nodiscard]] ISwitch* from_switch() const { return rare != nullptr ? rare->from_switch : nullptr; }
  [[nodiscard]] Credits* credits() const { return rare != nullptr ? rare->credits.get() : nullptr; }
  /// Slots at the end of a link between chips (config::ChipLinkSpec::credits); nullptr: without limit.
  [[nodiscard]] Credits* slots() const { return rare != nullptr ? rare->slots.get() : nullptr; }
  [[nodiscard]] FabricBorder* border() const { return rare != nullptr ? rare->border : nullptr; }
  /// The processor of the port at its beginning; nullptr: it has none.
  [[nodiscard]] PortProcessor* processor() const { return rare != nullptr ? rare->processor.get() : nullptr; }
  /// Each of its packets has an event at both of its ends.
  [[nodiscard]] bool is_observed() const { return rare != nullptr && (rare->stores || rare->after_port); }
  [[nodiscard]] Time blocked() const { return rare != nullptr ? rare->blocked : Time{0}; }
  [[nodiscard]] RareLink& make_rare() {
    if (rare == nullptr) rare = std::make_unique<RareLink>();
    return *rare;
  }
};

static_assert(sizeof(LiveLink) == 128);

}  // namespace kbsim::hw
