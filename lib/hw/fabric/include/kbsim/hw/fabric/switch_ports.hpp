#pragma once

#include <cstdint>
#include <optional>

#include "kbsim/hw/fabric/fabric.hpp"

namespace kbsim::hw {

/// What a switch sees of its node and does there: the ports and channels of packets, when links are free,
/// the room ahead. Its ports and channels are numbered from 0; input port 0 is that of packets that start
/// at this node. The fabric keeps the accounts: queues, waits, credits.
class SwitchPorts {
 public:
  /// All links of a node. With `one_input` its packets share a queue for each channel.
  SwitchPorts(Fabric& fabric, NodeId node, bool one_input = false);

  [[nodiscard]] std::uint32_t inputs() const { return inputs_; }
  [[nodiscard]] std::uint32_t channels() const { return channels_; }
  [[nodiscard]] std::uint32_t outputs() const { return outputs_; }

  [[nodiscard]] std::uint32_t input(const Packet& packet) const { return inputs_ == 1 ? 0 : packet.port; }
  /// The virtual channel in which it came, or, where queues have no limit, the first of its class.
  [[nodiscard]] std::uint32_t channel(const Packet& packet) const;
  [[nodiscard]] std::uint32_t output(const Packet& packet) const { return fabric_->next_link(packet).output; }

  [[nodiscard]] Time now() const { return fabric_->sim().now(); }
  /// When the link has carried all that was sent over it.
  [[nodiscard]] Time free(std::uint32_t output) const {
    return fabric_->live(fabric_->graph().out(node_)[output]).lane.free();
  }

  /// The virtual channel at the far end of the packet's next link that has room for all of it; none: the
  /// link, if it is free, counts as blocked until one is sent. A credit that comes back wakes the switch.
  [[nodiscard]] std::optional<std::uint32_t> room_ahead(const Packet& packet);
  /// Another packet can go there, or nobody lacks room alone: the link isn't blocked any more.
  void unblocked(std::uint32_t output);
  /// The packet's next link, which is free, carries it from now on to this channel. Its tail leaves at the
  /// time returned, and with it the room that it took here.
  Time send(Packet& packet, std::uint32_t channel);
  /// The switch is asked to allocate() at this time, which is to come.
  void wake(Time at) { fabric_->wake(node_, at); }

 private:
  Fabric* fabric_;
  NodeId node_;
  bool finite_;
  std::uint32_t inputs_;
  std::uint32_t channels_;
  std::uint32_t outputs_;
};

}  // namespace kbsim::hw
