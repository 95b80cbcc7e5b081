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
#include "kbsim/hw/fabric/message.hpp"
#include "kbsim/hw/fabric/message_trace.hpp"
#include "kbsim/sim/merge.hpp"
#include "kbsim/sim/simulation.hpp"
#include "kbsim/topology/graph.hpp"
#include "kbsim/topology/route.hpp"

namespace kbsim::hw {

class Component;
class FabricBorder;
class FabricCauses;
class Reservations;
class ILinkHold;
class ISwitch;
class PacedRuns;
class Paths;
class SwitchPorts;

/// Where the time of all messages went.
struct Attribution {
  std::int64_t messages = 0;
  Split split;
};

struct LinkAhead;
struct MessageSource;
struct SharedPlaces;

/// Members that few links need: those into finite queues, after a switch, or between processes.
struct RareLink {
  std::unique_ptr<Credits> credits;  // of the queues at its far end, if they are finite
  Time queued{};                     // service time of the packets in the switch that wait for it
  Time blocked{};                    // time when it was free, but no packet had room ahead
  Time blocked_since = kForever;     // start of the present such time; kForever: not blocked
  FabricBorder* border = nullptr;    // carries its packets to its end in another process
  ISwitch* from_switch = nullptr;    // decides which packet goes next
  std::uint32_t output = 0;          // number at from_switch; 0 is the first
};

/// One direction of a link of the running machine; two cache lines.
struct alignas(64) LiveLink {
  Lane lane;
  Time wire{};
  NodeId from;
  NodeId to;
  std::uint32_t port = 0;             // input port of `to`; 1 is the first
  std::uint32_t booked : 31 = 0;      // number of its reservations, for packets yet to arrive
  std::uint32_t merges : 1 = 0;       // unobserved packets may arrive at `from` and cross it
  Merge<Packet>* arrivals = nullptr;  // at `to`, if it has any
  ILinkHold* hold = nullptr;          // the claim: knows which packets will cross it
  LinkAhead* ahead = nullptr;         // state of its reservations, from first use on
  std::unique_ptr<RareLink> rare;

  /// nullptr: packets cross in the order in which their heads arrive.
  [[nodiscard]] ISwitch* from_switch() const { return rare != nullptr ? rare->from_switch : nullptr; }
  [[nodiscard]] Credits* credits() const { return rare != nullptr ? rare->credits.get() : nullptr; }
  [[nodiscard]] FabricBorder* border() const { return rare != nullptr ? rare->border : nullptr; }
  [[nodiscard]] Time blocked() const { return rare != nullptr ? rare->blocked : Time{0}; }
  [[nodiscard]] RareLink& make_rare() {
    if (rare == nullptr) rare = std::make_unique<RareLink>();
    return *rare;
  }
};

static_assert(sizeof(LiveLink) == 128);

/// The links of a machine and the packets on them. A packet at a node with overhead o (head at h, tail at t)
/// gets the next link at s = max(h + o, free). It holds the link until e = max(s + ser, t + o), and reaches
/// the next node at s + wire (tail e + wire). Links serve by head arrival, ties by input port, or as a switch
/// decides (ISwitch). Finite queues return room at e + wire. Each hop is an event, or reserved ahead with the
/// same times and revoked when a packet arrives before it.
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

  // For units that know ahead which packets will cross some links.
  [[nodiscard]] LiveLink& live(LinkId link) { return links_[link.value()]; }
  [[nodiscard]] Path& path(NodeId from, NodeId to);
  /// From now on messages may cross the links of the path.
  void take(Path& path);
  /// True if no packet is on its way over the link, and none will be without first arriving at its node.
  /// False for links with a switch, credits or a claim.
  [[nodiscard]] bool is_free(LiveLink& link) const;
  /// True if crossing the link, with the overhead of its node, takes more than zero time.
  [[nodiscard]] bool takes_time(const LiveLink& link) const;
  /// True if takes_time() holds for all links to the node.
  [[nodiscard]] bool all_take_time_to(NodeId node);
  [[nodiscard]] std::vector<LiveLink*> links_to(NodeId node);
  /// State of a one-packet message that has left its source and arrives next at the node at `hop` of its
  /// route.
  struct OnItsWay {
    std::uint32_t hop = 0;
    Time head{};
    Time tail{};
    Time sent{};  // as in Message; so is source_tail
    Time source_tail{};
  };
  void resume(MessagePtr message, const OnItsWay& where);
  /// Messages that were sent and have arrived, and that no other component has observed.
  struct Passed {
    std::int64_t messages = 0;
    Bytes bytes;
    Split split;
    Time under_way{};
  };
  void passed(Path& path, const Passed& messages);
  void hold(LiveLink& link, ILinkHold* holder);  // nullptr: none
  void add_hold(ILinkHold& hold) { holds_.push_back(&hold); }
  void drop_hold(ILinkHold& hold) { std::erase(holds_, &hold); }
  /// Flushes all claims: call before reading what memories hold, or DMAs have moved, by now.
  void end_holds() const;
  /// Ends all bursts: call before reading any link.
  void end_runs() const;
  /// Call before reading what the unit of the node has done by now. Flushes the claims that add_hold()
  /// registered, and then only the links at this node.
  void settle(NodeId node) const;

  /// From now on each packet has an event at each hop, and each step of a memory or a DMA has its own event.
  void exact_packets();
  /// No other process has a part of the machine.
  [[nodiscard]] bool is_whole() const;
  /// True if unobserved steps need no events.
  [[nodiscard]] bool books_ahead() const { return books_ahead_; }

  /// A message whose packets will be injected one by one; `message` belongs to the fabric from now on.
  Message& open(MessagePtr message);
  /// The next `size` bytes of an open message reach its source at `head`, their last byte at `tail`.
  void inject(Message& message, Bytes size, Time head, Time tail) {
    inject(message, size, head, tail, false);
  }

  /// Sends a packet on over the next link of its route, from a node with this overhead.
  void forward(Packet& packet, Time overhead);
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
  friend class Reservations;
  friend class PacedRuns;
  friend struct Recycle;
  friend class SwitchPorts;
  [[nodiscard]] LiveLink& next_link(const Packet& packet) { return live(packet.message->route[packet.hop]); }
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
  void come_to(Packet& packet, LiveLink& link);
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
  void catch_up(const Packet& packet);
  Packet& allocate();
  void free(Packet& packet);
  Packet& fresh_packet();
  Message& fresh_message();
  void give_spare();
  void know_places();
  void send(Message& message, Time head, Time tail);
  [[nodiscard]] bool goes_at_once(const LiveLink& link) const;
  Packet& next_packet(Message& message, Bytes size, Time head, Time tail);
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
  bool books_ahead_ = true;
  std::unique_ptr<Reservations> reservations_;  // from connect() on
  std::vector<ILinkHold*> holds_;
  std::vector<PacedRuns*> runs_;  // bursts that claim links
  Taking* taking_ = nullptr;      // the component that takes packets now
  std::deque<MessageTrace> traces_;
  Attribution attribution_;
  std::unique_ptr<FabricCauses> causes_;
  Time under_way_{};  // sum of head times at targets minus sum of head times at sources
};

}  // namespace kbsim::hw
