#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kbsim/hw/fabric/fabric.hpp"
#include "kbsim/hw/fabric/fabric_causes.hpp"

namespace kbsim::hw {

/// What a switch sees of its node and does there: the ports and channels of packets, when links are free,
/// the room ahead. Its ports and channels are numbered from 0; input port 0 is that of packets that start
/// at this node. The fabric keeps the accounts: queues, waits, credits.
class SwitchPorts {
 public:
  /// All links of a node. With `one_input` its packets share a queue for each channel.
  SwitchPorts(Fabric& fabric, NodeId node, bool one_input = false);

  [[nodiscard]] NodeId node() const { return node_; }
  [[nodiscard]] std::uint32_t inputs() const { return inputs_; }
  [[nodiscard]] std::uint32_t channels() const { return channels_; }
  [[nodiscard]] std::uint32_t outputs() const { return outputs_; }

  [[nodiscard]] std::uint32_t input(const Packet& packet) const { return inputs_ == 1 ? 0 : packet.port; }
  /// The virtual channel in which it came, or, where queues have no limit, the first of its class.
  [[nodiscard]] std::uint32_t channel(const Packet& packet) const;
  [[nodiscard]] std::uint32_t output(const Packet& packet) const {
    return fabric_->next_link(packet).rare->output;
  }

  [[nodiscard]] Time now() const { return fabric_->sim().now(); }
  /// When the link has carried all that was sent over it.
  [[nodiscard]] Time free(std::uint32_t output) const {
    return fabric_->live(fabric_->graph().out(node_)[output]).lane.free();
  }

  /// The virtual channel at the far end of the packet's next link that has room for all of it; none: the
  /// link, if it is free, counts as blocked until one is sent. A credit that comes back wakes the switch.
  [[nodiscard]] std::optional<std::uint32_t> room_ahead(const Packet& packet);
  /// For a worm's switch: the channels that its first flit may ask for at the far end of its next link,
  /// which are `channels_ahead(output)`, numbered from 0; without end where that has no queues.
  [[nodiscard]] ChannelSet choices(const Packet& packet) const { return fabric_->channels(packet); }
  [[nodiscard]] std::uint32_t channels_ahead(std::uint32_t output) const;
  [[nodiscard]] bool takes_worms(std::uint32_t output) const;
  /// There is room for the flit in this channel.
  [[nodiscard]] bool has_room(const Packet& packet, std::uint32_t channel);
  /// Which of its message's worms it is of, and how many flits that has.
  [[nodiscard]] std::uint32_t worm(const Packet& packet) const;
  [[nodiscard]] std::uint32_t worm_flits(const Packet& packet) const;
  /// How much later than on an idle network its head and its tail came here, the less of both.
  [[nodiscard]] Time lag(const Packet& packet) const;
  /// The link is free, but those that want it lack room ahead.
  void blocked(std::uint32_t output);
  /// Another packet can go there, or nobody lacks room alone: the link isn't blocked any more.
  void unblocked(std::uint32_t output);
  /// The packet's next link, which is free, carries it from now on to this channel. Its tail leaves at the
  /// time returned, and with it the room that it took here.
  Time send(Packet& packet, std::uint32_t channel) { return send(packet, channel, {}); }
  /// The switch is asked to allocate() at this time, which is to come.
  void wake(Time at) { fabric_->wake(node_, at); }

  // Where causes are kept, a switch that explains() says more.
  [[nodiscard]] Causes* causes() const { return fabric_->sim().causes(); }
  /// What else the packet has waited for.
  Time send(Packet& packet, std::uint32_t channel, std::span<const SwitchWait> waits);
  /// Why the tail of the packet that was sent last leaves then.
  [[nodiscard]] const Cause& why_left() const { return fabric_->causes()->tail_left(); }
  /// Why that link is free, when it is, and why the packet may go: it has passed the pipeline, or makes up
  /// for what it has lost.
  [[nodiscard]] const Cause& why_free(std::uint32_t output) const {
    return fabric_->causes()->carried(fabric_->graph().out(node_)[output]);
  }
  [[nodiscard]] Cause why_ready(const Packet& packet) const;
  /// Why it has come here: `lookahead` before it has passed the pipeline.
  [[nodiscard]] Cause why_came(const Packet& packet, Time lookahead) const;
  /// A lookahead after `granted`, when it was given a channel.
  [[nodiscard]] Cause why_passed(const Cause& granted, Time at) const;
  /// As wake(), after a cycle in which it wasn't served.
  void wake_next_cycle(Time at);

 private:
  [[nodiscard]] Time pipeline() const;
  [[nodiscard]] Cause why_early(const Packet& packet) const;
  [[nodiscard]] Cause when_idle(const Packet& packet, Time lag) const;
  void explain(Packet& packet, const LiveLink& link, const Lane::Slot& slot, Time overhead, Cause credit,
               std::span<const SwitchWait> waits) const;
  [[nodiscard]] Cause credit_for(const Packet& packet, const LiveLink& link, std::uint32_t channel) const;

  Fabric* fabric_;
  NodeId node_;
  bool finite_;
  std::uint32_t inputs_;
  std::uint32_t channels_;
  std::uint32_t outputs_;
};

}  // namespace kbsim::hw
