#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "kbsim/base/ids.hpp"
#include "kbsim/base/time.hpp"
#include "kbsim/hw/fabric/lane.hpp"

namespace kbsim::hw {

class Fabric;
struct LiveLink;
struct Message;
struct Packet;
struct PacketRun;

/// Reserves links and units for packets ahead of time, so that most hops need no event. All times, values and
/// statistics are those of the machine without it: a reservation is revoked when a packet arrives before it.
/// A fabric asks its shortcut at each step below; without one, each hop is an event.
class IShortcut {
 public:
  /// A packet's turn at a link.
  struct Meeting {
    std::optional<Lane::Slot> slot;  // none: the link serves it next
    bool reserves_again = false;     // call reserve_again() when it has crossed
  };

  virtual ~IShortcut();

  /// Messages may use this route from now on.
  virtual void know(std::span<const LinkId> route) = 0;
  /// A packet is to leave its source at its head. True: it is reserved; false: it must leave by an event.
  [[nodiscard]] virtual bool leave(Packet& packet) = 0;
  /// A packet has crossed the link and arrives at its end at its head; later than now if that end only passes
  /// packets on.
  virtual void arrive(Packet& packet, LiveLink& link) = 0;
  /// The next packets of `run`, whose first packets have crossed `link` (nullptr: are at their source), join
  /// them if they follow without a change. Returns how many; the caller accounts for their leaving.
  [[nodiscard]] virtual std::int64_t follow(const Message& message, LiveLink* link, const PacketRun& run) = 0;
  /// A packet is at the node of the link now and crosses it next, after that overhead: what would arrive
  /// later is revoked. Call if LiveLink::is_reserved().
  [[nodiscard]] virtual Meeting before(LiveLink& link, const Packet& packet, Time overhead) = 0;
  virtual void reserve_again() = 0;
  /// A packet that has reached its target is accepted next: accepts all that arrived before it.
  virtual void accept_before(const Packet& packet) = 0;

  /// Accounts for all that has happened before now: of all links, of the unit at a node, of a link.
  virtual void flush() = 0;
  virtual void flush(NodeId node) = 0;
  virtual void flush(LiveLink& link) = 0;
  /// Likewise for what memories hold.
  virtual void flush_contents() = 0;
};

/// The shortcut of this build, made when all components of a fabric are attached; nullptr if it has none.
using MakeShortcut = std::unique_ptr<IShortcut> (*)(Fabric& fabric);
[[nodiscard]] MakeShortcut shortcut_maker();
/// Always true.
bool register_shortcut(MakeShortcut make) noexcept;

}  // namespace kbsim::hw
