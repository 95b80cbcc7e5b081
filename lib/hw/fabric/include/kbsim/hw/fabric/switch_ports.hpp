#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"

namespace kbsim::hw {

/// A switch's view of its node, and its actions there: ports and channels of packets, when links are free,
/// the room ahead. Ports and channels are numbered from 0; input port 0 is that of packets that start at this
/// node. The fabric accounts for queues, waits and credits.
class SwitchPorts {
 public:
  /// Packets that share a queue for each channel: all, those by one link, or, of those by one link, the ones
  /// that are on the ring of their next link already, and the others.
  enum class Inputs : std::uint8_t { one, by_link, by_ring };

  /// All links of a node.
  SwitchPorts(Fabric& fabric, NodeId node, Inputs inputs = Inputs::by_link);

  [[nodiscard]] NodeId node() const { return node_; }
  [[nodiscard]] std::uint32_t inputs() const { return inputs_; }
  [[nodiscard]] std::uint32_t channels() const { return channels_; }
  [[nodiscard]] std::uint32_t outputs() const { return outputs_; }

  [[nodiscard]] std::uint32_t input(const Packet& packet) const {
    if (by_ == Inputs::by_ring) return 2 * packet.port + (fabric_->switches().is_on_ring(packet) ? 1 : 0);
    return by_ == Inputs::one ? 0 : packet.port;
  }
  /// The virtual channel in which the packet arrived, or, where queues have no limit, the first of its class.
  [[nodiscard]] std::uint32_t channel(const Packet& packet) const;
  [[nodiscard]] std::uint32_t output(const Packet& packet) const {
    return fabric_->next_link(packet).rare->output;
  }

  [[nodiscard]] Time now() const { return fabric_->sim().now(); }
  /// When the link has carried all that was sent over it, and the processor of its port, if it has one, is
  /// free.
  [[nodiscard]] Time free(std::uint32_t output) const {
    const LiveLink& link = fabric_->live(fabric_->graph().out(node_)[output]);
    const PortProcessor* const port = link.processor();
    return port == nullptr ? link.lane.free() : std::max(link.lane.free(), port->free());
  }

  /// The virtual channel at the far end of the next link of the packet that has room for all of it. nullopt:
  /// the link, if it is free, counts as blocked until a packet is sent. A credit that comes back wakes the
  /// switch.
  [[nodiscard]] std::optional<std::uint32_t> room_ahead(const Packet& packet);
  /// For a switch of worms: the channels that the first flit may ask for at the far end of its next link,
  /// among `channels_ahead(output)`, numbered from 0. Without queues there, the room is unlimited.
  [[nodiscard]] ChannelSet choices(const Packet& packet) const {
    return fabric_->switches().channels(packet);
  }
  [[nodiscard]] std::uint32_t channels_ahead(std::uint32_t output) const;
  [[nodiscard]] bool takes_worms(std::uint32_t output) const;
  /// There is room for the flit in this channel.
  [[nodiscard]] bool has_room(const Packet& packet, std::uint32_t channel);
  /// Number of the packet's worm in its message.
  [[nodiscard]] std::uint32_t worm(const Packet& packet) const;
  /// Number of flits in that worm.
  [[nodiscard]] std::uint32_t worm_flits(const Packet& packet) const;
  /// How much later than on an idle network the packet arrived here: the smaller of the delays of head and
  /// tail.
  [[nodiscard]] Time lag(const Packet& packet) const;
  /// Call when the link is free, but all packets that want it lack room ahead.
  void blocked(std::uint32_t output);
  /// Call when another packet can go there, or no packet lacks only room: the link is blocked no longer.
  void unblocked(std::uint32_t output);
  /// Sends the packet over its next link, which must be free, from now on, into this channel. Returns when
  /// its tail leaves; the room that it took here is then given back.
  Time send(Packet& packet, std::uint32_t channel) { return send(packet, channel, {}); }
  /// Makes the fabric call allocate() at this time, which must be later than now.
  void wake(Time at) { fabric_->switches().wake(node_, at); }

  /// For flow control of one's own: whether packets of this input port come from a node with a switch, which
  /// its component makes. Port 0 has none. Known once the first packet moves.
  [[nodiscard]] bool takes_signals(std::uint32_t input) const;
  /// Sends a value to the switch from which packets of this input port come, over the wire of their link:
  /// that switch gets it by take_signal() and is woken at now() + delay + wire, which must be later than now.
  void signal(std::uint32_t input, std::uint64_t value, Time delay = {});

  // For a switch that explains(), where causes are kept:
  [[nodiscard]] Causes* causes() const { return fabric_->sim().causes(); }
  /// Like send() above; `waits` are the other waits of the packet.
  Time send(Packet& packet, std::uint32_t channel, std::span<const SwitchWait> waits);
  /// Why the tail of the last packet sent leaves when it does.
  [[nodiscard]] const Cause& why_left() const { return fabric_->causes()->tail_left(); }
  /// Why that link becomes free. why_ready(): why the packet may go: it has passed the pipeline, or catches
  /// up on time that it has lost.
  [[nodiscard]] const Cause& why_free(std::uint32_t output) const {
    return fabric_->causes()->carried(fabric_->graph().out(node_)[output]);
  }
  [[nodiscard]] Cause why_ready(const Packet& packet) const;
  /// Why the packet is at the switch: `lookahead` before it has passed the pipeline.
  [[nodiscard]] Cause why_came(const Packet& packet, Time lookahead) const;
  /// Cause of the time `at`, which is a lookahead after `granted`, the grant of a channel.
  [[nodiscard]] Cause why_passed(const Cause& granted, Time at) const;
  /// Like wake(), after a cycle in which a request wasn't served.
  void wake_next_cycle(Time at);

 private:
  [[nodiscard]] LinkId link_of(std::uint32_t input) const;
  [[gnu::cold]] void explain_signal(LinkId link, Time at, Time delay) const;
  [[nodiscard]] Time pipeline() const;
  [[nodiscard]] Cause why_early(const Packet& packet) const;
  [[nodiscard]] Cause when_idle(const Packet& packet, Time lag) const;
  void explain(Packet& packet, const LiveLink& link, const Lane::Slot& slot, Time overhead, Cause credit,
               std::span<const SwitchWait> waits) const;
  void take_port(const Packet& packet, LinkId link, PortProcessor& port) const;
  [[nodiscard]] Cause credit_for(const Packet& packet, const LiveLink& link, std::uint32_t channel) const;

  Fabric* fabric_;
  NodeId node_;
  Inputs by_;
  bool finite_;
  std::uint32_t inputs_;
  std::uint32_t channels_;
  std::uint32_t outputs_;
};

}  // namespace kbsim::hw
