#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kbsim/hw/fabric/fabric_observers.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/message_pool.hpp"
#include "kbsim/hw/fabric/network.hpp"
#include "kbsim/hw/fabric/node_batches.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"
#include "kbsim/hw/fabric/shortcut_socket.hpp"
#include "kbsim/hw/fabric/switches.hpp"

namespace kbsim::hw {

class FabricCauses;

/// The links of a machine and the packets on them. A packet at a node with overhead o (head at h, tail at t)
/// gets the next link at s = max(h + o, free). It holds the link until e = max(s + ser, t + o), and reaches
/// the next node at s + wire (tail e + wire). Links serve by head arrival, ties by input port, or as a switch
/// decides (ISwitch). Finite queues return room at e + wire. Each hop is an event, or reserved ahead with the
/// same times (IShortcut).
class Fabric : public Network,
               public MessagePool,
               public NodeBatches,
               public FabricObservers,
               public ShortcutSocket {
 public:
  Fabric(Simulation& sim, const topology::Graph& graph);
  /// The fabric of another process of the same machine, made before its components. A node belongs to the
  /// fabric of its component, a link to the fabric of its upstream node. Packets and messages are handed over
  /// with all their state. Questions about all processes go to `whole`.
  Fabric(Fabric& whole, Simulation& sim);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// All links, with everything that they have served by now.
  [[nodiscard]] const std::vector<LiveLink>& links() const;
  [[nodiscard]] Attribution attribution() const;

  /// Call when all components are attached. Sets up switches, and credits for the links into finite queues.
  /// ConfigError if a node has too few virtual channels.
  void connect();
  /// Call before connect(): packets over this link cross `border`, which outlives the fabric.
  void cross_by(LinkId link, FabricBorder& border) { live(link).make_rare().border = &border; }
  /// A packet has crossed a border over this link. Its head reaches the end of the link at packet.head.
  void come_over(Packet& packet, LiveLink& link);

  [[nodiscard]] MessagePtr make(NodeId from, NodeId to, Bytes size, TrafficClass traffic_class,
                                MessageBody body);

  /// Sends a message whose bytes are at its source now, or from `head` to `tail`. A message of very many
  /// packets is a train: its first packet reserves the link for all, and each other packet is made shortly
  /// before it leaves. So a message takes memory only for its packets in flight.
  void send(MessagePtr message) { send(std::move(message), sim_.now(), sim_.now()); }
  void send(MessagePtr message, Time head, Time tail);

  /// Like send(), but at once, not with all that its source sends at this time. The source must send nothing
  /// else now. A message that can't leave at once goes like any other.
  void depart(MessagePtr message);

  /// From now on messages may cross the links of the path.
  void take(Path& path);
  /// Counts messages that were sent and have arrived without packets.
  struct Passed {
    std::int64_t messages = 0;
    Bytes bytes;
    Split split;
    Time under_way{};
  };
  void passed(Path& path, const Passed& messages);

  /// State of a link, with everything that it has served by now.
  [[nodiscard]] const Lane& served(LinkId link);
  /// From now on each packet has an event at each hop, and each step of a memory or a DMA has its own event.
  void exact_packets();

  /// A message whose packets will be injected one by one; `message` belongs to the fabric from now on.
  Message& open(MessagePtr message);
  /// The next `size` bytes of an open message reach its source at `head`, their last byte at `tail`.
  void inject(Message& message, Bytes size, Time head, Time tail) {
    inject(message, size, head, tail, false);
  }
  /// Likewise for packets that are alike and come at a constant distance.
  void inject(Message& message, PacketRun run);

  /// Sends a packet on over the next link of its route, from a node with this overhead.
  void forward(Packet& packet, Time overhead);

  // For IShortcut: packets that are made, moved and dropped by hand.
  /// The next packet of an open message, which isn't sent.
  [[nodiscard]] Packet& next_packet(Message& message, Bytes size, Time head, Time tail);
  /// Removes a packet and its message, which has no other, as if it had never been sent.
  void forget(Packet& packet);
  /// An event for the packet at the end of the link that it has crossed.
  void arrive_by_event(Packet& packet, LiveLink& link);
  /// The messages of this process. Packets that have no objects count, too.
  [[nodiscard]] MessageCounts& message_counts() { return counts_; }

  [[nodiscard]] Switches& switches() { return switches_; }

  /// The component takes its packets at that time, even if there are none.
  void wake(Component& sleeper, Time at);
  /// True if wake() has been called.
  [[nodiscard]] bool has_wakes() const { return has_wakes_; }
  /// Removes the wakes from what a component has collected.
  void drop_wakes(std::vector<Packet*>& packets);

  /// Takes a packet that has reached the end of its route; gives the message with its last packet.
  [[nodiscard]] MessagePtr arrived(Packet& packet);

  /// Why packets are where they are; nullptr if causes aren't kept.
  [[nodiscard]] FabricCauses* causes() const { return causes_.get(); }

  /// From now on each message leaves a trace when it arrives: traces().
  void trace_messages();
  /// From now on links, and the units that use spans(), write their spans there; nullptr: no spans are taken.
  void record_spans(ISpans* spans);

  /// Checks the physics once nothing is under way. All messages and bytes have arrived; no link or unit was
  /// busy longer than the time that has passed; no credit is lost. Little's law: the total time of packets
  /// under way equals the time that nodes and links account for. InternalError names the violation and its
  /// place.
  void audit() const;

 private:
  friend class SwitchPorts;
  void cross(Packet& packet, LiveLink& link, const Lane::Slot& slot);
  // Packet::late of a packet that is sent now and arrives now.
  [[nodiscard]] std::uint8_t late_now() const {
    constexpr std::uint32_t kMost = 254;
    return static_cast<std::uint8_t>(std::min(sim_.scheduler().lates().of(sim_.now()), kMost) + 1);
  }
  void inject(Message& message, Bytes size, Time head, Time tail, bool leads);
  void lead(Packet& first, Time overhead, Time end);
  Task<> follow(Message* message, Packet behind, Time next);
  void send(Message& message, Time head, Time tail);
  void account(const Message& message, Time arrival);

  Switches switches_;
  bool has_wakes_ = false;
  MessageCounts counts_;
  std::unique_ptr<FabricCauses> causes_;
};

}  // namespace kbsim::hw
