#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kbsim/base/storage.hpp"
#include "kbsim/hw/fabric/credits.hpp"
#include "kbsim/hw/fabric/i_spans.hpp"
#include "kbsim/hw/fabric/lane.hpp"
#include "kbsim/hw/fabric/live_link.hpp"
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/message_trace.hpp"
#include "kbsim/hw/fabric/packet_run.hpp"
#include "kbsim/sim/merge.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

class Component;
class FabricCauses;
class IShortcut;
class Paths;
class SwitchPorts;

/// Where the time of all messages went.
struct Attribution {
  std::int64_t messages = 0;
  Split split;
};

struct MessageSource;
struct SharedPlaces;

/// The links of a machine and the packets on them. A packet at a node with overhead o (head at h, tail at t)
/// gets the next link at s = max(h + o, free). It holds the link until e = max(s + ser, t + o), and reaches
/// the next node at s + wire (tail e + wire). Links serve by head arrival, ties by input port, or as a switch
/// decides (ISwitch). Finite queues return room at e + wire. Each hop is an event, or reserved ahead with the
/// same times (IShortcut).
class Fabric {
 public:
  Fabric(Simulation& sim, const topology::Graph& graph);
  /// The fabric of another process of the same machine, made before its components. A node belongs to the
  /// fabric of its component, a link to the fabric of its upstream node. Packets and messages are handed over
  /// with all their state. Questions about all processes go to `whole`.
  Fabric(Fabric& whole, Simulation& sim);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  [[nodiscard]] Simulation& sim() const { return sim_; }
  [[nodiscard]] const topology::Graph& graph() const { return graph_; }
  /// All links, with everything that they have served by now.
  [[nodiscard]] const std::vector<LiveLink>& links() const;
  [[nodiscard]] Attribution attribution() const;

  /// Components are attached before the first message, each to its node.
  void attach(NodeId node, Component& component);
  [[nodiscard]] Component& component(NodeId node) const { return *components_[node.value()]; }
  /// Call when all components are attached. Sets up switches, and credits for the links into finite queues.
  /// ConfigError if a node has too few virtual channels.
  void connect();
  /// The fabric that the node belongs to.
  [[nodiscard]] Fabric& owner(NodeId node) const;
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

  [[nodiscard]] LiveLink& live(LinkId link) { return links_[link.value()]; }
  [[nodiscard]] std::span<LiveLink> live_links() { return links_; }
  [[nodiscard]] LiveLink& next_link(const Packet& packet) { return live(packet.message->route[packet.hop]); }
  [[nodiscard]] Path& path(NodeId from, NodeId to);
  /// From now on messages may cross the links of the path.
  void take(Path& path);
  /// True if crossing the link, with the overhead of its node, takes more than zero time.
  [[nodiscard]] bool takes_time(const LiveLink& link) const;
  /// Number of links that end at the node.
  [[nodiscard]] std::uint32_t inputs(NodeId node) const;
  /// True if a packet that leaves by the link at once arrives later, in order of its leaving.
  [[nodiscard]] bool goes_at_once(const LiveLink& link) const;
  /// No other process has a part of the machine.
  [[nodiscard]] bool is_whole() const;
  /// Counts messages that were sent and have arrived without packets.
  struct Passed {
    std::int64_t messages = 0;
    Bytes bytes;
    Split split;
    Time under_way{};
  };
  void passed(Path& path, const Passed& messages);

  /// Brings all that the unit of the node has done up to now; call before reading it.
  void flush(NodeId node) const;
  /// Likewise what memories hold by now.
  void flush_contents() const;
  /// Likewise what the link has served by now.
  [[nodiscard]] const Lane& served(LinkId link);

  /// From now on each packet has an event at each hop, and each step of a memory or a DMA has its own event.
  void exact_packets();
  /// Reserves packets ahead; nullptr: all steps are events.
  [[nodiscard]] IShortcut* shortcut() const { return ahead_; }

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

  // For what reserves ahead: packets made, moved and dropped by hand.
  /// A packet without contents, from the pool.
  [[nodiscard]] Packet& allocate();
  void free(Packet& packet);
  /// The next packet of an open message, which isn't sent.
  [[nodiscard]] Packet& next_packet(Message& message, Bytes size, Time head, Time tail);
  /// Removes a packet and its message, which has no other, as if it had never been sent.
  void forget(Packet& packet);
  /// Visits all packets, also free ones, which have no message.
  template <class Visit>
  void for_each_packet(Visit visit) {
    packets_.for_each(visit);
  }
  /// An event for the packet at the end of the link that it has crossed.
  void arrive_by_event(Packet& packet, LiveLink& link);
  /// Counts packets that have no objects: the sum of the times of their heads at their targets, less those at
  /// their sources.
  void add_under_way(Time change) { under_way_ += change; }

  /// The node's switch sends what can go now. Call late, after all forward() calls of a time.
  void allocate(NodeId node);
  /// True if some nodes have a switch.
  [[nodiscard]] bool has_switches() const { return has_switches_; }

  /// Arrivals at a node that only passes packets on, has no switch, and whose outgoing links all take some
  /// time; else nullptr. Set by connect().
  [[nodiscard]] Merge<Packet>* arrivals(NodeId node) { return arrivals_[node.value()].get(); }

  /// The component takes its packets at that time, even if there are none.
  void wake(Component& sleeper, Time at);
  /// True if wake() has been called.
  [[nodiscard]] bool has_wakes() const { return has_wakes_; }
  /// Removes the wakes from what a component has collected.
  void drop_wakes(std::vector<Packet*>& packets);

  /// The packets of one time that a component takes, one by one. Other packets may be inserted meanwhile:
  /// joins().
  class Taking {
   public:
    Taking(Fabric& fabric, const Component& component, std::vector<Packet*>& packets)
        : fabric_{&fabric}, component_{&component}, packets_{&packets} {
      fabric.taking_ = this;
    }
    Taking(const Taking&) = delete;
    Taking& operator=(const Taking&) = delete;
    ~Taking() { fabric_->taking_ = nullptr; }
    /// The next packet; nullptr: there is none.
    [[nodiscard]] Packet* next() {
      if (at_ == packets_->size()) return nullptr;
      Packet* const packet = (*packets_)[at_++];
      port_ = packet->port;
      return packet;
    }

   private:
    friend class Fabric;
    Fabric* fabric_;
    const Component* component_;
    std::vector<Packet*>* packets_;
    std::size_t at_ = 0;
    std::uint32_t port_ = 0;  // ingress port of the present packet, which may be gone
  };
  /// True if a packet that arrives there at this time, in that batch, has gone on by now.
  [[nodiscard]] bool has_passed(Component& component, std::uint32_t batch, const Packet& packet) const;
  /// Inserts the packet among those that the component takes now. False: it takes none now.
  [[nodiscard]] bool joins(const Component& component, Packet& packet);

  /// Takes a packet that has reached the end of its route; gives the message with its last packet.
  [[nodiscard]] MessagePtr arrived(Packet& packet);

  /// Why packets are where they are; nullptr if causes aren't kept.
  [[nodiscard]] FabricCauses* causes() const { return causes_.get(); }

  /// From now on each message leaves a trace when it arrives.
  void trace_messages();
  /// In order of arrival. Equal runs give equal traces, except for the order of those of one time.
  [[nodiscard]] const std::deque<MessageTrace>& traces() const { return traces_; }

  /// From now on links, and the units that use spans(), write their spans there; nullptr: no spans are taken.
  void record_spans(ISpans* spans);
  [[nodiscard]] ISpans* spans() const { return spans_; }

  /// Checks the physics once nothing is under way. All messages and bytes have arrived; no link or unit was
  /// busy longer than the time that has passed; no credit is lost. Little's law: the total time of packets
  /// under way equals the time that nodes and links account for. InternalError names the violation and its
  /// place.
  void audit() const;

  /// Largest packet, in bytes, of a message of `size`. Where routers switch worms, packets are flits.
  [[nodiscard]] Bytes packet_size(Bytes size) const;

  [[nodiscard]] bool at_end(const Packet& packet) const { return packet.hop == packet.message->route.size(); }

 private:
  friend struct Recycle;
  friend class SwitchPorts;
  void cross(Packet& packet, LiveLink& link, const Lane::Slot& slot);
  // Packet::late of a packet that is sent now and arrives now.
  [[nodiscard]] std::uint8_t late_now() const {
    constexpr std::uint32_t kMost = 254;
    return static_cast<std::uint8_t>(std::min(sim_.scheduler().batch(), kMost) + 1);
  }
  [[gnu::cold, gnu::noinline]] void note_room(LinkId link, Time at, Bytes change) const;
  [[gnu::noinline]] void explain(Packet& packet, const LiveLink& link, Time overhead, const Lane::Slot& slot);
  [[gnu::noinline]] void explain_post(const Packet& packet, bool at_head) const;
  void require_causes(const LiveLink& link) const;
  [[gnu::cold]] void explain_queue(const Packet& packet, const LiveLink& link);
  [[gnu::cold]] void explain_credit(const Packet& packet, Time at, Time delay);
  [[gnu::cold]] void explain_entry(const Packet& packet, const LiveLink& link);
  void queue(Packet& packet, Time ready, LiveLink& link);
  void give_back(const Packet& packet, Time tail_left);
  void wake(NodeId node, Time at);
  [[nodiscard]] ChannelSet channels(const Packet& packet) const;
  void add_credits(LiveLink& link);
  void add_switch(NodeId node);
  void add_arrivals();
  [[nodiscard]] Path& path(MessageSource& source, const Message& message);
  void inject(Message& message, Bytes size, Time head, Time tail, bool leads);
  [[nodiscard]] bool is_train(const Message& message, Time head, Time tail) const;
  void lead(Packet& first, Time overhead, Time end);
  Task<> follow(Message* message, Packet behind, Time next);
  Packet& fresh_packet();
  Message& fresh_message();
  void give_spare();
  void know_places();
  void send(Message& message, Time head, Time tail);
  void note_hop(const Packet& packet, const Lane::Slot& slot) const;
  void note_span(const Packet& packet, const Lane::Slot& slot) const;
  void account(const Message& message, Time arrival);
  void audit_links(std::uint32_t first, std::uint32_t count) const;
  void audit_link(LinkId id, Bytes delivered) const;
  void audit_unit(const Component& component) const;
  [[nodiscard]] Time spent_at_links() const;
  [[nodiscard]] static Split split(const Message& message, Time arrival);

  Simulation& sim_;
  const topology::Graph& graph_;
  std::unique_ptr<Paths> paths_;
  std::shared_ptr<SharedPlaces> places_;
  std::span<LiveLink> links_;  // this and the next three view places_
  std::span<Component*> components_;
  std::span<std::unique_ptr<Merge<Packet>>> arrivals_;  // by node
  std::span<MessageSource> sources_;                    // of messages, by node
  Bytes flit_;          // smallest flit of the routers that switch worms; 0: none
  int worm_flits_ = 0;  // fewest flits of a worm, likewise
  bool has_switches_ = false;
  bool has_wakes_ = false;
  Storage<Packet> packets_;
  std::vector<Packet*> free_packets_;
  Storage<Message> messages_;
  std::vector<Message*> free_messages_;
  std::int64_t opened_ = 0;                   // messages
  static constexpr std::uint8_t kTraces = 1;  // hops of the last packet of each message
  static constexpr std::uint8_t kSpans = 2;
  std::uint8_t notes_ = 0;  // hops to note: kTraces, kSpans
  ISpans* spans_ = nullptr;
  bool is_exact_ = false;                // no shortcut: each hop is an event
  std::unique_ptr<IShortcut> shortcut_;  // from connect() on, if there is one
  IShortcut* ahead_ = nullptr;           // the same, unless is_exact_
  Taking* taking_ = nullptr;             // the component that takes packets now
  std::deque<MessageTrace> traces_;
  Attribution attribution_;
  std::unique_ptr<FabricCauses> causes_;
  Time under_way_{};  // sum of head times at targets minus sum of head times at sources
};

}  // namespace kbsim::hw
