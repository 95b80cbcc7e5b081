#pragma once

#include <cstdint>
#include <optional>

#include "kbsim/hw/fabric/credits.hpp"
#include "kbsim/hw/fabric/live_link.hpp"

namespace kbsim::config {
struct ChipLinkSpec;
}

namespace kbsim::hw {

class Fabric;
struct SharedPlaces;

/// The switches of a fabric's nodes, and the credits of links into finite queues. A node without a switch of
/// its own that sends into such queues gets one.
class Switches {
 public:
  Switches(Fabric& fabric, SharedPlaces& places) : fabric_{fabric}, places_{places} {}
  Switches(const Switches&) = delete;
  Switches& operator=(const Switches&) = delete;

  /// True if some nodes have a switch.
  [[nodiscard]] bool any() const { return any_; }
  /// The node's switch sends what can go now. Call late, after all Fabric::forward() calls of a time.
  void allocate(NodeId node);
  /// The switch of the node looks again at that time, once however often it is asked.
  void wake(NodeId node, Time at);

  /// Sets up the finite queues at the ends of links, then the switches of nodes; gives the smallest flit and
  /// the fewest flits of a worm. ConfigError if they don't fit.
  void connect(Bytes& flit, int& worm_flits);
  /// Unsupported if the switch that sends over the link can't say why packets wait.
  void require_causes(const LiveLink& link) const;
  /// The switches of another process of the machine.
  void share(const Switches& whole) { any_ = whole.any_; }

  /// The packet waits for its next link from `ready` on.
  void queue(Packet& packet, Time ready, LiveLink& link);
  /// The packet is at a node now. If it has come by a link whose port has a processor, it takes that one's
  /// time.
  void receive(const Packet& packet);
  /// The packet's tail leaves its queue then: the room goes back over the link by which it arrived.
  void give_back(const Packet& packet, Time tail_left);
  /// Room in the queues at the end of the link changes.
  void note_room(LinkId link, Time at, Bytes change) const;
  /// Slots of the next link, which is between chips, that must be free before the packet is sent: two if it
  /// enters a ring with a bubble.
  [[nodiscard]] Bytes slots_needed(const Packet& packet) const;
  /// Whether the packet holds a slot of the ring of its next link.
  [[nodiscard]] bool is_on_ring(const Packet& packet) const;
  /// The channel in which the packet gets a slot now; nullopt: none is free, and the link, if it is, counts
  /// as blocked.
  [[nodiscard]] std::optional<std::uint32_t> slot_ahead(const Packet& packet) const;
  /// Virtual channels that the packet may take on its next link.
  [[nodiscard]] ChannelSet channels(const Packet& packet) const;

 private:
  void add_credits(LiveLink& link, Bytes& flit, int& worm_flits);
  void add_slots();
  void give_back_slot(const Packet& packet, Time tail_left);
  [[nodiscard]] std::optional<std::uint32_t> slot_held(const Packet& packet) const;
  [[nodiscard]] ChannelSet channels(const Packet& packet, std::uint32_t hop) const;
  void add_processors();
  void add_processor(LiveLink& link, const config::ChipLinkSpec& wire);
  void receive_by(LiveLink& link, LiveLink& back);
  void add_switch(NodeId node);
  [[nodiscard]] bool needs_switch(LinkId link) const;
  [[nodiscard]] Cause why_received(const Packet& packet, LinkId came, const PortProcessor& port, Time done);
  void explain_queue(const Packet& packet, const LiveLink& link);
  void explain_credit(const Packet& packet, Time at, Time delay);

  Fabric& fabric_;
  SharedPlaces& places_;
  bool any_ = false;
};

}  // namespace kbsim::hw
